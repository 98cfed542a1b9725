"""Neighbouring scores put together tell the same standard errors."""

import numpy as np
import pytest

import assay
from assay.inference.influence.influence import influence
from assay.metrics import find
from assay.tallies.scores.scores import pooled


def rows(n):
    """Return rows whose scores are all distinct."""
    rng = np.random.default_rng(n)
    y = rng.integers(0, 2, n)
    return assay.rows(actual=y, score=1 / (1 + np.exp(-(rng.normal(size=n) + 1.2 * y))))


def drawn(n):
    """Return their tally."""
    return assay.Scores.of(rows(n))


@pytest.mark.parametrize("most", [1, 2, 7, 100, 999])
def test_no_row_is_lost(most):
    """Every row is in some pool, pools are in order, and there are no more than asked for."""
    tally = drawn(1000)
    small = pooled(tally, most)
    assert small.totals == tally.totals
    assert len(small.scores) <= most
    assert (np.diff(small.scores) > 0).all()


def test_few_scores_and_weighted_ones_stay_as_they_are():
    """There is nothing to put together, or weights that may not be."""
    tally = drawn(50)
    assert pooled(tally) is tally
    weighted = assay.Scores.of(assay.rows(actual=[0, 1, 1], score=[0.1, 0.2, 0.3], weight=[1.0, 2.0, 1.0]))
    assert pooled(weighted, 1) is weighted


@pytest.mark.parametrize("name", ["auc", "average_precision", "ks", "brier_skill", "observed_expected_ratio"])
def test_the_standard_error_is_the_same_to_three_digits(name):
    """A thousand pools of a hundred thousand scores are as good for the spread."""
    tally = drawn(100_000)
    whole = influence(find(name), tally).standard_error
    small = influence(find(name), pooled(tally, 1000)).standard_error
    assert small == pytest.approx(whole, rel=2e-3)


def test_very_many_scores_have_the_interval_of_all_of_them():
    """Beyond 65,536 scores the value stays exact, and the error is that of every row by itself."""
    given = rows(150_000)
    for name in ("average_precision", "auc", "ks"):
        metric = find(name)
        found = influence(metric, assay.Scores.of(given))
        assert found.slopes.size < 2 * 150_000
        assert found.value == metric(given)
        assert found.standard_error == pytest.approx(influence(metric, given).standard_error, rel=1e-3)
