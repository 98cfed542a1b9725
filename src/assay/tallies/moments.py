"""Exact sums: of pairs of numbers (a regression) and of one number per row (a loss)."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay import kernels
from assay.errors import NumberError
from assay.inputs import column, need_rows
from assay.tallies.exact_numbers import Dyadic
from assay.tallies.tally import Tally, require

if TYPE_CHECKING:
    from assay.inputs import Rows
    from assay.inputs.columns import Array, Column

__all__ = ["Moments", "Sums", "refuse_bad_rows"]

_ZERO = Dyadic()
# Every float64 is a whole number of these, every product of two or three of the next ones.
_VALUE, _PRODUCT, _TRIPLE = -1074, -2148, -3222


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Moments(Tally, kind="moments"):
    """Exact sums over pairs of actual and predicted numbers; the error is actual minus predicted.

    With weights every sum but ``n`` is of weighted terms, and ``weight`` and ``squared_weight`` add the
    weights themselves; without, both equal ``n``. ``largest_error`` is the largest absolute error,
    rounded once.

    State: ten numbers, at most a few kilobytes together, usually some hundred bytes.

    Examples
    --------
    >>> import assay
    >>> actual, predicted = [0.1, 0.2, 0.3, 0.4, 0.5], [0.11, 0.19, 0.29, 0.41, 0.5]
    >>> tally = assay.Moments.of(assay.rows(actual=actual, predicted=predicted))
    >>> round(float(tally.absolute_error) / tally.n, 15)  # MAE
    0.008
    """

    n: int = 0
    weight: Dyadic = _ZERO
    squared_weight: Dyadic = _ZERO
    actual: Dyadic = _ZERO
    predicted: Dyadic = _ZERO
    absolute_error: Dyadic = _ZERO
    squared_actual: Dyadic = _ZERO
    squared_predicted: Dyadic = _ZERO
    squared_error: Dyadic = _ZERO
    largest_error: float = 0.0

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return the tally of rows with actual and predicted numbers."""
        columns = need_rows(rows).need("actual", "a moments tally"), rows.need("predicted", "a moments tally")
        actual, predicted = (_numbers(one) for one in columns)
        if not len(rows):
            return cls()
        if rows.weight is None:
            found = kernels.exact_moments(actual, predicted)
            weight = squared_weight = Dyadic.of(len(rows))
            prefix, value, square = "sum_", _VALUE, _PRODUCT
            largest = found["max_absolute_error"]
        else:
            found = kernels.exact_weighted_moments(actual, predicted, rows.weight.values)
            weight = Dyadic.of(found["sum_weight"], _VALUE)
            squared_weight = Dyadic.of(found["sum_squared_weight"], _PRODUCT)
            prefix, value, square = "sum_w_", _PRODUCT, _TRIPLE
            largest = kernels.exact_moments(actual, predicted)["max_absolute_error"]
        refuse_bad_rows(columns, (found["bad_row_actual"], found["bad_row_predicted"]))
        return cls(
            len(rows), weight, squared_weight,
            Dyadic.of(found[prefix + "actual"], value),
            Dyadic.of(found[prefix + "predicted"], value),
            Dyadic.of(found[prefix + "absolute_error"], value),
            Dyadic.of(found[prefix + "squared_actual"], square),
            Dyadic.of(found[prefix + "squared_predicted"], square),
            Dyadic.of(found[prefix + "squared_error"], square),
            largest,
        )  # fmt: skip

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        *mine, first = self.state()
        *theirs, second = other.state()
        sums: Any = (*(a + b for a, b in zip(mine, theirs, strict=True)), max(first, second))
        return type(self)(*sums)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        n, *sums, largest = self.state()
        require(type(n) is int and n >= 0, "a wrong count")
        require(all(type(one) is Dyadic for one in sums), "a sum that is no exact number")
        require(type(largest) is float and largest >= 0, "a wrong largest error")
        for one in (self.weight, self.squared_weight, self.absolute_error, self.squared_actual,
                    self.squared_predicted, self.squared_error):  # fmt: skip
            require(one.units >= 0, "a sum of squares below 0")
        if n == 0:
            require(self.state() == type(self)().state(), "sums of no rows")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Sums(Tally, kind="sums"):
    """Exact sum and sum of squares of one number per row, with its extremes: what a mean needs.

    State: six numbers.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Sums.of([1e16, 1.0, -1e16])
    >>> float(tally.total)
    1.0
    """

    n: int = 0
    total: Dyadic = _ZERO
    squares: Dyadic = _ZERO
    least: float = np.inf
    largest: float = -np.inf

    @classmethod
    def of(cls, values: Any) -> Self:
        """Return the tally of a column of finite numbers."""
        numbers = column(values, "values")
        plain = _numbers(numbers)
        if not len(plain):
            return cls()
        total, squares, bad_row = kernels.exact_square_sum(plain)
        refuse_bad_rows((numbers,), (bad_row,))
        return cls(
            len(plain), Dyadic.of(total, _VALUE), Dyadic.of(squares, _PRODUCT),
            float(plain.min()) + 0.0, float(plain.max()) + 0.0,
        )  # fmt: skip

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        return type(self)(
            self.n + other.n, self.total + other.total, self.squares + other.squares,
            min(self.least, other.least), max(self.largest, other.largest),
        )  # fmt: skip

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(type(self.n) is int and self.n >= 0, "a wrong count")
        require(type(self.total) is Dyadic and type(self.squares) is Dyadic, "no exact number")
        require(type(self.least) is float and type(self.largest) is float, "wrong extremes")
        require(self.squares.units >= 0, "a sum of squares below 0")
        if self.n == 0:
            require(self.state() == type(self)().state(), "sums of no rows")
        else:
            require(-np.inf < self.least <= self.largest < np.inf, "wrong extremes")


def _numbers(one: Column) -> Array:
    values = one.plain_numbers("numbers")
    one.refuse_missing()
    return values


def refuse_bad_rows(columns: tuple[Column, ...], bad_rows: tuple[int, ...]) -> None:
    """Raise for the first column that holds a number that is none, given each one's first bad row or -1."""
    for one, row in zip(columns, bad_rows, strict=True):
        if row < 0:
            continue
        if one.values.dtype.kind != "f":
            one.raise_wide(row)
        value = float(one.values[row])
        if np.isnan(value):
            one.raise_missing(row)
        if np.isinf(value):
            raise NumberError(
                f"{one.name} is infinite: {value} ({one.where(row)}). Sums are of finite numbers only."
            )
