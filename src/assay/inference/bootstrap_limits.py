"""Confidence limits from bootstrap replicates that are at hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.inference.distributions import normal_p, normal_point
from assay.inference.proportions import check_confidence, normal_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Limits", "adjusted_levels", "bca", "bias_correction", "order_index", "percentile", "studentised"]

_MAY_LACK = 0.01  # of the replicates; beyond, what is left no longer stands for all


class Limits(NamedTuple):
    """Two limits, None where the replicates give none, and what to know about them."""

    low: float | None
    high: float | None
    note: str = ""


def order_index(level: float, replicates: int) -> int:
    """Return which of so many ordered replicates, 1 being the least, is the quantile of a level.

    ``ceil(level (B + 1))``, within 1 and B, as Davison and Hinkley (1997) have it.

    >>> order_index(0.025, 9999), order_index(0.975, 9999)
    (250, 9750)
    """
    place = level * (replicates + 1)
    near = round(place)  # 0.07 * 100 is 7.000000000000001: rounding must not cost an order
    return min(max(near if abs(place - near) < 1e-9 * place else math.ceil(place), 1), replicates)


def percentile(replicates: Any, *, confidence: float = 0.95) -> Limits:
    """Return the quantiles of the replicates themselves (Efron 1979).

    >>> percentile(range(1, 100), confidence=0.9)
    Limits(low=5.0, high=95.0, note='')
    """
    check_confidence(confidence)
    tail = (1 - confidence) / 2
    return _at(replicates, tail, 1 - tail)


def bias_correction(below: float, equal: float, total: float) -> float:
    """Return z0, how far the replicates' median lies off the estimate, in normal units (Efron 1987).

    Ties count half, without which a metric of counts, which ties all the time, would look biased. Where all
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
        if stretch <= 0:  # beyond the pole the level is at its end
            return float(z0 + quantile > 0)
        return normal_p(z0 + (z0 + quantile) / stretch, "less")

    return level(-z), level(z)


def bca(replicates: Any, value: float, acceleration: float, *, confidence: float = 0.95) -> Limits:
    """Return the bias-corrected and accelerated limits (Efron 1987).

    The acceleration is that of the metric's slopes: see :func:`assay.inference.delta.acceleration`.

    >>> bca(range(1, 1000), 480.0, 0.02)
    Limits(low=24.0, high=974.0, note='')
    """
    kept = _kept(replicates)
    if isinstance(kept, Limits):
        return kept
    if not math.isfinite(acceleration):
        return Limits(None, None, "the acceleration is not known")
    below, equal = int((kept < value).sum()), int((kept == value).sum())
    z0 = bias_correction(below, equal, len(kept))
    found = _at(replicates, *adjusted_levels(z0, acceleration, confidence=confidence))
    if 0 < below + equal / 2 < len(kept):
        return found
    notes = [found.note] if found.note else []
    return found._replace(note="; ".join([*notes, "all replicates lie on one side of the estimate"]))


def studentised(
    replicates: Any, errors: Any, value: float, error: float, *, confidence: float = 0.95
) -> Limits:
    """Return the bootstrap-t limits: quantiles of ``(replicate - value) / its error``, turned (Efron 1979).

    The best there is for means of skewed rows; it needs the standard error of every replicate.

    >>> studentised([1.0, 2.0, 4.0], [0.5, 0.5, 1.0], value=2.0, error=0.6)
    Limits(low=0.8, high=3.2, note='')
    """
    check_confidence(confidence)
    spreads = np.asarray(errors, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = (np.asarray(replicates, dtype=np.float64) - value) / spreads
    distances = np.where(spreads > 0, distances, np.nan)
    tail = (1 - confidence) / 2
    low, high, note = _at(distances, tail, 1 - tail)
    if low is None or high is None:
        return Limits(None, None, note)
    return Limits(value - high * error, value - low * error, note)


def _at(replicates: Any, low: float, high: float) -> Limits:
    kept = _kept(replicates)
    if isinstance(kept, Limits):
        return kept
    places = [order_index(level, len(kept)) - 1 for level in (low, high)]
    ordered = np.partition(kept, places)
    lacking = np.size(replicates) - len(kept)
    note = f"{lacking:,} of {np.size(replicates):,} replicates have no value" if lacking else ""
    return Limits(float(ordered[places[0]]), float(ordered[places[1]]), note)


def _kept(replicates: Any) -> NDArray[np.float64] | Limits:
    """Return the replicates that have a value, or no limits and why."""
    values = np.asarray(replicates, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise MetricError("replicates are one number each, and at least one.")
    kept = values[~np.isnan(values)]
    lacking = len(values) - len(kept)
    if lacking > _MAY_LACK * len(values):
        return Limits(None, None, f"{lacking / len(values):.1%} of the replicates have no value")
    if kept.min() == kept.max():
        return Limits(None, None, "every replicate has the same value")
    return kept
