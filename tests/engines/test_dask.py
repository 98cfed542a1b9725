import os
import sys

import cloudpickle
import dask
import dask.dataframe as dd
import distributed
import numpy as np
import pyarrow as pa
import pytest
from support import agreement, shard_cases

import assay
from assay.engines import scan
from assay.evaluation import from_scan

pytestmark = [
    # Dask's own way with a pandas newer than it.
    pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning"),
    pytest.mark.skipif(
        "ASSAY_SANITIZER" in os.environ,
        reason="a sanitizer would watch Dask's processes; it has the same tallies in the other tests",
    ),
]
for module in (agreement, shard_cases):
    cloudpickle.register_pickle_by_value(module)  # the workers do not see the tests


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two worker processes on this machine; Dask keeps a number of threads that the environment has."""
    patch = pytest.MonkeyPatch()
    patch.delenv("OMP_NUM_THREADS", raising=False)
    patience = {  # workers that get no CPU for a while are not lost
        "distributed.comm.timeouts.connect": "10 minutes",
        "distributed.comm.timeouts.tcp": "10 minutes",
        "distributed.scheduler.worker-ttl": "1 hour",
    }
    with (
        dask.config.set({"temporary-directory": str(tmp_path_factory.mktemp("dask")), **patience}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        patch.undo()
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The rows in shuffled shards."""
    return shard_cases.written(tmp_path_factory.mktemp("shards"), shard_cases.COLUMNS)


def test_the_tallies_are_those_of_arrays_and_of_files(client, folder):
    """Shuffled shards on two processes give the bytes of the arrays, and of the files read here."""
    frame = dd.read_parquet(folder).repartition(npartitions=9)
    for name, (roles, make) in shard_cases.QUESTIONS.items():
        found = scan(frame, tallies={"it": make}, **roles)
        whole = shard_cases.at_once(shard_cases.COLUMNS, roles, make)
        assert found["it"] == whole, name
        assert found.tallies.to_bytes() == scan(folder, tallies={"it": make}, **roles).tallies.to_bytes(), (
            name
        )
        assert (found.rows, found.dropped, found.files) == (whole_rows(roles), 0, 9), name


def whole_rows(roles):
    weights = shard_cases.COLUMNS["weight"]
    return int((weights > 0).sum()) if "weight" in roles else shard_cases.N


def test_dask_tells_its_workers_how_many_threads_they_have(client):
    """Which is what a task uses unless told otherwise."""
    assert set(client.run(lambda: os.environ["OMP_NUM_THREADS"]).values()) == {"1"}


def test_the_rows_of_a_query_must_be_in_one_partition(client, folder):
    """Queries are tallied where each is whole, and refused with what to do where they are scattered."""
    roles, make = shard_cases.QUERIES
    frame = dd.read_parquet(folder)
    together = scan(frame.shuffle(on="query", npartitions=5), tallies={"it": make}, **roles)
    assert together["it"] == shard_cases.at_once(shard_cases.COLUMNS, roles, make)
    with pytest.raises(assay.InputError, match=r"several partitions: the query .* frame\.shuffle\("):
        scan(frame, tallies={"it": make}, **roles)


def test_scores_that_outgrow_the_memory_are_binned_as_on_one_machine(client, tmp_path):
    """Whether scores are put into bins depends on the rows and the memory, not on who walks the rows."""
    shard_cases.written(tmp_path, shard_cases.many_scores(), (0, 10, 700_000))
    for tallies in ({"it": assay.Scores}, {"bins": assay.BinnedScores, "it": assay.Scores}):
        asked = {"actual": "y", "score": "score", "tallies": tallies, "memory": "64MiB"}
        found, here = scan(dd.read_parquet(tmp_path), **asked), scan(tmp_path, **asked)
        assert type(found["it"]) is assay.BinnedScores
        assert found.tallies == here.tallies
        assert found.notes == here.notes


def test_a_killed_worker_counts_no_row_twice(client, folder, tmp_path):
    """A worker that dies in the middle of its partition is replaced, and the answer is the same."""
    make = shard_cases.killer(str(tmp_path / "killed"), assay.Confusion)
    frame = dd.read_parquet(folder).repartition(npartitions=6)
    found = scan(frame, actual="actual", predicted="said", tallies={"it": make})
    assert (tmp_path / "killed").exists()
    roles, whole = shard_cases.QUESTIONS["labels"]
    assert found["it"] == shard_cases.at_once(shard_cases.COLUMNS, roles, whole)
    assert found.rows == shard_cases.N


