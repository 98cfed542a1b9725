"""The tally of number pairs: every distinct (actual, predicted), for correlations of ranks."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from assay import kernels
from assay.errors import TallyError
from assay.inputs import need_columns, rows
from assay.tallies.moments import Moments, refuse_bad_rows
from assay.tallies.scores.scores import check_counts
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from assay.inputs import Rows
    from assay.inputs.columns import Array

__all__ = ["Agreement", "NumberPairs"]


class Agreement(NamedTuple):
    """How the pairs of rows agree in order: every two rows are counted in exactly one place.

    ``tied_actual`` and ``tied_predicted`` count those that are equal in that one alone.
    """

    concordant: int
    discordant: int
    tied_actual: int
    tied_predicted: int
    tied_both: int


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class NumberPairs(Tally, kind="number pairs"):
    """Distinct pairs of actual and predicted numbers, ascending, with the number of rows at each.

    State: one entry per distinct pair, up to 17 bytes a row.

    Examples
    --------
    >>> import assay
    >>> tally = assay.NumberPairs.of(assay.rows(actual=[1, 2, 3, 3], predicted=[0.1, 0.3, 0.2, 0.4]))
    >>> tally.agreement()
    Agreement(concordant=4, discordant=1, tied_actual=1, tied_predicted=0, tied_both=0)
    """

    actual: Array = no_values(np.float64)
    predicted: Array = no_values(np.float64)
    counts: Array = no_values(np.uint8)

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return the tally of rows with actual and predicted numbers, all finite."""
        what = "a tally of number pairs"
        columns = need_columns(rows, what, "actual", "predicted")
        if rows.weight is not None:
            raise TallyError("number pairs count rows and take no weights yet.")
        actual, predicted = (column.float64("numbers") for column in columns)
        for column in columns:
            column.refuse_missing()
        if not rows.n:
            return cls()
        *ordered, _, bad_row = kernels.order_pairs(actual, predicted, np.ones(rows.n, dtype=np.uint8))
        if bad_row >= 0 or not all(np.isfinite(numbers).all() for numbers in ordered[:2]):
            is_bad = (~np.isfinite(numbers) for numbers in (actual, predicted))
            refuse_bad_rows(columns, tuple(int(np.argmax(mask)) if mask.any() else -1 for mask in is_bad))
        return cls(*map(frozen, ordered))

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        *merged, _ = kernels.merge_pairs(
            self.actual, self.predicted, self.counts, np.zeros_like(self.counts),
            other.actual, other.predicted, other.counts, np.zeros_like(other.counts),
        )  # fmt: skip
        return type(self)(*map(frozen, merged))

    @property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum(dtype=np.int64))

    def rows(self) -> Rows:
        """Return the rows again, in the order of their numbers.

        >>> import assay
        >>> assay.NumberPairs.of(assay.rows(actual=[2, 1, 2], predicted=[0.5, 3, 0.5])).rows()
        Rows(3 rows, actual='actual', predicted='predicted')
        """
        return rows(
            actual=np.repeat(self.actual, self.counts), predicted=np.repeat(self.predicted, self.counts)
        )

    def agreement(self) -> Agreement:
        """Return how many pairs of rows agree, disagree or tie, in n log n time."""
        actual, predicted = (np.repeat(values, self.counts) for values in (self.actual, self.predicted))
        *pair_counts, _ = kernels.count_concordant(actual, predicted)
        return Agreement(*pair_counts)

    def ranks(self) -> Moments:
        """Return the exact moments of the rows' ranks, doubled so that ties have whole ones as well."""
        counts = self.counts.astype(np.float64)
        actual, predicted = (_doubled_ranks(values, counts) for values in (self.actual, self.predicted))
        return Moments.of(rows(actual=actual, predicted=predicted, weight=counts))

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        actual, predicted = self.actual, self.predicted
        for numbers in (actual, predicted):
            require(numbers.dtype == np.float64 and numbers.ndim == 1, "wrong numbers")
            require(np.isfinite(numbers).all(), "a number is not finite")
            require(not (np.signbit(numbers) & (numbers == 0)).any(), "a zero below 0")
        require(actual.shape == predicted.shape, "shapes differ")
        check_counts(self.counts, np.zeros_like(self.counts), len(actual))
        same = actual[1:] == actual[:-1]
        rising = (actual[1:] > actual[:-1]) | (same & (predicted[1:] > predicted[:-1]))
        require(rising.all(), "numbers out of order")


def _doubled_ranks(numbers: Array, counts: Array) -> Array:
    """Return twice the mean rank of the rows at each entry."""
    _, codes = np.unique(numbers, return_inverse=True)
    sizes = np.bincount(codes, counts)
    return (2 * np.cumsum(sizes) - sizes + 1)[codes]
