"""A ready table of counts as what is judged: a tally, a cross table, or plain rows of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LabelError, shown
from assay.evaluation.task import Task
from assay.inputs.arrays import column_names
from assay.inputs.labels import plain_label, same_kind
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Label, Labels

__all__ = ["as_confusion", "table_task"]

_PAIRS = ({0, 1}, {-1, 1})


def as_confusion(data: Any, labels: Sequence[Label] | None) -> Confusion | None:
    """Return the tally of a ready table of counts, rows actual; None for what is no such table.

    >>> as_confusion([[8, 2], [1, 9]], ["junk", "treasure"]).n
    20
    >>> as_confusion({"junk": {"junk": 8, "treasure": 2}, "treasure": {"junk": 1, "treasure": 9}}, None).n
    20
    """
    from assay.crosstable import CrossTable  # noqa: PLC0415 - few bring one

    if isinstance(data, Confusion):
        return data if labels is None else data.merge(Confusion(_names(labels), declared=True))
    if isinstance(data, CrossTable):
        if not data.confusion:
            raise LabelError("the cross table does not set actual against predicted labels of one kind.")
        return _counted(
            data.counts if data.rows == "actual" else data.counts.T, _names(labels or data.labels)
        )
    if (
        isinstance(data, (list, tuple))
        and data
        and all(isinstance(row, (list, tuple, np.ndarray)) for row in data)
    ):
        if len({len(row) for row in data}) > 1:
            raise InputError("the table's rows are of different lengths: a row holds one count per label.")
        return _of_numbers(np.array(data), labels)
    if isinstance(data, np.ndarray) and data.ndim == 2:  # noqa: PLR2004 - rows and columns
        return _of_numbers(data, labels)
    if isinstance(data, Mapping):
        nested = bool(data) and all(isinstance(row, Mapping) for row in data.values())
        return _of_names(list(data), list(data.values()), labels) if nested else None
    return _of_frame(data, labels)


def _of_frame(data: Any, labels: Sequence[Any] | None) -> Confusion | None:
    """Return the tally of a data frame of counts: by its names where it has them, else by position."""
    columns = column_names(data)
    if columns is None:
        return None
    index = getattr(data, "index", None)  # pandas
    rows = [] if index is None or type(index).__name__ == "RangeIndex" else list(index)
    if not set(rows) & set(columns):
        if labels is None:
            return None
        if not set(map(plain_label, columns)) <= set(_names(labels)):  # nothing names the cells: by position
            return _of_numbers(np.stack([np.asarray(data[name]) for name in columns], axis=1), labels)
        rows = list(_names(labels))
    values = {name: np.asarray(data[name]) for name in columns}
    cells = [{name: values[name][place] for name in columns} for place in range(len(data))]
    if len(rows) != len(cells):
        raise LabelError(f"the table has {len(cells)} rows, but {len(rows)} labels: {shown(rows)}.")
    if getattr(index, "name", None) == "predicted" or getattr(data.columns, "name", None) == "actual":
        cells = [{name: row[place] for name, row in zip(rows, cells, strict=True)} for place in columns]
        rows = list(columns)
    return _of_names(rows, cells, labels)


def _of_names(rows: list[Any], cells: list[Any], labels: Sequence[Any] | None) -> Confusion:
    """Return the tally of counts by names: a row per actual label, a mapping from predicted label to count.

    A label that was never predicted, or never occurred, may lack its column or its row.
    """
    plain = {plain_label(row): {plain_label(name): count for name, count in cell.items()}
             for row, cell in zip(rows, cells, strict=True)}  # fmt: skip
    if len(plain) != len(rows):
        raise LabelError(f"two rows of the table have one name: {shown(rows)}.")
    found = dict.fromkeys([*plain, *(name for cell in plain.values() for name in cell)])
    names = _names(list(found) if labels is None else labels)
    if strange := [name for name in found if name not in names]:
        raise LabelError(f"the table names {shown(strange)}, which is not among the labels: {shown(names)}.")
    counts = np.array([[plain.get(row, {}).get(name, 0) for name in names] for row in names])
    if counts.dtype.kind not in "biuf":
        raise InputError("a ready table holds counts, but this one holds text: name columns by role instead.")
    if len(names) > 2 and _are_totals(counts):  # noqa: PLR2004 - two classes and their totals
        raise InputError(
            f"the table's last row and column, {shown(names[-1:])}, are totals of the others: leave them out."
        )
    return _counted(counts, names)


def _are_totals(counts: Any) -> bool:
    """Tell whether the last row and column are sums of those before."""
    inner = counts[:-1, :-1]
    rows, columns = (counts[-1, :-1] == inner.sum(0)).all(), (counts[:-1, -1] == inner.sum(1)).all()
    return bool(rows and columns and counts[-1, -1] == inner.sum() > 0)


def table_task(tally: Confusion, positive: Label | None, task_name: str | None) -> tuple[Task, Confusion]:
    """Return the problem that a table poses; a positive class among several is set against the rest."""
    labels = tally.labels
    if not tally.n:
        raise InputError("the table holds no rows: all its counts are 0.")
    if task_name not in (None, "binary", "multiclass", "ordinal"):
        raise InputError(
            f'a table of counts is no {task_name} task: use task="binary", "multiclass" or "ordinal".'
        )
    inferred: tuple[str, ...] = ()
    if positive is not None:
        positive = plain_label(positive)
        if positive not in labels:
            raise LabelError(
                f"the positive label {shown([positive])} is not among the labels: {shown(labels)}."
            )
        if task_name in ("multiclass", "ordinal"):
            raise LabelError(f'positive= has no use where task="{task_name}": all classes are judged alike.')
    elif task_name in (None, "binary") and set(labels) in _PAIRS:
        positive = max(labels)
        inferred = (f"the labels are {shown(labels)}, of which {shown([positive])} is positive",)
    elif task_name == "binary" or (task_name is None and len(labels) == 2):  # noqa: PLR2004 - two classes
        raise LabelError(
            f"the labels are {shown(labels)}: say which one is positive with positive=, "
            'or judge both alike with task="multiclass".'
        )
    if positive is None:
        said = () if task_name else (f"the labels are {shown(labels)}",)
        return Task("ordinal" if task_name == "ordinal" else "multiclass", labels, inferred=said), tally
    others = tuple(label for label in labels if label != positive)
    if len(others) != 1:
        tally = tally.against_rest(positive)
        inferred += (f"{shown([positive])} is judged against the other {len(others)} labels together",)
        return Task("binary", tally.labels, tally.labels[1], inferred=inferred), tally
    return Task("binary", (*others, positive), positive, inferred=inferred), tally


def _names(labels: Sequence[Any]) -> Labels:
    if isinstance(labels, str):
        raise LabelError(f'labels="{labels}" is one text: pass a list of labels.')
    names = same_kind(tuple(map(plain_label, labels)))
    if len(set(names)) != len(names):
        raise LabelError(f"a label is declared twice: {shown(names)}.")
    return names


def _of_numbers(counts: Any, labels: Sequence[Any] | None) -> Confusion:
    if counts.dtype.kind not in "biuf":
        raise InputError("a ready table holds counts, but this one holds text: name columns by role instead.")
    if counts.shape[0] != counts.shape[1]:
        raise InputError(
            f"the data has shape {counts.shape}: a ready table of counts has as many rows as columns, and "
            "rows of a data set are passed by role, as in "
            "assay.evaluate(actual=table[:, 0], predicted=table[:, 1])."
        )
    if labels is None:
        raise LabelError(
            f"a table of {len(counts)} by {len(counts)} counts needs labels=, in the order of its rows "
            "(actual) and columns (predicted)."
        )
    return _counted(counts, _names(labels))


def _counted(counts: Any, names: Labels) -> Confusion:
    """Return the tally of a square table of counts."""
    if len(names) != len(counts):
        raise LabelError(
            f"the table has {len(counts)} rows and columns, but {len(names)} labels: {shown(names)}."
        )
    bad = ~(np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts)))
    if bad.any():
        row, place = (int(index[0]) for index in np.nonzero(bad))
        where = f"actual {shown([names[row]])}, predicted {shown([names[place]])}"
        raise InputError(
            f"the table holds {counts[row, place]} ({where}), which is no count: counts are whole numbers, 0 "
            "or more. Multiply shares by the number of rows behind them."
        )
    return Confusion.of_table(counts, names, declared=True)
