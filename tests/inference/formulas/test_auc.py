"""Areas under the ROC curve: the check values, pROC, brute force, and laws."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import (
    D15_POSITIVE,
    D15_SCORE,
    agrees,
    check_values,
    r_figures,
    ranks,
    second_score,
    sms,
)

import assay
from assay.inference.distributions import student_quantile
from assay.inference.formulas.auc import (
    Area,
    auc_estimate,
    delong,
    delong_interval,
    disjoint_pairs_bound,
    hanley_mcneil,
    newcombe_auc_interval,
    newcombe_variance,
)
from assay.metrics import Undefined

rows_of_scores = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=2, max_size=25)


def brute(positive, score):
    """Area and DeLong's variance by all pairs, in fractions."""
    above = [Fraction(x) for x, y in zip(score, positive, strict=True) if y]
    below = [Fraction(x) for x, y in zip(score, positive, strict=True) if not y]
    wins = [[Fraction((a > b) * 2 + (a == b), 2) for b in below] for a in above]
    m, n = len(above), len(below)
    area = sum(map(sum, wins)) / (m * n)
    mine = [sum(row) / n for row in wins]
    theirs = [sum(column) / m for column in zip(*wins, strict=True)]
    spread = sum((v - area) ** 2 for v in mine) / (m * (m - 1))
    return area, spread + sum((v - area) ** 2 for v in theirs) / (n * (n - 1))


def test_intervals_are_those_of_o10():
    """DeLong plain and logit, Hanley-McNeil and Newcombe's method 5 on fifteen rows with ties."""
    _, expected = check_values(10)
    area = delong(ranks(D15_POSITIVE, D15_SCORE))
    assert area.value == expected["auc"] == 87 / 112
    assert area.variance == pytest.approx(expected["delong_var"], rel=1e-12)
    assert (area.positives, area.negatives) == (expected["n_pos"], expected["n_neg"])
    assert agrees(delong_interval(area, scale="identity"), expected, "plain")
    assert agrees(delong_interval(area), expected, "logit")
    assert math.sqrt(hanley_mcneil(area.value, 7, 8)) == pytest.approx(
        expected["hanley_mcneil_se"], rel=1e-12
    )
    assert agrees(newcombe_auc_interval(area.value, 7, 8), expected, "newcombe5", 1e-9)


@pytest.mark.parametrize("number", [15, 16])
def test_perfect_separation_is_that_of_o15_and_o16(number):
    """Newcombe's limits and the bound that assumes nothing."""
    inputs, expected = check_values(number)
    m, n = inputs["n_pos"], inputs["n_neg"]
    assert agrees(newcombe_auc_interval(1.0, m, n), expected, "newcombe5", 1e-9)
    two_sided, one_sided = (disjoint_pairs_bound(m, n, one_sided=one) for one in (False, True))
    assert two_sided == pytest.approx(expected["exact_disjoint_pairs_lo_two_sided"], rel=1e-12)
    assert one_sided == pytest.approx(expected["exact_one_sided_95_lo"], rel=1e-12)
    found = auc_estimate(ranks([1] * m + [0] * n, [1] * m + [0] * n))
    assert (found.value, found.high) == (1, 1)
    # Student's t of five degrees of freedom, for no row has shown the variance: between both bounds.
    assert two_sided < found.low < expected["newcombe5_lo"]
    assert "do not overlap" in found.note


def test_the_spam_filter_agrees_with_proc():
    """Area, variance and intervals at three levels, of two scores and of a toy with ties."""
    theirs = r_figures("sms_proc")
    positive, scores = sms()
    second = second_score(scores)
    assert math.fsum(second) == pytest.approx(theirs["inputs"]["score2_sum"], abs=1e-10)
    toy = theirs["toy"]
    cases = [
        (positive, scores, theirs["prob_spam"]),
        (positive, second, theirs["score2"]),
        (toy["y"], toy["score"], toy),
        (toy["y"], toy["score_2"], toy["score_2_result"]),
    ]
    for labels, values, expected in cases:
        area = delong(ranks(labels, values))
        assert area.value == pytest.approx(expected["auc"], abs=1e-14)
        assert area.variance == pytest.approx(expected["var_delong"], rel=1e-10)
        for level, limits in expected["ci_auc_delong"].items():
            found = delong_interval(area, confidence=float(level), scale="identity")
            assert found == pytest.approx((limits["lower"], limits["upper"]), abs=1e-10)


