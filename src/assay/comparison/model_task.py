"""The task of compared models, and their rows as it reads them: inferred as an evaluation infers it.

Rows of all models together decide, for predictions of one model may be whole by chance.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.comparison.evaluated_models import evaluation_task
from assay.errors import InputError
from assay.evaluation.default_metrics import default_metrics
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.from_counts import decide_table
from assay.evaluation.infer_task import TaskDecision, decide_task, prepare_rows, stated_task
from assay.evaluation.score_columns import predict_at_threshold
from assay.evaluation.task import Task, TaskRequest
from assay.evaluation.validation import check_task, refuse_metrics_without_columns, refuse_no_rows
from assay.hints import param
from assay.inputs import Column, Rows
from assay.tallies import (
    ClassScores,
    Collection,
    ColumnProfile,
    ColumnTallies,
    Confusion,
    LabelSets,
    Moments,
    Queries,
    Scores,
    merge,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.task import TaskName
    from assay.inference.differences.pairing import Models
    from assay.metrics.spec import MetricSpec
    from assay.tallies import Tally

__all__ = ["default_names", "infer_models_task", "prepare_for_metrics"]

# Tallies of one task each; counts of labels are of several.
_TASKS: dict[type[Tally], TaskName] = {
    Queries: "ranking", ClassScores: "multiclass", Scores: "binary", Moments: "regression",
    LabelSets: "multilabel",
}  # fmt: skip


def infer_models_task(
    models: Models, inputs: Sequence[Any], task_name: TaskName | None, positive: Any
) -> tuple[Task | None, Models]:
    """Return the task of compared models, None where tallies tell none, and the models as it reads them.

    `inputs` are the models as the caller passed them: an evaluation has its task already.
    """
    check_task(task_name)
    evaluations = [model for model in inputs if isinstance(model, Evaluation)]
    if evaluations:
        return _evaluated_task(models, evaluations, task_name, positive)
    data = models.data
    rows = [each for each in data if isinstance(each, Rows)]
    if positive is not None and any(isinstance(model, Rows) for model in inputs):
        raise InputError(
            "rows have their roles, labels and positive label already: pass them to assay.rows()."
        )
    if len(rows) == len(data):
        task, read = _rows_task(rows, task_name)
        return task, dataclasses.replace(models, data=tuple(read))
    if all(isinstance(tally, Confusion) for tally in data):
        decision = decide_table(merge(data), positive, task_name)
        if models.joint_tally is not None:  # its labels stay as they are, several beside a positive one too
            task = decision.task
            return dataclasses.replace(task, positive=task.positive if positive is None else positive), models
        tallies = tuple(decision.tallies({"confusion": tally})["confusion"] for tally in data)
        return decision.task, dataclasses.replace(models, data=tallies)
    return _tally_task(data[0], task_name, positive), models


def _evaluated_task(
    models: Models, evaluations: list[Evaluation], task_name: str | None, positive: Any
) -> tuple[Task | None, Models]:
    """Return the task of evaluations, and the models, of which rows beside evaluations are read alike."""
    for name, value in (("task", task_name), ("positive", positive)):
        if value is not None:
            raise InputError(
                f"evaluations have their task and positive label already: leave {param(name)} out."
            )
    task = evaluations[0].task
    if any(evaluation.task.name != task.name for evaluation in evaluations):
        return None, models  # metrics that both have can be compared all the same
    known = {id(evaluation.rows) for evaluation in evaluations}
    read = []
    for data in models.data:
        if isinstance(data, Rows) and id(data) not in known:
            read += _rows_task([data], task.name)[1]
        else:
            read.append(data)
    return task, dataclasses.replace(models, data=tuple(read))


def _rows_task(models: Sequence[Rows], task_name: str | None) -> tuple[Task, list[Rows]]:
    """Return the task of the models' rows, decided by all of them together, and the rows as it reads them."""
    refuse_no_rows(min(rows.n for rows in models))
    requests = [TaskRequest.of(rows, task_name, None) for rows in models]
    stated = [stated_task(request) for request in requests]
    if stated[0] is not None:
        decided = TaskDecision(stated[0])
        return stated[0], [decided.rows(rows) for rows in models]
    prepared = [prepare_rows(rows, request) for rows, request in zip(models, requests, strict=True)]
    profiles = [ColumnProfile.of(rows) for rows in prepared]
    joint = merge(profiles)
    # A message quotes the rows of a model that shows what it is about.
    kinds = [profile.predicted.kind for profile in profiles]
    index = kinds.index(joint.predicted.kind) if joint.predicted.kind in kinds else 0
    decision = decide_task(joint, requests[index], prepared[index])
    return decision.task, [decision.rows(rows) for rows in prepared]


