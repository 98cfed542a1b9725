"""Requirements: bounds that metrics must meet, by the worse end of the interval or by the value alone."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assay.cli import exit_codes
from assay.cli.output import finish_output, print_error
from assay.cli.parser import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "Requirement", "Verdict", "as_markdown", "check_requirements", "exit_code", "print_failures",
    "read_requirements",
]  # fmt: skip

_SIGNS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip


class Verdict(NamedTuple):
    """Whether a requirement is met, and why not."""

    requirement: str
    met: bool
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"requirement": self.requirement, "met": self.met, "reason": self.reason or None}


class Requirement(NamedTuple):
    """A metric, a sign and a number; `point` tests the value alone and not the interval."""

    metric: str
    sign: str
    limit: float
    point: bool

    @property
    def text(self) -> str:
        """The requirement in one form, however it was typed."""
        return f"{self.metric} {self.sign} {self.limit:g}"

    @property
    def name(self) -> str:
        """The metric as results know it."""
        return self.metric if "(" in self.metric else re.sub(r"[\s-]+", "_", self.metric)

    def verdict(self, results: Mapping[Any, Any]) -> Verdict:
        """Return whether an evaluation or a cross-validation meets the requirement.

        >>> from assay.inference.estimate import Estimate
        >>> recall = {"recall": Estimate(0.9, 0.8, 0.95, 0.95, "Wilson", 100)}
        >>> Requirement("recall", ">=", 0.85, point=False).verdict(recall).reason
        'it is 0.9, but may be as low as 0.8 (95% confidence)'
        >>> Requirement("recall", ">=", 0.85, point=True).verdict(recall)
        Verdict(requirement='recall >= 0.85', met=True, reason='')
        """
        estimate = results[self.name]
        holds = _SIGNS[self.sign]
        if not estimate.defined:
            return self._failed(f"{self.metric} is {estimate.value}")
        if self.point:
            met = holds(estimate.value, self.limit)
            return Verdict(self.text, met=True) if met else self._failed(f"it is {estimate.value:.4g}")
        end, word = (estimate.low, "low") if self.sign[0] == ">" else (estimate.high, "high")
        if end is None:
            why = f" ({estimate.note})" if estimate.note else ""
            return self._failed(f"it has no interval{why}; --require-point tests the value")
        if holds(end, self.limit):
            return Verdict(self.text, met=True)
        if not holds(estimate.value, self.limit):
            return self._failed(f"it is {estimate:.4g}")
        level = f"{100 * estimate.confidence:g}% confidence"
        return self._failed(f"it is {estimate.value:.4g}, but may be as {word} as {end:.4g} ({level})")

    def _failed(self, reason: str) -> Verdict:
        return Verdict(self.text, met=False, reason=reason)


def read_requirements(arguments: argparse.Namespace) -> list[Requirement]:
    """Return the requirements that were typed, or raise for what cannot be read, before any row is."""
    typed = [(text, False) for text in arguments.require] + [(text, True) for text in arguments.require_point]
    requirements = [_parse(text, point=point) for text, point in typed]
    for requirement in requirements:
        if not re.fullmatch(r"f_[0-9.e+]+", str(requirement.name)):  # the F-beta that --beta adds
            _check_metric(requirement.metric)
    return requirements


def _check_metric(text: str) -> None:
    from assay.metrics.spec import MetricSpec

    MetricSpec.of(text)


def _parse(text: str, *, point: bool) -> Requirement:
    match = re.fullmatch(r"\s*([A-Za-z].*?)\s*(>=|<=|>|<)\s*([^\s<>=]+)\s*", text)
    try:
        limit = float(match[3]) if match else None
    except ValueError:
        limit = None
    if match is None or limit is None or limit != limit:  # noqa: PLR0124 - NaN
        option = "--require-point" if point else "--require"
        raise UsageError(
            f'{option} "{text}" cannot be read: write it as "recall >= 0.9" or "log_loss < 0.2".'
        )
    return Requirement(match[1], match[2], limit, point)


def check_requirements(requirements: Sequence[Requirement], results: Mapping[Any, Any]) -> list[Verdict]:
    """Return the verdict on each requirement."""
    return [requirement.verdict(results) for requirement in requirements]


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """Return the exit code that says whether all requirements are met."""
    return exit_codes.FINE if all(verdict.met for verdict in verdicts) else exit_codes.NOT_MET


def print_failures(verdicts: Sequence[Verdict]) -> None:
    """Print a line on standard error for each requirement that is not met."""
    finish_output()
    for verdict in verdicts:
        if not verdict.met:
            print_error(f"{verdict.requirement} is not met: {verdict.reason}")


def as_markdown(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts as a list in Markdown.

    >>> print(as_markdown([Verdict("auc >= 0.8", met=True), Verdict("f1 > 0.9", False, "it is 0.5")]))
    **Requirements**
    <BLANKLINE>
    - [x] `auc >= 0.8`
    - [ ] `f1 > 0.9`: it is 0.5
    """
    lines = ["**Requirements**", ""]
    for verdict in verdicts:
        box, reason = ("[x]", "") if verdict.met else ("[ ]", f": {verdict.reason}")
        lines.append(f"- {box} `{verdict.requirement}`{reason}")
    return "\n".join(lines)
