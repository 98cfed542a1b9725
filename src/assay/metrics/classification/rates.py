"""Rates of one class against the rest: what share of these were those."""

from __future__ import annotations

import math
from typing import Any

from assay.errors import MetricError
from assay.metrics.arithmetic import floats, limit_ratio, ratio, root, within
from assay.metrics.metric import metric
from assay.metrics.parameters import number
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.confusion import Binary

NO_POSITIVES = "there are no actual positives"
NO_NEGATIVES = "there are no actual negatives"
NONE_PREDICTED = "nothing was predicted positive"
NONE_REJECTED = "nothing was predicted negative"


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NO_POSITIVES,
    aliases=("sensitivity", "tpr", "true_positive_rate", "rec", "sens"), title="recall (TPR)", monotone=True,
)  # fmt: skip
def recall(c: Binary) -> Any:
    """How many of the positives were found: ``tp / (tp + fn)``."""
    return ratio(c.tp, c.positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NO_NEGATIVES,
    aliases=("tnr", "true_negative_rate", "selectivity", "spec"), monotone=True,
)  # fmt: skip
def specificity(c: Binary) -> Any:
    """How many of the negatives were left alone: ``tn / (tn + fp)``."""
    return ratio(c.tn, c.negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NONE_PREDICTED,
    aliases=("ppv", "prec", "positive_predictive_value"), title="precision (PPV)", monotone=True,
)  # fmt: skip
def precision(c: Binary) -> Any:
    """How often a predicted positive is one: ``tp / (tp + fp)``."""
    return ratio(c.tp, c.predicted_positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NONE_REJECTED, aliases=("npv",),
    title="NPV", monotone=True,
)  # fmt: skip
def negative_predictive_value(c: Binary) -> Any:
    """How often a predicted negative is one: ``tn / (tn + fn)``."""
    return ratio(c.tn, c.predicted_negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NO_NEGATIVES,
    aliases=("fpr", "fall_out", "fallout", "fall"), monotone=True,
)  # fmt: skip
def false_positive_rate(c: Binary) -> Any:
    """How many of the negatives raised a false alarm: ``fp / (fp + tn)``."""
    return ratio(c.fp, c.negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NO_POSITIVES,
    aliases=("fnr", "miss_rate", "miss"), monotone=True,
)  # fmt: skip
def false_negative_rate(c: Binary) -> Any:
    """How many of the positives were missed: ``fn / (fn + tp)``."""
    return ratio(c.fn, c.positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NONE_PREDICTED,
    aliases=("fdr", "pcfall"), monotone=True,
)  # fmt: skip
def false_discovery_rate(c: Binary) -> Any:
    """How often a predicted positive is none: ``fp / (fp + tp)``."""
    return ratio(c.fp, c.predicted_positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NONE_REJECTED,
    aliases=("for", "pcmiss"), monotone=True,
)  # fmt: skip
def false_omission_rate(c: Binary) -> Any:
    """How often a predicted negative is a positive after all: ``fn / (fn + tn)``."""
    return ratio(c.fn, c.predicted_negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=None, undefined=NO_ROWS,
    aliases=("base_rate", "pre"),
)  # fmt: skip
def prevalence(c: Binary) -> Any:
    """How many of all rows are positive: ``(tp + fn) / n``."""
    return ratio(c.positives, c.n)


