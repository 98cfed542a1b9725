"""Scores of several classes at once: one column per class, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, LabelError, LengthError, shown
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs.arrays import column, column_names, from_tensor, is_tensor
from assay.inputs.columns import Column, doubles
from assay.inputs.labels import Label, Labels, encode, plain_label

if TYPE_CHECKING:
    from assay.inputs.columns import Array
    from assay.inputs.frames import Table

__all__ = ["class_labels", "class_scores"]


def class_scores(values: Any, table: Table | None, name: str) -> tuple[Column, Labels | None] | None:
    """Return several columns of scores as one column of rows, and the classes' labels where they are stated.

    None where the values are a single column. A mapping says which column is whose by its keys, and columns
    may be named after their classes; of a plain two-dimensional array only the order is known.
    """
    if type(values) is np.ndarray and values.ndim == 1:
        return None
    if isinstance(values, Mapping):
        labels = tuple(plain_label(label) for label in values)
        columns = [
            table.column(item)
            if table is not None and isinstance(item, str)
            else column(item, f"{name} of {label}")
            for label, item in values.items()
        ]
        return _joined(columns, name), labels
    if isinstance(values, (list, tuple)) and values:
        if table is not None and all(isinstance(item, str) or table.has(item) for item in values):
            return _joined([table.column(item) for item in values], name), _labels_of_names(list(values))
        if not isinstance(values[0], (list, tuple, np.ndarray)):
            return None
        values = _array(values, name)
    names = None if type(values) is np.ndarray else column_names(values)
    if names is not None and len(names) > 1:
        return _joined([column(values[item], str(item)) for item in names], name), _labels_of_names(names)
    shape = tuple(getattr(values, "shape", ()))
    if names is None and len(shape) == 2 and shape[1] != 1:  # noqa: PLR2004 - rows and columns
        array = from_tensor(values, name) if is_tensor(values) else np.asarray(values)
        if array.dtype.kind not in "biuf":
            raise ColumnError(f"{name} has dtype {array.dtype} where numbers are needed, a column per class.")
        return _matrix(array if array.dtype in (np.float32, np.float64) else doubles(array), name), None
    return None


def class_labels(
    scores: Column,
    column_labels: Labels | None,
    declared: Labels | None,
    actual: Column | None,
    *,
    listed: bool = False,
) -> Labels:
    """Return the labels of the score columns in their order, or raise where it cannot be known.

    Names of columns are taken for labels where every known label is among them; otherwise declared
    labels, or those that occur, name the columns in order, one each. `listed` columns are in a stated
    order, so that names which are no labels at all do not matter.
    """
    width = scores.values.shape[1]
    labels = declared
    if labels is None:
        labels = () if actual is None else encode(actual)[1]
    if column_labels is not None and labels and set(labels) <= set(column_labels):
        return column_labels
    in_order = declared is not None or listed
    unrelated = column_labels is None or (in_order and not set(column_labels) & set(labels))
    if len(labels) == width and unrelated:
        return labels
    columns = f"{width} columns" if column_labels is None else f"the columns {shown(column_labels)}"
    origin = "declared" if declared is not None else "in actual"
    raise LabelError(
        f"{scores.name} has {columns}, but the labels {origin} are {shown(labels) or 'none'}: "
        f"say whose column each one is, in order, with {param('labels')}."
    )


def _joined(columns: list[Column], name: str) -> Column:
    if not columns:
        raise ColumnError(f"{name} has no columns: pass one per class.")
    for class_column in columns:
        if len(class_column) != len(columns[0]):
            raise LengthError(
                f"{columns[0].name} has {count_of(len(columns[0]), 'value')}, "
                f"{class_column.name} has {len(class_column):,}."
            )
    masks = [class_column.missing for class_column in columns if class_column.missing is not None]
    numbers = [class_column.numbers("scores") for class_column in columns]
    joined = _matrix(np.stack(numbers, axis=1), name)
    for mask in masks:
        joined.missing = mask if joined.missing is None else joined.missing | mask
    joined.place = columns[0].place
    return joined


def _matrix(array: Array, name: str) -> Column:
    absent: Array = np.any(np.isnan(array), axis=1)
    return Column(name, np.ascontiguousarray(array), missing=absent if absent.any() else None)


def _array(rows: Any, name: str) -> Array:
    try:
        return np.asarray(rows, dtype=np.float64)
    except (ValueError, TypeError):
        lengths = sorted({len(row) for row in rows if hasattr(row, "__len__")})
        what = f"rows of {shown(lengths)} values" if len(lengths) > 1 else "values that are no numbers"
        raise ColumnError(f"{name} has {what}: a row holds one number per class.") from None


def _labels_of_names(names: list[Any]) -> Labels | None:
    """Return a frame's column names where they can be labels."""
    labels: list[Label] = []
    for name in names:
        try:
            labels.append(plain_label(name))
        except LabelError:
            return None
    return tuple(labels)
