"""The binned score tally: a fixed number of cells for any number of rows, with certified bounds."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from typing import TYPE_CHECKING, Self

import numpy as np

from assay import kernels
from assay.errors import MergeError, TallyError
from assay.inputs import need_rows
from assay.tallies.scores import Scores, check_positive, same_positive, with_labels
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from assay.inputs import Rows
    from assay.inputs.columns import Array
    from assay.inputs.labels import Label

__all__ = ["BinnedScores"]

_BITS = range(12, 23)
_FEW = 1 << 14  # rows that are sorted sooner than a table of all cells is walked


@dataclasses.dataclass(frozen=True, eq=False)
class BinnedScores(Tally, kind="binned scores"):
    """Counts of each class per cell of one fixed, monotone map from all floats to about 2**bits cells.

    Pairs of rows in different cells are ordered for certain, so the area under the ROC curve and average
    precision are known to lie between two exact bounds.

    State: at most 20 bytes per cell that occurs, 5 MiB at 18 bits, however many rows there are.

    Examples
    --------
    >>> import assay
    >>> tally = assay.BinnedScores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9]))
    >>> tally.auc_bounds()
    (0.75, 1.0)
    """

    bits: int = 18
    positive: Label | None = None
    cells: Array = no_values(np.uint32)
    positives: Array = no_values(np.int64)
    negatives: Array = no_values(np.int64)

    @classmethod
    def empty(cls, bits: int = 18) -> Self:
        """Return the tally of no rows."""
        return cls(_checked(bits))

    @classmethod
    def of(cls, rows: Rows, bits: int = 18) -> Self:
        """Return the tally of rows with actual labels and scores."""
        bits = _checked(bits)
        actual = need_rows(rows).need("actual", "a score tally")
        score = rows.need("score", "a score tally")
        values = score.numbers("scores")
        score.refuse_missing()
        if rows.weight is not None:
            raise TallyError("binned scores count rows and take no weights: use Scores.")
        if not len(rows):
            return cls(bits)
        if len(rows) < _FEW:
            return cls.of_scores(Scores.of(rows), bits)
        binned, positive = with_labels(rows, actual, lambda x: kernels.bin_scores(values, x, bits))
        counts, bad_row, _ = binned
        if bad_row >= 0:
            score.raise_missing(bad_row)
        cells = np.flatnonzero(counts.any(axis=1))
        negatives, positives = counts[cells].astype(np.int64).T
        return cls._of_counts(bits, positive, cells, positives, negatives)

    @classmethod
    def of_scores(cls, tally: Scores, bits: int = 18) -> Self:
        """Return the tally of an exact tally's rows."""
        if tally.weights is not None:
            raise TallyError("binned scores count rows and take no weights.")
        bits = _checked(bits)
        edges = _edges(bits)
        places = np.searchsorted(edges, tally.scores.astype(np.float64), side="right") - 1
        return cls._of_counts(bits, tally.positive, places, tally.positives, tally.negatives)

    @classmethod
    def _of_counts(
        cls, bits: int, positive: Label | None, places: Array, positives: Array, negatives: Array
    ) -> Self:
        """Return the tally of counts at places, of which some may come more than once."""
        cells, where = np.unique(places, return_inverse=True)
        counts = np.zeros((2, len(cells)), dtype=np.int64)
        np.add.at(counts[0], where, positives)
        np.add.at(counts[1], where, negatives)
        return cls(bits, positive, frozen(cells.astype(np.uint32)), *map(frozen, counts))

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        if self.bits != other.bits:
            raise MergeError(f"the tallies have {self.bits} and {other.bits} bits of bins.")
        positive = same_positive(self.positive, other.positive)
        return self._of_counts(
            self.bits, positive,
            np.concatenate([self.cells, other.cells]),
            np.concatenate([self.positives, other.positives]),
            np.concatenate([self.negatives, other.negatives]),
        )  # fmt: skip

    @property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.positives.sum() + self.negatives.sum())

    def auc_bounds(self) -> tuple[float, float]:
        """Return the lowest and the highest area under the ROC curve these counts allow.

        The area of the exact scores lies between them, whatever it is; each is rounded once, outwards.
        NaN where a class is absent.
        """
        ranks = kernels.sweep_scores(self.positives.astype(np.uint64), self.negatives.astype(np.uint64))
        pairs = ranks[0] * ranks[1]
        if pairs == 0:
            return math.nan, math.nan
        tied = int(np.dot(self.positives.astype(object), self.negatives.astype(object)))
        certain = (ranks[2] - tied) // 2
        return _outwards(certain, pairs, -math.inf), _outwards(certain + tied, pairs, math.inf)

    def average_precision_bounds(self) -> tuple[float, float]:
        """Return the lowest and the highest average precision (step definition) these counts allow.

        NaN where there is no positive row.
        """
        p, q = self.positives[::-1].astype(np.float64), self.negatives[::-1].astype(np.float64)
        m = p.sum()
        if m == 0:
            return math.nan, math.nan
        above, false = np.cumsum(p) - p, np.cumsum(q) - q
        held = p > 0
        p, q, above, false = p[held], q[held], above[held], false[held]
        # All of a cell's positives come before its negatives, as one tie: precision at the best cut.
        high = math.fsum(p * ((above + p) / (above + p + false))) / m
        # The i-th positive stands alone behind all of the cell's negatives: (T+i)/(T+i+M), summed
        # over i, is p - M times a stretch of the harmonic series.
        behind = false + q
        low = math.fsum(p - behind * _harmonic(above + behind, p)) / m
        slack = 4e-15 * len(self.cells) ** 0.5 + 1e-14  # rounding of the sums, taken generously
        return max(0.0, low - slack), min(1.0, high + slack)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(self.bits in _BITS, "wrong number of bits")
        check_positive(self.positive, len(self.cells))
        shape = self.cells.shape
        require(self.cells.dtype == np.uint32 and len(shape) == 1, "wrong cells")
        require((self.cells[1:] > self.cells[:-1]).all(), "cells out of order")
        limit = len(_edges(self.bits))
        require(not len(self.cells) or int(self.cells[-1]) < limit, "a cell outside the map")
        for counts in (self.positives, self.negatives):
            require(counts.dtype == np.int64 and counts.shape == shape, "wrong counts")
            require((counts >= 0).all(), "a count below 0")
        require(((self.positives > 0) | (self.negatives > 0)).all(), "an entry without rows")


