"""What a sample says about a rate at each cutoff, also where rows are weighted or come in groups.

A promise is a one-sided test of every cutoff. Rows that come in groups, or have weights, are as many
independent rows as have the same variance (Korn and Graubard 1998). The variance is that of leaving out one
group, or one row, at a time (CR3, the cluster jackknife), and the effective number of groups less one are the
degrees of freedom of Student's t. Those that show no failure at all have no variance: they are as many rows
as there are groups with rows in the denominator, in Kish's sense. Nor does a sample with failures say more
than that one would. Weights that are all alike, and groups of one row each, change nothing.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.formulas.proportions import normal_quantile, proportion_interval
from assay.metrics.arithmetic import ratio, root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from assay.decisions.sweep import Outcome
    from assay.metrics import Binary

__all__ = ["Evidence", "GroupedRows", "lower_limit_reaches", "of_outcome", "parts_of", "wilson_limit"]

_DENSE = 1 << 21  # cutoffs times groups up to which every cutoff is tested
_AT_ONCE = 1 << 20  # sums of groups held at a time
_ROUNDING = 1e-12  # of a share: sums of weights are rounded
_EVEN, _FINE = 1000, 1.005  # of more cutoffs those at even ranks and at ranks that grow by so much are tested


@dataclasses.dataclass(frozen=True)
class Evidence:
    """Hits of so many rows at each of some cutoffs; of weighted rows, of as many as Kish takes them for.

    `variance` is that of the share, and `units` the effective number of groups, or of weighted rows, in the
    denominator; both are None where rows count once and for themselves. `number` is how many rows that is
    without their weights, and `groups` how many groups have such rows.
    """

    hits: NDArray[Any]
    rows: NDArray[Any]
    variance: NDArray[np.float64] | None = None
    units: NDArray[np.float64] | None = None
    number: NDArray[Any] | None = None
    groups: NDArray[np.int64] | None = None

    def effective(self, level: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the hits and the independent rows that are worth as much in a one-sided test at a level."""
        if self.variance is None or self.units is None or self.number is None:
            return self.hits, self.rows
        from scipy.special import stdtrit  # noqa: PLC0415 - SciPy takes its time to load

        share = ratio(self.hits, self.rows)
        with np.errstate(invalid="ignore", divide="ignore"):
            # Student's quantile in place of the one that as many rows on their own would have.
            wider = stdtrit(self.number - 1.0, level) / stdtrit(self.units - 1, level)
            worth = share * (1 - share) / self.variance * (self.number / (self.number - 1)) * wider**2
        seen = (share > 0) & (share < 1 - _ROUNDING) & (self.units > 1 + _ROUNDING)
        worth = np.where(seen, np.fmin(np.nan_to_num(worth), self.rows), self.units)
        return share * worth, worth

    def refutes(self, share: float, level: float, method: str) -> NDArray[np.bool_]:
        """Tell of each cutoff whether it refutes a rate below a share, erring as often as the level."""
        hits, rows = self.effective(level)
        passed = lower_limit_reaches(hits, rows, share, 1 - level, method)
        if self.units is not None:  # no better than as many groups without a failure
            passed &= lower_limit_reaches(self.units, self.units, share, 1 - level, method)
        return passed

    def limit(self, place: int, confidence: float, method: str) -> float:
        """Return the one-sided lower limit at one of the cutoffs."""
        hits, rows = (float(x[place]) for x in self.effective(1 - confidence))
        both = 2 * confidence - 1
        if not rows > 0:
            return 0.0
        found = proportion_interval(hits, rows, both, method)[0]
        if self.units is None:
            return found
        units = float(self.units[place])
        return min(found, proportion_interval(units, units, both, method)[0])


def of_outcome(outcome: Outcome, measure: str) -> Evidence:
    """Return the evidence of rows on their own: counts, or what their weights leave of them."""
    hits, rows = parts_of(outcome.counts, measure)
    squares = outcome.squares
    if squares is None:
        return Evidence(hits, rows)
    share = ratio(hits, rows)
    of_hits, of_all = parts_of(squares, measure)
    units = ratio(rows * rows, of_all)
    spread = of_hits * (1 - share) ** 2 + (of_all - of_hits) * share**2
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = spread / (rows * rows) * units / (units - 1)
    return Evidence(share * units, units, variance, units, parts_of(outcome.rows, measure)[1])


