"""How figures of probabilities get their intervals, and why some have none.

A method answers None where it is not meant for rows like these, and a reason where it fails on them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.delta import delta_interval
from assay.inference.influence import Influence
from assay.inference.influence_scores import by_row, unit_sums
from assay.inference.intervals_tables import effective_proportion
from assay.inference.proportions import wilson
from assay.inference.question import Found
from assay.metrics import Undefined
from assay.metrics.calibration_tests import cox

if TYPE_CHECKING:
    from assay.inference.question import Question

__all__ = ["biased", "observed_expected", "of_a_test", "of_base_rate", "overfitted", "recalibration", "skill"]

_NO_SPREAD = "the rows show no spread"
_FISHER = {
    "cox_intercept": "intercept_error",
    "cox_slope": "slope_error",
    "calibration_in_the_large": "in_the_large_error",
}


def of_base_rate(asked: Question) -> Found | str | None:
    """Return the interval of a score that the base rate has, from Wilson's of the rate.

    The score rises up to a rate of one half and falls from there, so that its largest is at the half where
    that is among the rates. At the half its slope is 0, and a standard error would say nothing.
    """
    rate = _base_rate(asked)
    middle = 0.5
    score = _squares if asked.metric.name == "brier_uncertainty" else _logs
    ends = [score(limit) for limit in (rate.low, rate.high)]
    high = score(middle) if rate.low <= middle <= rate.high else max(ends)
    return Found(min(ends), high, f"{rate.method} of the base rate", rate.note)


def skill(asked: Question) -> Found | str | None:
    """Return the interval of one less a ratio of scores, on the log of the ratio."""
    spread = asked.spread
    if spread is None:
        return "its slope is not known here"
    left = 1 - asked.value
    limits = delta_interval(left, spread.error, (0, math.inf), confidence=asked.confidence, df=spread.df)
    if limits is None:
        return _NO_SPREAD
    return Found(1 - limits[1], 1 - limits[0], "delta, log of what is left", "", spread.error)


def observed_expected(asked: Question) -> Found | str | None:
    """Return the interval of observed to expected positives on the log scale; of none observed, Wilson's.

    The error is that of the ratio. The textbook's, of the observed alone, is wider than it need be: rows
    that are likelier to be positive add to both.
    """
    spread = asked.spread
    if spread is not None and asked.value > 0:
        limits = delta_interval(
            asked.value, spread.error, (0, math.inf), confidence=asked.confidence, df=spread.df
        )
        if limits is not None:
            return Found(*limits, "delta, log", "", spread.error)
    if asked.value or spread is None:
        return _NO_SPREAD
    tally: Any = asked.tally
    mass = unit_sums(tally)[0]
    clip = asked.options.get("clip", 0.0)
    expected = float((mass * np.clip(tally.scores.astype(np.float64), clip, 1 - clip)).sum() / mass.sum())
    rate = _base_rate(asked)
    return Found(0.0, rate.high / expected, f"{rate.method} of the base rate", "no positives were observed")


def recalibration(asked: Question) -> Found | str | None:
    """Return the interval of a recalibration's coefficient by the larger of two standard errors.

    The sandwich (Huber 1967) holds whether or not the line is right, but is small where few rows are of a
    class: a slope from 4 positives was covered 0.88 of the time. Fisher's information is not, but takes the
    line for right: calibration in the large was covered 0.91 of the time where the slope is not 1.
    """
    spread = asked.spread
    if spread is None:
        return "its slope is not known here"
    error, method = spread.error, "sandwich"
    if asked.plain:
        fit: Any = cox(asked.tally, clip=asked.options.get("clip", 0.0))
        known = 0.0 if isinstance(fit, Undefined) else float(getattr(fit, _FISHER[asked.metric.name]))
        error, method = max((error, method), (known, "Fisher's information"))
    limits = delta_interval(
        asked.value, error, asked.metric.bounds, confidence=asked.confidence, df=spread.df
    )
    return _NO_SPREAD if limits is None else Found(*limits, method, "", error)


def biased(_: Question) -> str:
    """Say why there is no interval for a distance from a fit to the same rows."""
    return (
        "it is biased upward where the probabilities are right, and an interval would lie above 0 with it: "
        "compare it with its null instead (assay.metrics.calibration.calibration_null)"
    )


def overfitted(_: Question) -> str:
    """Say why there is no interval for what a fit to the same rows gains."""
    return "it is read from a fit to the same rows, which flatters by as much as an interval would span"


def of_a_test(asked: Question) -> str:
    """Say why there is no interval for a test's statistic, nor for its p-value."""
    if asked.metric.name.endswith("_p"):
        return "it is the p-value of a test: how rare such rows are if the probabilities are right"
    return "it is the statistic of a test, which grows with the rows: its p-value says what it means"


def _base_rate(asked: Question) -> Found:
    """Return the interval of the share of positives."""
    tally: Any = asked.tally
    sums = unit_sums(tally)
    positives, negatives = (float(one.sum()) for one in sums[0])
    n = positives + negatives  # so that no rounding makes the share more than 1
    if asked.plain:
        low, high = wilson(positives, n, asked.confidence)
        return Found(low, high, "Wilson")
    rate = positives / n
    slopes = np.array([[1 - rate], [-rate]]) / n * np.ones_like(sums[0])
    found = Influence(rate, slopes, *sums)
    if asked.clustered:
        found = by_row(found, tally, asked.rows)  # type: ignore[arg-type]
    return effective_proportion(rate, asked.spread_of(found), asked.confidence)


def _squares(rate: float) -> float:
    return rate * (1 - rate)


def _logs(rate: float) -> float:
    return -sum(share * math.log(share) for share in (rate, 1 - rate) if share > 0)
