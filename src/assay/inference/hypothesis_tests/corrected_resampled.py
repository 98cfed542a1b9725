"""Tests of two learning procedures over resamples of one data set, whose differences are correlated.

The training sets overlap, so a plain t test finds differences where there are none. No unbiased estimate of
the variance over folds exists (Bengio and Grandvalet 2004): all of these are approximate.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.inference.distributions import f_p, student_p, student_quantile
from assay.inference.hypothesis_tests.paired_means import TIE
from assay.inference.test_result import Alternative, TestResult
from assay.metrics import Undefined

__all__ = ["Posterior", "corrected_t", "correlated_bayes", "five_by_two_f", "five_by_two_t"]

_FIVE_BY_TWO = (5, 2)


class Posterior(NamedTuple):
    """How likely the first is worse, practically the same, and better, given the differences."""

    worse: float
    same: float
    better: float


def corrected_t(
    differences: Any,
    n_train: float,
    n_test: float,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Return the corrected resampled t test of the mean difference, with its interval.

    Nadeau and Bengio 2003. One difference per resample (10 times 10-fold is the usual hundred: Bouckaert and
    Frank 2004), trained on `n_train` rows and tested on `n_test`.

    Parameters
    ----------
    differences
        One number per resample: the metric of one model less that of the other.
    n_train, n_test
        How many rows each resample was trained on, and tested on.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.
    confidence
        The confidence level of the interval.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `alternative` is not known; or `differences` are not
        finite, or fewer than two; `n_train` or `n_test` is no number of rows.

    Examples
    --------
    >>> d = [0.02, 0.015, -0.005, 0.03, 0.01, 0.022, 0.008, -0.002, 0.018, 0.012]
    >>> corrected_t(d, 900, 100)
    corrected resampled t: statistic 2.6021, df 9, p = 0.02864
    """
    _check_sizes(n_train, n_test)
    values, mean, spread = _moments(differences)
    method, df = "corrected resampled t", len(values) - 1
    if not spread:
        return TestResult(method, None, df, Undefined("all resamples differ by the same"), alternative, mean)
    error = math.sqrt((1 / len(values) + n_test / n_train) * spread)
    t, half_width = mean / error, student_quantile(confidence, df) * error
    low, high, p = mean - half_width, mean + half_width, student_p(t, df, alternative)
    return TestResult(method, t, df, p, alternative, mean, low, high, confidence, standard_error=error)


def correlated_bayes(differences: Any, n_train: float, n_test: float, *, rope: float = 0.01) -> Posterior:
    """Return how likely each side and the region of practical equivalence are (Corani and Benavoli 2015).

    The posterior of the mean difference is Student's, as wide as Nadeau and Bengio's error; within `rope`
    of 0 the two are the same for practice.

    Parameters
    ----------
    differences
        One number per resample: the metric of one model less that of the other.
    n_train, n_test
        How many rows each resample was trained on, and tested on.
    rope
        The difference up to which the two are the same for practice.

    Returns
    -------
    Posterior
        The probabilities that the first is better, the same and worse, and the mean difference.

    Raises
    ------
    MetricError
        `differences` are not finite, or fewer than two; `n_train` or `n_test` is no number of rows; or
        `rope` is negative.

    Examples
    --------
    >>> d = [0.02, 0.015, -0.005, 0.03, 0.01, 0.022, 0.008, -0.002, 0.018, 0.012]
    >>> result = correlated_bayes(d, 900, 100)
    >>> round(result.same, 4), round(result.better, 4)
    (0.291, 0.7084)
    """
    _check_sizes(n_train, n_test)
    if rope < 0:
        raise MetricError(f"rope={rope!r} is the half of a width, at least 0.")
    values, mean, spread = _moments(differences)
    if not spread:  # all the probability lies on one side, or between
        return Posterior(float(mean < -rope), float(-rope <= mean <= rope), float(mean > rope))
    scale, df = math.sqrt((1 / len(values) + n_test / n_train) * spread), len(values) - 1
    worse = student_p((-rope - mean) / scale, df, "less")
    better = student_p((rope - mean) / scale, df, "greater")
    return Posterior(worse, max(0.0, 1 - worse - better), better)


def five_by_two_t(differences: Any, *, alternative: Alternative = "two-sided") -> TestResult:
    """Return the 5x2cv t test (Dietterich 1998), which depends on which difference comes first.

    Five rows, one per halving of the data, of two differences, one per half.

    Parameters
    ----------
    differences
        Five rows of two differences, one per half of the data.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `alternative` is not known; or there are not five pairs of finite differences.

    Examples
    --------
    >>> five_by_two_t([[0.02, 0.03], [-0.01, 0.015], [0.025, 0.01], [0.005, 0.02], [0.03, -0.005]])
    5x2cv t: statistic 1.291, df 5, p = 0.2532
    """
    values, spread = _five_by_two(differences)
    if not spread:
        return TestResult("5x2cv t", None, 5, Undefined("both halves always differ by the same"), alternative)
    statistic = float(values[0, 0]) / math.sqrt(spread / 5)
    return TestResult("5x2cv t", statistic, 5, student_p(statistic, 5, alternative), alternative)


def five_by_two_f(differences: Any) -> TestResult:
    """Return the combined 5x2cv F test (Alpaydin 1999), to be preferred: it uses all ten differences.

    Parameters
    ----------
    differences
        Five rows of two differences, one per half of the data.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        There are not five pairs of finite differences.

    Examples
    --------
    >>> five_by_two_f([[0.02, 0.03], [-0.01, 0.015], [0.025, 0.01], [0.005, 0.02], [0.03, -0.005]])
    5x2cv F: statistic 1.5417, df 10 and 5, p = 0.3307
    """
    values, spread = _five_by_two(differences)
    if not spread:
        return TestResult("5x2cv F", None, (10, 5), Undefined("both halves always differ by the same"))
    statistic = math.fsum(values.reshape(-1) ** 2) / (2 * spread)
    return TestResult("5x2cv F", statistic, (10, 5), f_p(statistic, (10, 5)))


def _moments(differences: Any) -> tuple[Any, float, float]:
    values = np.asarray(differences, dtype=np.float64).reshape(-1)
    if len(values) < 2 or not np.isfinite(values).all():  # noqa: PLR2004
        raise MetricError("differences are one finite number per resample, and at least two.")
    mean = math.fsum(values) / len(values)
    spread = math.fsum((values - mean) ** 2) / (len(values) - 1)
    return values, mean, spread if math.sqrt(spread) > TIE * abs(mean) else 0.0


def _five_by_two(differences: Any) -> tuple[Any, float]:
    values = np.asarray(differences, dtype=np.float64)
    if values.shape != _FIVE_BY_TWO or not np.isfinite(values).all():
        raise MetricError("a 5x2cv test takes five pairs of finite differences.")
    spread = math.fsum((values[:, 0] - values[:, 1]) ** 2 / 2)
    return values, spread if math.sqrt(spread) > TIE * float(np.abs(values).max()) else 0.0


def _check_sizes(n_train: float, n_test: float) -> None:
    if not (n_train > 0 and n_test > 0):
        raise MetricError(f"n_train={n_train!r} and n_test={n_test!r} count rows.")
