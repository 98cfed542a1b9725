"""Tests over resamples: the check values, SciPy, and laws."""

import math

import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import check_values

import assay
from assay.inference.hypothesis_tests.corrected_resampled import (
    corrected_t,
    correlated_bayes,
    five_by_two_f,
    five_by_two_t,
)
from assay.metrics import Undefined

differences = st.lists(st.floats(-1, 1), min_size=2, max_size=20)


def test_the_corrected_t_is_that_of_o35():
    """Mean, error, t, p and interval."""
    inputs, expected = check_values(35)
    found = corrected_t(inputs["diffs"], inputs["n_train"], inputs["n_test"])
    assert found.estimate == pytest.approx(expected["mean"], rel=1e-12)
    assert found.standard_error == pytest.approx(expected["se"], rel=1e-12)
    assert found.statistic == pytest.approx(expected["t"], rel=1e-12)
    assert found.p_value == pytest.approx(expected["p"], rel=1e-12)
    limits = found.low, found.high
    assert limits == pytest.approx((expected["lo"], expected["hi"]), rel=1e-12)


def test_the_posterior_is_that_of_o36():
    """Worse, the same, better."""
    inputs, expected = check_values(36)
    assert inputs["rho"] == 0.1  # one test row in ten
    found = correlated_bayes(inputs["diffs"], 900, 100, rope=inputs["rope"])
    chances = expected["p_left"], expected["p_rope"], expected["p_right"]
    assert found == pytest.approx(chances, rel=1e-12)


def test_five_by_two_is_that_of_o37():
    """T and F with their p."""
    inputs, expected = check_values(37)
    t, f = five_by_two_t(inputs["diffs_5x2"]), five_by_two_f(inputs["diffs_5x2"])
    assert (t.statistic, t.p_value) == pytest.approx((expected["t"], expected["p_t"]), rel=1e-12)
    assert (f.statistic, f.p_value) == pytest.approx((expected["F"], expected["p_F"]), rel=1e-12)


@settings(deadline=None)
@given(differences, st.floats(0.05, 2))
def test_the_posterior_is_as_wide_as_the_corrected_error(values, share):
    """Without a region of equivalence, better and worse are the one-sided p-values."""
    found = corrected_t(values, 1000, 1000 * share, alternative="greater")
    posterior = correlated_bayes(values, 1000, 1000 * share, rope=0)
    if found.statistic is None:
        assert sum(posterior) == 1
        return
    assert posterior.worse == pytest.approx(found.p_value, rel=1e-9, abs=1e-300)
    assert sum(posterior) == pytest.approx(1)


def test_without_overlap_it_is_the_plain_t():
    """As the test part shrinks to nothing the correction does too; with it the error only grows."""
    values = [0.1, 0.3, -0.1, 0.2]
    plain = scipy.stats.ttest_1samp(values, 0)
    assert corrected_t(values, 1e18, 1).p_value == pytest.approx(plain.pvalue, rel=1e-9)
    assert corrected_t(values, 9, 1).p_value > plain.pvalue


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=5, max_size=5))
def test_f_does_not_see_which_half_came_first(pairs):
    """The order of halves and of halvings is no matter for F, and its sign neither."""
    found = five_by_two_f(pairs)
    turned = five_by_two_f([(-b, -a) for a, b in reversed(pairs)])
    if isinstance(found.p_value, Undefined):
        assert isinstance(turned.p_value, Undefined)
    else:
        assert turned.statistic == pytest.approx(found.statistic, rel=1e-9)


def test_without_spread():
    """All alike has no test; the posterior lies where they lie."""
    assert isinstance(corrected_t([0.1, 0.1], 9, 1).p_value, Undefined)
    assert correlated_bayes([0.1, 0.1], 9, 1) == (0, 0, 1)
    assert correlated_bayes([0.0, 0.0], 9, 1) == (0, 1, 0)
    assert isinstance(five_by_two_t([[0.1, 0.1]] * 5).p_value, Undefined)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: corrected_t([0.1], 9, 1), "at least two"),
        (lambda: corrected_t([0.1, math.nan], 9, 1), "finite"),
        (lambda: corrected_t([0.1, 0.2], 0, 1), "count rows"),
        (lambda: correlated_bayes([0.1, 0.2], 9, 1, rope=-1), "at least 0"),
        (lambda: five_by_two_f([[1, 2]]), "five pairs"),
    ],
)
def test_nonsense_is_refused(call, message):
    """The message says what is wrong."""
    with pytest.raises(assay.MetricError, match=message):
        call()
