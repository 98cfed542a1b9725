"""What happens where a figure is undefined: the warning, and the value that stands in."""

from __future__ import annotations

import math
import sys
import warnings
from typing import Any

__all__ = ["UndefinedMetricWarning", "stand_in", "undefined_metric_warning", "warn", "warn_undefined"]


class UndefinedMetricWarning(UserWarning):
    """A figure is undefined for these rows; stands for scikit-learn's where that is not loaded."""


def undefined_metric_warning() -> type[Warning]:
    """Return the class to warn with: scikit-learn's own where the caller has it loaded, else ours.

    So a filter on ``sklearn.exceptions.UndefinedMetricWarning`` keeps working, and nothing is imported.
    """
    loaded: type[Warning] | None = getattr(
        sys.modules.get("sklearn.exceptions"), "UndefinedMetricWarning", None
    )
    return UndefinedMetricWarning if loaded is None else loaded


def warn_undefined(message: str) -> None:
    """Warn that a figure is undefined."""
    warn(message, undefined_metric_warning())


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line outside this package, the one that called a metric."""
    level, frame = 1, sys._getframe()  # noqa: SLF001 - what warnings itself walks
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("assay.sklearn"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def stand_in(zero_division: Any) -> float:
    """Return the value for 0/0 that ``zero_division`` asks for.

    >>> stand_in("warn"), stand_in(1), stand_in(float("nan"))
    (0.0, 1.0, nan)
    """
    if isinstance(zero_division, str):
        return 0.0
    return float(zero_division) if zero_division in (0, 1) else math.nan
