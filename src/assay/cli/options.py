"""What may be said to several commands: roles of columns, how files are read, what is shown where."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from assay.cli.parser import Once

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.cli.parser import Parser

__all__ = [
    "READING", "ROLES", "add_output", "add_paths", "add_reading", "add_requirements", "add_roles",
    "add_settings", "listed", "number", "pairs", "stretch", "whole",
]  # fmt: skip

ROLES = ("actual", "predicted", "score", "weight", "group", "query")
READING = ("delimiter", "quote", "decimal", "encoding", "null", "names")  # of files of delimited text
_KINDS = ("binary", "multiclass", "ordinal", "regression", "ranking")
_FORMATS = ("csv", "tsv", "parquet", "arrow", "jsonl", "json", "duckdb")
_TIMES = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}


def number(word: str) -> float:
    """Return a number, or refuse the word."""
    try:
        return float(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{word!r} is no number") from None


def whole(word: str) -> int:
    """Return a whole number, or refuse the word."""
    try:
        return int(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{word!r} is no whole number") from None


def stretch(word: str) -> Any:
    """Return a stretch of time: a number of the column's own unit, or a duration such as 7d or 12h."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([wdhms])", word)
    if found is None:
        return number(word)
    import datetime as dt

    return dt.timedelta(**{_TIMES[found[2]]: float(found[1])})


def listed(word: str) -> list[str]:
    """Return words that commas part; one that holds a comma stands in quotes.

    >>> listed('ham,spam'), listed('"a,b",c')
    (['ham', 'spam'], ['a,b', 'c'])
    """
    import csv

    found = [one.strip() for one in next(csv.reader([word], skipinitialspace=True), [])]
    if not found or not all(found):
        raise argparse.ArgumentTypeError(f"{word!r} is no list: write it as a,b,c")
    return found


def pairs(what: str, value: Callable[[str], Any]) -> Callable[[str], tuple[str, Any]]:
    """Return how a word such as ``age=30,50`` is read: a name and a value of some kind."""

    def read(word: str) -> tuple[str, Any]:
        name, sign, rest = word.partition("=")
        if not (name and sign and rest):
            raise argparse.ArgumentTypeError(f"{word!r} should be written as {what}")
        return name, value(rest)

    return read


def _numbers(word: str) -> list[float]:
    return [number(one) for one in word.split(",")]


def add_paths(parser: Parser, what: str = "a file, a pattern, a folder, or - for standard input") -> None:
    """Let files be named."""
    parser.add_argument("paths", nargs="*", metavar="FILE", help=what)


def add_roles(parser: Parser, *roles: str, several: tuple[str, ...] = ()) -> None:
    """Let columns be named for roles; of some there may be several."""
    group = parser.add_argument_group("columns")
    help_of = {
        "actual": "what was true",
        "predicted": "what the model said",
        "score": "its score for the positive class, or one column per class",
        "weight": "how much each row counts",
        "group": "rows that belong together: a patient, a user",
        "query": "the list that a row is of, for ranking",
    }
    for role in roles:
        more: dict[str, Any] = {"action": "append"} if role in several else {"action": Once}
        also = ", once per model" if role in several and role != "score" else ""
        group.add_argument(f"--{role}", metavar="COLUMN", help=help_of[role] + also, **more)


def add_settings(parser: Parser) -> None:
    """Let be said what the columns do not: which label is positive, how sure, at which costs."""
    columns = parser.add_argument_group("slices")
    columns.add_argument("--by", action="append", metavar="COLUMN", help="slice by it; may be repeated")
    columns.add_argument(
        "--edges", action="append", type=pairs("COLUMN=30,50", _numbers), metavar="COLUMN=30,50",
        help="where numbers to slice by are cut",
    )  # fmt: skip
    group = parser.add_argument_group("the problem")
    add_labels(group)
    group.add_argument("--task", action=Once, choices=_KINDS, help="where it cannot be inferred")
    for name, what in (
        ("threshold", "at or above which a score counts as positive"),
        ("confidence", "of all intervals (0.95)"),
        ("beta", "of F-beta, beside the figures"),
        ("cost-fp", "what a false positive costs"),
        ("cost-fn", "what a false negative costs"),
        ("prevalence", "where the model will be used"),
    ):
        group.add_argument(f"--{name}", action=Once, type=number, metavar="NUMBER", help=what)
    group.add_argument("--k", action=Once, type=whole, metavar="NUMBER", help="how deep ranked lists go")
    group.add_argument(
        "--empty", action=Once, choices=("zero", "one", "skip"),
        help="what a ranked list without a relevant item counts as (zero)",
    )  # fmt: skip
    add_missing(group)
    group.add_argument("--name", action=Once, metavar="TEXT", help="what to call the model")


