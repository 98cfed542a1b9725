"""Interval of the measure at a threshold that was not chosen on the same rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.decisions.sweep import cells
from assay.inference.distributions import student_quantile
from assay.inference.estimate import Estimate
from assay.inference.formulas.mover import weighted_sum_interval
from assay.inference.intervals.choose_interval import estimate_tally
from assay.metrics import Binary, Undefined
from assay.tallies import Confusion

if TYPE_CHECKING:
    from assay.decisions.criterion import Criterion
    from assay.decisions.sweep import Outcome
    from assay.inference.formulas.proportions import Interval

__all__ = ["estimate_outcome"]

SAME_ROWS = "chosen and evaluated on the same rows"
NO_INTERVAL = "the rows show no spread, or no interval is known for this measure"
IN_GROUPS = "the rows come in groups, for which there is no interval here"


def estimate_outcome(
    criterion: Criterion, outcome: Outcome, n: int, *, table: Confusion | None = None, no_interval: str = ""
) -> Estimate:
    """Return the measure of one outcome with its interval, or without one and a note that says why.

    `table` is the confusion tally of the same rows, which weighted rows need for the metric's own interval.
    """
    value, confidence = criterion.value(outcome), criterion.confidence
    if math.isnan(value):
        undefined = Undefined(f"{criterion.measure} has no value at this threshold")
        return Estimate(undefined, None, None, confidence, "none", n)
    if no_interval:
        return Estimate(value, None, None, confidence, "none", n, no_interval)
    counts = Binary(*(x[0].item() for x in cells(outcome.counts)))
    if criterion.costs is not None or outcome.costs is not None:
        result = _cost_interval(criterion, outcome, counts, value)
    elif criterion.metric is None:
        result = None
    else:
        if table is None:
            table = Confusion.of_table([[counts.tn, counts.fp], [counts.fn, counts.tp]], (0, 1))
        return estimate_tally(criterion.metric, table, criterion.parameters, confidence=confidence)
    if result is None:
        return Estimate(value, None, None, confidence, "none", n, NO_INTERVAL)
    (low, high), method = result
    return Estimate(value, low, high, confidence, method, n)


def _cost_interval(
    criterion: Criterion, outcome: Outcome, c: Binary, value: float
) -> tuple[Interval, str] | None:
    """Return Student's interval of the mean cost of a row; at another prevalence, MOVER of two shares."""
    confidence, costs = criterion.confidence, criterion.costs
    if costs is not None and criterion.prevalence is not None:
        if outcome.squares is not None:
            return None
        share = criterion.prevalence
        weights, shift = (
            (share * costs.miss, (1 - share) * costs.alarm),
            share * costs.tp + (1 - share) * costs.tn,
        )
        limits = weighted_sum_interval(
            (c.fn, c.fp), (c.positives, c.negatives), weights, shift=shift, confidence=confidence
        )
        return limits, "MOVER-Wilson"
    if outcome.costs is not None and outcome.squares is not None:
        squares = (outcome.squares.fp[0] + outcome.squares.fn[0]) / outcome.unit**2
        distances = squares - c.n * value * value
        effective_n = c.n
    elif costs is not None:
        # Squared distances from the mean cost, weighted by squared weights or by rows of each cell.
        each = Binary(costs.tp, costs.fp, costs.fn, costs.tn)
        sizes = outcome.counts if outcome.squares is None else outcome.squares
        spread = zip(cells(sizes), cells(each), strict=True)
        distances = math.fsum(float(size[0]) * (cost - value) ** 2 for size, cost in spread)
        weight = float(np.sum([x[0] for x in cells(sizes)]))
        effective_n = c.n if outcome.squares is None else c.n**2 / weight
    else:
        return None
    if effective_n <= 1:
        return None
    if distances <= 0:  # every row costs the same
        return None
    error = math.sqrt(distances) / c.n * math.sqrt(effective_n / (effective_n - 1))
    half_width = student_quantile(confidence, effective_n - 1) * error
    return (max(value - half_width, 0.0), value + half_width), "Student's t"
