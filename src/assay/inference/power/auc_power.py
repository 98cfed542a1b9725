"""Sample size and power for the area under the ROC curve. Round sizes up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

from assay.errors import MetricError
from assay.inference.distributions import normal_p, normal_point
from assay.inference.formulas.auc import hanley_mcneil
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.power.proportion_power import check_power, critical_value, rows_to_reach_one
from assay.metrics import Undefined, Value

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "area_detected",
    "binormal_covariance",
    "binormal_variance",
    "equal_binormal_variance",
    "level_of_area",
    "obuchowski_variance",
    "positives_for_area",
    "positives_for_area_difference",
    "positives_for_area_width",
    "power_of_area",
    "power_of_area_difference",
]

AreaMethod: TypeAlias = Literal["obuchowski", "hanley-mcneil"]


def obuchowski_variance(area: float, ratio: float) -> float:
    """Return what an area's variance times the positives tends to, with `ratio` negatives per positive.

    Obuchowski, Lieber and Wians 2004, with their rounded constants.

    Parameters
    ----------
    area
        The area under the ROC curve.
    ratio
        How many negatives there are per positive.

    Returns
    -------
    float
        The variance times the positives.

    Examples
    --------
    >>> round(obuchowski_variance(0.75, 2), 6)
    0.106817
    """
    a = 1.414 * normal_point(area)
    return 0.0099 * math.exp(-a * a / 2) * (5 * a * a + 8 + (a * a + 8) / ratio)


def positives_for_area_width(
    area: float,
    half_width: float,
    *,
    ratio: float = 1.0,
    confidence: float = 0.95,
    method: AreaMethod = "obuchowski",
) -> float:
    """Return how many positives leave an area no more than this on either side.

    Obuchowski, Lieber and Wians 2004, or Hanley and McNeil 1982.

    Parameters
    ----------
    area
        The area that is expected.
    half_width
        How far the interval may reach on either side.
    ratio
        How many negatives there are per positive.
    confidence
        The confidence level of the interval.
    method
        ``"obuchowski"`` or ``"hanley-mcneil"``.

    Returns
    -------
    float
        A number of positives: round it up.

    Raises
    ------
    MetricError
        `confidence` is no share between 0 and 1; or `method` is not known.

    Examples
    --------
    >>> round(positives_for_area_width(0.8, 0.05), 1)
    183.6
    """
    z = normal_quantile(confidence)
    return _solve_for_positives(lambda m: z * _error(area, m, m * ratio, method) / half_width)


def positives_for_area(
    area: float,
    *,
    null: float = 0.5,
    ratio: float = 1.0,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
    method: AreaMethod = "obuchowski",
) -> float:
    """Return how many positives a test of an area against another needs; pROC has it for one half.

    Obuchowski, Lieber and Wians 2004, or with the variances of Hanley and McNeil 1982.

    Parameters
    ----------
    area, null
        The area that is expected, and the one that it is tested against.
    ratio
        How many negatives there are per positive.
    alpha
        The level of the test.
    power
        The chance with which the test is to see the difference.
    one_sided
        Whether the test is one-sided.
    method
        ``"obuchowski"`` or ``"hanley-mcneil"``.

    Returns
    -------
    float
        A number of positives: round it up.

    Raises
    ------
    MetricError
        `alpha` or `power` is no share between 0 and 1; or the areas are not different ones between 0 and 1;
        or `method` is not known.

    Examples
    --------
    >>> round(positives_for_area(0.75, ratio=2), 4)
    14.4587
    """
    check_power(alpha, power)
    _check_areas(area, null)
    z_alpha, z_power = critical_value(alpha, one_sided=one_sided), normal_point(power)

    def error_ratio(m: float) -> float:
        errors = (_error(theta, m, m * ratio, method) for theta in (null, area))
        return sum(z * error for z, error in zip((z_alpha, z_power), errors, strict=True)) / abs(area - null)

    return _solve_for_positives(error_ratio)


def power_of_area(
    area: float,
    positives: float,
    negatives: float,
    *,
    null: float = 0.5,
    alpha: float = 0.05,
    one_sided: bool = False,
    method: AreaMethod = "obuchowski",
) -> float:
    """Return the power of a test of an area against another with so many rows.

    Obuchowski, Lieber and Wians 2004, or with the variances of Hanley and McNeil 1982.

    Parameters
    ----------
    area
        The area that is expected.
    positives, negatives
        How many rows each class has.
    null
        The area that it is tested against.
    alpha
        The level of the test.
    one_sided
        Whether the test is one-sided.
    method
        ``"obuchowski"`` or ``"hanley-mcneil"``.

    Returns
    -------
    float
        The power.

    Raises
    ------
    MetricError
        `alpha` or `power` is no share between 0 and 1; or the areas are not different ones between 0 and 1;
        or `method` is not known.

    Examples
    --------
    >>> round(power_of_area(0.73, 41, 72), 6)
    0.989745
    """
    check_power(alpha)
    _check_areas(area, null)
    null_error, error = (_error(theta, positives, negatives, method) for theta in (null, area))
    return normal_p(
        (abs(area - null) - critical_value(alpha, one_sided=one_sided) * null_error) / error, "less"
    )


def level_of_area(
    area: float,
    positives: float,
    negatives: float,
    *,
    null: float = 0.5,
    power: float = 0.8,
    one_sided: bool = False,
) -> float:
    """Return the level alpha at which a test with so many rows has this power.

    Obuchowski, Lieber and Wians 2004, as pROC has it.

    Parameters
    ----------
    area
        The area that is expected.
    positives, negatives
        How many rows each class has.
    null
        The area that it is tested against.
    power
        The chance with which the test is to see the difference.
    one_sided
        Whether the test is one-sided.

    Returns
    -------
    float
        A level.

    Raises
    ------
    MetricError
        `alpha` or `power` is no share between 0 and 1; or the areas are not different ones between 0 and 1.

    Examples
    --------
    >>> round(level_of_area(0.73, 41, 72, power=0.95), 6)
    0.009239
    """
    check_power(0.5, power)
    _check_areas(area, null)
    null_error, error = (_error(theta, positives, negatives, "obuchowski") for theta in (null, area))
    tail = normal_p((abs(area - null) - normal_point(power) * error) / null_error, "greater")
    return tail if one_sided else 2 * tail


def area_detected(
    positives: float,
    negatives: float,
    *,
    null: float = 0.5,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
) -> float:
    """Return the smallest area above `null` that a test with so many rows tells from it.

    Obuchowski, Lieber and Wians 2004, solved for the area.

    Parameters
    ----------
    positives, negatives
        How many rows each class has.
    null
        The area that it is tested against.
    alpha
        The level of the test.
    power
        The chance with which the test is to see the difference.
    one_sided
        Whether the test is one-sided.

    Returns
    -------
    float
        An area.

    Raises
    ------
    MetricError
        `alpha` or `power` is no share between 0 and 1; or `null` is no area between 0 and 1; or no area is
        told from it by so few rows.

    Examples
    --------
    >>> round(area_detected(41, 72, power=0.95), 4)
    0.6961
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - SciPy takes its time to load

    check_power(alpha, power)

    def log_shortage(area: float) -> float:
        needed = positives_for_area(
            area, null=null, ratio=negatives / positives, alpha=alpha, power=power, one_sided=one_sided
        )
        return math.log(needed / positives)

    lowest, highest = null + 1e-9, 1 - 1e-15
    if log_shortage(highest) > 0:
        raise MetricError(f"{positives} positives and {negatives} negatives are too few for any area.")
    return float(brentq(log_shortage, lowest, highest, xtol=1e-15, rtol=8.9e-16))


