import doctest
import os
import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="Spark has an environment of its own: make test-spark")

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from pyspark import cloudpickle
from pyspark.sql import SparkSession, functions
from support import agreement, shard_cases

import assay
from assay.engines import scan
from assay.engines import spark as engine
from assay.evaluation import from_scan

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore:::pyspark")]
for module in (agreement, shard_cases):
    cloudpickle.register_pickle_by_value(module)  # the workers do not see the tests


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """A cluster of two worker processes on this machine, on whichever ports are free."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patched.setenv("PYSPARK_PYTHON", sys.executable)
        patched.setenv("SPARK_WORKER_DIR", str(tmp_path_factory.mktemp("work")))
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "4",  # two cores do not gain from 200
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.executor.memory": "1024m",
            "spark.local.dir": str(tmp_path_factory.mktemp("local")),
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        }
        building = SparkSession.builder.master("local-cluster[2,1,1024]").appName("assay")
        for name, value in settings.items():
            building = building.config(name, value)
        session = building.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The rows in shuffled shards."""
    return shard_cases.written(tmp_path_factory.mktemp("shards"), shard_cases.COLUMNS)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Rows of more distinct scores than a small memory holds, in shards."""
    return shard_cases.written(tmp_path_factory.mktemp("many"), shard_cases.many_scores(), (0, 10, 700_000))


@pytest.fixture(scope="module")
def frame(spark, folder):
    """The shards as a frame."""
    return spark.read.parquet(str(folder))


@pytest.mark.parametrize("name", shard_cases.QUESTIONS)
def test_the_tallies_are_those_of_arrays_and_of_files(frame, folder, name):
    """Shuffled shards on two processes give the bytes of the arrays, and of the files read here."""
    roles, make = shard_cases.QUESTIONS[name]
    found = scan(frame.repartition(5), tallies={"it": make}, **roles)
    assert found["it"] == shard_cases.at_once(shard_cases.COLUMNS, roles, make)
    assert found.tallies.to_bytes() == scan(folder, tallies={"it": make}, **roles).tallies.to_bytes()
    assert found.files == 5
    assert found.dropped == 0


def test_the_tasks_run_in_processes_of_their_own(frame):
    """There are several workers, none of them is this process, and Spark tells each how many threads it has."""

    def processes(batches):
        for _ in batches:
            pass
        threads = int(os.environ["OMP_NUM_THREADS"])
        yield pa.record_batch({"process": [os.getpid()], "threads": [threads]})

    found = frame.repartition(4).mapInArrow(processes, "process bigint, threads bigint").collect()
    assert len({row["process"] for row in found} - {os.getpid()}) > 1
    assert {row["threads"] for row in found} == {1}


def test_the_rows_of_a_query_must_be_in_one_partition(frame):
    """Queries are tallied where each is whole, and refused with what to do where they are scattered."""
    roles, make = shard_cases.QUERIES
    together = scan(frame.repartition(3, "query"), tallies={"it": make}, **roles)
    assert together["it"] == shard_cases.at_once(shard_cases.COLUMNS, roles, make)
    with pytest.raises(assay.InputError, match=r"several partitions: the query .* frame\.repartition\("):
        scan(frame.repartition(3), tallies={"it": make}, **roles)


def test_scores_that_outgrow_the_memory_are_binned_as_on_one_machine(spark, many):
    """Whether scores are put into bins depends on the rows and the memory, not on who walks the rows."""
    asked = {"actual": "y", "score": "score", "tallies": {"it": assay.Scores}, "memory": "64MiB"}
    found, here = scan(spark.read.parquet(str(many)), **asked), scan(many, **asked)
    assert type(found["it"]) is assay.BinnedScores
    assert found["it"] == here["it"]
    assert found.notes == here.notes


def test_a_killed_worker_counts_no_row_twice(frame, tmp_path):
    """A worker that dies in the middle of its partition is replaced, and the answer is the same."""
    make = shard_cases.killer(str(tmp_path / "killed"), assay.Confusion)
    found = scan(frame.repartition(4), actual="actual", predicted="said", tallies={"it": make})
    assert (tmp_path / "killed").exists()
    roles, whole = shard_cases.QUESTIONS["labels"]
    assert found["it"] == shard_cases.at_once(shard_cases.COLUMNS, roles, whole)
    assert found.rows == shard_cases.N


def test_what_is_wrong_is_said_as_on_one_machine(frame):
    """A partition's complaint arrives as our error, with the partition and the row, and is not tried again."""
    ranks = {"it": assay.Scores}
    with pytest.raises(
        assay.ColumnError, match=r'no column "scor" in the Spark frame\. Did you mean "score"'
    ):
        scan(frame, actual="y", score="scor", tallies=ranks)
    with pytest.raises(assay.ColumnError, match="text where scores are needed"):
        scan(frame, actual="y", score="said", tallies=ranks)
    holes = frame.withColumn("score", functions.when(frame["score"] < 0.998, frame["score"]))
    with pytest.raises(assay.MissingValueError, match=r"in score \(first at row [\d,]+ of partition \d"):
        scan(holes, actual="y", score="score", tallies=ranks)
    dropped = scan(holes, actual="y", score="score", tallies=ranks, missing="drop")
    assert dropped.dropped == int((shard_cases.COLUMNS["score"] >= 0.998).sum())
    with pytest.raises(assay.LengthError, match="no rows"):
        scan(frame.where("score > 2"), actual="y", score="score", tallies=ranks)
    with pytest.raises(assay.ColumnError, match="of type array<double>, which holds neither"):
        scan(frame.withColumn("s", functions.array("score")), actual="y", score="s", tallies=ranks)
    with pytest.raises(assay.InputError, match="larger than Spark can move"):
        scan(frame, actual="y", score="score", tallies=ranks, memory="8GiB")


