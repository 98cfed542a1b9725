"""Take rows of features and targets in the type they have; large arrays into reused memory."""

from __future__ import annotations

import collections
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.engines.batches import BufferPool
from assay.errors import InputError, LengthError, shown

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = ["RowBuffers", "count_rows", "take_rows"]

_MIN_REUSED_BYTES = 1 << 20  # from here on, new memory costs more time than the copying


class RowBuffers(threading.local):
    """Memory for one worker's rows, reused in every fold: new pages for each cost more than the copying.

    A buffer is reused only once no view of it is left: a model that keeps its rows, or a prediction that is a
    view of them, keeps that buffer, and the next rows get a new one.
    """

    def __init__(self) -> None:
        self._pools: collections.defaultdict[str, BufferPool] = collections.defaultdict(BufferPool)

    def rows(self, use: str, values: Any, index: Array) -> Any:
        """Return rows for one use, such as "train": two uses never share memory."""
        if not _is_contiguous(values):
            return take_rows(values, index)
        row_size = values.size // len(values)
        size = len(index) * row_size
        if size * values.itemsize < _MIN_REUSED_BYTES:
            return take_rows(values, index)
        # As much as all rows take, so that folds of different sizes share a buffer.
        array = self._pools[use].take(max(size, values.size), values.dtype)
        rows = array[:size].reshape(len(index), *values.shape[1:])
        # Row numbers are valid: mode="clip" only avoids a second copy, which "raise" makes.
        return np.take(values, index, axis=0, out=rows, mode="clip")


def _is_contiguous(values: Any) -> bool:
    """Tell whether values are an array whose rows lie in memory one after the other."""
    return (
        type(values) is np.ndarray
        and values.ndim > 1
        and values.flags.c_contiguous
        and not values.dtype.hasobject
        and values.nbytes >= _MIN_REUSED_BYTES
    )


def count_rows(features: Any) -> int:
    """Return the number of rows of X.

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
            f"X is a {type(features).__name__}, whose rows cannot be counted and taken: pass an array, a "
            f"frame, a sparse matrix, a list or a dict of columns.{advice}"
        ) from None


def take_rows(values: Any, index: Array) -> Any:
    """Return rows by their numbers, in the type of the values.

    >>> take_rows([10, 20, 30], np.array([2, 0])), take_rows({"a": [1, 2, 3]}, np.array([1]))
    ([30, 10], {'a': [2]})
    """
    if isinstance(values, Mapping):
        return {name: take_rows(column, index) for name, column in values.items()}
    if hasattr(values, "iloc"):  # pandas, where [] goes by labels
        return values.iloc[index]
    if isinstance(values, (list, tuple)):
        return [values[row] for row in index.tolist()]
    if type(values).__module__.partition(".")[0] == "pyarrow":
        return values.take(index)
    return values[index]
