"""Regression metrics from exact sums: errors, R², correlations and relative errors.

Each of these is the float nearest to the formula's exact value, whatever the number and order of rows.
The error is actual minus predicted. With weights, n is Kish's (1965) effective number of rows, so that the
unit of the weights does not matter.
"""

from __future__ import annotations

import math
from typing import Any

from assay.errors import MetricError
from assay.formatting.numbers import count_of
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
    """Mean of actual minus predicted; positive where predictions are too low: ``mean(error)``."""
    return e.mean_error


@metric(
    reads=Errors, kind="mean", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("mean_absolute_error", "mean_absolute_deviation"), title="MAE", row_mean=True,
)  # fmt: skip
def mae(e: Errors) -> Any:
    """Mean absolute error: ``mean(abs(error))``."""
    return ratio(e.absolute_error, e.weight)


@metric(
    reads=Errors, kind="mean", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("mean_squared_error",), row_mean=True,
)  # fmt: skip
def mse(e: Errors) -> Any:
    """Mean squared error: ``mean(error²)``."""
    return e.mean_squared_error


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("root_mean_squared_error",),
)  # fmt: skip
def rmse(e: Errors) -> Any:
    """Root mean squared error, in which large errors count more.

    ``sqrt(mean(error²))``
    """
    return root(e.mean_squared_error)


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("standard_deviation_of_errors",),
)  # fmt: skip
def error_deviation(e: Errors) -> Any:
    """Standard deviation of the errors about their mean: ``sqrt(mse - mean_error²)``."""
    return root(e.error_variance)


@metric(
    reads=Errors, kind="moments", bounds=(-math.inf, 1), best=1, undefined=SAME_ACTUAL,
    aliases=("r_squared", "coefficient_of_determination", "rsq_trad", "nash_sutcliffe", "nse"),
)  # fmt: skip
def r2(e: Errors) -> Any:
    """Coefficient of determination, the improvement over predicting the mean: ``1 - mse / variance(actual)``.

    0 is no better than the mean of these very rows, and below 0 is worse.
    """
    return 1 - ratio(e.mean_squared_error, e.actual_variance)


@metric(
    reads=Errors, kind="moments", bounds=(-math.inf, 1), best=1,
    undefined="the actual values are all the same, or there are not more rows than parameters and one",
    aliases=("adjusted_r_squared",), depends_on_n=True,
)  # fmt: skip
def adjusted_r2(e: Errors, *, parameters: int = 1) -> Any:
    """R² corrected for what so many fitted parameters gain by chance.

    ``1 - (1 - r2) (n - 1) / (n - parameters - 1)``
    """
    degrees = _positive(e.n - (parameters + 1))
    return 1 - ratio(e.mean_squared_error, e.actual_variance) * ratio(e.n - 1, degrees)


@metric(reads=Errors, kind="moments", bounds=(-math.inf, 1), best=1, undefined=SAME_ACTUAL)
def explained_variance(e: Errors) -> Any:
    """R² that ignores a constant bias: ``1 - variance(error) / variance(actual)``."""
    return 1 - ratio(e.error_variance, e.actual_variance)


@metric(
    reads=Errors, kind="moments", bounds=(-1, 1), best=1,
    undefined="all actual and predicted values are the same number",
    aliases=("concordance_correlation", "lins_ccc", "concordance_correlation_coefficient"), title="CCC",
)  # fmt: skip
def ccc(e: Errors) -> Any:
    """Lin's concordance correlation: how close the pairs lie to the line of equality.

    ``2 covariance / (variance(actual) + variance(predicted) + mean_error²)``
    """
    return ratio(2 * e.covariance, e.actual_variance + e.predicted_variance + e.mean_error * e.mean_error)


@metric(
    reads=Errors, kind="moments", bounds=(-1, 1), best=1, undefined=SAME_EITHER,
    aliases=("pearson_r", "correlation", "pearson_correlation"), title="Pearson correlation",
)  # fmt: skip
def pearson(e: Errors) -> Any:
    """Pearson correlation: how close the pairs lie to any straight line, rising or (if negative) falling.

    ``covariance / sqrt(variance(actual) variance(predicted))``
    """
    return over_root(e.covariance, e.actual_variance * e.predicted_variance)


@metric(reads=Errors, kind="moments", bounds=(0, 1), best=1, undefined=SAME_EITHER, aliases=("rsq",))
def squared_correlation(e: Errors) -> Any:
    """Squared Pearson correlation, which unlike R² ignores bias and scale.

    ``covariance² / (variance(actual) variance(predicted))``
    """
    return ratio(e.covariance * e.covariance, e.actual_variance * e.predicted_variance)


@metric(
    reads=Errors, kind="moments", bounds=(-1, 1), best=1,
    undefined="the actual or the predicted values are all 0",
)  # fmt: skip
def cosine_similarity(e: Errors) -> Any:
    """Cosine of the angle between the two columns: ``sum(a p) / sqrt(sum(a²) sum(p²))``."""
    doubled = e.squared_actual + e.squared_predicted - e.squared_error
    return over_root(doubled, 4 * (e.squared_actual * e.squared_predicted))


