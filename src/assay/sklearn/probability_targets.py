"""Validate labels and predicted probabilities as scikit-learn does, for probability metrics."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LabelError, LengthError, NumberError
from assay.inputs import Column, Rows, column, encode
from assay.sklearn.target_checks import (
    as_array,
    as_target,
    column_or_1d,
    consistent_length,
    distinct,
    finite,
    numeric,
    positive_label,
    sample_weights,
    type_of_target,
)
from assay.sklearn.undefined_warnings import warn
from assay.tallies import Losses

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs.columns import Array

__all__ = ["Forecasts", "are_probabilities", "mean_loss", "plain_forecasts", "probabilities", "tally_or_none"]

_TABLE = 2  # number of dimensions of a table
_SUM_TOLERANCE = 1e-8


@dataclasses.dataclass(frozen=True, slots=True)
class Forecasts:
    """Actual classes and probabilities: of the class with code 1, or a column per class.

    `codes` is the index of each row's class; for multilabel rows it is a table of 0 and 1 instead.
    """

    codes: Array
    classes: int
    p: Array
    weights: Array | None

    @classmethod
    def of_classes(cls, y_true: Any, p: Array, sample_weight: Any, labels: Any) -> Forecasts:
        """Return forecasts of any number of classes, or raise unless there is one column per class."""
        _refuse_outside(p, "lower")
        n = consistent_length(p, y_true, sample_weight)
        weights = sample_weights(sample_weight, n)
        codes, classes = _encode_classes(y_true, labels)
        if p.ndim == _TABLE and p.shape[1] == 1:
            p = p[:, 0]
        if p.ndim == _TABLE:
            _warn_unless_sums_are_one(p)
        columns = p.shape[1] if p.ndim == _TABLE else 2
        if len(classes) != columns and labels is None:
            raise LabelError(
                f"y_true and y_prob contain different number of classes: {len(classes)} vs {columns}. "
                "Please provide the true labels explicitly through the labels argument. "
                f"Classes found in y_true: {classes}"
            )
        if len(classes) != columns:
            raise LabelError(
                "The number of classes in labels is different from that in y_prob. "
                f"Classes found in labels: {classes}"
            )
        if codes.ndim == _TABLE and p.ndim == 1:
            p = np.stack([1 - p, p], axis=1)
        return cls(codes, columns, np.ascontiguousarray(p), weights)

    @classmethod
    def of_two(cls, y_true: Any, p: Array, sample_weight: Any, pos_label: Any) -> Forecasts:
        """Return forecasts of the positive class of two."""
        actual, p = finite(column_or_1d(y_true), "y_true"), column_or_1d(p)
        n = consistent_length(p, actual, sample_weight)
        weights = sample_weights(sample_weight, n)
        kind = type_of_target(actual, "y_true")
        if kind != "binary":
            raise LabelError(
                f"The type of the target inferred from y_true is {kind} but should be binary according to "
                "the shape of y_prob."
            )
        _refuse_outside(p, "less")
        try:
            positive = positive_label(pos_label, actual)
        except LabelError:
            classes = distinct(actual)
            if classes.dtype.kind in "OUST":
                raise
            positive = classes[-1]
        return cls(np.broadcast_to(actual == positive, n).astype(np.uint8), 2, p, weights)

    @property
    def several(self) -> bool:
        """Whether rows are multilabel."""
        return self.codes.ndim == _TABLE

    def within(self) -> Forecasts:
        """Return the forecasts with probabilities clipped to [0, 1]: negative weights may lead outside."""
        return dataclasses.replace(self, p=np.clip(self.p, 0, 1))

    def with_proportions(self, losses: Callable[[Forecasts], Array]) -> Array:
        """Return each row's loss if the class proportions were predicted."""
        if self.several:
            shares = np.average(self.codes, axis=0, weights=self.weights)
            return losses(dataclasses.replace(self, p=np.tile(shares, (len(self.codes), 1))))
        codes = np.arange(self.classes)
        class_weights = np.bincount(self.codes, self.weights, minlength=self.classes)
        shares = np.average(np.eye(self.classes), axis=0, weights=class_weights)
        p = np.full(2, shares[1]) if self.p.ndim == 1 else np.tile(shares, (self.classes, 1))
        return losses(Forecasts(codes, self.classes, p, None))[self.codes]


def plain_forecasts(y_true: Any, y_proba: Any) -> Rows | None:
    """Return the rows if y_true is 64-bit integers and y_proba a column of floats; otherwise None.

    The values are not checked yet: the tally does that as it reads them.
    """
    if not (type(y_true) is np.ndarray is type(y_proba)):
        return None
    if y_true.dtype != np.int64 or y_proba.dtype not in (np.float64, np.float32):
        return None
    if y_true.ndim != 1 or y_true.shape != y_proba.shape or not len(y_true):
        return None
    if not (y_true.flags.c_contiguous and y_proba.flags.c_contiguous):
        return None
    probability = Column("y_proba", y_proba)
    return Rows(len(y_true), actual=Column("y_true", y_true), predicted=probability, score=probability)


