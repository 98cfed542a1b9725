"""Rank tests of several models over several data sets: one row per data set, one column per model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.inference.distributions import chi_square_p, f_p
from assay.inference.test_result import TestResult
from assay.metrics import Undefined

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["critical_difference", "friedman", "iman_davenport", "mean_ranks", "nemenyi", "range_p"]

_MAX_NORMAL_DEVIATE = 9.0  # the density beyond it is negligible
_STEP = 0.02


def mean_ranks(scores: Any, *, larger_is_better: bool = True) -> NDArray[np.float64]:
    """Return each model's mean rank over the data sets: 1 is best, ties share their mean rank.

    Parameters
    ----------
    scores
        A row per data set, a column per model.
    larger_is_better
        False for losses.

    Returns
    -------
    NDArray
        A mean rank per model.

    Raises
    ------
    MetricError
        `scores` are no table of two models at least.

    Examples
    --------
    >>> mean_ranks([[0.9, 0.88, 0.85], [0.7, 0.8, 0.7]])
    array([1.75, 1.5 , 2.75])
    """
    return np.asarray(_ranks(scores, larger_is_better=larger_is_better)[0].mean(0))


def friedman(scores: Any, *, tie_corrected: bool = True) -> TestResult:
    """Return the test that all models rank alike over the data sets: chi-square (Friedman 1937).

    Parameters
    ----------
    scores
        A row per data set, a column per model.
    tie_corrected
        Whether the statistic is corrected for ties.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `scores` are no table of two models at least.

    Examples
    --------
    >>> friedman([[0.9, 0.88, 0.85], [0.75, 0.78, 0.7], [0.66, 0.65, 0.6], [0.81, 0.79, 0.8]])
    Friedman: statistic 4.5, df 2, p = 0.1054
    """
    statistic, _, models = _friedman(scores, tie_corrected=tie_corrected)
    if math.isnan(statistic):
        return TestResult("Friedman", None, models - 1, Undefined("on every data set all models tie"))
    return TestResult("Friedman", statistic, models - 1, chi_square_p(statistic, models - 1))


def iman_davenport(scores: Any, *, tie_corrected: bool = True) -> TestResult:
    """Return Friedman's test as an F, which is less timid (Iman and Davenport 1980; Demsar 2006).

    Parameters
    ----------
    scores
        A row per data set, a column per model.
    tie_corrected
        Whether the statistic is corrected for ties.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `scores` are no table of two models at least.

    Examples
    --------
    >>> iman_davenport([[0.9, 0.88, 0.85], [0.75, 0.78, 0.7], [0.66, 0.65, 0.6], [0.81, 0.79, 0.8]])
    Iman-Davenport: statistic 3.8571, df 2 and 6, p = 0.08374
    """
    statistic, sets, models = _friedman(scores, tie_corrected=tie_corrected)
    df = (models - 1, (models - 1) * (sets - 1))
    if math.isnan(statistic):
        return TestResult("Iman-Davenport", None, df, Undefined("on every data set all models tie"))
    left = sets * (models - 1) - statistic
    if left <= 1e-12 * sets * models:  # every data set ranks the models alike
        return TestResult("Iman-Davenport", math.inf, df, 0.0, note="every data set ranks the models alike")
    ratio = (sets - 1) * statistic / left
    return TestResult("Iman-Davenport", ratio, df, f_p(ratio, df))


def critical_difference(models: int, sets: int, *, alpha: float = 0.05) -> float:
    """Return how far two mean ranks must lie apart to differ, all pairs at once (Nemenyi 1963).

    Pairwise Wilcoxon tests with Holm's correction are to be preferred: mean ranks depend on the other models
    (Benavoli, Corani and Mangili 2016).

    Parameters
    ----------
    models, sets
        How many models there are, and how many data sets.
    alpha
        The level of the test.

    Returns
    -------
    float
        A distance of mean ranks.

    Raises
    ------
    MetricError
        There are fewer than two models or one data set; or `alpha` is no share between 0 and 1.

    Examples
    --------
    >>> round(critical_difference(3, 6), 6)
    1.353136
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - SciPy takes its time to load

    if models < 2 or sets < 1 or not 0 < alpha < 1:  # noqa: PLR2004
        raise MetricError(f"no critical difference for {models} models on {sets} data sets at {alpha!r}.")
    quantile = brentq(lambda q: math.log(range_p(q, models)) - math.log(alpha), 1e-6, 40.0, xtol=1e-14)
    return float(quantile) / math.sqrt(2) * _rank_error(models, sets)


