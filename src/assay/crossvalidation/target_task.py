"""The task of a cross-validation: decided as an evaluation decides it, from the target and the model."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from assay.crossvalidation.model_adapter import model_kind
from assay.errors import InputError, LabelError, shown
from assay.evaluation.infer_task import decide_task, stated_task
from assay.evaluation.task import Task, TaskRequest
from assay.hints import param
from assay.inputs import encode
from assay.inputs.labels import plain_label
from assay.inputs.roles import Rows
from assay.tallies import ColumnProfile

if TYPE_CHECKING:
    from typing import Any

    from assay.inputs import Column, Label

__all__ = ["infer_task"]

_TASKS: Final = ("binary", "multiclass", "ordinal", "regression")
_TWO: Final = 2
_NO_CLASSES: Final = "positive= is for classes, but y is taken for measured quantities."


def infer_task(model: Any, actual: Column, task: str | None, positive: Label | None) -> Task:
    """Return the task: as :func:`assay.evaluate` would infer it from such a target and predictions alike.

    What a classifier predicts are labels, also where they are whole numbers; what a regressor predicts are
    numbers. Its ``labels`` are all classes of the target, also where one of several is positive.
    """
    if task is not None and task in ("multilabel", "ranking"):
        raise InputError(f"{param('task', task)} is not cross-validated here: use {shown(_TASKS)}.")
    kind = None if actual.labels is not None or actual.values.dtype.kind == "b" else model_kind(model)
    if task is None and kind == "regressor":
        task = "regression"
    if positive is not None:
        positive = plain_label(positive)
    labels = encode(actual)[1] if task is None and kind == "classifier" else None
    names = {"actual": "y", "predicted": "y"}
    request = TaskRequest(task, labels=labels, positive=positive, names=names)
    decided = stated_task(request)
    if decided is not None:
        if positive is not None:
            raise InputError(_NO_CLASSES)
        actual.numbers("numbers")  # raises for text
        return decided
    rows = Rows(len(actual), actual=actual, predicted=actual)
    profile = ColumnProfile.of(rows)
    classes = profile.actual.labels
    if len(classes) == 1:
        raise LabelError(f"y holds {shown(classes)} only: there is nothing to tell apart.")
    return _with_all_classes(decide_task(profile, request, rows).task, actual, task, positive)


def _with_all_classes(decided: Task, actual: Column, task: str | None, positive: Label | None) -> Task:
    """Return the task with all classes of the target, since a model learns every one of them."""
    if decided.name == "regression":
        if positive is not None:
            raise InputError(_NO_CLASSES)
        return decided
    labels = encode(actual)[1]
    if task == "binary" and len(labels) > _TWO:
        raise LabelError(f"{param('task', 'binary')}, but y holds {len(labels)} classes: {shown(labels)}.")
    if decided.name == "binary" and len(labels) > _TWO:  # one of several classes is positive
        return dataclasses.replace(decided, name="multiclass", labels=labels, positive=positive)
    return dataclasses.replace(decided, labels=labels)
