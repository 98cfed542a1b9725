"""How two models on different rows are compared: their variances add.

A method answers None where it is not meant for rows like these, and a reason where it fails on them.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import MetricError
from assay.inference.bootstrap.bootstrap_limits import percentile
from assay.inference.bootstrap.row_resampling import drawn_differences
from assay.inference.differences.difference_request import DifferenceResult
from assay.inference.differences.pairing import size_of
from assay.inference.differences.pooled_variance import NullSpread, combined, null_spread
from assay.inference.distributions import student_p, student_quantile
from assay.inference.formulas.auc import delong
from assay.inference.formulas.delong import delong_unpaired
from assay.inference.formulas.mover import mover, proportion_difference
from assay.inference.hypothesis_tests.contingency import chi_square, fisher
from assay.inference.hypothesis_tests.paired_means import length
from assay.inference.influence.row_contributions import outcomes
from assay.inference.intervals.choose_interval import estimate
from assay.inference.intervals.interval_request import IntervalRequest, Spread
from assay.inference.test_result import Alternative, Test
from assay.metrics import Mean, Undefined, find
from assay.metrics.ranking.retrieval import Lists
from assay.metrics.views.regression import Errors, Explained, Ranged, Scaled, ValuePairs
from assay.tallies import Confusion, Scores, Tally

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from assay.inference.differences.difference_request import DifferenceMethod, DifferenceRequest

__all__ = [
    "compare_aucs",
    "compare_by_bootstrap",
    "compare_by_influence",
    "compare_by_separate_intervals",
    "compare_proportions",
    "compare_row_means",
    "welch",
]

# Views whose rows bring numbers of any size, so that two models' rows need not spread alike.
_NUMERIC_VIEWS = frozenset({Mean, Lists, Errors, Scaled, Explained, Ranged, ValuePairs})
_FEW = 5  # an expected count below this makes chi-square inexact
_SCALES = {"auc": 1.0, "gini": 2.0}


def welch(
    first: Any, second: Any, *, alternative: Alternative = "two-sided", confidence: float = 0.95
) -> Test:
    """Return the test that two groups have one mean, whatever their spreads (Welch 1947).

    The estimate is the first mean less the second.

    >>> welch([0.9, 0.7, 0.8, 0.95], [0.6, 0.8, 0.5])
    Welch t: statistic 1.96, df 3.5257, p = 0.131
    """
    columns = [np.asarray(one, dtype=np.float64) for one in (first, second)]
    if not all(one.ndim == 1 and len(one) and np.isfinite(one).all() for one in columns):
        raise MetricError("a group is one finite number per row, and at least one.")
    means = [math.fsum(one) / len(one) for one in columns]
    difference = means[0] - means[1]
    if min(map(len, columns)) < 2:  # noqa: PLR2004
        lone = Undefined("a single row shows no spread")
        return Test("Welch t", None, None, lone, alternative, difference, confidence=confidence)
    # Errors and not variances, whose squares leave the floats where rows of 1e80 are compared.
    parts = [
        length(one - mean) / math.sqrt((len(one) - 1) * len(one))
        for one, mean in zip(columns, means, strict=True)
    ]
    if not sum(parts):
        p = Undefined("the rows show no spread") if difference else 1.0
        return Test("Welch t", None, None, p, alternative, difference, confidence=confidence)
    error = math.hypot(*parts)
    df = 1 / sum((part / error) ** 4 / (len(one) - 1) for part, one in zip(parts, columns, strict=True))
    t, reach = difference / error, student_quantile(confidence, df) * error
    return Test(
        "Welch t", t, df, student_p(t, df, alternative), alternative, difference, difference - reach,
        difference + reach, confidence, standard_error=error,
    )  # fmt: skip


def compare_proportions(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two shares of different rows: Newcombe's interval and the chi-square test, or Fisher's."""
    if not match.pair.independent_rows:
        return None
    counted = _counted(match)
    return None if counted is None else _of_counts(match, counted[0], counted[1])


def _counted(match: DifferenceRequest) -> list[tuple[int, int]] | None:
    """Return the hits of a share and of how many rows, for either model; None where tallies do not tell."""
    counted = []
    for one in (match.pair.first, match.pair.second):
        if isinstance(one, Tally) and not isinstance(one, Confusion):
            return None
        tally = one if isinstance(one, Confusion) else Confusion.of(one)
        if tally.weights is not None:
            return None
        found = outcomes(match.metric, match.options, tally.labels, *tally.digits())
        if found is None:
            return None
        counted.append((int(tally.counts[found.hit].sum()), int(tally.counts[found.counted].sum())))
    return counted


