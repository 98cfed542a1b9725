"""Slopes of metrics that read margins and hits only: 3 K steps for K classes, not K squared."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from assay.inference.gradients import STEP, imaginary
from assay.metrics import Classes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["margin_gradient"]

_BLOCK = 1 << 21  # numbers of moved margins held at once


class _NeedsTable(Exception):  # noqa: N818 - no error: a formula asked for more than margins
    """A formula reads cells, not only margins."""


class _Margins(Classes):
    """A table known by its hits, its margins and its total, each of them free to move by itself."""

    def __init__(self, hits: Any, actual: Any, predicted: Any, n: Any) -> None:
        self.__dict__.update(_hits=hits, actual=actual, predicted=predicted, n=n)

    @property
    def table(self) -> NoReturn:
        """Refuse: there is none."""
        raise _NeedsTable

    @property
    def hits(self) -> Any:
        """How many rows of each class were predicted as they are."""
        return self.__dict__["_hits"]

    @functools.cached_property
    def wrong(self) -> Any:
        """How many rows were not predicted as they are."""
        return self.n - self.correct

    @property
    def size(self) -> int:
        """How many classes there are."""
        return int(self.actual.shape[-1])


def margin_gradient(formula: Callable[[Any], Any], table: Any) -> NDArray[np.float64] | None:
    """Return the slope of a formula of classes at every cell; None where it reads more than margins and hits.

    A wrong row moves its class's total, its prediction's total and the number of rows, and its slope is the
    sum of the formula's slopes by these. A right row moves them and the hits together, at once: a formula may
    have a corner where the two totals are equal, and it does not part them.

    >>> from assay.metrics import accuracy
    >>> margin_gradient(accuracy.formula, [[3, 1], [1, 5]])
    array([[ 0.02, -0.08],
           [-0.08,  0.02]])
    """
    cells = np.asarray(table).astype(np.float64)
    size = len(cells)
    parts = np.concatenate([np.diagonal(cells), cells.sum(1), cells.sum(0), [cells.sum()]])
    slopes = np.empty(len(parts))
    block = max(1, _BLOCK // len(parts))
    try:
        for begin in range(0, len(parts), block):
            steps = np.arange(begin, min(begin + block, len(parts)))
            moved = np.broadcast_to(parts.astype(np.complex128), (len(steps), len(parts))).copy()
            moved[np.arange(len(steps)), steps] += 1j * STEP
            right = np.flatnonzero(steps < size)
            for margin in (size + steps[right], 2 * size + steps[right], -1):
                moved[right, margin] += 1j * STEP
            hits, actual, predicted = (moved[:, k * size : (k + 1) * size] for k in range(3))
            slopes[steps] = imaginary(formula, _Margins(hits, actual, predicted, moved[:, -1]))
    except _NeedsTable:
        return None
    found = slopes[size : 2 * size, None] + slopes[2 * size : 3 * size][None, :] + slopes[-1]
    np.fill_diagonal(found, slopes[:size])
    return np.where(cells == 0, 0.0, found)