def nemenyi(scores: Any) -> NDArray[np.float64]:
    """Return the p-value of each pair of models, all pairs at once; 1 on the diagonal.

    Nemenyi 1963.

    Parameters
    ----------
    scores
        A row per data set, a column per model.

    Returns
    -------
    NDArray
        A square matrix of p-values.

    Raises
    ------
    MetricError
        `scores` are no table of two models at least.

    Examples
    --------
    >>> nemenyi([[0.9, 0.88, 0.85], [0.75, 0.78, 0.7], [0.66, 0.65, 0.6], [0.81, 0.79, 0.8]]).round(3)[0]
    array([1.   , 0.539, 0.086])
    """
    ranks = mean_ranks(scores)
    models, sets = len(ranks), len(np.asarray(scores))
    apart = np.abs(np.subtract.outer(ranks, ranks)) / _rank_error(models, sets) * math.sqrt(2)
    return np.array([[range_p(float(q), models) for q in row] for row in apart])


def range_p(q: float, size: int) -> float:
    """Return the upper tail of the studentised range of so many normal deviates with known variance.

    >>> round(range_p(3.314493, 3), 6)
    0.05
    """
    from scipy.special import ndtr  # noqa: PLC0415

    if q <= 0:
        return 1.0
    # Over the largest deviate x: the others lie below x, and not all of them within q of it. Trapezia are
    # exact to rounding here, as the integrand and all its slopes vanish at both ends.
    x = np.arange(-_MAX_NORMAL_DEVIATE, _MAX_NORMAL_DEVIATE + q, _STEP)
    below = ndtr(x)
    with np.errstate(divide="ignore"):  # all the others within q, but for rounding
        missing = -np.expm1((size - 1) * np.log1p(-ndtr(x - q) / below))
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return min(1.0, size * _STEP * float((density * below ** (size - 1) * missing).sum()))


def _rank_error(models: int, sets: int) -> float:
    return math.sqrt(models * (models + 1) / (6 * sets))


def _ranks(scores: Any, *, larger_is_better: bool) -> tuple[NDArray[np.float64], float]:
    """Return the ranks within each data set, and the sum of t³ - t over all ties."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):  # noqa: PLR2004
        raise MetricError("scores are a table: one row per data set, one column per model, two at least.")
    if not np.isfinite(values).all():
        raise MetricError("a score is not a finite number: leave out the data set, or the model.")
    ranks, ties = np.empty(values.shape), 0.0
    for index, row in enumerate(-values if larger_is_better else values):
        _, level, sizes = np.unique(row, return_inverse=True, return_counts=True)
        ranks[index] = (np.cumsum(sizes) - (sizes - 1) / 2)[level]
        ties += float((sizes**3 - sizes).sum())
    return ranks, ties


def _friedman(scores: Any, *, tie_corrected: bool) -> tuple[float, int, int]:
    ranks, ties = _ranks(scores, larger_is_better=True)
    sets, models = ranks.shape
    means = ranks.mean(0)
    spread = float(((means - (models + 1) / 2) ** 2).sum())
    statistic = 12 * sets / (models * (models + 1)) * spread
    if tie_corrected:
        share = 1 - ties / (sets * (models**3 - models))
        statistic = statistic / share if share > 0 else math.nan
    return statistic, sets, models
