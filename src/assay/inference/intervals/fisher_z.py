"""Intervals of correlations by Fisher's z: symmetric about atanh(r), with a standard error that r and n tell.

They are for rows on their own. The default, the delta method by the rows' influences, needs no distribution
and takes groups and weights; these are what other packages print.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.inference.formulas.proportions import normal_quantile
from assay.inference.intervals.interval_request import IntervalResult
from assay.inference.intervals.registry import interval_method

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inference.intervals.interval_request import IntervalRequest

__all__ = ["bonett_wright", "fieller", "fisher"]

# By method and metric: the variance of atanh(r), and how many rows it takes no account of.
_VARIANCES: dict[str, dict[str, tuple[Callable[[float], float], int]]] = {
    "Fisher's z": {"pearson": (lambda _: 1.0, 3), "spearman": (lambda _: 1.0, 3)},
    "Bonett-Wright": {"spearman": (lambda r: 1 + r * r / 2, 3)},
    "Fieller": {"spearman": (lambda _: 1.06, 3), "kendall_tau": (lambda _: 0.437, 4)},
}


@interval_method("fisher", selectable=True)
def fisher(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return Fisher's interval (1921) of Pearson's r, or of Spearman's as if it were one: 1 / (n - 3).

    For Pearson it is R's cor.test, if rows are normal; for Spearman SpearmanRho of DescTools. There the
    variance is too small where the correlation is strong: Bonett and Wright's is not.
    """
    return _limits(asked, "Fisher's z")


@interval_method("bonett-wright", selectable=True)
def bonett_wright(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of Spearman's correlation with the variance (1 + r²/2) / (n - 3).

    Bonett and Wright 2000.
    """
    return _limits(asked, "Bonett-Wright")


@interval_method("fieller", selectable=True)
def fieller(asked: IntervalRequest) -> IntervalResult | str | None:
    """Return the interval of Spearman's correlation with 1.06 / (n - 3), of Kendall's with 0.437 / (n - 4).

    Fieller, Hartley and Pearson 1957; good up to correlations of about 0.8.
    """
    return _limits(asked, "Fieller")


def _limits(asked: IntervalRequest, method: str) -> IntervalResult | str | None:
    known = _VARIANCES[method]
    if asked.metric.name not in known:
        return f"{method} is for {' and '.join(known)}, not for {asked.metric.name}"
    if not asked.plain:
        return f"{method} takes every row for one of its own: leave method= out for groups and weights"
    variance, less = known[asked.metric.name]
    n = asked.tally.n  # type: ignore[attr-defined]
    if n <= less:
        return f"{method} needs more than {less} rows"
    if abs(asked.value) >= 1:
        return f"{method} has no interval at a correlation of 1 or -1"
    error = math.sqrt(variance(asked.value) / (n - less))
    half_width = normal_quantile(asked.confidence) * error
    low, high = (math.tanh(math.atanh(asked.value) + sign * half_width) for sign in (-1, 1))
    return IntervalResult(low, high, method, "", error * (1 - asked.value**2))
