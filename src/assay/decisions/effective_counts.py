"""Effective sample sizes of rates at cutoffs, for weighted and grouped rows.

A guarantee is a one-sided test of every cutoff. Grouped or weighted rows count as the number of independent
rows that has the same variance (Korn and Graubard 1998). The variance is that of leaving out one group, or
one row, at a time (CR3, the cluster jackknife), and the effective number of groups less one is the degrees of
freedom of Student's t. A sample without any failure has no variance: it counts as the effective number (Kish)
of groups with rows in the denominator, and a sample with failures never counts for more than that one would.
Equal weights, and groups of one row each, change nothing.
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

__all__ = [
    "Evidence",
    "GroupedRows",
    "lower_limit_reaches",
    "outcome_evidence",
    "rate_counts",
    "wilson_limit",
]

_MAX_ALL_TESTED = 1 << 21  # cutoffs times groups up to which every cutoff is tested
_MAX_SUMS_IN_MEMORY = 1 << 20
_ROUNDING = 1e-12  # of a share: sums of weights are rounded
_GRID_SIZE, _GRID_RATIO = 1000, 1.005  # of larger samples: evenly spaced ranks, and ranks in this ratio


@dataclasses.dataclass(frozen=True)
class Evidence:
    """Hits and rows of a rate at some cutoffs; for weighted rows, their effective numbers (Kish).

    `variance` is that of the share, and `units` the effective number of groups, or of weighted rows, in the
    denominator; both are None where rows are independent and unweighted. `number` is the number of rows
    in the denominator without their weights, and `groups` the number of groups that have such rows.
    """

    hits: NDArray[Any]
    rows: NDArray[Any]
    variance: NDArray[np.float64] | None = None
    units: NDArray[np.float64] | None = None
    number: NDArray[Any] | None = None
    groups: NDArray[np.int64] | None = None

    def effective(self, level: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the effective hits and rows for a one-sided test at a level."""
        if self.variance is None or self.units is None or self.number is None:
            return self.hits, self.rows
        from scipy.special import stdtrit  # noqa: PLC0415 - SciPy is slow to import

        share = ratio(self.hits, self.rows)
        with np.errstate(invalid="ignore", divide="ignore"):
            # Student's quantile for the units, relative to that of as many independent rows.
            widening = stdtrit(self.number - 1.0, level) / stdtrit(self.units - 1, level)
            effective_rows = (
                share * (1 - share) / self.variance * (self.number / (self.number - 1)) * widening**2
            )
        has_variance = (share > 0) & (share < 1 - _ROUNDING) & (self.units > 1 + _ROUNDING)
        effective_rows = np.where(has_variance, np.fmin(np.nan_to_num(effective_rows), self.rows), self.units)
        return share * effective_rows, effective_rows

    def rejects(self, share: float, level: float, method: str) -> NDArray[np.bool_]:
        """Tell for each cutoff whether a test at the level rejects a rate below a share."""
        hits, rows = self.effective(level)
        passed = lower_limit_reaches(hits, rows, share, 1 - level, method)
        if self.units is not None:  # at most what as many groups without a failure would show
            passed &= lower_limit_reaches(self.units, self.units, share, 1 - level, method)
        return passed

    def limit(self, index: int, confidence: float, method: str) -> float:
        """Return the one-sided lower limit at one of the cutoffs."""
        hits, rows = (float(x[index]) for x in self.effective(1 - confidence))
        both = 2 * confidence - 1
        if not rows > 0:
            return 0.0
        low = proportion_interval(hits, rows, both, method)[0]
        if self.units is None:
            return low
        units = float(self.units[index])
        return min(low, proportion_interval(units, units, both, method)[0])


def outcome_evidence(outcome: Outcome, measure: str) -> Evidence:
    """Return the evidence of independent rows: counts, or effective counts of weighted rows."""
    hits, rows = rate_counts(outcome.counts, measure)
    squares = outcome.squares
    if squares is None:
        return Evidence(hits, rows)
    share = ratio(hits, rows)
    of_hits, of_all = rate_counts(squares, measure)
    units = ratio(rows * rows, of_all)
    spread = of_hits * (1 - share) ** 2 + (of_all - of_hits) * share**2
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = spread / (rows * rows) * units / (units - 1)
    return Evidence(share * units, units, variance, units, rate_counts(outcome.rows, measure)[1])


