"""The influence of rows on metrics of actual and predicted numbers.

Nearly all of them are functions of a few means: of the error, its absolute value and square, of variances and
the covariance. The contribution of a row to each is simple; the derivative of the metric by each comes from
its formula. The means are the exact ones, rounded, and the rows are centred before they are squared, so that
numbers far from 0 and close together lose no digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.gradients import slopes_by
from assay.inference.influence.influence import Influence, row_influence
from assay.metrics import Undefined
from assay.metrics.exact import Exact
from assay.metrics.views.regression import Errors, Explained, Ranged, Scaled
from assay.tallies.loss_arguments import loss_argument, row_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric
    from assay.tallies import Tally

    Array = NDArray[np.float64]

__all__ = ["of_rows"]


class _Columns:
    """The rows' numbers, and the means that metrics are functions of."""

    def __init__(self, rows: Rows, view: Errors) -> None:
        self.actual: Array = loss_argument(rows, "actual", "an influence")
        self.predicted: Array = loss_argument(rows, "predicted", "an influence")
        self.error: Array = self.actual - self.predicted
        self.total = float(view.weight)
        self.means: dict[str, tuple[float, float]] = {
            name: _split_exact(getattr(view, name) / view.weight) for name in _MEANS_OF_SUMS
        }
        self.means |= {name: _split_exact(getattr(view, name)) for name in _DERIVED_MEANS}

    def deviations(self, name: str, term: Array) -> Array:
        """Return each row's deviation from one of the means."""
        near, rest = self.means[name]
        return np.asarray((term - near) - rest)


def _split_exact(exact: Any) -> tuple[float, float]:
    """Return the float nearest to an exact number, and the remainder, which matters far from 0."""
    near = float(exact)
    return near, float(exact - Exact.of(near)) if isinstance(exact, Exact) and np.isfinite(near) else 0.0


# The view's sums as means, in the order of its fields, and a row's contribution to each.
_MEANS_OF_SUMS: dict[str, Callable[[_Columns], Array]] = {
    "actual": lambda c: c.actual,
    "predicted": lambda c: c.predicted,
    "absolute_error": lambda c: np.abs(c.error),
    "squared_actual": lambda c: np.square(c.actual),
    "squared_predicted": lambda c: np.square(c.predicted),
    "squared_error": lambda c: np.square(c.error),
}
# Means that the view derives from the sums, by its names.
_DERIVED_MEANS: dict[str, Callable[[_Columns], Array]] = {
    "mean_actual": lambda c: c.actual,
    "mean_predicted": lambda c: c.predicted,
    "mean_error": lambda c: c.error,
    "mean_squared_error": lambda c: np.square(c.error),
    "error_variance": lambda c: np.square(c.deviations("mean_error", c.error)),
    "actual_variance": lambda c: np.square(c.deviations("mean_actual", c.actual)),
    "predicted_variance": lambda c: np.square(c.deviations("mean_predicted", c.predicted)),
    "covariance": lambda c: (
        c.deviations("mean_actual", c.actual) * c.deviations("mean_predicted", c.predicted)
    ),
}
_TERMS = {**_MEANS_OF_SUMS, **_DERIVED_MEANS}


@row_influence(Errors, Scaled, Explained, Ranged)
def of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], tally: Tally | None = None
) -> Influence | None:
    """Return the influence of every row; None for metrics of the largest or the middle rows."""
    if metric.kind in ("extreme", "order") or metric.name == "rmse_over_range":
        return None
    own = {name: value for name, value in options.items() if name in metric.parameters}
    if tally is None or _count(tally) in (None, len(rows)) or metric.reads is Ranged:
        tally = metric.tally(rows, **{name: value for name, value in options.items() if name not in own})
    value = metric(tally, **own)
    if isinstance(value, Undefined):
        return None
    view = metric.reads.of(tally)
    with np.errstate(all="ignore"):  # what overflows is not finite, which the caller sees
        slopes = _SLOPES[metric.reads](metric, rows, view, own)
    return Influence.of_rows(value, slopes, None if rows.weight is None else rows.weight.values)


def _count(tally: Tally) -> int | None:
    """Return how many rows a tally counts, where it says so."""
    return getattr(tally, "n", None)


