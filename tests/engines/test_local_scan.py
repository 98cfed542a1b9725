import gzip
import io
import itertools
import json
import subprocess
import sys
import threading
from types import SimpleNamespace

import arro3.core
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import assay
from assay.engines import accumulator, local_scan, scan, scan_request, source
from assay.engines.batches import BatchGroup, BufferPool

RNG = np.random.default_rng(3)
N = 3000
FRAME = pl.DataFrame(
    {
        "actual": RNG.choice(["ham", "spam", "so, so"], N, p=[0.5, 0.4, 0.1]),
        "said": RNG.choice(["ham", "spam"], N),
        "y": RNG.integers(0, 2, N),
        "score": RNG.random(N),
        "weight": RNG.choice([0.0, 0.5, 1.0, 2.25], N),
        "value": RNG.normal(size=N),
        "guess": RNG.normal(size=N),
        "region": RNG.choice(["nörd", 'so"uth', "east"], N),
        "truth": RNG.random(N) < 0.4,
        "query": np.sort(RNG.integers(0, 200, N)),
    }
)
TALLIES = {
    "labels": ({"actual": "actual", "predicted": "said"}, assay.Confusion),
    "weighted": ({"actual": "actual", "predicted": "said", "weight": "weight"}, assay.Confusion),
    "ranks": ({"actual": "y", "score": "score"}, assay.Scores),
    "weighted ranks": ({"actual": "truth", "score": "score", "weight": "weight"}, assay.Scores),
    "bins": ({"actual": "actual", "score": "score", "positive": "spam"}, assay.BinnedScores),
    "errors": ({"actual": "value", "predicted": "guess"}, assay.Moments),
    "slices": (
        {"actual": "y", "score": "score", "by": ["region", "truth"]},
        lambda rows: assay.Grouped.of(rows, assay.Scores),
    ),
    "queries": ({"actual": "y", "score": "score", "query": "query"}, assay.Queries),
}


def written(frame, folder, form):
    """Write a frame in a form and return what source() is to be given."""
    path = folder / f"rows.{form}"
    text = frame.write_csv()
    if form in ("csv", "csv.gz", "csv.zst"):
        path.write_bytes(compressed(text.encode(), form))
    elif form == "tsv":
        frame.write_csv(path, separator="\t")
    elif form == "txt":
        path.write_text(frame.write_csv(separator=";", line_terminator="\r\n"), encoding="utf-16")
        return {"path": path, "encoding": "utf-16"}
    elif form in ("jsonl", "jsonl.gz"):
        path.write_bytes(compressed(frame.write_ndjson().encode(), form))
    elif form == "json":
        path.write_text(json.dumps(frame.to_dicts()))
    elif form == "parquet":
        frame.write_parquet(path, row_group_size=700)
    elif form == "arrow":
        frame.write_ipc(path, compression="zstd", compat_level=pl.CompatLevel.oldest())
    elif form == "arrows":
        with pa.ipc.new_stream(path, frame.to_arrow().schema) as out:
            out.write_table(frame.to_arrow(), max_chunksize=501)
    elif form == "feather":
        table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
        coded = table.set_column(0, "actual", table["actual"].dictionary_encode())
        pyarrow.feather.write_feather(coded, path, chunksize=600)
    else:
        with duckdb.connect(path) as database:
            database.execute("CREATE TABLE preds AS SELECT * FROM frame")
        return {"path": path, "table": "preds"} if form == "duckdb" else {"path": path, "sql": "FROM preds;"}
    return {"path": path}


def compressed(data, form):
    if form.endswith(".gz"):
        return gzip.compress(data)
    return pa.compress(data, "zstd", asbytes=True) if form.endswith(".zst") else data


def at_once(frame, roles, make):
    """Return the tally of a frame's columns as arrays."""
    said = {role: roles[role] for role in roles if role in ("positive", "labels", "missing")}
    columns = {role: name for role, name in roles.items() if role not in said}
    return getattr(make, "of", make)(assay.rows(frame, **columns, **said))


