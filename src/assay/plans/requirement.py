"""Requirements: what a metric must reach, in one language for plans, Python and the command line."""

from __future__ import annotations

import dataclasses
import math
import operator
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assay.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.metrics.spec import MetricSpec

__all__ = ["EXAMPLES", "Requirement", "Verdict", "parse_requirement"]

EXAMPLES: Final = (
    '"recall >= 0.9", "recall >= 0.85 in every region", "auc no worse than production by 0.01", '
    '"accuracy better than production", "calibration_slope within 0.2"'
)
_SIGNS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip
_NUMBER = r"(?P<limit>[^\s<>=]+)"
_FORMS: Final = tuple(
    re.compile(rf"(?P<metric>[A-Za-z].*?)\s*{form}", re.IGNORECASE)
    for form in (
        rf"(?P<sign>>=|<=|>|<)\s*{_NUMBER}",
        rf"(?P<sign>within)\s+{_NUMBER}(?:\s+of\s+(?P<target>\S+))?",
        rf"(?P<sign>no worse than)\s+(?P<baseline>.+?)\s+by\s+{_NUMBER}",
        rf"(?P<sign>better than)\s+(?P<baseline>.+?)(?:\s+by\s+{_NUMBER})?",
    )
)
_ON = re.compile(r"\s+on the (point|bound)\s*$", re.IGNORECASE)
_IN = re.compile(r"\s+in\s+(?:every\s+(?P<every>.+?)|(?P<column>[^=<>]+?)\s*=\s*(?P<slice>.+?))\s*$")


class Verdict(NamedTuple):
    """Whether a requirement is met, and why not."""

    requirement: str
    met: bool
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"requirement": self.requirement, "met": self.met, "reason": self.reason or None}


@dataclasses.dataclass(frozen=True, slots=True)
class Requirement:
    """A metric and what it must reach, of all rows or of slices, by itself or against a baseline.

    ``sign`` is ``>=``, ``<=``, ``>``, ``<``, ``within`` (so far from ``target``, or from the metric's best
    value), ``no worse than`` or ``better than`` (a baseline, by ``limit``). `point` tests the value alone and
    not the worse end of its interval. ``column`` names a column whose slices must all meet it, or one
    of them, ``part``.
    """

    metric: str
    sign: str
    limit: float
    point: bool = False
    baseline: str = ""
    target: float | None = None
    column: str = ""
    part: str = ""

    @property
    def text(self) -> str:
        """The requirement in one form, however it was typed."""
        return f"{self.without_slices.text}{self.where}" if self.column else self._text

    @property
    def _text(self) -> str:
        number = _shortest(self.limit)
        if self.baseline:
            by = f" by {number}" if self.limit or self.sign == "no worse than" else ""
            return f"{self.metric} {self.sign} {self.baseline}{by}"
        of = "" if self.target is None else f" of {_shortest(self.target)}"
        return f"{self.metric} {self.sign} {number}{of}"

    @property
    def where(self) -> str:
        """Which slices it is about: `` in every region``."""
        if not self.column:
            return ""
        return f" in {self.column}={self.part}" if self.part else f" in every {self.column}"

    @property
    def canonical(self) -> str:
        """The text, with the part of the interval that counts where that is not the usual one."""
        return f"{self.text}{' on the point' if self.point else ''}"

    @property
    def without_slices(self) -> Requirement:
        """The same requirement on one evaluation: of all rows, or of one slice."""
        return dataclasses.replace(self, column="", part="")

    @property
    def name(self) -> str:
        """The metric as results know it."""
        return self.metric if "(" in self.metric else re.sub(r"[\s-]+", "_", self.metric)

    @property
    def spec(self) -> MetricSpec:
        """The metric with its options; raises for a metric that does not exist."""
        from assay.metrics.spec import MetricSpec  # noqa: PLC0415 - the command line reads help without it

        return MetricSpec.of(self.metric)

    def limits(self) -> tuple[float, float]:
        """Return between which numbers the metric must lie, or against a baseline its improvement.

        >>> parse_requirement("calibration_slope within 0.2").limits()
        (0.8, 1.2)
        >>> parse_requirement("log_loss no worse than the old model by 0.01").limits()
        (-0.01, inf)
        """
        if self.sign == "within":
            best = self.spec.metric.best if self.target is None else self.target
            return float(best or 0.0) - self.limit, float(best or 0.0) + self.limit
        if self.baseline:
            return (self.limit if self.sign == "better than" else -self.limit), math.inf
        return (self.limit, math.inf) if self.sign[0] == ">" else (-math.inf, self.limit)

    def holds(self, low: float, high: float) -> bool:
        """Tell whether an interval lies where it must."""
        lowest, highest = self.limits()
        if self.sign == "within":
            return lowest <= low and high <= highest
        if self.baseline:
            return low > lowest
        return _SIGNS[self.sign](low if self.sign[0] == ">" else high, self.limit)

    def verdict(self, results: Mapping[Any, Any]) -> Verdict:
        """Return whether an evaluation or a cross-validation meets the requirement.

        >>> from assay.inference.estimate import Estimate
        >>> recall = {"recall": Estimate(0.9, 0.8, 0.95, 0.95, "Wilson", 100)}
        >>> Requirement("recall", ">=", 0.85).verdict(recall).reason
        'it is 0.9, but may be as low as 0.8 (95% confidence)'
        >>> Requirement("recall", ">=", 0.85, point=True).verdict(recall)
        Verdict(requirement='recall >= 0.85', met=True, reason='')
        """
        reason = self.shortfall(results[self.name])
        return Verdict(self.text, met=not reason, reason=reason)

    def shortfall(self, estimate: Any) -> str:
        """Return why an estimate does not meet the requirement; empty where it does."""
        if not estimate.defined:
            return f"{self.metric} is {estimate.value}"
        value = estimate.value
        if self.point:
            return "" if self.holds(value, value) else f"it is {value:.4g}"
        if estimate.low is None or estimate.high is None:
            why = f" ({estimate.note})" if estimate.note else ""
            return f'it has no interval{why}; "{self.text} on the point" tests the value'
        if self.holds(estimate.low, estimate.high):
            return ""
        if not self.holds(value, value):
            return f"it is {estimate:.4g}"
        low_counts = estimate.low < self.limits()[0]
        end, word = (estimate.low, "low") if low_counts else (estimate.high, "high")
        level = f"{100 * estimate.confidence:.4g}% confidence"
        return f"it is {value:.4g}, but may be as {word} as {end:.4g} ({level})"

    def check(self) -> None:
        """Raise for a metric that does not exist, and for what no model could ever meet, or fail to."""
        metric = self.spec.metric
        lowest, highest = metric.bounds
        low, high = self.limits()
        if self.baseline:
            self._check_direction(metric)
            lowest, highest = lowest - highest, highest - lowest
        span = f"{metric.name} lies between {lowest:g} and {highest:g}"
        strict = self.sign in (">", "<", "better than")
        if low > highest or high < lowest or (strict and (low >= highest or high <= lowest)):
            raise PlanError(f'"{self.text}" can never be met: {span}.')
        if low <= lowest and high >= highest and not strict:
            raise PlanError(f'"{self.text}" is always met: {span}. Leave it out, or correct the number.')

    def _check_direction(self, metric: Any) -> None:
        from assay.inference.differences.difference import direction  # noqa: PLC0415

        if not direction(metric):
            raise PlanError(
                f'"{self.text}" cannot be tested: of {metric.name} neither more nor less is better. '
                f'Say how near it must be, as in "{self.metric} within 0.1".'
            )


