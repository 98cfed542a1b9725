"""Rates of one class against the rest, from true and false positives and negatives."""

from __future__ import annotations

import math
from typing import Any

from assay.errors import MetricError
from assay.hints import passed
from assay.metrics.arithmetic import floats, limit_ratio, ratio, root, within
from assay.metrics.metric import metric
from assay.metrics.parameters import number
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.confusion import Binary

NO_POSITIVES = "there are no actual positives"
NO_NEGATIVES = "there are no actual negatives"
NO_PREDICTED_POSITIVES = "nothing was predicted positive"
NO_PREDICTED_NEGATIVES = "nothing was predicted negative"


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NO_POSITIVES,
    aliases=("sensitivity", "tpr", "true_positive_rate", "rec", "sens"), title="recall (TPR)", monotone=True,
)  # fmt: skip
def recall(c: Binary) -> Any:
    """Share of actual positives predicted positive: ``tp / (tp + fn)``."""
    return ratio(c.tp, c.positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NO_NEGATIVES,
    aliases=("tnr", "true_negative_rate", "selectivity", "spec"), monotone=True,
)  # fmt: skip
def specificity(c: Binary) -> Any:
    """Share of actual negatives predicted negative: ``tn / (tn + fp)``."""
    return ratio(c.tn, c.negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NO_PREDICTED_POSITIVES,
    aliases=("ppv", "prec", "positive_predictive_value"), title="precision (PPV)", monotone=True,
)  # fmt: skip
def precision(c: Binary) -> Any:
    """Share of predicted positives that are positive: ``tp / (tp + fp)``."""
    return ratio(c.tp, c.predicted_positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined=NO_PREDICTED_NEGATIVES,
    aliases=("npv",), title="NPV", monotone=True,
)  # fmt: skip
def negative_predictive_value(c: Binary) -> Any:
    """Share of predicted negatives that are negative: ``tn / (tn + fn)``."""
    return ratio(c.tn, c.predicted_negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NO_NEGATIVES,
    aliases=("fpr", "fall_out", "fallout", "fall"), monotone=True,
)  # fmt: skip
def false_positive_rate(c: Binary) -> Any:
    """Share of actual negatives predicted positive: ``fp / (fp + tn)``."""
    return ratio(c.fp, c.negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NO_POSITIVES,
    aliases=("fnr", "miss_rate", "miss"), monotone=True,
)  # fmt: skip
def false_negative_rate(c: Binary) -> Any:
    """Share of actual positives predicted negative: ``fn / (fn + tp)``."""
    return ratio(c.fn, c.positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NO_PREDICTED_POSITIVES,
    aliases=("fdr", "pcfall"), monotone=True,
)  # fmt: skip
def false_discovery_rate(c: Binary) -> Any:
    """Share of predicted positives that are negative: ``fp / (fp + tp)``."""
    return ratio(c.fp, c.predicted_positives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=0, undefined=NO_PREDICTED_NEGATIVES,
    aliases=("for", "pcmiss"), monotone=True,
)  # fmt: skip
def false_omission_rate(c: Binary) -> Any:
    """Share of predicted negatives that are positive: ``fn / (fn + tn)``."""
    return ratio(c.fn, c.predicted_negatives)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=None, undefined=NO_ROWS,
    aliases=("base_rate", "pre"),
)  # fmt: skip
def prevalence(c: Binary) -> Any:
    """Share of rows that are positive: ``(tp + fn) / n``."""
    return ratio(c.positives, c.n)


@metric(reads=Binary, kind="proportion", bounds=(0, 1), best=None, undefined=NO_ROWS)
def detection_rate(c: Binary) -> Any:
    """Share of rows that are true positives: ``tp / n``."""
    return ratio(c.tp, c.n)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=None, undefined=NO_ROWS,
    aliases=("rpp", "rate_of_positive_predictions", "selection_rate", "predicted_positive_rate"),
)  # fmt: skip
def detection_prevalence(c: Binary) -> Any:
    """Share of rows predicted positive: ``(tp + fp) / n``."""
    return ratio(c.predicted_positives, c.n)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=None, undefined=NO_ROWS, aliases=("rnp",)
)  # fmt: skip
def rate_of_negative_predictions(c: Binary) -> Any:
    """Share of rows predicted negative: ``(tn + fn) / n``."""
    return ratio(c.predicted_negatives, c.n)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="no row is positive or predicted positive",
    aliases=("fbeta",), title="F-beta", monotone=True,
)  # fmt: skip
def f_beta(c: Binary, *, beta: float = 1.0) -> Any:
    """Weighted harmonic mean of precision and recall; recall counts beta times as much.

    ``(1 + beta²) tp / ((1 + beta²) tp + beta² fn + fp)``

    Beta 0 is precision and infinite beta is recall, except that 0 true positives among some errors give 0.
    """
    return _f_measure(c, number("beta", beta, minimum=0))


