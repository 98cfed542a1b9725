"""Differences of paired proportions: intervals, non-inferiority and equivalence tests, Cochran's Q.

Only the rows on which two models disagree count: ``only_first`` where the first alone is right,
``only_second`` where the second alone is, of ``n`` rows.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from assay.errors import MetricError
from assay.hints import passed
from assay.inference.distributions import chi_square_p, normal_p
from assay.inference.estimate import Estimate
from assay.inference.formulas.mover import crossing
from assay.inference.formulas.proportions import Interval, normal_quantile
from assay.inference.test_result import TestResult
from assay.metrics import Undefined

__all__ = [
    "agresti_min",
    "bonett_price",
    "claims",
    "cochran_q",
    "equivalence",
    "noninferiority",
    "paired_difference",
    "paired_error",
    "tango",
    "wald",
]

_NO_SPREAD = Undefined("the rows show no spread")


def tango(only_first: float, only_second: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return the score interval of the difference of two paired proportions (Tango 1998).

    Parameters
    ----------
    only_first, only_second
        How many rows only the first model has right, and only the second.
    n
        How many rows there are.
    confidence
        The confidence level of the interval.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or the disagreements are negative, or more than `n`.

    Examples
    --------
    >>> low, high = tango(12, 5, 100)
    >>> round(low, 6), round(high, 6)
    (-0.011863, 0.157416)
    """
    _check(only_first, only_second, n)
    estimate = (only_first - only_second) / n

    def score(difference: float) -> float:
        distance = only_first - only_second - n * difference
        if not distance:
            return 0.0
        b = -only_first - only_second + (2 * n - only_first + only_second) * difference
        product = 8 * n * only_second * difference * (1 - difference)
        likeliest = (math.sqrt(max(b * b + product, 0.0)) - b) / (4 * n)
        spread = n * (2 * likeliest + difference * (1 - difference))
        return distance / math.sqrt(spread) if spread > 0 else math.copysign(math.inf, distance)

    z = normal_quantile(confidence)
    low = -1.0 if estimate <= -1 else crossing(score, z, estimate, -1.0)
    high = 1.0 if estimate >= 1 else crossing(score, -z, estimate, 1.0)
    return low, high


