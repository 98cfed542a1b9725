"""The isotonic fit: recalibrated probabilities that keep the order of the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.views.probability import Probabilities

__all__ = ["isotonic"]

_MAX_POOLS_LEFT = 0.9  # another pass over arrays pays while it leaves at most this share of the pools


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
    starts, positives, counts = np.arange(len(view.p)), view.positives, view.counts
    before = 0
    # The order of pooling does not matter: whole runs of neighbours first, by arrays ...
    while not before or len(starts) < _MAX_POOLS_LEFT * before:
        before = len(starts)
        rising = positives[:-1] * counts[1:] < positives[1:] * counts[:-1]
        chosen = np.flatnonzero(np.concatenate([[True], rising]))
        starts = starts[chosen]
        positives, counts = np.add.reduceat(positives, chosen), np.add.reduceat(counts, chosen)
    # ... and the rest one by one, because passes alone could be as many as there are pools.
    pools: list[tuple[float, float, int]] = []
    for positive, count, start in zip(positives.tolist(), counts.tolist(), starts.tolist(), strict=True):
        pool = positive, count, start
        while pools and pools[-1][0] * pool[1] >= pool[0] * pools[-1][1]:
            last = pools.pop()
            pool = last[0] + pool[0], last[1] + pool[1], last[2]
        pools.append(pool)
    rates = [positive / count for positive, count, _ in pools]
    sizes = np.diff([start for _, _, start in pools], append=len(view.p))
    return np.repeat(rates, sizes)
