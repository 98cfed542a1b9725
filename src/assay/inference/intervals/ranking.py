"""How figures of ranks get their intervals.

A method answers None where it is not meant for rows like these, and a reason where it fails on them.
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
from assay.inference.intervals.interval_request import NOISE, IntervalResult
from assay.inference.intervals.registry import Default, interval_method, no_interval
from assay.inference.intervals.roc_auc import SINGLE_ROW_CLASS, area, class_worth
from assay.inputs.labels import encode
from assay.metrics import Ranks, Undefined, find
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.tallies import ClassScores, Scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = [
    "at_share",
    "best_of_cutoffs",
    "h_apart",
    "hull_area",
    "lift",
    "over_classes",
    "partial_area",
    "precision_area",
]

_PRIOR_POSITIVES, _PRIOR_FREEDOM = 20.0, 4.0  # of the binomial variance of an area of precision and recall
_FEW_INSIDE = 15  # rows of a class in a range, below which intervals were seen to cover less than they say
_PRIOR_ROWS = 5.0  # that show the plain binomial variance of a rate, beside the rows at hand
_MIN_ROWS_FOR_H = 30
_SPLITS = 10  # of a few rows; of many one is enough, for what two halves have apart goes out on average
_MANY = 1_000_000
# The best of many cutoffs is too high by what falls as this power of the rows (Kim and Pollard 1990), and so
# does the gap between a curve and its hull (Kiefer and Wolfowitz 1976).
_RATE = 2 / 3
_CHOSEN = ("ks", "h_measure")  # figures of cutoffs that are chosen on the rows
_NO_OVERLAP = "the classes do not overlap, so that the rows show no spread"
_ROWS_NEEDED = "a tally of classes' scores does not say which of them are those of one row: pass the rows"


no_interval(
    "it is the best of all cutoffs, chosen on the same rows, so that it flatters: judge it on others",
    views=(Ranks,),
    kinds=("extreme",),
)


@interval_method("partial-auc", Default(metrics=("partial_auc",)))
def partial_area(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a part of the area, on the logit of its share of all there is in the range."""
    chosen = {**asked.metric.parameters, **asked.options}
    within = chosen["sensitivity"]
    low, high = chosen["false_positive_rate"] if within is None else within
    width, guessing = high - low, (high * high - low * low) / 2
    guessing = guessing if within is None else width - guessing
    # Where no area and all of it lie, also as (1 + (area - guessing) / (width - guessing)) / 2.
    ends = (0.5 - guessing / (width - guessing) / 2, 1.0) if chosen["corrected"] else (0.0, width)
    found, sizes = _logit(asked, "delta, logit", *ends), class_worth(asked)
    if isinstance(found, IntervalResult):
        inside = width * sizes[1 if within is None else 0]
        few = f"the range holds about {inside:.2g} rows of a class: the interval may cover less than it says"
        return found._replace(note=few if inside < _FEW_INSIDE else "")
    if asked.value < ends[1]:
        return found
    # All positives are above the range's cutoffs: the least share of them that is so bounds the area.
    size = sizes[0 if within is None else 1]
    share = wilson(size, size, asked.confidence)[0]
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
def precision_area(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of an area under the precision-recall curve, on the logit scale.

    The variance is moderated by the binomial one of as many positives, as if twenty of them had shown it
    (few positives show it badly: Boyd, Eng and Page 2013), and Student's t has four degrees of freedom beside
    the positives. Where every positive is above every negative, it is the interval of all positives: it, too,
    takes the area for a share of the positives, and it has a limit where that is 1.
    """
    positives, negatives = class_worth(asked)
    if asked.value > 1 - NOISE:
        if not negatives:
            return "there are no negatives, so that every order has precision 1"
        low, _ = modified_wilson(positives, positives, asked.confidence)
        return IntervalResult(low, 1.0, "modified Wilson on positives", _NO_OVERLAP)
    spread = asked.spread
    if spread is None or not positives or not asked.value > 0:
        limits = logit_binomial(asked.value, positives, confidence=asked.confidence)
        return None if limits is None else IntervalResult(*limits, "logit-binomial")
    if math.isnan(spread.error):
        return "one group shows no spread"
    binomial = asked.value * (1 - asked.value) / positives
    variance = (positives * spread.error**2 + _PRIOR_POSITIVES * binomial) / (positives + _PRIOR_POSITIVES)
    df = min(positives + _PRIOR_FREEDOM, math.inf if spread.df is None else spread.df)
    error = math.sqrt(max(variance, spread.error**2))
    limits = delta_interval(asked.value, error, (0, 1), confidence=asked.confidence, df=df)
    return None if limits is None else IntervalResult(*limits, "logit, moderated", "", spread.error)


@interval_method("convex-hull-auc", Default(metrics=("convex_hull_auc",)))
def hull_area(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the hull's area, from the plain area's lower limit to its own upper one.

    The hull is chosen on the rows, so that it lies too high. The plain area does not, and no true hull has
    less: its lower limit is safe (Fawcett 2006).
    """
    plain = find("auc")
    value = plain(asked.tally, **asked.options)
    under = dataclasses.replace(asked, metric=plain, value=float(value))
    found = over_classes(under) if asked.options.get("average") else area(under)
    if not isinstance(found, IntervalResult):
        return found
    own = _logit(asked, "delta, logit", 0.5, 1.0)
    high, error = (own.high, own.standard_error) if isinstance(own, IntervalResult) else (1.0, None)
    return IntervalResult(max(found.low, 0.5), high, f"{found.method} below, delta above", found.note, error)


@interval_method("best-cutoff", Default(metrics=("ks",)))
def best_of_cutoffs(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a metric of cutoffs chosen on the rows, lowered by what that flatters."""
    if asked.metric.name == "h_measure" and min(class_worth(asked)) < _MIN_ROWS_FOR_H:
        return (
            f"with fewer than {_MIN_ROWS_FOR_H} rows of a class, or groups with such rows, the H measure is "
            "too high by more than an interval would span"
        )
    own = _at_widest(asked) or _logit(asked, "delta, logit")
    return _lowered(asked, own) if isinstance(own, IntervalResult) else own


def _lowered(asked: IntervalRequest, own: IntervalResult) -> IntervalResult:
    """Return an interval whose lower limit is less by what choosing cutoffs on the rows flatters.

    How much that is, is seen from halves of the rows, on which it is more; drawn with the question's seed.
    """
    halves = [value for value in _of_halves(asked) if math.isfinite(value)]
    if not halves:
        return own._replace(note="too few rows to see how much choosing the cutoff on them flatters")
    flattered = max(0.0, float(np.mean(halves)) - asked.value) / (2**_RATE - 1)
    if own.method.startswith("MOVER"):
        low = own.low - flattered
    else:
        lowered = _logit(asked, "", asked.metric.bounds[0], value=asked.value - flattered)
        low = lowered.low if isinstance(lowered, IntervalResult) else asked.metric.bounds[0]
    note = f"the cutoff is chosen on these rows, which flatters by about {flattered:.2g}"
    return own._replace(low=min(low, own.low), method=f"{own.method}, lowered by halves", note=note)


def _at_widest(asked: IntervalRequest) -> IntervalResult | None:
    """Return the interval of the two classes' distance at the cutoff where it is widest, were it given."""
    if asked.metric.name != "ks" or (asked.clustered and asked.value < 1):
        return None
    view = Ranks.of(asked.tally)
    shares = [x / x[-1] for x in (view.tp, view.fp)]
    place = int(np.argmax(np.abs(shares[0] - shares[1])))
    above = [float(x[place]) for x in shares]
    sizes = class_worth(asked)
    hits = [share * size for share, size in zip(above, sizes, strict=True)]
    signs = (1, -1) if above[0] > above[1] else (-1, 1)
    low, high = weighted_sum_interval(hits, sizes, signs, confidence=asked.confidence)
    error = math.nan if asked.spread is None else asked.spread.error
    return IntervalResult(low, high, "MOVER-Wilson", "", None if math.isnan(error) else error)


@interval_method("h-of-separated-classes", Default(metrics=("h_measure",), then=("best-cutoff",)))
def h_apart(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of the H measure where the classes do not overlap.

    It is at least that of a single cutoff that finds as few of the positives, and lets as many negatives
    pass, as the limits of both classes' shares allow: each is missed once in forty, so both hold at 0.95.
    """
    if asked.value < 1:
        return None
    positives, negatives = class_worth(asked)
    found, passed = (wilson(n, n, asked.confidence)[0] for n in (positives, negatives))
    counts = np.ones(2, dtype=np.uint8)
    two = Scores(1, np.array([0, 1], dtype=np.float32), None, counts, counts)
    m, n = unit_sums(asked.tally)[0].sum(1).tolist()  # type: ignore[arg-type]
    at_worst = Ranks(two, m * np.array([1 - found, found]), n * np.array([passed, 1 - passed]))
    low = float(asked.metric.formula(at_worst, **{**asked.metric.parameters, **asked.options}))
    return IntervalResult(low, 1.0, "Wilson on both classes", _NO_OVERLAP)


@interval_method(
    "rate-at-share", Default(metrics=("gain_at", "precision_at_share", "break_even", "equal_error_rate"))
)
def at_share(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a rate at a cutoff that is put by rank: Wilson's on as many rows as it is worth.

    Its slope needs to know who is near the cutoff: see
    :mod:`assay.inference.influence.ranking_derivatives`. Few rows of a
    class show that badly, so that the variance is moderated by that of as many rows drawn one by one.
    """
    positives, negatives = class_worth(asked)
    n = positives
    if asked.metric.name == "precision_at_share":
        n = (positives + negatives) * {**asked.metric.parameters, **asked.options}["share"]
    elif asked.metric.name == "equal_error_rate":
        n = min(positives, negatives)
    if not NOISE < asked.value < 1 - NOISE or asked.spread is None:
        low, high = modified_wilson(round(asked.value) * n, n, asked.confidence)
        return IntervalResult(low, high, "modified Wilson on its rows", "no spread was seen")
    spread, alone = asked.spread, asked.value * (1 - asked.value)
    if math.isnan(spread.error):
        return "one group shows no spread"
    variance = (n * spread.error**2 + _PRIOR_ROWS * alone / n) / (n + _PRIOR_ROWS)
    if asked.metric.name == "precision_at_share" and not asked.clustered:
        variance = max(variance, alone / n)  # no better known than that of as many rows drawn one by one
    rows = alone / variance
    if spread.df is not None:
        rows *= (normal_quantile(asked.confidence) / student_quantile(asked.confidence, spread.df)) ** 2
    low, high = modified_wilson(asked.value * rows, rows, asked.confidence)
    return IntervalResult(low, high, "modified Wilson on effective rows", "", spread.error)


@interval_method("lift-from-gain", Default(metrics=("lift_at",)))
def lift(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of lift, from that of the gain at the same share."""
    share = {**asked.metric.parameters, **asked.options}["share"]
    found = at_share(dataclasses.replace(asked, metric=find("gain_at"), value=min(asked.value * share, 1.0)))
    if not isinstance(found, IntervalResult):
        return found
    error = None if found.standard_error is None else found.standard_error / share
    return found._replace(low=found.low / share, high=found.high / share, standard_error=error)


@interval_method(
    "class-average-ranks", Default(averages=("rank",)), Default(views=(ClassRanks,), kinds=("rank",))
)
def over_classes(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of a figure of several classes, from every row's part in all of them."""
    if asked.metric.name == "convex_hull_auc":
        return hull_area(asked)
    spread = asked.spread
    if spread is None:
        return _ROWS_NEEDED if asked.rows is None else "its slope is not known here"
    limits = delta_interval(
        asked.value, spread.error, asked.metric.bounds, confidence=asked.confidence, df=spread.df
    )
    if asked.plain and 1 in asked.tally.class_weights:  # type: ignore[attr-defined]
        return SINGLE_ROW_CLASS
    if limits is not None:
        scale = scale_of(asked.metric.bounds).name
        method = "delta" if scale == "identity" else f"delta, {scale}"
        found = IntervalResult(*limits, method, "", spread.error)
        return _lowered(asked, found) if asked.metric.name in _CHOSEN else found
    if math.isnan(spread.error):
        return "one group shows no spread"
    if "auc" in asked.metric.name and asked.value in (0.0, 1.0) and isinstance(asked.tally, ClassScores):
        # The two smallest classes: all others have more rows to show for it.
        sizes = sorted(size for size in asked.tally.class_weights.tolist() if size)
        if asked.plain and len(sizes) > 1:
            low, high = newcombe_auc_interval(asked.value, *sizes[:2], confidence=asked.confidence)
            return IntervalResult(
                low, high, "Newcombe method 5", "no classes overlap: of the two smallest classes"
            )
    return "the rows show no spread"


def _logit(
    asked: IntervalRequest,
    method: str,
    least: float = 0.0,
    largest: float = 1.0,
    *,
    value: float | None = None,
    at_least: float = 0.0,
) -> IntervalResult | str:
    """Return the interval by the standard error, on the logit of the share that a value is of its range.

    `value` stands in for the metric's own; the error is taken to be `at_least` so much.
    """
    value = asked.value if value is None else value
    spread = asked.spread
    if spread is None:
        return "its slope is not known here"
    if math.isnan(spread.error):
        return "one group shows no spread"
    if isinstance(asked.tally, Scores) and not at_least and min(class_worth(asked)) <= 1:
        return SINGLE_ROW_CLASS
    width, error = largest - least, max(spread.error, at_least)
    limits = delta_interval(
        (value - least) / width, error / width, (0, 1), confidence=asked.confidence, df=spread.df
    )
    if limits is None:
        return _NO_OVERLAP if value == asked.metric.best else "the rows show no spread"
    low, high = (least + width * limit for limit in limits)
    return IntervalResult(low, high, method, "", error)


def _of_halves(asked: IntervalRequest) -> Iterator[float]:
    """Yield the figure of random halves of the rows, or of their groups, in pairs that make up the whole."""
    random = np.random.default_rng(asked.seed)
    tally, rows = asked.tally, asked.rows
    size: int = tally.n  # type: ignore[attr-defined]
    for _ in range(max(1, min(_SPLITS, _MANY // max(size, 1)))):
        if isinstance(tally, Scores) and not asked.clustered:
            yield from _split_tally(asked, tally, random)
        elif rows is not None:
            groups, labels = (np.arange(size), range(size)) if rows.group is None else encode(rows.group)
            side = random.integers(0, 2, len(labels)).astype(bool)[groups]
            for half in (side, ~side):
                value = asked.metric(rows.take(half), **asked.row_options) if half.any() else math.nan
                yield math.nan if isinstance(value, Undefined) else value


def _split_tally(asked: IntervalRequest, tally: Scores, random: np.random.Generator) -> Iterator[float]:
    """Yield the figure of one half of a tally's rows and of the other."""
    chosen = {**asked.metric.parameters, **asked.options}
    weight = 1 if tally.weights is None else tally.weights
    counts = [x.astype(np.int64) for x in (tally.positives, tally.negatives)]
    drawn = [random.binomial(count, 0.5) for count in counts]
    rest = [count - half for count, half in zip(counts, drawn, strict=True)]
    for halves in (drawn, rest):
        yield float(asked.metric.formula(Ranks(tally, *(half * weight for half in halves)), **chosen))
