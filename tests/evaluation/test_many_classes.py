"""Many classes: what is printed, exported and drawn of them costs no more than in proportion to their number."""

import json
import sys

import numpy as np
import pytest

import assay
from assay.reports.page.build import page_of


def sample(size, n=600):
    """Labels, probabilities of each class, weights and groups."""
    rng = np.random.default_rng(size)
    actual = np.arange(n) % size
    scores = np.exp(rng.normal(size=(n, size)) + 2.5 * np.eye(size)[actual])
    return actual, scores / scores.sum(1, keepdims=True), rng.lognormal(size=n), rng.integers(0, 40, n)


def evaluated(size, kind, rows):
    actual, scores, weight, group = sample(size)
    given = {"score": scores} if kind == "scores" else {"predicted": scores.argmax(1), "task": "multiclass"}
    if kind == "sets":
        actual = np.eye(size, dtype=int)[actual]
        given = {"predicted": (scores > 0.3).astype(int), "task": "multilabel"}
    given |= {"weight": weight} if "weight" in rows else {}
    given |= {"group": group} if "group" in rows else {}
    return assay.evaluate(actual=actual, **given)


SHOWN = {  # a full text draws the whole table, whose cells are as many as pairs of classes
    "text": str,
    "JSON": lambda ev: ev.to_json(),
    "classes": lambda ev: ev.classes,
    "page": lambda ev: page_of([ev]),
}


def calls(function):
    """How many functions are called: what a quadratic loop shows, on a busy machine, too."""
    number = 0

    def count(_frame, event, _argument):
        nonlocal number
        number += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return number


@pytest.mark.slow
@pytest.mark.parametrize("rows", ["", "weight", "group", "weight group"])
@pytest.mark.parametrize("kind", ["scores", "labels", "sets"])
@pytest.mark.parametrize("shown", SHOWN)
def test_four_times_the_classes_take_no_more_than_four_times_the_calls(shown, kind, rows):
    """Pairs of classes would take sixteen times as many."""
    SHOWN[shown](evaluated(5, kind, rows))  # what is loaded the first time
    few, many = (calls(lambda size=size: SHOWN[shown](evaluated(size, kind, rows))) for size in (25, 100))
    assert many <= 4 * few


@pytest.mark.parametrize("rows", ["", "weight", "group", "weight group"])
@pytest.mark.parametrize("kind", ["labels", "sets"])
def test_figures_of_each_class_make_no_full_table_and_no_tally_again(kind, rows, monkeypatch):
    """Each class would take as long as all of them."""
    ev = evaluated(30, kind, rows)

    def refuse(*_arguments, **_columns):
        pytest.fail("made again for a class")

    for home, name in (
        (assay.Confusion, "table"),
        (assay.Confusion, "of"),
        (assay.LabelSets, "of_indicators"),
    ):
        monkeypatch.setattr(home, name, refuse)
    assert len(ev.classes) == 30


def test_the_table_of_classes_is_that_of_estimates_one_by_one():
    """From the rows with each class against the rest, where no other class is known."""
    actual, scores, weight, _ = sample(15)
    predicted = scores.argmax(1)
    ev = assay.evaluate(actual=actual, predicted=predicted, weight=weight, task="multiclass")
    for label in range(15):
        rows = assay.rows(actual=actual == label, predicted=predicted == label, weight=weight, positive=True)
        for name, found in ev.classes[label].items():
            alone = assay.estimate(name, rows)
            assert found.value == pytest.approx(alone.value, rel=1e-12)
            assert (found.low, found.high) == pytest.approx((alone.low, alone.high), rel=1e-12)
        assert ev.classes.support[label] == pytest.approx(weight[actual == label].sum(), rel=1e-12)


@pytest.mark.parametrize("rows", ["weight", "weight group"])
def test_the_table_of_labels_of_sets_is_that_of_each_column_alone(rows):
    """A label's column, judged by itself, has the same intervals; rows of weight 0 have no part."""
    actual, scores, weight, group = sample(12)
    weight[::7] = 0
    actual, predicted = np.eye(12, dtype=int)[actual], (scores > 0.2).astype(int)
    columns = {"weight": weight} | ({"group": group} if "group" in rows else {})
    ev = assay.evaluate(actual=actual, predicted=predicted, task="multilabel", **columns)
    for label in range(12):
        alone = assay.rows(actual=actual[:, label], predicted=predicted[:, label], **columns)
        for name, found in ev.classes[label].items():
            expected = assay.estimate(name, alone)
            assert found.value == pytest.approx(expected.value, rel=1e-12)
            assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-10)


def test_equal_weights_of_sets_are_no_weights():
    """Of every label, of averages and of whole sets; they were refused for want of a column."""
    actual, scores, _, group = sample(5)
    actual, predicted = np.eye(5, dtype=int)[actual], (scores > 0.2).astype(int)
    for columns in ({}, {"group": group}):
        plain, even = (
            assay.evaluate(actual=actual, predicted=predicted, task="multilabel", **columns, **weight)
            for weight in ({}, {"weight": np.full(len(actual), 2.0)})
        )
        for name in plain:
            ends = [(ev[name].value, ev[name].low, ev[name].high) for ev in (plain, even)]
            assert ends[1] == pytest.approx(ends[0], rel=1e-12), name
        for label in range(5):
            for name, expected in plain.classes[label].items():
                found = even.classes[label][name]
                assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_a_table_of_very_many_labels_is_written_whole():
    """Counts of rows of a table are plain numbers already, and JSON has each of them."""
    actual = np.arange(900) % 300
    predicted = np.where(np.arange(900) < 800, actual, (actual + 1) % 300)
    ev = assay.evaluate(actual=actual, predicted=predicted, task="multiclass")
    data = json.loads(ev.to_json())
    counts = np.array(data["confusion"]["counts"])
    assert counts.shape == (300, 300)
    assert counts.sum() == 900
    assert np.trace(counts) == 800
    assert len(data["classes"]) == 300


@pytest.mark.slow
def test_twelve_thousand_labels_are_evaluated_without_a_table():
    """By hits and margins: the values are those of plain lists, and JSON leaves the table out."""
    rng = np.random.default_rng(2)
    actual = rng.permutation(np.arange(12_000).repeat(2))
    predicted = np.where(rng.random(24_000) < 0.8, actual, rng.permutation(actual))
    ev = assay.evaluate(actual=actual, predicted=predicted, task="multiclass")
    right = (actual == predicted).mean()
    chance = (np.bincount(predicted, minlength=12_000) * 2).sum() / 24_000**2
    assert ev["accuracy"].value == right
    assert ev["kappa"].value == pytest.approx((right - chance) / (1 - chance), rel=1e-12)
    assert ev["kappa"].low < ev["kappa"].value < ev["kappa"].high
    assert "Classification into 12000 classes" in str(ev).replace(",", "")
    data = ev.to_dict()
    assert data["confusion"] is None
    assert len(data["classes"]) == 12_000
