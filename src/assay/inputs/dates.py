"""Dates and times as text, where they name a slice or a group: what a file of the same values gives."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = ["dates_as_text"]


def dates_as_text(values: Any) -> Any:
    """Return dates and times as text ("2024-05-01", "2024-05-01 13:30:00"), anything else as it is.

    >>> import datetime as dt
    >>> dates_as_text([dt.date(2024, 5, 1), None]).tolist()
    ['2024-05-01', None]
    >>> dates_as_text(np.array(["2024-05-01T13:30"], "datetime64[us]")).tolist()
    ['2024-05-01 13:30:00']
    >>> dates_as_text(["north", "south"])
    ['north', 'south']
    """
    dates = _as_dates(values)
    if dates is None:
        return values
    if dates.dtype.kind != "M":  # of a time zone, or periods
        return np.array([None if _is_missing(value) else str(value) for value in dates], dtype=object)
    distinct, codes = np.unique(dates, return_inverse=True)
    texts = np.array([None if np.isnat(date) else _text(date) for date in distinct], dtype=object)
    return texts[codes]


def _as_dates(values: Any) -> Array | None:
    """Return a column of dates as datetime64, or as objects where they have a time zone; None for others."""
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    if kind.startswith(("datetime", "date", "timestamp", "period")):
        with_zone = "," in kind or "tz=" in kind or kind.startswith("period")
        if hasattr(values, "to_pylist"):  # pyarrow
            return _of_objects(values.to_pylist())
        array = np.asarray(values, dtype=object if with_zone and "time_zone=none" not in kind else None)
        return array if array.dtype.kind in "MO" else None
    if kind == "object" or isinstance(values, (list, tuple)):
        first = next((value for value in values if value is not None), None)
        if isinstance(first, (dt.date, np.datetime64)) or type(first).__name__ == "Period":
            return _of_objects(list(values))
    return None


def _of_objects(objects: list[Any]) -> Array:
    """Return dates as datetime64; as they are where they have a time zone or are of several kinds."""
    plain = all(
        value is None or isinstance(value, np.datetime64)
        or (isinstance(value, dt.date) and getattr(value, "tzinfo", None) is None)
        for value in objects
    )  # fmt: skip
    if plain and len({isinstance(value, dt.datetime) for value in objects if value is not None}) <= 1:
        return np.array(objects, dtype="datetime64")
    return np.array(objects, dtype=object)


def _is_missing(value: Any) -> bool:
    return value is None or bool(value != value)  # noqa: PLR0124 - NaT is not equal to itself


def _text(date: Any) -> str:
    text = str(np.datetime_as_string(date)).replace("T", " ")
    return text.rstrip("0").rstrip(".") if "." in text else text
