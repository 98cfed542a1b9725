"""Intervals for ratios: of two independent proportions, and of odds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.errors import MetricError
from assay.inference.estimate import Estimate
from assay.inference.formulas.mover import crossing
from assay.inference.formulas.proportions import Interval, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "koopman",
    "log_ratio",
    "negative_likelihood_ratio_interval",
    "odds_ratio",
    "positive_likelihood_ratio_interval",
]

_MAX_STEPS = 800  # of a factor e: beyond every ratio of floats


def koopman(x1: float, n1: float, x2: float, n2: float, *, confidence: float = 0.95) -> Interval:
    """Return the score interval of ``(x1 / n1) / (x2 / n2)`` for two independent groups (Koopman 1984).

    Without hits in the second group it has no upper end; without hits in the first it starts at 0.

    Parameters
    ----------
    x1, n1, x2, n2
        Hits and rows of the first group, and of the second.
    confidence
        The confidence level of the interval.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or a count of hits does not lie within 0 and its rows.

    Examples
    --------
    >>> low, high = koopman(45, 50, 12, 80)
    >>> round(low, 6), round(high, 6)
    (3.644662, 10.303331)
    >>> koopman(45, 50, 0, 80)[1]
    inf
    """
    if not 0 <= x1 <= n1 or not 0 <= x2 <= n2 or not n1 or not n2:
        raise MetricError(f"{x1} of {n1} and {x2} of {n2} are not two proportions.")
    if not x1 and not x2:
        return 0.0, math.inf
    z = normal_quantile(confidence)
    # Where a count is 0 the ratio has no logarithm: start from what half a row would give.
    at = math.log((x1 or 0.5) / n1 / ((x2 or 0.5) / n2))

    def score(log_theta: float) -> float:
        return _score(x1, n1, x2, n2, math.exp(log_theta))

    low = 0.0 if not x1 else math.exp(_reach(score, z, at, -1.0))
    high = math.inf if not x2 else math.exp(_reach(score, -z, at, 1.0))
    return low, high


def _reach(score: Callable[[float], float], target: float, at: float, step: float) -> float:
    """Return where the score reaches its target, going out from a point step by step."""
    inside = at
    for _ in range(_MAX_STEPS):  # the start may lie outside where it was moved off 0
        if abs(score(inside)) < abs(target):
            break
        inside -= step
    outside = inside + step
    while abs(score(outside)) < abs(target):
        outside += step
    return crossing(score, target, inside, outside)


def _score(x1: float, n1: float, x2: float, n2: float, ratio: float) -> float:
    """Return the signed root of Pearson's statistic for a ratio: positive where the ratio is too small."""
    a = (n1 + n2) * ratio
    b = n1 * ratio + x1 + n2 + x2 * ratio
    c = x1 + x2
    p2 = 2 * c / (b + math.sqrt(max(b * b - 4 * a * c, 0.0)))  # the smaller root, without cancellation
    p1 = min(ratio * p2, 1.0)
    square = _squared(x1, n1, p1) + _squared(x2, n2, p2)
    return math.copysign(math.sqrt(square), x1 * n2 - ratio * x2 * n1)


def _squared(x: float, n: float, p: float) -> float:
    """Return Pearson's term of one group, without end where what was seen cannot be."""
    spread = n * p * (1 - p)
    if spread > 0:
        return (x - n * p) ** 2 / spread
    return 0.0 if abs(x - n * p) < 1e-9 * n else math.inf


