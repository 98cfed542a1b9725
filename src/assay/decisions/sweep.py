"""Counts and costs at every cutoff of the scores: the sample that a threshold is chosen on."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.decisions.costs import MAX_COST, NO_GAINS, checked_cost, is_number
from assay.decisions.effective_counts import GroupedRows
from assay.errors import LengthError, MetricError, NumberError, passed
from assay.formatting.numbers import count_of
from assay.inputs import Rows, column, encode, need_rows
from assay.inputs.columns import Column
from assay.metrics import Binary
from assay.metrics.metric import need_tally, tallied
from assay.tallies import BinnedScores, Confusion, Scores
from assay.tallies.scores.thresholding import confusions_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

__all__ = ["Amounts", "CumulativeCounts", "Outcome", "Sample", "Sweep"]

_MAX_DECIMALS = range(5)  # amounts of money have few: scaled to whole numbers, their sums are exact
_MAX_EXACT_FLOAT = 2**53
_CACHE_BLOCK = 1 << 15  # numbers that the processor's cache holds


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """The confusion counts at one cutoff or at several, and the costs of the errors.

    `costs` are sums of the rows' own costs in place of counts, in units of ``1 / unit``; `squares` are sums
    of squared weights, or of squared costs. Both are None where rows have neither. Squares are computed on
    first use: the search seldom needs them.
    """

    counts: Binary
    costs: Any = None  # a Binary, too
    make_squares: Callable[[], Binary] | None = None
    unit: int = 1
    make_rows: Callable[[], Binary] | None = None

    @property
    def rows(self) -> Any:
        """Numbers of rows in place of sums of weights."""
        return self.counts if self.make_rows is None else self.make_rows()

    @property
    def squares(self) -> Any:
        """Sums of squared weights in place of counts, None where rows have none."""
        return None if self.make_squares is None else self.make_squares()

    def take(self, indices: Any) -> Outcome:
        """Return the outcome at some of the cutoffs."""
        return self._map(operator.itemgetter(indices))

    def add(self, other: Outcome) -> Outcome:
        """Return the outcome of the rows of both."""
        return self._map(np.add, other)

    def _map(self, change: Callable[..., Any], *others: Outcome) -> Outcome:
        outcomes = (self, *others)
        return Outcome(
            _map_tables(change, *(outcome.counts for outcome in outcomes)),
            _map_tables(change, *(outcome.costs for outcome in outcomes)),
            self.make_squares and (lambda: _map_tables(change, *(outcome.squares for outcome in outcomes))),
            self.unit,
            self.make_rows and (lambda: _map_tables(change, *(outcome.rows for outcome in outcomes))),
        )


class CumulativeCounts:
    """Cumulative counts from the highest score down, stored at the start of each block of cutoffs.

    Between block starts they are summed on demand. Floats are always added in the same order.
    """

    def __init__(self, counts: tuple[NDArray[Any], NDArray[Any]], times: Any = None, unit: int = 1) -> None:
        """Take the numbers of positives and negatives at each distinct score, the highest first.

        `times` are the weights of the scores; they are scaled by `unit` to be whole numbers.
        """
        self._counts, self._times, self._unit = counts, times, unit
        self.block = _block(len(counts[0]) + 1)
        self._edges = [self._at_edges(side) for side in (0, 1)]

    def between(self, begin: int, end: int) -> Binary:
        """Return the counts at the cutoffs [begin, end): infinity is the first, above all rows."""
        first = begin // self.block
        start = first * self.block
        tp, fp = (
            self._sums(side, start, end - 1, self._edges[side][first])[begin - start :] for side in (0, 1)
        )
        return self._table(tp, fp)

    def ends(self, tp_from: slice, fp_from: slice) -> Binary:
        """Return the counts at block starts: true positives of one slice of them, false ones of another."""
        return self._table(self._edges[0][tp_from], self._edges[1][fp_from])

    def _table(self, tp: NDArray[Any], fp: NDArray[Any]) -> Binary:
        cells = tp, fp, self._edges[0][-1:] - tp, self._edges[1][-1:] - fp
        return Binary(*(cell / self._unit for cell in cells)) if self._unit > 1 else Binary(*cells)

    def _sums(self, side: int, begin: int, end: int, before: Any) -> NDArray[Any]:
        """Return the cumulative sums over the scores [begin, end), which start from the sum before them."""
        terms = np.empty(end - begin + 1, dtype=np.int64 if self._times is None else np.float64)
        terms[0] = before
        terms[1:] = self._counts[side][begin:end]
        if self._times is not None:
            terms[1:] *= self._times[begin:end]
        return np.cumsum(terms, out=terms)

    def _at_edges(self, side: int) -> NDArray[Any]:
        """Return the sum before each block, and the total."""
        column, size = self._counts[side], self.block
        if self._times is None:
            whole = len(column) // size * size
            sums = column[:whole].reshape(-1, size).sum(1, dtype=np.int64)
            if whole < len(column):
                sums = np.append(sums, column[whole:].sum(dtype=np.int64))
            return np.concatenate([[0], np.cumsum(sums)])
        edges = [0.0]
        for begin in range(0, len(column), size):
            edges.append(self._sums(side, begin, min(begin + size, len(column)), edges[-1])[-1])
        return np.array(edges)


def _block(cutoffs: int) -> int:
    """Return how many cutoffs a block has: about the square root of all, within the cache size."""
    return 1 << min(max(cutoffs.bit_length() // 2 + 1, 8), 13)


class Sweep:
    """Every cutoff, from infinity down over the distinct scores, with the outcome at each.

    Outcomes are computed on demand: of ten million cutoffs a search reads a few thousand.
    """

    def __init__(
        self, scores: NDArray[Any], counts: Callable[[int], CumulativeCounts], **of_weights: Any
    ) -> None:
        """Take the distinct scores, rising, and a function from a power of the weights to their counts."""
        self.scores = scores
        self._sums = functools.cache(counts)
        self._costed: bool = of_weights.get("costed", False)
        self._weighted: bool = of_weights.get("weighted", False)
        self._unit: int = of_weights.get("unit", 1)
        self._group: Callable[[int], GroupedRows] | None = of_weights.get("group")

    @functools.cached_property
    def groups(self) -> GroupedRows | None:
        """The rows in their groups, None where there are none."""
        return None if self._group is None else self._group(len(self))

    @property
    def plain(self) -> bool:
        """Whether rows are independent and unweighted."""
        return not self._weighted and self._group is None

    def __len__(self) -> int:
        return len(self.scores) + 1

    @property
    def block(self) -> int:
        """How many cutoffs a block has."""
        return _block(len(self))

    @property
    def cutoffs(self) -> NDArray[Any]:
        """All cutoffs, infinity first."""
        return np.concatenate([[math.inf], self.scores[::-1]])

    def cutoff(self, index: int) -> float:
        """Return the cutoff at an index."""
        return float(self.scores[-index]) if index else math.inf

    def index_of(self, threshold: float) -> int:
        """Return the index of the cutoff that predicts the same rows positive as a threshold."""
        return len(self.scores) - int(np.searchsorted(self.scores, np.float64(threshold), side="left"))

    def at(self, index: int) -> Outcome:
        """Return the outcome at one cutoff, as arrays of one entry."""
        return self.between(index, index + 1)

    def between(self, begin: int, end: int) -> Outcome:
        """Return the outcomes at the cutoffs [begin, end)."""
        return self._outcome(lambda sums: sums.between(begin, min(end, len(self))))

    def take(self, indices: Iterable[int]) -> Outcome:
        """Return the outcomes at some of the cutoffs."""
        return self._outcome(
            lambda sums: _map_tables(_concatenate, *(sums.between(index, index + 1) for index in indices))
        )

    def ends(self, tp_from: slice, fp_from: slice) -> Outcome:
        """Return the counts at the starts of blocks: true positives of one slice, false ones of another."""
        return self._outcome(lambda sums: sums.ends(tp_from, fp_from))

    def _outcome(self, read: Callable[[CumulativeCounts], Binary]) -> Outcome:
        if not self._weighted:
            return Outcome(read(self._sums(0)))
        counts, costs = (0, read(self._sums(1))) if self._costed else (1, None)
        squares, rows = (functools.partial(lambda power: read(self._sums(power)), power) for power in (2, 0))
        return Outcome(read(self._sums(counts)), costs, squares, self._unit, rows)


@dataclasses.dataclass(frozen=True, slots=True)
class Amounts:
    """Costs of an error on each row: a column, or one number for all rows."""

    fp: Any
    fn: Any

    def of_rows(self, rows: Rows, positive: NDArray[Any]) -> tuple[NDArray[np.float64], int]:
        """Return each row's cost of an error, as whole numbers if its decimals allow, and their scale."""
        fp, fn = (self._column(x, f"cost_{name}", rows) for x, name in ((self.fp, "fp"), (self.fn, "fn")))
        if not (fp.any() or fn.any()):
            raise MetricError("both errors cost nothing on every row, so every threshold is equally good.")
        amounts = np.where(positive == 1, fn, fp)
        return to_whole_units(amounts, len(rows))

    @staticmethod
    def _column(cost: Any, name: str, rows: Rows) -> NDArray[np.float64]:
        if is_number(cost):
            return np.full(1, checked_cost(name, cost))
        costs: Column = column(cost, name)
        if rows.origin is not None and len(costs) != len(rows) and len(costs) > rows.origin.max(initial=-1):
            costs = costs.take(rows.origin, rows.origin)
        if len(costs) != len(rows):
            raise LengthError(
                f"{name} has {count_of(len(costs), 'value')}, but there are {count_of(len(rows), 'row')}."
            )
        values = costs.float64("amounts")
        absent = costs.absent()
        if absent is not None:
            costs.raise_missing(int(np.argmax(absent)))
        if not (values.min(initial=0.0) >= 0 and values.max(initial=0.0) <= MAX_COST):
            row = int(np.argmax(~((values >= 0) & (values <= MAX_COST))))
            why = f"a cost is a number from 0 on. {NO_GAINS}"
            if MAX_COST < values[row] < math.inf:
                why = "that is too large: state costs in a larger unit."
            raise NumberError(f"{name} is {values[row]} ({costs.where(row)}): {why}")
        return values


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """The rows that a threshold is chosen on, as a score tally.

    Where each row has its own costs, its weight in the tally is the cost of an error on it. For grouped
    rows, `groups` has the index in the tally and the group of each row, since groups are resampled whole.
    """

    tally: Scores
    costed: bool = False
    unit: int = 1
    groups: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None

    @classmethod
    def of(cls, data: Any, amounts: Amounts | None = None) -> Self:
        """Return the sample of rows or of a score tally; a row's own costs need rows."""
        if isinstance(data, BinnedScores):
            data = _from_bins(data)
        if isinstance(data, Rows) or amounts is not None:
            sample = cls._of_rows(_as_rows(data), amounts)
        else:
            tally = tallied(data, Scores)
            need_tally(tally, Scores)
            sample = cls(tally)
        if not sample.tally.n:
            raise MetricError("there are no rows, so there is no threshold to choose or to evaluate.")
        return sample

    @classmethod
    def _of_rows(cls, rows: Rows, amounts: Amounts | None) -> Self:
        if amounts is None and rows.group is None:
            return cls(Scores.of(rows))
        positive, _ = rows.binary_actual("a score tally")
        unit = 1
        if amounts is not None:
            if rows.weight is not None:
                raise MetricError(
                    "the rows have both weights and costs of their own: leave one of them out, or pass the "
                    "product of both as costs."
                )
            values, unit = amounts.of_rows(rows, positive)
            rows = dataclasses.replace(rows, weight=Column("cost", values))
        tally = Scores.of(rows)
        groups = None if rows.group is None else (_entries(rows, tally, positive), _codes(rows))
        return cls(tally, amounts is not None, unit, groups)

    @property
    def weighted(self) -> bool:
        """Whether rows have weights that are not their costs."""
        return self.tally.weights is not None and not self.costed

    @property
    def probabilities(self) -> bool:
        """Whether all scores lie between 0 and 1."""
        scores = self.tally.scores
        return bool(scores[0] >= 0 and scores[-1] <= 1)

    @functools.cached_property
    def _weights(self) -> tuple[NDArray[np.intp], NDArray[np.float64], int]:
        """The first entry of each distinct score, the weights as whole numbers, and their scale."""
        weights: Any = self.tally.weights
        return self.tally.starts(), *((weights, 1) if self.costed else to_whole_units(weights, self.tally.n))

    def table_at(self, threshold: float, positives: Any = None, negatives: Any = None) -> Confusion | None:
        """Return the confusion tally of weighted rows at a threshold, or of resampled numbers of rows.

        None where rows have no weights: then the counts are enough.
        """
        if not self.weighted:
            return None
        tally = self.tally
        if positives is not None:
            tally = dataclasses.replace(tally, positives=positives, negatives=negatives)
        weights: Any = self.tally.weights
        if weights.min() == weights.max():  # equal weights count as none
            tally = dataclasses.replace(tally, weights=None)
        return confusions_at(tally, [threshold], (0, 1))[0]

    def sweep(self, positives: Any = None, negatives: Any = None, *, times: Any = None) -> Sweep:
        """Return the outcomes at every cutoff: of the rows, or of resampled numbers of them at each entry.

        For grouped rows, `times` says how often each group is in the resample.
        """
        tally, weights = self.tally, self.tally.weights
        if positives is None:
            positives, negatives = tally.positives, tally.negatives
        group = None if self.groups is None else functools.partial(self._grouped, times)
        if weights is None:
            return Sweep(
                tally.scores, lambda _: CumulativeCounts((positives[::-1], negatives[::-1])), group=group
            )
        starts, scaled, unit = self._weights
        one_weight = len(starts) == len(weights)  # for every score

        def sums(power: int) -> CumulativeCounts:
            columns: tuple[Any, ...] = positives, negatives
            times: Any = None if not power else scaled if power == 1 else scaled * scaled
            if not one_weight:
                if times is not None:
                    columns, times = (positives * times, negatives * times), np.broadcast_to(1.0, len(starts))
                kind = np.int64 if times is None else np.float64
                columns = tuple(np.add.reduceat(x, starts, dtype=kind) for x in columns)
            descending = columns[0][::-1], columns[1][::-1]
            return CumulativeCounts(descending, None if times is None else times[::-1], unit**power)

        scores = tally.scores if one_weight else tally.scores[starts]
        return Sweep(scores, sums, weighted=True, costed=self.costed, unit=self.unit, group=group)

    def _grouped(self, times: Any, cutoffs: int) -> GroupedRows:
        """Return the rows in their groups, each with the first cutoff that predicts it positive."""
        assert self.groups is not None  # noqa: S101 - for the type checker
        tally, (indices, codes) = self.tally, self.groups
        positive = indices < len(tally.scores)
        entry = np.where(positive, indices, indices - len(tally.scores))
        level, weight = entry, None
        if tally.weights is not None:
            level, weight = np.searchsorted(tally.starts(), entry, side="right") - 1, tally.weights[entry]
        return GroupedRows(cutoffs, cutoffs - 1 - level, positive, codes, weight=weight, times=times)


