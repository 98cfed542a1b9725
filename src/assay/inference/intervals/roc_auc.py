"""Intervals of the area under the ROC curve, and of the Gini coefficient, by DeLong's variance."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.formulas.auc import auc_estimate, delong, delong_interval, moderated_auc_interval
from assay.inference.formulas.delta import kish
from assay.inference.influence.ranking import unit_sums
from assay.inference.intervals.delta_method import NO_SLOPE
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.method_registry import Default, interval_method
from assay.inputs.labels import encode
from assay.metrics import Undefined, find
from assay.tallies import Scores

if TYPE_CHECKING:
    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["SINGLE_ROW_CLASS", "effective_class_sizes", "gini_from_auc", "moderated_delong", "plain_delong"]

_LARGE_DF = 500.0  # degrees of freedom beyond which Student's t is practically normal
SINGLE_ROW_CLASS = "a class of a single row, or in a single group, shows no spread"


@interval_method("moderated-delong", Default(metrics=("auc",)))
def moderated_delong(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the area under the ROC curve by DeLong's variance, moderated by Newcombe's."""
    tally = request.tally
    if not isinstance(tally, Scores):
        return None
    if request.plain:
        result = auc_estimate(
            tally.concordance(), confidence=request.confidence, df=_degrees_of_freedom(request, tally)
        )
        if result.low is None or result.high is None:
            return result.note
        return IntervalResult(result.low, result.high, result.method, result.note, result.standard_error)
    return _weighted_or_clustered(request)


def _degrees_of_freedom(request: IntervalRequest, tally: Scores) -> float:
    """Return the degrees of freedom of DeLong's variance.

    A row's contribution is at most one over its class's rows, which bounds them from below: with many rows
    that bound is so large that they do not matter.
    """
    result = delong(tally.concordance())
    if isinstance(result.variance, Undefined) or not result.variance or isinstance(result.value, Undefined):
        return math.inf
    largest = max(result.value, 1 - result.value) / min(result.positives, result.negatives)
    if 2 * result.variance / largest**2 > _LARGE_DF or request.influence is None:
        return math.inf
    return request.influence.freedom


def _weighted_or_clustered(request: IntervalRequest) -> IntervalResult | str:
    """Return the interval of an area of weighted or clustered rows, by their effective numbers."""
    spread, sizes = request.spread, _class_rows(request)
    if spread is None:
        return NO_SLOPE
    if request.clustered and min(effective_class_sizes(request)) <= 1:
        return SINGLE_ROW_CLASS
    variance, clusters = spread.error**2, math.inf
    note = ""
    if not request.clustered:
        variance = _weighted_variance(request, sizes)
    elif request.value in (0.0, 1.0) or not spread.design_effect or math.isnan(spread.design_effect):
        sizes = effective_class_sizes(request)
        note = "the groups show no spread: each counts as one row"
    else:
        sizes = tuple(size / max(spread.design_effect, 1.0) for size in sizes)  # type: ignore[assignment]
        clusters = spread.df or math.inf
    freedom = math.inf if request.influence is None or not variance else request.influence.freedom
    limits = moderated_auc_interval(
        request.value, variance, *sizes, df=freedom, clusters=clusters, confidence=request.confidence
    )
    return IntervalResult(*limits, "moderated DeLong", note, math.sqrt(variance))


def _weighted_variance(request: IntervalRequest, sizes: tuple[float, float]) -> float:
    """Return DeLong's variance with weights, each class's with its effective rows less one."""
    influence: Any = request.influence
    squares = (influence.mass if influence.squares is None else influence.squares) * np.square(
        influence.slopes
    )
    return sum(
        float(part) * size / (size - 1) if size > 1 else 0.0
        for part, size in zip(squares.sum(axis=1), sizes, strict=True)
    )


def _class_rows(request: IntervalRequest) -> tuple[float, float]:
    """Return Kish's effective number of positives, and of negatives."""
    tally: Any = request.tally
    if tally.weights is None:
        positives, negatives = tally.totals
        return float(positives), float(negatives)
    first, second, _ = unit_sums(tally)
    return tuple(kish(float(w), float(s)) for w, s in zip(first.sum(1), second.sum(1), strict=True))  # type: ignore[return-value]


@interval_method("delong", selectable=True)
def plain_delong(request: IntervalRequest) -> IntervalResult | str | None:
    """Return DeLong's interval on the area's own scale, cut at 0 and 1, as pROC has it."""
    if request.metric is not find("auc") or not request.plain or not isinstance(request.tally, Scores):
        return None
    result = delong(request.tally.concordance())
    limits = delong_interval(result, confidence=request.confidence, scale="identity")
    if limits is None or isinstance(result.variance, Undefined):
        return "DeLong's variance is 0 or undefined, so that there is no plain interval"
    return IntervalResult(
        *limits, "DeLong", "on the plain scale; the logit scale covers better", math.sqrt(result.variance)
    )


@interval_method("gini-from-auc", Default(metrics=("gini",)))
def gini_from_auc(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the Gini coefficient, 2 AUC - 1, from that of the area."""
    result = moderated_delong(dataclasses.replace(request, metric=find("auc"), value=(request.value + 1) / 2))
    if not isinstance(result, IntervalResult):
        return result
    error = None if result.standard_error is None else 2 * result.standard_error
    return result._replace(low=2 * result.low - 1, high=2 * result.high - 1, standard_error=error)


def effective_class_sizes(request: IntervalRequest) -> tuple[float, float]:
    """Return the effective number of positives and of negatives; of clustered rows, of groups that have some.

    Groups of unequal size count as Kish's number of groups of equal size.
    """
    if not request.clustered:
        return _class_rows(request)
    rows: Any = request.rows
    groups, _ = encode(rows.group)
    positive, _ = rows.binary_actual("an interval")
    weight = np.ones(len(groups)) if rows.weight is None else rows.weight.values
    masses = [np.bincount(groups, weight * (positive == side)) for side in (1, 0)]
    return tuple(kish(float(mass.sum()), float(mass @ mass)) for mass in masses)  # type: ignore[return-value]
