"""The difference of two models on one metric: interval, test, winner, and the rows needed to show it."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from assay.formatting.json_values import json_safe
from assay.formatting.numbers import p_text
from assay.inference.distributions import normal_point
from assay.inference.formulas.proportions import normal_quantile
from assay.inference.hypothesis_tests.paired_proportions import claims, equivalence, noninferiority
from assay.inference.power.proportion_power import check_power, critical_value, rows_for_paired
from assay.metrics import Undefined, Value

if TYPE_CHECKING:
    from assay.inference.formulas.proportions import Interval
    from assay.inference.test_result import TestResult
    from assay.metrics import Metric

__all__ = ["Difference", "Margin", "assess_margin", "direction"]


def direction(metric: Metric) -> int:
    """Return 1 where more of a metric is better, -1 where less is, 0 where neither can be said.

    A metric that is best somewhere within its bounds (a slope of 1, a mean error of 0) is 0 too: that one
    model's is larger does not make it worse.

    >>> from assay.metrics import find
    >>> [direction(find(name)) for name in ("auc", "log_loss", "mean_error", "prevalence")]
    [1, -1, 0, 0]
    """
    lowest, highest = metric.bounds
    if metric.best is None or lowest == highest:
        return 0
    return 1 if metric.best >= highest else -1 if metric.best <= lowest else 0


@dataclasses.dataclass(frozen=True, slots=True)
class Margin:
    """What a margin fixed in advance allows to claim of the second model against the first.

    ``claims`` are some of "superior", "non-inferior", "equivalent" and "inferior"; none of them is no claim.
    The tests are Wald's: the larger of both one-sided p-values for equivalence (Schuirmann 1987).
    """

    margin: float
    claims: tuple[str, ...]
    interval: tuple[float, float] | None  # the narrower one, by which equivalence is tested
    noninferiority: TestResult | None = None
    equivalence: TestResult | None = None


def assess_margin(
    oriented: float, limits: Interval, narrow: Interval, margin: float, error: float | None
) -> Margin:
    """Return the claims that a margin allows, for a difference turned so that more is better.

    Superior and not inferior by the interval of the stated confidence, equivalent by the narrower one that
    leaves twice as much on either side: both are one-sided tests, at half the level and at the level.

    >>> assess_margin(0.01, (-0.012, 0.032), (-0.008, 0.028), 0.05, 0.011).claims
    ('non-inferior', 'equivalent')
    """
    allowed = [name for name in claims(limits, margin) if name != "equivalent"]
    allowed += ["equivalent"] if "equivalent" in claims(narrow, margin) else []
    allowed += ["inferior"] if limits[1] < 0 else []
    if not error:
        return Margin(margin, tuple(allowed), narrow)
    tests = noninferiority(oriented, error, margin), equivalence(oriented, error, margin)
    return Margin(margin, tuple(allowed), narrow, *tests)


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """The second model's value of a metric less the first's, with its interval and its test.

    ``p_value`` is the test's own, ``adjusted`` the one corrected for all differences tested beside it.
    ``n`` is how many rows (queries, of ranked lists) there are, ``counted`` how many of them count for this
    metric. ``direction`` is 1 where more is better, -1 where less is, 0 where neither can be said.
    ``disagreeing`` is on how many rows only the first model has what is counted, and only the second.
    ``decided`` is whether it is significant, corrected for all that was tested beside it; ``winner`` then is
    the better model's name, None where no value is better than another.

    >>> limits = (0.004, 0.036, 0.95)
    >>> d = Difference("auc", "a", "b", (0.9, 0.92), 0.02, *limits, 0.0143, "paired DeLong", "Wald", 400)
    >>> d
    auc: b - a = +0.02 [+0.004, +0.036], p = 0.0143
    >>> d.winner
    'b'
    """

    metric: str
    first: str
    second: str
    values: tuple[Value, Value]
    difference: Value
    low: float | None
    high: float | None
    confidence: float
    p_value: Value
    method: str
    test: str
    n: int
    counted: int = 0
    direction: int = 1
    adjusted: Value | None = None
    family: int = 1
    standard_error: float | None = None
    note: str = ""
    disagreeing: tuple[int, int] | None = None
    groups: int | None = None
    design_effect: float | None = None
    more: tuple[TestResult, ...] = ()
    margin: Margin | None = None
    detect: float | None = None
    same: bool = False  # the models differ on no row
    decided: bool = dataclasses.field(init=False)
    winner: str | None = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        p, size = self.p_value if self.adjusted is None else self.adjusted, self.difference
        decided = not isinstance(p, Undefined) and not isinstance(size, Undefined) and p < self.alpha
        winner = self.second if float(size) * self.direction > 0 else self.first
        object.__setattr__(self, "decided", decided)
        object.__setattr__(self, "winner", winner if decided and self.direction else None)

    @property
    def alpha(self) -> float:
        """The level of the test: one less the confidence."""
        return 1 - self.confidence

    def rows_needed(
        self, difference: float | None = None, *, power: float = 0.8, alpha: float | None = None
    ) -> float | None:
        """Return how many rows in all would show a difference, of this size or of the observed one.

        From the variance of the difference per row, and for shares of the same rows by Connor's formula for
        McNemar's test (1987). At the level alpha, by default what the confidence leaves divided by the number
        of differences tested together. None where no number of rows would do, or it cannot be computed.
        """
        size = self.difference if difference is None else difference
        level = self.alpha / self.family if alpha is None else alpha
        check_power(level, power)
        if isinstance(size, Undefined) or not size or not math.isfinite(size):
            return None
        if self.disagreeing is not None:
            discordance = max(sum(self.disagreeing) / self.counted, abs(size))
            if discordance > 1:
                return None
            return rows_for_paired(discordance, size, alpha=level, power=power) * self.n / self.counted
        error = self._error()
        if error is None:
            return None
        return self.n * ((critical_value(level) + normal_point(power)) * error / size) ** 2

    def _error(self) -> float | None:
        """Return the standard error, or the one that the interval's width implies."""
        if self.standard_error:
            return self.standard_error
        if self.low is None or self.high is None or self.low == self.high:
            return None
        return (self.high - self.low) / (2 * normal_quantile(self.confidence))

    def __repr__(self) -> str:
        name = f"{self.metric}: {self.second} - {self.first} ="
        if isinstance(self.difference, Undefined):
            return f"{name} {self.difference!r}"
        limits = "" if self.low is None else f" [{self.low:+.4g}, {self.high:+.4g}]"
        p = repr(self.p_value) if isinstance(self.p_value, Undefined) else p_text(self.p_value)
        return f"{name} {self.difference:+.4g}{limits}, {p}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: null and a reason where there is no number, never NaN."""
        plain = {
            "metric": self.metric,
            "first": self.first,
            "second": self.second,
            "first_value": json_safe(self.values[0]),
            "second_value": json_safe(self.values[1]),
            "difference": json_safe(self.difference),
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            "p_value": json_safe(self.p_value),
            "adjusted_p_value": json_safe(self.adjusted),
            "family": self.family,
            "method": self.method,
            "test": self.test,
            "n": self.n,
            "counted": self.counted,
            "better": {1: "higher", -1: "lower", 0: None}[self.direction],
            "winner": self.winner,
            "decided": self.decided,
            "never_differ": self.same,
            "rows_needed": None if self.same or self.decided else self.rows_needed(),
        }
        for reason in (self.difference, self.p_value):
            if isinstance(reason, Undefined):
                plain["reason"] = reason.reason
                break
        if self.disagreeing is not None:
            plain["only_first"], plain["only_second"] = self.disagreeing
        if self.groups is not None:
            plain |= {"groups": self.groups, "design_effect": self.design_effect}
        if self.note:
            plain["note"] = self.note
        if self.more:
            plain["more"] = [test.to_dict() for test in self.more]
        if self.detect is not None:
            plain |= {"detect": self.detect, "rows_needed_to_detect": self.rows_needed(self.detect)}
        if self.margin is not None:
            plain |= {"margin": self.margin.margin, "claims": list(self.margin.claims)}
            plain["equivalence_interval"] = self.margin.interval and list(self.margin.interval)
            for name in ("noninferiority", "equivalence"):
                tested = getattr(self.margin, name)
                plain[f"{name}_p_value"] = None if tested is None else json_safe(tested.p_value)
        return plain
