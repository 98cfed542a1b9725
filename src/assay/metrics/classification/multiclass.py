"""Metrics of all classes at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.metrics.arithmetic import floats, log, ratio, root, where, within
from assay.metrics.metric import metric
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.confusion import Classes, apart

NO_ROWS_OF_CLASS = "a class has no actual rows"


@metric(
    reads=Classes, kind="proportion", bounds=(0, 1), best=1, undefined=NO_ROWS,
    aliases=("acc", "overall_accuracy", "observed_agreement", "percent_agreement"), monotone=True,
    row_mean=True,
)  # fmt: skip
def accuracy(c: Classes) -> Any:
    """Share of rows predicted correctly: ``correct / n``."""
    return ratio(c.correct, c.n)


@metric(
    reads=Classes, kind="proportion", bounds=(0, 1), best=0, undefined=NO_ROWS,
    aliases=("err", "misclassification_rate", "zero_one_loss"), monotone=True, row_mean=True,
)  # fmt: skip
def error_rate(c: Classes) -> Any:
    """Share of rows predicted incorrectly: ``wrong / n``."""
    return ratio(c.wrong, c.n)


@metric(
    reads=Classes, kind="proportion", bounds=(0, 1), best=None, undefined=NO_ROWS,
    aliases=("nir", "accuracy_null"), title="no-information rate",
)  # fmt: skip
def no_information_rate(c: Classes) -> Any:
    """Accuracy of always predicting the most common class: ``max(actual) / n``."""
    return ratio(c.actual.max(-1), c.actual.sum(-1))


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined=NO_ROWS_OF_CLASS,
    aliases=("mean_recall", "macro_recall", "uar"), monotone=True,
)  # fmt: skip
def balanced_accuracy(c: Classes) -> Any:
    """Mean of the classes' recalls, so that each class counts the same: ``mean(recall of each class)``.

    For three classes or more, caret and yardstick give this name to one_vs_rest_balanced_accuracy.
    """
    return np.mean(c.recalls, -1)


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1,
    undefined=f"{NO_ROWS_OF_CLASS}, or there is only one class",
    aliases=("chance_corrected_balanced_accuracy",), monotone=True,
)  # fmt: skip
def adjusted_balanced_accuracy(c: Classes) -> Any:
    """Balanced accuracy rescaled over K classes, so that guessing gives 0.

    ``(balanced accuracy - 1/K) / (1 - 1/K)``
    """
    return ratio(c.size * np.mean(c.recalls, -1) - 1, c.size - 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined=NO_ROWS_OF_CLASS,
    aliases=("gmean", "gm", "geometric_mean"), title="G-mean", monotone=True,
)  # fmt: skip
def g_mean(c: Classes) -> Any:
    """Geometric mean of the classes' recalls; 0 as soon as one class is never predicted correctly.

    ``(product of the recalls)^(1/K)``
    """
    return np.exp(np.mean(log(c.recalls), -1))


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1,
    undefined="a class has no actual rows, or was never predicted", aliases=("sokolova_lapalme_f1",),
    title="F1 of macro averages",
)  # fmt: skip
def macro_f1_of_averages(c: Classes) -> Any:
    """Harmonic mean of macro precision and macro recall, after Sokolova and Lapalme (2009).

    ``2 P R / (P + R)``

    The usual macro F1 is another quantity, the mean of the classes' F1: ``f1(tally, average="macro")``.
    """
    recall = np.mean(c.recalls, -1)
    precision = np.mean(ratio(c.hits, c.predicted), -1)
    return where(recall + precision == 0, 0.0, ratio(2 * precision * recall, precision + recall))


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1,
    undefined="all actual classes are the same, or all predicted ones",
    aliases=("matthews_correlation", "matthews_corrcoef", "mat", "r_k"), title="MCC", monotone=True,
)  # fmt: skip
def mcc(c: Classes) -> Any:
    """Matthews correlation of predicted and actual classes; for several classes also called R_K.

    ``(correct n - sum(actual predicted)) / sqrt((n² - sum(actual²)) (n² - sum(predicted²)))``

    For two classes it is :func:`phi`; for more, phi is one class against the rest.
    """
    actual, predicted = (floats(apart(margin, margin)) for margin in (c.actual, c.predicted))
    with np.errstate(over="ignore"):
        product = actual * predicted
    in_range = np.isfinite(product) & (product != 0)  # a fourth power of weights may overflow or underflow
    return within(
        ratio(c.beyond_chance, where(in_range, root(product), root(actual) * root(predicted))), -1, 1
    )
