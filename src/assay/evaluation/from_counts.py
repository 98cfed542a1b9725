"""Evaluate a ready table of counts: a tally, a cross table, a data frame or a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LabelError, shown
from assay.evaluation.infer_task import decide_task
from assay.evaluation.task import TaskRequest
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs import rows
from assay.inputs.arrays import column_names
from assay.inputs.labels import plain_label, same_kind
from assay.tallies import ColumnProfile, Confusion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.infer_task import TaskDecision
    from assay.evaluation.task import Task
    from assay.inputs import Label, Labels

__all__ = ["as_confusion", "decide_table", "table_task"]


def as_confusion(data: Any, labels: Sequence[Label] | None) -> Confusion | None:
    """Return the tally of a table of counts, rows actual; None for anything else.

    >>> as_confusion([[8, 2], [1, 9]], ["junk", "treasure"]).n
    20
    >>> as_confusion({"junk": {"junk": 8, "treasure": 2}, "treasure": {"junk": 1, "treasure": 9}}, None).n
    20
    """
    from assay.crosstable import CrossTable  # noqa: PLC0415 - loaded on first use

    if isinstance(data, Confusion):
        return data if labels is None else data.merge(Confusion(_label_names(labels), declared=True))
    if isinstance(data, CrossTable):
        if not data.confusion:
            raise LabelError("the cross table does not set actual against predicted labels of one kind.")
        return _confusion(
            data.counts if data.rows == "actual" else data.counts.T, _label_names(labels or data.labels)
        )
    if (
        isinstance(data, (list, tuple))
        and data
        and all(isinstance(row, (list, tuple, np.ndarray)) for row in data)
    ):
        if len({len(row) for row in data}) > 1:
            raise InputError("the table's rows are of different lengths: a row holds one count per label.")
        return _from_matrix(np.array(data), labels)
    if isinstance(data, np.ndarray) and data.ndim == 2:  # noqa: PLR2004 - rows and columns
        return _from_matrix(data, labels)
    if isinstance(data, Mapping):
        nested = bool(data) and all(isinstance(row, Mapping) for row in data.values())
        return _from_named_cells(list(data), list(data.values()), labels) if nested else None
    return _from_frame(data, labels)


def _from_frame(data: Any, labels: Sequence[Any] | None) -> Confusion | None:
    """Return the tally of a data frame of counts, by its row and column names or else by position."""
    columns = column_names(data)
    if columns is None:
        return None
    index = getattr(data, "index", None)  # pandas
    rows = [] if index is None or type(index).__name__ == "RangeIndex" else list(index)
    if not set(rows) & set(columns):
        if labels is None:
            return None
        if not set(map(plain_label, columns)) <= set(_label_names(labels)):  # no names: by position
            return _from_matrix(np.stack([np.asarray(data[name]) for name in columns], axis=1), labels)
        rows = list(_label_names(labels))
    values = {name: np.asarray(data[name]) for name in columns}
    cells = [{name: values[name][column] for name in columns} for column in range(len(data))]
    if len(rows) != len(cells):
        raise LabelError(
            f"the table has {count_of(len(cells), 'row')}, but {count_of(len(rows), 'label')}: {shown(rows)}."
        )
    if getattr(index, "name", None) == "predicted" or getattr(data.columns, "name", None) == "actual":
        cells = [{name: row[column] for name, row in zip(rows, cells, strict=True)} for column in columns]
        rows = list(columns)
    return _from_named_cells(rows, cells, labels)


def _from_named_cells(rows: list[Any], cells: list[Any], labels: Sequence[Any] | None) -> Confusion:
    """Return the tally of named cells: for each actual label a mapping from predicted label to count.

    A label that was never predicted, or never occurred, may have no column or no row.
    """
    cells_by_label = {plain_label(row): {plain_label(name): count for name, count in cell.items()}
             for row, cell in zip(rows, cells, strict=True)}  # fmt: skip
    if len(cells_by_label) != len(rows):
        raise LabelError(f"two rows of the table have one name: {shown(rows)}.")
    names_present = dict.fromkeys(
        [*cells_by_label, *(name for cell in cells_by_label.values() for name in cell)]
    )
    names = _label_names(list(names_present) if labels is None else labels)
    if unknown := [name for name in names_present if name not in names]:
        raise LabelError(f"the table names {shown(unknown)}, which is not among the labels: {shown(names)}.")
    counts = np.array([[cells_by_label.get(row, {}).get(name, 0) for name in names] for row in names])
    if counts.dtype.kind not in "biuf":
        raise InputError("a ready table holds counts, but this one holds text: name columns by role instead.")
    if len(names) > 2 and _are_totals(counts):  # noqa: PLR2004 - two classes and their totals
        raise InputError(
            f"the table's last row and column, {shown(names[-1:])}, are totals of the others: leave them out."
        )
    return _confusion(counts, names)


def _are_totals(counts: Any) -> bool:
    """Tell whether the last row and column are sums of those before."""
    inner = counts[:-1, :-1]
    rows, columns = (counts[-1, :-1] == inner.sum(0)).all(), (counts[:-1, -1] == inner.sum(1)).all()
    return bool(rows and columns and counts[-1, -1] == inner.sum() > 0)


def table_task(tally: Confusion, positive: Label | None, task_name: str | None) -> tuple[Task, Confusion]:
    """Return the task of a table of counts, and the table as the task reads it."""
    decision = decide_table(tally, positive, task_name)
    table = decision.tallies({"confusion": tally})["confusion"]
    assert isinstance(table, Confusion)  # noqa: S101 - for the type checker
    return decision.task, table


def decide_table(tally: Confusion, positive: Label | None, task_name: str | None) -> TaskDecision:
    """Decide the task of a table of counts: as for rows whose labels are declared, those of the table."""
    if not tally.n:
        raise InputError("the table holds no rows: all its counts are 0.")
    if task_name not in (None, "binary", "multiclass", "ordinal"):
        raise InputError(
            f"a table of counts is no {task_name} task: use "
            f"{param('task', 'binary', 'multiclass', 'ordinal')}."
        )
    labels = list(tally.labels)
    each = rows(actual=labels, predicted=labels, labels=labels, positive=positive)
    return decide_task(ColumnProfile.of(each), TaskRequest.of(each, task_name, None), each)


def _label_names(labels: Sequence[Any]) -> Labels:
    if isinstance(labels, str):
        raise LabelError(f"{param('labels', labels)} is one text: pass a list of labels.")
    names = same_kind(tuple(map(plain_label, labels)))
    if len(set(names)) != len(names):
        raise LabelError(f"a label is declared twice: {shown(names)}.")
    return names


def _from_matrix(counts: Any, labels: Sequence[Any] | None) -> Confusion:
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
            f"a table of {len(counts)} by {len(counts)} counts needs {param('labels')}, in the order of "
            "its rows "
            "(actual) and columns (predicted)."
        )
    return _confusion(counts, _label_names(labels))


def _confusion(counts: Any, names: Labels) -> Confusion:
    """Return the tally of a square table of counts."""
    if len(names) != len(counts):
        raise LabelError(
            f"the table has {count_of(len(counts), 'row and column', 'rows and columns')}, "
            f"but {count_of(len(names), 'label')}: {shown(names)}."
        )
    bad = ~(np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts)))
    if bad.any():
        row, column = (int(index[0]) for index in np.nonzero(bad))
        where = f"actual {shown([names[row]])}, predicted {shown([names[column]])}"
        raise InputError(
            f"the table holds {counts[row, column]} ({where}), which is no count: counts are whole numbers, "
            "0 or more. Multiply shares by the number of rows behind them."
        )
    return Confusion.of_table(counts, names, declared=True)