def _f_measure(c: Binary, beta: float) -> Any:
    square = beta * beta
    if math.isinf(square):
        return ratio(c.tp, c.positives)
    return ratio((1 + square) * c.tp, (1 + square) * c.tp + square * c.fn + c.fp)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="no row is positive or predicted positive",
    aliases=("dice", "f", "f_meas", "f_measure", "f_score", "sorensen_dice"), monotone=True,
)  # fmt: skip
def f1(c: Binary) -> Any:
    """Harmonic mean of precision and recall: ``2 tp / (2 tp + fn + fp)``."""
    return _f_measure(c, 1.0)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="no row is positive or predicted positive",
    title="F2", monotone=True,
)  # fmt: skip
def f2(c: Binary) -> Any:
    """Harmonic mean of precision and recall in which recall counts twice: ``5 tp / (5 tp + 4 fn + fp)``."""
    return f_beta.formula(c, beta=2.0)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="no row is positive or predicted positive",
    aliases=("f0_5", "f05", "f0.5"), title="F0.5", monotone=True,
)  # fmt: skip
def f_half(c: Binary) -> Any:
    """Harmonic mean of precision and recall in which recall counts half: ``5 tp / (5 tp + fn + 4 fp)``."""
    return f_beta.formula(c, beta=0.5)


@metric(
    reads=Binary, kind="proportion", bounds=(0, 1), best=1,
    undefined="no row is positive or predicted positive",
    aliases=("iou", "threat_score", "critical_success_index", "csi"), title="Jaccard", monotone=True,
)  # fmt: skip
def jaccard(c: Binary) -> Any:
    """Overlap of actual and predicted positives: ``tp / (tp + fp + fn)``."""
    return ratio(c.tp, c.tp + c.fp + c.fn)


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=math.inf,
    undefined="a class has no rows, or nothing was predicted positive",
    aliases=("lr_plus", "lr_positive", "plr"), monotone=True,
)  # fmt: skip
def positive_likelihood_ratio(c: Binary) -> Any:
    """How many times likelier positives are than negatives to be predicted positive: ``recall / fpr``."""
    return limit_ratio(recall.formula(c), false_positive_rate.formula(c))


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=0,
    undefined="a class has no rows, or nothing was predicted negative",
    aliases=("lr_minus", "lr_negative", "nlr"), monotone=True,
)  # fmt: skip
def negative_likelihood_ratio(c: Binary) -> Any:
    """How many times likelier positives are than negatives to be predicted negative.

    ``fnr / specificity``
    """
    return limit_ratio(false_negative_rate.formula(c), specificity.formula(c))


@metric(
    reads=Binary, kind="counts", bounds=(-1, 1), best=1, undefined="a class has no rows",
    aliases=("youden_j", "youden", "j_index", "bookmaker_informedness", "bm"), monotone=True,
)  # fmt: skip
def informedness(c: Binary) -> Any:
    """Youden's J, recall and specificity beyond guessing: ``recall + specificity - 1``."""
    return recall.formula(c) + specificity.formula(c) - 1


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1,
    undefined="there are no actual positives, or no predicted ones", title="Fowlkes-Mallows", monotone=True,
)  # fmt: skip
def fowlkes_mallows(c: Binary) -> Any:
    """Geometric mean of precision and recall: ``sqrt(precision recall)``."""
    return root(precision.formula(c) * recall.formula(c))


@metric(
    reads=Binary, kind="counts", bounds=(-1, 1), best=1, undefined="all predictions are the same",
    aliases=("mk", "delta_p"), monotone=True,
)  # fmt: skip
def markedness(c: Binary) -> Any:
    """Precision and negative predictive value beyond guessing: ``precision + npv - 1``."""
    return precision.formula(c) + negative_predictive_value.formula(c) - 1


