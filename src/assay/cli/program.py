"""The program: which command is meant, what it is told, and how it ends."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import TYPE_CHECKING

from assay import __version__
from assay.cli.comparing import COMPARE
from assay.cli.completion import completion_command
from assay.cli.judging import EVALUATE, TALLY, THRESHOLD
from assay.cli.looking import DEMO, METRICS
from assay.cli.parser import Misuse, near, parser_of, program_parser
from assay.cli.saved import MERGE, REPORT
from assay.cli.splitting import SPLIT
from assay.cli.tables import CROSSTAB
from assay.cli.validating import CROSSVAL
from assay.errors import AssayError
from assay.progress import hushed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.parser import Command, Parser

__all__ = ["COMMANDS", "main"]

_JUDGING = (EVALUATE, COMPARE, THRESHOLD, CROSSTAB, SPLIT, CROSSVAL, TALLY, MERGE, REPORT, METRICS, DEMO)
COMMANDS = (*_JUDGING, completion_command(_JUDGING))
_INTERRUPTED = 130  # as a shell reports a program that was interrupted
_WRONG = 2
# What Python says otherwise than the command line does.
_WORDS = (
    (r'rows\(\.\.\., missing="drop"\)', "--missing drop"),
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
    """Run one command; return the exit code: 0 fine, 1 a requirement is not met, 2 wrong input."""
    said = list(sys.argv[1:] if words is None else words)
    parser: Parser | None = None
    try:
        if not said or said[0].startswith("-"):
            program = program_parser(COMMANDS, __version__)
            _, unknown = program.parse_known_args(said)  # leaves for --help and --version
            if unknown:
                program.refuse(unknown)
            program.print_help()
            return _finished(0)
        command = _command(said[0])
        parser = parser_of(command, prog=f"assay {command.name}")
        arguments, unknown = parser.parse_known_intermixed_args(said[1:])
        if unknown:
            parser.refuse(unknown)
        with hushed() if getattr(arguments, "quiet", False) else contextlib.nullcontext():
            return _finished(command.run(arguments))
    except SystemExit as left:  # --help and --version
        return _finished(left.code if isinstance(left.code, int) else 0)
    except Misuse as wrong:
        return _wrong(str(wrong))
    except AssayError as wrong:
        if os.environ.get("ASSAY_TRACEBACK"):
            raise
        return _wrong(as_options(str(wrong), parser.names() if parser else ()))
    except BrokenPipeError:
        return _finished(0)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as failed:  # a full disk, say, which is no error of ours
        if os.environ.get("ASSAY_TRACEBACK"):
            raise
        what = failed.filename or "a file or standard output"
        return _wrong(f"{what} cannot be read or written: {failed.strerror or failed}.")
    except Exception as unexpected:
        if os.environ.get("ASSAY_TRACEBACK"):
            raise
        return _wrong(
            f"this should not have happened: {type(unexpected).__name__}: {unexpected} "
            "(ASSAY_TRACEBACK=1 shows where; please report it.)"
        )


def _command(name: str) -> Command:
    for one in COMMANDS:
        if one.name == name:
            return one
    hint = near(name, [one.name for one in COMMANDS])
    raise Misuse(f"there is no command {name!r}{hint or '.'} (assay --help lists them.)")


def _finished(code: int) -> int:
    """Return the code once all is printed, or nobody reads any more."""
    try:
        sys.stdout.flush()
    except OSError as failed:
        # What is left must not be flushed again at exit.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if code != _WRONG and not isinstance(failed, BrokenPipeError):  # else the reader has seen enough
            return _wrong(f"standard output cannot be written: {failed.strerror or failed}.")
    return code


def _wrong(message: str) -> int:
    line = " ".join(message.split())
    with contextlib.suppress(BrokenPipeError):
        print(f"assay: {line}", file=sys.stderr)  # noqa: T201 - this is the command line
    return _finished(_WRONG)


def as_options(message: str, names: Sequence[str]) -> str:
    """Return a message of the library's in the words of the command line.

    >>> as_options('say it with positive=, or missing="drop"', ["--positive", "--missing"])
    'say it with --positive, or --missing drop'
    """
    for python, shell in _WORDS:
        message = re.sub(python, shell, message)
    known = {name.removeprefix("--").replace("-", "_"): name for name in names}

    def option(found: re.Match[str]) -> str:
        name, value = known.get(found[1]), (found[2] or found[3] or found[4] or "").strip()
        if name is None:
            return found[0]
        return f"{name} {value}".rstrip() if value else name

    return re.sub(r"""(?<![\w.-])([a-z_]+)=(?:"([^"]*)"|'([^']*)'|(-?[\w.]*\w))?""", option, message)
