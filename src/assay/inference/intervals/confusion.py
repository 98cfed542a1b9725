"""How the metrics of a confusion table get their intervals.

A method answers None where it is not meant for rows like these, and a reason where it fails on them.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from assay.inference.distributions import student_quantile
from assay.inference.formulas.delta import delta_interval, effective_counts, scale_of
from assay.inference.formulas.proportions import modified_wilson, normal_quantile, proportion_interval
from assay.inference.formulas.ratios import koopman, odds_ratio
from assay.inference.formulas.shared_information import information_jackknife
from assay.inference.influence.gradients import STEP, moved_counts
from assay.inference.intervals.confusion_rates import by_rates, rate_of, right_and_wrong, wilson_name
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.registry import DELTA, RATES, Default, interval_method, no_interval
from assay.metrics import Binary, Classes, Undefined, find
from assay.metrics.classification.association import mutual_information
from assay.tallies import Confusion, LabelSets

if TYPE_CHECKING:
    from assay.inference.formulas.effective_proportions import Rate
    from assay.inference.intervals.interval_request import IntervalRequest, Spread

__all__ = [
    "effective_proportion",
    "less_chance",
    "on_accuracy",
    "on_likelihood_ratio",
    "proportion",
    "ratio_of_rates",
    "woolf",
]

NAMES = {
    "wilson": "Wilson",
    "modified-wilson": "modified Wilson",
    "clopper-pearson": "Clopper-Pearson",
    "agresti-coull": "Agresti-Coull",
    "jeffreys": "Jeffreys",
    "mid-p": "mid-p",
    "wilson-corrected": "Wilson, corrected",
}


_NEAR_BOUND = 1e-9


no_interval(
    "it turns where the classes are even; the interval of kappa takes it into account",
    metrics=("expected_agreement",),
)
no_interval(
    "it has a corner where both margins agree, which no standard error describes", metrics=("max_kappa",)
)
no_interval(
    "it is the statistic of a test, which grows with the rows: its p-value says what it means",
    kinds=("statistic",),
)


@interval_method("proportion", Default(kinds=("proportion",)))
def proportion(asked: IntervalRequest, method: str = "modified-wilson") -> IntervalResult | str | None:
    """Return the interval of x of n rows; weighted or clustered rows count for what they are worth."""
    if asked.plain:
        x, n = _hits(asked)
        low, high = proportion_interval(x, n, asked.confidence, method)
        error = math.sqrt(asked.value * (1 - asked.value) / n)
        name = NAMES[method]
        if method == "modified-wilson":
            name = wilson_name(x, n, (low, high), asked.confidence)
        return IntervalResult(low, high, name, "", error)
    rate = _rate(asked)
    if rate is not None:
        return rate_interval(rate, asked, method)
    spread = asked.spread
    if spread is None:
        return "the rows' influence on it is not known"
    return effective_proportion(asked.value, spread, asked.confidence, method)


def _rate(asked: IntervalRequest) -> Rate | None:
    """Return the rate of weighted or clustered rows that a metric is, where its cells are known."""
    if asked.metric.name in ("accuracy", "error_rate"):
        cells = right_and_wrong(asked)
        right = asked.metric.name == "accuracy"
        return None if cells is None else cells.rate([right, not right], [True, True], asked.confidence)
    return rate_of(asked) if asked.metric.reads is Binary else None


def rate_interval(rate: Rate, asked: IntervalRequest, method: str = "modified-wilson") -> IntervalResult:
    """Return the interval of a rate of weighted or clustered rows."""
    low, high = proportion_interval(rate.hits, rate.rows, asked.confidence, method)
    note = ""
    if rate.value in (0.0, 1.0):
        which = "clusters of equal size" if asked.clustered else "rows of equal weight"
        note = f"no spread was seen: the denominator is worth {rate.rows:.3g} {which}"
    return IntervalResult(low, high, f"{NAMES[method]} on effective rows", note, rate.error)


def effective_proportion(
    value: float, spread: Spread, confidence: float, method: str = "modified-wilson"
) -> IntervalResult:
    """Return the interval of a share of all rows, which count for what they are worth."""
    note = ""
    known = spread.error > 0 and 0 < value < 1
    # A share of 0 or 1 shows no spread: then each group, or Kish's number of rows, stands for one row.
    df = spread.df if spread.groups is None else spread.design_df
    fewest = (spread.groups or spread.worth) if math.isnan(spread.units) else spread.units
    x, n = effective_counts(value, spread.error**2 if known else 0.0, fewest)
    if df is not None and known:  # Korn and Graubard 1998: as much less as t is wider than normal
        shrunk = (normal_quantile(confidence) / student_quantile(confidence, df)) ** 2
        x, n = x * shrunk, n * shrunk
    if not known:
        note = "no spread was seen: " + (
            "every group counts as one row" if spread.groups else "Kish's number of rows stands in"
        )
    low, high = proportion_interval(x, n, confidence, method)
    error = None if math.isnan(spread.error) else spread.error
    return IntervalResult(low, high, f"{NAMES[method]} on effective rows", note, error)


@interval_method(
    "koopman-mover", Default(metrics=("positive_likelihood_ratio", "negative_likelihood_ratio"), then=RATES)
)
def ratio_of_rates(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a likelihood ratio: Koopman's score interval, or MOVER's where that is wider.

    With one error in 500 rows Koopman's covered 0.75 to 0.89, MOVER's of the logarithms 0.97 and more.
    """
    c = _binary(asked)
    if c is None:
        return None
    x1, x2 = (c.tp, c.fp) if asked.metric.name == "positive_likelihood_ratio" else (c.fn, c.tn)
    low, high = koopman(x1, c.tp + c.fn, x2, c.fp + c.tn, confidence=asked.confidence)
    rates = by_rates(asked) if 0 < asked.value < math.inf else None
    error = None
    if isinstance(rates, IntervalResult):
        low, high, error = min(low, rates.low), max(high, rates.high), rates.standard_error
    return IntervalResult(low, high, "Koopman and MOVER", "", error)


