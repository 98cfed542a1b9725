"""A walk down the cutoffs that keeps a promise about a share that goes up and down: precision."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.metrics.cutoffs import rounding

if TYPE_CHECKING:
    from assay.decisions.guarantees import Guarantee
    from assay.decisions.sweep import Sweep

__all__ = ["last_certified", "starts"]

_AHEAD = 2  # starts are so many times what a first one needs at least: one miss shall not end the walk
_APART = 2


def last_certified(guarantee: Guarantee, sweep: Sweep) -> range | None:
    """Return the places of the last stretch of cutoffs that are certified, or None where no cutoff is.

    Learn then test (Angelopoulos et al. 2021), with the levels of the fallback procedure (Wiens 2003): m
    numbers of rows predicted positive are named before any label is seen. Going down over all cutoffs, each
    of these starts adds ``delta / m`` to the level, every cutoff is tested at the level there is, and the
    first that fails takes all of it away. Cutoffs that pass are certified.

    Why one that lacks the precision is certified in no more than delta of the samples. Call a threshold bad
    where the population's precision is below the target, and let scores not tie. A walk that certifies a bad
    one has passed the first bad one after the start where its level was nothing. Where it comes to that from
    better ones, precision is just the target, and so it is wherever bad stretches end or begin: given how
    many rows lie above each of these crossings, which tells the starts and so the level, hits are binomial
    with the target as their share, and the test errs as often as its level. Where it starts at a bad one,
    hits among the rows above the score that is the start's are binomial with less than the target. Each
    start adds to the level of no more than one first bad threshold, so that all levels together are delta.

    Two things keep this from being exact: a start's own row is no draw from those above it, and scores that
    tie jump over crossings. Neither makes errors more frequent where those who score higher are no less often
    positive, nor by much elsewhere.
    """
    delta = 1 - (guarantee.confidence or 0.0)
    totals = sweep.at(len(sweep) - 1)
    rows, unit = float(totals.counts.n[0]), 1.0
    if totals.squares is not None:  # in rows of the weight that makes them worth as many as they are
        unit = float(totals.squares.n[0]) / rows
        rows /= unit
    places = _first_with(sweep, [unit * number for number in starts(rows, guarantee.share, delta)])
    certified, begin, level = None, 0, 0.0
    for number, place in enumerate(places):
        end = places[number + 1] if number + 1 < len(places) else len(sweep)
        begin = begin if level else place
        level += delta / len(places)
        failed = _first_failure(guarantee, sweep, place, end, level)
        if failed > begin:
            certified = range(begin, failed)
        if failed < end:
            level = 0.0
    return certified


def starts(rows: float, share: float, delta: float) -> list[int]:
    """Return the numbers of rows predicted positive at which walks start: each twice the one before.

    The first is twice the least number that can refute a lower share, which all must be hits to do.

    >>> starts(1000, 0.8, 0.05)
    [28, 56, 112, 224, 448, 896]
    >>> starts(20, 0.8, 0.05), starts(10, 0.8, 0.05)
    ([14], [])
    """
    if share == 1:
        return []  # no number of hits refutes that one in many is none
    least = max(math.ceil(math.log(delta) / math.log(share)), 1)
    room = rows + rounding(rows)
    if _AHEAD * least > room:
        return [least] if least <= room else []
    found = [_AHEAD * least]
    while _APART * found[-1] <= room:
        found.append(_APART * found[-1])
    return found


def _first_with(sweep: Sweep, numbers: list[float]) -> list[int]:
    """Return the first cutoffs that predict so many rows positive."""
    begun = slice(-(-len(sweep) // sweep.block))
    edges = sweep.ends(begun, begun).counts.predicted_positives
    places = []
    for number in numbers:
        least = number - rounding(number)
        begin = sweep.block * max(int(np.searchsorted(edges, least)) - 1, 0)
        within = sweep.between(begin, begin + sweep.block).counts.predicted_positives
        places.append(min(begin + int(np.searchsorted(within, least)), len(sweep) - 1))
    return places


def _first_failure(guarantee: Guarantee, sweep: Sweep, begin: int, end: int, level: float) -> int:
    """Return the first of the cutoffs [begin, end) that fails, or the end."""
    for first in range(begin, end, sweep.block):
        stop = min(first + sweep.block, end)
        highest, lowest = sweep.at(first), sweep.at(stop - 1)
        if lowest.squares is None and guarantee.refuted(
            highest.counts.tp, lowest.counts.predicted_positives, level
        ):
            continue  # all pass where the hits of the first would do for the rows of the last
        failed = np.flatnonzero(~guarantee.refuted(*guarantee.worth(sweep.between(first, stop)), level))
        if len(failed):
            return first + int(failed[0])
    return end