@settings(deadline=None)
@given(rows_of_scores)
def test_delong_is_that_of_all_pairs(rows):
    """The integers of the tally give the nearest float to the exact variance."""
    positive, score = zip(*rows, strict=True)
    found = delong(ranks(positive, score))
    m = sum(positive)
    if not m or m == len(positive):
        assert isinstance(found.value, Undefined)
        return
    if min(m, len(positive) - m) < 2:
        assert "no spread" in found.variance.reason
        return
    area, variance = brute(positive, score)
    assert found.value == float(area)
    assert found.variance == float(variance)


@settings(deadline=None)
@given(rows_of_scores)
def test_an_estimate_holds_its_value_and_mirrors(rows):
    """Turning the scores turns the interval; it is never a single point."""
    positive, score = zip(*rows, strict=True)
    found = auc_estimate(ranks(positive, score))
    turned = auc_estimate(ranks(positive, [-x for x in score]))
    if not found.defined:
        assert found.low is None
        return
    assert turned.value == pytest.approx(1 - found.value)
    if found.low is None:
        assert "no spread" in found.note or "spread" in turned.note
        return
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high
    assert (1 - turned.high, 1 - turned.low) == pytest.approx((found.low, found.high), abs=1e-9)
    assert ("rank backwards" in found.note) == (found.value < 0.5)


@settings(deadline=None)
@given(st.floats(0, 1), st.integers(1, 400), st.integers(1, 400))
def test_newcombe_holds_its_value_and_mirrors(value, m, n):
    """Whatever the area and the classes."""
    low, high = newcombe_auc_interval(value, m, n)
    assert 0 <= low <= value <= high <= 1
    assert low < high
    other = newcombe_auc_interval(1 - value, m, n)
    assert (1 - other[1], 1 - other[0]) == pytest.approx((low, high), abs=1e-9)


def test_newcombe_solves_its_equation():
    """At a limit the distance is z standard errors of that limit."""
    z, m, n, value = 1.959963984540054, 12, 30, 0.83
    for limit in newcombe_auc_interval(value, m, n):
        half = (m + n) / 2 - 1
        spread = limit * (1 - limit) * (1 + half * (1 - limit) / (2 - limit) + half * limit / (1 + limit))
        assert (value - limit) ** 2 == pytest.approx(z * z * spread / (m * n), rel=1e-10)


def test_constant_scores_and_single_rows_say_so():
    """Where DeLong's variance is 0 or unknown, Newcombe's stands in, and Student's t of five degrees."""
    constant = auc_estimate(ranks([0, 1, 0, 1], [5, 5, 5, 5]))
    assert constant.value == 0.5
    assert constant.low == pytest.approx(1 - constant.high)
    single = auc_estimate(ranks([1, 0, 0, 0], [2, 1, 3, 4]))
    assert "a single positive row" in single.note
    t = student_quantile(0.95, 5)
    for limit in (single.low, single.high):
        assert (limit - 1 / 3) ** 2 == pytest.approx(t * t * newcombe_variance(limit, 1, 3), rel=1e-9)
    alone = auc_estimate(ranks([1, 1], [2, 1]))
    assert alone.value.reason == "there are no negatives"


def test_huge_classes_do_not_overflow():
    """Two hundred million rows: the variance is a two hundred millionth, not 0 nor negative."""
    half = 10**8
    counts = np.array([half], dtype=np.uint32)
    low, high = np.array([3.0, 1.0]), np.array([1.0, 3.0])
    tally = assay.Scores(
        1, np.array([0.0, 1.0], np.float32), None,
        (low * counts[0] / 4).astype(np.uint32), (high * counts[0] / 4).astype(np.uint32),
    )  # fmt: skip
    area = delong(tally.concordance())
    share = 0.25 * 0.75 / 4
    assert area.value == 0.25 * 0.25 + (0.25 * 0.75 + 0.75 * 0.25) / 2
    assert area.variance == pytest.approx(2 * share / half, rel=1e-6)
    assert auc_estimate(tally.concordance()).low < area.value


def test_students_quantile_widens():
    """For small classes."""
    area = Area(0.8, 0.01, 10, 12)
    normal, student = (delong_interval(area, student=one) for one in (False, True))
    plain = delong_interval(area, scale="identity", student=True)
    assert student[0] < normal[0] < 0.8 < normal[1] < student[1]
    assert plain == pytest.approx((0.8 - 2.262157163 * 0.1, 1.0))
    assert delong_interval(Area(0.5, 0.0, 4, 4), scale="identity") is None
    assert delong_interval(Area(0.5, Undefined("no"), 4, 4)) is None


def test_nonsense_is_refused():
    """A confidence is a share."""
    with pytest.raises(assay.MetricError, match="a share between 0 and 1"):
        auc_estimate(ranks([0, 1], [1, 2]), confidence=95)
