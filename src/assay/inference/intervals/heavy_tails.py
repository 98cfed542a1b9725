"""The warning of intervals that a few outlying errors decide.

Where three errors in a hundred are ten times as large as the others, 60 rows show none to four of them, and
RMSE, R² and correlations cover 0.67 to 0.7 where 0.95 is meant. No method mends that: most misses are samples
in which no such error happened to be. Where some are seen, the estimate says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["outlier_warning"]

_OUTLYING = 5.0  # standard deviations, by the median absolute error: one in two million normal errors
_NORMAL_MEDIAN = 0.6744897501960817  # of the absolute value of a standard normal number
_FEW_ROWS = 10.0  # carry the variance in effect; that of more is known well enough
_MOST = 0.5  # of the variance


def outlier_warning(request: IntervalRequest) -> str:
    """Return a warning where a few outlying errors make up most of an estimate's variance; else nothing."""
    rows: Any = request.rows
    influence = request.influence
    if (
        influence is None
        or rows is None
        or request.clustered
        or rows.actual is None
        or rows.predicted is None
    ):
        return ""
    if (
        influence.slopes.ndim != 1
        or len(influence.slopes) != len(rows)
        or not 1 / influence.effective_sample_size < 1
    ):
        return ""
    # The degrees of freedom tell how many rows of equal part would give the variance.
    if 2 / influence.freedom + 1 / influence.effective_sample_size <= 1 / _FEW_ROWS:
        return ""
    errors = np.abs(np.asarray(rows.actual.values, dtype=np.float64) - rows.predicted.values)
    outlying = errors * _NORMAL_MEDIAN > _OUTLYING * np.median(errors, axis=0)
    if outlying.ndim > 1:  # in any of several outputs
        outlying = outlying.any(axis=1)
    parts = np.square(influence.parts / np.abs(influence.parts).max())
    share = float(parts[outlying].sum() / parts.sum())
    count = int(np.count_nonzero(outlying))
    if share <= _MOST or count > _FEW_ROWS:
        return ""
    which = "1 outlying error makes" if count == 1 else f"{count} outlying errors make"
    return f"{which} up {share:.0%} of the variance: the interval may be too narrow"
