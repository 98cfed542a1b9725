"""What is to be learnt and how it is judged: the plan that every fold of a validation carries out."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.crossvalidation.fold_metrics import Figure, Need, figures
from assay.crossvalidation.model_adapter import a_model, can_score, named
from assay.crossvalidation.row_selection import choose, count_rows
from assay.errors import (
    ColumnError,
    InputError,
    LabelError,
    LengthError,
    MetricError,
    NumberError,
    shown,
)
from assay.inputs import Column, column, encode, rows
from assay.inputs.labels import binary, plain_label
from assay.inputs.labels import weights as checked_weights
from assay.resampling.split_inputs import present

if TYPE_CHECKING:
    from assay.crossvalidation.model_adapter import Answers
    from assay.inputs import Label, Labels, Rows
    from assay.inputs.columns import Array

__all__ = ["CrossValSetup", "prepare_setup"]

_KINDS = ("binary", "multiclass", "ordinal", "regression")
_TWO = 2


@dataclasses.dataclass(frozen=True, eq=False)
class CrossValSetup:
    """A model, the rows it learns from, and the figures by which it is judged.

    ``labels`` are the classes, none for measured quantities; ``positive`` is stated or obvious, or None.
    """

    model: Any
    features: Any
    target: Any
    actual: Column
    labels: Labels
    positive: Label | None
    figures: tuple[Figure, ...]
    weight: Array | None
    group: Column | None
    fit_options: Mapping[str, Any]
    seed: int

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.actual)

    @property
    def name(self) -> str:
        """What the model is called."""
        return named(self.model)

    @property
    def needs(self) -> set[Need]:
        """What figures are read from: predictions, scores, scores of all classes."""
        return {figure.needs for figure in self.figures}

    def options(self, train: Array) -> dict[str, Any]:
        """Return what the model is fitted with beside its rows; columns have a value for each of these."""
        return {
            name: choose(value, train) if _is_column(value, self.n) else value
            for name, value in self.fit_options.items()
        }

    def judged(self, answers: Answers, test: Array) -> dict[Need, Rows]:
        """Return a model's answers beside what was true, as the rows that tallies are made of."""
        needs = self.needs
        given: dict[str, Any] = {"actual": self.actual.take(test)}
        if self.weight is not None:
            given["weight"] = self.weight[test]
        if self.group is not None:
            given["group"] = self.group.take(test)
        if self.labels:
            given |= {"labels": self.labels, "positive": self.positive}
        if "predicted" in needs:
            given["predicted"] = answers.predicted
        found: dict[Need, Rows] = {}
        if "scores" in needs:
            found["scores"] = rows(**given, score=self.by_class(answers))
        if "score" in needs:
            given["score"] = self.of_positive(answers)
        if needs - {"scores"}:
            found["predicted"] = found["score"] = rows(**given)
        return found

    def by_class(self, answers: Answers) -> Array:
        """Return a column of scores per class; a class that the model never saw has nothing."""
        scores, classes = self._scored(answers)
        if scores.ndim == 1:
            if not answers.likely:
                raise MetricError("the model scores one class only, where a score for each is needed.")
            scores = np.stack([1 - scores, scores], axis=1)
        found = np.full((len(scores), len(self.labels)), 0.0 if answers.likely else -np.inf)
        found[:, [self.labels.index(label) for label in classes]] = scores
        return found

    def of_positive(self, answers: Answers) -> Array:
        """Return the scores of the positive class; nothing where the model never saw it."""
        positive = self.positive
        scores, classes = self._scored(answers)
        if scores.ndim == 1:
            if positive == classes[-1]:
                return scores
            return 1 - scores if answers.likely else -scores
        if positive not in classes:
            return np.full(len(scores), 0.0 if answers.likely else -np.inf)
        return np.ascontiguousarray(scores[:, classes.index(positive)])

    def _scored(self, answers: Answers) -> tuple[Array, Labels]:
        """Return a model's scores and the classes that they are of, which are among those of the target.

        A single column is for the second of two, also where the model learnt from rows of one class only.
        """
        scores, classes = answers.scores, answers.classes
        assert scores is not None  # noqa: S101 - asked for
        if not set(classes) <= set(self.labels):
            raise LabelError(f"the model's classes are {shown(classes)}, those of y {shown(self.labels)}.")
        if scores.ndim == 1 and len(classes) != _TWO:
            if len(self.labels) != _TWO:
                raise MetricError(f"the model gave one score per row for {len(classes)} classes.")
            classes = self.labels
        return scores, classes


