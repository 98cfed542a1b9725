"""Intervals for sums and differences of independent proportions, and for F1 through Jaccard.

Given the right totals, counts of a table are binomial: these intervals use that before any delta method.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import MetricError
from assay.hints import passed
from assay.inference.distributions import expit
from assay.inference.estimate import Estimate
from assay.inference.formulas.proportions import Interval, normal_quantile, proportion_interval
from assay.inference.influence.gradients import STEP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "crossing",
    "f1_interval",
    "informedness_interval",
    "markedness_interval",
    "mean_recall_interval",
    "mover",
    "mover_function",
    "negative_predictive_value_at",
    "positive_predictive_value_at",
    "proportion_difference",
    "weighted_sum_interval",
]


_MAX_CHOICES = 8  # of estimates that move a function the same way at either limit
_ALMOST_INFINITE = 1e150  # its square is still a float
_GRID = np.arange(1, 64) / 64  # shares between its limits at which a function of rates is evaluated
_FINER, _FINER_GRIDS = np.linspace(0, 1, 33), 4  # between two neighbours of a grid point, and so on


def mover(
    estimates: Sequence[float], limits: Sequence[Interval], weights: Sequence[float], shift: float = 0.0
) -> Interval:
    """Return the interval of a weighted sum of independent estimates from the interval of each.

    The method of variance estimates recovery (Newcombe 1998, method 10; Zou and Donner 2008): the sum lies
    as far from its limit as the parts lie from theirs, added in squares. A negative weight swaps a part's
    limits.

    Parameters
    ----------
    estimates, limits
        Each estimate, and its lower and upper limit.
    weights
        The factor of each estimate in the sum.
    shift
        What is added to the sum.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Examples
    --------
    >>> low, high = mover([0.9, 0.85], [(0.786, 0.957), (0.756, 0.912)], [0.5, 0.5])
    >>> round(low, 3), round(high, 3)
    (0.801, 0.917)
    """
    total = shift + math.fsum(w * p for w, p in zip(weights, estimates, strict=True))
    below = above = 0.0
    for p, (low, high), w in zip(estimates, limits, weights, strict=True):
        down, up = (p - low, high - p) if w >= 0 else (high - p, p - low)
        below = math.hypot(below, w * down)
        above = math.hypot(above, w * up)
    return total - below, total + above


def mover_function(
    function: Callable[..., Any],
    estimates: Sequence[float],
    limits: Sequence[Interval],
    correlations: NDArray[np.float64] | None = None,
    *,
    turns: bool = False,
) -> tuple[Interval, NDArray[np.float64]]:
    """Return the interval of a function of several estimates from the interval of each, and its slopes.

    The same idea for any smooth function (Newcombe 2011, section 7): each estimate in turn is moved to the
    limit that lowers the function most, and the falls are added in squares; the rises likewise. Correlated
    estimates add the products of their changes, where these are positive. The function takes an array per
    estimate, complex for the slopes.

    Parameters
    ----------
    function
        What is computed of the estimates: it is called with as many arguments.
    estimates, limits
        Each estimate, and its lower and upper limit.
    correlations
        The correlations of the estimates; without them they are independent.
    turns
        Whether the function may turn between an estimate and its limits, so that it is evaluated between
        them, too. It always is where there are correlations.

    Returns
    -------
    tuple[Interval, NDArray]
        The limits, and the function's slope in each estimate.

    Examples
    --------
    >>> interval, slopes = mover_function(lambda a, b: a - b, [0.9, 0.85], [(0.786, 0.957), (0.756, 0.912)])
    >>> [round(limit, 3) for limit in interval], slopes
    ([-0.08, 0.16], array([ 1., -1.]))
    """
    centre = np.asarray(estimates, dtype=np.complex128)
    size = len(centre)
    points = np.tile(centre, (3 * size + 1, 1))
    each = np.arange(size)
    points[each, each] = [low for low, _ in limits]
    points[size + each, each] = [high for _, high in limits]
    points[2 * size + each, each] += 1j * STEP
    with np.errstate(all="ignore"):
        values = np.asarray(function(*points.T), dtype=np.complex128)
    value = float(values[-1].real)
    ends = np.stack([values[:size].real, values[size : 2 * size].real])
    changes = np.clip(np.where(np.isnan(ends), 0.0, ends - value), -_ALMOST_INFINITE, _ALMOST_INFINITE)[None]
    if turns or correlations is not None:  # few clusters have wide limits, within which a function may turn
        changes = np.concatenate([changes, _values_between(function, estimates, limits) - value])
        changes = np.clip(np.where(np.isnan(changes), 0.0, changes), -_ALMOST_INFINITE, _ALMOST_INFINITE)
    farthest = []
    for sign in (-1.0, 1.0):
        far = (sign * changes).max(axis=0)
        if len(changes) > 1:
            beyond = _beyond_grid(function, estimates, limits, sign, sign * changes, everywhere=turns)
            far = np.maximum(far, np.minimum(beyond - sign * value, _ALMOST_INFINITE))
        farthest.append(far)
    below, above = (_half_width(far, correlations) for far in farthest)
    return (value - below, value + above), values[2 * size : 3 * size].imag / STEP


def _beyond_grid(
    function: Callable[..., Any],
    estimates: Sequence[float],
    limits: Sequence[Interval],
    sign: float,
    changes: NDArray[np.float64],
    *,
    everywhere: bool,
) -> NDArray[np.float64]:
    """Return the largest value, times a sign, near the best grid point of each estimate and side.

    That is where the function turns between two grid points: else wider limits could make the interval
    narrower. Beside a limit it is looked for only where asked, `everywhere`.
    """
    largest = np.full(changes.shape[1:], -np.inf)
    on_grid = changes.argmax(axis=0)
    sides, indices = np.nonzero(everywhere | ((on_grid > 0) & (changes.max(axis=0) > 0)))
    if not len(sides):
        return largest
    limit = np.asarray(limits, dtype=np.float64)[indices, sides]
    estimate, best = np.asarray(estimates, dtype=np.float64)[indices], on_grid[sides, indices]
    centre = np.where(best > 0, _GRID[best - 1], limit)
    low = np.maximum(centre - _GRID[0], np.minimum(limit, estimate))
    high = np.minimum(centre + _GRID[0], np.maximum(limit, estimate))
    inside = low < high  # a grid point beyond the limit is none
    sides, indices, low, high = sides[inside], indices[inside], low[inside], high[inside]
    each = np.arange(len(sides))
    for _ in range(_FINER_GRIDS if everywhere else 1):
        rates = low[:, None] + (high - low)[:, None] * _FINER
        points = np.tile(np.asarray(estimates, dtype=np.float64), (*rates.shape, 1))
        points[each, :, indices] = rates
        with np.errstate(all="ignore"):
            values = np.asarray(function(*points.reshape(-1, len(estimates)).T), dtype=np.float64)
        values = np.where(np.isnan(values), -np.inf, sign * values).reshape(rates.shape)
        at = values.argmax(axis=1)
        low, high = rates[each, np.maximum(at - 1, 0)], rates[each, np.minimum(at + 1, len(_FINER) - 1)]
        largest[sides, indices] = np.maximum(largest[sides, indices], values[each, at])
    return largest


def _half_width(changes: NDArray[np.float64], correlations: NDArray[np.float64] | None) -> float:
    """Return the root of the squared changes, and of the products of correlated ones.

    `changes` are those that moving each estimate down (first row) or up makes. Of
    two that move the function the same way, either may add up to more with those of the other estimates: the
    widest choice is taken, so that wider limits never make the interval narrower.
    """
    changes = np.maximum(changes, 0.0)
    size = changes.shape[1]
    taken = np.argmax(changes, axis=0)
    if correlations is None:
        change = changes[taken, np.arange(size)]
        return math.sqrt(float(change @ change))
    both_ways = np.flatnonzero((changes > 0).all(axis=0))
    widest = 0.0
    for choice in itertools.product((0, 1), repeat=min(len(both_ways), _MAX_CHOICES)):
        taken[both_ways[: len(choice)]] = choice
        change = changes[taken, np.arange(size)]
        # Changes that would cancel are not counted on: one of them may have come to the end of its range.
        signed = np.where(taken == 0, -change, change)
        together = np.outer(signed, signed) * correlations
        np.fill_diagonal(together, 0.0)
        widest = max(widest, float(change @ change) + float(np.maximum(together, 0.0).sum()))
    return math.sqrt(widest)


def _values_between(
    function: Callable[..., Any], estimates: Sequence[float], limits: Sequence[Interval]
) -> NDArray[np.float64]:
    """Return a function's values where each estimate alone is at grid points between itself and either limit.

    The grid does not depend on the limits, so that wider limits contain all points that narrower ones do.
    """
    size, steps = len(estimates), len(_GRID)
    points = np.tile(np.asarray(estimates, dtype=np.float64), (size, steps, 1))
    points[np.arange(size), :, np.arange(size)] = _GRID
    with np.errstate(all="ignore"):
        values = np.asarray(function(*points.reshape(-1, size).T), dtype=np.float64).reshape(size, steps)
    sides = []
    for side in (0, 1):
        ends = [sorted((limit[side], estimate)) for limit, estimate in zip(limits, estimates, strict=True)]
        within = np.array([(low < _GRID) & (high > _GRID) for low, high in ends])
        sides.append(np.where(within, values, np.nan))
    return np.stack(sides).transpose(2, 0, 1)


def weighted_sum_interval(
    hits: Sequence[float],
    totals: Sequence[float],
    weights: Sequence[float],
    *,
    shift: float = 0.0,
    confidence: float = 0.95,
    method: str = "wilson",
) -> Interval:
    """Return the interval of ``shift + sum(weight hits / total)`` over independent proportions.

    Newcombe 1998, method 10, with any interval of a proportion; within what the sum can reach.

    Parameters
    ----------
    hits, totals
        A count of hits and a count of rows for each proportion.
    weights
        The factor of each proportion in the sum.
    shift
        What is added to the sum.
    confidence
        The confidence level of the interval.
    method
        The interval of each proportion, as :func:`proportion_interval` names it.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known; or a count of hits does not lie
        within 0 and its total.

    Examples
    --------
    >>> low, high = weighted_sum_interval([45, 68], [50, 80], [1, 1], shift=-1)
    >>> round(low, 6), round(high, 6)
    (0.602466, 0.833943)
    """
    if not all(totals):
        raise MetricError("a proportion of no rows has no part in a sum.")
    limits = [proportion_interval(x, n, confidence, method) for x, n in zip(hits, totals, strict=True)]
    low, high = mover([x / n for x, n in zip(hits, totals, strict=True)], limits, weights, shift)
    smallest = shift + math.fsum(w for w in weights if w < 0)
    largest = shift + math.fsum(w for w in weights if w > 0)
    return max(low, smallest), min(high, largest)


def mean_recall_interval(
    hits: Sequence[float], totals: Sequence[float], *, confidence: float = 0.95, method: str = "wilson"
) -> Interval:
    """Return the interval of balanced accuracy: the mean of each class's recall, hits of its total.

    Newcombe 1998, method 10.

    Parameters
    ----------
    hits, totals
        Of each class, how many rows were predicted right, and how many rows it has.
    confidence
        The confidence level of the interval.
    method
        The interval of each proportion, as :func:`proportion_interval` names it.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known; or a count of hits does not lie
        within 0 and its total.

    Examples
    --------
    >>> low, high = mean_recall_interval([45, 68], [50, 80])
    >>> round(low, 6), round(high, 6)
    (0.801233, 0.916971)
    """
    share = 1 / len(hits)
    return weighted_sum_interval(hits, totals, [share] * len(hits), confidence=confidence, method=method)


def informedness_interval(
    tp: float, fp: float, fn: float, tn: float, *, confidence: float = 0.95, method: str = "wilson"
) -> Interval:
    """Return the interval of recall + specificity - 1, given the classes' totals.

    Newcombe 1998, method 10.

    Parameters
    ----------
    tp, fp, fn
        The counts of three of the four cells.
    tn
        The counts of the four cells.
    confidence
        The confidence level of the interval.
    method
        The interval of each proportion, as :func:`proportion_interval` names it.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known; or a count is negative.

    Examples
    --------
    >>> low, high = informedness_interval(45, 12, 5, 68)
    >>> round(low, 6), round(high, 6)
    (0.602466, 0.833943)
    """
    return weighted_sum_interval(
        (tp, tn), (tp + fn, tn + fp), (1, 1), shift=-1.0, confidence=confidence, method=method
    )


def markedness_interval(
    tp: float, fp: float, fn: float, tn: float, *, confidence: float = 0.95, method: str = "wilson"
) -> Interval:
    """Return the interval of precision + negative predictive value - 1, given the predicted totals.

    Newcombe 1998, method 10.

    Parameters
    ----------
    tp, fp, fn
        The counts of three of the four cells.
    tn
        The counts of the four cells.
    confidence
        The confidence level of the interval.
    method
        The interval of each proportion, as :func:`proportion_interval` names it.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known; or a count is negative.

    Examples
    --------
    >>> low, high = markedness_interval(45, 12, 5, 68)
    >>> round(low, 6), round(high, 6)
    (0.57369, 0.815163)
    """
    return weighted_sum_interval(
        (tp, tn), (tp + fp, tn + fn), (1, 1), shift=-1.0, confidence=confidence, method=method
    )


def f1_interval(
    tp: float, fp: float, fn: float, *, confidence: float = 0.95, method: str = "wilson"
) -> Interval:
    """Return the interval of F1, mapped from that of Jaccard, which is a proportion: F = 2J / (1 + J).

    Lam, Gopal and Qian 2023 ("Wilson indirect"). Exact, given how many rows are or were called positive.

    Parameters
    ----------
    tp, fp, fn
        The counts of true positives, false positives and false negatives.
    confidence
        The confidence level of the interval.
    method
        The interval of the Jaccard index, as :func:`proportion_interval` names it.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known; or a count is negative.

    Examples
    --------
    >>> low, high = f1_interval(45, 12, 5)
    >>> round(low, 6), round(high, 6)
    (0.753175, 0.901817)
    """
    low, high = proportion_interval(tp, tp + fp + fn, confidence, method)
    return 2 * low / (1 + low), 2 * high / (1 + high)


def positive_predictive_value_at(
    prevalence: float, tp: float, fp: float, fn: float, tn: float, *, confidence: float = 0.95
) -> Estimate:
    """Return precision at another prevalence, by Bayes' rule, with its interval on the logit scale.

    Mercaldo, Lau and Zhou 2007. Where a rate is 0, the rates are moved inwards by half the
    squared quantile first (their adjusted logit), and the note says so.

    Parameters
    ----------
    prevalence
        The share of positives where the model will be used.
    tp, fp, fn
        The counts of three of the four cells.
    tn
        The counts of the four cells.
    confidence
        The confidence level of the interval.

    Returns
    -------
    Estimate
        The predictive value with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `prevalence` is no share between 0 and 1.

    Examples
    --------
    >>> positive_predictive_value_at(0.1, 45, 12, 5, 68)
    0.4 [0.2819, 0.531]
    """
    _check_prevalence(prevalence)
    return _bayes(prevalence, (tp, tp + fn), (fp, fp + tn), confidence)


def negative_predictive_value_at(
    prevalence: float, tp: float, fp: float, fn: float, tn: float, *, confidence: float = 0.95
) -> Estimate:
    """Return the negative predictive value at another prevalence; see positive_predictive_value_at.

    Mercaldo, Lau and Zhou 2007.

    Parameters
    ----------
    prevalence
        The share of positives where the model will be used.
    tp, fp, fn
        The counts of three of the four cells.
    tn
        The counts of the four cells.
    confidence
        The confidence level of the interval.

    Returns
    -------
    Estimate
        The predictive value with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `prevalence` is no share between 0 and 1.

    Examples
    --------
    >>> negative_predictive_value_at(0.1, 45, 12, 5, 68)
    0.9871 [0.9707, 0.9944]
    """
    _check_prevalence(prevalence)
    return _bayes(1 - prevalence, (tn, tn + fp), (fn, fn + tp), confidence)


def _check_prevalence(prevalence: float) -> None:
    if not 0 < prevalence < 1:
        raise MetricError(f"{passed('prevalence', prevalence)} is a share between 0 and 1.")


def _bayes(
    share: float, right: tuple[float, float], wrong: tuple[float, float], confidence: float
) -> Estimate:
    """Return a predictive value; `right` and `wrong` are each class's rows so predicted, and in all."""
    if not right[1] or not wrong[1]:
        raise MetricError("a class is absent, and with it a rate that the predictive value needs.")
    z = normal_quantile(confidence)
    rate, error = right[0] / right[1], wrong[0] / wrong[1]
    predicted = rate * share + error * (1 - share)
    if not predicted:
        raise MetricError("no row of either class has this prediction: there is no such predictive value.")
    value, note = rate * share / predicted, ""
    (x, n), (y, m) = right, wrong
    if not x or not y or rate == error == 1:
        x, n, y, m = x + z * z / 2, n + z * z, y + z * z / 2, m + z * z
        note = "a rate is 0 or both are 1, so they were moved inwards (adjusted logit)"
    rate, error = x / n, y / m
    centre = math.log(rate / error) + math.log(share / (1 - share))
    deviation = math.sqrt((1 - rate) / x + (1 - error) / y)
    low, high = (expit(centre + sign * z * deviation) for sign in (-1, 1))
    rows = int(right[1] + wrong[1])
    method = "logit delta at a stated prevalence"
    return Estimate(value, min(low, value), max(high, value), confidence, method, rows, note)


