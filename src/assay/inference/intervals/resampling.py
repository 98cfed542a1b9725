"""Intervals by resampling: bootstrap, and Dirichlet where all bootstrap replicates would be equal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import AssayError
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.method_registry import Default, interval_method
from assay.metrics.views.regression import Ranged
from assay.tallies import Confusion

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate
    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["basic", "bca", "dirichlet", "normal", "percentile", "studentised"]

_MAX_CLASSES_TO_DRAW = 64  # thousands of tables of so many classes are drawn in about a second


@interval_method("bca", Default(views=(Ranged,), kinds=("order",)), selectable=True)
def bca(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the bootstrap's interval, corrected for bias and skewness."""
    return _bootstrapped(request, "bca")


@interval_method("percentile", selectable=True)
def percentile(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the quantiles of the bootstrap's replicates."""
    return _bootstrapped(request, "percentile")


@interval_method("basic", selectable=True)
def basic(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the quantiles of the bootstrap's replicates, mirrored at the value."""
    return _bootstrapped(request, "basic")


@interval_method("normal", selectable=True)
def normal(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the value less the bootstrap's bias, give or take its standard deviation."""
    return _bootstrapped(request, "normal")


@interval_method("studentised", selectable=True)
def studentised(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the bootstrap-t interval of a mean."""
    return _bootstrapped(request, "studentised")


@interval_method("dirichlet", selectable=True)
def dirichlet(request: IntervalRequest) -> IntervalResult | str | None:
    """Return quantiles over tables that could have led to the counts; it has a width where no row is wrong.

    Weighted rows count as Kish's effective number of rows, and each group of rows as one.
    """
    tally = request.tally
    if not isinstance(tally, Confusion):
        return None
    size = len(tally.labels)
    if size > _MAX_CLASSES_TO_DRAW:
        return f"tables of {size} classes are too large to be drawn: dirichlet_interval() does it, in minutes"
    if not request.plain:
        effective_size = float(request.sizes["groups"]) if request.clustered else _kish(tally)
        shares = tally.table(tally.weight()) / float(tally.weight().sum())
        tally = Confusion.of_table(np.rint(shares * math.floor(effective_size)), tally.labels, declared=True)
    from assay.inference.bootstrap.bootstrap import dirichlet_interval  # noqa: PLC0415 - few resample

    estimate = dirichlet_interval(
        request.metric, tally, confidence=request.confidence, seed=request.seed, **request.options
    )
    return _interval_of(estimate)


def _bootstrapped(request: IntervalRequest, method: Any) -> IntervalResult | str | None:
    if not math.isfinite(request.value):
        return "its value is infinite, so that replicates have no spread"
    data, options = (
        (request.tally, request.options) if request.rows is None else (request.rows, request.row_options)
    )
    from assay.inference.bootstrap.bootstrap import bootstrap_interval  # noqa: PLC0415 - few resample

    try:
        estimate = bootstrap_interval(
            request.metric, data, confidence=request.confidence, method=method, seed=request.seed, **options
        )
    except AssayError as error:
        return str(error)
    return _interval_of(estimate)


def _interval_of(estimate: Estimate) -> IntervalResult | str:
    if estimate.low is None or estimate.high is None:
        return estimate.note or "the metric has no value"
    return IntervalResult(
        estimate.low, estimate.high, estimate.method, estimate.note, estimate.standard_error
    )


def _kish(tally: Confusion) -> float:
    """Return Kish's effective number of rows."""
    return float(tally.weight().sum() ** 2 / tally.weight(2).sum())
