"""The program: find the command, run it, and turn what goes wrong into one line and an exit code."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Final

from assay import __version__
from assay.cli import exit_codes
from assay.cli.agreement import AGREEMENT
from assay.cli.arena import ARENA
from assay.cli.check import CHECK
from assay.cli.compare import COMPARE
from assay.cli.completion import completion_command
from assay.cli.crosstab import CROSSTAB
from assay.cli.crossval import CROSSVAL
from assay.cli.evaluate import EVALUATE, TALLY, THRESHOLD
from assay.cli.ledger import HISTORY, LEDGER
from assay.cli.metrics import DEMO, METRICS
from assay.cli.options import shell_style
from assay.cli.output import check_outputs, finish_output, print_error, restore_descriptors
from assay.cli.parser import UsageError, parser_of, program_parser, suggestion
from assay.cli.repeats import REPEATS
from assay.cli.seal import SEAL
from assay.cli.serve import SERVE
from assay.cli.shards import MERGE, REPORT
from assay.cli.signals import leave_at_once, stop_on_signals
from assay.cli.split import SPLIT
from assay.errors import AssayError, FileError, NoLooksLeftError, PlanChangedError
from assay.escape import printable
from assay.formatting.progress import disable_progress
from assay.hints import hint_style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.parser import Command

__all__ = ["COMMANDS", "main"]

_COMMANDS = (
    EVALUATE, COMPARE, THRESHOLD, CROSSTAB, SPLIT, CROSSVAL, AGREEMENT, REPEATS, ARENA, TALLY, MERGE, REPORT,
    SEAL, CHECK, LEDGER, HISTORY, SERVE, METRICS, DEMO,
)  # fmt: skip
COMMANDS = (*_COMMANDS, completion_command(_COMMANDS))
_CODES: Final[dict[type[Exception], int]] = {
    PlanChangedError: exit_codes.CHANGED,
    NoLooksLeftError: exit_codes.NO_LOOKS,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see :mod:`assay.cli.exit_codes`)."""
    if words is None:
        restore_descriptors()
    with stop_on_signals() as received:
        try:
            return _finish(_run(list(sys.argv[1:] if words is None else words)))
        except KeyboardInterrupt:
            # Python remembers one that passed through an exec, and would end as if nobody had caught it.
            exec("")  # noqa: S102
            code = exit_codes.of_signal(received[0] if received else signal.SIGINT)
            if words is None and any(not thread.daemon for thread in threading.enumerate()[1:]):
                leave_at_once(code)
            return code


def _run(words: list[str]) -> int:
    """Run one command; an error is reported in one line, in the options of that command."""
    with contextlib.ExitStack() as context:
        try:
            if not words or words[0].startswith("-"):
                return _run_without_command(words)
            command = _find_command(words[0])
            parser = parser_of(command, prog=f"assay {command.name}")
            context.enter_context(hint_style(shell_style(parser.names())))
            arguments = parser.read(words[1:])
            if getattr(arguments, "quiet", False):
                context.enter_context(disable_progress())
            check_outputs(arguments)
            return command.run(arguments)
        except SystemExit as left:  # --help and --version
            return left.code if isinstance(left.code, int) else exit_codes.FINE
        except BrokenPipeError:  # of a pipe that was named as --output
            return exit_codes.FINE
        except Exception as error:  # noqa: BLE001 - whatever it is, it gets its line
            return _report_error(error)


def _report_error(error: Exception) -> int:
    """Print what went wrong, with ASSAY_TRACEBACK=1 also where; return the exit code."""
    code = exit_codes.WRONG
    if isinstance(error, (UsageError, AssayError)):
        line = str(error)
        code = _CODES.get(type(error), code)
    elif isinstance(error, OSError):  # a full disk, say, which is no error of ours
        line = f"{error.filename or 'a file'} cannot be read or written: {error.strerror or error}."
    elif isinstance(error, MemoryError):
        line = "there is not enough memory: free some, or read fewer rows or columns at a time."
    else:
        code = exit_codes.INTERNAL
        line = (
            f"this should not have happened: {type(error).__name__}: {error} "
            "(ASSAY_TRACEBACK=1 shows where; please report it.)"
        )
    print_error(line)
    if os.environ.get("ASSAY_TRACEBACK") and sys.stderr is not None:
        import traceback

        with contextlib.suppress(OSError):
            sys.stderr.write(printable("".join(traceback.format_exception(error)), lines=True))
    return code


def _run_without_command(words: list[str]) -> int:
    program = program_parser(COMMANDS, __version__)
    _, unknown = program.parse_known_args(words)  # exits for --help and --version
    if unknown:
        program.refuse(unknown)
    program.print_help()
    return exit_codes.FINE


def _find_command(name: str) -> Command:
    for command in COMMANDS:
        if command.name == name:
            return command
    similar = suggestion(name, [command.name for command in COMMANDS])
    raise UsageError(f"there is no command {name!r}{similar or '.'} (assay --help lists them.)")


def _finish(code: int) -> int:
    """Flush standard output and return the exit code, which a full disk changes."""
    try:
        finish_output()
    except FileError as failed:
        if code in (exit_codes.FINE, exit_codes.NOT_MET):  # otherwise an error was printed already
            print_error(str(failed))
            return exit_codes.WRONG
    return code
