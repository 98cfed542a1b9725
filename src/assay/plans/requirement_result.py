"""Which requirements a candidate meets, by intervals: together as Holm tests them, and against baselines."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Literal

from assay.comparison.compare import compare
from assay.errors import PlanError, shown
from assay.formatting.json_values import json_safe
from assay.inference.differences.difference import direction
from assay.inference.estimate import Estimate
from assay.ledgers.record import fingerprint_of
from assay.metrics import Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.comparison.flips import Flips
    from assay.evaluation.evaluation import Evaluation
    from assay.plans.requirement import Requirement

__all__ = ["Candidate", "RequirementResult", "check_requirements"]


@dataclasses.dataclass(frozen=True)
class RequirementResult:
    """Whether a requirement is met, by the interval that it was tested with, and why not.

    ``estimate`` is the metric's, or against a baseline that of the improvement, which is above 0 where the
    candidate is better, with ``values`` of the baseline and the candidate. Of slices it is the worst one's,
    ``part``; ``failed`` of ``parts`` do not meet it. ``level`` is how often a requirement that is not truly
    met would pass by this interval, None where the value alone was tested.
    """

    requirement: Requirement
    met: bool
    estimate: Estimate
    level: float | None
    reason: str = ""
    part: str = ""
    parts: int = 0
    failed: int = 0
    values: tuple[float | None, float | None] | None = None
    paired: bool | None = None

    @property
    def note(self) -> str:
        """What is to be known of the numbers beside them: the slice, and what could not be paired."""
        notes = []
        if self.parts > 1 and self.met:
            notes.append(f"{self.requirement.column}={self.part} is the worst of {self.parts}")
        if self.paired is False:
            notes.append("not paired: no rows of the baseline are at hand, so the interval is wider")
        if self.estimate.note:
            notes.append(self.estimate.note)
        return "; ".join(notes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {
            "requirement": self.requirement.canonical, "met": self.met, "reason": self.reason or None,
            "value": self.estimate.value, "low": self.estimate.low, "high": self.estimate.high,
            "confidence": None if self.level is None else self.estimate.confidence, "level": self.level,
            "method": self.estimate.method, "n": self.estimate.n,
        }  # fmt: skip
        if self.requirement.column:
            data |= {"slice": self.part, "slices": self.parts, "slices_failed": self.failed}
        if self.values is not None:
            data |= {"baseline_value": self.values[0], "candidate_value": self.values[1]}
            data["paired"] = self.paired
        if self.estimate.note:
            data["note"] = self.estimate.note
        return dict(json_safe(data))


def check_requirements(
    requirements: Sequence[Requirement],
    test: Callable[[Requirement, float], RequirementResult],
    confidence_at: Callable[[int], float],
    *,
    holm: bool,
) -> list[RequirementResult]:
    """Return the result of each requirement, so that all lines hold together.

    `test` gives the result by intervals of a confidence, and `confidence_at` that of intervals which share
    their error rate out among so many requirements. Holm's correction (1979) tests all of m requirements
    at the level over m, those that are left at the level over their number, until none is met any more.
    """
    results: dict[Requirement, RequirementResult] = {}
    left = [requirement for requirement in requirements if not requirement.point]
    for requirement in requirements:
        if requirement.point:
            results[requirement] = test(requirement, confidence_at(1))
    while left:
        confidence = confidence_at(len(left) if holm else 1)
        tested = {requirement: test(requirement, confidence) for requirement in left}
        results |= tested
        still = [requirement for requirement in left if not tested[requirement].met]
        if not holm or len(still) == len(left):
            break
        left = still
    return [results[requirement] for requirement in requirements]


class Candidate:
    """A candidate's evaluation and those of baselines by name; `paired` is False for different rows."""

    def __init__(
        self,
        ev: Evaluation,
        baselines: Mapping[str, Evaluation],
        name: str,
        *,
        paired: Literal[False] | None = None,
    ) -> None:
        self.ev, self.baselines, self.name, self.paired = ev, baselines, name, paired

    def flips(self) -> tuple[Flips, ...]:
        """Return which rows get better and worse from each baseline, where these are paired."""
        all_flips: list[Flips] = []
        for baseline, other in self.baselines.items():
            metric = next(iter(self.ev), None)
            if metric is not None:
                all_flips += compare(other, self.ev, names=[baseline, self.name], metrics=[metric]).flips
        return tuple(all_flips)

    def test(self, requirement: Requirement, confidence: float) -> RequirementResult:
        """Return a requirement's result by intervals of a confidence; of slices that of the worst one."""
        if not requirement.column:
            return self._test(requirement, confidence, self.ev, self.baselines.get(requirement.baseline))
        parts = self._slices(self.ev, requirement)
        of_baseline: Mapping[str, Evaluation] = {}
        if requirement.baseline:
            of_baseline = self._slices(self.baselines[requirement.baseline], requirement)
        results = {
            part: self._test(requirement, confidence, ev, of_baseline.get(part)) for part, ev in parts.items()
        }
        failed = [part for part, result in results.items() if not result.met]
        worst = min(failed or results, key=lambda part: _slack(requirement, results[part]))
        reason = results[worst].reason
        if reason:
            reason = f"in {requirement.column}={worst} {reason}"
            if len(failed) > 1:
                others = [part for part in failed if part != worst]
                reason += f"; nor is it met in {shown(others, 3).replace(chr(34), '')}"
        return dataclasses.replace(
            results[worst], met=not failed, reason=reason, part=worst, parts=len(results), failed=len(failed)
        )

    def _slices(self, ev: Evaluation, requirement: Requirement) -> dict[str, Evaluation]:
        parts = {str(key): part for key, part in ev.slices[requirement.column].items()}
        if not requirement.part:
            return parts
        if requirement.part not in parts:
            raise PlanError(
                f'"{requirement.text}" is about no slice of these rows: {requirement.column} has '
                f"{shown(parts)}."
            )
        return {requirement.part: parts[requirement.part]}

    def _test(
        self, requirement: Requirement, confidence: float, ev: Evaluation, baseline: Evaluation | None
    ) -> RequirementResult:
        level = None if requirement.point else (1 - confidence) / 2
        if not requirement.baseline:
            estimate = ev.estimate(ev.spec(requirement.name), confidence=confidence)
            reason = requirement.shortfall(estimate)
            return RequirementResult(requirement, not reason, estimate, level, reason)
        if baseline is None:
            raise PlanError(f'"{requirement.text}" needs {requirement.baseline}, which is not at hand.')
        compared = compare(
            baseline, ev, names=["baseline", "candidate"], metrics=[requirement.name], confidence=confidence,
            correction=None, paired=self.paired,
        )  # fmt: skip
        (difference,) = compared.differences
        turn = direction(requirement.spec.metric)
        low, high = (None if end is None else turn * end for end in (difference.low, difference.high)[::turn])
        size, method = difference.difference, difference.method
        if low is None and not isinstance(size, Undefined) and not size and _same_predictions(ev, baseline):
            low, high, method = 0.0, 0.0, "the same predictions"
        improvement = Estimate(
            size if isinstance(size, Undefined) else turn * float(size), low, high, confidence,
            method, difference.n, difference.note,
        )  # fmt: skip
        reason = _worse(requirement, improvement)
        values = tuple(None if isinstance(value, Undefined) else float(value) for value in difference.values)
        return RequirementResult(
            requirement, not reason, improvement, level, reason, values=(values[0], values[1]),
            paired=compared.paired,
        )  # fmt: skip


