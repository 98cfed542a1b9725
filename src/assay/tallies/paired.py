"""Paired tallies: two models on the same rows, jointly, so that their difference can be judged."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from assay import kernels
from assay.errors import InputError, LengthError, TallyError
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs import need_columns
from assay.tallies.confusion import Confusion
from assay.tallies.label_cells import LabelCells
from assay.tallies.scores.scores import check_counts, check_positive, same_positive
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from assay.inputs import Column, Rows
    from assay.inputs.columns import Array
    from assay.inputs.labels import Label

__all__ = ["PairedLabels", "PairedScores", "same_actual"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PairedLabels(LabelCells, kind="paired labels"):
    """Counts per (actual, predicted by the first model, predicted by the second).

    State: one number per triple that occurs, so at most K cubed for K labels.

    Examples
    --------
    >>> import assay
    >>> y = [0, 0, 1, 1]
    >>> a, b = assay.rows(actual=y, predicted=[0, 1, 1, 1]), assay.rows(actual=y, predicted=[0, 0, 1, 0])
    >>> tally = assay.PairedLabels.of(a, b)
    >>> tally.table()[1]  # the rows that are 1: first model down, second across
    array([[0, 0],
           [1, 1]])
    """

    axes: ClassVar[int] = 3

    @classmethod
    def of(cls, first: Rows, second: Rows) -> Self:
        """Return the tally of two models' rows, which are the same rows in the same order."""
        actual = same_actual(first, second, "a paired tally")
        predicted = [rows.need("predicted", "a paired tally") for rows in (first, second)]
        return cls.of_columns((actual, *predicted), first.labels, first.weight)

    def of_model(self, model: int) -> Confusion:
        """Return the confusion tally of one of the two models: 0 for the first, 1 for the second."""
        actual, predicted = self.digits()[0], self.digits()[1 + model]
        used = np.arange(len(self.labels))
        if not self.declared:
            used = np.unique(np.concatenate([actual, predicted]))
        new_index = np.zeros(len(self.labels), dtype=np.uint64)
        new_index[used] = np.arange(len(used))
        labels = tuple(self.labels[index] for index in used)
        return Confusion.of_digits(
            (new_index[actual], new_index[predicted]),
            labels,
            self.counts,
            None if self.weights is None else self.sums(),
            declared=self.declared,
        )


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PairedScores(Tally, kind="paired scores"):
    """Distinct pairs of scores of two models, ascending, with the count of each class.

    State: one entry per distinct pair, up to 18 bytes a row.

    Examples
    --------
    >>> import assay
    >>> y = [0, 1, 1]
    >>> a, b = assay.rows(actual=y, score=[0.1, 0.9, 0.8]), assay.rows(actual=y, score=[0.3, 0.2, 0.8])
    >>> assay.PairedScores.of(a, b).second
    array([0.3, 0.8, 0.2])
    """

    positive: Label | None = None
    first: Array = no_values(np.float64)
    second: Array = no_values(np.float64)
    positives: Array = no_values(np.uint8)
    negatives: Array = no_values(np.uint8)

    @classmethod
    def of(cls, first: Rows, second: Rows) -> Self:
        """Return the tally of two models' rows, which are the same rows in the same order."""
        same_actual(first, second, "a paired tally")
        if first.weight is not None:
            raise TallyError("paired scores count rows and take no weights yet.")
        columns = [rows.need("score", "a paired tally") for rows in (first, second)]
        if not first.n:
            return cls()
        labels, positive = first.binary_actual("a paired tally")
        left, right = (column.float64("scores") for column in columns)
        *counts, bad_row = kernels.order_pairs(left, right, labels)
        if bad_row >= 0:
            columns[0 if np.isnan(left[bad_row]) else 1].raise_missing(bad_row)
        return cls(positive, *map(frozen, counts))

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        positive = same_positive(self.positive, other.positive)
        return type(self)(positive, *map(frozen, kernels.merge_pairs(*self.state()[1:], *other.state()[1:])))

    @property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.positives.sum(dtype=np.int64) + self.negatives.sum(dtype=np.int64))

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        first, second = self.first, self.second
        check_positive(self.positive, len(first))
        for scores in (first, second):
            require(scores.dtype == np.float64 and scores.ndim == 1, "wrong scores")
            require(not np.isnan(scores).any(), "a score is not a number")
        require(first.shape == second.shape, "shapes differ")
        check_counts(self.positives, self.negatives, len(first))
        same = first[1:] == first[:-1]
        rising = (first[1:] > first[:-1]) | (same & (second[1:] > second[:-1]))
        require(rising.all(), "scores out of order")


def same_actual(first: Rows, second: Rows, what: str) -> Column:
    """Return the actual column that both models' rows share, or raise if they do not."""
    (left,), (right,) = (need_columns(rows, what, "actual") for rows in (first, second))
    if first.n != second.n:
        raise LengthError(f"the first model has {count_of(first.n, 'row')}, the second {second.n:,}.")
    if not _equal(first.origin, second.origin):
        raise InputError(
            "different rows were left out for the two models (missing values or weights of 0), so their rows "
            "do not pair. Leave the same rows out of both."
        )
    if left is not right and not (left.labels == right.labels and _equal(left.values, right.values)):
        raise InputError("the two models were not judged on the same rows: their actual values differ.")
    if first.positive != second.positive or first.labels != second.labels:
        raise InputError(
            f"the two models' rows were gathered with different {param('positive')} or {param('labels')}."
        )
    weights = [None if rows.weight is None else rows.weight.values for rows in (first, second)]
    if not _equal(*weights):
        raise InputError("the two models' rows have different weights.")
    return left


def _equal(first: Array | None, second: Array | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)
