"""The program: which command is meant, what it is told, and how it ends."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from assay import __version__
from assay.cli import exit_codes
from assay.cli.compare import COMPARE
from assay.cli.completion import completion_command
from assay.cli.crosstab import CROSSTAB
from assay.cli.crossval import CROSSVAL
from assay.cli.evaluate import EVALUATE, TALLY, THRESHOLD
from assay.cli.metrics import DEMO, METRICS
from assay.cli.output import check_outputs
from assay.cli.parser import Misuse, near, parser_of, program_parser
from assay.cli.printing import complain, finish_output, restore_descriptors
from assay.cli.shards import MERGE, REPORT
from assay.cli.signals import leave_at_once, stop_on_signals
from assay.cli.split import SPLIT
from assay.errors import AssayError, FileError
from assay.escape import printable
from assay.formatting.progress import disable_progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.parser import Command

__all__ = ["COMMANDS", "main"]

_JUDGING = (EVALUATE, COMPARE, THRESHOLD, CROSSTAB, SPLIT, CROSSVAL, TALLY, MERGE, REPORT, METRICS, DEMO)
COMMANDS = (*_JUDGING, completion_command(_JUDGING))
_ASIDE = "\ue000{}\ue001"  # stands for data in a message that is translated
# What Python says otherwise than the command line does.
_WORDS = (
    (r'rows\(\.\.\., missing="drop"\)', "--missing drop"),
    (r'task="(\w+)", "(\w+)" or "(\w+)"', r"--task \1, \2 or \3"),
    (r"paired=False", "--unpaired"),
    (r'edges=\{"([^"]*)": \[10, 20\]\}, or pass the rows in memory', r"--edges \1=10,20"),
    (r" to evaluate\(\)", ""),
    (r"\bsplit=bootstrap\(\d+\)", "--bootstrap"),
    (r"\bk=(\d+) folds", r"\1 folds"),
    (r"\bk=(-?\d+) should", r"--folds \1 should"),
    (r"a datetime\.timedelta", "a duration, such as 7d or 12h"),
    (r" \(assay\.\w+\)", ""),
    (r"; assay\.cut makes classes of one", ""),
)


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see :mod:`assay.cli.exit_codes`)."""
    if words is None:
        restore_descriptors()
    with stop_on_signals() as received:
        try:
            return _finished(_run(list(sys.argv[1:] if words is None else words)))
        except KeyboardInterrupt:
            # Python remembers one that passed through an exec, and would end as if nobody had caught it.
            exec("")  # noqa: S102
            code = exit_codes.of_signal(received[0] if received else signal.SIGINT)
            if words is None and any(not one.daemon for one in threading.enumerate()[1:]):
                leave_at_once(code)
            return code


def _run(words: list[str]) -> int:
    """Run one command; what goes wrong is told in a line, and the code says whose fault it is."""
    names: Sequence[str] = ()
    try:
        if not words or words[0].startswith("-"):
            return _without_command(words)
        command = _command(words[0])
        parser = parser_of(command, prog=f"assay {command.name}")
        names = parser.names()
        arguments = parser.read(words[1:])
        with disable_progress() if getattr(arguments, "quiet", False) else contextlib.nullcontext():
            check_outputs(arguments)
            return command.run(arguments)
    except SystemExit as left:  # --help and --version
        return left.code if isinstance(left.code, int) else exit_codes.FINE
    except BrokenPipeError:  # of a pipe that was named as --output
        return exit_codes.FINE
    except Misuse as wrong:
        return _told(str(wrong), wrong)
    except AssayError as wrong:
        return _told(as_options(str(wrong), names, words), wrong)
    except OSError as failed:  # a full disk, say, which is no error of ours
        what = failed.filename or "a file"
        return _told(f"{what} cannot be read or written: {failed.strerror or failed}.", failed)
    except MemoryError as failed:
        line = "the memory is not enough for this: free some, or read fewer rows or columns at a time."
        return _told(line, failed)
    except Exception as unexpected:  # noqa: BLE001 - whatever it is, it gets its line
        line = (
            f"this should not have happened: {type(unexpected).__name__}: {unexpected} "
            "(ASSAY_TRACEBACK=1 shows where; please report it.)"
        )
        return _told(line, unexpected, exit_codes.INTERNAL)


def _told(line: str, error: BaseException, code: int = exit_codes.WRONG) -> int:
    """Say what went wrong, and to who asks for it also where; return the exit code."""
    complain(line)
    if os.environ.get("ASSAY_TRACEBACK") and sys.stderr is not None:
        import traceback

        with contextlib.suppress(OSError):
            sys.stderr.write(printable("".join(traceback.format_exception(error)), lines=True))
    return code


def _without_command(words: list[str]) -> int:
    program = program_parser(COMMANDS, __version__)
    _, unknown = program.parse_known_args(words)  # leaves for --help and --version
    if unknown:
        program.refuse(unknown)
    program.print_help()
    return exit_codes.FINE


def _command(name: str) -> Command:
    for one in COMMANDS:
        if one.name == name:
            return one
    hint = near(name, [one.name for one in COMMANDS])
    raise Misuse(f"there is no command {name!r}{hint or '.'} (assay --help lists them.)")


def _finished(code: int) -> int:
    """Return the code once all is printed, or nobody reads any more."""
    try:
        finish_output()
    except FileError as failed:
        if code in (exit_codes.FINE, exit_codes.NOT_MET):  # else it was told already
            complain(str(failed))
            return exit_codes.WRONG
    return code


def as_options(message: str, names: Sequence[str], words: Sequence[str] = ()) -> str:
    """Return a message of the library's in the words of the command line.

    What is quoted, what was typed and what names a file is left as it is.

    >>> as_options('say it with positive=, or missing="drop"', ["--positive", "--missing"])
    'say it with --positive, or --missing drop'
    >>> as_options('there is no file k=5/p.csv: say k=5', ["--k"], ["k=5/p.csv"])
    'there is no file k=5/p.csv: say --k 5'
    """
    typed = [re.escape(word) for word in sorted(words, key=len, reverse=True) if "=" in word]
    data: list[str] = []

    def set_aside(found: re.Match[str]) -> str:
        text = found[0]
        is_option = text.startswith("=") or "=" not in text
        if is_option or not (
            text in words or text[0] == '"' or "/" in text or Path(text.rstrip(".")).exists()
        ):
            return text
        data.append(text)
        return _ASIDE.format(len(data) - 1)

    pattern = "|".join([*typed, r'=?"[^"]*"', r"""[^\s"'(]*/[^\s"']*""", r"[\w.-]+=[\w.-]+"])
    translated = _translated(re.sub(pattern, set_aside, message), names)
    for number, text in enumerate(data):
        translated = translated.replace(_ASIDE.format(number), text)
    return translated


def _translated(message: str, names: Sequence[str]) -> str:
    for python, shell in _WORDS:
        message = re.sub(python, shell, message)
    known = {name.removeprefix("--").replace("-", "_"): name for name in names}

    def option(found: re.Match[str]) -> str:
        name, value = known.get(found[1]), (found[2] or found[3] or found[4] or "").strip()
        if name is None:
            return found[0]
        return f"{name} {value}".rstrip() if value else name

    return re.sub(r"""(?<![\w./-])([a-z_]+)=(?:"([^"]*)"|'([^']*)'|(-?[\w.]*\w))?""", option, message)