def probabilities(y_proba: Any) -> Array:
    """Return probabilities as float32 or float64, of one or two dimensions; raise unless all are finite."""
    array = as_array(y_proba)
    if array.dtype.kind in "US":  # scikit-learn reads numbers from text
        array = np.asarray(y_proba, dtype=np.float64)
    return numeric(array, dtype=(np.float64, np.float32))


def mean_loss(losses: Array, weights: Array | None, *, normalize: bool = True) -> float:
    """Return the mean of the rows' losses, or their sum; from exact sums unless a weight is negative."""
    if weights is not None and (weights.min() < 0 or not np.isfinite(weights).all()):
        return float(np.average(losses, weights=weights) if normalize else np.dot(losses, weights))
    tally = Losses.of_values(losses, weights)
    return tally.total / tally.weight if normalize else float(tally.total)


def are_probabilities(values: Array) -> bool:
    """Whether all floats lie in [0, 1].

    >>> are_probabilities(np.array([0.0, 1.0])), are_probabilities(np.array([0.5, np.nan]))
    (True, False)
    """
    # The bits of nonnegative floats sort as the floats do; negative numbers and NaN sort above them all.
    unit = values.dtype.type(1)
    bits = np.uint64 if values.itemsize == np.uint64().itemsize else np.uint32
    return bool(values.view(bits).max() <= unit.view(bits) or ((values >= 0) & (values <= 1)).all())


def _refuse_outside(p: Array, comparison: str) -> None:
    if are_probabilities(p):
        return
    if p.max() > 1:
        raise NumberError(f"y_prob contains values greater than 1: {p.max()}")
    raise NumberError(f"y_prob contains values {comparison} than 0: {p.min()}")


def _warn_unless_sums_are_one(p: Array) -> None:
    sums = p.sum(axis=1)
    if not (np.abs(sums - 1) <= _SUM_TOLERANCE + math.sqrt(np.finfo(p.dtype).eps)).all():
        warn("The y_prob values do not sum to one. Make sure to pass probabilities.")


def _encode_classes(y_true: Any, labels: Any) -> tuple[Array, Array]:
    """Return the index of each row's class and the sorted classes; indicator tables are unchanged."""
    actual = as_target(y_true)
    kind = "multiclass" if actual.ndim == 1 and actual.dtype.kind in "biuU" else type_of_target(y_true)
    if kind not in ("binary", "multiclass", "multilabel-indicator"):
        raise LabelError(
            "Multioutput target data is not supported with label binarization"
            if "multioutput" in kind
            else f"Unknown label type: {(actual,)!r}"
        )
    if not len(actual):
        raise LengthError(f"y has 0 samples: {y_true!r}")
    multilabel = kind == "multilabel-indicator"
    codes: Array
    if multilabel and labels is not None:
        raise LabelError("The labels of a table of 0 and 1 are its columns: labels= cannot name them.")
    if multilabel:
        codes, classes = actual, np.arange(actual.shape[1])
    elif labels is None:
        codes, classes = _encode_sorted(column_or_1d(actual))
    else:
        classes = _declared_classes(labels, actual)
        codes = np.searchsorted(classes, column_or_1d(actual))
    if len(classes) == 1:
        raise LabelError(
            f"y_true contains only one label ({classes[0]}). Please provide the list of all expected class "
            "labels explicitly through the labels argument."
            if labels is None
            else f"The labels array needs to contain at least two labels, got {classes}."
        )
    return codes, classes


def _encode_sorted(actual: Array) -> tuple[Array, Array]:
    if actual.dtype.kind in "biuU":
        codes, labels = encode(column(actual))
        return codes, np.asarray(labels)
    classes, codes = np.unique(actual, return_inverse=True)
    return codes, classes


def _declared_classes(labels: Any, actual: Array) -> Array:
    """Return the declared classes, sorted; raise if rows have others."""
    if type_of_target(labels) not in ("binary", "multiclass"):
        raise LabelError(f"Unknown label type: {(labels,)!r}")
    declared = column_or_1d(labels, "labels")
    classes = distinct(declared)
    if len(classes) != len(declared):
        raise LabelError(f"labels={labels} names a label twice.")
    if not (classes == declared).all():
        warn(
            f"Labels passed were {labels}. But this function assumes labels are ordered lexicographically. "
            f"Pass the ordered labels={classes.tolist()} and ensure that the columns of y_prob correspond to "
            "this ordering."
        )
    known = set(classes.tolist())
    if undeclared := {label for label in distinct(actual).tolist() if label not in known}:
        raise LabelError(f"y_true contains values {undeclared} not belonging to the passed labels {labels}.")
    return classes


def tally_or_none(tally: Any, rows: Rows, **parameters: Any) -> Any:
    """Return the tally of rows, or None if it refuses them."""
    try:
        return tally(rows, **parameters)
    except InputError:
        return None
