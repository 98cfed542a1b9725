"""Regression: how far the predicted numbers are from the actual ones, from exact sums.

Each of these is the float nearest to the formula's exact value, whatever the rows' number and order.
The error is actual minus predicted. With weights, n is how many rows of equal weight the rows are worth
(Kish 1965), so that the unit of the weights does not matter.
"""

from __future__ import annotations

import math
from typing import Any

from assay.errors import MetricError
from assay.metrics.arithmetic import limit_ratio, over_root, ratio, root, within
from assay.metrics.exact import Exact
from assay.metrics.metric import metric
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.regression import Errors, Scaled

SAME_ACTUAL = "the actual values are all the same"
SAME_EITHER = "the actual or the predicted values are all the same"


@metric(
    reads=Errors, kind="mean", bounds=(-math.inf, math.inf), best=0, undefined=NO_ROWS,
    aliases=("bias", "me", "mean_signed_deviation", "msd"), row_mean=True,
)  # fmt: skip
def mean_error(e: Errors) -> Any:
    """How far predictions are below the truth on average (above it if negative): ``mean(error)``."""
    return e.mean_error


@metric(
    reads=Errors, kind="mean", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("mean_absolute_error", "mean_absolute_deviation"), title="MAE", row_mean=True,
)  # fmt: skip
def mae(e: Errors) -> Any:
    """How far predictions are from the truth on average: ``mean(abs(error))``."""
    return ratio(e.absolute_error, e.weight)


@metric(
    reads=Errors, kind="mean", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("mean_squared_error",), row_mean=True,
)  # fmt: skip
def mse(e: Errors) -> Any:
    """The mean squared distance of predictions from the truth: ``mean(error²)``."""
    return e.mean_squared_error


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("root_mean_squared_error",),
)  # fmt: skip
def rmse(e: Errors) -> Any:
    """The typical distance of predictions from the truth, large errors counting more.

    ``sqrt(mean(error²))``
    """
    return root(e.mean_squared_error)


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("standard_deviation_of_errors",),
)  # fmt: skip
def error_deviation(e: Errors) -> Any:
    """How far errors scatter about their mean, a constant bias left aside: ``sqrt(mse - mean_error²)``."""
    return root(e.error_variance)


@metric(
    reads=Errors, kind="moments", bounds=(-math.inf, 1), best=1, undefined=SAME_ACTUAL,
    aliases=("r_squared", "coefficient_of_determination", "rsq_trad", "nash_sutcliffe", "nse"),
)  # fmt: skip
def r2(e: Errors) -> Any:
    """How much less is lost than by predicting the mean: ``1 - mse / variance(actual)``.

    0 is no better than the mean of these very rows, and below 0 is worse.
    """
    return 1 - ratio(e.mean_squared_error, e.actual_variance)


@metric(
    reads=Errors, kind="moments", bounds=(-math.inf, 1), best=1,
    undefined="the actual values are all the same, or there are not more rows than parameters and one",
    aliases=("adjusted_r_squared",), depends_on_n=True,
)  # fmt: skip
def adjusted_r2(e: Errors, *, parameters: int = 1) -> Any:
    """R² less what so many fitted parameters would have gained by chance.

    ``1 - (1 - r2) (n - 1) / (n - parameters - 1)``
    """
    left = _positive(e.n - (parameters + 1))
    return 1 - ratio(e.mean_squared_error, e.actual_variance) * ratio(e.n - 1, left)


@metric(reads=Errors, kind="moments", bounds=(-math.inf, 1), best=1, undefined=SAME_ACTUAL)
def explained_variance(e: Errors) -> Any:
    """R² as if a constant bias did not count: ``1 - variance(error) / variance(actual)``."""
    return 1 - ratio(e.error_variance, e.actual_variance)


@metric(
    reads=Errors, kind="moments", bounds=(-1, 1), best=1,
    undefined="all actual and predicted values are the same number",
    aliases=("concordance_correlation", "lins_ccc", "concordance_correlation_coefficient"), title="CCC",
)  # fmt: skip
def ccc(e: Errors) -> Any:
    """How close the pairs lie to the line of equality, by Lin's concordance correlation.

    ``2 covariance / (variance(actual) + variance(predicted) + mean_error²)``
    """
    return ratio(2 * e.covariance, e.actual_variance + e.predicted_variance + e.mean_error * e.mean_error)


