"""Models that answer as they are told to, and one small data set to try them on."""

# ruff: noqa: N803, ARG002, D102 - models speak as those of scikit-learn do

import os
import threading

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import assay

X, Y = make_classification(120, 6, n_informative=3, random_state=0)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


class Model:
    """A model that answers as it is told to."""

    def __init__(self, predict=lambda X: np.ones(len(X), dtype=int), proba=None, scores=None):
        self.answer = predict
        if proba is not None:
            self.predict_proba = proba
        if scores is not None:
            self.decision_function = scores

    def fit(self, X, y):
        self.seen = len(X)

    def predict(self, X):
        return self.answer(X)


class Locked(Model):
    """A model that cannot be copied."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


def judge(model=TREE, features=X, target=Y, **more):
    return assay.crossval(model, features, target, **({"split": 4} | more))


class Dying(Model):
    """A model whose fitting ends the process."""

    def fit(self, X, y):
        os._exit(3)


class Witness(Model):
    """A model that keeps the numbers of the rows it learnt from, and says of others whether they are new."""

    def fit(self, X, y):
        self.learnt = set(X[:, 0].astype(int).tolist())

    def predict(self, X):
        return np.array([int(row not in self.learnt) for row in X[:, 0].astype(int)])
