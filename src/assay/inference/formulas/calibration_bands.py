"""Bands for the isotonic calibration curve: where it would be by chance, and where the truth may be.

A *consistency* band lies about the diagonal: if every probability were right, the curve would be within it at
any one probability with the stated confidence. A *confidence* band lies about the curve: the true rates are
within it, all of them at once, whatever they are as long as they rise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from assay import kernels
from assay.errors import MetricError
from assay.inference.formulas.proportions import check_confidence
from assay.metrics.metric import tallied
from assay.metrics.views.probability import Probabilities
from assay.tallies import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Band", "confidence_band", "consistency_band"]

_MAX_CELLS = 1_000  # of similar probabilities in which outcomes are drawn: the fit's pools are far wider
_MAX_BLOCK_CELLS = 120  # all blocks of neighbouring cells are used: 7,260 pairs of limits


class Band(NamedTuple):
    """Lower and upper limits over rising probabilities; where they step, a probability comes twice."""

    p: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]
    method: str


def consistency_band(data: Any, *, confidence: float = 0.95, replicates: int = 500, seed: int = 0) -> Band:
    """Return where the calibration curve lies, point by point, if the probabilities are right.

    Outcomes are drawn from the probabilities themselves, `replicates` times, and fitted as the rows were
    (Dimitriadis, Gneiting and Jordan 2021). More than 1,000 distinct probabilities are drawn in 1,000 cells
    of equally many rows; weighted rows count as their effective sample size. Near 0 and 1, where the curve is
    often exactly 0 or 1, the band covers more often than stated.

    Parameters
    ----------
    data
        Rows or a score tally whose scores are probabilities.
    confidence
        The confidence level of the interval.
    replicates
        How often outcomes are drawn.
    seed
        Where the random draws begin: the same seed gives the same result.

    Returns
    -------
    Band
        The distinct probabilities, and the lower and the upper limit at each.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `data` are neither rows with scores nor a tally of
        scores.
    NumberError
        A score is no probability.

    Examples
    --------
    >>> import assay
    >>> r = assay.rows(actual=[0, 0, 0, 1] * 25 + [0, 1, 1, 1] * 25, score=[0.25] * 100 + [0.75] * 100)
    >>> band = consistency_band(r)
    >>> band.low.round(2).tolist(), band.high.round(2).tolist()
    ([0.18, 0.66], [0.34, 0.84])
    """
    check_confidence(confidence)
    cells = _cells(data, _MAX_CELLS)
    random = np.random.default_rng(seed)
    sizes = np.maximum(np.rint(cells.effective_sizes), 1).astype(np.int64)
    positives = random.binomial(sizes, cells.p, (replicates, len(sizes))) / sizes * cells.mass
    fits = kernels.rising_rates(positives, cells.mass)
    tail = (1 - confidence) / 2
    low, high = np.quantile(fits, [tail, 1 - tail], axis=0)
    return Band(cells.p, low, high, f"{replicates} draws from the probabilities")


def confidence_band(data: Any, *, confidence: float = 0.95) -> Band:
    """Return limits that hold all true rates at once, if the rates rise with the probability.

    A block of neighbours bounds the rate at its lower end from above and the one at its upper end from below
    by the exact limits of Clopper and Pearson; all blocks share the error (Dimitriadis and others 2023).
    Blocks are of up to 120 cells of equally many rows. Wide, because it assumes nothing else.

    Parameters
    ----------
    data
        Rows or a score tally whose scores are probabilities.
    confidence
        The confidence level of the interval.

    Returns
    -------
    Band
        The distinct probabilities, and the lower and the upper limit at each.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `data` are neither rows with scores nor a tally of
        scores.
    NumberError
        A score is no probability.

    Examples
    --------
    >>> import assay
    >>> r = assay.rows(actual=[0, 0, 0, 1] * 25 + [0, 1, 1, 1] * 25, score=[0.25] * 100 + [0.75] * 100)
    >>> band = confidence_band(r)
    >>> band.low.round(2).tolist(), band.high.round(2).tolist()
    ([0.0, 0.15, 0.15, 0.63], [0.37, 0.85, 0.85, 1.0])
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - SciPy takes its time to load

    check_confidence(confidence)
    cells = _cells(data, _MAX_BLOCK_CELLS)
    if cells.weighted:
        raise MetricError("a confidence band counts rows, so it takes no weights: use consistency_band().")
    count = len(cells.p)
    first, last = np.triu_indices(count)
    hits, rows = (
        np.append(0.0, np.cumsum(values))[last + 1] - np.append(0.0, np.cumsum(values))[first]
        for values in (cells.positives, cells.mass)
    )
    tail = (1 - confidence) / (2 * len(first))
    with np.errstate(invalid="ignore"):
        below = np.where(hits > 0, betaincinv(hits, rows - hits + 1, tail), 0.0)
        above = np.where(hits < rows, 1 - betaincinv(rows - hits, hits + 1, tail), 1.0)
    low, high = np.zeros(count), np.ones(count)
    np.maximum.at(low, last, below)
    np.minimum.at(high, first, above)
    low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    # The bounds hold outside a cell, not within it: the limits are steps, upper ones at the cells' smallest
    # probabilities and lower ones at their largest.
    low, high = np.append(0.0, low), np.append(high, 1.0)
    at = np.union1d(cells.smallest, cells.largest)
    sides: tuple[Literal["left", "right"], ...] = ("left", "right")
    limits = [
        (low[np.searchsorted(cells.largest, at, side)], high[np.searchsorted(cells.smallest, at, side)])
        for side in sides
    ]
    lows, highs = (np.stack(pair, -1).ravel() for pair in zip(*limits, strict=True))
    return Band(np.repeat(at, 2), lows, highs, "Clopper-Pearson over all blocks")


