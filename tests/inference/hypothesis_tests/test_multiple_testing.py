"""Corrections: the check values, SciPy, and laws."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import check_values

import assay
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.hypothesis_tests.multiple_testing import (
    adaptive_reach,
    benjamini_hochberg,
    bonferroni,
    hoeffding_reach,
    holm,
    ladder,
    look_level,
    spent_level,
)

chances = st.lists(st.floats(0, 1), min_size=0, max_size=12)


def test_corrected_p_values_are_those_of_o38():
    """Holm and Benjamini-Hochberg."""
    inputs, expected = check_values(38)
    assert holm(inputs["p"]) == pytest.approx(expected["holm"], rel=1e-12)
    assert benjamini_hochberg(inputs["p"]) == pytest.approx(expected["bh"], rel=1e-12)


@settings(deadline=None)
@given(chances)
def test_corrections_keep_order_and_their_place(p):
    """BH is at most Holm, Holm at most Bonferroni, none is below p, and any order gives the same."""
    values = np.array(p)
    plain, stepped, false = bonferroni(p), holm(p), benjamini_hochberg(p)
    assert (values <= false + 1e-15).all()
    assert (false <= stepped + 1e-15).all()
    assert (stepped <= plain).all()
    assert (plain <= 1).all()
    for corrected in (stepped, false):
        order = np.argsort(values, kind="stable")
        assert (np.diff(corrected[order]) >= 0).all()
    assert holm(p[::-1])[::-1] == pytest.approx(stepped)
    if p:
        theirs = scipy.stats.false_discovery_control(values)
        assert false == pytest.approx(theirs, rel=1e-12, abs=1e-300)


def test_looks_are_those_of_o45():
    """Quantiles at alpha / looks and at the spent level, and Hoeffding's reach."""
    inputs, expected = check_values(45)
    alpha, n = inputs["alpha"], inputs["n"]
    for looks in inputs["looks"]:
        level = normal_quantile(1 - look_level(alpha, looks))
        assert level == pytest.approx(expected[f"z_bonf_{looks}"], rel=1e-12)
        spent = normal_quantile(1 - spent_level(alpha, looks))
        assert spent == pytest.approx(expected[f"z_spend_{looks}"], rel=1e-12)
        reach = hoeffding_reach(n, alpha, looks)
        assert reach == pytest.approx(expected[f"hoeffding_half_{looks}"], rel=1e-12)


def test_all_looks_spend_alpha():
    """The sum over looks tends to alpha."""
    assert math.fsum(spent_level(0.05, j) for j in range(1, 100_000)) == pytest.approx(0.05, rel=2e-5)


def test_choosing_after_looking_costs_more():
    """One look costs the same; a hundred cost the root of them."""
    assert adaptive_reach(1000, 1, 101) == hoeffding_reach(1000)
    assert adaptive_reach(1000, 100, 2) > hoeffding_reach(1000, looks=100)
    assert adaptive_reach(1000, 401, 101) / adaptive_reach(1000, 101, 101) == pytest.approx(2, rel=0.02)


def test_the_ladder_is_that_of_o46():
    """Its trace over seven losses."""
    inputs, expected = check_values(46)
    assert ladder(inputs["losses"], inputs["eta"]) == pytest.approx(expected["trace"], rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), max_size=30), st.floats(1e-3, 0.5))
def test_the_ladder_only_descends(losses, step):
    """Answers never rise, and each step down is one of the losses, rounded."""
    answers = ladder(losses, step)
    assert len(answers) == len(losses)
    assert all(b <= a for a, b in itertools.pairwise(answers))
    for answer in answers:
        assert min(abs(answer - loss) for loss in losses) <= step / 2 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: holm([0.1, 1.2]), "from 0 to 1"),
        (lambda: holm([math.nan]), "from 0 to 1"),
        (lambda: look_level(0.05, 0), "no number of looks"),
        (lambda: ladder([0.1], 0), "must be above 0"),
    ],
)
def test_nonsense_is_refused(call, message):
    """The message says what is wrong."""
    with pytest.raises(assay.MetricError, match=message):
        call()