def test_what_is_wrong_is_said_as_on_one_machine(client, folder):
    """A partition's complaint arrives as our error, with the partition and the row, and is not tried again."""
    frame = dd.read_parquet(folder)
    with pytest.raises(assay.ColumnError, match=r'no column "scor" in the Dask frame\. Did you mean "score"'):
        scan(frame, actual="y", score="scor", tallies={"it": assay.Scores})
    with pytest.raises(assay.ColumnError, match="text where scores are needed"):
        scan(frame, actual="y", score="said", tallies={"it": assay.Scores})
    holes = frame.assign(score=frame["score"].mask(frame["score"] > 0.998))
    with pytest.raises(assay.MissingValueError, match=r"in score \(first at row [\d,]+ of partition \d"):
        scan(holes, actual="y", score="score", tallies={"it": assay.Scores})
    dropped = scan(holes, actual="y", score="score", tallies={"it": assay.Scores}, missing="drop")
    assert dropped.dropped == int((shard_cases.COLUMNS["score"] > 0.998).sum())
    with pytest.raises(assay.LengthError, match="no rows"):
        scan(frame[frame["score"] > 2], actual="y", score="score", tallies={"it": assay.Scores})
    signs = [dask.delayed({"y": [low, 1], "s": [0.5, 0.25]}) for low in (-1, 0)]
    with pytest.raises(assay.LabelError, match="both -1 and 0"):
        scan(signs, actual="y", score="s", tallies={"it": assay.Scores})


def test_lists_of_delayed_tables_run_without_a_cluster():
    """Delayed tables of any kind are partitions, and Dask's own threads will do."""
    columns = shard_cases.COLUMNS
    halves = [
        {name: values[half] for name, values in columns.items()}
        for half in (slice(0, 1500), slice(1500, None))
    ]
    pieces = [dask.delayed(halves[0]), dask.delayed(pa.table(halves[1]))]
    before = assay.threads()
    with dask.config.set(scheduler="threads"):
        for roles, make in shard_cases.QUESTIONS.values():
            found = scan(pieces, tallies={"it": make}, **roles)
            assert found["it"] == shard_cases.at_once(columns, roles, make)
        assert scan(pieces[0], actual="y", score="score", tallies={"it": assay.Scores}).rows == 1500
    assert assay.threads() == before


def test_futures_of_tables_stay_on_their_workers(client):
    """Tables that the workers hold already are partitions, too, unless Dask mistakes one for another."""
    columns = shard_cases.COLUMNS
    slices = [pa.table(columns).slice(start, 1000) for start in range(0, shard_cases.N, 1000)]
    pieces = client.scatter(slices, hash=False)
    roles, make = shard_cases.QUESTIONS["labels"]
    assert scan(pieces, tallies={"it": make}, **roles)["it"] == shard_cases.at_once(columns, roles, make)
    with pytest.raises(assay.InputError, match="partitions 1 and 2 are one to Dask"):
        scan([*pieces[:2], pieces[1]], tallies={"it": make}, **roles)


def test_two_models_several_scores_and_cut_numbers(folder):
    """Every way of asking that a file knows is known to a frame."""
    frame, columns = dd.read_parquet(folder), shard_cases.COLUMNS
    with dask.config.set(scheduler="synchronous"):
        paired = scan(
            frame, actual="y", score="score", second={"score": "other"}, tallies={"it": assay.PairedScores}
        )
        first, second = (assay.rows(columns, actual="y", score=name) for name in ("score", "other"))
        assert paired["it"] == assay.PairedScores.of(first, second)
        names = ["score", "other", "weight"]
        several = scan(frame, actual="actual", score=names, tallies={"it": assay.ClassScores})
        array = np.stack([columns[name] for name in names], axis=1)
        whole = assay.rows(actual=columns["actual"], score=array)
        assert several["it"] == assay.ClassScores.of(whole)
        with pytest.raises(assay.LabelError, match="say whose column"):
            scan(frame, actual="actual", score=names[:2], tallies={"it": assay.ClassScores})
        asked = {"actual": "y", "score": "score", "by": "value", "edges": {"value": [-1, 1]}}
        cuts = scan(frame, tallies={"it": shard_cases.sliced}, **asked)
        whole = assay.rows(
            actual=columns["y"], score=columns["score"], by=[assay.cut(columns["value"], [-1, 1], "value")]
        )
        assert cuts["it"] == shard_cases.sliced(whole)


def test_progress_is_told_at_the_end_and_a_missing_part_is_named(monkeypatch):
    """The number of rows is told once; without Dask a line says what to install."""
    seen = []
    pieces = [dask.delayed({"y": [0, 1], "s": [0.5, 0.25]})]
    scan(pieces, actual="y", score="s", tallies={"it": assay.Scores}, progress=seen.append)
    assert seen == [2]
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(assay.MissingDependencyError, match=r"pip install assay-metrics\[dask\]"):
        scan(pieces, actual="y", score="s", tallies={"it": assay.Scores})


@pytest.mark.slow
def test_an_evaluation_is_that_of_arrays_and_of_files(client, folder):
    """Every kind of problem, with slices, weights and groups: the same tallies and the same JSON."""
    frame = dd.read_parquet(folder).repartition(npartitions=5)
    for name, said in shard_cases.JUDGED.items():
        found = assay.evaluate(frame, **said)
        shard_cases.check_like_arrays(found, name)
        assert shard_cases.told(found) == shard_cases.told(assay.evaluate(folder, **said)), name


