"""Methods that compare two models on different rows: their variances add.

A method returns None where it is not meant for rows like these, and a reason where it fails on them.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import MetricError
from assay.inference.bootstrap.bootstrap_limits import percentile
from assay.inference.bootstrap.row_resampling import bootstrap_differences
from assay.inference.differences.difference_request import DifferenceResult
from assay.inference.differences.pairing import size_of
from assay.inference.differences.pooled_variance import NullSpread, combined, null_spread
from assay.inference.distributions import student_p, student_quantile
from assay.inference.formulas.auc import delong
from assay.inference.formulas.delong import delong_unpaired
from assay.inference.formulas.mover import mover, proportion_difference
from assay.inference.hypothesis_tests.contingency import chi_square, fisher
from assay.inference.hypothesis_tests.paired_means import length
from assay.inference.influence.row_contributions import row_outcomes
from assay.inference.intervals.choose_interval import estimate
from assay.inference.intervals.interval_request import NUMERIC_VIEWS, IntervalRequest, Spread
from assay.inference.test_result import Alternative, TestResult
from assay.inputs import Rows
from assay.metrics import Undefined, find
from assay.tallies import Confusion, LabelSets, Scores, Tally

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

_MIN_EXPECTED_FOR_CHI_SQUARE = 5  # with a smaller expected count, Fisher's exact test is taken
_FACTOR_OF_AUC = {"auc": 1.0, "gini": 2.0}
_MIN_ROWS_FOR_VARIANCE = 2


def welch(
    first: Any, second: Any, *, alternative: Alternative = "two-sided", confidence: float = 0.95
) -> TestResult:
    """Return the test that two groups have one mean, whatever their spreads (Welch 1947).

    The estimate is the first mean less the second.

    >>> welch([0.9, 0.7, 0.8, 0.95], [0.6, 0.8, 0.5])
    Welch t: statistic 1.96, df 3.5257, p = 0.131
    """
    samples = [np.asarray(values, dtype=np.float64) for values in (first, second)]
    if not all(values.ndim == 1 and len(values) and np.isfinite(values).all() for values in samples):
        raise MetricError("a group is one finite number per row, and at least one.")
    means = [math.fsum(values) / len(values) for values in samples]
    difference = means[0] - means[1]
    if min(map(len, samples)) < _MIN_ROWS_FOR_VARIANCE:
        single_row = Undefined("a single row shows no spread")
        return TestResult("Welch t", None, None, single_row, alternative, difference, confidence=confidence)
    # Standard errors and not variances, which overflow where rows of 1e80 are compared.
    errors = [
        length(values - mean) / math.sqrt((len(values) - 1) * len(values))
        for values, mean in zip(samples, means, strict=True)
    ]
    if not sum(errors):
        p_value = Undefined("the rows show no spread") if difference else 1.0
        return TestResult("Welch t", None, None, p_value, alternative, difference, confidence=confidence)
    error = math.hypot(*errors)
    df = 1 / sum((own / error) ** 4 / (len(values) - 1) for own, values in zip(errors, samples, strict=True))
    t, half_width = difference / error, student_quantile(confidence, df) * error
    return TestResult(
        "Welch t", t, df, student_p(t, df, alternative), alternative, difference, difference - half_width,
        difference + half_width, confidence, standard_error=error,
    )  # fmt: skip


def compare_proportions(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two proportions of different rows: Newcombe's interval, chi-square or Fisher's test."""
    if not request.pair.independent_rows:
        return None
    counts = _hits_and_rows(request)
    return None if counts is None else _difference_of_counts(request, counts[0], counts[1])


def _hits_and_rows(request: DifferenceRequest) -> list[tuple[int, int]] | None:
    """Return the hits of a proportion and its rows, for either model; None where tallies do not tell."""
    counts = []
    for data in request.pair.both:
        if request.metric.name == "subset_accuracy":
            sets = data if isinstance(data, LabelSets) else LabelSets.of(data)
            if sets.weights is not None:
                return None
            counts.append((sets.exact, sets.n))
            continue
        if isinstance(data, Tally) and not isinstance(data, Confusion):
            return None
        if isinstance(data, Rows) and data.multioutput:
            return None
        tally = data if isinstance(data, Confusion) else Confusion.of(data)
        if tally.weights is not None:
            return None
        outcomes = row_outcomes(request.metric, request.options, tally.labels, *tally.digits())
        if outcomes is None:
            return None
        counts.append((int(tally.counts[outcomes.hit].sum()), int(tally.counts[outcomes.counted].sum())))
    return counts


