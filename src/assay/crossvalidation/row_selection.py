"""Rows chosen for a model, in the form in which they came; large arrays into memory that is used again."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LengthError, shown

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = ["RowBuffers", "choose", "count_rows"]

_LARGE = 1 << 20  # bytes from which fresh memory costs more than what is copied into it


class RowBuffers(threading.local):
    """Memory for one worker's rows, fold after fold: fresh pages for each would cost more than the copying.

    It is lent again only when nobody holds any of it: a model that keeps its rows, or an answer that is a
    view of them, keeps that memory for good, and the next rows get another.
    """

    def __init__(self) -> None:
        self._lent: dict[str, Array] = {"": np.empty(0, dtype=np.uint8)}
        self._unheld = sys.getrefcount(self._lent[""])

    def rows(self, use: str, values: Any, index: Array) -> Any:
        """Return chosen rows for one use, such as training: two uses never share memory."""
        if not _is_plain(values):
            return choose(values, index)
        size = len(index) * (values.nbytes // len(values))
        if size < _LARGE:
            return choose(values, index)
        if len(self._lent.get(use, ())) < size or sys.getrefcount(self._lent[use]) > self._unheld:
            self._lent[use] = np.empty(max(size, values.nbytes), dtype=np.uint8)
        found = self._lent[use][:size].view(values.dtype).reshape(len(index), *values.shape[1:])
        # Row numbers were checked: to clip them is only to spare a second copy.
        return np.take(values, index, axis=0, out=found, mode="clip")


def _is_plain(values: Any) -> bool:
    """Tell whether values are an array whose rows lie in memory one after the other."""
    return (
        type(values) is np.ndarray
        and values.ndim > 1
        and values.flags.c_contiguous
        and not values.dtype.hasobject
        and values.nbytes >= _LARGE
    )


def count_rows(features: Any) -> int:
    """Return how many rows there are to learn from.

    >>> count_rows([[1, 2], [3, 4], [5, 6]]), count_rows({"a": [1, 2]})
    (3, 2)
    """
    if isinstance(features, Mapping):
        lengths = {len(values) for values in features.values()}
        if not lengths:
            raise LengthError("X has no columns.")
        if len(lengths) > 1:
            raise LengthError(f"the columns of X have different lengths: {shown(sorted(lengths))}.")
        return int(lengths.pop())
    try:
        shape = getattr(features, "shape", None)
        return int(shape[0]) if shape else len(features)
    except TypeError:
        advice = " Collect it first." if hasattr(features, "collect") else ""
        raise InputError(
            f"X is a {type(features).__name__}, whose rows cannot be counted and chosen: pass an array, a "
            f"frame, a sparse matrix, a list or a dict of columns.{advice}"
        ) from None


def choose(values: Any, index: Array) -> Any:
    """Return the rows of a number, in the form in which they came.

    >>> choose([10, 20, 30], np.array([2, 0])), choose({"a": [1, 2, 3]}, np.array([1]))
    ([30, 10], {'a': [2]})
    """
    if isinstance(values, Mapping):
        return {name: choose(column, index) for name, column in values.items()}
    if hasattr(values, "iloc"):  # pandas, where [] goes by labels
        return values.iloc[index]
    if isinstance(values, (list, tuple)):
        return [values[row] for row in index.tolist()]
    if type(values).__module__.partition(".")[0] == "pyarrow":
        return values.take(index)
    return values[index]
