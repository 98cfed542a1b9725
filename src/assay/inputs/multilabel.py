"""Several values per row: a column per label (0 and 1) or per output (numbers), or lists of labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, InputError, LabelError, LengthError, shown
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs.arrays import column, column_names, from_tensor, is_tensor
from assay.inputs.columns import Column
from assay.inputs.frames import Table, no_such_column
from assay.inputs.labels import plain_label, same_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs.columns import Array
    from assay.inputs.labels import Label, Labels

__all__ = [
    "are_graded",
    "are_label_lists",
    "are_rows_of_items",
    "are_sets",
    "as_lists",
    "has_several_columns",
    "has_several_outputs",
    "target_columns",
]

_ROW_TYPES = (list, tuple, set, frozenset, np.ndarray)
_TEXT_AS_SCORE = f"{param('score')} holds values that are not numbers: pass labels as {param('predicted')}."
_LIST_DTYPE_PREFIXES = ("object", "list", "large_list", "fixed_size_list", "array")


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


def has_several_columns(data: Any, values: Any) -> bool:
    """Whether a role has several values per row: a column per label or output, or lists of labels.

    >>> has_several_columns(None, [[1, 0], [0, 0]]), has_several_columns(None, [1, 0])
    (True, False)
    >>> has_several_columns({"a": [1], "b": [0]}, ["a", "b"]), has_several_columns(None, ["a", "b"])
    (True, False)
    """
    if type(values) is np.ndarray and values.dtype != object:
        return values.ndim == 2 and values.shape[1] != 1  # noqa: PLR2004 - rows and columns
    if isinstance(values, Column):
        return values.values.ndim > 1
    values = as_lists(data, values)
    if isinstance(values, (list, tuple)):
        first = next((row for row in values if not _is_missing(row)), None)
        if isinstance(first, str):
            names = [] if data is None else Table(data).names
            return all(isinstance(key, str) and key in names for key in values)
        return isinstance(first, (*_ROW_TYPES, Column)) or getattr(first, "ndim", 0) == 1
    columns = None if isinstance(values, np.ndarray) else column_names(values)
    if columns is not None:
        return len(columns) > 1
    shape = tuple(getattr(values, "shape", ()))
    return len(shape) == 2 and shape[1] != 1  # noqa: PLR2004


def has_several_outputs(data: Any, actual: Any, predicted: Any) -> bool:
    """Whether rows have several labels or outputs: of actual values, and of predictions where there are some.

    Lists of numbers of different lengths may be ranked lists, and are no labels unless that is stated.

    >>> has_several_outputs(None, [[1, 2], [3]], [[1], [3]]), has_several_outputs(None, [["a"], []], [[], []])
    (False, True)
    """
    if actual is None or (type(actual) is np.ndarray and actual.ndim == 1 and actual.dtype != object):
        return False
    if isinstance(actual, list) and actual and isinstance(actual[0], (int, float)):
        return False
    sides = [actual] if predicted is None else [actual, predicted]
    if not all(has_several_columns(data, side) for side in sides):
        return False
    return are_label_lists(data, *sides) or not any(_are_ragged(as_lists(data, side)) for side in sides)


def are_label_lists(data: Any, *sides: Any) -> bool:
    """Whether some of the columns can only be lists of labels."""
    return any(are_sets(as_lists(data, side)) for side in sides)


def _are_ragged(values: Any) -> bool:
    if not isinstance(values, (list, tuple)):
        return False
    return len({len(row) for row in values if hasattr(row, "__len__") and not isinstance(row, str)}) > 1


def target_columns(
    data: Any, *, actual: Any, predicted: Any, score: Any, labels: Sequence[Label] | None
) -> tuple[dict[str, Column], Labels]:
    """Return columns of several values per row by role, each a matrix, and the names of their columns.

    The names are the declared labels, the names of actual columns, or numbers from 0. Lists of labels become
    matrices of true and false. Predictions and scores are matched by name where they share names with the
    actual columns, else by position.

    >>> columns, labels = target_columns(
    ...     None, actual=[["cat", "dog"], []], predicted=[["dog"], ["owl"]], score=None, labels=None)
    >>> labels, columns["actual"].values.tolist()
    (('cat', 'dog', 'owl'), [[True, True, False], [False, False, False]])
    """
    declared = None if labels is None else _declared(labels)
    if hasattr(data, "collect"):  # a lazy frame
        data = data.collect()
    inputs = {"actual": actual, "predicted": predicted, "score": score}
    sides = {role: _read(data, values, role) for role, values in inputs.items() if values is not None}
    if isinstance(sides.get("score", (None,))[0], list):
        raise ColumnError(f"{param('score')} holds lists of labels: pass them as {param('predicted')}.")
    if "actual" not in sides:
        raise InputError(
            f"rows of several labels or outputs need {param('actual')}, a column for each of them."
        )
    named = {role: names for role, (_, names) in sides.items() if names is not None}
    lists = {
        role: values
        for role, (values, _) in sides.items()
        if role != "score" and (isinstance(values, list) or values.values.shape[1] == 0)
    }
    if lists and len(lists) < len(sides.keys() - {"score"}):
        raise ColumnError(
            "of actual and predicted, one is a table of 0 and 1 and the other lists of labels: pass both in "
            "the same form."
        )
    if lists:
        declared = declared or named.get("score")
        columns, names = _indicators_from_lists(lists, declared)
        columns |= {role: values for role, (values, _) in sides.items() if role == "score"}
    else:
        columns = {role: values for role, (values, _) in sides.items()}
        names = named.get("actual") or declared or _first(named) or _numbers_of(columns["actual"])
    count, width = columns["actual"].values.shape
    for role, matrix in columns.items():
        if len(matrix) != count:
            raise LengthError(f"actual has {count_of(count, 'row')}, {role} has {len(matrix):,}.")
        if matrix.values.shape[1] != width:
            raise LengthError(f"actual has {count_of(width, 'column')}, {role} has {matrix.values.shape[1]}.")
        if role != "actual" and role in named:
            columns[role] = _align_columns(matrix, names, named[role], role)
    names = declared or names
    if len(names) != width or len(set(names)) != width:
        raise LabelError(f"{width} columns need as many different labels, not {shown(names)}.")
    return columns, names


def _first(named: Mapping[str, Labels]) -> Labels | None:
    return next(iter(named.values()), None)


def _numbers_of(column: Column) -> Labels:
    return tuple(range(column.values.shape[1]))


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


def _read(data: Any, values: Any, role: str) -> tuple[Any, Labels | None]:
    """Return a matrix or a list of label lists, and the labels if the columns are named."""
    if data is not None and isinstance(values, str) and values not in _names_of(data):
        raise no_such_column(values, _names_of(data))
    values = as_lists(data, values)
    if hasattr(values, "toarray"):  # a sparse matrix
        values = values.toarray()
    if is_tensor(values):
        values = from_tensor(values, role)
    elif isinstance(values, (list, tuple)):
        values = [from_tensor(row, role) if is_tensor(row) else row for row in values]
    if isinstance(values, Column):
        return values if values.values.ndim > 1 else _joined([values], role), None
    if isinstance(values, Mapping):
        names = same_kind(tuple(map(plain_label, values)))
        return _joined([_one_column(data, value, str(key)) for key, value in values.items()], role), names
    if isinstance(values, list) and values and all(isinstance(value, Column) for value in values):
        return _joined(values, role), tuple(value.name for value in values)
    if (
        data is not None
        and isinstance(values, list)
        and values
        and all(isinstance(key, str) for key in values)
    ):
        table = Table(data)
        return _joined([table.column(key) for key in values], role), tuple(values)
    if (columns := None if isinstance(values, np.ndarray) else column_names(values)) is not None:
        joined = _joined([column(values[key], str(key)) for key in columns], role)
        return joined, same_kind(tuple(map(plain_label, columns)))
    if not isinstance(values, (np.ndarray, Iterable)):
        return column(values, role), None  # raises: one value is no column
    if not isinstance(values, np.ndarray):
        values = list(values)
        if not all(_is_missing(row) or isinstance(row, _ROW_TYPES) for row in values):
            bad_row = next(row for row in values if not isinstance(row, _ROW_TYPES))
            raise ColumnError(
                f"{role} holds {bad_row!r} where each row is a list of labels, or a row of 0 and 1: "
                f"for one label per row leave out {param('task', 'multilabel')}."
            )
        if are_sets(values) or len({-1 if _is_missing(row) else len(row) for row in values}) > 1:
            return values, None
    return _matrix(np.asarray(values), role), None


def _one_column(data: Any, value: Any, name: str) -> Column:
    return Table(data).column(value) if data is not None and isinstance(value, str) else column(value, name)


def _joined(columns: list[Column], role: str) -> Column:
    """Return columns of numbers side by side as one."""
    for each in columns:
        if len(each) != len(columns[0]):
            raise LengthError(
                f"{columns[0].name} has {count_of(len(columns[0]), 'value')}, {each.name} has {len(each):,}."
            )
    missing = None
    for each in columns:
        if (mask := each.absent()) is not None:
            missing = mask if missing is None else missing | mask
    values = np.stack([_numbers(each, role) for each in columns], axis=1)
    return Column(role, values, None, missing, columns[0].origin, columns[0].place)


def _numbers(each: Column, role: str) -> Array:
    if each.labels is not None and not each.labels:  # every row lacks a value
        return np.zeros(len(each))
    try:
        return each.plain_numbers("numbers, or 0 and 1,")
    except ColumnError:
        if role == "score":
            raise ColumnError(_TEXT_AS_SCORE) from None
        raise


def _matrix(table: Array, role: str) -> Column:
    """Return a two-dimensional array of numbers as a column; a row with a missing value is marked."""
    if table.ndim != 2:  # noqa: PLR2004 - rows and columns
        raise ColumnError(f"{role} has shape {table.shape}: a table with one column per label is needed.")
    missing = None
    if table.dtype == object:
        missing = np.array([any(_is_missing(value) for value in row) for row in table], dtype=bool)
        if missing.any():
            table = table.copy()
            table[missing] = 0
        table = np.array(table.tolist())
    if table.dtype.kind not in "biuf":
        if role == "score":
            raise ColumnError(_TEXT_AS_SCORE)
        raise ColumnError(
            f"{role} has dtype {table.dtype} where numbers, or 0 and 1, are needed, a column per label."
        )
    if table.dtype.kind == "f":
        if table.dtype.itemsize not in (4, 8):
            table = table.astype(np.float64)
        absent: Array = np.array(np.isnan(table).any(axis=1))
        missing = absent if missing is None else missing | absent
    if missing is not None and not missing.any():
        missing = None
    return Column(role, np.ascontiguousarray(table), None, missing)


def _is_missing(row: Any) -> bool:
    return row is None or (isinstance(row, float) and row != row)  # noqa: PLR0124 - NaN


def _align_columns(column: Column, actual_labels: Labels, labels: Labels, role: str) -> Column:
    """Return a matrix with columns in the order of the actual labels, where both name their columns.

    Columns whose names have nothing in common are matched by position.
    """
    if actual_labels == labels or not set(actual_labels) & set(labels):
        return column
    if set(actual_labels) != set(labels):
        unmatched = sorted(map(str, set(actual_labels) ^ set(labels)))
        raise LabelError(
            f"actual and {role} name different labels: {shown(unmatched)} is in one of them only. Give both "
            "the same columns, or pass them as arrays in the same order."
        )
    order = [labels.index(label) for label in actual_labels]
    return dataclasses.replace(column, values=np.ascontiguousarray(column.values[:, order]))


def _indicators_from_lists(
    sides: dict[str, Any], declared: Labels | None
) -> tuple[dict[str, Column], Labels]:
    """Return lists of labels as matrices of true and false, and the labels: those that occur, or declared."""
    lists: dict[str, list[Any]] = {
        role: side if isinstance(side, list) else [[] for _ in side.values] for role, side in sides.items()
    }
    missing = {role: np.array([_is_missing(row) for row in side], dtype=bool) for role, side in lists.items()}
    sets = {
        role: [set() if _is_missing(row) else {plain_label(label) for label in row} for row in side]
        for role, side in lists.items()
    }
    occurring = {label for side in sets.values() for row in side for label in row}
    labels = declared or tuple(sorted(same_kind(tuple(occurring))))
    if not labels:
        raise LabelError(
            f"no row has a label, and none was predicted: declare the labels with {param('labels')}."
        )
    if undeclared := occurring - set(labels):
        raise LabelError(f"{shown(sorted(undeclared))} is not among the declared labels: {shown(labels)}.")
    index_of = {label: index for index, label in enumerate(labels)}
    columns = {}
    for role, side in sets.items():
        table = np.zeros((len(side), len(labels)), dtype=bool)
        for index, row in enumerate(side):
            table[index, [index_of[label] for label in row]] = True
        columns[role] = Column(role, table, None, missing[role] if missing[role].any() else None)
    return columns, labels
