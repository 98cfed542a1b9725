"""Local regression (loess): the observed rate as a smooth function of the probability.

At each probability a polynomial is fitted to the rows nearest to it, by least squares with tricube weights
(Cleveland 1979). It is the exact local fit at every probability: R's loess computes it at a few vertices and
interpolates, unless called with ``surface = "direct"``, whose results these are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from assay.errors import MetricError
from assay.metrics.parameters import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.views.probability import Probabilities

    Array: TypeAlias = NDArray[np.float64]

__all__ = ["loess"]

_MAX_ROW_BY_ROW = 400  # probabilities, up to which each fit goes by rows
_MAX_CONDITION = 1e6  # number of the normal equations, which costs digits
_SHARE_TOLERANCE = 1e-9  # of the rows: so much less than the span's share still counts as the share
_TRICUBE = ((0, 1.0), (3, -3.0), (6, 3.0), (9, -1.0))  # (1 - t³)³ by powers of t


def loess(view: Probabilities, *, span: float = 0.75, degree: int = 2) -> Array:
    """Return the locally fitted rate at every probability of a view; it may lie beyond 0 and 1.

    The window at a probability is the smallest that holds a share `span` of the rows, by their weights; its
    farthest rows have weight 0. R takes floor(span n) rows, so that where span n is not whole its window is
    that of a smaller span, floor(span n) / n. A polynomial of `degree` 0, 1 or 2 is fitted, of a lower one
    where too few probabilities differ.

    >>> import assay
    >>> from assay.metrics.views.probability import Probabilities
    >>> score = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 0, 1, 0, 1, 0, 1, 1], score=score))
    >>> loess(Probabilities.of(tally)).round(4)
    array([-0.0329,  0.2412,  0.3838,  0.396 ,  0.604 ,  0.6162,  0.7588,
            1.0329])
    """
    span = number("span", span, above=0)
    if span > 1:
        raise MetricError(f"span={span!r}: a share of the rows lies between 0 and 1.")
    if degree not in (0, 1, 2):
        raise MetricError(f"degree={degree!r}: a local polynomial has degree 0, 1 or 2.")
    x, counts = np.asarray(view.p, dtype=np.float64), np.asarray(view.counts, dtype=np.float64)
    widths = _widths(x, counts, span)
    left, right = np.searchsorted(x, x - widths, side="right"), np.searchsorted(x, x + widths, side="left")
    windows = _Windows(x, counts, view.positives, widths, left, right)
    fitted = np.array(view.rates, dtype=np.float64)  # what stays where a window has too few probabilities
    several = np.flatnonzero((right - left > degree) & (widths > 0))
    if len(several):
        fit = _row_by_row if len(x) <= _MAX_ROW_BY_ROW else _by_moments
        fitted[several] = fit(windows, several, degree)
    return fitted


class _Windows(NamedTuple):
    """Probabilities in order, their rows and positives, and each one's window: its width and its ends."""

    x: Array
    counts: Array
    positives: Array
    widths: Array
    left: Any
    right: Any


def _widths(x: Array, counts: Array, span: float) -> Array:
    """Return the width of each window: the smallest distance within which a share of all rows lies.

    A window is a run of probabilities. Of the runs from each probability on that hold the share, the best for
    a point is where its two ends are equally far, or the one before.
    """
    passed = np.concatenate([[0.0], np.cumsum(counts)])
    target = span * passed[-1] * (1 - _SHARE_TOLERANCE)
    ends = np.searchsorted(passed, passed[:-1] + target)  # number of probabilities up to the run's end
    begins = np.arange(len(x))[ends <= len(x)]
    ends = ends[ends <= len(x)] - 1
    middle = np.searchsorted(x[begins] + x[ends], 2 * x)
    widths = np.full(len(x), np.inf)
    for step in (-2, -1, 0, 1):  # rounding may move the middle by one
        run = np.clip(middle + step, 0, len(begins) - 1)
        widths = np.minimum(widths, np.maximum(x - x[begins[run]], x[ends[run]] - x))
    return np.asarray(np.maximum(widths, 0.0))


