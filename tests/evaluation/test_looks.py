"""Looks at a test set: which look it is, intervals that hold for all, and the optimism of picking the best."""

import math

import numpy as np
import pytest

import assay
from assay.evaluation.looks import Looks, expected_maximum


def test_the_expected_maximum_is_that_of_simulated_normals():
    """A second way: the mean of simulated maxima; of two values it is 1 / sqrt(pi)."""
    rng = np.random.default_rng(1)
    for count in (2, 5, 40):
        maxima = rng.standard_normal((100_000, count)).max(axis=1)
        assert expected_maximum(count) == pytest.approx(maxima.mean(), abs=4 * maxima.std() / math.sqrt(1e5))
    assert expected_maximum(2) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-9)
    assert expected_maximum(1) == 0
    assert 4.8 < expected_maximum(10**6) < 4.9


def recorded(book, seeds, **more):
    rng = np.random.default_rng(7)
    actual = rng.integers(0, 2, 400)
    for seed in seeds:
        wrong = np.random.default_rng(seed).random(400) < 0.2
        ev = assay.evaluate(
            actual=actual, predicted=actual ^ wrong, key=range(400), ledger=book, name=f"model {seed}", **more
        )
    return ev


@pytest.fixture
def book(tmp_path):
    with assay.ledger(tmp_path / "ledger.db") as ledger:
        yield ledger


def test_an_evaluation_in_a_ledger_knows_which_look_it_is(book):
    """The third model's intervals for all looks are those at confidence 1 - 0.05 / 12."""
    ev = recorded(book, [0, 1, 2])
    assert str(ev.looks) == "look 3 at this test set, 2 models before (model 0, model 1)"
    for name in ("accuracy", "mcc"):
        expected = ev.estimate(name, confidence=1 - 0.05 / 12)
        assert (ev.for_all_looks(name).low, ev.for_all_looks(name).high) == (expected.low, expected.high)
        assert ev.for_all_looks(name).low < ev[name].low
    accuracy = ev["accuracy"]
    error = accuracy.standard_error or (accuracy.high - accuracy.low) / (2 * 1.959964)
    assert ev.selection_optimism("accuracy") == pytest.approx(error * expected_maximum(3), rel=1e-6)


def test_the_summary_prints_looks_intervals_and_optimism(book):
    """From the second look on there is a second interval; at the first there is the line alone."""
    first = recorded(book, [0])
    assert "look 1 at this test set" in str(first)
    assert "for all looks" not in str(first)
    text = str(recorded(book, [1]))
    assert "look 2 at this test set, 1 model before (model 0)" in text
    assert "interval          for all looks" in text
    assert "The best of 2 models on one test set seems better than it is" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
    again = recorded(book, [0])
    assert "look 1 at this test set; the same predictions again" in str(again)
    assert again.looks.total == 2
    assert "for all looks" in str(again)


def test_looks_leave_in_json_and_markdown(book):
    """Plain data has the looks and an interval for all of them beside every metric."""
    ev = recorded(book, [0, 1])
    data = ev.to_dict()
    assert (data["looks"]["number"], data["looks"]["models"]) == (2, ["model 0"])
    assert data["looks"]["confidence"] == pytest.approx(1 - 0.05 / 6)
    assert data["for_all_looks"].keys() == data["metrics"].keys()
    for name, limits in data["for_all_looks"].items():
        assert limits["low"] < data["metrics"][name]["low"] or limits["low"] == 0, name
    assert "| interval for all looks |" in ev.to_markdown()


def test_looks_are_not_known_without_a_ledger():
    """What counts looks is said, and tags need a ledger."""
    ev = assay.evaluate(actual=[0, 1], predicted=[0, 1])
    for method in (ev.for_all_looks, ev.selection_optimism):
        with pytest.raises(assay.InputError, match="ledger=True"):
            method("accuracy")
    with pytest.raises(assay.InputError, match="pass ledger"):
        assay.evaluate(actual=[0, 1], predicted=[0, 1], tags=["nightly"])
    with pytest.raises(assay.InputError, match="list of words"):
        assay.evaluate(actual=[0, 1], predicted=[0, 1], tags="nightly", ledger=True)


def test_the_worst_case_grows_with_the_root_of_the_looks():
    """It is the union over all answers that earlier looks could give (methods: Dwork and others)."""
    for number in (1, 10, 200):
        expected = math.sqrt(((number - 1) * math.log(2) + math.log(2 / 0.05)) / 2000)
        assert Looks("", number).worst_case(1000) == pytest.approx(expected)