def positives_for_area_difference(
    difference: float,
    variances: tuple[float, float],
    covariance: float,
    positives: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
) -> Value:
    """Return how many positives a paired test of two areas needs, from a pilot with so many.

    Obuchowski and McClish 1997 as pROC has it: under no difference both models vary as the first. Undefined
    where the pilot's covariance is larger than that variance.

    Parameters
    ----------
    difference
        The difference of the areas that is expected.
    variances, covariance
        Those of the two areas in the pilot.
    positives
        How many positives the pilot had.
    alpha
        The level of the test.
    power
        The chance with which the test is to see the difference.
    one_sided
        Whether the test is one-sided.

    Returns
    -------
    float or Undefined
        A number of positives: round it up.

    Raises
    ------
    MetricError
        `alpha` or `power` is no share between 0 and 1; or the difference is 0.

    Examples
    --------
    >>> round(positives_for_area_difference(0.02, (0.0098, 0.0095), 0.0068, 10, power=0.9), 1)
    1544.7
    """
    check_power(alpha, power)
    spreads = _area_difference(variances, covariance, positives)
    if isinstance(spreads, Undefined):
        return spreads
    null_error, error = spreads
    top = critical_value(alpha, one_sided=one_sided) * null_error + normal_point(power) * error
    if not difference:
        raise MetricError("no number of rows shows a difference of 0.")
    return rows_to_reach_one(top / abs(difference))


