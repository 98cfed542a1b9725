"""Metrics of every class against the rest, of every label, or of every output."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import InputError, LabelError, shown
from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.evaluation.shortcuts import ClassTableShortcuts
from assay.formatting.json_values import json_safe
from assay.formatting.result_table import IntervalCell, ResultTable
from assay.hints import param
from assay.metrics import Binary, Ranks
from assay.metrics.spec import metric_title
from assay.tallies import ColumnTallies, Confusion, LabelSets, Scores

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation
    from assay.inference.estimate import Estimate
    from assay.inputs import Label

__all__ = ["ClassRow", "ClassTable", "class_metrics", "class_table"]

_CLASS_METRICS = ("precision", "recall", "f1")
_OUTPUT_METRICS = ("mae", "rmse", "r2")


class ClassRow(NamedTuple):
    """A class, label or output (`unit`): its name, its number of rows, and its estimates by metric name."""

    label: Any
    support: float
    metrics: tuple[tuple[str, Estimate], ...]
    unit: str = "class"


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ClassTable(ClassTableShortcuts, Mapping["Label", Mapping[str, "Estimate"]]):
    """Precision, recall and F1 of every class with their intervals, and its number of rows.

    Of rows that may have several labels the same of every label, with AUC where there are scores; of several
    outputs MAE, RMSE and R². A mapping from label to estimates by metric name. Made by
    ``evaluate(...).classes``.

    >>> import assay
    >>> ev = assay.evaluate(actual=list("aabbcc"), predicted=list("aabbca"))
    >>> ev.classes["c"]["recall"], ev.classes.support["c"]
    (0.5 [0.02532, 0.9747], 2)
    """

    estimates: Mapping[Label, Mapping[str, Estimate]]
    support: Mapping[Label, float]
    library: str = ""
    unit: str = "class"  # or "label", "output"

    def __getitem__(self, label: Label) -> Mapping[str, Estimate]:
        if label not in self.estimates:
            known = f"the {self.unit}{'es' if self.unit == 'class' else 's'} are {shown(self.estimates)}"
            raise LabelError(f"there is no {self.unit} {shown([label])}: {known}.")
        return self.estimates[label]

    def __iter__(self) -> Iterator[Label]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    @property
    def rows(self) -> tuple[ClassRow, ...]:
        """The rows of the table as plain data, which reports draw."""
        return tuple(
            ClassRow(label, self.support[label], tuple(self[label].items()), self.unit) for label in self
        )

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
        for name in next(iter(self.estimates.values()), {}):
            columns[name] = [IntervalCell.of(self[label][name]) for label in self]
        titles = {
            name: metric_title(name).split(" (")[0] for name in columns if name not in ("label", "support")
        }
        return [ResultTable(columns, headings={"label": self.unit, "support": "rows", **titles})]

    @property
    def _library(self) -> str:
        return self.library


def class_metrics(ev: Evaluation) -> tuple[str, ...]:
    """Return the metrics of each class, label or output that the tallies allow; none where there are none."""
    if "outputs" in ev.tallies:
        return _OUTPUT_METRICS
    counts = _CLASS_METRICS if {"confusion", "label_sets"} & set(ev.tallies) else ()
    return (*counts, "auc") if isinstance(ev.tallies.get("label_scores"), ColumnTallies) else counts


def class_table(ev: Evaluation) -> ClassTable:
    """Return the table of an evaluation's classes, labels or outputs."""
    if ev.task.name in MULTIOUTPUT_TASKS:
        return _column_table(ev)
    table = ev.tallies.get("confusion")
    if isinstance(table, Confusion):
        totals = table.actual_totals if table.weights is None else Binary.each(table).positives
        support, labels = dict(zip(table.labels, totals.tolist(), strict=True)), table.labels
        labels = ev.task.labels if set(ev.task.labels) == set(table.labels) else labels
    else:
        raise InputError(
            f"metrics of each class need predicted labels: pass {param('predicted')}, or "
            f"{param('threshold')}."
        )
    estimates = {
        label: {name: ev.estimate(name, positive=label) for name in _CLASS_METRICS} for label in labels
    }
    return ClassTable(estimates, support, ev.settings.library)


def _column_table(ev: Evaluation) -> ClassTable:
    """Return the table of labels, several a row, or of outputs."""
    names, labels = class_metrics(ev), ev.task.labels
    if ev.task.name == "multioutput":
        outputs = ev.outputs
        of_outputs = {label: {name: outputs[label][name] for name in names} for label in labels}
        return ClassTable(of_outputs, dict.fromkeys(labels, ev.n), ev.settings.library, "output")
    estimates = {label: {name: ev.estimate(name, positive=label) for name in names} for label in labels}
    return ClassTable(estimates, _label_support(ev), ev.settings.library, "label")


def _label_support(ev: Evaluation) -> dict[Label, float]:
    """Return how many rows have each label, by weight where rows have weights."""
    sets, scores = ev.tallies.get("label_sets"), ev.tallies.get("label_scores")
    if isinstance(sets, LabelSets):
        _, _, tp, _, fn = sets.split(None if sets.weights is None else sets.weight())
        return dict(zip(sets.labels, (tp + fn).tolist(), strict=True))
    support: dict[Label, float] = dict.fromkeys(ev.task.labels, 0)
    for label, tally in (
        zip(scores.labels, scores.tallies, strict=True) if isinstance(scores, ColumnTallies) else ()
    ):
        if isinstance(tally, Scores):
            support[label] = Ranks.of(tally).positives
    return support
