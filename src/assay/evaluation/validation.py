"""Validate the arguments of evaluate(), and that metrics fit the task and the columns."""

from __future__ import annotations

import difflib
import itertools
import os
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from assay.engines.dispatch import is_cluster
from assay.errors import (
    ColumnError,
    InputError,
    LabelError,
    LengthError,
    MetricError,
    check_whole_number,
    shown,
)
from assay.evaluation.task import TaskName
from assay.hints import hint, param, passed
from assay.inputs.arrays import column_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.evaluation.task import Settings, Task, TaskRequest
    from assay.inputs import Column, Labels, Rows
    from assay.metrics.spec import MetricSpec
    from assay.tallies import ColumnProfile

__all__ = [
    "check_settings",
    "check_task",
    "columns_without_role_error",
    "first_fraction",
    "refuse_cluster_columns",
    "refuse_columns_without_role",
    "refuse_labels_as_scores",
    "refuse_metrics_without_columns",
    "refuse_no_rows",
    "refuse_options_of_lists",
    "refuse_other_task",
    "refuse_several_columns",
    "refuse_single_class",
    "refuse_swapped_columns",
    "refuse_tags_without_ledger",
    "refuse_unused_settings",
    "refuse_unused_threshold",
]

_SCORES = ("score", "class scores")  # what metrics of scores need
_NEEDS_NO_THRESHOLD = {
    "multiclass": "classes are predicted by labels, or by the highest score",
    "ordinal": f"grades are predicted as such: cut them to two classes first{hint(' with assay.cut', '')}",
    "regression": "numbers are evaluated as they are: "
    f"leave {param('task')} out, or say {param('task', 'binary')}, to cut them",
    "ranking": f"lists are ranked by their scores: {param('k')} is the depth at which they are evaluated",
}
_CALL_BY_ROLE = "assay.evaluate(actual=..., predicted=...) or assay.evaluate(actual=..., score=...)"


def check_task(task_name: Any) -> None:
    """Raise unless the name of the task is known."""
    known = get_args(TaskName)
    if task_name is None or task_name in known:
        return
    near = difflib.get_close_matches(str(task_name).lower(), known, n=1, cutoff=0.5)
    advice = {"classification": '"binary" or "multiclass"', "continuous": '"regression"'}.get(str(task_name))
    meant = advice or (f'"{near[0]}"' if near else "")
    hint = f" Did you mean {meant}?" if meant else ""
    raise InputError(f"{passed('task', task_name)} is not known: use {shown(known)}.{hint}")


def check_settings(**request: Any) -> None:
    """Raise where a setting is not a number, or out of range."""
    for name in ("confidence", "threshold", "beta", "cost_fp", "cost_fn", "prevalence"):
        value = request.get(name)
        if value is None:
            continue
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
            advice = ": say a share between 0 and 1, such as 0.95" if name == "confidence" else ""
            raise InputError(f"{passed(name, value)} is no number{advice}.")
        if np.isnan(value):
            raise InputError(f"{param(name)} is NaN, which is no number: leave it out, or say one.")
        if name in ("beta", "cost_fp", "cost_fn") and value < 0:
            raise InputError(f"{passed(name, value)} is below 0: say how much worse the error is, 0 or more.")
    share = request.get("prevalence")
    if share is not None and not 0 < share < 1:
        percent = f", such as {share / 100:g}" if 1 < share < 100 else ""  # noqa: PLR2004 - a percentage
        raise InputError(f"{passed('prevalence', share)} is a share between 0 and 1{percent}.")
    k = request.get("k")
    if k is not None:
        check_whole_number("k", k, error=InputError)
    if request.get("empty") not in (None, "zero", "one", "skip"):
        raise InputError(
            f"{passed('empty', request['empty'])} says what a list without a relevant item counts as: use "
            '"zero", '
            '"one" or "skip".'
        )
    if not isinstance(request.get("name", ""), str):
        raise InputError(f"{passed('name', request['name'])} is what to call the model: text.")


def refuse_columns_without_role(data: Any, more: tuple[Any, ...], *, by_role: bool) -> None:
    """Raise where columns were passed without their roles."""
    if more:
        raise InputError(
            f"evaluate takes one table at most without a name, not {1 + len(more)} columns: which one is "
            f"actual and which predicted must be said, as in {_CALL_BY_ROLE}."
        )
    if isinstance(data, bytes):
        raise InputError(
            f"evaluate takes a table or the path of a file as text, not the bytes {data[:20]!r}."
        )
    if not by_role:
        _refuse_single_column(data)


