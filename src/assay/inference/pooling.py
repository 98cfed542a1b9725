"""Score tallies made small for their spread: neighbouring scores put together, the value left as it is."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from assay.tallies import Scores

__all__ = ["MOST", "pooled"]

MOST = 1 << 16  # entries: more would change no standard error in its fourth digit


def pooled(tally: Scores, most: int = MOST) -> Scores:
    """Return the tally with neighbouring scores put together to at most so many, each at its middle one.

    How far a figure would move from sample to sample does not hang on the order of neighbours, so that a
    standard error may be read from this, and ten million scores cost what 65,536 do. Weighted tallies, whose
    rows of one score are kept apart by weight, come back as they are.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.2, 0.3, 0.4]))
    >>> small = pooled(tally, 2)
    >>> small.scores, small.positives
    (array([0.2, 0.4]), array([1, 1], dtype=uint8))
    """
    size = len(tally.scores)
    if tally.weights is not None or size <= most:
        return tally
    starts = (np.arange(most) * size) // most
    middles = (starts + np.append(starts[1:], size)) // 2
    sides = np.stack([np.add.reduceat(x, starts, dtype=np.int64) for x in (tally.positives, tally.negatives)])
    positives, negatives = sides.astype(np.min_scalar_type(int(sides.max())))
    return dataclasses.replace(tally, scores=tally.scores[middles], positives=positives, negatives=negatives)
