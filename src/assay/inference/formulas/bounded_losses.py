"""Intervals of mean losses of probabilities, by the Bayesian bootstrap with half a row added.

With few rows of a class, or a model that is nearly always right, the rows with the largest losses are often
not in the sample, and no standard error takes them into account. But every row's probability gives its loss
if the other class had occurred. So half a row that is wrong is added for the upper limit, and half a row that
is right for the lower one, and the limits are quantiles of the mean over random weights of the rows (the
Bayesian bootstrap: Rubin 1981; with a whole row at the largest loss it is Gaffke's bound of 2005, which for
losses of 0 and 1 is Clopper and Pearson's). Its first three moments are known, so that nothing is drawn.

Simulated coverage for a nominal 0.95, log loss and Brier score: 0.94 to 0.99 with 20 to 1,000 rows,
calibrated or not, classes of 2% and more, and probabilities of 0.999; Student's t without skewness had 0.01
to 0.98 in the same settings, at much the same width where it holds.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.formulas.proportions import Interval

__all__ = ["LossSample", "gamma_quantile", "loss_interval"]

_ADDED_ROWS = 0.5  # with a whole row the coverage was 0.96 to 1
_MIN_SKEWNESS = 1e-6  # below, the gamma distribution is practically normal
_LARGE_SHAPE = 1e6
_SIZE_TOLERANCE = 1e-9  # of the logarithm of a number of rows


@dataclasses.dataclass(frozen=True, eq=False)
class LossSample:
    """Losses with their weights, and the mean loss if every row were right, and if every row were wrong."""

    losses: NDArray[np.float64]
    weights: NDArray[np.float64]
    right: float
    wrong: float

    @functools.cached_property
    def mean(self) -> float:
        """The weighted mean."""
        return self._mean(self.losses)

    @functools.cached_property
    def variance(self) -> float:
        """The weighted variance of one row's loss."""
        return self._mean(np.square(self.losses - self.mean))

    @functools.cached_property
    def third_moment(self) -> float:
        """The weighted third central moment of one row's loss."""
        deviations = self.losses - self.mean
        return self._mean(np.square(deviations) * deviations)

    def _mean(self, values: NDArray[np.float64]) -> float:
        # Not by BLAS, whose threads cost more than they save and change the bits.
        return float((self.weights * values).sum()) / self._weight

    @functools.cached_property
    def _weight(self) -> float:
        return float(self.weights.sum())


def loss_interval(
    sample: LossSample, rows: float, *, most_rows: float = 0.0, confidence: float = 0.95
) -> Interval:
    """Return the interval of the mean of losses whose effective sample size is `rows`.

    Where that is smaller the surer the interval, as in few clusters, `most_rows` is what it is at most. Next
    to no rows leave only the half row that is added, and its loss is a single number: the limits are the
    widest of all sizes between, so that a surer interval is no narrower.

    >>> confident = LossSample(np.full(20, 0.001), np.ones(20), right=0.001, wrong=6.9)
    >>> [round(limit, 4) for limit in loss_interval(confident, 20)]
    [0.001, 0.8121]
    """
    tail = (1 - confidence) / 2
    return (
        min(_widest_quantile(sample, rows, most_rows, sample.right, tail), sample.mean),
        max(_widest_quantile(sample, rows, most_rows, sample.wrong, 1 - tail), sample.mean),
    )


def _widest_quantile(sample: LossSample, rows: float, most_rows: float, added: float, share: float) -> float:
    """Return the quantile that is farthest out of those of `rows` to `most_rows` rows."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415 - SciPy takes its time to load

    sign = 1.0 if share > 0.5 else -1.0  # noqa: PLR2004

    def inward(log_rows: float) -> float:
        return -sign * _quantile(sample, math.exp(log_rows), added, share)

    if rows >= most_rows:
        return _quantile(sample, rows, added, share)
    ends = math.log(rows), math.log(most_rows)
    sizes = np.linspace(*ends, 2 + int((ends[1] - ends[0]) / math.log(2))).tolist()
    values = [inward(size) for size in sizes]
    best = int(np.argmin(values))
    if not best:  # as a rule: the fewer rows, the farther out
        return -sign * values[0]
    bounds = sizes[best - 1], sizes[min(best + 1, len(sizes) - 1)]
    between = minimize_scalar(inward, bounds=bounds, method="bounded", options={"xatol": _SIZE_TOLERANCE})
    return -sign * min(float(between.fun), values[best])


def _quantile(sample: LossSample, rows: float, added: float, share: float) -> float:
    """Return a quantile of the mean under Dirichlet weights of the rows and half a row at a loss."""
    total = rows + _ADDED_ROWS
    share_of_rows, extra = rows / total, _ADDED_ROWS / total
    mean = share_of_rows * sample.mean + extra * added
    shift, deviation = sample.mean - mean, added - mean
    second = share_of_rows * (sample.variance + shift**2) + extra * deviation**2
    third = (
        share_of_rows * (sample.third_moment + 3 * sample.variance * shift + shift**3) + extra * deviation**3
    )
    variance, third_moment = second / (total + 1), 2 * third / ((total + 1) * (total + 2))
    return gamma_quantile(mean, variance, third_moment, share)


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
    if abs(skewness) < _MIN_SKEWNESS:
        return mean + error * float(ndtri(share))
    if skewness < 0:
        return -gamma_quantile(-mean, variance, -third, 1 - share)
    shape = 4 / skewness**2
    if shape > _LARGE_SHAPE:  # Wilson and Hilferty 1931: right to many digits where the shape is large
        cube = 1 - 1 / (9 * shape) + float(ndtri(share)) / (3 * math.sqrt(shape))
        return mean + error * math.sqrt(shape) * (cube**3 - 1)
    return mean + error * (float(gammaincinv(shape, share)) - shape) / math.sqrt(shape)
