"""The standard error of a difference between two parts of the rows where rows come in groups (clusters).

A group may have rows in both parts. There are two tests, both of which must reject. The cluster jackknife
(CR3): each group's influences on both sides are added up and divided by the share of the rows that is left
without the group. And the pooled one under the null hypothesis: rows of both sides have one variance and one
correlation within groups, so that a side without any spread of its own, with a rate of 0 or 1, is not taken
for certain.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.differences.pooled_variance import (
    MIN_DF,
    Component,
    InfluenceUnits,
    NullSpread,
    combined,
    freedom,
    pooled_moments,
    scale_of,
)
from assay.inference.formulas.cluster_jackknife import share_without_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["GroupedUnits", "difference_spreads", "group_shares", "jackknife_spread"]

_MIN_REMAINING_SHARE = 0.1  # of a class without a group: with less, leaving the group out says nothing


class GroupedUnits(NamedTuple):
    """The rows of one side with their influence on its value, and the number of each row's group."""

    units: InfluenceUnits
    codes: NDArray[Any]


class _Side(NamedTuple):
    """One class on one side: its sums, each group's weight, and each group's jackknifed influence."""

    sums: Component
    mass: NDArray[np.float64]
    influence: NDArray[np.float64]

    @property
    def groups(self) -> float:
        """The effective number of groups of equal weight (Kish 1965)."""
        return float(self.mass.sum() ** 2 / np.square(self.mass).sum())


def difference_spreads(
    sides: Sequence[GroupedUnits], groups: int, difference: float
) -> tuple[NullSpread, NullSpread]:
    """Return the spread of the first side's value less the second's: by the jackknife, and pooled."""
    scale = scale_of(*(side.units for side in sides))
    by_class = [dict(_classes(side, groups, scale)) for side in sides]
    jackknifed, pooled = _jackknife(by_class, groups), _pooled(by_class, groups, difference / scale)
    return jackknifed.times(scale), pooled.times(scale)


def jackknife_spread(rows: GroupedUnits, groups: int) -> NullSpread:
    """Return the spread of a value, or of two models' difference on the same rows, by leaving out groups."""
    scale = scale_of(rows.units)
    return _jackknife([dict(_classes(rows, groups, scale))], groups).times(scale)


def group_shares(rows: GroupedUnits, groups: int) -> NDArray[np.float64]:
    """Return the share of the rows' weight that each group has, on average over the classes."""
    shares = [side.mass / side.mass.sum() for _, side in _classes(rows, groups, scale_of(rows.units))]
    return np.asarray(np.mean(shares, axis=0))


def _classes(side: GroupedUnits, groups: int, scale: float) -> Iterator[tuple[Any, _Side]]:
    """Yield each class and its sums, with influences divided by a scale."""
    units = side.units.divide(scale)
    for name in np.unique(units.classes).tolist():
        chosen = units.classes == name
        codes, weight = side.codes[chosen], units.mass[chosen]
        mass = np.bincount(codes, weights=weight, minlength=groups).astype(np.float64)
        if not float(mass.sum()) > 0:
            continue
        sums = np.bincount(codes, weights=weight * units.slopes[chosen], minlength=groups)
        yield name, _Side(Component.of(units, chosen), mass, sums / _remaining(mass))


def _remaining(mass: NDArray[np.float64]) -> NDArray[np.float64]:
    return share_without_cluster(mass, minimum=_MIN_REMAINING_SHARE)


def _jackknife(by_class: Sequence[dict[Any, _Side]], groups: int) -> NullSpread:
    """Return the spread by leaving out one group at a time, from both sides."""
    sums, parts = np.zeros(groups), []
    occurs = np.zeros(groups, dtype=bool)
    for sign, classes in zip((1.0, -1.0), by_class, strict=False):
        for side in classes.values():
            sums += sign * side.influence
            occurs |= side.mass > 0
            own = math.sqrt(float(np.square(side.influence).sum()))
            parts.append(NullSpread(own, max(side.groups - 1, MIN_DF)))
    number = int(occurs.sum())
    variance = float(np.square(sums).sum()) * (number - 1) / max(number, 1)
    return NullSpread(math.sqrt(variance), combined(parts).df)


def _pooled(by_class: Sequence[dict[Any, _Side]], groups: int, difference: float) -> NullSpread:
    """Return the spread if both sides are alike: one variance and one correlation within groups by class."""
    parts = []
    for name in {*by_class[0], *by_class[1]}:
        both = [classes.get(name) for classes in by_class]
        known = [side for side in both if side is not None]
        second, kurtosis = pooled_moments([None if side is None else side.sums for side in both], difference)
        inverse_sizes = [1 / side.sums.effective for side in known]
        shifts = np.zeros(groups)  # the change of the difference when all rows of a group shift by one
        for sign, side in zip((1.0, -1.0), both, strict=True):
            if side is not None:
                shifts += sign * side.mass / side.sums.mass
        shared, fourth = float(np.square(shifts).sum()), float((shifts**4).sum())
        # What groups share adds to the difference, or cancels where they have rows on both sides: the
        # correlation is taken as high, or as low, as the groups' sums allow.
        correlation = _correlation(known, second, high=shared > sum(inverse_sizes))
        variance = second * ((1 - correlation) * sum(inverse_sizes) + correlation * shared)
        effective = sum(inverse_sizes) ** 2 / sum(inverse**3 for inverse in inverse_sizes)
        df = freedom(effective, kurtosis)
        if fourth > 0:
            df = min(df, max(shared**2 / fourth - 1, MIN_DF))
        parts.append(NullSpread(math.sqrt(variance), df))
    return combined(parts)


def _correlation(known: Sequence[_Side], second: float, *, high: bool) -> float:
    """Return the correlation of two rows of a group and class, from 0 to 1, by the groups' sums.

    High with the jackknifed sums; low with the sums alone.
    """
    squared_sums = 0.0
    for side in known:
        factor = 1.0 if high else _remaining(side.mass)
        squared_sums += float(np.square(side.influence * factor * side.sums.mass).sum())
    within_rows = sum(side.sums.squares for side in known)
    within_groups = sum(float(np.square(side.mass).sum()) for side in known)
    if not (second > 0 and within_groups > within_rows):
        return 0.0
    return min(max((squared_sums / second - within_rows) / (within_groups - within_rows), 0.0), 1.0)
