"""The upper convex hull of a rising curve, in exact arithmetic where the counts are integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["upper_hull"]

_PRODUCT_FITS = 1 << 31
_WORTH_A_PASS = 8  # a pass over the whole must drop at least one point in so many


def upper_hull(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Return the places of the corners of the least concave curve above one that never falls.

    Points on a straight line between two corners are no corners.

    >>> upper_hull(np.array([0, 1, 2, 3]), np.array([0, 0, 2, 2])).tolist()
    [0, 2, 3]
    """
    if x.dtype.kind != "f" and max(x[-1], y[-1]) >= _PRODUCT_FITS:
        x, y = x.astype(object), y.astype(object)
    kept = np.flatnonzero(np.concatenate([[True], (x[1:] != x[:-1]) | (y[1:] != y[:-1])]))
    # A point on or below the chord of its two neighbours is no corner, whatever else happens to them:
    # whole passes leave little of a long curve for the loop.
    while len(kept) > 2:  # noqa: PLR2004 - the two ends
        stays = np.concatenate([[True], _above_chord(x[kept], y[kept]), [True]])
        before = len(kept)
        kept = kept[stays]
        if (before - len(kept)) * _WORTH_A_PASS < before:
            break
    corners: list[int] = []
    points = list(zip(x[kept].tolist(), y[kept].tolist(), strict=True))
    for place, (px, py) in enumerate(points):
        while len(corners) > 1:
            (ax, ay), (bx, by) = points[corners[-2]], points[corners[-1]]
            if (bx - ax) * (py - ay) - (by - ay) * (px - ax) < 0:
                break
            corners.pop()
        corners.append(place)
    return kept[corners]


def _above_chord(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell of every point but the ends whether it is above the straight line between its neighbours."""
    run, rise = np.diff(x), np.diff(y)
    return np.asarray(run[:-1] * rise[1:] < rise[:-1] * run[1:], dtype=bool)
