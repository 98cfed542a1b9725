"""Differences of models that were evaluated with few labels and many proxies."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.evaluation.proxy.powered_evaluation import PoweredEvaluation, row_influence_of
from assay.formatting.numbers import count_of
from assay.inference.differences.compare_models import ComparisonTable, comparison_name, correct_differences
from assay.inference.distributions import student_p, student_quantile
from assay.metrics import Undefined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.inference.differences.difference import Difference
    from assay.metrics.spec import MetricSpec

__all__ = ["power_differences", "powered_models"]

_MIN_DIFFERING = 20  # labelled rows on which two models differ: fewer make the interval too short
_METHOD = "prediction-powered"


def powered_models(models: Sequence[Any], names: Sequence[str]) -> dict[str, PoweredEvaluation]:
    """Return the models that were evaluated with a proxy by name: all of them, or none."""
    powered = {name: model for name, model in zip(names, models, strict=False)
             if isinstance(model, PoweredEvaluation)}  # fmt: skip
    if powered and len(powered) < len(names):
        raise InputError("some models were evaluated with a proxy and others without: evaluate all alike.")
    return powered


def power_differences(
    models: Mapping[str, PoweredEvaluation],
    specs: Sequence[MetricSpec],
    table: ComparisonTable,
    correction: Any,
    *,
    paired: bool,
) -> ComparisonTable:
    """Return the differences of the labelled rows with those that the proxies make more precise.

    Each difference of paired rows has its own tuning; of different rows it is that of two estimates. Without
    models the table is as it was.
    """
    if not models:
        return table
    first, *others = models.values()
    if paired and any(
        model.total != first.total or not np.array_equal(model.labelled_numbers(), first.labelled_numbers())
        for model in others
    ):
        raise InputError("the models were evaluated on different rows: compare them on the same ones.")
    by_name = {comparison_name(spec): spec for spec in specs}
    power = _powered if paired else _independent
    differences = [
        power(item, by_name[item.metric], models[item.first], models[item.second])
        for item in table.differences
    ]
    return ComparisonTable(*correct_differences(differences, correction, table.overall))


def _independent(
    item: Difference, spec: MetricSpec, first: PoweredEvaluation, second: PoweredEvaluation
) -> Difference:
    """Return the difference of two models of different rows: each estimate by itself, whose variances add."""
    pair = [model.estimate(spec, confidence=item.confidence) for model in (first, second)]
    errors = [estimate.standard_error for estimate in pair]
    if not any(getattr(estimate, "powered", False) for estimate in pair):
        return _noted(item, "labels alone: the proxies say too little")
    if any(isinstance(estimate.value, Undefined) for estimate in pair) or None in errors:
        return _noted(item, "labels alone: one of the models has no error")
    alone = [getattr(estimate, "labels_alone", estimate) for estimate in pair]
    sizes = [(estimate.groups or estimate.n) - 1 for estimate in alone]
    variances = [float(error or 0.0) ** 2 for error in errors]
    if not sum(variances) > 0:
        return _noted(item, "labels alone: the labelled rows do not vary")
    # Welch and Satterthwaite's, as of two means.
    df = sum(variances) ** 2 / sum(
        variance**2 / max(n, 1) for variance, n in zip(variances, sizes, strict=True)
    )
    values = float(pair[0].value), float(pair[1].value)
    value, error = values[1] - values[0], math.sqrt(sum(variances))
    half = student_quantile(item.confidence, df) * error
    return dataclasses.replace(
        item, values=values, difference=value, low=value - half, high=value + half,
        p_value=student_p(value / error, df), method=_METHOD, test="t", standard_error=error, margin=None,
        adjusted=None,
    )  # fmt: skip


def _powered(
    item: Difference, spec: MetricSpec, first: PoweredEvaluation, second: PoweredEvaluation
) -> Difference:
    """Return a difference by prediction-powered inference, or as it is with the reason."""
    if isinstance(item.difference, Undefined):
        return item
    values = (
        first.estimate(spec, confidence=item.confidence).value,
        second.estimate(spec, confidence=item.confidence).value,
    )
    differing = _differing(first, second)
    if differing < _MIN_DIFFERING:
        rows = count_of(differing, "labelled row")
        return _noted(item, f"labels alone: the models differ on {rows}")
    humans = [row_influence_of(ev, spec.metric, spec.options) for ev in (first, second)]
    proxies = [ev.proxy_influences(spec.metric, spec.options) for ev in (first, second)]
    if any(part is None for part in (*humans, *proxies[0], *proxies[1])):
        return _noted(item, "labels alone: the metric has no influence of single rows")
    human = humans[1].minus(humans[0])  # type: ignore[union-attr,arg-type]
    gaps = [b.minus(a) for a, b in zip(*proxies, strict=True) if a is not None and b is not None]
    added = first.combine(spec.metric, human, gaps)
    if added is None or not added.error > 0 or not math.isfinite(added.error):
        return _noted(item, "labels alone: the proxy does not tell the models apart")
    value, df = human.value + added.shift, max(added.df, 1.0)
    half = student_quantile(item.confidence, df) * added.error
    return dataclasses.replace(
        item, values=values, difference=value, low=value - half, high=value + half,
        p_value=student_p(value / added.error, df), method=_METHOD, test="t", standard_error=added.error,
        margin=None, adjusted=None,
    )  # fmt: skip


def _noted(item: Difference, note: str) -> Difference:
    return dataclasses.replace(item, note="; ".join(filter(None, [item.note, note])), adjusted=None)


def _differing(first: PoweredEvaluation, second: PoweredEvaluation) -> int:
    """Return on how many labelled rows two models' predictions, or scores, differ."""
    rows = first.rows, second.rows
    if rows[0] is None or rows[1] is None:
        return 0
    for role in ("predicted", "score"):
        columns = [getattr(side, role) for side in rows]
        if all(column is not None for column in columns):
            values = [
                column.values if column.labels is None else np.array(column.labels, object)[column.values]
                for column in columns
            ]
            return int(np.count_nonzero(values[0] != values[1]))
    return 0
