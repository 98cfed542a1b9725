"""The interval of the median percentage error: order statistics, an infinite error being above all others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.inference.intervals import regression
from assay.inference.intervals.interval_request import IntervalResult
from assay.metrics.views.regression import LARGEST

if TYPE_CHECKING:
    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["by_order"]


def by_order(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the two errors of the rows that hold the median in between; the upper one may be infinite."""
    found = regression.by_order(asked)
    if isinstance(found, IntervalResult) and found.high >= LARGEST / 4:
        return found._replace(high=math.inf)
    return found
