"""Columns to slice by, as labels: text and truth as they are, numbers cut at edges or at their quartiles."""

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

__all__ = ["FEW", "MOST", "check_edges", "sliceable", "too_many", "with_slices"]

FEW = 12  # different whole numbers that are taken for names, not for a quantity
MOST = 1000  # slices that anyone would read
_DIGITS = 3  # of an edge, counted from the first digit of the range


def with_slices(rows: Rows, edges: Mapping[str, Sequence[float]] | None = None) -> Rows:
    """Return rows whose slicing columns are all labels, under names of their own.

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
    cut_up = tuple(
        sliceable(dataclasses.replace(column, name=name), (edges or {}).get(name))
        for column, name in zip(rows.by, names, strict=True)
    )
    return dataclasses.replace(rows, by=cut_up)


def check_edges(names: Sequence[str], edges: Mapping[str, Sequence[float]] | None) -> None:
    """Raise where a column is cut that is not sliced by."""
    for wanted in edges or {}:
        if wanted not in names:
            near = difflib.get_close_matches(str(wanted), names, n=1)
            hint = f' Did you mean "{near[0]}"?' if near else ""
            held = f"{param('by')} has {shown(names)}" if names else f"name it in {param('by')} as well"
            raise ColumnError(
                f"{param('edges')} cuts {shown([wanted])}, which is not sliced by: {held}.{hint}"
            )


def too_many(count: int, by: str) -> InputError:
    """Return the error for more slices than anyone would read."""
    return InputError(
        f"there are {count:,} slices by {by}, where {MOST:,} are the most: join some labels first, or cut "
        f"numbers with {param('edges')}. Rows that belong together are {param('group')}."
    )


def sliceable(column: Column, edges: Sequence[float] | None = None) -> Column:
    """Return a column as labels to slice by: cut at the edges, or at its quartiles where it is a quantity.

    Whole numbers of few different values are taken for names. Quartiles are rounded, so that their names can
    be read, and the rows are cut where the rounded ones are.

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
    if _are_names(column):
        return column
    found = _quartiles(column.values)
    return cut(column, found) if found else _whole(column)


def _are_names(column: Column) -> bool:
    """Tell whether numbers are whole and of few different values."""
    values = column.values
    if values.dtype.kind == "f" and not (np.isfinite(values) & (values == np.floor(values))).all():
        return False
    return len(encode(column)[1]) <= FEW


def _quartiles(values: Any) -> list[float]:
    """Return the quartiles, rounded where that leaves rows below and above each of them."""
    places = [len(values) * quarter // 4 for quarter in (1, 2, 3)]  # so many rows lie below each, or fewer
    exact = np.partition(values, places)[places].astype(np.float64)
    least, largest = float(values.min()), float(values.max())
    exact = exact[np.isfinite(exact)]
    spread = largest - least
    rounded = exact
    if 0 < spread < math.inf:
        rounded = np.round(exact, _DIGITS - 1 - math.floor(math.log10(spread)))
    for edges in (rounded, exact):
        inside = [edge for edge in dict.fromkeys(edges.tolist()) if least < edge <= largest]
        if inside:
            return inside
    return [largest] if least < largest < math.inf else []


def _whole(column: Column) -> Column:
    """Return a column of one value as one label."""
    return Column(
        column.name, np.zeros(len(column), dtype=np.uint8), (f"{column.values[0]:g}",), origin=column.origin
    )
