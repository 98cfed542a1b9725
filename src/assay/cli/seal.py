"""``seal``: fix a plan, its requirements and its test set, before any result is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cli.options import add_ledger, add_output, ledger_of
from assay.cli.output import as_json, deliver, output_width
from assay.cli.parser import Command, StoreOnce

if TYPE_CHECKING:
    import argparse

    from assay.cli.parser import Parser

__all__ = ["SEAL"]


def _options(parser: Parser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="a plan.toml")
    parser.add_argument(
        "--test-set", action=StoreOnce, metavar="FILE", help="the rows to test on, with their actual values"
    )
    add_ledger(parser, "seal it there, too")
    add_output(parser, "json")


def _run(arguments: argparse.Namespace) -> int:
    from assay.plans.plan_seal import write_seal

    plan = write_seal(arguments.plan, arguments.test_set, ledger_of(arguments))
    powers = [power.to_dict() for power in plan.powers]
    content = {**plan.to_dict(), "sha256": plan.sha256, "powers": powers}
    deliver(arguments, as_json(content) if arguments.json else plan.text(width=output_width(arguments)))
    return 0


SEAL = Command(
    "seal",
    "fix a plan and its test set before any result is seen",
    "Writes the content of a plan and its SHA-256 to PLAN.sealed, and says how good a model must be for the\n"
    "test set to show it. A plan or a test set that has changed since is refused with exit code 3.",
    ("assay seal plan.toml --test-set preds.csv",),
    _options,
    _run,
)
