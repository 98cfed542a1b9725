"""Intervals of proportions, ratios and other metrics of a confusion table.

A method returns None where it does not apply to such rows, and a reason where it fails on them.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.distributions import student_quantile
from assay.inference.formulas.delta import delta_interval, effective_counts, scale_of
from assay.inference.formulas.proportions import modified_wilson, normal_quantile, proportion_interval
from assay.inference.formulas.ratios import koopman, odds_ratio
from assay.inference.formulas.shared_information import information_jackknife
from assay.inference.influence.gradients import STEP, moved_counts
from assay.inference.intervals.confusion_rates import (
    correct_and_wrong_cells,
    mover_rates,
    rate_of,
    wilson_name,
)
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.method_registry import DELTA, RATES, Default, interval_method, no_interval
from assay.metrics import Binary, Classes, Undefined, find
from assay.metrics.classification.association import mutual_information
from assay.tallies import Confusion, LabelSets

if TYPE_CHECKING:
    from assay.inference.formulas.effective_proportions import Rate
    from assay.inference.intervals.interval_request import IntervalRequest, Spread

__all__ = [
    "bias_corrected_information",
    "effective_proportion",
    "from_accuracy",
    "likelihood_ratio",
    "prevalence_threshold",
    "proportion",
    "woolf",
]

METHOD_TITLES = {
    "wilson": "Wilson",
    "modified-wilson": "modified Wilson",
    "clopper-pearson": "Clopper-Pearson",
    "agresti-coull": "Agresti-Coull",
    "jeffreys": "Jeffreys",
    "mid-p": "mid-p",
    "wilson-corrected": "Wilson, corrected",
}


_BOUND_MARGIN = 1e-9  # relative distance that a value keeps from an upper bound


no_interval(
    "it has a minimum where the classes are balanced; the interval of kappa takes it into account",
    metrics=("expected_agreement",),
)
no_interval(
    "it has a kink where both margins agree, which no standard error describes", metrics=("max_kappa",)
)
no_interval(
    "it is the statistic of a test, which grows with the rows: its p-value says what it means",
    kinds=("statistic",),
)


@interval_method("proportion", Default(kinds=("proportion",)))
def proportion(request: IntervalRequest, method: str = "modified-wilson") -> IntervalResult | str | None:
    """Return the interval of x of n rows; of weighted or clustered rows, by their effective sample size."""
    if request.plain:
        x, n = _hits_and_total(request)
        low, high = proportion_interval(x, n, request.confidence, method)
        error = math.sqrt(request.value * (1 - request.value) / n)
        name = METHOD_TITLES[method]
        if method == "modified-wilson":
            name = wilson_name(x, n, (low, high), request.confidence)
        return IntervalResult(low, high, name, "", error)
    rate = _rate(request)
    if rate is not None:
        return rate_interval(rate, request, method)
    spread = request.spread
    if spread is None:
        return "the rows' influence on it is not known"
    return effective_proportion(request.value, spread, request.confidence, method)


def _rate(request: IntervalRequest) -> Rate | None:
    """Return a metric of weighted or clustered rows as a rate, where its cells are known."""
    if request.metric.name in ("accuracy", "error_rate"):
        cells = correct_and_wrong_cells(request)
        hits_correct = request.metric.name == "accuracy"
        return (
            None
            if cells is None
            else cells.rate([hits_correct, not hits_correct], [True, True], request.confidence)
        )
    return rate_of(request) if request.metric.reads is Binary else None


def rate_interval(rate: Rate, request: IntervalRequest, method: str = "modified-wilson") -> IntervalResult:
    """Return the interval of a rate of weighted or clustered rows."""
    low, high = proportion_interval(rate.hits, rate.rows, request.confidence, method)
    note = ""
    if rate.value in (0.0, 1.0):
        units = "clusters of equal size" if request.clustered else "rows of equal weight"
        note = f"no spread was seen: the denominator counts as {rate.rows:.3g} {units}"
    return IntervalResult(low, high, f"{METHOD_TITLES[method]} on effective rows", note, rate.error)


def effective_proportion(
    value: float, spread: Spread, confidence: float, method: str = "modified-wilson"
) -> IntervalResult:
    """Return the interval of a share of all rows, by their effective sample size."""
    note = ""
    has_spread = spread.error > 0 and 0 < value < 1
    # A share of 0 or 1 shows no spread: then each group, or Kish's number of rows, stands for one row.
    df = spread.df if spread.groups is None else spread.design_df
    fallback = (spread.groups or spread.effective_sample_size) if math.isnan(spread.units) else spread.units
    x, n = effective_counts(value, spread.error**2 if has_spread else 0.0, fallback)
    if df is not None and has_spread:  # Korn and Graubard 1998: fewer rows, as t is wider than normal
        shrinkage = (normal_quantile(confidence) / student_quantile(confidence, df)) ** 2
        x, n = x * shrinkage, n * shrinkage
    if not has_spread:
        note = "no spread was seen: " + (
            "every group counts as one row" if spread.groups else "Kish's number of rows is used"
        )
    low, high = proportion_interval(x, n, confidence, method)
    error = None if math.isnan(spread.error) else spread.error
    return IntervalResult(low, high, f"{METHOD_TITLES[method]} on effective rows", note, error)


@interval_method(
    "koopman-mover", Default(metrics=("positive_likelihood_ratio", "negative_likelihood_ratio"), then=RATES)
)
def likelihood_ratio(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a likelihood ratio: Koopman's score interval, or MOVER's where that is wider.

    With one error in 500 rows Koopman's covered 0.75 to 0.89, MOVER's of the logarithms 0.97 and more.
    """
    c = _binary(request)
    if c is None:
        return None
    x1, x2 = (c.tp, c.fp) if request.metric.name == "positive_likelihood_ratio" else (c.fn, c.tn)
    low, high = koopman(x1, c.tp + c.fn, x2, c.fp + c.tn, confidence=request.confidence)
    rates = mover_rates(request) if 0 < request.value < math.inf else None
    error = None
    if isinstance(rates, IntervalResult):
        low, high, error = min(low, rates.low), max(high, rates.high), rates.standard_error
    return IntervalResult(low, high, "Koopman and MOVER", "", error)


