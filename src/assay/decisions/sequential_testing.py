"""Sequential tests over cutoffs that certify a rate with a confidence, in an order fixed beforehand."""

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

    Indices: TypeAlias = NDArray[np.intp] | range

__all__ = ["certified_cutoffs", "start_sizes", "tested_cutoffs"]

_FIRST_START_FACTOR = 2  # times the fewest rows that can pass, so that one miss does not end the sequence
_START_RATIO = 2  # of each start to the one before


def certified_cutoffs(guarantee: Guarantee, sweep: Sweep) -> Indices | None:
    """Return the last consecutive cutoffs that are certified, None where no cutoff is."""
    if guarantee.measure == "precision":
        return _fallback_sequence(guarantee, sweep)
    return _fixed_sequence(guarantee, sweep)


def _fixed_sequence(guarantee: Guarantee, sweep: Sweep) -> Indices | None:
    """Return the cutoffs from the one whose rate is 1 up to the first that fails, None if that one fails.

    Recall is tested from the lowest cutoff upwards, specificity from infinity downwards. The population's
    rate only falls along this sequence, so a cutoff that lacks it is certified only if the first one that
    lacks it passed a single test at the full level (fixed-sequence testing; Angelopoulos et al. 2021). The
    limits of weighted or grouped rows are not monotone: the best of them all would often pass by chance.
    """
    indices, upwards = tested_cutoffs(sweep), guarantee.measure == "recall"
    if not upwards and len(sweep) > 1 and sweep.scores[-1] == math.inf:
        indices = indices[1:]  # rows with a score of infinity are predicted positive by every threshold
    level, size, passed = 1 - (guarantee.confidence or 0.0), sweep.block, 0
    while passed < len(indices):
        end = len(indices) - passed
        some = indices[max(end - size, 0) : end] if upwards else indices[passed : passed + size]
        rejected = guarantee.evidence(sweep, some).rejects(guarantee.share, level, guarantee.method)
        failed = np.flatnonzero(~(rejected[::-1] if upwards else rejected))
        passed += int(failed[0]) if len(failed) else len(some)
        if len(failed):
            break
    if not passed:
        return None
    return indices[len(indices) - passed :] if upwards else indices[:passed]


def tested_cutoffs(sweep: Sweep) -> Indices:
    """Return the cutoffs that are tested: all, or a grid fixed beforehand for very many of grouped rows."""
    return range(len(sweep)) if sweep.groups is None else sweep.groups.indices


def _fallback_sequence(guarantee: Guarantee, sweep: Sweep) -> Indices | None:
    """Return the last run of cutoffs whose precision is certified, None where no cutoff's is.

    Learn then test (Angelopoulos et al. 2021), with the levels of the fallback procedure (Wiens 2003): m
    numbers of rows predicted positive, the starts, are fixed before any label is seen. Going down over all
    cutoffs, each start adds ``delta / m`` to the level, every cutoff is tested at the current level, and the
    first that fails sets it to 0. Cutoffs that pass are certified.

    Why a cutoff that lacks the precision is certified in at most a share delta of samples. Call a threshold
    bad where the population's precision is below the target, and assume no ties. A sequence that certifies a
    bad threshold has passed the first bad one after the start at which its level was 0. If it gets there
    from good ones, the precision there equals the target, as it does wherever a run of bad ones begins or
    ends: given how many rows lie above each of these crossings, which determines the starts and so the
    level, hits are binomial with the target as their share, and the test errs as often as its level. If it
    starts at a bad one, hits among the rows above the start's score are binomial with less than the target.
    Each start adds to the level of at most one first bad threshold, so that all levels add up to delta.

    Two things keep this from being exact: a start's own row is not drawn from those above it, and ties jump
    over crossings. Neither makes errors more frequent where rows that score higher are no less often
    positive, nor by much elsewhere. For grouped rows, each group's hits less the target's share of its rows
    have mean 0 at a crossing, and the test of each cutoff is one of groups.
    """
    delta = 1 - (guarantee.confidence or 0.0)
    indices = tested_cutoffs(sweep)
    starts = _start_indices(guarantee, sweep, indices, delta)
    certified, begin, level = None, 0, 0.0
    for number, index in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(indices)
        begin = begin if level else index
        level += delta / len(starts)
        failed = _first_failure(guarantee, sweep, indices[index:end], level) + index
        if failed > begin:
            certified = indices[begin:failed]
        if failed < end:
            level = 0.0
    return certified