@metric(reads=Binary, kind="proportion", bounds=(0, 1), best=None, undefined=NO_ROWS)
def detection_rate(c: Binary) -> Any:
    """How many of all rows are positives that were found: ``tp / n``."""
    return ratio(c.tp, c.n)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=None, undefined=NO_ROWS,
    aliases=("rpp", "rate_of_positive_predictions"),
)  # fmt: skip
def detection_prevalence(c: Binary) -> Any:
    """How many of all rows were predicted positive: ``(tp + fp) / n``."""
    return ratio(c.predicted_positives, c.n)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=None, undefined=NO_ROWS, aliases=("rnp",)
)  # fmt: skip
def rate_of_negative_predictions(c: Binary) -> Any:
    """How many of all rows were predicted negative: ``(tn + fn) / n``."""
    return ratio(c.predicted_negatives, c.n)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="nothing is positive, nor predicted so",
    aliases=("fbeta",), title="F-beta", monotone=True,
)  # fmt: skip
def f_beta(c: Binary, *, beta: float = 1.0) -> Any:
    """Precision and recall in one figure, recall weighing beta times as much.

    ``(1 + beta²) tp / ((1 + beta²) tp + beta² fn + fp)``

    Beta 0 is precision and infinite beta is recall, except that 0 true positives among some errors give 0.
    """
    beta = number("beta", beta, least=0)
    square = beta * beta
    if math.isinf(square):
        return ratio(c.tp, c.positives)
    return ratio((1 + square) * c.tp, (1 + square) * c.tp + square * c.fn + c.fp)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="nothing is positive, nor predicted so",
    aliases=("dice", "f", "f_meas", "f_measure", "f_score", "sorensen_dice"), monotone=True,
)  # fmt: skip
def f1(c: Binary) -> Any:
    """The harmonic mean of precision and recall: ``2 tp / (2 tp + fn + fp)``."""
    return f_beta.formula(c)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="nothing is positive, nor predicted so",
    title="F2", monotone=True,
)  # fmt: skip
def f2(c: Binary) -> Any:
    """Precision and recall in one figure for whom a miss is worse: ``5 tp / (5 tp + 4 fn + fp)``."""
    return f_beta.formula(c, beta=2.0)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="nothing is positive, nor predicted so",
    aliases=("f0_5", "f05", "f0.5"), title="F0.5", monotone=True,
)  # fmt: skip
def f_half(c: Binary) -> Any:
    """Precision and recall in one figure for whom a false alarm is worse: ``5 tp / (5 tp + fn + 4 fp)``."""
    return f_beta.formula(c, beta=0.5)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined="nothing is positive, nor predicted so",
    aliases=("iou", "threat_score", "critical_success_index", "csi"), title="Jaccard", monotone=True,
)  # fmt: skip
def jaccard(c: Binary) -> Any:
    """How much of what is or was called positive is both: ``tp / (tp + fp + fn)``."""
    return ratio(c.tp, c.tp + c.fp + c.fn)


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=math.inf,
    undefined="a class is absent, or no positive and no negative was predicted positive",
    aliases=("lr_plus", "lr_positive", "plr"), monotone=True,
)  # fmt: skip
def positive_likelihood_ratio(c: Binary) -> Any:
    """How much likelier a positive prediction is for positives than for negatives: ``recall / fpr``."""
    return limit_ratio(recall.formula(c), false_positive_rate.formula(c))


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=0,
    undefined="a class is absent, or no positive and no negative was predicted negative",
    aliases=("lr_minus", "lr_negative", "nlr"), monotone=True,
)  # fmt: skip
def negative_likelihood_ratio(c: Binary) -> Any:
    """How much likelier a negative prediction is for positives than for negatives: ``fnr / specificity``."""
    return limit_ratio(false_negative_rate.formula(c), specificity.formula(c))


@metric(
    reads=Binary, kind="counts", bounds=(-1, 1), best=1, undefined="a class is absent",
    aliases=("youden_j", "youden", "j_index", "bookmaker_informedness", "bm"), monotone=True,
)  # fmt: skip
def informedness(c: Binary) -> Any:
    """How much better than guessing both classes are told apart: ``recall + specificity - 1``."""
    return recall.formula(c) + specificity.formula(c) - 1


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1,
    undefined="nothing is positive, or nothing was predicted so", title="Fowlkes-Mallows", monotone=True,
)  # fmt: skip
def fowlkes_mallows(c: Binary) -> Any:
    """The geometric mean of precision and recall: ``sqrt(precision recall)``."""
    return root(precision.formula(c) * recall.formula(c))


@metric(
    reads=Binary, kind="counts", bounds=(-1, 1), best=1, undefined="all rows were predicted alike",
    aliases=("mk", "delta_p"), monotone=True,
)  # fmt: skip
def markedness(c: Binary) -> Any:
    """How much better than guessing both predictions can be trusted: ``precision + npv - 1``."""
    return precision.formula(c) + negative_predictive_value.formula(c) - 1


