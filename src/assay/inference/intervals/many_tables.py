"""Intervals of many tables of two classes at once: one for each cutoff of the scores, or for each class.

The methods are the defaults of :mod:`assay.inference.intervals.choose_interval`, on arrays of counts: a page
needs thousands of them. Entries where the default method does not apply, or where the metric
has no value, are left to the caller, who asks for them one by one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.formulas.mover import mover_function
from assay.inference.formulas.proportions import jeffreys_limits, modified_wilson_limits, wilson_limits
from assay.inference.influence.gradients import STEP, moved_counts
from assay.inference.intervals.choose_interval import methods_for
from assay.inference.intervals.confusion_rates import (
    EXAMPLE_TABLE,
    METRICS_BY_ACTUAL,
    METRICS_THAT_TURN,
    table_of_rates,
)
from assay.metrics import Binary

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.metrics import Metric

    Limits = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["CountEstimates", "estimate_counts"]

_MAX_ROWS = 1 << 31  # the square of their number fits 64 bits
_ALMOST_INFINITE = 1e150  # its square is still a float
_NEAR = 1e-6  # of the way to a limit


class CountEstimates(NamedTuple):
    """Values with their limits and methods, an entry for each table.

    ``known`` is False where the default method does not apply, or the metric has no value.
    """

    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    methods: list[str]
    known: NDArray[np.bool_]


def estimate_counts(
    metric: Metric, counts: Binary, options: dict[str, Any], *, confidence: float = 0.95
) -> CountEstimates | None:
    """Return a metric of many tables with its intervals; None for metrics without such a method.

    `counts` are arrays of whole numbers of rows, `options` the metric's own.

    >>> from assay.metrics import find
    >>> counts = Binary(*np.array([[45, 8], [12, 2], [5, 1], [68, 9]]))
    >>> recall = estimate_counts(find("recall"), counts, {})
    >>> recall.values.round(4).tolist(), recall.low.round(4).tolist(), recall.methods
    ([0.9, 0.8889], [0.7864, 0.565], ['modified Wilson', 'modified Wilson'])
    """
    counts = Binary(*(np.asarray(cell) for cell in _cells(counts)))
    if np.max(counts.n, initial=0) >= _MAX_ROWS:
        return None
    method = methods_for(metric, options).methods[:1]
    limits = _METHODS.get(method[0]) if method else None
    options = {name: value for name, value in options.items() if name in metric.parameters}
    if limits is None or (method == ("mean-of-recalls",) and metric.name != "balanced_accuracy"):
        return None
    formula = _formula(metric, options)
    with np.errstate(all="ignore"):
        values = np.array(np.broadcast_to(formula(counts), np.shape(counts.tp)), dtype=np.float64)
        low, high, names = limits(_Batch(metric, counts, formula, values, confidence))
    bottom, top = metric.bounds
    low, high = np.minimum(np.maximum(low, bottom), values), np.maximum(np.minimum(high, top), values)
    known = np.isfinite(values) & (low < high)
    return CountEstimates(values, low, high, names, known)


def _cells(counts: Binary) -> tuple[Any, Any, Any, Any]:
    return counts.tp, counts.fp, counts.fn, counts.tn


class _Batch(NamedTuple):
    """A metric of many tables: its values, and what an interval method needs to know."""

    metric: Metric
    counts: Binary
    formula: Callable[[Binary], Any]
    values: NDArray[np.float64]
    confidence: float


def _formula(metric: Metric, options: dict[str, Any]) -> Callable[[Binary], Any]:
    if metric.reads is Binary:
        return lambda counts: metric.formula(counts, **options)
    return lambda counts: metric.formula(metric.reads(counts.classes().table), **options)


def _proportion(batch: _Batch) -> tuple[Any, Any, list[str]]:
    """Return modified Wilson intervals; the formula's slopes show which cells are hits and counted."""
    slopes = np.asarray(batch.formula(moved_counts(EXAMPLE_TABLE))).imag / STEP
    cells = _cells(batch.counts)
    total: Any = sum(cell for cell, slope in zip(cells, slopes, strict=True) if slope)
    hits: Any = sum(cell for cell, slope in zip(cells, slopes, strict=True) if slope > 0)
    limits = modified_wilson_limits(hits, total, batch.confidence)
    return (*limits, _wilson_names(hits, total, limits, batch.confidence))


def _wilson_names(hits: Any, total: Any, limits: Limits, confidence: float) -> list[str]:
    plain = wilson_limits(hits, total, confidence)
    same = (plain[0] == limits[0]) & (plain[1] == limits[1])
    return ["Wilson" if wilson else "modified Wilson" for wilson in same.tolist()]


def _on_jaccard(batch: _Batch) -> tuple[Any, Any, list[str]]:
    total = batch.counts.tp + batch.counts.fp + batch.counts.fn
    limits = modified_wilson_limits(batch.counts.tp, total, batch.confidence)
    low, high = (2 * limit / (1 + limit) for limit in limits)
    names = _wilson_names(batch.counts.tp, total, limits, batch.confidence)
    return low, high, [f"{name} on Jaccard" for name in names]


