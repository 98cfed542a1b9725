"""Options that several commands share, and how hints in messages name them."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from assay.cli.parser import StoreOnce

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from assay.cli.parser import Parser
    from assay.hints import Hint

__all__ = [
    "READING",
    "ROLES",
    "add_ledger",
    "add_output",
    "add_paths",
    "add_reading",
    "add_recording",
    "add_requirements",
    "add_roles",
    "add_settings",
    "add_task",
    "comma_list",
    "duration",
    "ledger_of",
    "name_and_value",
    "number",
    "shell_style",
    "whole_number",
]  # fmt: skip

ROLES = ("actual", "predicted", "score", "weight", "group", "query")
READING = ("delimiter", "quote", "decimal", "encoding", "null", "names")  # of files of delimited text
_KINDS = ("binary", "multiclass", "ordinal", "multilabel", "regression", "multioutput", "ranking")
_FORMATS = ("csv", "tsv", "parquet", "arrow", "jsonl", "json", "duckdb")
# Options that are named otherwise than the parameter; the first that a command has is meant.
_OTHER_NAMES = {"k": ("--folds",), "y": ("--stratify", "--target"), "names": ("--model-names",)}
# Parameters without an option, in words.
_IN_WORDS = {"average": "{} before the metric's name"}
_TIMES = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}


def number(word: str) -> float:
    """Parse a number, or refuse the word."""
    try:
        return float(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{word!r} is no number") from None


def whole_number(word: str) -> int:
    """Parse a whole number, or refuse the word."""
    try:
        return int(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{word!r} is no whole number") from None


def duration(word: str) -> Any:
    """Parse a span of time: a number in the unit of the column, or a duration such as 7d or 12h."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([wdhms])", word)
    if match is None:
        return number(word)
    import datetime as dt

    return dt.timedelta(**{_TIMES[match[2]]: float(match[1])})


def comma_list(word: str) -> list[str]:
    """Split a list at commas; an item that holds a comma stands in quotes.

    >>> comma_list('ham,spam'), comma_list('"a,b",c')
    (['ham', 'spam'], ['a,b', 'c'])
    """
    import csv

    words = [word_part.strip() for word_part in next(csv.reader([word], skipinitialspace=True), [])]
    if not words or not all(words):
        raise argparse.ArgumentTypeError(f"{word!r} is no list: write it as a,b,c")
    return words


def metric_list(word: str) -> list[str]:
    """Return metrics that commas separate; commas within brackets belong to a metric's options.

    >>> metric_list("macro f1, f_beta(beta=2), auc")
    ['macro f1', 'f_beta(beta=2)', 'auc']
    """
    metrics = [metric.strip() for metric in re.split(r",(?![^(]*\))", word)]
    if not all(metrics):
        raise argparse.ArgumentTypeError(f"{word!r} is no list of metrics: write it as auc,macro f1")
    return metrics


def name_and_value(what: str, value: Callable[[str], Any]) -> Callable[[str], tuple[str, Any]]:
    """Return the parser of words such as ``age=30,50``: a name and a value."""

    def read(word: str) -> tuple[str, Any]:
        name, sign, rest = word.partition("=")
        if not (name and sign and rest):
            raise argparse.ArgumentTypeError(f"{word!r} should be written as {what}")
        return name, value(rest)

    return read


def _numbers(word: str) -> list[float]:
    return [number(part) for part in word.split(",")]


def add_paths(parser: Parser, what: str = "a file, a pattern, a folder, or - for standard input") -> None:
    """Add the files to read."""
    parser.add_argument("paths", nargs="*", metavar="FILE", help=what)


def add_roles(parser: Parser, *roles: str, several: tuple[str, ...] = ()) -> None:
    """Add an option for the column of each role; `several` roles may be repeated."""
    group = parser.add_argument_group("columns")
    help_of = {
        "actual": "the actual label or value; of several labels or outputs A,B,C",
        "predicted": "the model's prediction; of several labels or outputs A,B,C",
        "score": "its score for the positive class, or one column per class or label",
        "weight": "how much each row counts",
        "group": "rows that belong together, as those of a patient",
        "query": "the query or list of a row, for ranking",
        "key": "the name of a row, by which a test set is recognized",
    }
    for role in roles:
        more: dict[str, Any] = {"action": "append"} if role in several else {"action": StoreOnce}
        also = ", once per model" if role in several and role != "score" else ""
        group.add_argument(f"--{role}", metavar="COLUMN", help=help_of[role] + also, **more)


