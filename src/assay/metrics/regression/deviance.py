"""Deviances, and the share of them that predictions explain: D², which is R² for other losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import MetricError
from assay.metrics.arithmetic import ratio
from assay.metrics.metric import metric
from assay.metrics.regression.row_losses import pinball
from assay.metrics.views.regression import Explained, absolute_error
from assay.metrics.views.row_means import mean_metric

_UNEXPLAINED = "the actual values are all the same, or a row has no loss"


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="a value is outside of what this power allows",
    aliases=("mean_tweedie_deviance",), title="Tweedie deviance",
)  # fmt: skip
def tweedie_deviance(actual: Any, predicted: Any, *, power: float = 0.0) -> Any:
    """Mean deviance of a Tweedie distribution, whose variance is a power of its mean.

    ``mean(2 (max(a, 0)^(2-p) / ((1-p) (2-p)) - a mu^(1-p) / (1-p) + mu^(2-p) / (2-p)))``, mu being predicted

    Power 0 is the squared error, 1 is Poisson, 2 is gamma, 3 is inverse Gaussian; there is none between
    0 and 1. Predictions must be positive except for power 0; actual values not negative from 1 on,
    and positive from 2 on.
    """
    if 0 < power < 1 or math.isnan(power):
        raise MetricError(f"power={power!r}: there is no Tweedie distribution of a power between 0 and 1.")
    if power == 0:
        return (actual - predicted) ** 2
    allowed = predicted > 0
    if power >= 1:
        allowed = allowed & (actual >= 0 if power < 2 else actual > 0)  # noqa: PLR2004 - gamma
    if not allowed.all():
        actual, predicted = np.where(allowed, actual, np.nan), np.where(allowed, predicted, np.nan)
    if power == 1:
        deviance = actual * _log_ratio(np.where(actual == 0, 1.0, actual), predicted) - actual + predicted
    elif power == 2:  # noqa: PLR2004 - gamma
        deviance = actual / predicted - _log_ratio(actual, predicted) - 1
    else:
        first, second = 1 - power, 2 - power
        above = np.maximum(actual, 0) if power < 0 else actual
        deviance = (
            above**second / (first * second) - actual * predicted**first / first + predicted**second / second
        )
    # A deviance is not negative; what rounding leaves of a perfect prediction may be.
    return np.maximum(2 * deviance, 0)


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="an actual value is negative, or a predicted one is not positive",
    aliases=("mean_poisson_deviance",), title="Poisson deviance",
)  # fmt: skip
def poisson_deviance(actual: Any, predicted: Any) -> Any:
    """The mean deviance of counts: ``mean(2 (actual log(actual / predicted) - actual + predicted))``."""
    return tweedie_deviance.loss(actual, predicted, power=1)


@mean_metric(
    bounds=(0, math.inf), best=0, undefined="an actual or a predicted value is not positive",
    aliases=("mean_gamma_deviance",),
)  # fmt: skip
def gamma_deviance(actual: Any, predicted: Any) -> Any:
    """Mean deviance of positive values whose errors are proportional to them; it has no unit.

    ``mean(2 (log(predicted / actual) + actual / predicted - 1))``
    """
    return tweedie_deviance.loss(actual, predicted, power=2)


@mean_metric(
    bounds=(0, math.inf), best=None, undefined="an actual value is no count, or a predicted one is negative",
    title="Poisson log loss",
)  # fmt: skip
def poisson_log_loss(actual: Any, predicted: Any) -> Any:
    """Mean negative log-likelihood of the counts under Poisson distributions of the predicted means.

    ``mean(predicted - actual log(predicted) + log(actual!))``
    """
    from scipy.special import gammaln, xlogy  # noqa: PLC0415 - loaded only where needed

    allowed = (predicted >= 0) & (actual >= 0) & (np.floor(actual) == actual)
    counts = np.where(allowed, actual, 0.0)
    loss = predicted - xlogy(counts, predicted) + gammaln(counts + 1)
    return np.where(allowed, np.maximum(loss, 0), np.nan)


@metric(
    reads=Explained, kind="moments", bounds=(-math.inf, 1), best=1, undefined=_UNEXPLAINED,
    loss=tweedie_deviance.loss, aliases=("d2_tweedie_score",), title="D², Tweedie",
)  # fmt: skip
def d2_tweedie(x: Explained) -> Any:
    """Share of the Tweedie deviance explained, relative to predicting the mean.

    ``1 - deviance / deviance of the mean``
    """
    return 1 - ratio(x.mean, x.lost_by(x.mean_actual, tweedie_deviance.loss))


@metric(
    reads=Explained, kind="moments", bounds=(-math.inf, 1), best=1, undefined=_UNEXPLAINED, loss=pinball.loss,
    aliases=("d2_pinball_score",), title="D², pinball",
)  # fmt: skip
def d2_pinball(x: Explained) -> Any:
    """Share of the pinball loss explained, relative to predicting the best constant, a quantile.

    ``1 - pinball / pinball of the quantile``
    """
    return 1 - ratio(x.mean, x.lost_by(x.actual.quantile(x.parameters.get("alpha", 0.5)), pinball.loss))


@metric(
    reads=Explained, kind="moments", bounds=(-math.inf, 1), best=1, undefined=_UNEXPLAINED,
    loss=absolute_error, aliases=("d2_absolute_error_score",), title="D², absolute error",
)  # fmt: skip
def d2_absolute_error(x: Explained) -> Any:
    """Share of the absolute error explained, relative to predicting the median.

    ``1 - mae / mae of the median``
    """
    return 1 - ratio(x.mean, x.lost_by(x.actual.quantile(0.5), absolute_error))


def _log_ratio(first: Any, second: Any) -> Any:
    """Return the logarithm of a quotient, also where the quotient overflows or underflows."""
    quotient = first / second
    in_range = (quotient > 0) & np.isfinite(quotient)
    return np.where(in_range, np.log(quotient), np.log(first) - np.log(second))
