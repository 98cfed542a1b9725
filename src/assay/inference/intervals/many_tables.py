"""Intervals of many tables of two classes at once: one for each cutoff of the scores, or for each class.

The methods are the defaults of :mod:`assay.inference.intervals.choose_interval`, on arrays of counts: a page
needs thousands of them. Entries where the default method does not apply, or where the metric
has no value, are left to the caller, who asks for them one by one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.formulas.proportions import jeffreys_limits, modified_wilson_limits, wilson_limits
from assay.inference.influence.gradients import STEP, moved_counts
from assay.inference.intervals.choose_interval import methods_for
from assay.inference.intervals.confusion_rates import EXAMPLE_TABLE, METRICS_BY_ACTUAL, table_of_rates
from assay.metrics import Binary

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.metrics import Metric

    Limits = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["CountEstimates", "estimate_counts"]

_MAX_ROWS = 1 << 31  # the square of their number fits 64 bits
_ALMOST_INFINITE = 1e150  # its square is still a float


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
    if log:
        low, high = (np.where(batch.values > 0, np.exp(limit), math.nan) for limit in (low, high))
    return low, high, ["MOVER-Wilson"] * len(batch.values)


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


_METHODS: dict[str, Callable[..., tuple[Any, Any, list[str]]]] = {
    "proportion": _proportion,
    "wilson-on-jaccard": _on_jaccard,
    "mean-of-recalls": _mean_of_recalls,
    "mover-rates": _mover_rates,
}