def add_settings(parser: Parser) -> None:
    """Add the settings of an evaluation: slices, labels, task, confidence, costs."""
    columns = parser.add_argument_group("slices")
    columns.add_argument("--by", action="append", metavar="COLUMN", help="slice by it; may be repeated")
    columns.add_argument(
        "--edges", action="append", type=name_and_value("COLUMN=30,50", _numbers), metavar="COLUMN=30,50",
        help="where to cut a number that is sliced by",
    )  # fmt: skip
    group = parser.add_argument_group("the task")
    add_labels(group)
    add_task(group)
    for name, what in (
        ("threshold", "at or above which a score counts as positive"),
        ("confidence", "of all intervals (0.95)"),
        ("beta", "adds F-beta to the metrics"),
        ("cost-fp", "what a false positive costs"),
        ("cost-fn", "what a false negative costs"),
        ("prevalence", "of the positive class where the model will be used"),
    ):
        group.add_argument(f"--{name}", action=StoreOnce, type=number, metavar="NUMBER", help=what)
    group.add_argument(
        "--k",
        action=StoreOnce,
        type=whole_number,
        metavar="NUMBER",
        help="how many items of a ranked list count",
    )
    group.add_argument(
        "--empty", action=StoreOnce, choices=("zero", "one", "skip"),
        help="what a ranked list without a relevant item counts as (zero)",
    )  # fmt: skip
    add_missing(group)
    group.add_argument("--name", action=StoreOnce, metavar="TEXT", help="name of the model in reports")


def add_labels(group: Any) -> None:
    """Add the positive label and the list of all labels."""
    group.add_argument(
        "--positive", action=StoreOnce, metavar="LABEL", help='the positive label ("1" is text)'
    )
    group.add_argument(
        "--labels", action=StoreOnce, type=comma_list, metavar="A,B", help="all labels, in order"
    )


def add_task(group: Any, choices: Sequence[str] = _KINDS) -> None:
    """Add the name of the task."""
    group.add_argument("--task", action=StoreOnce, choices=choices, help="where it cannot be inferred")


def add_missing(group: Any) -> None:
    """Add what to do with rows that have a missing value."""
    group.add_argument(
        "--missing",
        action=StoreOnce,
        choices=("refuse", "drop"),
        help="what to do with rows that have a missing value",
    )


def add_reading(parser: Parser, *, memory: bool = True, hive: bool = True) -> None:
    """Add how files are read."""
    group = parser.add_argument_group("reading")
    for name, metavar, what in (
        ("delimiter", "CHARACTER", "between the values of a CSV (or the word tab)"),
        ("quote", "CHARACTER", "around values"),
        ("decimal", "CHARACTER", "the decimal mark of numbers"),
        ("encoding", "NAME", "such as latin-1 (UTF-8)"),
    ):
        group.add_argument(f"--{name}", action=StoreOnce, metavar=metavar, help=what)
    group.add_argument(
        "--null", action="append", metavar="TEXT", help="marks a missing value, as an empty one does"
    )
    group.add_argument(
        "--names",
        action=StoreOnce,
        type=comma_list,
        metavar="A,B",
        help="column names of a CSV without a header",
    )
    group.add_argument(
        "--text",
        action="append",
        metavar="COLUMN",
        help="labels of this column are text, even if they look like numbers",
    )
    if hive:
        group.add_argument("--hive", action="store_true", help="read folders named as year=2024 as columns")
    group.add_argument(
        "--format", action=StoreOnce, choices=_FORMATS, help="where the file's name does not tell"
    )
    group.add_argument("--sql", action=StoreOnce, metavar="SELECT", help="a DuckDB query, over files or FILE")
    group.add_argument("--table", action=StoreOnce, metavar="NAME", help="a table of the database FILE")
    if memory:
        group.add_argument(
            "--memory", action=StoreOnce, metavar="SIZE", help="limit for reading, as 2GiB (1GiB)"
        )
    group.add_argument(
        "--threads", action=StoreOnce, type=whole_number, metavar="NUMBER", help="by default all cores"
    )


