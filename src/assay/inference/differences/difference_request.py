"""What a comparison of two models on one metric is asked, and what one method answers."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from assay.errors import InputError, MetricError
from assay.inference.differences.clustered_difference import GroupedUnits, group_shares, jackknife_spread
from assay.inference.differences.pairing import size_of
from assay.inference.differences.pooled_variance import BY_CLASS, InfluenceUnits, NullSpread, own_spread
from assay.inference.hypothesis_tests.paired_means import sign_flips
from assay.inference.influence.confusion import slopes_at
from assay.inference.influence.influence import Influence, influence
from assay.inference.influence.row_contributions import outcomes, row_figures
from assay.inference.intervals.interval_request import NOISE, check_seed
from assay.inference.test_result import Test
from assay.inputs.labels import encode
from assay.metrics import Binary, Classes
from assay.tallies import LabelSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.differences.pairing import Pair
    from assay.metrics import Metric

__all__ = [
    "NEVER",
    "TESTS",
    "ComparisonSettings",
    "DifferenceMethod",
    "DifferenceRequest",
    "DifferenceResult",
    "wald",
]

NEVER = "the two never disagree"
_FLIPPED = 12  # groups that differ, up to which every pattern of signs is tried
# What may be asked for by test=, and whom it concerns: each method looks for its own.
TESTS = {
    "mcnemar": ("mid-p", "exact", "corrected", "uncorrected"),
    "rows": ("t", "wilcoxon", "sign-flips", "diebold-mariano"),
    "any": ("delong", "permutation"),
}


@dataclasses.dataclass(frozen=True)
class ComparisonSettings:
    """How to compare: the tests asked for, rows in order of time or not, and what is drawn at random."""

    tests: tuple[str, ...] = ()
    ordered: bool = False
    horizon: int = 1
    replicates: int = 1999
    seed: int = 0

    def __post_init__(self) -> None:
        known = [name for names in TESTS.values() for name in names]
        for name in self.tests:
            if name not in known:
                raise MetricError(f"test={name!r} is not known: use one of {', '.join(map(repr, known))}.")
        for name in ("horizon", "replicates"):
            given = getattr(self, name)
            if not (isinstance(given, Integral) and int(given) >= 1):
                raise MetricError(f"{name}={given!r} is a whole number of at least 1.")
        check_seed(self.seed)

    def asked(self, family: str, default: str = "") -> str:
        """Return the test of a family that was asked for, or its default."""
        return next((name for name in self.tests if name in TESTS[family]), default)


class DifferenceResult(NamedTuple):
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
class DifferenceRequest:
    """Two models' finite values of a metric, whose difference (second minus first) is in question."""

    metric: Metric
    options: dict[str, Any]
    values: tuple[float, float]
    pair: Pair
    confidence: float = 0.95
    settings: ComparisonSettings = dataclasses.field(default_factory=ComparisonSettings)
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
        if not self.pair.has_rows:
            return None
        both = [influence(self.metric, one, **self.options) for one in (self.pair.first, self.pair.second)]
        return None if both[0] is None or both[1] is None else both[1].minus(both[0])

    def _of_cells(self) -> Influence | None:
        """Return the influence of the cells of (actual, predicted by the first, by the second) that occur."""
        joint = self.pair.joint
        actual, *predicted = joint.digits()
        slopes = []
        for tally, places in zip(self.pair.confusions, predicted, strict=True):
            found = influence(self.metric, tally, **self.options)
            if found is None:
                return None
            own = {label: index for index, label in enumerate(tally.labels)}
            place = np.array([own.get(label, 0) for label in joint.labels], dtype=np.intp)
            slopes.append(slopes_at(found, tally, self.options, place[actual], place[places]))
        sums = [joint.weight(power) for power in (1, 2, 3)[: 1 if joint.weights is None else 3]]
        return Influence(self.difference, slopes[1] - slopes[0], *sums)


# A method of comparison returns None where it is not meant for the data, and a reason where it fails on them.
DifferenceMethod: TypeAlias = Callable[[DifferenceRequest], DifferenceResult | str | None]


