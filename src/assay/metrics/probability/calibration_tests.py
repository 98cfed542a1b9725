"""Tests of calibration and the recalibration line: Cox, Spiegelhalter, Hosmer and Lemeshow."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from assay.metrics.arithmetic import limit_ratio, ratio, root, total
from assay.metrics.metric import metric
from assay.metrics.probability.binning import Ties, binned
from assay.metrics.probability.logistic_recalibration import (
    LogisticFit,
    fit_both,
    fit_intercept,
    no_fit,
    no_intercept,
)
from assay.metrics.undefined import NO_ROWS, Undefined
from assay.metrics.views.probability import Probabilities, one_by_one

__all__ = ["CalibrationTest", "CoxFit", "cox", "hosmer_lemeshow_test", "spiegelhalter_test"]

NO_SPREAD = "every probability is 0, 1/2 or 1, so that the Brier score cannot vary"
NO_VARIANCE = "a group's probabilities are all 0 or all 1, as its rows are"
NO_DEGREES = f"{NO_VARIANCE}, or there are no more than two groups and the model was fitted to these rows"

_BLOCK = 1 << 17  # probabilities at a time: more than are added exactly


@dataclasses.dataclass(frozen=True, slots=True)
class CoxFit:
    """The recalibration line on the logit scale, and the test of intercept 0 and slope 1.

    `in_the_large` is the intercept of the line whose slope is fixed at 1. Errors are standard errors.
    """

    intercept: float
    slope: float
    intercept_error: float
    slope_error: float
    likelihood_ratio: float
    p_value: float
    in_the_large: float
    in_the_large_error: float


def cox(tally: Any, *, clip: float = 0.0) -> CoxFit | Undefined:
    """Return the fit of ``logit(rate) = intercept + slope logit(p)`` (Cox 1958): 0 and 1 for calibrated ones.

    Parameters
    ----------
    tally
        Rows with probabilities, or a score tally of them.
    clip
        Move probabilities into [clip, 1 - clip] first.

    Returns
    -------
    CoxFit or Undefined
        Intercept and slope with their errors, and the test that they are 0 and 1; undefined where none fits.

    Raises
    ------
    MetricError
        A score is no probability.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1] * 9, score=[0.125, 0.25, 0.5, 0.75] * 9))
    >>> fit = cox(tally)
    >>> round(fit.intercept, 3), round(fit.slope, 3)
    (0.41, 0.826)
    """
    view = Probabilities.of(tally, clip=clip)
    line, shift = (fit_both(view), fit_intercept(view)) if len(view.p) else (None, None)
    if line is None or shift is None:
        return Undefined(no_fit(view) if len(view.p) else NO_ROWS)
    statistic = 2 * line.log_likelihood_gain
    return CoxFit(
        line.intercept, line.slope, line.intercept_error, line.slope_error,
        statistic, math.exp(-statistic / 2),  # a chi-squared of two degrees
        shift.intercept, shift.intercept_error,
    )  # fmt: skip


@metric(
    reads=Probabilities, kind="moments", bounds=(-math.inf, math.inf), best=0, undefined=no_fit,
    aliases=("recalibration_intercept",), title="Cox intercept",
)  # fmt: skip
@one_by_one
def cox_intercept(v: Probabilities) -> Any:
    """Intercept of the recalibration line on the logit scale: ``a in logit(rate) = a + b logit(p)``."""
    return _coefficient(fit_both(v), "intercept")


@metric(
    reads=Probabilities, kind="moments", bounds=(-math.inf, math.inf), best=1, undefined=no_fit,
    aliases=("calibration_slope", "recalibration_slope"), title="calibration slope",
)  # fmt: skip
@one_by_one
def cox_slope(v: Probabilities) -> Any:
    """Calibration slope: below 1 where probabilities are too extreme, above 1 where they are too moderate.

    ``b in logit(rate) = a + b logit(p)``
    """
    return _coefficient(fit_both(v), "slope")


@metric(
    reads=Probabilities, kind="moments", bounds=(-math.inf, math.inf), best=0, undefined=no_intercept,
    aliases=("citl", "calibration_intercept"),
)  # fmt: skip
@one_by_one
def calibration_in_the_large(v: Probabilities) -> Any:
    """Calibration in the large: above 0 where probabilities are too low overall, below 0 where too high.

    ``a in logit(rate) = a + logit(p)``
    """
    return _coefficient(fit_intercept(v), "intercept")


def _coefficient(fit: LogisticFit | None, name: str) -> float:
    return math.nan if fit is None else getattr(fit, name)


@metric(
    reads=Probabilities, kind="moments", bounds=(0, math.inf), best=1,
    undefined="there are no positives, and none are expected", aliases=("oe_ratio", "observed_to_expected"),
    title="observed/expected",
)  # fmt: skip
def observed_expected_ratio(v: Probabilities) -> Any:
    """Observed positives over expected ones: ``positives / sum(p)``."""
    return limit_ratio(v.observed, v.expected)


@dataclasses.dataclass(frozen=True, slots=True)
class CalibrationTest:
    """The result of a test that the probabilities are right.

    `degrees` are those of its chi-squared distribution, None where it is a standard normal.
    """

    statistic: float
    p_value: float
    degrees: int | None = None


def spiegelhalter_test(tally: Any, *, clip: float = 0.0) -> CalibrationTest | Undefined:
    """Return Spiegelhalter's test: whether right probabilities would give such a Brier score.

    Parameters
    ----------
    tally
        Rows with probabilities, or a score tally of them.
    clip
        Move probabilities into [clip, 1 - clip] first.

    Returns
    -------
    CalibrationTest or Undefined
        The statistic, a standard normal if they are right, and the two-sided p-value.

    Raises
    ------
    MetricError
        A score is no probability.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1] * 25, score=[0.1, 0.3, 0.6, 0.8] * 25)
    >>> found = spiegelhalter_test(rows)
    >>> round(found.statistic, 3), round(found.p_value, 4)
    (2.513, 0.012)
    """
    z = spiegelhalter_z(tally, clip=clip)
    return z if isinstance(z, Undefined) else CalibrationTest(z, _two_sided(z))


def _two_sided(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2))


@metric(
    reads=Probabilities, kind="statistic", bounds=(-math.inf, math.inf), best=None, undefined=NO_SPREAD,
    title="Spiegelhalter z", depends_on_n=True,
)  # fmt: skip
def spiegelhalter_z(v: Probabilities) -> Any:
    """Brier score less its mean under right probabilities, in standard deviations (Spiegelhalter).

    ``sum((y - p) (1 - 2 p)) / sqrt(sum((1 - 2 p)² p (1 - p)))``

    With weights w, the sums are of w above and of w² below: the standard deviation of a weighted sum.
    """
    # In blocks that fit the processor's cache: for many probabilities, memory allocation takes the time.
    sums = [_spiegelhalter_sums(v, begin) for begin in range(0, max(len(v.p), 1), _BLOCK)]
    excess, spread = (sum(part[1:], start=part[0]) for part in zip(*sums, strict=True))
    return ratio(excess, root(spread))


def _spiegelhalter_sums(v: Probabilities, begin: int) -> tuple[Any, Any]:
    block = slice(begin, begin + _BLOCK)
    p, positives, negatives = v.p[block], v.positives[..., block], v.negatives[..., block]
    rows, tilt = positives + negatives, 1 - 2 * p
    squares = rows if v.squares is None else v.squares[block]
    return total((positives - rows * p) / v.heaviest * tilt), total(squares * tilt**2 * p * (1 - p))


@metric(
    reads=Probabilities, kind="statistic", bounds=(0, 1), best=None, undefined=NO_SPREAD,
    title="Spiegelhalter p", depends_on_n=True,
)  # fmt: skip
@one_by_one
def spiegelhalter_p(v: Probabilities) -> Any:
    """P-value of Spiegelhalter's test that every probability is right: ``P(|Z| >= |z|)``."""
    return _two_sided(spiegelhalter_z.formula(v))


