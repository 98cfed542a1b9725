"""Columns out of a table: a mapping, a structured array, or any data frame narwhals knows."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import ColumnError, shown
from assay.inputs.columns import Column, column

__all__ = ["Table"]


class Table:
    """A table of the caller's, from which columns are taken by name."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self._frame: Any = None
        if isinstance(data, Mapping):
            self._names = [str(name) for name in data]
        elif isinstance(data, np.ndarray) and data.dtype.names is not None:
            self._names = list(data.dtype.names)
        else:
            self._frame = _narwhals_frame(data)
            self._names = list(self._frame.collect_schema().names())
        repeated = {name for name in self._names if self._names.count(name) > 1}
        self._repeated = repeated

    def column(self, name: str) -> Column:
        """Return the named column, or raise with the names that are near."""
        if name not in self._names:
            near = difflib.get_close_matches(name, self._names, n=1)
            hint = f' Did you mean "{near[0]}"?' if near else ""
            raise ColumnError(f'there is no column "{name}".{hint} Columns: {shown(self._names, 12)}.')
        if name in self._repeated:
            raise ColumnError(f'two columns are named "{name}": rename one of them.')
        if self._frame is None:
            return column(self._data[name], name)
        frame = self._frame
        if hasattr(frame, "collect"):  # a lazy frame reads only what is asked for
            frame = frame.select(name).collect()
        return column(frame[name].to_native(), name)


def _narwhals_frame(data: Any) -> Any:
    import narwhals.stable.v2 as nw  # noqa: PLC0415 - costs 65 ms, and only frames need it

    try:
        frame = nw.from_native(data)
    except TypeError:
        raise ColumnError(
            f"the data is a {type(data).__name__}, which is no table assay knows. Pass a data frame "
            "(pandas, Polars, pyarrow, any that narwhals supports), a dict of columns, or arrays."
        ) from None
    return frame
