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
    slopes = slopes / size  # it has no unit, and powers of small slopes have no floats
    squared = np.square(slopes)  # a third power is a slow function, and products are not
    return float(third @ (squared * slopes) / (6 * (second @ squared) ** 1.5))


def group_sums(gradient: Any, tables: Any) -> NDArray[np.float64]:
    """Return what each group's rows bring to the metric together, from one table per group.

    Liang and Zeger 1986.

    >>> group_sums([0.0625, -0.1875], [[2, 1], [1, 0]])
    array([-0.0625,  0.0625])
    """
    slopes, stack = np.asarray(gradient, dtype=np.float64), np.asarray(tables, dtype=np.float64)
    return stack.reshape(len(stack), -1) @ slopes.reshape(-1)


def cluster_variance(sums: Any, *, corrected: bool = True) -> float:
    """Return the variance where the rows of a group go together: the sum of squares of the groups' sums.

    Liang and Zeger 1986; times G / (G - 1) for G groups unless `corrected` is False. NaN for one group,
    which shows no spread.

    >>> cluster_variance([0.25, -0.125, -0.125])
    0.140625
    """
    together = np.asarray(sums, dtype=np.float64)
    groups = len(together)
    if groups < 2:  # noqa: PLR2004
        return math.nan
    return float(together @ together) * (groups / (groups - 1) if corrected else 1.0)


def design_effect(clustered: float, independent: float) -> float:
    """Return how many times larger a variance is than that of as many independent rows (Kish 1965).

    >>> design_effect(0.025, 0.02)
    1.25
    """
    return clustered / independent if independent > 0 else math.nan


def kish(weight: float, squared_weight: float) -> float:
    """Return how many rows of equal weight would be worth as much: (sum w)² / sum w² (Kish 1965).

    >>> kish(1 + 1 + 2, 1 + 1 + 4)
    2.6666666666666665
    """
    return weight * weight / squared_weight if squared_weight else 0.0


def effective_counts(share: float, spread: float, fallback: float) -> tuple[float, float]:
    """Return the x of n that a share of weighted or clustered rows is worth (Korn and Graubard 1998).

    The n is the one that would give the same variance; `fallback` (Kish's) where the share is 0 or 1.

    >>> effective_counts(0.75, 0.015, fallback=20)
    (9.375, 12.5)
    """
    n = share * (1 - share) / spread if spread > 0 and 0 < share < 1 else fallback
    return share * n, n


@dataclasses.dataclass(frozen=True, slots=True)
class DeltaScale:
    """A stretched scale on which an interval is made symmetric, and how to come back from it."""

    name: str
    there: Callable[[float], float]
    back: Callable[[float], float]
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

    Other bounds are moved to one of these: what is at most 1 is measured by what it lacks.

    >>> scale_of((-1, 1)).name, scale_of((0, float("inf"))).name
    ('atanh', 'log')
    """
    known: dict[tuple[float, float], str] = {(0, 1): "logit", (-1, 1): "atanh", (0, math.inf): "log"}
    if bounds in known:
        return SCALES[known[bounds]]
    least, largest = bounds
    if math.isinf(least) and math.isinf(largest):
        return SCALES["identity"]
    if math.isinf(largest):
        return _moved(SCALES["log"], least, 1.0)
    if math.isinf(least):  # the logarithm of what is missing to the most there can be
        return _moved(SCALES["log"], largest, -1.0)
    return _moved(SCALES["logit"], least, largest - least)


def _moved(scale: DeltaScale, start: float, unit: float) -> DeltaScale:
    """Return a scale for numbers that begin elsewhere, or run the other way."""
    return DeltaScale(
        scale.name,
        lambda v: scale.there((v - start) / unit),
        lambda x: start + unit * scale.back(x),
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

    With `df`, Student's quantile (few groups). None where there is no spread, or the value lies at the end
    of its bounds: then the rows say too little for this method.

    >>> low, high = delta_interval(0.735347, 0.059029, (-1, 1))
    >>> round(low, 4), round(high, 4)
    (0.5969, 0.8313)
    """
    least, largest = bounds
    if not (error > 0 and math.isfinite(error) and least < value < largest):
        return None
    chosen = scale_of(bounds) if scale is None else SCALES[scale]
    z = normal_quantile(confidence) if df is None else student_quantile(confidence, df)
    centre, reach = chosen.there(value), z * error * abs(chosen.slope(value))
    low, high = sorted((chosen.back(centre - reach), chosen.back(centre + reach)))
    return max(least, low), min(largest, high)


def _flat(gradient: Any, counts: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slopes and counts of the cells that hold rows."""
    slopes = np.asarray(gradient, dtype=np.float64).reshape(-1)
    sizes = np.asarray(counts).astype(np.float64).reshape(-1)
    taken = sizes != 0
    return slopes[taken], sizes[taken]
