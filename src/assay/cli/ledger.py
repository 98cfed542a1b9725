"""``ledger``: verify, export, import or merge the evaluations that were recorded; ``history``: list them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli import exit_codes
from assay.cli.options import add_output, duration, metric_list
from assay.cli.output import as_json, deliver, output_width, print_output
from assay.cli.parser import Command, StoreOnce, UsageError
from assay.formatting.numbers import count_of

if TYPE_CHECKING:
    import argparse

    from assay.cli.parser import Parser

__all__ = ["HISTORY", "LEDGER", "add_address"]

_ACTIONS = ("verify", "export", "import", "merge")
_FILTERED = ("export", "merge")


def add_address(parser: Parser) -> None:
    """Add the ledger to read."""
    parser.add_argument(
        "--ledger", action=StoreOnce, metavar="FILE",
        help="the ledger, by default .assay/ledger.db; or postgresql://host/database",
    )  # fmt: skip


def add_filters(group: Any) -> None:
    """Add which evaluations are meant."""
    group.add_argument("--model", action=StoreOnce, metavar="NAME", help="of this model")
    group.add_argument(
        "--since", action=StoreOnce, metavar="TIME", help="from 2026-11-01 on, or of the last 7d, 12h"
    )
    group.add_argument("--tag", action=StoreOnce, metavar="WORD", help="with this tag")


def _filters(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return those that were named, as a ledger's methods take them."""
    filters = {name: value for name in ("model", "tag") if (value := getattr(arguments, name)) is not None}
    return filters if arguments.since is None else filters | {"since": _since(arguments.since)}


def _ledger_options(parser: Parser) -> None:
    parser.add_argument("action", choices=_ACTIONS, help="what to do")
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="FILE",
        help="to export to, to import from (.jsonl, .parquet, or a ledger), or for merge to write",
    )
    add_address(parser)
    parser.add_argument(
        "--noted", action=StoreOnce, metavar="HASH",
        help="for verify: the hash that it printed before; no entry up to then may have changed",
    )  # fmt: skip
    group = parser.add_argument_group("which evaluations to export or merge")
    add_filters(group)
    parser.add_argument("--quiet", action="store_true", help="print nothing where all is well")


def _ledger(arguments: argparse.Namespace) -> int:
    from assay.ledgers.ledger import ledger

    needed = 0 if arguments.action == "verify" else 1
    if len(arguments.paths) != needed:
        what = (
            "reads the ledger alone: name it by --ledger" if not needed else "names one file, after the word"
        )
        raise UsageError(f"{arguments.action} {what}. (See assay ledger --help.)")
    filters = _filters(arguments)
    if filters and arguments.action not in _FILTERED:
        raise UsageError(f"{arguments.action} is of the whole ledger: leave --{min(filters)} out.")
    if arguments.noted is not None and arguments.action != "verify":
        raise UsageError(f"{arguments.action} verifies nothing: leave --noted out.")
    with ledger(arguments.ledger, read_only=arguments.action != "import") as book:
        if arguments.action == "verify":
            result = book.verify(noted=arguments.noted or "")
            if not (result and arguments.quiet):
                print_output(str(result))
                if result and result.last:
                    print_output(f"the last has the hash {result.last}")
            return exit_codes.FINE if result else exit_codes.NOT_MET
        (path,) = arguments.paths
        if arguments.action == "export":
            line = f"{path}: {_entries(book.export(path, **filters))} of {book.url}"
        elif arguments.action == "merge":
            merged = book.merge(**filters)
            merged.save(path)
            line = f"{path}: {count_of(merged.n, 'row')} of {book.url}. assay report {path} shows them."
        else:
            line = f"{book.url}: {_entries(book.import_from(path))} of {path}, {len(book):,} in all"
    if not arguments.quiet:
        print_output(line)
    return exit_codes.FINE


def _entries(count: int) -> str:
    return f"{count:,} {'entry' if count == 1 else 'entries'}"


def _history_options(parser: Parser) -> None:
    add_address(parser)
    group = parser.add_argument_group("which evaluations")
    add_filters(group)
    group.add_argument(
        "--test", action=StoreOnce, metavar="DIGITS", help="on this test set: its first digits"
    )
    group = parser.add_argument_group("what to show")
    group.add_argument(
        "--metrics", action=StoreOnce, type=metric_list, metavar="A,B", help="by default the first few"
    )
    group.add_argument("--by", action=StoreOnce, metavar="COLUMN", help="slices by it, a line each")
    add_output(parser, "json", "markdown")


def _history(arguments: argparse.Namespace) -> int:
    from assay.ledgers.ledger import ledger

    filters = _filters(arguments) | {
        name: value for name in ("test", "metrics", "by") if (value := getattr(arguments, name)) is not None
    }
    with ledger(arguments.ledger, read_only=True) as book:
        history = book.history(**filters)
    if arguments.json:
        text = as_json(history.to_dict())
    else:
        text = history.to_markdown() if arguments.markdown else history.text(width=output_width(arguments))
    deliver(arguments, text)
    return exit_codes.FINE


def _since(word: str) -> Any:
    """Return a moment: a date, a date and time, or so long ago."""
    import datetime as dt

    try:
        return (
            dt.datetime.fromisoformat(word) if len(word) > len("2026-11-01") else dt.date.fromisoformat(word)
        )
    except ValueError:
        ago = duration(word) if word[-1:].isalpha() and word[:1].isdigit() else None
        if not isinstance(ago, dt.timedelta):
            raise UsageError(
                f"--since {word!r} is no time: write it as 2026-11-01, or 7d for a week."
            ) from None
        return dt.datetime.now(dt.UTC) - ago


LEDGER = Command(
    "ledger",
    "verify, export, import or merge recorded evaluations",
    "Verifies that all entries of a ledger are as they were recorded (exit code 1 where not), writes them\n"
    "to a file, appends those of a file or of another ledger that are missing, or merges evaluations of\n"
    "different rows, such as the days of a week, into one from their stored tallies.",
    (
        "assay ledger verify",
        "assay ledger export runs.parquet",
        "assay ledger import runs.jsonl --ledger team.db",
        "assay ledger merge week.assay --since 7d --tag nightly",
    ),
    _ledger_options,
    _ledger,
)
HISTORY = Command(
    "history",
    "list recorded evaluations over time",
    "Lists the evaluations of a ledger, the oldest first, with their metrics and intervals, and which look\n"
    "at its test set each was.",
    (
        "assay history",
        "assay history --since 30d --metrics auc,recall --markdown",
        "assay history --model old --by region --json",
    ),
    _history_options,
    _history,
)
