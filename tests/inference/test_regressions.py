"""Influence errors of regression metrics: the check values, numeric slopes, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inference.figures import agrees, check_values

import assay
from assay.inference.regressions import (
    ccc_influence,
    explained_variance_influence,
    lin_interval,
    r2_influence,
    rmse_influence,
)

INFLUENCES = {
    "rmse": rmse_influence,
    "r2": r2_influence,
    "ev": explained_variance_influence,
    "ccc": ccc_influence,
}
columns = st.lists(
    st.tuples(st.integers(-20, 20), st.integers(-20, 20), st.integers(1, 5)), min_size=3, max_size=15
)


def o25():
    inputs, expected = check_values(25)
    return np.array(inputs["y"]), np.array(inputs["yhat"]), expected


def test_influence_errors_are_those_of_o25():
    """RMSE, R², explained variance and concordance, value and error."""
    y, p, expected = o25()
    for name, influence in INFLUENCES.items():
        found = influence(y, p)
        assert found.value == pytest.approx(expected[name], rel=1e-12)
        assert found.standard_error == pytest.approx(expected[f"if_se_{name}"], rel=1e-12)


def test_lins_interval_is_that_of_o25():
    """The closed form for normal rows."""
    y, p, expected = o25()
    shift = (y.mean() - p.mean()) ** 2 / (y.std() * p.std())
    error, limits = lin_interval(expected["ccc"], float(np.corrcoef(y, p)[0, 1]), shift, len(y))
    assert error == pytest.approx(expected["lin_ccc_se"], rel=1e-12)
    assert agrees(limits, expected, "lin_ccc")


@pytest.mark.parametrize("name", INFLUENCES)
@settings(deadline=None)
@given(columns)
def test_influence_is_the_slope_by_weight(name, rows):
    """By numeric differences; its weighted mean is 0, and the weights have no unit."""
    y, p, w = (np.array(column, float) for column in zip(*rows, strict=True))
    if len(set(y)) < 2 or (y == p).all():
        return
    found = INFLUENCES[name](y, p, w)
    scale = max(1.0, float(np.abs(found.rows).max()))
    assert float(w @ found.rows) == pytest.approx(0, abs=1e-9 * scale)
    again = INFLUENCES[name](y, p, 4 * w)
    assert again.standard_error == pytest.approx(found.standard_error, rel=1e-9)
    for row in range(len(y)):
        shifted = []
        for step in (-1e-5, 1e-5):
            moved = w.copy()
            moved[row] += step
            shifted.append(INFLUENCES[name](y, p, moved).value)
        slope = (shifted[1] - shifted[0]) / 2e-5 * w.sum()
        assert found.rows[row] == pytest.approx(slope, rel=1e-4, abs=1e-4 * scale)


@settings(deadline=None)
@given(columns)
def test_equal_weights_are_none_and_copies_halve_the_variance(rows):
    """Rows twice: the error over the root of two."""
    y, p, _ = (np.array(column, float) for column in zip(*rows, strict=True))
    if len(set(y)) < 2:
        return
    once, twice = (r2_influence(np.tile(y, k), np.tile(p, k)).standard_error for k in (1, 2))
    # Where the influences cancel the error is 0, and what is left is the rounding of terms as large as R².
    noise = 1e-14 * (1 + abs(p - y).max() ** 2 * len(y))
    assert twice == pytest.approx(once / math.sqrt(2), rel=1e-9, abs=noise)
    weighted = r2_influence(y, p, np.full(len(y), 3.0)).standard_error
    assert weighted == pytest.approx(once, rel=1e-9, abs=noise)


def test_perfect_predictions_have_no_error():
    """RMSE 0, R² 1, without a division by nothing."""
    y = [1.0, 2.0, 4.0]
    assert rmse_influence(y, y).standard_error == 0
    assert (r2_influence(y, y).value, r2_influence(y, y).standard_error) == (1, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: r2_influence([2.0, 2.0], [1.0, 3.0]), "are constant"),
        (lambda: ccc_influence([2.0, 2.0], [2.0, 2.0]), "all rows are alike"),
        (lambda: rmse_influence([1.0], [1.0, 2.0]), "same length"),
        (lambda: rmse_influence([], []), "not empty"),
        (lambda: lin_interval(0.5, 0.0, 0.1, 9), "other than 0"),
    ],
)
def test_nonsense_is_refused(call, message):
    """The message says what is wrong."""
    with pytest.raises(assay.MetricError, match=message):
        call()
