"""How two models on the same rows are compared: by the rows on which they differ.

A method answers None where it is not meant for rows like these, and a reason where it fails on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.inference.bootstrap.bootstrap_limits import percentile
from assay.inference.bootstrap.row_resampling import drawn_differences, swapped
from assay.inference.differences.difference_request import NEVER, DifferenceResult, wald
from assay.inference.formulas.delong import delong_paired
from assay.inference.hypothesis_tests.contingency import mcnemar
from assay.inference.hypothesis_tests.paired_means import diebold_mariano, paired_t, sign_flips, wilcoxon
from assay.inference.hypothesis_tests.paired_proportions import paired_error, tango
from assay.inference.influence.row_contributions import outcomes
from assay.inputs.columns import doubles
from assay.inputs.labels import binary
from assay.metrics import Undefined

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from assay.inference.differences.difference_request import DifferenceMethod, DifferenceRequest
    from assay.inference.test_result import Test

__all__ = [
    "compare_aucs",
    "compare_by_bootstrap",
    "compare_by_influence",
    "compare_by_permutation",
    "compare_proportions",
    "compare_row_means",
]

_FEW = 20  # rows of a class below which DeLong's test is not relied on
_SCALES = {"auc": 1.0, "gini": 2.0}


def compare_proportions(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two shares of the same rows: Tango's interval and McNemar's test."""
    if not match.pair.independent_rows or match.settings.asked("any") == "permutation":
        return None
    joint = match.pair.joint
    actual, *predicted = joint.digits()
    both = [outcomes(match.metric, match.options, joint.labels, actual, one) for one in predicted]
    first, second = both
    if first is None or second is None or not first.fixed:
        return None
    counts = joint.counts[first.counted]
    mine, theirs = first.hit[first.counted], second.hit[first.counted]
    return _of_hits(match, mine, theirs, counts)


