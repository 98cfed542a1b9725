"""Ranking metrics per row: label ranking losses, DCG and NDCG, top-k accuracy."""

from __future__ import annotations

import dataclasses
import functools
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LabelError, LengthError, NumberError
from assay.formatting.numbers import count_of
from assay.sklearn.auc import class_labels
from assay.sklearn.parameter_checks import (
    ARRAY,
    BOOLEAN,
    NONE,
    OPTIONAL_ARRAY,
    ROWS,
    interval,
    is_sparse,
    validated,
)
from assay.sklearn.target_checks import (
    as_array,
    column_or_1d,
    consistent_length,
    numeric,
    sample_weights,
    type_of_target,
)
from assay.sklearn.undefined_warnings import warn_undefined

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = [
    "coverage_error",
    "dcg_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
    "top_k_accuracy_score",
]

_TABLE = 2  # number of dimensions of a table
_PARAMETERS = {"y_true": ROWS, "y_score": ARRAY, "sample_weight": OPTIONAL_ARRAY}
_DCG_PARAMETERS = {
    "y_true": ARRAY,
    "y_score": ARRAY,
    "k": interval(numbers.Integral, 1, None, closed="left") + NONE,
    "sample_weight": OPTIONAL_ARRAY,
    "ignore_ties": BOOLEAN,
}


@dataclasses.dataclass(frozen=True, eq=False)
class _RankedRows:
    """Each row's items sorted by descending score, with their gains (or whether they are relevant)."""

    gain: Array
    scores: Array

    @classmethod
    def of(cls, gain: Array, scores: Array) -> _RankedRows:
        order = np.argsort(scores, axis=1)[:, ::-1]
        return cls(np.take_along_axis(gain, order, 1), np.take_along_axis(scores, order, 1))

    @functools.cached_property
    def _changes(self) -> Array:
        """Where the next item has a different score."""
        return np.asarray(self.scores[:, 1:] != self.scores[:, :-1])

    @functools.cached_property
    def first(self) -> Array:
        """The index of the first item of the same score."""
        indices = np.arange(self.scores.shape[1])
        starts = np.zeros(self.scores.shape, dtype=np.intp)
        starts[:, 1:] = np.where(self._changes, indices[1:], 0)
        return np.maximum.accumulate(starts, axis=1)

    @functools.cached_property
    def last(self) -> Array:
        """The index of the last item of the same score."""
        indices = np.arange(self.scores.shape[1])
        ends = np.full(self.scores.shape, indices[-1])
        ends[:, :-1] = np.where(self._changes, indices[:-1], indices[-1])
        return np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]

    def gains(self, discount: Array) -> Array:
        """Return each row's discounted cumulative gain; tied items share the mean of their discounts."""
        cumulative = np.concatenate([[0.0], np.cumsum(discount)])
        shared = (cumulative[self.last + 1] - cumulative[self.first]) / (self.last - self.first + 1)
        return np.asarray((self.gain * shared).sum(axis=1))


