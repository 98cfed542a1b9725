"""The spread of a difference between two parts of the rows where rows come in groups, some perhaps with both.

Two ways, both of which must reject. The cluster jackknife (CR3): each group's influences on both
sides are added up, over what is left without the group. And the pooled one under the null hypothesis: rows
of both sides have one variance and one correlation within groups, so that a side that shows no spread of its
own, with a rate of 0 or 1, is not taken for certain.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.differences.pooled_variance import (
    Component,
    InfluenceUnits,
    NullSpread,
    combined,
    freedom,
    pooled_moments,
    scale_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["GroupedUnits", "difference_spreads", "group_shares", "jackknife_spread"]

_LEAST_LEFT = 0.1  # of a class, without a group: of less, leaving it out says nothing


class GroupedUnits(NamedTuple):
    """The rows of one side with their influence on its value, and the number of each row's group."""

    units: InfluenceUnits
    codes: NDArray[Any]


class _Side(NamedTuple):
    """One class on one side: its sums, each group's weight, and each group's influence over what is left."""

    sums: Component
    mass: NDArray[np.float64]
    influence: NDArray[np.float64]

    @property
    def groups(self) -> float:
        """How many groups of equal weight the groups are worth (Kish 1965)."""
        return float(self.mass.sum() ** 2 / np.square(self.mass).sum())


def difference_spreads(
    sides: Sequence[GroupedUnits], groups: int, difference: float
) -> tuple[NullSpread, NullSpread]:
    """Return the spread of the first side's value less the second's: by the jackknife, and pooled."""
    unit = scale_of(*(one.units for one in sides))
    held = [dict(_classes(one, groups, unit)) for one in sides]
    found = _jackknife(held, groups), _pooled(held, groups, difference / unit)
    return found[0].times(unit), found[1].times(unit)


def jackknife_spread(rows: GroupedUnits, groups: int) -> NullSpread:
    """Return the spread of a value, or of two models' difference on the same rows, by leaving out groups."""
    unit = scale_of(rows.units)
    return _jackknife([dict(_classes(rows, groups, unit))], groups).times(unit)


def group_shares(rows: GroupedUnits, groups: int) -> NDArray[np.float64]:
    """Return the share of the rows' weight that each group has, on average over the classes."""
    shares = [one.mass / one.mass.sum() for _, one in _classes(rows, groups, scale_of(rows.units))]
    return np.asarray(np.mean(shares, axis=0))


def _classes(side: GroupedUnits, groups: int, unit: float) -> Iterator[tuple[Any, _Side]]:
    """Yield each class's sums, influences in a unit in which their powers are floats."""
    units = side.units.over(unit)
    for name in np.unique(units.classes).tolist():
        chosen = units.classes == name
        codes, weight = side.codes[chosen], units.mass[chosen]
        mass = np.bincount(codes, weights=weight, minlength=groups).astype(np.float64)
        total = float(mass.sum())
        if not total > 0:
            continue
        sums = np.bincount(codes, weights=weight * units.slopes[chosen], minlength=groups)
        yield name, _Side(Component.of(units, chosen), mass, sums / np.maximum(1 - mass / total, _LEAST_LEFT))


def _jackknife(held: Sequence[dict[Any, _Side]], groups: int) -> NullSpread:
    """Return the spread by leaving out one group at a time, from both sides."""
    sums, parts = np.zeros(groups), []
    some = np.zeros(groups, dtype=bool)
    for sign, side in zip((1.0, -1.0), held, strict=False):
        for one in side.values():
            sums += sign * one.influence
            some |= one.mass > 0
            own = math.sqrt(float(np.square(one.influence).sum()))
            parts.append(NullSpread(own, max(one.groups - 1, 1e-3)))
    number = int(some.sum())
    variance = float(np.square(sums).sum()) * (number - 1) / max(number, 1)
    return NullSpread(math.sqrt(variance), combined(parts).df)


def _pooled(held: Sequence[dict[Any, _Side]], groups: int, difference: float) -> NullSpread:
    """Return the spread if both sides are alike: one variance and one correlation within groups by class."""
    parts = []
    for name in {*held[0], *held[1]}:
        both = [side.get(name) for side in held]
        known = [one for one in both if one is not None]
        second, kurtosis = pooled_moments([None if one is None else one.sums for one in both], difference)
        rows = [1 / one.sums.effective for one in known]
        across = np.zeros(groups)  # what a common shift of a group's rows does to the difference
        for sign, one in zip((1.0, -1.0), both, strict=True):
            if one is not None:
                across += sign * one.mass / one.sums.mass
        shared, fourth = float(np.square(across).sum()), float((across**4).sum())
        # What groups share adds to the difference, or falls out of it where they have rows on both sides: the
        # correlation is taken as high, or as low, as the groups' sums allow.
        correlation = _correlation(known, second, high=shared > sum(rows))
        variance = second * ((1 - correlation) * sum(rows) + correlation * shared)
        effective = sum(rows) ** 2 / sum(row**3 for row in rows)
        df = freedom(effective, kurtosis)
        if fourth > 0:
            df = min(df, max(shared**2 / fourth - 1, 1e-3))
        parts.append(NullSpread(math.sqrt(variance), df))
    return combined(parts)


def _correlation(known: Sequence[_Side], second: float, *, high: bool) -> float:
    """Return the correlation of two rows of a group and class, from 0 to 1, by the groups' sums.

    High with each sum over what is left without its group, as the jackknife has it; low with the sums alone.
    """
    of_groups = 0.0
    for one in known:
        left = 1.0 if high else np.maximum(1 - one.mass / one.sums.mass, _LEAST_LEFT)
        of_groups += float(np.square(one.influence * left * one.sums.mass).sum())
    alone = sum(one.sums.squares for one in known)
    together = sum(float(np.square(one.mass).sum()) for one in known)
    if not (second > 0 and together > alone):
        return 0.0
    return min(max((of_groups / second - alone) / (together - alone), 0.0), 1.0)
