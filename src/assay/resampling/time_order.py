"""Splits in time order: training rows lie strictly before test rows."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, MissingValueError, SplitError
from assay.formatting.numbers import count_of
from assay.hints import hint, param, passed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from assay.inputs.columns import Array

__all__ = ["ordered_parts", "read_times", "span", "walk"]


def read_times(time: Any) -> Array:
    """Return times as numbers or dates of NumPy; text and missing times are refused.

    >>> import datetime
    >>> read_times([datetime.date(2024, 2, 29), datetime.date(2024, 3, 1)]).astype(str).tolist()
    ['2024-02-29T00:00:00.000000', '2024-03-01T00:00:00.000000']
    """
    times = np.asarray(time)
    if times.ndim != 1:
        raise ColumnError(f"time has shape {times.shape}; one value per row is needed, so shape (n,).")
    if times.dtype.kind == "O" and all(value is None or hasattr(value, "year") for value in times):
        # NumPy's dates have no time zone: all are converted to UTC.
        plain = [
            value.astimezone(dt.UTC).replace(tzinfo=None) if getattr(value, "tzinfo", None) else value
            for value in times
        ]
        times = np.array(plain, dtype="datetime64[us]")
    if times.dtype.kind not in "iufM":
        raise ColumnError("time holds neither numbers nor dates: parse it first.")
    missing = np.isnat(times) if times.dtype.kind == "M" else np.isnan(times)
    if missing.any():
        row = int(np.argmax(missing))
        raise MissingValueError(
            f"a value is missing in time (row {row:,}, counting from 0): fill it or leave the row out."
        )
    if times.dtype.kind == "u" and times.max(initial=0) > np.iinfo(np.int64).max:
        raise ColumnError("time holds numbers beyond 2**63: rescale it first.")
    return times.astype(np.int64) if times.dtype.kind in "iu" else times  # differences may be negative


def span(name: str, value: Any, times: Array) -> Any:
    """Return a time span in the unit of the column: a number, or a duration where it holds dates."""
    if times.dtype.kind != "M":
        if isinstance(value, (dt.timedelta, np.timedelta64)):
            raise SplitError(
                f"{param(name)} is a duration, but time holds numbers: pass a number of the same unit."
            )
        return value
    if isinstance(value, (dt.timedelta, np.timedelta64)):
        return np.timedelta64(value)
    if value == 0:
        return np.timedelta64(0, "us")
    duration = hint("a datetime.timedelta", "a duration, such as 7d or 12h")
    raise SplitError(f"{passed(name, value)}, but time holds dates: pass {duration}.")


def ordered_parts(time: Any, shares: Sequence[Fraction], names: Sequence[str], gap: Any) -> Array:
    """Return the part of every row, the earliest rows in the first part.

    Rows of one time stay together, in the later part. Rows at most a gap before the next part are left out.
    """
    times = read_times(time)
    gap = span("gap", gap, times)
    ordered = np.sort(times)
    ends = [round(share * len(times)) for share in itertools.accumulate(shares[:-1])]
    edges = [ordered[min(end, len(times) - 1)] for end in ends]
    parts = np.searchsorted(np.array(edges), times, side="right").astype(np.uint8)
    for part, edge in enumerate(edges):
        parts[(parts == part) & (edge - times <= gap)] = len(names)
    _refuse_empty(parts, names)
    return parts


def walk(time: Any, folds: int, gap: Any, window: Any) -> list[Array]:
    """Return for each fold the part of every row: 0 trains, 1 tests, 2 is not used.

    Tests are the last `folds` periods of equally many rows, in order; each model is trained on all rows
    more than the gap before its test, or on a window of them.
    """
    times = read_times(time)
    gap = span("gap", gap, times)
    ordered = np.sort(times)
    n = len(times)
    size = n // (folds + 1)
    if size == 0:
        raise SplitError(
            f"{count_of(folds, 'fold')} of {count_of(n, 'row')}: "
            f"a walk forward needs at least {count_of(folds + 1, 'row')}."
        )
    edges = [ordered[n - size * left] for left in range(folds, 0, -1)]
    steps = []
    for fold, edge in enumerate(edges):
        before = edge - times
        train = before > gap
        if window is not None:
            train &= before <= gap + span("window", window, times)
        test = times >= edge
        if fold + 1 < folds:
            test &= times < edges[fold + 1]
        parts = np.full(n, 2, dtype=np.uint8)
        parts[train], parts[test] = 0, 1
        _refuse_empty(parts, ("train", "test"), f" in fold {fold + 1} of {folds}")
        steps.append(parts)
    return steps


def _refuse_empty(parts: Array, names: Sequence[str], where: str = "") -> None:
    counts = np.bincount(parts, minlength=len(names))
    for part, name in enumerate(names):
        if counts[part] == 0:
            raise SplitError(
                f"the part {name!r} would have no rows{where}: there are too few distinct times, "
                f"or {param('gap')} is too wide or {param('window')} too narrow."
            )
