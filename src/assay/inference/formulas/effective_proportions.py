"""Rates of rows that have weights or come in clusters, as hits among a number of independent rows.

An interval of a proportion wants x of n. Weighted or clustered rows say as much as a smaller number of
independent ones: the number that would give the same variance (Korn and Graubard 1998), never more than the
denominator's rows are worth by their weights (Kish 1965). Only rows of the denominator count: five positives
among 500 rows say what five rows say of recall.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.inference.distributions import student_quantile
from assay.inference.formulas.cluster_jackknife import cluster_jackknife, jackknife_parts
from assay.inference.formulas.delta import kish
from assay.inference.formulas.proportions import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["ClusterCells", "Rate"]

# How many clusters' worth of doubt there is about how alike the rows of a cluster are, beside the clusters in
# which the rarer outcome was seen. Without any such cluster, each cluster counts as one row.
_PRIOR_CLUSTERS = 1.0
_NOISE = 1e-13  # of the variance of independent rows: what rounding leaves of none


class Rate(NamedTuple):
    """A share, the hits and rows that it is worth, its standard error, and each cell's or cluster's part.

    ``independent`` is what the rows would be worth were there no clusters.
    """

    value: float
    hits: float
    rows: float
    error: float
    parts: NDArray[np.float64]
    independent: float

    @property
    def lost(self) -> float:
        """How much less, on the log scale, the rows of a share of 0 or 1 say for being in clusters."""
        return math.log(self.independent / self.rows) if self.value in (0.0, 1.0) else 0.0


@dataclasses.dataclass(frozen=True, eq=False)
class ClusterCells:
    """What the rows of each cell weigh: sums of weights, of squared weights, and of weights by cluster.

    ``squares`` is None where no row has a weight, ``clusters`` where rows are independent: it has one row per
    cluster and one column per cell.

    >>> cells = ClusterCells(np.array([3.0, 1.0, 40.0]), np.array([5.0, 1.0, 900.0]))
    >>> rate = cells.rate([True, False, False], [True, True, False])
    >>> rate.value, round(rate.rows, 4)
    (0.75, 2.6667)
    """

    mass: NDArray[np.float64]
    squares: NDArray[np.float64] | None = None
    clusters: NDArray[np.float64] | None = None

    def rate(self, hits: Sequence[bool], total: Sequence[bool], confidence: float = 0.95) -> Rate | None:
        """Return the share of some cells' rows among those of more cells; None where there are no rows."""
        if self.squares is None and self.clusters is None:
            return self._plain(hits, total)
        hit, within = np.asarray(hits), np.asarray(total)
        weight = float(self.mass[within].sum())
        if not weight > 0:
            return None
        # Hits and misses are each added up, so that a rate of 0 or 1 is one exactly.
        share, misses = float(self.mass[hit].sum()) / weight, float(self.mass[within & ~hit].sum()) / weight
        slopes = np.where(within, np.where(hit, misses, -share), 0.0) / weight
        squares = self.mass if self.squares is None else self.squares
        independent = kish(weight, float(squares[within].sum()))
        if self.clusters is not None:
            return self._clustered((share, misses), slopes, within, independent, confidence)
        parts = slopes * np.sqrt(squares)
        variance = float(parts @ parts)
        rows = independent
        if share > 0 and misses > 0:
            rows = min(independent, share * misses / variance)
        return Rate(share, share * rows, rows, math.sqrt(variance), parts, independent)

    def _plain(self, hits: Sequence[bool], total: Sequence[bool]) -> Rate | None:
        """Return the rate of rows that are independent and alike, without the cost of arrays."""
        mass: list[float] = self.mass.tolist()
        weight = sum(size for size, within in zip(mass, total, strict=True) if within)
        if not weight:
            return None
        x = sum(size for size, hit in zip(mass, hits, strict=True) if hit)
        share = x / weight
        misses = (weight - x) / weight  # whole numbers: nothing is lost
        parts = [
            (misses if hit else -share) / weight * math.sqrt(size) if within else 0.0
            for size, hit, within in zip(mass, hits, total, strict=True)
        ]
        return Rate(share, x, weight, math.sqrt(share * misses / weight), np.array(parts), weight)

    def _clustered(
        self,
        shares: tuple[float, float],
        slopes: NDArray[np.float64],
        within: NDArray[np.bool_],
        independent: float,
        confidence: float,
    ) -> Rate | None:
        clusters: NDArray[np.float64] = self.clusters  # type: ignore[assignment]
        share, misses = shares
        sizes = clusters[:, within].sum(axis=1)
        sums = clusters @ slopes
        spread = cluster_jackknife(sums, sizes)
        if len(clusters) < 2:  # noqa: PLR2004
            return None
        if math.isnan(spread.error):  # one cluster has all rows of the denominator: it counts as one row
            return Rate(share, share, 1.0, math.nan, np.zeros(len(clusters)), independent)
        alone = share * misses  # the variance of a row
        rows, seen = spread.effective_clusters, 0
        if alone > 0:
            rarer = slopes > 0 if share <= misses else slopes < 0
            seen = int(np.count_nonzero(clusters[:, rarer].sum(axis=1)))
            variance = spread.error**2 if spread.error**2 > _NOISE * alone / independent else 0.0
            doubt = alone / spread.effective_clusters
            moderated = (seen * variance + _PRIOR_CLUSTERS * doubt) / (seen + _PRIOR_CLUSTERS)
            rows = min(independent, alone / moderated)
            # As much less as t is wider than the normal (Korn and Graubard 1998).
            rows *= (normal_quantile(confidence) / student_quantile(confidence, max(spread.df, 1.0))) ** 2
        return Rate(share, share * rows, rows, spread.error, jackknife_parts(sums, sizes), independent)
