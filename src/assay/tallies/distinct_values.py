"""The value tally: every distinct number in order, with how often it occurs."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from assay import kernels
from assay.errors import LengthError, TallyError
from assay.formatting.numbers import count_of
from assay.inputs import column, need_rows
from assay.inputs.columns import doubles
from assay.inputs.labels import weights as checked_weights
from assay.tallies.exact_numbers import Dyadic
from assay.tallies.loss_arguments import row_values
from assay.tallies.moments import refuse_bad_rows
from assay.tallies.scores.scores import check_counts, fits_float32, narrowed
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from assay.inputs import Rows
    from assay.inputs.columns import Array

__all__ = ["Values"]

_PRODUCT = -2148
_ROUNDED_BITS = 50  # two weights that were rounded once each cannot be told apart beyond them
_ROUNDING = 1e-12


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Values(Tally, kind="values"):
    """Distinct finite numbers, ascending, with the number of rows at each: what medians and quantiles need.

    With weights the distinct (value, weight) pairs are kept instead, so that nothing is rounded; weights
    are None where every weight is 1. Values are float32 where all of them are exactly that, else float64;
    counts take the smallest unsigned type that holds them.

    State: one entry per distinct value, so up to 9 bytes a row.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Values.of([3, 1, 2, 3])
    >>> tally.values, tally.counts
    (array([1., 2., 3.], dtype=float32), array([1, 1, 2], dtype=uint8))
    >>> tally.quantile(0.5), tally.quantile(0.25, method="linear")
    (2.5, 1.75)
    """

    values: Array = no_values(np.float32)
    weights: Array | None = None
    counts: Array = no_values(np.uint8)

    @classmethod
    def of(cls, numbers: Any, weight: Any = None) -> Self:
        """Return the tally of a column of finite numbers; rows of weight 0 are left out."""
        values_column = column(numbers, "numbers")
        values = values_column.complete_numbers("numbers")
        weighing = None if weight is None else checked_weights(column(weight, "weight"))
        if weighing is not None and len(weighing) != len(values):
            raise LengthError(f"numbers has {count_of(len(values), 'value')}, weight has {len(weighing):,}.")
        tally, bad_row = cls._of(values, weighing)
        if bad_row >= 0:
            refuse_bad_rows((values_column,), (bad_row,))
        return tally

    @classmethod
    def of_rows(cls, rows: Rows, function: Callable[..., Array], **parameters: Any) -> Self:
        """Return the tally of what a function gives each row (see :meth:`assay.Losses.of`)."""
        values, name = row_values(need_rows(rows), function, parameters)
        tally, bad_row = cls._of(values, None if rows.weight is None else rows.weight.values)
        if bad_row >= 0:
            raise TallyError(f"{name} gives {values[bad_row]} at row {bad_row:,}, where a number is needed.")
        return tally

    @classmethod
    def _of(cls, values: Array, weight: Array | None) -> tuple[Self, int]:
        """Return the tally of values and the first row that is not finite, or -1."""
        if weight is not None and not weight.all():
            values, weight = values[weight > 0], weight[weight > 0]
        if not len(values):
            return cls(), -1
        values = np.ascontiguousarray(values)
        every = np.ones(len(values), dtype=np.uint8)
        weights: Array | None
        if weight is None or (weight == 1).all():
            distinct, counts, _, bad_row, _ = kernels.order_scores(values, every)
            weights = None
        else:
            distinct, weights, counts, _, bad_row = kernels.order_pairs(doubles(values), weight, every)
            frozen(weights)
        if bad_row < 0 and not (np.isfinite(distinct[0]) and np.isfinite(distinct[-1])):
            bad_row = int(np.argmax(np.isinf(values)))
        return cls(narrowed(distinct), weights, frozen(counts)), bad_row

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        if not len(self.values) or not len(other.values):
            return self if len(self.values) else other
        first, second = self.values, other.values
        if self.weights is None is other.weights:
            if first.dtype != second.dtype:
                first, second = doubles(first), doubles(second)
            values, counts, _ = kernels.merge_scores(
                first, self.counts, np.zeros_like(self.counts),
                second, other.counts, np.zeros_like(other.counts),
            )  # fmt: skip
            return type(self)(frozen(values), None, frozen(counts))
        values, weights, counts, _ = kernels.merge_pairs(
            doubles(first), self._weights(), self.counts, np.zeros_like(self.counts),
            doubles(second), other._weights(), other.counts, np.zeros_like(other.counts),
        )  # fmt: skip
        return type(self)(narrowed(values), frozen(weights), frozen(counts))

    def _weights(self) -> Array:
        return np.ones(len(self.values)) if self.weights is None else self.weights

    @property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum(dtype=np.int64))

    @functools.cached_property
    def mass(self) -> Array:
        """How much each entry counts: its rows times their weight."""
        counts = self.counts.astype(np.float64)
        return counts if self.weights is None else counts * self.weights

    @property
    def weight(self) -> Dyadic:
        """The sum of the weights, exactly; without weights the number of rows."""
        return Dyadic.of(self.n) if self.weights is None else Dyadic.of(self._mass_of(slice(None)), _PRODUCT)

    def _mass_of(self, entries: slice) -> int:
        """Return the exact weight of some entries in units of 2**-2148."""
        counts = np.ascontiguousarray(self.counts[entries].astype(np.float64))
        return kernels.exact_weighted_sum(counts, self._weights()[entries])[0]

    def quantile(
        self, share: float, *, method: Literal["averaged_inverted_cdf", "linear"] = "averaged_inverted_cdf"
    ) -> float:
        """Return the value below which a share of the rows (of their weight) lies; NaN of no rows.

        ``"averaged_inverted_cdf"`` is the first value at which the share is reached, or the mean of it and
        the next where it is reached exactly, but for the rounding of weights: for 0.5 the usual median.
        ``"linear"`` goes straight from row to row, the first being at 0 and the last at 1; of weighted rows
        it is the mean of the values around the share, over as much weight as one has of the rows that they
        are worth (Akinshin 2023, after Kish). A common factor of the weights changes nothing. The share means
        the decimal number it is written as, so 0.3 of ten rows is exactly three.
        """
        from fractions import Fraction  # noqa: PLC0415 - loads decimal, and few need it

        if not 0 <= share <= 1:
            raise TallyError(f"a quantile's share lies between 0 and 1: {share!r} does not.")
        if not len(self.values):
            return float("nan")
        exact = Fraction(repr(float(share)))
        if method == "averaged_inverted_cdf":
            first, second = self._around(exact * self.weight.fraction())
            return _between(first, second, 0.5)
        if method == "linear":
            if self.weights is not None:
                return self._weighted_linear(float(share))
            behind = max((self.weight.fraction() - 1) * exact, Fraction(0))
            row = behind // 1
            # The row that begins where so much weight has passed, and the next.
            (_, first), (_, second) = self._around(Fraction(row)), self._around(Fraction(row + 1))
            return _between(first, second, float(behind - row))
        raise TallyError(f'method={method!r} is not known: use "averaged_inverted_cdf" or "linear".')

    def _weighted_linear(self, share: float) -> float:
        """Return the mean of the values that lie around a share of the weight.

        The stretch has the weight of one row among as many of equal weight as the rows are worth, and begins
        where the straight line from row to row has it; for equal weights it is that line.
        """
        weights = self._weights() / self._weights().max()
        mass = self.counts * weights
        if share in (0, 1):  # the ends are rows, whatever they weigh
            return float(doubles(self.values)[mass > 0][-int(share)])
        n = max(float(mass.sum() ** 2 / (mass * weights).sum()), 1.0)
        reached = np.concatenate([[0.0], np.cumsum(mass)]) / mass.sum()
        begin = share * (n - 1) / n
        inside = np.diff(np.clip(reached, begin, begin + 1 / n))
        taken = inside > _ROUNDING / n  # what rounding leaves of a neighbour is none of it
        low = float(doubles(self.values)[taken][0])
        return low + float((inside[taken] * (doubles(self.values)[taken] - low)).sum() / inside[taken].sum())

    def _around(self, passed: Fraction) -> tuple[float, float]:
        """Return the value with which so much weight has passed, and the next if it has just so passed."""
        if self.weights is None and self.n == len(self.values):  # every entry is one row
            index = max(-(-passed // 1) - 1, 0)
            exactly = index + 1 == passed
        elif self.weights is None:
            cumulative = np.cumsum(self.counts, dtype=np.int64)
            index = int(np.searchsorted(cumulative, -(-passed // 1)))
            exactly = index < len(cumulative) and bool(cumulative[index] == passed)
        else:
            exact = passed * (1 << -_PRODUCT)
            slack = self._mass_of(slice(None)) >> _ROUNDED_BITS
            target = exact - slack
            index, end, below = 0, len(self.values), 0
            while end - index > 1:  # halve what may hold it, so that all the exact sums cost as one
                middle = (index + end) // 2
                below_middle = below + self._mass_of(slice(index, middle))
                in_first_half = below_middle >= target
                index, end, below = (index, middle, below) if in_first_half else (middle, end, below_middle)
            exactly = below + self._mass_of(slice(index, end)) <= exact + slack
        last = len(self.values) - 1
        return float(self.values[min(index, last)]), float(self.values[min(index + exactly, last)])

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        values, weights = self.values, self.weights
        require(values.dtype in (np.float32, np.float64) and values.ndim == 1, "wrong values")
        require(np.isfinite(values).all(), "a value is not finite")
        require(not (np.signbit(values) & (values == 0)).any(), "a zero below 0")
        require(values.dtype == np.float32 or not fits_float32(values), "values too wide")
        check_counts(self.counts, np.zeros_like(self.counts), len(values))
        if weights is None:
            require((values[1:] > values[:-1]).all(), "values out of order")
            return
        require(weights.dtype == np.float64 and weights.shape == values.shape, "wrong weights")
        require((weights > 0).all() and np.isfinite(weights).all(), "a weight out of range")
        require((weights != 1).any(), "weights that are all 1")
        same = values[1:] == values[:-1]
        rising = (values[1:] > values[:-1]) | (same & (weights[1:] > weights[:-1]))
        require(rising.all(), "values out of order")


def _between(low: float, high: float, share: float) -> float:
    """Return a point between two numbers; halfway is their mean, rounded once."""
    if low == high or share == 0:
        return low
    if share == 0.5:  # noqa: PLR2004 - halfway
        middle = (low + high) / 2
        return middle if np.isfinite(middle) else low / 2 + high / 2
    return low + (high - low) * share if np.isfinite(high - low) else low * (1 - share) + high * share
