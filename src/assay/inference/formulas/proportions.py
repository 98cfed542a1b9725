"""Intervals for one proportion, x of n, under their names.

Counts may be fractional: an effective count stands for weighted or clustered rows.
"""

from __future__ import annotations

import functools
import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError, check_whole_number
from assay.hints import passed

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "METHODS",
    "agresti_coull",
    "check_confidence",
    "check_seed",
    "clopper_pearson",
    "jeffreys",
    "jeffreys_limits",
    "mid_p",
    "modified_wilson",
    "modified_wilson_limits",
    "normal_quantile",
    "proportion_interval",
    "wilson",
    "wilson_corrected",
    "wilson_limits",
]

Interval = tuple[float, float]

_MAX_SEED = 2**64 - 1

# From 36 hits on, Wilson's limits lie beyond the one-sided exact ones at these confidences, whatever the
# number of rows: the exact ones, which take longer, need not be looked up.
_USUAL, _EXACT_BELOW = (0.9, 0.99), 36


def check_confidence(confidence: Any) -> None:
    """Raise unless a confidence is a share."""
    if not (isinstance(confidence, Real) and 0 < float(confidence) < 1):
        raise MetricError(f"{passed('confidence', confidence)} is a share between 0 and 1, such as 0.95.")


def check_seed(seed: Any) -> int:
    """Return the seed of random numbers; raise unless it is a whole number that 64 bits hold."""
    if type(seed) is int and 0 <= seed <= _MAX_SEED:
        return seed
    return check_whole_number("seed", seed, 0, _MAX_SEED)


def normal_quantile(confidence: float) -> float:
    """Return the half width, in standard errors, of a two-sided normal interval."""
    check_confidence(confidence)
    return _normal_quantile(float(confidence))


