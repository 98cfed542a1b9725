import os
import sys

import cloudpickle
import clustered
import dask
import dask.dataframe as dd
import distributed
import numpy as np
import pyarrow as pa
import pytest

import assay
from assay.engines import dask as engine
from assay.engines import scan

pytestmark = [
    # Dask's own way with a pandas newer than it.
    pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning"),
    pytest.mark.skipif(
        "ASSAY_SANITIZER" in os.environ,
        reason="a sanitizer would watch Dask's processes; it has the same tallies in the other tests",
    ),
]
cloudpickle.register_pickle_by_value(clustered)  # the workers do not see the tests


@pytest.fixture(scope="module")
def client():
    """Two worker processes on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The rows in shuffled shards."""
    return clustered.written(tmp_path_factory.mktemp("shards"), clustered.COLUMNS)


def test_the_tallies_are_those_of_arrays_and_of_files(client, folder):
    """Shuffled shards on two processes give the bytes of the arrays, and of the files read here."""
    frame = dd.read_parquet(folder).repartition(npartitions=9)
    for name, (roles, make) in clustered.QUESTIONS.items():
        found = scan(frame, tallies={"it": make}, **roles)
        whole = clustered.at_once(clustered.COLUMNS, roles, make)
        assert found["it"] == whole, name
        assert found.tallies.to_bytes() == scan(folder, tallies={"it": make}, **roles).tallies.to_bytes(), (
            name
        )
        assert (found.rows, found.dropped, found.files) == (whole_rows(roles), 0, 9), name


def whole_rows(roles):
    weights = clustered.COLUMNS["weight"]
    return int((weights > 0).sum()) if "weight" in roles else clustered.N


def test_dask_tells_its_workers_how_many_threads_they_have(client):
    """Which is what a task uses unless told otherwise."""
    assert set(client.run(lambda: os.environ["OMP_NUM_THREADS"]).values()) == {"1"}


def test_the_rows_of_a_query_must_be_in_one_partition(client, folder):
    """Queries are tallied where each is whole, and refused with what to do where they are scattered."""
    roles, make = clustered.QUERIES
    frame = dd.read_parquet(folder)
    together = scan(frame.shuffle(on="query", npartitions=5), tallies={"it": make}, **roles)
    assert together["it"] == clustered.at_once(clustered.COLUMNS, roles, make)
    with pytest.raises(assay.InputError, match=r"several partitions: the query .* frame\.shuffle\("):
        scan(frame, tallies={"it": make}, **roles)


def test_scores_that_outgrow_the_memory_are_binned_as_on_one_machine(client, tmp_path):
    """Whether scores are put into bins depends on the rows and the memory, not on who walks the rows."""
    clustered.written(tmp_path, clustered.many_scores(), (0, 10, 700_000))
    for tallies in ({"it": assay.Scores}, {"bins": assay.BinnedScores, "it": assay.Scores}):
        asked = {"actual": "y", "score": "score", "tallies": tallies, "memory": "64MiB"}
        found, here = scan(dd.read_parquet(tmp_path), **asked), scan(tmp_path, **asked)
        assert type(found["it"]) is assay.BinnedScores
        assert found.tallies == here.tallies
        assert found.notes == here.notes


def test_a_killed_worker_counts_no_row_twice(client, folder, tmp_path):
    """A worker that dies in the middle of its partition is replaced, and the answer is the same."""
    make = clustered.killer(str(tmp_path / "killed"), assay.Confusion)
    frame = dd.read_parquet(folder).repartition(npartitions=6)
    found = scan(frame, actual="actual", predicted="said", tallies={"it": make})
    assert (tmp_path / "killed").exists()
    roles, whole = clustered.QUESTIONS["labels"]
    assert found["it"] == clustered.at_once(clustered.COLUMNS, roles, whole)
    assert found.rows == clustered.N