def _slopes_by_means(metric: Metric, rows: Rows, view: Errors | Scaled, options: dict[str, Any]) -> Array:
    """Return the slopes of a function of means: the formula's by each mean, times a row's deviation."""
    errors = view.errors if isinstance(view, Scaled) else view
    columns, total = _Columns(rows, errors), float(errors.weight)
    if not errors.squared_error:  # every prediction is right, whatever the rows' weights
        return np.zeros(len(columns.error))
    if isinstance(view, Scaled):
        columns.means["scale"] = _split_exact(view.scale)
    columns.means["rows"] = (float(errors.n), 0.0)
    names = list(columns.means)

    def formula(*moved: Any) -> Any:
        means = dict(zip(names, moved, strict=True))
        sums: Any = [total, *(means[name] * total for name in _MEANS_OF_SUMS), 0.0, means["rows"]]
        moved_errors = Errors(*sums)
        # Cached in the view, which then does not derive them from the sums.
        vars(moved_errors).update({name: means[name] for name in _DERIVED_MEANS})
        moved_view = Scaled(moved_errors, means["scale"]) if isinstance(view, Scaled) else moved_errors
        return metric.formula(moved_view, **options)

    slopes = np.zeros(len(columns.error))
    for name, slope in zip(
        names, slopes_by(formula, [near for near, _ in columns.means.values()]), strict=True
    ):
        if slope and name == "rows":
            slopes += slope * _slopes_of_effective_size(rows, float(errors.n), total)
        elif slope:
            term = row_values(rows, metric.loss, {})[0] if name == "scale" else _TERMS[name](columns)
            slopes += slope * columns.deviations(name, term)
    return slopes / total


def _slopes_of_effective_size(rows: Rows, effective: float, total: float) -> Array:
    """Return the slopes of the effective sample size, times the total weight.

    That is (sum w)² / sum w², which does not move where all weights are equal.
    """
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight.values
    return np.asarray(2 * effective * (1 - weight * (effective / total)))


def _slopes_of_explained(metric: Metric, rows: Rows, view: Explained, options: dict[str, Any]) -> Array:
    """Return the slopes of one less a ratio of losses.

    The best constant minimises its loss, so a row moves that loss as if the constant were fixed.
    """
    calls: list[tuple[float, Any]] = []

    class Recording(Explained):
        def lost_by(self, constant: float, loss: Callable[..., Any]) -> float:
            calls.append((constant, loss))
            return super().lost_by(constant, loss)

    metric.formula(Recording(view.mean, view.actual, view.parameters), **options)
    [(constant, loss)] = calls
    actual = loss_argument(rows, "actual", "an influence")
    losses = row_values(rows, metric.loss, view.parameters)[0]
    losses_of_constant = loss(actual, actual * 0 + constant, **view.parameters)
    bottom = view.lost_by(constant, loss)
    total = float(view.actual.weight)
    by_bottom = view.mean * (losses_of_constant - bottom) / bottom
    return np.asarray((by_bottom - (losses - view.mean)) / (bottom * total))


def _slopes_of_relative_error(metric: Metric, rows: Rows, view: Ranged, options: dict[str, Any]) -> Array:
    """Return the slopes of the relative absolute error, whose mean moves with every row."""
    columns = _Columns(rows, view.errors)
    weight = np.ones(len(columns.error)) if rows.weight is None else rows.weight.values
    deviations = columns.deviations("mean_actual", columns.actual)
    top, middle = (columns.means[name][0] for name in ("absolute_error", "mean_actual"))
    bottom = view.mean_of(lambda values: abs(values - middle))
    by_mean = float(weight @ np.sign(deviations)) / columns.total  # the mean distance falls by it
    of_bottom = np.abs(deviations) - bottom - by_mean * deviations
    of_top = np.abs(columns.error) - top
    del metric, options
    return np.asarray((of_top - top * of_bottom / bottom) / (bottom * columns.total))


_SLOPES: dict[Any, Callable[..., Array]] = {
    Errors: _slopes_by_means,
    Scaled: _slopes_by_means,
    Explained: _slopes_of_explained,
    Ranged: _slopes_of_relative_error,
}
