"""The task of a cross-validation is the one that an evaluation of its predictions has."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from support.odd_models import Model

import assay
from assay.crossvalidation.target_task import infer_task
from assay.errors import AssayError, InputError, LabelError

PREDICTS = Model()
TARGETS = {
    "0 and 1": [0, 1, 1, 0],
    "-1 and 1": [-1, 1, 1, -1],
    "truth": [True, False, True, True],
    "two words": ["no", "yes", "yes", "no"],
    "three words": ["a", "b", "c", "a"],
    "whole numbers": [1, 2, 3, 2],
    "two whole numbers": [1, 2, 2, 1],
    "whole floats": [1.0, 2.0, 3.0, 2.0],
    "fractions": [1.5, 2.0, 3.25, 0.1],
}
STATED = [
    {},
    {"task": "binary"},
    {"task": "multiclass"},
    {"task": "ordinal"},
    {"task": "regression"},
    {"task": "classification"},
    {"positive": "yes"},
    {"positive": 1},
    {"positive": "maybe"},
    {"task": "multiclass", "positive": 1},
]


def outcome(function):
    try:
        return function()
    except AssayError as error:
        return type(error), str(error).replace("actual ", "y ").replace("predicted ", "y ")


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("stated", STATED, ids=str)
def test_it_is_the_task_of_an_evaluation(name, stated):
    """The same target has the same task and positive label, or the same refusal in the same words."""
    target = TARGETS[name]
    rows = {"actual": target, "predicted": target}
    given = {key: value for key, value in stated.items() if key == "positive"}

    def evaluated():
        task = assay.evaluate(**rows, **stated).task
        return task.name, task.positive

    def validated():
        task = infer_task(PREDICTS, assay.column(target, "y"), stated.get("task"), given.get("positive"))
        return task.name, task.positive

    if (
        stated.keys() == {"positive"} and name == "fractions"
    ):  # an evaluation leaves positive= out of account there
        with pytest.raises(InputError, match="positive= is for classes"):
            validated()
        return
    if stated == {"positive": 1} and name in ("whole numbers", "whole floats"):
        assert validated() == ("multiclass", 1)  # the model learns all classes, of which one is positive
        return
    assert outcome(validated) == outcome(evaluated)


def test_the_model_decides_where_the_target_does_not():
    """Whole numbers are classes to a classifier and quantities to a regressor."""
    grades = assay.column([1, 2, 3, 2], "y")
    assert infer_task(LogisticRegression(), grades, None, None).name == "multiclass"
    assert infer_task(LinearRegression(), grades, None, None).name == "regression"
    assert infer_task(LinearRegression(), assay.column([0, 1, 1], "y"), None, None).name == "regression"
    with pytest.raises(InputError, match="whole numbers"):
        infer_task(PREDICTS, grades, None, None)
    with pytest.raises(LabelError, match="which is no label"):
        infer_task(LogisticRegression(), assay.column([0.5, 1.0, 2.5], "y"), None, None)


def test_what_no_model_can_learn():
    """One class alone, and tasks of several labels or of lists."""
    with pytest.raises(LabelError, match='y holds "a" only: there is nothing to tell apart'):
        infer_task(PREDICTS, assay.column(["a", "a"], "y"), None, None)
    for task in ("multilabel", "ranking"):
        with pytest.raises(InputError, match="is not cross-validated here"):
            infer_task(PREDICTS, assay.column(np.array([0, 1]), "y"), task, None)
    with pytest.raises(LabelError, match='task="binary", but y holds 3 classes'):
        infer_task(PREDICTS, assay.column(["a", "b", "c"], "y"), "binary", "a")
