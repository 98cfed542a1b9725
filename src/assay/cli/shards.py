"""Saved evaluations: ``merge`` joins those that ``tally`` wrote, ``report`` shows one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.evaluate import deliver_evaluation, write_evaluation
from assay.cli.inputs import require_options
from assay.cli.options import add_output, add_paths, add_requirements
from assay.cli.parser import Command, UsageError
from assay.cli.requirements import read_requirements

if TYPE_CHECKING:
    import argparse

    from assay.cli.parser import Parser

__all__ = ["MERGE", "REPORT"]


def _merge_options(parser: Parser) -> None:
    add_paths(parser, "files that tally or merge wrote, or patterns of them")
    add_output(parser, output="the file to write (needed)")


def _merge(arguments: argparse.Namespace) -> int:
    from assay.errors import AssayError, InputError
    from assay.evaluation.storage import load

    require_options(arguments, "output")
    arguments.paths = _expand(arguments.paths)
    _refuse_twice(arguments.paths)
    first, *others = arguments.paths
    merged = load(first)
    for path in others:
        more = load(path)
        try:
            merged = merged.merge(more)
        except AssayError as refused:
            raise InputError(f"{path} does not go with {first}: {refused}") from None
    write_evaluation(arguments, merged, arguments.output)
    return 0


def _expand(paths: list[str]) -> list[str]:
    """Return the files that paths and patterns name."""
    import glob

    from assay.errors import FileError

    files: list[str] = []
    for path in paths:
        pattern = glob.has_magic(path) and not Path(path).exists()  # a file that exists is that file
        matching = sorted(glob.glob(path)) if pattern else [path]  # noqa: PTH207 - may be absolute
        if not matching:
            raise FileError(f"no file matches {path}.")
        files += matching
    if not files:
        raise UsageError("no file was named: name files that tally wrote.")
    return files


def _refuse_twice(paths: list[str]) -> None:
    """Raise where two paths lead to the same file, whose rows would count twice."""
    path_by_file: dict[tuple[int, int], str] = {}
    for path in paths:
        if not Path(path).exists():  # reported when it is read
            continue
        status = Path(path).stat()
        first = path_by_file.get((status.st_dev, status.st_ino))
        if first is not None:
            also = "" if first == path else f", as {first} and as {path}"
            raise UsageError(f"{path} is named twice{also}: its rows would count twice.")
        path_by_file[status.st_dev, status.st_ino] = path


def _report_options(parser: Parser) -> None:
    add_paths(parser, "a file that tally or merge wrote")
    add_requirements(parser)
    add_output(parser, "json", "markdown", "like", "full", report=True)


def _report(arguments: argparse.Namespace) -> int:
    from assay.evaluation.storage import load

    if len(arguments.paths) != 1:
        count = "none was" if not arguments.paths else f"{len(arguments.paths)} were"
        raise UsageError(f"a report is of one file, and {count} named: merge joins several.")
    read_requirements(arguments)
    return deliver_evaluation(arguments, load(arguments.paths[0]))


MERGE = Command(
    "merge",
    "join files that tally wrote into one",
    "Joins evaluations of different rows into the evaluation of all of them, to the same bits whatever "
    "their order.",
    (
        "assay merge 1.assay 2.assay --output all.assay",
        "assay merge '[12].assay' --output all.assay --quiet",
    ),
    _merge_options,
    _merge,
)
REPORT = Command(
    "report",
    "show a file that tally or merge wrote",
    "Shows a saved evaluation as text, Markdown, JSON or as the interactive page.",
    (
        "assay report 1.assay",
        "assay report 1.assay --report page.html --quiet",
        'assay report 1.assay --json --require-point "accuracy >= 0.1"',
    ),
    _report_options,
    _report,
)
