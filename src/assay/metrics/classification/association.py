"""Association of prediction and truth: how much one tells about the other, right or wrong.

A class that neither occurs nor was predicted has no part in them.
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

CONSTANT = "all rows are of one class, or were all predicted as one"


@metric(
    reads=Classes, kind="statistic", bounds=(0, math.inf), best=None, undefined=CONSTANT,
    aliases=("chisq", "chi2", "chi_squared", "pearson_chi_square"), title="chi-square", depends_on_n=True,
)  # fmt: skip
def chi_square(c: Classes) -> Any:
    """How far the table is from one where prediction has nothing to do with truth.

    ``sum((count - expected)² / expected)``

    With weights the counts are scaled to the number of equal rows that they are worth (Kish).
    """
    scale = 1.0 if c.effective is None else ratio(c.effective, c.n)
    return where(_least(c) > 0, _chi_square(c) * scale, np.nan)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined=CONSTANT, aliases=("cramer_v",),
    title="Cramér's V",
)  # fmt: skip
def cramers_v(c: Classes) -> Any:
    """Chi-square from 0 to 1, for k classes: ``sqrt(chi² / (n (k - 1)))``.

    It is 1 wherever one gives the other away, also by always naming the wrong class; for two classes it is
    the size of mcc without its sign. k is the smaller of the classes that occur and those predicted.
    """
    return within(root(ratio(_chi_square(c), _least(c) * c.n)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1,
    undefined="all rows are of one class, or were all predicted as one, or there are as few rows as classes",
    aliases=("cramers_v_corrected", "cramer_v_bias_corrected", "bergsma_v"),
    title="bias-corrected Cramér's V", depends_on_n=True,
)  # fmt: skip
def bias_corrected_cramers_v(c: Classes) -> Any:
    """Cramer's V less what chance alone adds to it (Bergsma 2013), 0 where chance would give as much.

    ``sqrt(max(0, chi² / n - (r - 1)(k - 1) / (n - 1)) / min(r' - 1, k' - 1))``

    r classes occur and k are predicted; r' is r - (r - 1)² / (n - 1), and k' likewise. With
    weights, n is the number of equal rows that they are worth (Kish). It is CramerV(correct=TRUE) of
    DescTools; the correction in SciPy's association is Yates'.
    """
    rows, columns, n = *_classes_less_one(c), c.rows
    excess = ratio(_chi_square(c), floats(c.n)) - ratio(rows * columns, n - 1)
    least = np.minimum(*(size - ratio(size**2, n - 1) for size in (rows, columns)))
    known = (least > 0) & (n > 1)
    return within(root(where(known, ratio(where(excess > 0, excess, 0.0), least), np.nan)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined=CONSTANT,
    aliases=("tschuprow_t", "tschuprow", "chuprov_t"), title="Tschuprow's T",
)  # fmt: skip
def tschuprows_t(c: Classes) -> Any:
    """Chi-square from 0 to 1 by both numbers of classes: ``sqrt(chi² / (n sqrt((r - 1)(k - 1))))``.

    r classes occur and k are predicted; where r = k it is Cramer's V, else it does not reach 1.
    """
    rows, columns = _classes_less_one(c)
    return within(root(ratio(_chi_square(c), root(rows * columns) * floats(c.n))), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=None, undefined=CONSTANT,
    aliases=("pearson_c", "pearson_contingency"),
)  # fmt: skip
def contingency_coefficient(c: Classes) -> Any:
    """Pearson's coefficient, which for k classes reaches sqrt((k - 1) / k): ``sqrt(chi² / (chi² + n))``."""
    statistic = _chi_square(c)
    return where(_least(c) > 0, root(ratio(statistic, statistic + c.n)), np.nan)


