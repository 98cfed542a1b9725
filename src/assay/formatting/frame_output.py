"""Columns as a table of the caller's own data-frame library."""

from __future__ import annotations

import importlib
import math
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["as_frame", "library_of"]

_LIBRARIES = ("pandas", "polars", "pyarrow")


def library_of(*data: Any) -> str:
    """Return the data-frame library that the first of some values comes from, or nothing.

    >>> library_of([1, 2]), library_of(None, {"a": [1]})
    ('', '')
    """
    for value in data:
        home = type(value).__module__.partition(".")[0]
        if home in _LIBRARIES:
            return home
    return ""


def as_frame(columns: Mapping[str, Sequence[Any]], library: str | None) -> Any:
    """Return columns as a frame of a library (pandas, polars, pyarrow), or as a dict of lists.

    What is not there is None; where pandas has numbers it is NaN, as is usual there.

    >>> as_frame({"figure": ["f1"], "value": [0.9]}, None)
    {'figure': ['f1'], 'value': [0.9]}
    """
    if not library or library == "dict":
        return {name: list(values) for name, values in columns.items()}
    if library not in _LIBRARIES:
        raise InputError(
            f'library={library!r} is not known: use "pandas", "polars", "pyarrow", or "dict" for lists.'
        )
    try:
        home = importlib.import_module(library)
    except ImportError:
        raise MissingDependencyError(
            f"{library} is not installed: install it, or pass another library=."
        ) from None
    if library == "pyarrow":
        return home.table({name: list(values) for name, values in columns.items()})
    if library == "polars":
        return home.DataFrame({name: list(values) for name, values in columns.items()}, strict=False)
    return home.DataFrame({name: _filled(values) for name, values in columns.items()})


def _filled(values: Sequence[Any]) -> list[Any]:
    """Return numbers with NaN for what is not there, and anything else as it is."""
    if all(value is None or isinstance(value, float) for value in values):
        return [math.nan if value is None else value for value in values]
    return list(values)
