"""Scores of several classes at once: one column per class, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, LabelError, LengthError, shown
from assay.hints import param
from assay.inputs.arrays import column, column_names, from_tensor, is_tensor
from assay.inputs.columns import Column, doubles
from assay.inputs.labels import Label, Labels, encode, plain_label

if TYPE_CHECKING:
    from assay.inputs.columns import Array
    from assay.inputs.frames import Table

__all__ = ["class_labels", "class_scores"]


def class_scores(values: Any, table: Table | None, name: str) -> tuple[Column, Labels | None] | None:
    """Return several columns of scores as one column of rows, and the classes' labels where they are said.

    None where the values are a single column. A mapping says which column is whose by its keys, and columns
    may be named after their classes; of a plain two-dimensional array only the order is known.
    """
    if type(values) is np.ndarray and values.ndim == 1:
        return None
    if isinstance(values, Mapping):
        labels = tuple(plain_label(label) for label in values)
        columns = [
            table.column(one)
            if table is not None and isinstance(one, str)
            else column(one, f"{name} of {label}")
            for label, one in values.items()
        ]
        return _joined(columns, name), labels
    if isinstance(values, (list, tuple)) and values:
        if table is not None and all(isinstance(one, str) or table.has(one) for one in values):
            return _joined([table.column(one) for one in values], name), _said(list(values))
        if not isinstance(values[0], (list, tuple, np.ndarray)):
            return None
        values = _array(values, name)
    names = None if type(values) is np.ndarray else column_names(values)
    if names is not None and len(names) > 1:
        return _joined([column(values[one], str(one)) for one in names], name), _said(names)
    shape = tuple(getattr(values, "shape", ()))
    if names is None and len(shape) == 2 and shape[1] != 1:  # noqa: PLR2004 - rows and columns
        array = from_tensor(values, name) if is_tensor(values) else np.asarray(values)
        if array.dtype.kind not in "biuf":
            raise ColumnError(f"{name} has dtype {array.dtype} where numbers are needed, a column per class.")
        return _matrix(array if array.dtype in (np.float32, np.float64) else doubles(array), name), None
    return None


def class_labels(
    scores: Column,
    said: Labels | None,
    declared: Labels | None,
    actual: Column | None,
    *,
    listed: bool = False,
) -> Labels:
    """Return the labels of the score columns in their order, or raise where it cannot be known.

    Names of columns are taken for labels where every known label is among them; otherwise declared
    labels, or those that occur, name the columns in order, one each. `listed` columns are in an order that
    was said, so that names which are no labels at all do not matter.
    """
    width = scores.values.shape[1]
    known = declared
    if known is None:
        known = () if actual is None else encode(actual)[1]
    if said is not None and known and set(known) <= set(said):
        return said
    strange = said is None or ((declared is not None or listed) and not set(said) & set(known))
    if len(known) == width and strange:
        return known
    columns = f"{width} columns" if said is None else f"the columns {shown(said)}"
    whose = "declared" if declared is not None else "in actual"
    raise LabelError(
        f"{scores.name} has {columns}, but the labels {whose} are {shown(known) or 'none'}: "
        f"say whose column each one is, in order, with {param('labels')}."
    )


def _joined(columns: list[Column], name: str) -> Column:
    if not columns:
        raise ColumnError(f"{name} has no columns: pass one per class.")
    for one in columns:
        if len(one) != len(columns[0]):
            raise LengthError(
                f"{columns[0].name} has {len(columns[0]):,} values, {one.name} has {len(one):,}."
            )
    masks = [one.missing for one in columns if one.missing is not None]
    numbers = [one.numbers("scores") for one in columns]
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


def _said(names: list[Any]) -> Labels | None:
    """Return a frame's column names where they can be labels."""
    labels: list[Label] = []
    for one in names:
        try:
            labels.append(plain_label(one))
        except LabelError:
            return None
    return tuple(labels)
