"""Requirements as options: ``--require``, ``--require-point`` and the lines that say what is not met."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.cli import exit_codes
from assay.cli.output import finish_output, print_error
from assay.cli.parser import UsageError
from assay.errors import PlanError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from assay.plans.requirement import Requirement, Verdict
    from assay.plans.requirement_result import RequirementResult

__all__ = ["as_markdown", "check_requirements", "exit_code", "print_failures", "read_requirements"]


def read_requirements(arguments: argparse.Namespace, *, baselines: bool = False) -> list[Requirement]:
    """Return the requirements that were typed, or raise for what cannot be read, before any row is.

    Only where models are compared may a requirement name a baseline.
    """
    typed = [(text, False) for text in arguments.require] + [(text, True) for text in arguments.require_point]
    requirements = [_parse(text, point=point, baselines=baselines) for text, point in typed]
    for requirement in requirements:
        if not re.fullmatch(r"f_[0-9.e+]+", str(requirement.name)):  # the F-beta that --beta adds
            _check_metric(requirement.metric)
    return requirements


def _check_metric(text: str) -> None:
    from assay.metrics.spec import MetricSpec

    MetricSpec.of(text)


def _parse(text: str, *, point: bool, baselines: bool) -> Requirement:
    from assay.plans.requirement import parse_requirement

    try:
        requirement = parse_requirement(text, point=point)
    except PlanError:
        requirement = None
    if requirement is None or requirement.column or (requirement.baseline and not baselines):
        option = "--require-point" if point else "--require"
        also = '"auc no worse than OTHER by 0.01"' if baselines else '"log_loss < 0.2"'
        raise UsageError(f'{option} "{text}" cannot be read: write it as "recall >= 0.9" or {also}.')
    return requirement


def check_requirements(requirements: Sequence[Requirement], results: Mapping[Any, Any]) -> list[Verdict]:
    """Return the verdict on each requirement."""
    return [requirement.verdict(results) for requirement in requirements]


def exit_code(verdicts: Sequence[Verdict | RequirementResult]) -> int:
    """Return the exit code that says whether all requirements are met."""
    return exit_codes.FINE if all(verdict.met for verdict in verdicts) else exit_codes.NOT_MET


def print_failures(verdicts: Sequence[Verdict | RequirementResult]) -> None:
    """Print a line on standard error for each requirement that is not met."""
    finish_output()
    for verdict in verdicts:
        if not verdict.met:
            text = getattr(verdict.requirement, "canonical", verdict.requirement)
            print_error(f"{text} is not met: {verdict.reason}")


def as_markdown(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts as a list in Markdown.

    >>> from assay.plans.requirement import Verdict
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
