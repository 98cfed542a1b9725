"""p-values and quantiles of the normal, t, chi-square and F distributions, from survival functions.

A p-value taken as ``1 - cdf`` is 0 as soon as it is below 1e-16; a survival function keeps its digits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from assay.errors import MetricError
from assay.inference.formulas.proportions import check_confidence

if TYPE_CHECKING:
    from assay.inference.test_result import Alternative

__all__ = ["chi_square_p", "expit", "f_p", "normal_p", "normal_point", "student_p", "student_quantile"]


def normal_p(z: float, alternative: Alternative = "two-sided") -> float:
    """Return the p-value of a standard normal statistic.

    Parameters
    ----------
    z
        The statistic.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.

    Returns
    -------
    float
        The p-value.

    Raises
    ------
    MetricError
        `alternative` is not known.

    Examples
    --------
    >>> f"{normal_p(33.2):.3g}"
    '1.08e-241'
    """
    tail = _tail(z, alternative)
    return math.erfc(tail / math.sqrt(2)) / (1 if alternative == "two-sided" else 2)


def normal_point(share: float) -> float:
    """Return the quantile of the standard normal distribution.

    >>> round(normal_point(0.975), 6)
    1.959964
    """
    from scipy.special import ndtri  # noqa: PLC0415 - SciPy takes its time to load

    return float(ndtri(share))


def student_p(t: float, df: float, alternative: Alternative = "two-sided") -> float:
    """Return the p-value of Student's t; the degrees of freedom may be fractional, or infinite.

    Parameters
    ----------
    t, df
        The statistic and its degrees of freedom.
    alternative
        ``"two-sided"``, or ``"greater"`` or ``"less"`` than what the null hypothesis says.

    Returns
    -------
    float
        The p-value.

    Raises
    ------
    MetricError
        `alternative` is not known.

    Examples
    --------
    >>> round(student_p(2.364624251, 7), 9), round(student_p(1.959963985, math.inf), 9)
    (0.05, 0.05)
    """
    if math.isinf(df):
        return normal_p(t, alternative)
    from scipy.special import betainc  # noqa: PLC0415

    tail = _tail(t, alternative)
    if math.isinf(tail):
        return 0.0 if tail > 0 else 1.0
    both = float(betainc(df / 2, 0.5, df / (df + tail * tail)))
    if alternative == "two-sided":
        return both
    return both / 2 if tail > 0 else 1 - both / 2


def student_quantile(confidence: float, df: float) -> float:
    """Return the half width, in standard errors, of a two-sided interval by Student's t.

    Parameters
    ----------
    confidence
        The confidence level of the interval.
    df
        Degrees of freedom, which may be fractional or infinite.

    Returns
    -------
    float
        The quantile.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> round(student_quantile(0.95, 7), 6)
    2.364624
    """
    from scipy.special import stdtrit  # noqa: PLC0415

    check_confidence(confidence)
    return float(-stdtrit(df, (1 - confidence) / 2))


def chi_square_p(statistic: float, df: float) -> float:
    """Return the p-value of a chi-square statistic.

    Parameters
    ----------
    statistic, df
        The statistic and its degrees of freedom.

    Returns
    -------
    float
        The p-value.

    Examples
    --------
    >>> round(chi_square_p(3.841458820694124, 1), 12)
    0.05
    """
    from scipy.special import chdtrc  # noqa: PLC0415

    return float(chdtrc(df, statistic))


def f_p(statistic: float, df: tuple[float, float]) -> float:
    """Return the p-value of an F statistic.

    Parameters
    ----------
    statistic, df
        The statistic, and the degrees of freedom of its numerator and denominator.

    Returns
    -------
    float
        The p-value.

    Examples
    --------
    >>> round(f_p(4.735063069693282, (10, 5)), 6)
    0.05
    """
    from scipy.special import fdtrc  # noqa: PLC0415

    return float(fdtrc(*df, statistic))


def expit(x: float) -> float:
    """Return the inverse logit, without overflow.

    >>> expit(0), expit(-800)
    (0.5, 0.0)
    """
    return 1 / (1 + math.exp(-x)) if x >= 0 else (small := math.exp(x)) / (1 + small)


def check_alternative(alternative: Any) -> None:
    """Raise unless an alternative is one that tests know."""
    if alternative not in ("two-sided", "greater", "less"):
        raise MetricError(f'alternative={alternative!r} is not known: use "two-sided", "greater" or "less".')


def _tail(statistic: float, alternative: Alternative) -> float:
    """Return the statistic oriented so that large values favour the alternative."""
    check_alternative(alternative)
    if alternative == "two-sided":
        return abs(statistic)
    return statistic if alternative == "greater" else -statistic
