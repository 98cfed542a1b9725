"""What comes of every cutoff: the rows that a threshold is chosen on, and what it does with them."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.decisions.costs import LARGEST, NO_GAINS, checked_cost, is_number
from assay.decisions.effective_counts import GroupedRows
from assay.errors import LengthError, MetricError, NumberError
from assay.inputs import Rows, column, encode, need_rows
from assay.inputs.columns import Column, doubles
from assay.inputs.labels import binary
from assay.metrics import Binary
from assay.metrics.metric import need_tally, tallied
from assay.tallies import BinnedScores, Confusion, Scores
from assay.tallies.scores.thresholding import confusions_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

__all__ = ["Amounts", "Outcome", "Running", "Sample", "Sweep"]

_DECIMALS = range(5)  # amounts of money have few: with them made whole, sums are exact
_EXACT = 2**53
_AT_ONCE = 1 << 15  # numbers that the processor's cache holds


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What comes of one cutoff, or of several: the counts, and what their errors cost.

    `costs` are sums of the rows' own amounts in place of counts, in units of ``1 / unit``; `squares` those
    of the squares of the weights, or of the amounts. Both are None where rows have neither. Squares are only
    made when they are asked for: the search itself seldom does.
    """

    counts: Binary
    costs: Any = None  # a Binary, too
    make_squares: Callable[[], Binary] | None = None
    unit: int = 1
    make_rows: Callable[[], Binary] | None = None

    @property
    def rows(self) -> Any:
        """How many rows there are in place of sums of weights."""
        return self.counts if self.make_rows is None else self.make_rows()

    @property
    def squares(self) -> Any:
        """Sums of squared weights in place of counts, None where rows have none."""
        return None if self.make_squares is None else self.make_squares()

    def taken(self, places: Any) -> Outcome:
        """Return the outcome of some of the cutoffs."""
        return self._changed(operator.itemgetter(places))

    def added(self, other: Outcome) -> Outcome:
        """Return the outcome of both: of the rows of one and those of the other."""
        return self._changed(np.add, other)

    def _changed(self, change: Callable[..., Any], *others: Outcome) -> Outcome:
        every = (self, *others)
        return Outcome(
            _mapped(change, *(one.counts for one in every)),
            _mapped(change, *(one.costs for one in every)),
            self.make_squares and (lambda: _mapped(change, *(one.squares for one in every))),
            self.unit,
            self.make_rows and (lambda: _mapped(change, *(one.rows for one in every))),
        )


