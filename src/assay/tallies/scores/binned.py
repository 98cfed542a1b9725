"""The binned score tally: a fixed number of cells for any number of rows, with certified bounds."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay import kernels
from assay.errors import MergeError, TallyError
from assay.inputs import need_rows
from assay.inputs.columns import doubles
from assay.tallies.exact_numbers import CellSums, check_weights, weight_sums
from assay.tallies.scores.scores import Scores, check_positive, same_positive, with_labels
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs import Column, Rows
    from assay.inputs.columns import Array
    from assay.inputs.labels import Label
    from assay.tallies.confusion import Confusion

__all__ = ["BinnedScores", "cell_edges", "checked_bits", "score_columns"]

_BITS = range(12, 23)
_AT_ONCE = 1 << 20  # entries of an exact tally that are put into bins together
_FEW = 1 << 14  # rows that are sorted sooner than a table of all cells is walked


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class BinnedScores(Tally, kind="binned scores"):
    """Counts of each class per cell of one fixed, monotone map from all floats to about 2**bits cells.

    Pairs of rows in different cells are ordered for certain, so the area under the ROC curve and average
    precision are known to lie between two exact bounds.

    With weights the exact sums of the weights, their squares and cubes are kept for either class.

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
    weights: tuple[tuple[int, Any], ...] | None = None

    @classmethod
    def empty(cls, bits: int = 18) -> Self:
        """Return the tally of no rows."""
        return cls(checked_bits(bits))

    @classmethod
    def of(cls, rows: Rows, bits: int = 18) -> Self:
        """Return the tally of rows with actual labels and scores."""
        bits = checked_bits(bits)
        actual, score, values = score_columns(rows)
        if not len(rows):
            return cls(bits)
        if rows.weight is not None:
            labels, positive = rows.binary_actual("a score tally")
            slots_of_rows, bad_row, _ = kernels.bin_places(values, labels, bits)
            if bad_row >= 0:
                score.raise_missing(bad_row)
            return cls._of_weighted(bits, positive, slots_of_rows, rows.weight.values)
        if len(rows) < _FEW:
            return cls.of_scores(Scores.of(rows), bits)
        result, positive = with_labels(rows, actual, lambda x: kernels.bin_scores(values, x, bits))
        table, bad_row, _ = result
        if bad_row >= 0:
            score.raise_missing(bad_row)
        return cls.of_table(bits, positive, table)

    @classmethod
    def of_scores(cls, tally: Scores, bits: int = 18) -> Self:
        """Return the tally of an exact tally's rows."""
        bits = checked_bits(bits)
        copied = tally.weights is not None or tally.scores.dtype != np.float64
        if copied and len(tally.scores) > _AT_ONCE:  # half by half: its space is not to outgrow the tally's
            middle = len(tally.scores) // 2
            first, second = (tally.entries(part) for part in (slice(middle), slice(middle, None)))
            return cls.of_scores(first, bits).merge(cls.of_scores(second, bits))
        edges, scores = cell_edges(bits), doubles(tally.scores)
        if tally.weights is None:
            # The scores are in order already, so each cell is a stretch of them between two edges.
            limits = np.append(np.searchsorted(scores, edges), len(scores))
            cells = np.flatnonzero(np.diff(limits))
            columns = (tally.positives, tally.negatives)
            sums = (frozen(_stretches(counts, limits[cells])) for counts in columns)
            positives, negatives = sums
            return cls(bits, tally.positive, frozen(cells.astype(np.uint32)), positives, negatives)
        cells = np.searchsorted(edges, scores, side="right") - 1
        slots = np.concatenate([2 * cells + 1, 2 * cells])
        counts = np.concatenate([tally.positives, tally.negatives]).astype(np.int64)
        slots_of_rows = np.repeat(slots, counts)
        weight = np.repeat(np.tile(tally.weights, 2), counts)
        return cls._of_weighted(bits, tally.positive, slots_of_rows, weight)

    @classmethod
    def of_table(cls, bits: int, positive: Label | None, table: Array) -> Self:
        """Return the tally of counts per cell, negatives in the first column and positives in the second."""
        cells = np.flatnonzero(table[:, 0] | table[:, 1])
        negatives, positives = (frozen(table[cells, side].astype(np.int64)) for side in (0, 1))
        return cls(bits, positive, frozen(cells.astype(np.uint32)), positives, negatives)

    @classmethod
    def _of_weighted(cls, bits: int, positive: Label | None, slots_of_rows: Array, weight: Array) -> Self:
        """Return the tally of weighted rows by slot: twice the cell, and one more for a positive."""
        codes, slots = kernels.encode_integers(slots_of_rows)
        return cls._of_slots(bits, positive, slots, *weight_sums(codes, len(slots), weight))

    @classmethod
    def _of_slots(
        cls, bits: int, positive: Label | None, slots: Array, counts: Array, sums: list[CellSums]
    ) -> Self:
        """Return the tally of rows and weights by slot; a slot may come more than once."""
        cells, cell_indices = np.unique(slots // 2, return_inverse=True)
        # Positives fill the first half of a row of counters, negatives the second.
        counters = cell_indices + len(cells) * (slots % 2 == 0)
        total = np.zeros(2 * len(cells), dtype=np.int64)
        np.add.at(total, counters, counts)
        sums = [cell_sums.scattered(counters, len(total)) for cell_sums in sums]
        weights = None
        if not all(cell_sums.equals(total) for cell_sums in sums):
            weights = tuple(cell_sums.state() for cell_sums in sums)
        positives, negatives = map(frozen, np.split(total, 2))
        return cls(bits, positive, frozen(cells.astype(np.uint32)), positives, negatives, weights)

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        if self.bits != other.bits:
            raise MergeError(f"the tallies have {self.bits} and {other.bits} bits of bins.")
        positive = same_positive(self.positive, other.positive)
        if self.weights is None is other.weights:
            table = np.zeros((len(cell_edges(self.bits)), 2), dtype=np.int64)
            for side in (self, other):
                table[side.cells, 0] += side.negatives
                table[side.cells, 1] += side.positives
            return self.of_table(self.bits, positive, table)
        left, right = self._slots(), other._slots()
        size, split = len(left) + len(right), len(left)
        pairs = zip(self._sums(), other._sums(), strict=True)
        sums = [
            a.scattered(np.arange(split), size).added(b.scattered(np.arange(split, size), size))
            for a, b in pairs
        ]
        counts = np.concatenate([self.positives, self.negatives, other.positives, other.negatives])
        return self._of_slots(self.bits, positive, np.concatenate([left, right]), counts, sums)

    def _slots(self) -> Array:
        cells = self.cells.astype(np.int64)
        return np.concatenate([2 * cells + 1, 2 * cells])

    def _mass(self) -> list[Array]:
        """Return what the rows of each cell weigh, positives and negatives, as floats."""
        if self.weights is None:
            return [counts.astype(np.float64) for counts in (self.positives, self.negatives)]
        return np.split(self._sums()[0].floats(), 2)

    def _units(self) -> list[Array]:
        """Return the same as whole numbers of a unit: of Python's, unless 64 bits hold their products."""
        if self.weights is not None or self.n**2 > np.iinfo(np.int64).max:
            return np.split(self._sums()[0].units, 2)
        return [counts.astype(np.int64) for counts in (self.positives, self.negatives)]

    def _sums(self) -> list[CellSums]:
        if self.weights is None:
            counts = np.concatenate([self.positives, self.negatives])
            return [CellSums(0, counts.astype(object))] * 3
        return [CellSums(*state) for state in self.weights]

    @property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.positives.sum() + self.negatives.sum())

    def auc_bounds(self) -> tuple[float, float]:
        """Return the lowest and the highest area under the ROC curve these counts allow.

        The area of the exact scores lies between them, whatever it is; each is rounded once, outwards.
        Rows in a cell that holds a single float are tied for certain. NaN where a class is absent.
        """
        p, q = self._units()
        pairs = 2 * int(p.sum()) * int(q.sum())
        if not pairs:
            return math.nan, math.nan
        below = np.cumsum(q) - q
        either_way = ~_single(self.bits)[self.cells]
        unsure = np.dot(p[either_way], q[either_way])
        middle = np.dot(p, 2 * below + q)
        low, high = int(middle - unsure), int(middle + unsure)
        return _outwards(low, pairs, -math.inf), _outwards(high, pairs, math.inf)

    def average_precision_bounds(self) -> tuple[float, float]:
        """Return the lowest and the highest average precision (step definition) these counts allow.

        NaN where there is no positive row.
        """
        p, q = self._mass()
        m = float(p.sum())
        if m == 0:
            return math.nan, math.nan
        p, q, tied = p[::-1], q[::-1], _single(self.bits)[self.cells][::-1]
        above, false = np.cumsum(p) - p, np.cumsum(q) - q
        has_positives = p > 0
        p, q, above, false, tied = (x[has_positives] for x in (p, q, above, false, tied))
        # At best all of a cell's positives come before its negatives, as one tie.
        up_to = above + p
        high = math.fsum(p * (up_to / (up_to + false + q * tied))) / m
        # At worst each positive stands alone behind all of the cell's negatives. Counted rows give a
        # stretch of the harmonic series; weighted ones at least the integral under it.
        behind = false + q
        if self.weights is None:
            alone = p - behind * _harmonic(above + behind, p)
        else:
            start = np.where(behind > 0, above + behind, 1.0)
            alone = p - behind * np.log1p(p / start)
        low = math.fsum(np.where(tied, p * (up_to / (up_to + behind)), alone)) / m
        slack = 4e-15 * len(self.cells) ** 0.5 + 1e-14  # rounding of the sums, taken generously
        return max(0.0, low - slack), min(1.0, high + slack)

    def edge(self, threshold: float) -> float:
        """Return the threshold nearest to one at which the counts are exact: where a cell begins.

        >>> import assay
        >>> tally = assay.BinnedScores.of(assay.rows(actual=[0, 1], score=[0.1, 0.7]))
        >>> tally.edge(0.5), abs(tally.edge(0.3) - 0.3) < 1e-4
        (0.5, True)
        """
        if math.isinf(threshold):
            return threshold
        edges = cell_edges(self.bits)
        index = int(np.searchsorted(edges, threshold))
        neighbours = edges[max(index - 1, 0) : index + 1]
        return float(neighbours[np.argmin(np.abs(neighbours - threshold))]) + 0.0

    def table_at(self, threshold: float) -> Confusion:
        """Return the table of what is positive by the scores from a threshold on, false and true.

        The counts are exact where a cell begins at the threshold (see :meth:`edge`).
        """
        from assay.tallies.confusion import Confusion  # noqa: PLC0415 - few need it

        above = (cell_edges(self.bits)[self.cells] >= threshold).astype(np.uint64)
        actual = np.repeat(np.array([1, 0], dtype=np.uint64), len(above))
        counts = np.concatenate([self.positives, self.negatives])
        sums = None if self.weights is None else self._sums()
        occupied = counts > 0
        digits = [actual[occupied], np.tile(above, 2)[occupied]]
        if sums is not None:
            sums = [CellSums.of(cell_sums.exponent, cell_sums.units[occupied]) for cell_sums in sums]
        return Confusion.of_digits(digits, (False, True), counts[occupied], sums, declared=False)

    def lowest(self) -> Scores:
        """Return the tally of rows that score as low as their cell allows: where a cell begins it is exact.

        Weighted rows have the mean weight of their cell and class there, so that its sums are right and the
        spread of weights within is lost.
        """
        scores = cell_edges(self.bits)[self.cells]
        positives, negatives, weights = self.positives, self.negatives, None
        if self.weights is not None:
            order = np.tile(np.arange(len(scores)), 2)
            counts, none = np.concatenate([positives, negatives]), np.zeros_like(positives)
            with np.errstate(invalid="ignore"):
                weights = self._sums()[0].floats() / counts
            sides = np.concatenate([positives, none]), np.concatenate([none, negatives])
            occupied = np.flatnonzero(counts)
            occupied = occupied[np.lexsort((weights[occupied], order[occupied]))]
            scores, weights = scores[order[occupied]], weights[occupied]
            positives, negatives = (side[occupied] for side in sides)
        largest_count = max(int(positives.max(initial=0)), int(negatives.max(initial=0)))
        size = np.min_scalar_type(largest_count)
        counted = (frozen(counts.astype(size)) for counts in (positives, negatives))
        return Scores(self.positive, frozen(scores), weights, *counted)

    def mean_loss_bounds(self, loss: Callable[..., Array]) -> tuple[float, float]:
        """Return the lowest and the highest mean of a loss that these counts allow.

        The loss is a function of ``positive`` and ``probability`` that rises or falls with the latter.

        >>> import assay
        >>> tally = assay.BinnedScores.of(assay.rows(actual=[0, 1], score=[0.25, 0.75]))
        >>> low, high = tally.mean_loss_bounds(lambda positive, probability: (positive - probability) ** 2)
        >>> low <= 0.0625 <= high, high - low < 1e-4
        (True, True)
        """
        edges = cell_edges(self.bits)
        low = edges[self.cells]
        next_edge = np.append(edges, np.inf)[self.cells.astype(np.intp) + 1]
        high = np.minimum(np.nextafter(next_edge, -np.inf), 1.0)
        mass = self._mass()
        lowest, highest = [], []
        for positive, weight in zip((1.0, 0.0), mass, strict=True):
            has_weight = weight > 0
            outcome = np.full(int(has_weight.sum()), positive)
            ends = [loss(outcome, np.maximum(end[has_weight], 0.0)) for end in (low, high)]
            lowest.append(weight[has_weight] * np.minimum(*ends))
            highest.append(weight[has_weight] * np.maximum(*ends))
        total = math.fsum(np.concatenate(mass))
        if not total:
            return math.nan, math.nan
        bounds = [math.fsum(np.concatenate(terms)) / total for terms in (lowest, highest)]
        slack = 1e-14  # rounding of losses and sums, taken generously
        return bounds[0] * (1 - slack), bounds[1] * (1 + slack)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(self.bits in _BITS, "wrong number of bits")
        check_positive(self.positive, len(self.cells))
        shape = self.cells.shape
        require(self.cells.dtype == np.uint32 and len(shape) == 1, "wrong cells")
        require((self.cells[1:] > self.cells[:-1]).all(), "cells out of order")
        limit = len(cell_edges(self.bits))
        require(not len(self.cells) or int(self.cells[-1]) < limit, "a cell outside the map")
        for counts in (self.positives, self.negatives):
            require(counts.dtype == np.int64 and counts.shape == shape, "wrong counts")
            require((counts >= 0).all(), "a count below 0")
        require(((self.positives > 0) | (self.negatives > 0)).all(), "an entry without rows")
        check_weights(self.weights, np.concatenate([self.positives, self.negatives]))


def score_columns(rows: Rows) -> tuple[Column, Column, Array]:
    """Return the labels, the scores and these as numbers; raise where rows lack one."""
    actual = need_rows(rows).need("actual", "a score tally")
    score = rows.need("score", "a score tally")
    return actual, score, score.complete_numbers("scores")


def _stretches(counts: Array, starts: Array) -> Array:
    """Return the sums of counts from each start to the next; starts rise."""
    if not len(starts):
        return np.zeros(0, dtype=np.int64)
    return np.add.reduceat(counts, starts, dtype=np.int64)


@functools.cache
def cell_edges(bits: int) -> Array:
    """Return the smallest float of every cell."""
    return frozen(kernels.bin_edges(bits))


@functools.cache
def _single(bits: int) -> Array:
    """Return which cells hold a single float, so that rows in them are tied for certain."""
    edges = cell_edges(bits)
    return frozen(np.append(np.nextafter(edges[:-1], np.inf) == edges[1:], edges[-1] == np.inf))


def checked_bits(bits: int) -> int:
    """Return how many bits number the cells, or raise."""
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
