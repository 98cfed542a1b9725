"""Metrics of all classes at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.metrics.arithmetic import ratio, root
from assay.metrics.counts import Classes
from assay.metrics.metric import metric


@metric(
    reads=Classes, kind="proportion", bounds=(0, 1), best=1, undefined="there are no rows", aliases=("acc",)
)
def accuracy(c: Classes) -> Any:
    """How many rows were predicted as they are: ``correct / n``."""
    return ratio(c.correct, c.n)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="a class has no actual rows",
    aliases=("mean_recall", "macro_recall", "uar"),
)  # fmt: skip
def balanced_accuracy(c: Classes) -> Any:
    """The mean of the classes' recalls, so that each class counts alike: ``mean(recall of each class)``."""
    return np.mean(ratio(c.against_rest().tp, c.actual), -1)


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1,
    undefined="all rows are of one class, or were all predicted as one",
    aliases=("matthews_correlation", "phi", "mat", "r_k"),
)  # fmt: skip
def mcc(c: Classes) -> Any:
    """The correlation of prediction and truth over the table, also called R_K.

    ``(correct n - sum(actual predicted)) / sqrt((n² - sum(actual²)) (n² - sum(predicted²)))``
    """
    covariance = c.correct * c.n - c.chance_correct
    spreads = (c.n * c.n - (x * x).sum(-1) for x in (c.actual, c.predicted))
    return ratio(covariance, math.prod(root(spread) for spread in spreads))


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1,
    undefined="all rows are of one class and were predicted so, which chance alone would do",
    aliases=("cohen_kappa",),
)  # fmt: skip
def kappa(c: Classes) -> Any:
    """Agreement beyond what the two distributions alone would give.

    ``(observed - expected) / (1 - expected)``
    """
    return ratio(c.correct * c.n - c.chance_correct, c.n * c.n - c.chance_correct)
