"""A part of the rows against the rest of them: different rows, so that their variances add.

Where rows come in groups, a group may have rows on both sides: then the groups' influences on the difference
are added up, over both sides together.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.differences.clustered_difference import GroupedUnits, difference_spreads
from assay.inference.differences.compare_models import difference_of
from assay.inference.differences.difference import Difference, direction
from assay.inference.differences.difference_request import ComparisonSettings, DifferenceRequest
from assay.inference.differences.pairing import Pair, size_of
from assay.inference.differences.pooled_variance import units_of
from assay.inference.formulas.delta import design_effect
from assay.inference.intervals.interval_request import rescaled
from assay.inputs.labels import encode
from assay.metrics import Undefined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric

__all__ = ["Side", "against_rest", "grouped_against_rest"]


class Side(NamedTuple):
    """The rows of a part, or those of the rest, and the number of each row's group among all groups."""

    rows: Rows
    codes: NDArray[Any]


def against_rest(
    metric: Metric, part: Any, rest: Any, *, name: str = "", confidence: float = 0.95, **options: Any
) -> Difference:
    """Return a part's value of a metric less the rest's, both as tallies or as rows, by the unpaired methods.

    >>> import assay
    >>> part, rest = (
    ...     assay.Confusion.of(assay.rows(actual=[1] * 40, predicted=[1] * hits + [0] * (40 - hits)))
    ...     for hits in (20, 34)
    ... )
    >>> against_rest(assay.metrics.recall, part, rest, name="young")
    recall: young - the rest = -0.35 [-0.518, -0.1458], p = 0.0008322
    """
    values: tuple[Any, Any] = (metric(rest, **options), metric(part, **options))
    match = DifferenceRequest(
        metric, options, values, Pair(rescaled(rest), rescaled(part), paired=False), confidence,
        ComparisonSettings(), part_of_all=True,
    )  # fmt: skip
    return difference_of(match, metric.name, ("the rest", name), None, None)


def grouped_against_rest(
    metric: Metric,
    part: Side,
    rest: Side,
    groups: int,
    *,
    name: str = "",
    confidence: float = 0.95,
    **options: Any,
) -> Difference:
    """Return the same where rows come in groups, some of them perhaps with rows on both sides.

    By the influence of whole groups on the difference, each over what is left without the group, and by the
    variance that the sides would have if they were alike: both must reject. Student's t has the effective
    number of groups less one degrees of freedom. See :mod:`assay.inference.differences.clustered_difference`.
    """
    values = metric(rest.rows, **options), metric(part.rows, **options)
    of_queries = metric.each is not None
    n = sum(size_of(one.rows, of_queries=of_queries) for one in (part, rest))

    def told(difference: Any, p: Any, low: float | None = None, high: float | None = None) -> Difference:
        method = "" if low is None else "delta, groups together"
        return Difference(
            metric.name, "the rest", name, values, difference, low, high, confidence, p, method,
            "Wald" if method else "", n, n, direction(metric), groups=groups,
        )  # fmt: skip

    for value, whose in zip(values, ("the rest", name), strict=True):
        if isinstance(value, Undefined) or math.isinf(value):
            reason = value.reason if isinstance(value, Undefined) else "it is infinite"
            lacking = Undefined(f"{reason} ({whose})")
            return told(lacking, lacking)
    difference = float(values[1]) - float(values[0])
    both = [units_of(metric, one.rows, options) for one in (part, rest)]
    if both[0] is None or both[1] is None:
        return told(difference, Undefined("it has no influence of single rows, by which groups are judged"))
    sides = [
        GroupedUnits(units, _of_queries(side) if of_queries else side.codes)
        for units, side in zip(both, (part, rest), strict=True)
        if units is not None
    ]
    spreads = difference_spreads(sides, groups, difference)
    known = [one for one in spreads if one.error > 0]
    if not known:
        return told(difference, Undefined("the groups show no spread"))
    spread = max(known, key=lambda one: one.p(difference))
    error, reach = spreads[0].error or spread.error, max(one.reach(confidence) for one in known)
    least, largest = metric.bounds
    widest = largest - least
    low, high = max(difference - reach, -widest), min(difference + reach, widest)
    alone = sum(float(one.units.squares @ np.square(one.units.slopes)) for one in sides)
    found = told(difference, spread.p(difference), low, high)
    return dataclasses.replace(found, standard_error=error, design_effect=design_effect(error**2, alone))


def _of_queries(side: Side) -> NDArray[Any]:
    """Return each query's group."""
    queries, _ = encode(side.rows.need("query", "ranked lists"))
    found: NDArray[Any] = side.codes[np.unique(queries, return_index=True)[1]]
    return found