@metric(
    reads=Binary, kind="counts", bounds=(-1, 1), best=1,
    undefined="a class is absent, or all rows were predicted alike", aliases=("phi_coefficient",),
)  # fmt: skip
def phi(c: Binary) -> Any:
    """The correlation of prediction and truth of one class against the rest.

    ``(tp tn - fp fn) / sqrt((tp + fn) (tn + fp) (tp + fp) (tn + fn))``

    For two classes it is :func:`mcc`. Of more classes mcc reads all at once; the figure of a table that is
    also called phi, sqrt(chi² / n), is Cramer's V times the root of the smaller number of classes less one.
    """
    margins = c.positives, c.negatives, c.predicted_positives, c.predicted_negatives
    first, second, third, fourth = (root(floats(margin)) for margin in margins)  # one product would run over
    return within(ratio(c.tp * c.tn - c.fp * c.fn, first * second * third * fourth), -1, 1)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="a class is absent",
    aliases=("bal_accuracy",), title="one-vs-rest balanced accuracy", monotone=True,
)  # fmt: skip
def one_vs_rest_balanced_accuracy(c: Binary) -> Any:
    """The mean of recall and specificity of one class against the rest: ``(recall + specificity) / 2``.

    For two classes it is balanced_accuracy. For more, its macro average is what caret and yardstick call
    balanced accuracy, which is larger than the mean of the recalls that scikit-learn gives that name.
    """
    return (recall.formula(c) + specificity.formula(c)) / 2


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=math.inf,
    undefined="a class is absent, or all rows were predicted alike", aliases=("dor", "odds", "odds_ratio"),
    monotone=True,
)  # fmt: skip
def diagnostic_odds_ratio(c: Binary) -> Any:
    """The odds of a positive prediction for positives over those for negatives: ``tp tn / (fp fn)``."""
    return limit_ratio(c.tp * c.tn, c.fp * c.fn)


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=math.inf,
    undefined="nothing is positive, or nothing was predicted so", aliases=("lift_score",), monotone=True,
)  # fmt: skip
def lift(c: Binary) -> Any:
    """How many times as often positives turn up among those predicted so: ``precision / prevalence``.

    The most it can be is one over the prevalence, so that lifts compare on the same rows only.
    """
    return ratio(c.tp * c.n, c.positives * c.predicted_positives)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1,
    undefined="a class is absent, or nothing would be predicted positive", aliases=("ppv_at_prevalence",),
    title="PPV at prevalence", monotone=True,
)  # fmt: skip
def precision_at_prevalence(c: Binary, *, prevalence: float = 0.5) -> Any:
    """What precision would be where another share of the rows is positive.

    ``recall prevalence / (recall prevalence + fpr (1 - prevalence))``

    It takes recall and specificity to stay as they are, as they do where only the classes' shares change.
    """
    found = recall.formula(c) * _share(prevalence)
    return ratio(found, found + false_positive_rate.formula(c) * (1 - prevalence))


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1,
    undefined="a class is absent, or nothing would be predicted negative", monotone=True,
)  # fmt: skip
def npv_at_prevalence(c: Binary, *, prevalence: float = 0.5) -> Any:
    """What the negative predictive value would be where another share of the rows is positive.

    ``specificity (1 - prevalence) / (specificity (1 - prevalence) + fnr prevalence)``
    """
    left_alone = specificity.formula(c) * (1 - _share(prevalence))
    return ratio(left_alone, left_alone + false_negative_rate.formula(c) * prevalence)


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("cost", "explicit_cost"), title="cost per row",
)  # fmt: skip
def misclassification_cost(c: Binary, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> Any:
    """What the errors cost per row, a false alarm and a miss each at its price.

    ``(cost_fp fp + cost_fn fn) / n``
    """
    cost_fp, cost_fn = number("cost_fp", cost_fp, least=0), number("cost_fn", cost_fn, least=0)
    return ratio(cost_fp * c.fp + cost_fn * c.fn, c.n)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=0,
    undefined="a class is absent, or nothing was predicted positive",
)  # fmt: skip
def prevalence_threshold(c: Binary) -> Any:
    """The prevalence below which precision falls off steeply: ``sqrt(fpr) / (sqrt(recall) + sqrt(fpr))``.

    Balayla (2020): there, the curve of precision over prevalence bends most.
    """
    alarms = root(false_positive_rate.formula(c))
    return ratio(alarms, root(recall.formula(c)) + alarms)


def _share(prevalence: float) -> float:
    if not 0 <= prevalence <= 1:
        raise MetricError(f"prevalence={prevalence!r}: a share of the rows lies between 0 and 1.")
    return prevalence
