"""Score columns of several classes: the positive one of two, the predictions they imply, their task."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError, LabelError, shown
from assay.evaluation.task import Task, two_classes
from assay.hints import param
from assay.inputs import Column, column

if TYPE_CHECKING:
    from assay.evaluation.task import TaskRequest
    from assay.inputs import Label, Labels, Rows

__all__ = [
    "class_scores_task",
    "positive_column",
    "predict_at_threshold",
    "predict_highest",
    "take_positive_column",
]

_PAIRS = ({0, 1}, {-1, 1})


def positive_column(
    labels: Labels, positive: Label | None, task_name: str | None
) -> tuple[int, Label] | None:
    """Return the index and label of the positive class's score column of two; None to use all columns.

    Many models give two columns for two classes.
    """
    if len(labels) != 2 or task_name not in (None, "binary"):  # noqa: PLR2004 - two classes
        if positive is not None or task_name == "binary":
            inferred = (
                f"{param('positive')} names one class"
                if positive is not None
                else f"{param('task', 'binary')} has two"
            )
            raise InputError(
                f"{param('score')} has a column for each of {len(labels)} classes, but {inferred}: pass "
                "the positive "
                "class's column alone, or leave it out to evaluate all classes alike."
            )
        return None
    if positive is None:
        if set(labels) not in _PAIRS:
            raise LabelError(
                f"the labels are {shown(labels)}: say which one is positive with {param('positive')}, "
                f"or evaluate both alike with {param('task', 'multiclass')}."
            )
        positive = max(labels)
    return labels.index(positive), positive


def take_positive_column(rows: Rows, task_name: str | None) -> tuple[Rows, str | None]:
    """Return rows with the positive class's score column of two, and the task; other rows unchanged."""
    score = rows.score
    assert score is not None  # noqa: S101 - checked before
    choice = positive_column(rows.labels or (), rows.positive, task_name)
    if choice is None:
        return rows, task_name
    positive_scores = Column(
        score.name, np.ascontiguousarray(score.values[:, choice[0]]), None, None, score.origin, score.place
    )
    return dataclasses.replace(rows, score=positive_scores), "binary"


def predict_highest(rows: Rows) -> Rows:
    """Return rows with predictions; where there are none, the class of the highest score is predicted."""
    labels, score = rows.labels or (), rows.score
    assert score is not None  # noqa: S101 - checked before
    if rows.predicted is not None:
        return rows
    predicted = column(np.array(labels)[score.values.argmax(axis=1)], "highest score")
    predicted = dataclasses.replace(predicted, origin=score.origin, place=score.place)
    return dataclasses.replace(rows, predicted=predicted)


def predict_at_threshold(rows: Rows, task: Task) -> Rows:
    """Return rows with predictions; where there are none, scores at or above the threshold are positive."""
    if task.threshold is None or rows.predicted is not None:
        return rows
    score = rows.need("score", "an evaluation")
    above = score.numbers("scores") >= np.float64(task.threshold)
    return dataclasses.replace(rows, predicted=two_classes(score, above, task.labels))


def class_scores_task(request: TaskRequest, *, probabilities: bool) -> Task:
    """Return the task of one score column per class; without predictions, the highest score predicts."""
    task_name, labels = request.task, request.labels or ()
    if task_name in ("regression", "multilabel"):
        raise InputError(
            f"{param('score')} has one column per class, which is no {task_name} task: use "
            f"{param('task', 'multiclass')}."
        )
    inferred: tuple[str, ...] = () if task_name else ("scores of each class",)
    if "predicted" not in request.names:
        inferred += ("the highest predicts, of equal ones the first",)
    ordered = "ordinal" if task_name == "ordinal" else "multiclass"
    return Task(ordered, labels, inferred=inferred, probabilities=probabilities)  # type: ignore[arg-type]
