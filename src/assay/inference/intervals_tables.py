"""How the metrics of a confusion table get their intervals.

A method answers None where it is not meant for rows like these, and a reason where it fails on them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.inference.delta import delta_interval, effective_counts, scale_of, variance
from assay.inference.differences import (
    f1_interval,
    mover,
    negative_predictive_value_at,
    positive_predictive_value_at,
    weighted_sum_interval,
)
from assay.inference.distributions import student_quantile
from assay.inference.gradients import STEP, class_slopes, moved_counts
from assay.inference.proportions import normal_quantile, proportion_interval
from assay.inference.question import Found
from assay.inference.ratios import koopman, odds_ratio
from assay.metrics import Binary, Classes
from assay.metrics.association import mutual_information
from assay.tallies import Confusion, LabelSets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inference.question import Question, Spread

__all__ = [
    "at_prevalence",
    "by_delta",
    "by_plain_delta",
    "effective_proportion",
    "less_chance",
    "mean_of_recalls",
    "on_accuracy",
    "on_jaccard",
    "on_likelihood_ratio",
    "on_two_rates",
    "proportion",
    "ratio_of_rates",
    "with_filled_cells",
    "woolf",
]

NAMES = {
    "wilson": "Wilson",
    "clopper-pearson": "Clopper-Pearson",
    "agresti-coull": "Agresti-Coull",
    "jeffreys": "Jeffreys",
    "mid-p": "mid-p",
    "wilson-corrected": "Wilson, corrected",
}


NO_SLOPE = "its slope is not known here"


def proportion(asked: Question, method: str = "wilson") -> Found | str | None:
    """Return the interval of x of n rows; weighted or clustered rows count for what they are worth."""
    if asked.plain:
        x, n = _hits(asked)
        low, high = proportion_interval(x, n, asked.confidence, method)
        return Found(low, high, NAMES[method])
    spread = asked.spread
    if spread is None:
        return "the rows' influence on it is not known"
    return effective_proportion(asked.value, spread, asked.confidence, method)


def effective_proportion(value: float, spread: Spread, confidence: float, method: str = "wilson") -> Found:
    """Return the interval of a share of rows that count for what they are worth."""
    note = ""
    # A share of 0 or 1 shows no spread: then each group, or Kish's number of rows, stands for one row.
    least = float(spread.groups) if spread.groups is not None else spread.worth
    known = spread.error > 0 and 0 < value < 1
    x, n = effective_counts(value, spread.error**2 if known else 0.0, least)
    if spread.df is not None and known:  # Korn and Graubard 1998: as much less as t is wider than normal
        shrunk = (normal_quantile(confidence) / student_quantile(confidence, spread.df)) ** 2
        x, n = x * shrunk, n * shrunk
    if not known:
        note = "no spread was seen: " + (
            "every group counts as one row" if spread.groups else "Kish's number of rows stands in"
        )
    low, high = proportion_interval(x, n, confidence, method)
    return Found(low, high, f"{NAMES[method]} on effective rows", note, spread.error if known else None)


def on_jaccard(asked: Question) -> Found | str | None:
    """Return F1's interval, mapped from that of Jaccard, which is a proportion."""
    c = _binary(asked)
    if c is None:
        return None
    low, high = f1_interval(c.tp, c.fp, c.fn, confidence=asked.confidence)
    return Found(low, high, "Wilson on Jaccard")


def mean_of_recalls(asked: Question) -> Found | str | None:
    """Return the interval of a mean of recalls, arithmetic or geometric, each of them a proportion."""
    if not asked.plain or not isinstance(asked.tally, Confusion):
        return None
    view = Classes.of(asked.tally)
    hits, totals = (np.asarray(x, dtype=float).tolist() for x in (view.hits, view.actual))
    size = len(hits)
    if asked.metric.name == "g_mean":
        return _product(hits, totals, asked.confidence)
    # K b - 1 over K - 1 for the figure that is corrected for chance, else the plain mean.
    adjusted = asked.metric.name == "adjusted_balanced_accuracy"
    factor, shift = (1 / (size - 1), -1 / (size - 1)) if adjusted else (1 / size, 0.0)
    return _mover(hits, totals, factor, shift, asked.confidence)


