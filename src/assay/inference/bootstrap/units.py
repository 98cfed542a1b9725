"""The units that a bootstrap draws, as counts of identical units, and the jackknife of such counts."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.formatting.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

__all__ = [
    "DEFAULT_REPLICATES",
    "FEWER_REPLICATES",
    "ResamplingUnits",
    "acceleration",
    "draw",
    "pieces",
    "replicate_values",
]

DEFAULT_REPLICATES, FEWER_REPLICATES = 9_999, 1_999  # where each is cheap, and where it is not
_MAX_ENTRIES_FOR_DEFAULT = 4096  # of so many, a replicate is drawn and read within microseconds
_COUNTS_AT_ONCE = 1 << 21  # held in memory
_NATIVE_COUNTS_AT_ONCE = 1 << 28  # drawn by a kernel that holds none of them
_MAX_ENTRIES_TO_LEAVE_OUT = 256  # each in turn; of more entries, random groups are left out
_JACKKNIFE_GROUPS = 100
_MAX_ROWS_FOR_ACCELERATION = 1 << 24  # beyond, 100 groups cannot tell the acceleration from 0
_JACKKNIFE_STREAM = 1 << 39  # of random numbers that no draw uses


@dataclasses.dataclass(frozen=True, eq=False)
class ResamplingUnits:
    """Entries, each standing for `sizes` units, and how a metric is read from resampled counts of them.

    ``values`` takes counts, a replicate per row and an entry per column, and gives a number for each
    replicate, NaN where it has none; ``errors`` gives the replicates' standard errors where the metric is
    a mean. ``native`` is a faster way to the values of replicates [begin, end) of a seed. Units are drawn
    within ``strata``, lists of entries, where there are any. ``note`` is printed beside the result.
    """

    sizes: NDArray[np.uint64]
    values: Callable[[NDArray[np.int64]], NDArray[np.float64]]
    strata: tuple[NDArray[np.intp], ...] = ()
    native: Callable[[int, int, int], NDArray[np.float64]] | None = None
    errors: Callable[[NDArray[np.int64]], NDArray[np.float64]] | None = None
    cheap: bool = True
    note: str = ""

    @property
    def n(self) -> int:
        """How many units there are."""
        return int(self.sizes.sum())

    @property
    def usual_count(self) -> int:
        """The default number of replicates: enough for the tails where they cost little."""
        return (
            DEFAULT_REPLICATES
            if self.cheap and len(self.sizes) <= _MAX_ENTRIES_FOR_DEFAULT
            else FEWER_REPLICATES
        )


def draw(units: ResamplingUnits, seed: int, begin: int, end: int) -> NDArray[np.int64]:
    """Return the counts of replicates [begin, end): as many units as there are, drawn with replacement.

    >>> units = ResamplingUnits(np.array([3, 1], dtype=np.uint64), values=lambda counts: counts[:, 0] / 4)
    >>> draw(units, seed=0, begin=0, end=3).sum(axis=1).tolist()
    [4, 4, 4]
    """
    if not units.strata:
        return kernels.resample_counts(units.sizes, seed, begin, end)
    counts = np.zeros((end - begin, len(units.sizes)), dtype=np.int64)
    for number, entries in enumerate(units.strata, start=1):
        counts[:, entries] = kernels.resample_counts(units.sizes[entries], seed, begin, end, number)
    return counts


def replicate_values(
    units: ResamplingUnits, count: int, seed: int, *, progress: bool | None = None, function: Any = None
) -> NDArray[np.float64]:
    """Return the metric's value in each of so many replicates, or another function's of their counts."""
    values = np.empty(count)
    native = units.native if function is None else None
    function = units.values if function is None else function
    with Progress("bootstrap", count, show=progress) as bar:
        for begin, end in pieces(len(units.sizes), count, native=native is not None):
            if native is not None:
                values[begin:end] = native(seed, begin, end)
            else:
                values[begin:end] = function(draw(units, seed, begin, end))
            bar.step(end - begin)
    return values


def pieces(entries: int, count: int, *, native: bool = False) -> Iterator[tuple[int, int]]:
    """Yield ranges of replicates that fit the memory; native ones take some tenths of a second each."""
    size = min(max((_NATIVE_COUNTS_AT_ONCE if native else _COUNTS_AT_ONCE) // max(entries, 1), 1), count)
    for begin in range(0, count, size):
        yield begin, min(begin + size, count)


def acceleration(units: ResamplingUnits, seed: int = 0) -> float:
    """Return the acceleration of the BCa interval by the jackknife (Efron 1987), NaN where it has none.

    Of few entries each is left out in turn, one unit of it; of many, 100 random groups of units are, whose
    sums of influences have the same third moment. Beyond 16 million units it is taken for 0: it is less than
    the groups could show.

    >>> share = lambda counts: counts[:, 0] / counts.sum(1)
    >>> units = ResamplingUnits(np.array([3, 1], dtype=np.uint64), values=share)
    >>> round(acceleration(units), 6)
    -0.096225
    """
    n = units.n
    if n < 2:  # noqa: PLR2004 - nothing is left without one
        return math.nan
    sizes = units.sizes.astype(np.int64)
    if np.count_nonzero(sizes) <= _MAX_ENTRIES_TO_LEAVE_OUT:
        entries = np.flatnonzero(sizes)
        values = _values_without(units, (np.bincount([e], minlength=len(sizes)) for e in entries))
        influence, times = (n - 1) * -values, sizes[entries].astype(np.float64)
    elif n <= _MAX_ROWS_FOR_ACCELERATION:
        groups = min(_JACKKNIFE_GROUPS, n)
        group = kernels.random_below(seed, _JACKKNIFE_STREAM, 0, n, groups)
        entry = None if n == len(sizes) else np.repeat(np.arange(len(sizes)), sizes)
        parts = (_chosen_counts(group == number, entry, len(sizes)) for number in range(groups))
        values = _values_without(units, parts)
        remaining = n - np.bincount(group, minlength=groups)
        influence, times = remaining * -(values - _mean(values)), np.ones(groups)
    else:
        return 0.0
    known = ~np.isnan(influence)
    if not known.any():
        return math.nan
    influence, times = influence[known], times[known]
    influence = influence - np.average(influence, weights=times)
    scale = np.abs(influence).max()
    if not scale > 0 or not np.isfinite(scale):
        return math.nan
    influence = influence / scale  # so that no power overflows
    return float(times @ influence**3 / (6 * (times @ influence**2) ** 1.5))


def _chosen_counts(chosen: NDArray[np.bool_], entry: NDArray[np.intp] | None, size: int) -> Any:
    """Return how many units of each entry are chosen; without entries each unit is one."""
    return chosen if entry is None else np.bincount(entry[chosen], minlength=size)


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _values_without(units: ResamplingUnits, parts: Any) -> NDArray[np.float64]:
    """Return the metric without each part of the units."""
    sizes = units.sizes.astype(np.int64)
    return np.array([float(units.values((sizes - part)[None])[0]) for part in parts])