def add_output(parser: Parser, *forms: str, report: bool = False, output: str = "write to this file") -> None:
    """Add the forms of output, and where it is written."""
    group = parser.add_argument_group("output")
    help_of = {
        "json": "as JSON",
        "markdown": "as Markdown",
        "latex": "as tables for LaTeX (booktabs)",
        "full": "all metrics and notes",
        "like": "in the layout of another program",
    }
    either = group.add_mutually_exclusive_group()
    for form in forms:
        if form == "like":
            others = ("caret", "sklearn", "yardstick", "pROC")
            either.add_argument("--like", action=StoreOnce, choices=others, help=help_of[form])
        else:
            parent = group if form == "full" else either
            parent.add_argument(f"--{form}", action="store_true", help=help_of[form])
    if report:
        group.add_argument("--report", action=StoreOnce, metavar="FILE", help="write the interactive page")
    if output:
        group.add_argument("--output", action=StoreOnce, metavar="FILE", help=output)
    group.add_argument("--quiet", action="store_true", help="no progress, no remarks")


def add_recording(parser: Parser) -> None:
    """Add where an evaluation is recorded, and what is recorded beside."""
    group = parser.add_argument_group("the ledger")
    group.add_argument(
        "--ledger", action=StoreOnce, nargs="?", const=True, metavar="FILE",
        help="record the evaluation, and count the looks at this test set: in .assay/ledger.db, a file, or "
        "postgresql://host/database",
    )  # fmt: skip
    group.add_argument("--tag", action="append", metavar="WORD", help="record it too; may be repeated")


def add_requirements(parser: Parser) -> None:
    """Add requirements on metrics, which the exit code reports."""
    group = parser.add_argument_group("requirements (exit code 1 where one is not met)")
    example = '"recall >= 0.9"'
    group.add_argument(
        "--require", action="append", default=[], metavar=example, help="tests the worse end of the interval"
    )
    group.add_argument(
        "--require-point", action="append", default=[], metavar=example, help="tests the value alone"
    )


def add_ledger(group: Any, what: str) -> None:
    """Add the ledger to record to."""
    help_text = f"{what}: a file or the URL of a server (.assay/ledger.db, where it is there)"
    group.add_argument("--ledger", action=StoreOnce, metavar="URL", help=help_text)


def ledger_of(arguments: argparse.Namespace) -> Any:
    """Return the ledger that an option names, else the usual one where it is there; None without one."""
    from pathlib import Path

    from assay.ledgers.ledger import ledger
    from assay.ledgers.store import DEFAULT_PATH

    if arguments.ledger is not None:
        return ledger(arguments.ledger)
    return ledger() if Path(DEFAULT_PATH).is_file() else None


def shell_style(options: Collection[str]) -> Callable[[Hint], str]:
    """Return how a hint is written for a command with these options; other parameters are named in words.

    >>> from assay.hints import hint_style, param, render
    >>> with hint_style(shell_style(["--task", "--cost-fp"])):
    ...     render(f"say {param('task', 'ordinal')} or {param('cost_fp')}, not {param('method', 'wald')}")
    'say --task ordinal or --cost-fp, not method wald'
    """

    def write(hint: Hint) -> str:
        if not hint.parameter:
            return hint.shell
        if hint.parameter in _IN_WORDS:
            return _IN_WORDS[hint.parameter].format(hint.shell or "macro")
        candidates = (f"--{hint.parameter.replace('_', '-')}", *_OTHER_NAMES.get(hint.parameter, ()))
        words = hint.parameter.replace("_", " ")
        name = next((option for option in candidates if option in options), words)
        return f"{name} {hint.shell}".rstrip()

    return write
