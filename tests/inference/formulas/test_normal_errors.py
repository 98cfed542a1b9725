"""Intervals of normal errors: the check values, and what is refused."""

import numpy as np
import pytest
from support.r_figures import agrees, check_values

import assay
from assay.inference.formulas.normal_errors import lin_interval, normal_root_interval


def test_lins_interval_is_that_of_o25():
    """The closed form for normal rows."""
    inputs, expected = check_values(25)
    y, p = np.array(inputs["y"]), np.array(inputs["yhat"])
    shift = (y.mean() - p.mean()) ** 2 / (y.std() * p.std())
    error, limits = lin_interval(expected["ccc"], float(np.corrcoef(y, p)[0, 1]), shift, len(y))
    assert error == pytest.approx(expected["lin_ccc_se"], rel=1e-12)
    assert agrees(limits, expected, "lin_ccc")


def test_the_root_of_normal_errors_is_that_of_o25():
    """Chi-square with as many degrees as rows."""
    _, expected = check_values(25)
    assert agrees(normal_root_interval(expected["rmse"], 8), expected, "rmse_chi2")


@pytest.mark.parametrize(("correlation", "n"), [(0.0, 9), (0.5, 2)])
def test_lins_error_is_refused_where_it_has_none(correlation, n):
    """The message says what it needs."""
    with pytest.raises(assay.MetricError, match="other than 0"):
        lin_interval(0.5, correlation, 0.1, n)
