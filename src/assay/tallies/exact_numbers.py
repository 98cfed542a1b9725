"""Exact numbers: every sum and product of floats is an integer times a power of two."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels

if TYPE_CHECKING:
    from fractions import Fraction

    from assay.inputs.columns import Array

__all__ = ["CellSums", "Dyadic", "check_weights", "weight_sums"]


@dataclasses.dataclass(frozen=True, slots=True)
class Dyadic:
    """The number ``units * 2**exponent``, exactly; units are odd, or both are 0.

    >>> tenth = Dyadic.of_float(0.1)
    >>> float(tenth + tenth + tenth), 0.1 + 0.1 + 0.1
    (0.30000000000000004, 0.30000000000000004)
    >>> big = Dyadic.of_float(1e16)
    >>> float(big + tenth - big)
    0.1
    """

    units: int = 0
    exponent: int = 0

    @classmethod
    def of(cls, units: int, exponent: int = 0) -> Dyadic:
        """Return ``units * 2**exponent`` with the factors of two moved into the exponent."""
        if units == 0:
            return _ZERO
        zeros = (units & -units).bit_length() - 1
        return cls(units >> zeros, exponent + zeros)

    @classmethod
    def of_float(cls, value: float) -> Dyadic:
        """Return a finite float's exact value."""
        numerator, denominator = value.as_integer_ratio()
        return cls.of(numerator, 1 - denominator.bit_length())

    def __add__(self, other: Dyadic) -> Dyadic:
        if self.exponent > other.exponent:
            self, other = other, self  # noqa: PLW0642 - addition commutes
        return Dyadic.of(self.units + (other.units << (other.exponent - self.exponent)), self.exponent)

    def __neg__(self) -> Dyadic:
        return Dyadic(-self.units, self.exponent)

    def __sub__(self, other: Dyadic) -> Dyadic:
        return self + (-other)

    def __mul__(self, times: int) -> Dyadic:
        return Dyadic.of(self.units * times, self.exponent)

    def __truediv__(self, other: Dyadic | int) -> float:
        """Return the float nearest to the exact ratio."""
        by = other if isinstance(other, Dyadic) else Dyadic.of(other)
        shift = self.exponent - by.exponent
        try:
            return (self.units << max(shift, 0)) / (by.units << max(-shift, 0))
        except OverflowError:
            return np.inf if (self.units > 0) == (by.units > 0) else -np.inf

    def __float__(self) -> float:
        """Return the nearest float; infinity where the number is beyond every float."""
        try:
            if self.exponent >= 0:
                return float(self.units << self.exponent)
            return self.units / (1 << -self.exponent)
        except OverflowError:
            return np.inf if self.units > 0 else -np.inf

    def fraction(self) -> Fraction:
        """Return the number as a fraction."""
        from fractions import Fraction  # noqa: PLC0415 - loads decimal, and few need it

        return Fraction(self.units) * Fraction(2) ** self.exponent


_ZERO = Dyadic()
_WHOLE = 1 << 53  # the integers up to here are floats


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class CellSums:
    """One exact sum that is not negative per cell: ``units * 2**exponent``, units Python integers.

    The exponent is the largest, but not above 0, that leaves every unit whole: sums of integers are
    therefore plain counts, with exponent 0.
    """

    exponent: int
    units: Array

    @classmethod
    def of(cls, exponent: int, units: Array) -> CellSums:
        """Return the sums with as large an exponent as they allow."""
        together = 0
        for unit in units:
            together |= unit
        zeros = (together & -together).bit_length() - 1 if together else -exponent
        shift = min(zeros, -exponent)
        return cls(exponent + shift, units >> shift if shift else units)

    @classmethod
    def of_limbs(cls, exponent: int, limbs: Array) -> CellSums:
        """Return the sums a kernel gives as 64-bit limbs, least first, one row a cell."""
        units = limbs[:, 0].astype(object)
        for index in range(1, limbs.shape[1]):
            units = units + (limbs[:, index].astype(object) << (64 * index))
        return cls.of(exponent, units)

    def scattered(self, indices: Array, size: int) -> CellSums:
        """Return the sums at other places among `size` cells; what lands on one place is added."""
        units = np.zeros(size, dtype=object)
        np.add.at(units, indices, self.units)
        return CellSums.of(self.exponent, units)

    def added(self, other: CellSums) -> CellSums:
        """Return the cell by cell sums of both."""
        low = min(self.exponent, other.exponent)
        left = self.units << (self.exponent - low)
        right = other.units << (other.exponent - low)
        return CellSums.of(low, left + right)

    def total(self) -> Dyadic:
        """Return the sum over all cells."""
        return Dyadic.of(sum(self.units.tolist()), self.exponent)

    def floats(self) -> Array:
        """Return the nearest float of every sum."""
        if self.exponent == 0 and max(self.units, default=0) <= _WHOLE:
            return self.units.astype(np.float64)
        return np.array([float(Dyadic(unit, self.exponent)) for unit in self.units], dtype=np.float64)

    def equals(self, counts: Array) -> bool:
        """Tell whether every sum is the given whole number."""
        return self.exponent == 0 and bool(np.all(self.units == counts))

    def state(self) -> tuple[int, Any]:
        """Return what is compared and written."""
        return self.exponent, self.units


def weight_sums(cells: Array, size: int, weight: Array) -> tuple[Array, list[CellSums]]:
    """Return for each of `size` cells its number of rows, and exact sums of weight, its square and its cube.

    `cells` is the cell of each row. The sums do not depend on the order of the rows.
    """
    result = kernels.exact_cell_sums(cells.astype(np.uint32, copy=False), size, weight)
    powers = (result[name] for name in ("weight", "squared_weight", "cubed_weight"))
    return result["rows"], [CellSums.of_limbs(*power) for power in powers]


def check_weights(weights: Any, counts: Array) -> None:
    """Raise ValueError unless these are the exact sums of powers of weights of so many rows a cell."""
    if weights is None:
        return
    if type(weights) is not tuple or len(weights) != 3:  # noqa: PLR2004 - the powers 1, 2 and 3
        raise ValueError("wrong weights")
    for exponent, units in weights:
        if type(exponent) is not int or exponent > 0 or units.dtype != object or units.shape != counts.shape:
            raise ValueError("wrong weights")
        if any(
            type(unit) is not int or (unit > 0) != (count > 0)
            for unit, count in zip(units, counts, strict=True)
        ):
            raise ValueError("a weight where no row is, or a row without weight")
    if all(CellSums(*state).equals(counts) for state in weights):
        raise ValueError("weights that are all 1")
