"""Limits from replicates: the check values, and laws."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import check_values

import assay
from assay.inference.bootstrap.bootstrap_limits import (
    adjusted_levels,
    basic,
    bca,
    bias_correction,
    boot_quantile,
    normal,
    order_index,
    percentile,
    studentised,
)


def ideal(table):
    """Every outcome of the bootstrap of F1, with its chance: all ways to draw as many rows as there are."""
    cells = np.array(table).reshape(-1)  # tn, fp, fn, tp
    n = int(cells.sum())
    chances = {}
    for tn, fp, fn in itertools.product(range(n + 1), repeat=3):
        tp = n - tn - fp - fn
        if tp < 0:
            continue
        drawn = (tn, fp, fn, tp)
        chance = math.factorial(n) * math.prod(
            (cell / n) ** k / math.factorial(k) for cell, k in zip(cells.tolist(), drawn, strict=True)
        )
        whole = 2 * tp + fp + fn
        value = 2 * tp / whole if whole else None
        chances[value] = chances.get(value, 0.0) + chance
    return chances


def o9():
    inputs, expected = check_values(9)
    found = ideal(inputs["confusion_rows_truth"])
    lacking = found.pop(None)
    known = sorted(found.items())
    return known, lacking, expected


def test_the_ideal_bootstrap_is_that_of_o9():
    """With every outcome known: ties count half in the bias, undefined outcomes count for nothing."""
    known, lacking, expected = o9()
    total = sum(p for _, p in known)
    below = sum(p for value, p in known if value < 0.8 - 1e-12) / total
    equal = sum(p for value, p in known if abs(value - 0.8) <= 1e-12) / total
    assert lacking == pytest.approx(expected["p_undefined"], rel=1e-12)
    assert (below, equal) == pytest.approx((expected["p_less"], expected["p_equal"]), rel=1e-12)
    assert bias_correction(below * 1e9, equal * 1e9, 1e9) == pytest.approx(expected["z0_midrank"], rel=1e-12)
    mean = sum(value * p for value, p in known) / total
    assert mean == pytest.approx(expected["boot_mean"], rel=1e-12)
    spread = sum((value - mean) ** 2 * p for value, p in known) / total
    assert math.sqrt(spread) == pytest.approx(expected["boot_sd"], rel=1e-12)


def test_replicates_as_many_as_their_chances_give_the_quantiles_of_o9():
    """A million replicates, each outcome as often as it should be."""
    known, lacking, expected = o9()
    values = np.repeat([value for value, _ in known], [round(p * 1e6) for _, p in known])
    values = np.concatenate([values, np.full(round(lacking * 1e6), np.nan)])
    found = percentile(values)
    assert (found.low, found.high) == (
        pytest.approx(expected["q025_lower_inverse_cdf"]),
        pytest.approx(expected["q975"]),
    )
    assert "replicates have no value" in found.note
    adjusted = bca(values, 0.8, -0.02)
    assert adjusted.low <= 0.8 <= adjusted.high


def test_adjusted_levels_are_those_of_o19():
    """From the bias and the acceleration."""
    inputs, expected = check_values(19)
    found = adjusted_levels(inputs["z0"], inputs["a"])
    assert found == pytest.approx((expected["alpha_lo"], expected["alpha_hi"]), rel=1e-12)


def test_without_bias_and_skewness_bca_is_the_percentile():
    """Levels are the plain ones, and so are the limits."""
    assert adjusted_levels(0, 0) == pytest.approx((0.025, 0.975), rel=1e-12)
    values = np.arange(-999.0, 1000.0)
    assert bca(values, 0.0, 0.0)[:2] == percentile(values)[:2]


@settings(deadline=None)
@given(st.floats(-1, 1), st.floats(-0.3, 0.3), st.sampled_from([0.8, 0.95, 0.999]))
def test_levels_are_in_order_and_mirror(z0, a, confidence):
    """Turning the metric turns bias, skewness and levels."""
    low, high = adjusted_levels(z0, a, confidence=confidence)
    assert 0 <= low <= high <= 1
    turned = adjusted_levels(-z0, -a, confidence=confidence)
    assert (1 - turned[1], 1 - turned[0]) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize(
    ("level", "replicates", "place"),
    [(0.025, 9999, 250), (0.975, 9999, 9750), (0.07, 99, 7), (0.05, 999, 50), (0.0, 10, 1), (1.0, 10, 10),
     (0.31, 9, 4), (0.29, 99, 29), (0.57, 99, 57)],
)  # fmt: skip
def test_the_rule_of_quantiles(level, replicates, place):
    """ceil(level (B + 1)) within 1 and B, and rounding does not cost an order."""
    assert order_index(level, replicates) == place


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=2, max_size=60))
def test_limits_are_replicates_and_mirror(values):
    """Percentile limits are among the replicates; turned replicates have them turned."""
    low, high, note = percentile(values)
    if low is None:
        assert "same value" in note
        return
    assert low in values
    assert high in values
    assert low <= high
    found = bca(values, float(np.median(values)), 0.0)
    assert found.low <= found.high
    assert isinstance(found.low, float)


def test_one_side_only_is_said():
    """All replicates below the estimate: clamped to half a replicate, and said."""
    found = bca(np.arange(100.0), 200.0, 0.01)
    assert "one side" in found.note
    assert bias_correction(0, 0, 100) == pytest.approx(-2.575829303548901)
    assert bca(np.arange(100.0), 50.0, math.nan).low is None


def test_studentised_limits_turn():
    """Skewed errors: the long tail of t below becomes the far limit above."""
    rng = np.random.default_rng(2)
    rows = rng.lognormal(0, 1, 40)
    draws = rng.choice(rows, (4000, 40))
    means, errors = draws.mean(1), draws.std(1, ddof=1) / math.sqrt(40)
    value, error = rows.mean(), rows.std(ddof=1) / math.sqrt(40)
    found = studentised(means, errors, value, error)
    assert found.low < value < found.high
    assert found.high - value > value - found.low
    distances = np.sort((means - value) / errors)
    assert found.low == pytest.approx(value - distances[order_index(0.975, 4000) - 1] * error)
    turned = studentised(-means, errors, -value, error)
    assert (-turned.high, -turned.low) == pytest.approx((found.low, found.high), abs=0.01)
    lacking = studentised([1.0, 2.0], [0.0, 0.0], 1.5, 0.1)
    assert (lacking.low, lacking.high) == (None, None)


def test_too_many_without_a_value():
    """From one in a hundred on, what is left does not stand for all."""
    values = np.arange(1000.0)
    values[:5] = np.nan
    assert percentile(values).note == "5 of 1,000 replicates have no value"
    values[:50] = np.nan
    assert percentile(values) == (None, None, "5.0% of the replicates have no value")
    assert bca(values, 500.0, 0.0).low is None


def test_nonsense_is_refused():
    """There must be replicates."""
    with pytest.raises(assay.MetricError, match="at least one"):
        percentile([])


# The replicates of the figures below, in R: t <- 0.5 + ((1:199)*(1:199)*7) %% 211 / 700; t0 <- 0.66, one tie.
OF_R = 0.5 + (np.arange(1, 200) ** 2 * 7) % 211 / 700
LIMITS_OF_R = {
    # boot:::basic.ci(t0, t, 0.9)
    "basic": ((0.5314285714285715, 0.8028571428571429), 0.9),
    # boot:::perc.ci(t, 0.93)
    "percentile": ((0.5142857142857142, 0.7928571428571429), 0.93),
    # boot:::norm.ci(boot.out, 0.95, t0 = t0, t = t, var.t0 = NULL)
    "normal": ((0.4933449725783622, 0.8309479204582496), 0.95),
    # boot:::bca.ci(boot.out, 0.95, 1, t0 = t0, t = t, L = c(-.3, -.1, 0, .05, .1, .25, .4, -.2, -.2))
    "bca": ((0.5114285714285715, 0.7946840616847164), 0.95),
    # boot:::stud.ci(cbind(t0, 0.0049), cbind(t, (0.05 + ((1:199) %% 7) / 100)^2), 0.95)
    "studentised": ((0.5100000000000001, 0.8433333333333333), 0.95),
}


@pytest.mark.parametrize("name", LIMITS_OF_R)
def test_the_convention_of_boot_is_that_of_r(name):
    """The limits that R's boot gives for the same replicates."""
    expected, confidence = LIMITS_OF_R[name]
    told = {"confidence": confidence, "convention": "boot"}
    found = {
        "basic": lambda: basic(OF_R, 0.66, **told),
        "percentile": lambda: percentile(OF_R, **told),
        "normal": lambda: normal(OF_R, 0.66, confidence=confidence),
        "bca": lambda: bca(OF_R, 0.66, 0.02291046732506646, **told),
        "studentised": lambda: studentised(OF_R, 0.05 + np.arange(1, 200) % 7 / 100, 0.66, 0.07, **told),
    }[name]()
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-12)