def compare_row_means(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two means over the same rows or queries, by the rows' own differences."""
    figures = match.figures
    if figures is None:
        return None
    of_queries = match.metric.each is not None
    swap = match.settings.asked("any") == "permutation"
    if not match.pair.independent_rows or (swap and not of_queries):
        return None
    first, second = figures
    if match.settings.ordered or match.settings.asked("rows") == "diebold-mariano":
        return _in_order(match, second - first)
    bits = all(np.isin(one, (0.0, 1.0)).all() for one in figures)
    if bits and not match.settings.asked("rows"):
        return _of_hits(match, first == 1, second == 1, np.ones(len(first), dtype=np.int64))
    return _of_differences(match, second - first, of_queries=of_queries)


def compare_aucs(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare two areas under ROC curves on the same rows: DeLong's test."""
    if match.settings.asked("any") == "permutation":
        return None
    if not match.pair.independent_rows:
        return wald(match, "paired DeLong by influence", "Wald")
    first, second = match.pair.first, match.pair.second
    positive = binary(first.actual, first.positive, first.labels)[0]
    sizes = int(positive.sum()), int(len(positive) - positive.sum())
    few = min(sizes) < _FEW and match.settings.asked("any") != "delong"
    if min(sizes) < 2:  # noqa: PLR2004 - one value has no spread
        return "a class of a single row shows no spread"
    scores = [doubles(one.need("score", match.metric.name).numbers("scores")) for one in (first, second)]
    test = delong_paired(scores[1], scores[0], positive, 1 - positive, confidence=match.confidence)
    if isinstance(test.p, Undefined):
        return test.p.reason
    if test.statistic is None:
        return DifferenceResult(None, None, "paired DeLong", test, len(first), 0.0, "the models rank alike")
    if few:
        return f"DeLong's test is not relied on below {_FEW} rows of a class ({min(sizes)} here)"
    scale = _SCALES[match.metric.name]
    assert test.low is not None  # noqa: S101 - for the type checker
    assert test.high is not None  # noqa: S101
    assert test.standard_error is not None  # noqa: S101
    low, high = match.within(scale * test.low, scale * test.high)
    return DifferenceResult(low, high, "paired DeLong", test, len(first), scale * test.standard_error)


def compare_by_influence(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare by the influence of the rows on both figures, from which their covariance follows."""
    if match.settings.asked("any") == "permutation":
        return None
    return wald(match, "paired delta", "Wald")


def compare_by_bootstrap(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare by drawing rows again (the interval) and by swapping the models' outputs (the test)."""
    if not match.pair.has_rows or match.metric.each is not None:
        return None
    swaps = swapped(match)
    limits = percentile(drawn_differences(match), confidence=match.confidence)
    note = "; ".join(said for said in (swaps.note, limits.note) if said)
    if limits.low is None or limits.high is None:
        return _drawn(match, (None, None), swaps, note, "bootstrap, percentile")
    within = match.within(limits.low, limits.high)
    return _drawn(match, within, swaps, note, "bootstrap, percentile")


def compare_by_permutation(match: DifferenceRequest) -> DifferenceResult | str | None:
    """Compare by swapping the models' outputs alone, where no interval from the same rows is to be had."""
    if not match.pair.has_rows or match.metric.each is not None:
        return None
    test = swapped(match)
    return _drawn(match, (None, None), test, test.note, "no interval")


def _drawn(
    match: DifferenceRequest, limits: tuple[float | None, float | None], test: Test, note: str, method: str
) -> DifferenceResult:
    """Return the difference by rows that were drawn or swapped, in their groups where they come in some."""
    groups = None if match.pair.groups is None else match.pair.groups[1]
    return DifferenceResult(*limits, method, test, len(match.pair.first), None, note, groups=groups)


def _of_hits(
    match: DifferenceRequest, first: NDArray[Any], second: NDArray[Any], counts: NDArray[Any]
) -> DifferenceResult:
    """Return the difference for two shares of the same rows, from which of them each model hits."""
    table = [
        [int(counts[(first == mine) & (second == theirs)].sum()) for theirs in (True, False)]
        for mine in (True, False)
    ]
    only_first, only_second, n = table[0][1], table[1][0], int(counts.sum())
    test = mcnemar(table, match.settings.asked("mcnemar", "mid-p"))  # type: ignore[arg-type]
    # Rounding may move a limit past the difference by an ulp.
    low, high = match.within(*tango(only_second, only_first, n, confidence=match.confidence))
    note = "" if only_first + only_second else NEVER
    error = paired_error(only_first, only_second, n)
    return DifferenceResult(low, high, "Tango", test, n, error, note, (only_first, only_second))


def _of_differences(
    match: DifferenceRequest, differences: NDArray[np.float64], *, of_queries: bool
) -> DifferenceResult | str:
    n = len(differences)
    found = paired_t(differences, confidence=match.confidence)
    if isinstance(found.p, Undefined):
        return found.p.reason
    if found.standard_error is None:
        return DifferenceResult(None, None, "paired t", found, n, 0.0, NEVER)
    others = {"wilcoxon": wilcoxon, "sign-flips": lambda d: sign_flips(d, seed=match.settings.seed)}
    # Swapping two models' outputs on a query turns the sign of its difference.
    swap = match.settings.asked("any") == "permutation"
    asked = match.settings.asked("rows", "sign-flips" if swap else "t")
    test = others[asked](differences) if asked in others else found
    more = (sign_flips(differences, seed=match.settings.seed),) if of_queries and asked == "t" else ()
    return _studentised(match, found, test, n, more)


def _in_order(match: DifferenceRequest, differences: NDArray[np.float64]) -> DifferenceResult | str:
    horizon = match.settings.horizon
    if len(differences) < 2 * horizon:
        return f"{len(differences)} rows are too few for a horizon of {horizon}"
    found = diebold_mariano(differences, horizon=horizon, confidence=match.confidence)
    if isinstance(found.p, Undefined):
        return found.p.reason
    if found.standard_error is None:
        return DifferenceResult(None, None, found.method, found, len(differences), 0.0, NEVER)
    return _studentised(match, found, found, len(differences), ())


def _studentised(
    match: DifferenceRequest, found: Test, test: Test, n: int, more: tuple[Test, ...]
) -> DifferenceResult:
    assert found.low is not None  # noqa: S101 - for the type checker
    assert found.high is not None  # noqa: S101
    low, high = match.within(found.low, found.high)
    return DifferenceResult(low, high, found.method, test, n, found.standard_error, found.note, more=more)


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
