"""Methods that compare two models on the same rows, by the rows on which they differ.

A method returns None where it is not meant for rows like these, and a reason where it fails on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.inference.bootstrap.bootstrap_limits import percentile
from assay.inference.bootstrap.row_resampling import bootstrap_differences, permutation_test
from assay.inference.differences.difference_request import NEVER_DISAGREE, DifferenceResult, wald
from assay.inference.formulas.delong import delong_paired
from assay.inference.hypothesis_tests.contingency import mcnemar
from assay.inference.hypothesis_tests.paired_means import diebold_mariano, paired_t, sign_flips, wilcoxon
from assay.inference.hypothesis_tests.paired_proportions import paired_error, tango
from assay.inference.influence.row_contributions import row_outcomes
from assay.metrics import Undefined

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from assay.inference.differences.difference_request import DifferenceMethod, DifferenceRequest
    from assay.inference.test_result import TestResult

__all__ = [
    "compare_aucs",
    "compare_by_bootstrap",
    "compare_by_influence",
    "compare_by_permutation",
    "compare_proportions",
    "compare_row_means",
]

_MIN_ROWS_OF_CLASS_FOR_DELONG = 20  # with fewer rows of a class, DeLong's test is not relied on
_MIN_ROWS_FOR_VARIANCE = 2
_FACTOR_OF_AUC = {"auc": 1.0, "gini": 2.0}


def compare_proportions(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two proportions of the same rows: Tango's interval and McNemar's test."""
    if not request.pair.independent_rows or request.settings.requested_test("any") == "permutation":
        return None
    if request.pair.multioutput:
        return compare_row_means(request)
    joint = request.pair.joint
    actual, *predicted = joint.digits()
    first, second = (
        row_outcomes(request.metric, request.options, joint.labels, actual, codes) for codes in predicted
    )
    if first is None or second is None or not first.fixed:
        return None
    counted = first.counted
    return _difference_of_hits(request, first.hit[counted], second.hit[counted], joint.counts[counted])


