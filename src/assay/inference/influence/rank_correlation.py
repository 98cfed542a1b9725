"""The influence of rows on how two columns agree in order, from how each row agrees with all others.

Concordance and its like are functions of numbers of pairs, and what a row brings to such a number is in how
many pairs it takes part (Sen 1960). A rank correlation moves with a row twice: by its own ranks, and by the
ranks it gives all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.gradients import slopes_by
from assay.inference.influence.influence import Influence, row_influence, tally_influence
from assay.metrics import Undefined, spearman
from assay.metrics.views.regression import ValuePairs
from assay.tallies import NumberPairs
from assay.tallies.loss_arguments import numbers
from assay.tallies.value_pairs import Agreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric
    from assay.tallies import Tally

    Array = NDArray[np.float64]

__all__ = ["each_agreement", "of_rows", "of_tally"]


@tally_influence(ValuePairs)
def of_tally(metric: Metric, tally: Any, options: dict[str, Any]) -> Influence | None:
    """Return the influence of the rows at each distinct pair of numbers."""
    value = metric(tally, **options)
    if isinstance(value, Undefined):
        return None
    counts = tally.counts.astype(np.float64)
    slopes = _of_ranks(tally, counts) if metric is spearman else _of_agreement(metric, tally)
    return Influence(value, slopes, counts)


@row_influence(ValuePairs)
def of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], _tally: Tally | None = None
) -> Influence | None:
    """Return the influence of every row: that of its pair of numbers."""
    tally = NumberPairs.of(rows)
    found = of_tally(metric, tally, options)
    if found is None:
        return None
    order = np.lexsort([numbers(rows, role, "an influence") for role in ("predicted", "actual")])
    slopes = np.empty(len(rows))
    slopes[order] = np.repeat(found.slopes, tally.counts)  # the tally is in the same order
    return Influence.of_rows(found.value, slopes)


def each_agreement(tally: NumberPairs) -> Agreement:
    """Return for each entry of a tally with how many rows one of its rows agrees, disagrees or ties.

    In n log n time. A row is tied in both with itself.

    >>> import assay
    >>> tally = NumberPairs.of(assay.rows(actual=[1, 2, 3, 3], predicted=[0.1, 0.3, 0.2, 0.4]))
    >>> each_agreement(tally).concordant
    array([3., 2., 1., 2.])
    """
    counts, n = tally.counts.astype(np.float64), float(tally.n)
    actual, predicted, order = _codes(tally)
    less_actual, same_actual = _passed(actual, counts)
    less_predicted, same_predicted = _passed(predicted, counts)
    # Entries come by actual, then predicted. Turned about within an actual value, the earlier ones that have
    # a lesser prediction have a lesser actual value as well.
    ends = np.cumsum(np.bincount(actual))
    turned = (ends - np.bincount(actual))[actual] + ends[actual] - 1 - np.arange(len(actual))
    lesser = np.empty(len(counts))
    lesser[turned] = _lesser_before(predicted[turned], counts[turned])
    tied_actual, lesser_tied_actual = same_actual - counts, _within(actual, counts)
    tied_predicted, lesser_tied_predicted = same_predicted - counts, np.empty(len(counts))
    lesser_tied_predicted[order] = _within(predicted[order], counts[order])
    discordant = (less_actual - lesser - lesser_tied_predicted) + (
        less_predicted - lesser - lesser_tied_actual
    )
    concordant = n - counts - discordant - tied_actual - tied_predicted
    return Agreement(*map(np.asarray, (concordant, discordant, tied_actual, tied_predicted, counts)))  # type: ignore[arg-type]


def _of_agreement(metric: Metric, tally: NumberPairs) -> Array:
    """Return the slopes of a function of the numbers of pairs."""
    each, counts = each_agreement(tally), tally.agreement()[:4]

    def formula(concordant: Any, discordant: Any, tied_actual: Any, tied_predicted: Any) -> Any:
        view = ValuePairs(tally)
        vars(view)["agreement"] = (
            concordant,
            discordant,
            tied_actual,
            tied_predicted,
            0,
        )  # kept, not counted again
        return metric.formula(view)

    slopes = slopes_by(formula, counts)
    return np.asarray(sum(slope * np.asarray(one) for slope, one in zip(slopes, each[:4], strict=True)))


def _of_ranks(tally: NumberPairs, counts: Array) -> Array:
    """Return the slopes of the rank correlation: those of the correlation, and those through the ranks."""
    n = counts.sum()
    codes = _codes(tally)[:2]
    ranks = [(less + same / 2) / n - 0.5 for less, same in (_passed(one, counts) for one in codes)]
    spreads = [np.sqrt(counts @ np.square(one) / n) for one in ranks]
    first, second = (one / spread for one, spread in zip(ranks, spreads, strict=True))
    value = float(counts @ (first * second)) / n
    own = first * second - value * (np.square(first) + np.square(second)) / 2
    through = np.zeros(len(counts))
    for mine, other, spread, code in (
        (first, second, spreads[0], codes[0]),
        (second, first, spreads[1], codes[1]),
    ):
        pull = counts * (other - value * mine) / (spread * n)  # the slope by the ranks at each entry
        below, same = _passed(code, pull)
        through += (
            pull.sum() - below - same / 2
        )  # a row lifts what lies above it by one, and its ties by half
    return np.asarray((own + through) / n)


def _codes(tally: NumberPairs) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the numbers of each entry's actual and predicted value in order, and the order by predicted."""
    order = np.argsort(tally.predicted, kind="stable")
    predicted = np.empty(len(order), dtype=np.int64)
    predicted[order] = _steps(tally.predicted[order])
    return _steps(tally.actual), predicted, order


