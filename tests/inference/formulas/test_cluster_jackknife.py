"""The degrees of freedom of clusters: against whole matrices, and in the intervals of clustered rows."""

import numpy as np
import pytest
from support.oracles.quadratic_form import jackknife_df

import assay
from assay.inference.formulas.cluster_jackknife import jackknife_parts, satterthwaite_df

SIZES = {
    "unequal": [3, 9, 4, 30, 7, 12, 5, 8],
    "one big": [75] + [15] * 7,
    "half in one": [585] + [15] * 39,
}


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("icc", [0, 0.05, 0.5, 1])
def test_degrees_of_freedom_are_those_of_the_quadratic_form(shape, icc):
    """A sum over clusters gives the traces of the matrices; the design effect tells how alike rows are."""
    sizes = np.array(SIZES[shape], dtype=float)
    rows = sizes.sum()
    effect = 1 + icc * ((sizes**2).sum() / rows - 1)
    expected = jackknife_df(sizes, icc + (1 - icc) / sizes)
    assert satterthwaite_df(sizes, sizes, rows, effect) == pytest.approx(expected, rel=1e-12)


def test_equal_clusters_have_one_degree_of_freedom_less_than_there_are():
    """Whatever the design effect, and also where a cluster without rows stands beside them."""
    for effect in (0.5, 1, 4):
        assert satterthwaite_df(np.array([5.0, 5, 5, 0]), np.array([5.0, 5, 5, 0]), 15, effect) == 2


def test_weighted_rows_are_clusters_of_one():
    """Rows of unequal weight have fewer degrees of freedom than their effective number says."""
    weight = np.exp(np.random.default_rng(1).normal(size=30))
    squares = weight**2
    effective = weight.sum() ** 2 / squares.sum()
    found = satterthwaite_df(weight, squares, effective, 1.0)
    assert found == pytest.approx(jackknife_df(weight, np.ones(30)), rel=1e-12)
    assert found < effective - 1


@pytest.mark.parametrize("rest", [1e-2, 1e-4, 1e-8, 1e-11])
def test_a_cluster_with_nearly_all_rows_leaves_one_degree_of_freedom(rest):
    """However little the others hold: nothing cancels, and a quadratic form has no less than one."""
    sizes = np.array([1 - rest, rest / 2, rest / 2])
    rows = 1 / float(sizes @ sizes)
    for effect in (1.0, 2.0):
        found = satterthwaite_df(sizes, sizes**2, rows, effect)
        assert 1 - 1e-12 <= found <= 1 + rest
    assert satterthwaite_df(sizes[:2], sizes[:2] ** 2, rows, 1.0) == pytest.approx(1, abs=1e-12)


def test_what_rounding_leaves_is_no_cluster():
    """A weight of 1e-8 beside one of 1e8 is no second cluster: there is no spread."""
    assert np.isnan(jackknife_parts(np.array([0.5, -0.5]), np.array([1e8, 1e-8]))).all()
    assert satterthwaite_df(np.array([1e8, 1e-8]), np.array([1e16, 1e-16]), 1.0, 1.0) == 0


def covered(metric, draw, truth, sets):
    """Return the share of simulated data sets whose interval holds the truth."""
    found = [assay.estimate(metric, draw(np.random.default_rng(seed))) for seed in range(sets)]
    return np.mean([estimate.low <= truth <= estimate.high for estimate in found])


def test_half_of_all_rows_in_one_cluster():
    """The area of scores that share their noise covers; with the effective clusters less one it was 0.86."""
    group = np.repeat(np.arange(40), [15 * 39] + [15] * 39)

    def draw(rng):
        noise = rng.normal(size=40)[group] + rng.normal(size=len(group))
        actual = rng.random(len(group)) < rng.beta(0.3, 0.7, 40)[group]
        return assay.rows(actual=actual, score=1.5 * actual + noise / np.sqrt(2), group=group)

    truth = 0.8555778159687236  # of normal scores 1.5 standard deviations apart
    assert covered("auc", draw, truth, 150) >= 0.9