@metric(
    reads=Errors, kind="moments", bounds=(-1, 1), best=1, undefined=SAME_EITHER,
    aliases=("pearson_r", "correlation", "pearson_correlation"), title="Pearson correlation",
)  # fmt: skip
def pearson(e: Errors) -> Any:
    """How close the pairs lie to any straight line, rising or (if negative) falling.

    ``covariance / sqrt(variance(actual) variance(predicted))``
    """
    return over_root(e.covariance, e.actual_variance * e.predicted_variance)


@metric(reads=Errors, kind="moments", bounds=(0, 1), best=1, undefined=SAME_EITHER, aliases=("rsq",))
def squared_correlation(e: Errors) -> Any:
    """The squared correlation, which no bias or scale lowers, unlike R².

    ``covariance² / (variance(actual) variance(predicted))``
    """
    return ratio(e.covariance * e.covariance, e.actual_variance * e.predicted_variance)


@metric(
    reads=Errors, kind="moments", bounds=(-1, 1), best=1,
    undefined="the actual or the predicted values are all 0",
)  # fmt: skip
def cosine_similarity(e: Errors) -> Any:
    """The cosine of the angle between the two columns: ``sum(a p) / sqrt(sum(a²) sum(p²))``."""
    doubled = e.squared_actual + e.squared_predicted - e.squared_error
    return over_root(doubled, 4 * (e.squared_actual * e.squared_predicted))


@metric(reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined=SAME_ACTUAL, aliases=("rse",))
def relative_squared_error(e: Errors) -> Any:
    """The squared error as a share of that of predicting the mean: ``mse / variance(actual)``."""
    return ratio(e.mean_squared_error, e.actual_variance)


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined=SAME_ACTUAL,
    aliases=("rrse", "rsr", "rmse_over_deviation"),
)  # fmt: skip
def root_relative_squared_error(e: Errors) -> Any:
    """The typical error as a share of the actual values' standard deviation: ``rmse / deviation(actual)``."""
    return root(ratio(e.mean_squared_error, e.actual_variance))


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=math.inf,
    undefined="there are fewer than two rows, or nothing varies and nothing is missed",
    aliases=("ratio_of_performance_to_deviation",), title="RPD", depends_on_n=True,
)  # fmt: skip
def rpd(e: Errors) -> Any:
    """How many typical errors the actual values' standard deviation (over n - 1) holds.

    ``deviation(actual) / rmse``
    """
    variance = e.actual_variance * ratio(e.n, _positive(e.n - 1))
    return root(limit_ratio(variance, e.mean_squared_error))


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined="the actual values' mean is 0",
    aliases=("cv_rmse", "nrmse_mean", "scatter_index"),
)  # fmt: skip
def rmse_over_mean(e: Errors) -> Any:
    """The typical error as a share of the actual values' mean: ``rmse / abs(mean(actual))``."""
    return root(ratio(e.mean_squared_error, e.mean_actual * e.mean_actual))


@metric(
    reads=Errors, kind="moments", bounds=(0, 1), best=0,
    undefined="the actual and the predicted values are all 0", aliases=("theils_u1", "theil_inequality"),
    title="Theil's U1",
)  # fmt: skip
def theil_u1(e: Errors) -> Any:
    """Theil's inequality of forecasts (1961), from 0 to 1.

    ``rmse / (sqrt(mean(actual²)) + sqrt(mean(predicted²)))``

    It is low wherever the values are far from 0, whatever the errors; :func:`theil_u2` mends that where the
    values are changes. DescTools' TheilU with type=1.
    """
    sizes = root(ratio(e.squared_actual, e.weight)) + root(ratio(e.squared_predicted, e.weight))
    return within(ratio(root(e.mean_squared_error), sizes), 0, 1)


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined="the actual values are all 0",
    aliases=("theils_u2", "theil_quality"), title="Theil's U2",
)  # fmt: skip
def theil_u2(e: Errors) -> Any:
    """Theil's U of forecasts (1966): the error by that of always forecasting 0.

    ``rmse / sqrt(mean(actual²))``

    Of forecast *changes* (from the last known value, perhaps relative to it) it is below 1 where they beat
    forecasting no change; that is how forecast::accuracy takes its Theil's U, see
    :func:`relative_changes`. Of the levels themselves it says little. DescTools' TheilU with type=2.
    """
    return root(ratio(e.squared_error, e.squared_actual))