def _of_counts(match: DifferenceRequest, first: tuple[int, int], second: tuple[int, int]) -> DifferenceResult:
    """Return the difference for hits of so many rows of either model."""
    (x1, n1), (x2, n2) = first, second
    low, high = proportion_difference(x2, n2, x1, n1, confidence=match.confidence)
    error = math.sqrt(sum(x * (n - x) / n**3 for x, n in (first, second)))
    low, high = match.within(low, high)
    return DifferenceResult(low, high, "Newcombe", _test_of_counts(first, second), n1 + n2, error)


def _test_of_counts(first: tuple[int, int], second: tuple[int, int]) -> Test:
    """Return the test of two shares: chi-square, or Fisher's where a count is expected to be small."""
    (x1, n1), (x2, n2) = first, second
    table = np.array([[x2, n2 - x2], [x1, n1 - x1]])
    hits, rows = x1 + x2, n1 + n2  # Python's integers, whose products are never too large
    least = min(n1, n2) * min(hits, rows - hits) / rows  # the smallest count expected
    if not table.sum(0).all():  # all rows are hits, or none is: the same share for certain
        return Test("chi-square of two shares", None, None, 1.0)
    return chi_square(table) if least >= _FEW else fisher(table)


def compare_aucs(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two areas under ROC curves of different rows: unpaired DeLong."""
    if not match.pair.independent_rows:
        return None
    areas = []
    for one in (match.pair.second, match.pair.first):
        tally = one if isinstance(one, Tally) else Scores.of(one)
        if not isinstance(tally, Scores) or tally.weights is not None:
            return None
        areas.append(delong(tally.concordance()))
    test = delong_unpaired(areas[0], areas[1], confidence=match.confidence)
    if isinstance(test.p, Undefined):
        return test.p.reason
    scale = _SCALES[match.metric.name]
    own = [scale * math.sqrt(float(area.variance)) for area in areas[::-1]]
    n = sum(area.positives + area.negatives for area in areas)
    return _compared(match, [NullSpread(error, math.inf) for error in own], n, "unpaired DeLong", test.method)


def compare_row_means(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two means over different rows or queries: Welch's test."""
    if match.figures is None or not match.pair.independent_rows:
        return None
    first, second = match.figures
    if all(np.isin(one, (0.0, 1.0)).all() for one in match.figures) and not match.settings.asked("rows"):
        return _of_counts(match, (int(first.sum()), len(first)), (int(second.sum()), len(second)))
    test = welch(second, first, confidence=match.confidence)
    if isinstance(test.p, Undefined):
        return test.p.reason
    if test.low is None or test.high is None:
        return "the rows show no spread"
    n = len(first) + len(second)
    if match.part_of_all:
        own = [NullSpread(_mean_error(one), len(one) - 1) for one in (first, second)]
        return _compared(match, own, n, "Welch t", "Welch t")
    low, high = match.within(test.low, test.high)
    return DifferenceResult(low, high, "Welch t", test, n, test.standard_error)


def compare_by_influence(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare by either model's own standard error, groups and weights included."""
    spreads = [
        _spread(match, one, value) or _told(match, one)
        for one, value in zip((match.pair.first, match.pair.second), match.values, strict=True)
    ]
    known = [one for one in spreads if one is not None]
    if len(known) < len(spreads):
        return None
    if any(math.isnan(one.error) for one in known):
        return "one group shows no spread"
    own = [NullSpread(one.error, math.inf if one.df is None else one.df) for one in known]
    n = sum(map(size_of, (match.pair.first, match.pair.second)))
    return _compared(match, own, n, "unpaired delta", "Wald")


def _compared(
    match: DifferenceRequest, own: list[NullSpread], n: int, method: str, test: str
) -> DifferenceResult | str:
    """Return the difference by either model's standard error, and by the one under no difference.

    Both must reject, and the wider interval holds; the latter where a sample is a part of all rows, and for
    figures of classes, whose own error is 0 at rates of 0 and 1; see
    :mod:`assay.inference.differences.pooled_variance`.
    """
    known = [combined(own)]
    if not (known[0].error > 0 or match.part_of_all):
        return "the rows show no spread"
    if match.part_of_all or match.metric.reads not in _NUMERIC_VIEWS:
        samples = (match.pair.first, match.pair.second)
        null = null_spread(match.metric, samples, match.options, match.difference, own)
        known += [] if null is None else [null]
    error = known[0].error
    known = [one for one in known if one.error > 0]
    if not known:
        return "the rows show no spread"
    spread = max(known, key=lambda one: one.p(match.difference))
    reach = max(one.reach(match.confidence) for one in known)
    low, high = match.within(match.difference - reach, match.difference + reach)
    df = None if math.isinf(spread.df) else spread.df
    statistic, p = match.difference / spread.error, spread.p(match.difference)
    tested: Test | None = None
    if match.metric.name == "f1" and match.pair.independent_rows and not match.options.get("average"):
        tested = _of_jaccard(match)
    tested = tested or Test(test, statistic, df, p, standard_error=spread.error)
    return DifferenceResult(low, high, method, tested, n, error or spread.error)


def _of_jaccard(match: DifferenceRequest) -> Test | None:
    """Return the test of two F1 by their Jaccard index, which rises with it and is a share of rows."""
    counted = _counted(dataclasses.replace(match, metric=find("jaccard")))
    if counted is None or not all(n for _, n in counted):
        return None
    return _test_of_counts(*counted)


def _mean_error(values: NDArray[np.float64]) -> float:
    """Return the standard error of a mean."""
    n = len(values)
    return length(values - math.fsum(values) / n) / math.sqrt((n - 1) * n)


def compare_by_bootstrap(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare by drawing each model's rows again; p is the level at which the interval would reach 0."""
    if not match.pair.has_rows or match.metric.each is not None:
        return None
    replicates = drawn_differences(match)
    limits = percentile(replicates, confidence=match.confidence)
    if limits.low is None or limits.high is None:
        return limits.note
    kept = replicates[~np.isnan(replicates)]
    one_side = min(int((kept <= 0).sum()), int((kept >= 0).sum()))
    p = min(1.0, 2 * (one_side + 1) / (len(kept) + 1))
    drawn = f"{match.settings.replicates:,} draws, seed {match.settings.seed}"
    note = "; ".join(said for said in (drawn, limits.note) if said)
    low, high = match.within(limits.low, limits.high)
    test = Test("bootstrap interval turned into a test", None, None, p, note=drawn)
    n = sum(map(size_of, (match.pair.first, match.pair.second)))
    return DifferenceResult(low, high, "bootstrap, percentile", test, n, None, note)


def compare_by_separate_intervals(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Give the interval alone, from either model's own one, where the rows show too little for a test."""
    both = [
        estimate(match.metric, one, confidence=match.confidence, **match.options)
        for one in (match.pair.second, match.pair.first)
    ]
    limits = [(one.low, one.high) for one in both if one.low is not None and one.high is not None]
    if len(limits) < len(both):
        return None
    low, high = match.within(*mover([float(one.value) for one in both], limits, (1, -1)))
    test = Test("no test", None, None, Undefined("each has an interval of its own, but there is no test"))
    return DifferenceResult(low, high, "MOVER on each one's own interval", test, sum(one.n for one in both))


def _told(match: DifferenceRequest, data: Any) -> Spread | None:
    """Return the standard error that comes with a model's own interval: a tally may know it from sums."""
    found = estimate(match.metric, data, confidence=match.confidence, **match.options)
    return None if found.standard_error is None else Spread(found.standard_error, None, found.n)


def _spread(match: DifferenceRequest, data: Any, value: float) -> Spread | None:
    rows = None if isinstance(data, Tally) else data
    if rows is None:
        tally, left = data, match.options
    else:
        tally, left = match.metric.tallied(rows, match.options)
    return IntervalRequest(
        match.metric, value, tally, left, match.confidence, rows, match.options, match.settings.seed
    ).spread


# The methods in the order in which they are tried, by the metric's name or else by its kind.
_AUC: tuple[DifferenceMethod, ...] = (
    compare_aucs,
    compare_by_influence,
    compare_by_separate_intervals,
    compare_by_bootstrap,
)
_GENERAL: tuple[DifferenceMethod, ...] = (
    compare_by_influence,
    compare_by_bootstrap,
    compare_by_separate_intervals,
)
BY_METRIC: dict[str, tuple[DifferenceMethod, ...]] = {"auc": _AUC, "gini": _AUC}
BY_KIND: dict[str, tuple[DifferenceMethod, ...]] = {
    "proportion": (compare_proportions, *_GENERAL),
    "counts": _GENERAL,
    "mean": (compare_row_means, *_GENERAL),
    "rank": _GENERAL,
    "moments": _GENERAL,
    "order": (compare_by_bootstrap, compare_by_separate_intervals),
    "extreme": (),
}
