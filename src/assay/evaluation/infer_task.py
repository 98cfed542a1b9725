"""Infer the task of rows: stated by the caller, or decided by the columns where there is no doubt.

Rows in memory and rows of a scan are decided alike, from a profile of their columns.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.errors import InputError, LabelError, shown
from assay.evaluation.multioutput import (
    MULTIOUTPUT_TASKS,
    label_rows,
    matrix_rows,
    multioutput_task,
    stated_multioutput_task,
)
from assay.evaluation.score_columns import (
    class_scores_task,
    positive_column,
    predict_highest,
    take_positive_column,
)
from assay.evaluation.task import Task, TaskName, TaskRequest, two_classes
from assay.evaluation.validation import (
    check_task,
    first_fraction,
    refuse_labels_as_scores,
    refuse_single_class,
    refuse_swapped_columns,
    refuse_unused_threshold,
)
from assay.hints import hint, param
from assay.inputs import Column, Rows, encode, label_union
from assay.inputs.labels import in_order, positive_label
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
    """A task, and how rows are read for it: one label against all others where one of several is positive."""

    task: Task
    one_vs_rest: Label | None = None  # the positive label, of more than two

    def rows(self, rows: Rows) -> Rows:
        """Return rows as the task reads them."""
        task = self.task
        if task.name == "multilabel":
            return label_rows(rows, task.threshold)
        if task.name == "multioutput":
            return matrix_rows(rows)
        if self.one_vs_rest is not None:
            rows = _one_vs_rest(rows, self.one_vs_rest, task.labels)
        if task.name == "binary":
            return dataclasses.replace(rows, positive=task.positive)
        in_stated_order = (
            task.labels and rows.labels is None and rows.actual is not None and rows.actual.order
        )
        return dataclasses.replace(rows, labels=task.labels) if in_stated_order else rows

    def tallies(self, tallies: Mapping[str, Tally]) -> dict[str, Tally]:
        """Return tallies of the rows, as tallies of the rows that the task reads."""
        tallies_read = dict(tallies)
        if self.one_vs_rest is None:
            return tallies_read
        for name, tally in tallies.items():
            if isinstance(tally, Confusion):
                tallies_read[name] = tally.against_rest(self.one_vs_rest)
            elif getattr(tally, "positive", None) == self.one_vs_rest:
                tallies_read[name] = dataclasses.replace(tally, positive=self.task.positive)  # type: ignore[type-var]
        return tallies_read


def infer_task(rows: Rows, task_name: str | None = None, threshold: float | None = None) -> tuple[Task, Rows]:
    """Return the task of rows, and the rows as the task reads them.

    >>> import assay
    >>> task, _ = infer_task(assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0]))
    >>> task.title, task.positive, task.inferred
    ('Binary classification', 1, ('the labels are 0, 1, of which 1 is positive',))
    """
    request = TaskRequest.of(rows, task_name, threshold)
    task = stated_task(request)
    if task is not None:
        return task, TaskDecision(task).rows(rows)
    rows = prepare_rows(rows, request)
    decision = decide_task(ColumnProfile.of(rows), request, rows)
    return decision.task, decision.rows(rows)


def stated_task(request: TaskRequest) -> Task | None:
    """Return the task where the request alone decides it, else None; raise where a role is missing."""
    check_task(request.task)
    task_name, names = request.task, request.names
    if "actual" not in names:
        raise InputError(
            f"an evaluation needs {param('actual')}, what was true, beside {param('predicted')} or "
            f"{param('score')}."
        )
    if "predicted" not in names and "score" not in names:
        raise InputError(
            f"an evaluation needs {param('predicted')} (labels or numbers), {param('score')} (of the "
            "positive class), or both "
            f"beside {param('actual')}."
        )
    refuse_unused_threshold(request)
    if request.outputs:
        return stated_multioutput_task(request)
    if task_name in MULTIOUTPUT_TASKS:
        raise InputError(
            f"{param('task', task_name)} needs several columns of actual values, one for each label or "
            f"output, but {request.names['actual']} is one: leave {param('task')} out."
        )
    if task_name == "ranking" or (task_name is None and "query" in names):
        for role, what in (("query", "which list each row is of"), ("score", "what the lists are ranked by")):
            if role not in names:
                raise InputError(f"ranked lists need {param(role)}, {what}.")
        if "weight" in names:
            raise InputError(f"ranked lists count alike, so that {param('weight')} has no use: leave it out.")
        return Task("ranking", inferred=() if task_name else ("there are queries, so lists are ranked",))
    if task_name == "regression" and request.columns == 1:
        return _regression_task(request)
    return None


def prepare_rows(rows: Rows, request: TaskRequest) -> Rows:
    """Return rows prepared row by row, before the task is decided.

    Numbers are cut at a threshold; of two score columns that of the positive class is taken; of several,
    the highest score predicts.
    """
    if request.outputs:
        return rows
    if request.columns > 1:
        rows, task_name = take_positive_column(rows, request.task)
        return rows if task_name == "binary" else predict_highest(rows)
    if request.cut:
        return _cut_numbers(rows, request)
    if "predicted" not in request.names:
        refuse_labels_as_scores(rows.score)
    return rows


def decide_task(profile: ColumnProfile, request: TaskRequest, rows: Rows | None = None) -> TaskDecision:
    """Decide the task from a profile of the columns and the request; `rows` serve error messages only.

    >>> import assay
    >>> request = TaskRequest(names={"actual": "y", "predicted": "p"})
    >>> profile = ColumnProfile.of(assay.rows(actual=["a", "b", "c"], predicted=["a", "b", "b"]))
    >>> decide_task(profile, request).task.title
    'Classification into 3 classes'
    """
    if request.outputs:
        return TaskDecision(multioutput_task(profile, request))
    if request.columns > 1:
        labels = request.labels or (rows.labels if rows is not None else None) or profile.actual.labels
        request = dataclasses.replace(request, labels=labels)
        column_choice = positive_column(labels, request.positive, request.task)
        if column_choice is None:
            return TaskDecision(class_scores_task(request, probabilities=profile.probabilities))
        decision = _decide_labels(profile, dataclasses.replace(request, task="binary"))
        task = decision.task
        inferred_notes = (
            *task.inferred,
            f"the scores are column {column_choice[0]}, that of {shown([column_choice[1]])}",
        )
        return dataclasses.replace(decision, task=dataclasses.replace(task, inferred=inferred_notes))
    if request.threshold is not None and request.cut:
        below, above = request.cut
        inferred_notes = (f"actual and predicted numbers are cut at {request.threshold:g}",)
        return TaskDecision(Task("binary", (below, above), above, request.threshold, inferred_notes))
    if (
        request.task is None
        and request.threshold is None
        and "score" not in request.names
        and profile.are_numbers
    ):
        refuse_swapped_columns(profile, request, rows)
        return TaskDecision(_regression_task(request))
    refuse_swapped_columns(profile, request, rows)
    for role, column_profile in (("actual", profile.actual), ("predicted", profile.predicted)):
        if column_profile.kind == "fractions":
            if rows is not None:
                encode(getattr(rows, role))  # raises, with the row
            raise LabelError(
                f"{request.names[role]} holds {first_fraction(None, role)}, which are no labels: cut a "
                f"measured quantity into classes first{hint(' (assay.cut)', '')}, or say "
                f"{param('task', 'regression')}."
            )
    return _decide_labels(profile, request)


def _regression_task(request: TaskRequest) -> Task:
    if request.positive is not None:
        raise InputError(
            f"{param('positive')} is for classes, but {request.names['actual']} is taken for measured "
            "quantities."
        )
    if "predicted" not in request.names:
        raise InputError(f"a regression needs {param('predicted')} numbers; {param('score')} is for classes.")
    inferred_notes = ("actual and predicted are numbers that are not whole, so it is a regression",)
    return Task("regression", inferred=() if request.task else inferred_notes)


def _decide_labels(profile: ColumnProfile, request: TaskRequest) -> TaskDecision:
    task_name = request.task
    labels = request.labels or in_order(
        label_union(profile.actual.labels, profile.predicted.labels), request.actual
    )
    ordered = None if request.actual is None else request.actual.order
    if task_name == "ordinal" and request.labels is None and ordered and set(labels) <= set(ordered):
        request = dataclasses.replace(request, labels=ordered)  # grades that do not occur are grades, too
        labels = ordered
    if task_name == "ordinal" and request.labels is None and labels and isinstance(labels[0], str):
        raise LabelError(
            f"the labels {shown(labels)} have no order of their own: state it, lowest first, with "
            f"{param('labels')}."
        )
    if task_name in ("multiclass", "ordinal"):
        if request.positive is not None:
            raise LabelError(
                f"{param('positive')} has no use where {param('task', task_name)}: all classes are "
                "evaluated alike."
            )
        return _multiclass_task(request, "ordinal" if task_name == "ordinal" else "multiclass", labels)
    if "score" in request.names or request.positive is not None or task_name == "binary":
        return _binary_task(profile, request, labels)
    task = label_task(labels, declared=request.labels is not None)
    if task == "binary":
        return _binary_task(profile, request, labels)
    if task == "two classes":
        raise LabelError(
            f"the labels are {shown(labels)}: say which one is positive with {param('positive')}, "
            f"or evaluate both alike with {param('task', 'multiclass')}."
        )
    if task == "whole numbers":
        binary_too = ("binary",) if any(set(labels) <= pair for pair in _PAIRS) else ()
        raise InputError(
            f"actual holds whole numbers ({shown(labels, 4)}), which may be classes, grades or quantities: "
            f"say {param('task', *binary_too, 'multiclass', 'ordinal', 'regression')}."
        )
    if request.labels is None:
        refuse_single_class(request.names["actual"], labels)
    return _multiclass_task(request, "multiclass", labels)


def _multiclass_task(
    request: TaskRequest, task_name: Literal["multiclass", "ordinal"], labels: Labels
) -> TaskDecision:
    if "predicted" not in request.names:
        raise InputError(
            f"{len(labels)} classes need {param('predicted')} labels, or a column of scores for each of "
            f"them in {param('score')}."
        )
    inferred = () if request.task else (f"the labels are {shown(labels)}",)
    return TaskDecision(Task(task_name, labels, inferred=inferred))


def _binary_task(profile: ColumnProfile, request: TaskRequest, labels: Labels) -> TaskDecision:
    threshold = request.threshold
    positive = positive_label(
        request.names["actual"], profile.actual.labels, request.positive, request.labels
    )
    inferred: tuple[str, ...] = ()
    if request.positive is None:
        known = labels if positive in labels else (*labels, positive)
        inferred = (f"the labels are {shown(known)}, of which {shown([positive])} is positive",)
    if positive not in labels and {*labels, positive} not in _PAIRS:
        raise LabelError(
            f"the positive label {shown([positive])} does not occur: the labels are {shown(labels)}. Where "
            f"it may be absent, declare all labels with {param('labels')}."
        )
    others = [label for label in labels if label != positive]
    if len(others) > 1:
        classes = rest_names(positive)
        inferred += (f"{shown([positive])} is evaluated against the other {len(others)} labels together",)
    else:
        classes = (others[0] if others else _negative_label(positive), positive)
    if (
        "score" in request.names
        and threshold is None
        and "predicted" not in request.names
        and profile.are_probabilities
    ):
        threshold = 0.5
        inferred += ("the scores are probabilities, cut at 0.5 for the counts",)
    task = Task("binary", classes, classes[1], threshold, inferred)
    return TaskDecision(task, positive if len(others) > 1 else None)


def rest_names(positive: Label) -> tuple[Label, Label]:
    """Return the names of all other labels together, and of the positive one, as text."""
    return f"not {positive}", str(positive)


def _one_vs_rest(rows: Rows, positive: Label, names: Labels) -> Rows:
    """Return rows with two labels as text: all others, and the positive one."""

    def as_two_classes(column: Column | None) -> Column | None:
        if column is None:
            return None
        codes, labels = encode(column)
        table = np.array([label == positive for label in labels], dtype=bool)
        return two_classes(column, table[codes], names)

    return dataclasses.replace(
        rows, actual=as_two_classes(rows.actual), predicted=as_two_classes(rows.predicted), labels=names
    )


def _negative_label(positive: Label) -> Label:
    """Return a name for the negative class where no row has it."""
    if isinstance(positive, bool):
        return not positive
    return f"not {positive}" if isinstance(positive, str) else (0 if positive == 1 else positive - 1)


def _cut_numbers(rows: Rows, request: TaskRequest) -> Rows:
    """Return rows with actual and predicted numbers cut at the threshold; predicted are the scores too."""
    names, threshold = request.cut, request.threshold

    def as_two_classes(column: Column) -> Column:
        return two_classes(column, column.complete_numbers("numbers") >= threshold, names)

    actual, predicted = rows.need("actual", "an evaluation"), rows.need("predicted", "an evaluation")
    if actual.labels is not None or actual.values.dtype.kind not in "iuf":
        raise InputError(
            f"{param('threshold', threshold)} cuts scores into predictions, or actual and predicted "
            "numbers into two "
            f"classes, but actual holds text and there are no scores: pass {param('score')}, or leave "
            f"{param('threshold')} out."
        )
    return dataclasses.replace(
        rows,
        actual=as_two_classes(actual),
        predicted=as_two_classes(predicted),
        score=predicted,
        labels=names,
        positive=names[1],
    )