def test_two_models_several_scores_and_other_types(frame):
    """Every way of asking that a file knows is known to a frame, and decimals and dates are read alike."""
    columns = shard_cases.COLUMNS
    paired = scan(
        frame, actual="y", score="score", second={"score": "other"}, tallies={"it": assay.PairedScores}
    )
    first, second = (assay.rows(columns, actual="y", score=name) for name in ("score", "other"))
    assert paired["it"] == assay.PairedScores.of(first, second)
    names = ["score", "other", "weight"]
    several = scan(frame, actual="actual", score=names, tallies={"it": assay.ClassScores})
    whole = assay.rows(columns, actual="actual", score=names)
    assert several["it"] == assay.ClassScores.of(whole)
    typed = frame.select(
        "y",
        functions.col("score").cast("decimal(5,3)").alias("a.b"),
        functions.lit("2024-02-29").cast("date").alias("day"),
    )
    found = scan(typed, actual="y", score="a.b", by="day", tallies={"it": shard_cases.sliced})
    assert list(found["it"]) == [("2024-02-29",)]
    roles, make = shard_cases.QUESTIONS["ranks"]
    assert found["it"]["2024-02-29"] == shard_cases.at_once(columns, roles, make)


@pytest.mark.parametrize("partitions", [None, 1, 7])
def test_exact_areas_hold_no_list_of_scores(spark, frame, tmp_path, partitions):
    """Scores in stretches, each on its worker, give the area of the exact tally and its average precision."""
    roles, make = shard_cases.QUESTIONS["ranks"]
    whole = shard_cases.at_once(shard_cases.COLUMNS, roles, make)
    ranks = whole.concordance()
    found = engine.exact_areas(frame, actual="y", score="score", partitions=partitions)
    assert found.auc == Fraction(ranks.concordant, 2 * ranks.positives * ranks.negatives)
    assert found.average_precision == whole.average_precision()
    assert found[2:] == (ranks.positives, ranks.negatives, 0)


