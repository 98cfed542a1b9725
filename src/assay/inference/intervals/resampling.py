"""Intervals from draws: the bootstrap's, and the Dirichlet's where every bootstrap replicate is alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import AssayError
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.registry import Default, interval_method
from assay.metrics.views.regression import Ranged
from assay.tallies import Confusion

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate
    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["basic", "bca", "dirichlet", "normal", "percentile", "studentised"]

_DRAWABLE = 64  # classes, of whose tables thousands are drawn in a second or so


@interval_method("bca", Default(views=(Ranged,), kinds=("order",)), selectable=True)
def bca(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the bootstrap's interval, corrected for bias and skewness."""
    return _drawn(asked, "bca")


@interval_method("percentile", selectable=True)
def percentile(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the quantiles of the bootstrap's replicates."""
    return _drawn(asked, "percentile")


@interval_method("basic", selectable=True)
def basic(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the quantiles of the bootstrap's replicates, mirrored at the value."""
    return _drawn(asked, "basic")


@interval_method("normal", selectable=True)
def normal(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the value less the bootstrap's bias, give or take its standard deviation."""
    return _drawn(asked, "normal")


@interval_method("studentised", selectable=True)
def studentised(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the bootstrap-t interval of a mean."""
    return _drawn(asked, "studentised")


@interval_method("dirichlet", selectable=True)
def dirichlet(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return quantiles over tables that could have led to the counts; it has a width where no row is wrong.

    Weighted rows count for what they are worth, and of rows in groups every group as one.
    """
    tally = asked.tally
    if not isinstance(tally, Confusion):
        return None
    size = len(tally.labels)
    if size > _DRAWABLE:
        return f"tables of {size} classes are too large to be drawn: dirichlet_interval() does it, in minutes"
    if not asked.plain:
        worth = float(asked.sizes["groups"]) if asked.clustered else _kish(tally)
        shares = tally.table(tally.weight()) / float(tally.weight().sum())
        tally = Confusion.of_table(np.rint(shares * math.floor(worth)), tally.labels, declared=True)
    from assay.inference.bootstrap.bootstrap import dirichlet_interval  # noqa: PLC0415 - few resample

    found = dirichlet_interval(
        asked.metric, tally, confidence=asked.confidence, seed=asked.seed, **asked.options
    )
    return _found(found)


def _drawn(asked: IntervalRequest, method: Any) -> IntervalResult | str | None:
    if not math.isfinite(asked.value):
        return "its value is infinite, about which replicates have no spread"
    data, options = (asked.tally, asked.options) if asked.rows is None else (asked.rows, asked.row_options)
    from assay.inference.bootstrap.bootstrap import bootstrap_interval  # noqa: PLC0415 - few resample

    try:
        found = bootstrap_interval(
            asked.metric, data, confidence=asked.confidence, method=method, seed=asked.seed, **options
        )
    except AssayError as refused:
        return str(refused)
    return _found(found)


def _found(found: Estimate) -> IntervalResult | str:
    if found.low is None or found.high is None:
        return found.note or "there is no value to judge"
    return IntervalResult(found.low, found.high, found.method, found.note, found.standard_error)


def _kish(tally: Confusion) -> float:
    return float(tally.weight().sum() ** 2 / tally.weight(2).sum())
