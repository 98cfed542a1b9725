"""The variance of a difference of two independent samples under the null hypothesis: pooled over both.

A small sample's own variance is too small just when its value is extreme: a recall of 0 of 13 has no variance
at all, and 30 losses without a large one nearly none. If both samples are alike, the larger one knows better.
The influences of both are pooled, class by class, and give the spread of a sample of this size (score test).
Where they have long tails, as those of a rate near 0 or 1 have, a sum of few is not normal: the degrees of
freedom of Student's t follow from their kurtosis (Satterthwaite 1946), and from the effective number of rows.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.inference.bootstrap.vectorized import TABLE_VIEWS
from assay.inference.differences.pairing import size_of
from assay.inference.distributions import normal_p, student_p, student_quantile
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.influence.influence import Influence, influence, power_of_two
from assay.inference.influence.row_contributions import outcomes_of_rows, row_outcomes
from assay.inputs.labels import encode
from assay.metrics import Binary, Ranks
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.tallies import Confusion, LabelSets, Scores, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.metrics import Metric

__all__ = [
    "BY_CLASS",
    "MIN_DF",
    "Component",
    "InfluenceUnits",
    "NullSpread",
    "combined",
    "null_spread",
    "own_spread",
    "units_of",
]

_ACTUAL_POSITIVE = np.array([True, False, True, False])  # of tp, fp, fn, tn
BY_CLASS = frozenset({*TABLE_VIEWS, Ranks, ClassRanks})  # views of rows by their actual class
_MAX_ROWS_TO_POOL = 20_000  # beyond so many rows a sample's own variance is as good
_MAX_ROWS_OF_CLASS_TO_POOL = 500  # beyond so many rows of either class, that of a ranking metric is
MIN_DF = 1e-3


class NullSpread(NamedTuple):
    """A standard error and its degrees of freedom, infinite for the normal distribution."""

    error: float
    df: float

    def p_value(self, difference: float) -> float:
        """Return the two-sided p-value of a difference with this error."""
        statistic = difference / self.error
        return normal_p(statistic) if math.isinf(self.df) else student_p(statistic, self.df)

    def times(self, factor: float) -> NullSpread:
        """Return the spread of the value times a factor."""
        return NullSpread(self.error * factor, self.df)

    def half_width(self, confidence: float) -> float:
        """Return half the width of the interval."""
        if math.isinf(self.df):
            return normal_quantile(confidence) * self.error
        return student_quantile(confidence, self.df) * self.error


@dataclasses.dataclass(frozen=True, eq=False)
class InfluenceUnits:
    """Rows, or tally entries for rows that are alike: their class, influence, and sums of weights."""

    classes: NDArray[Any]
    slopes: NDArray[np.float64]
    mass: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def of(cls, classes: Any, rows: Influence) -> InfluenceUnits:
        """Return the units of an influence, their classes broadcast to its shape."""
        squares = rows.mass if rows.squares is None else rows.squares
        columns = (np.asarray(x, dtype=np.float64).reshape(-1) for x in (rows.slopes, rows.mass, squares))
        return cls(np.broadcast_to(classes, rows.slopes.shape).reshape(-1), *columns)

    def divide(self, scale: float) -> InfluenceUnits:
        """Return the units with their influences divided by a scale."""
        return dataclasses.replace(self, slopes=self.slopes / scale)


def scale_of(*samples: InfluenceUnits) -> float:
    """Return a power of two near the largest influence: divided by it, fourth powers do not underflow."""
    return power_of_two(max(float(np.abs(units.slopes).max(initial=0.0)) for units in samples))


@dataclasses.dataclass(frozen=True)
class Component:
    """One class of a sample: sums of its weights, squared weights, and powers of influences.

    Influences are multiplied by the weight of the class: a row's deviation from the mean of the class.
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
        """The effective sample size of the weighted rows (Kish 1965)."""
        return self.mass**2 / self.squares if self.squares > 0 else 0.0


def units_of(metric: Metric, data: Any, options: dict[str, Any]) -> InfluenceUnits | None:
    """Return the rows of a sample, or the entries of its tally, with their influence on a metric."""
    rows = influence(metric, data, **options)
    return None if rows is None else InfluenceUnits.of(_classes(metric, data, options, rows), rows)


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
    sizes = [size_of(data) for data in samples]
    if min(sizes) > _MAX_ROWS_TO_POOL or all(_has_many_of_both_classes(data) for data in samples):
        return None
    units = [_tallied_units(metric, data, options) for data in samples]
    if units[0] is None or units[1] is None:
        scale = max(*(spread.error for spread in own), abs(difference)) or 1.0
        by_class: list[dict[Any, Component]] = [
            {0: Component(n, n, n * n * (spread.error / scale) ** 2, 0.0)}
            for n, spread in zip(sizes, own, strict=True)
        ]
    else:
        known = [sample for sample in units if sample is not None]
        scale = scale_of(*known)
        by_class = [_components(sample.divide(scale)) for sample in known]
    parts = []
    for name in {*by_class[0], *by_class[1]}:
        both = [components.get(name) for components in by_class]
        second, kurtosis = pooled_moments(both, difference / scale)
        parts += [
            NullSpread(math.sqrt(second / component.effective), freedom(component.effective, kurtosis))
            for component in both
            if component is not None and component.effective > 0
        ]
    return combined(parts).times(scale)


