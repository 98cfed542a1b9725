"""``check``: the gate, which lets a model pass that meets a sealed plan."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli import exit_codes
from assay.cli.inputs import is_saved, open_source, read_limits
from assay.cli.options import add_ledger, add_output, add_reading, ledger_of
from assay.cli.output import as_json, deliver, output_width, print_error
from assay.cli.parser import Command, StoreOnce, UsageError
from assay.errors import AssayError

if TYPE_CHECKING:
    import argparse

    from assay.cli.parser import Parser
    from assay.plans.check_result import PlanCheck
    from assay.plans.plan import Plan

__all__ = ["CHECK"]


def _options(parser: Parser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="a plan.toml that is sealed")
    parser.add_argument("paths", nargs="*", metavar="FILE", help="the predictions on the plan's test set")
    group = parser.add_argument_group("the check")
    group.add_argument(
        "--against", action="append", default=[], metavar="[NAME=]FILE",
        help="the predictions of the baseline that requirements name",
    )  # fmt: skip
    group.add_argument(
        "--against-ledger", action="append", default=[], metavar="[NAME=]MODEL",
        help="the model in the ledger that is the baseline",
    )  # fmt: skip
    add_ledger(group, "where looks are counted and the check is recorded")
    group.add_argument("--name", action=StoreOnce, metavar="TEXT", help="name of the model (the file's)")
    add_output(parser, "json", "markdown")
    form = parser.add_argument_group("continuous integration")
    form.add_argument("--junit", action=StoreOnce, metavar="FILE", help="write JUnit's XML to this file")
    form.add_argument(
        "--github", action="store_true", help="annotate the run in GitHub Actions, and add to its summary"
    )
    add_reading(parser)


def _run(arguments: argparse.Namespace) -> int:
    try:
        result = _checked(arguments)
    except AssayError as error:
        if arguments.github:
            from assay.formatting.result_table import escape_markdown
            from assay.plans.check_formats import annotation

            print_error(annotation("error", str(error), f"assay check {arguments.plan}"), prefix="")
            _add_summary(f"### ❌ assay check\n\n{escape_markdown(' '.join(str(error).split()))}\n")
        raise
    from assay.plans.check_formats import github_annotations, junit_xml

    deliver(arguments, _render(arguments, result), {arguments.junit: lambda: junit_xml(result)})
    if arguments.github:
        for line in github_annotations(result):
            print_error(line, prefix="")
        _add_summary(f"{result.to_markdown()}\n")
    return exit_codes.FINE if result.met else exit_codes.NOT_MET


def _checked(arguments: argparse.Namespace) -> PlanCheck:
    from assay.plans.check import check
    from assay.plans.plan_seal import sealed_plan

    plan = sealed_plan(arguments.plan)
    data = _data(arguments, arguments.paths)
    against = {name: _data(arguments, [path]) for name, path in _named(plan, arguments.against, "against")}
    models = dict(_named(plan, arguments.against_ledger, "against-ledger"))
    return check(
        plan, data, against=against or None, against_ledger=models or None, ledger=ledger_of(arguments),
        name=arguments.name or "", **read_limits(arguments),
    )  # fmt: skip


def _render(arguments: argparse.Namespace, result: PlanCheck) -> str:
    if arguments.json:
        return as_json(result.to_dict())
    return result.to_markdown() if arguments.markdown else result.text(width=output_width(arguments))


def _data(arguments: argparse.Namespace, paths: list[str]) -> Any:
    """Return the rows of files, or the evaluation that one holds."""
    if len(paths) == 1 and is_saved(paths[0]):
        from assay.evaluation.storage import load

        arguments.paths = [*arguments.paths, *paths]  # which no output may replace
        return load(paths[0])
    return open_source(arguments, paths)


def _named(plan: Plan, words: list[str], option: str) -> list[tuple[str, str]]:
    """Return baselines with what stands for them: the only one, or each by its name."""
    pairs = []
    for word in words:
        name, sign, rest = word.partition("=")
        if sign and name in plan.baselines:
            pairs.append((name, rest))
        elif len(plan.baselines) == 1:
            pairs.append((plan.baselines[0], word))
        elif not plan.baselines:
            raise UsageError(f"no requirement of the plan compares with a baseline: leave --{option} out.")
        else:
            known = ", ".join(plan.baselines)
            raise UsageError(
                f"the plan compares with {known}: say which one --{option} {word} is, as NAME=..."
            )
    if len(dict(pairs)) < len(pairs):
        raise UsageError(f"--{option} names a baseline twice: leave one out.")
    return pairs


def _add_summary(markdown: str) -> None:
    """Add to the summary of a job in GitHub Actions, where this is one."""
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{markdown}\n")


CHECK = Command(
    "check",
    "check a model by a sealed plan, and let it pass or not",
    "Checks predictions by a plan that assay seal has fixed: its requirements, by intervals, together as\n"
    "Holm's correction tests them, and against a baseline on the same rows. Exit codes: 0 met, 1 not met,\n"
    "2 wrong input, 3 the plan or its test set has changed, 4 no looks are left.",
    (
        "assay check sealed.toml preds.csv",
        "assay check sealed.toml preds.csv --markdown --output comment.md",
        "assay check sealed.toml preds.csv --junit gate.xml --quiet",
        "assay check release.toml new.csv --against old.csv",
    ),
    _options,
    _run,
)
