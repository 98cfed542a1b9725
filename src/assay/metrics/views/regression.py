"""Views of regression tallies: sums of errors, values in order, pairs of numbers, and two of them together.

A view of exact sums holds exact numbers, so that a formula over it is rounded once, at its end.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from assay.errors import MetricError
from assay.metrics.arithmetic import ratio
from assay.metrics.exact import Exact
from assay.metrics.metric import need_tally
from assay.metrics.views.row_means import Mean
from assay.tallies import Collection, Losses, Moments, NumberPairs, Values

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.tallies import Tally

__all__ = [
    "ERROR_VIEWS",
    "AbsoluteErrors",
    "AbsolutePercentageErrors",
    "Errors",
    "Explained",
    "Ranged",
    "Scaled",
    "ValuePairs",
]

LARGEST = float(np.finfo(np.float64).max)  # stands for infinity in a tally of finite values


class TallyFactory:
    """Makes a view's tally of rows, where that takes more than a tally's own ``of``."""

    def __init__(self, made: type[Tally], of: Callable[..., Any]) -> None:
        self.kind = made.kind
        self.of = of


@dataclasses.dataclass(frozen=True)
class Errors:
    """Sums over pairs of actual and predicted numbers; the error is actual minus predicted.

    The sums are exact numbers, or arrays with one entry per replicate; ``weight`` is the sum of the
    weights, without weights the number of rows. ``effective`` is Kish's effective number of rows, None where
    that is their number.
    """

    weight: Any
    actual: Any
    predicted: Any
    absolute_error: Any
    squared_actual: Any
    squared_predicted: Any
    squared_error: Any
    largest_error: Any = 0.0
    effective: Any = None

    title: ClassVar[str] = "sums of errors"
    needs: ClassVar[str] = "numbers"
    tally: ClassVar[Any] = Moments

    @classmethod
    def of(cls, tally: Moments) -> Self:
        """Return the sums of a moments tally."""
        need_tally(tally, Moments)
        sums = (
            tally.weight, tally.actual, tally.predicted, tally.absolute_error,
            tally.squared_actual, tally.squared_predicted, tally.squared_error,
        )  # fmt: skip
        state: Any = [*(Exact(value.units, 1, value.exponent) for value in sums), tally.largest_error]
        weight, squares = state[0], Exact.of(tally.squared_weight)
        state.append(weight * weight / squares if squares else None)
        return cls(*state)

    @property
    def n(self) -> Any:
        """Number of rows; with weights, Kish's (1965) effective number."""
        return self.weight if self.effective is None else self.effective

    @functools.cached_property
    def mean_actual(self) -> Any:
        """The mean of the actual values."""
        return ratio(self.actual, self.weight)

    @functools.cached_property
    def mean_predicted(self) -> Any:
        """The mean of the predicted values."""
        return ratio(self.predicted, self.weight)

    @functools.cached_property
    def mean_error(self) -> Any:
        """The mean of actual minus predicted."""
        return ratio(self.actual - self.predicted, self.weight)

    @functools.cached_property
    def mean_squared_error(self) -> Any:
        """The mean of the squared error."""
        return ratio(self.squared_error, self.weight)

    @functools.cached_property
    def error_variance(self) -> Any:
        """The variance of the error, about its mean."""
        return self.mean_squared_error - self.mean_error * self.mean_error

    @functools.cached_property
    def actual_variance(self) -> Any:
        """The variance of the actual values, about their mean and over all rows."""
        return ratio(self.squared_actual * self.weight - self.actual * self.actual, self.weight * self.weight)

    @functools.cached_property
    def predicted_variance(self) -> Any:
        """The variance of the predicted values."""
        return ratio(
            self.squared_predicted * self.weight - self.predicted * self.predicted, self.weight * self.weight
        )

    @functools.cached_property
    def covariance(self) -> Any:
        """The covariance of the actual and the predicted values.

        The tally needs no sum of their products: 2 a p = a² + p² - (a - p)².
        """
        doubled = self.squared_actual + self.squared_predicted - self.squared_error
        return ratio(
            doubled * self.weight - 2 * (self.actual * self.predicted), 2 * (self.weight * self.weight)
        )


def absolute_error(actual: Any, predicted: Any) -> Any:
    """Return the absolute error of each row."""
    return abs(actual - predicted)


def absolute_percentage_error(actual: Any, predicted: Any) -> Any:
    """Return the absolute error of each row as a share of the actual value; LARGEST stands for infinity."""
    error = abs(actual - predicted)
    with np.errstate(over="ignore"):
        share = error / np.where(actual == 0, 1.0, abs(actual))
    share = np.where((actual == 0) & (error > 0), LARGEST, share)
    return np.minimum(share, LARGEST)


def _tally_of(row_value: Callable[..., Any]) -> TallyFactory:
    """Return how the tally of one value per row is made."""
    return TallyFactory(Values, lambda rows: Values.of_rows(rows, row_value))


@dataclasses.dataclass(frozen=True)
class AbsoluteErrors:
    """The absolute errors in order; `row_value` is what a row is ordered by."""

    values: Values

    title: ClassVar[str] = "errors in order"
    needs: ClassVar[str] = "numbers"
    row_value = staticmethod(absolute_error)
    tally: ClassVar[Any] = _tally_of(absolute_error)

    @classmethod
    def of(cls, tally: Values) -> Self:
        """Return the view of a tally of one value per row."""
        need_tally(tally, Values)
        return cls(tally)

    def quantile(self, share: float) -> float:
        """Return a quantile of the rows' values."""
        return self.values.quantile(share)


