"""Intervals of mean losses of probabilities, which know what a row would lose were it wrong.

With few rows of a class, or a model that is nearly always right, the rows that cost most are often not in the
sample, and no standard error knows of them. But every row's probability says what it would lose if the other
class had happened. So half a row that is wrong is added for the upper limit, and half a row that is right for
the lower one, and the limits are quantiles of the mean over all ways to weigh the rows (the Bayesian
bootstrap: Rubin 1981; with a whole row at the largest loss it is Gaffke's bound of 2005, which for losses of
0 and 1 is Clopper and Pearson's). Its first three moments are known, so that nothing is drawn.

Simulated coverage where 0.95 is meant, log loss and Brier score: 0.94 to 0.99 with 20 to 1,000 rows,
calibrated or not, classes of 2% and more, and probabilities of 0.999; Student's t without skewness had 0.01
to 0.98 in the same settings, at much the same width where it holds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.formulas.proportions import Interval

__all__ = ["LossSample", "gamma_quantile", "loss_interval"]

_ADDED = 0.5  # rows: with a whole one the coverage was 0.96 to 1
_NO_SKEWNESS = 1e-6  # below, the gamma distribution is the normal
_LARGE_SHAPE = 1e6


class LossSample(NamedTuple):
    """Losses with their weights, and what rows would lose on average were each right, and were each wrong."""

    losses: NDArray[np.float64]
    weights: NDArray[np.float64]
    right: float
    wrong: float

    @property
    def mean(self) -> float:
        """The weighted mean."""
        return float(self.weights @ self.losses) / float(self.weights.sum())

    @property
    def variance(self) -> float:
        """The weighted variance of one row's loss."""
        return float(self.weights @ np.square(self.losses - self.mean)) / float(self.weights.sum())


def loss_interval(sample: LossSample, rows: float, *, confidence: float = 0.95) -> Interval:
    """Return the interval of the mean of losses that are worth so many independent rows.

    >>> sure = LossSample(np.full(20, 0.001), np.ones(20), right=0.001, wrong=6.9)
    >>> [round(limit, 4) for limit in loss_interval(sure, 20)]
    [0.001, 0.8121]
    """
    tail = (1 - confidence) / 2
    return (
        min(_quantile(sample, rows, sample.right, tail), sample.mean),
        max(_quantile(sample, rows, sample.wrong, 1 - tail), sample.mean),
    )


def _quantile(sample: LossSample, rows: float, added: float, share: float) -> float:
    """Return a quantile of the mean under Dirichlet weights of the rows and half a row at a loss."""
    total = rows + _ADDED
    weights = sample.weights * (rows / float(sample.weights.sum()) / total)
    extra = _ADDED / total
    mean = float(weights @ sample.losses) + extra * added
    away, apart = sample.losses - mean, added - mean
    squares = np.square(away)
    second = float(weights @ squares) + extra * apart**2
    third = float(weights @ (squares * away)) + extra * apart**3
    variance, skewed = second / (total + 1), 2 * third / ((total + 1) * (total + 2))
    return gamma_quantile(mean, variance, skewed, share)


def gamma_quantile(mean: float, variance: float, third: float, share: float) -> float:
    """Return a quantile of the shifted gamma distribution with a mean, a variance and a third moment.

    >>> round(gamma_quantile(1.0, 1.0, 2.0, 0.975), 6)  # the exponential: -log(0.025)
    3.688879
    """
    from scipy.special import gammaincinv, ndtri  # noqa: PLC0415 - SciPy takes its time to load

    if not variance > 0:
        return mean
    error = math.sqrt(variance)
    skewness = third / variance / error
    if abs(skewness) < _NO_SKEWNESS:
        return mean + error * float(ndtri(share))
    if skewness < 0:
        return -gamma_quantile(-mean, variance, -third, 1 - share)
    shape = 4 / skewness**2
    if shape > _LARGE_SHAPE:  # Wilson and Hilferty 1931: right to many digits where the shape is large
        cube = 1 - 1 / (9 * shape) + float(ndtri(share)) / (3 * math.sqrt(shape))
        return mean + error * math.sqrt(shape) * (cube**3 - 1)
    return mean + error * (float(gammaincinv(shape, share)) - shape) / math.sqrt(shape)