def on_two_rates(asked: Question) -> Found | str | None:
    """Return the interval of a sum of two independent rates: recall and specificity, or PPV and NPV."""
    c = _binary(asked)
    if c is None:
        return None
    marked = asked.metric.name == "markedness"
    totals = (c.tp + c.fp, c.tn + c.fn) if marked else (c.tp + c.fn, c.tn + c.fp)
    factor, shift = (0.5, 0.0) if asked.metric.bounds[0] == 0 else (1.0, -1.0)
    return _mover((c.tp, c.tn), totals, factor, shift, asked.confidence)


def _mover(
    hits: Sequence[float], totals: Sequence[float], factor: float, shift: float, confidence: float
) -> Found:
    """Return the interval of a sum of rates, from Jeffreys' interval of each.

    Wilson's, the more usual, fell to 0.89 where a rate of few rows is near 1; with Jeffreys' the coverage
    stayed within 0.93 and 0.98 over the same grid.
    """
    low, high = weighted_sum_interval(
        hits, totals, [factor] * len(hits), shift=shift, confidence=confidence, method="jeffreys"
    )
    return Found(low, high, "MOVER-Jeffreys")


def _product(hits: Sequence[float], totals: Sequence[float], confidence: float) -> Found:
    """Return the interval of a geometric mean of rates: that of the sum of their logarithms."""
    limits = [proportion_interval(x, n, confidence, "jeffreys") for x, n in zip(hits, totals, strict=True)]
    share = 1 / len(hits)
    if not all(hits):  # the product is 0, and at most that of the rates' upper limits
        return Found(0.0, math.prod(high**share for _, high in limits), "MOVER-Jeffreys on logarithms")
    logs = [math.log(x / n) for x, n in zip(hits, totals, strict=True)]
    low, high = mover(logs, [(math.log(low), math.log(high)) for low, high in limits], [share] * len(hits))
    return Found(math.exp(low), math.exp(high), "MOVER-Jeffreys on logarithms")


def ratio_of_rates(asked: Question) -> Found | str | None:
    """Return the score interval of a likelihood ratio."""
    c = _binary(asked)
    if c is None:
        return None
    x1, x2 = (c.tp, c.fp) if asked.metric.name == "positive_likelihood_ratio" else (c.fn, c.tn)
    low, high = koopman(x1, c.tp + c.fn, x2, c.fp + c.tn, confidence=asked.confidence)
    return Found(low, high, "Koopman")


def on_likelihood_ratio(asked: Question) -> Found | str | None:
    """Return the interval of the prevalence threshold, 1 / (1 + sqrt(LR+)), from that of LR+."""
    c = _binary(asked)
    if c is None:
        return None
    limits = koopman(c.tp, c.tp + c.fn, c.fp, c.fp + c.tn, confidence=asked.confidence)
    high, low = (1 / (1 + math.sqrt(limit)) for limit in limits)
    return Found(low, high, "Koopman on the likelihood ratio")


def at_prevalence(asked: Question) -> Found | str | None:
    """Return the interval of a predictive value at a stated prevalence."""
    c = _binary(asked)
    prevalence = asked.options.get("prevalence", 0.5)
    if c is None or not 0 < prevalence < 1:
        return None
    positive = asked.metric.name == "precision_at_prevalence"
    of = positive_predictive_value_at if positive else negative_predictive_value_at
    found = of(prevalence, c.tp, c.fp, c.fn, c.tn, confidence=asked.confidence)
    return Found(found.low, found.high, "logit delta of two rates", found.note)  # type: ignore[arg-type]


def on_accuracy(asked: Question) -> Found | str | None:
    """Return the interval of agreement beyond drawing blindly, from that of accuracy."""
    if not asked.plain:
        return None
    n, size = asked.tally.n, len(asked.tally.labels)  # type: ignore[attr-defined]
    right = round((asked.value * (size - 1) + 1) / size * n)
    low, high = ((size * limit - 1) / (size - 1) for limit in proportion_interval(right, n, asked.confidence))
    return Found(low, high, "Wilson on accuracy")