def wald(match: DifferenceRequest, method: str, test: str) -> DifferenceResult | str | None:
    """Return the answer by influence: clusters where rows come in groups, with weights the sandwich.

    Groups are left out one at a time (the cluster jackknife), and Student's t has the effective number of
    groups, or of weighted rows, less one degrees of freedom; never more than the rows on which the models
    differ allow (Satterthwaite 1946). Of few groups that differ, every pattern of signs is tried as well: two
    models that are alike could as well be swapped within any of them.
    """
    found = match.influence
    if found is None:
        return None
    n = len(found.slopes) if match.figures is not None else size_of(match.pair.first)
    groups, effect, note = None, None, ""
    if match.groups is not None:
        groups = match.groups[1]
        if groups < 2:  # noqa: PLR2004
            return "one group shows no spread"
    if not found.slopes.any() and not match.difference:
        of_groups = None if groups is None else groups - 1
        return DifferenceResult(
            None, None, method, Test(test, None, of_groups, 1.0, note=NEVER), n, 0.0, NEVER
        )
    least = 0.0  # what p must be at least
    if match.groups is None:
        spread = _of_rows_alone(match, found)
    else:
        spread, least = _of_groups(match, found)
        effect = (spread.error / found.standard_error) ** 2 if found.standard_error > 0 else math.nan
        note = f"{groups:,} groups, design effect {effect:.3g}" if effect == effect else ""  # noqa: PLR0124
        if spread.error <= NOISE * found.standard_error:
            return "all groups are alike"  # but for what rounding leaves of them
    if not spread.error > NOISE * abs(match.difference):
        return "the rows show no spread"
    statistic, reach = match.difference / spread.error, spread.reach(match.confidence)
    low, high = match.within(match.difference - reach, match.difference + reach)
    df = None if math.isinf(spread.df) else spread.df
    p = max(spread.p(match.difference), least)
    tested = Test(test, statistic, df, p, standard_error=spread.error)
    return DifferenceResult(
        low, high, method, tested, n, spread.error, note, groups=groups, design_effect=effect
    )


def _of_rows_alone(match: DifferenceRequest, found: Influence) -> NullSpread:
    """Return the spread of rows that come in no groups."""
    # Of k rows that alone make up the variance, the freedom is 2 k.
    df = min(own_spread(_units(match, found)).df, found.freedom / 2)
    return NullSpread(found.standard_error, df)


def _of_groups(match: DifferenceRequest, found: Influence) -> tuple[NullSpread, float]:
    """Return the spread of groups, and the p-value of swapping the models within the few that differ."""
    assert match.groups is not None  # noqa: S101 - for the type checker
    codes, groups = match.groups
    rows = GroupedUnits(_units(match, found), codes)
    spread = jackknife_spread(rows, groups)
    sums = np.bincount(codes, weights=found.parts, minlength=groups)
    brought = sums + match.difference * group_shares(rows, groups)  # which adds up to the difference
    brought[np.abs(brought) <= NOISE * np.abs(brought).max(initial=0.0)] = 0.0
    if np.count_nonzero(brought) > _FLIPPED:
        return spread, 0.0
    return spread, float(sign_flips(brought).p)


def _units(match: DifferenceRequest, found: Influence) -> InfluenceUnits:
    """Return the rows, or cells of them, with their class and what they bring to the difference."""
    squares = found.mass if found.squares is None else found.squares
    columns = (np.asarray(x, dtype=np.float64).reshape(-1) for x in (found.slopes, found.mass, squares))
    slopes, mass, second = columns
    return InfluenceUnits(np.broadcast_to(_classes(match, len(slopes)), len(slopes)), slopes, mass, second)


def _classes(match: DifferenceRequest, units: int) -> NDArray[Any]:
    """Return the class of each unit: whether a share counts it for either model, or its actual label."""
    alone = np.zeros(1, dtype=np.intp)
    if match.metric.kind == "mean" or match.metric.reads not in BY_CLASS:
        return alone
    if match.metric.reads is not Binary and not issubclass(match.metric.reads, Classes):
        return encode(match.pair.first.need("actual", match.metric.name))[0] if match.pair.has_rows else alone
    joint = match.pair.joint
    actual, *predicted = joint.digits()
    both = [outcomes(match.metric, match.options, joint.labels, actual, one) for one in predicted]
    if both[0] is not None and both[1] is not None:
        kinds = (both[0].counted | both[1].counted).astype(np.intp)
    else:
        kinds = np.asarray(actual)
    if len(kinds) == units and match.groups is None:
        return kinds
    if both[0] is None or both[1] is None:
        return encode(match.pair.first.need("actual", match.metric.name))[0]
    return _counted_rows(match)


def _counted_rows(match: DifferenceRequest) -> NDArray[Any]:
    """Return of each row whether a share counts it for either model."""
    counted = []
    for one in (match.pair.first, match.pair.second):
        (actual, known), (predicted, said) = (
            encode(one.need(role, match.metric.name)) for role in ("actual", "predicted")
        )
        labels = tuple(dict.fromkeys((*known, *said)))
        place = [np.array([labels.index(label) for label in names], dtype=np.intp) for names in (known, said)]
        share = outcomes(match.metric, match.options, labels, place[0][actual], place[1][predicted])
        counted.append(np.ones(len(actual), dtype=bool) if share is None else share.counted)
    return (counted[0] | counted[1]).astype(np.intp)
