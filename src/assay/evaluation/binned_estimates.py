"""Estimates from binned scores: bounds on the exact value, and intervals widened by them."""

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
    """Return bounds on the metric of the exact scores; None where there are none.

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
    """Return the estimate of a metric from binned scores, its interval widened by the bounds on the value.

    `tally` has every row at the lower end of its bin.
    """
    estimate = estimate_tally(metric, tally, options, confidence=confidence, method=method)
    value = estimate.value
    if isinstance(value, Undefined):
        return estimate
    bins = f"scores in {len(binned.cells):,} bins"
    bounds = certain_bounds(binned, metric, options)
    if bounds is None or not math.isfinite(bounds[0]):
        note = f"{bins}, each taken as its lowest"
        return dataclasses.replace(
            _without_interval_if_weighted(binned, estimate), note=_joined(estimate.note, note)
        )
    low, high = bounds
    value_inside = value if low <= value <= high and metric.loss is None else (low + high) / 2
    if math.isinf(value_inside):
        value_inside = value
    note = f"{bins}: exactly it lies between {low:.10g} and {high:.10g}"
    lowest, highest = metric.bounds
    limits: dict[str, Any] = {}
    if estimate.low is not None and estimate.high is not None:
        limits = {
            "low": max(lowest, estimate.low - value + low),
            "high": min(highest, estimate.high - value + high),
        }
    widened = dataclasses.replace(estimate, value=value_inside, note=_joined(estimate.note, note), **limits)
    return _without_interval_if_weighted(binned, widened)


def _without_interval_if_weighted(binned: BinnedScores, estimate: Estimate) -> Estimate:
    """Return the estimate without an interval where rows have weights: their spread in a bin is unknown."""
    if binned.weights is None:
        return estimate
    note = _joined(estimate.note, "no interval: bins do not keep how the weights in them differ")
    return dataclasses.replace(estimate, low=None, high=None, method="", note=note, standard_error=None)


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
