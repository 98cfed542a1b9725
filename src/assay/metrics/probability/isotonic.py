"""The isotonic fit: recalibrated probabilities that keep the order of the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.views.probability import Probabilities

__all__ = ["isotonic"]


def isotonic(view: Probabilities) -> NDArray[Any]:
    """Return the non-decreasing sequence of rates that is nearest to the outcomes, one per probability.

    Neighbours whose rates do not increase are pooled until all do (PAV); a pool's rate is that of its rows.
    Linear in the number of probabilities.

    >>> import assay
    >>> from assay.metrics.views.probability import Probabilities
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.3, 0.6, 0.8]))
    >>> isotonic(Probabilities.of(tally))
    array([0. , 0.5, 0.5, 1. ])
    """
    starts, pools = view.pooled()
    return np.repeat(pools.p, np.diff(starts, append=len(view.p)))
