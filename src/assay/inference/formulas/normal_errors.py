"""Intervals of regression metrics that hold if errors are normal; the delta method needs no such thing."""

from __future__ import annotations

import math

from assay.errors import MetricError
from assay.inference.formulas.proportions import Interval, check_confidence, normal_quantile

__all__ = ["lin_interval", "normal_root_interval"]


def normal_root_interval(value: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return the exact interval of RMSE if the errors are normal about 0: chi-square with n degrees.

    Parameters
    ----------
    value
        The root mean squared error.
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
        `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> low, high = normal_root_interval(0.5279678, 8)
    >>> round(low, 6), round(high, 6)
    (0.35662, 1.011465)
    """
    from scipy.special import chdtri  # noqa: PLC0415 - SciPy takes its time to load

    check_confidence(confidence)
    tail = (1 - confidence) / 2
    below, above = (value * math.sqrt(n / float(chdtri(n, p))) for p in (tail, 1 - tail))
    return below, above


def lin_interval(
    value: float, correlation: float, shift: float, n: int, *, confidence: float = 0.95
) -> tuple[float, Interval]:
    """Return Lin's standard error of the concordance correlation for normal rows, and the atanh interval.

    Lin 1989 with the correction of 2000. `shift` is the squared distance of the means over the product of
    the two standard deviations.

    Parameters
    ----------
    value
        The concordance correlation.
    correlation
        Pearson's correlation of the same rows.
    shift
        The squared distance of the means over the product of the standard deviations.
    n
        How many rows there are.
    confidence
        The confidence level of the interval.

    Returns
    -------
    tuple[float, Interval]
        The standard error, and the limits.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or there are fewer than three rows; or the correlation is
        0.

    Examples
    --------
    >>> error, (low, high) = lin_interval(0.9067, 0.9571, 0.0001, 8)
    >>> round(error, 4), round(low, 4), round(high, 4)
    (0.0473, 0.7563, 0.9661)
    """
    if n <= 2 or not correlation:  # noqa: PLR2004
        raise MetricError("Lin's error needs three rows and a correlation other than 0.")
    r, k = correlation, value
    spread = (1 - r**2) * k**2 * (1 - k**2) / r**2
    spread += 2 * k**3 * (1 - k) * shift / r - k**4 * shift**2 / (2 * r**2)
    error = math.sqrt(spread / (n - 2))
    half_width = normal_quantile(confidence) * error / (1 - k**2)
    return error, (math.tanh(math.atanh(k) - half_width), math.tanh(math.atanh(k) + half_width))
