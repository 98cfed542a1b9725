"""Intervals by the delta method: a metric's standard error, on the scale that suits its bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.inference.formulas.delta import delta_interval, scale_of
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.method_registry import Default, interval_method
from assay.metrics.views.ranking import Ranks
from assay.metrics.views.regression import Errors, Explained, Ranged, Scaled, ValuePairs

if TYPE_CHECKING:
    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["NO_SLOPE", "by_delta", "plain_delta"]

NO_SLOPE = "its standard error is not known here"


@interval_method(
    "delta",
    Default(views=(Ranks, ValuePairs), kinds=("rank",), then=("dirichlet",)),
    Default(views=(Errors, Scaled, Explained, Ranged), kinds=("moments",), then=("dirichlet",)),
    selectable=True,
)
def by_delta(request: IntervalRequest, scale: str | None = None) -> IntervalResult | str | None:
    """Return the interval from the standard error, on the scale that suits the bounds."""
    if math.isinf(request.value):
        return "an infinite value has no interval"
    spread = request.spread
    if spread is None:
        return (
            "the tally does not have its standard error: pass the rows" if request.rows is None else NO_SLOPE
        )
    if math.isnan(spread.error):
        return "one group shows no spread"
    limits = delta_interval(
        request.value,
        spread.error,
        request.metric.bounds,
        confidence=request.confidence,
        df=spread.df,
        scale=scale,
    )
    if limits is None:
        return "the rows show no spread"
    name = scale or scale_of(request.metric.bounds).name
    return IntervalResult(*limits, "delta" if name == "identity" else f"delta, {name}", "", spread.error)


@interval_method(
    "plain-delta",
    Default(
        metrics=(
            "goodman_kruskal_lambda",
            "goodman_kruskal_lambda_predicted",
            "goodman_kruskal_lambda_symmetric",
        ),
        then=("dirichlet",),
    ),
)
def plain_delta(request: IntervalRequest) -> IntervalResult | str | None:
    """Return value plus or minus its error, for a metric whose true value may be 0."""
    return by_delta(request, "identity")
