"""Predicted labels against actual ones: the confusion matrix and what is read from it at once."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LabelError
from assay.metrics import accuracy, negative_likelihood_ratio, positive_likelihood_ratio, recall
from assay.metrics.arithmetic import ratio
from assay.metrics.views.confusion import Binary
from assay.sklearn.label_targets import IndicatorTargets, LabelTargets, count_labels, one_label_per_row
from assay.sklearn.parameter_checks import (
    ARRAY,
    BOOLEAN,
    NONE,
    OPTIONAL_ARRAY,
    ROWS,
    instance_of,
    number_among,
    text_among,
    validated,
)
from assay.sklearn.target_checks import as_array
from assay.sklearn.undefined_warnings import warn, warn_undefined

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = [
    "accuracy_score",
    "against_rest",
    "balanced_accuracy_score",
    "class_likelihood_ratios",
    "confusion_matrix",
    "hamming_loss",
    "multilabel_confusion_matrix",
    "square",
    "zero_one_loss",
]


@validated(
    y_true=ARRAY, y_pred=ARRAY, labels=OPTIONAL_ARRAY, sample_weight=OPTIONAL_ARRAY,
    normalize=text_among("true", "pred", "all") + NONE,
)  # fmt: skip
def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, normalize: str | None = None
) -> Array:
    """Return counts per actual (rows) and predicted (columns) label.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    labels
        The labels to take, in order; by default those that occur.
    sample_weight
        How much each row counts.
    normalize
        ``"true"``, ``"pred"`` or ``"all"`` for shares of the rows, the columns or the table.

    Returns
    -------
    NDArray
        A row per actual label, a column per predicted one.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> confusion_matrix(["ham", "spam", "ham"], ["ham", "spam", "spam"])
    array([[1, 1],
           [0, 1]])
    """
    table = square(one_label_per_row(y_true, y_pred, sample_weight), labels).table()
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        table = np.nan_to_num(ratio(table, table.sum(axis=axis, keepdims=True)))
    return table


def square(
    pairs: LabelTargets,
    labels: Any = None,
    none_there: str = "At least one label specified must be in y_true",
) -> LabelTargets:
    """Return the pairs whose labels the caller asks for (one must be an actual one); warn of a lone label."""
    if labels is not None:
        wanted = as_array(labels).tolist()
        if not wanted:
            raise LabelError("'labels' should contain at least one label.")
        if not {pairs.labels[index] for index in pairs.actual_places()}.intersection(wanted):
            raise LabelError(none_there)
        pairs = pairs.among(wanted)
    if len(pairs.labels) == 1:
        warn(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the correct "
            "shape, use the 'labels' parameter to pass all known labels."
        )
    return pairs


@validated(y_true=ROWS, y_pred=ROWS, sample_weight=OPTIONAL_ARRAY, labels=OPTIONAL_ARRAY, samplewise=BOOLEAN)
def multilabel_confusion_matrix(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, labels: Any = None, samplewise: bool = False
) -> Array:
    """Return one table of two by two per label, or per row: ``[[tn, fp], [fn, tp]]``.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    labels
        The labels to take, in order; by default those that occur.
    samplewise
        Whether there is a table per row.

    Returns
    -------
    NDArray
        A table of two by two per label, or per row.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> multilabel_confusion_matrix(["a", "b", "c"], ["a", "b", "b"])[1]
    array([[1, 1],
           [0, 1]])
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    return against_rest(counts, labels, samplewise=samplewise).classes().table


def against_rest(counts: LabelTargets | IndicatorTargets, labels: Any, *, samplewise: bool = False) -> Binary:
    """Return the counts of each label that the caller asks for against the rest; or those of each row."""
    wanted = None if labels is None else as_array(labels).tolist()
    if isinstance(counts, IndicatorTargets):
        return counts.of_samples(wanted) if samplewise else counts.of(wanted)
    if samplewise:
        raise InputError("Samplewise metrics are not available outside of multilabel classification.")
    return counts.each if wanted is None else counts.of(wanted)


@validated(y_true=ROWS, y_pred=ROWS, normalize=BOOLEAN, sample_weight=OPTIONAL_ARRAY)
def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """Return the share of rows predicted as they are. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    normalize
        False for a count of rows, or a sum over them, in place of a share or mean.
    sample_weight
        How much each row counts.

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
    >>> accuracy_score(["ham", "spam", "ham"], ["ham", "spam", "spam"])
    0.6666666666666666
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    return _share(accuracy.formula(counts)) if normalize else float(counts.correct)


@validated(y_true=ROWS, y_pred=ROWS, normalize=BOOLEAN, sample_weight=OPTIONAL_ARRAY)
def zero_one_loss(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """Return the share of rows not predicted as they are. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    normalize
        False for a count of rows, or a sum over them, in place of a share or mean.
    sample_weight
        How much each row counts.

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
    >>> zero_one_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    return 1 - _share(accuracy.formula(counts)) if normalize else float(counts.n - counts.correct)


