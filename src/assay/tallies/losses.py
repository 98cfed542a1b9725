"""The loss tally: exact sums of one loss per row, for every metric that is a mean over rows."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay import kernels
from assay.errors import MergeError, TallyError
from assay.inputs import need_rows
from assay.inputs.columns import doubles
from assay.inputs.labels import binary
from assay.tallies.dyadic import Dyadic
from assay.tallies.tally import Tally, require

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs import Rows
    from assay.inputs.columns import Array

__all__ = ["Losses"]

_ZERO = Dyadic()
_VALUE, _PRODUCT = -1074, -2148


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Losses(Tally, kind="losses"):
    """Exact sums over one loss per row: of the losses, their squares and the weights.

    Each row's term, weight times loss, is rounded once; the sums are exact, so no order of rows shows.
    ``squares`` adds the squared terms and ``cross`` the terms times their weights, which is what the
    spread of a weighted mean needs; without weights ``cross`` equals ``total``. Rows whose loss is infinite
    or has no value are counted apart, in ``infinite`` and ``undefined``, and are not in the sums.

    State: eleven numbers.

    Examples
    --------
    >>> import assay
    >>> def cubed(actual, predicted):
    ...     return abs(actual - predicted) ** 3
    >>> tally = assay.Losses.of(assay.rows(actual=[1.0, 2.0], predicted=[3.0, 2.0]), cubed)
    >>> tally.loss, tally.total / tally.weight
    ('cubed', 4.0)
    """

    loss: str = ""
    n: int = 0
    weight: Dyadic = _ZERO
    squared_weight: Dyadic = _ZERO
    total: Dyadic = _ZERO
    squares: Dyadic = _ZERO
    cross: Dyadic = _ZERO
    infinite: int = 0
    undefined: int = 0
    least: float = np.inf
    largest: float = -np.inf

    @classmethod
    def of(cls, rows: Rows, loss: Callable[..., Array], **parameters: Any) -> Self:
        """Return the tally of the loss that a function gives each row.

        The function's positional parameters say what it needs, as plain arrays: ``actual``, ``predicted``
        and ``score`` are columns of numbers, ``positive`` is 1 where the row is positive and else 0.
        """
        needed = [
            name
            for name, one in inspect.signature(loss).parameters.items()
            if one.kind in (one.POSITIONAL_OR_KEYWORD, one.POSITIONAL_ONLY)
        ]
        name = " ".join([loss.__name__, *(f"{key}={value!r}" for key, value in sorted(parameters.items()))])
        if not len(need_rows(rows)):
            return cls(name)
        columns = [_numbers(rows, role, name) for role in needed]
        with np.errstate(all="ignore"):  # a loss says by NaN or infinity where it has no finite value
            values = np.asarray(loss(*columns, **parameters), dtype=np.float64)
        return cls.of_values(values, None if rows.weight is None else rows.weight.values, loss=name)

    @classmethod
    def of_values(cls, values: Array, weight: Array | None = None, *, loss: str = "") -> Self:
        """Return the tally of losses that are at hand, one per row."""
        undefined, infinite = np.isnan(values), np.isinf(values)
        finite = ~(undefined | infinite)
        counts = len(values), int(infinite.sum()), int(undefined.sum())
        if not finite.all():
            values = values[finite]
        terms = np.ascontiguousarray(values)
        rows = Dyadic.of(counts[0])
        weights = (rows, rows)
        if weight is not None:
            total, squares, _ = kernels.exact_square_sum(weight)
            weights = Dyadic.of(total, _VALUE), Dyadic.of(squares, _PRODUCT)
            weight = np.ascontiguousarray(weight[finite])
            terms = terms * weight
        total, squares, _ = kernels.exact_square_sum(terms)
        cross = Dyadic.of(total, _VALUE)
        if weight is not None:
            cross = Dyadic.of(kernels.exact_weighted_sum(terms, weight)[0], _PRODUCT)
        return cls(
            loss, counts[0], *weights, Dyadic.of(total, _VALUE), Dyadic.of(squares, _PRODUCT), cross,
            counts[1], counts[2], float(values.min(initial=np.inf)) + 0.0,
            float(values.max(initial=-np.inf)) + 0.0,
        )  # fmt: skip

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        if self.loss != other.loss and self.n and other.n:
            raise MergeError(f"one tally is of the loss {self.loss!r}, the other of {other.loss!r}.")
        # Rows of none have no loss to insist on; the same name comes out whichever side is empty.
        names = [one.loss for one in (self, other) if one.n] or [max(self.loss, other.loss)]
        mine, theirs = self.state()[1:-2], other.state()[1:-2]
        sums = (a + b for a, b in zip(mine, theirs, strict=True))
        extremes = min(self.least, other.least), max(self.largest, other.largest)
        state: Any = (names[0], *sums, *extremes)
        return type(self)(*state)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        name, n, *sums, infinite, undefined, least, largest = self.state()
        require(type(name) is str, "a loss without a name")
        require(all(type(count) is int and count >= 0 for count in (n, infinite, undefined)), "a wrong count")
        require(infinite + undefined <= n, "more losses than rows")
        require(all(type(one) is Dyadic for one in sums), "a sum that is no exact number")
        require(type(least) is float and type(largest) is float, "wrong extremes")
        for one in (self.weight, self.squared_weight, self.squares):
            require(one.units >= 0, "a sum of squares below 0")
        if n == infinite + undefined:
            require((least, largest) == (np.inf, -np.inf), "extremes of no losses")
        else:
            require(-np.inf < least <= largest < np.inf, "wrong extremes")
        if n == 0:
            require(self.state() == type(self)(name).state(), "sums of no rows")


def _numbers(rows: Rows, role: str, loss: str) -> Array:
    if role == "positive":
        labels, _ = binary(rows.need("actual", loss), rows.positive, rows.labels)
        return labels.astype(np.float64)
    if role not in ("actual", "predicted", "score"):
        raise TallyError(
            f"the loss {loss} asks for {role!r}: it may ask for actual, predicted, score or positive."
        )
    column = rows.need(role, f"the loss {loss}")
    values = doubles(column.numbers("numbers"))
    column.refuse_missing()
    if np.isnan(values).any():
        column.raise_missing(int(np.argmax(np.isnan(values))))
    return values
