"""Logistic regression of outcomes on the logit of their probabilities (Cox 1958), by Newton's method."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.metrics.arithmetic import total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.views.probability import Probabilities

__all__ = ["LogisticFit", "fit_both", "fit_intercept", "no_fit", "no_intercept"]

_MAX_STEPS = 500  # Newton takes about six; from the far end of the logits, 745, a hundred more
_MAX_LOGIT_STEP = 10.0  # how far a step may move a logit
_STEP_TOLERANCE = 1e-13  # of a step, relative to the coefficient
_ROUNDING = 1e-14  # of a log-likelihood, relative


@dataclasses.dataclass(frozen=True, slots=True)
class LogisticFit:
    """A fitted intercept and slope, their standard errors, and the gain in log-likelihood.

    `log_likelihood_gain` is the fit's log-likelihood less that of intercept 0 and slope 1, the probabilities
    as they are.
    """

    intercept: float
    slope: float
    intercept_error: float
    slope_error: float
    log_likelihood_gain: float


def no_intercept(view: Probabilities) -> str:
    """A probability is 0 or 1, or all rows are of one class."""
    edge = (view.p == 0) | (view.p == 1)
    if edge.any():
        rows = total(view.counts[edge])
        return (
            f"{rows:,.15g} of {view.n:,.15g} rows have probability 0 or 1, whose logit is infinite; "
            "clip=1e-12, say, moves them inside"
        )
    return "all rows are of one class" if view.base_rate in (0, 1) else ""


def no_fit(view: Probabilities) -> str:
    """A probability is 0 or 1, all are equal, or the classes are separated: no slope is steep enough."""
    if reason := no_intercept(view):
        return reason
    if len(view.p) == 1:
        return "all probabilities are equal"
    positive, negative = (view.p[counts > 0] for counts in (view.positives, view.negatives))
    if positive[0] >= negative[-1] or negative[0] >= positive[-1]:
        return "the classes are separated: no slope is steep enough"
    return ""


def fit_both(view: Probabilities) -> LogisticFit | None:
    """Return the fit of intercept and slope, None where there is none."""
    return None if no_fit(view) else _maximise(view, slopes=True)


def fit_intercept(view: Probabilities) -> LogisticFit | None:
    """Return the fit of the intercept alone, the slope fixed at 1; None where there is none."""
    return None if no_intercept(view) else _maximise(view, slopes=False)


def _maximise(view: Probabilities, *, slopes: bool) -> LogisticFit:
    """Maximise the log-likelihood, which is concave, by Newton's steps from intercept 0 and slope 1.

    A step that would move a logit very far is cut, because far out the likelihood is flat and Newton's steps
    are erratic; one that does not go up is halved.
    """
    x = np.log(view.p) - np.log1p(-view.p)

    def likelihood(line: NDArray[Any]) -> float:
        eta = line[0] + line[1] * x
        return -float(total(view.positives * np.logaddexp(0, -eta) + view.negatives * np.logaddexp(0, eta)))

    line = np.array([0.0, 1.0])
    first = height = likelihood(line)
    for _ in range(_MAX_STEPS):
        step = _step(view, x, line, slopes=slopes)
        step = step * min(
            1.0, _MAX_LOGIT_STEP / max(float(np.abs(step[0] + step[1] * x).max()), _MAX_LOGIT_STEP)
        )
        # Near the maximum the rounding of the likelihood looks like a step down.
        while (there := likelihood(line + step)) < height - _ROUNDING * abs(height):
            step = step / 2
        line, height = line + step, there
        if np.all(np.abs(step) <= _STEP_TOLERANCE * np.maximum(1, np.abs(line))):
            break
    information, centre, slope_information = _information(view, x, line)
    slope_variance = 1 / slope_information if slopes else 0.0
    return LogisticFit(
        float(line[0]),
        float(line[1]),
        math.sqrt(1 / information + centre**2 * slope_variance),
        math.sqrt(slope_variance),
        max(height - first, 0.0),
    )


def _fitted(line: NDArray[Any], x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the fitted rates and one minus them."""
    eta = line[0] + line[1] * x
    return np.exp(-np.logaddexp(0, -eta)), np.exp(-np.logaddexp(0, eta))


def _information(view: Probabilities, x: NDArray[Any], line: NDArray[Any]) -> tuple[float, float, float]:
    """Return Fisher's information about the line's height at its centre, that centre, and about its slope.

    Measured from the centre of the information the two are uncorrelated.
    """
    rate, rest = _fitted(line, x)
    spread = view.counts * rate * rest
    whole = total(spread)
    middle = total(spread * x) / whole if whole else 0.0
    return whole, middle, total(spread * (x - middle) ** 2)


def _step(view: Probabilities, x: NDArray[Any], line: NDArray[Any], *, slopes: bool) -> NDArray[Any]:
    rate, rest = _fitted(line, x)
    missed = view.positives * rest - view.negatives * rate
    information, centre, slope_information = _information(view, x, line)
    tilt = total(missed * (x - centre)) if slopes else 0.0
    with np.errstate(all="ignore"):
        turn = np.divide(tilt, slope_information) if slopes else 0.0
        step = np.array([np.divide(total(missed), information) - centre * turn, turn])
    if np.isfinite(step).all():
        return step
    return np.array([total(missed) - centre * tilt, tilt])  # too flat for Newton: a gradient step
