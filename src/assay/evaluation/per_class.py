"""The figures of every class, each against the rest, as a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, LabelError, shown
from assay.formatting.frame_output import as_frame
from assay.metrics import Binary
from assay.reports.text.per_class import Row, drawn
from assay.tallies import Confusion, LabelSets

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation
    from assay.inference.estimate import Estimate
    from assay.inputs import Label

__all__ = ["FIGURES", "ClassTable", "class_table"]

FIGURES = ("precision", "recall", "f1")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ClassTable(Mapping["Label", Mapping[str, "Estimate"]]):
    """Precision, recall and F1 of every class with their intervals, and how many rows it has.

    A mapping from label to estimates by name. Made by ``evaluate(...).classes``.

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
    def rows(self) -> tuple[Row, ...]:
        """The table's rows as plain data for renderers."""
        return tuple(Row(label, self.support[label], tuple(self[label].items())) for label in self)

    def __str__(self) -> str:
        return "\n".join(drawn(self.rows))

    __repr__ = __str__

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain data for JSON: an object per class."""
        return [
            {"label": label, "support": self.support[label]}
            | {name: estimate.to_dict() for name, estimate in self[label].items()}
            for label in self
        ]

    def to_frame(self, library: str | None = None) -> Any:
        """Return the table in a data-frame library, a row per class."""
        columns: dict[str, list[Any]] = {"label": list(self), "support": [self.support[one] for one in self]}
        for name in FIGURES:
            for part in ("value", "low", "high"):
                told = [getattr(self[label][name], part) for label in self]
                column = name if part == "value" else f"{name}_{part}"
                columns[column] = [one if isinstance(one, float) else None for one in told]
        return as_frame(columns, self.library if library is None else library)


def class_table(ev: Evaluation) -> ClassTable:
    """Return the table of an evaluation's classes."""
    table, sets = ev.tallies.get("confusion"), ev.tallies.get("label_sets")
    if isinstance(table, Confusion):
        totals = table.actual_totals if table.weights is None else Binary.each(table).positives
        known, labels = dict(zip(table.labels, totals.tolist(), strict=True)), table.labels
        labels = ev.task.labels if set(ev.task.labels) == set(table.labels) else labels
    elif isinstance(sets, LabelSets):
        values = None if sets.weights is None else sets.weight()
        _, _, tp, _, fn = sets.split(values)
        known, labels = dict(zip(sets.labels, (tp + fn).tolist(), strict=True)), sets.labels
    else:
        raise InputError("figures of every class need predicted labels: pass predicted=, or threshold=.")
    estimates = {label: {name: ev.estimate(name, positive=label) for name in FIGURES} for label in labels}
    return ClassTable(estimates, known, ev.settings.library)
