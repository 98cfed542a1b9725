"""Scores of several classes side by side: two that are one, the predictions they imply, and their kind."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError, LabelError, shown
from assay.evaluation.task import Task
from assay.inputs import Column, column

if TYPE_CHECKING:
    from assay.evaluation.task import TaskRequest
    from assay.inputs import Label, Labels, Rows

__all__ = ["chosen_column", "highest_predicted", "of_class_scores", "one_of_two"]

_PAIRS = ({0, 1}, {-1, 1})


def chosen_column(labels: Labels, positive: Label | None, task_name: str | None) -> tuple[int, Label] | None:
    """Return which of two columns of scores is the positive class's, and that class; None for all columns.

    Two columns are what many models give for two classes.
    """
    if len(labels) != 2 or task_name not in (None, "binary"):  # noqa: PLR2004 - two classes
        if positive is not None or task_name == "binary":
            said = "positive= names one class" if positive is not None else 'task="binary" has two'
            raise InputError(
                f"score= has a column for each of {len(labels)} classes, but {said}: pass the positive "
                "class's column alone, or leave it out to judge all classes alike."
            )
        return None
    if positive is None:
        if set(labels) not in _PAIRS:
            raise LabelError(
                f"the labels are {shown(labels)}: say which one is positive with positive=, "
                'or judge both alike with task="multiclass".'
            )
        positive = max(labels)
    return labels.index(positive), positive


def one_of_two(rows: Rows, task_name: str | None) -> tuple[Rows, str | None]:
    """Return rows whose two columns of scores are the positive class's, and the kind of problem then.

    Other rows are returned as they are.
    """
    score = rows.score
    assert score is not None  # noqa: S101 - seen to before
    found = chosen_column(rows.labels or (), rows.positive, task_name)
    if found is None:
        return rows, task_name
    chosen = Column(
        score.name, np.ascontiguousarray(score.values[:, found[0]]), None, None, score.origin, score.place
    )
    return dataclasses.replace(rows, score=chosen), "binary"


def highest_predicted(rows: Rows) -> Rows:
    """Return rows with predictions: without any, the class of the highest score is predicted."""
    labels, score = rows.labels or (), rows.score
    assert score is not None  # noqa: S101 - seen to before
    if rows.predicted is not None:
        return rows
    guess = column(np.array(labels)[score.values.argmax(axis=1)], "highest score")
    guess = dataclasses.replace(guess, origin=score.origin, place=score.place)
    return dataclasses.replace(rows, predicted=guess)


def of_class_scores(stated: TaskRequest, *, probabilities: bool) -> Task:
    """Return the problem of a column of scores per class; without predictions, the highest score predicts."""
    task_name, labels = stated.task, stated.labels or ()
    if task_name in ("regression", "multilabel"):
        raise InputError(
            f'score= has one column per class, which is no {task_name} task: use task="multiclass".'
        )
    said: tuple[str, ...] = () if task_name else ("scores of each class",)
    if "predicted" not in stated.names:
        said += ("the highest predicts, of equal ones the first",)
    ordered = "ordinal" if task_name == "ordinal" else "multiclass"
    return Task(ordered, labels, inferred=said, probabilities=probabilities)  # type: ignore[arg-type]
