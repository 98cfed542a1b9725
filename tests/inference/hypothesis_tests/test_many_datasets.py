"""Models over data sets: the check values, SciPy, and laws."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import check_values

import assay
from assay.inference.hypothesis_tests.many_datasets import (
    critical_difference,
    friedman,
    iman_davenport,
    mean_ranks,
    nemenyi,
    range_p,
)
from assay.metrics import Undefined

tables = st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=2, max_size=9)


def test_ranks_are_those_of_o39():
    """Mean ranks, chi-square with and without the correction for ties, F and the critical difference."""
    inputs, expected = check_values(39)
    scores = inputs["scores_datasets_x_models"]
    assert mean_ranks(scores) == pytest.approx(expected["mean_ranks"], rel=1e-12)
    plain = friedman(scores, tie_corrected=False)
    assert plain.statistic == pytest.approx(expected["chi2"], rel=1e-12)
    assert plain.p_value == pytest.approx(expected["p_chi2"], rel=1e-12)
    assert friedman(scores).statistic == pytest.approx(expected["chi2_tie_corrected"], rel=1e-12)
    ratio = iman_davenport(scores, tie_corrected=False)
    assert ratio.statistic == pytest.approx(expected["F_iman_davenport"], rel=1e-12)
    assert ratio.p_value == pytest.approx(expected["p_F"], rel=1e-12)
    assert critical_difference(3, 6) == pytest.approx(expected["nemenyi_cd_005"], rel=1e-9)


@settings(deadline=None)
@given(tables)
def test_friedman_agrees_with_scipy(table):
    """With ties; undefined where all tie."""
    found = friedman(table)
    if all(len(set(row)) == 1 for row in table):
        assert isinstance(found.p_value, Undefined)
        assert isinstance(iman_davenport(table).p_value, Undefined)
        return
    theirs = scipy.stats.friedmanchisquare(*np.array(table).T)
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-9)


@settings(deadline=None)
@given(tables)
def test_ranks_turn_with_the_direction(table):
    """Lower is better ranks the other way round; they add up to k (k + 1) / 2."""
    best, worst = mean_ranks(table), mean_ranks(table, larger_is_better=False)
    assert best + worst == pytest.approx(np.full(4, 5.0))
    assert best.sum() == pytest.approx(10)
    assert friedman(table, tie_corrected=False).statistic == pytest.approx(
        friedman(-np.array(table), tie_corrected=False).statistic, abs=1e-9
    )


@pytest.mark.parametrize("size", [2, 3, 5, 20])
@pytest.mark.parametrize("q", [0.3, 1.0, 3.0, 5.0])
def test_the_range_agrees_with_scipy(q, size):
    """Where SciPy's quadrature still has digits."""
    theirs = scipy.stats.studentized_range.sf(q, size, np.inf)
    assert range_p(q, size) == pytest.approx(theirs, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("q", [1e-3, 1.0, 8.0, 20.0, 45.0])
def test_the_range_of_two_is_a_normal_tail(q):
    """In closed form, far beyond where 1 - cdf is 0."""
    assert range_p(q, 2) == pytest.approx(math.erfc(q / 2), rel=1e-12)
    assert range_p(0, 2) == 1


def test_a_pair_at_the_critical_difference_has_p_alpha():
    """The two sides of Nemenyi's test agree."""
    scores = np.array([[3, 2, 1]] * 5 + [[2, 3, 1]] * 2 + [[1, 2, 3]], float)
    p, ranks = nemenyi(scores), mean_ranks(scores)
    assert p == pytest.approx(p.T)
    assert (np.diag(p) == 1).all()
    for alpha in (0.01, 0.05, 0.5):
        apart = np.abs(np.subtract.outer(ranks, ranks)) > critical_difference(3, 8, alpha=alpha)
        assert (apart == (p < alpha)).all()


def test_models_always_ranked_alike():
    """F has no end there, and p is 0."""
    found = iman_davenport([[3, 2, 1]] * 6)
    assert (found.statistic, found.p_value) == (math.inf, 0)
    assert "alike" in found.note


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: friedman([1, 2, 3]), "are a table"),
        (lambda: friedman([[1], [2]]), "are a table"),
        (lambda: friedman([[1, math.nan], [2, 3]]), "not a finite number"),
        (lambda: critical_difference(1, 5), "no critical difference"),
    ],
)
def test_nonsense_is_refused(call, message):
    """The message says what is wrong."""
    with pytest.raises(assay.MetricError, match=message):
        call()