def refuse_cluster_columns(roles: Mapping[str, Any]) -> None:
    """Raise where a role is a column of a cluster's frame instead of its name."""
    for role, value in roles.items():
        if value is not None and not isinstance(value, str) and is_cluster(value):
            raise InputError(
                f"{param(role)} is a {type(value).__name__} of a cluster: pass its frame and the names of "
                "columns, "
                'as in assay.evaluate(frame, actual="y", score="p").'
            )


def columns_without_role_error(data: Any) -> InputError:
    """Return the error for a table none of whose columns has a role."""
    names = _names(data)
    known = f" Columns: {shown(names, 12)}." if names else ""
    what = "table" if names else type(data).__name__
    return InputError(
        f"which columns of the {what} are which must be said by name, as in {_CALL_BY_ROLE}.{known}"
    )


def _names(data: Any) -> list[Any]:
    """Return the names of a table's columns, or of a file's."""
    if isinstance(data, (str, os.PathLike)) or type(data).__module__.startswith("assay.engines"):
        from assay.engines import Source, source  # noqa: PLC0415 - only for this message

        return (data if isinstance(data, Source) else source(data)).columns()
    return column_names(data) or (list(data) if isinstance(data, dict) else [])


def _refuse_single_column(data: Any) -> None:
    shape = getattr(data, "shape", None)
    flat = isinstance(data, (list, tuple)) and not (data and isinstance(data[0], (list, tuple, np.ndarray)))
    if flat or (isinstance(shape, tuple) and len(shape) == 1 and getattr(data, "dtype", None) is not None
                and not getattr(data.dtype, "names", None)):  # fmt: skip
        raise InputError(
            f"evaluate was given one column of {len(data):,} values: say what it is, and what to compare it "
            f"with, as in {_CALL_BY_ROLE}."
        )


_BINARY_ONLY = ("beta", "cost_fp", "cost_fn", "prevalence")


def refuse_unused_settings(task_name: str, settings: Settings) -> None:
    """Raise where a setting for two classes was given for another task."""
    unused = [param(name) for name in _BINARY_ONLY if getattr(settings, name) is not None]
    if unused and task_name != "binary":
        value = (
            f", or name one class with {param('positive')} to evaluate it against the rest"
            if task_name == "multiclass"
            else ""
        )
        raise InputError(
            f"{' and '.join(unused)} is for two classes, and this task is {task_name}: leave it out{value}."
        )


def refuse_tags_without_ledger(ledger: Any, tags: Any) -> None:
    """Raise for tags that nothing records, and for a text where several are meant."""
    if isinstance(tags, str):
        raise InputError(f"{param('tags')} is one text: pass a list of words.")
    if tags and not ledger:
        raise InputError(f"{param('tags')} are recorded in a ledger: pass {param('ledger')} too.")


def refuse_no_rows(count: int) -> None:
    """Raise where there are no rows."""
    if not count:
        raise LengthError("there are no rows to evaluate.")


def refuse_options_of_lists(**request: Any) -> None:
    """Raise where an option was given that lists of items do not use."""
    unused = [
        param(name)
        for name, value in request.items()
        if value is not None and name not in ("k", "empty", "name")
    ]
    if unused:
        raise InputError(
            f"{' and '.join(unused)} has no use beside lists of items, which are ranked as they are: leave "
            f"it out, or pass a row per item with {param('score')} and {param('query')}."
        )


def refuse_several_columns(roles: dict[str, Any]) -> None:
    """Raise where a role of one value per row has several columns."""
    for role in ("actual", "predicted"):
        values = roles[role]
        shape = tuple(getattr(values, "shape", ()))
        listed = isinstance(values, list) and values and isinstance(values[0], (list, tuple))
        if not listed and (len(shape) != 2 or shape[1] < 2):  # noqa: PLR2004 - rows and columns
            continue
        columns = shape[1] if shape else len(values[0])
        if role == "predicted":
            raise InputError(
                f"predicted has {columns} columns, but actual one: pass a column of each for every label or "
                f"output, or scores of several classes as {param('score')}."
            )
        raise InputError(
            f"{role} has {columns} columns: say {param('task', 'multilabel')} for rows that may have "
            "several labels, or "
            f"{param('task', 'regression')} for several numbers a row. Rows of one label each, marked by a "
            "1, are passed "
            "as labels (table.argmax(axis=1))."
        )


def refuse_single_class(name: str, labels: Labels) -> None:
    """Raise where all rows are of one class."""
    if len(labels) == 1:
        raise LabelError(
            f"{name} holds {shown(labels)} only: there is nothing to tell apart. Where other labels may "
            f"occur, say {param('positive')} or {param('task', 'multiclass')}."
        )


