"""How well scores rank the positives above the negatives, at whatever cutoff."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from assay.errors import MetricError
from assay.formatting.numbers import count_of
from assay.metrics.arithmetic import ratio, where
from assay.metrics.classification.rates import NO_NEGATIVES, NO_POSITIVES, f1, informedness
from assay.metrics.metric import metric
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.ranking import Ranks, added

_WHOLE = (0.0, 1.0)


def one_class(r: Ranks) -> str:
    """Return which class has no rows: the reason why there is no pair to compare."""
    missing = NO_POSITIVES if not np.any(r.positives) else NO_NEGATIVES
    return f"{missing} among {count_of(r.source.n, 'row')}, so there is no pair to compare"


one_class.__doc__ = "one of the two classes has no rows"  # what the catalogue says


@metric(
    reads=Ranks, kind="rank", bounds=(0, 1), best=1, undefined=one_class,
    aliases=("roc_auc", "auroc", "c_statistic", "c_index", "area_under_the_roc_curve"), title="ROC AUC",
)  # fmt: skip
def auc(r: Ranks) -> Any:
    """Probability that a positive scores above a negative, a tie counting half: area under the ROC curve.

    ``(concordant pairs + tied pairs / 2) / (positives negatives)``

    Without weights it is a ratio of integers, rounded once. Below 0.5 the scores rank in the wrong direction.
    """
    if r.pairs is not None:
        positives, negatives, concordant = r.pairs
        return ratio(concordant, 2 * positives * negatives)
    negatives_below = r.negatives[..., None] - r.fp + r.negative_steps / 2
    shares = ratio(negatives_below, r.negatives[..., None])
    return ratio(added(r.positive_steps * shares), r.positives)


@metric(
    reads=Ranks, kind="rank", bounds=(-1, 1), best=1, undefined=one_class,
    aliases=("gini_coefficient", "accuracy_ratio"), title="Gini",
)  # fmt: skip
def gini(r: Ranks) -> Any:
    """Area under the ROC curve rescaled so that guessing gives 0: ``2 auc - 1``."""
    if r.pairs is not None:
        positives, negatives, concordant = r.pairs
        return ratio(concordant - positives * negatives, positives * negatives)
    return 2 * auc.formula(r) - 1


@metric(
    reads=Ranks, kind="rank", bounds=(-math.inf, 1), best=None, undefined=one_class, aliases=("pauc",)
)  # fmt: skip
def partial_auc(
    r: Ranks,
    *,
    false_positive_rate: tuple[float, float] = (0.0, 0.1),
    sensitivity: tuple[float, float] | None = None,
    corrected: bool = False,
) -> Any:
    """Area under a part of the ROC curve: ``area over the range of false positive rates``.

    The part is a range of the false positive rate or, with `sensitivity`, a range of the sensitivity with
    specificity as the height. `corrected` rescales the area (McClish 1989) so that guessing gives 0.5 and
    perfect scores 1: ``(1 + (area - guessing) / (width - guessing)) / 2``. It is below 0.5, even below 0,
    where the scores do worse than guessing. scikit-learn's ``max_fpr=f`` is ``(0, f)``, corrected.
    """
    low, high = _range(*(false_positive_rate if sensitivity is None else sensitivity))
    table = r.at_cutoffs()
    fpr, tpr = ratio(table.fp, r.negatives), ratio(table.tp, r.positives)
    if fpr.ndim > 1:
        raise MetricError("partial_auc is read from one tally at a time.")
    if np.isnan(fpr[0]) or np.isnan(tpr[0]):
        return np.nan
    width, guessing = high - low, (high * high - low * low) / 2
    if sensitivity is None:
        area = _area_between(fpr, tpr, low, high)
    else:
        area, guessing = width - _area_between(tpr, fpr, low, high), width - guessing
    return (1 + (area - guessing) / (width - guessing)) / 2 if corrected else area


def _range(low: float, high: float) -> tuple[float, float]:
    if not 0 <= low < high <= 1:
        raise MetricError(
            f"the range from {low} to {high} is empty or not within 0 and 1: give the lower rate first."
        )
    return low, high


def _area_between(x: Any, y: Any, low: float, high: float) -> Any:
    """Return the area under straight lines between rising points, from one x to another."""
    inside = (x > low) & (x < high)
    ends = [_height(x, y, low, after=True), _height(x, y, high, after=False)]
    along = np.concatenate([[low], x[inside], [high]])
    height = np.concatenate([ends[:1], y[inside], ends[1:]])
    return (np.diff(along) * (height[1:] + height[:-1])).sum() / 2


def _height(x: Any, y: Any, at: float, *, after: bool) -> Any:
    """Return the height of a curve at x; where it is vertical, the upper or the lower end."""
    if after:
        index = int(np.searchsorted(x, at, side="right"))
        if x[index - 1] == at or index == len(x):
            return y[index - 1]
    else:
        index = int(np.searchsorted(x, at, side="left"))
        if x[index] == at:
            return y[index]
    share = (at - x[index - 1]) / (x[index] - x[index - 1])
    return y[index - 1] + share * (y[index] - y[index - 1])


@metric(
    reads=Ranks, kind="rank", bounds=(0, 1), best=1, undefined=one_class,
    aliases=("kolmogorov_smirnov", "ks_statistic"), title="KS",
)  # fmt: skip
def ks(r: Ranks) -> Any:
    """Kolmogorov-Smirnov distance between the score distributions of the two classes: ``max |tpr - fpr|``."""
    exact = r.concordance
    if exact is not None:
        return ratio(exact.widest, exact.positives * exact.negatives)
    tpr, fpr = ratio(r.tp, r.positives[..., None]), ratio(r.fp, r.negatives[..., None])
    return np.abs(tpr - fpr).max(-1)


@metric(
    reads=Ranks, kind="rank", bounds=(0, 1), best=0, undefined=one_class, aliases=("eer",)
)  # fmt: skip
def equal_error_rate(r: Ranks) -> Any:
    """Error rate at the cutoff where false positive and false negative rate are equal: ``fpr = fnr``.

    Cutoffs are joined by straight lines.
    """
    table = r.at_cutoffs()
    fpr, tpr = ratio(table.fp, table.negatives), ratio(table.tp, table.positives)
    # fpr + tpr rises from 0 to 2 and is 1 where fpr = 1 - tpr.
    index = np.argmax(fpr + tpr >= 1, axis=-1)[..., None]
    (x0, x1), (y0, y1) = (
        (np.take_along_axis(rate, index - 1, -1), np.take_along_axis(rate, index, -1)) for rate in (fpr, tpr)
    )
    share = ratio(1 - x0 - y0, (x1 - x0) + (y1 - y0))
    return (x0 + share * (x1 - x0))[..., 0]


@metric(
    reads=Ranks, kind="rank", bounds=(0.5, 1), best=1, undefined=one_class,
    aliases=("auch", "auc_of_the_convex_hull"), title="convex hull AUC",
)  # fmt: skip
def convex_hull_auc(r: Ranks) -> Any:
    """Area under the convex hull of the ROC curve: ``auc of the best recalibration that keeps the order``.

    It equals the area of the scores after isotonic (pool-adjacent-violators) calibration on the same rows.
    """
    table, corners = r.at_cutoffs(), r.hull()
    tp, fp, whole = table.tp[corners], table.fp[corners], r.positives * r.negatives
    if not r.plain:
        tp, fp, whole = ratio(tp, r.positives), ratio(fp, r.negatives), 1.0
    # Python's numbers, so that products of counts neither overflow nor round.
    doubled = sum(map(operator.mul, np.diff(fp).tolist(), (tp[1:] + tp[:-1]).tolist()))
    return ratio(doubled, 2 * whole)


@metric(
    reads=Ranks, kind="rank", bounds=(0, 1), best=1, undefined=one_class, aliases=("hand_h",),
    title="H measure",
)  # fmt: skip
def h_measure(r: Ranks, *, prior: tuple[float, float] | None = None) -> Any:
    """Hand's (2009) H: share of the minimum expected cost that the scores save, averaged over costs.

    ``1 - least cost with the scores / least cost without``, a false positive costing c and a false negative 1
    - c, averaged over c from a Beta distribution. The default is Beta(1 + prevalence, 2 - prevalence), whose
    mode is the prevalence (Hand & Anagnostopoulos 2014); ``prior=(2, 2)`` is Hand's of 2009.
    """
    if not (r.positives and r.negatives):
        return np.nan
    rate = r.positives / r.n
    a, b = (1 + rate, 2 - rate) if prior is None else prior
    table, corners = r.at_cutoffs(), r.hull()
    false_alarms = (1 - rate) * table.fp[corners] / r.negatives
    misses = rate * table.fn[corners] / r.positives
    # The cost at which the cheaper of two corners changes; from corner to corner it falls from 1 to 0.
    gained, lost = -np.diff(misses), np.diff(false_alarms)
    with_scores = _least_cost(a, b, gained / (gained + lost), false_alarms, misses)
    without = _least_cost(a, b, [rate], np.array([0.0, 1 - rate]), np.array([rate, 0.0]))
    return max(0.0, 1 - with_scores / without)  # the hull is never worse than either end of it


def _least_cost(a: float, b: float, switch: Any, false_alarms: Any, misses: Any) -> Any:
    """Return the mean of ``c fpr + (1 - c) fnr`` over c from Beta(a, b), at the best cutoff for each c."""
    from scipy.special import betainc  # noqa: PLC0415 - loads slowly, and few need it

    falling = np.concatenate([[1.0], switch, [0.0]])
    mean_c = a / (a + b) * -np.diff(betainc(a + 1, b, falling))
    mean_rest = b / (a + b) * -np.diff(betainc(a, b + 1, falling))
    return (false_alarms * mean_c + misses * mean_rest).sum()


@metric(
    reads=Ranks, kind="rank", bounds=(0, 1), best=None, undefined=NO_POSITIVES,
    aliases=("recall_at_share", "capture_rate", "cumulative_gain"), title="gain at share",
)  # fmt: skip
def gain_at(r: Ranks, *, share: float = 0.1) -> Any:
    """Share of the positives that are in the top share of rows by score: ``tp / positives``.

    Where the share ends inside tied scores, they are taken in proportion.
    """
    return ratio(_positives_in_share(r, share), r.positives)


@metric(reads=Ranks, kind="rank", bounds=(0, 1), best=None, undefined=NO_ROWS)
def precision_at_share(r: Ranks, *, share: float = 0.1) -> Any:
    """Share of positives in the top share of rows by score: ``tp / (share n)``."""
    return ratio(_positives_in_share(r, share), share * r.n)


@metric(
    reads=Ranks, kind="rank", bounds=(0, np.inf), best=None, undefined=NO_POSITIVES, title="lift at share",
)  # fmt: skip
def lift_at(r: Ranks, *, share: float = 0.1) -> Any:
    """How many times as many positives the top share of rows has as a random one: ``gain / share``.

    It cannot exceed 1 / share, nor 1 / prevalence.
    """
    return ratio(_positives_in_share(r, share), r.positives * share)


def _positives_in_share(r: Ranks, share: float) -> Any:
    """Return the number of positives in the top share of rows."""
    if not 0 < share <= 1:
        raise MetricError(f"share={share!r}: a share of the rows is above 0 and at most 1.")
    return positives_among(r, share * np.asarray(r.n))


def positives_among(r: Ranks, rows: Any) -> Any:
    """Return the number of positives among so many rows from the top; tied scores are taken in proportion."""
    rows = np.asarray(rows)[..., None]
    reached, steps = r.tp + r.fp, r.positive_steps + r.negative_steps.astype(r.fp.dtype)
    index = np.argmax(reached >= np.minimum(rows, reached[..., -1:]), axis=-1)[..., None]
    above, step, tp, positive = (
        np.take_along_axis(x, index, -1) for x in (reached, steps, r.tp, r.positive_steps)
    )
    taken = np.minimum(rows - (above - step), step)
    return (tp - positive + positive * ratio(taken, step))[..., 0]


def _best(values: Any) -> Any:
    """Return the largest value along the last axis, ignoring NaN."""
    defined = ~np.isnan(values)
    largest = np.where(defined, values, -np.inf).max(-1)
    return where(defined.any(-1), largest, np.nan)


@metric(
    reads=Ranks, kind="extreme", bounds=(0, 1), best=1, undefined=NO_POSITIVES, aliases=("best_f1", "f_max")
)  # fmt: skip
def max_f1(r: Ranks) -> Any:
    """Largest F1 at any cutoff: ``max 2 tp / (2 tp + fn + fp)``.

    :func:`assay.metrics.curves.cutoffs.best` says at which. Chosen and evaluated on the same rows, it is
    optimistic.
    """
    table = r.at_cutoffs()
    return where(table.positives[..., 0] > 0, _best(f1.formula(table)), np.nan)


@metric(
    reads=Ranks, kind="extreme", bounds=(0, 1), best=1, undefined=one_class,
    aliases=("best_youden", "max_youden"),
)  # fmt: skip
def max_informedness(r: Ranks) -> Any:
    """Largest Youden index at any cutoff: ``max recall + specificity - 1``.

    :func:`assay.metrics.curves.cutoffs.best` says at which. Chosen and evaluated on the same rows, it is
    optimistic.
    """
    table = r.at_cutoffs()
    return _best(informedness.formula(table))
