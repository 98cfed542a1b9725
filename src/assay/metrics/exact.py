"""Exact arithmetic for formulas over exact sums: fractions, rounded once, when they become a float."""

from __future__ import annotations

import math
from typing import Any

from assay.tallies.exact_numbers import Dyadic

__all__ = ["Exact"]

_ROOT_BITS = 128  # before the root is taken: 64 after it, of which one can be a sticky bit


class Exact:
    """The number ``numerator / denominator * 2**exponent``, not reduced; the denominator is positive.

    Arithmetic with its kind and with integers is exact; with a float it gives a float. ``float()`` is the
    nearest float (infinite beyond the largest), :meth:`root` the float nearest to the square root.

    >>> third = Exact(1) / Exact(3)
    >>> float(1 - third - third), third * 3 == 1, Exact(2).root()
    (0.3333333333333333, True, 1.4142135623730951)
    """

    __slots__ = ("denominator", "exponent", "numerator")

    def __init__(self, numerator: int, denominator: int = 1, exponent: int = 0) -> None:
        self.numerator = numerator
        self.denominator = denominator
        self.exponent = exponent

    @classmethod
    def of(cls, value: Dyadic | float) -> Exact:
        """Return the exact value of a sum, a whole number or a finite float."""
        if isinstance(value, Dyadic):
            return cls(value.units, 1, value.exponent)
        return cls(*value.as_integer_ratio())

    def __add__(self, other: Any) -> Any:
        if type(other) is not Exact:
            if type(other) is not int:
                return float(self) + other
            other = Exact(other)
        low = min(self.exponent, other.exponent)
        left = self.numerator << (self.exponent - low)
        right = other.numerator << (other.exponent - low)
        if self.denominator == other.denominator:
            return Exact(left + right, self.denominator, low)
        return Exact(
            left * other.denominator + right * self.denominator, self.denominator * other.denominator, low
        )

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return Exact(-self.numerator, self.denominator, self.exponent)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if type(other) is not Exact:
            if type(other) is not int:
                return float(self) * other
            other = Exact(other)
        return Exact(
            self.numerator * other.numerator,
            self.denominator * other.denominator,
            self.exponent + other.exponent,
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if type(other) is not Exact:
            if type(other) is not int:
                return float(self) / other
            other = Exact(other)
        if not other.numerator:
            raise ZeroDivisionError("an exact number divided by 0")
        sign = -1 if other.numerator < 0 else 1
        return Exact(
            self.numerator * other.denominator * sign,
            self.denominator * other.numerator * sign,
            self.exponent - other.exponent,
        )

    def __rtruediv__(self, other: Any) -> Any:
        if type(other) is int:
            return Exact(other) / self
        near = float(self)
        if isinstance(other, float) and not near and self:  # too small for a float, but not 0
            return float(Exact.of(other) / self) if math.isfinite(other) else other * _sign_of(self)
        return other / near

    def __abs__(self) -> Exact:
        return -self if self.numerator < 0 else self

    def __bool__(self) -> bool:
        return self.numerator != 0

    def __eq__(self, other: object) -> bool:
        return not self - other

    __hash__ = None  # type: ignore[assignment] # a number in transit, never a key

    def __lt__(self, other: Any) -> bool:
        return bool(_sign_of(self - other) < 0)

    def __gt__(self, other: Any) -> bool:
        return bool(_sign_of(self - other) > 0)

    def __repr__(self) -> str:
        return f"Exact({float(self)!r})"

    def __float__(self) -> float:
        shift = self.exponent
        try:
            return (self.numerator << max(shift, 0)) / (self.denominator << max(-shift, 0))
        except OverflowError:
            return math.inf if self.numerator > 0 else -math.inf

    def root(self) -> float:
        """Return the float nearest to the square root of this number, which is not negative."""
        top, bottom = self.numerator, self.denominator
        if not top:
            return 0.0
        size = top.bit_length() - bottom.bit_length() + self.exponent
        digits = (_ROOT_BITS - size) // 2 + 1  # of the root, after the binary point
        shift = self.exponent + 2 * digits
        square, rest = divmod(top << max(shift, 0), bottom << max(-shift, 0))
        units = math.isqrt(square)
        if rest or units * units != square:
            units |= 1  # a sticky bit, far below what a float holds, to round halves correctly
        return float(Exact(units, 1, -digits))


def _sign_of(difference: Any) -> Any:
    """Return a number of the same sign, without rounding."""
    return difference.numerator if type(difference) is Exact else difference
