"""Intervals of metrics of ranks: precision-recall areas, rates at a cutoff, best cutoffs, averages.

A method returns None where it does not apply to such rows, and a reason where it fails on them.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from assay.inference.distributions import student_quantile
from assay.inference.formulas.auc import newcombe_auc_interval
from assay.inference.formulas.average_precision import logit_binomial
from assay.inference.formulas.delta import delta_interval, scale_of
from assay.inference.formulas.mover import weighted_sum_interval
from assay.inference.formulas.proportions import modified_wilson, normal_quantile, wilson
from assay.inference.influence.ranking import unit_sums
from assay.inference.intervals.delta_method import NO_SLOPE
from assay.inference.intervals.interval_request import NOISE, IntervalResult
from assay.inference.intervals.method_registry import Default, interval_method, no_interval
from assay.inference.intervals.roc_auc import SINGLE_ROW_CLASS, effective_class_sizes, moderated_delong
from assay.inputs.labels import encode
from assay.metrics import Ranks, Undefined, find
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.tallies import ClassScores, Scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = [
    "best_cutoff",
    "class_average_ranks",
    "convex_hull_auc",
    "h_of_separated_classes",
    "lift_from_gain",
    "partial_auc",
    "precision_recall_area",
    "rate_at_share",
]

# Weight, in positives, of the binomial variance of a precision-recall area, and its degrees of freedom.
_PRIOR_POSITIVES, _PRIOR_DF = 20.0, 4.0
_MIN_ROWS_IN_RANGE = 15  # of a class, below which intervals of a partial area covered too little
_PRIOR_ROWS = 5.0  # weight, in rows, of the binomial variance of a rate
_MIN_ROWS_FOR_H = 100
_TOO_FEW_FOR_H = (
    f"with fewer than {_MIN_ROWS_FOR_H} rows of a class, or groups with such rows, the H measure is "
    "too high by more than an interval's width"
)
# Random splits into halves: one is enough for many rows, since the halves' noise averages out.
_MAX_SPLITS = 10
_ROWS_FOR_ONE_SPLIT = 1_000_000
# The optimism of the best cutoff falls with this power of the rows (Kim and Pollard 1990), and so does the
# gap between a curve and its hull (Kiefer and Wolfowitz 1976).
_OPTIMISM_RATE = 2 / 3
_BEST_CUTOFF_METRICS = ("ks", "h_measure")  # of cutoffs chosen on the same rows
_NO_OVERLAP = "the classes do not overlap, so that the rows show no spread"
_ROWS_NEEDED = "a tally of scores per class does not say which scores belong to one row: pass the rows"


no_interval(
    "it is the best of all cutoffs, chosen on the same rows, and so optimistic: evaluate it on other rows",
    views=(Ranks,),
    kinds=("extreme",),
)


@interval_method("partial-auc", Default(metrics=("partial_auc",)))
def partial_auc(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a partial area, on the logit of its share of the largest possible one."""
    options = {**request.metric.parameters, **request.options}
    within = options["sensitivity"]
    low, high = options["false_positive_rate"] if within is None else within
    width, guessing = high - low, (high * high - low * low) / 2
    guessing = guessing if within is None else width - guessing
    # The metric's smallest and largest value; corrected: (1 + (area - guessing) / (width - guessing)) / 2.
    ends = (0.5 - guessing / (width - guessing) / 2, 1.0) if options["corrected"] else (0.0, width)
    result, sizes = _logit(request, "delta, logit", *ends), effective_class_sizes(request)
    if isinstance(result, IntervalResult):
        inside = width * sizes[1 if within is None else 0]
        note = f"the range has about {inside:.2g} rows of a class: the interval may cover less than it says"
        return result._replace(note=note if inside < _MIN_ROWS_IN_RANGE else "")
    if request.value < ends[1]:
        return result
    # All positives are above the range's cutoffs: the lower limit of that share bounds the area.
    size = sizes[0 if within is None else 1]
    share = wilson(size, size, request.confidence)[0]
    return IntervalResult(ends[0] + share * (ends[1] - ends[0]), ends[1], "Wilson on its rows", _NO_OVERLAP)


