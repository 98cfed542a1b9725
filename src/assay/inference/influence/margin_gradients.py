"""Derivatives of metrics that read margins and hits only: 3 K steps for K classes, not K squared."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from assay.inference.influence.gradients import STEP, derivative_by_complex_step
from assay.metrics import Classes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from assay.metrics import Binary

__all__ = ["margin_gradient"]

_MAX_NUMBERS_AT_ONCE = 1 << 21  # of moved margins


class _NeedsTable(Exception):  # noqa: N818 - no error: a formula reads more than margins
    """A formula reads cells, not only margins."""


class _Margins(Classes):
    """A table known by its hits, its margins and its total, each of them free to move by itself."""

    def __init__(self, hits: Any, actual: Any, predicted: Any, n: Any, effective: Any = None) -> None:
        self.__dict__.update(_hits=hits, actual=actual, predicted=predicted, n=n, effective=effective)

    @property
    def table(self) -> NoReturn:
        """Raise: there is no table."""
        raise _NeedsTable

    @property
    def hits(self) -> Any:
        """How many rows of each class were predicted right."""
        return self.__dict__["_hits"]

    @functools.cached_property
    def wrong(self) -> Any:
        """How many rows were predicted wrong."""
        return self.n - self.correct

    @property
    def size(self) -> int:
        """How many classes there are."""
        return int(self.actual.shape[-1])


def margin_gradient(
    formula: Callable[[Any], Any],
    counts: Binary,
    cells: Sequence[NDArray[np.intp]],
    *,
    symmetric: bool = False,
    effective: float | None = None,
) -> NDArray[np.float64] | None:
    """Return the slope of a formula of classes at some cells; None where it reads more than margins and hits.

    `counts` are those of every class against the rest, `cells` the indices of the actual and of the predicted
    class of each cell. A wrong row moves its class's total, its prediction's total and the
    number of rows, and its slope is the sum of the formula's slopes by these. A right row moves them and the
    hits together: a formula may have a kink where the two totals are equal, and a right row keeps them equal.
    A `symmetric` formula takes no notice of the order of classes: then classes of the same hits and
    totals have the same slopes, which are computed once. `effective` is the view's.

    >>> from assay.metrics import accuracy
    >>> counts = Classes(np.array([[3, 1], [1, 5]])).against_rest()
    >>> margin_gradient(accuracy.formula, counts, np.indices((2, 2)))
    array([[ 0.02, -0.08],
           [-0.08,  0.02]])
    """
    margins = np.stack([counts.tp, counts.positives, counts.predicted_positives]).astype(np.float64)
    size = margins.shape[1]
    first = like = np.arange(size)
    if symmetric:
        _, first, like = np.unique(margins, axis=1, return_index=True, return_inverse=True)
    parts = np.append(margins.reshape(-1), margins[1].sum())
    moves = np.append((size * np.arange(3)[:, None] + first).reshape(-1), 3 * size)
    slopes = np.empty(len(moves))
    block = max(1, _MAX_NUMBERS_AT_ONCE // len(parts))
    try:
        for begin in range(0, len(moves), block):
            steps = moves[begin : begin + block]
            moved = np.broadcast_to(parts.astype(np.complex128), (len(steps), len(parts))).copy()
            moved[np.arange(len(steps)), steps] += 1j * STEP
            right = np.flatnonzero(steps < size)
            for margin in (size + steps[right], 2 * size + steps[right], -1):
                moved[right, margin] += 1j * STEP
            hits, actual, predicted = (moved[:, k * size : (k + 1) * size] for k in range(3))
            slopes[begin : begin + block] = derivative_by_complex_step(
                formula, _Margins(hits, actual, predicted, moved[:, -1], effective)
            )
    except _NeedsTable:
        return None
    by_right, by_actual, by_predicted = slopes[:-1].reshape(3, -1)[:, np.reshape(like, -1)]
    row, column = cells
    wrong = by_actual[row] + by_predicted[column] + slopes[-1]
    return np.asarray(np.where(row == column, by_right[row], wrong), dtype=np.float64)
