"""Proper scores of predicted probabilities, their skill scores and their decompositions."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import MetricError
from assay.metrics.arithmetic import ratio, root, total, where, x_log_y
from assay.metrics.metric import metric
from assay.metrics.probability.binning import Rule, Ties, binned
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.probability import Probabilities, one_by_one
from assay.metrics.views.row_means import mean_metric
from assay.tallies import Losses
from assay.tallies.loss_arguments import log_losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BinnedBrier", "Decomposition", "binned_brier", "corp", "murphy"]

ONE_CLASS = "all rows are of one class, so that the base rate is a perfect prediction"


@mean_metric(
    bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("cross_entropy", "mean_cross_entropy", "mxe", "logistic_loss"), tally=Losses.log_losses,
)  # fmt: skip
def log_loss(positive: Any, probability: Any, *, clip: float = 0.0) -> Any:
    """Mean negative log-likelihood of the outcomes: ``-mean(log(probability of what happened))``.

    It is infinite where something happened that had probability 0: the view's ``infinite`` counts such rows.
    A `clip` above 0 moves probabilities into [clip, 1 - clip] first, and the loss then depends on it.
    """
    return log_losses(positive, probability, clip=clip)


@mean_metric(
    bounds=(0, 1), best=0, undefined=NO_ROWS, aliases=("brier_score", "brier_score_loss", "quadratic_score"),
    title="Brier score", tally=Losses.brier_losses,
)  # fmt: skip
def brier(positive: Any, probability: Any) -> Any:
    """Mean squared difference of probability and outcome: ``mean((probability - outcome)²)``."""
    return (positive - probability) ** 2


@mean_metric(
    bounds=(0, 1), best=0, undefined=NO_ROWS, then=root, kind="moments", title="root Brier score",
    tally=Losses.brier_losses,
)  # fmt: skip
def root_brier(positive: Any, probability: Any) -> Any:
    """Root of the Brier score, which ROCR calls rmse: ``sqrt(mean((probability - outcome)²))``."""
    return (positive - probability) ** 2


def _brier(view: Probabilities) -> Any:
    if view.many is not None:
        return brier(view.many)
    return view.mean((1 - view.p) ** 2, view.p**2)


def _log_score(view: Probabilities) -> Any:
    if view.many is not None:
        return log_loss(view.many)
    return view.mean(log_losses(None, view.p), log_losses(np.zeros(len(view.p)), view.p))


@metric(
    reads=Probabilities, kind="moments", bounds=(0, 0.25), best=None, undefined=NO_ROWS,
    aliases=("base_rate_brier",), title="Brier score of the base rate",
)  # fmt: skip
def brier_uncertainty(v: Probabilities) -> Any:
    """Brier score of always predicting the base rate: ``rate (1 - rate)``."""
    return v.base_rate * (1 - v.base_rate)


@metric(
    reads=Probabilities, kind="moments", bounds=(0, math.log(2)), best=None, undefined=NO_ROWS,
    aliases=("base_rate_log_loss",), title="log loss of the base rate",
)  # fmt: skip
def log_uncertainty(v: Probabilities) -> Any:
    """Log loss of always predicting the base rate: ``-rate log(rate) - (1 - rate) log(1 - rate)``."""
    return -x_log_y(v.base_rate, v.base_rate) - x_log_y(1 - v.base_rate, 1 - v.base_rate) + 0.0


@metric(
    reads=Probabilities, kind="moments", bounds=(-math.inf, 1), best=1, undefined=ONE_CLASS,
    aliases=("bss", "scaled_brier", "d2_brier"), title="Brier skill",
)  # fmt: skip
def brier_skill(v: Probabilities) -> Any:
    """Improvement of the Brier score over predicting the base rate: ``1 - brier / (rate (1 - rate))``."""
    return 1 - ratio(_brier(v), brier_uncertainty.formula(v))


@metric(
    reads=Probabilities, kind="moments", bounds=(-math.inf, 1), best=1, undefined=ONE_CLASS,
    aliases=("d2_log_loss", "mcfadden_r2", "mcfadden", "mcfadden_pseudo_r2"),
)  # fmt: skip
def log_loss_skill(v: Probabilities) -> Any:
    """Improvement of the log loss over predicting the base rate.

    ``1 - log loss / log loss of the base rate``
    """
    return 1 - ratio(_log_score(v), log_uncertainty.formula(v))


@metric(
    reads=Probabilities, kind="moments", bounds=(-math.inf, 0.75), best=None, undefined=ONE_CLASS,
    aliases=("cox_snell", "cox_snell_pseudo_r2", "maddala_r2"), title="Cox-Snell R²",
)  # fmt: skip
def cox_snell_r2(v: Probabilities) -> Any:
    """Cox and Snell's R² from the likelihoods of the probabilities and of the base rate.

    ``1 - (L0 / L)^(2 / n)``

    As a function of the log loss: 1 - exp(2 (log loss - log loss of the base rate)). It does not reach 1,
    and with rare positives not even a half; Nagelkerke's is the share of what it can reach.
    """
    base = log_uncertainty.formula(v)
    return where(base > 0, _explained_likelihood(v, base), math.nan)


@metric(
    reads=Probabilities, kind="moments", bounds=(-math.inf, 1), best=1, undefined=ONE_CLASS,
    aliases=("nagelkerke", "nagelkerke_pseudo_r2", "cragg_uhler_r2"), title="Nagelkerke R²",
)  # fmt: skip
def nagelkerke_r2(v: Probabilities) -> Any:
    """Nagelkerke's R²: Cox and Snell's as a share of the largest value that the base rate allows.

    ``(1 - (L0 / L)^(2 / n)) / (1 - L0^(2 / n))``

    rms::lrm prints it as R2 for its own training rows, pscl::pR2 as r2CU; for other rows, and for
    probabilities that were not fitted by maximum likelihood, it may be below 0.
    """
    base = log_uncertainty.formula(v)
    with np.errstate(over="ignore"):
        return ratio(_explained_likelihood(v, base), -np.expm1(-2 * base))


def _explained_likelihood(v: Probabilities, base: Any) -> Any:
    with np.errstate(over="ignore"):
        return -np.expm1(2 * (_log_score(v) - base))


@dataclasses.dataclass(frozen=True, slots=True)
class Decomposition:
    """A mean score and its three parts: ``score = miscalibration - discrimination + uncertainty``."""

    score: Any
    miscalibration: Any
    discrimination: Any
    uncertainty: Any


def corp(tally: Any, score: Literal["brier", "log"] = "brier", *, clip: float = 0.0) -> Decomposition:
    """Return a score's decomposition by the isotonic fit (Dimitriadis, Gneiting and Jordan 2021).

    Miscalibration is what recalibrating would save, discrimination what the recalibrated probabilities save
    over the base rate, uncertainty the base rate's own score. There are no bins to choose; neither of the
    first two is below 0.

    Parameters
    ----------
    tally
        Rows with probabilities, or a score tally of them.
    score
        The Brier score, ``"brier"``, or the log loss, ``"log"``.
    clip
        Move probabilities into [clip, 1 - clip] first.

    Returns
    -------
    Decomposition
        The score and its three parts.

    Raises
    ------
    MetricError
        There are no rows, a score is no probability, or `score` is neither of the two.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.125, 0.25, 0.5, 0.75]))
    >>> corp(tally)
    Decomposition(score=0.22265625, miscalibration=0.09765625, discrimination=0.125, uncertainty=0.25)
    """
    return _corp(Probabilities.some(tally, clip=clip), score)


def _corp(view: Probabilities, score: str) -> Decomposition:
    if score not in ("brier", "log"):
        raise MetricError(f'score={score!r} is not known: use "brier" or "log".')
    of, base = (_brier, brier_uncertainty) if score == "brier" else (_log_score, log_uncertainty)
    pools = view.pooled()[1]
    score_value, fitted, constant = of(view), of(pools), base.formula(view)
    # Only rounding can put either below 0.
    parts = max(score_value - fitted, 0.0), max(constant - fitted, 0.0)
    return Decomposition(score_value, *parts, constant)


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, 1), best=0, undefined=NO_ROWS,
    aliases=("corp_mcb", "brier_mcb"), title="Brier miscalibration",
)  # fmt: skip
@one_by_one
def brier_miscalibration(v: Probabilities) -> Any:
    """Part of the Brier score that recalibrating would save: ``brier - brier of the isotonic fit``.

    Like every plug-in estimate it is above 0 for calibrated probabilities too: see :func:`calibration_null`.
    """
    return _corp(v, "brier").miscalibration


@metric(
    reads=Probabilities, kind="moments", bounds=(0, 0.25), best=None, undefined=NO_ROWS,
    aliases=("corp_dsc", "brier_dsc"), title="Brier discrimination",
)  # fmt: skip
@one_by_one
def brier_discrimination(v: Probabilities) -> Any:
    """Improvement over the base rate's Brier score by ranking.

    ``rate (1 - rate) - brier of the isotonic fit``
    """
    return _corp(v, "brier").discrimination


@metric(
    reads=Probabilities, kind="extreme", bounds=(0, math.inf), best=0, undefined=NO_ROWS,
    aliases=("log_mcb",),
)  # fmt: skip
@one_by_one
def log_miscalibration(v: Probabilities) -> Any:
    """Part of the log loss that recalibrating would save: ``log loss - log loss of the isotonic fit``."""
    return _corp(v, "log").miscalibration


@metric(
    reads=Probabilities, kind="moments", bounds=(0, math.log(2)), best=None, undefined=NO_ROWS,
    aliases=("log_dsc",),
)  # fmt: skip
@one_by_one
def log_discrimination(v: Probabilities) -> Any:
    """Improvement over the base rate's log loss by ranking.

    ``base rate's log loss - that of the isotonic fit``
    """
    return _corp(v, "log").discrimination


def murphy(tally: Any, *, clip: float = 0.0) -> Decomposition:
    """Return the Brier score's decomposition by distinct probability (Murphy 1973).

    Its miscalibration is also called reliability, its discrimination resolution. Where nearly every row has
    a probability of its own, they are nearly the score and the uncertainty themselves and tell nothing: use
    :func:`corp` there.

    Parameters
    ----------
    tally
        Rows with probabilities, or a score tally of them.
    clip
        Move probabilities into [clip, 1 - clip] first.

    Returns
    -------
    Decomposition
        The score and its three parts.

    Raises
    ------
    MetricError
        There are no rows, or a score is no probability.

    Examples
    --------
    >>> import assay
    >>> murphy(assay.rows(actual=[0, 1, 0, 1], score=[0.25, 0.25, 0.75, 0.75]))
    Decomposition(score=0.3125, miscalibration=0.0625, discrimination=0.0, uncertainty=0.25)
    """
    view = Probabilities.some(tally, clip=clip)
    parts = brier_reliability.formula(view), brier_resolution.formula(view), brier_uncertainty.formula(view)
    return Decomposition(_brier(view), *parts)


@metric(
    reads=Probabilities, kind="moments", bounds=(0, 1), best=0, undefined=NO_ROWS,
    aliases=("murphy_reliability",), title="Brier reliability",
)  # fmt: skip
def brier_reliability(v: Probabilities) -> Any:
    """Squared difference of each distinct probability from its rows' rate.

    ``sum(rows (p - rate of p)²) / n``
    """
    return ratio(total(where(v.counts > 0, v.counts * (v.p - v.rates) ** 2, 0.0)), v.n)


@metric(
    reads=Probabilities, kind="moments", bounds=(0, 0.25), best=None, undefined=NO_ROWS,
    aliases=("murphy_resolution",), title="Brier resolution",
)  # fmt: skip
def brier_resolution(v: Probabilities) -> Any:
    """Squared difference of the rates of distinct probabilities from the base rate.

    ``sum(rows (rate of p - rate)²) / n``
    """
    differences = v.rates - np.asarray(v.base_rate)[..., None]
    return ratio(total(where(v.counts > 0, v.counts * differences**2, 0.0)), v.n)


@dataclasses.dataclass(frozen=True, slots=True)
class BinnedBrier:
    """A Brier score by bins, with parts that add up to it.

    ``score = reliability - resolution + uncertainty + within_variance - within_covariance``
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float
    within_covariance: float


