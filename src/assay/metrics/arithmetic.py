"""Division, roots and logarithms that a formula can use on numbers and on arrays.

NaN means "no value" inside a formula, so that one formula serves a single table, every class, every
cutoff and every bootstrap replicate. The metric's call turns it into :class:`~assay.metrics.Undefined`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.metrics.exact import Exact

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "floats",
    "limit_ratio",
    "log",
    "mild",
    "over_root",
    "ratio",
    "root",
    "total",
    "where",
    "within",
    "x_log_y",
]

_NUMBER = (int, float)
_MIN_LARGEST_WEIGHT = 2.0**-160  # products of six such weights are normal floats
_MAX_EXACT_SUM = 100_000  # numbers that are added exactly within a few milliseconds


def ratio(numerator: Any, denominator: Any) -> Any:
    """Return the quotient, NaN where the denominator is 0.

    Parameters
    ----------
    numerator, denominator
        Numbers, or arrays of one shape.

    Returns
    -------
    float or NDArray
        The quotient.

    Examples
    --------
    >>> ratio(3, 4), ratio(1, 0)
    (0.75, nan)
    >>> ratio(np.array([1, 2]), np.array([0, 4]))
    array([nan, 0.5])
    """
    if isinstance(denominator, Exact) or (
        isinstance(denominator, _NUMBER) and isinstance(numerator, _NUMBER)
    ):
        return numerator / denominator if denominator else math.nan
    denominator = np.asarray(denominator)
    return np.divide(numerator, np.where(denominator == 0, math.nan, denominator))[()]


def limit_ratio(numerator: Any, denominator: Any) -> Any:
    """Return the quotient; a positive number over 0 is infinite, 0 over 0 is NaN.

    >>> limit_ratio(3, 0), limit_ratio(0, 0), limit_ratio(math.nan, 0)
    (inf, nan, nan)
    >>> limit_ratio(np.array([3, 0, 1]), np.array([0, 0, 2]))
    array([inf, nan, 0.5])
    """
    if isinstance(denominator, Exact) or (
        isinstance(denominator, _NUMBER) and isinstance(numerator, _NUMBER)
    ):
        if denominator:
            return numerator / denominator
        return math.inf if numerator > 0 else -math.inf if numerator < 0 else math.nan
    size = np.real(floats(numerator))
    limit = np.where(size > 0, math.inf, np.where(size < 0, -math.inf, math.nan))
    return _divided(numerator, denominator, limit)


def _divided(numerator: Any, denominator: Any, otherwise: Any) -> Any:
    numerator, denominator, otherwise = np.broadcast_arrays(numerator, denominator, otherwise)
    out = otherwise.astype(np.result_type(numerator, denominator, np.float64))
    with np.errstate(over="ignore"):
        return np.divide(numerator, denominator, out=out, where=denominator != 0)[()]


def root(value: Any) -> Any:
    """Return the square root; NaN stays NaN, and negative numbers, which only rounding makes, count as 0.

    Parameters
    ----------
    value
        A number or an array.

    Returns
    -------
    float or NDArray
        The square root.

    Examples
    --------
    >>> root(4.0), root(-1e-18)
    (2.0, -0.0)
    """
    if isinstance(value, _NUMBER):
        return math.sqrt(value) if value > 0 else value * 0.0
    if isinstance(value, Exact):
        return value.root()
    value = floats(value)
    return np.sqrt(value if value.dtype.kind == "c" else np.where(value < 0, 0.0, value))[()]


def over_root(numerator: Any, product: Any) -> Any:
    """Return a number over the root of another, NaN where that is 0; correctly rounded for exact numbers.

    >>> over_root(-3, 9), over_root(1, 2), over_root(np.array([4.0, -4.0]), np.array([4.0, 0.0]))
    (-1.0, 0.7071067811865476, array([ 2., nan]))
    """
    if not isinstance(numerator, (int, Exact)) or not isinstance(product, (int, Exact)):
        return ratio(numerator, root(product))
    if not product:
        return math.nan
    size = (Exact(1) * (numerator * numerator) / product).root()
    return -size if numerator < 0 else size


def log(value: Any) -> Any:
    """Return the natural logarithm, minus infinity at 0."""
    if isinstance(value, _NUMBER):
        return math.log(value) if value > 0 else (-math.inf if value == 0 else math.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(floats(value))[()]


def x_log_y(x: Any, y: Any) -> Any:
    """Return x log y, which is 0 where x is 0, whatever y is."""
    x, y = np.broadcast_arrays(floats(x), floats(y))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(x == 0, 0.0, x * np.log(np.where(x == 0, 1.0, y)))[()]


def within(value: Any, low: float, high: float) -> Any:
    """Return the value, moved back to a bound where rounding put it beyond; NaN stays NaN.

    >>> within(np.array([-1e-17, 0.5, math.nan]), 0, 1)
    array([0. , 0.5, nan])
    """
    if isinstance(value, float):
        return min(max(value, low), high)
    return np.minimum(np.maximum(floats(value), low), high)[()]


def mild(weights: NDArray[Any]) -> NDArray[Any]:
    """Return weights, or sums of them, scaled by a power of two where their squares would over- or underflow.

    A common factor changes no metric, and a power of two changes no digit.

    >>> mild(np.array([1.0, 3.0])), mild(np.array([1.0, 3.0]) * 2.0**-600)
    (array([1., 3.]), array([0.25, 0.75]))
    """
    largest = float(np.max(weights, initial=0.0))
    if not largest or _MIN_LARGEST_WEIGHT <= largest <= 1 / _MIN_LARGEST_WEIGHT:
        return weights
    return np.asarray(np.ldexp(weights, -math.frexp(largest)[1]))


def floats(value: Any) -> Any:
    """Return an array of floats, from integers of any size; complex numbers are kept."""
    value = np.asarray(value)
    return value if value.dtype.kind in "fc" else value.astype(np.float64)


def where(condition: Any, value: Any, otherwise: Any) -> Any:
    """Return the elements of one or the other, by a condition."""
    return np.where(condition, value, otherwise)[()]


def total(values: Any) -> Any:
    """Return the sum along the last axis; exact for one row of numbers, unless there are very many.

    >>> total(np.array([1e16, 1.0, -1e16])), total(np.ones((2, 3)))
    (1.0, array([3., 3.]))
    """
    values = np.asarray(values)
    if values.ndim == 1 and len(values) <= _MAX_EXACT_SUM and np.isfinite(values).all():
        try:
            return math.fsum(values)
        except OverflowError:  # a partial sum overflows
            pass
    with np.errstate(over="ignore"):
        return values.sum(-1)
