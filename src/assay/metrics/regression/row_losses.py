"""Regression: means of one loss per row. The error is actual minus predicted."""

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
    bounds=(0, math.inf), best=0, undefined="an actual value is 0, by which nothing can be divided",
    aliases=("mean_absolute_percentage_error",), title="MAPE",
)  # fmt: skip
def mape(actual: Any, predicted: Any) -> Any:
    """How far predictions are off as a share of the truth, on average: ``mean(abs(error / actual))``.

    A share, not a percentage: 0.2 is 20 percent.
    """
    return abs(_share(actual - predicted, actual))


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="an actual value is 0, by which nothing can be divided",
    kind="moments", then=root, aliases=("root_mean_squared_percentage_error", "rmse_percentage"),
    title="RMSPE",
)  # fmt: skip
def rmspe(actual: Any, predicted: Any) -> Any:
    """The typical error as a share of the truth, large shares counting more.

    ``sqrt(mean((error / actual)²))``, a share and not a percentage.
    """
    share = _share(actual - predicted, actual)
    return share * share


@mean_metric(
    bounds=(-math.inf, math.inf), best=0, undefined="an actual value is 0, by which nothing can be divided",
    aliases=("mean_percentage_error",), title="MPE",
)  # fmt: skip
def mpe(actual: Any, predicted: Any) -> Any:
    """How far predictions are below the truth as a share of it, on average: ``mean(error / actual)``."""
    return _share(actual - predicted, actual)


@mean_metric(
    bounds=(0, 200), best=0, undefined="a value is not a number",
    aliases=("smape", "smape200", "symmetric_mean_absolute_percentage_error"), title="sMAPE, 0 to 200",
)  # fmt: skip
def smape_200(actual: Any, predicted: Any) -> Any:
    """The error in percent of the mean size of truth and prediction, as in the M4 competition.

    ``mean(200 abs(error) / (abs(actual) + abs(predicted)))``, a row of two zeros having no error.
    """
    return 2 * smape_100.loss(actual, predicted)


@mean_metric(
    bounds=(0, 100), best=0, undefined="a value is not a number", aliases=("smape100",),
    title="sMAPE, 0 to 100",
)  # fmt: skip
def smape_100(actual: Any, predicted: Any) -> Any:
    """The error in percent of the summed size of truth and prediction: half of ``smape_200``.

    ``mean(100 abs(error) / (abs(actual) + abs(predicted)))``, a row of two zeros having no error.
    """
    huge = np.maximum(abs(actual), abs(predicted)) > _HUGE
    first, second = (np.where(huge, one / 2, one) for one in (actual, predicted))  # so that no sum runs over
    size = abs(first) + abs(second)
    return 100 * np.where(size == 0, 0.0, abs(first - second) / np.where(size == 0, 1.0, size))


@mean_metric(
    bounds=(0, math.inf), best=0, undefined=_NO_LOGARITHM, aliases=("mean_squared_log_error",), title="MSLE",
)  # fmt: skip
def msle(actual: Any, predicted: Any) -> Any:
    """The mean squared error of the logarithms, of 1 and the value: ``mean((log(1 + a) - log(1 + p))²)``."""
    ratio = np.log1p(actual) - np.log1p(predicted)  # NaN below -1, and infinite at -1 alone
    return np.where(np.isinf(ratio), np.nan, ratio * ratio)


@mean_metric(
    bounds=(0, math.inf), best=0, undefined=_NO_LOGARITHM, kind="moments", then=root,
    aliases=("root_mean_squared_log_error",), title="RMSLE",
)  # fmt: skip
def rmsle(actual: Any, predicted: Any) -> Any:
    """The typical error of the logarithms, so of the ratio: ``sqrt(mean((log(1 + a) - log(1 + p))²))``."""
    return msle.loss(actual, predicted)


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="a value is not a number", aliases=("huber_loss",),
    title="Huber loss",
)  # fmt: skip
def huber(actual: Any, predicted: Any, *, delta: float = 1.0) -> Any:
    """The squared error of small errors and the absolute of large ones, so outliers count less.

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
    """Huber's loss without its kink: ``mean(delta² (sqrt(1 + (error / delta)²) - 1))``."""
    error, delta = actual - predicted, number("delta", delta, above=0)
    return error * (error / (np.hypot(1, error / delta) + 1))  # the same, with no difference of like numbers


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="a value is not a number", aliases=("log_cosh_error",),
    title="log-cosh loss",
)  # fmt: skip
def log_cosh(actual: Any, predicted: Any) -> Any:
    """About half the squared error of small errors and the absolute of large: ``mean(log(cosh(error)))``."""
    size = abs(actual - predicted)
    small = np.log1p(np.sinh(np.minimum(size, 1.0)) ** 2) / 2
    return np.where(size < 1, small, size + np.log1p(np.exp(-2 * size)) - math.log(2))


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="a value is not a number",
    aliases=("mean_pinball_loss", "quantile_loss"), title="pinball loss",
)  # fmt: skip
def pinball(actual: Any, predicted: Any, *, alpha: float = 0.5) -> Any:
    """What predicting a quantile loses; too low costs alpha, too high costs 1 - alpha.

    ``mean(alpha error if error >= 0 else (alpha - 1) error)``
    """
    if not 0 <= alpha <= 1:
        raise MetricError(f"alpha={alpha!r}: the quantile that was predicted lies between 0 and 1.")
    error = actual - predicted
    return np.where(error >= 0, alpha * error, (alpha - 1) * error)


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="a standard deviation is negative", title="CRPS, Gaussian",
)  # fmt: skip
def crps_gaussian(actual: Any, predicted: Any, *, deviation: Any = 0.0) -> Any:
    """How far a predicted normal distribution is from the truth: the continuous ranked probability score.

    ``mean(deviation (z (2 cdf(z) - 1) + 2 pdf(z) - 1 / sqrt(pi)))`` with ``z = error / deviation``

    A standard deviation of 0 is a prediction without doubt, whose score is its absolute error. A tally takes
    one standard deviation for all rows. Where each row has its own, take the losses of the
    rows first: ``Losses.of_values(crps_gaussian.loss(actual, mean, deviation=deviations))``.
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
