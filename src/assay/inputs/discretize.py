"""Discretize the columns to slice by: text and booleans unchanged, numbers cut at edges or quartiles."""

from __future__ import annotations

import dataclasses
import difflib
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, InputError, shown
from assay.hints import param
from assay.inputs import Column, cut, encode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.inputs import Rows

__all__ = ["MAX_DISTINCT_INTEGERS", "MAX_SLICES", "check_edges", "sliceable", "too_many", "with_slices"]

MAX_DISTINCT_INTEGERS = 12  # distinct integers, up to which a column counts as categorical
MAX_SLICES = 1000  # slices in one table
_SIGNIFICANT_DIGITS = 3  # of an edge, relative to the range of the column


def with_slices(rows: Rows, edges: Mapping[str, Sequence[float]] | None = None) -> Rows:
    """Return rows whose `by` columns are all labels, with distinct names.

    >>> import assay
    >>> rows = assay.rows({"y": [0, 1], "age": [31, 64]}, actual="y", predicted="y", by="age")
    >>> with_slices(rows, {"age": [50]}).by[0].labels
    ('1: below 50', '2: 50 or more')
    """
    names = [column.name for column in rows.by]
    if len(set(names)) < len(names):
        names = [f"{name} {number}" for number, name in enumerate(names, 1)]
    check_edges(names, edges)
    if not names:
        return rows
    discretized = tuple(
        sliceable(dataclasses.replace(column, name=name), (edges or {}).get(name))
        for column, name in zip(rows.by, names, strict=True)
    )
    return dataclasses.replace(rows, by=discretized)


def check_edges(names: Sequence[str], edges: Mapping[str, Sequence[float]] | None) -> None:
    """Raise if `edges` names a column that is not in `by`."""
    for name in edges or {}:
        if name not in names:
            similar = difflib.get_close_matches(str(name), names, n=1)
            suggestion = f' Did you mean "{similar[0]}"?' if similar else ""
            advice = f"{param('by')} has {shown(names)}" if names else f"name it in {param('by')} as well"
            raise ColumnError(
                f"{param('edges')} cuts {shown([name])}, which is not sliced by: {advice}.{suggestion}"
            )


def too_many(count: int, by: str) -> InputError:
    """Return the error for too many slices."""
    return InputError(
        f"there are {count:,} slices by {by}, and at most {MAX_SLICES:,} are allowed: merge some labels "
        f"first, or cut numbers with {param('edges')}. For clustered rows use {param('group')}."
    )


def sliceable(column: Column, edges: Sequence[float] | None = None) -> Column:
    """Return a column as labels to slice by: cut at the edges, or at its quartiles if it is continuous.

    Whole numbers with few distinct values are categorical. Quartiles are rounded so that the labels are
    readable, and the rows are cut at the rounded quartiles.

    >>> import assay
    >>> sliceable(assay.column([1.5, 2.5, 3.5, 4.5], "hours")).labels
    ('1: below 2.5', '2: 2.5 to below 3.5', '3: 3.5 to below 4.5', '4: 4.5 or more')
    """
    column.refuse_missing()
    if column.labels is not None or column.values.dtype.kind == "b":
        if edges is not None:
            what = "text" if column.labels is not None else "true and false"
            raise ColumnError(f"{param('edges')} cuts numbers, but {column.name} holds {what}.")
        return column
    if column.values.dtype.kind == "f" and np.isnan(column.values).any():
        column.raise_missing(int(np.argmax(np.isnan(column.values))))
    if edges is not None:
        return cut(column, edges)
    if _is_categorical(column):
        return column
    quartiles = _quartiles(column.values)
    return cut(column, quartiles) if quartiles else _single_label(column)


def _is_categorical(column: Column) -> bool:
    """Whether numbers are whole and have few distinct values."""
    values = column.values
    if values.dtype.kind == "f" and not (np.isfinite(values) & (values == np.floor(values))).all():
        return False
    return len(encode(column)[1]) <= MAX_DISTINCT_INTEGERS


def _quartiles(values: Any) -> list[float]:
    """Return the quartiles, rounded if rows then remain below and above each of them."""
    ranks = [len(values) * quarter // 4 for quarter in (1, 2, 3)]  # at most so many rows lie below each
    exact = np.partition(values, ranks)[ranks].astype(np.float64)
    minimum, maximum = float(values.min()), float(values.max())
    exact = exact[np.isfinite(exact)]
    spread = maximum - minimum
    rounded = exact
    if 0 < spread < math.inf:
        rounded = np.round(exact, _SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(spread)))
    for edges in (rounded, exact):
        inside = [edge for edge in dict.fromkeys(edges.tolist()) if minimum < edge <= maximum]
        if inside:
            return inside
    return [maximum] if minimum < maximum < math.inf else []


def _single_label(column: Column) -> Column:
    """Return a constant column as a single label."""
    return Column(
        column.name, np.zeros(len(column), dtype=np.uint8), (f"{column.values[0]:g}",), origin=column.origin
    )
