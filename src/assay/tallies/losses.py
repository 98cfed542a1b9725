"""Loss tally: exact sums of one loss per row, for every metric that is a mean over rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay import kernels
from assay.errors import LengthError, MergeError
from assay.formatting.numbers import count_of
from assay.inputs import column, need_columns, need_rows
from assay.inputs.labels import weights
from assay.tallies.exact_numbers import Dyadic
from assay.tallies.loss_arguments import check_clip, own_parameters, require_probabilities, row_values
from assay.tallies.tally import Tally, require

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from assay.inputs import Rows
    from assay.inputs.columns import Array

    Kernel: TypeAlias = Callable[[Array, Array, float], Any]

__all__ = ["Losses"]

_ZERO = Dyadic()
_VALUE, _PRODUCT = -1074, -2148  # binary exponents of the units of a float64 and of a product of two
_MAX_FLOAT = np.finfo(np.float64).max


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Losses(Tally, kind="losses"):
    """Exact sums of one loss per row, independent of the order of rows.

    ``total`` adds weight times loss, exactly. ``squares`` adds (weight times loss) squared and ``cross``
    weight times (weight times loss), for the variance of a weighted mean; with weights, the product in
    parentheses is rounded once. Without weights ``cross`` equals ``total``, and ``weight`` and
    ``squared_weight`` equal ``n``. Rows whose loss is infinite or has no value are counted in ``infinite``
    and ``undefined`` and are in no sum but those of the weights. ``least`` and ``largest`` are the
    minimum and maximum loss, infinite ones included.

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
        """Return the tally of a loss function, evaluated for each row (see :func:`row_values`).

        A function may provide a faster way to the same tally as its attribute ``tally``.
        """
        if hasattr(loss, "tally"):
            own, name = own_parameters(loss, parameters)
            return loss.tally(rows, loss=name, **own)  # type: ignore[no-any-return]
        values, name = row_values(need_rows(rows), loss, parameters)
        return cls._of(values, None if rows.weight is None else rows.weight.values, name)

    @classmethod
    def log_losses(cls, rows: Rows, *, clip: float = 0.0, loss: str = "log_loss") -> Self:
        """Return the tally of minus the logarithm of the probability of each row's actual class.

        Labels and probabilities are read once and not copied; without weights, row losses are not stored.

        >>> import assay
        >>> tally = assay.Losses.log_losses(assay.rows(actual=[1, 0, 1], score=[0.5, 0.0, 0.0]))
        >>> tally.infinite, float(tally.total)
        (1, 0.6931471805599453)
        """
        return cls._of_probabilities(
            rows,
            "a tally of log losses",
            loss,
            check_clip(clip),
            kernels.exact_log_losses,
            kernels.log_losses,
        )

    @classmethod
    def brier_losses(cls, rows: Rows, *, loss: str = "brier") -> Self:
        """Return the tally of the squared difference of each row's probability and its outcome, 0 or 1.

        Labels and probabilities are read once and not copied; without weights, row losses are not stored.

        >>> import assay
        >>> tally = assay.Losses.brier_losses(assay.rows(actual=[1, 0, 1], score=[0.5, 0.0, 0.0]))
        >>> float(tally.total)
        1.25
        """
        return cls._of_probabilities(
            rows, "a tally of Brier losses", loss, 0.0, kernels.exact_brier_losses, kernels.brier_losses
        )

    @classmethod
    def _of_probabilities(
        cls, rows: Rows, what: str, loss: str, clip: float, *kernels_of_loss: Kernel
    ) -> Self:
        """Return the tally of a loss that kernels compute from labels of two classes and probabilities."""
        from assay.tallies.scores.scores import with_labels  # noqa: PLC0415 - circular import

        actual, score = need_columns(rows, what, "actual", "score")
        values = score.complete_numbers("probabilities")
        if not rows.n:
            return cls()

        exact_sums, row_losses = kernels_of_loss

        def sums(labels: Array) -> tuple[Any, int, int]:
            if rows.weight is not None:
                return row_losses(labels, values, clip)  # type: ignore[no-any-return]
            result = exact_sums(labels, values, clip)
            return result, result["bad_row"], result["bad_label"]

        (result, bad_row, _), _ = with_labels(rows, actual, sums)
        if bad_row >= 0:
            require_probabilities(score, values)
        if rows.weight is not None:
            return cls._of(result, rows.weight.values, loss)
        n, total = Dyadic.of(rows.n), Dyadic.of(result["sum"], _VALUE)
        return cls(
            loss, rows.n, n, n, total, Dyadic.of(result["squared_sum"], _PRODUCT), total,
            result["infinite"], 0, result["least"], np.inf if result["infinite"] else result["largest"],
        )  # fmt: skip

    @classmethod
    def of_values(cls, values: Any, weight: Any = None, *, loss: str = "") -> Self:
        """Return the tally of losses computed elsewhere, one per row; NaN where the loss is undefined.

        >>> import assay
        >>> assay.Losses.of_values([0.5, 2.5], weight=[3, 1]).total
        Dyadic(units=1, exponent=2)
        """
        values_column = column(values, "values")
        values_column.refuse_missing()
        losses = values_column.float64("losses")
        if weight is None:
            return cls._of(losses, None, loss)
        row_weights = weights(column(weight, "weight"))
        if len(row_weights) != len(losses):
            raise LengthError(
                f"values has {count_of(len(losses), 'value')}, weight has {len(row_weights):,}."
            )
        if not row_weights.all():
            losses, row_weights = losses[row_weights > 0], row_weights[row_weights > 0]
        return cls._of(losses, row_weights, loss)

    @classmethod
    def of_counts(cls, values: Array, counts: Array, weight: Array | None = None, *, loss: str = "") -> Self:
        """Return the tally of distinct losses with the number of rows of each; `weight` is per row."""
        max_count = int(counts.max(initial=0))
        if max_count == 1 and counts.all():
            return cls._of(values, weight, loss)
        tally = cls()
        for bit in range(max_count.bit_length()):  # a count is a sum of powers of two
            has_bit = (counts >> bit) & 1 == 1
            part = cls._of(values[has_bit], None if weight is None else weight[has_bit], loss)
            tally = tally.merge(part.repeated(1 << bit))
        return tally

    def repeated(self, times: int) -> Self:
        """Return the tally of every row repeated `times` times, at least once."""
        *sums, minimum, maximum = self.state()[1:]
        state: Any = (self.loss, *(value * times for value in sums), minimum, maximum)
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
            weight_sum, squared_sum, _ = kernels.exact_square_sum(weight)
            sum_of_weights, sum_of_squares = Dyadic.of(weight_sum, _VALUE), Dyadic.of(squared_sum, _PRODUCT)
        if bad_row >= 0:
            finite = np.isfinite(values)
            infinite = int(np.isinf(values).sum())
            undefined = n - int(finite.sum()) - infinite
            defined, values = values[~np.isnan(values)], values[finite]
            weight = None if weight is None else weight[finite]
        else:
            defined = values
        if weight is None:
            weighted_total = cross = Dyadic.of(total, _VALUE)
        else:
            weighted_total = Dyadic.of(kernels.exact_weighted_sum(values, weight)[0], _PRODUCT)
            with np.errstate(over="ignore"):
                terms = np.clip(values * weight, -_MAX_FLOAT, _MAX_FLOAT)
            squares = kernels.exact_square_sum(terms)[1]
            cross = Dyadic.of(kernels.exact_weighted_sum(terms, weight)[0], _PRODUCT)
        lowest, highest, _ = kernels.extremes(defined)
        return cls(
            name, n, sum_of_weights, sum_of_squares, weighted_total, Dyadic.of(squares, _PRODUCT), cross,
            infinite, undefined, lowest + 0.0, highest + 0.0,
        )  # fmt: skip

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        if self.loss != other.loss and self.n and other.n:
            raise MergeError(f"one tally is of the loss {self.loss!r}, the other of {other.loss!r}.")
        if not self.n or not other.n:
            return self if self.n else other
        left, right = self.state()[1:-2], other.state()[1:-2]
        sums = (a + b for a, b in zip(left, right, strict=True))
        extremes = min(self.least, other.least), max(self.largest, other.largest)
        state: Any = (self.loss or other.loss, *sums, *extremes)
        return type(self)(*state)

    @property
    def parameters(self) -> dict[str, float]:
        """The loss function's keyword-only parameters, all numbers, parsed from its name.

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
        require(all(type(value) is Dyadic for value in sums), "a sum that is not an exact number")
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
            require(not any(value.units for value in sums[2:]), "sums of no losses")
            require(np.isinf(least) and np.isinf(largest), "wrong extremes")
