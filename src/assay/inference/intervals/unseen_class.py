"""Metrics of grouped rows that have no interval because no group has rows of one actual class.

Precision of 0 for lack of actual positives says how many groups have none, and nothing of what a group that
has some would add: all of its rows may be positive. Of 15 groups, one in ten of them positive, intervals of
a precision of 0 covered 0.10 where 0.95 was meant; with one positive group or more, 0.99.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.inference.influence.gradients import STEP, moved_counts
from assay.inference.intervals.confusion_rates import class_cells
from assay.metrics import Binary

if TYPE_CHECKING:
    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["unseen_class"]

# Of tp, fp, fn and tn.
_ACTUAL = {"positive": [True, False, True, False], "negative": [False, True, False, True]}
_ANY_TABLE = Binary(7.0, 3.0, 2.0, 11.0)  # no rate is 0 or 1, so that slopes show which cells a metric reads
_LONE = 2.0  # rows in a group, by rows: of smaller groups none can add much


def unseen_class(request: IntervalRequest) -> str:
    """Return why a metric of grouped rows has no interval where an actual class is in none; else nothing.

    Rates within one actual class, and shares of all rows, do not need the other class.
    """
    if request.metric.reads is not Binary or request.options.get("average"):
        return ""
    cells = class_cells(request)
    if cells is None or cells.clusters is None:
        return ""
    sizes = cells.clusters.sum(axis=1)
    if float(sizes @ sizes) < _LONE * float(sizes.sum()):
        return ""
    options = {k: v for k, v in request.options.items() if k in request.metric.parameters}
    read = np.asarray(request.metric.formula(moved_counts(_ANY_TABLE), **options)).imag / STEP != 0
    mixed = all((read & np.array(side)).any() for side in _ACTUAL.values())
    if not mixed or (read.all() and request.metric.name != "markedness"):
        return ""
    for name, side in _ACTUAL.items():
        if not cells.mass[side].any():
            return f"no group has an actual {name}: what a group with some would add is not known"
    return ""
