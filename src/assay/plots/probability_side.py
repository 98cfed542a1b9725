"""How far the axes of probabilities reach: a model of rare events must not be drawn in a corner of 0 to 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.metrics.curves.curves import Curve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.metrics.probability.calibration import CalibrationCurve

__all__ = ["probability_side", "reach_of"]

_ENDS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)  # times a power of ten: where an axis may end
_HALF = 0.5  # of 0 to 1: probabilities that come farther have all of it
_TALLEST = 2.0  # times the highest probability: a rate of a few rows at the top must not set the axes
_LEAST = 1e-100  # below it numbers have no digits left to divide by
_ROUNDING = 1e-9


def probability_side(highest: float, rate: float) -> float:
    """Return where both axes of a calibration chart end, for the highest probability and the highest rate.

    The rate counts up to twice the probability; what is above it lies beyond the axes.

    >>> probability_side(0.018, 0.012), probability_side(1e-6, 0.2), probability_side(0.7, 0.4)
    (0.02, 2e-06, 1.0)
    """
    reach = max(highest, min(rate, _TALLEST * highest))
    if not _LEAST <= reach <= _HALF:
        return 1.0
    power = math.floor(math.log10(reach))
    ends = (float(f"{times:g}e{power}") for times in _ENDS)
    return next((end for end in ends if end >= reach * (1 - _ROUNDING)), float(f"1e{power + 1}"))


def reach_of(curves: Iterable[Curve | CalibrationCurve]) -> tuple[float, float]:
    """Return the highest probability and the highest rate of calibration curves."""
    sides = [
        (curve.x, curve.y) if isinstance(curve, Curve) else (curve.high, curve.observed) for curve in curves
    ]
    return (
        max((float(np.max(x, initial=0.0)) for x, _ in sides), default=0.0),
        max((float(np.max(y, initial=0.0)) for _, y in sides), default=0.0),
    )
