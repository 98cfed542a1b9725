"""The influence of rows on averages of AUC over classes, from one pass through each class's scores.

A mean of the AUC of pairs of classes is a sum over pairs of rows. A row is in it twice: with the share of
each other class that scores above it in that class's column, and with the rows of all other classes below it
in its own column. Both are cumulative sums over the class's own scores in order, so that K classes of n rows
take K passes and not one for each pair of classes (Hand and Till 2001; the slopes of one AUC are DeLong's,
1988).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.gradients import class_shares

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inference.influence.influence import Influence
    from assay.inference.influence.ranking import ClassRows

__all__ = ["area_average", "hand_till"]


def area_average(
    class_rows: ClassRows, average: str, value: float, undefined: Any = "strict"
) -> Influence | None:
    """Return the influence on the mean of the classes' areas against the rest, macro or weighted by rows."""
    mass = class_rows.mass
    rest = _sum_of_others(mass)
    defined = (mass > 0) & (rest > 0)
    parts = np.where(defined, 1.0 if average == "macro" else mass, 0.0)  # proportional to the shares
    factors = np.divide(parts, rest, out=np.zeros(class_rows.size), where=defined)
    sums, areas = _over_columns(class_rows, lambda index: np.full(class_rows.size, factors[index]))
    values = np.where(defined, areas @ mass / np.where(defined, rest, 1.0), np.nan)
    classes = class_shares(average, values, mass, undefined)
    if classes is None:
        return None
    known = np.where(defined, values, 0.0)
    own = np.divide(parts * known, mass, out=np.zeros_like(mass), where=defined)
    centre = own + _sum_of_others(factors * known)
    index = int(classes.shares.argmax())
    scale = classes.shares[index] / (1.0 if average == "macro" else mass[index])
    slopes = scale * (sums - centre[class_rows.codes]) + classes.moved[class_rows.codes]
    return class_rows.influence(value, slopes)


def hand_till(class_rows: ClassRows, value: float, *, weighted: bool) -> Influence:
    """Return the influence on the mean AUC of all pairs of classes, equal or weighted by their rows."""
    mass, present = class_rows.mass, class_rows.mass > 0
    others = np.count_nonzero(present) - 1
    inverse = np.divide(1.0, mass, out=np.zeros_like(mass), where=present)
    total = others * mass.sum() if weighted else others * (others + 1) / 2  # weight of all pairs

    def factors(index: int) -> NDArray[np.float64]:
        pairs = mass[index] + mass if weighted else np.ones_like(mass)
        return pairs * inverse / (2 * total)

    sums, areas = _over_columns(class_rows, factors)
    centre = np.bincount(class_rows.codes, class_rows.weight * sums, minlength=class_rows.size) * inverse
    if weighted:  # a row also adds to the weight of every pair that its class is in
        centre -= ((areas.sum(0) + areas.sum(1)) / 2 - others * value) / total
    return class_rows.influence(value, sums - centre[class_rows.codes])


def _sum_of_others(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each class the sum over all others, without subtraction, which may lose all digits."""
    others = np.zeros_like(values)
    others[1:] += np.cumsum(values)[:-1]
    others[:-1] += np.cumsum(values[::-1])[::-1][1:]
    return others


def _over_columns(
    class_rows: ClassRows, factors: Callable[[int], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return each row's part in the areas of two classes, and these areas; ties count half.

    ``factors(c)`` has a number for each class. In the column of another class c, a row of class k has factor
    k times the share of class c that scores above it. In its own column it has the rows of other classes
    below it, each times its weight and the factor of its class, over the weight of the row's own class.
    ``areas[c, k]`` is that of c against k by the column of c, 0 where there is none.
    """
    codes, weight, size = class_rows.codes, class_rows.weight, class_rows.size
    sums, areas = np.zeros(len(codes)), np.zeros((size, size))
    inverse = np.divide(1.0, class_rows.mass, out=np.zeros(size), where=class_rows.mass > 0)
    for index in np.flatnonzero(class_rows.mass).tolist():
        scores, own = np.ascontiguousarray(class_rows.scores[:, index]), codes == index
        levels, level = np.unique(scores[own], return_inverse=True)
        reached = np.concatenate([[0.0], np.cumsum(np.bincount(level, weight[own]))])
        # The class's scores below that of each row, and those not above it.
        low = np.searchsorted(levels, scores)
        high = low + (np.append(levels, np.nan)[low] == scores)
        above = 1 - (reached[low] + reached[high]) / (2 * reached[-1])
        factor = np.where(own, 0.0, factors(index)[codes])
        moved = factor * weight
        below: Any = sum(np.cumsum(np.bincount(side, moved, minlength=len(reached))) for side in (low, high))
        factor *= above
        factor[own] = below[level] * (inverse[index] / 2)
        sums += factor
        areas[index] = np.bincount(codes, weight * above, minlength=size) * inverse
    np.fill_diagonal(areas, 0.0)
    return sums, areas
