"""Areas under curves: of two classes, of label sets, of several classes."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LabelError, LengthError, NumberError
from assay.formatting.numbers import count_of
from assay.inputs import Column, Rows
from assay.metrics import auc as roc_auc
from assay.metrics import average_precision, hand_till_auc, partial_auc
from assay.metrics.arithmetic import ratio
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.sklearn.parameter_checks import (
    ARRAY,
    BOOLEAN,
    NONE,
    OPTIONAL_ARRAY,
    instance_of,
    interval,
    text_among,
    validated,
)
from assay.sklearn.score_targets import averaged, higher_label, scored, two_classes, wide
from assay.sklearn.target_checks import (
    as_array,
    column_or_1d,
    consistent_length,
    distinct,
    numeric,
    positive_label,
    type_of_target,
)
from assay.sklearn.undefined_warnings import warn, warn_undefined
from assay.tallies import ClassScores

if TYPE_CHECKING:
    from assay.inputs.columns import Array
    from assay.metrics import Ranks

__all__ = ["auc", "average_precision_score", "roc_auc_score"]

_AVERAGE = text_among("micro", "samples", "weighted", "macro") + NONE
_TABLE = 2  # dimensions of a table


@validated(x=ARRAY, y=ARRAY)
def auc(x: Any, y: Any) -> float:
    """Return the area under straight lines between points. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    x, y
        The coordinates of the points, `x` rising or falling.

    Returns
    -------
    float
        The area.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> auc([0, 0.5, 1], [0, 1, 1])
    0.75
    """
    consistent_length(x, y)
    along, height = (column_or_1d(values).astype(np.float64, copy=False) for values in (x, y))
    if len(along) < 2:  # noqa: PLR2004 - a line has two ends
        raise LengthError(f"a curve needs at least 2 points, x has shape {along.shape}.")
    steps = np.diff(along)
    falls = steps < 0
    if falls.any() and not (steps <= 0).all():
        raise NumberError(f"x neither rises nor falls all along: {along}.")
    area = float((steps * (height[1:] + height[:-1])).sum() / 2)
    return -area if falls.any() else area


@validated(
    y_true=ARRAY,
    y_score=ARRAY,
    average=_AVERAGE,
    pos_label=instance_of(numbers.Real, "float") + instance_of(str) + BOOLEAN,
    sample_weight=OPTIONAL_ARRAY,
)
def average_precision_score(
    y_true: Any, y_score: Any, *, average: str | None = "macro", pos_label: Any = 1, sample_weight: Any = None
) -> Any:
    """Return the mean precision over the positives. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_score
        Scores, higher for the positive class; for several classes or labels a column for each.
    average
        ``"macro"``, ``"micro"``, ``"weighted"``, ``"samples"``, or None for a value per label.
    pos_label
        The positive label.
    sample_weight
        How much each row counts.

    Returns
    -------
    float or NDArray
        The value, or one per label.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333333
    """
    if pos_label == 1 and not wide(y_true):
        try:
            return _average_precision(scored(y_true, y_score, sample_weight))
        except InputError:
            pass
    kind = type_of_target(y_true, "y_true")
    if kind == "binary":
        actual = column_or_1d(y_true, "y_true")
        labels = distinct(actual)
        if len(labels) == 2 and pos_label not in labels.tolist():  # noqa: PLR2004 - with one, all are negative
            raise LabelError(f"pos_label={pos_label!r} is not among the labels {labels}.")
        return _average_precision(two_classes(actual == pos_label, y_score, sample_weight))
    if kind not in ("multilabel-indicator", "multiclass"):
        raise LabelError(f"{kind} format is not supported")
    if pos_label != 1:
        raise LabelError(
            f"pos_label={pos_label!r} is of no use for {kind} y_true: every label is judged. Leave it out."
        )
    table = as_array(y_true) == pos_label  # what is not 1 is not there: tables of -1 and 1 count as well
    if kind == "multiclass":
        actual = column_or_1d(y_true, "y_true")
        table = actual[:, None] == distinct(actual)
        _refuse_shape(as_array(y_score), table.shape)
    return averaged(_average_precision_of, table, y_score, average, sample_weight)


def _average_precision_of(positive: Array, y_score: Array, weights: Any) -> float:
    return _average_precision(two_classes(positive, y_score, weights))


def _average_precision(ranks: Ranks) -> float:
    if ranks.positive_mass is None:
        value = float(average_precision.formula(ranks))
    else:  # weights below 0, with which rows above a threshold may weigh nothing
        above = ranks.tp + ranks.fp
        precision = np.divide(ranks.tp, above, out=np.zeros(len(above)), where=above != 0)
        value = float(np.maximum(ratio((ranks.positive_steps * precision).sum(), ranks.positives), 0.0))
    if math.isnan(value):
        warn("y_true has no positives: recall is taken as one, and average precision is 0.")
        return 0.0
    return value


@validated(
    y_true=ARRAY,
    y_score=ARRAY,
    average=_AVERAGE,
    sample_weight=OPTIONAL_ARRAY,
    max_fpr=interval(numbers.Real, 0.0, 1, closed="right") + NONE,
    multi_class=text_among("raise", "ovr", "ovo"),
    labels=OPTIONAL_ARRAY,
)
def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """Return the area under the ROC curve. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_score
        Scores, higher for the positive class; for several classes or labels a column for each.
    average
        ``"macro"``, ``"micro"``, ``"weighted"``, ``"samples"``, or None for a value per label.
    sample_weight
        How much each row counts.
    max_fpr
        The false positive rate up to which the area is taken, then standardized.
    multi_class
        ``"ovr"`` or ``"ovo"``: each class against the rest, or each pair of classes.
    labels
        The labels to take, in order; by default those that occur.

    Returns
    -------
    float or NDArray
        The area, or one per label.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    ranks = higher_label(y_true, y_score, sample_weight)
    if ranks is not None:
        return _area(ranks, max_fpr)
    kind = type_of_target(y_true, "y_true")
    actual, scores = as_array(y_true), numeric(y_score, "y_score")
    if len(actual) < 1:
        raise LengthError("y_true has no rows.")
    several = scores.ndim == _TABLE and scores.shape[1] > 2  # noqa: PLR2004 - two classes
    if kind == "multiclass" or (kind == "binary" and several):
        if max_fpr is not None and max_fpr != 1:
            raise InputError(f"max_fpr={max_fpr!r}: a part of the curve is given for two classes only.")
        if multi_class == "raise":
            raise InputError("multi_class must be 'ovo' or 'ovr' where there are more than two classes.")
        _refuse_scores(scores)
        _refuse_average(average, multi_class)
        actual = column_or_1d(actual, "y_true")
        classes = class_labels(actual, scores.shape[1], labels)
        if multi_class == "ovr":
            return averaged(_area_of, actual[:, None] == classes, scores, average, sample_weight)
        if sample_weight is not None:
            raise InputError(
                "sample_weight is not taken with multi_class='ovo', as in scikit-learn; "
                "assay.metrics.hand_till_auc takes weights."
            )
        return _in_pairs(actual, scores, classes, average)
    if kind == "binary":
        actual = column_or_1d(actual, "y_true")
        present = distinct(actual)
        if len(present) < 2:  # noqa: PLR2004 - a fold may lack a class, and its scores are those of both
            return _undefined_area()
        return _area(two_classes(actual == present[-1], scores, sample_weight), max_fpr)
    if kind != "multilabel-indicator":
        raise LabelError(f"{kind} format is not supported")

    def area(positive: Array, y_score: Array, weights: Any) -> float:
        return _area(two_classes(positive, y_score, weights), max_fpr)

    return averaged(area, actual == positive_label(None, actual), scores, average, sample_weight)