def bonett_price(only_first: float, only_second: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return the adjusted Wald interval: one row more on either side (Bonett and Price 2012).

    It holds the plain difference only by chance, as it is centred nearer 0.

    Parameters
    ----------
    only_first, only_second
        How many rows only the first model has right, and only the second.
    n
        How many rows there are.
    confidence
        The confidence level of the interval.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or the disagreements are negative, or more than `n`.

    Examples
    --------
    >>> low, high = bonett_price(12, 5, 100)
    >>> round(low, 4), round(high, 4)
    (-0.0141, 0.1513)
    """
    _check(only_first, only_second, n)
    first, second = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    centre = first - second
    half_width = normal_quantile(confidence) * math.sqrt((first + second - centre**2) / (n + 2))
    return max(-1.0, centre - half_width), min(1.0, centre + half_width)


def agresti_min(only_first: float, only_second: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return the adjusted Wald interval: half a row more in each of the four cells (Agresti and Min 2005).

    Parameters
    ----------
    only_first, only_second
        How many rows only the first model has right, and only the second.
    n
        How many rows there are.
    confidence
        The confidence level of the interval.

    Returns
    -------
    tuple[float, float]
        The lower and the upper limit.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or the disagreements are negative, or more than `n`.

    Examples
    --------
    >>> low, high = agresti_min(12, 5, 100)
    >>> round(low, 4), round(high, 4)
    (-0.0118, 0.1491)
    """
    _check(only_first, only_second, n)
    return wald(only_first + 0.5, only_second + 0.5, n + 2, confidence=confidence)


def paired_error(only_first: float, only_second: float, n: float) -> float:
    """Return the plain standard error of the difference of two paired proportions.

    Fleiss 1981.

    >>> round(paired_error(12, 5, 100), 6)
    0.040632
    """
    _check(only_first, only_second, n)
    return math.sqrt(only_first + only_second - (only_first - only_second) ** 2 / n) / n


def wald(only_first: float, only_second: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return the textbook's interval, which is too narrow for small n and empty where no row differs.

    >>> low, high = wald(12, 5, 100)
    >>> round(low, 4), round(high, 4)
    (-0.0096, 0.1496)
    """
    half_width = normal_quantile(confidence) * paired_error(only_first, only_second, n)
    centre = (only_first - only_second) / n
    return max(-1.0, centre - half_width), min(1.0, centre + half_width)


def paired_difference(
    only_first: float,
    only_second: float,
    n: float,
    *,
    confidence: float = 0.95,
    method: Literal["tango", "bonett-price", "agresti-min", "wald"] = "tango",
) -> Estimate:
    """Return the difference of two models' accuracies on the same rows, with its interval.

    Parameters
    ----------
    only_first, only_second
        How many rows only the first model has right, and only the second.
    n
        How many rows there are.
    confidence
        The confidence level of the interval.
    method
        ``"tango"``, ``"bonett-price"``, ``"agresti-min"`` or ``"wald"``.

    Returns
    -------
    Estimate
        The difference, first minus second, with its interval.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known; or the disagreements are
        negative, or more than `n`.

    Examples
    --------
    >>> paired_difference(12, 5, 100)
    0.07 [-0.01186, 0.1574]
    """
    methods = {"tango": tango, "bonett-price": bonett_price, "agresti-min": agresti_min, "wald": wald}
    if method not in methods:
        known = ", ".join(f'"{name}"' for name in methods)
        raise MetricError(f"method={method!r} is no interval for a paired difference: use {known}.")
    limits = methods[method](only_first, only_second, n, confidence=confidence)
    error = paired_error(only_first, only_second, n)
    difference = (only_first - only_second) / n
    return Estimate(difference, *limits, confidence, method, int(n), standard_error=error)


def noninferiority(difference: float, error: float, margin: float) -> TestResult:
    """Return the one-sided test that the first is worse than the second by a margin or more.

    A small p says it is not; larger must be better. The margin is fixed before the rows are seen
    (Blackwelder 1982).

    Parameters
    ----------
    difference, error
        The difference, first minus second, and its standard error.
    margin
        The difference that would not matter.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `margin` is not above 0.

    Examples
    --------
    >>> noninferiority(0.07, 0.0406325, 0.05)
    non-inferiority: statistic 2.9533, p = 0.001572
    """
    _check_margin(margin)
    if not error > 0:
        return TestResult(
            "non-inferiority", None, None, Undefined("the rows show no spread"), "greater", difference
        )
    z = (difference + margin) / error
    p = normal_p(z, "greater")
    return TestResult("non-inferiority", z, None, p, "greater", difference, standard_error=error)


def equivalence(difference: float, error: float, margin: float) -> TestResult:
    """Return the two one-sided tests that the two differ by a margin or more (Schuirmann 1987).

    The larger of both p-values, with its statistic; a small one says they do not.

    Parameters
    ----------
    difference, error
        The difference, first minus second, and its standard error.
    margin
        The difference that would not matter.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `margin` is not above 0.

    Examples
    --------
    >>> equivalence(0.07, 0.0406325, 0.05)
    equivalence: statistic 0.49222, p = 0.6887
    """
    _check_margin(margin)
    if not error > 0:
        return TestResult("equivalence", None, None, _NO_SPREAD, estimate=difference)
    below, above = (difference + margin) / error, (difference - margin) / error
    p_below, p_above = normal_p(below, "greater"), normal_p(above, "less")
    z, p = (below, p_below) if p_below >= p_above else (above, p_above)
    return TestResult("equivalence", z, None, p, estimate=difference, standard_error=error)


def claims(interval: Interval, margin: float) -> tuple[str, ...]:
    """Return what an interval of a difference allows to claim of the first, where larger is better.

    For one-sided tests at level alpha the interval's confidence is 1 - 2 alpha. "Not significant" is no
    claim, least of all that of equivalence.

    >>> claims((-0.012, 0.157), 0.05), claims((0.01, 0.04), 0.05)
    (('non-inferior',), ('superior', 'non-inferior', 'equivalent'))
    """
    _check_margin(margin)
    low, high = interval
    holds = {"superior": low > 0, "non-inferior": low > -margin, "equivalent": -margin < low <= high < margin}
    return tuple(name for name, allowed in holds.items() if allowed)


def cochran_q(correct: Any) -> TestResult:
    """Return the test that several models are right equally often on the same rows (Cochran 1950).

    One row per row, one column per model, 1 where it is right.

    Parameters
    ----------
    correct
        A table of 0 and 1: a row per row, a column per model.

    Returns
    -------
    TestResult
        The statistic, the p-value and what else the test gives.

    Raises
    ------
    MetricError
        `correct` holds something other than 0 and 1, or fewer than two models.

    Examples
    --------
    >>> cochran_q([[1, 1, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0]])
    Cochran Q: statistic 2.6667, df 2, p = 0.2636
    """
    right = np.asarray(correct)
    if right.ndim != 2 or right.shape[1] < 2:  # noqa: PLR2004 - axes, models
        raise MetricError("Cochran's Q compares two models or more: a row per row, a column per model.")
    if not np.isin(right, (0, 1)).all():
        raise MetricError("Cochran's Q takes 1 where a model is right, and 0 where it is not.")
    models = right.shape[1]
    of_model, of_row = (right.astype(np.int64).sum(axis) for axis in (0, 1))
    total = int(of_model.sum())
    spread = models * total - int((of_row**2).sum())
    if not spread:
        return TestResult(
            "Cochran Q", None, models - 1, Undefined("on every row all models are right, or none is")
        )
    statistic = (models - 1) * (models * int((of_model**2).sum()) - total**2) / spread
    return TestResult("Cochran Q", statistic, models - 1, chi_square_p(statistic, models - 1))


def _check(only_first: float, only_second: float, n: float) -> None:
    if n <= 0 or min(only_first, only_second) < 0 or only_first + only_second > n:
        raise MetricError(f"{only_first} and {only_second} of {n} rows are no disagreements.")


def _check_margin(margin: float) -> None:
    if not margin > 0:
        raise MetricError(f"{passed('margin', margin)} must be above 0.")
