"""Labels or documents listed by score, row by row: ranking losses, discounted gains, the first k."""

from __future__ import annotations

import dataclasses
import functools
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LabelError, LengthError, NumberError
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

_TABLE = 2  # dimensions of a table
_RULES = {"y_true": ROWS, "y_score": ARRAY, "sample_weight": OPTIONAL_ARRAY}
_GAINS = {
    "y_true": ARRAY,
    "y_score": ARRAY,
    "k": interval(numbers.Integral, 1, None, closed="left") + NONE,
    "sample_weight": OPTIONAL_ARRAY,
    "ignore_ties": BOOLEAN,
}


@dataclasses.dataclass(frozen=True, eq=False)
class _Listed:
    """Each row's items from the highest score to the lowest, with what they are worth."""

    worth: Array
    scores: Array

    @classmethod
    def of(cls, worth: Array, scores: Array) -> _Listed:
        order = np.argsort(scores, axis=1)[:, ::-1]
        return cls(np.take_along_axis(worth, order, 1), np.take_along_axis(scores, order, 1))

    @functools.cached_property
    def _changes(self) -> Array:
        """Where the next item has another score."""
        return np.asarray(self.scores[:, 1:] != self.scores[:, :-1])

    @functools.cached_property
    def first(self) -> Array:
        """The place of the first item of the same score."""
        places = np.arange(self.scores.shape[1])
        opens = np.zeros(self.scores.shape, dtype=np.intp)
        opens[:, 1:] = np.where(self._changes, places[1:], 0)
        return np.maximum.accumulate(opens, axis=1)

    @functools.cached_property
    def last(self) -> Array:
        """The place of the last item of the same score."""
        places = np.arange(self.scores.shape[1])
        closes = np.full(self.scores.shape, places[-1])
        closes[:, :-1] = np.where(self._changes, places[:-1], places[-1])
        return np.minimum.accumulate(closes[:, ::-1], axis=1)[:, ::-1]

    def gains(self, discount: Array) -> Array:
        """Return each row's discounted sum; items of one score share their places' discounts."""
        running = np.concatenate([[0.0], np.cumsum(discount)])
        shared = (running[self.last + 1] - running[self.first]) / (self.last - self.first + 1)
        return np.asarray((self.worth * shared).sum(axis=1))


@validated(**_RULES)
def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Return how many of the labels at or above each true one are true, on average.

    Same parameters and results as scikit-learn's.

    >>> label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.41666666666666663
    """
    actual, scores, weights = _label_sets(y_true, y_score, sample_weight, one_column=True)
    listed = _Listed.of(actual, scores)
    found = np.take_along_axis(listed.worth.cumsum(axis=1), listed.last, 1)
    total = actual.sum(axis=1)
    values = (listed.worth * found / (listed.last + 1)).sum(axis=1)
    trivial = (total == 0) | (total == actual.shape[1])
    return _mean(np.where(trivial, 1.0, values / np.maximum(total, 1)), weights)


@validated(**_RULES)
def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Return how many pairs of a true and an untrue label are ranked the wrong way or tied, on average.

    Same parameters and results as scikit-learn's.

    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    actual, scores, weights = _label_sets(y_true, y_score, sample_weight)
    listed = _Listed.of(actual, scores)
    total = actual.sum(axis=1)
    before = listed.worth.cumsum(axis=1) - listed.worth
    above = np.take_along_axis(before, listed.first, 1)  # true labels of a higher score
    wrong = (~listed.worth * (total[:, None] - above)).sum(axis=1)
    pairs = total * (actual.shape[1] - total)
    return _mean(np.where(pairs == 0, 0.0, wrong / np.maximum(pairs, 1)), weights)


@validated(**_RULES | {"y_true": ARRAY})
def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Return how far down the list one has to go to find every true label, on average.

    Same parameters and results as scikit-learn's.

    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    actual, scores, weights = _label_sets(y_true, y_score, sample_weight)
    lowest = np.where(actual, scores, np.inf).min(axis=1)
    return _mean((scores >= lowest[:, None]).sum(axis=1), weights)


def _label_sets(
    y_true: Any, y_score: Any, sample_weight: Any, *, one_column: bool = False
) -> tuple[Array, Array, Any]:
    """Return a table of which labels are true, one of scores, and the weights."""
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


@validated(**_GAINS, log_base=interval(numbers.Real, 0.0, None, closed="neither"))
def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Return the gains listed by score, discounted by place. Same parameters and results as scikit-learn's.

    >>> dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]])
    9.499457825916874
    """
    gains, scores, weights = _gains(y_true, y_score, sample_weight)
    _refuse_gains(gains)
    return _mean(_dcg(gains, scores, k, log_base, ignore_ties=ignore_ties), weights)


@validated(**_GAINS)
def ndcg_score(
    y_true: Any, y_score: Any, *, k: int | None = None, sample_weight: Any = None, ignore_ties: bool = False
) -> float:
    """Return the discounted gains as a share of the best order's.

    Same parameters and results as scikit-learn's.

    >>> ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]])
    0.6956940443813076
    """
    gains, scores, weights = _gains(y_true, y_score, sample_weight)
    if gains.min() < 0:
        raise NumberError("y_true holds a gain below 0, for which NDCG has no meaning.")
    if gains.ndim == _TABLE and gains.shape[1] <= 1:
        raise LengthError("a single document has no order: NDCG needs at least two.")
    _refuse_gains(gains)
    reached = _dcg(gains, scores, k, 2, ignore_ties=ignore_ties)
    ideal = _dcg(gains, gains, k, 2, ignore_ties=True)
    return _mean(np.divide(reached, ideal, out=np.zeros_like(reached), where=ideal != 0), weights)


def _gains(y_true: Any, y_score: Any, sample_weight: Any) -> tuple[Array, Array, Any]:
    gains, scores = numeric(y_true, "y_true"), numeric(y_score, "y_score")
    n = consistent_length(gains, scores, sample_weight)
    return gains, scores, sample_weights(sample_weight, n)


def _refuse_gains(gains: Array) -> None:
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
    listed = _Listed.of(gains, scores)
    return np.asarray((listed.worth * discount).sum(axis=1)) if ignore_ties else listed.gains(discount)


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
    """Return how many rows have their class among the k of highest score.

    Same parameters and results as scikit-learn's; of equal scores the later class comes first.

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
                f"y_true has two classes, y_score has {scores.shape[1]} columns: name all with labels=."
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
            f"every class is among the first k={k} of {len(classes)}, so a perfect score means nothing."
        )
    hits = _among_first(np.searchsorted(classes, actual), scores, k)
    weights = sample_weights(sample_weight, n)
    if normalize:
        return _mean(hits, weights)
    return float(hits.sum() if weights is None else hits @ weights)


def _among_first(codes: Array, scores: Array, k: int) -> Array:
    """Tell which rows have the class of their code among the k of highest score."""
    if scores.ndim == 1:
        if k > 1:
            return np.ones(len(codes), dtype=bool)
        threshold = 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0
        return np.asarray((scores > threshold) == codes)
    own = np.take_along_axis(scores, codes[:, None], 1)
    later = np.arange(scores.shape[1]) > codes[:, None]
    before = (scores > own) | (later & (scores == own))
    return np.asarray(np.count_nonzero(before, axis=1) < k)


def _mean(values: Array, weights: Array | None) -> float:
    return float(np.average(values, weights=weights))