def _difference_of_counts(
    request: DifferenceRequest, first: tuple[int, int], second: tuple[int, int]
) -> DifferenceResult:
    """Return the difference of two proportions from hits and rows of either model."""
    (x1, n1), (x2, n2) = first, second
    low, high = proportion_difference(x2, n2, x1, n1, confidence=request.confidence)
    error = math.sqrt(sum(x * (n - x) / n**3 for x, n in (first, second)))
    low, high = request.clip_limits(low, high)
    return DifferenceResult(low, high, "Newcombe", _test_of_counts(first, second), n1 + n2, error)


def _test_of_counts(first: tuple[int, int], second: tuple[int, int]) -> TestResult:
    """Return the test of two proportions: chi-square, or Fisher's where an expected count is small."""
    (x1, n1), (x2, n2) = first, second
    table = np.array([[x2, n2 - x2], [x1, n1 - x1]])
    hits, rows = x1 + x2, n1 + n2  # Python's integers, whose products do not overflow
    smallest_expected = min(n1, n2) * min(hits, rows - hits) / rows
    if not table.sum(0).all():  # all rows are hits, or none is: the same proportion for certain
        return TestResult("chi-square of two shares", None, None, 1.0)
    if smallest_expected >= _MIN_EXPECTED_FOR_CHI_SQUARE:
        return chi_square(table)
    return fisher(table, odds_ratio=False)