class Running:
    """Sums over the rows from the highest score down, kept where blocks of cutoffs begin and made between.

    Sums of floats are added in one order, wherever they are read.
    """

    def __init__(self, counts: tuple[NDArray[Any], NDArray[Any]], times: Any = None, unit: int = 1) -> None:
        """Take how many positives and negatives each distinct score has, the highest first.

        Each row counts so many `times`; numbers that were made whole are of `unit` to one.
        """
        self._counts, self._times, self._unit = counts, times, unit
        self.block = _block(len(counts[0]) + 1)
        self._edges = [self._at_edges(side) for side in (0, 1)]

    def between(self, begin: int, end: int) -> Binary:
        """Return the counts at the cutoffs [begin, end): infinity is the first, above all rows."""
        first = begin // self.block
        held = first * self.block
        tp, fp = (
            self._sums(side, held, end - 1, self._edges[side][first])[begin - held :] for side in (0, 1)
        )
        return self._table(tp, fp)

    def ends(self, tp_from: slice, fp_from: slice) -> Binary:
        """Return the counts where blocks begin: positives and negatives of slices of those places."""
        return self._table(self._edges[0][tp_from], self._edges[1][fp_from])

    def _table(self, tp: NDArray[Any], fp: NDArray[Any]) -> Binary:
        cells = tp, fp, self._edges[0][-1:] - tp, self._edges[1][-1:] - fp
        return Binary(*(cell / self._unit for cell in cells)) if self._unit > 1 else Binary(*cells)

    def _sums(self, side: int, begin: int, end: int, before: Any) -> NDArray[Any]:
        """Return what there was before, and how it grows over the scores [begin, end)."""
        terms = np.empty(end - begin + 1, dtype=np.int64 if self._times is None else np.float64)
        terms[0] = before
        terms[1:] = self._counts[side][begin:end]
        if self._times is not None:
            terms[1:] *= self._times[begin:end]
        return np.cumsum(terms, out=terms)

    def _at_edges(self, side: int) -> NDArray[Any]:
        """Return the sum before each block, and that of all."""
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
    """Return how many cutoffs are read at once: about the root of all, within what the cache holds."""
    return 1 << min(max(cutoffs.bit_length() // 2 + 1, 8), 13)


class Sweep:
    """Every cutoff, from infinity down over the distinct scores, and what comes of each.

    Nothing is made that is not asked for: of ten million cutoffs a search reads a few thousand.
    """

    def __init__(self, scores: NDArray[Any], counts: Callable[[int], Running], **of_weights: Any) -> None:
        """Take the distinct scores, rising, and sums of the rows' weights to a power."""
        self.scores = scores
        self._sums = functools.cache(counts)
        self._costed: bool = of_weights.get("costed", False)
        self._weighted: bool = of_weights.get("weighted", False)
        self._unit: int = of_weights.get("unit", 1)
        self._group: Callable[[int], GroupedRows] | None = of_weights.get("group")

    @functools.cached_property
    def groups(self) -> GroupedRows | None:
        """The rows in their groups, None where they come in none."""
        return None if self._group is None else self._group(len(self))

    @property
    def plain(self) -> bool:
        """Whether every row counts once and for itself."""
        return not self._weighted and self._group is None

    def __len__(self) -> int:
        return len(self.scores) + 1

    @property
    def block(self) -> int:
        """How many cutoffs are read at once."""
        return _block(len(self))

    @property
    def cutoffs(self) -> NDArray[Any]:
        """All of the cutoffs."""
        return np.concatenate([[math.inf], self.scores[::-1]])

    def cutoff(self, place: int) -> float:
        """Return one of the cutoffs."""
        return float(self.scores[-place]) if place else math.inf

    def place(self, threshold: float) -> int:
        """Return the cutoff that predicts the same rows positive as a threshold, which need be no score."""
        return len(self.scores) - int(np.searchsorted(self.scores, np.float64(threshold), side="left"))

    def at(self, place: int) -> Outcome:
        """Return what comes of one cutoff, as arrays of one entry."""
        return self.between(place, place + 1)

    def between(self, begin: int, end: int) -> Outcome:
        """Return what comes of the cutoffs [begin, end)."""
        return self._made(lambda sums: sums.between(begin, min(end, len(self))))

    def taken(self, places: Iterable[int]) -> Outcome:
        """Return what comes of some of the cutoffs."""
        return self._made(lambda sums: _mapped(_joined, *(sums.between(one, one + 1) for one in places)))

    def ends(self, tp_from: slice, fp_from: slice) -> Outcome:
        """Return the counts where blocks of cutoffs begin, or where the next one does."""
        return self._made(lambda sums: sums.ends(tp_from, fp_from))

    def _made(self, read: Callable[[Running], Binary]) -> Outcome:
        if not self._weighted:
            return Outcome(read(self._sums(0)))
        counts, costs = (0, read(self._sums(1))) if self._costed else (1, None)
        squares, rows = (functools.partial(lambda power: read(self._sums(power)), power) for power in (2, 0))
        return Outcome(read(self._sums(counts)), costs, squares, self._unit, rows)


@dataclasses.dataclass(frozen=True, slots=True)
class Amounts:
    """What an error costs on each row: a column, or one number for all rows."""

    fp: Any
    fn: Any

    def of_rows(self, rows: Rows, positive: NDArray[Any]) -> tuple[NDArray[np.float64], int]:
        """Return what an error on each row costs, made whole where its decimals allow it, and the unit."""
        fp, fn = (self._column(x, f"cost_{name}", rows) for x, name in ((self.fp, "fp"), (self.fn, "fn")))
        if not (fp.any() or fn.any()):
            raise MetricError("both errors cost nothing on every row, so that any threshold is as good.")
        amounts = np.where(positive == 1, fn, fp)
        return made_whole(amounts, len(rows))

    @staticmethod
    def _column(given: Any, name: str, rows: Rows) -> NDArray[np.float64]:
        if is_number(given):
            return np.full(1, checked_cost(name, given))
        kept: Column = column(given, name)
        if rows.origin is not None and len(kept) != len(rows) and len(kept) > rows.origin.max(initial=-1):
            kept = kept.take(rows.origin, rows.origin)
        if len(kept) != len(rows):
            raise LengthError(f"{name} has {len(kept):,} values, but there are {len(rows):,} rows.")
        values = doubles(kept.numbers("amounts"))
        absent = kept.absent()
        if absent is not None:
            kept.raise_missing(int(np.argmax(absent)))
        if not (values.min(initial=0.0) >= 0 and values.max(initial=0.0) <= LARGEST):
            row = int(np.argmax(~((values >= 0) & (values <= LARGEST))))
            why = f"a cost is a number from 0 on. {NO_GAINS}"
            if LARGEST < values[row] < math.inf:
                why = "that is too large: state costs in a larger unit."
            raise NumberError(f"{name} is {values[row]} ({kept.where(row)}): {why}")
        return values


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """The rows that a threshold is chosen on, as a score tally.

    Where each row has its own costs, its weight in the tally is what an error on it costs. Rows in groups
    have, row by row, their place in the tally and their group, for they are drawn together.
    """

    tally: Scores
    costed: bool = False
    unit: int = 1
    groups: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None

    @classmethod
    def of(cls, data: Any, amounts: Amounts | None = None) -> Self:
        """Return the sample of rows or of a score tally; a row's own costs need rows."""
        if isinstance(data, BinnedScores):
            data = _of_cells(data)
        if isinstance(data, Rows) or amounts is not None:
            made = cls._of_rows(_as_rows(data), amounts)
        else:
            tally = tallied(data, Scores)
            need_tally(tally, Scores)
            made = cls(tally)
        if not made.tally.n:
            raise MetricError("there are no rows, so that there is no threshold to choose or to judge.")
        return made

    @classmethod
    def _of_rows(cls, rows: Rows, amounts: Amounts | None) -> Self:
        if amounts is None and rows.group is None:
            return cls(Scores.of(rows))
        positive, _ = binary(rows.need("actual", "a score tally"), rows.positive, rows.labels)
        unit = 1
        if amounts is not None:
            if rows.weight is not None:
                raise MetricError(
                    "the rows have weights, and costs of their own: leave one of them out, or put the "
                    "product of both into the costs."
                )
            values, unit = amounts.of_rows(rows, positive)
            rows = dataclasses.replace(rows, weight=Column("cost", values))
        tally = Scores.of(rows)
        groups = None if rows.group is None else (_places(rows, tally, positive), _codes(rows))
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
        """Where each distinct score begins among the tally's entries, and their weights, made whole."""
        weights: Any = self.tally.weights
        return self.tally.starts(), *((weights, 1) if self.costed else made_whole(weights, self.tally.n))

    def table_at(self, threshold: float, positives: Any = None, negatives: Any = None) -> Confusion | None:
        """Return the confusion tally of weighted rows at a threshold, or of so many rows at each entry.

        None where rows have no weights: then the counts tell all.
        """
        if not self.weighted:
            return None
        tally = self.tally
        if positives is not None:
            tally = dataclasses.replace(tally, positives=positives, negatives=negatives)
        weights: Any = self.tally.weights
        if weights.min() == weights.max():  # equal weights are no weights
            tally = dataclasses.replace(tally, weights=None)
        return confusions_at(tally, [threshold], (0, 1))[0]

    def sweep(self, positives: Any = None, negatives: Any = None, *, times: Any = None) -> Sweep:
        """Return what comes of every cutoff: of the rows, or of so many rows at each entry of the tally.

        Where the rows come in groups, `times` says how often each group is among those.
        """
        tally, weights = self.tally, self.tally.weights
        if positives is None:
            positives, negatives = tally.positives, tally.negatives
        group = None if self.groups is None else functools.partial(self._grouped, times)
        if weights is None:
            return Sweep(tally.scores, lambda _: Running((positives[::-1], negatives[::-1])), group=group)
        starts, whole, unit = self._weights
        alone = len(starts) == len(weights)  # every score has one weight

        def sums(power: int) -> Running:
            columns: tuple[Any, ...] = positives, negatives
            times: Any = None if not power else whole if power == 1 else whole * whole
            if not alone:
                if times is not None:
                    columns, times = (positives * times, negatives * times), np.broadcast_to(1.0, len(starts))
                kind = np.int64 if times is None else np.float64
                columns = tuple(np.add.reduceat(x, starts, dtype=kind) for x in columns)
            backwards = columns[0][::-1], columns[1][::-1]
            return Running(backwards, None if times is None else times[::-1], unit**power)

        scores = tally.scores if alone else tally.scores[starts]
        return Sweep(scores, sums, weighted=True, costed=self.costed, unit=self.unit, group=group)

    def _grouped(self, times: Any, cutoffs: int) -> GroupedRows:
        """Return the rows in their groups, each with the first cutoff that predicts it positive."""
        assert self.groups is not None  # noqa: S101 - for the type checker
        tally, (places, codes) = self.tally, self.groups
        positive = places < len(tally.scores)
        entry = np.where(positive, places, places - len(tally.scores))
        level, weight = entry, None
        if tally.weights is not None:
            level, weight = np.searchsorted(tally.starts(), entry, side="right") - 1, tally.weights[entry]
        return GroupedRows(cutoffs, cutoffs - 1 - level, positive, codes, weight=weight, times=times)


def made_whole(amounts: NDArray[np.float64], rows: int) -> tuple[NDArray[np.float64], int]:
    """Return amounts in a unit of which they are whole numbers, so that sums are exact, and the unit.

    Amounts of money and most weights have few decimals. Others, and those whose sum would be too large to be
    exact, stay as they are.

    >>> made_whole(np.array([0.1, 12.25]), 2)
    (array([  10., 1225.]), 100)
    >>> made_whole(np.array([1 / 3]), 1)
    (array([0.33333333]), 1)
    """
    most = float(amounts.max(initial=0.0))
    for places in _DECIMALS:
        unit = 10**places
        if not most * unit * rows < _EXACT:
            break
        whole = np.empty(len(amounts))
        for begin in range(0, len(amounts), _AT_ONCE):
            some = slice(begin, begin + _AT_ONCE)
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


def _of_cells(data: BinnedScores) -> Scores:
    """Return the tally of rows that all score as low as their cell allows: at these cutoffs it is exact."""
    if data.weights is not None:
        raise MetricError("a binned tally of weighted rows keeps too little to choose a threshold from.")
    return data.lowest()


def _places(rows: Rows, tally: Scores, positive: NDArray[Any]) -> NDArray[np.intp]:
    """Return each row's place among the tally's entries: of positives first, then of negatives."""
    values = doubles(rows.need("score", "a score tally").numbers("scores"))
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
    codes, _ = encode(rows.need("group", "a sample in groups"))
    return codes.astype(np.intp)


def cells(table: Binary) -> tuple[Any, Any, Any, Any]:
    """Return the four counts of a table."""
    return table.tp, table.fp, table.fn, table.tn


def checked_threshold(value: Any, name: str = "threshold") -> float:
    """Return a threshold that is a number, infinity too, or raise."""
    if not is_number(value) or math.isnan(value):
        raise MetricError(f"{name}={value!r} is not a number.")
    return float(value)


def _mapped(change: Callable[..., Any], *tables: Any) -> Any:
    """Return a table of what becomes of the counts of others, None where there are none."""
    return None if tables[0] is None else Binary(*map(change, *map(cells, tables)))


def _joined(*columns: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate(columns) if columns else np.empty(0)
