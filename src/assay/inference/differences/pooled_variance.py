"""The variance that a difference of two independent samples has if there is none: pooled over both.

A small sample's own variance is too small just when its value is extreme: none of 13 found has no variance at
all, and 30 losses without a large one nearly none. If both samples are alike, the larger one knows better.
The influences of both are pooled, class by class, and say how far a sample of this size strays (score test).
Where they have long tails, as those of a rate near 0 or 1 have, a sum of few is not normal: the degrees of
freedom of Student's t follow from their kurtosis (Satterthwaite 1946), and from the effective number of rows.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.differences.pairing import size_of
from assay.inference.distributions import normal_p, student_p, student_quantile
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.influence.influence import Influence, influence
from assay.inference.influence.row_contributions import outcomes
from assay.inputs.labels import encode
from assay.metrics import Binary, Classes, Ordered, Ranks
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.tallies import Confusion, LabelSets, Scores, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.metrics import Metric

__all__ = [
    "BY_CLASS",
    "Component",
    "InfluenceUnits",
    "NullSpread",
    "combined",
    "null_spread",
    "own_spread",
    "units_of",
]

_OF_CLASS = np.array([True, False, True, False])  # tp, fp, fn, tn: which of them are actual positives
BY_CLASS = frozenset({Binary, Classes, Ordered, Ranks, ClassRanks})  # views of rows by their actual class
_LARGE = 20_000  # rows of a sample beyond which its own variance is as good
_MANY = 500  # rows of either class beyond which that of an area is


class NullSpread(NamedTuple):
    """A standard error and the degrees of freedom behind it, infinite where they are many."""

    error: float
    df: float

    def p(self, difference: float) -> float:
        """Return the two-sided p-value of a difference with this error."""
        statistic = difference / self.error
        return normal_p(statistic) if math.isinf(self.df) else student_p(statistic, self.df)

    def times(self, factor: float) -> NullSpread:
        """Return the spread of so many times the value."""
        return NullSpread(self.error * factor, self.df)

    def reach(self, confidence: float) -> float:
        """Return how far an interval reaches to either side."""
        if math.isinf(self.df):
            return normal_quantile(confidence) * self.error
        return student_quantile(confidence, self.df) * self.error


@dataclasses.dataclass(frozen=True, eq=False)
class InfluenceUnits:
    """Rows, or entries that stand for rows that are alike: their class, influence, and sums of weights."""

    classes: NDArray[Any]
    slopes: NDArray[np.float64]
    mass: NDArray[np.float64]
    squares: NDArray[np.float64]

    def over(self, unit: float) -> InfluenceUnits:
        """Return the units with their influences in another unit."""
        return dataclasses.replace(self, slopes=self.slopes / unit)


def scale_of(*samples: InfluenceUnits) -> float:
    """Return a power of two near the largest influence: over it, no power of influences leaves the floats."""
    largest = max(float(np.abs(one.slopes).max(initial=0.0)) for one in samples)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if 0 < largest < math.inf else 1.0


@dataclasses.dataclass(frozen=True)
class Component:
    """One class of a sample: its weight, squared weights, and powers of influences in units of the class.

    An influence times the weight of the class is what a row differs by from the mean of the class.
    """

    mass: float
    squares: float
    second: float
    fourth: float

    @classmethod
    def of(cls, units: InfluenceUnits, chosen: NDArray[np.bool_]) -> Component:
        """Return the sums over one class."""
        mass = units.mass[chosen]
        total = float(mass.sum())
        each = np.square(units.slopes[chosen] * total)
        second, fourth = (float((mass * power).sum()) for power in (each, np.square(each)))
        return cls(total, float(units.squares[chosen].sum()), second, fourth)

    @property
    def effective(self) -> float:
        """How many rows of equal weight the rows are worth (Kish 1965)."""
        return self.mass**2 / self.squares if self.squares > 0 else 0.0


def units_of(metric: Metric, data: Any, options: dict[str, Any]) -> InfluenceUnits | None:
    """Return the rows of a sample, or the entries of its tally, with their influence on a metric."""
    found = influence(metric, data, **options)
    if found is None:
        return None
    classes = _classes(metric, data, options, found)
    squares = found.mass if found.squares is None else found.squares
    columns = (np.asarray(x, dtype=np.float64).reshape(-1) for x in (found.slopes, found.mass, squares))
    return InfluenceUnits(np.broadcast_to(classes, found.slopes.shape).reshape(-1), *columns)


def null_spread(
    metric: Metric,
    samples: Sequence[Any],
    options: dict[str, Any],
    difference: float,
    own: Sequence[NullSpread],
) -> NullSpread | None:
    """Return the spread of the difference of two samples' values if both samples are alike.

    `own` are the samples' own spreads, which are pooled as a whole where the metric has no influence of
    single rows. None where both samples are large.
    """
    sizes = [size_of(one) for one in samples]
    if min(sizes) > _LARGE or all(_has_many_of_both(one) for one in samples):
        return None
    units = [_tallied_units(metric, one, options) for one in samples]
    if units[0] is None or units[1] is None:
        unit = max(*(one.error for one in own), abs(difference)) or 1.0
        held: list[dict[Any, Component]] = [
            {0: Component(n, n, n * n * (one.error / unit) ** 2, 0.0)}
            for n, one in zip(sizes, own, strict=True)
        ]
    else:
        known = [one for one in units if one is not None]
        unit = scale_of(*known)
        held = [_components(one.over(unit)) for one in known]
    parts = []
    for name in {*held[0], *held[1]}:
        both = [one.get(name) for one in held]
        second, kurtosis = pooled_moments(both, difference / unit)
        parts += [
            NullSpread(math.sqrt(second / one.effective), freedom(one.effective, kurtosis))
            for one in both
            if one is not None and one.effective > 0
        ]
    return combined(parts).times(unit)


def pooled_moments(both: Sequence[Component | None], difference: float) -> tuple[float, float]:
    """Return the mean square of both samples' influences in a class, and their kurtosis.

    The difference itself is part of the spread where both samples are one.
    """
    known = [one for one in both if one is not None and one.mass > 0]
    total = sum(one.mass for one in known)
    if not total:
        return 0.0, 1.0
    share = known[0].mass / total
    apart = share * (1 - share) * difference**2
    second = sum(one.second for one in known) / total + apart
    fourth = sum(one.fourth for one in known) / total
    between = share * (1 - share) * ((1 - share) ** 3 + share**3) * difference**4
    return second, max((fourth + between) / second**2, 1.0) if second > 0 else 1.0


def freedom(effective: float, kurtosis: float) -> float:
    """Return the degrees of freedom of a variance of so many rows: fewer where tails are long."""
    least = 1e-3
    if kurtosis <= 1:
        return max(effective - 1, least)
    return max(min(effective - 1, 2 * effective / (kurtosis - 1)), least)


def combined(parts: Sequence[NullSpread]) -> NullSpread:
    """Return the spread of a sum of independent parts (Welch 1947 for its degrees of freedom)."""
    error = math.hypot(*(one.error for one in parts))
    if not error > 0:
        return NullSpread(0.0, math.inf)
    share = math.fsum((one.error / error) ** 4 / one.df for one in parts)
    return NullSpread(error, 1 / share if share > 0 else math.inf)


def own_spread(units: InfluenceUnits) -> NullSpread:
    """Return the spread of rows by their own influences; a class has its effective rows less one as df."""
    unit, parts = scale_of(units), []
    units = units.over(unit)
    for name in np.unique(units.classes).tolist():
        chosen = units.classes == name
        mass, squares = (float(x[chosen].sum()) for x in (units.mass, units.squares))
        variance = float(units.squares[chosen] @ np.square(units.slopes[chosen]))
        if variance > 0:
            parts.append(NullSpread(math.sqrt(variance), max(mass**2 / squares - 1, 1e-3)))
    return combined(parts).times(unit)


def _tallied_units(metric: Metric, data: Any, options: dict[str, Any]) -> InfluenceUnits | None:
    """Return the entries of a tally, of rows by their tally where that tells all, so that both agree."""
    if isinstance(data, Tally):
        return units_of(metric, data, options)
    tally, left = metric.tallied(data, options)
    found = units_of(metric, tally, left)
    return units_of(metric, data, options) if found is None else found


def _has_many_of_both(data: Any) -> bool:
    """Tell whether a tally of scores has many rows of both classes."""
    return isinstance(data, Scores) and min(data.totals) > _MANY


def _components(units: InfluenceUnits) -> dict[Any, Component]:
    found = {}
    for name in np.unique(units.classes).tolist():
        chosen = units.classes == name
        if units.mass[chosen].sum() > 0:
            found[name] = Component.of(units, chosen)
    return found


def _classes(metric: Metric, data: Any, options: dict[str, Any], found: Influence) -> Any:
    """Return the class of each unit: of a share, whether it counts; else its actual label if that matters."""
    if metric.kind == "mean" or metric.reads not in BY_CLASS or isinstance(data, LabelSets):
        return np.array(0)
    if isinstance(data, Scores):
        return np.array([[1], [0]])
    if isinstance(data, Confusion):
        if found.slopes.ndim > 1:
            return np.array([str(label) for label in data.labels])[:, None]
        counted = _counted_cells(metric, options)
        return _OF_CLASS if counted is None else counted
    if isinstance(data, Tally):
        return np.array(0)
    codes, labels = encode(data.need("actual", metric.name))
    if metric.kind == "proportion" and not options.get("average") and data.predicted is not None:
        predicted, said = encode(data.need("predicted", metric.name))
        known = tuple(dict.fromkeys((*labels, *said)))
        place = [np.array([known.index(x) for x in names], dtype=np.intp) for names in (labels, said)]
        asked = options if data.positive is None else {"positive": data.positive, **options}
        share = outcomes(metric, asked, known, place[0][codes], place[1][predicted])
        if share is not None:
            return share.counted
    return np.array([str(label) for label in labels])[codes]


def _counted_cells(metric: Metric, options: dict[str, Any]) -> NDArray[np.bool_] | None:
    """Return which of tp, fp, fn and tn a share of rows counts; None where the metric is no such share."""
    if metric.reads is not Binary:
        return None
    share = outcomes(
        metric, {**options, "positive": 1}, (0, 1), np.array([1, 0, 1, 0]), np.array([1, 1, 0, 0])
    )
    return None if share is None else share.counted