def compare_aucs(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two areas under ROC curves of different rows: unpaired DeLong."""
    if not request.pair.independent_rows:
        return None
    areas = []
    for data in (request.pair.second, request.pair.first):
        if isinstance(data, Rows) and data.multioutput:
            return None
        tally = data if isinstance(data, Tally) else Scores.of(data)
        if not isinstance(tally, Scores) or tally.weights is not None:
            return None
        areas.append(delong(tally.concordance()))
    test = delong_unpaired(areas[0], areas[1], confidence=request.confidence)
    if isinstance(test.p_value, Undefined):
        return test.p_value.reason
    factor = _FACTOR_OF_AUC[request.metric.name]
    own = [NullSpread(factor * math.sqrt(float(area.variance)), math.inf) for area in areas[::-1]]
    n = sum(area.positives + area.negatives for area in areas)
    return _difference_of_spreads(request, own, n, "unpaired DeLong", test.method)


def compare_row_means(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two means over different rows or queries: Welch's test."""
    if request.contributions is None or not request.pair.independent_rows:
        return None
    first, second = request.contributions
    zeros_and_ones = all(np.isin(values, (0.0, 1.0)).all() for values in (first, second))
    if zeros_and_ones and not request.settings.requested_test("rows"):
        return _difference_of_counts(
            request, (int(first.sum()), len(first)), (int(second.sum()), len(second))
        )
    test = welch(second, first, confidence=request.confidence)
    if isinstance(test.p_value, Undefined):
        return test.p_value.reason
    if test.low is None or test.high is None:
        return "the rows show no spread"
    n = len(first) + len(second)
    if request.part_of_all:
        own = [NullSpread(_error_of_mean(values), len(values) - 1) for values in (first, second)]
        return _difference_of_spreads(request, own, n, "Welch t", "Welch t")
    low, high = request.clip_limits(test.low, test.high)
    return DifferenceResult(low, high, "Welch t", test, n, test.standard_error)


def compare_by_influence(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare by either model's own standard error, groups and weights included (delta method)."""
    spreads = [
        _spread_by_influence(request, data, value) or _spread_of_interval(request, data)
        for data, value in zip(request.pair.both, request.values, strict=True)
    ]
    known = [spread for spread in spreads if spread is not None]
    if len(known) < len(spreads):
        return None
    if any(math.isnan(spread.error) for spread in known):
        return "one group shows no spread"
    own = [NullSpread(spread.error, math.inf if spread.df is None else spread.df) for spread in known]
    n = sum(map(size_of, request.pair.both))
    return _difference_of_spreads(request, own, n, "unpaired delta", "Wald")


def _difference_of_spreads(
    request: DifferenceRequest, own: list[NullSpread], n: int, method: str, test: str
) -> DifferenceResult | str:
    """Return the difference by either model's standard error, and by the one under the null hypothesis.

    Both must reject, and the wider interval holds; the latter where a sample is a part of all rows, and for
    metrics of classes, whose own error is 0 at rates of 0 and 1; see
    :mod:`assay.inference.differences.pooled_variance`.
    """
    spreads = [combined(own)]
    if not (spreads[0].error > 0 or request.part_of_all):
        return "the rows show no spread"
    if request.part_of_all or request.metric.reads not in NUMERIC_VIEWS:
        null = null_spread(request.metric, request.pair.both, request.options, request.difference, own)
        spreads += [] if null is None else [null]
    error = spreads[0].error
    positive = [spread for spread in spreads if spread.error > 0]
    if not positive:
        return "the rows show no spread"
    decisive = max(positive, key=lambda spread: spread.p_value(request.difference))
    half_width = max(spread.half_width(request.confidence) for spread in positive)
    low, high = request.clip_limits(request.difference - half_width, request.difference + half_width)
    df = None if math.isinf(decisive.df) else decisive.df
    statistic, p_value = request.difference / decisive.error, decisive.p_value(request.difference)
    outcome: TestResult | None = None
    if request.metric.name == "f1" and request.pair.independent_rows and not request.options.get("average"):
        outcome = _test_of_jaccard(request)
    outcome = outcome or TestResult(test, statistic, df, p_value, standard_error=decisive.error)
    return DifferenceResult(low, high, method, outcome, n, error or decisive.error)


def _test_of_jaccard(request: DifferenceRequest) -> TestResult | None:
    """Return the test of two F1 by their Jaccard index, a proportion of rows that increases with F1."""
    counts = _hits_and_rows(dataclasses.replace(request, metric=find("jaccard")))
    if counts is None or not all(n for _, n in counts):
        return None
    return _test_of_counts(*counts)


def _error_of_mean(values: NDArray[np.float64]) -> float:
    """Return the standard error of a mean."""
    n = len(values)
    return length(values - math.fsum(values) / n) / math.sqrt((n - 1) * n)


def compare_by_bootstrap(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare by resampling each model's rows; p is the level at which the interval would reach 0."""
    if not request.pair.has_rows or request.metric.each is not None:
        return None
    replicates = bootstrap_differences(request)
    limits = percentile(replicates, confidence=request.confidence)
    if limits.low is None or limits.high is None:
        return limits.note
    defined = replicates[~np.isnan(replicates)]
    on_one_side = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    p_value = min(1.0, 2 * (on_one_side + 1) / (len(defined) + 1))
    draws = f"{request.settings.replicates:,} draws, seed {request.settings.seed}"
    note = "; ".join(filter(None, (draws, limits.note)))
    low, high = request.clip_limits(limits.low, limits.high)
    test = TestResult("bootstrap interval turned into a test", None, None, p_value, note=draws)
    n = sum(map(size_of, request.pair.both))
    return DifferenceResult(low, high, "bootstrap, percentile", test, n, None, note)


def compare_by_separate_intervals(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Return the interval alone, from either model's own one, where the rows show too little for a test."""
    estimates = [
        estimate(request.metric, data, confidence=request.confidence, **request.options)
        for data in (request.pair.second, request.pair.first)
    ]
    limits = [(own.low, own.high) for own in estimates if own.low is not None and own.high is not None]
    if len(limits) < len(estimates):
        return None
    low, high = request.clip_limits(*mover([float(own.value) for own in estimates], limits, (1, -1)))
    test = TestResult(
        "no test", None, None, Undefined("each has an interval of its own, but there is no test")
    )
    n = sum(own.n for own in estimates)
    return DifferenceResult(low, high, "MOVER on each one's own interval", test, n)


def _spread_of_interval(request: DifferenceRequest, data: Any) -> Spread | None:
    """Return the standard error that comes with a model's own interval: a tally may know it from sums."""
    own = estimate(request.metric, data, confidence=request.confidence, **request.options)
    return None if own.standard_error is None else Spread(own.standard_error, None, own.n)


def _spread_by_influence(request: DifferenceRequest, data: Any, value: float) -> Spread | None:
    rows = None if isinstance(data, Tally) else data
    tally, tally_options = data, request.options
    if rows is not None:
        tally, tally_options = request.metric.tallied(rows, request.options)
    return IntervalRequest(
        request.metric, value, tally, tally_options, request.confidence, rows, request.options,
        request.settings.seed,
    ).spread  # fmt: skip


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
