"""Curves of millions of points with no more of them than an eye or a printer can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.metrics.curves.curves import Curve

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Limits = tuple[float, float]

__all__ = ["simplified", "stepped", "visible"]

_FEW = 1_000  # points that are quickly drawn as they are
_PRINTED = 2_400  # pixels: four inches at 600 dots per inch, or a screen of any width


def simplified(
    curve: Curve,
    *,
    pixels: int = _PRINTED,
    limits: tuple[Limits, Limits] | None = None,
    scale: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
    tolerance: float = 0.5,
) -> Curve:
    """Return the curve without the points whose absence nobody could see.

    Drawn on a square of so many pixels, the lines through what is left are nowhere as much as `tolerance`
    pixels from the lines through all points. A curve of 1,000 points or fewer is returned as it is.

    Parameters
    ----------
    curve
        Any curve; where a point is NaN or infinite the line is broken, before and after.
    pixels
        The larger side of the picture at its largest.
    limits
        What the picture shows of x and of y; all that there is unless given.
    scale
        What the axes do to numbers before they are evenly spaced (a logarithm, a probit).
    tolerance
        The largest distance allowed, in pixels.

    Returns
    -------
    Curve
        The curve of the points that are needed.

    Examples
    --------
    >>> x = np.linspace(0, 1, 1_000_001)
    >>> parabola = Curve("parabola", "x", "square", x, x * x, x)
    >>> simplified(parabola)
    <parabola: square over x, 65 points>
    """
    if len(curve) <= _FEW:
        return curve
    columns = [np.asarray(values, dtype=np.float64) for values in (curve.x, curve.y)]
    if scale is not None:
        columns = [scale(values) for values in columns]
        limits = limits and tuple(tuple(scale(np.array(values)).tolist()) for values in limits)  # type: ignore[assignment]
    placed = [
        _in_pixels(values, pixels, shown)
        for values, shown in zip(columns, limits or (None, None), strict=True)
    ]
    return curve.taken(visible(placed[0], placed[1], tolerance))


def visible(x: NDArray[Any], y: NDArray[Any], tolerance: float = 0.5) -> NDArray[np.intp]:
    """Return the places of the points that a line needs so as to stray by less than `tolerance`.

    Two steps spend half of it each: of neighbours in a column of half a tolerance the first, the last, the
    lowest and the highest are kept, which is linear in the points; and of those the ones that Douglas and
    Peucker (1973) keep.

    >>> visible(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 0.1, 0.0, 5.0])).tolist()
    [0, 2, 3]
    """
    half = tolerance / 2
    finite = np.isfinite(x) & np.isfinite(y)
    column = np.where(
        finite, np.floor(np.where(finite, x, 0.0) / half), -np.inf
    )  # gaps are a column of their own
    indices = _extremes(column, np.where(finite, y, 0.0))
    chosen = []
    pieces = np.split(indices, np.flatnonzero(np.diff(finite[indices])) + 1)
    for piece in pieces:
        if not len(piece):
            continue
        chosen.append(piece[_cornered(x[piece], y[piece], half)] if finite[piece[0]] else piece[:1])
    return np.concatenate([*chosen, np.empty(0, np.intp)]).astype(np.intp)


def stepped(curve: Curve) -> Curve:
    """Return the curve as steps: between two points the height is that of the one with the larger x.

    So precision holds down to the next smaller recall, and a count down to the next lower cutoff.

    >>> curve = Curve("two", "x", "y", np.array([0, 1]), np.array([1, 3]), np.array([9, 8]))
    >>> stepped(curve).x.tolist(), stepped(curve).y.tolist()
    ([0, 0, 1], [1, 3, 3])
    """
    twice = np.repeat(np.arange(len(curve)), 2)
    first, last = twice[:-1], twice[1:]
    falling = len(curve) > 1 and curve.x[0] > curve.x[-1]
    x, y = (last, first) if falling else (first, last)
    return Curve(curve.name, curve.x_name, curve.y_name, curve.x[x], curve.y[y], curve.cutoffs[y])


def _in_pixels(values: NDArray[Any], pixels: int, shown: Limits | None) -> NDArray[Any]:
    finite = values[np.isfinite(values)]
    low, high = shown or (finite.min(initial=np.inf), finite.max(initial=-np.inf))
    return (
        (values - low) * (pixels / (high - low)) if np.isfinite(high - low) and high > low else values * 0.0
    )


def _extremes(column: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Return the places of the first, last, lowest and highest point of each run of one column."""
    fresh = np.concatenate([[True], column[1:] != column[:-1]])
    starts = np.flatnonzero(fresh)
    if len(starts) * 4 >= len(y):
        return np.arange(len(y))
    run = np.cumsum(fresh) - 1
    indices = [starts, np.append(starts[1:], len(y)) - 1]
    for extreme in (np.minimum, np.maximum):
        reached = np.flatnonzero(y == extreme.reduceat(y, starts)[run])
        indices.append(reached[np.diff(run[reached], prepend=-1) > 0])
    return np.unique(np.concatenate(indices))


def _cornered(x: NDArray[Any], y: NDArray[Any], tolerance: float) -> NDArray[np.bool_]:
    """Tell which points the line needs: the farthest from a chord, as long as it is too far."""
    needed = np.zeros(len(x), dtype=bool)
    needed[[0, -1]] = True
    waiting = [(0, len(x) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:  # noqa: PLR2004 - nothing between them
            continue
        run, rise = x[last] - x[first], y[last] - y[first]
        along, up = x[first + 1 : last] - x[first], y[first + 1 : last] - y[first]
        length = run * run + rise * rise
        share = np.clip((along * run + up * rise) / length, 0, 1) if length else 0.0
        distance = np.square(along - share * run) + np.square(up - share * rise)
        farthest = int(np.argmax(distance))
        if distance[farthest] >= tolerance * tolerance:
            middle = first + 1 + farthest
            needed[middle] = True
            waiting += [(first, middle), (middle, last)]
    return needed