def with_filled_cells(asked: Question) -> Found | str | None:
    """Return the delta interval where a cell is empty, its error that of half a row more in each.

    An empty cell has no part in the variance, though rows might have fallen there: intervals of F-beta
    without a single missed positive covered 0.88, and 0.94 so.
    """
    c = _binary(asked)
    if c is None or (c.tp and c.fp and c.fn):
        return None
    cells = np.array([c.tp, c.fp, c.fn, c.tn]) + 0.5
    parameters = {name: given for name, given in asked.options.items() if name != "positive"}
    slopes = class_slopes(lambda x: asked.metric.formula(x, **parameters), Binary(*cells))
    error = math.sqrt(variance([slopes.tp, slopes.fp, slopes.fn, slopes.tn], cells))
    limits = delta_interval(asked.value, error, asked.metric.bounds, confidence=asked.confidence)
    if limits is None:
        return None
    note = "a cell is empty, so the error is that of half a row more in each"
    return Found(*limits, "delta, logit", note, error)


def woolf(asked: Question) -> Found | str | None:
    """Return the interval of an odds ratio on the log scale."""
    c = _binary(asked)
    if c is None:
        return None
    found = odds_ratio(c.tp, c.fp, c.fn, c.tn, confidence=asked.confidence)
    return Found(found.low, found.high, "Woolf", found.note)  # type: ignore[arg-type]


def by_delta(asked: Question, scale: str | None = None) -> Found | str | None:
    """Return the interval from the standard error, on the scale that suits the bounds."""
    if math.isinf(asked.value):
        return "an infinite value has no interval"
    spread = asked.spread
    if spread is None:
        return "the tally does not tell its spread: give the rows" if asked.rows is None else NO_SLOPE
    if math.isnan(spread.error):
        return "one group shows no spread"
    limits = delta_interval(
        asked.value, spread.error, asked.metric.bounds, confidence=asked.confidence, df=spread.df, scale=scale
    )
    if limits is None:
        return "the rows show no spread"
    name = scale or scale_of(asked.metric.bounds).name
    return Found(*limits, "delta" if name == "identity" else f"delta, {name}", "", spread.error)


def by_plain_delta(asked: Question) -> Found | str | None:
    """Return value plus or minus its error, for a figure that may well be 0 though its estimate seldom is."""
    return by_delta(asked, "identity")


def less_chance(asked: Question) -> Found | str | None:
    """Return the delta interval about the value less what chance alone adds to it (Miller and Madow 1955).

    Shared information is never below 0, so that chance only adds to it: (r - 1)(c - 1) / 2n for r classes
    and c predictions. With 5 classes and 100 rows the uncorrected interval covered 0.77.
    """
    if not asked.plain or asked.spread is None or not isinstance(asked.tally, Confusion):
        return None
    view = Classes.of(asked.tally)
    added = (np.count_nonzero(view.actual) - 1) * (np.count_nonzero(view.predicted) - 1) / (2 * float(view.n))
    known = float(mutual_information.formula(view))
    if not 0 < added < known:
        return None
    centre = asked.value * (1 - added / known)
    bounds, error = asked.metric.bounds, asked.spread.error
    limits = delta_interval(centre, error, bounds, confidence=asked.confidence)
    if limits is None:
        return None
    return Found(*limits, f"delta, {scale_of(bounds).name}, less chance", "", error)


def _hits(asked: Question) -> tuple[float, float]:
    """Return the x of n rows that a proportion is."""
    if isinstance(asked.tally, Confusion | LabelSets) and asked.metric.reads is Binary:
        c = Binary.of(asked.tally, **{k: v for k, v in asked.options.items() if k == "positive"})
        n = _of_how_many(asked, c)
    else:
        n = asked.tally.n  # type: ignore[attr-defined]
    return round(asked.value * n), n


def _of_how_many(asked: Question, c: Binary) -> int:
    """Return the n of a share x of n: one row more that counts and one that does not differ by 1/n."""
    moved = asked.tally.kept(("moved", c.tp, c.fp, c.fn), lambda: moved_counts(c))
    slopes = np.asarray(asked.metric.formula(moved)).imag / STEP
    return round(1 / float(slopes.max() - slopes.min()))


def _binary(asked: Question) -> Binary | None:
    """Return the plain counts of one class; None where rows are weighted or grouped, or classes averaged."""
    if not asked.plain or asked.options.get("average") or not isinstance(asked.tally, Confusion | LabelSets):
        return None
    return Binary.of(asked.tally, **{k: v for k, v in asked.options.items() if k == "positive"})