def _mean_of_recalls(batch: _Batch) -> tuple[Any, Any, list[str]]:
    """Return the interval of the mean of recall and specificity, by Jeffreys' limits of each."""
    rates = [batch.counts.tp / batch.counts.positives, batch.counts.fp / batch.counts.negatives]
    limits = [
        jeffreys_limits(batch.counts.tp, batch.counts.positives, batch.confidence),
        jeffreys_limits(batch.counts.fp, batch.counts.negatives, batch.confidence),
    ]
    low, high = _mover(lambda first, second: 0.5 * (first - second) + 0.5, rates, limits)
    return low, high, ["MOVER-Jeffreys"] * len(batch.values)


def _mover_rates(batch: _Batch) -> tuple[Any, Any, list[str]]:
    """Return the interval from three rates, by the predictions or by the actual classes."""
    formula, by_predicted = batch.formula, batch.metric.name not in METRICS_BY_ACTUAL
    log = math.isinf(batch.metric.bounds[1])
    positive = (batch.counts.predicted_positives, batch.counts.predicted_negatives)
    hits = (positive[0], batch.counts.tp, batch.counts.fn)
    if not by_predicted:
        positive = (batch.counts.positives, batch.counts.negatives)
        hits = (positive[0], batch.counts.tp, batch.counts.fp)
    totals = (batch.counts.n, *positive)

    def function(*rates: Any) -> Any:
        value = formula(table_of_rates(*rates, weight=batch.counts.n, by_predicted=by_predicted))
        return np.log(value) if log else value

    rates = [hit / total for hit, total in zip(hits, totals, strict=True)]
    limits = [
        modified_wilson_limits(hit, total, batch.confidence) for hit, total in zip(hits, totals, strict=True)
    ]
    low, high = _mover(function, rates, limits)
    if batch.metric.name in METRICS_THAT_TURN:
        turned = _turns(function, rates, limits) & (batch.values < METRICS_THAT_TURN[batch.metric.name])
        for index in np.flatnonzero(turned).tolist():
            low[index], high[index] = _mover_of_one(batch, index, rates, limits, by_predicted=by_predicted)
    if log:
        low, high = (np.where(batch.values > 0, np.exp(limit), math.nan) for limit in (low, high))
    return low, high, ["MOVER-Wilson"] * len(batch.values)


def _mover_of_one(
    batch: _Batch, index: int, rates: list[Any], limits: list[Limits], *, by_predicted: bool
) -> tuple[float, float]:
    """Return the limits of one table's metric where it turns between its rates and their limits."""
    weight = float(batch.counts.n[index])

    def function(*rates: Any) -> Any:
        return batch.formula(table_of_rates(*rates, weight=weight, by_predicted=by_predicted))

    ends = [(float(low[index]), float(high[index])) for low, high in limits]
    return mover_function(function, [float(rate[index]) for rate in rates], ends, turns=True)[0]


def _mover(function: Callable[..., Any], rates: list[Any], limits: list[Limits]) -> Limits:
    """Return the limits of a function of independent rates, each moved to its own limits alone."""
    rates = [np.asarray(rate, dtype=np.complex128) for rate in rates]  # formulas round as those of slopes do
    value = np.asarray(function(*rates)).real
    squares = np.zeros((2, len(value)))
    for index, ends in enumerate(limits):
        moved = np.stack(
            [
                np.asarray(function(*rates[:index], end, *rates[index + 1 :]), dtype=np.complex128).real
                for end in ends
            ]
        )
        changes = np.where(np.isnan(moved), 0.0, moved - value).clip(-_ALMOST_INFINITE, _ALMOST_INFINITE)
        squares[0] += np.square(np.minimum(changes.min(axis=0), 0.0))
        squares[1] += np.square(np.maximum(changes.max(axis=0), 0.0))
    missing = np.isnan(np.sum(rates, axis=0))
    below, above = np.where(missing, np.nan, np.sqrt(squares))
    return value - below, value + above


def _turns(function: Callable[..., Any], rates: list[Any], limits: list[Limits]) -> NDArray[np.bool_]:
    """Tell where a function turns, or ends, while a rate moves to its limit."""
    turned = np.zeros(len(rates[0]), dtype=bool)
    for index, ends in enumerate(limits):
        for end in ends:
            rate = rates[index]
            at = (rate, rate + (end - rate) * _NEAR, end + (rate - end) * _NEAR, end)
            values = [np.asarray(function(*rates[:index], x, *rates[index + 1 :])).real for x in at]
            turned |= ~((values[1] - values[0]) * (values[3] - values[2]) >= 0)
    return turned


_METHODS: dict[str, Callable[..., tuple[Any, Any, list[str]]]] = {
    "proportion": _proportion,
    "wilson-on-jaccard": _on_jaccard,
    "mean-of-recalls": _mean_of_recalls,
    "mover-rates": _mover_rates,
}
