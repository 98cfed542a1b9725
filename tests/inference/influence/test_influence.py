"""Standard errors of metrics that depend on the number of rows: that number stays, only weights move."""

import math

import numpy as np
import pytest
from support.numeric_influence import nudged

import assay
from assay.inference.influence.influence import influence
from assay.metrics import find

ALPHA = find("krippendorff_alpha")
EXPECTED_PRECISION = find("tie_expected_average_precision")


def labels(seed, n=60, size=3):
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, size, n)
    return actual, np.where(rng.random(n) < 0.7, actual, rng.integers(0, size, n))


def scores(seed, n=60, levels=6):
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, 2, n)
    return actual, np.round(actual * 0.7 + rng.normal(size=n), 1 if levels is None else 0)


def jackknife_error(metric, columns):
    """The standard error by leaving out one row after the other."""
    n = len(columns["actual"])
    left = [
        metric(assay.rows(**{name: np.delete(one, row) for name, one in columns.items()})) for row in range(n)
    ]
    return math.sqrt((n - 1) / n * np.sum((np.array(left) - np.mean(left)) ** 2))


@pytest.mark.parametrize("size", [2, 3, 12])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_alpha_moves_with_each_rows_weight(size, seed):
    """By numeric differences; its slopes add up to nothing, of rows and of cells, of few classes and of many."""
    actual, predicted = labels(seed, size=size)
    found = influence(ALPHA, assay.rows(actual=actual, predicted=predicted))
    expected = nudged(
        lambda weight: ALPHA(assay.rows(actual=actual, predicted=predicted, weight=weight)), np.ones(60)
    )
    np.testing.assert_allclose(found.slopes, expected, rtol=0, atol=3e-9)
    assert abs(found.parts.sum()) < 1e-14
    cells = influence(ALPHA, assay.Confusion.of(assay.rows(actual=actual, predicted=predicted)))
    assert abs(cells.parts.sum()) < 1e-14
    assert cells.standard_error == pytest.approx(found.standard_error, rel=1e-12)


def test_the_error_of_alpha_is_that_of_scotts_pi_but_for_its_correction():
    """Alpha is pi + (1 - pi) / (2n), so that its error is pi's times 1 - 1/(2n)."""
    actual, predicted = labels(4)
    rows = assay.rows(actual=actual, predicted=predicted)
    errors = [influence(find(name), rows).standard_error for name in ("krippendorff_alpha", "scott_pi")]
    assert errors[0] == pytest.approx(errors[1] * (1 - 1 / 120), rel=1e-12)


@pytest.mark.parametrize("factor", [0.04, 2.0, 1e6])
def test_the_error_of_alpha_has_no_unit_of_weights(factor):
    """Rows with weights, and the same times a constant."""
    actual, predicted = labels(5)
    weight = np.random.default_rng(5).lognormal(size=60)
    found = [
        influence(ALPHA, assay.rows(actual=actual, predicted=predicted, weight=one)).standard_error
        for one in (weight, weight * factor)
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-12)


@pytest.mark.parametrize("levels", [None, 6])
def test_expected_precision_moves_with_each_rows_weight(levels):
    """Ties of few rows and of many; the slopes add up to nothing."""
    actual, score = scores(6, levels=levels)
    weight = np.random.default_rng(6).lognormal(size=60)
    found = influence(EXPECTED_PRECISION, assay.rows(actual=actual, score=score, weight=weight))
    expected = nudged(
        lambda moved: EXPECTED_PRECISION(assay.rows(actual=actual, score=score, weight=moved)), weight
    )
    np.testing.assert_allclose(found.slopes, expected, rtol=0, atol=3e-9)
    assert abs(found.parts.sum()) < 1e-14


@pytest.mark.parametrize("seed", [7, 8, 9])
def test_both_errors_are_near_the_jackknifes(seed):
    """Of 400 rows within two in a hundred, which is what leaving out a row differs by."""
    actual, predicted = labels(seed, n=400)
    columns = {"actual": actual, "predicted": predicted}
    error = influence(ALPHA, assay.rows(**columns)).standard_error
    assert error == pytest.approx(jackknife_error(ALPHA, columns), rel=0.02)
    actual, score = scores(seed, n=400)
    columns = {"actual": actual, "score": score}
    error = influence(EXPECTED_PRECISION, assay.rows(**columns)).standard_error
    assert error == pytest.approx(jackknife_error(EXPECTED_PRECISION, columns), rel=0.02)
