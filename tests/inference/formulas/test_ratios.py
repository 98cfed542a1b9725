"""Ratios of proportions and of odds: the check values, and laws."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import agrees, check_values

import assay
from assay.inference.formulas.ratios import (
    koopman,
    log_ratio,
    negative_likelihood_ratio_interval,
    odds_ratio,
    positive_likelihood_ratio_interval,
)

counts = st.integers(0, 60)


def test_ratios_are_those_of_o6():
    """Koopman, Simel and Woolf."""
    cells, expected = check_values(6)
    tp, fp, fn, tn = (cells[name] for name in ("tp", "fp", "fn", "tn"))
    assert agrees(positive_likelihood_ratio_interval(tp, fp, fn, tn), expected, "lr_pos_koopman", 1e-9)
    assert agrees(negative_likelihood_ratio_interval(tp, fp, fn, tn), expected, "lr_neg_koopman", 1e-9)
    for name, found in (
        ("lr_pos", log_ratio(tp, tp + fn, fp, fp + tn)),
        ("lr_neg", log_ratio(fn, tp + fn, tn, fp + tn)),
    ):
        assert found.standard_error == pytest.approx(expected[f"{name}_log_se"], rel=1e-12)
        assert agrees((found.low, found.high), expected, f"{name}_log")
        assert not found.note
    odds = odds_ratio(tp, fp, fn, tn)
    assert odds.standard_error == pytest.approx(expected["dor_woolf_logse"], rel=1e-12)
    assert agrees((odds.low, odds.high), expected, "dor_woolf")


@settings(deadline=None)
@given(counts, counts, counts, counts)
def test_koopman_holds_its_estimate_and_turns(x1, rest1, x2, rest2):
    """The reciprocal ratio has the reciprocal limits; no hits open the interval on that side."""
    n1, n2 = x1 + rest1, x2 + rest2
    if not n1 or not n2:
        return
    low, high = koopman(x1, n1, x2, n2)
    assert 0 <= low < high <= math.inf
    assert (low == 0) == (x1 == 0)
    assert (high == math.inf) == (x2 == 0)
    if x1 or x2:
        value = x1 / n1 / (x2 / n2) if x2 else math.inf
        assert low <= value * (1 + 1e-12)
        assert value <= high * (1 + 1e-12)
    turned = koopman(x2, n2, x1, n1)
    if low:
        assert turned[1] == pytest.approx(1 / low, rel=1e-8)


def test_koopman_at_the_ends():
    """All of all against all of all: the limits of the score, z² / n beside 1."""
    z2 = 1.959963984540054**2
    assert koopman(50, 50, 40, 40) == pytest.approx((1 / (1 + z2 / 50), 1 + z2 / 40), rel=1e-9)
    assert koopman(0, 50, 0, 40) == (0.0, math.inf)
    low, high = koopman(3, 10**9, 10**9, 10**9)
    assert low < 3e-9 < high


@settings(deadline=None)
@given(counts, counts, counts, counts)
def test_odds_ratio_adds_half_a_row_only_where_a_cell_is_empty(tp, fp, fn, tn):
    """The note says so, and the interval holds the estimate, infinite ones too."""
    if not tp * tn and not fp * fn:
        with pytest.raises(assay.MetricError, match="ratio of odds"):
            odds_ratio(tp, fp, fn, tn)
        return
    found = odds_ratio(tp, fp, fn, tn)
    assert bool(found.note) == (0 in (tp, fp, fn, tn))
    assert found.low <= found.value <= found.high
    assert found.low < found.high


@settings(deadline=None)
@given(counts, counts, counts, counts)
def test_log_ratio_holds_its_estimate(x1, rest1, x2, rest2):
    """Also where a count is 0, which the note says."""
    n1, n2 = x1 + rest1, x2 + rest2
    if not n1 or not n2 or not (x1 or x2):
        return
    found = log_ratio(x1, n1, x2, n2)
    assert found.low <= found.value <= found.high
    assert bool(found.note) == (not x1 or not x2)


def test_nonsense_is_refused():
    """No proportions, no ratio."""
    with pytest.raises(assay.MetricError, match="not two proportions"):
        koopman(3, 2, 1, 1)
    with pytest.raises(assay.MetricError, match="is no ratio"):
        log_ratio(0, 2, 0, 1)
