"""Walks over the cutoffs that keep a promise about a rate: each is tested in an order named beforehand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.metrics.curves.cutoffs import rounding

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from assay.decisions.effective_counts import Evidence
    from assay.decisions.guarantees import Guarantee
    from assay.decisions.sweep import Sweep

    Places: TypeAlias = NDArray[np.intp] | range

__all__ = ["last_certified", "starts", "tested"]

_AHEAD = 2  # starts are so many times what a first one needs at least: one miss shall not end the walk
_APART = 2


def last_certified(guarantee: Guarantee, sweep: Sweep) -> Places | None:
    """Return the last cutoffs that are certified, one after the other, or None where no cutoff is."""
    if guarantee.measure == "precision":
        return _last_stretch(guarantee, sweep)
    return _from_the_safe_end(guarantee, sweep)


def _from_the_safe_end(guarantee: Guarantee, sweep: Sweep) -> Places | None:
    """Return the cutoffs from the one where nothing is missed up to the first that fails, or None.

    Recall is tested from the lowest cutoff upwards, specificity from infinity downwards. The population's
    rate only falls on the way, so that whoever certifies a cutoff that lacks it has passed the first one that
    does, a single test at the whole level (fixed-sequence testing; Angelopoulos et al. 2021). The limits of
    weighted or grouped rows go up and down: the best of them all would often be luck.
    """
    places, upwards = tested(sweep), guarantee.measure == "recall"
    if not upwards and len(sweep) > 1 and sweep.scores[-1] == math.inf:
        places = places[1:]  # rows score infinity, so that no threshold leaves all of them out
    level, size, passed = 1 - (guarantee.confidence or 0.0), sweep.block, 0
    while passed < len(places):
        end = len(places) - passed
        some = places[max(end - size, 0) : end] if upwards else places[passed : passed + size]
        refuted = guarantee.evidence(sweep, some).refutes(guarantee.share, level, guarantee.method)
        failed = np.flatnonzero(~(refuted[::-1] if upwards else refuted))
        passed += int(failed[0]) if len(failed) else len(some)
        if len(failed):
            break
    if not passed:
        return None
    return places[len(places) - passed :] if upwards else places[:passed]


def tested(sweep: Sweep) -> Places:
    """Return the cutoffs that are tested: all, or of very many in groups those that were named beforehand."""
    return range(len(sweep)) if sweep.groups is None else sweep.groups.places


def _last_stretch(guarantee: Guarantee, sweep: Sweep) -> Places | None:
    """Return the last stretch of cutoffs whose precision is certified, or None where no cutoff's is.

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
    positive, nor by much elsewhere. Of rows in groups, what each group brings to hits less the target's share
    has mean 0 at a crossing, and the test of each cutoff is of the groups.
    """
    delta = 1 - (guarantee.confidence or 0.0)
    places = tested(sweep)
    begun = _begun(guarantee, sweep, places, delta)
    certified, begin, level = None, 0, 0.0
    for number, place in enumerate(begun):
        end = begun[number + 1] if number + 1 < len(begun) else len(places)
        begin = begin if level else place
        level += delta / len(begun)
        failed = _first_failure(guarantee, sweep, places[place:end], level) + place
        if failed > begin:
            certified = places[begin:failed]
        if failed < end:
            level = 0.0
    return certified


def _begun(guarantee: Guarantee, sweep: Sweep, places: Places, delta: float) -> list[int]:
    """Return where among the tested cutoffs walks begin; whatever the labels."""
    if sweep.groups is not None:
        evidence = guarantee.evidence(sweep, places)
        return _begun_in_groups(evidence, guarantee.share, delta)
    totals = sweep.at(len(sweep) - 1)
    rows, unit = float(totals.counts.n[0]), 1.0
    if totals.squares is not None:  # in rows of the weight that makes them worth as many as they are
        unit = float(totals.squares.n[0]) / rows
        rows /= unit
    return _first_with(sweep, [unit * number for number in starts(rows, guarantee.share, delta)])


def _begun_in_groups(evidence: Evidence, share: float, delta: float) -> list[int]:
    """Return where walks begin: the first with groups enough to refute a lower share, then rows double."""
    assert evidence.units is not None  # noqa: S101 - for the type checker
    units, rows = np.nan_to_num(evidence.units), np.nan_to_num(evidence.rows)
    named = starts(float(units.max(initial=0.0)), share, delta)
    if not named:
        return []
    first = int(np.argmax(units >= named[0] - rounding(named[0])))
    if len(named) == 1 and named[0] == _fewest(share, delta):
        return [first]
    found, wanted = [first], _APART * rows[first]
    while wanted <= rows.max():
        found.append(int(np.argmax(rows >= wanted)))
        wanted *= _APART
    return sorted(set(found))


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
    least = _fewest(share, delta)
    room = rows + rounding(rows)
    if _AHEAD * least > room:
        return [least] if least <= room else []
    found = [_AHEAD * least]
    while _APART * found[-1] <= room:
        found.append(_APART * found[-1])
    return found


def _fewest(share: float, delta: float) -> int:
    """Return the least number of hits of as many rows that refutes a lower share."""
    return max(math.ceil(math.log(delta) / math.log(share)), 1)


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


def _first_failure(guarantee: Guarantee, sweep: Sweep, places: Places, level: float) -> int:
    """Return how many of some cutoffs pass before the first that fails."""
    for first in range(0, len(places), sweep.block):
        some = places[first : first + sweep.block]
        highest, lowest = sweep.at(int(some[0])), sweep.at(int(some[-1]))
        if sweep.plain and guarantee.refuted(highest.counts.tp, lowest.counts.predicted_positives, level):
            continue  # all pass where the hits of the first would do for the rows of the last
        refuted = guarantee.evidence(sweep, some).refutes(guarantee.share, level, guarantee.method)
        if not refuted.all():
            return first + int(np.argmin(refuted))
    return len(places)