@validated(**_PARAMETERS)
def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Return the mean share of true labels among those ranked at or above each true label.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        A table of 0 and 1: a row per row, a column per label.
    y_score
        Scores, a column per label.
    sample_weight
        How much each row counts.

    Returns
    -------
    float
        The mean over the rows.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.41666666666666663
    """
    actual, scores, weights = _label_sets(y_true, y_score, sample_weight, one_column=True)
    ranked = _RankedRows.of(actual, scores)
    hits = np.take_along_axis(ranked.gain.cumsum(axis=1), ranked.last, 1)
    total = actual.sum(axis=1)
    values = (ranked.gain * hits / (ranked.last + 1)).sum(axis=1)
    trivial = (total == 0) | (total == actual.shape[1])
    return _mean(np.where(trivial, 1.0, values / np.maximum(total, 1)), weights)


@validated(**_PARAMETERS)
def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Return the mean share of pairs of a true and a false label that are ranked in the wrong order or tied.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        A table of 0 and 1: a row per row, a column per label.
    y_score
        Scores, a column per label.
    sample_weight
        How much each row counts.

    Returns
    -------
    float
        The mean over the rows.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    actual, scores, weights = _label_sets(y_true, y_score, sample_weight)
    ranked = _RankedRows.of(actual, scores)
    total = actual.sum(axis=1)
    before = ranked.gain.cumsum(axis=1) - ranked.gain
    above = np.take_along_axis(before, ranked.first, 1)  # true labels of a higher score
    wrong = (~ranked.gain * (total[:, None] - above)).sum(axis=1)
    pairs = total * (actual.shape[1] - total)
    return _mean(np.where(pairs == 0, 0.0, wrong / np.maximum(pairs, 1)), weights)


@validated(**_PARAMETERS | {"y_true": ARRAY})
def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Return the mean depth of the ranking needed to cover every true label.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        A table of 0 and 1: a row per row, a column per label.
    y_score
        Scores, a column per label.
    sample_weight
        How much each row counts.

    Returns
    -------
    float
        The mean over the rows.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    actual, scores, weights = _label_sets(y_true, y_score, sample_weight)
    lowest = np.where(actual, scores, np.inf).min(axis=1)
    return _mean((scores >= lowest[:, None]).sum(axis=1), weights)


def _label_sets(
    y_true: Any, y_score: Any, sample_weight: Any, *, one_column: bool = False
) -> tuple[Array, Array, Any]:
    """Return the indicator table of true labels, the scores and the weights."""
    scores = numeric(y_score, "y_score")
    table: Any = y_true if is_sparse(y_true) else numeric(y_true, "y_true")
    n = consistent_length(table, scores, sample_weight)
    kind = type_of_target(table, "y_true")
    if kind != "multilabel-indicator" and not (one_column and kind == "binary" and table.ndim == _TABLE):
        raise LabelError(f"{kind} format is not supported")
    if table.shape != scores.shape:
        raise LengthError("y_true and y_score have different shape")
    dense = table.toarray() if is_sparse(table) else table
    return dense != 0, scores, sample_weights(sample_weight, n)


@validated(**_DCG_PARAMETERS, log_base=interval(numbers.Real, 0.0, None, closed="neither"))
def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Return the discounted cumulative gain. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        Relevances, a row per list and a column per item.
    y_score
        Scores, likewise.
    k
        How many of the highest scores count; all unless given.
    log_base
        The base of the logarithm of the discount.
    sample_weight
        How much each row counts.
    ignore_ties
        Whether to take tied scores in the order of the columns, which is quicker.

    Returns
    -------
    float
        The mean over the rows.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]])
    9.499457825916874
    """
    gains, scores, weights = _gains(y_true, y_score, sample_weight)
    _check_gains(gains)
    return _mean(_dcg(gains, scores, k, log_base, ignore_ties=ignore_ties), weights)


@validated(**_DCG_PARAMETERS)
def ndcg_score(
    y_true: Any, y_score: Any, *, k: int | None = None, sample_weight: Any = None, ignore_ties: bool = False
) -> float:
    """Return the normalized discounted cumulative gain: DCG over that of the ideal order.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        Relevances, a row per list and a column per item.
    y_score
        Scores, likewise.
    k
        How many of the highest scores count; all unless given.
    sample_weight
        How much each row counts.
    ignore_ties
        Whether to take tied scores in the order of the columns, which is quicker.

    Returns
    -------
    float
        The mean over the rows.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]])
    0.6956940443813076
    """
    gains, scores, weights = _gains(y_true, y_score, sample_weight)
    if gains.min() < 0:
        raise NumberError("y_true holds a gain below 0, for which NDCG is not defined.")
    if gains.ndim == _TABLE and gains.shape[1] <= 1:
        raise LengthError("a single document cannot be ranked: NDCG needs at least two.")
    _check_gains(gains)
    dcg = _dcg(gains, scores, k, 2, ignore_ties=ignore_ties)
    ideal = _dcg(gains, gains, k, 2, ignore_ties=True)
    return _mean(np.divide(dcg, ideal, out=np.zeros_like(dcg), where=ideal != 0), weights)


