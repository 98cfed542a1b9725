"""The value of a metric that is undefined: with the reason, and never a silent 0."""

from __future__ import annotations

import dataclasses
from typing import Any

__all__ = ["NO_ROWS", "Undefined", "Value"]

NO_ROWS = "there are no rows"  # every metric's reason where there is nothing to read


@dataclasses.dataclass(frozen=True, slots=True)
class Undefined:
    """No value, and why. Arithmetic with it is undefined for the same reason; as a float it is NaN.

    It is below, above and equal to no number, so that no check passes on it and no sort hides it.

    >>> precision = Undefined("nothing was predicted positive")
    >>> precision
    undefined: nothing was predicted positive
    >>> (precision + 0.8) / 2, float(precision), precision > 0.5
    (undefined: nothing was predicted positive, nan, False)
    """

    reason: str

    def __repr__(self) -> str:
        return f"undefined: {self.reason}"

    def __bool__(self) -> bool:
        return False

    def __float__(self) -> float:
        return float("nan")

    def __format__(self, spec: str) -> str:
        return repr(self) if spec.endswith(("f", "e", "g", "%", "n")) else format(repr(self), spec)

    def _same(self, *_: Any) -> Undefined:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _same
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __abs__ = __round__ = _same

    def _never(self, _: Any) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _never


Value = float | Undefined