def _same_predictions(left: Evaluation, right: Evaluation) -> bool:
    return fingerprint_of(left).predictions == fingerprint_of(right).predictions


def _worse(requirement: Requirement, improvement: Estimate) -> str:
    """Return why an improvement on a baseline is not enough; empty where it is."""
    if not improvement.defined:
        return f"the difference is {improvement.value}"
    value = float(improvement)
    if requirement.point:
        return "" if requirement.holds(value, value) else f"it is {_than(value)}"
    if improvement.low is None or improvement.high is None:
        return f"the difference has no interval{f' ({improvement.note})' if improvement.note else ''}"
    if requirement.holds(improvement.low, improvement.high):
        return ""
    if not requirement.holds(value, value):
        return f"it is {_than(value)}"
    level = f"{100 * improvement.confidence:.4g}% confidence"
    return f"it is {_than(value)}, but may be {_than(improvement.low)} ({level})"


def _than(improvement: float) -> str:
    """Return an improvement in words.

    >>> _than(0.01), _than(-0.0213), _than(0.0)
    ('better by 0.01', 'worse by 0.0213', 'equal')
    """
    if not improvement:
        return "equal"
    return f"{'better' if improvement > 0 else 'worse'} by {abs(improvement):.4g}"


def _slack(requirement: Requirement, result: RequirementResult) -> float:
    """Return by how much an interval lies within what is required; minus infinity where there is none."""
    estimate = result.estimate
    if not estimate.defined:
        return -math.inf
    value = float(estimate)
    low, high = (value, value) if requirement.point else (estimate.low, estimate.high)
    if low is None or high is None:
        return -math.inf
    lowest, highest = requirement.limits()
    return min(low - lowest, highest - high)
