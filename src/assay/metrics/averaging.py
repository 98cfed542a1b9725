"""Averages of a one-class metric over the classes: macro, micro, weighted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError, shown
from assay.metrics.undefined import Undefined, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.metrics.metric import Metric
    from assay.metrics.views.confusion import Binary

__all__ = ["averaged", "each", "over_classes", "pooled"]


def each(metric: Metric, classes: Binary, names: Sequence[Any], **parameters: Any) -> dict[Any, Value]:
    """Return a metric's value for each class by its name."""
    values = _values(metric, classes, parameters)
    return {name: metric.value(value, classes) for name, value in zip(names, values, strict=True)}


def pooled(classes: Binary) -> Binary:
    """Return all classes' counts added up, each row counted once per class, for micro averages."""
    sums = (np.asarray(x).sum(-1) for x in (classes.tp, classes.fp, classes.fn, classes.tn))
    # Counts of very many rows are Python integers, and so are their sums.
    return type(classes)(*(x.item() if isinstance(x, np.generic) else x for x in sums))


def averaged(
    metric: Metric,
    classes: Binary,
    average: str,
    parameters: dict[str, Any],
    *,
    names: Sequence[Any],
    undefined: Any = "strict",
) -> Value:
    """Return the average of a metric over classes.

    ``"macro"`` counts each class the same, ``"weighted"`` by its rows, ``"micro"`` adds the classes' counts
    first. Where a class has no value, ``undefined="strict"`` makes the average undefined and names the
    class, ``"skip"`` leaves the class out, and a number (0 or 1) replaces the value.
    """
    if average == "micro":
        counts = pooled(classes)
        return metric.value(metric.formula(counts, **parameters), counts)
    reason = _reason(metric.value(np.nan, classes))
    values = _values(metric, classes, parameters)
    return over_classes(values, classes.positives, average, names=names, reason=reason, undefined=undefined)


def over_classes(
    values: Any, rows: Any, average: str, *, names: Sequence[Any], reason: str, undefined: Any = "strict",
    unit: str = "class",
) -> Value:  # fmt: skip
    """Return the mean of the classes' values, each counting the same or by its rows; NaN is no value.

    `unit` is what is averaged over: a class, a label or an output.
    """
    if average not in ("macro", "weighted"):
        raise MetricError(f'average={average!r} is not known: use "macro", "micro" or "weighted".')
    values, weights = np.array(values, dtype=np.float64), np.array(rows, dtype=np.float64)
    if average == "macro":
        weights[:] = 1.0
    missing = np.isnan(values) & (weights > 0)  # a class without rows does not count in a weighted average
    if undefined == "strict":
        if missing.any():
            classes = [name for name, is_missing in zip(names, missing, strict=True) if is_missing]
            return Undefined(f"{reason} ({unit} {shown(classes)})")
    elif undefined == "skip":
        weights[missing] = 0.0
    elif isinstance(undefined, (int, float)):
        values[missing] = undefined
    else:
        raise MetricError(f'undefined={undefined!r} is not known: use "strict", "skip" or a number.')
    counted = weights > 0
    if not counted.any():
        return Undefined(f"no {unit} has a value")
    return float(np.average(values[counted], weights=weights[counted]))


def _values(metric: Metric, classes: Binary, parameters: dict[str, Any]) -> Any:
    values = metric.formula(classes, **parameters)
    return np.array(np.broadcast_to(values, np.shape(classes.tp)), dtype=np.float64)


def _reason(value: Value) -> str:
    return value.reason if isinstance(value, Undefined) else ""
