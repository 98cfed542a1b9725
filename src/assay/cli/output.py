"""Output of a command: files, checked before rows are read and written once all is done, and standard output.

Printing is safe for terminals, encodings and closed pipes.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from assay.errors import FileError
from assay.escape import printable
from assay.output_files import OutputFiles, identity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from assay.output_files import FileIdentity

__all__ = [
    "as_json",
    "check_outputs",
    "deliver",
    "files_read",
    "finish_output",
    "output_width",
    "print_error",
    "print_output",
    "restore_descriptors",
]

_OUTPUTS = ("output", "report", "keep", "junit")  # options that name a file to write
# Plain characters in place of those that an output encoding lacks.
_PLAIN = str.maketrans(
    {
        "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2018": "'", "\u2019": "'", "\u00d7": "x",
        "\u00b7": ".", "✅": "+", "❌": "x", "…": "...", "±": "+-", "≥": ">=", "≤": "<=", "²": "2",
        "χ": "chi",
        **dict.fromkeys("│┃", "|"), **dict.fromkeys("─━", "-"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╭╮╰╯", "+"),
        **dict.fromkeys("█▉▊▋▌▍▎▏▐▓▒░■", "#"),
    }
)  # fmt: skip


def files_read(arguments: argparse.Namespace) -> set[FileIdentity]:
    """Return the identities of all files that the command reads, so that none is overwritten."""
    plan = getattr(arguments, "plan", None)
    paths = [*getattr(arguments, "paths", ()), *([plan, f"{plan}.sealed"] if plan else [])]
    files = {identity(path) for path in paths if path != "-"}
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
    output, json = getattr(arguments, "output", None), getattr(arguments, "json", False)
    with OutputFiles(files_read(arguments)) as files:
        for path, make in (more or {}).items():
            if path is not None:
                files.write(path, make())
        if output is not None:
            files.write(output, f"{printable(text, lines=True, json=json)}\n")
    if output is None:
        print_output(text, json=json)


def print_output(text: str, *, json: bool = False, end: str = "\n") -> None:
    """Print a text on standard output; a pipe that its reader closed is no error."""
    if sys.stdout is None:
        raise FileError("standard output is closed: open it, or write to a file with --output.")
    safe = printable(text, lines=True, json=json) + end
    with _ignore_closed_pipe():
        sys.stdout.write(_encodable(safe, sys.stdout, json=json))


def print_error(line: str, prefix: str = "assay: ") -> None:
    """Print a line on standard error, where there is one."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(_encodable(f"{prefix}{printable(' '.join(line.split()))}\n", sys.stderr))
        sys.stderr.flush()
    except (OSError, ValueError):
        _silence(sys.stderr)


def finish_output() -> None:
    """Flush standard output, or raise where it cannot be written."""
    if sys.stdout is not None:
        with _ignore_closed_pipe():
            sys.stdout.flush()


def restore_descriptors() -> None:
    """Open standard input, output and error where closed, lest a file that is opened takes their number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


@contextlib.contextmanager
def _ignore_closed_pipe() -> Any:
    try:
        yield
    except BrokenPipeError:
        _silence(sys.stdout)
    except OSError as failed:
        _silence(sys.stdout)
        raise FileError(f"standard output cannot be written: {failed.strerror or failed}.") from None


def _silence(stream: Any) -> None:
    """Redirect a stream to nowhere: what is left in it must not be flushed again at exit."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _encodable(text: str, stream: Any, *, json: bool = False) -> str:
    """Replace the characters that a stream's encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        if json:
            return re.sub("[^\x00-\x7f]", _escaped, text)
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
