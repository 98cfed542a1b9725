"""The interval of the no-information rate: the share of the commonest class, chosen on the same rows.

The largest of several like shares lies above the true largest: of 30 classes of equal size and 600 rows,
Wilson's interval of the commonest class lay wholly above the true share in 67 of 100 samples.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.inference.distributions import normal_p
from assay.inference.formulas.effective_proportions import ClusterCells
from assay.inference.formulas.proportions import clopper_pearson, modified_wilson
from assay.inference.influence.confusion import cell_of_rows
from assay.inference.intervals.confusion_rates import cell_weights, cells_by_group, wilson_name
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.method_registry import Default, interval_method
from assay.tallies import Confusion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["largest_share"]

# A class counts as a possible largest one from this Bonferroni-adjusted p-value on, at 1 in full.
_SEPARATED = 0.05


@interval_method("largest-share", Default(metrics=("no_information_rate",), then=("proportion",)))
def largest_share(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the commonest class's share, its lower limit at Bonferroni's level.

    The upper limit needs no correction: the true largest share is below it whenever that class's own share is
    below its own limit. The lower limit allows for as many classes as may be the largest one, so that a clear
    majority has the interval of any other share.
    """
    tally = request.tally
    if not isinstance(tally, Confusion):
        return None
    actual = tally.digits()[0]
    masses = np.bincount(actual, weights=tally.weight().astype(np.float64), minlength=len(tally.labels))
    largest = int(np.argmax(masses))
    cells = _cells(request, tally, (actual != largest).astype(np.intp), largest)
    rate = cells.rate([True, False], [True, True], request.confidence)
    if rate is None:
        return None
    low, high = modified_wilson(rate.hits, rate.rows, request.confidence)
    name = wilson_name(rate.hits, rate.rows, (low, high), request.confidence)
    name = name if request.plain else "modified Wilson on effective rows"
    candidates = _candidates(masses / masses.sum(), largest, rate.rows)
    if candidates > 1:
        low = min(low, _corrected(cells, request.confidence, candidates))
        name += ", Bonferroni below"
    note = f"{candidates:.2g} classes may be the commonest one" if candidates > 1 else ""
    return IntervalResult(low, high, name, note, None if math.isnan(rate.error) else rate.error)


def _corrected(cells: ClusterCells, confidence: float, candidates: float) -> float:
    """Return the lower limit at the level that each of several candidates has.

    At such levels Wilson's limit of a small share is too high, so that the exact one bounds it. With one
    candidate that is the one-sided limit of the modified Wilson interval; with two it has half of the error.
    """
    error = (1 - confidence) / candidates
    rate = cells.rate([True, False], [True, True], 1 - error)
    if rate is None:
        return 0.0
    exact = clopper_pearson(rate.hits, rate.rows, 1 - 2 * error / min(candidates, 2.0))[0]
    return min(modified_wilson(rate.hits, rate.rows, 1 - error)[0], exact)


def _cells(request: IntervalRequest, tally: Confusion, other: NDArray[np.intp], largest: int) -> ClusterCells:
    """Return what the rows of the commonest class weigh, and those of all others."""
    mass = cell_weights(other, tally.weight(), 2)
    squares = cell_weights(other, tally.weight(2), 2) if request.weighted else None
    if not request.clustered:
        return ClusterCells(mass, squares)
    actual = cell_of_rows(request.rows, tally) // len(tally.labels)  # type: ignore[arg-type]
    return ClusterCells(mass, squares, cells_by_group(request, (actual != largest).astype(np.intp), 2))


def _candidates(shares: NDArray[np.float64], largest: int, rows: float) -> float:
    """Return how many classes may be the commonest: those not shown to be rarer, each by how little it is.

    >>> _candidates(np.array([0.5, 0.5]), 0, 100.0), _candidates(np.array([0.9, 0.1]), 0, 100.0)
    (2.0, 1.0)
    """
    others = np.delete(shares, largest)
    others = others[others > 0]
    count = 1.0
    for share in others.tolist():
        gap = float(shares[largest]) - share
        spread = math.sqrt(max(float(shares[largest]) + share - gap * gap, 0.0) / rows)
        adjusted = len(others) * normal_p(gap / spread) if spread > 0 else 0.0
        count += min(max(adjusted - _SEPARATED, 0.0) / (1 - _SEPARATED), 1.0)
    return count