@validated(y_true=ROWS, y_pred=ROWS, sample_weight=OPTIONAL_ARRAY)
def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the share of labels that are wrong. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.

    Returns
    -------
    float
        The share.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [1, 1]])
    0.25
    """
    counts = count_labels(y_true, y_pred, sample_weight)
    return _share(ratio(counts.wrong, counts.n * counts.width))


def _share(value: Any) -> float:
    """Return a share of the weight, or raise where there is none to share."""
    if math.isnan(value):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return float(value)


@validated(y_true=ARRAY, y_pred=ARRAY, sample_weight=OPTIONAL_ARRAY, adjusted=BOOLEAN)
def balanced_accuracy_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False
) -> float:
    """Return the mean of the classes' recalls. Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    sample_weight
        How much each row counts.
    adjusted
        Whether chance is 0 and the best is 1.

    Returns
    -------
    float
        The mean recall.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """
    pairs = square(one_label_per_row(y_true, y_pred, sample_weight))
    recalls = recall.formula(pairs.each)
    absent = np.isnan(recalls)
    if absent.any():
        warn("y_pred contains classes not in y_true")
        recalls = recalls[~absent]
    score = recalls.mean()
    if adjusted:
        chance = 1 / len(recalls)
        score = (score - chance) / (1 - chance)
    return float(score)


@validated(
    y_true=ROWS, y_pred=ROWS, labels=OPTIONAL_ARRAY, sample_weight=OPTIONAL_ARRAY,
    replace_undefined_by=number_among(1.0, math.nan) + instance_of(dict),
)  # fmt: skip
def class_likelihood_ratios(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    replace_undefined_by: Any = math.nan,
) -> tuple[float, float]:
    """Return how a positive and a negative prediction change the odds of the positive class.

    Same parameters and results as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_pred
        What was predicted, in the same form.
    labels
        The labels to take, in order; by default those that occur.
    sample_weight
        How much each row counts.
    replace_undefined_by
        What stands where there is no value.

    Returns
    -------
    tuple[float, float]
        The positive and the negative likelihood ratio.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    pairs = count_labels(y_true, y_pred, sample_weight)
    if isinstance(pairs, IndicatorTargets) or pairs.kind != "binary":
        raise LabelError(
            "class_likelihood_ratios only supports binary classification problems, "
            f"got targets of type: {pairs.kind}"
        )
    instead = _replacements(replace_undefined_by)
    table = square(pairs, labels).table()
    if len(table) != 2:  # noqa: PLR2004 - two classes
        raise LabelError(f"class_likelihood_ratios needs two labels, not {len(table)}")
    tn, fp, fn, tp = table.ravel().tolist()
    counts = Binary(tp, fp, fn, tn)
    advice = (
        "Use the `replace_undefined_by` param to control this behavior. To suppress this warning or turn it "
        "into an error, see Python's `warnings` module and `warnings.catch_warnings()`."
    )
    if not counts.positives:
        warn_undefined(
            "No samples of the positive class are present in `y_true`. `positive_likelihood_ratio` and "
            f"`negative_likelihood_ratio` are both set to `np.nan`. {advice}"
        )
    if fp == 0:
        why = (
            "`positive_likelihood_ratio` is ill-defined and "
            if tp
            else "No samples were predicted for the positive class and `positive_likelihood_ratio` is "
        )
        warn_undefined(f"{why}set to `np.nan`. Use the `replace_undefined_by` param to ")
    if tn == 0:
        warn_undefined(f"`negative_likelihood_ratio` is ill-defined and set to `np.nan`. {advice}")
    return (
        float(instead[0] if fp == 0 else positive_likelihood_ratio.formula(counts)),
        float(instead[1] if tn == 0 else negative_likelihood_ratio.formula(counts)),
    )


def _replacements(replacement: Any) -> tuple[float, float]:
    """Return what stands for an undefined positive and an undefined negative likelihood ratio."""
    if not isinstance(replacement, dict):
        return replacement, replacement
    positive, negative = replacement.get("LR+"), replacement.get("LR-")
    if (
        not (isinstance(positive, numbers.Real) and isinstance(negative, numbers.Real))
        or float(positive) < 1
        or not (0 <= float(negative) <= 1 or math.isnan(negative))
    ):
        raise InputError(
            "The dictionary passed as `replace_undefined_by` needs to be in the form `{'LR+': `value_1`, "
            "'LR-': `value_2`}` where the value for `LR+` ranges from `1.0` to `np.inf` or is `np.nan` and "
            f"the value for `LR-` ranges from `0.0` to `1.0` or is `np.nan`; got `{replacement}`."
        )
    return float(positive), float(negative)