def test_quantiles_between_replicates_go_by_the_normal_scale():
    """boot:::norm.inter(t, c(0.013, 0.9)) and of 1:10 at 0.25; beyond the ends it is the first or the last."""
    ordered = np.sort(OF_R)
    assert boot_quantile(ordered, 0.013) == pytest.approx(0.5037726290349001, rel=1e-12)
    assert boot_quantile(ordered, 0.9) == pytest.approx(0.7742857142857142, rel=1e-12)
    assert boot_quantile(np.arange(1.0, 11.0), 0.25) == pytest.approx(2.769954837761235, rel=1e-12)
    assert (boot_quantile(ordered, 0.001), boot_quantile(ordered, 0.999)) == (ordered[0], ordered[-1])


def test_ties_count_half_in_one_convention_and_not_in_the_other():
    """Most replicates equal the value: boot takes that for a bias, the other convention does not."""
    replicates = np.repeat([0.4, 0.5, 0.6, 0.7], [20, 100, 60, 20])
    halved = bca(replicates, 0.5, 0.0, confidence=0.8)
    counted = bca(replicates, 0.5, 0.0, confidence=0.8, convention="boot")
    assert halved.high == 0.6  # the level is 0.695
    assert counted.high < 0.5  # the level is 0.1
    one_side = bca(replicates, 0.3, 0.0, convention="boot")
    assert one_side.low is None
    assert "one side" in one_side.note


def test_basic_mirrors_and_normal_moves_back():
    """By their definitions; and what has no spread has no limits."""
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 19.0])
    ends = percentile(values, confidence=0.6)
    mirrored = basic(values, 4.0, confidence=0.6)
    assert (mirrored.low, mirrored.high) == (8.0 - ends.high, 8.0 - ends.low)
    moved = normal(values, 4.0, confidence=0.6)
    assert moved.low + moved.high == pytest.approx(2 * (8.0 - values.mean()))
    width = 2 * 0.8416212335729143 * np.sqrt(((values - values.mean()) ** 2).sum() / 8)
    assert moved.high - moved.low == pytest.approx(width)
    assert normal([1.0, 1.0], 1.0).low is basic([1.0, 1.0], 1.0).low is None
    assert normal([1.0, math.inf], 1.0).note == "a replicate is infinite"
