"""Deviances of the Tweedie family, and what share of a deviance or a loss is explained."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

from assay.errors import NumberError
from assay.metrics import pinball, tweedie_deviance
from assay.sklearn.multioutput import MULTIOUTPUT, one_output, outputs
from assay.sklearn.parameter_checks import ARRAY, OPTIONAL_ARRAY, interval, validated
from assay.sklearn.regression import explained, pinball_of, too_few

if TYPE_CHECKING:
    from assay.sklearn.multioutput import Output

__all__ = [
    "d2_absolute_error_score",
    "d2_pinball_score",
    "d2_tweedie_score",
    "mean_gamma_deviance",
    "mean_poisson_deviance",
    "mean_tweedie_deviance",
]

_POWER = interval(numbers.Real, None, 0, closed="right") + interval(numbers.Real, 1, None, closed="left")


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, power=_POWER)
def mean_tweedie_deviance(y_true: Any, y_pred: Any, *, sample_weight: Any = None, power: float = 0) -> float:
    """Return the mean Tweedie deviance. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    power
        The power of the Tweedie distribution's variance: 0 normal, 1 Poisson, 2 gamma.

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
    >>> round(mean_tweedie_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0], power=1), 12)
    1.42601513196
    """
    return _deviance(one_output("mean_tweedie_deviance", y_true, y_pred, sample_weight), power)


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY)
def mean_poisson_deviance(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the mean Poisson deviance. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.

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
    >>> round(mean_poisson_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0]), 12)
    1.42601513196
    """
    return _deviance(one_output("mean_tweedie_deviance", y_true, y_pred, sample_weight), 1)


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY)
def mean_gamma_deviance(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the mean gamma deviance. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.

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
    >>> round(mean_gamma_deviance([2, 0.5, 1, 4], [0.5, 0.5, 2.0, 2.0]), 12)
    1.05685281944
    """
    return _deviance(one_output("mean_tweedie_deviance", y_true, y_pred, sample_weight), 2)


def _deviance(output: Output, power: float) -> float:
    if power == 0:
        return float(output.errors().mean_squared_error)
    output.check_finite()  # an infinite prediction may well have a finite deviance
    mean = output.mean(tweedie_deviance.loss, power=power)
    if mean.undefined:
        allowed = (
            "strictly positive y_pred" if power < 0
            else "non-negative y and strictly positive y_pred" if power < 2  # noqa: PLR2004 - gamma
            else "strictly positive y and y_pred"
        )  # fmt: skip
        raise NumberError(f"Mean Tweedie deviance error with power={power} can only be used on {allowed}.")
    return float(mean.mean)


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, power=_POWER)
def d2_tweedie_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, power: float = 0) -> float:
    """Return which share of the mean's Tweedie deviance is explained.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    power
        The power of the Tweedie distribution's variance: 0 normal, 1 Poisson, 2 gamma.

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
    >>> round(d2_tweedie_score([0.5, 1, 2.5, 7], [1, 1, 5, 3.5], power=1), 12)
    0.487915134903
    """
    output = one_output("d2_tweedie_score", y_true, y_pred, sample_weight)
    if too_few([output], "D^2"):
        return math.nan
    errors = output.errors()
    if power == 0:
        return float(1 - errors.mean_squared_error / errors.actual_variance)
    lost, mean = _deviance(output, power), float(errors.mean_actual)
    return 1 - lost / float(output.mean(tweedie_deviance.loss, predicted=mean, power=power).mean)


@validated(
    y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=MULTIOUTPUT,
    alpha=interval(numbers.Real, 0, 1, closed="both"),
)  # fmt: skip
def d2_pinball_score(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    alpha: float = 0.5,
    multioutput: Any = "uniform_average",
) -> Any:
    """Return which share of the best constant's pinball loss is explained.

    Same parameters and results as scikit-learn's.

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
    >>> round(d2_pinball_score([1, 2, 3], [1, 2, 3.5], alpha=0.9), 12)
    0.833333333333
    """
    by_output, multioutput = outputs(y_true, y_pred, sample_weight, multioutput)
    if too_few(by_output, "D^2"):
        return math.nan
    lost = [pinball_of(output.errors(), alpha) for output in by_output]
    return explained(lost, [_best_constant(output, alpha) for output in by_output], multioutput)


def _best_constant(output: Output, alpha: float) -> float:
    quantile = output.ordered(output.actual).quantile(alpha)
    return float(output.mean(pinball.loss, predicted=quantile, alpha=float(alpha)).mean)


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, multioutput=MULTIOUTPUT)
def d2_absolute_error_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Return which share of the median's absolute error is explained.

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
    >>> round(d2_absolute_error_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 12)
    0.764705882353
    """
    return d2_pinball_score(y_true, y_pred, sample_weight=sample_weight, multioutput=multioutput)