def to_whole_units(amounts: NDArray[np.float64], rows: int) -> tuple[NDArray[np.float64], int]:
    """Return amounts scaled to whole numbers, whose sums are exact, and the scale.

    Amounts of money and most weights have few decimals. Others, and those whose sum would be too large to be
    exact, are returned unchanged with a scale of 1.

    >>> to_whole_units(np.array([0.1, 12.25]), 2)
    (array([  10., 1225.]), 100)
    >>> to_whole_units(np.array([1 / 3]), 1)
    (array([0.33333333]), 1)
    """
    largest = float(amounts.max(initial=0.0))
    for decimals in _MAX_DECIMALS:
        unit = 10**decimals
        if not largest * unit * rows < _MAX_EXACT_FLOAT:
            break
        whole = np.empty(len(amounts))
        for begin in range(0, len(amounts), _CACHE_BLOCK):
            some = slice(begin, begin + _CACHE_BLOCK)
            np.rint(amounts[some] * unit, out=whole[some])
            if not np.array_equal(whole[some] / unit, amounts[some]):
                break
        else:
            return whole, unit
    return amounts, 1


def _as_rows(data: Any) -> Rows:
    if isinstance(data, Scores):
        raise MetricError("costs of each row need the rows: pass assay.rows(...) and not a tally of them.")
    return need_rows(data)


