"""Confidence limits from bootstrap replicates: percentile, basic, normal, BCa and studentised."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from assay.errors import MetricError
from assay.inference.distributions import normal_p, normal_point
from assay.inference.formulas.proportions import check_confidence, normal_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Convention",
    "Limits",
    "adjusted_levels",
    "basic",
    "bca",
    "bias_correction",
    "boot_quantile",
    "normal",
    "order_index",
    "percentile",
    "studentised",
]

# How quantiles are computed, and how ties count in BCa's bias: see `bootstrap`.
Convention: TypeAlias = Literal["order", "boot"]
_ROUNDING = 1e-9  # relative
_MAX_UNDEFINED_SHARE = 0.01  # with more undefined replicates, the rest no longer represents all


class Limits(NamedTuple):
    """Two limits, None where the replicates give none, and a note."""

    low: float | None
    high: float | None
    note: str = ""


def order_index(level: float, replicates: int) -> int:
    """Return the rank, from 1 on, of the ordered replicate that is the quantile of a level.

    ``ceil(level (B + 1))``, within 1 and B, as Davison and Hinkley (1997) have it.

    >>> order_index(0.025, 9999), order_index(0.975, 9999)
    (250, 9750)
    """
    return min(max(math.ceil(_rank(level, replicates)), 1), replicates)


def _rank(level: float, replicates: int) -> float:
    """Return ``level (B + 1)`` without rounding errors: 0.07 * 100 is 7.000000000000001."""
    rank = level * (replicates + 1)
    nearest = round(rank)
    return float(nearest) if abs(rank - nearest) < _ROUNDING * rank else rank


def boot_quantile(ordered: NDArray[np.float64], level: float) -> float:
    """Return the quantile of ordered replicates as R's boot has it (norm.inter).

    Between two of them it is interpolated by the normal quantiles of their levels k / (B + 1); beyond the
    first or the last it is that one (Davison and Hinkley 1997, equation 5.8).

    >>> round(boot_quantile(np.arange(1.0, 11.0), 0.25), 6)
    2.769955
    """
    count = len(ordered)
    rank = _rank(level, count)
    below = math.floor(rank)
    if below < 1 or below >= count:
        return float(ordered[0 if below < 1 else -1])
    if below == rank:
        return float(ordered[below - 1])
    left, right = (normal_point(neighbour / (count + 1)) for neighbour in (below, below + 1))
    share = (normal_point(level) - left) / (right - left)
    return float(ordered[below - 1] + share * (ordered[below] - ordered[below - 1]))


def percentile(replicates: Any, *, confidence: float = 0.95, convention: Convention = "order") -> Limits:
    """Return the quantiles of the replicates themselves (Efron 1979).

    >>> percentile(range(1, 100), confidence=0.9)
    Limits(low=5.0, high=95.0, note='')
    """
    check_confidence(confidence)
    tail = (1 - confidence) / 2
    return _quantile_limits(replicates, tail, 1 - tail, convention)


def basic(
    replicates: Any, value: float, *, confidence: float = 0.95, convention: Convention = "order"
) -> Limits:
    """Return the basic limits, the percentile's mirrored at the value: ``2 value - quantile``.

    Davison and Hinkley 1997. Also called reverse percentile; they may lie beyond a metric's bounds.

    >>> basic(range(1, 100), 40, confidence=0.9)
    Limits(low=-15.0, high=75.0, note='')
    """
    low, high, note = percentile(replicates, confidence=confidence, convention=convention)
    if low is None or high is None:
        return Limits(None, None, note)
    return Limits(2 * value - high, 2 * value - low, note)


def normal(replicates: Any, value: float, *, confidence: float = 0.95) -> Limits:
    """Return the normal limits: the value less the bias, give or take the replicates' standard deviation.

    ``2 value - mean(replicates) ± z deviation`` (Davison and Hinkley 1997); they may lie beyond a metric's
    bounds.

    >>> low, high, _ = normal([1.0, 2.0, 3.0, 6.0], 2.5)
    >>> round(low, 3), round(high, 3)
    (-2.234, 6.234)
    """
    check_confidence(confidence)
    defined = _defined_replicates(replicates)
    if isinstance(defined, Limits):
        return defined
    if not np.isfinite(defined).all():
        return Limits(None, None, "a replicate is infinite")
    centre = 2 * value - float(defined.mean())
    half_width = normal_quantile(confidence) * float(defined.std(ddof=1))
    return Limits(centre - half_width, centre + half_width, _missing_note(replicates, defined))


def bias_correction(below: float, equal: float, total: float) -> float:
    """Return z0, how far the replicates' median lies off the estimate, in normal units (Efron 1987).

    Ties count half, without which a metric of counts, which has many ties, would look biased. Where all
    replicates lie on one side, half a replicate is left on the other.

    >>> round(bias_correction(below=480, equal=20, total=1000), 4)
    -0.0251
    """
    share = (below + equal / 2) / total
    return normal_point(min(max(share, 0.5 / total), 1 - 0.5 / total))


def adjusted_levels(z0: float, acceleration: float, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the levels whose quantiles are the BCa limits (Efron 1987).

    >>> low, high = adjusted_levels(-0.0480253640496, -0.0214279299836)
    >>> round(low, 6), round(high, 6)
    (0.015925, 0.963166)
    """
    z = normal_quantile(confidence)

    def level(quantile: float) -> float:
        stretch = 1 - acceleration * (z0 + quantile)
        if stretch <= 0:  # beyond the pole the level is 0 or 1
            return float(z0 + quantile > 0)
        return normal_p(z0 + (z0 + quantile) / stretch, "less")

    return level(-z), level(z)


