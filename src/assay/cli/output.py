"""Output of a command: files are checked before rows are read, and written once all is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli.printing import print_output
from assay.output_files import OutputFiles, identity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from assay.output_files import FileIdentity

__all__ = ["as_json", "check_outputs", "deliver", "files_read", "output_width"]

_OUTPUTS = ("output", "report", "keep")  # options that name a file to write


def files_read(arguments: argparse.Namespace) -> set[FileIdentity]:
    """Return the identities of all files that the command reads, so that none is overwritten."""
    files = {identity(path) for path in getattr(arguments, "paths", ()) if path != "-"}
    for source in getattr(arguments, "sources", ()):
        files |= source.files_read
    return {file for file in files if file is not None}


def check_outputs(arguments: argparse.Namespace) -> None:
    """Raise where an output file cannot be written: before rows are read, not after."""
    paths = [path for name in _OUTPUTS if (path := getattr(arguments, name, None)) is not None]
    files = OutputFiles(files_read(arguments))
    try:
        for path in paths:
            files.place(path)
    finally:
        files.discard()


def as_json(data: Any) -> str:
    """Return plain data as indented JSON."""
    import json

    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)


def output_width(arguments: argparse.Namespace) -> int:
    """Return the width of a text: that of the terminal where it is printed, always 80 in a file."""
    from assay.formatting.width import USUAL_WIDTH, terminal_width

    return terminal_width() if getattr(arguments, "output", None) is None else USUAL_WIDTH


def deliver(
    arguments: argparse.Namespace,
    text: str,
    more: Mapping[str | None, Callable[[], str | bytes]] | None = None,
) -> None:
    """Print a text, or write it to --output, together with `more` files by their path.

    It is printed last, so that a reader who closes the pipe early does not lose the files.
    """
    from assay.escape import printable

    output, json = getattr(arguments, "output", None), getattr(arguments, "json", False)
    with OutputFiles(files_read(arguments)) as files:
        for path, make in (more or {}).items():
            if path is not None:
                files.write(path, make())
        if output is not None:
            files.write(output, f"{printable(text, lines=True, json=json)}\n")
    if output is None:
        print_output(text, json=json)