@functools.cache
def _edges(bits: int) -> Array:
    """Return the smallest float of every cell."""
    return frozen(kernels.bin_edges(bits))


def _checked(bits: int) -> int:
    bits = operator.index(bits)
    if bits not in _BITS:
        raise TallyError(f"bits={bits}: choose between {_BITS[0]} and {_BITS[-1]}.")
    return bits


def _harmonic(start: Array, count: Array) -> Array:
    """Return 1/(start+1) + ... + 1/(start+count), element by element.

    The first 16 terms are added as they are; the rest is a difference of the asymptotic series of the
    digamma function, which from 16 on is good to the last bit.
    """
    total = np.zeros_like(start)
    for step in range(1, 17):
        total += np.where(count >= step, 1.0 / (start + step), 0.0)
    more = count > 16  # noqa: PLR2004 - what the loop above has not covered
    low, high = start[more] + 17.0, start[more] + count[more] + 1.0
    series = np.log1p((high - low) / low) - (_tail(high) - _tail(low))
    total[more] += series
    return total


def _tail(x: Array) -> Array:
    """Return ln x - digamma(x)."""
    inverse = 1.0 / (x * x)
    return 0.5 / x + inverse * (
        1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132)))
    )


def _outwards(numerator: int, denominator: int, towards: float) -> float:
    """Return a ratio as a float that is not on the wrong side of it."""
    nearest = numerator / denominator
    over, under = nearest.as_integer_ratio()
    difference = over * denominator - numerator * under
    wrong = difference > 0 if towards < 0 else difference < 0
    return math.nextafter(nearest, towards) if wrong else nearest
