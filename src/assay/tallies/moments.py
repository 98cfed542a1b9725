"""Exact sums of moments: of actual and predicted numbers (regression), and of one number per row."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay import kernels
from assay.errors import NumberError
from assay.inputs import column, need_columns
from assay.tallies.exact_numbers import Dyadic
from assay.tallies.tally import Tally, require

if TYPE_CHECKING:
    from assay.inputs import Rows
    from assay.inputs.columns import Array, Column

__all__ = ["Moments", "Sums", "refuse_bad_rows"]

_ZERO = Dyadic()
# Binary exponents of the units of a float64, of a product of two and of a product of three.
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
        columns = need_columns(rows, "a moments tally", "actual", "predicted")
        actual, predicted = map(_numbers, columns)
        if not rows.n:
            return cls()
        if rows.weight is None:
            kernel_sums = kernels.exact_moments(actual, predicted)
            weight = squared_weight = Dyadic.of(rows.n)
            prefix, value, square = "sum_", _VALUE, _PRODUCT
            largest = kernel_sums["max_absolute_error"]
        else:
            kernel_sums = kernels.exact_weighted_moments(actual, predicted, rows.weight.values)
            weight = Dyadic.of(kernel_sums["sum_weight"], _VALUE)
            squared_weight = Dyadic.of(kernel_sums["sum_squared_weight"], _PRODUCT)
            prefix, value, square = "sum_w_", _PRODUCT, _TRIPLE
            largest = kernels.exact_moments(actual, predicted)["max_absolute_error"]
        refuse_bad_rows(columns, (kernel_sums["bad_row_actual"], kernel_sums["bad_row_predicted"]))
        return cls(
            rows.n, weight, squared_weight,
            Dyadic.of(kernel_sums[prefix + "actual"], value),
            Dyadic.of(kernel_sums[prefix + "predicted"], value),
            Dyadic.of(kernel_sums[prefix + "absolute_error"], value),
            Dyadic.of(kernel_sums[prefix + "squared_actual"], square),
            Dyadic.of(kernel_sums[prefix + "squared_predicted"], square),
            Dyadic.of(kernel_sums[prefix + "squared_error"], square),
            largest,
        )  # fmt: skip

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        *left, left_largest = self.state()
        *right, right_largest = other.state()
        sums: Any = (*(a + b for a, b in zip(left, right, strict=True)), max(left_largest, right_largest))
        return type(self)(*sums)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        n, *sums, largest = self.state()
        require(type(n) is int and n >= 0, "a wrong count")
        require(all(type(value) is Dyadic for value in sums), "a sum that is not an exact number")
        require(type(largest) is float and largest >= 0, "a wrong largest error")
        for value in (self.weight, self.squared_weight, self.absolute_error, self.squared_actual,
                      self.squared_predicted, self.squared_error):  # fmt: skip
            require(value.units >= 0, "a sum of squares below 0")
        if n == 0:
            require(self.state() == type(self)().state(), "sums of no rows")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Sums(Tally, kind="sums"):
    """Exact sum and sum of squares of one number per row, with minimum and maximum.

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
        values_column = column(values, "values")
        numbers = _numbers(values_column)
        if not len(numbers):
            return cls()
        total, squares, bad_row = kernels.exact_square_sum(numbers)
        refuse_bad_rows((values_column,), (bad_row,))
        return cls(
            len(numbers), Dyadic.of(total, _VALUE), Dyadic.of(squares, _PRODUCT),
            float(numbers.min()) + 0.0, float(numbers.max()) + 0.0,
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
        require(
            type(self.total) is Dyadic and type(self.squares) is Dyadic, "a sum that is not an exact number"
        )
        require(type(self.least) is float and type(self.largest) is float, "wrong extremes")
        require(self.squares.units >= 0, "a sum of squares below 0")
        if self.n == 0:
            require(self.state() == type(self)().state(), "sums of no rows")
        else:
            require(-np.inf < self.least <= self.largest < np.inf, "wrong extremes")


def _numbers(source: Column) -> Array:
    values = source.plain_numbers("numbers")
    source.refuse_missing()
    return values


def refuse_bad_rows(columns: tuple[Column, ...], bad_rows: tuple[int, ...]) -> None:
    """Raise for the first column with a NaN or infinite value; `bad_rows` is each column's first, or -1."""
    for source, row in zip(columns, bad_rows, strict=True):
        if row < 0:
            continue
        if source.values.dtype.kind != "f":
            source.raise_wide(row)
        value = float(source.values[row])
        if np.isnan(value):
            source.raise_missing(row)
        if np.isinf(value):
            raise NumberError(
                f"{source.name} is infinite: {value} ({source.where(row)}). Sums are of finite numbers only."
            )