def test_exact_areas_of_labels_and_holes(spark, frame):
    """Text labels, zeros of both signs and missing scores are what they are elsewhere; one class has no area."""
    halves = functions.when(frame["score"] < 0.5, -0.0).when(frame["score"] < 0.6, 0.0)
    signs = frame.withColumn("s", functions.when(frame["score"] < 0.9, halves.otherwise(frame["score"])))
    found = engine.exact_areas(
        signs, actual="actual", score="s", positive="spam", missing="drop", partitions=3
    )
    score = shard_cases.COLUMNS["score"]
    kept = np.where(score < 0.6, 0.0, score)[score < 0.9]
    rows = assay.rows(actual=shard_cases.COLUMNS["actual"][score < 0.9], score=kept, positive="spam")
    ranks = assay.Scores.of(rows).concordance()
    assert found.auc == Fraction(ranks.concordant, 2 * ranks.positives * ranks.negatives)
    assert found.average_precision == assay.Scores.of(rows).average_precision()
    assert found.dropped == int((score >= 0.9).sum())
    with pytest.raises(assay.MissingValueError, match="missing in s "):
        engine.exact_areas(signs, actual="y", score="s")
    with pytest.raises(assay.LabelError, match="no row is negative"):
        engine.exact_areas(frame.where("y = 1"), actual="y", score="score")
    opposed = frame.withColumn("sign", functions.when(frame["score"] < 0.5, -1).otherwise(0))
    with pytest.raises(assay.LabelError, match=r"-1(,| and) 0: say which one is positive"):
        engine.exact_areas(opposed, actual="sign", score="score", partitions=4)


