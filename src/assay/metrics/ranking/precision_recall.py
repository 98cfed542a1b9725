"""The area under the precision-recall curve, by each of five definitions, and its break-even point."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.metrics.arithmetic import floats, ratio, where
from assay.metrics.classification.rates import NO_POSITIVES
from assay.metrics.metric import metric
from assay.metrics.ranking.roc import positives_among
from assay.metrics.views.ranking import Ranks, added

_SERIES_FROM = 64  # from here on the series below is accurate to the last bit
_ONE_ROW = 1e-9  # tolerance for a count of rows from which weights were divided out


@metric(
    reads=Ranks, kind="rank", bounds=(0, 1), best=1, undefined=NO_POSITIVES,
    aliases=("ap", "auprc", "pr_auc_step"),
)  # fmt: skip
def average_precision(r: Ranks) -> Any:
    """Mean precision over the positives, each at the cutoff that reaches it: ``sum(Δrecall precision)``.

    The step-wise area under the precision-recall curve, as in scikit-learn's average_precision_score and
    yardstick's average_precision; tied scores are taken together. Random scores give the prevalence.
    """
    if r.plain:
        return r.source.average_precision()
    precision = ratio(r.tp, r.tp + r.fp)
    return ratio(added(where(r.positive_steps > 0, r.positive_steps * precision, 0.0)), r.positives)


@metric(reads=Ranks, kind="rank", bounds=(0, 1), best=1, undefined=NO_POSITIVES, title="PR AUC, trapezoid")
def pr_auc_trapezoid(r: Ranks) -> Any:
    """Area under the precision-recall curve with straight lines from cutoff to cutoff.

    ``sum(Δrecall (precision + precision before) / 2)``

    As in scikit-learn's auc(recall, precision) and yardstick's pr_auc, beginning at recall 0 with
    precision 1. Straight lines are optimistic: no cutoff reaches what lies on them (Davis & Goadrich 2006).
    """
    precision = where(r.tp + r.fp > 0, ratio(r.tp, r.tp + r.fp), 1.0)
    before = np.concatenate([np.ones_like(precision[..., :1]), precision[..., :-1]], -1)
    return ratio(added(r.positive_steps * (precision + before) / 2), r.positives)


@metric(
    reads=Ranks, kind="rank", bounds=(0, 1), best=1, undefined=NO_POSITIVES,
    aliases=("aucpr", "pr_auc_interpolated", "auc_integral"), title="PR AUC, interpolated",
)  # fmt: skip
def pr_auc_integral(r: Ranks) -> Any:
    """Area under the precision-recall curve, interpolated between cutoffs at a constant rate of positives.

    ``integral of precision over recall``

    The interpolation of Davis & Goadrich (2006) in its continuous form (Keilwagen et al. 2014), PRROC's
    auc.integral; ROCR's aucpr means it and misses it. Davis and Goadrich's own sum is
    :func:`pr_auc_davis_goadrich`.
    """
    p, q = (x.astype(np.float64) for x in (r.positive_steps, r.negative_steps))
    above = r.tp - p + r.fp - q  # rows above the group
    pace = 1 + ratio(q, p)  # rows for each positive
    within = p / pace + (r.tp - p - above / pace) / pace * np.log1p(ratio(p + q, above))
    area = where(p == 0, 0.0, where(above <= 0, p / pace, within))
    return ratio(added(area), r.positives)


@metric(
    reads=Ranks, kind="rank", bounds=(0, 1), best=1, undefined=NO_POSITIVES,
    title="tie-averaged average precision", depends_on_n=True,
)  # fmt: skip
def tie_expected_average_precision(r: Ranks) -> Any:
    """Mean of average precision over every order of tied rows: ``E[mean precision at positives]``.

    As for ranked lists (McSherry & Najork 2008). Tied rows of different weights count by their mean weight.
    """
    weight, share, misses, tp_above, above = _in_rows(r)
    rows = share + misses
    # The i-th row of a tie is positive with probability share/rows, after tp_above + (i-1)(share-1)/(rows-1)
    # others, where all is counted in rows of the tie's mean weight.
    pace = where(rows > 1 + _ONE_ROW, ratio(share - 1.0, rows - 1.0), 0.0)
    rest = tp_above + 1.0 - pace - pace * above
    precision = rows * pace + rest * _harmonic_between(above, rows)
    return ratio(added(where(share > 0, weight * share / rows * precision, 0.0)), r.positives)


@metric(
    reads=Ranks, kind="rank", bounds=(0, 1), best=1, undefined=NO_POSITIVES, aliases=("auc_davis_goadrich",),
    title="PR AUC, Davis and Goadrich", depends_on_n=True,
)  # fmt: skip
def pr_auc_davis_goadrich(r: Ranks) -> Any:
    """Area under the precision-recall curve with straight lines from positive to positive.

    ``sum over positives of (precision before + precision) / 2 / positives``

    Davis & Goadrich (2006) as their program and PRROC's auc.davis.goadrich sum it up, tied rows being reached
    at a constant rate of positives. Tied rows of different weights count by their mean weight. The area under
    the interpolated curve itself is :func:`pr_auc_integral`.
    """
    weight, p, q, tp_above, above = _in_rows(r)
    pace = 1 + ratio(q, p)  # rows for each positive
    start = above / pace
    # Precision after x of the group's positives is (1 + (tp_above - start) / (start + x)) / pace.
    first, last = ratio(1.0, start), ratio(1.0, start + p)
    lines = first + _harmonic_between(start, p) - (first + last) / 2
    area = where(above <= 0, p, p + (tp_above - start) * lines) / pace
    return ratio(added(where(p == 0, 0.0, area * weight)), r.positives)


def _in_rows(r: Ranks) -> tuple[Any, Any, Any, Any, Any]:
    """Return each tie's mean weight and, in rows of it, its positives and negatives, and both above it."""
    positives = floats(r.positive_steps)
    mass = positives + r.negative_steps
    rows = np.maximum(r.tied_rows, 1.0)  # of a replicate that has none of a score, nothing is counted
    weight = where(mass > 0, mass / rows, 1.0)
    share = positives / weight
    return weight, share, rows - share, (r.tp - positives) / weight, (r.tp + r.fp - mass) / weight


def _harmonic_between(start: Any, count: Any) -> Any:
    """Return 1/(start + 1) + ... + 1/(start + count), to the last bits.

    It is the difference of two digamma functions, shifted to where their series is accurate.
    """
    total = np.zeros(np.broadcast(start, count).shape)
    first, last = np.asarray(start, dtype=np.float64), np.asarray(start + count, dtype=np.float64)
    for i in range(1, _SERIES_FROM + 1):
        total += count / ((first + i) * (last + i))
    low, high = first + _SERIES_FROM + 0.5, last + _SERIES_FROM + 0.5
    # H(n) = ln(n + 1/2) + c + 1/24 x^-2 - 7/960 x^-4 + 31/8064 x^-6 - ..., x = n + 1/2
    total += np.log1p(count / low)
    for power, factor in ((2, 1 / 24), (4, -7 / 960), (6, 31 / 8064)):
        total += factor * (high**-power - low**-power)
    return total


@metric(
    reads=Ranks, kind="rank", bounds=(0, 1), best=1, undefined=NO_POSITIVES,
    aliases=("prbe", "precision_recall_break_even"), title="precision-recall break-even",
)  # fmt: skip
def break_even(r: Ranks) -> Any:
    """Precision at the cutoff where it equals recall, with as many predicted as actual positives.

    ``tp / positives``. Where that number falls inside tied scores, they are taken in proportion.
    """
    return ratio(positives_among(r, r.positives), r.positives)
