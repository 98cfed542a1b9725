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

_TASKS: Final = ("binary", "multiclass", "ordinal", "multilabel", "regression", "multioutput")
_ROLES: Final = {"actual": "y", "predicted": "y"}


def infer_task(
    model: Any, actual: Column, task: str | None, positive: Label | None, labels: Labels | None = None
) -> TaskDecision:
    """Return the task: as :func:`assay.evaluate` would infer it from such a target and predictions alike.

    What a classifier predicts are labels, also where they are whole numbers; what a regressor predicts are
    numbers. `labels` are all classes, where they are declared, or the names of a target's several columns.
    """
    if task == "ranking":
        raise InputError(f"{param('task', task)} is not cross-validated here: use {shown(_TASKS)}.")
    if actual.values.ndim > 1:
        return _multioutput_task(model, actual, labels or (), task, positive)
    kind = None if actual.labels is not None or actual.values.dtype.kind == "b" else model_kind(model)
    if task is None and kind == "regressor":
        task = "regression"
    if positive is not None:
        positive = plain_label(positive)
    if labels is None and task is None and kind == "classifier":
        labels = encode(actual)[1]
        refuse_single_class("y", labels)
    request = TaskRequest(task, labels=labels, positive=positive, names=_ROLES, actual=actual)
    stated = stated_task(request)
    if stated is not None:
        actual.numbers("numbers")  # raises for text
        return TaskDecision(stated)
    rows = Rows(len(actual.values), actual=actual, predicted=actual, labels=labels)
    return decide_task(ColumnProfile.of(rows), request, rows)


def _multioutput_task(
    model: Any, actual: Column, names: Labels, task: str | None, positive: Label | None
) -> TaskDecision:
    """Return the task of a target with several columns: labels, several a row, or outputs."""
    if task is None and model_kind(model) == "regressor":
        task = "regression"
    request = TaskRequest(task, labels=names, positive=positive, names=_ROLES, outputs=len(names))
    rows = Rows(len(actual), actual=actual, predicted=actual, labels=names)
    stated = stated_task(request)
    decision = decide_task(ColumnProfile.of(rows), request, rows) if stated is None else TaskDecision(stated)
    decision.rows(rows)  # raises for labels that are neither 0 nor 1
    return decision
