"""The estimate: a value, how sure one can be of it, and by which method."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NoReturn

from assay.metrics import Undefined, Value

__all__ = ["Estimate"]


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """A metric's value with its interval, the method that made it and how many rows stand behind it.

    ``low`` and ``high`` are None where no interval can be given, and ``note`` then says why; it also says
    which fall-back was taken. ``positives`` and ``negatives`` are told where two classes are ranked, and
    ``groups`` where rows come in groups, with ``design_effect``, the price of that: how many times the
    variance is that of as many rows on their own. As a float it is its value. It does not compare by its
    value alone: say which of ``value``, ``low`` and ``high`` is meant.

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

    @property
    def defined(self) -> bool:
        """Whether there is a value at all."""
        return not isinstance(self.value, Undefined)

    def __float__(self) -> float:
        return float(self.value)

    def __format__(self, spec: str) -> str:
        if isinstance(self.value, Undefined):
            return repr(self.value)
        shown = format(self.value, spec or ".4g")
        if self.low is None or self.high is None:
            return shown
        return f"{shown} [{format(self.low, spec or '.4g')}, {format(self.high, spec or '.4g')}]"

    def __repr__(self) -> str:
        return format(self, "")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: null and a reason where there is no number, never NaN."""
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        data: dict[str, Any] = {
            name: None if number is None or isinstance(number, Undefined) else _plain(number)
            for name, number in numbers.items()
        }
        data |= {"confidence": self.confidence, "method": self.method, "n": self.n}
        if isinstance(self.value, Undefined):
            data["reason"] = self.value.reason
        if self.note:
            data["note"] = self.note
        data |= {name: told for name in _SIZES if (told := getattr(self, name)) is not None}
        return data

    def _refuse(self, _: Any) -> NoReturn:
        raise TypeError("an estimate does not compare by its value alone: use .value, .low or .high.")

    __lt__ = __le__ = __gt__ = __ge__ = _refuse


_SIZES = ("positives", "negatives", "groups", "design_effect")


def _plain(number: float) -> float | str:
    return number if math.isfinite(number) else ("Infinity" if number > 0 else "-Infinity")
