"""Means: the check values, exact arithmetic, SciPy, and laws."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import check_values

import assay
from assay.inference.formulas.means import (
    bernstein_interval,
    hoeffding_interval,
    mean_estimate,
    mean_spread,
    order_interval,
    order_ranks,
    root_mean_estimate,
)
from assay.inference.formulas.normal_errors import normal_root_interval
from assay.metrics import Undefined

finite = st.floats(-1e150, 1e150, allow_subnormal=False)


def losses(values, weight=None):
    weights = None if weight is None else np.array(weight, float)
    return assay.Losses.of_values(np.array(values, float), weights)


def o25():
    inputs, expected = check_values(25)
    return np.array(inputs["y"]), np.array(inputs["yhat"]), expected


def test_mean_losses_are_those_of_o18():
    """Log loss and Brier with their errors."""
    inputs, expected = check_values(18)
    y, p = np.array(inputs["y"]), np.array(inputs["p"])
    for name, values in (
        ("log_loss", -np.log(np.where(y == 1, p, 1 - p))),
        ("brier", (p - y) ** 2),
    ):
        found = mean_spread(losses(values))
        assert found.mean == pytest.approx(expected[name], rel=1e-12)
        assert found.error == pytest.approx(expected[f"{name}_se"], rel=1e-12)


def test_mean_and_root_mean_are_those_of_o25():
    """MAE with Student's interval, from both tallies; RMSE by chi-square, and its error by the delta method."""
    y, p, expected = o25()
    for tally in (losses(np.abs(y - p)), assay.Sums.of(np.abs(y - p))):
        found = mean_estimate(tally)
        assert found.value == pytest.approx(expected["mae"], rel=1e-12)
        assert found.standard_error == pytest.approx(expected["mae_se"], rel=1e-12)
        limits = expected["mae_t_lo"], expected["mae_t_hi"]
        assert (found.low, found.high) == pytest.approx(limits, rel=1e-12)
    root = root_mean_estimate(losses((y - p) ** 2))
    assert root.value == pytest.approx(expected["rmse"], rel=1e-12)
    # The influence error divides by n where Student's divides by n - 1.
    assert root.standard_error == pytest.approx(expected["if_se_rmse"] * math.sqrt(8 / 7), rel=1e-12)
    limits = expected["rmse_chi2_lo"], expected["rmse_chi2_hi"]
    assert normal_root_interval(root.value, 8) == pytest.approx(limits, rel=1e-12)


def test_the_median_is_that_of_o25():
    """Its limits are values of the rows, and their coverage is said."""
    y, p, expected = o25()
    assert order_interval(assay.Values.of(np.abs(y - p))) == pytest.approx(
        (0.0, expected["medae_ci_hi"], expected["medae_ci_actual_coverage"]), rel=1e-12
    )
    ranks = order_ranks(8)
    ordered = np.sort(np.abs(y - p))
    assert ordered[ranks.low - 1] == pytest.approx(expected["medae_ci_lo"], abs=1e-15)
    assert ordered[ranks.high - 1] == pytest.approx(expected["medae_ci_hi"], rel=1e-12)
    assert ranks.coverage == pytest.approx(expected["medae_ci_actual_coverage"], rel=1e-12)


@settings(deadline=None)
@given(st.lists(finite, min_size=2, max_size=30))
def test_the_error_is_the_nearest_float(values):
    """Whatever cancels: from exact sums, by fractions."""
    exact = [Fraction(x) for x in values]
    mean = sum(exact) / len(exact)
    square = sum((x - mean) ** 2 for x in exact) / (len(exact) * (len(exact) - 1))
    found = mean_spread(assay.Sums.of(values))
    assert found.mean == float(mean)
    assert found.effective_sample_size == len(values)
    if square > Fraction(1, 10**300):
        assert abs(Fraction(found.error) ** 2 - square) <= square / 10**15


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 9)), min_size=2, max_size=20))
def test_weights_have_no_unit(rows):
    """A common factor changes nothing, equal weights are none, and a row without weight is no row."""
    values, weights = zip(*rows, strict=True)
    found = mean_spread(losses(values, weights))
    assert mean_spread(losses(values, [8 * w for w in weights])) == found
    assert mean_spread(losses([*values, 99], [*weights, 0])) == found
    equal = mean_spread(losses(values, [3] * len(values)))
    plain = mean_spread(losses(values))
    assert equal == pytest.approx(plain, rel=1e-12)
    w, x = np.array(weights, float), np.array(values, float)
    mean = (w @ x) / w.sum()
    sandwich = (w**2 @ (x - mean) ** 2) / w.sum() ** 2
    worth = w.sum() ** 2 / (w @ w)
    assert found.error == pytest.approx(math.sqrt(sandwich * worth / (worth - 1)), rel=1e-9, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30))