def _tally_task(data: Any, task_name: TaskName | None, positive: Any) -> Task | None:
    """Return the task of a tally, None where it may be of several."""
    if isinstance(data, Collection):
        tasks = (_tally_task(tally, task_name, positive) for tally in data.tallies)
        return next((task for task in tasks if task is not None), None)
    if isinstance(data, Confusion):
        return decide_table(data, positive, task_name).task
    known = next((name for kind, name in _TASKS.items() if isinstance(data, kind)), None)
    if isinstance(data, ColumnTallies):
        known = "multilabel" if isinstance(data.tallies[0], Scores) else "multioutput"
    if known is None:
        return None if task_name is None else Task(task_name)
    if task_name not in (None, known) and (known, task_name) != ("multiclass", "ordinal"):
        raise InputError(
            f"a {type(data).__name__} tally is no {task_name} task: use {param('task', known)}, or leave it "
            "out."
        )
    label = getattr(data, "positive", None) if positive is None else positive
    return Task(task_name or known, positive=label if known == "binary" else None)


def default_names(task: Task | None, models: Models, inputs: Sequence[Any]) -> list[str]:
    """Return the names of the metrics that suit the task and what all models hold."""
    if task is None:
        evaluation_task(inputs)  # raises for evaluations of different tasks
        kind = type(models.data[0]).__name__
        raise InputError(f"say with {param('metrics')} what a {kind} is to be compared by.")
    contents = [
        _contents(data, model) for data, model in zip(models.data, _aligned(inputs, models), strict=True)
    ]
    labels, scores, probabilities = (all(column) for column in zip(*contents, strict=True))
    names = default_metrics(
        task.name, "comparison", labels=labels, scores=scores, probabilities=scores and probabilities
    )
    if not names:
        raise InputError(
            f"some models have only {param('predicted')}, others only {param('score')}: there is nothing to "
            "compare."
        )
    return names


def _aligned(inputs: Sequence[Any], models: Models) -> Sequence[Any]:
    """Return what the caller passed for each model; nothing of its own for models that are columns."""
    return inputs if len(inputs) == len(models.data) else [None] * len(models.data)


def _contents(data: Any, model: Any) -> tuple[bool, bool, bool]:
    """Return whether a model has predicted labels, scores, and scores that are probabilities."""
    if isinstance(data, Rows) and data.multioutput:
        score = data.score
        return data.predicted is not None, score is not None, ColumnProfile.of(data).are_probabilities
    if isinstance(data, Rows):
        are_probabilities = data.score is not None and _are_probabilities(data, data.score)
        return data.predicted is not None, data.score is not None, are_probabilities
    tallies = data.tallies if isinstance(data, Collection) else (data,)
    scores = next((tally for tally in tallies if isinstance(tally, Scores)), None)
    has_scores = scores is not None or any(
        isinstance(tally, (ClassScores, ColumnTallies)) for tally in tallies
    )
    values = np.empty(0) if scores is None else scores.scores
    are_probabilities = bool(len(values)) and values[0] >= 0 and bool(values[-1] <= 1)
    if isinstance(model, Evaluation):
        has_scores, are_probabilities = has_scores or model.binned is not None, model.are_probabilities
    has_labels = any(isinstance(tally, (Confusion, LabelSets)) for tally in tallies)
    return has_labels, has_scores, are_probabilities


def _are_probabilities(rows: Rows, score: Column) -> bool:
    if score.values.ndim > 1:
        return ColumnProfile.of(dataclasses.replace(rows, actual=None, predicted=None)).probabilities
    values = score.complete_numbers("scores")
    return bool(len(values) and values.min() >= 0 and values.max() <= 1)


def prepare_for_metrics(models: Models, specs: Sequence[MetricSpec], task: Task | None) -> Models:
    """Return the models with scores cut at the task's threshold, where a metric of labels needs it.

    Raise where a metric does not fit the task or the columns.
    """
    if task is None:
        return models
    refuse_metrics_without_columns(specs, task, *(data for data in models.data if isinstance(data, Rows)))
    if task.threshold is None or task.name == "multilabel" or all(spec.needs != "labels" for spec in specs):
        return models
    read = (predict_at_threshold(data, task) if isinstance(data, Rows) else data for data in models.data)
    return dataclasses.replace(models, data=tuple(read))
