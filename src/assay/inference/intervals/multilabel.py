"""Intervals for multilabel rows, whose labels are right and wrong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.intervals.choose_interval import estimate
from assay.inference.intervals.interval_request import IntervalResult
from assay.inputs.roles import gather_rows

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate
    from assay.inference.intervals.interval_request import IntervalRequest
    from assay.metrics import Metric

__all__ = ["label_sets_estimate", "limits_of_labels"]

_WEIGHTED_BY_SUPPORT = ("micro", "weighted")
_MAX_LABELS = 30  # each has an interval of its own computed


def limits_of_labels(request: IntervalRequest) -> IntervalResult | None:
    """Return the interval of an average over labels without spread: the mean of the labels' limits.

    That is right where the labels err together, and wide where they do not. The labels count alike, or by
    their actual positives where the average does.
    """
    average, rows = request.options["average"], request.rows
    if rows is None or average not in ("macro", *_WEIGHTED_BY_SUPPORT) or request.value not in (0, 1):
        return None
    if len(rows.labels or ()) > _MAX_LABELS:
        return None
    options = {name: value for name, value in request.row_options.items() if name != "average"}
    each = [
        estimate(request.metric, rows, confidence=request.confidence, **options, positive=label)
        for label in rows.labels or ()
    ]
    defined = [
        index for index, limits in enumerate(each) if limits.low is not None and limits.high is not None
    ]
    if not defined or any(limits.defined and limits.low is None for limits in each):
        return None
    weights = np.ones(len(defined))
    if average in _WEIGHTED_BY_SUPPORT and rows.actual is not None:
        mass = 1.0 if rows.weight is None else rows.weight.values[:, None]
        weights = (mass * (rows.actual.values != 0)).sum(axis=0)[defined].astype(np.float64)
        weights = weights if weights.any() else np.ones(len(defined))
    low, high = (
        float(np.average([getattr(each[index], side) for index in defined], weights=weights))
        for side in ("low", "high")
    )
    return IntervalResult(low, high, "mean of the labels' limits", "no spread was seen")


def label_sets_estimate(
    metric: Metric | str,
    *,
    actual: Any,
    predicted: Any,
    labels: Any = None,
    weight: Any = None,
    group: Any = None,
    confidence: float = 0.95,
    method: str | None = None,
    **options: Any,
) -> Estimate:
    """Return a metric's value with its interval for rows of several labels: two tables of 0 and 1.

    A tally of label sets has no interval for averages over labels: only the rows say which labels are right
    together. `options` are the metric's own, ``average=`` or ``positive=`` among them.

    Parameters
    ----------
    metric
        A metric of the catalogue, or its name.
    actual, predicted
        A table of 0 and 1 each, a column per label; or a list of labels for each row.
    labels
        The labels of the columns.
    weight, group
        The weight of each row, and the cluster that it belongs to.
    confidence
        The confidence level of the interval.
    method
        None for the default method of the metric, or another by name.
    options
        The metric's own options: ``average=``, ``positive=`` and so on.

    Returns
    -------
    Estimate
        The value with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or the metric, or `method`, is not known.
    InputError
        `actual` has not a column per label.
    LengthError
        The tables have different numbers of rows.
    LabelError
        A label occurs that is not among `labels`.

    Examples
    --------
    >>> actual = [[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1]] * 9
    >>> predicted = [[1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1]] * 9
    >>> label_sets_estimate("f1", actual=actual, predicted=predicted, average="micro")
    0.8333 [0.7697, 0.8821]
    """
    columns = {"actual": actual, "predicted": predicted, "weight": weight, "group": group}
    rows = gather_rows(None, columns, labels=labels, multioutput=True)
    return estimate(metric, rows, confidence=confidence, method=method, **options)
