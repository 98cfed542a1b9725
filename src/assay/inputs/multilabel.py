"""Multilabel input: indicator tables of 0 and 1, or lists of labels per row."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, InputError, LabelError, LengthError, MissingValueError, shown
from assay.hints import param, passed
from assay.inputs import column, rows
from assay.inputs.arrays import column_names, from_tensor, is_tensor
from assay.inputs.frames import Table, no_such_column
from assay.inputs.labels import plain_label, same_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Label, Labels
    from assay.inputs.columns import Array

__all__ = ["LabelTables", "are_graded", "are_rows_of_items", "are_sets", "as_lists", "label_tables"]

_ROW_TYPES = (list, tuple, set, frozenset, np.ndarray)
_LIST_DTYPE_PREFIXES = ("object", "list", "large_list", "fixed_size_list", "array")


@dataclasses.dataclass(frozen=True, eq=False)
class LabelTables:
    """Two boolean indicator tables, one column per label, with the rows' weights and groups.

    ``origin`` holds the row numbers in the caller's data, if some rows were dropped.
    """

    actual: Array
    predicted: Array
    labels: Labels
    weight: Any = None
    group: Any = None
    inferred: tuple[str, ...] = ()
    dropped: int = 0
    origin: Array | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """The keyword arguments of the multilabel tally."""
        return {name: getattr(self, name) for name in ("actual", "predicted", "labels", "weight")}


def as_lists(data: Any, values: Any) -> Any:
    """Return a column of lists as a list of lists, and anything else unchanged."""
    if type(values) is np.ndarray and values.dtype != object:
        return values
    if isinstance(values, str):
        values = data[values] if data is not None and values in _names_of(data) else values
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    if not kind.startswith(_LIST_DTYPE_PREFIXES) or getattr(values, "ndim", 1) > 1:
        return values
    if isinstance(next(iter(values), None), str):
        return values
    to_list = next(name for name in ("to_pylist", "to_list", "tolist") if hasattr(values, name))
    return getattr(values, to_list)()


def are_rows_of_items(values: Any) -> bool:
    """Whether every value is a list of items."""
    return (
        isinstance(values, (list, tuple))
        and bool(values)
        and all(isinstance(row, _ROW_TYPES) for row in values)
    )


def are_graded(values: Any) -> bool:
    """Whether values are mappings from item to gain (graded relevance)."""
    return isinstance(values, (list, tuple)) and any(isinstance(row, Mapping) for row in values)


def are_sets(values: Any) -> bool:
    """Whether values can only be label sets: Python sets, or lists of text."""
    if not isinstance(values, (list, tuple)) or not values:
        return False
    present = [row for row in values if row is not None] if values[0] is None else values
    if not present or not all(
        row is None or isinstance(row, (list, tuple, set, frozenset)) for row in present
    ):
        return False
    return any(isinstance(row, (set, frozenset)) for row in present) or any(
        isinstance(label, str) for row in present if row is not None for label in row
    )


def label_tables(
    data: Any, *, actual: Any, predicted: Any, score: Any, threshold: float | None,
    labels: Sequence[Label] | None, weight: Any, group: Any, missing: str = "refuse",
) -> LabelTables:  # fmt: skip
    """Return the actual and predicted labels as indicator tables."""
    if actual is None or (predicted is None and score is None):
        raise InputError(
            f"multilabel rows need {param('actual')} and {param('predicted')}: tables of 0 and 1 with a "
            "column per label, "
            f"or lists of labels. Scores instead of predictions go to {param('score')}, with "
            f"{param('threshold')}."
        )
    if predicted is not None and (score is not None or threshold is not None):
        raise InputError(
            f"{param('predicted')} was passed, so {param('score')} and {param('threshold')} have no "
            "effect: leave them out."
        )
    names = None if labels is None else _declared(labels)
    if hasattr(data, "collect"):  # a lazy frame
        data = data.collect()
    role = "score" if predicted is None else "predicted"
    truth, truth_labels = _read(data, actual, "actual")
    guess, guess_labels = _read(data, score if predicted is None else predicted, role)
    if len(truth) != len(guess):
        raise LengthError(f"actual has {len(truth):,} rows, {role} has {len(guess):,}.")
    if not len(truth):
        raise InputError("there are no rows to evaluate.")
    extra_columns = {
        name: _column(data, values, name)
        for name, values in (("weight", weight), ("group", group))
        if values is not None
    }
    complete = _complete_rows({"actual": truth, role: guess, **extra_columns}, missing)
    origin = None if complete is None else np.flatnonzero(complete)
    if complete is not None:
        truth, guess = (_select_rows(side, complete) for side in (truth, guess))
        extra_columns = {name: extra.take(complete) for name, extra in extra_columns.items()}
    if predicted is None:
        guess = _apply_threshold(guess, threshold)
    inferred: tuple[str, ...] = ()
    if all(isinstance(side, list) or _has_no_columns(side) for side in (truth, guess)):
        truth, guess = (side if isinstance(side, list) else [[] for _ in side] for side in (truth, guess))
    if isinstance(truth, list) and isinstance(guess, list):
        truth, guess, names = _indicators_from_lists(truth, guess, names)
    elif isinstance(truth, list) or isinstance(guess, list):
        raise ColumnError(
            "of actual and predicted, one is a table of 0 and 1 and the other lists of labels: pass both in "
            "the same form."
        )
    else:
        guess = _align_columns(guess, truth_labels, guess_labels, role)
        names = names or truth_labels or guess_labels or tuple(range(truth.shape[1]))
        inferred = ("the tables hold 0 and 1, a column per label",)
    weighted = rows(actual=np.zeros(len(truth), dtype=np.int64), **extra_columns)
    if not len(weighted):
        raise InputError("there are no rows to evaluate.")
    dropped = 0 if complete is None else int(np.count_nonzero(~complete))
    weight, group = extra_columns.get("weight"), extra_columns.get("group")
    return LabelTables(truth, guess, names, weight, group, inferred, dropped, origin)


def _declared(labels: Any) -> Labels:
    if isinstance(labels, str):
        raise LabelError(f"{param('labels', labels)} is one text: pass a list of labels.")
    return same_kind(tuple(map(plain_label, labels)))


def _names_of(data: Any) -> list[Any]:
    """Return the column names of a table in memory; an empty list for anything else."""
    if isinstance(data, Mapping):
        return list(data)
    if hasattr(data, "collect"):  # a lazy frame: Table.column reads its columns
        return []
    return column_names(data) or list(getattr(getattr(data, "dtype", None), "names", None) or ())


def _column(data: Any, values: Any, name: str) -> Any:
    return (
        Table(data).column(values) if data is not None and isinstance(values, str) else column(values, name)
    )


def _read(data: Any, values: Any, name: str) -> tuple[Any, Labels | None]:
    """Return an indicator table or a list of label lists, and the labels if the columns are named."""
    if data is not None and isinstance(values, str) and values not in _names_of(data):
        raise no_such_column(values, _names_of(data))
    values = as_lists(data, values)
    if hasattr(values, "toarray"):  # a sparse matrix
        values = values.toarray()
    if is_tensor(values):
        values = from_tensor(values, name)
    elif isinstance(values, (list, tuple)):
        values = [from_tensor(row, name) if is_tensor(row) else row for row in values]
    if (
        data is not None
        and isinstance(values, (list, tuple))
        and values
        and all(isinstance(key, str) for key in values)
    ):
        known = _names_of(data)
        if unknown := [key for key in values if key not in known]:
            raise no_such_column(unknown[0], known)
        return np.stack([np.asarray(data[key]) for key in values], axis=1), tuple(values)
    if (names := None if isinstance(values, np.ndarray) else column_names(values)) is not None:
        table = np.stack([np.asarray(values[key]) for key in names], axis=1)
        return table, same_kind(tuple(map(plain_label, names)))
    if not isinstance(values, np.ndarray):
        values = list(values)
        if not all(_is_missing(row) or isinstance(row, _ROW_TYPES) for row in values):
            bad_row = next(row for row in values if not isinstance(row, _ROW_TYPES))
            raise ColumnError(
                f"{name} holds {bad_row!r} where each row is a list of labels, or a row of 0 and 1: "
                f"for one label per row leave out {param('task', 'multilabel')}."
            )
        if are_sets(values) or len({-1 if _is_missing(row) else len(row) for row in values}) > 1:
            return values, None
    table = np.asarray(values)
    if table.ndim != 2:  # noqa: PLR2004 - rows and columns
        raise ColumnError(f"{name} has shape {table.shape}: a table with one column per label is needed.")
    return table, None


def _is_missing(row: Any) -> bool:
    return row is None or (isinstance(row, float) and row != row)  # noqa: PLR0124 - NaN


def _complete_rows(columns: dict[str, Any], missing: str) -> Array | None:
    """Return a mask of rows without missing values, None if all are complete; raise if missing="refuse"."""
    if str(missing) not in ("refuse", "drop"):
        raise InputError(f'{passed("missing", missing)} is not known: use "refuse" or "drop".')
    incomplete = np.zeros(len(columns["actual"]), dtype=bool)
    mask: Array | None
    for name, values in columns.items():
        if isinstance(values, list):
            mask = np.array([_is_missing(row) for row in values], dtype=bool)
        elif isinstance(values, np.ndarray):
            mask = _rows_with_missing(values)
        else:
            mask = values.absent()
        if mask is None or not mask.any() or len(mask) != len(incomplete):
            continue
        if missing == "refuse":
            raise MissingValueError(
                f"{name} has a missing value (row {int(np.argmax(mask)):,}, counting from 0). "
                f"{param('missing', 'drop')} leaves such rows out and counts them; or fill them first."
            )
        incomplete |= mask
    return ~incomplete if incomplete.any() else None


def _rows_with_missing(table: Array) -> Array | None:
    """Return a mask of the rows of a table with a missing value, None if its type has none."""
    if table.dtype.kind == "f":
        return np.array(np.isnan(table).any(axis=1))
    if table.dtype == object:
        return np.array([any(_is_missing(value) for value in row) for row in table], dtype=bool)
    return None


def _select_rows(side: Any, mask: Array) -> Any:
    if isinstance(side, list):
        return [row for row, selected in zip(side, mask, strict=True) if selected]
    rows_left = side[mask]
    return rows_left if side.dtype != object else np.array(rows_left.tolist())


def _has_no_columns(side: Any) -> bool:
    """Whether every row is an empty list, read as a table without columns."""
    return isinstance(side, np.ndarray) and side.shape[1] == 0


def _align_columns(predicted: Array, actual_labels: Labels | None, labels: Labels | None, role: str) -> Array:
    """Return predictions with columns in the order of the actual labels, if both tables name their columns.

    Tables whose names have nothing in common are matched by position.
    """
    if actual_labels is None or labels is None or actual_labels == labels:
        return predicted
    if not set(actual_labels) & set(labels):
        return predicted
    if set(actual_labels) != set(labels):
        unmatched = sorted(map(str, set(actual_labels) ^ set(labels)))
        raise LabelError(
            f"actual and {role} name different labels: {shown(unmatched)} is in one of them only. Give both "
            "the same columns, or pass them as arrays in the same order."
        )
    return predicted[:, [labels.index(label) for label in actual_labels]]


def _apply_threshold(scores: Any, threshold: float | None) -> Any:
    if isinstance(scores, list):
        raise ColumnError(f"{param('score')} holds lists of labels: pass them as {param('predicted')}.")
    if threshold is None:
        raise InputError(
            f"{param('score')} needs {param('threshold')}: labels with a score at or above it are predicted."
        )
    try:
        numbers = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise ColumnError(
            f"{param('score')} holds values that are not numbers: pass labels as {param('predicted')}."
        ) from None
    return numbers >= threshold


def _indicators_from_lists(
    truth: list[Any], guess: list[Any], names: Labels | None
) -> tuple[Array, Array, Labels]:
    """Return lists of labels as indicator tables; the labels are those that occur, unless declared."""
    occurring = {plain_label(label) for side in (truth, guess) for row in side for label in row}
    labels_found = same_kind(tuple(occurring))
    labels = names or tuple(sorted(labels_found))
    if not labels:
        raise LabelError(
            f"no row has a label, and none was predicted: declare the labels with {param('labels')}."
        )
    if undeclared := occurring - set(labels):
        raise LabelError(f"{shown(sorted(undeclared))} is not among the declared labels: {shown(labels)}.")
    index_of = {label: index for index, label in enumerate(labels)}
    tables = []
    for side in (truth, guess):
        table = np.zeros((len(side), len(labels)), dtype=bool)
        for index, row in enumerate(side):
            table[index, [index_of[plain_label(label)] for label in row]] = True
        tables.append(table)
    return tables[0], tables[1], labels