class AbsolutePercentageErrors(AbsoluteErrors):
    """The absolute errors as shares of the actual values, in order.

    Where the actual value is 0 the share is infinite, unless the prediction is 0, too; the largest float
    stands for infinity in the tally.
    """

    title = "percentage errors in order"
    row_value = staticmethod(absolute_percentage_error)
    tally = _tally_of(absolute_percentage_error)

    def quantile(self, share: float) -> float:
        """Return a quantile; NaN where it, or one of the two values it is the mean of, is infinite."""
        quantile = super().quantile(share)
        return math.nan if quantile >= LARGEST / 4 else quantile


@dataclasses.dataclass(frozen=True)
class ValuePairs:
    """Pairs of actual and predicted numbers: how they agree in order."""

    pairs: NumberPairs

    title: ClassVar[str] = "ranks of actual and predicted numbers"
    needs: ClassVar[str] = "numbers"
    takes_weights: ClassVar[bool] = False
    tally: ClassVar[Any] = NumberPairs

    @classmethod
    def of(cls, tally: NumberPairs) -> Self:
        """Return the view of a tally of number pairs."""
        need_tally(tally, NumberPairs)
        return cls(tally)

    @functools.cached_property
    def agreement(self) -> Any:
        """Number of concordant, discordant and tied pairs of rows."""
        return self.pairs.agreement()

    @functools.cached_property
    def ranks(self) -> Errors:
        """The sums of the ranks instead of the numbers."""
        return Errors.of(self.pairs.ranks())


@dataclasses.dataclass(frozen=True)
class Scaled:
    """Errors beside the mean of something else, by which they are scaled."""

    errors: Errors
    scale: Any

    title: ClassVar[str] = "errors relative to the size of the actual values"
    needs: ClassVar[str] = "numbers"
    tally: ClassVar[Any] = TallyFactory(
        Collection,
        lambda rows, loss: Collection.of(
            rows, {"errors": Moments, "scale": functools.partial(Losses.of, loss=loss)}
        ),
    )

    @classmethod
    def of(cls, tally: Collection) -> Self:
        """Return the view of a collection of moments and losses."""
        errors, scale = _both(tally, errors=Moments, scale=Losses)
        return cls(Errors.of(errors), ratio(Exact.of(scale.total), Exact.of(scale.weight)))


@dataclasses.dataclass(frozen=True)
class Ranged:
    """Errors beside the actual values in order."""

    errors: Errors
    actual: Values

    title: ClassVar[str] = "errors relative to the spread of the actual values"
    needs: ClassVar[str] = "numbers"
    tally: ClassVar[Any] = TallyFactory(
        Collection, lambda rows: Collection.of(rows, {"errors": Moments, "actual": _actual_values})
    )

    @classmethod
    def of(cls, tally: Collection) -> Self:
        """Return the view of a collection of moments and values."""
        errors, values = _both(tally, errors=Moments, actual=Values)
        return cls(Errors.of(errors), values)

    @property
    def range(self) -> float:
        """Largest less smallest actual value, regardless of weights."""
        values = self.actual.values.astype(float)
        return float(values[-1] - values[0]) if len(values) else math.nan

    def between(self, low: float, high: float) -> float:
        """Return the difference of two quantiles of the actual values, interpolated between rows."""
        return self.actual.quantile(high, method="linear") - self.actual.quantile(low, method="linear")

    def mean_of(self, function: Callable[[Any], Any]) -> float:
        """Return the mean over the rows of a function of the actual value."""
        return _mean_of(self.actual, function)


@dataclasses.dataclass(frozen=True)
class Explained:
    """The mean of a row loss beside the actual values, for the loss of the best constant prediction."""

    mean: float
    actual: Values
    parameters: dict[str, float]

    title: ClassVar[str] = "losses relative to a constant prediction"
    needs: ClassVar[str] = "numbers"
    tally: ClassVar[Any] = TallyFactory(
        Collection,
        lambda rows, loss, **parameters: Collection.of(
            rows, {"loss": functools.partial(Losses.of, loss=loss, **parameters), "actual": _actual_values}
        ),
    )

    @classmethod
    def of(cls, tally: Collection) -> Self:
        """Return the view of a collection of losses and values."""
        losses, values = _both(tally, loss=Losses, actual=Values)
        return cls(Mean.of(losses).mean, values, losses.parameters)

    @property
    def mean_actual(self) -> float:
        """The mean of the actual values, correctly rounded, so that of equal ones it is their value."""
        return _mean_of(self.actual, lambda values: values)

    def lost_by(self, constant: float, loss: Callable[..., Any]) -> float:
        """Return the mean loss if every prediction were this number."""
        return _mean_of(self.actual, lambda values: loss(values, values * 0 + constant, **self.parameters))


# Views of all errors of a regression, which may have any size.
ERROR_VIEWS = frozenset({Errors, Scaled, Explained, Ranged, ValuePairs})


def _actual_values(rows: Any) -> Values:
    return Values.of_rows(rows, lambda actual: actual)


def _mean_of(values: Values, function: Callable[[Any], Any]) -> float:
    with np.errstate(all="ignore"):  # a loss without a finite value is infinite or NaN
        losses = function(values.values.astype(float))
    return float(Mean.of(Losses.of_values(losses, values.mass)).mean)


def _both(tally: Collection, **kinds: type[Tally]) -> list[Any]:
    need_tally(tally, Collection)
    if not len(tally):
        return [kind.empty() for kind in kinds.values()]
    for name, kind in kinds.items():
        if not isinstance(tally.get(name), kind):
            raise MetricError(
                f"this metric reads a collection of {' and '.join(kinds)}: make it with metric.tally(rows)."
            )
    return [tally[name] for name in kinds]
