"""Agreement of predicted and actual classes, or of two raters, beyond what chance would give.

All are ``(observed - expected) / (1 - expected)``; they differ in what chance is assumed to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.metrics.arithmetic import floats, ratio, within
from assay.metrics.metric import metric
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.confusion import Classes, apart

ONE_CLASS = "all rows are of one class and predicted so, as chance alone would do"


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1, undefined=ONE_CLASS,
    aliases=("cohen_kappa", "cohens_kappa", "kap"), monotone=True,
)  # fmt: skip
def kappa(c: Classes) -> Any:
    """Cohen's kappa: agreement beyond what the two class distributions alone would give.

    ``(observed - expected) / (1 - expected)``
    """
    return within(ratio(c.beyond_chance, c.chance_wrong), -1, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=None, undefined=NO_ROWS,
    aliases=("chance_agreement",),
)  # fmt: skip
def expected_agreement(c: Classes) -> Any:
    """Agreement expected if actual and predicted were independent: ``sum(actual predicted) / n²``."""
    return ratio(c.chance_correct, c.n * c.n)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=None, undefined=ONE_CLASS,
    aliases=("kappa_max", "maximum_kappa"), title="largest possible kappa",
)  # fmt: skip
def max_kappa(c: Classes) -> Any:
    """Largest kappa possible with these two class distributions.

    ``(sum(min(actual, predicted)) n - sum(actual predicted)) / (n² - sum(actual predicted))``
    """
    fewest_wrong = np.maximum(c.actual - c.predicted, 0).sum(-1)
    return within(ratio(c.chance_wrong - fewest_wrong * c.n, c.chance_wrong), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1, undefined=ONE_CLASS,
    aliases=("kappa_unbiased",), title="Scott's pi", monotone=True,
)  # fmt: skip
def scott_pi(c: Classes) -> Any:
    """Agreement beyond what one class distribution, pooled from actual and predicted, would give.

    ``(observed - sum(share²)) / (1 - sum(share²))``
    """
    ratings = _ratings(c)
    return 1 - ratio(4 * floats(c.wrong) * c.n, apart(ratings, ratings))


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1, undefined=ONE_CLASS,
    aliases=("krippendorffs_alpha",), title="Krippendorff's alpha", monotone=True, depends_on_n=True,
)  # fmt: skip
def krippendorff_alpha(c: Classes) -> Any:
    """Agreement beyond what random pairs of all ratings, drawn without replacement, would give.

    ``1 - disagreements observed / disagreements expected``

    For classes without an order and two ratings per row. It differs from Scott's pi by 1/(2n), where n is the
    number of rows or, with weights, Kish's effective number of rows.
    """
    ratings = _ratings(c)
    total = ratings.sum(-1)
    others = total - ratio(total, 2 * c.rows)  # all ratings but one
    return 1 - ratio(2 * floats(c.wrong) * others, apart(ratings, ratings))


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1, undefined="there is only one class",
    aliases=("ac1", "gwets_ac1"), title="Gwet's AC1", monotone=True,
)  # fmt: skip
def gwet_ac1(c: Classes) -> Any:
    """Gwet's agreement beyond guessing at hard rows; it stays high where one class is rare.

    ``(observed - e) / (1 - e), e = sum(share (1 - share)) / (K - 1)``
    """
    ratings = _ratings(c)
    expected = ratio(ratio(apart(ratings, ratings), ratings.sum(-1) ** 2), c.size - 1)
    return within(1 - ratio(ratio(c.wrong, c.n), 1 - expected), -1, 1)


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1, undefined="there is only one class",
    aliases=("pabak", "bennett_s", "s_coefficient"), title="Brennan-Prediger", monotone=True,
)  # fmt: skip
def brennan_prediger(c: Classes) -> Any:
    """Agreement beyond drawing one of the K classes at random; for two classes it is PABAK.

    ``(observed - 1/K) / (1 - 1/K)``
    """
    return 1 - ratio(c.size * ratio(c.wrong, c.n), c.size - 1)


def _ratings(c: Classes) -> Any:
    """Return how often each class occurs among actual and predicted together."""
    return floats(c.actual) + floats(c.predicted)
