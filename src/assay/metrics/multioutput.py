"""Several outputs per row: one tally for each output, and averages of a metric over them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.metrics.undefined import Undefined, Value
from assay.metrics.views.regression import Errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.metrics.metric import Metric
    from assay.tallies import Tally

__all__ = ["each_output", "over_outputs"]


def each_output(metric: Metric, tallies: Sequence[Tally], **parameters: Any) -> list[Value]:
    """Return a metric's value for each output."""
    return [metric(tally, **parameters) for tally in tallies]


def over_outputs(
    metric: Metric, tallies: Sequence[Tally], weights: Any = "equal", **parameters: Any
) -> Value:
    """Return a metric's average over outputs; undefined if an output of positive weight has no value.

    `weights` is ``"equal"``, ``"variance"`` (an output counts by the variance of its actual values, for
    metrics that read moments), or one number per output.

    >>> import assay
    >>> from assay.metrics import r2
    >>> actual, predicted = [[0.5, -1, 7], [1, 1, -6]], [[0, -1, 8], [2, 2, -5]]
    >>> both = [assay.Moments.of(assay.rows(actual=a, predicted=p)) for a, p in zip(actual, predicted)]
    >>> [round(over_outputs(r2, both, weights), 3) for weights in ("equal", "variance", [0.3, 0.7])]
    [0.937, 0.938, 0.925]
    """
    values = each_output(metric, tallies, **parameters)
    if isinstance(weights, str):
        if weights not in ("equal", "variance"):
            raise MetricError(f'weights={weights!r} is not known: use "equal", "variance" or numbers.')
        equal = weights == "equal"
        weights = [1.0 if equal else float(Errors.of(tally).actual_variance) for tally in tallies]  # type: ignore[arg-type]
    if len(weights) != len(values):
        raise MetricError(f"there are {len(values)} outputs, but {len(weights)} weights for them.")
    for index, (value, weight) in enumerate(zip(values, weights, strict=True)):
        if isinstance(value, Undefined) and weight:
            return Undefined(f"{value.reason} (output {index})")
    if not any(weights):
        return Undefined("all outputs have weight 0")
    counted = [(value, weight) for value, weight in zip(map(float, values), weights, strict=True) if weight]
    numbers, kept_weights = np.array(counted, dtype=float).T
    return math.fsum(numbers * kept_weights) / math.fsum(kept_weights)