def prepare_setup(
    model: Any,
    features: Any,
    target: Any,
    *,
    metrics: Any,
    task: str | None,
    positive: Label | None,
    weight: Any,
    group: Any,
    fit_options: Mapping[str, Any] | None,
    seed: int,
) -> CrossValSetup:
    """Return the plan, or say at once what cannot be done."""
    probe = a_model(model)
    if isinstance(target, range) or not hasattr(target, "__getitem__"):  # what rows cannot be chosen from
        target = list(target) if isinstance(target, Iterable) else target
    actual = _target(target)
    if hasattr(features, "tocsr"):  # the sparse form that is chosen by rows
        features = features.tocsr()
    n = count_rows(features)
    if n != len(actual):
        raise LengthError(f"X has {n:,} rows, y has {len(actual):,} values.")
    if not n:
        raise LengthError("there are no rows to learn from.")
    labels: tuple[Any, ...] = ()
    if _is_classification(probe, actual, task):
        labels = encode(actual)[1]
        positive = _positive(actual, positive, labels)
        if len(labels) < _TWO:
            raise LabelError(f"y holds {shown(labels)} only: there is nothing to tell apart.")
        if task == "binary" and len(labels) > _TWO:
            raise LabelError(f'task="binary", but y holds {len(labels)} classes: {shown(labels)}.')
    elif positive is not None:
        raise InputError("positive= is for classes, but y is taken for measured quantities.")
    scores = can_score(probe)
    asked = figures(_usual(labels, positive, scores=scores) if metrics is None else metrics, positive)
    _refuse_unfit(asked, probe, labels, positive, actual, scores=scores)
    weighing = None
    if weight is not None:
        weighing = checked_weights(column(weight, "weight"))
        if len(weighing) != n:
            raise LengthError(f"X has {n:,} rows, weight has {len(weighing):,} values.")
        if not weighing.all():
            raise InputError("weight holds a 0: leave such rows out.")
    if fit_options is not None and not isinstance(fit_options, Mapping):
        raise InputError(f"fit_options= is a {type(fit_options).__name__}, not a dict of keywords.")
    groups = None if group is None else present(group, "group")
    if groups is not None and len(groups) != n:
        raise LengthError(f"X has {n:,} rows, group has {len(groups):,} values.")
    return CrossValSetup(
        model, features, target, actual, labels, positive, asked, weighing, groups, dict(fit_options or {}),
        seed,
    )  # fmt: skip


def _target(target: Any) -> Column:
    """Return the target, one finite value per row."""
    shape: tuple[int, ...] = getattr(target, "shape", ())
    if (len(shape) > 1 and shape[1] > 1) or _holds_lists(target):
        raise ColumnError(
            "y has several values per row, and a cross-validation judges one: go column by column. For rows "
            "of several labels, predict each row by a model of the others (cross_val_predict with "
            'cv=as_cv(...)) and pass that to assay.evaluate(..., task="multilabel").'
        )
    found = present(target, "y")
    if found.labels is None and found.values.dtype.kind == "f" and np.isinf(found.values).any():
        row = int(np.argmax(np.isinf(found.values)))
        raise NumberError(f"y holds {found.values[row]} ({found.where(row)}): a target is finite.")
    return found


def _holds_lists(target: Any) -> bool:
    return isinstance(target, (list, tuple)) and bool(target) and isinstance(target[0], (list, tuple, set))


def _is_classification(model: Any, actual: Column, task: str | None) -> bool:
    """Tell classes from measured quantities: by what was said, by the model, or by the target's values."""
    if task is not None:
        if task not in _KINDS:
            raise InputError(f"task={task!r} is not known: use {shown(_KINDS)}.")
        return task != "regression"
    if actual.labels is not None or actual.values.dtype.kind == "b" or can_score(model):
        return True
    base = sys.modules.get("sklearn.base")
    if base is not None and hasattr(model, "get_params"):
        if base.is_classifier(model):
            return True
        if base.is_regressor(model):
            return False
    if actual.values.dtype.kind == "f" and (actual.values != np.floor(actual.values)).any():
        return False
    raise InputError(
        'y holds whole numbers, which may be classes or quantities: say task="binary", "multiclass" or '
        '"regression".'
    )


def _positive(actual: Column, positive: Label | None, labels: Labels) -> Label | None:
    """Return the positive label: the stated one, or where it is obvious; None where there is none."""
    if positive is not None:
        stated = plain_label(positive)
        if stated not in labels:
            raise LabelError(f"positive={positive!r} does not occur in y: the labels are {shown(labels)}.")
        return stated
    try:
        return binary(actual, None, labels)[1]
    except LabelError:
        return None


def _usual(labels: Labels, positive: Label | None, *, scores: bool) -> tuple[str, ...]:
    """Return the figures that are shown where none are asked for."""
    if not labels:
        return ("mae", "rmse", "r2")
    if scores and positive is not None and len(labels) == _TWO:
        return ("accuracy", "kappa", "auc", "average_precision")
    return ("accuracy", "balanced_accuracy", "kappa")


def _refuse_unfit(
    asked: tuple[Figure, ...],
    model: Any,
    labels: Labels,
    positive: Label | None,
    actual: Column,
    *,
    scores: bool,
) -> None:
    for figure in asked:
        if not labels and figure.of_labels:
            raise MetricError(f"{figure.name} judges classes, but y is taken for measured quantities.")
        if actual.labels is not None and not figure.of_labels:
            raise MetricError(f"{figure.name} judges numbers, but y holds labels: {shown(labels)}.")
        if figure.needs != "predicted" and not scores:
            raise MetricError(
                f"{figure.name} needs scores, but a {named(model)} has neither predict_proba nor "
                "decision_function."
            )
        if figure.of_probabilities and not hasattr(model, "predict_proba"):
            raise MetricError(
                f"{figure.name} needs probabilities, but a {named(model)} has no predict_proba: calibrate "
                "it, or judge the order of its scores (auc, average_precision)."
            )
        one_class = figure.needs == "score" or figure.metric.reads.__name__ == "Binary"
        if one_class and positive is None and not {"average", "positive"} & figure.options.keys():
            binary(actual, None, labels)  # it says what to do


def _is_column(value: Any, n: int) -> bool:
    if not hasattr(value, "__len__") or isinstance(value, (str, bytes, Mapping)):
        return False
    return (int(value.shape[0]) if getattr(value, "shape", ()) else len(value)) == n
