import dataclasses

import matplotlib as mpl
import numpy as np
import pytest

import assay
from assay.errors import MetricError

mpl.use("Agg")


@pytest.fixture
def two():
    """Return the evaluations of two models on the same rows."""
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, 400)
    actual = np.array(["ham", "spam"])[truth]
    first, second = (np.clip(truth * step + random.random(400) * 0.7, 0, 1) for step in (0.3, 0.2))
    return tuple(
        assay.evaluate(actual=actual, score=score, positive="spam", name=name, by=np.tile(["a", "b"], 200))
        for score, name in ((first, "forest"), (second, "tree"))
    )


def loaded(ev):
    return dataclasses.replace(ev, source_rows=None)


def test_evaluations_are_compared_as_their_rows_are(two):
    """Paired row by row, under the evaluations' own names."""
    compared = assay.compare(*two)
    rows = assay.compare(*(ev.rows for ev in two), names=["forest", "tree"])
    assert compared.paired
    assert compared.names == ("forest", "tree")
    assert compared.to_dict() == rows.to_dict()


def test_evaluations_of_tallies_alone_are_compared_unpaired(two):
    """Each metric reads its own tally; that rows cannot be paired is said; what needs rows is refused."""
    compared = assay.compare(*map(loaded, two), metrics=["recall", "auc", "brier"])
    assert not compared.paired
    assert "not paired: tallies keep no pairs of rows" in str(compared)
    for name in ("recall", "auc", "brier"):
        assert compared[name].values == tuple(ev[name].value for ev in two)
        assert compared.estimate(name, "tree").value == two[1][name].value
    apart = assay.compare(*(ev.rows for ev in two), metrics=["recall", "auc"], paired=False)
    for name in ("recall", "auc"):
        assert (compared[name].low, compared[name].p_value) == (apart[name].low, apart[name].p_value)
    mixed = assay.compare(two[0], loaded(two[1]), metrics="auc")
    assert mixed["auc"].p_value == apart["auc"].p_value
    assert {one.metric for one in assay.compare(*map(loaded, two))} >= {"accuracy", "f1", "auc"}
    with pytest.raises(MetricError, match="mae needs the rows of forest, of which only tallies are at hand"):
        assay.compare(*map(loaded, two), metrics="mae")


def test_plots_are_drawn_of_evaluations(two):
    """By the accessor, alone, several together, with rows or with tallies alone; slices too."""
    first, second = two
    alone = first.plot.roc().get_legend().get_texts()[0].get_text()
    assert alone == f"AUC {first['auc']:.3f}"
    assert loaded(first).plot.roc().get_legend().get_texts()[0].get_text() == alone
    assert assay.plots.roc(first).get_legend().get_texts()[0].get_text() == alone
    assert first.plot.confusion().get_title()
    axes = assay.plots.compare({"forest": first, "tree": loaded(second)})
    assert [text.get_text()[:4] for text in axes[0].get_legend().get_texts()] == ["fore", "tree"]
    drawn = first.plot.slices("recall")
    values = [first.slices["by"][label]["recall"] for label in ("a", "b")]
    assert [text.get_text() for text in drawn.texts] == [format(value, ".3f") for value in values]
    with pytest.raises(MetricError, match="has no scores to draw"):
        assay.plots.roc(loaded(assay.evaluate(actual=[0, 1], predicted=[0, 1])))
    mpl.pyplot.close("all")


def test_a_name_counts_where_others_have_none():
    """An evaluation that was named keeps its name beside one that is called as its column is."""
    frame = {"y": [0, 1, 1, 0, 1], "p": [0.1, 0.9, 0.6, 0.4, 0.3], "q": [0.2, 0.8, 0.7, 0.6, 0.1]}
    plain = assay.evaluate(frame, actual="y", score="p")
    tree = assay.evaluate(frame, actual="y", score="q", name="tree")
    assert assay.compare(plain, tree, metrics="brier").names == ("p", "tree")
    same = assay.evaluate(frame, actual="y", score="q", name="p")
    assert assay.compare(plain, same, metrics="brier").names == ("p", "q")


def saved(ev, path):
    """Return an evaluation as it is read back from a file."""
    ev.save(path)
    return assay.load(path)


def test_saved_regressions_are_matched_by_their_actual_values(tmp_path):
    """Paired as the rows themselves are; where a value occurs twice, nothing tells the rows apart."""
    rng = np.random.default_rng(4)
    actual = rng.normal(size=80)
    order = rng.permutation(80)
    first, second = (actual + rng.normal(size=80) * spread for spread in (1, 0.8))
    evs = [assay.evaluate(actual=actual, predicted=first), assay.evaluate(actual=actual, predicted=second)]
    mixed = assay.evaluate(actual=actual[order], predicted=second[order])
    again = [saved(ev, tmp_path / f"{k}.assay") for k, ev in enumerate((evs[0], mixed))]
    plain, compared = assay.compare(*evs), assay.compare(*again)
    assert compared.paired
    assert "paired on 80 rows matched by their actual values" in str(compared)
    for ours, theirs in zip(compared, plain, strict=True):
        assert ours.p_value == pytest.approx(theirs.p_value, rel=1e-9)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    twice = np.round(actual, 1)
    again = [
        saved(assay.evaluate(actual=twice, predicted=each), tmp_path / f"twice {k}.assay")
        for k, each in enumerate((first, second))
    ]
    compared = assay.compare(*again)
    assert not compared.paired
    assert "not paired: tallies keep no pairs of rows" in str(compared)
    assert assay.compare(*again, paired=False).paired is False


@pytest.mark.parametrize("task", ["labels", "scores", "numbers"])
def test_saved_shards_keep_their_intervals(task, tmp_path):
    """Merged from files, every metric has the interval of the whole."""
    rng = np.random.default_rng(4)
    label = rng.integers(0, 2, 90)
    columns = {
        "labels": {"actual": label, "predicted": np.where(rng.random(90) < 0.8, label, 1 - label)},
        "scores": {"actual": label, "score": np.round(0.3 * label + 0.7 * rng.random(90), 3)},
        "numbers": {"actual": rng.normal(size=90), "predicted": rng.normal(size=90)},
    }[task]
    shards = [
        saved(
            assay.evaluate(**{role: values[part::3] for role, values in columns.items()}),
            tmp_path / f"{part}",
        )
        for part in range(3)
    ]
    merged, whole = shards[0].merge(shards[1]).merge(shards[2]), assay.evaluate(**columns)
    assert list(merged) == list(whole)
    for name in whole:
        assert merged[name].value == whole[name].value
        assert (merged[name].low is None) == (whole[name].low is None)
        if whole[name].low is not None and "bootstrap" not in whole[name].method:
            assert merged[name].low == pytest.approx(whole[name].low, rel=1e-9)
            assert merged[name].high == pytest.approx(whole[name].high, rel=1e-9)
