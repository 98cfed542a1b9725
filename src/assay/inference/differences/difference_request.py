"""The request for two models' difference on one metric, the result of a method, and the Wald method."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from assay.errors import InputError, MetricError, check_whole_number
from assay.hints import passed
from assay.inference.differences.clustered_difference import GroupedUnits, group_shares, jackknife_spread
from assay.inference.differences.pairing import size_of
from assay.inference.differences.pooled_variance import BY_CLASS, InfluenceUnits, NullSpread, own_spread
from assay.inference.formulas.proportions import check_seed
from assay.inference.hypothesis_tests.paired_means import sign_flips
from assay.inference.influence.confusion import slopes_at
from assay.inference.influence.influence import Influence, influence
from assay.inference.influence.row_contributions import outcomes_of_rows, row_contributions, row_outcomes
from assay.inference.intervals.interval_request import NOISE
from assay.inference.test_result import TestResult
from assay.inputs.labels import encode
from assay.metrics import Binary, Classes
from assay.tallies import LabelSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.differences.pairing import Pair
    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = [
    "NEVER_DISAGREE",
    "TESTS",
    "ComparisonSettings",
    "DifferenceMethod",
    "DifferenceRequest",
    "DifferenceResult",
    "wald",
]

NEVER_DISAGREE = "the two never disagree"
_MAX_GROUPS_FOR_EXACT_SIGN_FLIPS = 12  # up to so many groups that differ, every pattern of signs is tried
_MIN_GROUPS = 2
# Tests that test= may name, by family: each method looks for one of its own.
TESTS = {
    "mcnemar": ("mid-p", "exact", "corrected", "uncorrected"),
    "rows": ("t", "wilcoxon", "sign-flips", "diebold-mariano"),
    "any": ("delong", "permutation"),
}


@dataclasses.dataclass(frozen=True)
class ComparisonSettings:
    """How to compare: tests by name, whether rows are in order of time, and the random replicates."""

    tests: tuple[str, ...] = ()
    ordered: bool = False
    horizon: int = 1
    replicates: int = 1999
    seed: int = 0

    def __post_init__(self) -> None:
        known = [name for names in TESTS.values() for name in names]
        for name in self.tests:
            if name not in known:
                raise MetricError(
                    f"{passed('test', name)} is not known: use one of {', '.join(map(repr, known))}."
                )
        for name in ("horizon", "replicates"):
            check_whole_number(name, getattr(self, name))
        check_seed(self.seed)

    def requested_test(self, family: str, default: str = "") -> str:
        """Return the test of a family that the caller named, or its default."""
        return next((name for name in self.tests if name in TESTS[family]), default)


class DifferenceResult(NamedTuple):
    """An interval of the difference and its test, the method of either, and notes.

    ``n`` is how many rows or queries count, ``disagreeing`` on how many of them only the first model has a
    hit, and only the second; ``more`` are further tests of the same difference.
    """

    low: float | None
    high: float | None
    method: str
    test: TestResult
    n: int
    standard_error: float | None = None
    note: str = ""
    disagreeing: tuple[int, int] | None = None
    groups: int | None = None
    design_effect: float | None = None
    more: tuple[TestResult, ...] = ()


@dataclasses.dataclass(frozen=True, eq=False)
class DifferenceRequest:
    """Two models' finite values of a metric, the data they come from, and how to compare them."""

    metric: Metric
    options: dict[str, Any]
    values: tuple[float, float]
    pair: Pair
    confidence: float = 0.95
    settings: ComparisonSettings = dataclasses.field(default_factory=ComparisonSettings)
    part_of_all: bool = False  # one model on a part of its rows and on the rest of them
    tallies: tuple[Tally | None, Tally | None] = (None, None)  # that the metric reads, where they are known

    @property
    def difference(self) -> float:
        """The second model's value less the first's."""
        return self.values[1] - self.values[0]

    @property
    def max_difference(self) -> float:
        """The largest difference that the metric's bounds allow."""
        lowest, highest = self.metric.bounds
        return highest - lowest

    def clip_limits(self, low: float, high: float) -> tuple[float, float]:
        """Return limits that lie within what is possible and hold the difference."""
        limit, difference = self.max_difference, self.difference
        return min(max(low, -limit), difference), max(min(high, limit), difference)

    @functools.cached_property
    def contributions(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """The contribution of each row or query to either model's mean, where the metric is a mean."""
        first, second = self._all_contributions
        if first is None or second is None:
            return None
        if self.metric.each is None:
            return first, second
        left, right = (~np.isnan(values) for values in (first, second))
        if self.pair.paired:  # queries without a value on either side
            left = right = left & right
        return first[left], second[right]

    @functools.cached_property
    def _all_contributions(self) -> list[NDArray[np.float64] | None]:
        return [row_contributions(self.metric, data, self.options) for data in self.pair.both]

    @functools.cached_property
    def groups(self) -> tuple[NDArray[Any], int] | None:
        """The group of each row, or of each query with a value, and how many groups there are."""
        if self.pair.groups is None or self.metric.each is None:
            return self.pair.groups
        codes, _ = self.pair.groups
        queries, names = encode(self.pair.first.need("query", self.metric.name))
        of_query = np.zeros(len(names), dtype=codes.dtype)
        of_query[queries] = codes
        if (of_query[queries] != codes).any():
            raise InputError("the rows of a query are in different groups: a group is of whole queries.")
        undefined = [np.isnan(values) for values in self._all_contributions if values is not None]
        present, renumbered = np.unique(of_query[~np.logical_or.reduce(undefined)], return_inverse=True)
        return renumbered, len(present)

    @functools.cached_property
    def influence(self) -> Influence | None:
        """The influence of the same rows, or of cells of them, on the difference."""
        if any(isinstance(data, LabelSets) for data in self.pair.both):
            return None
        if self.contributions is not None:
            first, second = self.contributions
            column = getattr(self.pair.first, "weight", None)
            weight = None if column is None else column.values
            total = float(len(first) if weight is None else weight.sum())
            differences = second - first
            mean = float(differences.mean() if weight is None else weight @ differences / total)
            return Influence.of_rows(mean, (differences - mean) / total, weight)
        if self._reads_table and self.pair.groups is None and not self.pair.multioutput:
            return self._influence_of_cells()
        if not self.pair.has_rows:
            return None
        both = [
            influence(self.metric, data, tally=tally, **self.options)
            for data, tally in zip(self.pair.both, self.tallies, strict=True)
        ]
        return None if both[0] is None or both[1] is None else both[1].minus(both[0])

    @property
    def _reads_table(self) -> bool:
        """Whether the metric reads a confusion table."""
        view = self.metric.reads
        return view is Binary or (isinstance(view, type) and issubclass(view, Classes))

    def _influence_of_cells(self) -> Influence | None:
        """Return the influence of the cells of (actual, predicted by the first, by the second) that occur."""
        joint = self.pair.joint
        actual, *predicted = joint.digits()
        slopes = []
        for tally, codes in zip(self.pair.confusions, predicted, strict=True):
            of_model = influence(self.metric, tally, **self.options)
            if of_model is None:
                return None
            own = {label: index for index, label in enumerate(tally.labels)}
            own_code = np.array([own.get(label, 0) for label in joint.labels], dtype=np.intp)
            slopes.append(slopes_at(of_model, tally, self.options, own_code[actual], own_code[codes]))
        sums = [joint.weight(power) for power in (1, 2, 3)[: 1 if joint.weights is None else 3]]
        return Influence(self.difference, slopes[1] - slopes[0], *sums)


# A method of comparison returns None where it is not meant for the data, and a reason where it fails on them.
DifferenceMethod: TypeAlias = Callable[[DifferenceRequest], DifferenceResult | str | None]


def wald(request: DifferenceRequest, method: str, test: str) -> DifferenceResult | str | None:
    """Return the Wald interval and test by influence: of clusters where rows come in groups, else of rows.

    Groups are left out one at a time (the cluster jackknife), and Student's t has the effective number of
    groups, or of weighted rows, less one degrees of freedom; never more than the rows on which the models
    differ allow (Satterthwaite 1946). Of few groups that differ, every pattern of signs is tried as well: two
    models that are alike could as well be swapped within any of them.
    """
    rows = request.influence
    if rows is None:
        return None
    n = len(rows.slopes) if request.contributions is not None else size_of(request.pair.first)
    groups, effect, note = None, None, ""
    if request.groups is not None:
        groups = request.groups[1]
        if groups < _MIN_GROUPS:
            return "one group shows no spread"
    if not rows.slopes.any() and not request.difference:
        no_difference = TestResult(
            test, None, None if groups is None else groups - 1, 1.0, note=NEVER_DISAGREE
        )
        return DifferenceResult(None, None, method, no_difference, n, 0.0, NEVER_DISAGREE)
    min_p_value = 0.0
    if request.groups is None:
        spread = _spread_of_rows(request, rows)
    else:
        spread, min_p_value = _spread_of_groups(request, rows)
        effect = (spread.error / rows.standard_error) ** 2 if rows.standard_error > 0 else math.nan
        note = "" if math.isnan(effect) else f"{groups:,} groups, design effect {effect:.3g}"
        if spread.error <= NOISE * rows.standard_error:
            return "all groups are alike"  # but for rounding errors
    if not spread.error > NOISE * abs(request.difference):
        return "the rows show no spread"
    statistic, half_width = request.difference / spread.error, spread.half_width(request.confidence)
    low, high = request.clip_limits(request.difference - half_width, request.difference + half_width)
    df = None if math.isinf(spread.df) else spread.df
    p_value = max(spread.p_value(request.difference), min_p_value)
    wald_test = TestResult(test, statistic, df, p_value, standard_error=spread.error)
    return DifferenceResult(
        low, high, method, wald_test, n, spread.error, note, groups=groups, design_effect=effect
    )


def _spread_of_rows(request: DifferenceRequest, rows: Influence) -> NullSpread:
    """Return the spread of rows that come in no groups."""
    # Where k rows alone make up the variance, the influences' degrees of freedom are 2 k.
    df = min(own_spread(_units(request, rows)).df, rows.freedom / 2)
    return NullSpread(rows.standard_error, df)


def _spread_of_groups(request: DifferenceRequest, rows: Influence) -> tuple[NullSpread, float]:
    """Return the spread of groups, and the p-value of swapping the models within the few that differ."""
    assert request.groups is not None  # noqa: S101 - for the type checker
    codes, groups = request.groups
    units = GroupedUnits(_units(request, rows), codes)
    spread = jackknife_spread(units, groups)
    sums = np.bincount(codes, weights=rows.parts, minlength=groups)
    parts = sums + request.difference * group_shares(units, groups)  # which add up to the difference
    parts[np.abs(parts) <= NOISE * np.abs(parts).max(initial=0.0)] = 0.0
    if np.count_nonzero(parts) > _MAX_GROUPS_FOR_EXACT_SIGN_FLIPS:
        return spread, 0.0
    return spread, float(sign_flips(parts).p_value)


def _units(request: DifferenceRequest, rows: Influence) -> InfluenceUnits:
    """Return the rows, or cells of them, with their class and their influence on the difference."""
    return InfluenceUnits.of(_classes(request, rows.slopes.size), rows)


def _classes(request: DifferenceRequest, units: int) -> NDArray[Any]:
    """Return the class of each unit: whether a proportion counts it for either model, or its actual label."""
    metric, pair = request.metric, request.pair
    single_class = np.zeros(1, dtype=np.intp)
    if metric.kind == "mean" or metric.reads not in BY_CLASS or pair.multioutput:
        return single_class
    if metric.reads is not Binary and not issubclass(metric.reads, Classes):
        return encode(pair.first.need("actual", metric.name))[0] if pair.has_rows else single_class
    actual, *predicted = pair.joint.digits()
    first, second = (
        row_outcomes(metric, request.options, pair.joint.labels, actual, codes) for codes in predicted
    )
    if first is None or second is None:
        if len(actual) == units and request.groups is None:
            return np.asarray(actual)
        return encode(pair.first.need("actual", metric.name))[0]
    if len(actual) == units and request.groups is None:
        return (first.counted | second.counted).astype(np.intp)
    return _counted_rows(request)


def _counted_rows(request: DifferenceRequest) -> NDArray[Any]:
    """Return of each row whether a proportion counts it for either model."""
    counted = []
    for rows in request.pair.both:
        outcomes = outcomes_of_rows(request.metric, request.options, rows)
        counted.append(np.ones(len(rows), dtype=bool) if outcomes is None else outcomes.counted)
    return (counted[0] | counted[1]).astype(np.intp)
