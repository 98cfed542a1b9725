"""Regression targets by output: one tally for each, and the average over them that the caller asks for."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.inputs import Column, Rows
from assay.inputs.columns import doubles
from assay.metrics.views.regression import Errors
from assay.metrics.views.row_means import Mean
from assay.sklearn.parameter_checks import ARRAY, text_among
from assay.sklearn.target_checks import finite, regression_targets
from assay.tallies import Losses, Moments, Values
from assay.tallies.loss_arguments import evaluate_in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.inputs.columns import Array

__all__ = ["MULTIOUTPUT", "Output", "averaged", "one_output", "outputs"]

MULTIOUTPUT = text_among("raw_values", "uniform_average") + ARRAY
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


@dataclasses.dataclass(frozen=True, slots=True)
class Output:
    """The actual and the predicted numbers of one output, with the rows' weights."""

    actual: Array
    predicted: Array
    weight: Array | None = None

    def __len__(self) -> int:
        return len(self.actual)

    def errors(self) -> Errors:
        """Return the exact sums of errors."""
        if self.weight is None or self.weight.min() >= 0:
            return Errors.of(self._moments(self.weight))
        # Sums are exact, so those of weights below 0 can be taken from the others.
        above, below = (self._moments(np.maximum(self.weight * sign, 0)) for sign in (1, -1))
        *above_sums, largest = above.state()
        *below_sums, _ = below.state()
        state: Any = (*(a - b for a, b in zip(above_sums, below_sums, strict=True)), largest)
        return Errors.of(Moments(*state))

    def _moments(self, weight: Array | None) -> Moments:
        columns = Column("y_true", self.actual), Column("y_pred", self.predicted)
        weighing = None if weight is None else Column("sample_weight", weight)
        try:
            return Moments.of(Rows(len(self.actual), *columns, weight=weighing))
        except InputError:
            self.check_finite()
            raise

    def rows(self, function: Callable[..., Array], predicted: Any = None, **parameters: Any) -> Array:
        """Return a function of every row, for these predictions or for one number in place of them all."""
        values = self.predicted if predicted is None else np.broadcast_to(predicted, self.actual.shape)
        return evaluate_in_blocks(function, [doubles(self.actual), doubles(values)], parameters)

    def mean(self, function: Callable[..., Array], predicted: Any = None, **parameters: Any) -> Mean:
        """Return the mean of a row loss."""
        losses, weight = self.rows(function, predicted, **parameters), self.weight
        if weight is None or weight.min() >= 0:
            tally = Losses.of_values(losses, weight)
        else:
            above, below = (Losses.of_values(losses, np.maximum(weight * sign, 0)) for sign in (1, -1))
            tally = dataclasses.replace(
                above, weight=above.weight - below.weight, total=above.total - below.total,
                infinite=above.infinite + below.infinite, undefined=above.undefined + below.undefined,
            )  # fmt: skip
        if tally.undefined or tally.infinite:
            self.check_finite()
        return Mean.of(tally)

    def ordered(self, numbers: Array) -> Values:
        """Return the rows' numbers in order; what has no place there came from what is not finite."""
        try:
            return Values.of(numbers, None if self.weight is None else np.maximum(self.weight, 0))
        except InputError:
            self.check_finite()
            raise

    def check_finite(self) -> None:
        """Raise in scikit-learn's words if a number is not finite."""
        finite(self.actual)
        finite(self.predicted)


def outputs(
    y_true: Any, y_pred: Any, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> tuple[list[Output], Any]:
    """Return the outputs, and what to do with them in the end, checked.

    Two plain columns of floats are taken as they are: whoever adds them up will find what is not finite.
    """
    if (
        sample_weight is None and type(y_true) is type(y_pred) is np.ndarray and isinstance(multioutput, str)
        and y_true.ndim == 1 and y_true.shape == y_pred.shape and len(y_true)
        and y_true.dtype in _FLOATS and y_pred.dtype in _FLOATS
        and y_true.flags.c_contiguous and y_pred.flags.c_contiguous
    ):  # fmt: skip
        return [Output(y_true, y_pred)], multioutput
    actual, predicted, weight, multioutput = regression_targets(y_true, y_pred, sample_weight, multioutput)
    weight = None if weight is None else doubles(weight)
    return [
        Output(_column(actual, index), _column(predicted, index), weight) for index in range(actual.shape[1])
    ], multioutput


def one_output(name: str, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Output:
    """Return the only output, or raise where there are several."""
    every_output, _ = outputs(y_true, y_pred, sample_weight)
    if len(every_output) > 1:
        raise InputError(f"Multioutput not supported in {name}")
    return every_output[0]


def averaged(values: Sequence[float], multioutput: Any, weights: Any = None) -> Any:
    """Return all outputs' values, or their average with the caller's weights, else with these."""
    if isinstance(multioutput, str):
        if multioutput == "raw_values":
            return np.array(values)
    elif multioutput is not None:
        weights = multioutput
    if len(values) == 1 and weights is None:
        return values[0]
    return float(np.average(values, weights=weights))


def _column(table: Array, index: int) -> Array:
    column = table[:, index]
    return np.ascontiguousarray(column if column.dtype in _FLOATS else doubles(column))
