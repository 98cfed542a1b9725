"""The influence of rows on metrics of a confusion table, from the slope at each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.gradients import metric_gradient
from assay.inference.influence import Influence
from assay.inputs.labels import encode, translate
from assay.metrics import Binary, Undefined
from assay.tallies import Confusion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric

__all__ = ["cell_of_rows", "of_rows", "of_tally"]


def of_tally(metric: Metric, tally: Any, options: dict[str, Any]) -> Influence | None:
    """Return the influence of each cell's rows."""
    value = metric(tally, **options)
    if isinstance(value, Undefined):
        return None
    slopes = slopes_of(metric, tally, options)
    sums = [tally.table(tally.weight(power)) for power in (1, 2, 3)[: 1 if tally.weights is None else 3]]
    return Influence(value, slopes, *sums)


def of_rows(metric: Metric, rows: Rows, options: dict[str, Any]) -> Influence | None:
    """Return the influence of every row: that of its cell."""
    tally = Confusion.of(rows)
    if metric.reads is Binary and rows.positive is not None and not options.get("average"):
        options = {"positive": rows.positive, **options}
    found = of_tally(metric, tally, options)
    if found is None:
        return None
    slopes = found.slopes.reshape(-1)[cell_of_rows(rows, tally)]
    return Influence.of_rows(found.value, slopes, None if rows.weight is None else rows.weight.values)


def slopes_of(metric: Metric, tally: Confusion, options: dict[str, Any]) -> NDArray[np.float64]:
    """Return the slope of a metric at every cell of a tally's table."""
    own = dict(options)
    if metric.reads is Binary and not own.get("average"):
        stated = own.pop("positive", None)
        if stated is None:
            stated = 1  # the labels are 0/1 or the like: the call that gave the value has seen to it
        own["positive"] = tally.labels.index(stated)
    return metric_gradient(metric, tally.table(tally.weight()), **own)


def cell_of_rows(rows: Rows, tally: Confusion) -> NDArray[np.intp]:
    """Return for every row the number of its cell in a tally's full table."""
    return _codes(rows, "actual", tally) * len(tally.labels) + _codes(rows, "predicted", tally)


def _codes(rows: Rows, role: str, tally: Confusion) -> NDArray[np.intp]:
    codes, labels = encode(rows.need(role, "an influence"))
    return translate(labels, tally.labels).astype(np.intp)[codes]