FORMS = ["csv", "csv.gz", "csv.zst", "tsv", "txt", "jsonl", "jsonl.gz", "json", "parquet", "arrow", "arrows",
         "feather", "duckdb", "db"]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_format_gives_the_tallies_of_the_arrays(form, tmp_path):
    """A file of any format holds the same rows as the arrays it was written from, to the bit."""
    given_rows = written(FRAME, tmp_path, form)
    for roles, make in TALLIES.values():
        found = scan(source(**given_rows), tallies={"it": make}, **roles)
        assert found["it"] == at_once(FRAME, roles, make), roles
        assert found.tallies.to_bytes() == assay.Collection.of_mapping(found.tallies).to_bytes()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """The same rows in five files of several formats, one without rows."""
    folder = tmp_path_factory.mktemp("many")
    cuts = [0, 1, 900, 900, 2500, N]
    forms = ["csv", "parquet", "jsonl", "arrow", "csv.gz"]
    paths = []
    for place, ((low, high), form) in enumerate(zip(itertools.pairwise(cuts), forms, strict=True)):
        inside = folder / str(place)
        inside.mkdir()
        # JSON without rows has no columns, so the empty file is a CSV.
        form = "csv" if low == high else form  # noqa: PLW2901
        frame = FRAME[low:high].select(FRAME.columns[::-1] if place % 2 else FRAME.columns)
        paths.append(written(frame, inside, form)["path"])
    return paths


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lot=st.sampled_from([1 << 30, 300_000, 12_345]),
    threads=st.integers(1, 3),
    order=st.permutations(range(5)),
    which=st.sampled_from([name for name in TALLIES if name != "queries"]),
)
def test_batches_threads_and_the_order_of_files_change_nothing(many, lot, threads, order, which):
    """Rows in any number of files, lots and threads give the bytes of the rows at once."""
    roles, make = TALLIES[which]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(local_scan, "_BATCHES", lot)
        before = assay.threads()
        found = scan([many[i] for i in order], tallies={"it": make}, threads=threads, **roles)
        assert assay.threads() == before
    assert found["it"].to_bytes() == at_once(FRAME, roles, make).to_bytes()
    assert found.files == 5


def test_the_rows_of_a_query_may_be_in_several_lots(tmp_path, monkeypatch):
    """A query's rows are held until all of them are there; scattered ones that do not fit are refused."""
    roles, make = TALLIES["queries"]
    FRAME.write_parquet(tmp_path / "sorted.parquet", row_group_size=100)
    FRAME.sample(fraction=1, shuffle=True, seed=1).write_parquet(
        tmp_path / "mixed.parquet", row_group_size=100
    )
    whole = at_once(FRAME, roles, make)
    assert scan(tmp_path / "mixed.parquet", tallies={"it": make}, **roles)["it"] == whole
    monkeypatch.setattr(local_scan, "_BATCHES", 1 << 40)
    assert scan(tmp_path / "sorted.parquet", tallies={"it": make}, **roles)["it"] == whole
    with pytest.raises(assay.InputError, match="not together"):
        scan(tmp_path / "mixed.parquet", tallies={"it": make}, **roles)
    ordered = source(sql=f"SELECT * FROM '{tmp_path / 'mixed.parquet'}' ORDER BY query")  # noqa: S608
    assert scan(ordered, tallies={"it": make}, **roles)["it"] == whole


@pytest.mark.parametrize("labels", [None, ["spam", "ham", "so, so"]])
def test_scores_of_several_classes(tmp_path, labels):
    """A column of scores per class: the labels that occur name them, or those that are said."""
    frame = FRAME.with_columns(b=1 - pl.col("score"), c=pl.col("score") / 2)
    frame.write_parquet(tmp_path / "f.parquet", row_group_size=50)
    names = ["score", "b", "c"]
    array = frame.select(names).to_numpy()
    whole = assay.ClassScores.of(assay.rows(actual=frame["actual"], score=array, labels=labels))
    found = scan(tmp_path, actual="actual", score=names, labels=labels, tallies={"it": assay.ClassScores})
    assert found["it"] == whole
    if labels:
        by_label = dict(zip(labels, names, strict=True))
        found = scan(tmp_path, actual="actual", score=by_label, tallies={"it": assay.ClassScores})
        assert found["it"] == whole
    with pytest.raises(assay.LabelError, match="say whose column"):
        scan(tmp_path, actual="actual", score=names[:2], tallies={"it": assay.ClassScores})


