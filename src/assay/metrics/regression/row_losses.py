"""Regression metrics that are means of one loss per row. The error is actual minus predicted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import MetricError
from assay.metrics.arithmetic import root
from assay.metrics.parameters import number
from assay.metrics.views.row_means import mean_metric

_HUGE = 2.0**1022
_NO_LOGARITHM = "an actual or a predicted value is -1 or less"


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="an actual value is 0, by which it cannot be divided",
    aliases=("mean_absolute_percentage_error",), title="MAPE",
)  # fmt: skip
def mape(actual: Any, predicted: Any) -> Any:
    """Mean absolute error as a share of the actual value: ``mean(abs(error / actual))``.

    A share, not a percentage: 0.2 is 20 percent.
    """
    return abs(_share(actual - predicted, actual))


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="an actual value is 0, by which it cannot be divided",
    kind="moments", then=root, aliases=("root_mean_squared_percentage_error", "rmse_percentage"),
    title="RMSPE",
)  # fmt: skip
def rmspe(actual: Any, predicted: Any) -> Any:
    """Root mean squared error as a share of the actual value.

    ``sqrt(mean((error / actual)²))``, a share and not a percentage.
    """
    share = _share(actual - predicted, actual)
    return share * share


@mean_metric(
    bounds=(-math.inf, math.inf), best=0, undefined="an actual value is 0, by which it cannot be divided",
    aliases=("mean_percentage_error",), title="MPE",
)  # fmt: skip
def mpe(actual: Any, predicted: Any) -> Any:
    """Mean error as a share of the actual value; positive where predictions are too low.

    ``mean(error / actual)``
    """
    return _share(actual - predicted, actual)


@mean_metric(
    bounds=(0, 200), best=0, undefined="a value is not a number",
    aliases=("smape", "smape200", "symmetric_mean_absolute_percentage_error"), title="sMAPE, 0 to 200",
)  # fmt: skip
def smape_200(actual: Any, predicted: Any) -> Any:
    """Absolute error in percent of the mean of absolute actual and predicted value, as in the M4 competition.

    ``mean(200 abs(error) / (abs(actual) + abs(predicted)))``; a row of two zeros has no error.
    """
    return 2 * smape_100.loss(actual, predicted)


@mean_metric(
    bounds=(0, 100), best=0, undefined="a value is not a number", aliases=("smape100",),
    title="sMAPE, 0 to 100",
)  # fmt: skip
def smape_100(actual: Any, predicted: Any) -> Any:
    """Absolute error in percent of the sum of absolute actual and predicted value: half of ``smape_200``.

    ``mean(100 abs(error) / (abs(actual) + abs(predicted)))``; a row of two zeros has no error.
    """
    huge = np.maximum(abs(actual), abs(predicted)) > _HUGE
    first, second = (np.where(huge, x / 2, x) for x in (actual, predicted))  # so that no sum overflows
    size = abs(first) + abs(second)
    return 100 * np.where(size == 0, 0.0, abs(first - second) / np.where(size == 0, 1.0, size))


@mean_metric(
    bounds=(0, math.inf), best=0, undefined=_NO_LOGARITHM, aliases=("mean_squared_log_error",), title="MSLE",
)  # fmt: skip
def msle(actual: Any, predicted: Any) -> Any:
    """Mean squared error of the logarithms of 1 plus the value: ``mean((log(1 + a) - log(1 + p))²)``."""
    ratio = np.log1p(actual) - np.log1p(predicted)  # NaN below -1, and infinite at -1 alone
    return np.where(np.isinf(ratio), np.nan, ratio * ratio)


@mean_metric(
    bounds=(0, math.inf), best=0, undefined=_NO_LOGARITHM, kind="moments", then=root,
    aliases=("root_mean_squared_log_error",), title="RMSLE",
)  # fmt: skip
def rmsle(actual: Any, predicted: Any) -> Any:
    """Root mean squared error of the logarithms, so of ratios: ``sqrt(mean((log(1 + a) - log(1 + p))²))``."""
    return msle.loss(actual, predicted)


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="a value is not a number", aliases=("huber_loss",),
    title="Huber loss",
)  # fmt: skip
def huber(actual: Any, predicted: Any, *, delta: float = 1.0) -> Any:
    """Huber loss: squared error of small errors and absolute error of large ones, so outliers count less.

    ``mean(error² / 2 if abs(error) <= delta else delta (abs(error) - delta / 2))``
    """
    delta = number("delta", delta, above=0)
    size = abs(actual - predicted)
    return np.where(size <= delta, size * size / 2, delta * (size - delta / 2))


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="a value is not a number",
    aliases=("huber_loss_pseudo", "pseudo_huber_loss"), title="pseudo-Huber loss",
)  # fmt: skip
def pseudo_huber(actual: Any, predicted: Any, *, delta: float = 1.0) -> Any:
    """Smooth version of the Huber loss: ``mean(delta² (sqrt(1 + (error / delta)²) - 1))``."""
    error, delta = actual - predicted, number("delta", delta, above=0)
    return error * (error / (np.hypot(1, error / delta) + 1))  # the same without cancellation


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="a value is not a number", aliases=("log_cosh_error",),
    title="log-cosh loss",
)  # fmt: skip
def log_cosh(actual: Any, predicted: Any) -> Any:
    """About half the squared error of small errors and the absolute error of large ones.

    ``mean(log(cosh(error)))``
    """
    size = abs(actual - predicted)
    small = np.log1p(np.sinh(np.minimum(size, 1.0)) ** 2) / 2
    return np.where(size < 1, small, size + np.log1p(np.exp(-2 * size)) - math.log(2))


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="a value is not a number",
    aliases=("mean_pinball_loss", "quantile_loss"), title="pinball loss",
)  # fmt: skip
def pinball(actual: Any, predicted: Any, *, alpha: float = 0.5) -> Any:
    """Loss of a predicted quantile: too low costs alpha, too high costs 1 - alpha.

    ``mean(alpha error if error >= 0 else (alpha - 1) error)``
    """
    if not 0 <= alpha <= 1:
        raise MetricError(f"alpha={alpha!r}: a quantile lies between 0 and 1.")
    error = actual - predicted
    return np.where(error >= 0, alpha * error, (alpha - 1) * error)


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="a standard deviation is negative", title="CRPS, Gaussian",
)  # fmt: skip
def crps_gaussian(actual: Any, predicted: Any, *, deviation: Any = 0.0) -> Any:
    """Continuous ranked probability score of a predicted normal distribution.

    ``mean(deviation (z (2 cdf(z) - 1) + 2 pdf(z) - 1 / sqrt(pi)))`` with ``z = error / deviation``

    A standard deviation of 0 is a certain prediction, whose score is its absolute error. A tally takes
    one standard deviation for all rows. Where each row has its own, compute the rows' losses
    first: ``Losses.of_values(crps_gaussian.loss(actual, mean, deviation=deviations))``.
    """
    from scipy.special import ndtr  # noqa: PLC0415 - loaded only where needed

    error, deviation = np.broadcast_arrays(np.subtract(actual, predicted), np.asarray(deviation, dtype=float))
    z = error / np.where(deviation > 0, deviation, 1.0)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    spread = deviation * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / math.sqrt(math.pi))
    return np.where(deviation > 0, spread, np.where(deviation == 0, abs(error), np.nan))


def crps_ensemble(actual: Any, members: Any, *, fair: bool = False) -> Any:
    """Return the continuous ranked probability score of each row's ensemble, its members side by side.

    It is the members' mean distance from the truth less half their mean distance from each other; a fair
    score leaves each member's distance from itself out of the mean.

    >>> crps_ensemble([1.3], [[0.2, 0.9, 1.1, 1.6, 2.4]]).round(15)
    array([0.212])
    """
    ordered = np.sort(np.asarray(members, dtype=float), axis=-1)
    size = ordered.shape[-1]
    distance = abs(np.asarray(actual, dtype=float)[..., None] - ordered).mean(-1)
    # The i-th smallest is the larger one in i of its pairs and the smaller one in the others.
    pairs = ((2 * np.arange(size) - size + 1) * ordered).sum(-1)
    return distance - pairs / (size * (size - 1 if fair else size))


def _share(part: Any, whole: Any) -> Any:
    return np.where(whole == 0, np.nan, part / np.where(whole == 0, 1.0, whole))
