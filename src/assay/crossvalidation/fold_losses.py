"""Losses of single rows, for metrics that are their mean: used by .632 and nested cross-validation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.inference.influence.row_contributions import row_contributions
from assay.inputs import encode
from assay.metrics import Undefined
from assay.resampling.error_estimators import no_information_rate, no_information_squared_error
from assay.tallies.loss_arguments import (
    evaluate_in_blocks,
    loss_argument,
    own_parameters,
    positional_parameters,
    row_values,
)

if TYPE_CHECKING:
    from assay.inputs import Rows
    from assay.inputs.columns import Array
    from assay.metrics import Value
    from assay.metrics.spec import MetricSpec

__all__ = ["no_information_value", "row_losses"]

_UNKNOWN = Undefined("its no-information value is not known")
_RANDOM_AUC = 0.5


def row_losses(spec: MetricSpec, rows: Rows) -> Array:
    """Return the values of single rows whose mean the metric is.

    >>> import assay
    >>> from assay.metrics.spec import MetricSpec
    >>> row_losses(MetricSpec.of("accuracy"), assay.rows(actual=["a", "b"], predicted=["a", "a"]))
    array([1., 0.])
    """
    metric = spec.metric
    if rows.multioutput:
        values = row_contributions(metric, rows, spec.options)
        if values is None:
            raise MetricError(f"{spec.name} is no mean over rows.")
        return values
    if metric.loss is not None:
        own = {name: value for name, value in spec.options.items() if name in metric.loss_parameters}
        return row_values(rows, metric.loss, own)[0]
    if metric.name in ("accuracy", "error_rate"):
        correct = _correct(rows)
        return correct.astype(np.float64) if metric.name == "accuracy" else 1.0 - correct
    errors = loss_argument(rows, "actual", metric.name) - loss_argument(rows, "predicted", metric.name)
    by_metric: dict[str, Array] = {"mae": np.abs(errors), "mse": errors**2, "mean_error": errors}
    return by_metric[metric.name]


def _correct(rows: Rows) -> Array:
    sides = [encode(rows.need(role, "accuracy")) for role in ("actual", "predicted")]
    actual, predicted = (np.array(labels, dtype=object)[codes] for codes, labels in sides)
    return np.asarray(actual == predicted, dtype=bool)


def no_information_value(spec: MetricSpec, rows: Rows) -> Value:
    """Return the expected metric if the same predictions were assigned to the rows at random.

    >>> import assay
    >>> from assay.metrics.spec import MetricSpec
    >>> no_information_value(MetricSpec.of("brier"), assay.rows(actual=[0, 1], score=[0.0, 1.0], positive=1))
    0.5
    """
    metric = spec.metric
    if rows.multioutput:
        return _UNKNOWN
    if metric.name == "auc":
        return _RANDOM_AUC
    if metric.name in ("accuracy", "error_rate"):
        rate = no_information_rate(rows.actual, rows.predicted)
        return 1 - rate if metric.name == "accuracy" else rate
    if metric.name == "mse":
        return no_information_squared_error(rows.actual, rows.predicted)
    if metric.loss is None or metric.kind != "mean":
        return _UNKNOWN
    names = positional_parameters(metric.loss)
    truth = next((role for role in ("positive", "codes") if role in names), None)
    if truth is None:
        return _UNKNOWN
    own, _ = own_parameters(
        metric.loss, {name: value for name, value in spec.options.items() if name in metric.loss_parameters}
    )
    columns: dict[str, Any] = {role: loss_argument(rows, role, metric.name) for role in names}
    total = []
    for value, count in zip(*np.unique(columns[truth], return_counts=True), strict=True):
        swapped = [np.full_like(columns[truth], value) if role == truth else columns[role] for role in names]
        values = evaluate_in_blocks(metric.loss, swapped, own)
        total.append(count / len(rows) * float(values.mean()))
    return math.fsum(total) if all(map(math.isfinite, total)) else math.inf