def binned_brier(
    tally: Any, *, bins: int = 15, rule: Rule = "mass", ties: Ties = "share", clip: float = 0.0
) -> BinnedBrier:
    """Return the Brier score's decomposition by bins, with the two terms within the bins.

    Without those the parts do not add up (Stephenson, Coelho and Jolliffe 2008).

    Parameters
    ----------
    tally
        Rows with probabilities, or a score tally of them.
    bins
        How many bins.
    rule
        Bins of equal ``"mass"``, of equal ``"width"``, closed on the right, or of ``"left-closed width"``.
    ties
        Where an edge falls among rows of equal probability: each side gets its ``"share"`` of their
        positives, or ``"positives first"``.
    clip
        Move probabilities into [clip, 1 - clip] first.

    Returns
    -------
    BinnedBrier
        The score and its five parts.

    Raises
    ------
    MetricError
        There are no rows, a score is no probability, or there are no such bins.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.125, 0.25, 0.5, 0.75]))
    >>> binned_brier(tally, bins=2).reliability
    0.056640625
    """
    view = Probabilities.some(tally, clip=clip)
    bin_sums = binned(view, bins, rule, ties)
    deviation = bin_sums.p - bin_sums.spread(bin_sums.predicted)
    within = bin_sums.positives - bin_sums.counts * bin_sums.spread(bin_sums.observed)

    def share(values: NDArray[Any]) -> float:
        return float(total(values) / view.n)

    return BinnedBrier(
        float(_brier(view)),
        share(bin_sums.rows * bin_sums.gaps**2),
        share(bin_sums.rows * (bin_sums.observed - view.base_rate) ** 2),
        float(brier_uncertainty.formula(view)),
        share(bin_sums.counts * deviation**2),
        share(2 * within * deviation),
    )
