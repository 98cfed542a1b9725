"""The power of a plan: how good a model must truly be for its requirement to be shown."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from assay.inference.distributions import normal_p, normal_point
from assay.inference.intervals.choose_interval import estimate
from assay.inference.power.auc_power import equal_binormal_variance
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.plans.requirement import Requirement

__all__ = ["ASSUMED", "RequirementPower", "counted_rows", "power_of", "requirement_power"]

# What no test set tells before a model is seen: on which share of rows candidate and baseline disagree,
# how both areas correlate, and how large they are.
ASSUMED = {"disagreement": 0.1, "correlation": 0.5, "area": 0.8}
_STEPS = 60  # of bisections
_GRID = 200  # true values among which the one where the power is reached is looked for


@dataclasses.dataclass(frozen=True)
class RequirementPower:
    """What so many rows can show: the value that a model must truly have, and the power where it has it.

    ``needed`` is None where no value would do, or nothing is known (``known`` is then false); against a
    baseline it is the true improvement, and ``if_equal`` the power where both models are equally good.
    """

    requirement: Requirement
    rows: int
    target: float
    needed: float | None = None
    if_equal: float | None = None
    known: bool = True
    reason: str = ""

    @property
    def sentence(self) -> str:
        """The power in words."""
        rows = f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}"
        text = self.requirement.text
        if not self.known:
            return f"How much {rows} can show is not known: {self.reason}."
        if self.needed is None:
            return f"{rows} CANNOT show {text}: {self.reason}."
        power = f"{100 * self.target:.3g}% power"
        if self.requirement.baseline:
            better = "equally good" if self.needed <= 0 else f"better by {_up(self.needed)}"
            equal = f"; if both are equally good, the power is {100 * (self.if_equal or 0):.0f}%"
            superior = self.requirement.sign == "better than"
            return f"{rows} show it if the model is truly {better} ({power}){'' if superior else equal}."
        more = self.requirement.sign[0] == ">"
        value = _up(self.needed) if more else f"{math.floor(self.needed * 1e4) / 1e4:g}"
        return f"{rows} show it if it is truly {value} or {'better' if more else 'less'} ({power})."

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "requirement": self.requirement.canonical, "rows": self.rows, "power": self.target,
            "needed": self.needed, "power_if_equal": self.if_equal, "sentence": self.sentence,
        }  # fmt: skip


def _up(number: float) -> str:
    return f"{math.ceil(number * 1e4) / 1e4:g}"


def counted_rows(requirement: Requirement, labels: Mapping[str, int], positive: str, rows: int) -> int | None:
    """Return how many rows a proportion counts: of positives, of negatives, of all; None for what is none.

    Precision counts the rows predicted positive, which are taken to be as many as are positive.
    """
    import numpy as np  # noqa: PLC0415 - the command line reads help without it

    from assay.inference.influence.row_contributions import row_outcomes  # noqa: PLC0415

    spec = requirement.spec
    if not labels:
        return rows if spec.metric.kind == "proportion" and spec.metric.name == "accuracy" else None
    index = np.arange(len(labels))
    options = spec.metric.with_positive(spec.options, positive)
    outcomes = row_outcomes(spec.metric, options, tuple(labels), index, index)
    if outcomes is None:
        return None
    return int(np.array(list(labels.values()))[outcomes.counted].sum())


def requirement_power(
    requirement: Requirement,
    rows: int,
    labels: Mapping[str, int],
    positive: str,
    *,
    confidence: float,
    target: float,
    assume: Mapping[str, float],
) -> RequirementPower:
    """Return what a test set can show of one requirement, by intervals of this confidence."""
    counted = counted_rows(requirement, labels, positive, rows)
    size = rows if counted is None else counted
    unknown = "its spread is known from a first model only"
    if requirement.point:
        return RequirementPower(
            requirement, size, target, known=False, reason="the value is tested without its interval"
        )
    power = power_of(requirement, counted, labels, positive, confidence=confidence, assume=assume)
    if power is None:
        return RequirementPower(requirement, size, target, known=False, reason=unknown)
    metric = requirement.spec.metric
    best = float(metric.best) if metric.best is not None else 1.0
    if requirement.baseline:
        start, end = (
            requirement.limits()[0],
            assume["disagreement"] if counted is not None else 1 - assume["area"],
        )
    else:
        start, end = _search_range(requirement, best)
    reached = _first_reached(power, start, end, target) if size else None
    if reached is None:
        return RequirementPower(requirement, size, target, reason=_impossible(requirement, size, confidence))
    low, high = reached
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    if_equal = power(0.0) if requirement.baseline else None
    return RequirementPower(requirement, size, target, high, if_equal)


def _search_range(requirement: Requirement, best: float) -> tuple[float, float]:
    """Return the limit, and the value furthest beyond it: the best one, or of "recall <= 0.5" the lowest."""
    lowest, highest = requirement.limits()
    more = requirement.sign[0] == ">"
    start = lowest if more else highest
    beyond = best >= start if more else best <= start
    end = best if beyond else requirement.spec.metric.bounds[1 if more else 0]
    return start, end


def _first_reached(
    power: Callable[[float], float], start: float, end: float, target: float
) -> tuple[float, float] | None:
    """Return two neighbouring true values, between which the power first reaches a target.

    The power by a normal approximation falls again where a value is nearly perfect and its variance vanishes.
    """
    before = start
    for step in range(1, _GRID + 1):
        truth = start + (end - start) * step / _GRID
        if power(truth) >= target:
            return before, truth
        before = truth
    return None


def power_of(
    requirement: Requirement,
    counted: int | None,
    labels: Mapping[str, int],
    positive: str,
    *,
    confidence: float,
    assume: Mapping[str, float] = ASSUMED,
) -> Callable[[float], float] | None:
    """Return the power as a function of the true value, or of the true improvement on a baseline.

    Proportions are summed exactly over what may be counted; areas and differences are normal.
    """
    z = normal_point((1 + confidence) / 2)
    name = requirement.spec.metric.name
    n_positive = labels.get(positive, 0)
    n_negative = sum(labels.values()) - n_positive
    if name == "auc" and not requirement.spec.options and len(labels) == 2 and n_positive and n_negative:  # noqa: PLR2004
        return _area_power(requirement, n_positive, n_negative, z, assume)
    if counted is None or requirement.sign == "within":
        return None
    if requirement.baseline:
        return _paired_power(requirement, counted, z, assume["disagreement"])
    return _proportion_power(requirement, counted, confidence)


def _proportion_power(requirement: Requirement, n: int, confidence: float) -> Callable[[float], float]:
    from scipy.special import bdtr, bdtrc  # noqa: PLC0415 - SciPy takes its time to load

    more = requirement.sign[0] == ">"
    low, high = (-1, n + 1) if more else (-1, n)
    if more:  # the fewest hits that will do
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if _share_holds(requirement, middle, n, confidence) else (middle, high)
        return lambda truth: 0.0 if high > n else float(bdtrc(high - 1, n, truth)) if high else 1.0
    high = n + 1
    while high - low > 1:  # the most that will
        middle = (low + high) // 2
        low, high = (middle, high) if _share_holds(requirement, middle, n, confidence) else (low, middle)
    return lambda truth: 0.0 if low < 0 else float(bdtr(low, n, truth))


def _share_holds(requirement: Requirement, hits: int, n: int, confidence: float) -> bool:
    """Tell whether so many hits of n meet the requirement, by the interval that a recall would have."""
    from assay.metrics import find  # noqa: PLC0415

    table = Confusion.of_table([[1, 0], [n - hits, hits]], labels=(0, 1))
    limits = estimate(find("recall"), table, confidence=confidence)
    return limits.low is not None and limits.high is not None and requirement.holds(limits.low, limits.high)


def _area_power(
    requirement: Requirement, positives: int, negatives: int, z: float, assume: Mapping[str, float]
) -> Callable[[float], float] | None:
    def error(area: float) -> float:
        return math.sqrt(equal_binormal_variance(min(max(area, 1e-9), 1 - 1e-9), positives, negatives))

    if requirement.baseline:
        before, bar = error(assume["area"]), requirement.limits()[0]

        def paired_power(truth: float) -> float:
            after = error(assume["area"] + truth)
            spread = math.sqrt(before**2 + after**2 - 2 * assume["correlation"] * before * after)
            return normal_p((truth - bar) / spread - z, "less") if spread else float(truth > bar)

        return paired_power
    if requirement.sign[0] != ">":
        return None
    logit_limit = _logit(requirement.limit)

    def power(area: float) -> float:
        inside = min(max(area, 1e-9), 1 - 1e-9)
        on_logit = error(inside) / (inside * (1 - inside))
        return normal_p((_logit(inside) - logit_limit) / on_logit - z, "less")

    return power


def _logit(share: float) -> float:
    inside = min(max(share, 1e-9), 1 - 1e-9)
    return math.log(inside / (1 - inside))


def _paired_power(
    requirement: Requirement, n: int, z: float, disagreement: float
) -> Callable[[float], float]:
    """Return the power of Tango's score test that a difference of paired shares is above a bar (Nam 1997)."""
    bar = requirement.limits()[0]

    def power(truth: float) -> float:
        if n == 0 or abs(truth) > disagreement:
            return 0.0
        only_new, only_old = (disagreement + truth) / 2, (disagreement - truth) / 2
        b = -only_new - only_old + (2 - only_new + only_old) * bar
        product = 8 * only_old * bar * (1 - bar)
        likeliest = (math.sqrt(max(b * b + product, 0.0)) - b) / 4
        null = math.sqrt(max(2 * likeliest + bar * (1 - bar), 0.0))
        spread = math.sqrt(max(disagreement - truth**2, 1e-12))
        return normal_p(((truth - bar) * math.sqrt(n) - z * null) / spread, "less")

    return power


def _impossible(requirement: Requirement, n: int, confidence: float) -> str:
    """Return why no model could show it, and how many rows it would take of a model without errors."""
    if requirement.baseline or requirement.spec.metric.name == "auc":
        return "the interval will be too wide"
    perfect = (lambda size: size) if requirement.sign[0] == ">" else (lambda _: 0)
    size = max(n, 1)
    while size < 10**9 and not _share_holds(requirement, perfect(size), size, confidence):
        size *= 2
    low, high = size // 2, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle)
            if _share_holds(requirement, perfect(middle), middle, confidence)
            else (middle, high)
        )
    if high > n:
        return f"even without a single error it takes {high:,} such rows"
    return "a model would have to be nearly perfect"
