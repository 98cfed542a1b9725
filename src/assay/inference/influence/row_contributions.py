"""What single rows contribute to a metric: a hit or none to a proportion, a loss or a gain to a mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inputs import Rows
from assay.inputs.labels import encode
from assay.metrics import Binary, Classes
from assay.tallies import Queries
from assay.tallies.loss_arguments import loss_argument, row_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inputs.labels import Labels
    from assay.metrics import Metric

__all__ = ["RowOutcomes", "outcomes_of_rows", "row_contributions", "row_outcomes"]

# Metrics that are means of a function of the error, whose tally holds sums and not the single errors.
_MEANS_OF_ERRORS: dict[str, Callable[[Any], Any]] = {
    "mae": np.abs,
    "mse": np.square,
    "mean_error": np.positive,
}


class RowOutcomes(NamedTuple):
    """Which rows a proportion counts, which of them are hits, and whether the former is fixed.

    ``fixed`` says that which rows count does not depend on the predictions (recall, not precision).
    """

    counted: NDArray[np.bool_]
    hit: NDArray[np.bool_]
    fixed: bool


def row_outcomes(
    metric: Metric, options: dict[str, Any], labels: Labels, actual: NDArray[Any], predicted: NDArray[Any]
) -> RowOutcomes | None:
    """Return which rows a proportion counts and which are hits, for rows given by their labels' indices.

    The formula itself tells: of a table with a single row it is 1 where that row is a hit, 0 where it is
    none, and has no value where the row does not count. None where the metric is no proportion of rows.

    >>> from assay.metrics import precision
    >>> outcomes = row_outcomes(precision, {}, (0, 1), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    >>> outcomes.counted.tolist(), outcomes.hit.tolist()
    ([False, True, False, True], [False, False, False, True])
    """
    if metric.kind != "proportion" or options.get("average"):
        return None
    if metric.reads is Binary:
        positive = options.get("positive")
        is_positive = np.array(
            [label == (1 if positive is None else positive) for label in labels], dtype=bool
        )
        cell = 2 * is_positive[actual] + is_positive[predicted]
        tn, fp, fn, tp = np.eye(4)
        of_single_row = np.asarray(metric.formula(Binary(tp, fp, fn, tn)), dtype=np.float64)
        uncounted = np.isnan(of_single_row).reshape(2, 2)
        fixed = bool((uncounted[:, 0] == uncounted[:, 1]).all())
    elif metric.reads is Classes:
        cell = (actual == predicted).astype(np.intp)
        wrong_or_right = np.zeros((2, 2, 2))
        wrong_or_right[[0, 1], 0, [1, 0]] = 1
        of_single_row, fixed = np.asarray(metric.formula(Classes(wrong_or_right)), dtype=np.float64), True
    else:
        return None
    hits = of_single_row == 1
    if (hits | np.isnan(of_single_row)).all():  # a single row is never a miss: it is no mean of hits
        return None
    return RowOutcomes(~np.isnan(of_single_row)[cell], hits[cell], fixed)


def outcomes_of_rows(metric: Metric, options: dict[str, Any], rows: Rows) -> RowOutcomes | None:
    """Return which of the rows a proportion counts and which are hits; None where it is no proportion."""
    encoded = [encode(rows.need(role, metric.name)) for role in ("actual", "predicted")]
    labels = tuple(dict.fromkeys(label for _, own in encoded for label in own))
    index = {label: number for number, label in enumerate(labels)}
    actual, predicted = (
        np.array([index[label] for label in own], dtype=np.intp)[codes] for codes, own in encoded
    )
    return row_outcomes(metric, options, labels, actual, predicted)


def _contributions_of_columns(
    metric: Metric, rows: Rows, options: dict[str, Any]
) -> NDArray[np.float64] | None:
    """Return the contribution of rows of several labels or outputs: of their label sets, or on average."""
    if metric.name in ("subset_accuracy", "hamming_loss"):
        actual, predicted = (rows.need(role, metric.name).values != 0 for role in ("actual", "predicted"))
        wrong = actual != predicted
        return np.asarray(wrong.mean(axis=1) if metric.name == "hamming_loss" else 1.0 - wrong.any(axis=1))
    if options.get("average") not in ("macro", "micro") or metric.kind != "mean":
        return None
    own = {name: value for name, value in options.items() if name not in ("average", "undefined")}
    columns = [row_contributions(metric, rows.of_column(i), own) for i in range(len(rows.labels or ()))]
    known = [values for values in columns if values is not None]
    if len(known) < len(columns) or any(np.isnan(values).any() for values in known):
        return None
    return np.asarray(np.mean(known, axis=0))


def row_contributions(metric: Metric, data: Any, options: dict[str, Any]) -> NDArray[np.float64] | None:
    """Return the contribution of each row, or query, to a metric that is their mean; else None.

    >>> import assay
    >>> row_contributions(assay.metrics.brier, assay.rows(actual=[1, 0], score=[0.8, 0.5]), {}).round(2)
    array([0.04, 0.25])
    """
    if metric.each is not None:
        tally = data if isinstance(data, Queries) else Queries.of(data)
        view_options = {name: value for name, value in options.items() if name in metric.view_options}
        parameters = {name: value for name, value in options.items() if name not in view_options}
        return np.asarray(metric.each(metric.reads.of(tally, **view_options), **parameters), dtype=np.float64)
    if not isinstance(data, Rows):
        return None
    if data.multioutput:
        return _contributions_of_columns(metric, data, options)
    if metric.kind != "mean":
        return None
    if metric.loss is not None:
        remaining = dict(options)
        return row_values(metric.of_class(data, remaining), metric.loss, remaining)[0]
    if metric.name in _MEANS_OF_ERRORS:
        actual, predicted = (loss_argument(data, role, metric.name) for role in ("actual", "predicted"))
        return np.asarray(_MEANS_OF_ERRORS[metric.name](actual - predicted))
    return None
