"""Columns from Python objects: all text, or all numbers, with None and NaN missing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay import kernels
from assay.errors import ColumnError, LabelError, NumberError
from assay.inputs.columns import Array, Column

__all__ = ["from_objects", "from_sequence", "type_name"]


def from_sequence(values: list[Any] | tuple[Any, ...], name: str) -> Column:
    """Return a column from a list or tuple of plain values."""
    if values and isinstance(values[0], str):
        return from_objects(values, name)
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):
        return from_objects(values, name)
    if array.ndim != 1:
        raise ColumnError(f"{name} has shape {array.shape}; one value per row is needed, so shape (n,).")
    if array.dtype.kind not in "biuf":
        return from_objects(values, name)
    if array.dtype.kind == "f" and len(array):
        # NumPy turns 2**63 beside -1, or 2**53 + 1 beside NaN, into floats and so loses digits.
        with np.errstate(invalid="ignore"):
            large = np.abs(array) >= 2**53
        if large.any() and any(isinstance(values[row], int) for row in np.flatnonzero(large)):
            return from_objects(values, name)
    return Column(name, array)


def from_objects(values: Any, name: str) -> Column:
    """Return a column from a sequence or an object array."""
    codes, labels, _, _, missing, bad_row = kernels.encode_objects(values)
    if bad_row < 0 and (labels or not len(values)):
        return Column(name, codes, tuple(labels), missing)
    kinds = [_kind(value) for value in values]
    for row, kind in enumerate(kinds):
        if kind == "other":
            dated = (
                " Turn dates into text first, such as their month."
                if hasattr(values[row], "strftime")
                else ""
            )
            raise ColumnError(
                f"{name} holds {type_name(values[row])} at row {row:,} (counting from 0): "
                f"{_short(values[row])}. A column holds text, whole numbers, true/false or numbers.{dated}"
            )
    kinds_present = set(kinds) - {"missing"}
    if "text" in kinds_present and len(kinds_present) > 1:
        _refuse_mixture(values, kinds, name)
    mask = np.array([kind == "missing" for kind in kinds], dtype=bool)
    absent = mask if mask.any() else None
    filled = [0 if is_missing else value for value, is_missing in zip(values, mask, strict=True)]
    if kinds_present and kinds_present <= {"whole", "truth"}:
        integers = [int(value) for value in filled]
        return _from_integers(integers, name, absent, truth=kinds_present == {"truth"})
    return Column(name, _floats(filled, name), missing=absent)


def _floats(values: list[Any], name: str) -> Array:
    """Return numbers as float64; an integer that would lose digits is refused."""
    for row, value in enumerate(values):
        try:
            near = float(value)
        except (OverflowError, ValueError):
            near = math.inf
        if (math.isinf(near) and not isinstance(value, float)) or (
            isinstance(value, int) and int(near) != value
        ):
            raise NumberError(
                f"{name} holds {_short(value)} at row {row:,} (counting from 0), which no float64 holds "
                "beside other floats. Rescale it, or make all of them integers."
            )
    return np.array([float(value) for value in values], dtype=np.float64)


def _from_integers(integers: list[int], name: str, absent: Array | None, *, truth: bool) -> Column:
    """Return a column of Python integers of any size; beyond 64 bits they become labels."""
    low, high = min(integers), max(integers)
    if truth:
        return Column(name, np.array(integers, dtype=bool), missing=absent)
    if low >= -(2**63) and high < 2**63:
        return Column(name, np.array(integers, dtype=np.int64), missing=absent)
    if low >= 0 and high < 2**64:
        return Column(name, np.array(integers, dtype=np.uint64), missing=absent)
    labels = tuple(sorted(set(integers)))
    code_of = {label: code for code, label in enumerate(labels)}
    return Column(name, np.array([code_of[value] for value in integers], np.uint32), labels, absent)


def _refuse_mixture(values: Any, kinds: list[str], name: str) -> None:
    row = next(row for row, kind in enumerate(kinds) if kind not in {"text", "missing"})
    text = kinds.index("text")
    raise LabelError(
        f"{name} mixes text and numbers: row {text:,} is {_short(values[text])}, row {row:,} is "
        f"{_short(values[row])} (counting from 0). Make them all text or all numbers."
    )


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return "missing"
    if isinstance(value, (bool, np.bool_)):
        return "truth"
    if isinstance(value, (int, np.integer)):
        return "whole"
    if isinstance(value, (float, np.floating)):
        return "missing" if math.isnan(value) else "number"
    if type(value).__name__ in {"Decimal", "Fraction"}:
        return "missing" if value != value else "number"  # noqa: PLR0124 - only NaN differs from itself
    return "other"


def type_name(value: Any) -> str:
    """Return a value's type with its article, for a message."""
    kind = type(value).__name__
    return f"an {kind}" if kind[:1] in "aeiouAEIOU" else f"a {kind}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."  # noqa: PLR2004 - fits a line of a message