def refuse_unused_threshold(request: TaskRequest) -> None:
    """Raise where a threshold was given that nothing is cut at."""
    task_name, threshold = request.task, request.threshold
    if threshold is None:
        return
    if task_name in _NEEDS_NO_THRESHOLD:
        raise InputError(
            f"{param('threshold', threshold)} has no use where {param('task', task_name)}: "
            f"{_NEEDS_NO_THRESHOLD[task_name]}."
        )
    if {"predicted", "score"} <= request.names.keys():
        raise InputError(
            f"{param('predicted')} and {param('threshold', threshold)} are both given, and either says "
            "what was predicted: "
            f"leave {param('predicted')} out to cut the scores, or {param('threshold')} to keep the "
            "predictions."
        )


def refuse_swapped_columns(profile: ColumnProfile, request: TaskRequest, rows: Rows | None = None) -> None:
    """Raise where scores were passed as predictions, or actual and predicted seem swapped."""
    actual, predicted = request.names["actual"], request.names.get("predicted", "")
    if not predicted:
        if profile.actual.kind == "fractions":
            raise InputError(
                f"{actual} holds {first_fraction(rows, 'actual')}, which is no label, beside scores: are the "
                f"two exchanged? {param('actual')} is what was true, {param('score')} what the model gave. "
                "Of two measured "
                "quantities the model's is "
                f"{param('predicted')}{hint('; assay.cut makes classes of one', '')}."
            )
        return
    if profile.predicts_fractions_for_classes:
        raise InputError(
            f"{predicted} holds {first_fraction(rows, 'predicted')}, but {actual} holds classes: if "
            f"these are scores pass them as {param('score')}; if both are measured quantities say "
            f"{param('task', 'regression')}."
        )
    if profile.predicts_classes_for_fractions:
        raise InputError(
            f"{actual} holds {first_fraction(rows, 'actual')}, but {predicted} holds classes: are the two "
            f"exchanged? {param('actual')} is what was true, {param('score')} what the model gave. If both "
            "are measured "
            f"quantities say {param('task', 'regression')}."
        )


def refuse_labels_as_scores(score: Column | None) -> None:
    """Raise where labels were passed as scores."""
    if score is not None and score.labels is not None and len(score):
        score.refuse_missing()
        raise ColumnError(
            f"{score.name} holds text, such as {shown(score.labels[:1])}, where scores are needed: pass "
            f"labels as {param('predicted')}; text that reads as numbers must be made numbers first."
        )


def first_fraction(rows: Rows | None, role: str) -> str:
    """Return the first number that is not whole and its row; without rows, that there are some."""
    if rows is None:
        return "numbers that are not whole"
    column = rows.need(role, "an evaluation")
    values = column.values
    row = int(np.argmax((values != np.floor(values)) & np.isfinite(values)))
    return f"{values[row]:g} ({column.where(row)})"


def refuse_other_task(spec: MetricSpec, task: Task, actual: str) -> None:
    """Raise where a metric is of another task; `actual` is the name of the column that was true.

    >>> from assay.evaluation.task import Task
    >>> from assay.metrics.spec import MetricSpec
    >>> refuse_other_task(MetricSpec.of("f1"), Task("regression"), "hours")
    Traceback (most recent call last):
        ...
    assay.errors.MetricError: f1 is for classes, but hours is taken for measured quantities.
    """
    needs = spec.needs
    for kind, owner, what in (
        ("label sets", "multilabel", "rows with several labels"),
        ("lists", "ranking", "ranked lists"),
    ):
        if needs == kind and task.name != owner:
            raise MetricError(f"{spec.base} is for {what}, and this is a {task.name} task.")
    if task.name in ("regression", "multioutput") and needs in ("labels", *_SCORES):
        raise MetricError(f"{spec.base} is for classes, but {actual} is taken for measured quantities.")
    if task.name == "multilabel" and needs == "numbers":
        raise MetricError(f"{spec.base} is for numbers, but {actual} holds labels, several a row.")
    if task.name == "multioutput":
        return
    if needs == "numbers" and task.labels and isinstance(task.labels[0], str):
        raise MetricError(f"{spec.base} is for numbers, but {actual} holds labels: {shown(task.labels)}.")


def refuse_metrics_without_columns(specs: Sequence[MetricSpec], task: Task, *models: Rows) -> None:
    """Raise where a metric is of another task than models' rows, or needs a column that they do not have."""
    for rows, spec in itertools.product(models, specs):
        if spec.needs != "lists" or rows.query is None:
            actual = rows.need("actual", spec.name) if rows.actual is None else rows.actual
            refuse_other_task(spec, task, actual.name)
        if spec.needs in _SCORES and rows.score is None:
            raise MetricError(f"{spec.base} needs scores: pass {param('score')} beside {param('actual')}.")
