"""Two models on the same rows: the check values, R, and laws."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import agrees, check_values, r_figures

import assay
from assay.inference.formulas.delta import variance
from assay.inference.hypothesis_tests.paired_proportions import (
    agresti_min,
    bonett_price,
    claims,
    cochran_q,
    equivalence,
    noninferiority,
    paired_difference,
    paired_error,
    tango,
    wald,
)
from assay.inference.influence.gradients import metric_gradient, paired_gradient
from assay.metrics import Undefined, find

counts = st.integers(0, 80)


@pytest.mark.parametrize("number", [32, 33])
def test_differences_are_those_of_o32_and_o33(number):
    """Tango, Bonett-Price, Wald, non-inferiority and equivalence."""
    cells, expected = check_values(number)
    n = sum(cells[name] for name in ("both", "only1", "only2", "neither"))
    at = cells["only1"], cells["only2"], n
    assert agrees(tango(*at), expected, "tango", 1e-9)
    assert agrees(bonett_price(*at), expected, "bonett_price")
    assert agrees(wald(*at), expected, "wald")
    error = paired_error(*at)
    assert error == pytest.approx(expected["wald_se"], rel=1e-12)
    found = paired_difference(*at)
    assert found.value == pytest.approx(expected["diff"], rel=1e-12)
    better = noninferiority(found.value, error, 0.05)
    assert better.statistic == pytest.approx(expected["ni_z_margin0.05"], rel=1e-12)
    assert better.p_value == pytest.approx(expected["ni_p"], rel=1e-12)
    assert equivalence(found.value, error, 0.05).p_value == pytest.approx(
        expected["tost_p_margin0.05"], rel=1e-12
    )


def test_paired_difference_agrees_with_r():
    """Adjusted Wald and Tango's limits, typed in R."""
    case = r_figures("sms_tests_mcnemar_binom")["diff_paired"]
    at = case["b"], case["c"], case["n"]
    assert agresti_min(*at, confidence=case["conf.level"]) == pytest.approx(case["adjusted_wald"], abs=1e-10)
    assert tango(*at, confidence=case["conf.level"]) == pytest.approx(case["tango"], abs=1e-10)


@settings(deadline=None)
@given(counts, counts, counts)
def test_tango_holds_the_difference_and_turns(only_first, only_second, same):
    """It stays in [-1, 1], is never empty, and exchanging the models turns it."""
    n = only_first + only_second + same
    if not n:
        return
    low, high = tango(only_first, only_second, n)
    assert -1 <= low <= (only_first - only_second) / n <= high <= 1
    assert low < high
    turned = tango(only_second, only_first, n)
    assert (-turned[1], -turned[0]) == pytest.approx((low, high), abs=1e-9)
    if n > 3:
        narrow = tango(only_first, only_second, n, confidence=0.8)
        assert low <= narrow[0] + 1e-12
        assert narrow[1] <= high + 1e-12


def test_tango_without_disagreement_is_wilsons_limit():
    """No row differs: z² / (n + z²) on either side."""
    z2 = 1.959963984540054**2
    assert tango(0, 0, 40) == pytest.approx((-z2 / (40 + z2), z2 / (40 + z2)), rel=1e-9)


@settings(deadline=None)
@given(counts, counts, counts)
def test_the_plain_error_is_the_delta_methods(only_first, only_second, same):
    """Paired delta on accuracy is McNemar's Wald error."""
    if not same:
        return
    joint = np.array([[[same, only_first], [only_second, 0]], [[0, 0], [0, 0]]])
    slopes = paired_gradient(*(metric_gradient(find("accuracy"), joint.sum(axis)) for axis in (2, 1)))
    error = paired_error(only_first, only_second, int(joint.sum()))
    assert error == pytest.approx(math.sqrt(variance(slopes, joint)), rel=1e-12, abs=1e-15)


def test_cochran_is_that_of_o34():
    """Ten rows, three models."""
    inputs, expected = check_values(34)
    found = cochran_q(inputs["correct"])
    assert found.statistic == pytest.approx(expected["q"], rel=1e-12)
    assert found.df == expected["df"]
    assert found.p_value == pytest.approx(expected["p"], rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_cochran_of_two_is_mcnemar(rows):
    """(b - c)² / (b + c), undefined where the two never disagree."""
    b, c = (sum(first and not second for first, second in pairs) for pairs in (rows, [r[::-1] for r in rows]))
    found = cochran_q(rows)
    if b + c:
        assert found.statistic == pytest.approx((b - c) ** 2 / (b + c))
    else:
        assert isinstance(found.p_value, Undefined)


def test_claims_follow_from_the_interval():
    """One word for each that holds; a wide interval claims nothing."""
    assert claims((-0.2, 0.3), 0.05) == ()
    assert claims((-0.04, 0.04), 0.05) == ("non-inferior", "equivalent")
    assert claims((0.06, 0.08), 0.05) == ("superior", "non-inferior")


@pytest.mark.parametrize(
    ("difference", "margin", "alpha"), [*itertools.product((-0.03, 0.0, 0.02), (0.04, 0.1), (0.025, 0.05))]
)
def test_a_claim_is_a_test_passed(difference, margin, alpha):
    """The normal interval at 1 - 2 alpha claims what the one-sided tests at alpha do."""
    from scipy.special import ndtri  # noqa: PLC0415 - as the package does

    error = 0.02
    reach = -float(ndtri(alpha)) * error
    found = claims((difference - reach, difference + reach), margin)
    assert ("non-inferior" in found) == (noninferiority(difference, error, margin).p_value < alpha)
    assert ("equivalent" in found) == (equivalence(difference, error, margin).p_value < alpha)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tango(3, 2, 4), "no disagreements"),
        (lambda: wald(0, 0, 0), "no disagreements"),
        (lambda: paired_difference(1, 1, 5, method="exact"), 'use "tango"'),
        (lambda: noninferiority(0.1, 0.1, 0), "must be above 0"),
        (lambda: cochran_q([[1], [0]]), "two models or more"),
    ],
)
def test_nonsense_is_refused(call, message):
    """The message says what is wrong."""
    with pytest.raises(assay.MetricError, match=message):
        call()


def test_without_spread_there_is_no_p():
    """Undefined, and no division by nothing."""
    assert isinstance(noninferiority(0.0, 0.0, 0.1).p_value, Undefined)
    assert isinstance(equivalence(0.0, 0.0, 0.1).p_value, Undefined)
