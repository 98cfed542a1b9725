"""Metrics of all classes at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.metrics.arithmetic import floats, log, ratio, root, where, within
from assay.metrics.metric import metric
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.confusion import Classes, apart

ABSENT = "a class has no actual rows"


@metric(
    reads=Classes, kind="proportion", bounds=(0, 1), best=1, undefined=NO_ROWS,
    aliases=("acc", "overall_accuracy", "observed_agreement", "percent_agreement"), monotone=True,
    row_mean=True,
)  # fmt: skip
def accuracy(c: Classes) -> Any:
    """How many rows were predicted as they are: ``correct / n``."""
    return ratio(c.correct, c.n)


@metric(
    reads=Classes, kind="proportion", bounds=(0, 1), best=0, undefined=NO_ROWS,
    aliases=("err", "misclassification_rate", "zero_one_loss"), monotone=True, row_mean=True,
)  # fmt: skip
def error_rate(c: Classes) -> Any:
    """How many rows were predicted as something else: ``wrong / n``."""
    return ratio(c.wrong, c.n)


@metric(
    reads=Classes, kind="proportion", bounds=(0, 1), best=None, undefined=NO_ROWS,
    aliases=("nir", "accuracy_null"), title="no-information rate",
)  # fmt: skip
def no_information_rate(c: Classes) -> Any:
    """The accuracy of always predicting the commonest class: ``max(actual) / n``."""
    return ratio(c.actual.max(-1), c.actual.sum(-1))


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined=ABSENT,
    aliases=("mean_recall", "macro_recall", "uar"), monotone=True,
)  # fmt: skip
def balanced_accuracy(c: Classes) -> Any:
    """The mean of the classes' recalls, so that each class counts alike: ``mean(recall of each class)``.

    For three classes or more caret and yardstick call another figure so: see one_vs_rest_balanced_accuracy.
    """
    return np.mean(c.recalls, -1)


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1, undefined=f"{ABSENT}, or there is only one class",
    aliases=("chance_corrected_balanced_accuracy",), monotone=True,
)  # fmt: skip
def adjusted_balanced_accuracy(c: Classes) -> Any:
    """Balanced accuracy from 0 for guessing to 1, over K classes.

    ``(balanced accuracy - 1/K) / (1 - 1/K)``
    """
    return ratio(c.size * np.mean(c.recalls, -1) - 1, c.size - 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined=ABSENT,
    aliases=("gmean", "gm", "geometric_mean"), title="G-mean", monotone=True,
)  # fmt: skip
def g_mean(c: Classes) -> Any:
    """The geometric mean of the classes' recalls, 0 as soon as one class is never found.

    ``(product of the recalls)^(1/K)``
    """
    return np.exp(np.mean(log(c.recalls), -1))


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1,
    undefined="a class has no actual rows, or was never predicted", aliases=("sokolova_lapalme_f1",),
    title="F1 of macro averages",
)  # fmt: skip
def macro_f1_of_averages(c: Classes) -> Any:
    """The harmonic mean of macro precision and macro recall, as Sokolova and Lapalme (2009) write it.

    ``2 P R / (P + R)``

    The usual macro F1 is another figure, the mean of the classes' F1: ``f1(tally, average="macro")``.
    """
    recall = np.mean(c.recalls, -1)
    precision = np.mean(ratio(c.hits, c.predicted), -1)
    return where(recall + precision == 0, 0.0, ratio(2 * precision * recall, precision + recall))


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1,
    undefined="all rows are of one class, or were all predicted as one",
    aliases=("matthews_correlation", "matthews_corrcoef", "mat", "r_k"), title="MCC", monotone=True,
)  # fmt: skip
def mcc(c: Classes) -> Any:
    """The correlation of prediction and truth over the table, also called R_K.

    ``(correct n - sum(actual predicted)) / sqrt((n² - sum(actual²)) (n² - sum(predicted²)))``

    For two classes it is :func:`phi`; for more, phi is one class against the rest.
    """
    actual, predicted = (floats(apart(margin, margin)) for margin in (c.actual, c.predicted))
    with np.errstate(over="ignore"):
        product = actual * predicted
    held = np.isfinite(product) & (product != 0)  # a fourth power of weights may run over, or under
    return within(ratio(c.beyond_chance, where(held, root(product), root(actual) * root(predicted))), -1, 1)