def test_a_mean_lies_in_its_interval_as_scipy_has_it(values):
    """Student's interval; turned rows turn it."""
    found = mean_estimate(losses(values))
    if found.low is None:
        assert "alike" in found.note
        return
    assert found.low <= found.value <= found.high
    turned = mean_estimate(losses([-x for x in values]))
    assert (-turned.high, -turned.low) == pytest.approx((found.low, found.high))
    if np.std(values) > 1e-6:
        theirs = scipy.stats.t.interval(0.95, len(values) - 1, np.mean(values), scipy.stats.sem(values))
        assert (found.low, found.high) == pytest.approx(theirs, rel=1e-7, abs=1e-9)


def test_what_has_no_mean_or_no_spread_says_why():
    """No rows, one row, rows alike, a loss undefined or without end."""
    assert mean_estimate(losses([])).value == Undefined("there are no rows")
    single = mean_estimate(losses([3.0]))
    assert (single.value, single.low, single.note) == (3.0, None, "a single row shows no spread")
    assert mean_estimate(losses([2.0, 2.0])).note == "all rows are alike"
    lacking = mean_estimate(losses([2.0, math.nan]))
    assert lacking.value == Undefined("1 of 2 rows have no loss")
    endless = mean_estimate(losses([2.0, math.inf]))
    assert endless.value == math.inf
    assert "an infinite loss" in endless.note
    assert root_mean_estimate(losses([3.0])).note == "a single row shows no spread"
    assert root_mean_estimate(losses([0.0, 0.0])).note == "all rows are alike"
    assert not root_mean_estimate(losses([])).defined
    assert root_mean_estimate(losses([1.0, math.inf])).value == math.inf


def test_the_root_lies_in_its_interval():
    """The log scale keeps it above 0."""
    found = root_mean_estimate(losses([0.0, 0.0, 0.0, 9.0]))
    assert 0 < found.low < found.value < found.high


@pytest.mark.parametrize("n", [1, 5, 6, 30, 1001, 10**7])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_ranks_cover_as_they_say(n, share, confidence):
    """By SciPy's binomial; one rank further in would cover too little on that side."""
    found = order_ranks(n, share=share, confidence=confidence)
    tail = (1 - confidence) / 2
    below = scipy.stats.binom(n, share)
    if found is None:
        assert below.cdf(0) > tail or below.sf(n - 1) > tail
        return
    low, high, coverage = found
    assert 1 <= low <= high <= n
    assert coverage >= confidence - 1e-12
    assert coverage == pytest.approx(below.cdf(high - 1) - below.cdf(low - 1), rel=1e-9)
    assert below.cdf(low - 1) <= tail < below.cdf(low)
    assert below.sf(high - 1) <= tail < below.sf(high - 2)
    if share == 0.5:
        assert high == n + 1 - low


def test_the_smallest_medians():
    """Below six rows nothing can be said at 95%."""
    assert order_ranks(5) is None
    assert order_ranks(6)[:2] == (1, 6)


def test_bounds_for_any_losses():
    """Hoeffding by formula; Bernstein is narrower for rows that vary little, wider for a coin; both stay inside."""
    assert hoeffding_interval(0.5, 200) == pytest.approx((0.5 - 0.0960323, 0.5 + 0.0960323), abs=1e-7)
    assert hoeffding_interval(5, 200, (0, 10))[0] == pytest.approx(10 * hoeffding_interval(0.5, 200)[0])
    calm, coin = bernstein_interval(0.1, 0.0001, 10_000), bernstein_interval(0.5, 0.25, 100)
    plain = hoeffding_interval(0.1, 10_000), hoeffding_interval(0.5, 100)
    assert plain[0][0] < calm[0] < calm[1] < plain[0][1]
    assert coin[0] < plain[1][0]
    assert bernstein_interval(0.0, 0.0, 3) == (0, 1)


def test_nonsense_is_refused():
    """A mean of something else, a root of less than nothing, a share beyond 1."""
    with pytest.raises(assay.MetricError, match="losses or sums"):
        mean_spread([1, 2])
    with pytest.raises(assay.MetricError, match="has no root"):
        root_mean_estimate(losses([-1.0, -2.0]))
    with pytest.raises(assay.MetricError, match="between 0 and 1"):
        order_ranks(5, share=1.5)
