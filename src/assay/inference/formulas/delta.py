"""Variance, skewness and intervals of a smooth metric from its slopes by the cells of a table.

All metrics of a table keep their value when every count is doubled, so the slopes weighted by the counts
add up to 0 (Euler), and the multinomial delta variance is the plain sum of count times squared slope. It is
also the infinitesimal jackknife's: a cell's slope is what one row more in it would do.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.distributions import expit, student_quantile
from assay.inference.formulas.proportions import Interval, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = [
    "SCALES",
    "DeltaScale",
    "acceleration",
    "cluster_variance",
    "delta_interval",
    "design_effect",
    "effective_counts",
    "group_sums",
    "kish",
    "scale_of",
    "stratified_variance",
    "variance",
]


def variance(gradient: Any, counts: Any) -> float:
    """Return the sum of count times squared slope.

    With weights, `counts` are the cells' sums of squared weights and the slopes are taken at their sums of
    weights: the sandwich, which no common factor of the weights changes (Jaeckel 1972).

    >>> variance([0.0625, -0.1875], [3, 1])  # of 3 in 4: 0.75 * 0.25 / 4
    0.046875
    """
    slopes, sizes = _flat(gradient, counts)
    return float(sizes @ np.square(slopes))


def stratified_variance(gradient: Any, table: Any) -> float:
    """Return the delta variance where the design fixed how many rows each class (each row) has.

    Davison and Hinkley 1997, for stratified samples.

    Parameters
    ----------
    gradient
        The slope of the metric in the count of each cell.
    table
        The counts of the cells, a row per class.

    Returns
    -------
    float
        The variance.

    Examples
    --------
    >>> stratified_variance([[0.0, 0.0], [-0.1875, 0.0625]], [[8, 2], [1, 3]])
    0.046875
    """
    slopes, sizes = np.asarray(gradient, dtype=np.float64), np.asarray(table, dtype=np.float64)
    totals = sizes.sum(-1)
    means = (sizes * slopes).sum(-1)
    within = (sizes * np.square(slopes)).sum(-1)
    return float((within - np.divide(means**2, totals, out=np.zeros_like(means), where=totals > 0)).sum())


def acceleration(gradient: Any, squares: Any, cubes: Any = None) -> float:
    """Return the skewness that the BCa interval corrects for, by the infinitesimal jackknife (Efron 1987).

    `squares` and `cubes` are the cells' sums of squared and cubed weights; without weights both are the
    counts. NaN where there is no spread.

    >>> round(acceleration([0.0625, -0.1875], [3, 1]), 6)
    -0.096225
    """
    slopes, second = _flat(gradient, squares)
    third = second if cubes is None else _flat(gradient, cubes)[1]
    size = float(np.abs(slopes).max(initial=0.0))
    if not 0 < size < math.inf:
        return math.nan
    slopes = slopes / size  # the skewness has no unit, and powers of small slopes underflow
    squared = np.square(slopes)  # products are faster than a third power
    return float(third @ (squared * slopes) / (6 * (second @ squared) ** 1.5))


def group_sums(gradient: Any, tables: Any) -> NDArray[np.float64]:
    """Return the sum of influences of each group's rows, from one table per group.

    Liang and Zeger 1986.

    >>> group_sums([0.0625, -0.1875], [[2, 1], [1, 0]])
    array([-0.0625,  0.0625])
    """
    slopes, stack = np.asarray(gradient, dtype=np.float64), np.asarray(tables, dtype=np.float64)
    return stack.reshape(len(stack), -1) @ slopes.reshape(-1)


def cluster_variance(sums: Any, *, corrected: bool = True) -> float:
    """Return the variance of clustered rows: the sum of squares of the groups' sums of influence.

    Liang and Zeger 1986; times G / (G - 1) for G groups unless `corrected` is False. NaN for one group,
    which shows no spread.

    Parameters
    ----------
    sums
        The sum of the influences of each group's rows.
    corrected
        Whether to multiply by G / (G - 1).

    Returns
    -------
    float
        The variance.

    Examples
    --------
    >>> cluster_variance([0.25, -0.125, -0.125])
    0.140625
    """
    totals = np.asarray(sums, dtype=np.float64)
    groups = len(totals)
    if groups < 2:  # noqa: PLR2004
        return math.nan
    return float(totals @ totals) * (groups / (groups - 1) if corrected else 1.0)


def design_effect(clustered: float, independent: float) -> float:
    """Return how many times larger a variance is than that of as many independent rows (Kish 1965).

    Parameters
    ----------
    clustered, independent
        The variance of the clustered rows, and that of as many independent ones.

    Returns
    -------
    float
        The ratio of the two variances.

    Examples
    --------
    >>> design_effect(0.025, 0.02)
    1.25
    """
    return clustered / independent if independent > 0 else math.nan


def kish(weight: float, squared_weight: float) -> float:
    """Return Kish's effective sample size of weighted rows, (sum w)² / sum w² (Kish 1965).

    Parameters
    ----------
    weight, squared_weight
        The sum of the weights, and that of their squares.

    Returns
    -------
    float
        The effective number of rows.

    Examples
    --------
    >>> kish(1 + 1 + 2, 1 + 1 + 4)
    2.6666666666666665
    """
    return weight * weight / squared_weight if squared_weight else 0.0


def effective_counts(share: float, spread: float, fallback: float) -> tuple[float, float]:
    """Return the effective x and n of a share of weighted or clustered rows (Korn and Graubard 1998).

    The n is the one that would give the same variance; `fallback` (Kish's) where the share is 0 or 1.

    Parameters
    ----------
    share, spread
        The share and its variance.
    fallback
        The number of rows where the share is 0 or 1.

    Returns
    -------
    tuple[float, float]
        How many hits of how many rows the share is worth.

    Examples
    --------
    >>> effective_counts(0.75, 0.015, fallback=20)
    (9.375, 12.5)
    """
    n = share * (1 - share) / spread if spread > 0 and 0 < share < 1 else fallback
    return share * n, n


@dataclasses.dataclass(frozen=True, slots=True)
class DeltaScale:
    """A transformation on whose scale an interval is symmetric, its inverse and its derivative."""

    name: str
    forward: Callable[[float], float]
    inverse: Callable[[float], float]
    slope: Callable[[float], float]


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


SCALES = {
    "logit": DeltaScale("logit", lambda v: math.log(v / (1 - v)), expit, lambda v: 1 / (v * (1 - v))),
    "atanh": DeltaScale("atanh", math.atanh, math.tanh, lambda v: 1 / (1 - v * v)),
    "log": DeltaScale("log", math.log, _exp, lambda v: 1 / v),
    "identity": DeltaScale("identity", float, float, lambda _: 1.0),
}


def scale_of(bounds: tuple[float, float]) -> DeltaScale:
    """Return the scale for a metric's bounds: logit for [0, 1], atanh for [-1, 1], log for what is positive.

    Other bounds are mapped to one of these: a value with an upper bound alone on the log of its
    distance from it.

    >>> scale_of((-1, 1)).name, scale_of((0, float("inf"))).name
    ('atanh', 'log')
    """
    standard: dict[tuple[float, float], str] = {(0, 1): "logit", (-1, 1): "atanh", (0, math.inf): "log"}
    if bounds in standard:
        return SCALES[standard[bounds]]
    lower, upper = bounds
    if math.isinf(lower) and math.isinf(upper):
        return SCALES["identity"]
    if math.isinf(upper):
        return _moved(SCALES["log"], lower, 1.0)
    if math.isinf(lower):  # the logarithm of the distance from the upper bound
        return _moved(SCALES["log"], upper, -1.0)
    return _moved(SCALES["logit"], lower, upper - lower)


def _moved(scale: DeltaScale, start: float, unit: float) -> DeltaScale:
    """Return a scale for numbers with another origin, unit or direction."""
    return DeltaScale(
        scale.name,
        lambda v: scale.forward((v - start) / unit),
        lambda x: start + unit * scale.inverse(x),
        lambda v: scale.slope((v - start) / unit) / unit,
    )


def delta_interval(
    value: float,
    error: float,
    bounds: tuple[float, float],
    *,
    confidence: float = 0.95,
    df: float | None = None,
    scale: str | None = None,
) -> Interval | None:
    """Return the interval of a value from its standard error, made on the scale that suits its bounds.

    With `df`, Student's quantile (few groups). None where there is no spread, or the value lies on a
    bound: the method does not apply there.

    Parameters
    ----------
    value, error
        The estimate and its standard error.
    bounds
        The least and the largest value that are possible.
    confidence
        The confidence level of the interval.
    df
        Degrees of freedom of the standard error: without, the quantile is the normal one.
    scale
        The scale on which the interval is made: by default the one that suits the bounds.

    Returns
    -------
    tuple[float, float] or None
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> low, high = delta_interval(0.735347, 0.059029, (-1, 1))
    >>> round(low, 4), round(high, 4)
    (0.5969, 0.8313)
    """
    lower, upper = bounds
    if not (error > 0 and math.isfinite(error) and lower < value < upper):
        return None
    transform = scale_of(bounds) if scale is None else SCALES[scale]
    z = normal_quantile(confidence) if df is None else student_quantile(confidence, df)
    centre, half_width = transform.forward(value), z * error * abs(transform.slope(value))
    low, high = sorted((transform.inverse(centre - half_width), transform.inverse(centre + half_width)))
    return max(lower, low), min(upper, high)


def _flat(gradient: Any, counts: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slopes and counts of the cells that hold rows."""
    slopes = np.asarray(gradient, dtype=np.float64).reshape(-1)
    sizes = np.asarray(counts).astype(np.float64).reshape(-1)
    filled = sizes != 0
    return slopes[filled], sizes[filled]
