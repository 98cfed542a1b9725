"""Whether a metric fits the task of some rows; where it does not, why, in the same words everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import MetricError, shown
from assay.hints import param

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.evaluation.task import Task
    from assay.inputs import Rows
    from assay.metrics.spec import MetricSpec

__all__ = ["refuse_metrics_without_columns", "refuse_other_task"]

_SCORES = ("score", "class scores")


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


def refuse_metrics_without_columns(specs: Iterable[MetricSpec], task: Task, rows: Rows) -> None:
    """Raise where a metric is of another task than the rows, or needs a column that they do not have."""
    for spec in specs:
        if spec.needs != "lists" or rows.query is None:
            actual = rows.need("actual", spec.name) if rows.actual is None else rows.actual
            refuse_other_task(spec, task, actual.name)
        if spec.needs in _SCORES and rows.score is None:
            raise MetricError(f"{spec.base} needs scores: pass {param('score')} beside {param('actual')}.")
