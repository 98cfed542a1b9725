"""Intervals of correlations by Fisher's z: symmetric about atanh(r), with a standard error from r and n.

They assume independent, unweighted rows. The default, the delta method by the rows' influences, assumes no
distribution and takes groups and weights; these are what other packages print.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.inference.formulas.proportions import normal_quantile
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.method_registry import interval_method

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["bonett_wright", "fieller", "fisher"]

# By method and metric: the variance of atanh(r) times n - k, as a function of r, and k.
_VARIANCES: dict[str, dict[str, tuple[Callable[[float], float], int]]] = {
    "Fisher's z": {"pearson": (lambda _: 1.0, 3), "spearman": (lambda _: 1.0, 3)},
    "Bonett-Wright": {"spearman": (lambda r: 1 + r * r / 2, 3)},
    "Fieller": {"spearman": (lambda _: 1.06, 3), "kendall_tau": (lambda _: 0.437, 4)},
}


@interval_method("fisher", selectable=True)
def fisher(request: IntervalRequest) -> IntervalResult | str | None:
    """Return Fisher's interval (1921) of Pearson's r, or of Spearman's as if it were one: 1 / (n - 3).

    For Pearson it is R's cor.test, if rows are normal; for Spearman SpearmanRho of DescTools. There the
    variance is too small where the correlation is strong: Bonett and Wright's is not.
    """
    return _limits(request, "Fisher's z")


@interval_method("bonett-wright", selectable=True)
def bonett_wright(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of Spearman's correlation with the variance (1 + r²/2) / (n - 3).

    Bonett and Wright 2000.
    """
    return _limits(request, "Bonett-Wright")


@interval_method("fieller", selectable=True)
def fieller(request: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of Spearman's correlation with 1.06 / (n - 3), of Kendall's with 0.437 / (n - 4).

    Fieller, Hartley and Pearson 1957; good up to correlations of about 0.8.
    """
    return _limits(request, "Fieller")


def _limits(request: IntervalRequest, method: str) -> IntervalResult | str | None:
    variances = _VARIANCES[method]
    if request.metric.name not in variances:
        return f"{method} is for {' and '.join(variances)}, not for {request.metric.name}"
    if not request.plain:
        return f"{method} assumes independent rows: leave method= out for groups and weights"
    variance, lost_rows = variances[request.metric.name]
    n = request.tally.n  # type: ignore[attr-defined]
    if n <= lost_rows:
        return f"{method} needs more than {lost_rows} rows"
    if abs(request.value) >= 1:
        return f"{method} has no interval at a correlation of 1 or -1"
    error = math.sqrt(variance(request.value) / (n - lost_rows))
    half_width = normal_quantile(request.confidence) * error
    low, high = (math.tanh(math.atanh(request.value) + sign * half_width) for sign in (-1, 1))
    return IntervalResult(low, high, method, "", error * (1 - request.value**2))
