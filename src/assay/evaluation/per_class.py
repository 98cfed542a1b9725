"""Precision, recall and F1 of every class against the rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import InputError, LabelError, shown
from assay.evaluation.shortcuts import ClassTableShortcuts
from assay.formatting.json_values import json_safe
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.hints import param
from assay.metrics import Binary
from assay.tallies import Confusion, LabelSets

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation
    from assay.inference.estimate import Estimate
    from assay.inputs import Label

__all__ = ["CLASS_METRICS", "ClassRow", "ClassTable", "class_table"]

CLASS_METRICS = ("precision", "recall", "f1")


class ClassRow(NamedTuple):
    """A class: its label, its number of rows, and its estimates by metric name."""

    label: Any
    support: float
    metrics: tuple[tuple[str, Estimate], ...]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ClassTable(ClassTableShortcuts, Mapping["Label", Mapping[str, "Estimate"]]):
    """Precision, recall and F1 of every class with their intervals, and its number of rows.

    A mapping from label to estimates by metric name. Made by ``evaluate(...).classes``.

    >>> import assay
    >>> ev = assay.evaluate(actual=list("aabbcc"), predicted=list("aabbca"))
    >>> ev.classes["c"]["recall"], ev.classes.support["c"]
    (0.5 [0.02532, 0.9747], 2)
    """

    estimates: Mapping[Label, Mapping[str, Estimate]]
    support: Mapping[Label, float]
    library: str = ""

    def __getitem__(self, label: Label) -> Mapping[str, Estimate]:
        if label not in self.estimates:
            raise LabelError(f"there is no class {shown([label])}: the classes are {shown(self.estimates)}.")
        return self.estimates[label]

    def __iter__(self) -> Iterator[Label]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    @property
    def rows(self) -> tuple[ClassRow, ...]:
        """The rows of the table as plain data, which reports draw."""
        return tuple(ClassRow(label, self.support[label], tuple(self[label].items())) for label in self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: an object per class."""
        classes = [
            {"label": label, "support": self.support[label]}
            | {name: estimate.to_dict() for name, estimate in self[label].items()}
            for label in self
        ]
        return dict(json_safe({"classes": classes}))

    def tables(self) -> list[ResultTable]:
        """Return the table, a row per class."""
        columns: dict[str, list[Any]] = {
            "label": list(self),
            "support": [self.support[label] for label in self],
        }
        for name in CLASS_METRICS:
            columns[name] = [IntervalCell.of(self[label][name]) for label in self]
        return [ResultTable(columns, headings={"label": "class", "support": "rows", "f1": "F1"})]

    @property
    def _library(self) -> str:
        return self.library


def class_table(ev: Evaluation) -> ClassTable:
    """Return the table of an evaluation's classes."""
    table, label_sets = ev.tallies.get("confusion"), ev.tallies.get("label_sets")
    if isinstance(table, Confusion):
        totals = table.actual_totals if table.weights is None else Binary.each(table).positives
        support, labels = dict(zip(table.labels, totals.tolist(), strict=True)), table.labels
        labels = ev.task.labels if set(ev.task.labels) == set(table.labels) else labels
    elif isinstance(label_sets, LabelSets):
        values = None if label_sets.weights is None else label_sets.weight()
        _, _, tp, _, fn = label_sets.split(values)
        support, labels = dict(zip(label_sets.labels, (tp + fn).tolist(), strict=True)), label_sets.labels
    else:
        raise InputError(
            f"metrics of each class need predicted labels: pass {param('predicted')}, or "
            f"{param('threshold')}."
        )
    estimates = {
        label: {name: ev.estimate(name, positive=label) for name in CLASS_METRICS} for label in labels
    }
    return ClassTable(estimates, support, ev.settings.library)
