"""Scores cut at thresholds: the confusion tally at each, of scores kept exactly and of scores in bins."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.tallies import BinnedScores, Confusion
from assay.tallies.exact_numbers import CellSums, weight_sums
from assay.tallies.scores.scores import total_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Label
    from assay.inputs.columns import Array
    from assay.tallies.scores.scores import Scores

__all__ = ["confusions_at", "counted_at", "renamed", "with_labels"]


def confusions_at(
    scores: Scores, thresholds: Sequence[float] | Array, labels: Sequence[Label]
) -> list[Confusion]:
    """Return, for rising thresholds, the tally of scores that count as positive from there on.

    The second of the two labels is the positive one. Nothing reaches NaN. With weights the exact sums are
    those that a tally of the rows themselves would hold.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.6, 0.9]))
    >>> [one.table().tolist() for one in confusions_at(tally, [0.5, 0.65], ("ham", "spam"))]
    [[[1, 1], [0, 2]], [[2, 0], [0, 2]]]
    """
    ends = np.searchsorted(scores.scores, np.asarray(thresholds, dtype=np.float64)).tolist()
    bounds = [0, *ends, len(scores.scores)]
    sides = (scores.negatives, scores.positives)
    rows = np.array([[total_count(side[a:b]) for side in sides] for a, b in itertools.pairwise(bounds)])
    counts = _both_sides(rows)
    if scores.weights is None:
        return [Confusion.of_table(table.reshape(2, 2), labels) for table in counts]
    # Between two thresholds lies a segment: its negatives have an even number, its positives the next.
    segment = np.repeat(2 * np.arange(len(bounds) - 1, dtype=np.uint32), np.diff(bounds))
    codes = np.concatenate([np.repeat(segment + np.uint32(k), side) for k, side in enumerate(sides)])
    weight = np.concatenate([np.repeat(scores.weights, side) for side in sides])
    _, sums = weight_sums(codes, 2 * len(rows), weight)
    powers = [(cell_sums.exponent, _both_sides(cell_sums.units)) for cell_sums in sums]
    names = tuple(sorted(labels))
    order = np.array([names.index(label) for label in labels], dtype=np.uint64)
    actual, predicted = order[[0, 0, 1, 1]], order[[0, 1, 0, 1]]
    tables = []
    for index, cells in enumerate(counts):
        occupied = np.flatnonzero(cells)
        own = [CellSums.of(exponent, units[index][occupied]) for exponent, units in powers]
        digits = [actual[occupied], predicted[occupied]]
        tables.append(Confusion.of_digits(digits, names, cells[occupied], own, declared=False))
    return tables


def _both_sides(segments: Array) -> Any:
    """Return [tn, fp, fn, tp] at each threshold, from what the segments hold of negatives and positives."""
    by_class = segments.reshape(-1, 2)
    below = np.cumsum(by_class, axis=0)
    above = below[-1] - below[:-1]
    return np.stack([below[:-1, 0], above[:, 0], below[:-1, 1], above[:, 1]], axis=-1)


def counted_at(scores: Scores | BinnedScores, threshold: float, labels: tuple[Any, ...]) -> Confusion:
    """Return the confusion tally of scores that count as positive from a threshold on.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.6, 0.9]))
    >>> counted_at(tally, 0.65, (0, 1)).table()
    array([[2, 0],
           [0, 2]])
    """
    if isinstance(scores, BinnedScores):
        return renamed(scores.table_at(threshold), labels)
    return confusions_at(scores, [threshold], labels)[0]


def renamed(table: Confusion, labels: tuple[Any, ...]) -> Confusion:
    """Return a table of false and true as one of two labels, the negative one first.

    >>> renamed(Confusion.of_table([[3, 1], [0, 2]], (False, True)), ("spam", "ham")).table()
    array([[2, 0],
           [1, 3]])
    """
    table = table.merge(Confusion((False, True)))
    names = tuple(sorted(labels))
    indices = np.array([names.index(label) for label in labels], dtype=np.uint64)
    digits = [indices[digit] for digit in table.digits()]
    sums = None if table.weights is None else table.sums()
    return Confusion.of_digits(digits, names, table.counts, sums, declared=False)


def with_labels(table: Confusion, labels: tuple[Any, ...]) -> Confusion:
    """Return a table that knows all of some labels, so that the figures of a class with no row are read.

    >>> with_labels(Confusion.of_table([[3]], (0,)), (0, 1)).table()
    array([[3, 0],
           [0, 0]])
    """
    return table if set(labels) <= set(table.labels) else table.merge(Confusion(tuple(sorted(labels))))
