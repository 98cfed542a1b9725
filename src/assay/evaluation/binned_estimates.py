"""Figures of scores that are counted in bins: what is certain of them, and intervals that allow for it."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from assay.inference.intervals.choose_interval import estimate_tally
from assay.metrics import Undefined

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate
    from assay.metrics import Metric
    from assay.tallies import BinnedScores, Tally

__all__ = ["certain_bounds", "estimate_in_bins"]


def certain_bounds(
    binned: BinnedScores, metric: Metric, options: dict[str, Any]
) -> tuple[float, float] | None:
    """Return between which values a metric of the exact scores lies for certain; None where nobody knows.

    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9])
    >>> certain_bounds(assay.BinnedScores.of(rows), assay.metrics.auc, {})
    (0.75, 1.0)
    """
    if metric.name == "auc":
        return binned.auc_bounds()
    if metric.name == "gini":
        low, high = binned.auc_bounds()
        return math.nextafter(2 * low - 1, -math.inf), math.nextafter(2 * high - 1, math.inf)
    if metric.name == "average_precision":
        return binned.average_precision_bounds()
    if metric.name in ("brier", "log_loss") and not options.get("clip"):
        return binned.mean_loss_bounds(metric.loss)
    return None


def estimate_in_bins(
    binned: BinnedScores,
    metric: Metric,
    tally: Tally,
    options: dict[str, Any],
    *,
    confidence: float,
    method: str | None,
) -> Estimate:
    """Return a metric of scores in bins: the interval reaches as much further as the bins leave unsure.

    `tally` has every row at its bin's lower end.
    """
    found = estimate_tally(metric, tally, options, confidence=confidence, method=method)
    value = found.value
    if isinstance(value, Undefined):
        return found
    bins = f"scores in {len(binned.cells):,} bins"
    bounds = certain_bounds(binned, metric, options)
    if bounds is None or not math.isfinite(bounds[0]):
        note = f"{bins}, each taken as its lowest"
        return dataclasses.replace(_spread(binned, found), note=_joined(found.note, note))
    low, high = bounds
    middle = value if low <= value <= high and metric.loss is None else (low + high) / 2
    if math.isinf(middle):
        middle = value
    note = f"{bins}: exactly it lies between {low:.10g} and {high:.10g}"
    least, largest = metric.bounds
    limits: dict[str, Any] = {}
    if found.low is not None and found.high is not None:
        limits = {
            "low": max(least, found.low - value + low),
            "high": min(largest, found.high - value + high),
        }
    moved = dataclasses.replace(found, value=middle, note=_joined(found.note, note), **limits)
    return _spread(binned, moved)


def _spread(binned: BinnedScores, found: Estimate) -> Estimate:
    """Return an estimate without its interval where rows have weights, whose spread within bins is lost."""
    if binned.weights is None:
        return found
    note = _joined(found.note, "no interval: bins do not keep how the weights in them differ")
    return dataclasses.replace(found, low=None, high=None, method="", note=note, standard_error=None)


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