@interval_method("from-likelihood-ratio", Default(metrics=("prevalence_threshold",), then=RATES))
def on_likelihood_ratio(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the prevalence threshold, 1 / (1 + sqrt(LR+)), from that of LR+."""
    metric = find("positive_likelihood_ratio")
    ratio = metric(asked.tally, **asked.options)
    if isinstance(ratio, Undefined):
        return None
    found = ratio_of_rates(dataclasses.replace(asked, metric=metric, value=float(ratio)))
    if not isinstance(found, IntervalResult):
        return found
    high, low = (1 / (1 + math.sqrt(limit)) for limit in (found.low, found.high))
    return IntervalResult(low, high, f"{found.method} on the likelihood ratio")


@interval_method("from-accuracy", Default(metrics=("brennan_prediger",), then=RATES))
def on_accuracy(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of agreement beyond drawing blindly, from that of accuracy."""
    if not asked.plain:
        return None
    n, size = asked.tally.n, len(asked.tally.labels)  # type: ignore[attr-defined]
    right = round((asked.value * (size - 1) + 1) / size * n)
    limits = modified_wilson(right, n, asked.confidence)
    low, high = ((size * limit - 1) / (size - 1) for limit in limits)
    error = size / (size - 1) * math.sqrt(right * (n - right) / n) / n
    return IntervalResult(
        low, high, f"{wilson_name(right, n, limits, asked.confidence)} on accuracy", "", error
    )


@interval_method("woolf", Default(metrics=("diagnostic_odds_ratio",), then=RATES))
def woolf(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of an odds ratio on the log scale."""
    c = _binary(asked)
    if c is None:
        return None
    found = odds_ratio(c.tp, c.fp, c.fn, c.tn, confidence=asked.confidence)
    return IntervalResult(found.low, found.high, "Woolf", found.note)  # type: ignore[arg-type]


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
def less_chance(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the delta interval of shared information, its lower limit less what chance adds to the value.

    Shared information is biased by half the cells, less half the rows and columns, of those that can hold any
    row, over n (Miller and Madow 1955). How many can is not known: all of them for the lower limit, and those
    that do hold some for the upper one, which may lie higher than without: an entropy of few rows is too low.
    """
    if not asked.plain or asked.spread is None or not isinstance(asked.tally, Confusion):
        return None
    view = Classes.of(asked.tally)
    cells, rows, columns = (int(np.count_nonzero(each)) for each in (view.table, view.actual, view.predicted))
    known, twice = float(mutual_information.formula(view)), 2 * float(view.n)
    most, least = (rows - 1) * (columns - 1) / twice, (cells - rows - columns + 1) / twice
    bias, wider = information_jackknife(view.table)
    most = max(most, bias)
    if not 0 < most < known:
        return None
    ends = asked.value * (1 - most / known), asked.value * (1 - min(least, most) / known)
    return _between(asked, *ends, wider)


def _between(asked: IntervalRequest, first: float, last: float, wider: float) -> IntervalResult | None:
    """Return the delta interval from the lower limit about one value to the upper limit about another.

    The standard error is taken to be `wider` than that of the delta method by a factor.
    """
    bounds, error = asked.metric.bounds, asked.spread.error  # type: ignore[union-attr]
    last = min(last, bounds[1] * (1 - _NEAR_BOUND)) if math.isfinite(bounds[1]) else last
    both = [delta_interval(end, error * wider, bounds, confidence=asked.confidence) for end in (first, last)]
    if both[0] is None or both[1] is None:
        return None
    return IntervalResult(both[0][0], both[1][1], f"delta, {scale_of(bounds).name}, less chance", "", error)


def _hits(asked: IntervalRequest) -> tuple[float, float]:
    """Return the x of n rows that a proportion is."""
    if isinstance(asked.tally, Confusion | LabelSets) and asked.metric.reads is Binary:
        c = Binary.of(asked.tally, **{k: v for k, v in asked.options.items() if k == "positive"})
        n = _of_how_many(asked, c)
    else:
        n = asked.tally.n  # type: ignore[attr-defined]
    return round(asked.value * n), n


def _of_how_many(asked: IntervalRequest, c: Binary) -> int:
    """Return the n of a share x of n: one row more that counts and one that does not differ by 1/n."""
    moved = asked.tally.cached(("moved", c.tp, c.fp, c.fn), lambda: moved_counts(c))
    slopes = np.asarray(asked.metric.formula(moved)).imag / STEP
    return round(1 / float(slopes.max() - slopes.min()))


def _binary(asked: IntervalRequest) -> Binary | None:
    """Return the plain counts of one class; None where rows are weighted or grouped, or classes averaged."""
    if not asked.plain or asked.options.get("average") or not isinstance(asked.tally, Confusion | LabelSets):
        return None
    return Binary.of(asked.tally, **{k: v for k, v in asked.options.items() if k == "positive"})
