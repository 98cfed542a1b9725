"""Standard errors of rows that come in clusters: the cluster jackknife and its degrees of freedom.

Few clusters, or clusters of unequal size, make the plain sandwich too small and too sure of itself. Here
every cluster's part in an estimate is divided by one less its leverage, which is what leaving the cluster out
would change (CR3: Bell and McCaffrey 2002), and Student's t has as many degrees of freedom as there are
clusters of equal size that would be worth as much, less one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ClusterSpread", "cluster_jackknife", "jackknife_parts", "share_without_cluster"]


class ClusterSpread(NamedTuple):
    """A standard error from clusters, its degrees of freedom, and how many equal clusters they are worth."""

    error: float
    df: float
    effective_clusters: float


def share_without_cluster(information: NDArray[np.float64], *, minimum: float = 0.0) -> NDArray[np.float64]:
    """Return the share of the information that is left without each cluster: one less its leverage.

    >>> share_without_cluster(np.array([1.0, 9.0]), minimum=0.2)
    array([0.9, 0.2])
    """
    return np.asarray(np.maximum(1 - information / float(information.sum()), minimum))


def jackknife_parts(parts: NDArray[np.float64], information: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far an estimate would move without each cluster, scaled so that the squares are a variance.

    `parts` are the clusters' sums of influence, `information` how much of what the estimate rests on lies in
    each: rows, or rows of the class that counts. Clusters without any have no part.

    >>> jackknife_parts(np.array([0.1, -0.1]), np.array([5.0, 5.0])).round(4)
    array([ 0.1414, -0.1414])
    """
    total = float(information.sum())
    clusters = int(np.count_nonzero(information))
    if not total or clusters < 2:  # noqa: PLR2004
        return np.full(len(parts), math.nan)
    return parts / share_without_cluster(information) * math.sqrt((clusters - 1) / clusters)


def cluster_jackknife(
    parts: NDArray[np.float64],
    information: NDArray[np.float64],
    expected: NDArray[np.float64] | None = None,
) -> ClusterSpread:
    """Return the standard error of an estimate by leaving out each cluster, and what it is worth.

    `expected` is each cluster's expected part in the variance, up to a factor, where that differs from its
    information: weighted rows count by their squared weights. One cluster shows no spread: the error is NaN.

    >>> spread = cluster_jackknife(np.array([0.25, -0.125, -0.125]), np.array([4.0, 4.0, 4.0]))
    >>> round(spread.error, 6), spread.df, spread.effective_clusters
    (0.375, 2.0, 3.0)
    """
    expected = information if expected is None else expected
    largest = float(expected.max(initial=0.0))
    shares = expected / largest if largest > 0 else expected  # squares of small numbers have no floats
    total, squares = float(shares.sum()), float(shares @ shares)
    effective = total * total / squares if squares else 0.0
    moved = jackknife_parts(parts, information)
    size = float(np.abs(moved).max(initial=0.0)) or 1.0
    return ClusterSpread(size * float(np.linalg.norm(moved / size)), max(effective - 1, 0.0), effective)
