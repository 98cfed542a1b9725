"""Bins of like probabilities: by equal width or by equal mass, which give different figures.

``"width"`` cuts [0, 1] into equal intervals ``(low, high]``, the first one with its 0; the edges are
b / bins, correctly rounded. ``"left-closed width"`` has ``[low, high)`` instead. ``"mass"`` gives every bin
the same number of rows, the first ones one more where it does not divide, and the same weight where rows have
different weights. Rows of one probability are alike: where a cut falls among them, each side gets its
share of their positives (``ties="share"``), so that no order of rows shows; ``ties="positives first"`` is
what a stable sort gives of rows that have the positives first.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import MetricError
from assay.metrics.parameters import whole
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
        """How many rows each bin has, or what they weigh."""
        return self.sums(self.counts)

    @functools.cached_property
    def effective(self) -> NDArray[Any]:
        """How many rows of equal weight each bin's rows are worth; without weights, how many there are."""
        squares = None if self.squares is None else self.sums(self.squares)
        return np.asarray(effective(self.rows, squares, self.heaviest))

    @functools.cached_property
    def predicted(self) -> NDArray[Any]:
        """The mean probability of each bin."""
        return np.asarray(self.sums(self.counts * self.p) / self.rows)

    @functools.cached_property
    def observed(self) -> NDArray[Any]:
        """How many of each bin's rows are positive."""
        return np.asarray(self.sums(self.positives) / self.rows)

    @functools.cached_property
    def gaps(self) -> NDArray[Any]:
        """How far each bin's mean probability is above what was observed."""
        return np.asarray(self.predicted - self.observed)


def binned(view: Probabilities, bins: int, rule: Rule, ties: Ties = "share") -> Bins:
    """Return the probabilities of a view in bins by a rule."""
    bins = whole("bins", bins)
    if rule in ("width", "left-closed width"):
        return equal_width(view, bins, left_closed=rule != "width")
    if rule == "mass":
        return equal_mass(view, bins, ties)
    raise MetricError(f'rule={rule!r} is not known: use "mass", "width" or "left-closed width".')


def equal_width(view: Probabilities, bins: int, *, left_closed: bool = False) -> Bins:
    """Return bins of equal width, closed on the right or on the left, the outermost one on both sides."""
    # Neither p * bins (0.07 * 100 is above 7) nor linspace (its 0.30000000000000004) finds the right bin.
    edges = np.arange(1, bins) / bins
    places = np.searchsorted(edges, view.p, side="right" if left_closed else "left")
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    return Bins(view.p, view.positives, view.counts, starts, view.squares, view.heaviest)


def equal_mass(view: Probabilities, bins: int, ties: Ties = "share") -> Bins:
    """Return bins of equally many rows."""
    view = view.in_rows()
    p, positives, counts, squares = view.p, view.positives, view.counts, view.squares
    if ties == "positives first":
        p = np.repeat(p, 2)
        counts = np.stack([positives, view.negatives], -1).ravel()
        if squares is not None:
            squares = np.repeat(squares / view.counts, 2) * counts
        positives = np.stack([positives, np.zeros(len(positives))], -1).ravel()
        kept = counts > 0
        p, positives, counts = p[kept], positives[kept], counts[kept]
        squares = None if squares is None else squares[kept]
    elif ties != "share":
        raise MetricError(f'ties={ties!r} is not known: use "share" or "positives first".')
    ends = np.cumsum(counts)
    if not view.weighted and (counts == np.floor(counts)).all():
        each, over = divmod(ends[-1], bins)
        cuts = np.cumsum(each + np.clip(over - np.arange(bins), 0, 1))[:-1]
    else:  # weights have no rows that a bin could have one more of, and may add up to 1
        cuts = np.arange(1, bins) * ends[-1] / bins
    cuts = cuts[cuts < ends[-1]]
    pieces = np.union1d(ends, cuts)
    entries = np.searchsorted(ends, pieces, side="left")
    sizes = np.diff(pieces, prepend=0.0)
    whole = np.isin(entries, entries[1:][entries[1:] == entries[:-1]], invert=True)
    rates = positives / counts
    sizes = np.where(whole, counts[entries], sizes)
    starts = np.flatnonzero(np.diff(np.searchsorted(cuts, pieces, side="left"), prepend=-1))
    found = Bins(p[entries], np.where(whole, positives[entries], sizes * rates[entries]), sizes, starts)
    if squares is None:
        return found
    parts = sizes * (squares / counts)[entries]
    return dataclasses.replace(found, squares=parts, heaviest=view.heaviest)
