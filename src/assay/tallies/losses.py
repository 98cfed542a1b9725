"""The loss tally: exact sums of one loss per row, for every metric that is a mean over rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay import kernels
from assay.errors import LengthError, MergeError
from assay.inputs import column, need_rows
from assay.inputs.columns import doubles
from assay.inputs.labels import weights
from assay.tallies.exact_numbers import Dyadic
from assay.tallies.loss_arguments import checked_clip, own_parameters, refuse_outside, row_values
from assay.tallies.tally import Tally, require

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs import Rows
    from assay.inputs.columns import Array

__all__ = ["Losses"]

_ZERO = Dyadic()
_VALUE, _PRODUCT = -1074, -2148
_LARGEST = np.finfo(np.float64).max


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Losses(Tally, kind="losses"):
    """Exact sums over one loss per row, so that no order of rows shows.

    ``total`` adds weight times loss, exactly. ``squares`` adds (weight times loss) squared and ``cross``
    weight times (weight times loss), which the spread of a weighted mean needs; there, with weights, the
    product in brackets is rounded once. Without weights ``cross`` equals ``total``, and ``weight`` and
    ``squared_weight`` equal ``n``. Rows whose loss is infinite or has no value are counted in ``infinite``
    and ``undefined`` and are in no sum but those of the weights. ``least`` and ``largest`` are the extreme
    losses, infinite ones too.

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
        """Return the tally of the loss that a function gives each row (see :func:`row_values`).

        A function may know a faster way to the very same tally, as its attribute ``tally``.
        """
        if hasattr(loss, "tally"):
            own, name = own_parameters(loss, parameters)
            return loss.tally(rows, loss=name, **own)  # type: ignore[no-any-return]
        values, name = row_values(rows, loss, parameters)
        return cls._of(values, None if rows.weight is None else rows.weight.values, name)

    @classmethod
    def log_losses(cls, rows: Rows, *, clip: float = 0.0, loss: str = "log_loss") -> Self:
        """Return the tally of minus the logarithm of what each row's own class was given.

        Labels and probabilities are read once and as they are; without weights, no row's loss is kept.

        >>> import assay
        >>> tally = assay.Losses.log_losses(assay.rows(actual=[1, 0, 1], score=[0.5, 0.0, 0.0]))
        >>> tally.infinite, float(tally.total)
        (1, 0.6931471805599453)
        """
        from assay.tallies.scores.scores import with_labels  # noqa: PLC0415 - each knows the other

        what, clip = "a tally of log losses", checked_clip(clip)
        actual, score = need_rows(rows).need("actual", what), rows.need("score", what)
        values = score.numbers("probabilities")
        score.refuse_missing()
        if not len(rows):
            return cls()
        kernel = kernels.exact_log_losses if rows.weight is None else kernels.log_losses

        def sums(labels: Array) -> tuple[Any, int, int]:
            found = kernel(labels, values, clip)
            return found if isinstance(found, tuple) else (found, found["bad_row"], found["bad_label"])

        (found, bad_row, _), _ = with_labels(rows, actual, sums)
        if bad_row >= 0:
            refuse_outside(score, values)
        if rows.weight is not None:
            return cls._of(found, rows.weight.values, loss)
        n, total = Dyadic.of(len(rows)), Dyadic.of(found["sum"], _VALUE)
        return cls(
            loss, len(rows), n, n, total, Dyadic.of(found["squared_sum"], _PRODUCT), total,
            found["infinite"], 0, found["least"], np.inf if found["infinite"] else found["largest"],
        )  # fmt: skip

    @classmethod
    def of_values(cls, values: Any, weight: Any = None, *, loss: str = "") -> Self:
        """Return the tally of losses that are at hand, one per row; NaN is a row without one.

        >>> import assay
        >>> assay.Losses.of_values([0.5, 2.5], weight=[3, 1]).total
        Dyadic(units=1, exponent=2)
        """
        losses = column(values, "values")
        losses.refuse_missing()
        given = doubles(losses.numbers("losses"))
        if weight is None:
            return cls._of(given, None, loss)
        weighing = weights(column(weight, "weight"))
        if len(weighing) != len(given):
            raise LengthError(f"values has {len(given):,} values, weight has {len(weighing):,}.")
        if not weighing.all():
            given, weighing = given[weighing > 0], weighing[weighing > 0]
        return cls._of(given, weighing, loss)

    @classmethod
    def of_counts(cls, values: Array, counts: Array, weight: Array | None = None, *, loss: str = "") -> Self:
        """Return the tally of losses that stand for so many rows each, all of them of a weight."""
        most = int(counts.max(initial=0))
        if most == 1 and counts.all():
            return cls._of(values, weight, loss)
        tally = cls()
        for bit in range(most.bit_length()):  # a count is a sum of powers of two
            chosen = (counts >> bit) & 1 == 1
            part = cls._of(values[chosen], None if weight is None else weight[chosen], loss)
            tally = tally.merge(part.repeated(1 << bit))
        return tally

    def repeated(self, times: int) -> Self:
        """Return the tally of the rows repeated so many times, at least once."""
        *sums, least, largest = self.state()[1:]
        state: Any = (self.loss, *(one * times for one in sums), least, largest)
        return type(self)(*state)

    @classmethod
    def _of(cls, values: Array, weight: Array | None, name: str) -> Self:
        n = len(values)
        if not n:
            return cls()
        values = np.ascontiguousarray(values)
        total, squares, bad_row = kernels.exact_square_sum(values)
        infinite = undefined = 0
        sum_of_weights = sum_of_squares = Dyadic.of(n)
        if weight is not None:
            first, second, _ = kernels.exact_square_sum(weight)
            sum_of_weights, sum_of_squares = Dyadic.of(first, _VALUE), Dyadic.of(second, _PRODUCT)
        if bad_row >= 0:
            finite = np.isfinite(values)
            infinite = int(np.isinf(values).sum())
            undefined = n - int(finite.sum()) - infinite
            defined, values = values[~np.isnan(values)], values[finite]
            weight = None if weight is None else weight[finite]
        else:
            defined = values
        if weight is None:
            added = cross = Dyadic.of(total, _VALUE)
        else:
            added = Dyadic.of(kernels.exact_weighted_sum(values, weight)[0], _PRODUCT)
            with np.errstate(over="ignore"):
                terms = np.clip(values * weight, -_LARGEST, _LARGEST)
            squares = kernels.exact_square_sum(terms)[1]
            cross = Dyadic.of(kernels.exact_weighted_sum(terms, weight)[0], _PRODUCT)
        return cls(
            name, n, sum_of_weights, sum_of_squares, added, Dyadic.of(squares, _PRODUCT), cross,
            infinite, undefined,
            float(defined.min(initial=np.inf)) + 0.0, float(defined.max(initial=-np.inf)) + 0.0,
        )  # fmt: skip

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        if self.loss != other.loss and self.n and other.n:
            raise MergeError(f"one tally is of the loss {self.loss!r}, the other of {other.loss!r}.")
        if not self.n or not other.n:
            return self if self.n else other
        mine, theirs = self.state()[1:-2], other.state()[1:-2]
        sums = (a + b for a, b in zip(mine, theirs, strict=True))
        extremes = min(self.least, other.least), max(self.largest, other.largest)
        state: Any = (self.loss or other.loss, *sums, *extremes)
        return type(self)(*state)

    @property
    def parameters(self) -> dict[str, float]:
        """The loss function's own parameters, numbers all, as its name tells them.

        >>> Losses("huber delta=1.5", 1).parameters
        {'delta': 1.5}
        """
        words = (word.partition("=") for word in self.loss.split()[1:])
        return {key: float(value) for key, _, value in words}

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        name, n, *sums, infinite, undefined, least, largest = self.state()
        require(type(name) is str, "a loss without a name")
        require(all(type(count) is int and count >= 0 for count in (n, infinite, undefined)), "a wrong count")
        require(infinite + undefined <= n, "more losses than rows")
        require(all(type(one) is Dyadic for one in sums), "a sum that is no exact number")
        require(type(least) is float and type(largest) is float, "wrong extremes")
        require(self.squares.units >= 0, "a sum of squares below 0")
        if n == 0:
            require(self.state() == type(self)().state(), "sums of no rows")
            return
        require(self.weight.units > 0 and self.squared_weight.units > 0, "rows without weight")
        ends = (least == -np.inf) + (largest == np.inf)
        if n == undefined:
            require((least, largest) == (np.inf, -np.inf), "extremes of no losses")
        else:
            require(least <= largest and bool(infinite) == bool(ends), "wrong extremes")
        if n == infinite + undefined:
            require(not any(one.units for one in sums[2:]), "sums of no losses")
            require(np.isinf(least) and np.isinf(largest), "wrong extremes")