class GroupedRows:
    """Rows in groups, each with the first cutoff that predicts it positive."""

    def __init__(
        self,
        cutoffs: int,
        place: NDArray[np.intp],
        positive: NDArray[np.bool_],
        codes: NDArray[np.intp],
        *,
        weight: NDArray[np.float64] | None = None,
        times: NDArray[np.int64] | None = None,
    ) -> None:
        """Take rows; each group is drawn so many `times`, once if nothing is said, and counts as often."""
        order = np.argsort(place, kind="stable")
        if times is not None:
            order = order[times[codes[order]] > 0]
        self.cutoffs = cutoffs
        self._made: dict[str, list[NDArray[Any]]] = {}
        self._place, self._positive = place[order], positive[order]
        held, self._codes = np.unique(codes[order], return_inverse=True)
        self._weight = np.ones(len(order)) if weight is None else weight[order]
        self._times = np.ones(len(held)) if times is None else times[held].astype(np.float64)

    @functools.cached_property
    def places(self) -> NDArray[np.intp]:
        """The cutoffs that are tested: all, or of very many those at ranks named whatever the labels are."""
        if self.cutoffs * len(self._times) <= _DENSE:
            return np.arange(self.cutoffs)
        rows = len(self._place)
        fine = _FINE ** np.arange(math.ceil(math.log(max(rows, 2)) / math.log(_FINE)) + 1)
        ranks = np.concatenate([np.linspace(0, rows, _EVEN), fine])
        ranks = np.unique(np.minimum(ranks, rows).astype(np.intp))
        return np.unique(np.concatenate([[0], self._place[ranks[1:] - 1], [self.cutoffs - 1]]))

    def evidence(self, measure: str, places: NDArray[np.intp]) -> Evidence:
        """Return the evidence about a rate at some of the cutoffs that are tested."""
        if measure not in self._made:
            parts = list(self._in_pieces(measure, self.places))
            self._made[measure] = [np.concatenate(column) for column in zip(*parts, strict=True)]
        index = np.searchsorted(self.places, places)
        return Evidence(*(column[index] for column in self._made[measure]))

    def _in_pieces(self, measure: str, places: NDArray[np.intp]) -> Iterator[tuple[NDArray[Any], ...]]:
        """Yield the columns of the evidence at as many cutoffs as memory allows at once."""
        groups = len(self._times)
        counted = slice(None) if measure == "precision" else self._positive == (measure == "recall")
        place, codes, weight = self._place[counted], self._codes[counted], self._weight[counted]
        hit = self._positive[counted]
        totals, squares = (
            np.bincount(codes, weights=w, minlength=groups).astype(np.float64) for w in (weight, weight**2)
        )
        # Of the rows above: weights, those of hits, squared weights, and how many they are.
        kinds = weight, weight * hit, weight**2, np.ones(len(weight))
        numbers = np.bincount(codes, minlength=groups).astype(np.float64)
        above = np.zeros((len(kinds), groups))
        size = max(_AT_ONCE // max(groups, 1), 1)
        done = 0
        for begin in range(0, len(places), size):
            some = places[begin : begin + size]
            end = int(np.searchsorted(place, some[-1], side="right"))
            step = np.searchsorted(some, place[done:end])  # the first of these cutoffs that is low enough
            cell = step * groups + codes[done:end]
            sums = []
            for number, w in enumerate(kinds):
                grown = np.bincount(cell, weights=w[done:end], minlength=len(some) * groups)
                table = grown.reshape(len(some), groups).astype(np.float64, copy=False)
                table[0] += above[number]
                np.cumsum(table, axis=0, out=table)
                above[number] = table[-1]
                sums.append(table)
            called, found, called_squares, called_number = sums
            done = end
            if measure == "precision":
                yield self._columns(found, called, called_squares, called_number)
            else:
                kept = called if measure == "recall" else totals - called
                yield self._columns(kept, totals[None], squares[None], numbers[None])

    def _columns(
        self, x: NDArray[Any], n: NDArray[Any], n_squares: NDArray[Any], number: NDArray[Any]
    ) -> tuple[NDArray[Any], ...]:
        """Return the columns of the evidence from each group's hits, weights, their squares, and rows."""
        times = self._times
        hits, rows = np.maximum(x, 0) @ times, n @ times
        share = np.minimum(ratio(hits, rows), 1.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            without = (x - share[:, None] * n) / (rows[:, None] - n)
            groups = (n > 0) @ times
            variance = np.square(without) @ times * (groups - 1) / groups
            units = rows * rows / (np.square(n) @ times)
            worth = rows * rows / (n_squares @ times)
        shape = len(x)
        full = (np.broadcast_to(one, shape) for one in (worth, units, number @ times, groups))
        worth, units, held, groups = (np.array(one) for one in full)
        return share * worth, worth, variance, units, held, groups.astype(np.int64)


def parts_of(c: Binary, measure: str) -> tuple[Any, Any]:
    """Return what a rate counts, and of how many."""
    if measure == "recall":
        return c.tp, c.positives
    return (c.tp, c.predicted_positives) if measure == "precision" else (c.tn, c.negatives)


def lower_limit_reaches(x: Any, n: Any, share: float, confidence: float, method: str) -> NDArray[np.bool_]:
    """Tell of each x of n whether the one-sided lower limit of its share is at least so much.

    Clopper and Pearson's does where so many hits, or more, would be unlikely with that share.

    >>> lower_limit_reaches([58, 59], [58, 59], 0.95, 0.95, "clopper-pearson")
    array([False,  True])
    """
    x, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if method == "wilson":
        return np.asarray(wilson_limit(x, n, confidence) >= share)
    from scipy.special import betainc  # noqa: PLC0415 - SciPy takes its time to load

    some = x > 0  # the limit of none is 0
    unlikely = np.ones(len(x))
    unlikely[some] = betainc(x[some], n[some] - x[some] + 1, share)
    return np.asarray(unlikely <= 1 - confidence)


def wilson_limit(x: Any, n: Any, confidence: float) -> Any:
    """Return Wilson's one-sided lower limit of x of n, arrays of them."""
    z = normal_quantile(2 * confidence - 1)
    return ((x + z * z / 2) - z * root(ratio(x * (n - x), n) + z * z / 4)) / (n + z * z)