@pytest.mark.parametrize("lots", [1, 1 << 40])
def test_rows_without_a_value_are_counted_over_all_batches(tmp_path, monkeypatch, lots):
    """Dropped rows are counted; refused ones are named by their file and their row in it."""
    monkeypatch.setattr(local_scan, "_BATCHES", lots)
    holes = FRAME.with_columns(
        score=pl.when(pl.int_range(N) % 7 == 5).then(None).otherwise(pl.col("score")),
        said=pl.when(pl.int_range(N) % 11 == 3).then(None).otherwise(pl.col("said")),
    )
    holes[:1500].write_parquet(tmp_path / "a.parquet", row_group_size=100)
    holes[1500:].write_csv(tmp_path / "b.csv")
    roles = {"actual": "y", "score": "score", "predicted": "said"}
    found = scan(tmp_path, tallies={"it": assay.Scores}, missing="drop", **roles)
    assert found.dropped == int((holes["score"].is_null() | holes["said"].is_null()).sum())
    assert found.rows + found.dropped == N
    assert found["it"] == at_once(holes, {**roles, "missing": "drop"}, assay.Scores)
    holes[800:].with_columns(score=pl.when(pl.int_range(2200) == 1234).then(None).otherwise(0.5)).write_csv(
        tmp_path / "c.csv"
    )
    with pytest.raises(
        assay.MissingValueError, match=r"missing in score .first at row 1,234 of .*c\.csv, counting"
    ):
        scan(tmp_path / "c.csv", tallies={"it": assay.Scores}, actual="y", score="score")


def test_numbers_are_cut_into_slices(tmp_path):
    """A column of numbers is sliced by where edges= cuts it."""
    FRAME.write_csv(tmp_path / "f.csv")
    found = scan(
        tmp_path / "f.csv", actual="y", predicted="truth", by="value", edges={"value": [-1, 1]},
        tallies={"it": lambda rows: assay.Grouped.of(rows, assay.Confusion)},
    )  # fmt: skip
    cut = assay.cut(FRAME["value"], [-1, 1], "value")
    whole = assay.rows(actual=FRAME["y"], predicted=FRAME["truth"], by=[cut])
    assert found["it"] == assay.Grouped.of(whole, assay.Confusion)


def test_two_models_on_the_same_rows(tmp_path, monkeypatch):
    """Paired tallies come from one pass; a row that either model lacks is dropped for both."""
    monkeypatch.setattr(local_scan, "_BATCHES", 1 << 40)
    frame = FRAME.with_columns(
        score=pl.when(pl.int_range(N) % 7 == 5).then(None).otherwise(pl.col("score")),
        value=pl.when(pl.int_range(N) % 9 == 4).then(None).otherwise(pl.col("value")),
    )
    frame.write_parquet(tmp_path / "f.parquet", row_group_size=400)
    asked = {"actual": "y", "score": "score", "second": {"score": "value"}, "missing": "drop"}
    tallies = {"both": assay.PairedScores, "second": lambda _, second: assay.Scores.of(second)}
    found = scan(tmp_path, tallies=tallies, **asked)
    kept = frame.drop_nulls(["score", "value"])
    first, second = (assay.rows(kept, actual="y", score=name) for name in ("score", "value"))
    assert found["both"] == assay.PairedScores.of(first, second)
    assert found["second"] == assay.Scores.of(second)
    assert (found.rows, found.dropped) == (len(kept), N - len(kept))
    with pytest.raises(assay.InputError, match='second= has no role "scor"'):
        scan(tmp_path, tallies=tallies, **{**asked, "second": {"scor": "value"}})


