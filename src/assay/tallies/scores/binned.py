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
from assay.tallies.exact_numbers import CellSums, check_weights
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
            rows_at, bad_row, _ = kernels.bin_places(values, labels, bits)
            if bad_row >= 0:
                score.raise_missing(bad_row)
            return cls._of_weighted(bits, positive, rows_at, rows.weight.values)
        if len(rows) < _FEW:
            return cls.of_scores(Scores.of(rows), bits)
        found, positive = with_labels(rows, actual, lambda x: kernels.bin_scores(values, x, bits))
        table, bad_row, _ = found
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
        places = np.concatenate([2 * cells + 1, 2 * cells])
        counts = np.concatenate([tally.positives, tally.negatives]).astype(np.int64)
        rows_at = np.repeat(places, counts)
        return cls._of_weighted(bits, tally.positive, rows_at, np.repeat(np.tile(tally.weights, 2), counts))

    @classmethod
    def of_table(cls, bits: int, positive: Label | None, table: Array) -> Self:
        """Return the tally of counts per cell, negatives in the first column and positives in the second."""
        cells = np.flatnonzero(table[:, 0] | table[:, 1])
        negatives, positives = (frozen(table[cells, side].astype(np.int64)) for side in (0, 1))
        return cls(bits, positive, frozen(cells.astype(np.uint32)), positives, negatives)

    @classmethod
    def _of_weighted(cls, bits: int, positive: Label | None, rows_at: Array, weight: Array) -> Self:
        """Return the tally of weighted rows at places."""
        codes, places = kernels.encode_integers(rows_at)
        found = kernels.exact_cell_sums(codes.astype(np.uint32), len(places), weight)
        powers = [found[name] for name in ("weight", "squared_weight", "cubed_weight")]
        sums = [CellSums.of_limbs(*power) for power in powers]
        return cls._of_places(bits, positive, places, found["rows"], sums)

    @classmethod
    def _of_places(
        cls, bits: int, positive: Label | None, places: Array, counts: Array, sums: list[CellSums]
    ) -> Self:
        """Return the tally of rows and weights at places: twice the cell, and one more for a positive.

        A place may come more than once.
        """
        cells, where = np.unique(places // 2, return_inverse=True)
        # Positives fill the first half of a row of counters, negatives the second.
        slots = where + len(cells) * (places % 2 == 0)
        total = np.zeros(2 * len(cells), dtype=np.int64)
        np.add.at(total, slots, counts)
        sums = [one.scattered(slots, len(total)) for one in sums]
        weights = None
        if not all(one.equals(total) for one in sums):
            weights = tuple(one.state() for one in sums)
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
            for one in (self, other):
                table[one.cells, 0] += one.negatives
                table[one.cells, 1] += one.positives
            return self.of_table(self.bits, positive, table)
        mine, theirs = self._places(), other._places()
        size, split = len(mine) + len(theirs), len(mine)
        pairs = zip(self._sums(), other._sums(), strict=True)
        sums = [
            a.scattered(np.arange(split), size).added(b.scattered(np.arange(split, size), size))
            for a, b in pairs
        ]
        counts = np.concatenate([self.positives, self.negatives, other.positives, other.negatives])
        return self._of_places(self.bits, positive, np.concatenate([mine, theirs]), counts, sums)

    def _places(self) -> Array:
        cells = self.cells.astype(np.int64)
        return np.concatenate([2 * cells + 1, 2 * cells])

    def _mass(self) -> list[Array]:
        """Return what the rows of each cell weigh, positives and negatives, as floats."""
        if self.weights is None:
            return [one.astype(np.float64) for one in (self.positives, self.negatives)]
        return np.split(self._sums()[0].floats(), 2)

    def _units(self) -> list[Array]:
        """Return the same as whole numbers of a unit: of Python's, unless 64 bits hold their products."""
        if self.weights is not None or self.n**2 > np.iinfo(np.int64).max:
            return np.split(self._sums()[0].units, 2)
        return [one.astype(np.int64) for one in (self.positives, self.negatives)]

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
        held = p > 0
        p, q, above, false, tied = p[held], q[held], above[held], false[held], tied[held]
        # At best all of a cell's positives come before its negatives, as one tie.
        found = above + p
        high = math.fsum(p * (found / (found + false + q * tied))) / m
        # At worst each positive stands alone behind all of the cell's negatives. Counted rows give a
        # stretch of the harmonic series; weighted ones at least the integral under it.
        behind = false + q
        if self.weights is None:
            alone = p - behind * _harmonic(above + behind, p)
        else:
            start = np.where(behind > 0, above + behind, 1.0)
            alone = p - behind * np.log1p(p / start)
        low = math.fsum(np.where(tied, p * (found / (found + behind)), alone)) / m
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
        place = int(np.searchsorted(edges, threshold))
        near = edges[max(place - 1, 0) : place + 1]
        return float(near[np.argmin(np.abs(near - threshold))]) + 0.0

    def table_at(self, threshold: float) -> Confusion:
        """Return the table of what is positive by the scores from a threshold on, false and true.

        The counts are exact where a cell begins at the threshold (see :meth:`edge`).
        """
        from assay.tallies.confusion import Confusion  # noqa: PLC0415 - few need it

        above = (cell_edges(self.bits)[self.cells] >= threshold).astype(np.uint64)
        actual = np.repeat(np.array([1, 0], dtype=np.uint64), len(above))
        counts = np.concatenate([self.positives, self.negatives])
        sums = None if self.weights is None else self._sums()
        held = counts > 0
        digits = [actual[held], np.tile(above, 2)[held]]
        kept = None if sums is None else [CellSums.of(one.exponent, one.units[held]) for one in sums]
        return Confusion.of_digits(digits, (False, True), counts[held], kept, declared=False)

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
            held = np.flatnonzero(counts)
            held = held[np.lexsort((weights[held], order[held]))]
            scores, weights = scores[order[held]], weights[held]
            positives, negatives = (side[held] for side in sides)
        most = max(int(positives.max(initial=0)), int(negatives.max(initial=0)))
        size = np.min_scalar_type(most)
        counted = (frozen(one.astype(size)) for one in (positives, negatives))
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
        after = np.append(edges, np.inf)[self.cells.astype(np.intp) + 1]
        high = np.minimum(np.nextafter(after, -np.inf), 1.0)
        mass = self._mass()
        least, largest = [], []
        for positive, weight in zip((1.0, 0.0), mass, strict=True):
            held = weight > 0
            ends = [
                loss(np.full(int(held.sum()), positive), np.maximum(end[held], 0.0)) for end in (low, high)
            ]
            least.append(weight[held] * np.minimum(*ends))
            largest.append(weight[held] * np.maximum(*ends))
        total = math.fsum(np.concatenate(mass))
        if not total:
            return math.nan, math.nan
        bounds = [math.fsum(np.concatenate(one)) / total for one in (least, largest)]
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
