"""The command line."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from assay import __version__
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0 fine, 2 wrong input."""
    parser = argparse.ArgumentParser(
        prog="assay",
        description="Judges the predictions of machine-learning models. So far from Python; here, the "
        "catalogue of metrics and a demo.",
    )
    parser.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    commands.add_parser("demo", help="the main job on bundled data").set_defaults(run=_demo)
    metrics = commands.add_parser(
        "metrics",
        help="the catalogue: every metric, or all about those named",
        description="Lists every metric, or says all there is to know about those named.",
        epilog="examples:  assay metrics   assay metrics ppv kappa   assay metrics --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    metrics.add_argument("names", nargs="*", metavar="name", help="a metric, by name or alias")
    form = metrics.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as data")
    form.add_argument("--markdown", action="store_true", help="as the page in the documentation")
    metrics.set_defaults(run=_metrics)
    arguments = parser.parse_args(words)
    if arguments.command is None:
        parser.print_help()
        return 0
    run: Callable[[argparse.Namespace], str] = arguments.run
    try:
        print(run(arguments))  # noqa: T201 - this is the command line
        sys.stdout.flush()
    except AssayError as wrong:
        print(f"assay: {wrong}", file=sys.stderr)  # noqa: T201
        return 2
    except BrokenPipeError:
        # The reader has seen enough; nothing is left to flush at exit.
        sys.stdout = None
    return 0


def _demo(_: argparse.Namespace) -> str:
    from assay.demo import demo  # noqa: PLC0415 - --help does without it

    return demo()


def _metrics(arguments: argparse.Namespace) -> str:
    from assay.metrics import find  # noqa: PLC0415 - --help does without NumPy
    from assay.reports import catalogue  # noqa: PLC0415

    chosen = [find(name) for name in arguments.names] or None
    if arguments.json:
        return json.dumps(catalogue.as_data(chosen), indent=2, ensure_ascii=False)
    if arguments.markdown:
        return catalogue.as_markdown(chosen).rstrip()
    if chosen is not None:
        return "\n\n".join(catalogue.entry(metric.name) for metric in chosen)
    return catalogue.as_text()
