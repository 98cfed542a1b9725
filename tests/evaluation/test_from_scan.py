"""Files, sources and shards give the evaluation that the same rows give as arrays."""

import dataclasses
import io
import itertools
import json
import pathlib
import random

import numpy as np
import polars as pl
import pytest
from support.agreement import alike

import assay
from assay.engines import local_scan, source
from assay.evaluation import from_scan
from assay.tallies import BinnedScores, Collection, StoredRows

N = 3000
RNG = np.random.default_rng(4)
ACTUAL = RNG.integers(0, 2, N)
SCORE = np.clip(0.3 * ACTUAL + 0.7 * RNG.random(N), 0, 1).round(4)
CLASS = np.array(["ant", "bee", "cat"])[RNG.integers(0, 3, N)]
CHANCES = RNG.dirichlet([1, 1, 1], N)
VALUE = RNG.normal(size=N) * 10
FRAME = pl.DataFrame(
    {
        "y": ACTUAL,
        "p": SCORE,
        "said": (SCORE > 0.4).astype(int),
        "tenfold": 10 * SCORE,
        "weight": RNG.choice([0.5, 1.0, 2.25], N),
        "kind": CLASS,
        "guess": np.where(RNG.random(N) < 0.7, CLASS, "bee"),
        **{f"p_{name}": CHANCES[:, place] for place, name in enumerate("abc")},
        "value": VALUE,
        "near": VALUE + RNG.normal(size=N),
        "group": RNG.integers(0, 300, N),
        "list": np.repeat(np.arange(N // 10), 10),
        "region": RNG.choice(["north", "sóuth", "east"], N),
        "truth": RNG.random(N) < 0.4,
        "age": RNG.integers(18, 80, N),
        "of_list": np.repeat(RNG.choice(["x", "y"], N // 10), 10),
    }
)
SLICED = {"by": ["region", "truth", "age"], "edges": {"age": [30, 50]}}
# Where a tally tells all, every byte is the same.
EXACT = {
    "scores": {"actual": "y", "score": "p"},
    "scores, the other class": {"actual": "y", "score": "p", "positive": 0},
    "labels": {"actual": "y", "predicted": "said"},
    "both": {"actual": "y", "predicted": "said", "score": "p"},
    "no probabilities": {"actual": "y", "score": "tenfold", "threshold": 4.5},
    "no threshold": {"actual": "y", "score": "tenfold"},
    "weighted scores": {"actual": "y", "score": "p", "weight": "weight"},
    "weighted labels": {"actual": "kind", "predicted": "guess", "weight": "weight"},
    "classes": {"actual": "kind", "predicted": "guess"},
    "declared classes": {"actual": "kind", "predicted": "guess", "labels": ["cat", "dog", "bee", "ant"]},
    "one class against the rest": {"actual": "kind", "predicted": "guess", "positive": "bee"},
    "scores of one against the rest": {"actual": "kind", "score": "p", "positive": "bee"},
    "truth": {"actual": "truth", "score": "p"},
    "grades": {"actual": "kind", "predicted": "guess", "task": "ordinal", "labels": ["bee", "ant", "cat"]},
    "numbers that are cut": {"actual": "value", "predicted": "near", "threshold": 1.5},
    "stated": {"actual": "y", "score": "p", "beta": 2, "cost_fp": 1, "cost_fn": 5, "prevalence": 0.1, "name": "m"},
    "lists": {"actual": "y", "score": "p", "query": "list", "k": 3},
}  # fmt: skip
# Where intervals need the rows, these are kept in an order of their own: the last digit may differ.
NEARLY = {
    "groups": {"actual": "y", "score": "p", "group": "group"},
    "grouped classes": {"actual": "kind", "predicted": "guess", "group": "group"},
    "probabilities of classes": {"actual": "kind", "score": ["p_a", "p_b", "p_c"]},
    "scores of classes": {"actual": "kind", "score": ["p_c", "p", "tenfold"]},
    "numbers": {"actual": "value", "predicted": "near"},
    "a stated regression": {"actual": "value", "predicted": "near", "task": "regression"},
    "weighted numbers": {"actual": "value", "predicted": "near", "weight": "weight"},
    "grouped lists": {"actual": "y", "score": "p", "query": "list", "group": "of_list"},
}


def sliced(said):
    return {**said, "by": "of_list"} if "query" in said else {**said, **SLICED}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    FRAME.write_parquet(folder / "rows.parquet", row_group_size=700)
    FRAME.write_csv(folder / "rows.csv")
    for place, part in enumerate(FRAME.iter_slices(1000)):
        part.write_parquet(folder / f"part-{place}.parquet")
    return folder


@pytest.fixture(autouse=True)
def several_lots(monkeypatch):
    """Have every scan see the rows in several lots, so that tallies are merged."""
    monkeypatch.setattr(local_scan, "_BATCHES", 1 << 22)


def told(ev):
    """Return all that is told of the slices."""
    return [(key, ev.slices[key].lines(), str(ev.slices[key])) for key in ev.slices]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_a_file_has_the_json_of_the_same_rows_to_the_byte(files, name):
    """Figures, intervals, counts, remarks, and every slice with its test."""
    said = sliced(EXACT[name])
    held, read = assay.evaluate(FRAME, **said), assay.evaluate(files / "rows.parquet", **said)
    assert read.source_rows is None
    assert read.to_json() == held.to_json()
    assert read.text(full=True) == held.text(full=True)
    assert told(read) == told(held)
    for form in ("rows.csv", "part-*.parquet"):
        assert assay.evaluate(str(files / form), **EXACT[name]).to_json() == held.to_json()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["both", "no threshold", "weighted scores", "classes"])
def test_a_file_has_the_page_of_the_same_rows_to_the_byte(files, name, tmp_path):
    """Also where a slider moves, and where it begins. Only rows in memory can be listed, and their page says how."""
    for origin, data in (("memory", FRAME), ("file", files / "rows.parquet")):
        assay.evaluate(data, **EXACT[name], by="region").report(tmp_path / origin)
    in_memory, from_file = ((tmp_path / origin).read_text(encoding="utf-8") for origin in ("memory", "file"))
    in_memory = in_memory.replace('["the rows with the largest errors","ev.errors()"],', "")
    differ = [i for i, (left, right) in enumerate(zip(in_memory, from_file, strict=False)) if left != right]
    assert not differ, (in_memory[differ[0] - 50 :][:100], from_file[differ[0] - 50 :][:100])
    assert len(in_memory) == len(from_file)


@pytest.mark.slow
@pytest.mark.parametrize("name", NEARLY)
def test_what_needs_rows_has_the_same_intervals_up_to_rounding(files, name):
    """Groups, regressions and scores of classes: from the rows that are kept while they are few."""
    said = sliced(NEARLY[name])
    held, read = assay.evaluate(FRAME, **said), assay.evaluate(files / "rows.parquet", **said)
    alike(read.to_dict(), held.to_dict())
    for key in held.slices:
        alike(read.slices[key].lines(), held.slices[key].lines())


@pytest.mark.slow
@pytest.mark.parametrize("name", [*EXACT, *NEARLY])
def test_shards_in_any_order_merge_to_the_whole(name, tmp_path):
    """Any cut into shards, some of them saved and loaded, gives the evaluation of all rows, slices too."""
    said, rng = sliced({**EXACT, **NEARLY}[name]), random.Random(name)
    whole = assay.evaluate(FRAME, **said)
    places = [0, *(10 * place for place in sorted(rng.sample(range(1, N // 10), 3))), N]
    shards = [assay.evaluate(FRAME[a:b], **said) for a, b in itertools.pairwise(places)]
    rng.shuffle(shards)
    shards[0].save(tmp_path / "one.assay")
    merged = assay.merge([assay.load(tmp_path / "one.assay"), *shards[1:]])
    if name in EXACT:
        assert merged.to_json() == whole.to_json()
        assert told(merged) == told(whole)
    alike(merged.to_dict(), whole.to_dict())
    merged.save(tmp_path / "all.assay")
    again = assay.load(tmp_path / "all.assay")
    assert again.to_json() == merged.to_json()
    assert told(again) == told(merged)


def test_paths_sources_and_queries_are_all_read(files):
    """The same call takes text, a path, a source and a query; rows that lack a value are counted."""
    said = {"actual": "y", "score": "p", "by": "region"}
    wanted = assay.evaluate(FRAME, **said).to_json()
    path = files / "rows.parquet"
    query = source(sql=f"SELECT * FROM '{path}'")  # noqa: S608 - our own path
    for data in (path, str(path), source(path), query):
        assert assay.evaluate(data, **said, memory="256MB", threads=1).to_json() == wanted
    holes = source(sql=f"SELECT y, CASE WHEN age < 30 THEN NULL ELSE p END AS p FROM '{path}'")  # noqa: S608
    with pytest.raises(assay.AssayError, match="missing in p"):
        assay.evaluate(holes, actual="y", score="p")
    found = assay.evaluate(holes, actual="y", score="p", missing="drop")
    kept = FRAME.filter(pl.col("age") >= 30)
    assert (found.dropped, found.n) == (N - len(kept), len(kept))
    assert found["auc"].to_dict() == assay.evaluate(kept, actual="y", score="p")["auc"].to_dict()


WRONG = {
    "two labels of which neither is positive": {"actual": "truth_text", "predicted": "truth_text"},
    "whole numbers of any kind": {"actual": "age", "predicted": "age"},
    "scores as predictions": {"actual": "y", "predicted": "p"},
    "exchanged": {"actual": "p", "predicted": "said"},
    "exchanged with scores": {"actual": "p", "score": "y"},
    "text as scores": {"actual": "y", "score": "kind"},
    "grades without order": {"actual": "kind", "predicted": "guess", "task": "ordinal"},
    "a positive that does not occur": {"actual": "kind", "predicted": "guess", "positive": "elk"},
    "a label that was not declared": {
        "actual": "kind",
        "predicted": "guess",
        "labels": ["ant", "bee"],
        "task": "multiclass",
    },
    "classes without predictions": {"actual": "kind", "score": "p", "task": "multiclass"},
    "nothing predicted": {"actual": "y"},
    "a threshold for text": {"actual": "kind", "predicted": "guess", "threshold": 0.5},
    "several columns for two": {"actual": "kind", "score": ["p_a", "p_b", "p_c"], "positive": "ant"},
    "fractions as grades": {"actual": "value", "predicted": "near", "task": "multiclass"},
    "edges of nothing": {"actual": "y", "score": "p", "edges": {"age": [1]}},
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_are_told_alike(files, name):
    """A file is refused as the same rows are in memory, by the same kind of error and words."""
    frame = FRAME.with_columns(
        pl.when(pl.col("truth")).then(pl.lit("yes")).otherwise(pl.lit("no")).alias("truth_text")
    )
    frame.write_parquet(files / "wrong.parquet")
    messages = []
    for data in (frame, files / "wrong.parquet"):
        with pytest.raises(assay.AssayError) as caught:
            assay.evaluate(data, **WRONG[name])
        messages.append((type(caught.value), str(caught.value).replace(f" of {files / 'wrong.parquet'}", "")))
    assert messages[0] == messages[1] or "not whole" in messages[1][1]


def test_what_a_file_cannot_have_is_said(files):
    """Quartiles, several labels a row, roles that are no names, and mistakes row by row."""
    path = files / "rows.parquet"
    for by in ("age", "value"):
        with pytest.raises(assay.AssayError, match=rf'{by} holds numbers.*quartiles.*edges={{"{by}"'):
            assay.evaluate(path, actual="y", score="p", by=by)
    with pytest.raises(assay.AssayError, match="needs several columns"):
        assay.evaluate(path, actual="y", predicted="said", task="multilabel")
    with pytest.raises(assay.AssayError, match=r'Columns: "y", "p", "said"'):
        assay.evaluate(path)
    with pytest.raises(assay.AssayError, match="pass the column's name"):
        assay.evaluate(path, actual=ACTUAL, score="p")
    with pytest.raises(assay.AssayError, match=r'WHERE \("p" >= 0.5\) <> \("y" = 1\)'):
        assay.evaluate(path, actual="y", score="p").errors()
    with pytest.raises(assay.AssayError, match="lies in two slices by region"):
        _ = assay.evaluate(path, actual="y", score="p", query="list", by="region").slices
    halves = [assay.evaluate(FRAME[a:b], actual="y", score="p", by="value") for a, b in ((0, 900), (900, N))]
    with pytest.raises(assay.AssayError, match="value was cut at different numbers"):
        halves[0].merge(halves[1])


@pytest.mark.parametrize("said", [{}, {"task": "regression", "predicted": "p"}, {"by": "region"}], ids=str)
def test_no_rows_left_is_said_as_in_memory(said, tmp_path):
    """Where every row lacks a value, or weighs nothing, there is nothing to judge."""
    frame = FRAME.select("y", "region", pl.lit(None, pl.Float64).alias("p"), pl.lit(0.0).alias("none"))
    roles = {"actual": "y", **({} if "kind" in said else {"score": "p"}), **said}
    path = tmp_path / "rows.parquet"
    for columns, more in ((frame, {"missing": "drop"}), (frame.with_columns(p=0.5), {"weight": "none"})):
        columns.write_parquet(path)
        for data in (columns, path):
            with pytest.raises(assay.InputError, match="there are no rows to evaluate"):
                assay.evaluate(data, **roles, **more)


def test_slicing_columns_are_refused_before_they_cost(tmp_path):
    """More labels than slices can be, truth to cut at edges, and numbers that have no end."""
    frame = FRAME.with_columns(
        user=pl.Series([f"u{place % 1200}" for place in range(N)]), far=pl.Series([0.0, np.inf] * (N // 2))
    )
    frame.write_parquet(tmp_path / "rows.parquet")
    said = {"data": tmp_path / "rows.parquet", "actual": "y", "score": "p"}
    with pytest.raises(assay.InputError, match="slices by user, and at most 1,000 are allowed"):
        assay.evaluate(**said, by="user")
    with pytest.raises(assay.ColumnError, match="edges= cuts numbers, but truth holds true and false"):
        assay.evaluate(**said, by="truth", edges={"truth": [0.5]})
    with pytest.raises(assay.ColumnError, match=r"far holds numbers.*quartiles"):
        assay.evaluate(**said, by="far")


def test_a_group_of_text_and_numbers_is_named(tmp_path):
    """Files whose columns are of different types are told which column it is."""
    FRAME.write_parquet(tmp_path / "1.parquet")
    FRAME.with_columns(pl.col("group").cast(pl.String)).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(assay.AssayError, match="group holds text in some rows and numbers in others"):
        assay.evaluate(tmp_path, actual="y", score="p", group="group")


def test_shards_with_weights_of_one_or_fewer_grades_merge():
    """Weights that are all 1 are none; grades that are whole numbers have an order of their own."""
    frame = FRAME.with_columns(
        weight=pl.Series(np.r_[np.ones(1000), FRAME["weight"][1000:].to_numpy()]),
        grade=pl.Series(np.repeat([1, 2, 3], 1000)),
    )
    for said in (
        {"actual": "y", "score": "p", "weight": "weight", "by": "region"},
        {"actual": "y", "score": "p", "weight": "weight", "group": "group"},
        {"actual": "grade", "predicted": "grade", "task": "ordinal"},
    ):
        parts = [assay.evaluate(part, **said) for part in frame.iter_slices(1000)]
        for first, second, third in itertools.permutations(parts):
            both = first.merge(second).merge(third)
            whole = assay.evaluate(frame, **said)
            assert both.n == whole.n
            assert both.settings.weight == whole.settings.weight
            assert both.task.labels == whole.task.labels
            if "group" not in said:
                assert both.to_json() == whole.to_json()


def test_a_figure_of_another_problem_is_said_to_be_one(files):
    """Who asks scores for an error of numbers is not told that rows are lacking."""
    ev = assay.evaluate(files / "rows.parquet", actual="y", score="p")
    with pytest.raises(assay.MetricError, match="mse has nothing to read here: it is of another task"):
        _ = ev["mse"]


def test_rows_that_outgrow_the_memory_leave_reasons(files, monkeypatch):
    """Without room for rows and ranks, the sums still give what they can, and the rest says why not."""
    monkeypatch.setattr(from_scan, "_BOUNDED_TALLIES", 1 << 40)
    said = {"actual": "value", "predicted": "near", "task": "regression", "by": "region"}
    ev = assay.evaluate(files / "rows.csv", **said)
    held = assay.evaluate(FRAME, **said)
    for name in ("mae", "rmse", "r2", "max_error"):
        assert ev[name].value == held[name].value
    assert ev["mae"].to_dict() | {"note": ""} == held["mae"].to_dict() | {"note": ""}
    assert (ev["rmse"].low, ev["rmse"].method) == (None, "")
    assert "does not have its standard error" in ev["rmse"].note
    assert "outgrows the memory" in ev["spearman"].value.reason
    assert "outgrows the memory" in ev.text(full=True)
    assert json.loads(ev.to_json())["metrics"]["median_absolute_error"]["value"] is None
    assert ev.slices["region"]["north"]["rmse"].value == held.slices["region"]["north"]["rmse"].value
    both = ev.merge(assay.evaluate(files / "rows.csv", **said))
    assert "outgrows" in both["spearman"].value.reason
    mixed = ev.merge(held)
    assert mixed.n == 2 * N
    assert "outgrows" in mixed["spearman"].value.reason
    grouped = assay.evaluate(files / "rows.csv", actual="y", score="p", group="group", by="region")
    assert "come in groups" in grouped["auc"].note
    assert not grouped.slices["region"].differences()


def in_bins(ev):
    """Return an evaluation whose scores outgrew the memory."""
    bins = ev.tallies["scores"].binned(12)
    tallies = Collection.of_mapping({**dict(ev.tallies.items()), "scores": bins})
    return dataclasses.replace(ev, tallies=tallies, source_rows=None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scores", "no probabilities", "both"])
def test_scores_in_bins_are_judged_with_what_is_certain(name, tmp_path):
    """Exact values lie within the bounds that are told, and intervals hold those of the exact scores."""
    exact = assay.evaluate(FRAME, **EXACT[name])
    ev = in_bins(exact)
    assert isinstance(ev.tallies["scores"], BinnedScores)
    assert list(ev) == list(exact)
    for figure, wanted in exact.items():
        found = ev[figure]
        if figure in ("auc", "average_precision", "log_loss", "brier"):
            assert found.low <= wanted.low + 1e-9 < wanted.high <= found.high + 2e-9
            low, high = (float(word) for word in found.note.split("between ")[1].split(" and "))
            assert low - 1e-9 <= wanted.value <= high + 1e-9
            assert low - 1e-9 <= found.value <= high + 1e-9
        else:
            assert found.to_dict() == wanted.to_dict()
    assert f"counted in {len(ev.tallies['scores'].cells)} bins: more" in str(ev).replace("\n", " ")
    assert "For certain: AUC between" in str(ev)
    at = ev.at(3.3 if name == "no probabilities" else 0.33)
    assert at["recall"].value == exact.at(at.task.threshold)["recall"].value
    assert "cut there" in at.task.inferred[0]
    assert ev.at(0.5)["recall"].value == exact.at(0.5)["recall"].value
    chosen = ev.choose_threshold(best="f1")
    assert float(chosen.value) == pytest.approx(float(exact.choose_threshold(best="f1").value), abs=0.01)
    assert len(ev.curve("roc").x) > 10
    ev.save(tmp_path / "bins.assay")
    assert assay.load(tmp_path / "bins.assay").to_json() == ev.to_json()
    both = ev.merge(exact)
    assert both.to_json() == exact.merge(ev).to_json() == ev.merge(ev).to_json()
    page = ev.report(tmp_path / "bins.html")
    assert "were counted in" in page.read_text(encoding="utf-8")


def test_weighted_scores_in_bins_have_bounds_and_no_interval():
    """How weights differ within a bin is lost, so that no interval is given, and that is said."""
    exact = assay.evaluate(FRAME, **EXACT["weighted scores"])
    ev = in_bins(exact)
    for figure in ("auc", "average_precision", "brier"):
        assert ev[figure].value == pytest.approx(exact[figure].value, abs=1e-3)
        assert (ev[figure].low, ev[figure].high) == (None, None)
        assert "weights" in ev[figure].note
    assert ev["accuracy"].to_dict() == exact["accuracy"].to_dict()


def test_a_scan_that_outgrows_its_memory_puts_scores_in_bins(tmp_path):
    """More distinct scores than fit are counted in bins; a stated threshold is still cut exactly."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 1_300_000)
    frame = pl.DataFrame(
        {"y": y, "p": 0.3 * y + 0.7 * rng.random(len(y)), "at": rng.choice(["a", "b"], len(y))}
    )
    frame.write_parquet(tmp_path / "rows.parquet")
    said = {"actual": "y", "score": "p", "threshold": 0.3, "by": "at"}
    exact, ev = (
        assay.evaluate(frame, **said),
        assay.evaluate(tmp_path / "rows.parquet", **said, memory="64MiB"),
    )
    assert ev.binned is not None
    assert ev["recall"].to_dict() == exact["recall"].to_dict()
    assert ev["auc"].value == pytest.approx(exact["auc"].value, abs=1e-4)
    part, wanted = ev.slices["at"]["a"], exact.slices["at"]["a"]
    assert part["recall"].to_dict() == wanted["recall"].to_dict()
    assert part["auc"].value == pytest.approx(wanted["auc"].value, abs=1e-4)


def test_a_long_scan_shows_its_progress_on_a_terminal(files, monkeypatch):
    """After a second the bar is drawn on standard error, and wiped at the end."""
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("assay.formatting.progress._PATIENCE", 0)
    monkeypatch.setattr("assay.formatting.progress._EVERY", 0)
    assay.evaluate(files / "rows.parquet", actual="y", score="p")
    assert f"{N:,} rows" in terminal.getvalue() or "rows [" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\033[K")


def test_cases_are_rows_in_an_order_of_their_own():
    """What is kept of few rows gives them back, whatever order and weights they came with."""
    rows = assay.rows(actual=[1, 0, 1], score=[[0.1, 0.9], [0.5, 0.5], [0.3, 0.7]], group=["b", "a", "b"])
    again = StoredRows.of(rows).rows()
    assert again.score.values.tolist() == [[0.5, 0.5], [0.1, 0.9], [0.3, 0.7]]
    assert (again.group.labels, again.labels) == (("a", "b"), (0, 1))
    assert StoredRows.within(rows, 10).why == "the rows outgrow the memory"


def test_a_folder_is_one_data_set(files, tmp_path):
    """All files of a folder are judged together."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for part in files.glob("part-*.parquet"):
        pathlib.Path(folder / part.name).write_bytes(part.read_bytes())
    assert assay.evaluate(folder, actual="y", score="p").n == N