class GroupedRows:
    """Rows in groups, each with the first cutoff that predicts it positive."""

    def __init__(
        self,
        cutoffs: int,
        index: NDArray[np.intp],
        positive: NDArray[np.bool_],
        codes: NDArray[np.intp],
        *,
        weight: NDArray[np.float64] | None = None,
        times: NDArray[np.int64] | None = None,
    ) -> None:
        """Take rows; each group counts so many `times` in a resample, by default once."""
        order = np.argsort(index, kind="stable")
        if times is not None:
            order = order[times[codes[order]] > 0]
        self.cutoffs = cutoffs
        self._columns_by_measure: dict[str, list[NDArray[Any]]] = {}
        self._place, self._positive = index[order], positive[order]
        held, self._codes = np.unique(codes[order], return_inverse=True)
        self._weight = np.ones(len(order)) if weight is None else weight[order]
        self._times = np.ones(len(held)) if times is None else times[held].astype(np.float64)

    @functools.cached_property
    def indices(self) -> NDArray[np.intp]:
        """Indices of the cutoffs that are tested: all, or a grid of ranks that does not depend on labels."""
        if self.cutoffs * len(self._times) <= _MAX_ALL_TESTED:
            return np.arange(self.cutoffs)
        rows = len(self._place)
        fine = _GRID_RATIO ** np.arange(math.ceil(math.log(max(rows, 2)) / math.log(_GRID_RATIO)) + 1)
        ranks = np.concatenate([np.linspace(0, rows, _GRID_SIZE), fine])
        ranks = np.unique(np.minimum(ranks, rows).astype(np.intp))
        return np.unique(np.concatenate([[0], self._place[ranks[1:] - 1], [self.cutoffs - 1]]))

    def evidence(self, measure: str, indices: NDArray[np.intp]) -> Evidence:
        """Return the evidence about a rate at some of the tested cutoffs."""
        if measure not in self._columns_by_measure:
            parts = list(self._in_blocks(measure, self.indices))
            self._columns_by_measure[measure] = [
                np.concatenate(column) for column in zip(*parts, strict=True)
            ]
        index = np.searchsorted(self.indices, indices)
        return Evidence(*(column[index] for column in self._columns_by_measure[measure]))

    def _in_blocks(self, measure: str, indices: NDArray[np.intp]) -> Iterator[tuple[NDArray[Any], ...]]:
        """Yield the columns of the evidence, block of cutoffs by block, within the memory limit."""
        groups = len(self._times)
        counted = slice(None) if measure == "precision" else self._positive == (measure == "recall")
        index, codes, weight = self._place[counted], self._codes[counted], self._weight[counted]
        hit = self._positive[counted]
        totals, squares = (
            np.bincount(codes, weights=w, minlength=groups).astype(np.float64) for w in (weight, weight**2)
        )
        # Sums over the rows predicted positive: weights, weights of hits, squared weights, numbers of rows.
        kinds = weight, weight * hit, weight**2, np.ones(len(weight))
        numbers = np.bincount(codes, minlength=groups).astype(np.float64)
        above = np.zeros((len(kinds), groups))
        size = max(_MAX_SUMS_IN_MEMORY // max(groups, 1), 1)
        done = 0
        for begin in range(0, len(indices), size):
            some = indices[begin : begin + size]
            end = int(np.searchsorted(index, some[-1], side="right"))
            step = np.searchsorted(some, index[done:end])  # the first of these cutoffs that includes the row
            cell = step * groups + codes[done:end]
            sums = []
            for number, w in enumerate(kinds):
                increments = np.bincount(cell, weights=w[done:end], minlength=len(some) * groups)
                table = increments.reshape(len(some), groups).astype(np.float64, copy=False)
                table[0] += above[number]
                np.cumsum(table, axis=0, out=table)
                above[number] = table[-1]
                sums.append(table)
            predicted, hits, predicted_squares, predicted_number = sums
            done = end
            if measure == "precision":
                yield self._columns(hits, predicted, predicted_squares, predicted_number)
            else:
                correct = predicted if measure == "recall" else totals - predicted
                yield self._columns(correct, totals[None], squares[None], numbers[None])

    def _columns(
        self, x: NDArray[Any], n: NDArray[Any], n_squares: NDArray[Any], number: NDArray[Any]
    ) -> tuple[NDArray[Any], ...]:
        """Return the columns of the evidence from hits, weights, squared weights and rows of each group."""
        times = self._times
        hits, rows = np.maximum(x, 0) @ times, n @ times
        share = np.minimum(ratio(hits, rows), 1.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            without = (x - share[:, None] * n) / (rows[:, None] - n)
            groups = (n > 0) @ times
            variance = np.square(without) @ times * (groups - 1) / groups
            units = rows * rows / (np.square(n) @ times)
            effective_rows = rows * rows / (n_squares @ times)
        shape = len(x)
        columns = (
            np.broadcast_to(column, shape) for column in (effective_rows, units, number @ times, groups)
        )
        effective_rows, units, held, groups = (np.array(column) for column in columns)
        return share * effective_rows, effective_rows, variance, units, held, groups.astype(np.int64)


def rate_counts(c: Binary, measure: str) -> tuple[Any, Any]:
    """Return the numerator and the denominator of a rate."""
    if measure == "recall":
        return c.tp, c.positives
    return (c.tp, c.predicted_positives) if measure == "precision" else (c.tn, c.negatives)


def lower_limit_reaches(x: Any, n: Any, share: float, confidence: float, method: str) -> NDArray[np.bool_]:
    """Tell for each x of n whether the one-sided lower limit of its share reaches a share.

    Clopper and Pearson's does where so many hits, or more, would be unlikely with that share.

    >>> lower_limit_reaches([58, 59], [58, 59], 0.95, 0.95, "clopper-pearson")
    array([False,  True])
    """
    x, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if method == "wilson":
        return np.asarray(wilson_limit(x, n, confidence) >= share)
    from scipy.special import betainc  # noqa: PLC0415 - SciPy is slow to import

    some = x > 0  # the limit of none is 0
    unlikely = np.ones(len(x))
    unlikely[some] = betainc(x[some], n[some] - x[some] + 1, share)
    return np.asarray(unlikely <= 1 - confidence)


def wilson_limit(x: Any, n: Any, confidence: float) -> Any:
    """Return Wilson's one-sided lower limit of x of n, arrays of them."""
    z = normal_quantile(2 * confidence - 1)
    return ((x + z * z / 2) - z * root(ratio(x * (n - x), n) + z * z / 4)) / (n + z * z)