def power_of_area_difference(
    difference: float,
    variances: tuple[float, float],
    covariance: float,
    positives: float,
    *,
    alpha: float = 0.05,
    one_sided: bool = False,
) -> Value:
    """Return the chance that a paired test sees the difference in as many rows as the pilot had.

    Obuchowski and McClish 1997.

    Parameters
    ----------
    difference
        The difference of the areas that is expected.
    variances, covariance
        Those of the two areas in the pilot.
    positives
        How many positives the pilot had.
    alpha
        The level of the test.
    one_sided
        Whether the test is one-sided.

    Returns
    -------
    float or Undefined
        The power.

    Raises
    ------
    MetricError
        `alpha` or `power` is no share between 0 and 1.

    Examples
    --------
    >>> round(power_of_area_difference(0.02, (0.0098, 0.0095), 0.0068, 10), 4)
    0.0404
    """
    check_power(alpha)
    spreads = _area_difference(variances, covariance, positives)
    if isinstance(spreads, Undefined):
        return spreads
    null_error, error = spreads
    seen = abs(difference) * math.sqrt(positives)
    return normal_p((seen - critical_value(alpha, one_sided=one_sided) * null_error) / error, "less")


def equal_binormal_variance(area: float, positives: int, negatives: int) -> float:
    """Return an area's variance where the scores of both classes are normal with one variance, exactly.

    So are those of any rising function of such scores. Bamber 1975: two rows of one class are both on the
    right side of one of the other with a probability of the bivariate normal distribution, correlation 1/2.

    Parameters
    ----------
    area
        The area under the ROC curve.
    positives, negatives
        How many rows each class has.

    Returns
    -------
    float
        The variance.

    Examples
    --------
    >>> round(equal_binormal_variance(0.8, 100, 100), 7), round(obuchowski_variance(0.8, 1.0) / 100, 7)
    (0.0009496, 0.0011946)
    """
    from scipy.special import owens_t  # noqa: PLC0415 - SciPy takes its time to load

    both = area - 2 * float(owens_t(normal_point(area), math.sqrt(1 / 3)))
    pairs = positives * negatives
    return (area * (1 - area) + (positives + negatives - 2) * (both - area * area)) / pairs


