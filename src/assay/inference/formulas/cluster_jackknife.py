"""Standard errors of rows that come in clusters: the cluster jackknife and its degrees of freedom.

Few clusters, or clusters of unequal size, make the plain sandwich too small and too sure of itself. Here
every cluster's part in an estimate is divided by one less its leverage, which is what leaving the cluster out
would change (CR3: Bell and McCaffrey 2002), and Student's t has as many degrees of freedom as there are
clusters of equal size that would be worth as much, less one; or fewer, after Satterthwaite, where the rows of
a cluster are seen to go together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ClusterSpread",
    "cluster_jackknife",
    "jackknife_parts",
    "satterthwaite_df",
    "share_without_cluster",
]


_NEGLIGIBLE = 1e-12  # share of the information below which a cluster tells nothing beside the others


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


def _informative(information: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which clusters have a share of the information that rounding leaves."""
    return np.asarray(information > _NEGLIGIBLE * float(information.sum()))


def jackknife_parts(parts: NDArray[np.float64], information: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far an estimate would move without each cluster, scaled so that the squares are a variance.

    `parts` are the clusters' sums of influence, `information` how much of what the estimate rests on lies in
    each: rows, or rows of the class that counts. Clusters without any have no part. A single cluster with
    all information but for rounding shows no spread: the parts are NaN.

    >>> jackknife_parts(np.array([0.1, -0.1]), np.array([5.0, 5.0])).round(4)
    array([ 0.1414, -0.1414])
    """
    clusters = int(np.count_nonzero(_informative(information)))
    if clusters < 2:  # noqa: PLR2004
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

    Parameters
    ----------
    parts
        The sum of the influences of each cluster's rows.
    information
        How much each cluster tells of the estimate, such as its number of rows.
    expected
        What each cluster is expected to add to the variance, up to a factor.

    Returns
    -------
    ClusterSpread
        The standard error, its degrees of freedom and how many equal clusters it is worth.

    Examples
    --------
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


def satterthwaite_df(
    information: NDArray[np.float64], expected: NDArray[np.float64], rows: float, design_effect: float
) -> float:
    """Return the degrees of freedom of the cluster jackknife's variance (Bell and McCaffrey 2002).

    They are those of a quadratic form in the clusters' means. The variance of a mean is taken to be what the
    cluster's rows would have on their own and, as far as the design effect shows one, a part that all rows of
    a cluster share. `rows` is the effective number of rows without clusters. A cluster with half of all rows
    leaves 2.2 degrees of freedom where its rows are independent, and 1 where they are not.

    >>> sizes = np.array([75.0, 15, 15, 15, 15, 15, 15, 15])
    >>> [round(satterthwaite_df(sizes, sizes, 180, effect), 2) for effect in (1, 3, 37)]
    [2.9, 1.87, 1.52]
    """
    taken = _informative(information)
    share = information[taken] / float(information[taken].sum())
    if len(share) < 2:  # noqa: PLR2004
        return 0.0
    if float(share.max()) == float(share.min()):
        return len(share) - 1.0
    own = expected[taken] / float(expected.sum()) / rows / share**2
    largest_effect = float(share @ share) * rows  # where all rows of a cluster are alike
    icc = (design_effect - 1) / (largest_effect - 1) if largest_effect > 1 else 0.0
    icc = min(max(icc, 0.0), 1.0)
    variance = icc + (1 - icc) * own
    # Each cluster's squared distance from the mean of all: its factor, and what two of them share. The
    # largest cluster is apart from the others, so that nothing cancels where it has nearly all information.
    largest_index = int(share.argmax())
    largest, its_variance = float(share[largest_index]), float(variance[largest_index])
    share, variance = np.delete(share, largest_index), np.delete(variance, largest_index)
    rest = float(share.sum())
    of_others = float(share**2 @ variance)
    half = (largest**2 * its_variance + of_others) / 2 - share * variance
    factor, alone = np.square(share / (1 - share)), variance + 2 * half
    largest_factor, largest_alone = (largest / rest) ** 2, rest**2 * its_variance + of_others
    shared = of_others - largest * rest * its_variance - share * variance
    trace = float(factor @ alone) + largest_factor * largest_alone
    squares = 2 * (float(factor.sum()) * float(factor @ half**2) + float(factor @ half) ** 2)
    squares += float(factor**2 @ (alone**2 - 4 * half**2))
    squares += 2 * largest_factor * float(factor @ shared**2) + (largest_factor * largest_alone) ** 2
    return trace * trace / squares