DifferenceMethod = Literal["newcombe", "newcombe-corrected", "miettinen-nurminen", "agresti-caffo", "wald"]


def proportion_difference(
    x1: float,
    n1: float,
    x2: float,
    n2: float,
    *,
    confidence: float = 0.95,
    method: DifferenceMethod = "newcombe",
) -> Interval:
    """Return the interval of ``x1 / n1 - x2 / n2`` for two independent groups.

    ``newcombe`` is Newcombe's method 10 (1998, Wilson limits), ``newcombe-corrected`` his 11;
    ``miettinen-nurminen`` the score interval of 1985; ``agresti-caffo`` of 2000 adds two rows to each
    group; ``wald`` is the textbook's, too narrow near 0 and 1.

    Parameters
    ----------
    x1, n1, x2, n2
        Hits and rows of the first group, and of the second.
    confidence
        The confidence level of the interval.
    method
        ``"newcombe"``, ``"newcombe-corrected"``, ``"miettinen-nurminen"``, ``"agresti-caffo"`` or
        ``"wald"``.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known; or a count of hits does not lie
        within 0 and its rows.

    Examples
    --------
    >>> low, high = proportion_difference(154, 183, 1202, 1207)
    >>> round(low, 6), round(high, 6)
    (-0.214227, -0.108187)
    """
    if not 0 <= x1 <= n1 or not 0 <= x2 <= n2 or not n1 or not n2:
        raise MetricError(f"{x1} of {n1} and {x2} of {n2} are not two proportions.")
    if method in ("newcombe", "newcombe-corrected"):
        single = "wilson" if method == "newcombe" else "wilson-corrected"
        return weighted_sum_interval((x1, x2), (n1, n2), (1, -1), confidence=confidence, method=single)
    if method == "miettinen-nurminen":
        return _miettinen_nurminen(x1, n1, x2, n2, confidence)
    if method not in ("agresti-caffo", "wald"):
        raise MetricError(f"method={method!r} is no interval for a difference of proportions.")
    if method == "agresti-caffo":
        x1, n1, x2, n2 = x1 + 1, n1 + 2, x2 + 1, n2 + 2
    p1, p2 = x1 / n1, x2 / n2
    half_width = normal_quantile(confidence) * math.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
    return max(-1.0, p1 - p2 - half_width), min(1.0, p1 - p2 + half_width)