@metric(reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined=SAME_ACTUAL, aliases=("rse",))
def relative_squared_error(e: Errors) -> Any:
    """Squared error relative to that of predicting the mean: ``mse / variance(actual)``."""
    return ratio(e.mean_squared_error, e.actual_variance)


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined=SAME_ACTUAL,
    aliases=("rrse", "rsr", "rmse_over_deviation"),
)  # fmt: skip
def root_relative_squared_error(e: Errors) -> Any:
    """RMSE relative to the standard deviation of the actual values: ``rmse / deviation(actual)``."""
    return root(ratio(e.mean_squared_error, e.actual_variance))


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=math.inf,
    undefined="there are fewer than two rows, or the actual values are all the same and the errors 0",
    aliases=("ratio_of_performance_to_deviation",), title="RPD", depends_on_n=True,
)  # fmt: skip
def rpd(e: Errors) -> Any:
    """Ratio of performance to deviation: standard deviation of the actual values (over n - 1) over the RMSE.

    ``deviation(actual) / rmse``
    """
    variance = e.actual_variance * ratio(e.n, _positive(e.n - 1))
    return root(limit_ratio(variance, e.mean_squared_error))


@metric(
    reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined="the actual values' mean is 0",
    aliases=("cv_rmse", "nrmse_mean", "scatter_index"),
)  # fmt: skip
def rmse_over_mean(e: Errors) -> Any:
    """RMSE relative to the mean of the actual values: ``rmse / abs(mean(actual))``."""
    return root(ratio(e.mean_squared_error, e.mean_actual * e.mean_actual))


@metric(
    reads=Errors, kind="moments", bounds=(0, 1), best=0,
    undefined="the actual and the predicted values are all 0", aliases=("theils_u1", "theil_inequality"),
    title="Theil's U1",
)  # fmt: skip
def theil_u1(e: Errors) -> Any:
    """Theil's (1961) inequality coefficient of forecasts, from 0 to 1.

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
    """Theil's (1966) U of forecasts: the error relative to that of always forecasting 0.

    ``rmse / sqrt(mean(actual²))``

    For forecast *changes* (from the last known value, perhaps relative to it) it is below 1 where they beat
    forecasting no change; that is how forecast::accuracy takes its Theil's U, see
    :func:`relative_changes`. For the levels themselves it means little. DescTools' TheilU with type=2.
    """
    return root(ratio(e.squared_error, e.squared_actual))


@metric(
    reads=Errors, kind="moments", bounds=(-math.inf, 1), best=1,
    undefined="the actual or the predicted values are all the same, or the actual ones' mean is 0",
    aliases=("kge",), title="Kling-Gupta efficiency",
)  # fmt: skip
def kling_gupta(e: Errors) -> Any:
    """Kling-Gupta efficiency: 1 less the distance of correlation, spread and mean from perfect.

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
    """Largest absolute error: ``max(abs(error))``."""
    return e.largest_error


@metric(
    reads=Errors, kind="mean", bounds=(0, math.inf), best=0,
    undefined="scale= is 0 or missing: it comes from the training series (see seasonal_scale)",
    aliases=("mean_absolute_scaled_error",), title="MASE",
)  # fmt: skip
def mase(e: Errors, *, scale: float = math.nan) -> Any:
    """Mean absolute error relative to that of repeating the last season: ``mae / scale``.

    The scale is the mean absolute change from one season to the next in the *training* series
    (:func:`seasonal_scale`); it cannot be computed from the evaluated rows.
    """
    if math.isnan(scale):
        return math.nan
    if not 0 <= scale < math.inf:
        raise MetricError(f"scale={scale!r}: a mean absolute change is finite and not below 0.")
    return ratio(mae.formula(e), Exact.of(float(scale)))


def seasonal_scale(series: Any, season: int = 1) -> float:
    """Return the mean absolute change of a series from one season to the next: the denominator of MASE.

    >>> seasonal_scale([2, 4, 3, 6]), seasonal_scale([2, 4, 3, 6], season=2)
    (2.0, 1.5)
    """
    if season < 1:
        raise MetricError(f"season={season!r}: a season is at least one step long.")
    numbers = [float(number) for number in series]  # unsigned integers would wrap around below 0
    pairs = list(zip(numbers[:-season], numbers[season:], strict=True))
    return math.fsum(abs(later - earlier) for earlier, later in pairs) / len(pairs) if pairs else math.nan


def relative_changes(series: Any, forecasts: Any) -> tuple[list[float], list[float]]:
    """Return the changes of a series from step to step and the forecast ones, relative to the step before.

    Theil's U as forecast::accuracy has it is :func:`theil_u2` of these two columns: the forecasts' errors
    relative to those of repeating the last value. ``forecasts[i]`` is that of ``series[i]``; the first is not
    used.

    >>> relative_changes([100.0, 110.0, 99.0], [100.0, 105.0, 110.0])
    ([0.1, -0.1], [0.05, 0.0])
    """
    actual, predicted = ([float(number) for number in column] for column in (series, forecasts))
    if len(actual) != len(predicted):
        raise MetricError(
            f"the series has {count_of(len(actual), 'value')}, the forecasts have {len(predicted):,}."
        )
    if 0.0 in actual[:-1]:
        raise MetricError("a value of the series is 0, relative to which there is no change.")
    before = actual[:-1]
    return tuple(  # type: ignore[return-value]
        [(number - last) / last for number, last in zip(column[1:], before, strict=True)]
        for column in (actual, predicted)
    )


def absolute_actual(actual: Any) -> Any:
    """Return the absolute value of each row's actual value."""
    return abs(actual)


@metric(
    reads=Scaled, kind="moments", bounds=(0, math.inf), best=0, undefined="the actual values are all 0",
    loss=absolute_actual, aliases=("weighted_absolute_percentage_error", "wmape", "mad_mean_ratio"),
    title="WAPE",
)  # fmt: skip
def wape(s: Scaled) -> Any:
    """Sum of absolute errors relative to the sum of absolute actual values.

    ``sum(abs(error)) / sum(abs(actual))``
    """
    return ratio(mae.formula(s.errors), s.scale)


def _positive(number: Any) -> Any:
    """Return a number above 0, and 0 for any other, over which a ratio is undefined."""
    return number * (1 * (number > 0))
