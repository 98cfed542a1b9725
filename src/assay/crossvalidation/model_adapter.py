"""Models as they come: fresh copies of them, their fitting and their answers."""

from __future__ import annotations

import copy
import dataclasses
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LengthError, shown
from assay.inputs.labels import plain_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.inputs import Labels
    from assay.inputs.columns import Array

__all__ = ["Answers", "a_model", "answered", "can_score", "fitted", "fresh", "named"]

_LARGEST_STATE = 2**31 - 1  # what scikit-learn takes for a random_state


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What a model said of some rows: labels or numbers, and scores, a column for each of its classes.

    ``scores`` may be a single column, for the second of two ``classes``. ``likely`` tells whether they are
    probabilities. ``seconds`` is what the model itself took.
    """

    predicted: Any
    scores: Array | None
    classes: Labels
    likely: bool
    seconds: float


def _need_a_model(model: Any) -> None:
    """Raise for what can neither be fitted nor makes what can."""
    if hasattr(model, "fit") and not isinstance(model, type) and not hasattr(model, "predict"):
        raise InputError(f"a {type(model).__name__} has fit, but no predict: it cannot be judged.")
    if not hasattr(model, "fit") and not callable(model):
        raise InputError(
            f"a {type(model).__name__} is no model: pass an object with fit and predict, or a function "
            "that makes one."
        )


def a_model(model: Any) -> Any:
    """Return a model to look at: the one given, or one that a class or function makes."""
    _need_a_model(model)
    if not is_factory(model):
        return model
    made = model()
    for verb in ("fit", "predict"):
        if not hasattr(made, verb):
            what = type(made).__name__
            raise InputError(f"{named(model)} makes a {what}, which is no model: it has no {verb}.")
    return made


def is_factory(model: Any) -> bool:
    """Tell whether a model is made by a call: of a class, or of a function."""
    return isinstance(model, type) or not hasattr(model, "fit")


def named(model: Any) -> str:
    """Return what to call a model in reports.

    >>> class Prior:
    ...     def fit(self, X, y): ...
    ...     def predict(self, X): ...
    >>> named(Prior()), named(Prior)
    ('Prior', 'Prior')
    """
    return str(getattr(model, "__name__", type(model).__name__))


def fresh(model: Any, seed: int | None) -> Any:
    """Return a model that has seen nothing; one that would draw at random as it likes gets a seed.

    That is what makes results the same for any number of jobs. A ``random_state`` that was set stays.
    """
    made = model() if is_factory(model) else _cloned(model)
    if seed is not None and hasattr(made, "get_params") and hasattr(made, "set_params"):
        left_open = [
            name
            for name, value in made.get_params().items()
            if name.rpartition("__")[2] == "random_state" and value is None
        ]
        if left_open:
            made.set_params(**dict.fromkeys(left_open, seed % _LARGEST_STATE))
    return made


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


def fitted(model: Any, features: Any, target: Any, options: Mapping[str, Any]) -> float:
    """Fit a model and return the seconds that took."""
    start = time.perf_counter()
    model.fit(features, target, **options)
    return time.perf_counter() - start


def answered(model: Any, features: Any, *, labels: bool, scores: bool, classes: Labels) -> Answers:
    """Return what a fitted model says of rows: its predictions, its scores, or both.

    `classes` are those of its training rows, for a model that does not tell its own ``classes_``.
    """
    start = time.perf_counter()
    predicted = model.predict(features) if labels else None
    if labels and predicted is None:
        raise InputError("predict returned nothing.")
    found, likely = None, False
    if scores:
        likely = hasattr(model, "predict_proba")
        found = (model.predict_proba if likely else model.decision_function)(features)
    seconds = time.perf_counter() - start
    if found is None:
        return Answers(predicted, None, classes, likely=False, seconds=seconds)
    found = np.asarray(found)
    if found.ndim not in (1, 2):
        raise LengthError(f"the model gave scores of shape {found.shape}: a row of scores per row is needed.")
    told = getattr(model, "classes_", None)
    known = classes if told is None else tuple(plain_label(label) for label in np.asarray(told).tolist())
    if found.ndim == 2 and found.shape[1] == 1 and len(known) > 1:  # noqa: PLR2004 - a column vector
        found = found[:, 0]
    if found.ndim == 2 and found.shape[1] != len(known):  # noqa: PLR2004 - a row of scores per row
        raise LengthError(
            f"the model gave {found.shape[1]} scores per row for {len(known)} classes ({shown(known)})."
        )
    return Answers(predicted, found, known, likely, seconds)


def can_score(model: Any) -> bool:
    """Tell whether a model has scores beside its predictions."""
    return hasattr(model, "predict_proba") or hasattr(model, "decision_function")