def _area(ranks: Ranks, max_fpr: float | None = None) -> float:
    """Return the area under one curve, of a part of it on the scale of the whole (McClish)."""
    if ranks.positive_mass is not None and ranks.positives and (ranks.negative_steps < 0).any():
        raise NumberError("with these weights below 0 the false positive rate does not rise all along.")
    if max_fpr is None or max_fpr == 1:
        value = float(roc_auc.formula(ranks))
    else:
        value = float(partial_auc.formula(ranks, false_positive_rate=(0.0, max_fpr), corrected=True))
    return _undefined_area() if math.isnan(value) else value


def _undefined_area() -> float:
    warn_undefined("y_true is all of one class, so the area under the ROC curve is not defined.")
    return math.nan


def _refuse_scores(scores: Array) -> None:
    if scores.ndim != _TABLE:
        _refuse_shape(scores, None)
    if not np.allclose(1, scores.sum(axis=1)):
        raise NumberError(
            "y_score must be probabilities where there are several classes: rows that sum to 1."
        )


def _refuse_average(average: str | None, multi_class: str) -> None:
    if multi_class == "ovo" and average is None:
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")
    known = ("macro", "weighted") if multi_class == "ovo" else ("micro", "macro", "weighted", None)
    if average not in known:
        raise InputError(
            f"average={average!r} is not for classes with multi_class={multi_class!r}: use {known}."
        )


def _in_pairs(actual: Array, scores: Array, classes: Array, average: str | None) -> float:
    codes = np.searchsorted(classes, actual).astype(np.int64)
    consistent_length(codes, scores)
    columns = Column("y_true", codes), Column("y_score", scores.astype(np.float64, copy=False))
    gathered = Rows(len(codes), columns[0], score=columns[1], labels=tuple(range(len(classes))))
    view = ClassRanks.of(ClassScores.of(gathered))
    return float(hand_till_auc.formula(view, average=average, undefined="skip"))


def _area_of(positive: Array, y_score: Array, weights: Any) -> float:
    return _area(two_classes(positive, y_score, weights))


def class_labels(actual: Array, columns: int, labels: Any) -> Array:
    """Return the classes whose scores stand in the columns, in order; or raise where they do not fit."""
    present = distinct(actual)
    if labels is None:
        if len(present) != columns:
            raise LabelError(
                f"y_true has {count_of(len(present), 'class', 'classes')}, "
                f"y_score is of {columns}: name them all with labels=."
            )
        return present
    classes = column_or_1d(labels, "labels")
    if not np.array_equal(distinct(classes), classes):
        raise LabelError("labels must be in order, and none twice.")
    if len(classes) != columns:
        raise LabelError(
            f"labels names {count_of(len(classes), 'class', 'classes')}, y_score is of {columns}."
        )
    if not set(present.tolist()) <= set(classes.tolist()):
        raise LabelError("y_true holds a class that labels does not name.")
    return classes


def _refuse_shape(scores: Array, expected: tuple[int, ...] | None) -> None:
    if scores.shape != expected:
        raise LengthError(
            f"y_score has shape {scores.shape} where a column per class is needed: (n_samples, n_classes)."
        )
