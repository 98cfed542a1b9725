"""Sample size and power for proportions, of one model or of two on the same rows. Round sizes up."""

from __future__ import annotations

import math

from assay.errors import MetricError
from assay.inference.distributions import normal_p, normal_point
from assay.inference.formulas.proportions import normal_quantile

__all__ = [
    "check_power",
    "critical_value",
    "power_of_paired",
    "power_of_two_proportions",
    "rows_for_paired",
    "rows_for_two_proportions",
    "rows_for_width",
    "rows_to_reach_one",
]


def rows_for_width(share: float, half_width: float, *, confidence: float = 0.95) -> float:
    """Return how many rows leave a proportion no more than this on either side: z² p (1 - p) / h².

    Parameters
    ----------
    share
        The proportion that is expected.
    half_width
        How far the interval may reach on either side.
    confidence
        The confidence level of the interval.

    Returns
    -------
    float
        A number of rows: round it up.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> round(rows_for_width(0.9, 0.03), 2)
    384.15
    """
    return normal_quantile(confidence) ** 2 * share * (1 - share) / half_width**2


def rows_for_two_proportions(
    first: float, second: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return how many rows each of two groups needs for a two-sided test to see them apart (Fleiss 1981).

    Parameters
    ----------
    first, second
        The two proportions that are expected.
    alpha
        The level of the test.
    power
        The chance with which the test is to see the difference.

    Returns
    -------
    float
        A number of rows for each group: round it up.

    Raises
    ------
    MetricError
        `alpha` or `power` is no share between 0 and 1; or the two are not different shares.

    Examples
    --------
    >>> round(rows_for_two_proportions(0.8, 0.87), 2)
    440.2
    """
    check_power(alpha, power)
    null, spread, gap = _two_proportions(first, second)
    return rows_to_reach_one((critical_value(alpha) * null + normal_point(power) * spread) / gap)


def power_of_two_proportions(first: float, second: float, n: float, *, alpha: float = 0.05) -> float:
    """Return the chance that two groups of n rows each are seen apart.

    Fleiss 1981.

    Parameters
    ----------
    first, second
        The two proportions that are expected.
    n
        How many rows each group has.
    alpha
        The level of the test.

    Returns
    -------
    float
        The power.

    Raises
    ------
    MetricError
        `alpha` or `power` is no share between 0 and 1; or the two are not different shares.

    Examples
    --------
    >>> round(power_of_two_proportions(0.8, 0.87, 450), 4)
    0.8086
    """
    check_power(alpha)
    null, spread, gap = _two_proportions(first, second)
    excess = gap * math.sqrt(n) - critical_value(alpha) * null
    return normal_p(excess / spread, "less") if spread else float(excess > 0)


def rows_for_paired(
    discordance: float, difference: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return how many rows McNemar's test needs for a difference of two models' accuracies (Connor 1987).

    `discordance` is the share of rows on which exactly one of the two is right.

    Parameters
    ----------
    discordance
        The share of rows on which exactly one of the models is right.
    difference
        The difference of the accuracies.
    alpha
        The level of the test.
    power
        The chance with which the test is to see the difference.

    Returns
    -------
    float
        A number of rows: round it up.

    Raises
    ------
    MetricError
        `alpha` or `power` is no share between 0 and 1; or models that disagree so rarely cannot differ by so
        much.

    Examples
    --------
    >>> round(rows_for_paired(0.12, 0.04), 2)
    586.3
    """
    check_power(alpha, power)
    spread = _discordant(discordance, difference)
    ratio = (critical_value(alpha) * math.sqrt(discordance) + normal_point(power) * spread) / abs(difference)
    return rows_to_reach_one(ratio)


def power_of_paired(discordance: float, difference: float, n: float, *, alpha: float = 0.05) -> float:
    """Return the power of McNemar's test of the difference with n rows.

    Connor 1987.

    Parameters
    ----------
    discordance
        The share of rows on which exactly one of the models is right.
    difference
        The difference of the accuracies.
    n
        How many rows there are.
    alpha
        The level of the test.

    Returns
    -------
    float
        The power.

    Raises
    ------
    MetricError
        `alpha` or `power` is no share between 0 and 1; or models that disagree so rarely cannot differ by so
        much.

    Examples
    --------
    >>> round(power_of_paired(0.12, 0.04, 600), 4)
    0.809
    """
    check_power(alpha)
    spread = _discordant(discordance, difference)
    excess = abs(difference) * math.sqrt(n) - critical_value(alpha) * math.sqrt(discordance)
    return normal_p(excess / spread, "less") if spread else float(excess > 0)


def critical_value(alpha: float, *, one_sided: bool = False) -> float:
    """Return the critical value of a normal test at level alpha, in standard errors.

    >>> round(critical_value(0.05), 6), round(critical_value(0.05, one_sided=True), 6)
    (1.959964, 1.644854)
    """
    return -normal_point(alpha if one_sided else alpha / 2)


def rows_to_reach_one(ratio: float) -> float:
    """Return for how many rows a ratio that falls with the root of their number is 1, from that of one row.

    >>> rows_to_reach_one(3.0)
    9.0
    """
    if ratio <= 0:
        raise MetricError("any number of rows has more power than that.")
    return ratio * ratio


def check_power(alpha: float, power: float = 0.5) -> None:
    """Raise unless both are shares."""
    if not (0 < alpha < 1 and 0 < power < 1):
        raise MetricError(f"alpha={alpha!r} and power={power!r} are shares between 0 and 1.")


def _two_proportions(first: float, second: float) -> tuple[float, float, float]:
    if first == second or not (0 <= first <= 1 and 0 <= second <= 1):
        raise MetricError(f"{first!r} and {second!r} are not two different shares.")
    mean = (first + second) / 2
    spread = first * (1 - first) + second * (1 - second)
    return math.sqrt(2 * mean * (1 - mean)), math.sqrt(spread), abs(first - second)


def _discordant(discordance: float, difference: float) -> float:
    if not 0 < abs(difference) <= discordance <= 1:
        raise MetricError(f"{difference!r} is no difference of models that disagree on {discordance!r}.")
    return math.sqrt(discordance - difference**2)
