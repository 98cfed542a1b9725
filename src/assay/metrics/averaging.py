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

__all__ = ["average_tables", "averaged", "each", "over_classes", "pooled"]


def each(metric: Metric, classes: Binary, names: Sequence[Any], **parameters: Any) -> dict[Any, Value]:
    """Return a metric's value for each class by its name.

    Parameters
    ----------
    metric
        A metric of two classes.
    classes
        The counts of every class against the rest.
    names
        The classes' names.
    parameters
        The metric's own options.

    Returns
    -------
    dict
        A value per class, or the reason why there is none.

    Examples
    --------
    >>> import assay
    >>> from assay.metrics import Classes, recall
    >>> table = assay.Confusion.of(assay.rows(actual=["a", "a", "b"], predicted=["a", "b", "b"]))
    >>> each(recall, Classes.of(table).against_rest(), table.labels)
    {'a': 0.5, 'b': 1.0}
    """
    values = _values(metric, classes, parameters)
    return {name: metric.value(value, classes) for name, value in zip(names, values, strict=True)}


def pooled(classes: Binary) -> Binary:
    """Return all classes' counts added up, each row counted once per class, for micro averages.

    Parameters
    ----------
    classes
        The counts of every class against the rest.

    Returns
    -------
    Binary
        Counts of two classes.

    Examples
    --------
    >>> import assay
    >>> from assay.metrics import Classes
    >>> table = assay.Confusion.of(assay.rows(actual=["a", "a", "b"], predicted=["a", "b", "b"]))
    >>> pooled(Classes.of(table).against_rest()).tp
    2
    """
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

    Parameters
    ----------
    metric
        A metric of two classes.
    classes
        The counts of every class against the rest.
    average
        ``"macro"``, ``"weighted"`` or ``"micro"``.
    parameters
        The metric's own options.
    names
        The classes' names, for the reason where one has no value.
    undefined
        ``"strict"``, ``"skip"`` or a number.

    Returns
    -------
    float or Undefined
        The average.

    Raises
    ------
    MetricError
        The average, or `undefined`, is not known.

    Examples
    --------
    >>> import assay
    >>> from assay.metrics import Classes, recall
    >>> table = assay.Confusion.of(assay.rows(actual=[0, 0, 1, 2], predicted=[0, 1, 1, 2]))
    >>> averaged(recall, Classes.of(table).against_rest(), "macro", {}, names=table.labels)
    0.8333333333333334
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
    check_average(average, undefined)
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
    else:
        values[missing] = undefined
    counted = weights > 0
    if not counted.any():
        return Undefined(f"no {unit} has a value")
    return float(np.average(values[counted], weights=weights[counted]))


def average_tables(values: Any, rows: Any, average: str, undefined: Any = "strict") -> Any:
    """Return the mean over classes, the last axis, for each of many tables; NaN where there is none.

    As :func:`over_classes` has it for one table.

    >>> average_tables([[0.5, 1.0], [np.nan, 1.0]], [[3, 1], [0, 4]], "macro")
    array([0.75,  nan])
    >>> average_tables([[0.5, 1.0], [np.nan, 1.0]], [[3, 1], [0, 4]], "weighted")
    array([0.625, 1.   ])
    """
    check_average(average, undefined)
    weights = np.array(rows, dtype=np.float64)
    values = np.array(np.broadcast_to(values, weights.shape), dtype=np.float64)
    if average == "macro":
        weights[:] = 1.0
    missing = np.isnan(values) & (weights > 0)
    if undefined not in ("strict", "skip"):
        values[missing] = undefined
        missing[:] = False
    if undefined == "skip":
        weights[missing] = 0.0
        missing[:] = False
    totals = weights.sum(-1)
    sums = np.where(weights > 0, values * weights, 0.0).sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(missing.any(-1) | (totals == 0), np.nan, sums / totals)


def check_average(average: str, undefined: Any) -> None:
    """Raise where an average over classes, or what it does with undefined values, is not known."""
    if average not in ("macro", "weighted"):
        raise MetricError(f'average={average!r} is not known: use "macro", "micro" or "weighted".')
    if undefined not in ("strict", "skip") and not isinstance(undefined, (int, float)):
        raise MetricError(f'undefined={undefined!r} is not known: use "strict", "skip" or a number.')


def _values(metric: Metric, classes: Binary, parameters: dict[str, Any]) -> Any:
    values = metric.formula(classes, **parameters)
    return np.array(np.broadcast_to(values, np.shape(classes.tp)), dtype=np.float64)


def _reason(value: Value) -> str:
    return value.reason if isinstance(value, Undefined) else ""
