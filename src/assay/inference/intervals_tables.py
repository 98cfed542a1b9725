"""How the metrics of a confusion table get their intervals.

A method answers None where it is not meant for rows like these, and a reason where it fails on them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.inference.delta import delta_interval, effective_counts, scale_of
from assay.inference.differences import f1_interval, weighted_sum_interval
from assay.inference.distributions import student_quantile
from assay.inference.gradients import STEP, moved_counts
from assay.inference.proportions import normal_quantile, proportion_interval
from assay.inference.question import Found
from assay.inference.ratios import koopman, odds_ratio
from assay.metrics import Binary, Classes
from assay.tallies import Confusion

if TYPE_CHECKING:
    from assay.inference.question import Question

__all__ = [
    "by_delta",
    "mean_of_recalls",
    "on_jaccard",
    "on_two_rates",
    "proportion",
    "ratio_of_rates",
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


def proportion(asked: Question, method: str = "wilson") -> Found | str | None:
    """Return the interval of x of n rows; weighted or clustered rows count for what they are worth."""
    if asked.plain:
        x, n = _hits(asked)
        low, high = proportion_interval(x, n, asked.confidence, method)
        return Found(low, high, NAMES[method])
    spread = asked.spread
    if spread is None:
        return "the rows' influence on it is not known"
    value, note = asked.value, ""
    # A share of 0 or 1 shows no spread: then each group, or Kish's number of rows, stands for one row.
    least = float(spread.groups) if spread.groups is not None else spread.worth
    known = spread.error > 0 and 0 < value < 1
    x, n = effective_counts(value, spread.error**2 if known else 0.0, least)
    if spread.df is not None and known:  # Korn and Graubard 1998: as much less as t is wider than normal
        shrunk = (normal_quantile(asked.confidence) / student_quantile(asked.confidence, spread.df)) ** 2
        x, n = x * shrunk, n * shrunk
    if not known:
        note = "no spread was seen: " + (
            "every group counts as one row" if spread.groups else "Kish's number of rows stands in"
        )
    low, high = proportion_interval(x, n, asked.confidence, method)
    return Found(low, high, f"{NAMES[method]} on effective rows", note, spread.error if known else None)


def on_jaccard(asked: Question) -> Found | str | None:
    """Return F1's interval, mapped from that of Jaccard, which is a proportion."""
    c = _binary(asked)
    if c is None:
        return None
    low, high = f1_interval(c.tp, c.fp, c.fn, confidence=asked.confidence)
    return Found(low, high, "Wilson on Jaccard")


def mean_of_recalls(asked: Question) -> Found | str | None:
    """Return the interval of a mean of recalls, each of them a proportion of its class."""
    if not asked.plain or not isinstance(asked.tally, Confusion):
        return None
    view = Classes.of(asked.tally)
    hits, totals = (np.asarray(x, dtype=float).tolist() for x in (view.hits, view.actual))
    size = len(hits)
    # K b - 1 over K - 1 for the figure that is corrected for chance, else the plain mean.
    adjusted = asked.metric.name == "adjusted_balanced_accuracy"
    factor, shift = (1 / (size - 1), -1 / (size - 1)) if adjusted else (1 / size, 0.0)
    low, high = weighted_sum_interval(hits, totals, [factor] * size, shift=shift, confidence=asked.confidence)
    return Found(low, high, "MOVER-Wilson")


def on_two_rates(asked: Question) -> Found | str | None:
    """Return the interval of a sum of two independent rates: recall and specificity, or PPV and NPV."""
    c = _binary(asked)
    if c is None:
        return None
    marked = asked.metric.name == "markedness"
    totals = (c.tp + c.fp, c.tn + c.fn) if marked else (c.tp + c.fn, c.tn + c.fp)
    weight, shift = (0.5, 0.0) if asked.metric.bounds[0] == 0 else (1.0, -1.0)
    low, high = weighted_sum_interval(
        (c.tp, c.tn), totals, (weight, weight), shift=shift, confidence=asked.confidence
    )
    return Found(low, high, "MOVER-Wilson")


def ratio_of_rates(asked: Question) -> Found | str | None:
    """Return the score interval of a likelihood ratio."""
    c = _binary(asked)
    if c is None:
        return None
    x1, x2 = (c.tp, c.fp) if asked.metric.name == "positive_likelihood_ratio" else (c.fn, c.tn)
    low, high = koopman(x1, c.tp + c.fn, x2, c.fp + c.tn, confidence=asked.confidence)
    return Found(low, high, "Koopman")


def woolf(asked: Question) -> Found | str | None:
    """Return the interval of an odds ratio on the log scale."""
    c = _binary(asked)
    if c is None:
        return None
    found = odds_ratio(c.tp, c.fp, c.fn, c.tn, confidence=asked.confidence)
    return Found(found.low, found.high, "Woolf", found.note)  # type: ignore[arg-type]


def by_delta(asked: Question) -> Found | str | None:
    """Return the interval from the standard error, on the scale that suits the bounds."""
    spread = asked.spread
    if spread is None:
        return "its slope is not known here"
    if math.isnan(spread.error):
        return "one group shows no spread"
    limits = delta_interval(
        asked.value, spread.error, asked.metric.bounds, confidence=asked.confidence, df=spread.df
    )
    if limits is None:
        return "the rows show no spread"
    scale = scale_of(asked.metric.bounds).name
    return Found(*limits, "delta" if scale == "identity" else f"delta, {scale}", "", spread.error)


def _hits(asked: Question) -> tuple[float, float]:
    """Return the x of n rows that a proportion is."""
    if isinstance(asked.tally, Confusion) and asked.metric.reads is Binary:
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
    if not asked.plain or asked.options.get("average") or not isinstance(asked.tally, Confusion):
        return None
    return Binary.of(asked.tally, **{k: v for k, v in asked.options.items() if k == "positive"})
