"""Check of a metric's own parameters: a number within a range."""

from __future__ import annotations

import math
import numbers
from typing import Any

from assay.errors import MetricError
from assay.hints import passed

__all__ = ["number"]


def number(name: str, value: Any, *, minimum: float = -math.inf, above: float = -math.inf) -> float:
    """Return a number that is at least one bound and above the other, or raise naming the parameter.

    >>> number("beta", 2, minimum=0)
    2.0
    >>> number("delta", 0, above=0)
    Traceback (most recent call last):
        ...
    assay.errors.MetricError: delta=0 is not a number above 0.
    """
    fits = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not fits or not value >= minimum or (above > -math.inf and not value > above):
        bound = f" above {above:g}" if above > -math.inf else f" from {minimum:g} on"
        raise MetricError(
            f"{passed(name, value)} is not a number{bound if max(minimum, above) > -math.inf else ''}."
        )
    return float(value)
