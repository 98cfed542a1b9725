"""Numbers as they are printed: values, intervals, counts, thresholds, differences and p-values."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "JOINED",
    "DifferenceCells",
    "count_of",
    "counts_dict",
    "decimals_for",
    "format_amount",
    "format_count",
    "format_decimal",
    "format_differences",
    "format_four_digits",
    "format_interval",
    "format_number",
    "format_p",
    "format_scaled_interval",
    "format_threshold",
    "format_value",
    "indented_lines",
    "number_or_none",
    "p_text",
    "printed_measure",
    "span",
]

JOINED = "\xa0"  # a space at which no line is broken
_PER = 1000  # rows, over which a cost reads well
_LARGE_WEIGHT = 1e15  # beyond which a sum of weights has no digits after the point
_LARGE_DECIMAL = 100  # from here on three decimals are more than one reads
_SMALLEST, _LARGEST = 1e-5, 1e9  # values between which numbers are written out
_MAX_DECIMALS = 8
_SMALLEST_P = 2.2e-16  # the smallest p-value that is printed


class WithInterval(Protocol):
    """Whatever has confidence limits: an estimate, a difference, a test."""

    @property
    def low(self) -> float | None:
        """The lower limit, None where there is no interval."""

    @property
    def high(self) -> float | None:
        """The upper limit, None where there is no interval."""


class WithDifference(WithInterval, Protocol):
    """Two values and their difference, with its limits and p-values: as they are, and corrected."""

    @property
    def values(self) -> tuple[Any, Any]:
        """The two values."""

    @property
    def difference(self) -> Any:
        """The second value less the first."""

    @property
    def p_value(self) -> Any:
        """The p-value of the test."""

    @property
    def adjusted(self) -> Any:
        """The p-value corrected for the number of tests, None where it is not."""


class DifferenceCells(NamedTuple):
    """A difference of two values as text: both values, and the difference with its interval.

    ``ahead`` is the same without the sign, turned so that it is above 0. What is undefined has no p-values.
    In a sentence these have their sign: "= 0.031", "< 2.2e-16".
    """

    values: tuple[str, str]
    difference: str
    ahead: str
    p: str
    adjusted_p: str
    p_with_sign: str = ""
    adjusted_p_with_sign: str = ""


def format_differences(differences: Iterable[WithDifference]) -> list[DifferenceCells]:
    """Return differences as text, each in as many digits as its size and its limits need."""
    return [_difference_cells(difference) for difference in differences]


def _difference_cells(diff: WithDifference) -> DifferenceCells:
    spec = decimals_for(diff.values, (diff.difference, diff.low, diff.high))
    first, second = (format_number(value, spec) for value in diff.values)
    if hasattr(diff.difference, "reason"):
        return DifferenceCells((first, second), "undefined", "", "", "")
    size = float(diff.difference)
    difference, ahead = format_number(size, spec, sign=True), format_number(abs(size), spec)
    if diff.low is not None and diff.high is not None:
        both = (diff.low, diff.high) if size > 0 else (-diff.high, -diff.low)
        signed = [format_number(limit, spec, sign=True) for limit in (diff.low, diff.high)]
        difference += f" [{f',{JOINED}'.join(signed)}]"
        ahead += f" [{f',{JOINED}'.join(format_number(limit, spec) for limit in both)}]"
    p, adjusted_p = format_p(diff.p_value), format_p(diff.adjusted)
    with_sign = _with_sign(p), _with_sign(adjusted_p)
    return DifferenceCells((first, second), difference, ahead, p, adjusted_p, *with_sign)


def format_value(value: Any, *, like: float | None = None) -> str:
    """Return a number at four decimals, at four digits or more where it is large, at three where it is tiny.

    A share just below 1 is not rounded to 1. `like` is the size to go by instead of the number's own. An
    undefined value says why.

    >>> format_value(0.975539), format_value(44.4), format_value(26437.2), format_value(0.0000123)
    ('0.9755', '44.40', '26,437', '1.23e-05')
    >>> format_value(0.99997), format_value(999_999), format_value(2.5e12), format_value(math.inf)
    ('0.99997', '999,999', '2.5e+12', '∞')
    """
    if hasattr(value, "reason"):
        return repr(value)
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value if like is None else like)
    if value and size < 0.001:  # noqa: PLR2004 - four decimals would leave nothing
        return f"{value:.3g}"
    if size >= _LARGEST:
        return f"{value:.4g}"
    if size >= 10:  # noqa: PLR2004 - digits before the point count too
        return f"{value:,.{max(0, 3 - math.floor(math.log10(size)))}f}"
    return f"{value:.{_decimals_below_one(abs(value))}f}"


def _decimals_below_one(size: float) -> int:
    """Return four decimals, or as many as a number just below 1 needs not to be rounded to it."""
    if not 1 - 0.5e-4 <= size < 1:
        return 4
    return min(math.ceil(-math.log10(1 - size)), 16)


def format_interval(estimate: WithInterval, *, digits: int | None = None) -> str:
    """Return an interval in brackets, or nothing where there is none; at so many decimals where stated."""
    if estimate.low is None or estimate.high is None:
        return ""
    if digits is not None:
        return f"[{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"
    return f"[{format_value(estimate.low)}, {format_value(estimate.high)}]"


def count_of(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun in the singular or the plural.

    >>> count_of(1, "run"), count_of(1200, "category", "categories")
    ('1 run', '1,200 categories')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def format_count(number: float) -> str:
    """Return a count, or a sum of weights, as text.

    >>> format_count(1207), format_count(10.25)
    ('1,207', '10.2')
    """
    if isinstance(number, int):
        return f"{number:,}"
    return f"{number:,.1f}" if number < _LARGE_WEIGHT else f"{number:.4g}"


def format_decimal(value: Any, *, sign: bool = False) -> str:
    """Return a number at three decimals, or at four digits where it is large.

    >>> format_decimal(0.12345, sign=True), format_decimal(1234.5)
    ('+0.123', '1234')
    """
    number = float(value)
    plus = "+" if sign else ""
    return f"{number:{plus}.3f}" if abs(number) < _LARGE_DECIMAL else f"{number:{plus}.4g}"


def format_p(p: Any, *, digits: int = 3) -> str:
    """Return a p-value, "< 2.2e-16" where it is smaller, a dash where there is none.

    So far out in the tail no digit of an approximate p-value is right; R prints the same.

    >>> format_p(0.028644), format_p(0.028644, digits=4), format_p(3.4e-241), format_p(None)
    ('0.0286', '0.02864', '< 2.2e-16', '-')
    """
    if p is None or hasattr(p, "reason"):
        return "-"
    return f"< {_SMALLEST_P}" if p < _SMALLEST_P else f"{p:.{digits}g}"


def p_text(p: Any) -> str:
    """Return a p-value for a sentence, where a digit more than in a table has room.

    >>> p_text(0.028644), p_text(3.4e-241)
    ('p = 0.02864', 'p < 2.2e-16')
    """
    return f"p {_with_sign(format_p(p, digits=4))}"


def _with_sign(p: str) -> str:
    """Return a p-value that is text with the sign before it; one too small to print has its own."""
    return p if p.startswith("<") else f"= {p}"


def decimals_for(values: Any, differences: Any) -> str:
    """Return a format with four digits of the larger value, and two of the difference and its limits.

    >>> decimals_for((0.91, 0.92), (0.01, 0.0001)), decimals_for((1234.5, 1200.0), (34.5,))
    (',.4f', ',.0f')
    """
    largest = max(map(_size, values))
    if not largest:
        return ",.4f"
    if not _SMALLEST <= largest < _LARGEST:
        return ".3e"
    share = 0.1 <= largest < 10  # noqa: PLR2004 - shares and the like have four decimals
    digits = 4 if share else max(3 - math.floor(math.log10(largest)), 0)
    apart = max(map(_size, differences))
    if apart:  # of many rows a difference shows that is far smaller than the values
        digits = max(digits, 1 - math.floor(math.log10(apart)))
    return f",.{min(digits, _MAX_DECIMALS)}f"


def format_number(value: Any, spec: str, *, sign: bool = False) -> str:
    """Return a number in a format, without a minus before a rounded 0; or that there is none.

    >>> format_number(-0.00001, ",.4f"), format_number(0.02, ",.4f", sign=True), format_number(math.inf, "g")
    ('0.0000', '+0.0200', 'infinite')
    """
    if hasattr(value, "reason"):
        return "undefined"
    if math.isinf(value):
        return "infinite"
    spec = f"{'+' if sign else ''}{spec}"
    shown = format(float(value), spec)
    is_zero = not any(digit in shown.partition("e")[0] for digit in "123456789")
    return format(0.0, spec) if is_zero else shown


def span(low: int, high: int) -> str:
    """Return a range of whole numbers as text.

    >>> span(1, 3), span(2, 2)
    ('1 to 3', '2')
    """
    return f"{low}" if low == high else f"{low} to {high}"


def number_or_none(value: Any) -> float | None:
    """Return a number as a float, and None where there is none or it is undefined."""
    return None if value is None or hasattr(value, "reason") else float(value)


def printed_measure(measure: str) -> tuple[str, int]:
    """Return a measure's name where it is printed, and how many times it: costs are those of 1,000 rows.

    >>> printed_measure("cost per row"), printed_measure("f1")
    (('cost per 1,000 rows', 1000), ('f1', 1))
    """
    return (f"cost per {_PER:,} rows", _PER) if measure.startswith("cost") else (measure, 1)


def format_threshold(threshold: float) -> str:
    """Return a threshold in four digits; fewer are all of them.

    >>> format_threshold(0.5), format_threshold(0.68601), format_threshold(math.inf)
    ('0.5', '0.6860', 'infinity')
    """
    if math.isinf(threshold):
        return "infinity" if threshold > 0 else "-infinity"
    short = f"{threshold:.4g}"
    return short if float(short) == threshold else f"{threshold:#.4g}"


def format_four_digits(value: float) -> str:
    """Return a number in four digits, all of those before the point, or that it has no value.

    >>> [format_four_digits(value) for value in (0.90062, 1234.56, math.nan, math.inf)]
    ['0.9006', '1,234.6', 'undefined', 'infinite']
    """
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "infinite"
    return f"{value:.4g}" if abs(value) < _PER else format_amount(value, 1)


def format_amount(value: float, places: int = 2) -> str:
    """Return a number of rows, or a sum of weights, with all of its digits before the point.

    >>> format_amount(12345678), format_amount(2.5), format_amount(1.0)
    ('12,345,678', '2.50', '1')
    """
    return f"{value:,.0f}" if value == round(value) else f"{value:,.{places}f}"


def format_scaled_interval(estimate: WithInterval, times: int = 1) -> str:
    """Return an estimate's interval in four digits, or nothing where it has none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"[{format_four_digits(estimate.low * times)}, {format_four_digits(estimate.high * times)}]"


def indented_lines(text: str, max_width: int = 80) -> list[str]:
    """Return a text in lines of at most so many columns, each a column in."""
    return [f" {line}" for line in textwrap.wrap(text, max_width - 1, break_on_hyphens=False)]


def counts_dict(counts: Any) -> dict[str, Any]:
    """Return the counts of true and false positives and negatives by their names."""
    return {name: getattr(counts, name) for name in ("tp", "fp", "fn", "tn")}


def _size(value: Any) -> float:
    number = number_or_none(value)
    return abs(number) if number is not None and math.isfinite(number) else 0.0
