"""Any measure at every cutoff, and any against any other: what R's ROCR offers, of rows or a score tally.

A row is predicted positive when its score is at or above the cutoff. Cutoffs are infinity, where nothing is
predicted positive, and then every distinct score from the highest to the lowest. A measure is any metric of
counts in the catalogue, by any of its names (ROCR's among them), or one of ROCR's own:

=========  ===========================================================================================
rch        the ROC curve's convex hull
ecost      the cost curve: minimum expected cost over the probability cost (Drummond & Holte 2006)
cal        calibration error in a window of `window` rows that slides over the ranks, over its median score
f          F measure with `alpha` for the weight of precision: 1 / (alpha / precision + (1 - alpha) / recall)
sar        (accuracy + auc + 1 - rmse) / 3, as ROCR computes it (its manual says + rmse)
auc        a single number: the area under the ROC curve, up to the false positive rate `fpr_stop`
aucpr      a single number: pr_auc_integral
aucpr_rocr a single number: what ROCR returns for aucpr, for comparison with it and for nothing else
prbe       a single number: break_even
mxe        a single number: mean cross-entropy of the scores as probabilities, in nats
rmse       a single number: root mean squared error of the scores as probabilities
=========  ===========================================================================================

>>> import assay
>>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9]))
>>> performance(tally, "prec", against="rec")["recall"].tolist()
[0.0, 0.5, 1.0, 1.0]
>>> best(tally, "f1")
Best(cutoff=0.7, value=0.8, ties=1)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.formatting.numbers import count_of
from assay.metrics.curves.curves import Curve, roc_hull, some_rows
from assay.metrics.metric import Metric, find
from assay.metrics.ranking.precision_recall import break_even, pr_auc_integral
from assay.metrics.ranking.roc import auc, partial_auc
from assay.metrics.views.confusion import Binary, Classes
from assay.metrics.views.ranking import Ranks, added

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.metrics.undefined import Value

__all__ = ["Best", "at_cutoffs", "best", "first_best", "of_counts", "performance", "rounding"]

_SQUARE_FITS = 1 << 31  # counts whose product fits 64 bits
_BLOCK = 1 << 15  # cutoffs at a time
_ROUNDING = 8 * np.finfo(np.float64).eps


class Best(NamedTuple):
    """The cutoff where a measure is best, its value, and how many cutoffs share it; the highest is given.

    Chosen and evaluated on the same rows, the value is optimistic.
    """

    cutoff: float
    value: float
    ties: int


def at_cutoffs(data: Any, measure: str, **parameters: Any) -> Curve:
    """Return a measure at every cutoff, NaN where it has no value there.

    A row is predicted positive when its score is at or above the cutoff.

    Parameters
    ----------
    data
        Rows with scores, or a score tally.
    measure
        A metric of counts by any of its names, or one of ROCR's: ``"prec"``, ``"tpr"``, ``"f"``.
    **parameters
        Options of the measure, such as ``beta=2`` of ``"f_beta"``.

    Returns
    -------
    Curve
        The cutoffs, from infinity and the highest score down, and the measure at each.

    Raises
    ------
    MetricError
        The measure is not known, is none of counts, or does not take an option; or there are no rows.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9])
    >>> curve = at_cutoffs(rows, "recall")
    >>> curve["cutoff"].tolist(), curve["recall"].tolist()
    ([inf, 0.9, 0.7, 0.1], [0.0, 0.5, 1.0, 1.0])
    """
    ranks = some_rows(data)
    name, values = _values(ranks, measure, parameters)
    cutoffs = ranks.cutoffs()
    return Curve(f"{name} by cutoff", "cutoff", name, cutoffs, values, cutoffs)


def performance(data: Any, measure: str, against: str | None = None, **parameters: Any) -> Curve | Value:
    """Return a measure over another, over the cutoffs, or as a single number.

    ``performance(rows, "tpr", against="fpr")`` is the ROC curve.

    Parameters
    ----------
    data
        Rows with scores, or a score tally.
    measure
        A metric of counts or of scores by any of its names, or one of ROCR's: ``"prec"``, ``"auc"``.
    against
        Another measure, for the x axis; the cutoff unless given.
    **parameters
        Options of the measure, such as ``beta=2`` of ``"f_beta"``.

    Returns
    -------
    Curve, float or Undefined
        A curve; or one number, of a measure such as ``"auc"`` that has one.

    Raises
    ------
    MetricError
        A measure is not known, has an axis of its own, or does not take an option; or there are no rows.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9])
    >>> performance(rows, "prec", against="rec"), performance(rows, "auc")
    (<precision against recall: precision over recall, 4 points>, 0.875)
    """
    ranks = some_rows(data)
    special = _CURVES.get(measure) or _NUMBERS.get(measure)
    if special is not None:
        if against is not None:
            raise MetricError(f"{measure} has an axis of its own: it is not read against {against}.")
        return special(ranks, **_checked(measure, special, parameters))
    if measure not in _MEASURES and find(measure).reads is Ranks:
        return find(measure)(data, **parameters)
    if against is None:
        return at_cutoffs(data, measure, **parameters)
    x_name, x = _values(ranks, against, {})
    y_name, y = _values(ranks, measure, parameters)
    return Curve(f"{y_name} against {x_name}", x_name, y_name, x, y, ranks.cutoffs())


def best(data: Any, measure: str, *, lowest: bool | None = None, **parameters: Any) -> Best:
    """Return the cutoff where a measure is highest, or lowest where less of it is better.

    Parameters
    ----------
    data
        Rows with scores, or a score tally.
    measure
        A metric of counts by any of its names, or one of ROCR's: ``"prec"``, ``"tpr"``, ``"f"``.
    lowest
        Whether less is better; as the metric says unless given.
    **parameters
        Options of the measure, such as ``beta=2`` of ``"f_beta"``.

    Returns
    -------
    Best
        The cutoff, the value there, which is optimistic on these rows, and how many cutoffs share it.

    Raises
    ------
    MetricError
        The measure is not known, has no value at any cutoff, or neither direction of it is better.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9])
    >>> best(rows, "f1")
    Best(cutoff=0.7, value=0.8, ties=1)
    """
    known = None if measure in _MEASURES else find(measure)
    if lowest is None:
        if known is not None and known.best is None:
            raise MetricError(f"no value of {known.name} is better than another: say lowest=True or False.")
        lowest = known is not None and known.higher_is_better is False
    curve = at_cutoffs(data, measure, **parameters)
    result = first_best(curve.y, lowest=lowest, scale=float(known is not None and known.bounds[0] < 0))
    if result is None:
        raise MetricError(f"{curve.y_name} has no value at any cutoff.")
    index, value, ties = result
    return Best(float(curve.cutoffs[index]), value, ties)


def _values(ranks: Ranks, measure: str, parameters: dict[str, Any]) -> tuple[str, NDArray[Any]]:
    """Return a measure's full name and its values at the cutoffs."""
    table = ranks.at_cutoffs()
    if measure in _MEASURES:
        return measure, _MEASURES[measure](ranks, **_checked(measure, _MEASURES[measure], parameters))
    metric = find(measure)
    parameters = {**_DEFAULTS.get(measure, {}), **parameters}
    unknown = set(parameters) - set(metric.parameters)
    if unknown:
        raise MetricError(f"{metric.name} takes no {', '.join(sorted(unknown))}.")
    return metric.name, of_counts(metric, table, parameters, ranks.effective)


