"""Tables of counts at a threshold: of scores that are kept exactly, and of scores in bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.tallies import BinnedScores, Confusion, Scores
from assay.tallies.scores.thresholding import confusions_at

__all__ = ["counted_at", "renamed", "with_labels"]


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
    known = tuple(sorted(labels))
    places = np.array([known.index(label) for label in labels], dtype=np.uint64)
    digits = [places[digit] for digit in table.digits()]
    sums = None if table.weights is None else table.sums()
    return Confusion.of_digits(digits, known, table.counts, sums, declared=False)


def with_labels(table: Confusion, labels: tuple[Any, ...]) -> Confusion:
    """Return a table that knows all of some labels, so that the figures of a class with no row are read.

    >>> with_labels(Confusion.of_table([[3]], (0,)), (0, 1)).table()
    array([[3, 0],
           [0, 0]])
    """
    return table if set(labels) <= set(table.labels) else table.merge(Confusion(tuple(sorted(labels))))
