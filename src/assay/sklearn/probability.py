"""Losses of probabilities and of decision values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import InputError, LabelError
from assay.metrics.probability.multiclass_probability import multiclass_brier
from assay.sklearn.parameter_checks import (
    ARRAY,
    BOOLEAN,
    OPTIONAL_ARRAY,
    POS_LABEL,
    Alternative,
    instance_of,
    text_among,
    validated,
)
from assay.sklearn.probability_targets import (
    Forecasts,
    are_probabilities,
    mean_loss,
    plain_forecasts,
    probabilities,
    tally_or_none,
)
from assay.sklearn.target_checks import (
    column_or_1d,
    consistent_length,
    distinct,
    numeric,
    sample_count,
    type_of_target,
)
from assay.sklearn.undefined_warnings import warn, warn_undefined
from assay.tallies import Losses, Moments
from assay.tallies.loss_arguments import log_losses

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs.columns import Array

__all__ = ["brier_score_loss", "d2_brier_score", "d2_log_loss_score", "hinge_loss", "log_loss"]

_HIDDEN_NONE = (Alternative(lambda value: value is None),)
_OLD_NAME = ARRAY + instance_of(str)


@validated(
    y_true=ARRAY, y_proba=ARRAY + _HIDDEN_NONE, normalize=BOOLEAN, sample_weight=OPTIONAL_ARRAY,
    labels=OPTIONAL_ARRAY, y_pred=_OLD_NAME,
)  # fmt: skip
def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    """Return the mean of minus the logarithm of what each row's own class was given.

    Same parameters and results as scikit-learn's: probabilities are clipped at the epsilon of their type.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_proba
        Probabilities of the positive class, or a column for each class.
    normalize
        False for a count of rows, or a sum over them, in place of a share or mean.
    sample_weight
        How much each row counts.
    labels
        The labels to take, in order; by default those that occur.
    y_pred
        The old name of `y_proba`.

    Returns
    -------
    float
        The value.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> round(log_loss(["spam", "ham", "ham", "spam"], [[0.1, 0.9], [0.9, 0.1], [0.8, 0.2], [0.35, 0.65]]), 6)
    0.216162
    """
    y_proba = _renamed(y_proba, y_pred)
    if sample_weight is None and labels is None:
        rows = plain_forecasts(y_true, y_proba)
        if rows is not None and _both_occur(y_true):
            tally = tally_or_none(Losses.log_losses, rows, clip=float(np.finfo(y_proba.dtype).eps))
            if tally is not None:
                return tally.total / tally.weight if normalize else float(tally.total)
    forecasts = Forecasts.of_classes(y_true, probabilities(y_proba), sample_weight, labels)
    return mean_loss(_log_losses(forecasts), forecasts.weights, normalize=normalize)


@validated(
    y_true=ARRAY, y_proba=ARRAY + _HIDDEN_NONE, sample_weight=OPTIONAL_ARRAY, labels=OPTIONAL_ARRAY,
    y_pred=_OLD_NAME,
)  # fmt: skip
def d2_log_loss_score(
    y_true: Any,
    y_proba: Any = None,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    """Return the share of the class proportions' log loss that is saved. Same as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_proba
        Probabilities of the positive class, or a column for each class.
    sample_weight
        How much each row counts.
    labels
        The labels to take, in order; by default those that occur.
    y_pred
        The old name of `y_proba`.

    Returns
    -------
    float
        The value.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> d2_log_loss_score([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5])
    0.0
    """
    y_proba = _renamed(y_proba, y_pred)
    if _too_few(y_true, y_proba, sample_weight):
        return math.nan
    forecasts = Forecasts.of_classes(y_true, probabilities(y_proba), sample_weight, labels)
    return _skill(forecasts, lambda part: _log_losses(part.within()))


@validated(
    y_true=ARRAY, y_proba=ARRAY, sample_weight=OPTIONAL_ARRAY, pos_label=POS_LABEL, labels=OPTIONAL_ARRAY,
    scale_by_half=BOOLEAN + text_among("auto"),
)  # fmt: skip
def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    scale_by_half: bool | Literal["auto"] = "auto",
) -> float:
    """Return the mean squared distance of the probabilities from what happened. Same as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_proba
        Probabilities of the positive class, or a column for each class.
    sample_weight
        How much each row counts.
    pos_label
        The positive label.
    labels
        The labels to take, in order; by default those that occur.
    scale_by_half
        Whether the sum over the classes is halved: ``"auto"`` does so for two classes.

    Returns
    -------
    float
        The score.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> brier_score_loss([0, 1, 1, 0], [0.125, 1.0, 0.75, 0.25])
    0.03515625
    """
    plain = None
    if sample_weight is None and (pos_label is None or (type(pos_label) is int and pos_label == 1)):
        plain = _plain_brier(y_true, y_proba)
    if plain is not None:
        classes, score = 2, plain
    else:
        forecasts = _brier_forecasts(y_true, y_proba, sample_weight, pos_label, labels)
        classes, score = forecasts.classes, mean_loss(_squared_losses(forecasts), forecasts.weights)
    if scale_by_half == "auto":
        scale_by_half = classes < 3  # noqa: PLR2004 - two classes
    return score if scale_by_half else 2 * score


@validated(
    y_true=ARRAY, y_proba=ARRAY, sample_weight=OPTIONAL_ARRAY, pos_label=POS_LABEL, labels=OPTIONAL_ARRAY
)
def d2_brier_score(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> float:
    """Return the share of the class proportions' Brier score that is saved. Same as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    y_proba
        Probabilities of the positive class, or a column for each class.
    sample_weight
        How much each row counts.
    pos_label
        The positive label.
    labels
        The labels to take, in order; by default those that occur.

    Returns
    -------
    float
        The score.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> d2_brier_score([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5])
    0.0
    """
    if _too_few(y_true, y_proba, sample_weight):
        return math.nan
    forecasts = _brier_forecasts(y_true, y_proba, sample_weight, pos_label, labels)
    return _skill(forecasts, _squared_losses)


@validated(y_true=ARRAY, pred_decision=ARRAY, labels=OPTIONAL_ARRAY, sample_weight=OPTIONAL_ARRAY)
def hinge_loss(y_true: Any, pred_decision: Any, *, labels: Any = None, sample_weight: Any = None) -> float:
    """Return the mean of how much each margin falls short of 1. Same as scikit-learn's.

    Parameters
    ----------
    y_true
        What was true: a value per row; for several labels or outputs a column for each.
    pred_decision
        What the decision function gives; for several classes a column for each.
    labels
        The labels to take, in order; by default those that occur.
    sample_weight
        How much each row counts.

    Returns
    -------
    float
        The mean loss.

    Raises
    ------
    InvalidParameterError
        A parameter has a wrong type or value.
    InputError
        The columns do not fit each other, or hold what the metric cannot take.

    Examples
    --------
    >>> hinge_loss([-1, 1, 1], [-2.0, 2.5, 0.25])
    0.25
    """
    consistent_length(y_true, pred_decision, sample_weight)
    decision, actual = numeric(pred_decision), column_or_1d(y_true)
    classes = distinct(column_or_1d(labels, "labels") if labels is not None else actual)
    if len(classes) > 2:  # noqa: PLR2004 - two classes have one margin
        margin = _class_margins(actual, decision, classes, declared=labels is not None)
    else:
        if type_of_target(actual) not in ("binary", "multiclass"):
            raise LabelError(f"Unknown label type: {(actual,)!r}")
        own = distinct(actual)
        # Of two classes the second is positive, and a single one is not. Of more, which labels= hides, the
        # first is: so it is there.
        positive = own[1] if len(own) == 2 else own[0]  # noqa: PLR2004
        sign = np.where((actual == positive) & (len(own) > 1), 1, -1)
        margin = sign * column_or_1d(decision)
    weights = None if sample_weight is None else numeric(sample_weight, check_finite=False)
    return mean_loss(np.maximum(1 - margin, 0).astype(np.float64), weights)


def _class_margins(actual: Array, decision: Array, classes: Array, *, declared: bool) -> Array:
    """Return how far each row's own class is decided above the best of the others (Crammer and Singer)."""
    wanted = f"(n_samples, n_classes), that is ({len(actual)}, {len(classes)})."
    if decision.ndim <= 1:
        raise InputError(
            # In scikit-learn's own words, their missing space included.
            "The shape of pred_decision cannot be 1d arraywith a multiclass target. pred_decision shape "
            f"must be {wanted} Got: {decision.shape}"
        )
    if decision.shape[1] != len(classes):
        raise LabelError(
            "The shape of pred_decision is not consistent with the number of classes. With a multiclass "
            f"target, pred_decision shape must be {wanted} Got: {decision.shape}"
            if declared
            else "Please include all labels in y_true or pass labels as third argument"
        )
    unseen = [label for label in distinct(actual).tolist() if label not in set(classes.tolist())]
    if unseen:
        raise LabelError(f"y contains previously unseen labels: {unseen}")
    others = decision.astype(np.float64)
    rows, codes = np.arange(len(actual)), np.searchsorted(classes, actual)
    own = others[rows, codes]
    others[rows, codes] = -np.inf
    return np.asarray(own - others.max(axis=1))


