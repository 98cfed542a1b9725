"""The task of a cross-validation: decided as an evaluation decides it, from the target and the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.crossvalidation.model_adapter import model_kind
from assay.errors import InputError, shown
from assay.evaluation.infer_task import TaskDecision, decide_task, stated_task
from assay.evaluation.task import TaskRequest
from assay.evaluation.validation import refuse_single_class
from assay.hints import param
from assay.inputs import encode
from assay.inputs.labels import plain_label
from assay.inputs.roles import Rows
from assay.tallies import ColumnProfile

if TYPE_CHECKING:
    from typing import Any

    from assay.inputs import Column, Label, Labels

__all__ = ["infer_task"]

_TASKS: Final = ("binary", "multiclass", "ordinal", "regression")


def infer_task(
    model: Any, actual: Column, task: str | None, positive: Label | None, labels: Labels | None = None
) -> TaskDecision:
    """Return the task: as :func:`assay.evaluate` would infer it from such a target and predictions alike.

    What a classifier predicts are labels, also where they are whole numbers; what a regressor predicts are
    numbers. `labels` are all classes, where they are declared.
    """
    if task is not None and task in ("multilabel", "ranking"):
        raise InputError(f"{param('task', task)} is not cross-validated here: use {shown(_TASKS)}.")
    kind = None if actual.labels is not None or actual.values.dtype.kind == "b" else model_kind(model)
    if task is None and kind == "regressor":
        task = "regression"
    if positive is not None:
        positive = plain_label(positive)
    if labels is None and task is None and kind == "classifier":
        labels = encode(actual)[1]
        refuse_single_class("y", labels)
    names = {"actual": "y", "predicted": "y"}
    request = TaskRequest(task, labels=labels, positive=positive, names=names)
    stated = stated_task(request)
    if stated is not None:
        actual.numbers("numbers")  # raises for text
        return TaskDecision(stated)
    rows = Rows(len(actual), actual=actual, predicted=actual, labels=labels)
    return decide_task(ColumnProfile.of(rows), request, rows)
