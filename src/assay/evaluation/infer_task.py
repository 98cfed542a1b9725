"""Which problem rows pose: said by the caller, or inferred where it cannot be mistaken.

Rows in memory and rows that were scanned are judged alike, by their traits.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.errors import InputError, LabelError, shown
from assay.evaluation.score_columns import chosen_column, highest_predicted, of_class_scores, one_of_two
from assay.evaluation.task import Task, TaskName, TaskRequest, two_classes
from assay.evaluation.validation import (
    check_task,
    first_fraction,
    refuse_idle,
    refuse_labels_as_scores,
    refuse_swapped,
)
from assay.inputs import Column, Rows, encode, label_union
from assay.inputs.labels import positive_label
from assay.tallies import ColumnProfile, Confusion
from assay.tallies.column_profile import label_task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.inputs import Label, Labels
    from assay.tallies import Tally

__all__ = ["Task", "TaskDecision", "TaskName", "decide_task", "infer_task", "prepare_rows", "stated_task"]

_PAIRS = ({0, 1}, {-1, 1})


@dataclasses.dataclass(frozen=True)
class TaskDecision:
    """A problem, and how rows are read for it: one label against all others where they are several."""

    task: Task
    alone: Label | None = None  # the label that is set against the rest

    def rows(self, rows: Rows) -> Rows:
        """Return rows as the problem reads them."""
        task = self.task
        if self.alone is not None:
            rows = _against_rest(rows, self.alone, task.labels)
        return dataclasses.replace(rows, positive=task.positive) if task.name == "binary" else rows

    def tallies(self, tallies: Mapping[str, Tally]) -> dict[str, Tally]:
        """Return tallies of rows as they were, as those of the rows that the problem reads."""
        found = dict(tallies)
        if self.alone is None:
            return found
        for name, one in tallies.items():
            if isinstance(one, Confusion):
                found[name] = one.against_rest(self.alone)
            elif getattr(one, "positive", None) == self.alone:
                found[name] = dataclasses.replace(one, positive=self.task.positive)  # type: ignore[type-var]
        return found


def infer_task(rows: Rows, task_name: str | None = None, threshold: float | None = None) -> tuple[Task, Rows]:
    """Return the problem that rows pose, and the rows as that problem reads them.

    >>> import assay
    >>> task, _ = infer_task(assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0]))
    >>> task.title, task.positive, task.inferred
    ('Binary classification', 1, ('the labels are 0, 1, of which 1 is positive',))
    """
    stated = TaskRequest.of(rows, task_name, threshold)
    task = stated_task(stated)
    if task is not None:
        return task, rows
    rows = prepare_rows(rows, stated)
    verdict = decide_task(ColumnProfile.of(rows), stated, rows)
    return verdict.task, verdict.rows(rows)


def stated_task(stated: TaskRequest) -> Task | None:
    """Return the problem where no row need be seen to know it, or None; raise where a role is lacking."""
    check_task(stated.task)
    task_name, names = stated.task, stated.names
    if "actual" not in names:
        raise InputError("an evaluation needs actual=, what was true, beside predicted= or score=.")
    if "predicted" not in names and "score" not in names:
        raise InputError(
            "an evaluation needs predicted= (labels or numbers), score= (of the positive class), or both "
            "beside actual=."
        )
    refuse_idle(stated)
    if task_name == "ranking" or (task_name is None and "query" in names):
        for role, what in (("query", "which list each row is of"), ("score", "what the lists are ranked by")):
            if role not in names:
                raise InputError(f"ranked lists need {role}=, {what}.")
        if "weight" in names:
            raise InputError("ranked lists count alike, so that weight= has no use: leave it out.")
        return Task("ranking", inferred=() if task_name else ("there are queries, so lists are ranked",))
    if task_name == "regression" and stated.columns == 1:
        return _regression(stated)
    return None


def prepare_rows(rows: Rows, stated: TaskRequest) -> Rows:
    """Return rows with what can be done row by row before the problem is known.

    Numbers are cut at a threshold; of two columns of scores the positive class's is taken; of several, the
    highest predicts.
    """
    if stated.columns > 1:
        rows, task_name = one_of_two(rows, stated.task)
        return rows if task_name == "binary" else highest_predicted(rows)
    if stated.cut:
        return _cut(rows, stated)
    if "predicted" not in stated.names:
        refuse_labels_as_scores(rows.score)
    return rows


def decide_task(traits: ColumnProfile, stated: TaskRequest, rows: Rows | None = None) -> TaskDecision:
    """Return what the traits of rows and the caller's words say together; rows serve messages alone.

    >>> import assay
    >>> stated = TaskRequest(names={"actual": "y", "predicted": "p"})
    >>> traits = ColumnProfile.of(assay.rows(actual=["a", "b", "c"], predicted=["a", "b", "b"]))
    >>> decide_task(traits, stated).task.title
    'Classification into 3 classes'
    """
    if stated.columns > 1:
        labels = stated.labels or (rows.labels if rows is not None else None) or traits.actual.labels
        stated = dataclasses.replace(stated, labels=labels)
        chosen = chosen_column(labels, stated.positive, stated.task)
        if chosen is None:
            return TaskDecision(of_class_scores(stated, probabilities=traits.probabilities))
        verdict = _of_labels(traits, dataclasses.replace(stated, task="binary"))
        task = verdict.task
        said = (*task.inferred, f"the scores are column {chosen[0]}, that of {shown([chosen[1]])}")
        return dataclasses.replace(verdict, task=dataclasses.replace(task, inferred=said))
    if stated.cut:
        below, above = stated.cut
        said = (f"actual and predicted numbers are cut at {stated.threshold:g}",)
        return TaskDecision(Task("binary", (below, above), above, stated.threshold, said))
    if (
        stated.task is None
        and stated.threshold is None
        and "score" not in stated.names
        and traits.are_numbers
    ):
        refuse_swapped(traits, stated, rows)
        return TaskDecision(_regression(stated))
    refuse_swapped(traits, stated, rows)
    for role, seen in (("actual", traits.actual), ("predicted", traits.predicted)):
        if seen.kind == "fractions":
            if rows is not None:
                encode(getattr(rows, role))  # raises, with the row
            raise LabelError(
                f"{stated.names[role]} holds {first_fraction(None, role)}, which are no labels: cut a "
                'measured quantity into classes first (assay.cut), or say task="regression".'
            )
    return _of_labels(traits, stated)


def _regression(stated: TaskRequest) -> Task:
    if "predicted" not in stated.names:
        raise InputError("a regression needs predicted= numbers; score= is for classes.")
    said = ("actual and predicted are numbers that are not whole, so it is a regression",)
    return Task("regression", inferred=() if stated.task else said)


def _of_labels(traits: ColumnProfile, stated: TaskRequest) -> TaskDecision:
    task_name = stated.task
    labels = stated.labels or label_union(traits.actual.labels, traits.predicted.labels)
    if task_name == "ordinal" and stated.labels is None and labels and isinstance(labels[0], str):
        raise LabelError(
            f"the labels {shown(labels)} have no order of their own: state it, lowest first, with labels=."
        )
    if task_name in ("multiclass", "ordinal"):
        if stated.positive is not None:
            raise LabelError(f'positive= has no use where task="{task_name}": all classes are judged alike.')
        return _several(stated, "ordinal" if task_name == "ordinal" else "multiclass", labels)
    if "score" in stated.names or stated.positive is not None or task_name == "binary":
        return _binary(traits, stated, labels)
    task = label_task(labels, declared=stated.labels is not None)
    if task == "binary":
        return _binary(traits, stated, labels)
    if task == "two classes":
        raise LabelError(
            f"the labels are {shown(labels)}: say which one is positive with positive=, "
            'or judge both alike with task="multiclass".'
        )
    if task == "whole numbers":
        binary_too = '"binary", ' if any(set(labels) <= pair for pair in _PAIRS) else ""
        raise InputError(
            f"actual holds whole numbers ({shown(labels, 4)}), which may be classes, grades or quantities: "
            f'say task={binary_too}"multiclass", "ordinal" or "regression".'
        )
    return _several(stated, "multiclass", labels)


def _several(
    stated: TaskRequest, task_name: Literal["multiclass", "ordinal"], labels: Labels
) -> TaskDecision:
    if "predicted" not in stated.names:
        raise InputError(
            f"{len(labels)} classes need predicted= labels, or a column of scores for each of them in score=."
        )
    inferred = () if stated.task else (f"the labels are {shown(labels)}",)
    return TaskDecision(Task(task_name, labels, inferred=inferred))


def _binary(traits: ColumnProfile, stated: TaskRequest, labels: Labels) -> TaskDecision:
    threshold = stated.threshold
    positive = positive_label(stated.names["actual"], traits.actual.labels, stated.positive, stated.labels)
    inferred: tuple[str, ...] = ()
    if stated.positive is None:
        known = labels if positive in labels else (*labels, positive)
        inferred = (f"the labels are {shown(known)}, of which {shown([positive])} is positive",)
    if positive not in labels and {*labels, positive} not in _PAIRS:
        raise LabelError(
            f"the positive label {shown([positive])} does not occur: the labels are {shown(labels)}. Where "
            "it may be absent, declare all labels with labels=."
        )
    others = [label for label in labels if label != positive]
    if len(others) > 1:
        classes = rest_names(positive)
        inferred += (f"{shown([positive])} is judged against the other {len(others)} labels together",)
    else:
        classes = (others[0] if others else _opposite(positive), positive)
    if (
        "score" in stated.names
        and threshold is None
        and "predicted" not in stated.names
        and traits.are_probabilities
    ):
        threshold = 0.5
        inferred += ("the scores are probabilities, cut at 0.5 for the counts",)
    task = Task("binary", classes, classes[1], threshold, inferred)
    return TaskDecision(task, positive if len(others) > 1 else None)


def rest_names(positive: Label) -> tuple[Label, Label]:
    """Return what all other labels together are called, and the positive one, both as text."""
    return f"not {positive}", str(positive)


def _against_rest(rows: Rows, positive: Label, names: Labels) -> Rows:
    """Return rows of two labels, as text: the positive one and all others."""

    def two(column: Column | None) -> Column | None:
        if column is None:
            return None
        codes, labels = encode(column)
        table = np.array([label == positive for label in labels], dtype=bool)
        return two_classes(column, table[codes], names)

    return dataclasses.replace(rows, actual=two(rows.actual), predicted=two(rows.predicted), labels=names)


def _opposite(positive: Label) -> Label:
    """Return a name for the class that does not occur."""
    if isinstance(positive, bool):
        return not positive
    return f"not {positive}" if isinstance(positive, str) else (0 if positive == 1 else positive - 1)


def _cut(rows: Rows, stated: TaskRequest) -> Rows:
    """Return the rows with actual and predicted numbers cut at a threshold; the latter rank as scores too."""
    names, threshold = stated.cut, stated.threshold

    def two(column: Column) -> Column:
        numbers = column.numbers("numbers")
        column.refuse_missing()
        return two_classes(column, numbers >= threshold, names)

    actual, predicted = rows.need("actual", "an evaluation"), rows.need("predicted", "an evaluation")
    if actual.labels is not None or actual.values.dtype.kind not in "iuf":
        raise InputError(
            f"threshold={threshold:g} cuts scores into predictions, or actual and predicted numbers into two "
            "classes, but actual holds text and there are no scores: pass score=, or leave threshold= out."
        )
    return dataclasses.replace(
        rows, actual=two(actual), predicted=two(predicted), score=predicted, labels=names, positive=names[1]
    )