def _miettinen_nurminen(x1: float, n1: float, x2: float, n2: float, confidence: float) -> Interval:
    estimate, rows = x1 / n1 - x2 / n2, n1 + n2

    def score(difference: float) -> float:
        p2 = _constrained(x1, n1, x2, n2, difference)
        p1 = min(max(p2 + difference, 0.0), 1.0)
        spread = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * rows / (rows - 1)
        distance = estimate - difference
        return _signed(distance, spread)

    z = normal_quantile(confidence)
    low = -1.0 if estimate <= -1 else crossing(score, z, estimate, -1.0)
    high = 1.0 if estimate >= 1 else crossing(score, -z, estimate, 1.0)
    return low, high


def _constrained(x1: float, n1: float, x2: float, n2: float, difference: float) -> float:
    """Return the likeliest second proportion where the first is larger by a difference: a cubic's root."""
    a = n1 + n2
    b = -(x1 - n1 * difference) - n1 - x2 - n2 * (1 - 2 * difference)
    c = x1 - n1 * difference + x2 * (1 - 2 * difference) - n2 * difference * (1 - difference)
    d = x2 * difference * (1 - difference)
    third = b / (3 * a)
    v = third**3 - b * c / (6 * a * a) + d / (2 * a)
    u = math.copysign(math.sqrt(max(third * third - c / (3 * a), 0.0)), v)
    angle = math.acos(min(max(v / u**3, -1.0), 1.0)) if u else math.pi / 2
    root = 2 * u * math.cos((math.pi + angle) / 3) - third
    return min(max(root, 0.0, -difference), 1.0, 1 - difference)


def _signed(distance: float, variance: float) -> float:
    """Return the distance in standard errors, infinite where there is no variance."""
    if not distance:
        return 0.0
    return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance)


def crossing(score: Callable[[float], float], target: float, inside: float, outside: float) -> float:
    """Return where a monotone score reaches its target, between a point inside the interval and one outside.

    Where the score does not reach it, the interval ends at `outside`. Brent 1973 for the search.

    >>> round(crossing(lambda x: 2 - x, 0.5, 1.0, 3.0), 12)
    1.5
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - SciPy takes its time to load

    def excess(x: float) -> float:  # on the scale of atan, since scores may be infinite
        return math.atan(score(x)) - math.atan(target)

    at_end = excess(outside)
    if excess(inside) * at_end > 0 or not at_end:
        return outside
    return float(brentq(excess, inside, outside, xtol=1e-16, rtol=8.9e-16))
