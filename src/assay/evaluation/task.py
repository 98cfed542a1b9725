"""The task of an evaluation, what is known of it, and the settings of the evaluation."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from assay.formatting.numbers import count_of
from assay.inputs import Column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.inputs import Label, Labels, Rows

__all__ = ["Settings", "Task", "TaskName", "TaskRequest", "two_classes"]

_ROLES = ("actual", "predicted", "score", "weight", "group", "query")

TaskName: TypeAlias = Literal[
    "binary", "multiclass", "ordinal", "multilabel", "regression", "multioutput", "ranking"
]

_TITLES: dict[str, tuple[str, ...]] = {  # and what is counted in them, in the singular and the plural
    "binary": ("Binary classification",),
    "multiclass": ("Classification into {}", "class", "classes"),
    "ordinal": ("Classification into {}", "ordered class", "ordered classes"),
    "multilabel": ("Multilabel classification with {}", "label"),
    "regression": ("Regression",),
    "multioutput": ("Regression of {}", "output"),
    "ranking": ("Ranked lists",),
}


@dataclasses.dataclass(frozen=True)
class Task:
    """An evaluation task: its name, the positive label, and what was inferred rather than given.

    ``labels`` are the classes in the order in which they are shown, the negative one first where there
    are two; or the names of a regression's outputs. ``threshold`` is that on the scores, or, where actual and
    predicted numbers were cut, on both.
    """

    name: TaskName
    labels: Labels = ()
    positive: Label | None = None
    threshold: float | None = None
    inferred: tuple[str, ...] = ()
    probabilities: bool = False  # whether the scores of several classes or labels are probabilities

    @property
    def title(self) -> str:
        """The name for a heading."""
        template, *nouns = _TITLES[self.name]
        return template.format(count_of(len(self.labels), *nouns)) if nouns else template


@dataclasses.dataclass(frozen=True)
class TaskRequest:
    """What the caller stated about the task: its name, threshold, labels, and column names by role.

    ``columns`` is the number of score columns, ``outputs`` that of actual columns where these are labels or
    outputs, several a row, else 0.
    """

    task: str | None = None
    threshold: float | None = None
    labels: Labels | None = None
    positive: Label | None = None
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    columns: int = 1
    outputs: int = 0
    actual: Column | None = None  # whose labels may have an order of their own

    @classmethod
    def of(cls, rows: Rows, task_name: str | None, threshold: float | None) -> TaskRequest:
        """Return the request for rows in memory, without looking at their values."""
        names = {role: column.name for role in _ROLES if (column := getattr(rows, role)) is not None}
        score = rows.score
        if rows.multioutput:
            outputs = len(rows.labels or ())
            return cls(task_name, threshold, rows.labels, rows.positive, names, outputs=outputs)
        columns = 1 if score is None or score.ndim == 1 else score.values.shape[1]
        return cls(task_name, threshold, rows.labels, rows.positive, names, columns, actual=rows.actual)

    @property
    def cut(self) -> tuple[str, ...]:
        """The names of the two classes of numbers cut at the threshold; empty where none are."""
        if self.threshold is None or "score" in self.names or "predicted" not in self.names:
            return ()
        return (f"below {self.threshold:g}", f"{self.threshold:g} or more")


def two_classes(column: Column, second: Any, labels: Labels) -> Column:
    """Return a column of two classes: the second label where the mask is true, else the first.

    Its labels are sorted, and only those that occur, as in any column.

    >>> import assay
    >>> hours = assay.column([3.5, 9.0, 12.0], "hours")
    >>> two_classes(hours, hours.values >= 8, ("short", "long")).labels
    ('long', 'short')
    >>> two_classes(hours, hours.values >= 20, ("short", "long")).labels
    ('short',)
    """
    if not isinstance(labels[0], str):
        return Column(
            column.name, np.where(second, labels[1], labels[0]), None, None, column.origin, column.place
        )
    known = tuple(sorted(labels))
    codes = (second if known == labels else ~second).astype(np.uint8)
    return Column(column.name, codes, known, None, None, column.place).take(slice(None), column.origin)


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of an evaluation: confidence, costs, prevalence, depth of lists, and names of columns."""

    confidence: float = 0.95
    beta: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    prevalence: float | None = None
    k: int | None = None
    empty: str | None = None  # the value of a list without a relevant item; 0 by default
    name: str = ""
    actual: str = "actual"
    predicted: str = "predicted"
    score: str = "score"
    weight: str = ""
    group: str = ""
    by: tuple[str, ...] = ()
    library: str = ""  # the data-frame library of the caller's columns

    @property
    def costs(self) -> dict[str, float]:
        """The costs of both errors; the other one is 1 where only one is given.

        >>> Settings(cost_fn=5).costs, Settings().costs
        ({'cost_fp': 1.0, 'cost_fn': 5}, {})
        """
        if self.cost_fp is None and self.cost_fn is None:
            return {}
        each = {"cost_fp": self.cost_fp, "cost_fn": self.cost_fn}
        return {name: 1.0 if cost is None else cost for name, cost in each.items()}
