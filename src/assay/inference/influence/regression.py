"""The influence of rows on metrics of actual and predicted numbers.

Nearly all of them are functions of a few means: of the error, its size and square, of variances and the
covariance. What a row brings to each of these is plain; the slope of the metric by each comes from its
formula. The means are the exact ones, rounded, and the rows are centred before they are squared, so that
numbers that lie far from 0 and close together lose nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.gradients import slopes_by
from assay.inference.influence.influence import Influence, row_influence
from assay.metrics import Undefined
from assay.metrics.exact import Exact
from assay.metrics.views.regression import Errors, Explained, Ranged, Scaled
from assay.tallies.loss_arguments import numbers, row_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric
    from assay.tallies import Tally

    Array = NDArray[np.float64]

__all__ = ["of_rows"]


class _Columns:
    """The rows' numbers, and the means of all that a metric may be made of."""

    def __init__(self, rows: Rows, view: Errors) -> None:
        self.actual: Array = numbers(rows, "actual", "an influence")
        self.predicted: Array = numbers(rows, "predicted", "an influence")
        self.error: Array = self.actual - self.predicted
        self.total = float(view.weight)
        self.means: dict[str, tuple[float, float]] = {
            name: _split(getattr(view, name) / view.weight) for name in _SUMS
        }
        self.means |= {name: _split(getattr(view, name)) for name in _MADE}

    def apart(self, name: str, term: Array) -> Array:
        """Return how far each row lies from one of the means."""
        near, rest = self.means[name]
        return np.asarray((term - near) - rest)


def _split(exact: Any) -> tuple[float, float]:
    """Return the float nearest to a number, and what it lacks: of numbers far from 0 that is much."""
    near = float(exact)
    return near, float(exact - Exact.of(near)) if isinstance(exact, Exact) and np.isfinite(near) else 0.0


# The view's sums as means, in the order of its fields, and what a row brings to each.
_SUMS: dict[str, Callable[[_Columns], Array]] = {
    "actual": lambda c: c.actual,
    "predicted": lambda c: c.predicted,
    "absolute_error": lambda c: np.abs(c.error),
    "squared_actual": lambda c: np.square(c.actual),
    "squared_predicted": lambda c: np.square(c.predicted),
    "squared_error": lambda c: np.square(c.error),
}
# What the view makes of the sums, by its names; each is a mean as well.
_MADE: dict[str, Callable[[_Columns], Array]] = {
    "mean_actual": lambda c: c.actual,
    "mean_predicted": lambda c: c.predicted,
    "mean_error": lambda c: c.error,
    "mean_squared_error": lambda c: np.square(c.error),
    "error_variance": lambda c: np.square(c.apart("mean_error", c.error)),
    "actual_variance": lambda c: np.square(c.apart("mean_actual", c.actual)),
    "predicted_variance": lambda c: np.square(c.apart("mean_predicted", c.predicted)),
    "covariance": lambda c: c.apart("mean_actual", c.actual) * c.apart("mean_predicted", c.predicted),
}
_TERMS = {**_SUMS, **_MADE}


@row_influence(Errors, Scaled, Explained, Ranged)
def of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], _tally: Tally | None = None
) -> Influence | None:
    """Return the influence of every row; none on what hangs on the largest or the middle rows."""
    if metric.kind in ("extreme", "order") or metric.name == "rmse_over_range":
        return None
    own = {name: value for name, value in options.items() if name in metric.parameters}
    tally = metric.tally(rows, **{name: value for name, value in options.items() if name not in own})
    value = metric(tally, **own)
    if isinstance(value, Undefined):
        return None
    view = metric.reads.of(tally)
    with np.errstate(all="ignore"):  # what overflows has no influence, which the caller sees
        slopes = _SLOPES[metric.reads](metric, rows, view, own)
    return Influence.of_rows(value, slopes, None if rows.weight is None else rows.weight.values)


