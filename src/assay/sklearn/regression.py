"""Errors of predicted numbers: absolute, squared, relative, logarithmic; and what share is explained."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import NumberError
from assay.metrics import mae, msle, rmse
from assay.metrics.arithmetic import root
from assay.metrics.exact import Exact
from assay.metrics.views.regression import absolute_error
from assay.sklearn.multioutput import MULTIOUTPUT, averaged, one_output, outputs
from assay.sklearn.parameter_checks import (
    ARRAY,
    BOOLEAN,
    NONE,
    OPTIONAL_ARRAY,
    interval,
    text_among,
    validated,
)
from assay.sklearn.undefined_warnings import warn_undefined

if TYPE_CHECKING:
    from assay.inputs.columns import Array
    from assay.metrics.views.regression import Errors
    from assay.sklearn.multioutput import Output

__all__ = [
    "explained_variance_score",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_pinball_loss",
    "mean_squared_error",
    "mean_squared_log_error",
    "median_absolute_error",
    "r2_score",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
]

_EXPLAINED = text_among("raw_values", "uniform_average", "variance_weighted") + ARRAY
_EPSILON = np.finfo(np.float64).eps


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=MULTIOUTPUT)
def mean_absolute_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Return the mean absolute error. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    multioutput
        ``"uniform_average"``, ``"raw_values"`` for a value per output, or a weight for each.

    Returns
    -------
    float or NDArray
        The value, or one per output.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> mean_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    """
    by_output, multioutput = outputs(y_true, y_pred, sample_weight, multioutput)
    return averaged([float(mae.formula(output.errors())) for output in by_output], multioutput)


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=MULTIOUTPUT)
def mean_squared_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Return the mean squared error. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    multioutput
        ``"uniform_average"``, ``"raw_values"`` for a value per output, or a weight for each.

    Returns
    -------
    float or NDArray
        The value, or one per output.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.375
    """
    by_output, multioutput = outputs(y_true, y_pred, sample_weight, multioutput)
    return averaged([float(output.errors().mean_squared_error) for output in by_output], multioutput)


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=MULTIOUTPUT)
def root_mean_squared_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Return the root of the mean squared error. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    multioutput
        ``"uniform_average"``, ``"raw_values"`` for a value per output, or a weight for each.

    Returns
    -------
    float or NDArray
        The value, or one per output.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> root_mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.6123724356957945
    """
    # Weights of outputs are left to the average, as in scikit-learn: here a single output may have one.
    by_output, _ = outputs(y_true, y_pred, sample_weight)
    return averaged([_root_mean_squared_error(output) for output in by_output], multioutput)


def _root_mean_squared_error(output: Output) -> float:
    errors = output.errors()
    if errors.mean_squared_error < 0:  # with weights below 0
        return math.nan
    return float(rmse.formula(errors))


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=MULTIOUTPUT)
def mean_squared_log_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Return the mean squared error of the logarithms. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    multioutput
        ``"uniform_average"``, ``"raw_values"`` for a value per output, or a weight for each.

    Returns
    -------
    float or NDArray
        The value, or one per output.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> round(mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 12)
    0.039730122985
    """
    by_output, multioutput = outputs(y_true, y_pred, sample_weight, multioutput)
    return averaged([_squared_log_error(output, "Mean") for output in by_output], multioutput)


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=MULTIOUTPUT)
def root_mean_squared_log_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Return the root mean squared error of the logarithms. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    multioutput
        ``"uniform_average"``, ``"raw_values"`` for a value per output, or a weight for each.

    Returns
    -------
    float or NDArray
        The value, or one per output.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> round(root_mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 12)
    0.199324165581
    """
    by_output, multioutput = outputs(y_true, y_pred, sample_weight, multioutput)
    return averaged([root(_squared_log_error(output, "Root Mean")) for output in by_output], multioutput)


