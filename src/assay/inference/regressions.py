"""Standard errors of regression metrics by the influence of each row, for any distribution of errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.inference.proportions import Interval, normal_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Influence",
    "ccc_influence",
    "explained_variance_influence",
    "lin_interval",
    "r2_influence",
    "rmse_influence",
]


class Influence(NamedTuple):
    """A metric's value and, row by row, what more of that row would do to it; the mean of these is 0."""

    value: float
    rows: NDArray[np.float64]
    weight: NDArray[np.float64]

    @property
    def standard_error(self) -> float:
        """The infinitesimal jackknife's error: the root of the summed squares over the summed weights."""
        return math.sqrt(float(np.square(self.weight * self.rows).sum())) / float(self.weight.sum())


def rmse_influence(actual: Any, predicted: Any, weight: Any = None) -> Influence:
    """Return RMSE and its influence values.

    Hampel 1974.

    >>> round(rmse_influence([1.0, 2.0, 3.0], [1.0, 2.0, 5.0]).standard_error, 6)
    0.471405
    """
    y, p, w = _columns(actual, predicted, weight)
    squares = np.square(y - p)
    mean = _mean(squares, w)
    value = math.sqrt(mean)
    if not value:
        return Influence(0.0, np.zeros(len(y)), w)
    return Influence(value, (squares - mean) / (2 * value), w)


def r2_influence(actual: Any, predicted: Any, weight: Any = None) -> Influence:
    """Return R², one less the squared errors over the squared distances from the mean, and its influence.

    Hampel 1974.

    >>> found = r2_influence([1.0, 2.0, 3.0, 4.0], [1.0, 2.5, 2.5, 4.5])
    >>> round(found.value, 6), round(found.standard_error, 6)
    (0.85, 0.09206)
    """
    y, p, w = _columns(actual, predicted, weight)
    return _one_less_ratio(np.square(y - p), np.square(y - _mean(y, w)), w)


def explained_variance_influence(actual: Any, predicted: Any, weight: Any = None) -> Influence:
    """Return the share of variance explained, which forgives a constant error, and its influence.

    Hampel 1974.

    >>> found = explained_variance_influence([1.0, 2.0, 3.0, 4.0], [1.0, 2.5, 2.5, 4.5])
    >>> round(found.value, 6), round(found.standard_error, 6)
    (0.8625, 0.100592)
    """
    y, p, w = _columns(actual, predicted, weight)
    errors = y - p
    return _one_less_ratio(np.square(errors - _mean(errors, w)), np.square(y - _mean(y, w)), w)


def ccc_influence(actual: Any, predicted: Any, weight: Any = None) -> Influence:
    """Return Lin's concordance correlation coefficient, moments over n, and its influence.

    Lin 1989; the influence is Hampel's (1974).

    >>> found = ccc_influence([1.0, 2.0, 3.0, 4.0], [1.0, 2.5, 2.5, 4.5])
    >>> round(found.value, 6), round(found.standard_error, 6)
    (0.933333, 0.043065)
    """
    y, p, w = _columns(actual, predicted, weight)
    apart = _mean(y, w) - _mean(p, w)
    a, b = y - _mean(y, w), p - _mean(p, w)
    together = 2 * _mean(a * b, w)
    spreads = _mean(a * a, w) + _mean(b * b, w)
    whole = spreads + apart**2
    if not whole:
        raise MetricError("all rows are alike: there is no concordance to speak of.")
    value = together / whole
    moved = a * a + b * b - spreads + 2 * apart * (a - b)
    return Influence(value, (2 * a * b - together - value * moved) / whole, w)


def lin_interval(
    value: float, correlation: float, shift: float, n: int, *, confidence: float = 0.95
) -> tuple[float, Interval]:
    """Return Lin's standard error of the concordance correlation for normal rows, and the atanh interval.

    Lin 1989 with the correction of 2000. `shift` is the squared distance of the means over the product of
    the two standard deviations.

    >>> error, (low, high) = lin_interval(0.9067, 0.9571, 0.0001, 8)
    >>> round(error, 4), round(low, 4), round(high, 4)
    (0.0473, 0.7563, 0.9661)
    """
    if n <= 2 or not correlation:  # noqa: PLR2004
        raise MetricError("Lin's error needs three rows and a correlation other than 0.")
    r, k = correlation, value
    spread = (1 - r**2) * k**2 * (1 - k**2) / r**2
    spread += 2 * k**3 * (1 - k) * shift / r - k**4 * shift**2 / (2 * r**2)
    error = math.sqrt(spread / (n - 2))
    reach = normal_quantile(confidence) * error / (1 - k**2)
    return error, (math.tanh(math.atanh(k) - reach), math.tanh(math.atanh(k) + reach))


def _one_less_ratio(above: NDArray[Any], below: NDArray[Any], weight: NDArray[Any]) -> Influence:
    """Return one less the ratio of two means, and its influence."""
    top, bottom = _mean(above, weight), _mean(below, weight)
    if not bottom:
        raise MetricError("the actual values are constant: there is no variance to explain.")
    slopes = -(above - top) / bottom + top * (below - bottom) / bottom**2
    return Influence(1 - top / bottom, slopes, weight)


def _mean(values: NDArray[Any], weight: NDArray[Any]) -> float:
    return math.fsum(values * weight) / math.fsum(weight)


def _columns(actual: Any, predicted: Any, weight: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    y, p = (np.asarray(x, dtype=np.float64) for x in (actual, predicted))
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    if not y.shape == p.shape == w.shape or y.ndim != 1 or not len(y):
        raise MetricError("actual, predicted and weight are columns of the same length, and not empty.")
    return y, p, w
