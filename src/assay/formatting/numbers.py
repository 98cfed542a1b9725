"""How thresholds, measures and what comes of them are printed, and written as plain data."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate
    from assay.metrics import Binary

__all__ = [
    "amount",
    "counted",
    "cutoff",
    "figure",
    "format_value",
    "interval",
    "measured",
    "plain",
    "wrapped",
]

_WIDTH = 80
_PER = 1000  # rows, over which a cost reads well


def measured(measure: str) -> tuple[str, int]:
    """Return a measure's name where it is printed, and how many times it: costs are those of 1,000 rows.

    >>> measured("cost per row"), measured("f1")
    (('cost per 1,000 rows', 1000), ('f1', 1))
    """
    return (f"cost per {_PER:,} rows", _PER) if measure.startswith("cost") else (measure, 1)


def cutoff(threshold: float) -> str:
    """Return a threshold in four digits; fewer are all of them.

    >>> cutoff(0.5), cutoff(0.68601), cutoff(math.inf)
    ('0.5', '0.6860', 'infinity')
    """
    if math.isinf(threshold):
        return "infinity" if threshold > 0 else "-infinity"
    short = f"{threshold:.4g}"
    return short if float(short) == threshold else f"{threshold:#.4g}"


def figure(value: float) -> str:
    """Return a figure in four digits, all of those before the point, or that it has no value.

    >>> figure(0.90062), figure(1234.56), figure(math.nan), figure(math.inf)
    ('0.9006', '1,234.6', 'undefined', 'infinite')
    """
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "infinite"
    return f"{value:.4g}" if abs(value) < _PER else amount(value, 1)


def amount(value: float, places: int = 2) -> str:
    """Return a number of rows, or a sum of weights, with all of its digits before the point.

    >>> amount(12345678), amount(2.5), amount(1.0)
    ('12,345,678', '2.50', '1')
    """
    return f"{value:,.0f}" if value == round(value) else f"{value:,.{places}f}"


def format_value(value: Any, *, like: float | None = None) -> str:
    """Return a number at four decimals, or at four digits where it is large or very small.

    `like` is the size to go by instead of the number's own. An undefined value says why.

    >>> format_value(0.975539), format_value(1234.567), format_value(0.0000123), format_value(math.inf)
    ('0.9755', '1235', '1.23e-05', '∞')
    """
    if hasattr(value, "reason"):
        return repr(value)
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value if like is None else like)
    if value and size < 0.001:  # noqa: PLR2004 - four decimals would leave nothing
        return f"{value:.3g}"
    return f"{value:.4f}" if size < 10 else f"{value:.4g}"  # noqa: PLR2004 - digits before the point count too


def number_or_none(value: Any) -> float | None:
    """Return a number as a float, and None where there is none or it is undefined."""
    return None if value is None or hasattr(value, "reason") else float(value)


def interval(estimate: Estimate, times: int = 1) -> str:
    """Return an estimate's interval, or nothing where it has none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"[{figure(estimate.low * times)}, {figure(estimate.high * times)}]"


def wrapped(text: str) -> list[str]:
    """Return a text in lines that fit a terminal, each a column in."""
    return [f" {line}" for line in textwrap.wrap(text, _WIDTH - 1, break_on_hyphens=False)]


def plain(value: float) -> float | str | None:
    """Return a number as JSON can hold it: null where there is none."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def counted(counts: Binary) -> dict[str, Any]:
    """Return the counts by their names."""
    return {name: getattr(counts, name) for name in ("tp", "fp", "fn", "tn")}
