"""Intervals of rows that nobody expects: no positive at all, losses alike but for rounding, weights of any size."""

import itertools
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


@pytest.mark.parametrize(
    "name", ["rmse", "mae", "r2", "smape_100", "log_loss", "cox_intercept", "f_half", "f1"]
)
@pytest.mark.parametrize("grouped", [False, True])
def test_rows_that_weigh_next_to_nothing_beside_another_do_no_harm(name, grouped):
    """Weights from 1e-8 to 1e8: an interval about the value, or a reason."""
    rng = np.random.default_rng(3)
    for size in (2, 3, 5, 8):
        actual, columns = np.arange(size) % 2, {"predicted": rng.uniform(0.05, 0.95, size)}
        if name.startswith("f"):
            columns = {"predicted": rng.integers(0, 2, size)}
        elif name in ("log_loss", "cox_intercept"):
            columns = {"score": columns["predicted"]}
        design = {"weight": rng.permutation(10.0 ** np.linspace(-8, 8, size))}
        if grouped:
            design["group"] = np.arange(size) // 2
        found = assay.estimate(name, assay.rows(actual=actual, **columns, **design))
        if found.low is None:
            assert not found.defined or found.note
        else:
            assert found.low <= found.value <= found.high


@pytest.mark.parametrize("name", ["mutual_information", "normalized_mutual_information"])
def test_shared_information_of_one_group(name):
    """All rows in one group show no spread between groups."""
    rows = assay.rows(actual=[0, 1, 1, 0, 1], predicted=[0, 1, 0, 0, 1], group=[7] * 5)
    found = assay.estimate(name, rows)
    assert found.low is None
    assert "group" in found.note


@pytest.mark.parametrize("group", [None, [1, 0, 3, 1, 3] * 8])
def test_association_with_a_single_predicted_class(group):
    """Nothing can go together with what does not vary: chi-square has no degrees of freedom."""
    rows = assay.rows(actual=[1, 0, 0, 1, 1] * 8, predicted=[0] * 40, labels=(0, 1), group=group)
    for name in ("goodman_kruskal_tau", "goodman_kruskal_tau_predicted"):
        found = assay.estimate(name, rows)
        assert not found.defined or "one actual or one predicted class" in found.note


@pytest.mark.parametrize("name", ["kappa", "quadratic_weighted_kappa", "stuarts_tau_c"])
def test_agreement_that_turns_has_nested_intervals(name):
    """Kappa below chance falls and rises again as a rate comes to 0: every table of six rows and two classes."""
    for tp, fp, fn in np.ndindex(7, 7, 7):
        if tp + fp + fn > 6:
            continue
        tally = assay.Confusion.of_table([[6 - tp - fp - fn, fp], [fn, tp]], (0, 1))
        found = [assay.estimate(name, tally, confidence=c) for c in (0.5, 0.8, 0.95, 0.99, 0.9999)]
        for inner, outer in itertools.pairwise(found):
            if inner.low is not None:
                assert outer.low <= inner.low + 1e-9, (tp, fp, fn)
                assert inner.high <= outer.high + 1e-9, (tp, fp, fn)


@pytest.mark.parametrize("name", ["brier", "root_brier", "log_loss", "brier_skill", "log_loss_skill"])
def test_losses_of_few_clusters_have_nested_intervals(name):
    """With two clusters or three the effective rows are next to none at 99.9%, which says less, not more."""
    rng = np.random.default_rng(8)
    confidences = (0.5, 0.8, 0.95, 0.99, 0.999, 0.9999)
    for turn in range(25):
        n, clusters = 4 + turn % 9, 2 + turn % 3
        columns = {"actual": np.arange(n) % 2, "score": rng.uniform(0.02, 0.98, n)}
        rows = assay.rows(**columns, group=np.arange(n) % clusters)
        found = [assay.estimate(name, rows, confidence=c) for c in confidences]
        for inner, outer in itertools.pairwise(found):
            if inner.low is not None:
                assert outer.low <= inner.low + 1e-9, turn
                assert inner.high <= outer.high + 1e-9, turn


def test_a_skill_has_no_lower_limit_where_the_base_rate_may_be_0():
    """A model may be worse than a perfect guess by any factor: the limit is infinite, no number near 1e300."""
    rows = assay.rows(actual=[0, 1, 0, 0], score=[0.2, 0.6, 0.3, 0.1], group=[0, 0, 1, 1])
    found = assay.estimate("log_loss_skill", rows, confidence=0.999)
    assert found.low == -math.inf
    assert found.value < found.high <= 1