def test_what_is_wrong_is_said_as_on_one_machine(client, folder):
    """A partition's complaint arrives as our error, with the partition and the row, and is not tried again."""
    frame = dd.read_parquet(folder)
    with pytest.raises(assay.ColumnError, match=r'no column "scor" in the Dask frame\. Did you mean "score"'):
        scan(frame, actual="y", score="scor", tallies={"it": assay.Scores})
    with pytest.raises(assay.ColumnError, match="text where scores are needed"):
        scan(frame, actual="y", score="said", tallies={"it": assay.Scores})
    holes = frame.assign(score=frame["score"].mask(frame["score"] > 0.998))
    with pytest.raises(assay.MissingError, match=r"in score \(first at row [\d,]+ of partition \d"):
        scan(holes, actual="y", score="score", tallies={"it": assay.Scores})
    dropped = scan(holes, actual="y", score="score", tallies={"it": assay.Scores}, missing="drop")
    assert dropped.dropped == int((clustered.COLUMNS["score"] > 0.998).sum())
    with pytest.raises(assay.LengthError, match="no rows"):
        scan(frame[frame["score"] > 2], actual="y", score="score", tallies={"it": assay.Scores})
    signs = [dask.delayed({"y": [low, 1], "s": [0.5, 0.25]}) for low in (-1, 0)]
    with pytest.raises(assay.LabelError, match="both -1 and 0"):
        scan(signs, actual="y", score="s", tallies={"it": assay.Scores})


def test_lists_of_delayed_tables_run_without_a_cluster():
    """Delayed tables of any kind are partitions, and Dask's own threads will do."""
    columns = clustered.COLUMNS
    halves = [
        {name: values[half] for name, values in columns.items()}
        for half in (slice(0, 1500), slice(1500, None))
    ]
    pieces = [dask.delayed(halves[0]), dask.delayed(pa.table(halves[1]))]
    before = assay.threads()
    with dask.config.set(scheduler="threads"):
        for roles, make in clustered.QUESTIONS.values():
            found = scan(pieces, tallies={"it": make}, **roles)
            assert found["it"] == clustered.at_once(columns, roles, make)
        assert scan(pieces[0], actual="y", score="score", tallies={"it": assay.Scores}).rows == 1500
    assert assay.threads() == before


def test_futures_of_tables_stay_on_their_workers(client):
    """Tables that the workers hold already are partitions, too, unless Dask mistakes one for another."""
    columns = clustered.COLUMNS
    slices = [pa.table(columns).slice(start, 1000) for start in range(0, clustered.N, 1000)]
    pieces = client.scatter(slices, hash=False)
    roles, make = clustered.QUESTIONS["labels"]
    assert scan(pieces, tallies={"it": make}, **roles)["it"] == clustered.at_once(columns, roles, make)
    with pytest.raises(assay.InputError, match="partitions 1 and 2 are one to Dask"):
        scan([*pieces[:2], pieces[1]], tallies={"it": make}, **roles)


def test_two_models_several_scores_and_cut_numbers(folder):
    """Every way of asking that a file knows is known to a frame."""
    frame, columns = dd.read_parquet(folder), clustered.COLUMNS
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
        cuts = scan(frame, tallies={"it": clustered.sliced}, **asked)
        whole = assay.rows(
            actual=columns["y"], score=columns["score"], by=[assay.cut(columns["value"], [-1, 1], "value")]
        )
        assert cuts["it"] == clustered.sliced(whole)


def test_progress_is_told_at_the_end_and_a_missing_part_is_named(monkeypatch):
    """The number of rows is told once; without Dask a line says what to install."""
    seen = []
    pieces = [dask.delayed({"y": [0, 1], "s": [0.5, 0.25]})]
    engine.scan(pieces, actual="y", score="s", tallies={"it": assay.Scores}, progress=seen.append)
    assert seen == [2]
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(assay.PartError, match=r"pip install assay\[dask\]"):
        engine.scan(pieces, actual="y", score="s", tallies={"it": assay.Scores})
