"""Intervals of the area under the ROC curve, and of the Gini coefficient, by DeLong's variance."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.formulas.auc import auc_estimate, delong, delong_interval, moderated_auc_interval
from assay.inference.formulas.delta import kish
from assay.inference.influence.ranking import unit_sums
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.registry import Default, interval_method
from assay.inputs.labels import binary, encode
from assay.metrics import Undefined, find
from assay.tallies import Scores

if TYPE_CHECKING:
    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["SINGLE_ROW_CLASS", "area", "class_worth", "gini", "plain_area"]

_MANY_FREEDOM = 500.0  # degrees of freedom beyond which Student's t is the normal
SINGLE_ROW_CLASS = "a class of a single row, or in a single group, shows no spread"


@interval_method("moderated-delong", Default(metrics=("auc",)))
def area(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the area under the ROC curve by DeLong's variance, moderated by Newcombe's."""
    tally = asked.tally
    if not isinstance(tally, Scores):
        return None
    if asked.plain:
        found = auc_estimate(tally.concordance(), confidence=asked.confidence, df=_freedom(asked, tally))
        if found.low is None or found.high is None:
            return found.note
        return IntervalResult(found.low, found.high, found.method, found.note, found.standard_error)
    return _uneven_area(asked)


def _freedom(asked: IntervalRequest, tally: Scores) -> float:
    """Return the degrees of freedom of DeLong's variance, by how few rows make it up.

    A row's part is at most one over its class's rows, which bounds them from below: of many rows, that is
    enough to know that they do not matter.
    """
    found = delong(tally.concordance())
    if isinstance(found.variance, Undefined) or not found.variance or isinstance(found.value, Undefined):
        return math.inf
    largest = max(found.value, 1 - found.value) / min(found.positives, found.negatives)
    if 2 * found.variance / largest**2 > _MANY_FREEDOM or asked.influence is None:
        return math.inf
    return asked.influence.freedom


def _uneven_area(asked: IntervalRequest) -> IntervalResult | str:
    """Return the interval of an area of weighted or clustered rows, which count for what they are worth."""
    spread, sizes = asked.spread, _class_rows(asked)
    if spread is None:
        return "its slope is not known here"
    if asked.clustered and min(class_worth(asked)) <= 1:
        return SINGLE_ROW_CLASS
    variance, clusters = spread.error**2, math.inf
    note = ""
    if not asked.clustered:
        variance = _weighted_variance(asked, sizes)
    elif asked.value in (0.0, 1.0) or not spread.design_effect or math.isnan(spread.design_effect):
        sizes = class_worth(asked)
        note = "the groups show no spread: each counts as one row"
    else:
        sizes = tuple(size / max(spread.design_effect, 1.0) for size in sizes)  # type: ignore[assignment]
        clusters = spread.df or math.inf
    freedom = math.inf if asked.influence is None or not variance else asked.influence.freedom
    limits = moderated_auc_interval(
        asked.value, variance, *sizes, df=freedom, clusters=clusters, confidence=asked.confidence
    )
    return IntervalResult(*limits, "moderated DeLong", note, math.sqrt(variance))


def _weighted_variance(asked: IntervalRequest, sizes: tuple[float, float]) -> float:
    """Return DeLong's variance with weights: each class's squared parts, with its effective rows less one."""
    found: Any = asked.influence
    squares = (found.mass if found.squares is None else found.squares) * np.square(found.slopes)
    return sum(
        float(part) * size / (size - 1) if size > 1 else 0.0
        for part, size in zip(squares.sum(axis=1), sizes, strict=True)
    )


def _class_rows(asked: IntervalRequest) -> tuple[float, float]:
    """Return how many rows of equal weight the positives, and the negatives, are worth."""
    tally: Any = asked.tally
    if tally.weights is None:
        positives, negatives = tally.totals
        return float(positives), float(negatives)
    first, second, _ = unit_sums(tally)
    return tuple(kish(float(w), float(s)) for w, s in zip(first.sum(1), second.sum(1), strict=True))  # type: ignore[return-value]


@interval_method("delong", selectable=True)
def plain_area(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return DeLong's interval on the area's own scale, cut at 0 and 1, as pROC has it."""
    if asked.metric is not find("auc") or not asked.plain or not isinstance(asked.tally, Scores):
        return None
    found = delong(asked.tally.concordance())
    limits = delong_interval(found, confidence=asked.confidence, scale="identity")
    if limits is None or isinstance(found.variance, Undefined):
        return "DeLong's variance is 0 or undefined, so that there is no plain interval"
    return IntervalResult(
        *limits, "DeLong", "plain: on the logit scale it covers better", math.sqrt(found.variance)
    )


@interval_method("gini-from-auc", Default(metrics=("gini",)))
def gini(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of 2 areas less 1, from that of the area."""
    found = area(dataclasses.replace(asked, metric=find("auc"), value=(asked.value + 1) / 2))
    if not isinstance(found, IntervalResult):
        return found
    error = None if found.standard_error is None else 2 * found.standard_error
    return found._replace(low=2 * found.low - 1, high=2 * found.high - 1, standard_error=error)


def class_worth(asked: IntervalRequest) -> tuple[float, float]:
    """Return how many rows the positives, and the negatives, are worth; of clustered rows, how many groups.

    Groups of unequal size count for as many of equal size as would say as much.
    """
    if not asked.clustered:
        return _class_rows(asked)
    rows: Any = asked.rows
    groups, _ = encode(rows.group)
    positive, _ = binary(rows.actual, rows.positive, rows.labels)
    weight = np.ones(len(groups)) if rows.weight is None else rows.weight.values
    masses = [np.bincount(groups, weight * (positive == side)) for side in (1, 0)]
    return tuple(kish(float(mass.sum()), float(mass @ mass)) for mass in masses)  # type: ignore[return-value]
