"""Columns out of a table: a mapping, a structured array, or any data frame narwhals knows."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, shown
from assay.inputs.arrays import column
from assay.inputs.python_objects import type_name

if TYPE_CHECKING:
    from assay.inputs.columns import Column

__all__ = ["Table", "no_such_column"]


class Table:
    """A table of the caller's, from which columns are taken by name."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self._frame: Any = None
        if isinstance(data, Mapping):
            self.names = list(data)
        elif isinstance(data, np.ndarray) and data.dtype.names is not None:
            self.names = list(data.dtype.names)
        elif type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns"):
            self.names = list(data.columns)
        else:
            self._frame = _narwhals_frame(data)
            self.names = _read(lambda: list(self._frame.collect_schema().names()))

    def has(self, name: Any) -> bool:
        """Tell whether this names a column."""
        try:
            return name in self.names
        except (TypeError, ValueError):  # an array, which compares element by element
            return False

    def column(self, name: Any) -> Column:
        """Return the named column, or raise with the names that are near."""
        return column(self.values(name), str(name))

    def values(self, name: Any) -> Any:
        """Return the named column as the table has it, or raise with the names that are near."""
        if not self.has(name):
            raise no_such_column(name, self.names)
        if self.names.count(name) > 1:
            raise ColumnError(f'two columns are named "{name}": rename one of them.')
        if self._frame is None:
            return self._data[name]
        frame = self._frame
        if hasattr(frame, "collect"):  # a lazy frame reads only what is asked for
            frame = _read(lambda: self._frame.select(name).collect())
        return frame[name].to_native()


def no_such_column(name: Any, names: list[Any], where: str = "") -> ColumnError:
    """Return the error for a column that is not there, with the names that are near."""
    near = difflib.get_close_matches(str(name), [str(known) for known in names], n=1)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    return ColumnError(f'there is no column "{name}"{where}.{hint} Columns: {shown(names, 12)}.')


def _narwhals_frame(data: Any) -> Any:
    import narwhals.stable.v2 as nw  # noqa: PLC0415 - costs 65 ms, and only frames need it

    try:
        return nw.from_native(data)
    except TypeError:
        records = isinstance(data, (list, tuple)) and data and isinstance(data[0], Mapping)
        advice = " Records become one by pandas.DataFrame(records)." if records else ""
        if isinstance(data, (str, PathLike)):
            advice = (
                " A file is read by assay.evaluate(path, ...); here, read it first, as with pandas.read_csv."
            )
        raise ColumnError(
            f"the data is {type_name(data)}, which is no table assay knows. Pass a data frame "
            f"(pandas, Polars, pyarrow, any that narwhals supports), a dict of columns, or arrays.{advice}"
        ) from None


def _read(step: Any) -> Any:
    """Run a step of the frame's own library; whatever it raises becomes our error."""
    try:
        return step()
    except Exception as failed:
        raise ColumnError(f"the table could not be read: {type(failed).__name__}: {failed}") from failed