def _steps(ascending: Array) -> NDArray[np.int64]:
    """Return how many distinct numbers come before each."""
    fresh = np.zeros(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=fresh[1:])
    return np.cumsum(fresh)


def _passed(codes: NDArray[Any], mass: Array) -> tuple[Array, Array]:
    """Return for each entry how much mass lies at lesser codes, and how much at its own."""
    sums = np.bincount(codes, mass)
    return (np.cumsum(sums) - sums)[codes], sums[codes]


def _within(codes: NDArray[Any], counts: Array) -> Array:
    """Return for each entry how many rows come before it at its own code; the codes are in order."""
    before = np.cumsum(counts) - counts
    return np.asarray(before - _passed(codes, counts)[0])


def _lesser_before(codes: NDArray[Any], mass: Array) -> Array:
    """Return for each entry the mass of those before it that have a lesser code.

    Two codes differ first in one bit, which the lesser has not: from the highest bit down, entries are kept
    together by their higher bits, and each with the bit counts those before it, of its own kind so far,
    without.
    """
    found = np.zeros(len(codes))
    order = np.arange(len(codes))
    for bit in reversed(range(int(codes.max(initial=0)).bit_length())):
        here = codes[order]
        has = (here >> bit) & 1 == 1
        kind = here >> (bit + 1)
        fresh = np.empty(len(here), dtype=bool)
        fresh[:1] = True
        np.not_equal(kind[1:], kind[:-1], out=fresh[1:])
        lacking = np.where(has, 0.0, mass[order])
        passed = np.cumsum(lacking)
        before_kind = np.maximum.accumulate(np.where(fresh, passed - lacking, 0.0))
        found[order[has]] += (passed - before_kind)[has]
        order = _parted(order, has, fresh)
    return found


def _parted(order: NDArray[Any], has: NDArray[Any], fresh: NDArray[Any]) -> NDArray[Any]:
    """Return the order with each kind's entries without the bit before those with it, else as they were."""
    begin = np.flatnonzero(fresh)
    kind = np.cumsum(fresh) - 1
    zeros = np.cumsum(~has)
    zeros_before_kind = (zeros - ~has)[begin]
    zeros_of_kind = np.diff(np.append(zeros_before_kind, zeros[-1]))
    rank = zeros - zeros_before_kind[kind]  # so many without the bit up to here
    places = np.arange(len(order))
    target = np.where(has, places + zeros_of_kind[kind] - rank, begin[kind] + rank - 1)
    parted = np.empty_like(order)
    parted[target] = order
    return parted
