"""What a comparison of two models on one metric is asked, and what one method answers."""

from __future__ import annotations

import dataclasses
import functools
import math
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import InputError, MetricError
from assay.inference.distributions import normal_p, student_p, student_quantile
from assay.inference.influence import Influence, influence
from assay.inference.influence_tables import slopes_at
from assay.inference.models import size_of
from assay.inference.outcomes import row_figures
from assay.inference.proportions import normal_quantile
from assay.inference.question import NOISE, check_seed
from assay.inference.test_result import Test
from assay.inputs.labels import encode
from assay.metrics import Binary, Classes
from assay.tallies import LabelSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.models import Pair
    from assay.metrics import Metric

__all__ = ["NEVER", "TESTS", "Answer", "Match", "Settings", "wald"]

NEVER = "the two never disagree"
# What may be asked for by test=, and whom it concerns: each method looks for its own.
TESTS = {
    "mcnemar": ("mid-p", "exact", "corrected", "uncorrected"),
    "rows": ("t", "wilcoxon", "sign-flips", "diebold-mariano"),
    "any": ("delong", "permutation"),
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to compare: the tests asked for, rows in order of time or not, and what is drawn at random."""

    tests: tuple[str, ...] = ()
    ordered: bool = False
    horizon: int = 1
    draws: int = 1999
    seed: int = 0

    def __post_init__(self) -> None:
        known = [name for names in TESTS.values() for name in names]
        for name in self.tests:
            if name not in known:
                raise MetricError(f"test={name!r} is not known: use one of {', '.join(map(repr, known))}.")
        for name in ("horizon", "draws"):
            given = getattr(self, name)
            if not (isinstance(given, Integral) and int(given) >= 1):
                raise MetricError(f"{name}={given!r} is a whole number of at least 1.")
        check_seed(self.seed)

    def asked(self, family: str, default: str = "") -> str:
        """Return the test of a family that was asked for, or its default."""
        return next((name for name in self.tests if name in TESTS[family]), default)


class Answer(NamedTuple):
    """An interval of the difference and the test of it, how they were made, and what to know about them.

    ``n`` is how many units count, ``disagreeing`` on how many of them only the first model has the outcome
    that is counted, and only the second; ``more`` are further tests of the same.
    """

    low: float | None
    high: float | None
    method: str
    test: Test
    n: int
    standard_error: float | None = None
    note: str = ""
    disagreeing: tuple[int, int] | None = None
    groups: int | None = None
    design_effect: float | None = None
    more: tuple[Test, ...] = ()


@dataclasses.dataclass(frozen=True, eq=False)
class Match:
    """Two models' finite values of a metric, whose difference (second minus first) is in question."""

    metric: Metric
    options: dict[str, Any]
    values: tuple[float, float]
    pair: Pair
    confidence: float = 0.95
    settings: Settings = dataclasses.field(default_factory=Settings)
    part_of_all: bool = False  # one model on a part of its rows and on the rest of them

    @property
    def difference(self) -> float:
        """The second model's value less the first's."""
        return self.values[1] - self.values[0]

    @property
    def reach(self) -> float:
        """How far apart two values can lie at all."""
        least, largest = self.metric.bounds
        return largest - least

    def within(self, low: float, high: float) -> tuple[float, float]:
        """Return limits that lie within what is possible and hold the difference."""
        return min(max(low, -self.reach), self.difference), max(min(high, self.reach), self.difference)

    @functools.cached_property
    def figures(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """What each row or query brings to either model's mean, where the metric is one."""
        first, second = self._all_figures
        if first is None or second is None:
            return None
        if self.metric.each is None:
            return first, second
        known = [~np.isnan(one) for one in (first, second)]
        if self.pair.paired:  # queries without a value on either side
            known = [known[0] & known[1]] * 2
        return first[known[0]], second[known[1]]

    @functools.cached_property
    def _all_figures(self) -> list[NDArray[np.float64] | None]:
        return [row_figures(self.metric, one, self.options) for one in (self.pair.first, self.pair.second)]

    @functools.cached_property
    def groups(self) -> tuple[NDArray[Any], int] | None:
        """Which group each unit is in, a row or a query with a value, and how many groups there are."""
        if self.pair.groups is None or self.metric.each is None:
            return self.pair.groups
        codes, _ = self.pair.groups
        queries, names = encode(self.pair.first.need("query", self.metric.name))
        of_query = np.zeros(len(names), dtype=codes.dtype)
        of_query[queries] = codes
        if (of_query[queries] != codes).any():
            raise InputError("the rows of a query are in different groups: a group is of whole queries.")
        lacking = [np.isnan(one) for one in self._all_figures if one is not None]
        found, again = np.unique(of_query[~np.logical_or.reduce(lacking)], return_inverse=True)
        return again, len(found)

    @functools.cached_property
    def influence(self) -> Influence | None:
        """The influence of the same rows, or of cells of them, on the difference."""
        tables = self.metric.reads is Binary or (
            isinstance(self.metric.reads, type) and issubclass(self.metric.reads, Classes)
        )
        of_sets = any(isinstance(one, LabelSets) for one in (self.pair.first, self.pair.second))
        if of_sets:
            return None
        if self.figures is not None:
            first, second = self.figures
            held = getattr(self.pair.first, "weight", None)
            weight = None if held is None else held.values
            total = float(len(first) if weight is None else weight.sum())
            apart = second - first
            mean = float(apart.mean() if weight is None else weight @ apart / total)
            return Influence.of_rows(mean, (apart - mean) / total, weight)
        if tables and self.pair.groups is None:
            return self._of_cells()
        if not self.pair.of_rows:
            return None
        both = [influence(self.metric, one, **self.options) for one in (self.pair.first, self.pair.second)]
        return None if both[0] is None or both[1] is None else both[1].minus(both[0])

    def _of_cells(self) -> Influence | None:
        """Return the influence of the cells of (actual, predicted by the first, by the second) that occur."""
        joint = self.pair.joint
        actual, *predicted = joint.digits()
        slopes = []
        for tally, places in zip(self.pair.own, predicted, strict=True):
            found = influence(self.metric, tally, **self.options)
            if found is None:
                return None
            own = {label: index for index, label in enumerate(tally.labels)}
            place = np.array([own.get(label, 0) for label in joint.labels], dtype=np.intp)
            slopes.append(slopes_at(found, tally, self.options, place[actual], place[places]))
        sums = [joint.weight(power) for power in (1, 2, 3)[: 1 if joint.weights is None else 3]]
        return Influence(self.difference, slopes[1] - slopes[0], *sums)


def wald(match: Match, method: str, test: str) -> Answer | str | None:
    """Return the answer by influence: clusters where rows come in groups, with weights the sandwich."""
    found = match.influence
    if found is None:
        return None
    n = len(found.slopes) if match.figures is not None else size_of(match.pair.first)
    groups, effect, df, note = None, None, None, ""
    error = found.standard_error
    if match.groups is not None:
        codes, groups = match.groups
        if groups < 2:  # noqa: PLR2004
            return "one group shows no spread"
        # Errors and not variances, which leave the floats where the figures themselves do not.
        sums = Influence.of_rows(found.value, np.bincount(codes, weights=found.parts, minlength=groups))
        error, df = sums.standard_error * math.sqrt(groups / (groups - 1)), groups - 1
        effect = (error / found.standard_error) ** 2 if found.standard_error > 0 else math.nan
        note = f"{groups:,} groups, design effect {effect:.3g}" if effect == effect else ""  # noqa: PLR0124
    if not found.slopes.any() and not match.difference:
        return Answer(None, None, method, Test(test, None, df, 1.0, note=NEVER), n, 0.0, NEVER)
    if groups is not None and error <= NOISE * found.standard_error:
        return "all groups are alike"  # but for what rounding leaves of them
    if not error > NOISE * abs(match.difference):
        return "the rows show no spread"
    statistic = match.difference / error
    p = normal_p(statistic) if df is None else student_p(statistic, df)
    quantile = normal_quantile(match.confidence) if df is None else student_quantile(match.confidence, df)
    low, high = match.within(match.difference - quantile * error, match.difference + quantile * error)
    tested = Test(test, statistic, df, p, standard_error=error)
    return Answer(low, high, method, tested, n, error, note, groups=groups, design_effect=effect)