def test_a_lot_grows_with_its_batches():
    """Numbers of any number of batches are one column, with what is missing in any of them."""
    parts = [[1.5, 2.5], [None, 3.5, 4.5] * 50, [5.5] * 7, [None]]
    lot = BatchGroup(limit=0, whole=False)
    for place, part in enumerate(parts):
        batch = pa.record_batch({"x": pa.array(part, pa.float64()), "t": ["a"] * len(part)})
        lot.add(arro3.core.RecordBatch.from_arrow(batch), f"part {place}", 100)
    found = lot.columns(["x", "t"], arro3.core.Table.from_batches)
    whole = [value for part in parts for value in part]
    assert [
        None if gone else x for x, gone in zip(found["x"].values, found["x"].missing, strict=True)
    ] == whole
    assert len(found["t"]) == lot.rows == len(whole)
    assert found["x"].where(153) == "row 101 of part 2, counting from 0"


def test_memory_is_used_again_only_when_nobody_holds_it():
    """A buffer comes back when the last view of it is gone, and not before."""
    buffers = BufferPool()
    first = buffers.take(1000, np.dtype(np.float64))
    address, view = first.ctypes.data, first[10:20].view(np.int64)
    second = buffers.take(1000, np.dtype(np.float64))
    assert second.ctypes.data != address
    del first
    third = buffers.take(1000, np.dtype(np.float64))
    assert third.ctypes.data not in (address, second.ctypes.data)
    del view
    assert buffers.take(1000, np.dtype(np.float64)).ctypes.data == address
    assert buffers.take(1000, np.dtype(np.int8)).dtype == np.int8


def test_rows_that_a_maker_keeps_are_not_written_over(tmp_path, monkeypatch):
    """A caller may hold on to the rows it was handed."""
    monkeypatch.setattr(local_scan, "_BATCHES", 1 << 40)
    FRAME.write_parquet(tmp_path / "f.parquet", row_group_size=300)
    kept = []

    def keep(rows):
        kept.append(rows)
        return assay.Scores.of(rows)

    scan(tmp_path, actual="y", score="score", tallies={"it": keep})
    assert len(kept) == 10
    assert np.array_equal(np.concatenate([rows.score.values for rows in kept]), FRAME["score"].to_numpy())


# Bounded memory


