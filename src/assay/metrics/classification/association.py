"""Association of predicted and actual classes: how much one tells about the other, right or wrong.

Classes that neither occur nor are predicted do not count.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import MetricError
from assay.metrics.arithmetic import floats, ratio, root, where, within, x_log_y
from assay.metrics.metric import metric
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.confusion import Classes, apart

CONSTANT = "all actual classes are the same, or all predicted ones"


@metric(
    reads=Classes, kind="statistic", bounds=(0, math.inf), best=None, undefined=CONSTANT,
    aliases=("chisq", "chi2", "chi_squared", "pearson_chi_square"), title="chi-square", depends_on_n=True,
)  # fmt: skip
def chi_square(c: Classes) -> Any:
    """Pearson's statistic of the test that prediction and truth are independent.

    ``sum((count - expected)² / expected)``

    With weights the counts are scaled to Kish's effective number of rows.
    """
    scale = 1.0 if c.effective is None else ratio(c.effective, c.n)
    return where(_smaller_class_count(c) > 0, _chi_square(c) * scale, np.nan)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined=CONSTANT, aliases=("cramer_v",),
    title="Cramér's V",
)  # fmt: skip
def cramers_v(c: Classes) -> Any:
    """Chi-square scaled to 0..1, for k classes: ``sqrt(chi² / (n (k - 1)))``.

    It is 1 wherever one determines the other, also by always predicting the wrong class; for two classes it
    is the absolute value of mcc. k is the smaller of the number of actual and of predicted classes.
    """
    return within(root(ratio(_chi_square(c), _smaller_class_count(c) * c.n)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1,
    undefined="all actual classes are the same, or all predicted ones, or there are as few rows as classes",
    aliases=("cramers_v_corrected", "cramer_v_bias_corrected", "bergsma_v"),
    title="bias-corrected Cramér's V", depends_on_n=True,
)  # fmt: skip
def bias_corrected_cramers_v(c: Classes) -> Any:
    """Cramer's V less its bias from chance alone (Bergsma 2013); 0 where chance would give as much.

    ``sqrt(max(0, chi² / n - (r - 1)(k - 1) / (n - 1)) / min(r' - 1, k' - 1))``

    r classes occur and k are predicted; r' is r - (r - 1)² / (n - 1), and k' likewise. With weights, n is
    Kish's effective number of rows. It is CramerV(correct=TRUE) of DescTools; the correction in SciPy's
    association is Yates'.
    """
    rows, columns, n = *_classes_less_one(c), c.rows
    excess = ratio(_chi_square(c), floats(c.n)) - ratio(rows * columns, n - 1)
    smaller = np.minimum(*(size - ratio(size**2, n - 1) for size in (rows, columns)))
    known = (smaller > 0) & (n > 1)
    return within(root(where(known, ratio(where(excess > 0, excess, 0.0), smaller), np.nan)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined=CONSTANT,
    aliases=("tschuprow_t", "tschuprow", "chuprov_t"), title="Tschuprow's T",
)  # fmt: skip
def tschuprows_t(c: Classes) -> Any:
    """Chi-square scaled to 0..1 by both numbers of classes: ``sqrt(chi² / (n sqrt((r - 1)(k - 1))))``.

    r classes occur and k are predicted; where r = k it is Cramer's V, else it does not reach 1.
    """
    rows, columns = _classes_less_one(c)
    return within(root(ratio(_chi_square(c), root(rows * columns) * floats(c.n))), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=None, undefined=CONSTANT,
    aliases=("pearson_c", "pearson_contingency"),
)  # fmt: skip
def contingency_coefficient(c: Classes) -> Any:
    """Pearson's contingency coefficient: ``sqrt(chi² / (chi² + n))``.

    For k classes it is at most sqrt((k - 1) / k).
    """
    statistic = _chi_square(c)
    return where(_smaller_class_count(c) > 0, root(ratio(statistic, statistic + c.n)), np.nan)


@metric(
    reads=Classes, kind="counts", bounds=(0, math.inf), best=math.inf, undefined=NO_ROWS,
    aliases=("mi",),
)  # fmt: skip
def mutual_information(c: Classes, *, base: float = math.e) -> Any:
    """Information that the prediction gives about the truth, in nats; in bits with base=2.

    ``sum(share log(share / (actual share predicted share)))``
    """
    if not (base > 0 and base != 1):
        raise MetricError(f"base={base!r}: a logarithm's base is above 0 and not 1.")
    return _information(c) if base == math.e else _information(c) / math.log(base)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all rows are of one class",
    aliases=("theil_u_actual", "theils_uncertainty", "uncert_coef", "relative_classifier_information"),
)  # fmt: skip
def uncertainty_coefficient(c: Classes) -> Any:
    """Share of the entropy of the truth that the prediction removes: ``I / H(actual)``.

    Also called Theil's U, as are two measures of forecasts, :func:`theil_u1` and :func:`theil_u2`.
    """
    return within(ratio(_information(c), _entropy(c.actual)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all predicted classes are the same",
    aliases=("theil_u_predicted",), title="uncertainty coefficient of predictions",
)  # fmt: skip
def uncertainty_coefficient_predicted(c: Classes) -> Any:
    """Share of the entropy of the prediction that the truth removes: ``I / H(predicted)``."""
    return within(ratio(_information(c), _entropy(c.predicted)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1,
    undefined="all actual classes are the same, and all predicted ones",
    aliases=("nmi", "symmetric_uncertainty"),
)  # fmt: skip
def normalized_mutual_information(c: Classes) -> Any:
    """Mutual information scaled to 0..1: ``2 I / (H(actual) + H(predicted))``."""
    return within(ratio(2 * _information(c), _entropy(c.actual) + _entropy(c.predicted)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all rows are of one class",
    aliases=("lambda", "goodman_kruskal_lambda_actual"), title="Goodman-Kruskal lambda",
)  # fmt: skip
def goodman_kruskal_lambda(c: Classes) -> Any:
    """Share of the errors of guessing the most common class that knowing the prediction avoids.

    ``(sum over predictions of the largest count - max(actual)) / (n - max(actual))``
    """
    return _errors_avoided(c.table, c.actual)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all predicted classes are the same",
    title="Goodman-Kruskal lambda of predictions",
)  # fmt: skip
def goodman_kruskal_lambda_predicted(c: Classes) -> Any:
    """Share of the errors of guessing the most common prediction that knowing the truth avoids.

    ``(sum over classes of the largest count - max(predicted)) / (n - max(predicted))``
    """
    return _errors_avoided(np.swapaxes(c.table, -1, -2), c.predicted)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1,
    undefined="all actual classes are the same, and all predicted ones",
    aliases=("lambda_symmetric", "symmetric_lambda"), title="symmetric Goodman-Kruskal lambda",
)  # fmt: skip
def goodman_kruskal_lambda_symmetric(c: Classes) -> Any:
    """Share of the errors of guessing truth or prediction that knowing the other avoids.

    ``(sum of largest counts by row and by column - max(actual) - max(predicted)) /
    (2 n - max(actual) - max(predicted))``
    """
    largest = c.table.max(-1).sum(-1) + c.table.max(-2).sum(-1)
    commonest = c.actual.max(-1) + c.predicted.max(-1)
    return within(ratio(largest - commonest, 2 * c.n - commonest), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all rows are of one class",
    aliases=("gk_tau", "goodman_kruskal_tau_actual"), title="Goodman-Kruskal tau",
)  # fmt: skip
def goodman_kruskal_tau(c: Classes) -> Any:
    """Share of the errors of guessing classes at random that knowing the prediction avoids.

    ``(sum(count² / predicted) - sum(actual²) / n) / (n - sum(actual²) / n)``

    Classes are guessed in proportion to how often they occur: among rows of one prediction where that is
    known, else among all. It is also the share of the truth's Gini impurity that the prediction explains.
    """
    return _explained_impurity(c.table, c.actual, c.predicted)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all predicted classes are the same",
    aliases=("gk_tau_predicted",), title="Goodman-Kruskal tau of predictions",
)  # fmt: skip
def goodman_kruskal_tau_predicted(c: Classes) -> Any:
    """Share of the errors of guessing predictions at random that knowing the truth avoids.

    ``(sum(count² / actual) - sum(predicted²) / n) / (n - sum(predicted²) / n)``
    """
    return _explained_impurity(np.swapaxes(c.table, -1, -2), c.predicted, c.actual)


def _classes_less_one(c: Classes) -> tuple[Any, Any]:
    """Return the number of classes that occur, and of those predicted, each less one."""
    return (c.actual != 0).sum(-1) - 1, (c.predicted != 0).sum(-1) - 1


def _smaller_class_count(c: Classes) -> Any:
    """Return the smaller of the number of actual and of predicted classes, less one."""
    return np.minimum(*_classes_less_one(c))


def _explained_impurity(table: Any, target: Any, known: Any) -> Any:
    """Return the share of a margin's Gini impurity that the other margin explains.

    Impurities are sums of products of different classes' counts, so that there is no cancellation.
    """
    columns = np.moveaxis(table, -2, -1)  # the classes of each known value
    within_known = ratio(floats(apart(columns, columns)), known)
    remaining = where(np.asarray(known) == 0, 0.0, within_known).sum(-1)
    total = ratio(floats(apart(target, target)), target.sum(-1))
    return within(1 - ratio(remaining, total), 0, 1)


def _excess(c: Classes) -> tuple[Any, Any]:
    """Return each count less its expectation under independence, and the latter, both times n.

    The difference is taken before it is rounded to a float, so that it stays accurate where it is small.
    """
    n = np.asarray(c.n)[..., None, None]
    return floats(c.table * n - c.chance), floats(c.chance)


def _chi_square(c: Classes) -> Any:
    excess, chance = _excess(c)
    # Divided before it is squared: a fourth power of large weights would overflow.
    return ratio((excess * (excess / np.where(chance == 0, 1, chance))).sum((-1, -2)), c.n)


def _information(c: Classes) -> Any:
    """Return the mutual information in nats.

    Written as a sum of terms ``(1 + d) log(1 + d) - d`` that are all positive, d being the relative excess
    over independence, so that there is no cancellation where truth and prediction are nearly independent.
    """
    excess, chance = _excess(c)
    relative = excess / np.where(chance == 0, 1, chance)
    present = relative != -1
    gain = (1 + relative) * np.log1p(np.where(present, relative, 0)) - relative
    total = (chance * gain).sum((-1, -2))
    return ratio(within(total, 0, math.inf), floats(c.n) * c.n)


def _entropy(margin: Any) -> Any:
    share = ratio(margin, margin.sum(-1, keepdims=True))
    return -x_log_y(share, share).sum(-1)


def _errors_avoided(table: Any, margin: Any) -> Any:
    commonest = margin.max(-1)
    return within(ratio(table.max(-2).sum(-1) - commonest, margin.sum(-1) - commonest), 0, 1)
