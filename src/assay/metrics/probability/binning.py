"""Bins of similar probabilities: by equal width or by equal mass, which give different calibration errors.

``"width"`` cuts [0, 1] into equal intervals ``(low, high]``, the first one including 0; the edges are
b / bins, correctly rounded. ``"left-closed width"`` has ``[low, high)`` instead. ``"mass"`` gives every bin
the same number of rows, the first ones one more where it does not divide, and the same weight where rows have
different weights. Where a cut falls among rows of equal probability, each side gets its share of their
positives (``ties="share"``), so that the result does not depend on the order of rows; ``ties="positives
first"`` is what a stable sort gives of rows that have the positives first.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import MetricError, check_whole_number
from assay.hints import passed
from assay.metrics.views.probability import effective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.views.probability import Probabilities

__all__ = ["Bins", "Rule", "Ties", "binned", "equal_mass", "equal_width"]

Rule = Literal["mass", "width", "left-closed width"]
Ties = Literal["share", "positives first"]


@dataclasses.dataclass(frozen=True)
class Bins:
    """Probabilities with their rows, in bins that begin at `starts`; none of them is empty."""

    p: NDArray[Any]
    positives: NDArray[Any]
    counts: NDArray[Any]
    starts: NDArray[Any]
    squares: NDArray[Any] | None = None
    heaviest: float = 1.0

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of a value over each bin."""
        return np.asarray(np.add.reduceat(values, self.starts))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return each bin's value for every probability in it."""
        return np.repeat(values, np.diff(self.starts, append=len(self.p)))

    @functools.cached_property
    def rows(self) -> NDArray[Any]:
        """Number of rows of each bin, or the sum of their weights."""
        return self.sums(self.counts)

    @functools.cached_property
    def effective(self) -> NDArray[Any]:
        """Kish's effective number of rows of each bin; without weights, the number of rows."""
        squares = None if self.squares is None else self.sums(self.squares)
        return np.asarray(effective(self.rows, squares, self.heaviest))

    @functools.cached_property
    def predicted(self) -> NDArray[Any]:
        """Mean probability of each bin."""
        return np.asarray(self.sums(self.counts * self.p) / self.rows)

    @functools.cached_property
    def observed(self) -> NDArray[Any]:
        """Share of positives in each bin."""
        return np.asarray(self.sums(self.positives) / self.rows)

    @functools.cached_property
    def gaps(self) -> NDArray[Any]:
        """Mean probability less observed rate of each bin."""
        return np.asarray(self.predicted - self.observed)


def binned(view: Probabilities, bins: int, rule: Rule, ties: Ties = "share") -> Bins:
    """Return the probabilities of a view in bins by a rule."""
    bins = check_whole_number("bins", bins)
    if rule in ("width", "left-closed width"):
        return equal_width(view, bins, left_closed=rule != "width")
    if rule == "mass":
        return equal_mass(view, bins, ties)
    raise MetricError(f'rule={rule!r} is not known: use "mass", "width" or "left-closed width".')


def equal_width(view: Probabilities, bins: int, *, left_closed: bool = False) -> Bins:
    """Return bins of equal width, closed on the right or on the left; the outermost ones on both sides."""
    # Not by p * bins (0.07 * 100 is above 7), nor by linspace (it has 0.30000000000000004).
    edges = np.arange(1, bins) / bins
    bin_of = np.searchsorted(edges, view.p, side="right" if left_closed else "left")
    starts = np.flatnonzero(np.diff(bin_of, prepend=-1))
    return Bins(view.p, view.positives, view.counts, starts, view.squares, view.heaviest)


def equal_mass(view: Probabilities, bins: int, ties: Ties = "share") -> Bins:
    """Return bins with the same number of rows."""
    view = view.in_rows()
    p, positives, counts, squares = view.p, view.positives, view.counts, view.squares
    if ties == "positives first":
        p = np.repeat(p, 2)
        counts = np.stack([positives, view.negatives], -1).ravel()
        if squares is not None:
            squares = np.repeat(squares / view.counts, 2) * counts
        positives = np.stack([positives, np.zeros(len(positives))], -1).ravel()
        occupied = counts > 0
        p, positives, counts = p[occupied], positives[occupied], counts[occupied]
        squares = None if squares is None else squares[occupied]
    elif ties != "share":
        raise MetricError(f'{passed("ties", ties)} is not known: use "share" or "positives first".')
    ends = np.cumsum(counts)
    if not view.weighted and (counts == np.floor(counts)).all():
        each, over = divmod(ends[-1], bins)
        cuts = np.cumsum(each + np.clip(over - np.arange(bins), 0, 1))[:-1]
    else:  # with weights there is no remainder of rows to spread, and they may add up to 1
        cuts = np.arange(1, bins) * ends[-1] / bins
    cuts = cuts[cuts < ends[-1]]
    pieces = np.union1d(ends, cuts)
    entries = np.searchsorted(ends, pieces, side="left")
    sizes = np.diff(pieces, prepend=0.0)
    whole = np.isin(entries, entries[1:][entries[1:] == entries[:-1]], invert=True)
    rates = positives / counts
    sizes = np.where(whole, counts[entries], sizes)
    starts = np.flatnonzero(np.diff(np.searchsorted(cuts, pieces, side="left"), prepend=-1))
    result = Bins(p[entries], np.where(whole, positives[entries], sizes * rates[entries]), sizes, starts)
    if squares is None:
        return result
    parts = sizes * (squares / counts)[entries]
    return dataclasses.replace(result, squares=parts, heaviest=view.heaviest)
