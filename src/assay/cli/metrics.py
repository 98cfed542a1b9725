"""``metrics``: the catalogue of metrics; and ``demo``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cli.options import add_output
from assay.cli.output import as_json, deliver, print_output
from assay.cli.parser import Command

if TYPE_CHECKING:
    import argparse

    from assay.cli.parser import Parser

__all__ = ["DEMO", "METRICS"]


def _metrics_options(parser: Parser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="a metric, by name or alias")
    add_output(parser, "json", "markdown")


def _metrics(arguments: argparse.Namespace) -> int:
    from assay.metrics import find
    from assay.reports import catalogue

    chosen = [find(name) for name in arguments.names] or None
    if arguments.json:
        text = as_json(catalogue.as_data(chosen))
    elif arguments.markdown:
        text = catalogue.as_markdown(chosen).rstrip()
    elif chosen is not None:
        text = "\n\n".join(catalogue.entry(metric.name) for metric in chosen)
    else:
        text = catalogue.as_text()
    arguments.paths = []
    deliver(arguments, text)
    return 0


def _demo_options(parser: Parser) -> None:
    del parser


def _demo(_: argparse.Namespace) -> int:
    from assay.cli.demo import demo

    print_output(demo())
    return 0


METRICS = Command(
    "metrics",
    "the catalogue: every metric, or all about those named",
    "Lists every metric, or describes those named.",
    ("assay metrics", "assay metrics ppv kappa", "assay metrics --json --output metrics.json"),
    _metrics_options,
    _metrics,
)
DEMO = Command(
    "demo",
    "an evaluation of bundled data",
    "Evaluates a spam filter on 1,390 messages, chooses a threshold and compares two versions of it.",
    ("assay demo",),
    _demo_options,
    _demo,
)