def _from_bins(data: BinnedScores) -> Scores:
    """Return a tally with every score at the low end of its bin: at these cutoffs it is exact."""
    if data.weights is not None:
        raise MetricError("a threshold cannot be chosen from a binned tally of weighted rows.")
    return data.lowest()


def _entries(rows: Rows, tally: Scores, positive: NDArray[Any]) -> NDArray[np.intp]:
    """Return each row's entry in the tally: entries of positives first, then of negatives."""
    values = rows.need("score", "a score tally").float64("scores")
    scores = tally.scores.astype(np.float64)
    if tally.weights is None or rows.weight is None:
        entry = np.searchsorted(scores, values)
    else:  # pairs of score and weight in order, as one number each
        distinct, known = scores[tally.starts()], np.unique(tally.weights)
        entry, pairs = (
            np.searchsorted(distinct, x) * len(known) + np.searchsorted(known, w)
            for x, w in ((values, rows.weight.values), (scores, tally.weights))
        )
        entry = np.searchsorted(pairs, entry)
    return np.asarray(entry + np.where(positive == 1, 0, len(scores)), dtype=np.intp)


def _codes(rows: Rows) -> NDArray[np.intp]:
    return encode(rows.need("group", "a sample in groups"))[0].astype(np.intp)


def cells(table: Binary) -> tuple[Any, Any, Any, Any]:
    """Return the four counts of a table."""
    return table.tp, table.fp, table.fn, table.tn


def checked_threshold(value: Any, name: str = "threshold") -> float:
    """Return a threshold that is a number, infinity too, or raise."""
    if not is_number(value) or math.isnan(value):
        raise MetricError(f"{passed(name, value)} is not a number.")
    return float(value)


def _map_tables(change: Callable[..., Any], *tables: Any) -> Any:
    """Apply a function to the counts of tables, cell by cell; None where there are none."""
    return None if tables[0] is None else Binary(*map(change, *map(cells, tables)))


def _concatenate(*columns: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate(columns) if columns else np.empty(0)