def of_counts(
    metric: Metric, table: Binary, parameters: dict[str, Any], effective: float | None = None
) -> NDArray[Any]:
    """Return a metric's values at the cutoffs of a table, in blocks that fit the processor's cache.

    With an ``average`` among the parameters it is that over the two classes. `effective` is Kish's effective
    number of rows, where they have weights.
    """
    if not issubclass(metric.reads, (Binary, Classes)):
        raise MetricError(f"{metric.name} is no measure of counts, so it has no value at a cutoff.")
    values = np.empty(len(table.tp))
    average = None if "average" in metric.parameters else parameters.get("average")
    if average:
        parameters = {name: value for name, value in parameters.items() if name != "average"}
    # Where a product of two counts would overflow, and where counts of both classes are added.
    wide = len(values) > 0 and (table.n[0] >= _SQUARE_FITS or bool(average))
    for begin in range(0, len(values), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        cells = [x[block] for x in (table.tp, table.fp, table.fn, table.tn)]
        part = Binary(*(x.astype(np.float64) if wide else x for x in cells))
        if average:
            values[block] = _average_of_two(metric, part, average, parameters)
            continue
        view = part if metric.reads is Binary else metric.reads(part.classes().table, effective)
        values[block] = metric.formula(view, **parameters)
    return values


def _average_of_two(metric: Metric, counts: Binary, average: str, parameters: dict[str, Any]) -> NDArray[Any]:
    """Return a metric averaged over the positive and the negative class, NaN where either has no value."""
    tp, fp, fn, tn = counts.tp, counts.fp, counts.fn, counts.tn
    if average == "micro":
        return np.asarray(metric.formula(Binary(tp + tn, fp + fn, fn + fp, tn + tp), **parameters))
    other = Binary(tn, fn, fp, tp)
    each = [metric.formula(view, **parameters) for view in (counts, other)]
    values = np.stack([np.broadcast_to(value, np.shape(tp)) for value in each])
    rows = np.stack([counts.positives, other.positives])
    weights = np.ones(rows.shape) if average == "macro" else rows / rows.sum(axis=0)
    # A class without rows does not count in a weighted average.
    return np.asarray(np.where(weights > 0, values * weights, 0.0).sum(axis=0) / weights.sum(axis=0))


def first_best(
    values: NDArray[Any], *, lowest: bool = False, scale: float = 0.0
) -> tuple[int, float, int] | None:
    """Return the first index of the best value, that value, and how many share it; None where all are NaN.

    Values that differ by rounding alone count as equal: within a few units in the last place of the best, or
    of `scale` where terms of that size were subtracted from one another.

    >>> first_best(np.array([np.nan, 0.1 + 0.2, 0.3, 0.25]))
    (1, 0.30000000000000004, 2)
    """
    values = -values if lowest else values
    top = np.fmax.reduce(values, initial=-math.inf)
    shared = values >= top - rounding(top, scale)
    if not (ties := int(np.count_nonzero(shared))):
        return None
    index = int(np.argmax(shared))
    return index, float(-values[index] if lowest else values[index]), ties


def rounding(value: float, scale: float = 0.0) -> float:
    """Return by how much rounding alone can separate two values made of terms of some size."""
    return float(_ROUNDING * max(abs(value), scale)) if math.isfinite(value) else 0.0


def _checked(measure: str, function: Callable[..., Any], parameters: dict[str, Any]) -> dict[str, Any]:
    known = function.__kwdefaults__ or {}
    unknown = set(parameters) - set(known)
    if unknown:
        raise MetricError(f"{measure} takes no {', '.join(sorted(unknown))}.")
    return parameters


def _f(ranks: Ranks, *, alpha: float = 0.5) -> NDArray[Any]:
    if not 0 <= alpha <= 1:
        raise MetricError(f"alpha={alpha!r}: the weight of precision is between 0 and 1.")
    beta = math.sqrt(1 / alpha - 1) if alpha else math.inf
    return of_counts(find("f_beta"), ranks.at_cutoffs(), {"beta": beta})


def _sar(ranks: Ranks) -> NDArray[Any]:
    accuracy = of_counts(find("accuracy"), ranks.at_cutoffs(), {})
    area: float = auc.formula(ranks)
    return (accuracy + area + 1 - _root_mean_squared_error(ranks)) / 3


def _hull(ranks: Ranks) -> Curve:
    return roc_hull(ranks.source)


def _expected_cost(ranks: Ranks) -> Curve:
    """Return the lower envelope of the cost lines: each edge of the hull is one of its corners."""
    hull = roc_hull(ranks.source)
    run, rise = np.diff(hull.x), np.diff(hull.y)
    between = run / (run + rise)
    x = np.concatenate([[0.0], between, [1.0]])
    y = np.concatenate([[0.0], hull.x[1:] * (1 - between) + (1 - hull.y[1:]) * between, [0.0]])
    cutoffs = np.concatenate([hull.cutoffs, hull.cutoffs[-1:]])  # the best cutoff to the right of each point
    distinct = np.diff(x, append=2) > 0
    return Curve(
        "cost curve", "probability_cost", "expected_cost", x[distinct], y[distinct], cutoffs[distinct]
    )


def _calibration(ranks: Ranks, *, window: int = 100) -> Curve:
    """Return the difference of the share of positives and the mean score in a sliding window of rows.

    Where a window ends inside tied scores, their rows are taken in proportion; ROCR takes them in
    the order in which they came.
    """
    _probabilities(ranks)
    if not ranks.plain:
        raise MetricError("cal uses a window of rows, so it takes no weights.")
    n = ranks.n
    if not 0 < window <= n:
        raise MetricError(f"window={window!r}: there are {count_of(n, 'row')}.")
    reached = ranks.tp + ranks.fp
    sums = np.cumsum(ranks.thresholds.astype(np.float64) * np.diff(reached, prepend=0))
    first = np.arange(n - window + 1)
    edges = np.concatenate([[0], reached])
    positives, total = (
        np.interp(first + window, edges, running) - np.interp(first, edges, running)
        for running in (np.concatenate([[0.0], column]) for column in (ranks.tp, sums))
    )
    middle = [
        ranks.thresholds[np.searchsorted(reached, first + offset, side="right")].astype(np.float64)
        for offset in ((window - 1) // 2, window // 2)
    ]
    median = (middle[0] + middle[1]) / 2
    return Curve(
        "calibration error",
        "median_score",
        "calibration_error",
        median,
        np.abs(positives - total) / window,
        median,
    )


def _area(ranks: Ranks, *, fpr_stop: float = 1.0) -> Value:
    if fpr_stop == 1:
        return auc(ranks.source)
    return partial_auc(ranks.source, false_positive_rate=(0.0, fpr_stop))


def _mean_cross_entropy(ranks: Ranks) -> float:
    scores = _probabilities(ranks)
    with np.errstate(divide="ignore"):
        return _mean_loss(ranks, -np.log(scores), -np.log1p(-scores))


def _root_mean_squared_error(ranks: Ranks) -> float:
    scores = ranks.thresholds.astype(np.float64)
    return math.sqrt(_mean_loss(ranks, (1 - scores) ** 2, scores**2))


def _mean_loss(ranks: Ranks, of_positives: NDArray[Any], of_negatives: NDArray[Any]) -> float:
    """Return the mean over the rows of the loss of a positive and of a negative at each score."""
    sides = ((ranks.positive_steps, of_positives), (ranks.negative_steps, of_negatives))
    total = sum(added(mass[mass > 0] * loss[mass > 0]) for mass, loss in sides if (mass > 0).any())
    return float(total / ranks.n)


def _probabilities(ranks: Ranks) -> NDArray[Any]:
    scores = ranks.thresholds.astype(np.float64)
    if scores[-1] < 0 or scores[0] > 1:
        bad = scores[-1] if scores[-1] < 0 else scores[0]
        raise MetricError(f"a score of {bad} is no probability: this measure needs scores from 0 to 1.")
    return scores


def _area_as_rocr(ranks: Ranks) -> float:
    """Return ROCR's aucpr, with its bug.

    It joins the points of fewest false positives for each number of true positives by straight lines. Where
    two such points are more than two true positives apart it means to add the points between them, but
    counts indices in the list as it was before any were added; so they may land elsewhere.
    """
    table = ranks.at_cutoffs()
    fresh = np.concatenate([[True], np.diff(table.tp) > 0])
    tp, fp = (x[fresh].astype(np.float64) for x in (table.tp, table.fp))
    recall = (tp / ranks.positives).tolist()
    precision = [1.0, *(tp[1:] / (tp[1:] + fp[1:])).tolist()]
    for index in range(len(tp) - 1):
        gap = tp[index + 1] - tp[index]
        if gap > 2:  # noqa: PLR2004 - as ROCR has it
            rate = (fp[index + 1] - fp[index]) / gap
            steps = np.arange(1, gap + 1)
            between = tp[index] + steps
            recall[index + 1 : index + 1] = (between / ranks.positives).tolist()
            precision[index + 1 : index + 1] = (between / (between + fp[index] + rate * steps)).tolist()
    return float((np.diff(recall) * (np.array(precision[1:]) + precision[:-1])).sum() / 2)


# ROCR's base of logarithms.
_DEFAULTS: Final[dict[str, dict[str, Any]]] = {"mi": {"base": 2}}
_MEASURES: Final[dict[str, Callable[..., NDArray[Any]]]] = {"f": _f, "sar": _sar}
_CURVES: Final[dict[str, Callable[..., Curve]]] = {"rch": _hull, "ecost": _expected_cost, "cal": _calibration}
_NUMBERS: Final[dict[str, Callable[..., Any]]] = {
    "auc": _area,
    "aucpr": lambda ranks: pr_auc_integral(ranks.source),
    "aucpr_rocr": _area_as_rocr,
    "prbe": lambda ranks: break_even(ranks.source),
    "mxe": _mean_cross_entropy,
    "rmse": _root_mean_squared_error,
}
