"""Controlled rounding: how many rows of each stratum every part gets, always within one of its share."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from assay.inputs.columns import Array

__all__ = ["apportion"]


def apportion(sizes: Sequence[int], shares: Sequence[Fraction]) -> Array:
    """Return a table of strata by parts with a stratum's size as each row's sum.

    Every count is its share of the stratum rounded up or down, and every part's total its share of all
    rounded up or down: a controlled rounding, which always exists (Bacharach 1966). Strata are served in
    the order given, each part by how much it lacks; where a total ends up off by one or more, records are
    moved along a chain of strata and parts, as in a network flow.

    >>> from fractions import Fraction
    >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
    >>> apportion([700, 300], [half, quarter, quarter]).tolist()
    [[350, 175, 175], [150, 75, 75]]
    >>> apportion([5, 5, 5], [half, quarter, quarter]).tolist()
    [[3, 1, 1], [2, 2, 1], [2, 1, 2]]
    """
    scale = math.lcm(*(share.denominator for share in shares))
    weights = [int(share * scale) for share in shares]
    parts = range(len(shares))
    floors = [[size * weight // scale for weight in weights] for size in sizes]
    # True where rounding up is allowed: not where the share is whole.
    open_ = np.array([[size * weight % scale > 0 for weight in weights] for size in sizes])
    extra = np.zeros((len(sizes), len(shares)), dtype=bool)
    deficit = [0] * len(shares)  # in units of 1 / scale
    for stratum, size in enumerate(sizes):
        for part in parts:
            deficit[part] += size * weights[part] - floors[stratum][part] * scale
        spare = size - sum(floors[stratum])
        wanting = sorted((part for part in parts if open_[stratum, part]), key=lambda part: -deficit[part])
        for part in wanting[:spare]:
            extra[stratum, part] = True
            deficit[part] -= scale
    while chain := _chain(extra, open_, deficit, scale):
        for giver, taker in itertools.pairwise(chain):
            stratum = int(np.argmax(extra[:, giver] & open_[:, taker] & ~extra[:, taker]))
            extra[stratum, giver], extra[stratum, taker] = False, True
        deficit[chain[0]] += scale
        deficit[chain[-1]] -= scale
    return np.array(floors) + extra


def _chain(extra: Array, open_: Array, deficit: list[int], scale: int) -> list[int]:
    """Return parts along which to hand on a record, from one that has too many or to one that has too few.

    Empty where every total is within one record of its share. Otherwise there is a chain: were there none,
    the parts that can be reached from the first would together hold no more than their shares.
    """
    parts = range(len(deficit))
    givers = [part for part in parts if deficit[part] <= -scale]
    takers = [part for part in parts if deficit[part] > 0]
    if not givers:
        givers = [part for part in parts if deficit[part] < 0]
        takers = [part for part in parts if deficit[part] >= scale]
    can_give = extra.T.astype(np.int64) @ (open_ & ~extra).astype(np.int64) > 0
    chains = [[part] for part in givers]
    seen = set(givers)
    for chain in chains:  # grows as parts are reached
        if chain[-1] in takers:
            return chain
        for part in np.flatnonzero(can_give[chain[-1]]).tolist():
            if part not in seen:
                seen.add(part)
                chains.append([*chain, part])
    return []
