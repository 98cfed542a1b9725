"""Metrics of classes in order, where a prediction further off is worse.

A class's rank is its index among the labels: 0, 1, 2 and so on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.metrics.arithmetic import floats, ratio, within
from assay.metrics.metric import metric
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.confusion import Ordered, apart

if TYPE_CHECKING:
    from numpy.typing import NDArray


@metric(
    reads=Ordered, kind="counts", bounds=(-1, 1), best=1,
    undefined="all rows are of one class and predicted so, as chance alone would do",
    aliases=("linear_weighted_kappa", "linear_kappa"),
)  # fmt: skip
def weighted_kappa(c: Ordered, *, weights: Any = "linear") -> Any:
    """Cohen's kappa in which a near miss counts as partial agreement.

    ``1 - sum(d count) n / sum(d actual predicted)``

    d is 0 for the correct class and 1 for the furthest. `weights` is "linear", "quadratic", or a table of how
    far two classes agree, 1 on its diagonal.
    """
    distance = _distance(weights, c.size)
    expected = (distance * floats(c.chance)).sum((-1, -2))
    return 1 - ratio((distance * c.table).sum((-1, -2)) * c.n, expected)


@metric(
    reads=Ordered, kind="counts", bounds=(-1, 1), best=1,
    undefined="all rows are of one class and predicted so, as chance alone would do",
    aliases=("qwk", "quadratic_kappa"),
)  # fmt: skip
def quadratic_weighted_kappa(c: Ordered) -> Any:
    """Cohen's kappa in which an error costs the square of its distance in ranks.

    ``1 - sum((i - j)² count) n / sum((i - j)² actual predicted)``
    """
    return weighted_kappa.formula(c, weights="quadratic")


@metric(
    reads=Ordered, kind="counts", bounds=(-1, 1), best=1,
    undefined="all rows are of one class and predicted so, as chance alone would do",
    aliases=("scott_pi_weighted", "weighted_scotts_pi", "weighted_pi"), title="weighted Scott's pi",
)  # fmt: skip
def weighted_scott_pi(c: Ordered, *, weights: Any = "linear") -> Any:
    """Scott's pi in which a near miss counts as partial agreement.

    ``1 - sum(d count) / n / sum(d share share)``, the shares being those of truth and prediction together

    `weights` as for :func:`weighted_kappa`.
    """
    distance = _distance(weights, c.size)
    ratings = floats(c.actual) + floats(c.predicted)
    expected = (distance * ratings[..., :, None] * ratings[..., None, :]).sum((-1, -2))
    return 1 - ratio(4 * (distance * c.table).sum((-1, -2)) * floats(c.n), expected)


@metric(
    reads=Ordered, kind="counts", bounds=(-math.inf, 1), best=1, undefined="there is only one class",
    aliases=("ac2", "gwets_ac2"), title="Gwet's AC2",
)  # fmt: skip
def gwet_ac2(c: Ordered, *, weights: Any = "linear") -> Any:
    """Gwet's agreement beyond guessing at hard rows, in which a near miss counts as partial agreement.

    ``(observed - e) / (1 - e), e = sum(w) sum(share (1 - share)) / (K (K - 1))``

    w is 1 - d; with weights of 0 off the diagonal it is AC1. `weights` as for :func:`weighted_kappa`. Where
    classes are many and all far off it may be below -1.
    """
    distance = _distance(weights, c.size)
    ratings = floats(c.actual) + floats(c.predicted)
    spread = ratio(apart(ratings, ratings), ratings.sum(-1) ** 2)
    expected = ratio(spread * (1 - distance).sum(), c.size * (c.size - 1))
    return 1 - ratio(ratio((distance * c.table).sum((-1, -2)), floats(c.n)), 1 - expected)


@metric(
    reads=Ordered, kind="counts", bounds=(-math.inf, 1), best=1, undefined="there is only one class",
    aliases=("brennan_prediger_weighted",), title="weighted Brennan-Prediger",
)  # fmt: skip
def weighted_brennan_prediger(c: Ordered, *, weights: Any = "linear") -> Any:
    """Agreement beyond drawing classes at random, in which a near miss counts as partial agreement.

    ``1 - mean(d of the rows) / mean(d of all pairs of classes)``

    `weights` as for :func:`weighted_kappa`. Where classes are many and all far off it may be below -1.
    """
    distance = _distance(weights, c.size)
    return 1 - ratio(ratio((distance * c.table).sum((-1, -2)), floats(c.n)), float(distance.mean()))


@metric(reads=Ordered, kind="counts", bounds=(0, 1), best=1, undefined=NO_ROWS)
def weighted_accuracy(c: Ordered, *, weights: Any = "linear") -> Any:
    """Accuracy in which a near miss counts in part: ``sum(w count) / n``.

    w is 1 for the correct class and 0 for the furthest. `weights` is "linear", "quadratic", or a table of w.
    """
    return 1 - ratio((_distance(weights, c.size) * c.table).sum((-1, -2)), c.n)


@metric(reads=Ordered, kind="counts", bounds=(0, math.inf), best=0, undefined=NO_ROWS)
def mean_cost(c: Ordered, *, costs: Any = "linear") -> Any:
    """Mean cost per row: ``sum(cost count) / n``.

    `costs` is "linear" (the distance in ranks), "quadratic" (its square), or a table of costs whose rows are
    actual and whose columns are predicted, in the order of the labels.
    """
    return ratio((_cost(costs, c.size) * c.table).sum((-1, -2)), c.n)


@metric(
    reads=Ordered, kind="counts", bounds=(0, math.inf), best=0, undefined=NO_ROWS, aliases=("ordinal_mae",)
)
def mean_absolute_rank_error(c: Ordered) -> Any:
    """Mean absolute difference of actual and predicted rank: ``mean(|rank - predicted rank|)``."""
    return mean_cost.formula(c)


@metric(
    reads=Ordered, kind="counts", bounds=(0, math.inf), best=0, undefined=NO_ROWS, aliases=("ordinal_mse",)
)
def mean_squared_rank_error(c: Ordered) -> Any:
    """Mean squared difference of actual and predicted rank: ``mean((rank - predicted rank)²)``."""
    return mean_cost.formula(c, costs="quadratic")


@metric(
    reads=Ordered, kind="counts", bounds=(-1, 1), best=1,
    undefined="no two rows differ both in actual and in predicted class",
    aliases=("gamma", "gk_gamma", "goodman_kruskals_gamma"), title="Goodman-Kruskal gamma",
)  # fmt: skip
def goodman_kruskal_gamma(c: Ordered) -> Any:
    """Concordant less discordant pairs of rows, as a share of the pairs that are tied in neither.

    ``(concordant - discordant) / (concordant + discordant)``
    """
    concordant, discordant = _pairs(c)
    return within(ratio(concordant - discordant, concordant + discordant), -1, 1)


@metric(
    reads=Ordered, kind="counts", bounds=(-1, 1), best=None,
    undefined="all actual classes are the same, or all predicted ones",
    aliases=("stuart_tau_c", "tau_c", "kendall_tau_c"), title="Stuart's tau-c",
)  # fmt: skip
def stuarts_tau_c(c: Ordered) -> Any:
    """Concordant less discordant pairs of rows, as a share of the most that a table of this size can hold.

    ``2 m (concordant - discordant) / (n² (m - 1))``

    m is the smaller of the number of actual and of predicted classes. Only with equally frequent classes does
    a perfect model reach 1. Tau-b is :func:`kendall_tau`.
    """
    concordant, discordant = _pairs(c)
    m = np.minimum((c.actual != 0).sum(-1), (c.predicted != 0).sum(-1))
    return within(ratio(2 * m * (concordant - discordant), (m - 1) * floats(c.n) * c.n), -1, 1)


def _pairs(c: Ordered) -> tuple[Any, Any]:
    """Return the number of concordant and of discordant pairs of rows."""
    table = floats(c.table)
    return _with_later(table), _with_later(table[..., ::-1])


def _with_later(table: Any) -> Any:
    """Return the sum over cells of the count times all counts below and to the right of it."""
    later = table[..., ::-1, ::-1].cumsum(-2).cumsum(-1)[..., ::-1, ::-1]
    return (table[..., :-1, :-1] * later[..., 1:, 1:]).sum((-1, -2))


def _cost(costs: Any, size: int) -> NDArray[np.float64]:
    """Return the costs as a table."""
    if isinstance(costs, str):
        ranks = np.arange(size, dtype=np.float64)
        steps = np.abs(ranks[:, None] - ranks)
        if costs not in ("linear", "quadratic"):
            raise MetricError(f'"{costs}" is not known: use "linear", "quadratic" or a table.')
        return steps if costs == "linear" else steps * steps
    table = _square(costs, size)
    if (table < 0).any():
        raise MetricError("a cost is below 0: add the same amount to all of them, so that none is.")
    return table


def _distance(weights: Any, size: int) -> NDArray[np.float64]:
    """Return how far classes disagree, from 0 on the diagonal to 1."""
    if isinstance(weights, str):
        costs = _cost(weights, size)
        return np.divide(costs, max(costs.max(), 1.0))
    table = _square(weights, size)
    if (np.diagonal(table) != 1).any() or (table < 0).any() or (table > 1).any():
        raise MetricError(
            "weights say how far two classes agree: 1 on the diagonal, elsewhere from 0 to 1. "
            "Costs become weights as 1 - costs / costs.max()."
        )
    return 1 - table


def _square(values: Any, size: int) -> NDArray[np.float64]:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise MetricError(f"{values!r} is no table of numbers.") from None
    if table.shape != (size, size):
        shape = " x ".join(map(str, table.shape)) or "a single number"
        raise MetricError(f"there are {size} classes, but the table is {shape}.")
    if not np.isfinite(table).all():
        raise MetricError("the table has a value that is not finite.")
    return table