@functools.lru_cache(maxsize=64)
def _normal_quantile(confidence: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415 - SciPy takes its time to load

    return float(-ndtri((1 - confidence) / 2))


def wilson(x: float, n: float, confidence: float = 0.95) -> Interval:
    """Return Wilson's score interval: good mean coverage at any n, and a width at 0 and n.

    Parameters
    ----------
    x
        How many of the rows are hits.
    n
        How many rows there are.
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
    >>> low, high = wilson(81, 263)
    >>> round(low, 6), round(high, 6)
    (0.255289, 0.36621)
    """
    z = normal_quantile(confidence)
    centre, scale = x + z * z / 2, n + z * z
    half_width = z * math.sqrt(x * (n - x) / n + z * z / 4)
    return _within(x, n, (centre - half_width) / scale, (centre + half_width) / scale)


def wilson_corrected(x: float, n: float, confidence: float = 0.95) -> Interval:
    """Return Wilson's interval with the continuity correction of R's prop.test; wider than it need be.

    Parameters
    ----------
    x
        How many of the rows are hits.
    n
        How many rows there are.
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
    >>> low, high = wilson_corrected(81, 263)
    >>> round(low, 6), round(high, 6)
    (0.253509, 0.368176)
    """
    z = normal_quantile(confidence)
    half = min(0.5, abs(x - n / 2))  # as prop.test has it: no more than the distance from one half
    limits = []
    for sign in (-1, 1):
        moved = x + sign * half
        half_width = z * math.sqrt(max(moved * (n - moved) / n, 0.0) + z * z / 4)
        limits.append((moved + z * z / 2 + sign * half_width) / (n + z * z))
    return _within(x, n, *limits)


def modified_wilson(x: float, n: float, confidence: float = 0.95) -> Interval:
    """Return Wilson's interval, each limit moved out to the one-sided exact limit where that lies beyond.

    Wilson's lower limit is too high where x is small (Brown, Cai and DasGupta 2001): at a true rate of 0.17
    rows in n, Wilson's covers 0.84. With the exact one-sided limit of the same confidence as a floor, at most
    5% of 95% intervals lie above the true share and at most 5% below; the coverage is 0.915 or more for every
    n and share. From about x = 12 on the limits are Wilson's.

    Parameters
    ----------
    x
        How many of the rows are hits.
    n
        How many rows there are.
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
    >>> low, high = modified_wilson(1, 500)
    >>> round(low, 6), round(high, 6), round(wilson(1, 500)[0], 6)
    (0.000103, 0.011241, 0.000353)
    """
    low, high = wilson(x, n, confidence)
    tail = 1 - confidence
    usual = _USUAL[0] <= confidence <= _USUAL[1]
    if 0 < x <= (_EXACT_BELOW if usual else math.inf):
        low = min(low, _lower_beta(x, n - x + 1, tail))
    if 0 < n - x <= (_EXACT_BELOW if usual else math.inf):
        high = max(high, _upper_beta(x + 1, n - x, tail))
    return low, high


def wilson_limits(x: Any, n: Any, confidence: float = 0.95) -> tuple[Any, Any]:
    """Return :func:`wilson` of arrays of counts; NaN where there are no rows.

    >>> [limit.round(6).tolist() for limit in wilson_limits(np.array([81, 0]), np.array([263, 20]))]
    [[0.255289, 0.0], [0.36621, 0.161125]]
    """
    z = normal_quantile(confidence)
    centre, scale = x + z * z / 2, n + z * z
    with np.errstate(invalid="ignore", divide="ignore"):
        half_width = z * np.sqrt(x * (n - x) / n + z * z / 4)
    low = np.where(x <= 0, 0.0, np.maximum(0.0, (centre - half_width) / scale))
    high = np.where(x >= n, 1.0, np.minimum(1.0, (centre + half_width) / scale))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def modified_wilson_limits(x: Any, n: Any, confidence: float = 0.95) -> tuple[Any, Any]:
    """Return :func:`modified_wilson` of arrays of counts; NaN where there are no rows.

    >>> [limit.round(6).tolist() for limit in modified_wilson_limits(np.array([1, 81]), np.array([500, 263]))]
    [[0.000103, 0.255289], [0.011241, 0.36621]]
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - SciPy takes its time to load

    low, high = wilson_limits(x, n, confidence)
    max_count = _EXACT_BELOW if _USUAL[0] <= confidence <= _USUAL[1] else math.inf
    x, n = np.broadcast_arrays(x, n)
    few = (x > 0) & (x <= max_count)
    low[few] = np.minimum(low[few], betaincinv(x[few], n[few] - x[few] + 1, 1 - confidence))
    few = (n - x > 0) & (n - x <= max_count)
    high[few] = np.maximum(high[few], 1 - betaincinv(n[few] - x[few], x[few] + 1, 1 - confidence))
    return low, high


def jeffreys_limits(x: Any, n: Any, confidence: float = 0.95) -> tuple[Any, Any]:
    """Return :func:`jeffreys` of arrays of counts; NaN where there are no rows.

    >>> [limit.round(6).tolist() for limit in jeffreys_limits(np.array([81]), np.array([263]))]
    [[0.254522], [0.365647]]
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - SciPy takes its time to load

    tail = (1 - confidence) / 2
    low = np.where(x <= 0, 0.0, betaincinv(x + 0.5, n - x + 0.5, tail))
    high = np.where(x >= n, 1.0, 1 - betaincinv(n - x + 0.5, x + 0.5, tail))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def clopper_pearson(x: float, n: float, confidence: float = 0.95) -> Interval:
    """Return the exact interval: at least the stated coverage whatever the truth, usually more.

    Parameters
    ----------
    x
        How many of the rows are hits.
    n
        How many rows there are.
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
    >>> low, high = clopper_pearson(81, 263)
    >>> round(low, 6), round(high, 6)
    (0.252737, 0.367622)
    """
    check_confidence(confidence)
    tail = (1 - confidence) / 2
    low = 0.0 if x <= 0 else _lower_beta(x, n - x + 1, tail)
    high = 1.0 if x >= n else _upper_beta(x + 1, n - x, tail)
    return low, high


def agresti_coull(x: float, n: float, confidence: float = 0.95) -> Interval:
    """Return the adjusted Wald interval, clipped to [0, 1]: simple, and seldom far below its coverage.

    Parameters
    ----------
    x
        How many of the rows are hits.
    n
        How many rows there are.
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
    >>> low, high = agresti_coull(81, 263)
    >>> round(low, 6), round(high, 6)
    (0.255221, 0.366277)
    """
    z = normal_quantile(confidence)
    scale = n + z * z
    centre = (x + z * z / 2) / scale
    half_width = z * math.sqrt(centre * (1 - centre) / scale)
    return max(0.0, centre - half_width), min(1.0, centre + half_width)


def jeffreys(x: float, n: float, confidence: float = 0.95) -> Interval:
    """Return the equal-tailed interval of Jeffreys' prior, from 0 without hits and to 1 without misses.

    Parameters
    ----------
    x
        How many of the rows are hits.
    n
        How many rows there are.
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
    >>> low, high = jeffreys(81, 263)
    >>> round(low, 6), round(high, 6)
    (0.254522, 0.365647)
    """
    check_confidence(confidence)
    tail = (1 - confidence) / 2
    low = 0.0 if x <= 0 else _lower_beta(x + 0.5, n - x + 0.5, tail)
    high = 1.0 if x >= n else _upper_beta(x + 0.5, n - x + 0.5, tail)
    return low, high


def mid_p(x: float, n: float, confidence: float = 0.95) -> Interval:
    """Return the mid-p interval: exact, but with half the probability of the observed count, so less wide.

    Parameters
    ----------
    x
        How many of the rows are hits.
    n
        How many rows there are.
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
    >>> low, high = mid_p(81, 263)
    >>> round(low, 6), round(high, 6)
    (0.254402, 0.365773)
    """
    from scipy.optimize import brentq  # noqa: PLC0415
    from scipy.special import betainc  # noqa: PLC0415

    check_confidence(confidence)
    tail = (1 - confidence) / 2

    def above(p: float) -> float:  # P(X > x) + P(X = x) / 2
        more = float(betainc(x + 1, n - x, p)) if x < n else 0.0
        at_least = float(betainc(x, n - x + 1, p)) if x > 0 else 1.0
        return (more + at_least) / 2

    precision = {"xtol": 1e-16, "rtol": 8.9e-16}
    low = 0.0 if x <= 0 else float(brentq(lambda p: above(p) - tail, 0.0, 1.0, **precision))
    high = 1.0 if x >= n else float(brentq(lambda p: above(p) - (1 - tail), 0.0, 1.0, **precision))
    return low, high


METHODS: dict[str, Callable[[float, float, float], Interval]] = {
    "wilson": wilson,
    "modified-wilson": modified_wilson,
    "clopper-pearson": clopper_pearson,
    "agresti-coull": agresti_coull,
    "jeffreys": jeffreys,
    "mid-p": mid_p,
    "wilson-corrected": wilson_corrected,
}


def proportion_interval(x: float, n: float, confidence: float = 0.95, method: str = "wilson") -> Interval:
    """Return the interval of a proportion by a named method.

    Parameters
    ----------
    x
        How many of the rows are hits.
    n
        How many rows there are.
    confidence
        The confidence level of the interval.
    method
        ``"wilson"``, ``"modified-wilson"``, ``"clopper-pearson"``, ``"agresti-coull"``, ``"jeffreys"``,
        ``"mid-p"`` or ``"wald"``.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known; or `x` does not lie within 0 and
        `n`.

    Examples
    --------
    >>> low, high = proportion_interval(0, 20, method="clopper-pearson")
    >>> low, round(high, 6)
    (0.0, 0.168433)
    """
    if method not in METHODS:
        known = ", ".join(f'"{name}"' for name in METHODS)
        raise MetricError(f"method={method!r} is no interval for a proportion: use {known}.")
    check_confidence(confidence)
    if not 0 <= x <= n:
        raise MetricError(f"{x} of {n} is no proportion.")
    if n == 0:
        return 0.0, 1.0  # no rows rule nothing out
    return METHODS[method](x, n, confidence)


def _lower_beta(a: float, b: float, tail: float) -> float:
    """Return a lower quantile of the beta distribution."""
    from scipy.special import betaincinv  # noqa: PLC0415

    return float(betaincinv(a, b, tail))


def _upper_beta(a: float, b: float, tail: float) -> float:
    """Return an upper quantile of the beta distribution, accurate near 1."""
    from scipy.special import betaincinv  # noqa: PLC0415

    return float(1 - betaincinv(b, a, tail))


def _within(x: float, n: float, low: float, high: float) -> Interval:
    """Return limits that are exactly 0 at no hits and 1 at no misses."""
    return (0.0 if x <= 0 else max(0.0, low)), (1.0 if x >= n else min(1.0, high))