def log_ratio(x1: float, n1: float, x2: float, n2: float, *, confidence: float = 0.95) -> Estimate:
    """Return the ratio of two proportions with its interval on the log scale (Simel and others 1991).

    Where a count is 0, half a row is added to both counts and one to both totals, and the note says so.

    Parameters
    ----------
    x1, n1, x2, n2
        Hits and rows of the first group, and of the second.
    confidence
        The confidence level of the interval.

    Returns
    -------
    Estimate
        The ratio with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or a group has no rows.

    Examples
    --------
    >>> log_ratio(45, 50, 12, 80)
    6 [3.532, 10.19]
    """
    if not n1 or not n2 or not (x1 or x2):
        raise MetricError(f"{x1} of {n1} to {x2} of {n2} is no ratio.")
    value = x1 / n1 / (x2 / n2) if x2 else math.inf
    rows, note, centre = int(n1 + n2), "", value
    if not x1 or not x2:
        x1, n1, x2, n2 = x1 + 0.5, n1 + 1, x2 + 0.5, n2 + 1
        centre, note = x1 / n1 / (x2 / n2), "a count is 0, so half a row was added to both"
    error = math.sqrt(1 / x1 - 1 / n1 + 1 / x2 - 1 / n2)
    low, high = _around(centre, value, error, confidence)
    return Estimate(value, low, high, confidence, "log", rows, note, error)


def odds_ratio(tp: float, fp: float, fn: float, tn: float, *, confidence: float = 0.95) -> Estimate:
    """Return ``tp tn / (fp fn)`` with its interval on the log scale (Woolf 1955).

    Where a cell is 0, half a row is added to all four, for the interval alone, and the note says so (Glas
    and others 2003). The standard error is that of the logarithm.

    Parameters
    ----------
    tp, fp, fn
        The counts of three of the four cells.
    tn
        The counts of the four cells.
    confidence
        The confidence level of the interval.

    Returns
    -------
    Estimate
        The odds ratio with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or true positives or true negatives, and false ones, are
        both missing.

    Examples
    --------
    >>> odds_ratio(45, 12, 5, 68)
    51 [16.82, 154.6]
    >>> odds_ratio(45, 0, 5, 68).note
    'a cell is 0, so half a row was added to all four'
    """
    cells, note = (tp, fp, fn, tn), ""
    right, wrong = tp * tn, fp * fn
    if not right and not wrong:
        raise MetricError("there are neither enough right nor enough wrong calls for a ratio of odds.")
    value = right / wrong if wrong else math.inf
    centre = value
    if not all(cells):
        cells = (tp + 0.5, fp + 0.5, fn + 0.5, tn + 0.5)
        centre = cells[0] * cells[3] / (cells[1] * cells[2])
        note = "a cell is 0, so half a row was added to all four"
    error = math.sqrt(sum(1 / cell for cell in cells))
    low, high = _around(centre, value, error, confidence)
    return Estimate(value, low, high, confidence, "Woolf", int(tp + fp + fn + tn), note, error)


def positive_likelihood_ratio_interval(
    tp: float, fp: float, fn: float, tn: float, *, confidence: float = 0.95
) -> Interval:
    """Return Koopman's interval of recall over the false positive rate.

    Koopman 1984.

    Parameters
    ----------
    tp, fp, fn
        The counts of three of the four cells.
    tn
        The counts of the four cells.
    confidence
        The confidence level of the interval.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or a count is negative.

    Examples
    --------
    >>> low, high = positive_likelihood_ratio_interval(45, 12, 5, 68)
    >>> round(low, 6), round(high, 6)
    (3.644662, 10.303331)
    """
    return koopman(tp, tp + fn, fp, fp + tn, confidence=confidence)


def negative_likelihood_ratio_interval(
    tp: float, fp: float, fn: float, tn: float, *, confidence: float = 0.95
) -> Interval:
    """Return Koopman's interval of the false negative rate over specificity.

    Koopman 1984.

    Parameters
    ----------
    tp, fp, fn
        The counts of three of the four cells.
    tn
        The counts of the four cells.
    confidence
        The confidence level of the interval.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or a count is negative.

    Examples
    --------
    >>> low, high = negative_likelihood_ratio_interval(45, 12, 5, 68)
    >>> round(low, 6), round(high, 6)
    (0.050927, 0.252956)
    """
    return koopman(fn, tp + fn, tn, fp + tn, confidence=confidence)


def _around(centre: float, value: float, error: float, confidence: float) -> Interval:
    """Return a log interval that holds the value: it was moved where a count is 0, the value was not."""
    half_width = normal_quantile(confidence) * error
    low, high = centre * math.exp(-half_width), centre * math.exp(half_width)
    return (0.0 if not value else low), (math.inf if math.isinf(value) else high)
