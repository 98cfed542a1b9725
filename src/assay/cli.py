"""The command line."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from assay import __version__
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0 fine, 2 wrong input."""
    parser = argparse.ArgumentParser(
        prog="assay",
        description="Judges the predictions of machine-learning models. So far from Python; here, a demo.",
    )
    parser.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    commands.add_parser("demo", help="the main job on bundled data")
    if parser.parse_args(words).command is None:
        parser.print_help()
        return 0
    try:
        from assay.demo import demo  # noqa: PLC0415 - --help does without it

        print(demo())  # noqa: T201 - this is the command line
    except AssayError as wrong:
        print(f"assay: {wrong}", file=sys.stderr)  # noqa: T201
        return 2
    except BrokenPipeError:
        sys.stderr.close()
    return 0