def hosmer_lemeshow_test(
    tally: Any, *, groups: int = 10, in_sample: bool = False, ties: Ties = "share", clip: float = 0.0
) -> CalibrationTest | Undefined:
    """Return the Hosmer-Lemeshow test over groups of equal mass.

    Its degrees of freedom are the groups, or two less where the model was fitted to these very rows
    (`in_sample`). Its power depends on the number of groups: the curve, or Cox's line, tells more.

    Parameters
    ----------
    tally
        Rows with probabilities, or a score tally of them.
    groups
        How many groups.
    in_sample
        Whether the model was fitted to these rows.
    ties
        Where an edge falls among rows of equal probability: each side gets its ``"share"`` of their
        positives, or ``"positives first"``.
    clip
        Move probabilities into [clip, 1 - clip] first.

    Returns
    -------
    CalibrationTest or Undefined
        The statistic, the p-value and the degrees of freedom.

    Raises
    ------
    MetricError
        A score is no probability, or there cannot be so many groups.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 0, 1] * 25, score=[0.1, 0.3, 0.6, 0.8] * 25)
    >>> found = hosmer_lemeshow_test(rows, groups=4)
    >>> round(found.statistic, 1), found.degrees
    (104.9, 4)
    """
    view = Probabilities.of(tally, clip=clip)
    statistic, degrees = _hosmer_lemeshow(view, groups, ties) if len(view.p) else (math.nan, 0)
    if math.isnan(statistic):
        return Undefined(NO_VARIANCE if len(view.p) else NO_ROWS)
    degrees -= 2 * in_sample
    return CalibrationTest(statistic, _chi_squared(statistic, degrees), degrees)