@metric(
    reads=Classes, kind="counts", bounds=(0, math.inf), best=math.inf, undefined=NO_ROWS,
    aliases=("mi",),
)  # fmt: skip
def mutual_information(c: Classes, *, base: float = math.e) -> Any:
    """How much knowing the prediction tells about the truth, in nats; in bits with base 2.

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
    """What part of the uncertainty about the truth the prediction takes away: ``I / H(actual)``.

    Also called Theil's U, as are two figures of forecasts, :func:`theil_u1` and :func:`theil_u2`.
    """
    return within(ratio(_information(c), _entropy(c.actual)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all rows were predicted as one class",
    aliases=("theil_u_predicted",), title="uncertainty coefficient of predictions",
)  # fmt: skip
def uncertainty_coefficient_predicted(c: Classes) -> Any:
    """What part of the uncertainty about the prediction the truth takes away: ``I / H(predicted)``."""
    return within(ratio(_information(c), _entropy(c.predicted)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1,
    undefined="all rows are of one class and were all predicted as one",
    aliases=("nmi", "symmetric_uncertainty"),
)  # fmt: skip
def normalized_mutual_information(c: Classes) -> Any:
    """What truth and prediction tell about each other, from 0 to 1: ``2 I / (H(actual) + H(predicted))``."""
    return within(ratio(2 * _information(c), _entropy(c.actual) + _entropy(c.predicted)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all rows are of one class",
    aliases=("lambda", "goodman_kruskal_lambda_actual"), title="Goodman-Kruskal lambda",
)  # fmt: skip
def goodman_kruskal_lambda(c: Classes) -> Any:
    """What part of the errors of always guessing the commonest class knowing the prediction would save.

    ``(sum over predictions of the largest count - max(actual)) / (n - max(actual))``
    """
    return _saved(c.table, c.actual)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all rows were predicted as one class",
    title="Goodman-Kruskal lambda of predictions",
)  # fmt: skip
def goodman_kruskal_lambda_predicted(c: Classes) -> Any:
    """What part of the errors of guessing the prediction knowing the truth would save.

    ``(sum over classes of the largest count - max(predicted)) / (n - max(predicted))``
    """
    return _saved(np.swapaxes(c.table, -1, -2), c.predicted)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1,
    undefined="all rows are of one class and were all predicted as one",
    aliases=("lambda_symmetric", "symmetric_lambda"), title="symmetric Goodman-Kruskal lambda",
)  # fmt: skip
def goodman_kruskal_lambda_symmetric(c: Classes) -> Any:
    """What part of the errors of guessing either of truth and prediction knowing the other would save.

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
    """What part of the errors of guessing classes in proportion knowing the prediction would save.

    ``(sum(count² / predicted) - sum(actual²) / n) / (n - sum(actual²) / n)``

    Guessing in proportion names each class as often as it occurs: among rows of one prediction where that is
    known, else among all. It is also the share of the truth's Gini impurity that the prediction explains.
    """
    return _explained_impurity(c.table, c.actual, c.predicted)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all rows were predicted as one class",
    aliases=("gk_tau_predicted",), title="Goodman-Kruskal tau of predictions",
)  # fmt: skip
def goodman_kruskal_tau_predicted(c: Classes) -> Any:
    """What part of the errors of guessing the prediction in proportion knowing the truth would save.

    ``(sum(count² / actual) - sum(predicted²) / n) / (n - sum(predicted²) / n)``
    """
    return _explained_impurity(np.swapaxes(c.table, -1, -2), c.predicted, c.actual)


def _classes_less_one(c: Classes) -> tuple[Any, Any]:
    """Return the number of classes that occur, and of those predicted, each less one."""
    return (c.actual != 0).sum(-1) - 1, (c.predicted != 0).sum(-1) - 1


def _least(c: Classes) -> Any:
    """Return the smaller number of classes that occur, as truth or as prediction, less one."""
    return np.minimum(*_classes_less_one(c))


def _explained_impurity(table: Any, target: Any, known: Any) -> Any:
    """Return the share of a margin's Gini impurity that the other margin explains.

    Impurities are sums of products of different classes' counts, so that nothing cancels.
    """
    columns = np.moveaxis(table, -2, -1)  # the classes of each known value
    within_known = ratio(floats(apart(columns, columns)), known)
    left = where(np.asarray(known) == 0, 0.0, within_known).sum(-1)
    total = ratio(floats(apart(target, target)), target.sum(-1))
    return within(1 - ratio(left, total), 0, 1)


def _excess(c: Classes) -> tuple[Any, Any]:
    """Return each count less what chance would put there, and the latter, both times n.

    The difference is taken before it is rounded to a float, so that it stays right where it is small.
    """
    n = np.asarray(c.n)[..., None, None]
    return floats(c.table * n - c.chance), floats(c.chance)


def _chi_square(c: Classes) -> Any:
    excess, chance = _excess(c)
    # Divided before it is squared: a fourth power of large weights would run over.
    return ratio((excess * (excess / np.where(chance == 0, 1, chance))).sum((-1, -2)), c.n)


def _information(c: Classes) -> Any:
    """Return the mutual information in nats.

    Written as a sum of terms ``(1 + d) log(1 + d) - d`` that are all positive, d being the relative excess
    over chance, so that nothing cancels where truth and prediction are nearly independent.
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


def _saved(table: Any, margin: Any) -> Any:
    commonest = margin.max(-1)
    return within(ratio(table.max(-2).sum(-1) - commonest, margin.sum(-1) - commonest), 0, 1)
