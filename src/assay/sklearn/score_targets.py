"""From the caller's targets to ranks: one reading of the rows per call, and one of the scores.

Arrays that are two classes by nature go straight to the tally, which reports what it cannot take; only then
are they looked at closely, to word the error or to find another reading.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LabelError, LengthError, NumberError
from assay.inputs import Column, Rows, column, rows
from assay.metrics.views.ranking import Ranks
from assay.sklearn.parameter_checks import InvalidParameterError
from assay.sklearn.target_checks import (
    column_or_1d,
    consistent_length,
    finite,
    numeric,
    positive_label,
    sample_weights,
    type_of_target,
)
from assay.tallies import Scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs.columns import Array

INFINITE = "y_score holds an infinite score."
_WIDE = 8  # bytes of an integer that may be beyond
_EXACT = 2**53
__all__ = ["averaged", "higher_label", "ranking_weights", "scored", "two_classes", "wide", "wide_levels"]


def wide(values: Any) -> bool:
    """Tell whether this may be a table of several columns."""
    shape = getattr(values, "shape", None)
    if shape is not None:
        return len(shape) != 1
    return isinstance(values, (list, tuple)) and bool(values) and hasattr(values[0], "__len__")


def scored(y_true: Any, y_score: Any, sample_weight: Any = None, pos_label: Any = None) -> Ranks:
    """Return the ranks of rows of two classes, or of one against the rest where `pos_label` says which."""
    if not wide(y_true):
        try:
            gathered = rows(actual=y_true, score=y_score, positive=pos_label)
            if gathered.n:
                return _ranks(gathered, sample_weight)
        except InputError:
            pass
    kind = type_of_target(y_true, "y_true")
    if kind != "binary" and not (kind == "multiclass" and pos_label is not None):
        raise LabelError(f"{kind} format is not supported")
    actual = column_or_1d(y_true, "y_true")
    consistent_length(actual, y_score, sample_weight)
    positive = np.asarray(actual == positive_label(pos_label, actual))
    return two_classes(np.broadcast_to(positive, actual.shape), y_score, sample_weight)


def higher_label(y_true: Any, y_score: Any, sample_weight: Any = None) -> Ranks | None:
    """Return the ranks of rows of two classes whose positive one is the higher label.

    None where there are not two labels at first sight, so that they need a closer look.
    """
    if wide(y_true) or wide(y_score):
        return None
    try:
        actual = column(y_true, "y_true")
        pair = actual.labels is not None and len(actual.labels) == 2  # noqa: PLR2004 - two classes
        positive = actual.labels[1] if pair and actual.labels else None
        gathered = rows(actual=actual, score=y_score, positive=positive)
        return _ranks(gathered, sample_weight) if gathered.n else None
    except InputError:
        return None


def two_classes(positive: Array, y_score: Any, sample_weight: Any = None) -> Ranks:
    """Return the ranks of rows that are positive or not, by anything that gives one score per row."""
    scores = finite(column_or_1d(y_score, "y_score"))
    if scores.dtype.kind in "USTV":
        raise InvalidParameterError("y_score holds text where numbers are needed.")
    n = consistent_length(positive, scores, sample_weight)
    if n < 1:
        raise LengthError("y_true and y_score have no rows.")
    levels = wide_levels(scores)
    if levels is not None:
        scores = np.searchsorted(levels, scores)
    if scores.dtype not in (np.float32, np.float64):
        scores = finite(scores.astype(np.float64))
    actual = Column("y_true", np.ascontiguousarray(positive, dtype=bool).view(np.uint8))
    return _ranks(Rows(n, actual, score=Column("y_score", scores), positive=1), sample_weight)


def wide_levels(scores: Array) -> Array | None:
    """Return the distinct scores, sorted, where some are integers that no float64 holds; else None.

    Rows are ranked by their places in these levels then, and thresholds are such places.
    """
    if scores.dtype.kind not in "iu" or scores.dtype.itemsize < _WIDE or not len(scores):
        return None
    return np.unique(scores) if scores.max() > _EXACT or scores.min() < -_EXACT else None


def _ranks(gathered: Rows, sample_weight: Any) -> Ranks:
    if sample_weight is None:
        tally = Scores.of(gathered)
        if math.isinf(tally.scores[0]) or math.isinf(tally.scores[-1]):
            raise NumberError(INFINITE)
        return Ranks(tally)
    # A row without weight still has a label and a score, which must be right.
    weights = ranking_weights(sample_weight, gathered.n)
    positive, _ = gathered.binary_actual("ranking")
    scores = finite(gathered.need("score", "ranking").numbers("scores"), "y_score")
    if weights.min() >= 0:
        return Ranks(Scores.of(rows(actual=positive, score=scores, weight=weights, positive=1)))
    return _signed(*(values[weights != 0] for values in (positive, scores, weights)))


def ranking_weights(sample_weight: Any, n: int) -> Array:
    """Return weights as numbers, one per row; a table of one column counts as one, as in scikit-learn."""
    return np.asarray(sample_weights(column_or_1d(sample_weight, "sample_weight"), n, dtype=np.float64))


def _signed(positive: Array, scores: Array, weights: Array) -> Ranks:
    """Return ranks with weights of which some are below 0, which a tally does not take."""
    tally = Scores.of(rows(actual=positive, score=scores, positive=1))
    index = np.searchsorted(tally.scores, scores)
    masses = (np.bincount(index, weights * side, len(tally.scores)) for side in (positive, 1.0 - positive))
    return Ranks(tally, *masses)


def averaged(
    metric: Callable[[Any, Any, Any], float], y_true: Array, y_score: Any, average: str | None, weights: Any
) -> Any:
    """Return the average of a metric of two classes over the columns of a table of label sets.

    `metric` takes one column of truth values, its scores and the rows' weights. ``"micro"`` takes the table
    as one column, ``"samples"`` every row as one, ``"weighted"`` lets a column count by its positives.
    """
    scores = numeric(y_score, "y_score")
    consistent_length(y_true, scores, weights)
    if scores.shape != y_true.shape:
        raise LengthError(f"y_true has shape {y_true.shape}, y_score has shape {scores.shape}.")
    weights = None if weights is None else ranking_weights(weights, len(y_true))
    if average == "micro":
        each = None if weights is None else np.repeat(weights, y_true.shape[1])
        return metric(y_true.ravel(), scores.ravel(), each)
    shares: Array | None = None
    if average == "samples":
        shares, weights = weights, None
        y_true, scores = y_true.T, scores.T
    elif average == "weighted":
        shares = np.asarray(y_true.sum(axis=0) if weights is None else weights @ y_true)
        if np.isclose(shares.sum(), 0):
            return 0.0
    pairs = zip(y_true.T, scores.T, strict=True)
    values = np.array([metric(column, score, weights) for column, score in pairs])
    if average is None:
        return values
    if shares is not None:
        values[shares == 0] = 0
    return float(np.average(values, weights=shares))