def _of_means(metric: Metric, rows: Rows, view: Errors | Scaled, options: dict[str, Any]) -> Array:
    """Return the slopes of a function of means: those of the formula by each, times what a row brings."""
    errors = view.errors if isinstance(view, Scaled) else view
    columns, total = _Columns(rows, errors), float(errors.weight)
    if not errors.squared_error:  # every prediction is right, and stays so whatever the rows' weights
        return np.zeros(len(columns.error))
    if isinstance(view, Scaled):
        columns.means["scale"] = _split(view.scale)
    columns.means["rows"] = (float(errors.n), 0.0)
    names = list(columns.means)

    def formula(*moved: Any) -> Any:
        given = dict(zip(names, moved, strict=True))
        sums: Any = [total, *(given[name] * total for name in _SUMS), 0.0, given["rows"]]
        moved_errors = Errors(*sums)
        vars(moved_errors).update(
            {name: given[name] for name in _MADE}
        )  # they are kept, not made of the sums
        moved_view = Scaled(moved_errors, given["scale"]) if isinstance(view, Scaled) else moved_errors
        return metric.formula(moved_view, **options)

    slopes = np.zeros(len(columns.error))
    for name, slope in zip(
        names, slopes_by(formula, [near for near, _ in columns.means.values()]), strict=True
    ):
        if slope and name == "rows":
            slopes += slope * _of_effective_rows(rows, float(errors.n), total)
        elif slope:
            term = row_values(rows, metric.loss, {})[0] if name == "scale" else _TERMS[name](columns)
            slopes += slope * columns.apart(name, term)
    return slopes / total


def _of_effective_rows(rows: Rows, effective: float, total: float) -> Array:
    """Return the slopes of the number of equal rows that weighted rows are worth, times their weight.

    That is (sum w)² / sum w², which does not move where all weights are equal.
    """
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight.values
    return np.asarray(2 * effective * (1 - weight * (effective / total)))


def _of_explained(metric: Metric, rows: Rows, view: Explained, options: dict[str, Any]) -> Array:
    """Return the slopes of one less a ratio of losses.

    The best constant is where its loss is least, so a row moves that loss as if the constant stood still.
    """
    asked: list[tuple[float, Any]] = []

    class Asking(Explained):
        def lost_by(self, constant: float, loss: Callable[..., Any]) -> float:
            asked.append((constant, loss))
            return super().lost_by(constant, loss)

    metric.formula(Asking(view.mean, view.actual, view.parameters), **options)
    [(constant, loss)] = asked
    actual = numbers(rows, "actual", "an influence")
    losses = row_values(rows, metric.loss, view.parameters)[0]
    plain = loss(actual, actual * 0 + constant, **view.parameters)
    bottom = view.lost_by(constant, loss)
    total = float(view.actual.weight)
    return np.asarray((view.mean * (plain - bottom) / bottom - (losses - view.mean)) / (bottom * total))


def _of_relative(metric: Metric, rows: Rows, view: Ranged, options: dict[str, Any]) -> Array:
    """Return the slopes of the relative absolute error, whose mean moves with every row."""
    columns = _Columns(rows, view.errors)
    weight = np.ones(len(columns.error)) if rows.weight is None else rows.weight.values
    apart = columns.apart("mean_actual", columns.actual)
    top, middle = (columns.means[name][0] for name in ("absolute_error", "mean_actual"))
    bottom = view.mean_of(lambda values: abs(values - middle))
    tilt = float(weight @ np.sign(apart)) / columns.total  # how the mean distance shrinks as the mean rises
    below = np.abs(apart) - bottom - tilt * apart
    above = np.abs(columns.error) - top
    del metric, options
    return np.asarray((above - top * below / bottom) / (bottom * columns.total))


_SLOPES: dict[Any, Callable[..., Array]] = {
    Errors: _of_means,
    Scaled: _of_means,
    Explained: _of_explained,
    Ranged: _of_relative,
}