@metric(
    reads=Errors, kind="moments", bounds=(-math.inf, 1), best=1,
    undefined="the actual or the predicted values are all the same, or the actual ones' mean is 0",
    aliases=("kge",), title="Kling-Gupta efficiency",
)  # fmt: skip
def kling_gupta(e: Errors) -> Any:
    """Correlation, spread and mean in one figure: 1 less their distance from perfect.

    ``1 - sqrt((pearson - 1)² + (deviation(p) / deviation(a) - 1)² + (mean(p) / mean(a) - 1)²)``
    """
    correlation = pearson.formula(e)
    spread = root(ratio(e.predicted_variance, e.actual_variance))
    level = ratio(e.mean_predicted, e.mean_actual)
    return 1 - root((correlation - 1) ** 2 + (spread - 1) ** 2 + (level * 1.0 - 1) ** 2)


@metric(
    reads=Errors, kind="extreme", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("maximum_error",),
)  # fmt: skip
def max_error(e: Errors) -> Any:
    """The largest distance of a prediction from the truth: ``max(abs(error))``."""
    return e.largest_error


@metric(
    reads=Errors, kind="mean", bounds=(0, math.inf), best=0,
    undefined="scale= is 0 or was not given: it is the training series' own (see seasonal_scale)",
    aliases=("mean_absolute_scaled_error",), title="MASE",
)  # fmt: skip
def mase(e: Errors, *, scale: float = math.nan) -> Any:
    """The absolute error measured by that of repeating the last season: ``mae / scale``.

    The scale is the mean absolute change from one season to the next in the *training* series
    (:func:`seasonal_scale`); it cannot be had from the rows that are judged.
    """
    if math.isnan(scale):
        return math.nan
    if not 0 <= scale < math.inf:
        raise MetricError(f"scale={scale!r}: the mean size of a change is finite and not below 0.")
    return ratio(mae.formula(e), Exact.of(float(scale)))


def seasonal_scale(series: Any, season: int = 1) -> float:
    """Return the mean absolute change of a series from one season to the next: what MASE divides by.

    >>> seasonal_scale([2, 4, 3, 6]), seasonal_scale([2, 4, 3, 6], season=2)
    (2.0, 1.5)
    """
    if season < 1:
        raise MetricError(f"season={season!r}: a season is at least one step long.")
    numbers = [float(number) for number in series]  # unsigned ones would wrap round below 0
    pairs = list(zip(numbers[:-season], numbers[season:], strict=True))
    return math.fsum(abs(later - earlier) for earlier, later in pairs) / len(pairs) if pairs else math.nan


def relative_changes(series: Any, forecasts: Any) -> tuple[list[float], list[float]]:
    """Return the changes of a series from step to step and the forecast ones, both by the step before.

    Theil's U as forecast::accuracy has it is :func:`theil_u2` of these two columns: the forecasts' errors by
    those of repeating the last value. ``forecasts[i]`` is that of ``series[i]``; the first is not used.

    >>> relative_changes([100.0, 110.0, 99.0], [100.0, 105.0, 110.0])
    ([0.1, -0.1], [0.05, 0.0])
    """
    actual, predicted = ([float(number) for number in column] for column in (series, forecasts))
    if len(actual) != len(predicted):
        raise MetricError(f"the series has {len(actual):,} values, the forecasts have {len(predicted):,}.")
    if 0.0 in actual[:-1]:
        raise MetricError("a value of the series is 0, by which no change can be measured.")
    before = actual[:-1]
    return tuple(  # type: ignore[return-value]
        [(number - last) / last for number, last in zip(column[1:], before, strict=True)]
        for column in (actual, predicted)
    )


def absolute_actual(actual: Any) -> Any:
    """Return the actual value's size of each row."""
    return abs(actual)


@metric(
    reads=Scaled, kind="moments", bounds=(0, math.inf), best=0, undefined="the actual values are all 0",
    loss=absolute_actual, aliases=("weighted_absolute_percentage_error", "wmape", "mad_mean_ratio"),
    title="WAPE",
)  # fmt: skip
def wape(s: Scaled) -> Any:
    """All errors together as a share of all actual values together.

    ``sum(abs(error)) / sum(abs(actual))``
    """
    return ratio(mae.formula(s.errors), s.scale)


def _positive(number: Any) -> Any:
    """Return a number above 0 and 0 for any other, by which nothing can be divided."""
    return number * (1 * (number > 0))
