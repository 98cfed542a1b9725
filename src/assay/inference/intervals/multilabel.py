"""Intervals for multilabel rows, whose labels are right and wrong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.inference.intervals.choose_interval import estimate
from assay.inputs.roles import gather_rows

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate
    from assay.metrics import Metric

__all__ = ["label_sets_estimate"]


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

    >>> actual = [[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1]] * 9
    >>> predicted = [[1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1]] * 9
    >>> label_sets_estimate("f1", actual=actual, predicted=predicted, average="micro")
    0.8333 [0.7697, 0.8821]
    """
    columns = {"actual": actual, "predicted": predicted, "weight": weight, "group": group}
    rows = gather_rows(None, columns, labels=labels, multioutput=True)
    return estimate(metric, rows, confidence=confidence, method=method, **options)