def _renamed(y_proba: Any, y_pred: Any) -> Any:
    """Return the probabilities by whichever name they came."""
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_proba
    if y_proba is not None:
        raise InputError(
            "Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` instead."
        )
    warn(
        "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in 1.11. "
        "Use `y_proba` instead.",
        FutureWarning,
    )
    return y_pred


def _too_few(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    consistent_length(y_proba, y_true, sample_weight)
    if sample_count(y_proba) > 1:
        return False
    warn_undefined("D^2 score is not well-defined with less than two samples.")
    return True


def _both_occur(labels: Array) -> bool:
    """Tell whether the labels are not all the same; a few of them nearly always settle it."""
    return bool((labels[:64] != labels[0]).any() or (labels != labels[0]).any())


def _plain_brier(y_true: Any, y_proba: Any) -> float | None:
    """Return the Brier score of integer labels 0 and 1, None where it is not as simple as that."""
    rows = plain_forecasts(y_true, y_proba)
    tally = None if rows is None else tally_or_none(Moments.of, rows)
    # Only 0 and 1 are their own squares, and no integer's is less.
    if tally is None or tally.actual != tally.squared_actual:
        return None
    return tally.squared_error / tally.weight if are_probabilities(y_proba) else None


def _brier_forecasts(y_true: Any, y_proba: Any, sample_weight: Any, pos_label: Any, labels: Any) -> Forecasts:
    p = probabilities(y_proba)
    if p.ndim == 1 or p.shape[1] == 1:
        return Forecasts.of_two(y_true, p, sample_weight, pos_label)
    return Forecasts.of_classes(y_true, p, sample_weight, labels)


def _squared_losses(forecasts: Forecasts) -> Array:
    """Return half of every row's squared distance over all classes, which is the whole over one of two."""
    codes, p = forecasts.codes, forecasts.p.astype(np.float64)
    if p.ndim == 1:
        return np.asarray((codes - p) ** 2)
    if forecasts.several:
        return np.asarray(((codes - p) ** 2).sum(axis=1) / 2)
    return np.asarray(multiclass_brier.loss(codes, p) / 2)


def _skill(forecasts: Forecasts, losses: Callable[[Forecasts], Array]) -> float:
    """Return the share of the loss of always saying the classes' proportions that is saved.

    That loss is taken in the very same way, so that those proportions themselves give 0.
    """
    weights = forecasts.weights
    base = mean_loss(forecasts.with_proportions(losses), weights)
    return float(1 - np.divide(np.asarray(mean_loss(losses(forecasts), weights)), base))


def _log_losses(forecasts: Forecasts) -> Array:
    """Return the log loss of every row, probabilities clipped at the epsilon of their type."""
    codes, p = forecasts.codes, forecasts.p
    clip = float(np.finfo(p.dtype).eps)
    if p.ndim == 1:
        return log_losses(codes, p, clip=clip)
    if forecasts.several:
        each = log_losses(None, p.reshape(-1), clip=clip).reshape(p.shape)
        return np.asarray((codes * each).sum(axis=1))
    own = p[np.arange(len(codes)), codes]
    return log_losses(None, own, clip=clip)
