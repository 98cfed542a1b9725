"""Precision, recall, F and Jaccard: rates of each class, averaged as the caller asks."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LabelError
from assay.metrics import f1, f_beta, jaccard, pooled, precision, recall
from assay.sklearn.classification import against_rest
from assay.sklearn.label_targets import IndicatorTargets, LabelTargets, count_labels
from assay.sklearn.parameter_checks import (
    AVERAGE,
    OPTIONAL_ARRAY,
    POS_LABEL,
    ROWS,
    ZERO_DIVISION,
    instance_of,
    interval,
    number_among,
    text_among,
    validated,
)
from assay.sklearn.undefined_warnings import stand_in, warn, warn_undefined

if TYPE_CHECKING:
    from collections.abc import Collection

    from assay.inputs.columns import Array
    from assay.metrics.views.confusion import Binary

__all__ = [
    "f1_score",
    "fbeta_score",
    "jaccard_score",
    "precision_recall_fscore_support",
    "precision_score",
    "rates",
    "recall_score",
]

_RULES = {
    "y_true": ROWS,
    "y_pred": ROWS,
    "labels": OPTIONAL_ARRAY,
    "pos_label": POS_LABEL,
    "average": AVERAGE,
    "sample_weight": OPTIONAL_ARRAY,
    "zero_division": ZERO_DIVISION,
}
_BETA = interval(numbers.Real, 0.0, None, closed="both")
_AVERAGES = (None, "micro", "macro", "weighted", "samples")
# What there is none of where a rate is undefined.
_LACKING = {
    "precision": "predicted",
    "recall": "true",
    "f-score": "true nor predicted",
    "jaccard": "true or predicted",
}


@validated(**_RULES)
def precision_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return how often a predicted positive is one. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    labels
        The labels to take, in order; by default those that occur.
    pos_label
        The positive label.
    average
        ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``, ``"samples"``, or None for a value per label.
    sample_weight
        How much each row counts.
    zero_division
        What stands where there is no value: ``"warn"`` (0 and a warning), 0, 1 or NaN.

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
    >>> precision_score([0, 1, 1, 1], [1, 1, 1, 0])
    0.6666666666666666
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    each, weights = _averaged_over(counts, labels, pos_label, average)
    return _average("precision", precision.formula(each), weights, average, zero_division=zero_division)


@validated(**_RULES)
def recall_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return how many of the positives were found. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    labels
        The labels to take, in order; by default those that occur.
    pos_label
        The positive label.
    average
        ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``, ``"samples"``, or None for a value per label.
    sample_weight
        How much each row counts.
    zero_division
        What stands where there is no value: ``"warn"`` (0 and a warning), 0, 1 or NaN.

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
    >>> recall_score([0, 1, 1, 1], [1, 1, 1, 0])
    0.6666666666666666
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    each, weights = _averaged_over(counts, labels, pos_label, average)
    return _average("recall", recall.formula(each), weights, average, zero_division=zero_division)


@validated(**_RULES)
def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return the harmonic mean of precision and recall. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    labels
        The labels to take, in order; by default those that occur.
    pos_label
        The positive label.
    average
        ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``, ``"samples"``, or None for a value per label.
    sample_weight
        How much each row counts.
    zero_division
        What stands where there is no value: ``"warn"`` (0 and a warning), 0, 1 or NaN.

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
    >>> f1_score(["a", "b", "c"], ["a", "b", "b"], average=None, zero_division=0)
    array([1.        , 0.66666667, 0.        ])
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    each, weights = _averaged_over(counts, labels, pos_label, average)
    return _average("f-score", f1.formula(each), weights, average, zero_division=zero_division)


@validated(**_RULES, beta=_BETA)
def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return precision and recall in one figure. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    beta
        How many times recall counts as much as precision.
    labels
        The labels to take, in order; by default those that occur.
    pos_label
        The positive label.
    average
        ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``, ``"samples"``, or None for a value per label.
    sample_weight
        How much each row counts.
    zero_division
        What stands where there is no value: ``"warn"`` (0 and a warning), 0, 1 or NaN.

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
    >>> fbeta_score([0, 1, 1, 1], [1, 1, 0, 0], beta=0.5)
    0.45454545454545453
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    each, weights = _averaged_over(counts, labels, pos_label, average)
    values = f_beta.formula(each, beta=float(beta))
    silent = beta in (0, math.inf)  # it is precision or recall then, and scikit-learn warns of F only
    return _average(
        "f-score", values, weights, average,
        zero_division=zero_division, warn_for=() if silent else None,
    )  # fmt: skip


@validated(**_RULES | {"zero_division": number_among(0, 1) + text_among("warn")})
def jaccard_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return how much of what is or was called positive is both.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    labels
        The labels to take, in order; by default those that occur.
    pos_label
        The positive label.
    average
        ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``, ``"samples"``, or None for a value per label.
    sample_weight
        How much each row counts.
    zero_division
        What stands where there is no value: ``"warn"`` (0 and a warning), 0, 1 or NaN.

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
    >>> jaccard_score([0, 1, 1, 1], [1, 1, 1, 0])
    0.5
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    each, weights = _averaged_over(counts, labels, pos_label, average)
    return _average("jaccard", jaccard.formula(each), weights, average, zero_division=zero_division)


@validated(**_RULES, beta=_BETA, warn_for=instance_of(list) + instance_of(tuple) + instance_of(set))
def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    warn_for: Collection[str] = ("precision", "recall", "f-score"),
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F and how much each class has. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    beta
        How many times recall counts as much as precision.
    labels
        The labels to take, in order; by default those that occur.
    pos_label
        The positive label.
    average
        ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``, ``"samples"``, or None for a value per label.
    warn_for
        Of which of the three to warn where there is no value.
    sample_weight
        How much each row counts.
    zero_division
        What stands where there is no value: ``"warn"`` (0 and a warning), 0, 1 or NaN.

    Returns
    -------
    tuple of four
        Precision, recall, F and the number of rows: each a value, or one per label.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> precision_recall_fscore_support([0, 1, 1, 1], [1, 1, 1, 0], average="binary")
    (0.6666666666666666, 0.6666666666666666, 0.6666666666666666, None)
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    return rates(
        counts, labels, average,
        beta=beta, pos_label=pos_label, warn_for=warn_for, zero_division=zero_division,
    )  # fmt: skip


def rates(
    counts: LabelTargets | IndicatorTargets,
    labels: Any,
    average: str | None,
    *,
    zero_division: Any,
    beta: float = 1.0,
    pos_label: Any = 1,
    warn_for: Collection[str] = ("precision", "recall", "f-score"),
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall and F, averaged or of each class, and then how much each class has."""
    each, weights = _averaged_over(counts, labels, pos_label, average)
    undefined = {"zero_division": zero_division, "warn_for": warn_for}
    precisions = _average("precision", precision.formula(each), weights, average, **undefined)
    recalls = _average("recall", recall.formula(each), weights, average, **undefined)
    if beta in (0, math.inf):  # then F is one of the others, whose warning was given
        both = recalls if beta else precisions
    else:
        values = f_beta.formula(each, beta=float(beta))
        both = _average("f-score", values, weights, average, **undefined)
    return precisions, recalls, both, each.positives if average is None else None