def _start_indices(guarantee: Guarantee, sweep: Sweep, indices: Indices, delta: float) -> list[int]:
    """Return the indices of the starts among the tested cutoffs; they do not depend on the labels."""
    if sweep.groups is not None:
        evidence = guarantee.evidence(sweep, indices)
        return _group_start_indices(evidence, guarantee.share, delta)
    totals = sweep.at(len(sweep) - 1)
    rows, unit = float(totals.counts.n[0]), 1.0
    if totals.squares is not None:  # as rows of equal weight, in effective number
        unit = float(totals.squares.n[0]) / rows
        rows /= unit
    return _first_with(sweep, [unit * number for number in start_sizes(rows, guarantee.share, delta)])


def _group_start_indices(evidence: Evidence, share: float, delta: float) -> list[int]:
    """Return the starts: the first with enough groups to reject a lower share, then doubling the rows."""
    assert evidence.units is not None  # noqa: S101 - for the type checker
    units, rows = np.nan_to_num(evidence.units), np.nan_to_num(evidence.rows)
    sizes = start_sizes(float(units.max(initial=0.0)), share, delta)
    if not sizes:
        return []
    first = int(np.argmax(units >= sizes[0] - rounding(sizes[0])))
    if len(sizes) == 1 and sizes[0] == _min_sample(share, delta):
        return [first]
    starts, size = [first], _START_RATIO * rows[first]
    while size <= rows.max():
        starts.append(int(np.argmax(rows >= size)))
        size *= _START_RATIO
    return sorted(set(starts))


def start_sizes(rows: float, share: float, delta: float) -> list[int]:
    """Return the numbers of rows predicted positive at the starts: each twice the one before.

    The first is twice the smallest number that can reject a lower share, if all of them are hits.

    >>> start_sizes(1000, 0.8, 0.05)
    [28, 56, 112, 224, 448, 896]
    >>> start_sizes(20, 0.8, 0.05), start_sizes(10, 0.8, 0.05)
    ([14], [])
    """
    if share == 1:
        return []  # no number of hits rejects every share below 1
    minimum = _min_sample(share, delta)
    limit = rows + rounding(rows)
    if _FIRST_START_FACTOR * minimum > limit:
        return [minimum] if minimum <= limit else []
    sizes = [_FIRST_START_FACTOR * minimum]
    while _START_RATIO * sizes[-1] <= limit:
        sizes.append(_START_RATIO * sizes[-1])
    return sizes


def _min_sample(share: float, delta: float) -> int:
    """Return the smallest sample, all of it hits, that rejects a lower share."""
    return max(math.ceil(math.log(delta) / math.log(share)), 1)


def _first_with(sweep: Sweep, numbers: list[float]) -> list[int]:
    """Return the indices of the first cutoffs that predict these numbers of rows positive."""
    blocks = slice(-(-len(sweep) // sweep.block))
    edges = sweep.ends(blocks, blocks).counts.predicted_positives
    indices = []
    for number in numbers:
        minimum = number - rounding(number)
        begin = sweep.block * max(int(np.searchsorted(edges, minimum)) - 1, 0)
        within = sweep.between(begin, begin + sweep.block).counts.predicted_positives
        indices.append(min(begin + int(np.searchsorted(within, minimum)), len(sweep) - 1))
    return indices


def _first_failure(guarantee: Guarantee, sweep: Sweep, indices: Indices, level: float) -> int:
    """Return how many cutoffs pass before the first that fails."""
    for first in range(0, len(indices), sweep.block):
        some = indices[first : first + sweep.block]
        highest, lowest = sweep.at(int(some[0])), sweep.at(int(some[-1]))
        if sweep.plain and guarantee.rejected(highest.counts.tp, lowest.counts.predicted_positives, level):
            continue  # all pass if the hits of the first would be enough for the rows of the last
        rejected = guarantee.evidence(sweep, some).rejects(guarantee.share, level, guarantee.method)
        if not rejected.all():
            return first + int(np.argmin(rejected))
    return len(indices)
