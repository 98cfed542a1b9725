"""The estimate: a metric's value, its confidence interval and the method of the interval."""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

from assay.formatting.json_values import json_safe
from assay.metrics import Undefined, Value

__all__ = ["Estimate"]


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """A metric's value with its confidence interval, the method of the interval and the number of rows.

    ``low`` and ``high`` are None where there is no interval, and ``note`` then says why; it also says which
    fallback was used. ``n`` counts all rows that were evaluated, also those that a rate does not divide by
    (recall divides by the actual positives). ``positives`` and ``negatives`` are set where two classes are
    ranked, and ``groups`` where rows come in groups, with ``design_effect``: the variance over that of as
    many independent rows.
    As a float it is its value. It does not compare by its value alone: use ``value``, ``low`` or ``high``.

    >>> f1 = Estimate(0.9006, 0.8623, 0.9291, 0.95, "Wilson on Jaccard", 1390)
    >>> f1
    0.9006 [0.8623, 0.9291]
    >>> float(f1), f1.low > 0.85
    (0.9006, True)
    >>> f1 > 0.9
    Traceback (most recent call last):
        ...
    TypeError: an estimate does not compare by its value alone: use .value, .low or .high.
    """

    value: Value
    low: float | None
    high: float | None
    confidence: float
    method: str
    n: int
    note: str = ""
    standard_error: float | None = None
    positives: int | None = None
    negatives: int | None = None
    groups: int | None = None
    design_effect: float | None = None

    defined: bool = dataclasses.field(init=False, compare=False)  # whether the metric has a value

    def __post_init__(self) -> None:
        object.__setattr__(self, "defined", not isinstance(self.value, Undefined))

    def __float__(self) -> float:
        return float(self.value)

    def __format__(self, spec: str) -> str:
        if isinstance(self.value, Undefined):
            return repr(self.value)
        text = format(self.value, spec or ".4g")
        if self.low is None or self.high is None:
            return text
        return f"{text} [{format(self.low, spec or '.4g')}, {format(self.high, spec or '.4g')}]"

    def __repr__(self) -> str:
        return format(self, "")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: null and a reason where there is no number, never NaN."""
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        data: dict[str, Any] = json_safe(numbers)
        data |= {"confidence": self.confidence, "method": self.method, "n": self.n}
        if isinstance(self.value, Undefined):
            data["reason"] = self.value.reason
        if self.note:
            data["note"] = self.note
        data |= {name: size for name in _SIZES if (size := getattr(self, name)) is not None}
        return data

    def _refuse(self, _: Any) -> NoReturn:
        raise TypeError("an estimate does not compare by its value alone: use .value, .low or .high.")

    __lt__ = __le__ = __gt__ = __ge__ = _refuse


_SIZES = ("positives", "negatives", "groups", "design_effect")
