"""What evaluations bring to a comparison: rows or tallies, names, task and settings.

Models that are no :class:`~assay.Evaluation` state nothing but their rows or tallies.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.evaluation.evaluation import Evaluation
from assay.hints import hint, param
from assay.inputs import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.metrics import Metric
    from assay.metrics.spec import MetricSpec

__all__ = ["are_matched", "evaluation_task", "model_data", "model_names", "with_evaluation_settings"]

# Settings of an evaluation that are options of metrics of the same name.
_SETTINGS = ("cost_fp", "cost_fn", "beta", "prevalence", "k", "empty")


def model_data(models: Sequence[Any]) -> list[Any]:
    """Return each model's rows or tallies; where one evaluation has lost its rows, the tallies of all.

    An evaluation that was saved, scanned or merged keeps tallies alone, which hold no pairs of rows, unless
    the actual values tell which rows are the same.
    """
    evaluations = [model for model in models if isinstance(model, Evaluation)]
    tallies_only = any(evaluation.rows is None for evaluation in evaluations)
    if tallies_only and (matched := _rows_by_actual(models)) is not None:
        return matched
    return [
        model.tallies if tallies_only and isinstance(model, Evaluation) else _rows_of(model)
        for model in models
    ]


def are_matched(models: Sequence[Any], data: Sequence[Any]) -> bool:
    """Tell whether rows of saved evaluations were matched by their actual values."""
    saved = any(isinstance(model, Evaluation) and model.rows is None for model in models)
    return saved and all(isinstance(each, Rows) for each in data)


def _rows_by_actual(models: Sequence[Any]) -> list[Any] | None:
    """Return the rows of regressions in the order of their actual values, where no two are the same.

    Two evaluations of the same measured quantities, all different, are of the same rows. Where labels are
    predicted, or a value occurs twice, or rows are too many to be stored, nothing tells the rows apart.
    """
    rows = [
        model.stored_rows if isinstance(model, Evaluation) and model.task.name == "regression" else None
        for model in models
    ]
    actual = [None if each is None or each.origin is not None else each.actual for each in rows]
    if any(column is None for column in actual):
        return None
    first, *others = (column.values for column in actual if column is not None)
    distinct = len(np.unique(first)) == len(first)
    same = all(np.array_equal(first, values) for values in others)  # stored rows are sorted
    return rows if distinct and same else None


def _rows_of(model: Any) -> Any:
    """Return the rows of an evaluation, or of any object that keeps some; anything else as it is."""
    rows = getattr(model, "rows", None)
    return rows if isinstance(rows, Rows) else model


def model_names(models: Sequence[Any]) -> list[str]:
    """Return the names that evaluations were given, empty where there is none."""
    return [str(model.settings.name) if isinstance(model, Evaluation) else "" for model in models]


def evaluation_task(models: Sequence[Any]) -> str | None:
    """Return the task of the evaluations, None where there are none; raise where they are of several."""
    names = list(dict.fromkeys(str(model.task.name) for model in models if isinstance(model, Evaluation)))
    if len(names) > 1:
        raise InputError(
            f"the evaluations are of different problems, {' and '.join(names)}: evaluate the models alike, "
            f"or name with {param('metrics')} what both have."
        )
    return names[0] if names else None


def with_evaluation_settings(spec: MetricSpec, models: Sequence[Any], names: Sequence[str]) -> MetricSpec:
    """Return a metric with the options that evaluations state: costs, beta, prevalence, depth of lists.

    Raise where they state different ones, for then the metric is not the same.
    """
    stated = _evaluation_settings(spec.metric, models, names)
    return dataclasses.replace(spec, options=stated | spec.options) if stated else spec


def _evaluation_settings(metric: Metric, models: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    by_model: dict[str, dict[str, Any]] = {}
    for model, name in zip(models, names, strict=False):
        if isinstance(model, Evaluation):
            settings = {key: getattr(model.settings, key) for key in _SETTINGS} | model.settings.costs
            by_model[name] = {key: settings[key] for key in _SETTINGS if key in metric.options}
    if not by_model:
        return {}
    first, first_options = next(iter(by_model.items()))
    for name, options in by_model.items():
        if options != first_options:
            words = ", ".join(f"{key!r}: ..." for key in options)
            stated = hint(f"metrics=({metric.name!r}, {{{words}}})", f"--metrics {metric.name}(...)")
            raise InputError(
                f"{metric.name} of {first} was evaluated with {_options_text(first_options)}, that of {name} "
                f"with {_options_text(options)}: evaluate both alike, or state what to compare by, as in "
                f"{stated}."
            )
    return {key: value for key, value in first_options.items() if value is not None}


def _options_text(options: dict[str, Any]) -> str:
    stated = [f"{key}={value}" for key, value in options.items() if value is not None]
    return " and ".join(stated) or f"no {' or '.join(options)}"
