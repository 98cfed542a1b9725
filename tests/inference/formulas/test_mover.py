"""Sums and differences of proportions: the check values, formulas typed in R, and laws."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import agrees, check_values, r_figures

import assay
from assay.inference.formulas.mover import (
    f1_interval,
    informedness_interval,
    markedness_interval,
    mean_recall_interval,
    mover,
    mover_function,
    negative_predictive_value_at,
    positive_predictive_value_at,
    proportion_difference,
    weighted_sum_interval,
)

METHODS = ("newcombe", "newcombe-corrected", "miettinen-nurminen", "agresti-caffo", "wald")
counts = st.integers(0, 60)


def test_binary_intervals_are_those_of_o6():
    """Balanced accuracy, informedness, markedness and F1 of one table."""
    cells, expected = check_values(6)
    tp, fp, fn, tn = (cells[name] for name in ("tp", "fp", "fn", "tn"))
    assert agrees(mean_recall_interval([tp, tn], [tp + fn, tn + fp]), expected, "bacc_mover")
    assert agrees(informedness_interval(tp, fp, fn, tn), expected, "informedness_mover")
    assert agrees(markedness_interval(tp, fp, fn, tn), expected, "markedness_mover")
    assert agrees(f1_interval(tp, fp, fn), expected, "f1_wilson_via_jaccard")


def test_mean_recall_of_three_classes_is_that_of_o7():
    """Three recalls of unequal classes."""
    inputs, expected = check_values(7)
    table = np.array(inputs["confusion_rows_truth"])
    assert agrees(
        mean_recall_interval(table.diagonal().tolist(), table.sum(1).tolist()), expected, "bacc_mover"
    )


def test_independent_difference_agrees_with_r():
    """Newcombe, its corrected form, Miettinen-Nurminen, Agresti-Caffo and Wald, typed in R."""
    case = r_figures("sms_tests_mcnemar_binom")["diff_independent"]
    at = (case["x1"], case["n1"], case["x2"], case["n2"])
    for method in METHODS:
        limits = case["by_formula"][method]
        assert proportion_difference(*at, method=method) == pytest.approx(limits, abs=1e-10)


def test_wald_difference_agrees_with_prop_test():
    """R's prop.test without its correction."""
    case = r_figures("sms_tests_mcnemar_binom")["prop_test_two_sample"]
    (x1, x2), (n1, n2) = case["x"], case["n"]
    found = proportion_difference(x1, n1, x2, n2, method="wald")
    assert found == pytest.approx(case["uncorrected"]["conf.int"], abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None)
@given(counts, counts, counts, counts)
def test_a_difference_holds_its_estimate_and_mirrors(method, x1, rest1, x2, rest2):
    """It lies in [-1, 1], and exchanging the groups exchanges the limits."""
    n1, n2 = x1 + rest1, x2 + rest2
    if not n1 or not n2:
        return
    low, high = proportion_difference(x1, n1, x2, n2, method=method)
    value = x1 / n1 - x2 / n2
    if method != "agresti-caffo":  # it is centred elsewhere
        assert low - 1e-15 <= value <= high + 1e-15
    assert -1 <= low <= high <= 1
    mirrored = proportion_difference(x2, n2, x1, n1, method=method)
    assert (-mirrored[1], -mirrored[0]) == pytest.approx((low, high), abs=1e-9)


@settings(deadline=None)
@given(st.integers(1, 50), st.integers(0, 50), st.integers(1, 50), st.integers(0, 50))
def test_the_score_limits_solve_their_equation(x1, rest1, x2, rest2):
    """At a Miettinen-Nurminen limit a brute-force likelihood gives a score of z."""
    n1, n2 = x1 + rest1, x2 + rest2
    for limit in proportion_difference(x1, n1, x2, n2, method="miettinen-nurminen"):
        if abs(limit) >= 1 - 1e-9:
            continue
        low, high = max(0.0, -limit), min(1.0, 1 - limit)
        for _ in range(6):  # a grid that closes in on the likeliest second proportion
            p2 = np.clip(np.linspace(low, high, 2001), 1e-300, 1 - 1e-16)[1:-1]
            p1 = np.clip(p2 + limit, 1e-300, 1 - 1e-16)
            likelihood = (
                x1 * np.log(p1) + (n1 - x1) * np.log1p(-p1) + x2 * np.log(p2) + (n2 - x2) * np.log1p(-p2)
            )
            best = int(np.argmax(likelihood))
            low = p2[best - 1] if best else low
            high = p2[best + 1] if best + 1 < len(p2) else high
        p1, p2 = p1[best], p2[best]
        spread = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * (n1 + n2) / (n1 + n2 - 1)
        score = (x1 / n1 - x2 / n2 - limit) / math.sqrt(spread)
        assert abs(score) == pytest.approx(1.959963984540054, rel=1e-5)