def _averaged_over(
    counts: LabelTargets | IndicatorTargets, labels: Any, pos_label: Any, average: str | None
) -> tuple[Binary, Any]:
    """Return the counts that an average runs over, and what weighs them (None where all weigh alike)."""
    if average == "binary":
        return _positive(counts, pos_label), None
    if pos_label not in (None, 1):
        warn(
            f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' "
            f"(got {average!r}). You may use labels=[pos_label] to specify a single positive class."
        )
    each = against_rest(counts, labels, samplewise=average == "samples")
    if average == "micro":
        return pooled(each), None
    if average == "weighted":
        return each, each.positives
    return each, counts.weights if average == "samples" else None


def _positive(counts: LabelTargets | IndicatorTargets, pos_label: Any) -> Binary:
    if isinstance(counts, IndicatorTargets) or counts.kind != "binary":
        options = [
            option for option in _AVERAGES if option != "samples" or isinstance(counts, IndicatorTargets)
        ]
        raise InputError(
            f"Target is {counts.kind} but average='binary'. Please choose another average setting, "
            f"one of {options!r}."
        )
    if len(counts.labels) == 2 and pos_label not in counts.labels:  # noqa: PLR2004 - with one, all are negative
        raise LabelError(f"pos_label={pos_label} is not a valid label. It should be one of {counts.present}")
    return counts.one(pos_label)


def _average(
    name: str,
    values: Any,
    weights: Array | None,
    average: str | None,
    *,
    zero_division: Any,
    warn_for: Collection[str] | None = None,
) -> Any:
    """Return the average of rates, ``zero_division``'s value standing in where one is undefined."""
    undefined = math.isnan(values) if isinstance(values, float) else np.isnan(values)
    if undefined is not False and np.any(undefined):
        values = np.where(undefined, stand_in(zero_division), values)
        if zero_division == "warn" and (warn_for is None or name in warn_for):
            _warn_lacking(name, average, np.size(values))
    if average is None or isinstance(values, float):
        return values
    return _mean(np.atleast_1d(values), weights)


def _warn_lacking(name: str, average: str | None, size: int) -> None:
    of, where = ("label", "sample") if average == "samples" else ("sample", "label")
    which = "due to" if size == 1 else f"in {where}s with"
    warn_undefined(
        f"{name.capitalize()} is ill-defined and being set to 0.0 {which} no {_LACKING[name]} {of}s. "
        "Use `zero_division` parameter to control this behavior."
    )


def _mean(values: Array, weights: Array | None) -> float:
    """Return the weighted mean of the values that are defined; weights that add up to nothing are none."""
    defined = ~np.isnan(values)
    if not defined.any():
        return math.nan
    if not defined.all():
        values, weights = values[defined], None if weights is None else weights[defined]
    if weights is None or weights.sum() == 0:
        return float(values.mean())
    return float(np.average(values, weights=weights))
