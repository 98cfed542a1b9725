"""Values as JSON can hold them: no NaN, and infinity as a word."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["json_safe", "json_text"]

_AS_THEY_ARE = {int, str, bool, type(None)}
_NUMBERS = {int, float}


def json_safe(value: Any) -> Any:
    """Return a value as JSON holds it: NaN and undefined values are null, infinity is ``"Infinity"``.

    Mappings, lists, tuples and arrays are converted all the way down. Whatever has no counterpart in JSON,
    a date as a label say, becomes its text.

    >>> json_safe({"auc": float("nan"), "bounds": (0.0, math.inf)})
    {'auc': None, 'bounds': [0.0, 'Infinity']}
    """
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return _json_number(float(value))
    if isinstance(value, Mapping):
        return {name: json_safe(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        types = set(map(type, value))
        # The rows of a large table are plain already: one look at their types is enough.
        if types <= _AS_THEY_ARE or (types <= _NUMBERS and math.isfinite(sum(value))):
            return list(value)
        return [json_safe(item) for item in value]
    if hasattr(value, "tolist"):  # an array, or a scalar of NumPy
        return json_safe(value.tolist())
    if hasattr(value, "__float__"):  # an undefined value is NaN as a float
        return _json_number(float(value))
    return str(value)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return a value as JSON text, the same text for the same value."""
    return json.dumps(json_safe(value), indent=indent, ensure_ascii=False, allow_nan=False)


def _json_number(number: float) -> float | str | None:
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")