def _squared_log_error(output: Output, name: str) -> float:
    mean = output.mean(msle.loss)
    if mean.undefined:
        raise NumberError(
            f"{name} Squared Logarithmic Error cannot be used when targets contain values less than or equal "
            "to -1."
        )
    return float(mean.mean)


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=MULTIOUTPUT)
def mean_absolute_percentage_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Return the mean of the absolute error's share in the truth, which is enormous where that is 0.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    multioutput
        ``"uniform_average"``, ``"raw_values"`` for a value per output, or a weight for each.

    Returns
    -------
    float or NDArray
        The value, or one per output.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> round(mean_absolute_percentage_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 12)
    0.327380952381
    """
    by_output, multioutput = outputs(y_true, y_pred, sample_weight, multioutput)
    return averaged([float(output.mean(_relative_error).mean) for output in by_output], multioutput)


def _relative_error(actual: Array, predicted: Array) -> Any:
    return abs(predicted - actual) / np.maximum(abs(actual), _EPSILON)


@validated(
    y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=MULTIOUTPUT,
    alpha=interval(numbers.Real, 0, 1, closed="both"),
)  # fmt: skip
def mean_pinball_loss(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    alpha: float = 0.5,
    multioutput: Any = "uniform_average",
) -> Any:
    """Return what predicting a quantile loses. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    alpha
        The quantile that is predicted.
    multioutput
        ``"uniform_average"``, ``"raw_values"`` for a value per output, or a weight for each.

    Returns
    -------
    float or NDArray
        The value, or one per output.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> mean_pinball_loss([1, 2, 3], [0, 2, 5], alpha=0.25)
    0.5833333333333334
    """
    by_output, multioutput = outputs(y_true, y_pred, sample_weight, multioutput)
    return averaged([pinball_of(output.errors(), alpha) for output in by_output], multioutput)


def pinball_of(errors: Errors, alpha: float) -> float:
    """Return the mean pinball loss, exactly: the sums of errors of either sign follow from two others."""
    tilt = 2 * Exact.of(float(alpha)) - 1
    return float((mae.formula(errors) + tilt * errors.mean_error) / 2)


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=MULTIOUTPUT)
def median_absolute_error(
    y_true: Any, y_pred: Any, *, multioutput: Any = "uniform_average", sample_weight: Any = None
) -> Any:
    """Return the median of the absolute errors. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    multioutput
        ``"uniform_average"``, ``"raw_values"`` for a value per output, or a weight for each.
    sample_weight
        How much each row counts.

    Returns
    -------
    float or NDArray
        The value, or one per output.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> median_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    """
    by_output, multioutput = outputs(y_true, y_pred, sample_weight, multioutput)
    medians = [output.ordered(output.rows(absolute_error)).quantile(0.5) for output in by_output]
    return averaged(medians, multioutput)


@validated(y_true=ARRAY, y_pred=ARRAY)
def max_error(y_true: Any, y_pred: Any) -> float:
    """Return the largest absolute error. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.

    Returns
    -------
    float
        The value.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> max_error([3, 2, 7, 1], [4, 2, 7, 1])
    1.0
    """
    return float(one_output("max_error", y_true, y_pred).errors().largest_error)


@validated(
    y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=_EXPLAINED, force_finite=BOOLEAN
)
def explained_variance_score(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    multioutput: Any = "uniform_average",
    force_finite: bool = True,
) -> Any:
    """Return which share of the variance is explained. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    multioutput
        ``"uniform_average"``, ``"raw_values"`` for a value per output, or a weight for each.
    force_finite
        Whether 1 and 0 stand in place of NaN and minus infinity where the actual values are constant.

    Returns
    -------
    float or NDArray
        The value, or one per output.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> round(explained_variance_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 12)
    0.957173447537
    """
    by_output, multioutput = outputs(y_true, y_pred, sample_weight, multioutput)
    sums = [output.errors() for output in by_output]
    lost = [e.mean_squared_error - e.mean_error * e.mean_error for e in sums]
    return explained(lost, [e.actual_variance for e in sums], multioutput, force_finite=force_finite)


@validated(
    y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=_EXPLAINED + NONE,
    force_finite=BOOLEAN,
)  # fmt: skip
def r2_score(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    multioutput: Any = "uniform_average",
    force_finite: bool = True,
) -> Any:
    """Return how much less is lost than by predicting the mean.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    multioutput
        ``"uniform_average"``, ``"raw_values"`` for a value per output, or a weight for each.
    force_finite
        Whether 1 and 0 stand in place of NaN and minus infinity where the actual values are constant.

    Returns
    -------
    float or NDArray
        The value, or one per output.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> round(r2_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 12)
    0.948608137045
    """
    by_output, multioutput = outputs(y_true, y_pred, sample_weight, multioutput)
    if too_few(by_output, "R^2"):
        return math.nan
    sums = [output.errors() for output in by_output]
    lost = [e.mean_squared_error for e in sums]
    return explained(lost, [e.actual_variance for e in sums], multioutput, force_finite=force_finite)


def too_few(by_output: list[Output], name: str) -> bool:
    """Tell whether there are not two rows, and warn if so."""
    if len(by_output[0]) > 1:
        return False
    for output in by_output:
        output.check_finite()
    warn_undefined(f"{name} score is not well-defined with less than two samples.")
    return True


def explained(lost: list[Any], total: list[Any], multioutput: Any, *, force_finite: bool = True) -> Any:
    """Return 1 less the share that is lost, averaged over outputs.

    Where there is nothing to explain, `force_finite` makes a perfect prediction 1 and any other 0.
    """
    values = [
        _share_left(part, whole, force_finite=force_finite) for part, whole in zip(lost, total, strict=True)
    ]
    weights = None
    if isinstance(multioutput, str) and multioutput == "variance_weighted" and any(total):
        weights = [float(whole) for whole in total]
    return averaged(values, multioutput, weights)


def _share_left(part: Any, whole: Any, *, force_finite: bool) -> float:
    if whole:
        return float(1 - part / whole)
    if force_finite:
        return 0.0 if part else 1.0
    return -math.inf if part > 0 else math.inf if part < 0 else math.nan
