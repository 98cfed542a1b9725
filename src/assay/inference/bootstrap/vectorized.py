"""A metric of many confusion tables at once, one for each replicate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.metrics.views.confusion import Binary, Classes, Ordered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.metrics import Metric

__all__ = ["MAX_ROWS_FOR_INTEGERS", "TABLE_VIEWS", "of_binary", "of_tables"]

TABLE_VIEWS = (Binary, Classes, Ordered)  # views of a confusion table
MAX_ROWS_FOR_INTEGERS = 1 << 31  # the square of the number of rows fits 64 bits


def of_tables(
    metric: Metric, tables: NDArray[Any], labels: Sequence[Any], options: dict[str, Any],
    effective: NDArray[Any] | None = None,
) -> NDArray[np.float64]:  # fmt: skip
    """Return a metric of each table of a stack, NaN where it has no value; options are the metric's own.

    `effective` is the effective sample size of each table (Kish 1965), where rows have weights.

    The options must be such that the metric takes them of one such table.

    >>> import numpy as np
    >>> from assay.metrics import accuracy, f1
    >>> tables = np.array([[[8, 2], [1, 9]], [[5, 5], [0, 10]]])
    >>> of_tables(accuracy, tables, (0, 1), {})
    array([0.85, 0.75])
    >>> of_tables(f1, tables, ("no", "yes"), {"average": "macro"}).round(4)
    array([0.8496, 0.7333])
    """
    parameters, rest = _split_options(metric, options)
    if metric.reads is not Binary:
        return _as_floats(metric.formula(metric.reads(tables, effective), **parameters), len(tables))
    each = Classes(tables).against_rest()
    if rest.get("average"):
        return _class_averages(metric, each, parameters, rest)
    positive = rest.get("positive")
    positive = 1 if positive is None else positive  # obvious, or one table would have been refused
    if positive not in labels:
        none = np.zeros(len(tables), dtype=tables.dtype)
        view = Binary(none, none, none, tables.sum((-2, -1)))
    else:
        index = list(labels).index(positive)
        view = Binary(*(counts[..., index] for counts in (each.tp, each.fp, each.fn, each.tn)))
    return _as_floats(metric.formula(view, **parameters), len(tables))


def of_binary(metric: Metric, counts: NDArray[Any], options: dict[str, Any]) -> NDArray[np.float64]:
    """Return a metric of each row of tp, fp, fn and tn."""
    parameters, _ = _split_options(metric, options)
    return _as_floats(metric.formula(Binary(*counts.T), **parameters), len(counts))


def _split_options(metric: Metric, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    parameters = {name: value for name, value in options.items() if name in metric.parameters}
    return parameters, {name: value for name, value in options.items() if name not in parameters}


def _class_averages(
    metric: Metric, each: Binary, parameters: dict[str, Any], rest: dict[str, Any]
) -> NDArray[np.float64]:
    """Return averages over the classes, the last axis, as :mod:`assay.metrics.averaging` has them of one."""
    average, undefined = rest["average"], rest.get("undefined", "strict")
    if average == "micro":
        pooled = Binary(*(counts.sum(-1) for counts in (each.tp, each.fp, each.fn, each.tn)))
        return _as_floats(metric.formula(pooled, **parameters), len(each.tp))
    values = metric.formula(each, **parameters)
    values = np.array(np.broadcast_to(values, np.shape(each.tp)), dtype=np.float64)
    weights = np.ones(values.shape) if average == "macro" else np.array(each.positives, dtype=np.float64)
    missing = np.isnan(values) & (weights > 0)
    if undefined == "skip":
        weights[missing] = 0.0
    elif undefined != "strict":
        values[missing] = undefined
    total = weights.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        averages = np.where(weights > 0, values * weights, 0.0).sum(-1) / total
    return np.where(total > 0, averages, np.nan)


def _as_floats(values: Any, size: int) -> NDArray[np.float64]:
    floats = np.array(np.broadcast_to(values, (size,)), dtype=np.float64)
    if floats.shape != (size,):
        raise MetricError("a formula gave another number of values than there are tables.")
    return floats