def test_few_labels_and_proxies_are_those_of_arrays(client, folder):
    """Labelled rows and the tallies of all rows give the same JSON and slices, however rows are spread."""
    frame = dd.read_parquet(folder)
    for name, options in shard_cases.PROXIES.items():
        held = shard_cases.told(assay.evaluate(shard_cases.COLUMNS, **options))
        for partitions in (1, 3):
            found = assay.evaluate(frame.repartition(npartitions=partitions), **options)
            assert shard_cases.told(found) == held, name


def test_rows_that_are_needed_one_by_one_are_not_collected_silently(folder):
    """Groups need all rows in memory: what to do is said."""
    with pytest.raises(assay.InputError, match=r"toPandas\(\) or compute\(\)"):
        assay.evaluate(
            dd.read_parquet(folder), actual="checked", predicted="y", proxy="marked", group="query"
        )


def test_an_evaluation_of_ranked_lists_needs_each_in_one_partition(client, folder):
    """Lists are judged where each is whole, and refused with what to do where they are scattered."""
    frame, said = dd.read_parquet(folder), shard_cases.RANKED
    found = assay.evaluate(frame.shuffle(on="query", npartitions=3), **said)
    assert found.to_json() == assay.evaluate(shard_cases.COLUMNS, **said).to_json()
    with pytest.raises(assay.InputError, match=r"several partitions: the query .* frame\.shuffle\("):
        assay.evaluate(frame, **said)


def test_an_evaluation_in_bins_is_that_of_files(client, tmp_path):
    """Scores that outgrow the memory have the same bins, bounds and intervals."""
    columns = shard_cases.many_scores()
    shard_cases.written(tmp_path, columns, (0, 10, 700_000))
    said = {"actual": "y", "score": "score", "threshold": 0.5}
    found, here = (
        assay.evaluate(data, **said, memory="64MiB") for data in (dd.read_parquet(tmp_path), tmp_path)
    )
    shard_cases.check_in_bins(found, assay.evaluate(columns, **said))
    assert found.tallies == here.tallies
    assert found.to_json() == here.to_json()


def test_an_evaluation_outlives_a_killed_worker(client, folder, tmp_path, monkeypatch):
    """A worker that dies while it tallies is replaced: no row is lost or counted twice."""
    monkeypatch.setattr(from_scan, "tallies_for_scan", shard_cases.killing_tallies(str(tmp_path / "killed")))
    found = assay.evaluate(dd.read_parquet(folder).repartition(npartitions=4), **shard_cases.EXACT["classes"])
    assert (tmp_path / "killed").exists()
    shard_cases.check_like_arrays(found, "classes")


def test_partitions_of_one_class_are_no_problem_of_their_own():
    """What is inferred is inferred of all rows, though no partition holds more than one class."""
    columns = shard_cases.COLUMNS
    for label, said in (
        ("y", {"score": "score"}),
        ("actual", {"predicted": "said"}),
        ("y", {"predicted": "y"}),
    ):
        labels = columns[label]
        pieces = [
            dask.delayed({name: one[labels == each] for name, one in columns.items()})
            for each in sorted(set(labels))
        ]
        asked = {"actual": label, **said}
        with dask.config.set(scheduler="synchronous"):
            found = assay.evaluate(pieces, **asked)
        assert found.to_json() == assay.evaluate(columns, **asked).to_json()


def test_what_cannot_be_evaluated_is_said_in_a_line(folder):
    """Mistakes with a frame: none of its columns named, columns of it, no rows, arrays that are no frame."""
    frame = dd.read_parquet(folder)
    for data, said, message in (
        (frame, {}, r'which columns of the table .* Columns: "actual", "said"'),
        (
            frame,
            {"actual": "y", "score": "scor"},
            r'no column "scor" in the Dask frame\. Did you mean "score"',
        ),
        (
            frame,
            {"actual": frame["y"], "score": "score"},
            r"actual= is a Series of a cluster: pass its frame",
        ),
        (None, {"actual": frame["y"], "score": frame["score"]}, r"actual= is a Series of a cluster"),
        (
            frame,
            {"actual": shard_cases.COLUMNS["y"], "score": "score"},
            r"actual= was given as ndarray: .* name\.",
        ),
        (frame, {"actual": "y", "score": "score", "by": "value"}, r"value holds numbers.*edges="),
        (
            frame,
            {"actual": "y", "predicted": "y", "task": "multilabel"},
            r"needs several columns of actual values",
        ),
        (frame[frame["score"] > 2], {"actual": "y", "score": "score"}, r"the Dask frame holds no rows"),
        (frame["y"].to_dask_array(), {"actual": "y", "score": "score"}, r"a Dask Array is no frame"),
    ):
        with (
            dask.config.set(scheduler="synchronous"),
            pytest.raises(assay.AssayError, match=message) as caught,
        ):
            assay.evaluate(data, **said)
        assert "\n" not in str(caught.value)


def test_a_frame_of_spark_without_spark_names_what_to_install():
    """An object of pyspark's is known by its type, and what reads it is asked for when it is not there."""
    frame = type("DataFrame", (), {"__module__": "pyspark.sql.classic.dataframe"})()
    with pytest.raises(assay.MissingDependencyError, match=r"pip install assay-metrics\[spark\]"):
        assay.evaluate(frame, actual="y", score="p")
