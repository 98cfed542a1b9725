"""Millions of scores as the fewer that a page needs: at every cutoff that is left, the counts are exact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay import kernels
from assay.decisions.sweep import Sample
from assay.tallies import BinnedScores, Scores
from assay.tallies.scores.thresholding import confusions_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.tallies import Confusion

__all__ = ["ThinnedScores", "condensed", "cutoff_of", "two_by_two"]

_FEW = 1 << 17  # scores that are quickly drawn as they are
_SHARE = 8_000  # one part in so many of either class, or of the scores' range, is too little to be seen
_HALF = 0.5


class ThinnedScores(NamedTuple):
    """A score tally for drawing, and the one it stands for: of all scores, or of their bins' lower edges."""

    tally: Scores
    source: Scores
    binned: bool

    @property
    def distinct(self) -> int:
        """How many distinct scores there are, or bins of them."""
        return len(self.source.scores if self.source.weights is None else self.source.starts())

    @property
    def whole(self) -> bool:
        """Whether every score is there."""
        return self.tally is self.source and not self.binned


def condensed(scores: Scores | BinnedScores) -> ThinnedScores:
    """Return scores of which neighbours too near to be told apart are one, the lowest of them.

    What reaches the lowest of some neighbours is what reaches them all, so that counts at the cutoffs that
    are left are those of the rows. Left are the corners of the ROC curve's hull; cutoffs so dense that
    between two of them either class, counted from either end, grows by a row or by one part in 8,000; and
    cutoffs as dense along the scores. Bins of scores are taken at their lower edges, where their counts are
    exact. Rows with weights are left as they are.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9]))
    >>> condensed(tally).tally is tally, condensed(tally.binned()).tally.scores.tolist()
    (True, [0.0999908447265625, 0.699981689453125, 0.899993896484375])
    """
    binned = isinstance(scores, BinnedScores)
    tally = Sample.of(scores).tally if isinstance(scores, BinnedScores) else scores
    if tally.weights is not None or len(tally.scores) <= _FEW:
        return ThinnedScores(tally, tally, binned)
    return ThinnedScores(_thinned(tally), tally, binned)


def _thinned(tally: Scores) -> Scores:
    scores, sides = tally.scores, (tally.positives, tally.negatives)
    totals = zip(sides, tally.totals, strict=True)
    crossed = np.concatenate(
        [kernels.entries_reaching([side], _levels(total)) for side, total in totals if total]
    )
    # An entry of many rows is a long stretch of its own: nothing is taken together with it.
    many = tally.positives[crossed].astype(np.int64) + tally.negatives[crossed] > 1
    first, last = np.searchsorted(scores, -np.inf, "right"), np.searchsorted(scores, np.inf) - 1
    with np.errstate(over="ignore", invalid="ignore"):  # scores too far apart for an axis
        evenly = np.searchsorted(scores, np.linspace(float(scores[first]), float(scores[last]), _SHARE))
    corners = tally.rising_pools()[0]  # of the ROC curve's hull
    starts = _distinct([crossed, crossed[many] + 1, evenly, corners, [last, len(scores) - 1]])
    starts = starts[starts < len(scores)]
    rows = [np.add.reduceat(side, starts, dtype=np.int64) for side in sides]
    smallest = np.min_scalar_type(max(int(one.max()) for one in rows))
    positives, negatives = (one.astype(smallest) for one in rows)
    return Scores(tally.positive, scores[starts], None, positives, negatives)


def cutoff_of(scores: Scores, table: Confusion, labels: Sequence[Any]) -> float | None:
    """Return a threshold at which scores have these counts: one half if they do, else a score, or None.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9]))
    >>> tables = ([[1, 1], [0, 2]], [[2, 0], [1, 1]], [[1, 1], [1, 1]], [[2, 0], [2, 0]])
    >>> [cutoff_of(tally, assay.Confusion.of_table(one, (0, 1)), (0, 1)) for one in tables]
    [0.5, 0.9, None, inf]
    """
    counts = dict(zip(table.labels, table.predicted_totals.tolist(), strict=True))
    below = counts.get(labels[0], 0)
    sides = [scores.positives, scores.negatives]
    place = int(kernels.entries_reaching(sides, np.array([below]))[0]) + 1 if below else 0
    cutoff = float(scores.scores[place]) if place < len(scores.scores) else np.inf
    (made,) = confusions_at(scores, [cutoff], labels)
    if two_by_two(made, labels) != two_by_two(table, labels):
        return None
    next_lower = float(scores.scores[place - 1]) if place else -np.inf
    return _HALF if next_lower < _HALF <= cutoff else cutoff


def two_by_two(table: Confusion, labels: Sequence[Any]) -> list[list[float]]:
    """Return the counts of two classes, or their weights, also where one of them occurs nowhere."""
    places = {label: place for place, label in enumerate(table.labels)}
    full = (table.table() if table.weights is None else table.table(table.weight())).tolist()
    return [[full[places[i]][places[j]] if {i, j} <= set(places) else 0 for j in labels] for i in labels]


def _levels(total: int) -> NDArray[Any]:
    """Return rising counts up to a total: all of them near either end, and farther on ever fewer.

    >>> _levels(3), len(_levels(10**9)) < 200_000
    (array([1, 2, 3]), True)
    """
    middle = total // 2
    dense = np.arange(1, min(middle, _SHARE) + 1)
    steps = max(0, int(np.ceil(np.log(max(middle, 1) / _SHARE) * _SHARE)))
    far = np.rint(_SHARE * np.exp(np.arange(1, steps + 1) / _SHARE)).astype(np.int64)
    half = np.concatenate([dense, far[far <= middle]])
    return _distinct([half, total - half, [total]])


def _distinct(parts: Sequence[Any]) -> NDArray[np.int64]:
    """Return the distinct numbers of several arrays, ascending; sorting is faster than NumPy's hash table.

    >>> _distinct([[3, 1], [2, 3]])
    array([1, 2, 3])
    """
    numbers = np.sort(np.concatenate(parts))
    return np.asarray(numbers[np.diff(numbers, prepend=numbers[0] - 1) > 0], dtype=np.int64)