def binormal_variance(a: float, b: float, ratio: float) -> float:
    """Return a binormal area's variance times the positives (Obuchowski and McClish 1997, formula 4).

    As published, which leaves out that intercept and slope vary together and so is a little too large.

    Parameters
    ----------
    a, b
        Intercept and slope of the binormal curve.
    ratio
        How many negatives there are per positive.

    Returns
    -------
    float
        The variance times the positives.

    Examples
    --------
    >>> round(binormal_variance(1.19, 1.0, 1.0), 4), round(obuchowski_variance(0.8, 1.0), 4)
    (0.12, 0.1195)
    """
    f = _by_intercept(a, b)
    g = -f * a * b / (1 + b * b)
    return f * f * (1 + b * b / ratio + a * a / 2) + g * g * b * b * (1 + ratio) / (2 * ratio)


def binormal_covariance(
    first: tuple[float, float],
    second: tuple[float, float],
    of_positives: float,
    of_negatives: float,
    ratio: float,
) -> float:
    """Return two binormal areas' covariance times the positives (Obuchowski and McClish 1997, formula 5).

    The curves have intercept and slope (a, b); the scores correlate by so much within either class.

    Parameters
    ----------
    first, second
        Intercept and slope of each model's binormal curve.
    of_positives, of_negatives
        The correlation of the two models' scores within each class.
    ratio
        How many negatives there are per positive.

    Returns
    -------
    float
        The covariance times the positives.

    Examples
    --------
    >>> round(binormal_covariance((1.2, 1.0), (1.1, 0.9), 0.6, 0.6, 2.0), 6)
    0.0402
    """
    (a1, b1), (a2, b2) = first, second
    f1, f2 = _by_intercept(a1, b1), _by_intercept(a2, b2)
    g1, g2 = (-f * a * b / (1 + b * b) for f, a, b in ((f1, a1, b1), (f2, a2, b2)))
    r, s = of_positives, of_negatives
    both = f1 * f2 * (r + s * b1 * b2 / ratio + r * r * a1 * a2 / 2)
    both += g1 * g2 * b1 * b2 * (s * s + ratio * r * r) / (2 * ratio)
    return both + (f1 * g2 * a1 * b2 + f2 * g1 * a2 * b1) * r * r / 2


def _by_intercept(a: float, b: float) -> float:
    """Return the slope of a binormal area by its intercept."""
    return math.exp(-a * a / (2 * (1 + b * b))) / math.sqrt(2 * math.pi * (1 + b * b))


def _error(area: float, positives: float, negatives: float, method: AreaMethod) -> float:
    """Return an area's standard error as a method foresees it."""
    if method == "hanley-mcneil":
        return math.sqrt(hanley_mcneil(area, positives, negatives))
    if method != "obuchowski":
        raise MetricError(f'method={method!r} is not known: use "obuchowski" or "hanley-mcneil".')
    return math.sqrt(obuchowski_variance(area, negatives / positives) / positives)


def _solve_for_positives(error_ratio: Callable[[float], float]) -> float:
    """Return for how many positives a ratio that falls with their number is 1."""
    from scipy.optimize import brentq  # noqa: PLC0415

    # It falls nearly with the root of the number, exactly so for Obuchowski's variance.
    low = high = math.log(rows_to_reach_one(error_ratio(1.0)))
    while error_ratio(math.exp(low)) < 1:
        low -= 1
    while error_ratio(math.exp(high)) > 1:
        high += 1
    return math.exp(brentq(lambda x: math.log(error_ratio(math.exp(x))), low, high, xtol=1e-15, rtol=8.9e-16))


def _area_difference(
    variances: tuple[float, float], covariance: float, positives: float
) -> tuple[float, float] | Undefined:
    null = 2 * (variances[0] - covariance) * positives
    spread = (sum(variances) - 2 * covariance) * positives
    if null < 0 or spread <= 0:
        return Undefined("the first model varies less than the two vary together")
    return math.sqrt(null), math.sqrt(spread)


def _check_areas(area: float, null: float) -> None:
    if area == null or not (0 < area < 1 and 0 < null < 1):
        raise MetricError(f"{area!r} and {null!r} are not two different areas between 0 and 1.")
