"""Curves: what every threshold on the scores gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import LabelError
from assay.sklearn.parameter_checks import (
    ARRAY,
    BOOLEAN,
    CALLABLE,
    NONE,
    OPTIONAL_ARRAY,
    POS_LABEL,
    InvalidParameterError,
    instance_of,
    validated,
)
from assay.sklearn.score_targets import ranking_weights, scored, wide_levels
from assay.sklearn.target_checks import as_array, column_or_1d, consistent_length, distinct, finite
from assay.sklearn.undefined_warnings import warn, warn_undefined

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs.columns import Array
    from assay.metrics import Ranks

__all__ = [
    "confusion_matrix_at_thresholds",
    "det_curve",
    "metric_at_thresholds",
    "precision_recall_curve",
    "roc_curve",
]

_RULES = {"y_true": ARRAY, "y_score": ARRAY, "pos_label": POS_LABEL, "sample_weight": OPTIONAL_ARRAY}


@validated(**_RULES)
def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Array, Array, Array, Array, Array]:
    """Return true negatives, false positives, false negatives, true positives, and the thresholds.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_score
        Scores, higher for the positive class; for several classes or labels a column for each.
    pos_label
        The positive label.
    sample_weight
        How much each row counts.

    Returns
    -------
    tuple of five NDArray
        The four counts at each threshold, and the thresholds.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> tn, fp, fn, tp, thresholds = confusion_matrix_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> tp.tolist(), fp.tolist(), thresholds.tolist()
    ([1.0, 1.0, 2.0, 2.0], [0.0, 1.0, 1.0, 2.0], [0.8, 0.4, 0.35, 0.1])
    """
    fp, tp, thresholds = _counts(scored(y_true, y_score, sample_weight, pos_label))
    fp, tp = fp[1:], tp[1:]
    return fp[-1] - fp, fp, tp[-1] - tp, tp, _as_given(thresholds[1:], y_score)


def _counts(ranks: Ranks) -> tuple[Array, Array, Array]:
    """Return false positives, true positives and thresholds, from infinity on, where there are none."""
    scores = ranks.thresholds
    size = len(scores) + 1
    fp, tp, thresholds = np.zeros(size), np.zeros(size), np.empty(size)
    np.add.accumulate(ranks.negative_steps, dtype=np.float64, out=fp[1:])
    np.add.accumulate(ranks.positive_steps, dtype=np.float64, out=tp[1:])
    thresholds[0], thresholds[1:] = np.inf, scores
    return fp, tp, thresholds


def _as_floats(thresholds: Array, y_score: Any) -> Array:
    """Return thresholds, of which the first may be infinite, as float64: scores in place of their places."""
    levels = wide_levels(as_array(y_score))
    if levels is None:
        return thresholds
    known = np.isfinite(thresholds)
    thresholds[known] = levels[thresholds[known].astype(np.intp)]
    return thresholds


def _as_given(thresholds: Array, y_score: Any) -> Array:
    """Return the thresholds in the type of number in which the scores came."""
    scores = as_array(y_score)
    levels = wide_levels(scores)
    if levels is not None:
        return np.asarray(levels[thresholds.astype(np.intp)])
    return thresholds.astype(scores.dtype, copy=False) if scores.dtype.kind in "biuf" else thresholds


@validated(**_RULES, drop_intermediate=BOOLEAN)
def roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = True,
) -> tuple[Array, Array, Array]:
    """Return the false positive rates, the true positive rates and the thresholds of the ROC curve.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_score
        Scores, higher for the positive class; for several classes or labels a column for each.
    pos_label
        The positive label.
    sample_weight
        How much each row counts.
    drop_intermediate
        Whether to leave out thresholds that do not change the curve.

    Returns
    -------
    tuple of three NDArray
        False positive rates, true positive rates and thresholds.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), tpr.tolist(), thresholds.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 0.8, 0.4, 0.35, 0.1])
    """
    ranks = scored(y_true, y_score, sample_weight, pos_label)
    fp, tp, thresholds = _counts(ranks)
    if drop_intermediate and len(fp) > 3:  # noqa: PLR2004 - the first two and the last stay
        # As in scikit-learn: a point between two equal steps is dropped, other collinear ones stay. With
        # weights, what the sums round to decides, there as here.
        across, up = (
            (ranks.negative_steps, ranks.positive_steps)
            if ranks.plain
            else (fp[1:] - fp[:-1], tp[1:] - tp[:-1])
        )
        keep = np.ones(len(fp), dtype=bool)
        keep[2:-1] = (across[2:] != across[1:-1]) | (up[2:] != up[1:-1])
        fp, tp, thresholds = fp[keep], tp[keep], thresholds[keep]
    return (
        _rate(fp, "false positive rate", "negatives"),
        _rate(tp, "true positive rate", "positives"),
        _as_floats(thresholds, y_score),
    )


def _rate(counts: Array, rate: str, class_name: str) -> Array:
    total = counts[-1]
    if total <= 0:
        warn_undefined(f"y_true has no {class_name}, so the {rate} is not defined.")
        return np.full(counts.shape, np.nan)
    return np.asarray(counts / total)


@validated(**_RULES, drop_intermediate=BOOLEAN)
def precision_recall_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> tuple[Array, Array, Array]:
    """Return precision, recall and the thresholds, from the lowest threshold on.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_score
        Scores, higher for the positive class; for several classes or labels a column for each.
    pos_label
        The positive label.
    sample_weight
        How much each row counts.
    drop_intermediate
        Whether to leave out thresholds that do not change the curve.

    Returns
    -------
    tuple of three NDArray
        Precision, recall and thresholds.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> precision.tolist(), recall.tolist(), thresholds.tolist()
    ([0.5, 0.6666666666666666, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0], [0.1, 0.35, 0.4, 0.8])
    """
    fp, tp, thresholds = _counts(scored(y_true, y_score, sample_weight, pos_label))
    if drop_intermediate and len(fp) > 3:  # noqa: PLR2004 - the first two and the last stay
        keep = np.ones(len(fp), dtype=bool)
        keep[2:-1] = _rising(tp[1:])
        fp, tp, thresholds = fp[keep], tp[keep], thresholds[keep]
    above = tp + fp
    # At the end precision is 1 by convention; elsewhere nothing above a threshold (weights below 0) gives 0.
    precision = np.divide(tp, above, out=np.zeros(len(tp)), where=above != 0)
    precision[0] = 1.0
    if tp[-1] == 0:
        warn("y_true has no positives: recall is taken as one at every threshold.")
        recall = np.ones(len(tp))
        recall[0] = 0.0
    else:
        recall = tp / tp[-1]
    return precision[::-1], recall[::-1], _as_given(thresholds[:0:-1], y_score)


@validated(**_RULES, drop_intermediate=BOOLEAN)
def det_curve(
    y_true: Any,
    y_score: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,  # noqa: FBT001, FBT002 - scikit-learn's signature
) -> tuple[Array, Array, Array]:
    """Return the false positive rates, the false negative rates and the thresholds of the DET curve.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_score
        Scores, higher for the positive class; for several classes or labels a column for each.
    pos_label
        The positive label.
    sample_weight
        How much each row counts.
    drop_intermediate
        Whether to leave out thresholds that do not change the curve.

    Returns
    -------
    tuple of three NDArray
        False positive rates, false negative rates and thresholds.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), fnr.tolist(), thresholds.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.35, 0.4, 0.8])
    """
    fp, tp, thresholds = _counts(scored(y_true, y_score, sample_weight, pos_label))
    if not (fp[-1] and tp[-1]) or pos_label is not None:
        classes = len(distinct(column_or_1d(y_true, "y_true")))
        if classes != 2:  # noqa: PLR2004 - it takes two to make a tradeoff
            raise LabelError(f"y_true has {classes} classes; a detection error tradeoff is between two.")
    if drop_intermediate and len(fp) > 2:  # noqa: PLR2004 - both ends stay
        keep = np.ones(len(fp), dtype=bool)
        keep[1:-1] = _rising(tp)
        fp, tp, thresholds = fp[keep], tp[keep], thresholds[keep]
    # Only the last of the points without false positives, and the first of those without misses.
    first = int(np.searchsorted(fp, fp[0], side="right")) - 1
    part = slice(first, int(np.searchsorted(tp, tp[-1])) + 1)
    with np.errstate(invalid="ignore"):  # a positive label that does not occur leaves no rate
        return (
            fp[part][::-1] / fp[-1],
            (tp[-1] - tp)[part][::-1] / tp[-1],
            _as_floats(thresholds[part][::-1], y_score),
        )


def _rising(tp: Array) -> Array:
    """Tell of every point but the ends whether true positives change before or after it."""
    change = tp[1:] != tp[:-1]
    return np.asarray(change[1:] | change[:-1])


@validated(
    y_true=ARRAY,
    y_score=ARRAY,
    metric_func=CALLABLE,
    sample_weight=OPTIONAL_ARRAY,
    metric_params=instance_of(dict) + NONE,
)
def metric_at_thresholds(
    y_true: Any,
    y_score: Any,
    metric_func: Callable[..., Any],
    *,
    sample_weight: Any = None,
    metric_params: dict[str, Any] | None = None,
) -> tuple[Array, Array]:
    """Return what a metric gives for predictions at each threshold, and the thresholds, the highest first.

    Same parameters and results as scikit-learn's. For metrics of the catalogue
    :func:`assay.metrics.curves.cutoffs.at_cutoffs` gives all thresholds at once.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_score
        Scores, higher for the positive class; for several classes or labels a column for each.
    metric_func
        A function of actual and predicted labels.
    sample_weight
        How much each row counts.
    metric_params
        Further keywords of it.

    Returns
    -------
    tuple of two NDArray
        The metric at each threshold, and the thresholds.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> from assay.sklearn import accuracy_score
    >>> values, thresholds = metric_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], accuracy_score)
    >>> values.tolist()
    [0.75, 0.5, 0.75, 0.5]
    """
    n = consistent_length(y_true, y_score, sample_weight)
    actual, scores = finite(column_or_1d(y_true, "y_true")), finite(column_or_1d(y_score, "y_score"))
    if scores.dtype.kind in "USTV" or any(isinstance(score, str) for score in scores[:1]):
        raise InvalidParameterError("y_score holds text where numbers are needed.")
    weights = None if sample_weight is None else ranking_weights(sample_weight, n)
    if weights is not None:
        counted = weights != 0
        actual, scores, weights = actual[counted], scores[counted], weights[counted]
    # Descending, rows of one score in the order in which they came.
    order = len(scores) - 1 - np.argsort(scores[::-1], kind="stable")[::-1]
    actual, scores = actual[order], scores[order]
    parameters = dict(metric_params or {})
    if weights is not None:
        parameters["sample_weight"] = weights[order]
    last = np.append(np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1)
    values = []
    for index in last:
        predicted = np.zeros(len(scores), dtype=np.int32)
        predicted[: index + 1] = 1
        values.append(metric_func(actual, predicted, **parameters))
    return np.asarray(values), scores[last]
