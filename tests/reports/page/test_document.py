"""The page as a file: its size, its escaping, its policy, and what it holds for each kind of problem."""

import html
import html.parser
import itertools
import json
import os
import re

import numpy as np
import pytest
from support.gallery import sliced

import assay
import assay.cli
from assay.errors import FileError, InputError
from assay.plots.thin_scores import condensed, cutoff_of
from assay.reports.page import as_html, slider, write
from assay.reports.page.build import html_of, page_of
from assay.reports.page.slice_data import slices_of
from assay.reports.page.slider import chosen_cutoffs, live_metrics

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    '"><img src=x onerror=alert(3)>',
    "]]>\u2028<!--",
    "{{script}}",
    "\ud800",
]


def scored(n, seed=0, decimals=None):
    draw = np.random.default_rng(seed)
    actual = (draw.random(n) < 0.3).astype(int)
    score = 1 / (1 + np.exp(-(draw.normal(size=n) + 2 * actual - 1)))
    return actual, score if decimals is None else score.round(decimals)


def data_of(text):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1])


class Elements(html.parser.HTMLParser):
    """The elements and attributes that a parser sees."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Keep what an element is and has."""
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


def kinds():
    draw = np.random.default_rng(1)
    actual, score = scored(300)
    several = draw.integers(0, 3, 300)
    probabilities = draw.dirichlet([1, 1, 1], 300)
    numbers = draw.normal(size=300)
    names = np.array(["a", "b", "c"])[several]
    return {
        "labels": assay.evaluate(actual=actual, predicted=(score > 0.5).astype(int)),
        "probabilities": assay.evaluate(actual=actual, score=score),
        "other scores": assay.evaluate(actual=actual, score=10 * score - 3),
        "own predictions": assay.evaluate(actual=actual, score=score, predicted=1 - actual),
        "grouped": assay.evaluate(actual=actual, score=score, group=np.arange(300) % 30),
        "weighted": assay.evaluate(actual=actual, score=score, weight=score + 1),
        "multiclass": assay.evaluate(
            actual=names, score=probabilities, predicted=names[::-1], labels=["a", "b", "c"]
        ),
        "ordinal": assay.evaluate(actual=several, predicted=several[::-1], task="ordinal"),
        "multilabel": assay.evaluate(
            actual=draw.integers(0, 2, (90, 3)), predicted=draw.integers(0, 2, (90, 3)), task="multilabel"
        ),
        "only negatives": assay.evaluate(actual=[0, 0, 0], score=[0.1, 0.6, 0.7], labels=[0, 1], positive=1),
        "regression": assay.evaluate(actual=numbers, predicted=numbers + 0.1 * draw.normal(size=300)),
        "ranking": assay.evaluate(actual=actual, score=score, query=np.arange(300) // 10, k=3),
        "table": assay.evaluate(assay.Confusion.of(assay.rows(actual=actual, predicted=actual[::-1]))),
        "always the same": assay.evaluate(actual=actual, score=np.full(300, 0.5)),
        "infinite both ways": assay.evaluate(actual=actual, score=np.where(score > 0.5, np.inf, -np.inf)),
        "infinite": assay.evaluate(actual=actual, score=np.where(score > 0.9, np.inf, score)),
    }


KINDS = kinds()
MOVED = {
    "probabilities", "other scores", "own predictions", "grouped", "weighted", "always the same", "infinite",
    "only negatives",
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_problem_has_a_page(name, tmp_path):
    """The page holds every figure of the summary as it prints it, is valid JSON and small."""
    ev = KINDS[name]
    path = ev.report(tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    assert len(text) < 300_000
    model = data_of(text)["models"][0]
    printed = {figure["name"]: figure["text"] for group in model["metrics"] for figure in group}
    for figure in ev:
        estimate = ev[figure]
        wanted = None if not estimate.defined else assay.formatting.numbers.format_value(estimate.value)
        assert printed[figure][0] == wanted
    assert 1 <= len(model["highlight"]) <= 3
    assert (model["live"] is not None) == (name in MOVED)


@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_labels_make_no_elements(label):
    """Whatever labels, names, slices and errors are called, the document has the same elements."""
    actual, score = scored(60, decimals=2)

    def page(word):
        ev = assay.evaluate(
            actual=[word if one else "other" for one in actual], score=score, positive=word, name=word
        )
        slices = [{"name": word, "n": 3, "metrics": {"recall": [0.5, 0.1, 0.9]}}]
        text = as_html(
            page_of([ev], slices=slices, errors=[{word: word}]),
            assay.reports.page.static_html.as_still(assay.reports.summarize.summarize(ev)),
        )
        text.encode()
        return Elements(text)

    seen, plain = page(label), page("plain")
    assert seen.tags == plain.tags
    assert seen.attributes == plain.attributes
    assert not any(name.startswith("on") or name == "style" for name in seen.attributes)
    assert seen.tags.count("script") == 2


def test_the_policy_allows_the_one_script_and_the_one_style():
    """Everything is forbidden but what has the digests; nothing in the file names an address to load."""
    text = as_html({"title": "t"})
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)[1]
    assert policy.startswith("default-src &#x27;none&#x27;; script-src &#x27;sha256-")
    assert "unsafe" not in policy
    assert not re.search(r"\b(src|href)=", text)
    assert set(re.findall(r"https?://[^\s\"']+", text)) <= {
        "http://www.w3.org/2000/svg"
    }  # a name, not a place


def test_a_million_distinct_scores_make_a_page_as_small_as_a_thousand(tmp_path):
    """The size is bounded whatever the number of rows, and the cutoffs kept include what matters."""
    actual, score = scored(1_000_000)
    ev = assay.evaluate(actual=actual, score=score)
    path = ev.report(tmp_path / "large.html")
    assert path.stat().st_size < 500_000
    live = data_of(path.read_text(encoding="utf-8"))["models"][0]["live"]
    assert not live["complete"]
    assert live["distinct"] == len(ev.tallies["scores"].scores)
    assert live["cutoffs"][live["start"]] == 0.5
    assert live["cutoffs"][0] == score.min()
    assert live["cutoffs"][-2:] == [score.max(), None]
    for place in (0, 100, live["start"], -2):
        above = score >= live["cutoffs"][place]
        assert live["tp"][place] == int((above & (actual == 1)).sum())
        assert live["fp"][place] == int((above & (actual == 0)).sum())
    for cost_fp, cost_fn in ((1, 1), (5, 1), (1, 20)):
        costs = [
            cost_fp * fp + cost_fn * (live["positives"] - tp)
            for tp, fp in zip(live["tp"], live["fp"], strict=True)
        ]
        order = np.argsort(-score, kind="stable")
        hits, alarms = np.cumsum(actual[order]), np.cumsum(1 - actual[order])
        least = (cost_fp * alarms + cost_fn * (live["positives"] - hits)).min()
        assert min(costs) <= least


def test_several_models_share_the_room(tmp_path):
    """Six models take no more room than their cutoffs allow, and are compared row by row."""
    actual, score = scored(4_000)
    noise = np.random.default_rng(3)
    models = [
        assay.evaluate(
            actual=actual, score=np.clip(score + 0.1 * k * noise.normal(size=4_000), 0, 1), name=f"m{k}"
        )
        for k in range(6)
    ]
    path = assay.report(models, tmp_path / "six.html")
    page = data_of(path.read_text(encoding="utf-8"))
    assert path.stat().st_size < 1_000_000
    assert [model["name"] for model in page["models"]] == [f"m{k}" for k in range(6)]
    assert page["comparison"]["paired"]
    for metric in page["comparison"]["compared"]:
        assert len(metric["pairs"]) == 15
    with pytest.raises(InputError, match="same task, not binary and regression"):
        assay.report([models[0], KINDS["regression"]], tmp_path / "no.html")
    with pytest.raises(InputError, match="needs an evaluation"):
        assay.report([], tmp_path / "no.html")
    assert not (tmp_path / "no.html").exists()


def test_highlighted_metrics_can_be_named(tmp_path):
    """The highlighted metrics are those named, by any alias; others are refused."""
    ev = KINDS["probabilities"]
    assert page_of([ev], highlight=["MCC", "brier"])["models"][0]["highlight"] == ["mcc", "brier"]
    with pytest.raises(InputError, match=r"up to three metrics of this report: .*; not gini"):
        page_of([ev], highlight=["gini"])


def test_a_file_is_whole_or_not_there(tmp_path):
    """A path that cannot be written is told; nothing is left behind, and an old file is replaced."""
    path = tmp_path / "report.html"
    path.write_text("old")
    assert write("new", path) == path
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()
    with pytest.raises(FileError, match="cannot be written: there is no folder"):
        write("new", tmp_path / "nowhere" / "report.html")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(FileError, match="is a folder: name a file to write to"):
        write("new", folder)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "report.html"]


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("weight", [None, np.linspace(0.5, 1.5, 200)])
def test_cutoffs_are_found_from_given_predictions(weight):
    """Where predictions are a cut of the scores the slider starts there, at one half if that is one."""
    actual, score = scored(200, decimals=2)
    tally = assay.Scores.of(assay.rows(actual=actual, score=score, weight=weight))

    def found(predicted):
        table = assay.Confusion.of(assay.rows(actual=actual, predicted=predicted, weight=weight))
        return cutoff_of(tally, table, (0, 1))

    for threshold in (0.5, 0.505, 0.2):
        above = score >= threshold
        cut = found(above.astype(int))
        assert ((score >= cut) == above).all()
        assert cut in (threshold, score[above].min())
    assert found((score >= 0.5).astype(int)) == 0.5
    assert found(1 - actual) is None


def test_live_figures_are_those_of_python():
    """At every cutoff values, limits and words are what an estimate of the same counts prints."""
    actual, score = scored(150, decimals=2)
    ev = assay.evaluate(actual=actual, score=score)
    found = chosen_cutoffs(condensed(ev.tallies["scores"]), (0, 1), threshold=0.5)
    metric = assay.metrics.find("precision")
    wanted = [("precision", metric, {"positive": 1})]
    column = live_metrics(found, wanted, (0, 1), confidence=0.95, intervals=True)["precision"]
    for name in ("value", "low"):
        reached = itertools.accumulate(step or 0 for step in column[name])
        column[name] = [
            at if isinstance(step, int) else step for at, step in zip(reached, column[name], strict=True)
        ]
    for place, cutoff in enumerate(found.values.tolist()):
        estimate = ev.at(cutoff)["precision"]
        assert (column["value"][place] is None) == (not estimate.defined)
        if estimate.defined:
            assert f"{column['value'][place] / 10_000:.4f}" == f"{estimate.value:.4f}"
            assert f"{column['low'][place] / 10_000:.4f}" == f"{estimate.low:.4f}"
    assert column["words"][-1] == [len(found.values) - 1, "undefined: nothing was predicted positive"]


def test_labels_of_any_length_leave_the_page_small(tmp_path):
    """Ten thousand letters are shown as sixty, wherever they come: names, labels, slices, errors, titles."""
    actual, score = scored(60, decimals=2)
    long = "x" * 10_000
    ev = assay.evaluate(
        actual=[long if one else f"{long}!" for one in actual], score=score, positive=long, name=long,
        by=np.where(score > 0.5, long, "other"),
    )  # fmt: skip
    path = assay.report([ev, ev], tmp_path / "long.html", title=long, errors=ev.errors())
    assert path.stat().st_size < 300_000
    assert long[:500] not in path.read_text(encoding="utf-8")


def test_models_have_a_limit(tmp_path):
    """Sixteen models make a page below 1.5 MB; more are refused."""
    actual, score = scored(3_000)
    draw = np.random.default_rng(8)
    models = [
        assay.evaluate(
            actual=actual, score=np.clip(score + 0.1 * draw.normal(size=3_000), 0, 1), name=f"m{k}"
        )
        for k in range(16)
    ]
    assert assay.report(models, tmp_path / "sixteen.html").stat().st_size < 1_500_000
    with pytest.raises(InputError, match="shows up to 16 models, not 17"):
        assay.report([*models, models[0]], tmp_path / "more.html")


def test_a_notebook_shows_the_page_in_a_frame_and_tables_without_scripts():
    """The frame may run its own script and save files, and no more; every label is escaped."""
    actual, score = scored(60, decimals=2)
    label = HOSTILE[0]
    ev = assay.evaluate(actual=[label if one else "other" for one in actual], score=score, positive=label)
    text = ev._repr_html_()
    seen = Elements(text)
    tables = {"h3", "p", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert set(seen.tags) == {"iframe", "details", "summary", *tables}
    assert 'sandbox="allow-scripts allow-downloads"' in text
    assert html.unescape(text.split('srcdoc="')[1].split('" style=')[0]) == html_of([ev])
    assert "&lt;script&gt;" in text.split("</iframe>")[1]
    assert f"{ev['auc'].value:.4f}" in text


def test_slices_and_errors_of_the_evaluation_are_shown():
    """Columns of `by=` bring their slices with them; rows are in the file only where they are asked for."""
    actual, score = scored(400)
    place = np.where(np.arange(400) < 20, "few", np.where(np.arange(400) % 2, "odd", "even"))
    frame = {"y": actual, "p": score, "place": place}
    ev = assay.evaluate(frame, actual="y", score="p", by="place")
    page = page_of([ev])
    assert page["errors"] is None
    (by,) = ev.slices
    slices = page["models"][0]["slices"]
    rows = {row["name"]: row for row in slices["rows"]}
    assert set(rows) == {f"{by} = {name}" for name in ("few", "odd", "even")}
    odd, own = rows[f"{by} = odd"], ev.slices[by]["odd"]["recall"]
    assert odd["n"] == int((place == "odd").sum())
    assert odd["metrics"]["recall (TPR)"] == tuple(f"{one:.4f}" for one in (own.value, own.low, own.high))
    assert rows[f"{by} = few"]["note"] == "fewer than 30 rows"
    assert slices["notes"] == [f"By {by}: {ev.slices[by].summary}"]
    assert slices["rows"][-1]["name"] == f"{by} = few"  # small slices come last
    assert slices["all"]["recall (TPR)"][0] == f"{ev['recall'].value:.4f}"
    assert page_of([ev], slices=[])["models"][0]["slices"] is None
    found = page_of([ev], errors=ev.errors(n=3))["errors"]
    assert found["columns"] == ["kind", "row", "actual", "predicted", "score"]
    assert [row[0] for row in found["rows"]] == ["false positives"] * 3 + ["false negatives"] * 3
    missed = np.flatnonzero((actual == 0) & (score >= 0.5))
    assert int(found["rows"][0][1]) == missed[np.argmax(score[missed])]


def test_models_of_labels_probabilities_and_logits_are_compared():
    """What two models have in common is compared, whichever comes first; stated costs and F-beta are among it."""
    actual, score = scored(400)
    options = {"beta": 2, "cost_fp": 1, "cost_fn": 5}
    labels = assay.evaluate(actual=actual, predicted=(score > 0.6).astype(int), **options)
    probabilities = assay.evaluate(actual=actual, score=score, **options)
    logits = assay.evaluate(actual=actual, score=np.log(score / (1 - score)), threshold=0.4, **options)
    counts = ["accuracy", "balanced accuracy", "MCC", "F1"]
    stated = ["F-beta (beta=2)", "cost per row (cost_fp=1, cost_fn=5)"]
    ranks = ["ROC AUC", "average precision"]
    for pair, wanted in (
        ((labels, probabilities), counts), ((probabilities, labels), counts),
        ((probabilities, logits), counts + ranks), ((logits, probabilities), counts + ranks),
    ):  # fmt: skip
        found = page_of(pair)["comparison"]
        assert [metric["label"] for metric in found["compared"]] == wanted + stated
        assert found["paired"]


def test_a_comparison_writes_its_page(tmp_path):
    """`comparison.report` shows the models under their names with the differences that it holds."""
    actual, score = scored(300)
    found = assay.compare(
        actual=actual,
        score={"old": score, "new": np.clip(score + 0.1, 0, 1)},
        metrics=["auc", "brier"],
        positive=1,
    )
    page = data_of(found.report(tmp_path / "models.html", title="two").read_text(encoding="utf-8"))
    assert page["title"] == "two"
    assert [model["name"] for model in page["models"]] == ["old", "new"]
    assert [metric["label"] for metric in page["comparison"]["compared"]] == ["ROC AUC", "Brier score"]
    text = page["comparison"]["compared"][1]["pairs"][0][2][0]
    assert text == assay.formatting.numbers.format_value(found["brier"].difference)
    paths = [tmp_path / f"{name}.assay" for name in "ab"]
    for path, shift in zip(paths, (0.0, 0.2), strict=True):
        assay.evaluate(actual=actual, score=np.clip(score + shift, 0, 1)).save(path)
    tallies = assay.compare(*map(assay.load, paths))
    with pytest.raises(InputError, match=r"needs the evaluations: pass them to assay\.report"):
        tallies.report(tmp_path / "no.html")
    words = [
        "compare",
        *map(str, paths),
        "--report",
        str(tmp_path / "saved.html"),
        "--output",
        str(tmp_path / "o"),
    ]
    assert assay.cli.main(words) == 0
    page = data_of((tmp_path / "saved.html").read_text(encoding="utf-8"))
    assert [model["name"] for model in page["models"]] == ["a", "b"]
    assert not page["comparison"]["paired"]


def test_cutoffs_are_estimated_together(monkeypatch):
    """Of a thousand cutoffs only those without a usual interval are estimated one by one: a page is quick."""
    alone = []
    single = slider.estimate_tally
    monkeypatch.setattr(
        slider, "estimate_tally", lambda *one, **more: alone.append(one) or single(*one, **more)
    )
    actual, score = scored(1_000)
    page = page_of([assay.evaluate(actual=actual, score=score)])
    assert len(page["models"][0]["live"]["cutoffs"]) == 1_002
    assert len(alone) < 30


def test_of_many_slices_only_those_that_are_shown_are_computed():
    """Models that share a page show their worst slices: the others have the metric that orders them, and AUC."""
    ev = sliced(200, 8_000)
    shown = slices_of(ev, models=60)
    (by,) = ev.slices
    computed = [len(part.estimates) for part in ev.slices[by].values()]
    metrics = len(shown["metrics"])
    assert len(shown["rows"]) == sum(size >= metrics for size in computed) == 10
    assert shown["left_out"] == 190
    assert metrics > 2 >= sorted(computed)[-11]
    whole = slices_of(sliced(200, 8_000))
    assert whole["rows"][:10] == shown["rows"]
    assert whole["notes"] == shown["notes"]