def test_the_page_on_clusters_runs(spark, tmp_path, monkeypatch):
    """Its lines without a prompt, which need Spark, on a file in the place of the one in the cloud."""
    monkeypatch.chdir(tmp_path)
    table = {
        "label": ["ham", "spam"] * 50,
        "said": ["ham", "spam", "spam", "ham"] * 25,
        "region": ["a"] * 100,
    }
    predictions = tmp_path / "predictions"
    pa.parquet.write_table(pa.table({**table, "p": np.linspace(0, 1, 100)}), predictions)
    names = {"assay": assay, "spark": spark}
    page = Path(assay.__file__).parents[2] / "docs" / "how-to" / "clusters.md"
    blocks = re.findall(
        r"^```python\n(?!>>>)(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    for block in blocks:
        exec(block.replace("s3://.../predictions", str(predictions)), names)  # noqa: S102 - our own page
    assert len(blocks) == 3
    assert names["found"].auc == Fraction(names["ev"]["auc"].value).limit_denominator(10_000)
    assert Path("predictions.assay").stat().st_size


@pytest.mark.usefixtures("spark")
def test_the_examples_run():
    """Those of the docstrings, which other tests pass over where there is no Spark."""
    tried = doctest.testmod(engine)
    assert tried.attempted
    assert not tried.failed


def test_progress_is_told_at_the_end_and_a_missing_part_is_named(frame, monkeypatch):
    """The number of rows is told once; without Spark a line says what to install."""
    seen = []
    scan(frame, actual="y", score="score", tallies={"it": assay.Scores}, progress=seen.append)
    assert seen == [shard_cases.N]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(assay.MissingDependencyError, match=r"pip install assay-metrics\[spark\]"):
        scan(frame, actual="y", score="score", tallies={"it": assay.Scores})


@pytest.mark.parametrize("name", shard_cases.JUDGED)
def test_an_evaluation_is_that_of_arrays_and_of_files(frame, folder, name):
    """Every kind of problem, with slices, weights and groups: the same tallies and the same JSON."""
    said = shard_cases.JUDGED[name]
    found = assay.evaluate(frame.repartition(3), **said)
    shard_cases.check_like_arrays(found, name)
    assert shard_cases.told(found) == shard_cases.told(assay.evaluate(folder, **said))


@pytest.mark.parametrize("name", shard_cases.PROXIES)
def test_few_labels_and_proxies_are_those_of_arrays(frame, name):
    """Labelled rows and the tallies of all rows give the same JSON and slices, however rows are spread."""
    options = shard_cases.PROXIES[name]
    held = assay.evaluate(shard_cases.COLUMNS, **options)
    for partitions in (1, 3):
        assert shard_cases.told(assay.evaluate(frame.repartition(partitions), **options)) == shard_cases.told(
            held
        )


def test_an_evaluation_of_ranked_lists_needs_each_in_one_partition(frame):
    """Lists are judged where each is whole, and refused with what to do where they are scattered."""
    found = assay.evaluate(frame.repartition(3, "query"), **shard_cases.RANKED)
    assert found.to_json() == assay.evaluate(shard_cases.COLUMNS, **shard_cases.RANKED).to_json()
    with pytest.raises(assay.InputError, match=r"several partitions: the query .* frame\.repartition\("):
        assay.evaluate(frame.repartition(3), **shard_cases.RANKED)


def test_an_evaluation_in_bins_is_that_of_files(spark, many):
    """Scores that outgrow the memory have the same bins, bounds and intervals."""
    said = {"actual": "y", "score": "score", "threshold": 0.5}
    found, here = (
        assay.evaluate(data, **said, memory="64MiB") for data in (spark.read.parquet(str(many)), many)
    )
    shard_cases.check_in_bins(found, assay.evaluate(shard_cases.many_scores(), **said))
    assert found.tallies == here.tallies
    assert found.to_json() == here.to_json()


def test_an_evaluation_outlives_a_killed_task(frame, tmp_path, monkeypatch):
    """A task that dies while it tallies is run again: no row is lost or counted twice."""
    monkeypatch.setattr(from_scan, "tallies_for_scan", shard_cases.killing_tallies(str(tmp_path / "killed")))
    found = assay.evaluate(frame.repartition(4), **shard_cases.EXACT["classes"])
    assert (tmp_path / "killed").exists()
    shard_cases.check_like_arrays(found, "classes")


def test_partitions_of_one_class_are_no_problem_of_their_own(frame):
    """What is inferred is inferred of all rows, though no partition holds more than one class."""
    for label, said in (("y", {"score": "score"}), ("actual", {"predicted": "said"})):
        asked = {"actual": label, **said}
        found = assay.evaluate(frame.repartitionByRange(3, label), **asked)
        assert found.to_json() == assay.evaluate(shard_cases.COLUMNS, **asked).to_json()


def test_what_cannot_be_evaluated_is_said_in_a_line(spark, frame):
    """Mistakes with a frame: none of its columns named, columns of it, no rows, a stream, no frame at all."""
    stream = spark.readStream.format("rate").load()
    for data, said, message in (
        (frame, {}, r'which columns of the table .* Columns: "actual", "said"'),
        (
            frame,
            {"actual": "y", "score": "scor"},
            r'no column "scor" in the Spark frame\. Did you mean "score"',
        ),
        (
            frame,
            {"actual": frame["y"], "score": "score"},
            r"actual= is a Column of a cluster: pass its frame",
        ),
        (None, {"actual": frame["y"], "score": frame["score"]}, r"actual= is a Column of a cluster"),
        (frame, {"actual": "y", "score": "score", "by": "value"}, r"value holds numbers.*edges="),
        (frame.where("score > 2"), {"actual": "y", "score": "score"}, r"the Spark frame holds no rows"),
        (stream, {"actual": "value", "score": "value"}, r"a stream, which has no end: .*foreachBatch"),
        (frame.rdd, {"actual": "y", "score": "score"}, r"a Spark .*RDD is no frame: pass a DataFrame"),
        (frame["y"], {"actual": "y", "score": "score"}, r"a Spark Column is no frame"),
    ):
        with pytest.raises(assay.AssayError, match=message) as caught:
            assay.evaluate(data, **said)
        assert "\n" not in str(caught.value)


def test_a_ledger_knows_the_rows_of_a_frame_from_those_of_arrays_and_files(frame, folder, tmp_path):
    """Arrays, a CSV, shuffled Parquet and a shuffled Spark frame are one look at one test set."""
    columns = {name: shard_cases.COLUMNS[name] for name in ("y", "score", "row")}
    shuffled = np.random.default_rng(3).permutation(shard_cases.N)
    pa.csv.write_csv(
        pa.table({name: column[shuffled] for name, column in columns.items()}), tmp_path / "rows.csv"
    )
    forms = {
        "arrays": columns,
        "csv": tmp_path / "rows.csv",
        "parquet": folder,
        "spark": frame.repartition(5),
    }
    with assay.ledger(tmp_path / "ledger.db") as book:
        for name, data in forms.items():
            ev = assay.evaluate(data, actual="y", score="score", key="row", ledger=book, name=name)
            assert (ev.looks.number, ev.looks.repeated) == (1, name != "arrays")
        first, *others = book.entries()
        assert [(entry.test, entry.predictions) for entry in others] == [(first.test, first.predictions)] * 3
        estimates = [entry.payload["estimates"]["auc"] for entry in (first, *others)]
        assert estimates == estimates[:1] * 4
