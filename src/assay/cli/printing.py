"""Printing to standard output and error, safe for terminals, encodings and closed pipes."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import Any

from assay.errors import FileError
from assay.escape import printable

__all__ = ["finish_output", "print_error", "print_output", "restore_descriptors"]

# Plain characters in place of those that an output encoding lacks.
_PLAIN = str.maketrans(
    {
        "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2018": "'", "\u2019": "'", "\u00d7": "x",
        "\u00b7": ".", "…": "...", "±": "+-", "≥": ">=", "≤": "<=", "²": "2", "χ": "chi",
        **dict.fromkeys("│┃", "|"), **dict.fromkeys("─━", "-"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╭╮╰╯", "+"),
        **dict.fromkeys("█▉▊▋▌▍▎▏▐▓▒░■", "#"),
    }
)  # fmt: skip


def print_output(text: str, *, json: bool = False, end: str = "\n") -> None:
    """Print a text on standard output; a pipe that its reader closed is no error."""
    if sys.stdout is None:
        raise FileError("standard output is closed: open it, or write to a file with --output.")
    safe = printable(text, lines=True, json=json) + end
    with _ignore_closed_pipe():
        sys.stdout.write(_encodable(safe, sys.stdout, json=json))


def print_error(line: str) -> None:
    """Print a line on standard error, where there is one."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(_encodable(f"assay: {printable(' '.join(line.split()))}\n", sys.stderr))
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


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