@metric(
    reads=Binary, kind="counts", bounds=(-1, 1), best=1,
    undefined="a class has no rows, or all predictions are the same", aliases=("phi_coefficient",),
)  # fmt: skip
def phi(c: Binary) -> Any:
    """Correlation of predicted and actual, one class against the rest.

    ``(tp tn - fp fn) / sqrt((tp + fn) (tn + fp) (tp + fp) (tn + fn))``

    For two classes it is :func:`mcc`. For more classes mcc reads all at once; the coefficient of a table that
    is also called phi, sqrt(chi² / n), is Cramer's V times the root of the smaller number of classes less
    one.
    """
    margins = c.positives, c.negatives, c.predicted_positives, c.predicted_negatives
    first, second, third, fourth = (
        root(floats(margin)) for margin in margins
    )  # one product of all would overflow
    return within(ratio(c.tp * c.tn - c.fp * c.fn, first * second * third * fourth), -1, 1)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="a class has no rows",
    aliases=("bal_accuracy",), title="one-vs-rest balanced accuracy", monotone=True,
)  # fmt: skip
def one_vs_rest_balanced_accuracy(c: Binary) -> Any:
    """Mean of recall and specificity, one class against the rest: ``(recall + specificity) / 2``.

    For two classes it is balanced_accuracy. For more, its macro average is what caret and yardstick call
    balanced accuracy, which is larger than the mean of the recalls that scikit-learn gives that name.
    """
    return (recall.formula(c) + specificity.formula(c)) / 2


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=math.inf,
    undefined="a class has no rows, or all predictions are the same", aliases=("dor", "odds", "odds_ratio"),
    monotone=True,
)  # fmt: skip
def diagnostic_odds_ratio(c: Binary) -> Any:
    """Odds of a positive prediction for positives over those for negatives: ``tp tn / (fp fn)``."""
    return limit_ratio(c.tp * c.tn, c.fp * c.fn)


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=math.inf,
    undefined="there are no actual positives, or no predicted ones", aliases=("lift_score",), monotone=True,
)  # fmt: skip
def lift(c: Binary) -> Any:
    """How many times as common positives are among those predicted so: ``precision / prevalence``.

    It is at most 1 / prevalence, so compare lifts on the same rows only.
    """
    return ratio(c.tp * c.n, c.positives * c.predicted_positives)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1,
    undefined="a class has no rows, or nothing would be predicted positive", aliases=("ppv_at_prevalence",),
    title="PPV at prevalence", monotone=True,
)  # fmt: skip
def precision_at_prevalence(c: Binary, *, prevalence: float = 0.5) -> Any:
    """Precision expected where another share of the rows is positive.

    ``recall prevalence / (recall prevalence + fpr (1 - prevalence))``

    It assumes that recall and specificity stay the same, as they do where only the classes' shares change.
    """
    true_positives = recall.formula(c) * _share(prevalence)
    return ratio(true_positives, true_positives + false_positive_rate.formula(c) * (1 - prevalence))


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=1,
    undefined="a class has no rows, or nothing would be predicted negative", monotone=True,
)  # fmt: skip
def npv_at_prevalence(c: Binary, *, prevalence: float = 0.5) -> Any:
    """Negative predictive value expected where another share of the rows is positive.

    ``specificity (1 - prevalence) / (specificity (1 - prevalence) + fnr prevalence)``
    """
    true_negatives = specificity.formula(c) * (1 - _share(prevalence))
    return ratio(true_negatives, true_negatives + false_negative_rate.formula(c) * prevalence)


@metric(
    reads=Binary, kind="counts", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("cost", "explicit_cost"), title="cost per row",
)  # fmt: skip
def misclassification_cost(c: Binary, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> Any:
    """Mean cost per row, given the cost of a false positive and of a false negative.

    ``(cost_fp fp + cost_fn fn) / n``
    """
    cost_fp, cost_fn = number("cost_fp", cost_fp, minimum=0), number("cost_fn", cost_fn, minimum=0)
    return ratio(cost_fp * c.fp + cost_fn * c.fn, c.n)


@metric(
    reads=Binary, kind="counts", bounds=(0, 1), best=0,
    undefined="a class has no rows, or nothing was predicted positive",
)  # fmt: skip
def prevalence_threshold(c: Binary) -> Any:
    """Prevalence below which precision drops sharply: ``sqrt(fpr) / (sqrt(recall) + sqrt(fpr))``.

    Balayla (2020): the curve of precision over prevalence has its sharpest bend there.
    """
    root_fpr = root(false_positive_rate.formula(c))
    return ratio(root_fpr, root(recall.formula(c)) + root_fpr)


def _share(prevalence: float) -> float:
    if not 0 <= prevalence <= 1:
        raise MetricError(f"{passed('prevalence', prevalence)}: a prevalence lies between 0 and 1.")
    return prevalence
