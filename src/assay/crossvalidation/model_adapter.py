"""Models of any library: copies for each fold, fitting, and what they predict."""

from __future__ import annotations

import copy
import dataclasses
import sys
import time
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import InputError, LengthError, shown
from assay.inputs.labels import plain_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.inputs import Labels
    from assay.inputs.columns import Array

__all__ = [
    "ModelOutput",
    "example_model",
    "fit_model",
    "has_scores",
    "model_kind",
    "model_name",
    "new_model",
    "predict_rows",
]

_MAX_RANDOM_STATE = 2**31 - 1  # what scikit-learn takes for a random_state


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ModelOutput:
    """What a model predicted for some rows: labels or numbers, and scores, a column for each of its classes.

    ``scores`` may be a single column, for the second of two ``classes``. ``are_probabilities`` tells whether
    they come from ``predict_proba``. ``seconds`` is what the model itself took.
    """

    predicted: Any
    scores: Array | None
    classes: Labels
    are_probabilities: bool
    seconds: float


def _check_model(model: Any) -> None:
    """Raise for what neither can be fitted nor makes something that can."""
    if hasattr(model, "fit") and not isinstance(model, type) and not hasattr(model, "predict"):
        raise InputError(f"a {type(model).__name__} has fit, but no predict: it cannot be evaluated.")
    if not hasattr(model, "fit") and not callable(model):
        raise InputError(
            f"a {type(model).__name__} is no model: pass an object with fit and predict, or a function "
            "that makes one."
        )


def example_model(model: Any) -> Any:
    """Return a model to inspect: the one given, or one that a class or function makes."""
    _check_model(model)
    if not is_factory(model):
        return model
    example = model()
    for method in ("fit", "predict"):
        if not hasattr(example, method):
            what = type(example).__name__
            raise InputError(f"{model_name(model)} makes a {what}, which is no model: it has no {method}.")
    return example


def is_factory(model: Any) -> bool:
    """Tell whether calling it makes a model: a class, or a function."""
    return isinstance(model, type) or not hasattr(model, "fit")


def model_name(model: Any) -> str:
    """Return the name of a model for reports.

    >>> class Prior:
    ...     def fit(self, X, y): ...
    ...     def predict(self, X): ...
    >>> model_name(Prior()), model_name(Prior)
    ('Prior', 'Prior')
    """
    return str(getattr(model, "__name__", type(model).__name__))


def model_kind(model: Any) -> Literal["classifier", "regressor"] | None:
    """Tell classifiers from regressors: by their scores, or as scikit-learn does; None if unknown."""
    if has_scores(model):
        return "classifier"
    base = sys.modules.get("sklearn.base")  # a model of scikit-learn has loaded it
    if base is not None and hasattr(model, "get_params"):
        if base.is_classifier(model):
            return "classifier"
        if base.is_regressor(model):
            return "regressor"
    return None


def new_model(model: Any, seed: int | None) -> Any:
    """Return an unfitted copy; every ``random_state`` that is None is set by the seed.

    That makes results the same for any number of jobs. A ``random_state`` that was set stays.
    """
    copied = model() if is_factory(model) else _cloned(model)
    if seed is not None and hasattr(copied, "get_params") and hasattr(copied, "set_params"):
        unset = [
            name
            for name, value in copied.get_params().items()
            if name.rpartition("__")[2] == "random_state" and value is None
        ]
        if unset:
            copied.set_params(**dict.fromkeys(unset, seed % _MAX_RANDOM_STATE))
    return copied


def _cloned(model: Any) -> Any:
    base = sys.modules.get("sklearn.base")  # a model of scikit-learn has loaded it
    try:
        if base is not None and hasattr(model, "get_params"):
            return base.clone(model)
        return copy.deepcopy(model)
    except Exception as error:
        raise InputError(
            f"a {type(model).__name__} cannot be copied for every fold ({error}): pass a function that makes "
            "one."
        ) from error


def fit_model(model: Any, features: Any, target: Any, options: Mapping[str, Any]) -> float:
    """Fit a model and return the seconds that took."""
    start = time.perf_counter()
    model.fit(features, target, **options)
    return time.perf_counter() - start


def predict_rows(
    model: Any, features: Any, *, labels: bool, scores: bool, classes: Labels, outputs: Labels = ()
) -> ModelOutput:
    """Return a fitted model's predictions, its scores, or both.

    `classes` are those of its training rows, for a model that has no ``classes_``; `outputs` are the names
    of the target's columns where there are several.
    """
    start = time.perf_counter()
    predicted = model.predict(features) if labels else None
    if labels and predicted is None:
        raise InputError("predict returned nothing.")
    values, are_probabilities = None, False
    if scores:
        are_probabilities = hasattr(model, "predict_proba")
        values = (model.predict_proba if are_probabilities else model.decision_function)(features)
    seconds = time.perf_counter() - start
    if values is None:
        return ModelOutput(predicted, None, classes, are_probabilities=False, seconds=seconds)
    if outputs:
        matrix = _label_scores(model, values, outputs)
        return ModelOutput(predicted, matrix, outputs, are_probabilities, seconds)
    values = np.asarray(values)
    if values.ndim not in (1, 2):
        raise LengthError(
            f"the model gave scores of shape {values.shape}: a row of scores per row is needed."
        )
    own = getattr(model, "classes_", None)
    known = classes if own is None else tuple(plain_label(label) for label in np.asarray(own).tolist())
    if values.ndim == 2 and values.shape[1] == 1 and len(known) > 1:  # noqa: PLR2004 - a column vector
        values = values[:, 0]
    if values.ndim == 2 and values.shape[1] != len(known):  # noqa: PLR2004 - a row of scores per row
        raise LengthError(
            f"the model gave {values.shape[1]} scores per row for {len(known)} classes ({shown(known)})."
        )
    return ModelOutput(predicted, values, known, are_probabilities, seconds)


def _label_scores(model: Any, values: Any, outputs: Labels) -> Array:
    """Return a column of scores for each label: of several models, each with its own classes, that of 1.

    scikit-learn's MultiOutputClassifier and its trees give a table for each label; others give one table.
    """
    if not isinstance(values, (list, tuple)):
        matrix = np.asarray(values)
    else:
        known = getattr(model, "classes_", None)
        columns = []
        for index, table in enumerate(map(np.asarray, values)):
            own = [0, 1] if known is None else np.asarray(known[index]).tolist()
            if table.ndim == 1:
                columns.append(table)
            else:  # a label that no training row has, or that all have, has one class
                columns.append(table[:, own.index(1)] if 1 in own else np.zeros(len(table)))
        matrix = np.stack(columns, axis=1)
    if matrix.ndim != 2 or matrix.shape[1] != len(outputs):  # noqa: PLR2004 - rows and columns
        raise LengthError(
            f"the model gave scores of shape {matrix.shape}: a column for each of {len(outputs)} labels is "
            "needed."
        )
    return matrix


def has_scores(model: Any) -> bool:
    """Tell whether a model gives scores beside its predictions."""
    return hasattr(model, "predict_proba") or hasattr(model, "decision_function")
