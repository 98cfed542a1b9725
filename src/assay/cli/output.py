"""What a command writes: checked before anything is read, and delivered once all is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli.printing import show
from assay.output_files import OutputFiles, identity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from assay.output_files import FileIdentity

__all__ = ["as_json", "check_outputs", "deliver", "files_read"]

_OUTPUTS = ("output", "report", "keep")  # options that name a file to write


def files_read(arguments: argparse.Namespace) -> set[FileIdentity]:
    """Return which files the command reads, by whatever name: those it was given and those of its sources."""
    found = {identity(path) for path in getattr(arguments, "paths", ()) if path != "-"}
    for source in getattr(arguments, "sources", ()):
        found |= source.files_read
    return {one for one in found if one is not None}


def check_outputs(arguments: argparse.Namespace) -> None:
    """Raise where what is to be written cannot be: before rows are read, not after."""
    paths = [path for name in _OUTPUTS if (path := getattr(arguments, name, None)) is not None]
    files = OutputFiles(files_read(arguments))
    try:
        for path in paths:
            files.place(path)
    finally:
        files.discard()


def as_json(data: Any) -> str:
    """Return plain data as JSON for people and programs."""
    import json

    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)


def deliver(
    arguments: argparse.Namespace,
    text: str,
    more: Mapping[str | None, Callable[[], str | bytes]] | None = None,
) -> None:
    """Print an answer, or write it where it is wanted, together with `more` files by their path.

    It is printed last: who reads no further must not lose the files.
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
        show(text, json=json)
