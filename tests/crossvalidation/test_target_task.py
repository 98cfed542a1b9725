"""The task of a cross-validation is the one that an evaluation of its predictions has."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from support.odd_models import Model

import assay
from assay.crossvalidation.target_task import infer_task
from assay.errors import AssayError, InputError, LabelError, MetricError

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
        column = assay.column(target, "y")
        task = infer_task(PREDICTS, column, stated.get("task"), given.get("positive")).task
        return task.name, task.positive

    assert outcome(validated) == outcome(evaluated)


def test_the_model_decides_where_the_target_does_not():
    """Whole numbers are classes to a classifier and quantities to a regressor."""
    grades = assay.column([1, 2, 3, 2], "y")
    assert infer_task(LogisticRegression(), grades, None, None).task.name == "multiclass"
    assert infer_task(LinearRegression(), grades, None, None).task.name == "regression"
    assert infer_task(LinearRegression(), assay.column([0, 1, 1], "y"), None, None).task.name == "regression"
    with pytest.raises(InputError, match="whole numbers"):
        infer_task(PREDICTS, grades, None, None)
    with pytest.raises(LabelError, match="which is no label"):
        infer_task(LogisticRegression(), assay.column([0.5, 1.0, 2.5], "y"), None, None)


def test_what_no_model_can_learn():
    """One class alone, ranked lists, and several labels that are one."""
    with pytest.raises(LabelError, match='y holds "a" only: there is nothing to tell apart'):
        infer_task(PREDICTS, assay.column(["a", "a"], "y"), None, None)
    with pytest.raises(InputError, match="is not cross-validated here"):
        infer_task(PREDICTS, assay.column(np.array([0, 1]), "y"), "ranking", None)
    with pytest.raises(InputError, match="needs several columns of actual values"):
        infer_task(PREDICTS, assay.column(np.array([0, 1]), "y"), "multilabel", None)


def test_one_of_several_classes_is_evaluated_against_the_rest():
    """The model learns all three, and metrics are of two: those of an evaluation of the predictions."""
    target = np.array(["a", "b", "c", "b"] * 30)
    features = np.arange(120)[:, None] % 7 + (target == "c")[:, None]
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    cv = assay.crossval(model, features, target, positive="c", split=5, metrics=["accuracy", "auc", "f1"])
    ev = assay.evaluate(cv.predictions)
    assert cv.task == ev.task
    assert cv.task.labels == ("not c", "c")
    assert cv["accuracy"].value == ev["accuracy"].value
    assert cv["f1"].value == ev["f1"].value
    with pytest.raises(MetricError, match="macro_auc needs the scores of all classes, but positive= names"):
        assay.crossval(model, features, target, positive="c", metrics="macro_auc")


def test_grades_have_the_order_that_is_stated():
    """By labels=, or by ordered categories."""
    order = ["low", "mid", "high"]
    target = np.array(["mid", "low", "high", "low"] * 30)
    features = np.arange(120)[:, None] % 7 + (target == "high")[:, None]
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    kappa = "quadratic_weighted_kappa"
    options = {"task": "ordinal", "split": 5, "metrics": kappa}
    stated = assay.crossval(model, features, target, labels=order, **options)
    categories = pd.Series(pd.Categorical(target, order, ordered=True))
    by_categories = assay.crossval(model, features, categories, **options)
    assert stated.task.labels == by_categories.task.labels == tuple(order)
    ranks = np.array([order.index(label) for label in target])
    assert stated[kappa].value == assay.crossval(model, features, ranks, **options)[kappa].value