def _row_by_row(windows: _Windows, indices: Any, degree: int) -> Array:
    """Return the fits at some probabilities, each by least squares over its own window."""
    x, counts, positives, widths, left, right = windows
    fitted = np.empty(len(indices))
    for i, index in enumerate(indices.tolist()):
        inside = slice(int(left[index]), int(right[index]))
        distance = (x[inside] - x[index]) / widths[index]
        weight = np.sqrt(np.maximum(1 - np.abs(distance) ** 3, 0) ** 3 * counts[inside])
        columns = np.vander(distance, degree + 1, increasing=True) * weight[:, None]
        rates = positives[inside] / counts[inside] * weight
        fitted[i] = np.linalg.lstsq(columns, rates, rcond=None)[0][0]
    return fitted


def _by_moments(windows: _Windows, indices: Any, degree: int) -> Array:
    """Return the same from running sums of powers: the tricube is a polynomial on either side of its middle.

    Powers are taken about the middle of a block of probabilities that is half a window wide, in units of the
    window, so that they stay near 1 and nothing cancels; there are about as many blocks as windows side by
    side. Where the equations are nearly singular, with almost all weight at one probability, the fit goes by
    rows.
    """
    x, counts, positives, widths, left, right = windows
    fitted = np.empty(len(indices))
    begin = 0
    while begin < len(indices):
        block_end = x[indices[begin]] + widths[indices[begin]] / 2
        end = max(int(np.searchsorted(x[indices], block_end, side="right")), begin + 1)
        block = indices[begin:end]
        middle = indices[(begin + end) // 2]
        centre, unit = x[middle], widths[middle]
        inside = slice(int(left[block].min()), int(right[block].max()))
        u = (x[inside] - centre) / unit
        powers = np.vander(u, 2 * degree + 10, increasing=True).T
        at, scale = (x[block] - centre) / unit, unit / widths[block]
        # The probability itself is on the left side of its window.
        sides = [edge - inside.start for edge in (left[block], block + 1, right[block])]
        sums = [_window_sums(powers * mass[inside], sides, at, scale) for mass in (counts, positives)]
        fitted[begin:end] = _solved(sums[0], sums[1], degree)
        begin = end
    singular = np.flatnonzero(np.isnan(fitted))
    if len(singular):
        fitted[singular] = _row_by_row(windows, indices[singular], degree)
    return fitted


def _window_sums(terms: Array, sides: list[Any], at: Array, scale: Array) -> Array:
    """Return sums over each window of mass times tricube times powers of the distance.

    `terms` hold mass times a power of the distance from the block's centre, a power per row.
    """
    size = len(terms)
    passed = np.concatenate([np.zeros((size, 1)), np.cumsum(terms, axis=1)], axis=1)
    moments = np.zeros((size - 9, len(at)))
    for low, high, sign in ((sides[0], sides[1], -1.0), (sides[1], sides[2], 1.0)):
        about = passed[:, high] - passed[:, low]
        # Powers of the distance from the probability, by (v - at)^k = v (v - at)^(k-1) - at (v - at)^(k-1).
        for first in range(1, size):
            about[first:] -= at * about[first - 1 : -1]
        power_of_scale = np.ones(len(at))
        for power in range(1, size):
            power_of_scale = power_of_scale * scale
            about[power] *= power_of_scale
        for extra, factor in _TRICUBE:
            moments += factor * sign**extra * about[extra : extra + size - 9]
    return moments


def _solved(mass: Array, rate: Array, degree: int) -> Array:
    """Return the constant of each weighted polynomial, NaN where its normal equations are nearly singular."""
    index = np.arange(degree + 1)
    matrix = np.moveaxis(mass[index[:, None] + index], -1, 0)
    sound = np.linalg.cond(matrix) < _MAX_CONDITION
    matrix = np.where(sound[:, None, None], matrix, np.eye(degree + 1))
    constants = np.linalg.solve(matrix, rate[: degree + 1].T[:, :, None])[:, 0, 0]
    return np.where(sound, constants, np.nan)
