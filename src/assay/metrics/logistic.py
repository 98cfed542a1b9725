"""The logistic fit of outcomes to the logit of their probabilities (Cox 1958), by Newton's method."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.metrics.arithmetic import total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.probabilities import Probabilities

__all__ = ["LogisticFit", "fit_both", "fit_intercept", "no_fit", "no_intercept"]

_ROUNDS = 200  # Newton takes about six; step halving a few more
_SMALL = 1e-13  # of a step, beside the coefficient it changes
_ROUNDING = 1e-14  # of a log likelihood


@dataclasses.dataclass(frozen=True, slots=True)
class LogisticFit:
    """A fitted intercept and slope, their standard errors, and how much likelier they make the outcomes.

    `log_likelihood_gain` is that of the fit less that of intercept 0 and slope 1, the probabilities as they
    are.
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
    if no_fit(view):
        return None
    x = _logit(view)
    return _newton(view, np.zeros(len(x)), np.stack([np.ones(len(x)), x]), (0.0, 1.0))


def fit_intercept(view: Probabilities) -> LogisticFit | None:
    """Return the fit of the intercept alone, the slope held at 1; None where there is none."""
    if no_intercept(view):
        return None
    x = _logit(view)
    return _newton(view, x, np.ones((1, len(x))), (0.0,))


def _logit(view: Probabilities) -> NDArray[Any]:
    return np.asarray(np.log(view.p) - np.log1p(-view.p))


def _newton(
    view: Probabilities, offset: NDArray[Any], design: NDArray[Any], begin: tuple[float, ...]
) -> LogisticFit:
    """Climb the log likelihood, which is concave, halving every step that does not go up."""

    def likelihood(at: NDArray[Any]) -> float:
        eta = offset + at @ design
        return -float(total(view.positives * np.logaddexp(0, -eta) + view.negatives * np.logaddexp(0, eta)))

    def slopes(at: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        eta = offset + at @ design
        fitted = np.exp(-np.logaddexp(0, -eta))
        gradient = np.array([total(row * (view.positives - view.counts * fitted)) for row in design])
        spread = view.counts * fitted * np.exp(-np.logaddexp(0, eta))
        information = np.array([[total(a * b * spread) for b in design] for a in design])
        return gradient, information

    at = np.array(begin)
    first = height = likelihood(at)
    for _ in range(_ROUNDS):
        gradient, information = slopes(at)
        step = np.linalg.solve(information, gradient)
        # Near the top the likelihood's own rounding looks like a step down.
        while (there := likelihood(at + step)) < height - _ROUNDING * abs(height):
            step = step / 2
        at, height = at + step, there
        if np.all(np.abs(step) <= _SMALL * np.maximum(1, np.abs(at))):
            break
    errors = np.sqrt(np.diag(np.linalg.inv(slopes(at)[1])))
    gain = max(height - first, 0.0)
    if len(begin) == 1:
        return LogisticFit(float(at[0]), 1.0, float(errors[0]), math.nan, gain)
    return LogisticFit(float(at[0]), float(at[1]), float(errors[0]), float(errors[1]), gain)
