"""The table of people's labels, a proxy's labels and predictions of two classes, and metrics of it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.influence import influence
from assay.inputs import encode, rows
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.evaluation.proxy.powered_evaluation import PoweredEvaluation
    from assay.inputs import Rows
    from assay.metrics import Metric

    TableReader = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]] | None]

__all__ = ["joint_counts", "table_reader"]


def joint_counts(ev: PoweredEvaluation) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return labelled rows by human label, proxy and prediction, and all rows by proxy and prediction."""
    own = ev.rows
    if ev.task.name != "binary" or len(ev.proxies) > 1 or not ev.simple or own is None:
        return None
    table = ev.proxies[0].tallies.get("confusion")
    if own.predicted is None or not isinstance(table, Confusion):
        return None
    positive = ev.task.labels[1]
    judged = dataclasses.replace(own, actual=ev.stand_ins[0])
    human, predicted = (_is(own, role, positive) for role in ("actual", "predicted"))
    proxy = _is(judged, "actual", positive)
    counts = np.bincount(4 * human + 2 * proxy + predicted, minlength=8).reshape(2, 2, 2)
    order = [table.labels.index(label) for label in ev.task.labels]
    return counts.astype(np.float64), table.table()[np.ix_(order, order)].astype(np.float64)


def table_reader(ev: PoweredEvaluation, metric: Metric, options: dict[str, Any]) -> TableReader:
    """Return a function that gives a metric's value and influence at a table of two classes."""
    labels, row_options = ev.task.labels, ev.read(metric, options).row_options
    corners = [(first, second) for first in labels for second in labels]

    def read(table: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]] | None:
        shares = table.ravel() / table.sum()
        filled = shares > 0
        actual, predicted = (np.array([corner[side] for corner in corners])[filled] for side in (0, 1))
        cells = rows(actual=actual, predicted=predicted, weight=shares[filled], labels=labels)
        at = influence(metric, cells, **row_options)
        if at is None or len(at.slopes) != np.count_nonzero(filled):
            return None
        slopes = np.zeros(4)
        slopes[filled] = at.slopes
        return at.value, slopes.reshape(2, 2)

    return read


def _is(data: Rows, role: str, label: Any) -> NDArray[np.int64]:
    codes, labels = encode(data.need(role, "an evaluation"))
    return np.array([value == label for value in labels], dtype=np.int64)[codes]