@settings(deadline=None)
@given(counts, counts, counts, counts)
def test_sums_hold_their_estimate_and_stay_in_bounds(tp, fp, fn, tn):
    """Balanced accuracy, informedness and markedness at every table, perfect and hopeless ones too."""
    if tp + fn and tn + fp:
        recalls = tp / (tp + fn), tn / (tn + fp)
        low, high = mean_recall_interval([tp, tn], [tp + fn, tn + fp])
        assert 0 <= low <= sum(recalls) / 2 + 1e-15
        assert sum(recalls) / 2 - 1e-15 <= high <= 1
        assert low < high
        twice = informedness_interval(tp, fp, fn, tn)
        assert twice == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-12)
        assert twice[0] >= -1
        assert twice[1] <= 1
    if tp + fp and tn + fn:
        low, high = markedness_interval(tp, fp, fn, tn)
        value = tp / (tp + fp) + tn / (tn + fn) - 1
        assert -1 <= low <= value + 1e-15
        assert value - 1e-15 <= high <= 1


def test_a_negative_weight_turns_its_part():
    """The interval of minus a sum is minus its interval."""
    parts, limits = [0.4, 0.7], [(0.3, 0.6), (0.5, 0.8)]
    low, high = mover(parts, limits, [1, 2], 0.5)
    assert mover(parts, limits, [-1, -2], -0.5) == pytest.approx((-high, -low))


@settings(deadline=None)
@given(counts, counts, counts)
def test_f1_and_jaccard_say_the_same(tp, fp, fn):
    """The limits map through F = 2J / (1 + J), hold the estimate and never coincide."""
    if not tp + fp + fn:
        return
    low, high = f1_interval(tp, fp, fn)
    assert 0 <= low <= 2 * tp / (2 * tp + fp + fn) <= high <= 1
    assert low < high


@pytest.mark.parametrize("cells", [*itertools.product((0, 5, 30), repeat=4)])
@pytest.mark.parametrize("prevalence", [0.001, 0.4])
def test_predictive_values_at_a_prevalence(cells, prevalence):
    """They hold their estimate, are predictive values at the data's own prevalence, and mirror."""
    tp, fp, fn, tn = cells
    if not tp + fn or not tn + fp:
        return
    if tp + fp:
        found = positive_predictive_value_at(prevalence, *cells)
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high
        assert ("adjusted" in found.note) == (0 in (tp, fp) or (not fn and not tn))
        turned = negative_predictive_value_at(1 - prevalence, tn, fn, fp, tp)
        assert (turned.low, turned.high) == pytest.approx((found.low, found.high))
        if 0 < tp + fn < sum(cells):
            own = positive_predictive_value_at((tp + fn) / sum(cells), *cells)
            assert own.value == pytest.approx(tp / (tp + fp))
    else:
        with pytest.raises(assay.MetricError, match="no row of either class has this prediction"):
            positive_predictive_value_at(prevalence, *cells)


def test_the_logit_variance_is_that_of_the_delta_method():
    """Mercaldo's closed form against numeric derivatives of the logit by the four cells."""

    def logit(tp, fp, fn, tn):
        return math.log(tp / (tp + fn)) - math.log(fp / (fp + tn)) + math.log(0.1 / 0.9)

    cells = np.array([45.0, 12.0, 5.0, 68.0])
    steps = np.eye(4) * 1e-4
    slopes = [(logit(*(cells + step)) - logit(*(cells - step))) / 2e-4 for step in steps]
    found = positive_predictive_value_at(0.1, *cells)
    width = math.log(found.high / (1 - found.high)) - math.log(found.low / (1 - found.low))
    spread = math.sqrt(float(cells @ np.square(slopes)))
    assert width / (2 * 1.959963984540054) == pytest.approx(spread, rel=1e-7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: proportion_difference(1, 0, 1, 2), "not two proportions"),
        (lambda: proportion_difference(1, 2, 1, 2, method="exact"), "no interval for a difference"),
        (lambda: weighted_sum_interval([1, 0], [2, 0], [1, 1]), "of no rows"),
        (lambda: positive_predictive_value_at(1, 1, 1, 1, 1), "a share between 0 and 1"),
        (lambda: positive_predictive_value_at(0.1, 0, 1, 0, 1), "a class is absent"),
    ],
)
def test_nonsense_is_refused(call, message):
    """The message says what is wrong."""
    with pytest.raises(assay.MetricError, match=message):
        call()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0.1, 0.9), min_size=3, max_size=3),
    st.lists(st.floats(0.0, 0.5), min_size=6, max_size=6),
    st.lists(st.floats(-0.9, 0.9), min_size=3, max_size=3),
)
def test_wider_limits_of_correlated_rates_never_make_it_narrower(rates, reaches, correlated):
    """Of a function that has a top between its limits, too: both ends of a rate may lower it."""

    def function(a, b, c):
        return a * (1 - a) + (b - 0.5) ** 2 - c * a

    correlations = np.eye(3)
    for (i, j), value in zip(itertools.combinations(range(3), 2), correlated, strict=True):
        correlations[i, j] = correlations[j, i] = value
    inner, outer = (
        mover_function(
            function, rates,
            [(max(rate - scale * down, 0.0), min(rate + scale * up, 1.0))
             for rate, down, up in zip(rates, reaches[::2], reaches[1::2], strict=True)],
            correlations,
        )[0]
        for scale in (0.7, 1.0)
    )  # fmt: skip
    assert outer[0] <= inner[0] + 1e-12
    assert outer[1] >= inner[1] - 1e-12
