"""Losses row by row, for the figures that are their mean: what .632 and nested intervals are made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inputs import encode
from assay.metrics import Undefined
from assay.resampling.error_estimators import no_information_rate, no_information_squared_error
from assay.tallies.loss_arguments import asked_for, evaluated, numbers, own_parameters, row_values

if TYPE_CHECKING:
    from assay.crossvalidation.fold_metrics import Figure
    from assay.inputs import Rows
    from assay.inputs.columns import Array
    from assay.metrics import Value

__all__ = ["losses", "no_information"]

_UNKNOWN = Undefined("what a model that knows nothing would have is not known for it")
_CHANCE = 0.5  # the area under the curve of a model that knows nothing


def losses(figure: Figure, rows: Rows) -> Array:
    """Return the value of every row whose mean the figure is.

    >>> import assay
    >>> from assay.crossvalidation.fold_metrics import Figure
    >>> losses(Figure.of("accuracy", None), assay.rows(actual=["a", "b"], predicted=["a", "a"]))
    array([1., 0.])
    """
    metric = figure.metric
    if metric.loss is not None:
        own = {name: value for name, value in figure.options.items() if name in metric.loss_parameters}
        return row_values(rows, metric.loss, own)[0]
    if metric.name in ("accuracy", "error_rate"):
        right = _right(rows)
        return right.astype(np.float64) if metric.name == "accuracy" else 1.0 - right
    errors = numbers(rows, "actual", metric.name) - numbers(rows, "predicted", metric.name)
    found: Array = {"mae": np.abs(errors), "mse": errors**2, "mean_error": errors}[metric.name]
    return found


def _right(rows: Rows) -> Array:
    sides = [encode(rows.need(role, "accuracy")) for role in ("actual", "predicted")]
    actual, predicted = (np.array(labels, dtype=object)[codes] for codes, labels in sides)
    return np.asarray(actual == predicted, dtype=bool)


def no_information(figure: Figure, rows: Rows) -> Value:
    """Return what the figure would be if the same predictions had been dealt out to the rows at random.

    >>> import assay
    >>> from assay.crossvalidation.fold_metrics import Figure
    >>> no_information(Figure.of("brier", 1), assay.rows(actual=[0, 1], score=[0.0, 1.0], positive=1))
    0.5
    """
    metric = figure.metric
    if metric.name == "auc":
        return _CHANCE
    if metric.name in ("accuracy", "error_rate"):
        rate = no_information_rate(rows.actual, rows.predicted)
        return 1 - rate if metric.name == "accuracy" else rate
    if metric.name == "mse":
        return no_information_squared_error(rows.actual, rows.predicted)
    if metric.loss is None or metric.kind != "mean":
        return _UNKNOWN
    asked = asked_for(metric.loss)
    truth = next((role for role in ("positive", "codes") if role in asked), None)
    if truth is None:
        return _UNKNOWN
    own, _ = own_parameters(
        metric.loss, {name: value for name, value in figure.options.items() if name in metric.loss_parameters}
    )
    columns: dict[str, Any] = {role: numbers(rows, role, metric.name) for role in asked}
    total = []
    for value, count in zip(*np.unique(columns[truth], return_counts=True), strict=True):
        swapped = [np.full_like(columns[truth], value) if role == truth else columns[role] for role in asked]
        found = evaluated(metric.loss, swapped, own)
        total.append(count / len(rows) * float(found.mean()))
    return math.fsum(total) if all(map(math.isfinite, total)) else math.inf
