"""Intervals of rows that nobody expects: no positive at all, losses alike but for rounding, weights of any size."""

import math

import numpy as np
import pytest

import assay
from assay.inference.formulas.proportions import proportion_interval


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [False, True]])
@pytest.mark.parametrize("more", [{"group": [0, 0, 1, 1, 2, 2]}, {"weight": [2, 2, 2, 2, 2, 2]}])
def test_rows_without_a_positive_have_a_specificity(labels, more):
    """A fold without positives: three groups are three rows, and weights of 2 are six."""
    rows = assay.rows(actual=[labels[0]] * 6, predicted=[labels[0]] * 6, **more)
    found = assay.estimate("specificity", rows)
    size = 3 if "group" in more else 6
    assert (found.low, found.high) == pytest.approx(proportion_interval(size, size, method="modified-wilson"))


def test_losses_that_are_alike_are_bounded_by_what_a_wrong_row_would_lose():
    """All forty are right at 0.9: nothing is seen of a loss of 2.3, but half a row of it may be there."""
    actual = np.array([0, 1] * 20)
    found = assay.estimate("log_loss", assay.rows(actual=actual, score=np.where(actual, 0.9, 0.1)))
    assert found.low == pytest.approx(-math.log(0.9), rel=1e-9)
    assert 2 * found.value < found.high < 4 * found.value
    assert "no large loss among 40 rows" in found.note


def test_losses_that_are_alike_but_for_rounding_show_no_spread():
    """Errors of numbers that differ in the last digit are no interval."""
    actual = np.arange(40) / 7
    found = assay.estimate("mae", assay.rows(actual=actual, predicted=actual + 0.1))
    assert found.low is None
    assert "all rows are alike" in found.note


def test_an_error_that_is_not_known_is_none():
    """Classes apart in a single group have limits, but no standard error that JSON could not hold."""
    found = assay.estimate("ks", assay.rows(actual=[0, 0, 1, 1], score=[1, 2, 3, 4], group=[1, 1, 1, 1]))
    assert found.low is not None
    assert found.standard_error is None or not math.isnan(found.standard_error)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"confidence": "x"}, "a share between 0 and 1"), ({"seed": -1}, "whole number from 0")],
)
def test_what_cannot_be_meant_is_refused(options, said):
    """A confidence that is no number, and a seed that no generator takes."""
    with pytest.raises(assay.MetricError, match=said):
        assay.estimate("ks", assay.rows(actual=[0, 1, 0, 1], score=[1, 2, 3, 4]), **options)


@pytest.mark.parametrize("seed", range(8))
def test_a_base_rate_of_one_is_not_more_than_one(seed):
    """Whatever the weights add up to in which order: all rows are positive, and the interval is Wilson's."""
    rng = np.random.default_rng(seed)
    rows = assay.rows(actual=np.ones(50, int), score=rng.random(50), weight=rng.random(50))
    found = assay.estimate("brier_uncertainty", rows)
    assert (found.value, found.low) == (0, 0)
    assert 0 < found.high < 0.25


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e120, 1e300])
@pytest.mark.parametrize("name", ["recall", "auc", "average_precision", "ks", "brier", "mae", "rmse"])
def test_weights_of_any_size_have_the_same_interval(name, factor):
    """A common factor of the weights changes nothing, though their squares be no floats."""
    rng = np.random.default_rng(3)
    actual = np.arange(40) % 2
    columns = {
        "actual": actual,
        "predicted": np.where(rng.random(40) < 0.8, actual, 1 - actual),
        "score": 0.3 * actual + 0.7 * rng.random(40),
    }
    weight = 1 + np.arange(40) % 3
    plain, far = (assay.estimate(name, assay.rows(**columns, weight=w)) for w in (weight, weight * factor))
    assert (far.value, far.low, far.high) == pytest.approx((plain.value, plain.low, plain.high), rel=1e-9)
    both = {**columns, "score": {"a": columns["score"], "b": rng.random(40)}}
    both["predicted"] = {"a": columns["predicted"], "b": np.roll(columns["predicted"], 1)}
    (plain,), (far,) = (assay.compare(**both, metrics=name, weight=w) for w in (weight, weight * factor))
    assert (far.p_value, far.low, far.high) == pytest.approx((plain.p_value, plain.low, plain.high), rel=1e-6)


def test_sparse_tables_have_no_interval_of_chi_square_measures():
    """Where more than a fifth of the cells expect fewer than five rows; tables of two classes are exempt."""
    rng = np.random.default_rng(4)
    for classes, n, given in ((5, 100, False), (5, 400, True), (50, 1000, False), (2, 8, True)):
        actual = np.arange(n) % classes
        predicted = np.where(rng.random(n) < 0.8, actual, rng.integers(0, classes, n))
        for name in ("cramers_v", "bias_corrected_cramers_v", "tschuprows_t", "contingency_coefficient"):
            found = assay.estimate(name, assay.rows(actual=actual, predicted=predicted))
            assert (found.low is not None) == given, (name, classes, n)
            if not given:
                assert "fewer than 5 rows" in found.note
        assert assay.estimate("mcc", assay.rows(actual=actual, predicted=predicted)).low is not None
