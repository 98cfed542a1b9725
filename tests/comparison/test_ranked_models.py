"""The models of a comparison on one metric: intervals, ranks, and letters; with a proxy, too."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy import stats

import assay


def models(n=400, seed=1):
    draw = np.random.default_rng(seed)
    actual = draw.integers(0, 2, n)
    return [
        assay.evaluate(
            actual=actual, predicted=np.where(draw.random(n) < share, actual, 1 - actual), name=name
        )
        for name, share in (("weak", 0.55), ("best", 0.9), ("second", 0.88))
    ]  # fmt: skip


def judged(n=300, size=3000, *, seed=2, own_labels=False):
    draw = np.random.default_rng(seed)
    found = []
    truth = draw.integers(0, 2, size)
    for name, share in (("a", 0.85), ("b", 0.75), ("c", 0.6)):
        if own_labels:
            truth = draw.integers(0, 2, size)
        judge = np.where(draw.random(size) < 0.93, truth, 1 - truth)
        human = np.where(np.arange(size) < n, truth, np.nan)
        predicted = np.where(draw.random(size) < share, truth, 1 - truth)
        found.append(assay.evaluate(actual=human, predicted=predicted, proxy=judge, name=name))
    return found


def test_letters_are_the_tests_of_all_pairs():
    """Two models share a letter where their test has no winner; the best comes first, with its own interval."""
    evs = models()
    comparison = assay.compare(*evs, metrics=["accuracy", "f1"])
    board = comparison.standings("accuracy")
    assert board.order == ["best", "second", "weak"]
    assert board.letters == {"best": "a", "second": "a", "weak": "b"}
    assert board.ranks == comparison.ranks("accuracy")
    assert board.tied_with_best == comparison.tied_with_best("accuracy")
    for first, second in itertools.combinations(comparison.names, 2):
        apart = comparison["accuracy", first, second].winner is not None
        assert apart != bool(set(board.letters[first]) & set(board.letters[second]))
    for ev in evs:
        assert board.estimates[ev.settings.name] == ev["accuracy"]


def test_it_is_written_in_every_form():
    """Text, JSON, frame, and the LaTeX of a paper."""
    board = assay.compare(*models(), metrics="accuracy").standings()
    assert "Models that share a letter cannot be told apart." in str(board)
    data = json.loads(board.to_json())
    assert [row["model"] for row in data["models"]] == board.order
    assert data["models"][0]["rank"] == [1, 2]
    assert set(board.to_frame(library="dict")) == {"model", "value", "low", "high", "rank", "letters"}
    latex = board.to_latex()
    assert r"model & accuracy [95\% interval] & rank & letters \\" in latex
    assert latex.count(r"\\") == 4


@pytest.mark.parametrize(
    ("asked", "message"), [(None, "2 metrics were compared"), ("mcc", "mcc was not compared")]
)
def test_what_was_not_compared_is_said(asked, message):
    with pytest.raises(assay.MetricError, match=message):
        assay.compare(*models(), metrics=["accuracy", "f1"]).standings(asked)


def test_pairs_that_were_left_out_make_no_order():
    with pytest.raises(assay.MetricError, match="needs all pairs"):
        assay.compare(*models(), metrics="accuracy", against="first").standings()


def test_with_a_proxy_the_intervals_are_those_of_the_evaluations():
    """Not those of the labels alone."""
    evs = judged()
    comparison = assay.compare(*evs, metrics=["accuracy"])
    board = comparison.standings()
    for ev in evs:
        name = ev.settings.name
        assert board.estimates[name] == comparison.estimate("accuracy", name) == ev["accuracy"]
        assert board.estimates[name].powered
    assert board.order == ["a", "b", "c"]


def test_models_with_labels_of_their_own_are_two_estimates():
    """Where people labelled each model's rows by themselves, the variances of the estimates add."""
    evs = judged(own_labels=True)
    comparison = assay.compare(*evs, metrics=["accuracy"])
    assert not comparison.paired
    for (first, one), (second, other) in itertools.combinations(zip("abc", evs, strict=True), 2):
        found = comparison["accuracy", first, second]
        pair = one["accuracy"], other["accuracy"]
        variances = [estimate.standard_error**2 for estimate in pair]
        assert found.difference == pytest.approx(pair[1].value - pair[0].value)
        assert found.standard_error == pytest.approx(math.sqrt(sum(variances)))
        df = sum(variances) ** 2 / sum(variance**2 / 299 for variance in variances)
        half = stats.t.ppf(0.975, df) * found.standard_error
        assert (found.low, found.high) == pytest.approx((found.difference - half, found.difference + half))
        assert found.method == "prediction-powered"
        assert "differ on 0" not in found.note


def test_useless_proxies_leave_models_with_labels_of_their_own_to_the_labels():
    draw = np.random.default_rng(3)
    evs = []
    for name in "ab":
        truth, judge = draw.integers(0, 2, (2, 1000))
        human = np.where(np.arange(1000) < 100, truth, np.nan)
        predicted = np.where(draw.random(1000) < 0.8, truth, 1 - truth)
        evs.append(assay.evaluate(actual=human, predicted=predicted, proxy=judge, name=name))
    found = assay.compare(*evs, metrics=["accuracy"], paired=False)["accuracy"]
    assert found.method != "prediction-powered"
    assert "labels alone: the proxies say too little" in found.note
