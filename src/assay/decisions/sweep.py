"""What comes of every cutoff: the rows that a threshold is chosen on, and what it does with them."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay import kernels
from assay.decisions.costs import NO_GAINS, is_number
from assay.errors import LengthError, MetricError, NumberError
from assay.inputs import Rows, column, encode, need_rows
from assay.inputs.columns import Column, doubles
from assay.inputs.labels import binary
from assay.metrics import Binary
from assay.metrics.metric import need_tally, tallied
from assay.metrics.ranks import Ranks
from assay.tallies import BinnedScores, Scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Amounts", "Outcome", "Sample", "Sweep"]

_DECIMALS = range(5)  # amounts of money have few: with them made whole, sums are exact
_EXACT = 2**53


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
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Sweep:
    """Every cutoff, from infinity down over the distinct scores, and what comes of each."""

    cutoffs: NDArray[Any]
    outcome: Outcome

    def place(self, threshold: float) -> int:
        """Return the cutoff that predicts the same rows positive as a threshold, which need be no score."""
        rising = self.cutoffs[:0:-1]
        return len(rising) - int(np.searchsorted(rising, threshold, side="left"))

    def at(self, place: int) -> Outcome:
        """Return what comes of one cutoff, as arrays of one entry."""
        return self.outcome.taken(slice(place, place + 1))


@dataclasses.dataclass(frozen=True, slots=True)
class Amounts:
    """What an error costs on each row: a column, or one number for all rows."""

    fp: Any
    fn: Any

    def of_rows(self, rows: Rows, positive: NDArray[Any]) -> tuple[NDArray[np.float64], int]:
        """Return what an error on each row costs, made whole where its decimals allow it, and the unit."""
        fp, fn = (self._column(x, f"cost_{name}", rows) for x, name in ((self.fp, "fp"), (self.fn, "fn")))
        amounts = np.where(positive == 1, fn, fp)
        for places in _DECIMALS:
            unit = 10**places
            whole = np.rint(amounts * unit)
            if (whole / unit == amounts).all() and whole.sum() < _EXACT:
                return whole, unit
        return amounts, 1

    @staticmethod
    def _column(given: Any, name: str, rows: Rows) -> NDArray[np.float64]:
        if is_number(given):
            given = np.full(len(rows), float(given))
        kept: Column = column(given, name)
        if rows.origin is not None and len(kept) != len(rows) and len(kept) > rows.origin.max(initial=-1):
            kept = kept.take(rows.origin, rows.origin)
        if len(kept) != len(rows):
            raise LengthError(f"{name} has {len(kept):,} values, but there are {len(rows):,} rows.")
        values = doubles(kept.numbers("amounts"))
        absent = kept.absent()
        if absent is not None:
            kept.raise_missing(int(np.argmax(absent)))
        bad = ~(np.isfinite(values) & (values >= 0))
        if bad.any():
            row = int(np.argmax(bad))
            raise NumberError(
                f"{name} is {values[row]} ({kept.where(row)}): a cost is a number from 0 on. {NO_GAINS}"
            )
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

    def sweep(self, positives: Any = None, negatives: Any = None) -> Sweep:
        """Return what comes of every cutoff: of the rows, or of so many rows at each entry of the tally."""
        tally, weights = self.tally, self.tally.weights
        if weights is None:
            ranks = Ranks(tally, positives, negatives)
            return Sweep(ranks.cutoffs(), Outcome(ranks.at_cutoffs()))
        if positives is None:
            positives, negatives = tally.positives, tally.negatives

        def table(power: int) -> Binary:
            times = weights**power if power else np.int64(1)  # rows stay whole numbers
            return Ranks(tally, positives * times, negatives * times).at_cutoffs()

        squares = functools.cache(lambda: table(2))
        outcome = (
            Outcome(table(0), table(1), squares, self.unit)
            if self.costed
            else Outcome(table(1), None, squares)
        )
        return Sweep(Ranks(tally).cutoffs(), outcome)


def _as_rows(data: Any) -> Rows:
    if isinstance(data, Scores):
        raise MetricError("costs of each row need the rows: pass assay.rows(...) and not a tally of them.")
    return need_rows(data)


def _of_cells(data: BinnedScores) -> Scores:
    """Return the tally of rows that all score as low as their cell allows: at these cutoffs it is exact."""
    if data.weights is not None:
        raise MetricError("a binned tally of weighted rows keeps too little to choose a threshold from.")
    lowest = kernels.bin_edges(data.bits)[data.cells]
    most = max(int(data.positives.max(initial=0)), int(data.negatives.max(initial=0)))
    counts = (one.astype(np.min_scalar_type(most)) for one in (data.positives, data.negatives))
    return Scores(data.positive, lowest, None, *counts)


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


def checked_threshold(value: Any) -> float:
    """Return a threshold that is a number, infinity too, or raise."""
    if not is_number(value) or math.isnan(value):
        raise MetricError(f"threshold={value!r} is not a number.")
    return float(value)


def _mapped(change: Callable[..., Any], *tables: Any) -> Any:
    """Return a table of what becomes of the counts of others, None where there are none."""
    return None if tables[0] is None else Binary(*map(change, *map(cells, tables)))