@interval_method("from-likelihood-ratio", Default(metrics=("prevalence_threshold",), then=RATES))
def prevalence_threshold(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the prevalence threshold, 1 / (1 + sqrt(LR+)), from that of LR+."""
    metric = find("positive_likelihood_ratio")
    ratio = metric(request.tally, **request.options)
    if isinstance(ratio, Undefined):
        return None
    result = likelihood_ratio(dataclasses.replace(request, metric=metric, value=float(ratio)))
    if not isinstance(result, IntervalResult):
        return result
    high, low = (1 / (1 + math.sqrt(limit)) for limit in (result.low, result.high))
    return IntervalResult(low, high, f"{result.method} on the likelihood ratio")


@interval_method("from-accuracy", Default(metrics=("brennan_prediger",), then=RATES))
def from_accuracy(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of Brennan and Prediger's kappa, linear in accuracy, from that of accuracy."""
    if not request.plain:
        return None
    n, size = request.tally.n, len(request.tally.labels)  # type: ignore[attr-defined]
    correct = round((request.value * (size - 1) + 1) / size * n)
    limits = modified_wilson(correct, n, request.confidence)
    low, high = ((size * limit - 1) / (size - 1) for limit in limits)
    error = size / (size - 1) * math.sqrt(correct * (n - correct) / n) / n
    return IntervalResult(
        low, high, f"{wilson_name(correct, n, limits, request.confidence)} on accuracy", "", error
    )


@interval_method("woolf", Default(metrics=("diagnostic_odds_ratio",), then=RATES))
def woolf(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of an odds ratio on the log scale."""
    c = _binary(request)
    if c is None:
        return None
    result = odds_ratio(c.tp, c.fp, c.fn, c.tn, confidence=request.confidence)
    return IntervalResult(result.low, result.high, "Woolf", result.note)  # type: ignore[arg-type]


# No limits by rates: a measure that rises to both sides of a table is not bounded by theirs.
@interval_method(
    "bias-corrected-information",
    Default(
        metrics=(
            "mutual_information",
            "uncertainty_coefficient",
            "uncertainty_coefficient_predicted",
            "normalized_mutual_information",
        ),
        then=DELTA,
    ),
)
def bias_corrected_information(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the delta interval of shared information, corrected for its bias.

    Shared information is biased by half the cells, less half the rows and columns, of those that can hold any
    row, over n (Miller and Madow 1955). How many can is not known: all of them are taken for the lower limit,
    and those that do hold some for the upper one, which may be higher than the plain one: an entropy of few
    rows is too low.
    """
    spread = request.spread
    if spread is None or not isinstance(request.tally, Confusion):
        return None
    view = Classes.of(request.tally)
    information = float(mutual_information.formula(view))
    size = _effective_rows(request, spread)
    if not information > 0 or not size > 0 or not spread.error > 0:
        return None
    cells, rows, columns = (int(np.count_nonzero(each)) for each in (view.table, view.actual, view.predicted))
    max_bias, min_bias = (rows - 1) * (columns - 1) / (2 * size), (cells - rows - columns + 1) / (2 * size)
    table = view.table if request.plain else np.asarray(view.table) * (size / float(view.n))
    jackknife_bias, error_factor = information_jackknife(table)
    max_bias = max(max_bias, jackknife_bias)
    if not max_bias > 0:
        return None
    first, last = (request.value * (1 - bias / information) for bias in (max_bias, min(min_bias, max_bias)))
    largest = request.value / information * math.log(len(request.tally.labels))
    return _between(request, first, last, error=spread.error * error_factor, largest=largest)


def _effective_rows(request: IntervalRequest, spread: Spread) -> float:
    """Return how many independent rows of equal weight a table's rows are worth, no more than there are."""
    if request.plain:
        return float(request.tally.n)  # type: ignore[attr-defined]
    if math.isnan(spread.error):  # all rows are in one group
        return 0.0
    independent = math.inf if request.influence is None else request.influence.effective_sample_size
    # The jackknife's factor for few groups makes them no fewer: groups of one row are as many rows.
    jackknife = 1.0 if spread.groups is None else spread.groups / (spread.groups - 1)
    return min(independent, spread.effective_sample_size * jackknife)


def _between(
    request: IntervalRequest, first: float, last: float, *, error: float, largest: float
) -> IntervalResult | None:
    """Return the delta interval from the lower limit about `first` to the upper limit about `last`.

    Where what chance adds is more than all there is, the lower limit is 0; the upper limit's centre is at
    least as far from 0 as the interval reaches, below which the scale of logarithms would widen it again.
    Classes share no more than the logarithm of their number, `largest`.
    """
    spread: Any = request.spread
    bounds, half_width = request.metric.bounds, spread.quantile(request.confidence) * error
    last = max(last, half_width)
    last = min(last, bounds[1] * (1 - _BOUND_MARGIN)) if math.isfinite(bounds[1]) else last
    lower, upper = (
        delta_interval(end, error, bounds, confidence=request.confidence, df=spread.df)
        for end in (first, last)
    )
    if upper is None:
        return None
    low = bounds[0] if lower is None else lower[0]
    high = min(upper[1], largest)
    return IntervalResult(low, high, f"delta, {scale_of(bounds).name}, less chance", "", spread.error)


def _hits_and_total(request: IntervalRequest) -> tuple[float, float]:
    """Return the x and n of a proportion x / n."""
    if isinstance(request.tally, Confusion | LabelSets) and request.metric.reads is Binary:
        c = Binary.of(request.tally, **{k: v for k, v in request.options.items() if k == "positive"})
        n = _denominator(request, c)
    else:
        n = request.tally.n  # type: ignore[attr-defined]
    return round(request.value * n), n


def _denominator(request: IntervalRequest, c: Binary) -> int:
    """Return the n of a proportion x / n: adding a hit and adding a miss differ by 1 / n."""
    moved = request.tally.cached(("moved", c.tp, c.fp, c.fn), lambda: moved_counts(c))
    slopes = np.asarray(request.metric.formula(moved)).imag / STEP
    return round(1 / float(slopes.max() - slopes.min()))


def _binary(request: IntervalRequest) -> Binary | None:
    """Return the counts of one class; None where rows are weighted or grouped, or classes averaged."""
    if (
        not request.plain
        or request.options.get("average")
        or not isinstance(request.tally, Confusion | LabelSets)
    ):
        return None
    return Binary.of(request.tally, **{k: v for k, v in request.options.items() if k == "positive"})
