"""Average precision: the check values, numeric slopes, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import D15_POSITIVE, D15_SCORE, agrees, check_values

from assay.inference.formulas.average_precision import (
    average_precision_estimate,
    average_precision_influence,
    average_precision_variance,
    logit_binomial,
)
from assay.inference.formulas.delta import delta_interval

Y = np.array(D15_POSITIVE)
scored = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6), st.integers(1, 5)), min_size=1, max_size=20)


def test_average_precision_is_that_of_o11():
    """Value, error and both intervals."""
    _, expected = check_values(11)
    value, variance = average_precision_variance(D15_SCORE, Y, 1 - Y)
    assert value == pytest.approx(expected["ap_step"], rel=1e-12)
    assert math.sqrt(variance) == pytest.approx(expected["ap_ij_se"], rel=1e-12)
    assert agrees(delta_interval(value, math.sqrt(variance), (0, 1)), expected, "ap_ij_logit")
    assert agrees(logit_binomial(value, 7), expected, "ap_logit_binomial")
    found = average_precision_estimate(D15_SCORE, Y, 1 - Y)
    assert agrees((found.low, found.high), expected, "ap_logit_binomial")


def test_weighted_average_precision_is_that_of_o20():
    """The value of weighted rows; the error does not see the weights' unit."""
    inputs, expected = check_values(20)
    weight = np.array(inputs["weight"])
    value, variance = average_precision_variance(D15_SCORE, Y, 1 - Y, weight)
    assert value == pytest.approx(expected["average_precision"], rel=1e-12)
    assert average_precision_variance(D15_SCORE, Y, 1 - Y, weight * 512) == pytest.approx((value, variance))


@settings(deadline=None)
@given(scored)
def test_influence_is_the_slope_by_weight(rows):
    """By numeric differences; it adds up to nothing over the rows."""
    labels, scores, weights = (np.array(column, float) for column in zip(*rows, strict=True))
    heavy = [labels * weights, (1 - labels) * weights]
    found = average_precision_influence(scores, *heavy)
    if found is None:
        assert not labels.any()
        return
    slopes = found.of_positives, found.of_negatives
    assert float(sum(w @ s for w, s in zip(heavy, slopes, strict=True))) == pytest.approx(0, abs=1e-12)
    for row in range(len(labels)):
        side = 0 if labels[row] else 1
        shifted = []
        for step in (-1e-5, 1e-5):
            moved = [one.copy() for one in heavy]
            moved[side][row] += step
            shifted.append(average_precision_influence(scores, *moved).value)
        assert slopes[side][row] == pytest.approx((shifted[1] - shifted[0]) / 2e-5, abs=1e-7)


@settings(deadline=None)
@given(scored)
def test_counts_are_rows_taken_together(rows):
    """Entries with counts give what their rows one by one give, in any order."""
    labels, scores, counts = (np.array(column) for column in zip(*rows, strict=True))
    together = average_precision_variance(scores, labels * counts, (1 - labels) * counts)
    each = np.repeat(labels, counts)
    apart = average_precision_variance(np.repeat(scores, counts)[::-1], each[::-1], (1 - each)[::-1])
    if together is None:
        assert apart is None
    else:
        assert together == pytest.approx(apart, rel=1e-10)


def test_which_interval_is_taken():
    """From 50 positives on by its error; none at perfect ranking, nor without positives."""
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 300)
    scores = labels + rng.normal(size=300)
    found = average_precision_estimate(scores, labels, 1 - labels)
    assert found.method == "logit"
    assert found.low < found.value < found.high
    weighted = average_precision_estimate(scores[:30], labels[:30], 1 - labels[:30], np.ones(30))
    assert weighted.method == "logit"
    perfect = average_precision_estimate([1, 2], [0, 1], [1, 0])
    assert (perfect.value, perfect.low) == (1, None)
    assert "no spread" in perfect.note
    assert not average_precision_estimate([1, 2], [0, 0], [1, 1]).defined