@settings(max_examples=40, deadline=None)
@given(
    cuts=st.lists(st.integers(0, N), max_size=8).map(sorted),
    share=st.integers(2_000, 40_000),
    which=st.sampled_from(["ranks", "weighted ranks", "slices"]),
)
# At the bytes where the decision turns: the bins of ranks take 17,792 and their exact scores 30,448.
@example(cuts=[], share=17_791, which="ranks")
@example(cuts=[N // 2], share=17_792, which="ranks")
@example(cuts=[1, 500], share=18_126, which="ranks")
@example(cuts=[N // 3], share=30_447, which="ranks")
@example(cuts=[N // 3], share=30_448, which="ranks")
@example(cuts=[7], share=34_543, which="slices")
@example(cuts=[7], share=34_544, which="slices")
def test_the_limit_decides_by_the_rows_alone(cuts, share, which):
    """Exact or in bins: how the rows were cut has no say in it, and bins equal those of the whole."""
    roles, make = TALLIES[which]
    columns = {role: FRAME[name] for role, name in roles.items() if role != "by"}
    if "by" in roles:
        columns["by"] = [FRAME[name] for name in roles["by"]]
    whole = assay.rows(**columns)
    exact = assay.Collection.of(whole, {"it": make})
    bits = 12
    gathered = accumulator.TallyAccumulator({"it": make}, share=share, memory=1 << 30, bits=bits)
    fits = gathered._size(exact) <= share  # as it is reckoned there, without the tallies' names
    binned = accumulator._in_bins(exact, bits)

    def gather():
        for low, high in itertools.pairwise([0, *cuts, N]):
            gathered.add(whole.take(slice(low, high)))
        return gathered.result()

    if not fits and gathered._size(binned) > share:
        with pytest.raises(assay.TallyError, match='outgrows its part of memory="1 GiB"'):
            gather()
        return
    assert gather() == (exact if fits else binned)
    assert bool(gathered.notes) == (not fits)


def test_what_cannot_be_put_into_bins_is_refused(monkeypatch, tmp_path):
    """A tally of every distinct value that outgrows the memory is refused, not let grow."""
    FRAME.write_parquet(tmp_path / "f.parquet")
    monkeypatch.setattr(scan_request, "_TALLIES", 1 << 16)
    pairs = {"pairs": assay.NumberPairs}
    with pytest.raises(assay.TallyError, match=r'the tally "pairs" .* outgrows'):
        scan(tmp_path, actual="value", predicted="guess", tallies=pairs)


def test_bins_are_said_in_the_notes(monkeypatch, tmp_path):
    """What the limit changed stands in the result."""
    FRAME.write_parquet(tmp_path / "f.parquet")
    roles, _ = TALLIES["ranks"]
    assert scan(tmp_path, tallies={"it": assay.Scores}, **roles).notes == ()
    monkeypatch.setattr(scan_request, "_TALLIES", 40_000)
    found = scan(tmp_path, tallies={"it": assay.Scores}, bits=12, **roles)
    assert found["it"] == at_once(FRAME, roles, lambda rows: assay.BinnedScores.of(rows, bits=12))
    (note,) = found.notes
    assert "it: scores were counted in 4,096 bins" in note


@pytest.mark.parametrize(
    ("said", "size"),
    [
        ("512MB", 512_000_000),
        ("2GiB", 2 << 30),
        ("1.5 gb", 1_500_000_000),
        (1 << 28, 1 << 28),
        ("1T", 10**12),
    ],
)
def test_memory_is_said_in_bytes_or_words(said, size):
    """A limit is a number of bytes or text with a unit."""
    assert accumulator.as_bytes(said) == size


# What surrounds a scan


def test_only_what_is_needed_is_read_and_progress_is_told(tmp_path):
    """Columns without a role are not read, and the caller hears of the rows as they come."""
    FRAME.write_parquet(tmp_path / "f.parquet", row_group_size=1000)
    heard = []
    scan(tmp_path, actual="y", score="score", tallies={"it": assay.Scores}, progress=heard.append)
    assert heard[-1] == N
    assert source(tmp_path / "f.parquet").columns() == FRAME.columns


def test_standard_input_is_read_whatever_it_holds(tmp_path, monkeypatch):
    """A dash means standard input; its first bytes say what it is."""
    roles, make = TALLIES["ranks"]
    for form in ("csv", "parquet", "csv.gz", "jsonl", "arrow"):
        data = written(FRAME, tmp_path, form)["path"].read_bytes()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        found = scan("-", tallies={"it": make}, **roles)
        assert found["it"] == at_once(FRAME, roles, make)


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    """Threads end and temporary files go, whether the scan succeeds or fails on the way."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(local_scan, "_BATCHES", 1 << 40)
    FRAME.write_parquet(tmp_path / "f.parquet", row_group_size=50)
    before = threading.active_count()

    def fail(rows):
        raise RuntimeError(len(rows))

    scan(tmp_path / "f.parquet", actual="y", score="score", tallies={"it": assay.Scores})
    with pytest.raises(RuntimeError):
        scan(tmp_path / "f.parquet", actual="y", score="score", tallies={"it": fail})
    assert threading.active_count() == before
    assert not list((tmp_path / "temporary").iterdir())


def test_a_missing_part_is_named_in_a_line():
    """Without DuckDB the hint says how to get it."""
    script = (
        "import sys; sys.modules['duckdb'] = None\n"
        "from assay.engines import source\n"
        "try: source(sql='SELECT 1').columns()\n"
        "except ImportError as e: print(e)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout  # noqa: S603
    assert out == "reading files needs duckdb, which is not installed: pip install duckdb\n"