def add_labels(group: Any) -> None:
    """Let labels be said."""
    group.add_argument("--positive", action=Once, metavar="LABEL", help='the positive label ("1" is text)')
    group.add_argument("--labels", action=Once, type=listed, metavar="A,B", help="all labels, in order")


def add_missing(group: Any) -> None:
    """Let be said what becomes of rows that lack a value."""
    group.add_argument(
        "--missing", action=Once, choices=("refuse", "drop"), help="what becomes of rows that lack a value"
    )


def add_reading(parser: Parser, *, memory: bool = True, hive: bool = True) -> None:
    """Let be said how files are to be read."""
    group = parser.add_argument_group("reading")
    for name, metavar, what in (
        ("delimiter", "CHARACTER", "what parts the values of a CSV (tab is one, too)"),
        ("quote", "CHARACTER", "what quotes them"),
        ("decimal", "CHARACTER", "what parts a number from its fraction"),
        ("encoding", "NAME", "as latin-1; UTF-8 unless said"),
    ):
        group.add_argument(f"--{name}", action=Once, metavar=metavar, help=what)
    group.add_argument(
        "--null", action="append", metavar="TEXT", help="what stands for a missing value, beside nothing"
    )
    group.add_argument("--names", action=Once, type=listed, metavar="A,B", help="of a CSV without a header")
    group.add_argument(
        "--text",
        action="append",
        metavar="COLUMN",
        help="whose labels are text, though they look like numbers",
    )
    if hive:
        group.add_argument("--hive", action="store_true", help="folders named as year=2024 are columns, too")
    group.add_argument("--format", action=Once, choices=_FORMATS, help="where the file's name is silent")
    group.add_argument("--sql", action=Once, metavar="SELECT", help="a query of DuckDB's, over files or FILE")
    group.add_argument("--table", action=Once, metavar="NAME", help="a table of the database FILE")
    if memory:
        group.add_argument("--memory", action=Once, metavar="SIZE", help="for reading, as 2GiB (1GiB)")
    group.add_argument("--threads", action=Once, type=whole, metavar="NUMBER", help="all cores unless said")


def add_output(parser: Parser, *forms: str, report: bool = False, output: str = "write it there") -> None:
    """Let be said in which form an answer is wanted, and where."""
    group = parser.add_argument_group("output")
    help_of = {
        "json": "as data",
        "markdown": "as Markdown",
        "full": "all figures and notes",
        "like": "as another program shows them",
    }
    either = group.add_mutually_exclusive_group()
    for form in forms:
        if form == "like":
            others = ("caret", "sklearn", "yardstick", "pROC")
            either.add_argument("--like", action=Once, choices=others, help=help_of[form])
        else:
            place = group if form == "full" else either
            place.add_argument(f"--{form}", action="store_true", help=help_of[form])
    if report:
        group.add_argument("--report", action=Once, metavar="FILE", help="write the interactive page")
    if output:
        group.add_argument("--output", action=Once, metavar="FILE", help=output)
    group.add_argument("--quiet", action="store_true", help="no progress, no remarks")


def add_requirements(parser: Parser) -> None:
    """Let figures be demanded, and have the exit code say whether they are met."""
    group = parser.add_argument_group("requirements (exit code 1 where one is not met)")
    example = '"recall >= 0.9"'
    group.add_argument(
        "--require", action="append", default=[], metavar=example, help="of the interval's worse end"
    )
    group.add_argument(
        "--require-point", action="append", default=[], metavar=example, help="of the value alone"
    )
