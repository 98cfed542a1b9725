"""The command line."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0 fine, 2 wrong input."""
    parser = argparse.ArgumentParser(
        prog="assay", description="Judges the predictions of machine-learning models."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    commands.add_parser("demo", help="the main job on bundled data")
    parser.parse_args(words)
    try:
        from assay.demo import demo  # noqa: PLC0415 - --help does without it

        print(demo())  # noqa: T201 - this is the command line
    except AssayError as wrong:
        print(f"assay: {wrong}", file=sys.stderr)  # noqa: T201
        return 2
    except BrokenPipeError:
        sys.stderr.close()
    return 0
