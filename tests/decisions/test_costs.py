"""What follows from costs alone, and from another share of positives."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.decisions import (
    bayes_threshold,
    choose_threshold,
    evaluate_threshold,
    probability_cost,
    shifted_probability,
    shifted_threshold,
)

inner = st.floats(0.01, 0.99)


@given(fp=st.integers(0, 50), fn=st.integers(0, 50), tp=st.integers(0, 5), tn=st.integers(0, 5))
def test_the_bayes_threshold_is_where_both_predictions_cost_the_same(fp, fn, tp, tn):
    """At that probability calling a row positive costs on average as much as leaving it."""
    if fp < tn or fn < tp or fp + fn == tn + tp:
        return
    t = Fraction(fp - tn, (fp - tn) + (fn - tp))
    assert t * tp + (1 - t) * fp == t * fn + (1 - t) * tn
    assert bayes_threshold(fp, fn, cost_tp=tp, cost_tn=tn) == float(t)


@given(p=inner, old=inner, new=inner)
def test_shifting_there_and_back(p, old, new):
    """Saerens' shift is Bayes' rule on the odds, and thresholds move against it."""
    shifted = shifted_probability(p, old, new)
    odds = p / (1 - p) * (new / (1 - new)) / (old / (1 - old))
    assert shifted == pytest.approx(odds / (1 + odds), rel=1e-12)
    assert shifted_probability(shifted, new, old) == pytest.approx(p, rel=1e-12)
    assert shifted_threshold(shifted, old, new) == pytest.approx(p, rel=1e-12)


def test_shifting_columns():
    """A column is shifted as a whole; certainty stays what it is."""
    shifted = shifted_probability([0.0, 0.5, 1.0], 0.5, 0.2)
    assert isinstance(shifted, np.ndarray)
    assert shifted.tolist() == [0.0, 0.2, 1.0]
    with pytest.raises(assay.NumberError, match=r"1\.5 is no probability"):
        shifted_probability([0.2, 1.5], 0.5, 0.2)
    with pytest.raises(assay.MetricError, match="new_prevalence=1 is a share between 0 and 1"):
        shifted_probability(0.2, 0.5, 1)


def test_the_calibrated_threshold_and_the_chosen_one_agree_on_calibrated_rows():
    """Where every probability is the share of positives at it, the costs alone find the cheapest cutoff."""
    shares = {0.1: (1, 9), 0.3: (3, 7), 0.5: (5, 5), 0.75: (15, 5), 0.9: (9, 1)}
    actual = [y for p, n in shares.items() for y in [1] * n[0] + [0] * n[1]]
    score = [p for p, n in shares.items() for _ in range(sum(n))]
    rows = assay.rows(actual=actual, score=score)
    for fp, fn in [(1, 1), (1, 4), (4, 1), (9, 11), (30, 1)]:
        chosen = choose_threshold(rows, cost_fp=fp, cost_fn=fn)
        alone = choose_threshold(rows, cost_fp=fp, cost_fn=fn, calibrated=True)
        assert alone.threshold == bayes_threshold(fp, fn)
        assert alone.value == pytest.approx(chosen.value, rel=1e-12)
        assert alone.threshold_source == "cost"
        assert alone.estimate.low <= alone.value <= alone.estimate.high
        assert not alone.note


def test_probabilities_that_are_not_calibrated_are_said_to_be():
    """Spiegelhalter's test warns where the costs alone would mislead."""
    rows = assay.rows(actual=[0, 1] * 100, score=[0.9, 0.8] * 100)
    assert "not calibrated" in choose_threshold(rows, cost_fp=1, cost_fn=1, calibrated=True).note


def test_a_cost_has_students_interval():
    """The interval of a cost is that of the mean of what every row costs."""
    rows = assay.rows(actual=[1] * 10 + [0] * 10, score=[1] * 9 + [0] + [1, 1] + [0] * 8)
    each = np.array([1.0] * 9 + [7.0] + [3.0] * 2 + [0.5] * 8)
    found = evaluate_threshold(rows, 1, cost_fp=3, cost_fn=7, cost_tp=1, cost_tn=0.5).estimate
    reach = 2.093024054408263 * each.std(ddof=1) / math.sqrt(20)
    assert (found.value, found.method) == (pytest.approx(each.mean()), "Student's t")
    assert (found.low, found.high) == pytest.approx((each.mean() - reach, each.mean() + reach))
    amounts = evaluate_threshold(rows, 1, cost_fp=[3.0] * 20, cost_fn=[7.0] * 20).estimate
    plain = evaluate_threshold(rows, 1, cost_fp=3, cost_fn=7).estimate
    assert (amounts.value, amounts.low, amounts.high) == pytest.approx((plain.value, plain.low, plain.high))
    double = assay.rows(actual=[1] * 10 + [0] * 10, score=[1] * 9 + [0] + [1, 1] + [0] * 8, weight=[2.0] * 20)
    weighted = evaluate_threshold(double, 1, cost_fp=3, cost_fn=7).estimate
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))


def test_probability_cost():
    """The share that positives have in the cost of erring always."""
    assert probability_cost(0.25, 1, 3) == 0.5
    assert probability_cost(0.25, 0, 3) == 1
    with pytest.raises(assay.MetricError, match="both errors cost nothing"):
        probability_cost(0.25, 0, 0)
