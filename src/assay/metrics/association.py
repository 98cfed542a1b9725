"""Association of prediction and truth: how much one tells about the other, right or wrong.

A class that neither occurs nor was predicted has no part in them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import MetricError
from assay.metrics.arithmetic import floats, ratio, root, where, within, x_log_y
from assay.metrics.counts import Classes
from assay.metrics.metric import metric
from assay.metrics.undefined import NO_ROWS

CONSTANT = "all rows are of one class, or were all predicted as one"


@metric(
    reads=Classes, kind="statistic", bounds=(0, math.inf), best=None, undefined=CONSTANT,
    aliases=("chisq", "chi2", "chi_squared", "pearson_chi_square"),
)  # fmt: skip
def chi_square(c: Classes) -> Any:
    """How far the table is from one where prediction has nothing to do with truth.

    ``sum((count - expected)² / expected)``

    With weights the counts are scaled to the number of equal rows that they are worth (Kish).
    """
    scale = 1.0 if c.effective is None else ratio(c.effective, c.n)
    return where(_least(c) > 0, _chi_square(c) * scale, np.nan)


@metric(reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined=CONSTANT, aliases=("cramer_v",))
def cramers_v(c: Classes) -> Any:
    """Chi-square from 0 to 1, for k classes: ``sqrt(chi² / (n (k - 1)))``.

    It is 1 wherever one gives the other away, also by always naming the wrong class; for two classes it is
    the size of mcc without its sign. k is the smaller of the classes that occur and those predicted.
    """
    return within(root(ratio(_chi_square(c), _least(c) * c.n)), 0, 1)


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
    aliases=("uncertainty_coefficient", "theil_u_actual", "relative_classifier_information"),
)  # fmt: skip
def theil_u(c: Classes) -> Any:
    """What part of the uncertainty about the truth the prediction takes away: ``I / H(actual)``."""
    return within(ratio(_information(c), _entropy(c.actual)), 0, 1)


@metric(reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all rows were predicted as one class")
def theil_u_predicted(c: Classes) -> Any:
    """What part of the uncertainty about the prediction the truth takes away: ``I / H(predicted)``."""
    return within(ratio(_information(c), _entropy(c.predicted)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1,
    undefined="all rows are of one class and were all predicted as one", aliases=("nmi", "symmetric_theil_u"),
)  # fmt: skip
def normalized_mutual_information(c: Classes) -> Any:
    """What truth and prediction tell about each other, from 0 to 1: ``2 I / (H(actual) + H(predicted))``."""
    return within(ratio(2 * _information(c), _entropy(c.actual) + _entropy(c.predicted)), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all rows are of one class",
    aliases=("lambda", "goodman_kruskal_lambda_actual"),
)  # fmt: skip
def goodman_kruskal_lambda(c: Classes) -> Any:
    """What part of the errors of always guessing the commonest class knowing the prediction would save.

    ``(sum over predictions of the largest count - max(actual)) / (n - max(actual))``
    """
    return _saved(c.table, c.actual)


@metric(reads=Classes, kind="counts", bounds=(0, 1), best=1, undefined="all rows were predicted as one class")
def goodman_kruskal_lambda_predicted(c: Classes) -> Any:
    """What part of the errors of guessing the prediction knowing the truth would save.

    ``(sum over classes of the largest count - max(predicted)) / (n - max(predicted))``
    """
    return _saved(np.swapaxes(c.table, -1, -2), c.predicted)


def _least(c: Classes) -> Any:
    """Return the smaller number of classes that occur, as truth or as prediction, less one."""
    return np.minimum((c.actual != 0).sum(-1), (c.predicted != 0).sum(-1)) - 1


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
