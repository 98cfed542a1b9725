"""How two models on different rows are compared: their variances add.

A method answers None where it is not meant for rows like these, and a reason where it fails on them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import MetricError
from assay.inference.auc import delong
from assay.inference.bootstrap_limits import percentile
from assay.inference.delong import delong_unpaired
from assay.inference.differences import mover, proportion_difference
from assay.inference.distributions import normal_p, student_p, student_quantile
from assay.inference.intervals import estimate
from assay.inference.match import Answer
from assay.inference.models import size_of
from assay.inference.outcomes import outcomes
from assay.inference.paired_rows import length
from assay.inference.proportions import normal_quantile
from assay.inference.question import Question, Spread
from assay.inference.row_draws import drawn_differences
from assay.inference.tables import chi_square, fisher
from assay.inference.test_result import Alternative, Test
from assay.metrics import Undefined
from assay.tallies import Confusion, Scores, Tally

if TYPE_CHECKING:
    from typing import Any

    from assay.inference.match import Match

__all__ = ["by_delta", "by_drawing", "by_own_intervals", "of_areas", "of_rows", "of_shares", "welch"]

_FEW = 5  # an expected count below this makes chi-square inexact
_SCALES = {"auc": 1.0, "gini": 2.0}


def welch(
    first: Any, second: Any, *, alternative: Alternative = "two-sided", confidence: float = 0.95
) -> Test:
    """Return the test that two groups have one mean, whatever their spreads (Welch 1947).

    The estimate is the first mean less the second.

    >>> welch([0.9, 0.7, 0.8, 0.95], [0.6, 0.8, 0.5])
    Welch t: statistic 1.96, df 3.5257, p = 0.131
    """
    columns = [np.asarray(one, dtype=np.float64) for one in (first, second)]
    if not all(one.ndim == 1 and len(one) and np.isfinite(one).all() for one in columns):
        raise MetricError("a group is one finite number per row, and at least one.")
    means = [math.fsum(one) / len(one) for one in columns]
    difference = means[0] - means[1]
    if min(map(len, columns)) < 2:  # noqa: PLR2004
        lone = Undefined("a single row shows no spread")
        return Test("Welch t", None, None, lone, alternative, difference, confidence=confidence)
    # Errors and not variances, whose squares leave the floats where rows of 1e80 are compared.
    parts = [
        length(one - mean) / math.sqrt((len(one) - 1) * len(one))
        for one, mean in zip(columns, means, strict=True)
    ]
    if not sum(parts):
        p = Undefined("the rows show no spread") if difference else 1.0
        return Test("Welch t", None, None, p, alternative, difference, confidence=confidence)
    error = math.hypot(*parts)
    df = 1 / sum((part / error) ** 4 / (len(one) - 1) for part, one in zip(parts, columns, strict=True))
    t, reach = difference / error, student_quantile(confidence, df) * error
    return Test(
        "Welch t", t, df, student_p(t, df, alternative), alternative, difference, difference - reach,
        difference + reach, confidence, standard_error=error,
    )  # fmt: skip


def of_shares(match: Match) -> Answer | str | None:
    """Compare two shares of different rows: Newcombe's interval and the chi-square test, or Fisher's."""
    if not match.pair.plain:
        return None
    counted = []
    for one in (match.pair.first, match.pair.second):
        if isinstance(one, Tally) and not isinstance(one, Confusion):
            return None
        tally = one if isinstance(one, Confusion) else Confusion.of(one)
        if tally.weights is not None:
            return None
        found = outcomes(match.metric, match.options, tally.labels, *tally.digits())
        if found is None:
            return None
        counted.append((int(tally.counts[found.hit].sum()), int(tally.counts[found.counted].sum())))
    return _of_counts(match, counted[0], counted[1])


def _of_counts(match: Match, first: tuple[int, int], second: tuple[int, int]) -> Answer:
    """Answer for hits of so many rows of either model."""
    (x1, n1), (x2, n2) = first, second
    low, high = proportion_difference(x2, n2, x1, n1, confidence=match.confidence)
    table = np.array([[x2, n2 - x2], [x1, n1 - x1]])
    hits, rows = x1 + x2, n1 + n2  # Python's integers, whose products are never too large
    least = min(n1, n2) * min(hits, rows - hits) / rows  # the smallest count expected
    if not table.sum(0).all():  # all rows are hits, or none is: the same share for certain
        test = Test("chi-square of two shares", None, None, 1.0)
    else:
        test = chi_square(table) if least >= _FEW else fisher(table)
    error = math.sqrt(sum(x * (n - x) / n**3 for x, n in (first, second)))
    low, high = match.within(low, high)
    return Answer(low, high, "Newcombe", test, n1 + n2, error)


def of_areas(match: Match) -> Answer | str | None:
    """Compare two areas under ROC curves of different rows: unpaired DeLong."""
    if not match.pair.plain:
        return None
    areas = []
    for one in (match.pair.second, match.pair.first):
        tally = one if isinstance(one, Tally) else Scores.of(one)
        if not isinstance(tally, Scores) or tally.weights is not None:
            return None
        areas.append(delong(tally.concordance()))
    test = delong_unpaired(areas[0], areas[1], confidence=match.confidence)
    if isinstance(test.p, Undefined):
        return test.p.reason
    if test.low is None or test.high is None or test.standard_error is None:
        return "the rows show no spread"
    scale = _SCALES[match.metric.name]
    low, high = match.within(scale * test.low, scale * test.high)
    n = sum(area.positives + area.negatives for area in areas)
    return Answer(low, high, "unpaired DeLong", test, n, scale * test.standard_error)


def of_rows(match: Match) -> Answer | str | None:
    """Compare two means over different rows or queries: Welch's test."""
    if match.figures is None or not match.pair.plain:
        return None
    first, second = match.figures
    if all(np.isin(one, (0.0, 1.0)).all() for one in match.figures) and not match.settings.asked("rows"):
        return _of_counts(match, (int(first.sum()), len(first)), (int(second.sum()), len(second)))
    test = welch(second, first, confidence=match.confidence)
    if isinstance(test.p, Undefined):
        return test.p.reason
    if test.low is None or test.high is None:
        return "the rows show no spread"
    low, high = match.within(test.low, test.high)
    return Answer(low, high, "Welch t", test, len(first) + len(second), test.standard_error)


