"""Rows that may have several labels each: tables of 0 and 1, or lists of labels."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, InputError, LabelError, LengthError, shown
from assay.inputs import rows
from assay.inputs.arrays import column_names
from assay.inputs.labels import plain_label, same_kind
from assay.tallies import LabelSets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Label, Labels
    from assay.inputs.columns import Array

__all__ = ["LabelTables", "are_rows_of_items", "are_sets", "label_tables"]

_ROW = (list, tuple, set, frozenset, np.ndarray)


@dataclasses.dataclass(frozen=True, eq=False)
class LabelTables:
    """Two tables of truth values, a row per row and a column per label, with the rows' weights and groups."""

    actual: Array
    predicted: Array
    labels: Labels
    weight: Any = None
    group: Any = None
    inferred: tuple[str, ...] = ()

    def tally(self) -> LabelSets:
        """Return the tally of the rows."""
        return LabelSets.of_indicators(**self.columns)

    @property
    def columns(self) -> dict[str, Any]:
        """The tables, their labels and the rows' weights, as a tally takes them."""
        return {name: getattr(self, name) for name in ("actual", "predicted", "labels", "weight")}


def are_rows_of_items(values: Any) -> bool:
    """Tell whether values hold a list of items each."""
    return isinstance(values, (list, tuple)) and bool(values) and all(isinstance(row, _ROW) for row in values)


def are_sets(values: Any) -> bool:
    """Tell whether values hold rows of labels that cannot be anything else: sets, or lists of text."""
    if not isinstance(values, (list, tuple)) or not values:
        return False
    if not all(isinstance(row, (list, tuple, set, frozenset)) for row in values):
        return False
    return any(isinstance(row, (set, frozenset)) for row in values) or any(
        isinstance(one, str) for row in values for one in row
    )


def label_tables(
    data: Any, *, actual: Any, predicted: Any, score: Any, threshold: float | None,
    labels: Sequence[Label] | None, weight: Any, group: Any,
) -> LabelTables:  # fmt: skip
    """Return the tables of what was true and what was predicted."""
    if actual is None or (predicted is None and score is None):
        raise InputError(
            "rows of several labels need actual= and predicted=: tables of 0 and 1 with a column per label, "
            "or lists of labels. Scores instead of predictions go to score=, with threshold=."
        )
    if predicted is not None and (score is not None or threshold is not None):
        raise InputError(
            "predicted= is given, so that score= and threshold= have no use here: leave them out."
        )
    truth, own = _read(data, actual, "actual")
    given, theirs = _read(
        data, score if predicted is None else predicted, "score" if predicted is None else "predicted"
    )
    if predicted is None:
        given = _cut(given, threshold)
    names = None if labels is None else same_kind(tuple(map(plain_label, labels)))
    said: tuple[str, ...] = ()
    if isinstance(truth, list) and isinstance(given, list):
        truth, given, names = _of_lists(truth, given, names)
    elif isinstance(truth, list) or isinstance(given, list):
        raise ColumnError(
            "of actual and predicted one is a table of 0 and 1, the other lists of labels: pass both alike."
        )
    else:
        names = names or own or theirs or tuple(range(truth.shape[1]))
        said = ("the tables hold 0 and 1, a column per label",)
    columns = {
        name: _column(data, one) for name, one in (("weight", weight), ("group", group)) if one is not None
    }
    about = rows(actual=np.zeros(len(truth), dtype=np.int64), **columns)
    weights = None if weight is None else columns["weight"]
    tables = LabelTables(truth, given, names, weights, columns.get("group"), said)
    if len(truth) != len(given):
        raise LengthError(f"actual has {len(truth):,} rows, predicted has {len(given):,}.")
    if not len(about):
        raise InputError("there are no rows to judge.")
    return tables


def _column(data: Any, one: Any) -> Any:
    return data[one] if data is not None and isinstance(one, str) else one


def _read(data: Any, values: Any, name: str) -> tuple[Any, Labels | None]:
    """Return a table of numbers, or a list of rows of labels; with the labels that columns are named by."""
    if data is not None and isinstance(values, str):
        values = data[values]
    if (
        data is not None
        and isinstance(values, (list, tuple))
        and values
        and all(isinstance(one, str) for one in values)
    ):
        known = column_names(data) or list(data)
        if lacking := [one for one in values if one not in known]:
            raise ColumnError(f"there is no column {shown(lacking)}. Columns: {shown(known, 12)}.")
        return np.stack([np.asarray(data[one]) for one in values], axis=1), tuple(values)
    if (names := None if isinstance(values, np.ndarray) else column_names(values)) is not None:
        table = np.stack([np.asarray(values[one]) for one in names], axis=1)
        return table, same_kind(tuple(map(plain_label, names)))
    if not isinstance(values, np.ndarray):
        values = list(values)
        if not all(isinstance(row, _ROW) for row in values):
            odd = next(row for row in values if not isinstance(row, _ROW))
            raise ColumnError(
                f"{name} holds {odd!r} where each row is a list of labels, or a row of 0 and 1: "
                'for one label a row leave out kind="multilabel".'
            )
        if are_sets(values) or len({len(row) for row in values}) > 1:
            return values, None
    table = np.asarray(values)
    if table.ndim != 2:  # noqa: PLR2004 - rows and columns
        raise ColumnError(f"{name} has shape {table.shape}: a row per row and a column per label are needed.")
    return table, None


def _cut(scores: Any, threshold: float | None) -> Any:
    if isinstance(scores, list):
        raise ColumnError("score= holds lists of labels: pass them as predicted=.")
    if threshold is None:
        raise InputError(
            "score= says how likely each label is: say with threshold= from where it is predicted."
        )
    numbers = np.asarray(scores, dtype=np.float64)
    if np.isnan(numbers).any():
        raise InputError(f"score has a missing value (row {int(np.argwhere(np.isnan(numbers))[0, 0]):,}).")
    return numbers >= threshold


def _of_lists(truth: list[Any], given: list[Any], names: Labels | None) -> tuple[Array, Array, Labels]:
    """Return lists of labels as tables; the labels are those that occur unless they are declared."""
    found = {plain_label(label) for side in (truth, given) for row in side for label in row}
    kinds = same_kind(tuple(found))
    labels = names or tuple(sorted(kinds))
    if strange := found - set(labels):
        raise LabelError(f"{shown(sorted(strange))} is not among the declared labels: {shown(labels)}.")
    place = {label: index for index, label in enumerate(labels)}
    tables = []
    for side in (truth, given):
        table = np.zeros((len(side), len(labels)), dtype=bool)
        for index, row in enumerate(side):
            table[index, [place[plain_label(label)] for label in row]] = True
        tables.append(table)
    return tables[0], tables[1], labels
