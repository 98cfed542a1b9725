"""Rates of one class against the rest: what share of these were those."""

from __future__ import annotations

import math
from typing import Any

from assay.metrics.arithmetic import limit_ratio, ratio, root
from assay.metrics.counts import Binary
from assay.metrics.metric import metric

NO_POSITIVES = "there are no actual positives"
NO_NEGATIVES = "there are no actual negatives"
NONE_PREDICTED = "nothing was predicted positive"
NONE_REJECTED = "nothing was predicted negative"


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NO_POSITIVES,
    aliases=("sensitivity", "tpr", "true_positive_rate", "rec", "sens"),
)  # fmt: skip
def recall(c: Binary) -> Any:
    """How many of the positives were found: ``tp / (tp + fn)``."""
    return ratio(c.tp, c.positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NO_NEGATIVES,
    aliases=("tnr", "true_negative_rate", "selectivity", "spec"),
)  # fmt: skip
def specificity(c: Binary) -> Any:
    """How many of the negatives were left alone: ``tn / (tn + fp)``."""
    return ratio(c.tn, c.negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NONE_PREDICTED,
    aliases=("ppv", "positive_predictive_value"),
)  # fmt: skip
def precision(c: Binary) -> Any:
    """How often a predicted positive is one: ``tp / (tp + fp)``."""
    return ratio(c.tp, c.predicted_positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NONE_REJECTED, aliases=("npv",)
)  # fmt: skip
def negative_predictive_value(c: Binary) -> Any:
    """How often a predicted negative is one: ``tn / (tn + fn)``."""
    return ratio(c.tn, c.predicted_negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NO_NEGATIVES,
    aliases=("fpr", "fall_out", "fallout", "fall"),
)  # fmt: skip
def false_positive_rate(c: Binary) -> Any:
    """How many of the negatives raised a false alarm: ``fp / (fp + tn)``."""
    return ratio(c.fp, c.negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NO_POSITIVES,
    aliases=("fnr", "miss_rate", "miss"),
)  # fmt: skip
def false_negative_rate(c: Binary) -> Any:
    """How many of the positives were missed: ``fn / (fn + tp)``."""
    return ratio(c.fn, c.positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NONE_PREDICTED,
    aliases=("fdr", "pcfall"),
)  # fmt: skip
def false_discovery_rate(c: Binary) -> Any:
    """How often a predicted positive is none: ``fp / (fp + tp)``."""
    return ratio(c.fp, c.predicted_positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NONE_REJECTED,
    aliases=("for", "pcmiss"),
)  # fmt: skip
def false_omission_rate(c: Binary) -> Any:
    """How often a predicted negative is a positive after all: ``fn / (fn + tn)``."""
    return ratio(c.fn, c.predicted_negatives)


@metric(reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="nothing is positive, nor predicted so")
def f_beta(c: Binary, *, beta: float = 1.0) -> Any:
    """Precision and recall in one figure, recall weighing beta times as much.

    ``(1 + beta²) tp / ((1 + beta²) tp + beta² fn + fp)``

    Beta 0 is precision and infinite beta is recall, except that 0 true positives among some errors give 0.
    """
    if math.isinf(beta):
        return ratio(c.tp, c.positives)
    square = beta * beta
    return ratio((1 + square) * c.tp, (1 + square) * c.tp + square * c.fn + c.fp)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="nothing is positive, nor predicted so",
    aliases=("dice", "f_measure", "f_score"),
)  # fmt: skip
def f1(c: Binary) -> Any:
    """The harmonic mean of precision and recall: ``2 tp / (2 tp + fn + fp)``."""
    return f_beta.formula(c)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined="nothing is positive, nor predicted so",
    aliases=("iou", "threat_score", "critical_success_index", "csi"),
)  # fmt: skip
def jaccard(c: Binary) -> Any:
    """How much of what is or was called positive is both: ``tp / (tp + fp + fn)``."""
    return ratio(c.tp, c.tp + c.fp + c.fn)


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=math.inf,
    undefined="a class is absent, or no positive and no negative was predicted positive",
    aliases=("lr_plus", "lr_positive"),
)  # fmt: skip
def positive_likelihood_ratio(c: Binary) -> Any:
    """How much likelier a positive prediction is for positives than for negatives: ``recall / fpr``."""
    return limit_ratio(recall.formula(c), false_positive_rate.formula(c))


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=0,
    undefined="a class is absent, or no positive and no negative was predicted negative",
    aliases=("lr_minus", "lr_negative"),
)  # fmt: skip
def negative_likelihood_ratio(c: Binary) -> Any:
    """How much likelier a negative prediction is for positives than for negatives: ``fnr / specificity``."""
    return limit_ratio(false_negative_rate.formula(c), specificity.formula(c))


@metric(
    reads=Binary, kind="counts", bounds=(-1, 1), best=1, undefined="a class is absent",
    aliases=("youden_j", "youden", "j_index", "bookmaker_informedness"),
)  # fmt: skip
def informedness(c: Binary) -> Any:
    """How much better than guessing both classes are told apart: ``recall + specificity - 1``."""
    return recall.formula(c) + specificity.formula(c) - 1


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1,
    undefined="nothing is positive, or nothing was predicted so",
)  # fmt: skip
def fowlkes_mallows(c: Binary) -> Any:
    """The geometric mean of precision and recall: ``sqrt(precision recall)``."""
    return root(precision.formula(c) * recall.formula(c))