class _Cells(NamedTuple):
    """Neighbouring probabilities in cells: their mean, range, weight and effective sample size."""

    p: NDArray[Any]
    smallest: NDArray[Any]
    largest: NDArray[Any]
    positives: NDArray[Any]
    mass: NDArray[Any]
    effective_sizes: NDArray[Any]
    weighted: bool


def _cells(data: Any, max_cells: int) -> _Cells:
    """Return the probabilities of a tally in at most `max_cells` cells of about equally many rows."""
    tally = tallied(data, Scores)
    view = Probabilities.some(tally)
    if view.many is not None:
        return _cells_of_many(view.many, view.p, max_cells)
    squares = view.counts
    if tally.weights is not None:
        each = (tally.positives.astype(np.float64) + tally.negatives) * tally.weights**2
        squares = np.add.reduceat(each, tally.starts())
    starts = np.arange(len(view.p))
    if len(starts) > max_cells:
        reached = np.cumsum(view.counts) - view.counts / 2
        starts = np.flatnonzero(np.diff(np.floor(reached / view.n * max_cells), prepend=-1))
    positives, mass, squared, total = (
        np.add.reduceat(values, starts)
        for values in (view.positives, view.counts, squares, view.counts * view.p)
    )
    ends = np.append(starts[1:], len(view.p)) - 1
    return _Cells(
        np.clip(total / mass, 0, 1), view.p[starts], view.p[ends], positives, mass, mass**2 / squared,
        tally.weights is not None,
    )  # fmt: skip


def _cells_of_many(tally: Scores, p: NDArray[Any], max_cells: int) -> _Cells:
    """Return the same cells of rows without weights, going through the columns one cell at a time."""
    sides = [tally.positives, tally.negatives]
    levels = np.ceil(np.arange(1, max_cells) * (tally.n / max_cells)).astype(np.int64)
    # A cell begins with the first entry whose middle row is beyond the level: that which reaches it, or the
    # next; the one before is there for what rounding does.
    reaching = kernels.entries_reaching(sides, np.maximum(levels, 1))
    near = np.unique(np.clip([reaching * 0, reaching - 1, reaching, reaching + 1], 0, len(p) - 1))
    until = np.cumsum(sum(np.add.reduceat(side, near, dtype=np.int64) for side in sides))
    own = sides[0][near].astype(np.int64) + sides[1][near]
    reached = np.append(0, until[:-1]) + own / 2
    starts = near[np.flatnonzero(np.diff(np.floor(reached / tally.n * max_cells), prepend=-1))]
    ends = np.append(starts[1:], len(p))
    positives, negatives = (np.add.reduceat(side, starts, dtype=np.int64) for side in sides)
    total = np.zeros(len(starts))
    for cell, (first, last) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        rows = np.add(*(side[first:last] for side in sides), dtype=np.int64)
        total[cell] = (rows * p[first:last]).sum()
    mass = (positives + negatives).astype(np.float64)
    return _Cells(
        np.clip(total / mass, 0, 1), p[starts], p[ends - 1], positives.astype(np.float64), mass, mass,
        weighted=False,
    )  # fmt: skip
