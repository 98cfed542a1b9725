"""Agreement of prediction and truth, or of two raters, beyond what chance would give.

All are ``(observed - expected) / (1 - expected)``; they differ in what chance is taken to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.metrics.arithmetic import floats, ratio, within
from assay.metrics.metric import metric
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.confusion import Classes, apart

ONE_CLASS = "all rows are of one class and were predicted so, which chance alone would do"


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1, undefined=ONE_CLASS,
    aliases=("cohen_kappa", "cohens_kappa", "kap"), monotone=True,
)  # fmt: skip
def kappa(c: Classes) -> Any:
    """Agreement beyond what the two distributions alone would give.

    ``(observed - expected) / (1 - expected)``
    """
    return within(ratio(c.beyond_chance, c.chance_wrong), -1, 1)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=None, undefined=NO_ROWS,
    aliases=("chance_agreement",),
)  # fmt: skip
def expected_agreement(c: Classes) -> Any:
    """How many rows would agree if truth and prediction were shuffled: ``sum(actual predicted) / n²``."""
    return ratio(c.chance_correct, c.n * c.n)


@metric(
    reads=Classes, kind="counts", bounds=(0, 1), best=None, undefined=ONE_CLASS,
    aliases=("kappa_max", "maximum_kappa"), title="largest possible kappa",
)  # fmt: skip
def max_kappa(c: Classes) -> Any:
    """The largest kappa that the two distributions leave room for.

    ``(sum(min(actual, predicted)) n - sum(actual predicted)) / (n² - sum(actual predicted))``
    """
    fewest_wrong = np.maximum(c.actual - c.predicted, 0).sum(-1)
    return within(ratio(c.chance_wrong - fewest_wrong * c.n, c.chance_wrong), 0, 1)


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1, undefined=ONE_CLASS,
    aliases=("kappa_unbiased", "fleiss_kappa"), title="Scott's pi", monotone=True,
)  # fmt: skip
def scott_pi(c: Classes) -> Any:
    """Agreement beyond what one distribution, pooled from both, would give.

    ``(observed - sum(share²)) / (1 - sum(share²))``
    """
    ratings = _ratings(c)
    return 1 - ratio(4 * floats(c.wrong) * c.n, apart(ratings, ratings))


@metric(
    reads=Classes, kind="counts", bounds=(-1, 1), best=1, undefined=ONE_CLASS,
    aliases=("krippendorffs_alpha",), title="Krippendorff's alpha", monotone=True, depends_on_n=True,
)  # fmt: skip
def krippendorff_alpha(c: Classes) -> Any:
    """Agreement beyond what shuffling all ratings among the rows would give, each left out in its turn.

    ``1 - disagreements observed / disagreements expected``

    For classes without an order and two ratings per row. It is Scott's pi but for 1/(2n), where n is the
    number of rows, with weights the number of equal ones that they are worth (Kish).
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
    """Agreement beyond guessing at the hard rows, which stays high where one class is rare.

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
    """Agreement beyond drawing one of the K classes blindly; for two classes it is PABAK.

    ``(observed - 1/K) / (1 - 1/K)``
    """
    return 1 - ratio(c.size * ratio(c.wrong, c.n), c.size - 1)


def _ratings(c: Classes) -> Any:
    """Return how often each class was given, by truth and prediction together."""
    return floats(c.actual) + floats(c.predicted)