def _hosmer_lemeshow(view: Probabilities, groups: int, ties: Ties) -> tuple[float, int]:
    bins = binned(view, groups, "mass", ties)
    terms = limit_ratio(bins.effective * bins.gaps**2, bins.predicted * (1 - bins.predicted))
    return float(total(terms)), len(bins.rows)


def _chi_squared(statistic: float, degrees: int) -> float:
    from scipy.special import chdtrc  # noqa: PLC0415 - SciPy takes its time to load

    return float(chdtrc(degrees, statistic)) if degrees > 0 else math.nan


@metric(
    reads=Probabilities, kind="statistic", bounds=(0, math.inf), best=None, undefined=NO_VARIANCE,
    title="Hosmer-Lemeshow", depends_on_n=True,
)  # fmt: skip
@one_by_one
def hosmer_lemeshow(v: Probabilities, *, groups: int = 10, ties: Ties = "share") -> Any:
    """Hosmer-Lemeshow statistic: squared differences of groups' rates, each over its variance.

    ``sum(rows (observed - predicted)² / (predicted (1 - predicted)))``

    With weights a group's rows are Kish's effective rows.
    """
    return _hosmer_lemeshow(v, groups, ties)[0]


@metric(
    reads=Probabilities, kind="statistic", bounds=(0, 1), best=None, undefined=NO_DEGREES,
    title="Hosmer-Lemeshow p", depends_on_n=True,
)  # fmt: skip
@one_by_one
def hosmer_lemeshow_p(
    v: Probabilities, *, groups: int = 10, in_sample: bool = False, ties: Ties = "share"
) -> Any:
    """P-value of the Hosmer-Lemeshow test: ``P(chi² of that many groups >= statistic)``.

    Two degrees less where the model was fitted to these very rows (`in_sample`).
    """
    statistic, degrees = _hosmer_lemeshow(v, groups, ties)
    return math.nan if math.isnan(statistic) else _chi_squared(statistic, degrees - 2 * in_sample)
