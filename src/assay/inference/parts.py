"""A part of the rows against the rest of them: different rows, so that their variances add.

Where rows come in groups, a group may have rows on both sides: then the groups' influences on the difference
are added up, over both sides together.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.comparison import difference_of
from assay.inference.delta import cluster_variance, design_effect
from assay.inference.difference import Difference, direction
from assay.inference.distributions import student_p, student_quantile
from assay.inference.influence import influence
from assay.inference.match import Match, Settings
from assay.inference.models import Pair, size_of
from assay.inference.question import rescaled
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
    match = Match(
        metric, options, values, Pair(rescaled(rest), rescaled(part), paired=False), confidence, Settings()
    )
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

    By the influence of whole groups on the difference (Liang and Zeger 1986), and Student's t with as many
    degrees of freedom as groups less one.
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
    both = [influence(metric, one.rows, **options) for one in (part, rest)]
    if both[0] is None or both[1] is None:
        return told(difference, Undefined("it has no influence of single rows, by which groups are judged"))
    sums = np.zeros(groups)
    for one, side, sign in zip(both, (part, rest), (1.0, -1.0), strict=True):
        assert one is not None  # noqa: S101 - seen to before
        codes = _of_queries(side) if of_queries else side.codes
        sums += sign * np.bincount(codes, weights=one.parts, minlength=groups)
    variance = cluster_variance(sums)
    if not variance > 0:
        return told(difference, Undefined("the groups show no spread"))
    error = math.sqrt(variance)
    reach = student_quantile(confidence, groups - 1) * error
    least, largest = metric.bounds
    widest = largest - least
    low, high = max(difference - reach, -widest), min(difference + reach, widest)
    alone = sum(one.variance for one in both if one is not None)
    found = told(difference, student_p(difference / error, groups - 1), low, high)
    return dataclasses.replace(found, standard_error=error, design_effect=design_effect(variance, alone))


def _of_queries(side: Side) -> NDArray[Any]:
    """Return each query's group."""
    queries, _ = encode(side.rows.need("query", "ranked lists"))
    found: NDArray[Any] = side.codes[np.unique(queries, return_index=True)[1]]
    return found
