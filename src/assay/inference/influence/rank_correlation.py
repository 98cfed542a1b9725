"""The influence of rows on rank correlations and concordance.

Concordance, Kendall's tau and Somers' d are functions of numbers of pairs; a row contributes the pairs
it takes part in (Sen 1960). A row moves Spearman's correlation twice: by its own ranks, and by the ranks of
all others that it changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.gradients import slopes_by
from assay.inference.influence.influence import Influence, row_influence, tally_influence
from assay.metrics import Undefined, spearman
from assay.metrics.views.regression import ValuePairs
from assay.tallies import NumberPairs
from assay.tallies.loss_arguments import loss_argument
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
    slopes = _spearman_slopes(tally, counts) if metric is spearman else _pair_count_slopes(metric, tally)
    return Influence(value, slopes, counts)


@row_influence(ValuePairs)
def of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], _tally: Tally | None = None
) -> Influence | None:
    """Return the influence of every row: that of its pair of numbers."""
    tally = NumberPairs.of(rows)
    pairs = of_tally(metric, tally, options)
    if pairs is None:
        return None
    order = np.lexsort([loss_argument(rows, role, "an influence") for role in ("predicted", "actual")])
    slopes = np.empty(len(rows))
    slopes[order] = np.repeat(pairs.slopes, tally.counts)  # the tally is in the same order
    return Influence.of_rows(pairs.value, slopes)


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
    less_actual, same_actual = _mass_below_and_at(actual, counts)
    less_predicted, same_predicted = _mass_below_and_at(predicted, counts)
    # Entries are ordered by actual, then predicted. With the order reversed within an actual value, earlier
    # entries with a smaller prediction have a smaller actual value as well.
    ends = np.cumsum(np.bincount(actual))
    turned = (ends - np.bincount(actual))[actual] + ends[actual] - 1 - np.arange(len(actual))
    lesser = np.empty(len(counts))
    lesser[turned] = _smaller_before(predicted[turned], counts[turned])
    tied_actual, lesser_tied_actual = same_actual - counts, _rows_before_within(actual, counts)
    tied_predicted, lesser_tied_predicted = same_predicted - counts, np.empty(len(counts))
    lesser_tied_predicted[order] = _rows_before_within(predicted[order], counts[order])
    discordant = (less_actual - lesser - lesser_tied_predicted) + (
        less_predicted - lesser - lesser_tied_actual
    )
    concordant = n - counts - discordant - tied_actual - tied_predicted
    return Agreement(*map(np.asarray, (concordant, discordant, tied_actual, tied_predicted, counts)))  # type: ignore[arg-type]


def _pair_count_slopes(metric: Metric, tally: NumberPairs) -> Array:
    """Return the slopes of a function of the numbers of pairs."""
    each, counts = each_agreement(tally), tally.agreement()[:4]

    def formula(concordant: Any, discordant: Any, tied_actual: Any, tied_predicted: Any) -> Any:
        view = ValuePairs(tally)
        # Cached in the view, which then does not count the pairs itself.
        vars(view)["agreement"] = (concordant, discordant, tied_actual, tied_predicted, 0)
        return metric.formula(view)

    slopes = slopes_by(formula, counts)
    return np.asarray(sum(slope * np.asarray(pairs) for slope, pairs in zip(slopes, each[:4], strict=True)))


def _spearman_slopes(tally: NumberPairs, counts: Array) -> Array:
    """Return the slopes of Spearman's correlation: by a row's own ranks, and through the ranks of others."""
    n = counts.sum()
    codes = _codes(tally)[:2]
    ranks = [(less + same / 2) / n - 0.5 for less, same in (_mass_below_and_at(own, counts) for own in codes)]
    deviations = [np.sqrt(counts @ np.square(own) / n) for own in ranks]
    first, second = (own / deviation for own, deviation in zip(ranks, deviations, strict=True))
    value = float(counts @ (first * second)) / n
    own = first * second - value * (np.square(first) + np.square(second)) / 2
    through_others = np.zeros(len(counts))
    for left, right, deviation, code in (
        (first, second, deviations[0], codes[0]),
        (second, first, deviations[1], codes[1]),
    ):
        by_rank = counts * (right - value * left) / (deviation * n)  # the slope by the ranks at each entry
        below, same = _mass_below_and_at(code, by_rank)
        # A row raises the ranks above it by one, and those of its ties by half.
        through_others += by_rank.sum() - below - same / 2
    return np.asarray((own + through_others) / n)


def _codes(tally: NumberPairs) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the dense ranks of each entry's actual and predicted value, and the order by predicted."""
    order = np.argsort(tally.predicted, kind="stable")
    predicted = np.empty(len(order), dtype=np.int64)
    predicted[order] = _dense_ranks(tally.predicted[order])
    return _dense_ranks(tally.actual), predicted, order


def _dense_ranks(ascending: Array) -> NDArray[np.int64]:
    """Return how many distinct numbers come before each."""
    is_new = np.zeros(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=is_new[1:])
    return np.cumsum(is_new)


def _mass_below_and_at(codes: NDArray[Any], mass: Array) -> tuple[Array, Array]:
    """Return for each entry how much mass lies at smaller codes, and how much at its own."""
    sums = np.bincount(codes, mass)
    return (np.cumsum(sums) - sums)[codes], sums[codes]


def _rows_before_within(codes: NDArray[Any], counts: Array) -> Array:
    """Return for each entry how many rows come before it at its own code; the codes are in order."""
    before = np.cumsum(counts) - counts
    return np.asarray(before - _mass_below_and_at(codes, counts)[0])


def _smaller_before(codes: NDArray[Any], mass: Array) -> Array:
    """Return for each entry the mass of those before it that have a smaller code, in n log n time.

    The highest bit in which two codes differ is 0 in the smaller one. From the highest bit down, entries are
    grouped by their higher bits, and each entry with the bit counts those before it in its group without it.
    """
    smaller = np.zeros(len(codes))
    order = np.arange(len(codes))
    for bit in reversed(range(int(codes.max(initial=0)).bit_length())):
        here = codes[order]
        has = (here >> bit) & 1 == 1
        group = here >> (bit + 1)
        is_new = np.empty(len(here), dtype=bool)
        is_new[:1] = True
        np.not_equal(group[1:], group[:-1], out=is_new[1:])
        without_bit = np.where(has, 0.0, mass[order])
        passed = np.cumsum(without_bit)
        before_group = np.maximum.accumulate(np.where(is_new, passed - without_bit, 0.0))
        smaller[order[has]] += (passed - before_group)[has]
        order = _partition_by_bit(order, has, is_new)
    return smaller


def _partition_by_bit(order: NDArray[Any], has: NDArray[Any], is_new: NDArray[Any]) -> NDArray[Any]:
    """Return the order with each group's entries without the bit before those with it, else unchanged."""
    begin = np.flatnonzero(is_new)
    group = np.cumsum(is_new) - 1
    zeros = np.cumsum(~has)
    zeros_before_group = (zeros - ~has)[begin]
    zeros_of_group = np.diff(np.append(zeros_before_group, zeros[-1]))
    rank = zeros - zeros_before_group[group]  # how many of the group have been without the bit up to here
    indices = np.arange(len(order))
    target = np.where(has, indices + zeros_of_group[group] - rank, begin[group] + rank - 1)
    partitioned = np.empty_like(order)
    partitioned[target] = order
    return partitioned