def parse_requirement(text: str, *, point: bool = False) -> Requirement:
    """Return the requirement that a text states.

    >>> parse_requirement("recall >= 0.85 in every region on the point").canonical
    'recall >= 0.85 in every region on the point'
    >>> parse_requirement("auc no worse than production by 0.01").baseline
    'production'
    """
    if not isinstance(text, str):
        raise PlanError(f"a requirement is a text such as {EXAMPLES}, not {text!r}.")
    rest = text.strip()
    if on := _ON.search(rest):
        rest, point = rest[: on.start()], on[1].lower() == "point"
    slices: dict[str, str] = {}
    if within := _IN.search(rest):
        rest = rest[: within.start()]
        slices = {"column": within["every"] or within["column"], "part": within["slice"] or ""}
    for form in _FORMS:
        if (match := form.fullmatch(rest)) is not None:
            break
    else:
        raise PlanError(f'"{text}" cannot be read as a requirement: write it as {EXAMPLES}.')
    groups = match.groupdict()
    limit = 0.0 if groups["limit"] is None else _number(groups["limit"], text)
    target = None if groups.get("target") is None else _number(groups["target"], text)
    sign = groups["sign"].lower()
    if limit < 0 and sign in ("within", "no worse than", "better than"):
        raise PlanError(f'"{text}" has {limit:g}, where a number above 0 is needed.')
    baseline = re.sub(r"^the\s+", "", groups.get("baseline") or "")
    return Requirement(groups["metric"], sign, limit, point, baseline, target, **slices)


def _shortest(number: float) -> str:
    """Return a number in the shortest form that reads as the same number.

    >>> _shortest(0.9), _shortest(1e6), _shortest(0.90000001), _shortest(1234567.0)
    ('0.9', '1e+06', '0.90000001', '1234567')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(number).removesuffix(".0")


def _number(word: str, text: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise PlanError(f'"{text}" cannot be read: {word} is no finite number.')
    return number