def by_delta(match: Match) -> Answer | str | None:
    """Compare by either model's own standard error, groups and weights included."""
    spreads = [
        _spread(match, one, value) or _told(match, one)
        for one, value in zip((match.pair.first, match.pair.second), match.values, strict=True)
    ]
    known = [one for one in spreads if one is not None]
    if len(known) < len(spreads):
        return None
    if any(math.isnan(one.error) for one in known):
        return "one group shows no spread"
    error = math.hypot(*(one.error for one in known))
    if not error:
        return "the rows show no spread"
    df = None
    if any(one.df is not None for one in known):
        parts = sum((one.error / error) ** 4 / one.df for one in known if one.df)
        df = 1 / parts if parts else None
    z = match.difference / error
    p = normal_p(z) if df is None else student_p(z, df)
    reach = (
        normal_quantile(match.confidence) if df is None else student_quantile(match.confidence, df)
    ) * error
    low, high = match.within(match.difference - reach, match.difference + reach)
    n = sum(map(size_of, (match.pair.first, match.pair.second)))
    return Answer(low, high, "unpaired delta", Test("Wald", z, df, p, standard_error=error), n, error)


def by_drawing(match: Match) -> Answer | str | None:
    """Compare by drawing each model's rows again; p is the level at which the interval would reach 0."""
    if not match.pair.of_rows or match.metric.each is not None:
        return None
    replicates = drawn_differences(match)
    limits = percentile(replicates, confidence=match.confidence)
    if limits.low is None or limits.high is None:
        return limits.note
    kept = replicates[~np.isnan(replicates)]
    one_side = min(int((kept <= 0).sum()), int((kept >= 0).sum()))
    p = min(1.0, 2 * (one_side + 1) / (len(kept) + 1))
    draws = f"{match.settings.draws:,} draws, seed {match.settings.seed}"
    note = "; ".join(said for said in (draws, limits.note) if said)
    low, high = match.within(limits.low, limits.high)
    test = Test("bootstrap interval turned into a test", None, None, p, note=draws)
    n = sum(map(size_of, (match.pair.first, match.pair.second)))
    return Answer(low, high, "bootstrap, percentile", test, n, None, note)


def by_own_intervals(match: Match) -> Answer | str | None:
    """Give the interval alone, from either model's own one, where the rows show too little for a test."""
    both = [
        estimate(match.metric, one, confidence=match.confidence, **match.options)
        for one in (match.pair.second, match.pair.first)
    ]
    limits = [(one.low, one.high) for one in both if one.low is not None and one.high is not None]
    if len(limits) < len(both):
        return None
    low, high = match.within(*mover([float(one.value) for one in both], limits, (1, -1)))
    test = Test("no test", None, None, Undefined("each has an interval of its own, but there is no test"))
    return Answer(low, high, "MOVER on each one's own interval", test, sum(one.n for one in both))


def _told(match: Match, data: Any) -> Spread | None:
    """Return the standard error that comes with a model's own interval: a tally may know it from sums."""
    found = estimate(match.metric, data, confidence=match.confidence, **match.options)
    return None if found.standard_error is None else Spread(found.standard_error, None, found.n)


def _spread(match: Match, data: Any, value: float) -> Spread | None:
    rows = None if isinstance(data, Tally) else data
    if rows is None:
        tally, left = data, match.options
    else:
        tally, left = match.metric.tallied(rows, match.options)
    return Question(
        match.metric, value, tally, left, match.confidence, rows, match.options, match.settings.seed
    ).spread