def compare_row_means(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two means over the same rows or queries, by the rows' own differences."""
    if request.contributions is None:
        return None
    of_queries = request.metric.each is not None
    permute = request.settings.requested_test("any") == "permutation"
    if not request.pair.independent_rows or (permute and not of_queries):
        return None
    first, second = request.contributions
    if request.settings.ordered or request.settings.requested_test("rows") == "diebold-mariano":
        return _difference_in_time(request, second - first)
    zeros_and_ones = all(np.isin(values, (0.0, 1.0)).all() for values in (first, second))
    if zeros_and_ones and not request.settings.requested_test("rows"):
        return _difference_of_hits(request, first == 1, second == 1, np.ones(len(first), dtype=np.int64))
    return _difference_of_rows(request, second - first, of_queries=of_queries)


def compare_aucs(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two areas under ROC curves on the same rows: DeLong's test."""
    if request.settings.requested_test("any") == "permutation":
        return None
    if not request.pair.independent_rows:
        return wald(request, "paired DeLong by influence", "Wald")
    first = request.pair.first
    positive = first.binary_actual(request.metric.name)[0]
    sizes = int(positive.sum()), int(len(positive) - positive.sum())
    small = min(sizes) < _MIN_ROWS_OF_CLASS_FOR_DELONG and request.settings.requested_test("any") != "delong"
    if min(sizes) < _MIN_ROWS_FOR_VARIANCE:
        return "a class of a single row shows no spread"
    scores = [rows.float64("score", request.metric.name, "scores") for rows in request.pair.both]
    test = delong_paired(scores[1], scores[0], positive, 1 - positive, confidence=request.confidence)
    if isinstance(test.p_value, Undefined):
        return test.p_value.reason
    if test.statistic is None:
        return DifferenceResult(None, None, "paired DeLong", test, first.n, 0.0, "the models rank alike")
    if small:
        return (
            f"DeLong's test is not relied on below {_MIN_ROWS_OF_CLASS_FOR_DELONG} rows of a class "
            f"({min(sizes)} here)"
        )
    factor = _FACTOR_OF_AUC[request.metric.name]
    assert test.low is not None  # noqa: S101 - for the type checker
    assert test.high is not None  # noqa: S101
    assert test.standard_error is not None  # noqa: S101
    low, high = request.clip_limits(factor * test.low, factor * test.high)
    return DifferenceResult(low, high, "paired DeLong", test, first.n, factor * test.standard_error)


def compare_by_influence(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare by the influence of the rows on both models' values and their covariance (delta method)."""
    if request.settings.requested_test("any") == "permutation":
        return None
    return wald(request, "paired delta", "Wald")


def compare_by_bootstrap(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare by resampling rows (the interval) and by swapping the models' outputs (the test)."""
    if not request.pair.has_rows or request.metric.each is not None:
        return None
    test = permutation_test(request)
    limits = percentile(bootstrap_differences(request), confidence=request.confidence)
    note = "; ".join(filter(None, (test.note, limits.note)))
    if limits.low is None or limits.high is None:
        return _resampled_result(request, (None, None), test, note, "bootstrap, percentile")
    clipped = request.clip_limits(limits.low, limits.high)
    return _resampled_result(request, clipped, test, note, "bootstrap, percentile")


def compare_by_permutation(request: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare by swapping the models' outputs alone, for metrics whose bias rules out an interval."""
    if not request.pair.has_rows or request.metric.each is not None:
        return None
    test = permutation_test(request)
    return _resampled_result(request, (None, None), test, test.note, "no interval")


def _resampled_result(
    request: DifferenceRequest,
    limits: tuple[float | None, float | None],
    test: TestResult,
    note: str,
    method: str,
) -> DifferenceResult:
    """Return the difference by rows that were resampled or swapped, whole groups where there are some."""
    groups = None if request.pair.groups is None else request.pair.groups[1]
    return DifferenceResult(*limits, method, test, len(request.pair.first), None, note, groups=groups)


def _difference_of_hits(
    request: DifferenceRequest, first: NDArray[Any], second: NDArray[Any], counts: NDArray[Any]
) -> DifferenceResult:
    """Return the difference of two proportions of the same rows, from which of them each model hits."""
    table = [
        [int(counts[(first == left) & (second == right)].sum()) for right in (True, False)]
        for left in (True, False)
    ]
    only_first, only_second, n = table[0][1], table[1][0], int(counts.sum())
    test = mcnemar(table, request.settings.requested_test("mcnemar", "mid-p"))  # type: ignore[arg-type]
    # Rounding may move a limit past the difference by an ulp.
    low, high = request.clip_limits(*tango(only_second, only_first, n, confidence=request.confidence))
    note = "" if only_first + only_second else NEVER_DISAGREE
    error = paired_error(only_first, only_second, n)
    return DifferenceResult(low, high, "Tango", test, n, error, note, (only_first, only_second))


def _difference_of_rows(
    request: DifferenceRequest, differences: NDArray[np.float64], *, of_queries: bool
) -> DifferenceResult | str:
    """Return the difference of two means by the rows' own differences: paired t or the requested test."""
    n = len(differences)
    t_test = paired_t(differences, confidence=request.confidence)
    if isinstance(t_test.p_value, Undefined):
        return t_test.p_value.reason
    if t_test.standard_error is None:
        return DifferenceResult(None, None, "paired t", t_test, n, 0.0, NEVER_DISAGREE)
    others = {"wilcoxon": wilcoxon, "sign-flips": lambda d: sign_flips(d, seed=request.settings.seed)}
    # Swapping two models' outputs on a query flips the sign of its difference.
    permute = request.settings.requested_test("any") == "permutation"
    name = request.settings.requested_test("rows", "sign-flips" if permute else "t")
    test = others[name](differences) if name in others else t_test
    more = (sign_flips(differences, seed=request.settings.seed),) if of_queries and name == "t" else ()
    return _student_result(request, t_test, test, n, more)


def _difference_in_time(
    request: DifferenceRequest, differences: NDArray[np.float64]
) -> DifferenceResult | str:
    """Return the difference of two means over rows in order of time, by Diebold and Mariano's test."""
    horizon = request.settings.horizon
    if len(differences) < 2 * horizon:
        return f"{len(differences)} rows are too few for a horizon of {horizon}"
    test = diebold_mariano(differences, horizon=horizon, confidence=request.confidence)
    if isinstance(test.p_value, Undefined):
        return test.p_value.reason
    if test.standard_error is None:
        return DifferenceResult(None, None, test.method, test, len(differences), 0.0, NEVER_DISAGREE)
    return _student_result(request, test, test, len(differences), ())


def _student_result(
    request: DifferenceRequest, student: TestResult, test: TestResult, n: int, more: tuple[TestResult, ...]
) -> DifferenceResult:
    """Return the interval of a Student's t test, with that test or another one."""
    assert student.low is not None  # noqa: S101 - for the type checker
    assert student.high is not None  # noqa: S101
    low, high = request.clip_limits(student.low, student.high)
    return DifferenceResult(
        low, high, student.method, test, n, student.standard_error, student.note, more=more
    )


# The methods in the order in which they are tried, by the metric's name or else by its kind.
BY_METRIC: dict[str, tuple[DifferenceMethod, ...]] = {
    "auc": (compare_aucs, compare_by_bootstrap),
    "gini": (compare_aucs, compare_by_bootstrap),
}
BY_KIND: dict[str, tuple[DifferenceMethod, ...]] = {
    "proportion": (compare_proportions, compare_by_influence, compare_by_bootstrap),
    "counts": (compare_by_influence, compare_by_bootstrap),
    "mean": (compare_row_means, compare_by_influence, compare_by_bootstrap),
    "rank": (compare_by_influence, compare_by_bootstrap),
    "moments": (compare_by_influence, compare_by_bootstrap),
    "order": (compare_by_bootstrap,),
    "extreme": (compare_by_permutation,),  # biased, so that only a test under the null hypothesis is valid
}