def pooled_moments(both: Sequence[Component | None], difference: float) -> tuple[float, float]:
    """Return the mean square of both samples' influences in a class, and their kurtosis.

    The difference itself is part of the spread where both samples are one.
    """
    known = [component for component in both if component is not None and component.mass > 0]
    total = sum(component.mass for component in known)
    if not total:
        return 0.0, 1.0
    share = known[0].mass / total
    second_between = share * (1 - share) * difference**2
    fourth_between = share * (1 - share) * ((1 - share) ** 3 + share**3) * difference**4
    second = sum(component.second for component in known) / total + second_between
    fourth = sum(component.fourth for component in known) / total + fourth_between
    return second, max(fourth / second**2, 1.0) if second > 0 else 1.0


def freedom(effective: float, kurtosis: float) -> float:
    """Return the degrees of freedom of a variance of so many effective rows: fewer where tails are long."""
    if kurtosis <= 1:
        return max(effective - 1, MIN_DF)
    return max(min(effective - 1, 2 * effective / (kurtosis - 1)), MIN_DF)


def combined(parts: Sequence[NullSpread]) -> NullSpread:
    """Return the spread of a sum of independent parts (Welch 1947 for its degrees of freedom)."""
    error = math.hypot(*(part.error for part in parts))
    if not error > 0:
        return NullSpread(0.0, math.inf)
    share = math.fsum((part.error / error) ** 4 / part.df for part in parts)
    return NullSpread(error, 1 / share if share > 0 else math.inf)


def own_spread(units: InfluenceUnits) -> NullSpread:
    """Return the spread of rows by their own influences; a class has its effective rows less one as df."""
    scale, parts = scale_of(units), []
    units = units.divide(scale)
    for name in np.unique(units.classes).tolist():
        chosen = units.classes == name
        mass, squares = (float(x[chosen].sum()) for x in (units.mass, units.squares))
        variance = float(units.squares[chosen] @ np.square(units.slopes[chosen]))
        if variance > 0:
            parts.append(NullSpread(math.sqrt(variance), max(mass**2 / squares - 1, MIN_DF)))
    return combined(parts).times(scale)


def _tallied_units(metric: Metric, data: Any, options: dict[str, Any]) -> InfluenceUnits | None:
    """Return the entries of a tally; of rows those of their tally if possible, so that both agree."""
    if isinstance(data, Tally):
        return units_of(metric, data, options)
    tally, tally_options = metric.tallied(data, options)
    units = units_of(metric, tally, tally_options)
    return units_of(metric, data, options) if units is None else units


def _has_many_of_both_classes(data: Any) -> bool:
    """Tell whether a tally of scores has many rows of both classes."""
    return isinstance(data, Scores) and min(data.totals) > _MAX_ROWS_OF_CLASS_TO_POOL


def _components(units: InfluenceUnits) -> dict[Any, Component]:
    components = {}
    for name in np.unique(units.classes).tolist():
        chosen = units.classes == name
        if units.mass[chosen].sum() > 0:
            components[name] = Component.of(units, chosen)
    return components


def _classes(metric: Metric, data: Any, options: dict[str, Any], units: Influence) -> Any:
    """Return the class of each unit: whether a proportion counts it, or its actual label if that matters."""
    if metric.kind == "mean" or metric.reads not in BY_CLASS or isinstance(data, LabelSets):
        return np.array(0)
    if isinstance(data, Scores):
        return np.array([[1], [0]])
    if isinstance(data, Confusion):
        if units.slopes.ndim > 1:
            names = np.array([str(label) for label in data.labels])
            if units.slopes.shape == (len(names), len(names)):
                return names[:, None]
            return names[data.cells // len(names)]  # of a large table the cells that occur, in order
        counted = _counted_cells(metric, options)
        return _ACTUAL_POSITIVE if counted is None else counted
    if isinstance(data, Tally) or data.multioutput:
        return np.array(0)
    codes, labels = encode(data.need("actual", metric.name))
    if metric.kind == "proportion" and not options.get("average") and data.predicted is not None:
        stated = options if data.positive is None else {"positive": data.positive, **options}
        outcomes = outcomes_of_rows(metric, stated, data)
        if outcomes is not None:
            return outcomes.counted
    return np.array([str(label) for label in labels])[codes]


def _counted_cells(metric: Metric, options: dict[str, Any]) -> NDArray[np.bool_] | None:
    """Return which of tp, fp, fn and tn a proportion counts; None where the metric is no proportion."""
    if metric.reads is not Binary:
        return None
    actual, predicted = np.array([1, 0, 1, 0]), np.array([1, 1, 0, 0])
    outcomes = row_outcomes(metric, {**options, "positive": 1}, (0, 1), actual, predicted)
    return None if outcomes is None else outcomes.counted
