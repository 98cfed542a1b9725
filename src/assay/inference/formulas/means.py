"""Intervals of means (Student), of quantiles (order statistics), and of bounded losses (any distribution)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.inference.distributions import student_quantile
from assay.inference.estimate import Estimate
from assay.inference.formulas.delta import delta_interval, kish
from assay.inference.formulas.proportions import Interval, check_confidence
from assay.inference.hypothesis_tests.multiple_testing import hoeffding_reach
from assay.metrics import Undefined, Value
from assay.tallies import Losses, Sums, Values

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction


__all__ = [
    "MeanSpread",
    "OrderRanks",
    "bernstein_interval",
    "hoeffding_interval",
    "mean_estimate",
    "mean_spread",
    "order_interval",
    "order_ranks",
    "root_mean_estimate",
]


class MeanSpread(NamedTuple):
    """A mean, its standard error, and its effective sample size."""

    mean: Value
    error: Value
    effective_sample_size: float


def mean_spread(tally: Losses | Sums) -> MeanSpread:
    """Return the mean of a tally and its standard error, both correctly rounded.

    Weighted rows have the sandwich error, with Kish's number of rows where plain rows have their count: a
    common factor of the weights changes nothing, nor do rows without weight, and equal weights are none.

    Parameters
    ----------
    tally
        Losses or sums.

    Returns
    -------
    MeanSpread
        The mean, its standard error and the effective sample size.

    Raises
    ------
    MetricError
        `tally` is neither of losses nor of sums.

    Examples
    --------
    >>> mean_spread(Sums.of([1.0, 2.0, 4.0, 5.0]))
    MeanSpread(mean=3.0, error=0.9128709291752769, effective_sample_size=4.0)
    """
    if not isinstance(tally, (Losses, Sums)):
        raise MetricError(f"a mean is of a tally of losses or sums, not of {type(tally).__name__}.")
    weight, squared_weight, total, squares, cross = _sums(tally)
    if not weight:
        return MeanSpread(Undefined("there are no rows"), Undefined("there are no rows"), 0.0)
    effective_size = float(weight * weight / squared_weight)  # Kish's number
    if isinstance(tally, Losses) and (tally.undefined or tally.infinite):
        kind = "no" if tally.undefined else "an infinite"
        reason = f"{tally.undefined or tally.infinite:,} of {tally.n:,} rows have {kind} loss"
        mean: Value = Undefined(reason) if tally.undefined else math.inf
        return MeanSpread(mean, Undefined(reason), effective_size)
    exact = total / weight
    # Squared distances from the mean, whose sum is exact and so never below 0.
    squared_deviations = squares - 2 * exact * cross + exact * exact * squared_weight
    divisor = weight * weight - squared_weight  # n² - n where no row is weighted
    if divisor <= 0:
        return MeanSpread(float(exact), Undefined("a single row shows no spread"), effective_size)
    return MeanSpread(float(exact), _root(squared_deviations / divisor), effective_size)


def mean_estimate(tally: Losses | Sums, *, confidence: float = 0.95) -> Estimate:
    """Return the mean of a tally with Student's interval (Student 1908).

    Parameters
    ----------
    tally
        Losses or sums.
    confidence
        The confidence level of the interval.

    Returns
    -------
    Estimate
        The mean with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `tally` is neither of losses nor of sums.

    Examples
    --------
    >>> mean_estimate(Sums.of([1.0, 2.0, 4.0, 5.0]))
    3 [0.09484, 5.905]
    """
    mean, error, effective_size = mean_spread(tally)
    method = "Student's t"
    if isinstance(mean, Undefined) or isinstance(error, Undefined):
        note = error.reason if isinstance(error, Undefined) and not isinstance(mean, Undefined) else ""
        return Estimate(mean, None, None, confidence, method, tally.n, note)
    if not error:
        return Estimate(mean, None, None, confidence, method, tally.n, "all rows are alike", error)
    half_width = student_quantile(confidence, effective_size - 1) * error
    return Estimate(mean, mean - half_width, mean + half_width, confidence, method, tally.n, "", error)


def root_mean_estimate(tally: Losses | Sums, *, confidence: float = 0.95) -> Estimate:
    """Return the root of a mean, such as RMSE, with its interval made on the log scale.

    The error of the root is that of the mean over twice the root: the delta method, for any distribution.

    Parameters
    ----------
    tally
        Losses or sums of what is not negative.
    confidence
        The confidence level of the interval.

    Returns
    -------
    Estimate
        The root with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `tally` is neither of losses nor of sums; or the mean is
        negative.

    Examples
    --------
    >>> root_mean_estimate(Sums.of([1.0, 0.0, 4.0, 9.0]))
    1.871 [0.7465, 4.688]
    """
    mean, error, effective_size = mean_spread(tally)
    method = "log delta"
    if isinstance(mean, Undefined):
        return Estimate(mean, None, None, confidence, method, tally.n)
    if mean < 0:
        raise MetricError(f"a mean of {mean} has no root.")
    value = math.sqrt(mean)
    if isinstance(error, Undefined) or not error:
        note = error.reason if isinstance(error, Undefined) else "all rows are alike"
        return Estimate(value, None, None, confidence, method, tally.n, note)
    spread = error / (2 * value)
    limits = delta_interval(value, spread, (0, math.inf), confidence=confidence, df=effective_size - 1)
    low, high = limits or (None, None)
    return Estimate(value, low, high, confidence, method, tally.n, "", spread)


class OrderRanks(NamedTuple):
    """The ranks of the limits in ascending order (1 is the smallest value), and their actual coverage."""

    low: int
    high: int
    coverage: float


def order_ranks(n: int, *, share: float = 0.5, confidence: float = 0.95) -> OrderRanks | None:
    """Return the ranks of the order statistics around a quantile, the median by default.

    Thompson 1936: valid for any distribution; ``coverage`` is the actual one, at least the nominal. None
    where there are too few rows (below 6 for the median at 95%).

    Parameters
    ----------
    n
        How many rows there are.
    share
        Which quantile: 0.5 is the median.
    confidence
        The confidence level of the interval.

    Returns
    -------
    OrderRanks or None
        The two ranks, counted from 1, and how often they hold the quantile.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `share` is no share between 0 and 1.

    Examples
    --------
    >>> order_ranks(8)
    OrderRanks(low=1, high=8, coverage=0.9921875)
    """
    from scipy.special import betainc  # noqa: PLC0415

    check_confidence(confidence)
    if not 0 < share < 1:
        raise MetricError(f"share={share!r} is a share between 0 and 1.")
    tail = (1 - confidence) / 2

    def fewer(rank: int) -> float:  # the chance that less than so many values lie below the quantile
        return float(betainc(n - rank + 1, rank, 1 - share))

    def more(rank: int) -> float:  # the chance that at least so many do
        return float(betainc(rank, n - rank + 1, share))

    low = _largest(lambda rank: fewer(rank) <= tail, n)
    high = n + 1 - _largest(lambda back: more(n + 1 - back) <= tail, n)
    if low < 1 or high > n:
        return None
    return OrderRanks(low, high, 1 - fewer(low) - more(high))


def order_interval(
    values: Values, *, share: float = 0.5, confidence: float = 0.95, effective_size: float | None = None
) -> tuple[float, float, float] | None:
    """Return the two values around a quantile and their actual coverage; None where there are too few rows.

    Weighted rows count as Kish's effective number (1965), or as `effective_size` where they come in groups;
    the ranks are then taken at the same shares of the total weight (Woodruff 1952).

    Parameters
    ----------
    values
        A tally of values.
    share
        Which quantile: 0.5 is the median.
    confidence
        The confidence level of the interval.
    effective_size
        How many independent rows the values are worth, where they come in groups.

    Returns
    -------
    tuple or None
        The lower limit, the upper limit and the actual coverage.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `share` is no share between 0 and 1.

    Examples
    --------
    >>> order_interval(Values.of([0.4, 0.1, 0.7, 0.2, 0.9, 0.3, 0.6, 0.8]))
    (0.1, 0.9, 0.9921875)
    """
    mass = values.mass
    total = float(mass.sum())
    if effective_size is None:
        counts = values.counts.astype(float)
        squares = counts if values.weights is None else counts * values.weights**2
        effective_size = kish(total, float(squares.sum()))
    n = math.floor(effective_size * (1 + 1e-12))
    ranks = order_ranks(n, share=share, confidence=confidence) if n > 0 else None
    if ranks is None:
        return None
    passed = np.cumsum(mass) * (n / total)  # ranks run from 1 to n
    slack = 1e-9  # of a rank, for rounding errors
    low = int(np.searchsorted(passed, ranks.low - 1 + slack, side="right"))
    high = min(int(np.searchsorted(passed, ranks.high - slack)), len(passed) - 1)
    return float(values.values[low]), float(values.values[high]), ranks.coverage


def hoeffding_interval(
    mean: float, n: float, bounds: tuple[float, float] = (0, 1), *, confidence: float = 0.95
) -> Interval:
    """Return an interval that holds for any losses within bounds (Hoeffding 1963).

    Parameters
    ----------
    mean
        The mean of the losses.
    n
        How many rows there are.
    bounds
        The least and the largest loss that is possible.
    confidence
        The confidence level of the interval.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> low, high = hoeffding_interval(0.5, 200)
    >>> round(low, 4), round(high, 4)
    (0.404, 0.596)
    """
    check_confidence(confidence)
    lower, upper = bounds
    half_width = (upper - lower) * hoeffding_reach(n, 1 - confidence)
    return max(lower, mean - half_width), min(upper, mean + half_width)


def bernstein_interval(
    mean: float, variance: float, n: float, bounds: tuple[float, float] = (0, 1), *, confidence: float = 0.95
) -> Interval:
    """Return the same from the rows' variance: narrower where they vary little (Audibert and others 2009).

    `variance` is that of the rows, with n in the denominator.

    Parameters
    ----------
    mean, variance
        The mean of the losses, and the variance of the rows.
    n
        How many rows there are.
    bounds
        The least and the largest loss that is possible.
    confidence
        The confidence level of the interval.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> low, high = bernstein_interval(0.1, 0.01, 10_000)
    >>> round(low, 4), round(high, 4)
    (0.0959, 0.1041)
    """
    check_confidence(confidence)
    lower, upper = bounds
    doubt = math.log(3 / (1 - confidence)) / n
    half_width = math.sqrt(2 * variance * doubt) + 3 * (upper - lower) * doubt
    return max(lower, mean - half_width), min(upper, mean + half_width)


def _sums(tally: Losses | Sums) -> tuple[Fraction, Fraction, Fraction, Fraction, Fraction]:
    """Return weight, squared weight, and the terms' sum, squares and sum times their weights."""
    total, squares = tally.total.fraction(), tally.squares.fraction()
    if isinstance(tally, Sums):
        rows = total * 0 + tally.n
        return rows, rows, total, squares, total
    return tally.weight.fraction(), tally.squared_weight.fraction(), total, squares, tally.cross.fraction()


def _root(square: Fraction) -> float:
    """Return the root of an exact number, also where its square is beyond every float."""
    shift = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    scaled = square / 4**shift if shift >= 0 else square * 4**-shift
    return math.ldexp(math.sqrt(scaled), shift)


def _largest(holds: Callable[[int], bool], n: int) -> int:
    """Return the largest number up to n for which something holds that stops holding at one place; or 0."""
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