def _gains(y_true: Any, y_score: Any, sample_weight: Any) -> tuple[Array, Array, Any]:
    gains, scores = numeric(y_true, "y_true"), numeric(y_score, "y_score")
    n = consistent_length(gains, scores, sample_weight)
    return gains, scores, sample_weights(sample_weight, n)


def _check_gains(gains: Array) -> None:
    known = ("multilabel-indicator", "continuous-multioutput", "multiclass-multioutput")
    kind = type_of_target(gains, "y_true")
    if kind not in known:
        raise InputError(f"y_true is {kind}; gains are a table, so one of {', '.join(known)}.")


def _dcg(gains: Array, scores: Array, k: int | None, log_base: float, *, ignore_ties: bool) -> Array:
    if gains.shape != scores.shape:
        raise LengthError("y_true and y_score have different shape")
    discount = np.log(log_base) / np.log(np.arange(gains.shape[1]) + 2)
    if k is not None:
        discount[k:] = 0
    ranked = _RankedRows.of(gains, scores)
    return np.asarray((ranked.gain * discount).sum(axis=1)) if ignore_ties else ranked.gains(discount)


@validated(
    y_true=ARRAY,
    y_score=ARRAY,
    k=interval(numbers.Integral, 1, None, closed="left"),
    normalize=BOOLEAN,
    sample_weight=OPTIONAL_ARRAY,
    labels=OPTIONAL_ARRAY,
)
def top_k_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    """Return the share of rows whose class is among the k with the highest scores.

    Same parameters and results as scikit-learn's; of tied classes the later one ranks first.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_score
        Scores, higher for the positive class; for several classes or labels a column for each.
    k
        Among how many of the highest scores the class must be.
    normalize
        False for a count of rows, or a sum over them, in place of a share or mean.
    sample_weight
        How much each row counts.
    labels
        The labels to take, in order; by default those that occur.

    Returns
    -------
    float
        The share, or the number of rows.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3]], k=1)
    0.6666666666666666
    """
    actual = column_or_1d(as_array(y_true), "y_true")
    kind = type_of_target(actual, "y_true")
    if kind == "binary" and labels is not None and len(labels) > 2:  # noqa: PLR2004 - more than two classes
        kind = "multiclass"
    if kind not in ("binary", "multiclass"):
        raise LabelError(f"y type must be 'binary' or 'multiclass', got '{kind}' instead.")
    scores = numeric(y_score, "y_score")
    if kind == "binary":
        if scores.ndim == _TABLE and scores.shape[1] != 1:
            raise LengthError(
                f"y_true has two classes, "
                f"y_score has {count_of(scores.shape[1], 'column')}: name all with labels=."
            )
        scores = column_or_1d(scores, "y_score")
    elif scores.ndim != _TABLE:
        raise LengthError(
            f"y_score has shape {scores.shape} where a column per class is needed: (n_samples, n_classes)."
        )
    n = consistent_length(actual, scores, sample_weight)
    classes = class_labels(actual, scores.shape[1] if scores.ndim == _TABLE else 2, labels)
    if k >= len(classes):
        warn_undefined(
            f"every class is among the first k={k} of {len(classes)}, so the score is always perfect."
        )
    hits = _in_top_k(np.searchsorted(classes, actual), scores, k)
    weights = sample_weights(sample_weight, n)
    if normalize:
        return _mean(hits, weights)
    return float(hits.sum() if weights is None else hits @ weights)


def _in_top_k(codes: Array, scores: Array, k: int) -> Array:
    """Return which rows have their class among the k with the highest scores."""
    if scores.ndim == 1:
        if k > 1:
            return np.ones(len(codes), dtype=bool)
        threshold = 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0
        return np.asarray((scores > threshold) == codes)
    own = np.take_along_axis(scores, codes[:, None], 1)
    later = np.arange(scores.shape[1]) > codes[:, None]
    ranked_above = (scores > own) | (later & (scores == own))
    return np.asarray(np.count_nonzero(ranked_above, axis=1) < k)


def _mean(values: Array, weights: Array | None) -> float:
    return float(np.average(values, weights=weights))
