"""Compare a slice of the rows with the rest of them: different rows, so that their variances add.

Where rows come in groups, a group may have rows on both sides: then the groups' influences on the difference
are added up, over both sides together.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.differences.clustered_difference import GroupedUnits, difference_spreads
from assay.inference.differences.compare_models import compute_difference, subtract
from assay.inference.differences.difference import Difference, direction
from assay.inference.differences.difference_request import ComparisonSettings, DifferenceRequest
from assay.inference.differences.pairing import Pair, size_of
from assay.inference.differences.pooled_variance import units_of
from assay.inference.formulas.delta import design_effect
from assay.inference.influence.influence import rescaled
from assay.inference.intervals.interval_request import drop_equal_weights
from assay.inputs.labels import encode
from assay.metrics import Undefined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric

__all__ = ["Side", "against_rest", "grouped_against_rest"]


class Side(NamedTuple):
    """The rows of a slice, or those of the rest, and the code of each row's group among all groups."""

    rows: Rows
    codes: NDArray[Any]


def against_rest(
    metric: Metric, part: Any, rest: Any, *, name: str = "", confidence: float = 0.95, **options: Any
) -> Difference:
    """Return a slice's value of a metric less the rest's, both as tallies or as rows, by unpaired methods.

    >>> import assay
    >>> part, rest = (
    ...     assay.Confusion.of(assay.rows(actual=[1] * 40, predicted=[1] * hits + [0] * (40 - hits)))
    ...     for hits in (20, 34)
    ... )
    >>> against_rest(assay.metrics.recall, part, rest, name="young")
    recall: young - the rest = -0.35 [-0.518, -0.1458], p = 0.0008322
    """
    values: tuple[Any, Any] = (metric(rest, **options), metric(part, **options))
    part, rest = drop_equal_weights(part), drop_equal_weights(rest)
    request = DifferenceRequest(
        metric, options, values, Pair(rescaled(rest), rescaled(part), paired=False), confidence,
        ComparisonSettings(), part_of_all=True,
    )  # fmt: skip
    return compute_difference(request, metric.name, ("the rest", name), None, None)


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
    """Return a slice's value less the rest's where rows come in groups, some perhaps with rows on both sides.

    By the cluster jackknife of the groups' influence on the difference, and by the variance that the sides
    would have if they were alike: both must reject. Student's t has the effective
    number of groups less one degrees of freedom. See :mod:`assay.inference.differences.clustered_difference`.
    """
    values = metric(rest.rows, **options), metric(part.rows, **options)
    of_queries = metric.each is not None
    n = sum(size_of(side.rows, of_queries=of_queries) for side in (part, rest))

    def result(difference: Any, p: Any, low: float | None = None, high: float | None = None) -> Difference:
        method = "" if low is None else "delta, groups together"
        return Difference(
            metric.name, "the rest", name, values, difference, low, high, confidence, p, method,
            "Wald" if method else "", n, n, direction(metric), groups=groups,
        )  # fmt: skip

    difference = subtract(values, ("the rest", name))
    if isinstance(difference, Undefined):
        return result(difference, difference)
    units = [units_of(metric, side.rows, options) for side in (part, rest)]
    sides = [
        GroupedUnits(own, _groups_of_queries(side) if of_queries else side.codes)
        for own, side in zip(units, (part, rest), strict=True)
        if own is not None
    ]
    if len(sides) < len(units):
        reason = Undefined("it has no influence of single rows, by which groups are compared")
        return result(difference, reason)
    spreads = difference_spreads(sides, groups, difference)
    positive = [spread for spread in spreads if spread.error > 0]
    if not positive:
        return result(difference, Undefined("the groups show no spread"))
    decisive = max(positive, key=lambda spread: spread.p_value(difference))
    error = spreads[0].error or decisive.error
    half_width = max(spread.half_width(confidence) for spread in positive)
    limit = metric.bounds[1] - metric.bounds[0]
    low, high = max(difference - half_width, -limit), min(difference + half_width, limit)
    variance_of_rows = sum(float(side.units.squares @ np.square(side.units.slopes)) for side in sides)
    compared = result(difference, decisive.p_value(difference), low, high)
    effect = design_effect(error**2, variance_of_rows)
    return dataclasses.replace(compared, standard_error=error, design_effect=effect)


def _groups_of_queries(side: Side) -> NDArray[Any]:
    """Return each query's group."""
    queries, _ = encode(side.rows.need("query", "ranked lists"))
    codes: NDArray[Any] = side.codes[np.unique(queries, return_index=True)[1]]
    return codes
