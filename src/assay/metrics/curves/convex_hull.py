"""The upper convex hull of a rising curve, in exact arithmetic where the counts are integers."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["upper_hull"]

_PRODUCT_FITS = 1 << 31  # counts whose product fits 64 bits
_MIN_DROPPED = 8  # a pass over all points is worth it where it drops at least one in so many
_MIN_PRESELECT = 100_000  # points from which on those near the hull are selected first


def upper_hull(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Return the indices of the corners of the smallest concave curve above a non-decreasing one.

    Points on a straight line between two corners are not corners.

    >>> upper_hull(np.array([0, 1, 2, 3]), np.array([0, 0, 2, 2])).tolist()
    [0, 2, 3]
    """
    if x.dtype.kind != "f" and max(x[-1], y[-1]) >= _PRODUCT_FITS:
        x, y = x.astype(object), y.astype(object)
    elif x.dtype.kind != "f" and len(x) > _MIN_PRESELECT:
        near = _near_hull(x, y)
        return near[upper_hull(x[near], y[near])] if 2 * len(near) < len(x) else _monotone_chain(x, y)
    return _monotone_chain(x, y)


def _near_hull(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Return the indices of all points on or above the hull of a subset of them, in order."""
    subset = np.append(np.arange(0, len(x) - 1, int(len(x) ** 0.5)), len(x) - 1)
    corners = subset[_monotone_chain(x[subset], y[subset])].tolist()
    near = [np.zeros(1, dtype=np.intp)]
    for first, last in itertools.pairwise(corners):
        run, rise = x[last] - x[first], y[last] - y[first]
        between = slice(first + 1, last)
        above = y[between] * run - x[between] * rise > y[first] * run - x[first] * rise
        near += [first + 1 + np.flatnonzero(above), np.array([last])]
    return np.concatenate(near)


def _monotone_chain(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    indices = np.flatnonzero(np.concatenate([[True], (x[1:] != x[:-1]) | (y[1:] != y[:-1])]))
    # A point on or below the chord of its two neighbours is no corner, whether or not they stay: passes over
    # whole arrays leave little of a long curve for the loop.
    while len(indices) > 2:  # noqa: PLR2004 - the two ends
        stays = np.concatenate([[True], _above_chord(x[indices], y[indices]), [True]])
        before = len(indices)
        indices = indices[stays]
        if (before - len(indices)) * _MIN_DROPPED < before:
            break
    corners: list[int] = []
    points = list(zip(x[indices].tolist(), y[indices].tolist(), strict=True))
    for index, (px, py) in enumerate(points):
        while len(corners) > 1:
            (ax, ay), (bx, by) = points[corners[-2]], points[corners[-1]]
            if (bx - ax) * (py - ay) - (by - ay) * (px - ax) < 0:
                break
            corners.pop()
        corners.append(index)
    return indices[corners]


def _above_chord(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell of every point but the ends whether it is above the straight line between its neighbours."""
    run, rise = np.diff(x), np.diff(y)
    return np.asarray(run[:-1] * rise[1:] < rise[:-1] * run[1:], dtype=bool)