@interval_method(
    "moderated-logit",
    Default(
        metrics=(
            *("average_precision", "pr_auc_trapezoid", "pr_auc_integral", "pr_auc_davis_goadrich"),
            "tie_expected_average_precision",
        )
    ),
)
def precision_recall_area(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of an area under the precision-recall curve, on the logit scale.

    The variance is moderated by the binomial one of as many positives with the weight of twenty positives
    (it is badly estimated from few: Boyd, Eng and Page 2013), and Student's t has four degrees of freedom
    more than positives. Where every positive is above every negative, the area is taken for a proportion of
    the positives, whose interval has a width at 1.
    """
    positives, negatives = effective_class_sizes(request)
    if request.value > 1 - NOISE:
        if not negatives:
            return "there are no negatives, so that every order has precision 1"
        low, _ = modified_wilson(positives, positives, request.confidence)
        return IntervalResult(low, 1.0, "modified Wilson on positives", _NO_OVERLAP)
    spread = request.spread
    if spread is None or not positives or not request.value > 0:
        limits = logit_binomial(request.value, positives, confidence=request.confidence)
        return None if limits is None else IntervalResult(*limits, "logit-binomial")
    if math.isnan(spread.error):
        return "one group shows no spread"
    binomial = request.value * (1 - request.value) / positives
    variance = (positives * spread.error**2 + _PRIOR_POSITIVES * binomial) / (positives + _PRIOR_POSITIVES)
    df = min(positives + _PRIOR_DF, math.inf if spread.df is None else spread.df)
    error = math.sqrt(max(variance, spread.error**2))
    limits = delta_interval(request.value, error, (0, 1), confidence=request.confidence, df=df)
    return None if limits is None else IntervalResult(*limits, "logit, moderated", "", spread.error)


@interval_method("convex-hull-auc", Default(metrics=("convex_hull_auc",)))
def convex_hull_auc(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the hull's area, from the plain area's lower limit to the higher upper one.

    The hull is fitted to the rows, so that its area is too high. The plain area is not, and no true hull has
    a smaller area: its lower limit is safe (Fawcett 2006). For the same reason no upper limit below the plain
    area's is: of three distinct scores, 12 positives show so little spread that the hull's own held 0.76.
    """
    plain = find("auc")
    value = plain(request.tally, **request.options)
    plain_request = dataclasses.replace(request, metric=plain, value=float(value))
    result = (
        class_average_ranks(plain_request)
        if request.options.get("average")
        else moderated_delong(plain_request)
    )
    if not isinstance(result, IntervalResult):
        return result
    own = _logit(request, "delta, logit", 0.5, 1.0)
    high, error = (own.high, own.standard_error) if isinstance(own, IntervalResult) else (1.0, None)
    high = max(high, result.high)
    return IntervalResult(
        max(result.low, 0.5), high, f"{result.method} below, delta above", result.note, error
    )


@interval_method("best-cutoff", Default(metrics=("ks",)))
def best_cutoff(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a metric at its best cutoff, lowered by the optimism of choosing it."""
    if request.metric.name == "h_measure" and min(effective_class_sizes(request)) < _MIN_ROWS_FOR_H:
        return _TOO_FEW_FOR_H
    own = _ks_at_cutoff(request) or _logit(request, "delta, logit")
    return _lowered(request, own) if isinstance(own, IntervalResult) else own


def _lowered(request: IntervalRequest, own: IntervalResult) -> IntervalResult:
    """Lower the lower limit of an interval by the optimism of choosing cutoffs on the same rows.

    The optimism is estimated from random halves of the rows, where it is larger (drawn with the seed).
    """
    halves = [value for value in _of_halves(request) if math.isfinite(value)]
    if not halves:
        return own._replace(note="too few rows to estimate the optimism of choosing the cutoff on them")
    optimism = max(0.0, float(np.mean(halves)) - request.value) / (2**_OPTIMISM_RATE - 1)
    if own.method.startswith("MOVER"):
        low = own.low - optimism
    else:
        lowered = _logit(request, "", request.metric.bounds[0], value=request.value - optimism)
        low = lowered.low if isinstance(lowered, IntervalResult) else request.metric.bounds[0]
    note = f"the cutoff is chosen on these rows, which is optimistic by about {optimism:.2g}"
    return own._replace(low=min(low, own.low), method=f"{own.method}, lowered by halves", note=note)


def _ks_at_cutoff(request: IntervalRequest) -> IntervalResult | None:
    """Return the interval of the classes' distance at the KS cutoff, as if that cutoff were given."""
    if request.metric.name != "ks" or (request.clustered and request.value < 1):
        return None
    view = Ranks.of(request.tally)
    shares = [x / x[-1] for x in (view.tp, view.fp)]
    index = int(np.argmax(np.abs(shares[0] - shares[1])))
    above = [float(x[index]) for x in shares]
    sizes = effective_class_sizes(request)
    hits = [share * size for share, size in zip(above, sizes, strict=True)]
    signs = (1, -1) if above[0] > above[1] else (-1, 1)
    low, high = weighted_sum_interval(hits, sizes, signs, confidence=request.confidence)
    error = math.nan if request.spread is None else request.spread.error
    return IntervalResult(low, high, "MOVER-Wilson", "", None if math.isnan(error) else error)


@interval_method("h-of-separated-classes", Default(metrics=("h_measure",), then=("best-cutoff",)))
def h_of_separated_classes(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the H measure where the classes do not overlap.

    The lower limit is that of a single cutoff with recall and specificity at their lower limits: each fails
    one time in forty, so both hold at 0.95. The H measure of few rows of a class has no interval: it is too
    high, by more than the halves show (weighted rows of 50 positives were covered 0.73 to 0.90 of the time).
    """
    positives, negatives = effective_class_sizes(request)
    if min(positives, negatives) < _MIN_ROWS_FOR_H:
        return _TOO_FEW_FOR_H
    if request.value < 1:
        return None
    result, passed = (wilson(n, n, request.confidence)[0] for n in (positives, negatives))
    counts = np.ones(2, dtype=np.uint8)
    two = Scores(1, np.array([0, 1], dtype=np.float32), None, counts, counts)
    m, n = unit_sums(request.tally)[0].sum(1).tolist()  # type: ignore[arg-type]
    at_worst = Ranks(two, m * np.array([1 - result, result]), n * np.array([passed, 1 - passed]))
    low = float(request.metric.formula(at_worst, **{**request.metric.parameters, **request.options}))
    return IntervalResult(low, 1.0, "Wilson on both classes", _NO_OVERLAP)


@interval_method(
    "rate-at-share", Default(metrics=("gain_at", "precision_at_share", "break_even", "equal_error_rate"))
)
def rate_at_share(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a rate at a cutoff set by rank: Wilson's on its effective sample size.

    Its slope depends on the density of rows near the cutoff: see
    :mod:`assay.inference.influence.ranking_derivatives`. Few rows of a class show that badly, so that the
    variance is moderated by the binomial one.
    """
    positives, negatives = effective_class_sizes(request)
    n = positives
    if request.metric.name == "precision_at_share":
        n = (positives + negatives) * {**request.metric.parameters, **request.options}["share"]
    elif request.metric.name == "equal_error_rate":
        n = min(positives, negatives)
    if not NOISE < request.value < 1 - NOISE or request.spread is None:
        low, high = modified_wilson(round(request.value) * n, n, request.confidence)
        return IntervalResult(low, high, "modified Wilson on its rows", "no spread was seen")
    spread, binomial = request.spread, request.value * (1 - request.value)
    if math.isnan(spread.error):
        return "one group shows no spread"
    variance = (n * spread.error**2 + _PRIOR_ROWS * binomial / n) / (n + _PRIOR_ROWS)
    if request.metric.name == "precision_at_share" and not request.clustered:
        variance = max(variance, binomial / n)  # no smaller than that of as many independent rows
    rows = binomial / variance
    if spread.df is not None:
        rows *= (normal_quantile(request.confidence) / student_quantile(request.confidence, spread.df)) ** 2
    low, high = modified_wilson(request.value * rows, rows, request.confidence)
    return IntervalResult(low, high, "modified Wilson on effective rows", "", spread.error)


@interval_method("lift-from-gain", Default(metrics=("lift_at",)))
def lift_from_gain(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of lift, from that of the gain at the same share."""
    share = {**request.metric.parameters, **request.options}["share"]
    result = rate_at_share(
        dataclasses.replace(request, metric=find("gain_at"), value=min(request.value * share, 1.0))
    )
    if not isinstance(result, IntervalResult):
        return result
    error = None if result.standard_error is None else result.standard_error / share
    return result._replace(low=result.low / share, high=result.high / share, standard_error=error)


@interval_method(
    "class-average-ranks", Default(averages=("rank",)), Default(views=(ClassRanks,), kinds=("rank",))
)
def class_average_ranks(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of an average over classes, from each row's influence in all of them."""
    if request.metric.name == "convex_hull_auc":
        return convex_hull_auc(request)
    spread = request.spread
    if spread is None:
        return _ROWS_NEEDED if request.rows is None else NO_SLOPE
    limits = delta_interval(
        request.value, spread.error, request.metric.bounds, confidence=request.confidence, df=spread.df
    )
    if request.plain and 1 in request.tally.class_weights:  # type: ignore[attr-defined]
        return SINGLE_ROW_CLASS
    if limits is not None:
        scale = scale_of(request.metric.bounds).name
        method = "delta" if scale == "identity" else f"delta, {scale}"
        result = IntervalResult(*limits, method, "", spread.error)
        return _lowered(request, result) if request.metric.name in _BEST_CUTOFF_METRICS else result
    if math.isnan(spread.error):
        return "one group shows no spread"
    if (
        "auc" in request.metric.name
        and request.value in (0.0, 1.0)
        and isinstance(request.tally, ClassScores)
    ):
        # By the two smallest classes: all others have more rows.
        sizes = sorted(size for size in request.tally.class_weights.tolist() if size)
        if request.plain and len(sizes) > 1:
            low, high = newcombe_auc_interval(request.value, *sizes[:2], confidence=request.confidence)
            return IntervalResult(
                low, high, "Newcombe method 5", "no classes overlap: of the two smallest classes"
            )
    return "the rows show no spread"


def _logit(
    request: IntervalRequest,
    method: str,
    lower: float = 0.0,
    upper: float = 1.0,
    *,
    value: float | None = None,
    min_error: float = 0.0,
) -> IntervalResult | str:
    """Return the interval by the standard error, on the logit of a value's position in its range.

    `value` replaces the metric's own; the standard error is at least `min_error`.
    """
    value = request.value if value is None else value
    spread = request.spread
    if spread is None:
        return NO_SLOPE
    if math.isnan(spread.error):
        return "one group shows no spread"
    if isinstance(request.tally, Scores) and not min_error and min(effective_class_sizes(request)) <= 1:
        return SINGLE_ROW_CLASS
    width, error = upper - lower, max(spread.error, min_error)
    limits = delta_interval(
        (value - lower) / width, error / width, (0, 1), confidence=request.confidence, df=spread.df
    )
    if limits is None:
        return _NO_OVERLAP if value == request.metric.best else "the rows show no spread"
    low, high = (lower + width * limit for limit in limits)
    return IntervalResult(low, high, method, "", error)


def _of_halves(request: IntervalRequest) -> Iterator[float]:
    """Yield the metric of random halves of the rows, or of their groups, in complementary pairs."""
    random = np.random.default_rng(request.seed)
    tally, rows = request.tally, request.rows
    size: int = tally.n  # type: ignore[attr-defined]
    for _ in range(max(1, min(_MAX_SPLITS, _ROWS_FOR_ONE_SPLIT // max(size, 1)))):
        if isinstance(tally, Scores) and not request.clustered:
            yield from _split_tally(request, tally, random)
        elif rows is not None:
            groups, labels = (np.arange(size), range(size)) if rows.group is None else encode(rows.group)
            side = random.integers(0, 2, len(labels)).astype(bool)[groups]
            for half in (side, ~side):
                value = request.metric(rows.take(half), **request.row_options) if half.any() else math.nan
                yield math.nan if isinstance(value, Undefined) else value


def _split_tally(request: IntervalRequest, tally: Scores, random: np.random.Generator) -> Iterator[float]:
    """Yield the metric of a random half of a tally's rows, and of the other half."""
    options = {**request.metric.parameters, **request.options}
    weight = 1 if tally.weights is None else tally.weights
    counts = [x.astype(np.int64) for x in (tally.positives, tally.negatives)]
    drawn = [random.binomial(count, 0.5) for count in counts]
    rest = [count - half for count, half in zip(counts, drawn, strict=True)]
    for halves in (drawn, rest):
        yield float(request.metric.formula(Ranks(tally, *(half * weight for half in halves)), **options))