def bca(
    replicates: Any,
    value: float,
    acceleration: float,
    *,
    confidence: float = 0.95,
    convention: Convention = "order",
) -> Limits:
    """Return the bias-corrected and accelerated limits (Efron 1987).

    The acceleration is that of the metric's slopes: see :func:`assay.inference.formulas.delta.acceleration`.

    >>> bca(range(1, 1000), 480.0, 0.02)
    Limits(low=24.0, high=974.0, note='')
    """
    defined = _defined_replicates(replicates)
    if isinstance(defined, Limits):
        return defined
    if not math.isfinite(acceleration):
        return Limits(None, None, "the acceleration is not known")
    below, equal = int((defined < value).sum()), int((defined == value).sum())
    if convention == "boot":
        if below in (0, len(defined)):
            return Limits(None, None, "all replicates lie on one side of the estimate")
        z0 = normal_point(below / len(defined))
    else:
        z0 = bias_correction(below, equal, len(defined))
    levels = adjusted_levels(z0, acceleration, confidence=confidence)
    limits = _quantile_limits(replicates, *levels, convention)
    if 0 < below + equal / 2 < len(defined):
        return limits
    notes = filter(None, [limits.note, "all replicates lie on one side of the estimate"])
    return limits._replace(note="; ".join(notes))


def studentised(
    replicates: Any,
    errors: Any,
    value: float,
    error: float,
    *,
    confidence: float = 0.95,
    convention: Convention = "order",
) -> Limits:
    """Return the bootstrap-t limits, by the quantiles of ``(replicate - value) / its error`` (Efron 1979).

    The best there is for means of skewed rows; it needs the standard error of every replicate.

    >>> studentised([1.0, 2.0, 4.0], [0.5, 0.5, 1.0], value=2.0, error=0.6)
    Limits(low=0.8, high=3.2, note='')
    """
    check_confidence(confidence)
    own_errors = np.asarray(errors, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = (np.asarray(replicates, dtype=np.float64) - value) / own_errors
    statistics = np.where(own_errors > 0, statistics, np.nan)
    tail = (1 - confidence) / 2
    low, high, note = _quantile_limits(statistics, tail, 1 - tail, convention)
    if low is None or high is None:
        return Limits(None, None, note)
    return Limits(value - high * error, value - low * error, note)


def _quantile_limits(replicates: Any, low: float, high: float, convention: Convention) -> Limits:
    """Return the quantiles of the replicates at two levels."""
    defined = _defined_replicates(replicates)
    if isinstance(defined, Limits):
        return defined
    note = _missing_note(replicates, defined)
    if convention == "boot":
        ordered = np.sort(defined)
        return Limits(boot_quantile(ordered, low), boot_quantile(ordered, high), note)
    indices = [order_index(level, len(defined)) - 1 for level in (low, high)]
    ordered = np.partition(defined, indices)
    return Limits(float(ordered[indices[0]]), float(ordered[indices[1]]), note)


def _missing_note(replicates: Any, defined: NDArray[np.float64]) -> str:
    missing = np.size(replicates) - len(defined)
    return f"{missing:,} of {np.size(replicates):,} replicates have no value" if missing else ""


def _defined_replicates(replicates: Any) -> NDArray[np.float64] | Limits:
    """Return the replicates that have a value, or no limits and why."""
    values = np.asarray(replicates, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise MetricError("replicates are one number each, and at least one.")
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if undefined > _MAX_UNDEFINED_SHARE * len(values):
        return Limits(None, None, f"{undefined / len(values):.1%} of the replicates have no value")
    if defined.min() == defined.max():
        return Limits(None, None, "every replicate has the same value")
    return defined
