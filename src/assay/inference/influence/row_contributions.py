"""What single rows bring to a metric: a hit or none to a share, a loss or a gain to a mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inputs import Rows
from assay.metrics import Binary, Classes
from assay.tallies import Queries
from assay.tallies.loss_arguments import numbers, row_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inputs.labels import Labels
    from assay.metrics import Metric

__all__ = ["RowContributions", "outcomes", "row_figures"]

# Means of an error, whose tally holds sums and not the rows' own.
_OF_ERRORS: dict[str, Callable[[Any], Any]] = {"mae": np.abs, "mse": np.square, "mean_error": np.positive}


class RowContributions(NamedTuple):
    """Which units a share counts, which of them are hits, and whether the former hangs on no prediction."""

    counted: NDArray[np.bool_]
    hit: NDArray[np.bool_]
    fixed: bool


def outcomes(
    metric: Metric, options: dict[str, Any], labels: Labels, actual: NDArray[Any], predicted: NDArray[Any]
) -> RowContributions | None:
    """Return what a share of rows counts among units given by their labels' indices.

    The formula itself says it: of a table with a single row it is 1 where that row is a hit, 0 where it is
    none, and has no value where the row does not count. None where the metric is no share of rows.

    >>> from assay.metrics import precision
    >>> found = outcomes(precision, {}, (0, 1), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    >>> found.counted.tolist(), found.hit.tolist()
    ([False, True, False, True], [False, False, False, True])
    """
    if metric.kind != "proportion" or options.get("average"):
        return None
    if metric.reads is Binary:
        positive = options.get("positive")
        sought = np.array([label == (1 if positive is None else positive) for label in labels], dtype=bool)
        kind = 2 * sought[actual] + sought[predicted]
        tn, fp, fn, tp = np.eye(4)
        alone = np.asarray(metric.formula(Binary(tp, fp, fn, tn)), dtype=np.float64)
        free = np.isnan(alone).reshape(2, 2)
        fixed = bool((free[:, 0] == free[:, 1]).all())
    elif metric.reads is Classes:
        kind = (actual == predicted).astype(np.intp)
        wrong_or_right = np.zeros((2, 2, 2))
        wrong_or_right[[0, 1], 0, [1, 0]] = 1
        alone, fixed = np.asarray(metric.formula(Classes(wrong_or_right)), dtype=np.float64), True
    else:
        return None
    hits = alone == 1
    if (hits | np.isnan(alone)).all():  # a row alone says nothing about it: it is another sort of share
        return None
    return RowContributions(~np.isnan(alone)[kind], hits[kind], fixed)


def row_figures(metric: Metric, data: Any, options: dict[str, Any]) -> NDArray[np.float64] | None:
    """Return what each row, or each query, brings to a metric that is their mean; else None.

    >>> import assay
    >>> row_figures(assay.metrics.brier, assay.rows(actual=[1, 0], score=[0.8, 0.5]), {}).round(2)
    array([0.04, 0.25])
    """
    if metric.each is not None:
        tally = data if isinstance(data, Queries) else Queries.of(data)
        asked = {name: value for name, value in options.items() if name in metric.view_options}
        own = {name: value for name, value in options.items() if name not in asked}
        return np.asarray(metric.each(metric.reads.of(tally, **asked), **own), dtype=np.float64)
    if metric.kind != "mean" or not isinstance(data, Rows):
        return None
    if metric.loss is not None:
        return row_values(data, metric.loss, options)[0]
    if metric.name in _OF_ERRORS:
        actual, predicted = (numbers(data, role, metric.name) for role in ("actual", "predicted"))
        return np.asarray(_OF_ERRORS[metric.name](actual - predicted))
    return None
