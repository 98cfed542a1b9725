"""Score tallies made small for their spread: neighbouring scores put together, the value left as it is."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.tallies import Scores

__all__ = ["MAX_ENTRIES", "pooled"]

MAX_ENTRIES = 1 << 16  # entries: more would change no standard error in its fourth digit


def pooled(tally: Scores, most: int = MAX_ENTRIES) -> Scores:
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
    return tally.cached(("pooled", most), lambda: _pooled(tally, -(-size // most)))  # type: ignore[no-any-return]


def _pooled(tally: Scores, together: int) -> Scores:
    """Return the tally with so many neighbours put together each time, fewer at the end."""
    size = len(tally.scores)
    starts = np.arange(0, size, together)
    middles = np.minimum(starts + together // 2, size - 1)
    sides = np.stack([_added(x, together) for x in (tally.positives, tally.negatives)])
    positives, negatives = sides.astype(np.min_scalar_type(int(sides.max())))
    return dataclasses.replace(tally, scores=tally.scores[middles], positives=positives, negatives=negatives)


def _added(counts: NDArray[Any], together: int) -> NDArray[np.int64]:
    whole = len(counts) // together * together
    sums = counts[:whole].reshape(-1, together).sum(1, dtype=np.int64)
    return sums if whole == len(counts) else np.append(sums, counts[whole:].sum(dtype=np.int64))
