"""Read the files, columns and labels that are named on the command line."""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.options import READING, ROLES
from assay.cli.output import check_outputs, print_error
from assay.cli.parser import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from assay.engines import Source
    from assay.inputs import Column

    T = TypeVar("T")

__all__ = [
    "column_list",
    "is_saved",
    "labels_from_words",
    "open_source",
    "parse_labels",
    "progress_bar",
    "read_limits",
    "read_table",
    "require_options",
    "several_columns",
    "with_labels",
]  # fmt: skip

_ROWS_TO_LOOK_AT = 1000  # to see whether labels are text
_NUMBER = re.compile(r"[+-]?\d+(\.0*)?")
_TRUTH = {"true": True, "false": False}
_TABS = ("tab", "\\t")
_SAVED_PREFIX = b"assay\0"  # of a file that tally wrote


def require_options(arguments: argparse.Namespace, *names: str) -> None:
    """Raise where an option that a command needs is missing."""
    for name in names:
        if getattr(arguments, name, None) in (None, []):
            raise UsageError(f"--{name.replace('_', '-')} is needed. (See assay {arguments.command} --help.)")


def open_source(arguments: argparse.Namespace, paths: Sequence[str] | None = None) -> Source:
    """Return the source of the rows: files, standard input, a query or a table of a database."""
    from assay.engines import source
    from assay.engines.delimited import DelimitedFile

    file_names = list(arguments.paths if paths is None else paths)
    if not file_names and arguments.sql is None:
        raise UsageError(f"no file was named: assay {arguments.command} FILE ..., or - for standard input.")
    layout = {name: getattr(arguments, name) for name in READING if getattr(arguments, name) is not None}
    if layout.get("delimiter") in _TABS:
        layout["delimiter"] = "\t"
    where: Any = (file_names[0] if len(file_names) == 1 else file_names) or None
    chosen = {name: getattr(arguments, name) for name in ("format", "sql", "table")}
    if getattr(arguments, "hive", False):
        chosen["hive"] = True
    chosen["text"] = [*(arguments.text or ()), *_columns_to_read_as_text(arguments)]
    origin = source(where, **{name: value for name, value in chosen.items() if value is not None}, **layout)
    files = [getattr(part, "file", part) for part in origin.parts]  # behind the names of their folders
    if layout and not any(isinstance(part, DelimitedFile) for part in files):
        name = next(iter(layout))
        raise UsageError(f"--{name} says how a CSV is written, but {origin.name} is none: leave it out.")
    if (arguments.sql or arguments.table) and arguments.format:
        raise UsageError("--format is for files, not for --sql and --table: leave it out.")
    arguments.sources = [*getattr(arguments, "sources", ()), origin]
    check_outputs(arguments)
    _print_files(arguments, file_names, origin)
    return origin


def _print_files(arguments: argparse.Namespace, file_names: Sequence[str], origin: Source) -> None:
    """Print which files patterns and folders stand for, where standard error is a terminal."""
    files = [part.name for part in origin.parts]
    if files == file_names or len(files) < 2 or arguments.quiet:  # noqa: PLR2004 - one was named by itself
        return
    if sys.stderr is not None and sys.stderr.isatty():
        print_error(f"reading {origin.name}")


def is_saved(path: str) -> bool:
    """Tell whether a file is an evaluation that tally or merge saved."""
    try:
        if not Path(path).is_file():  # looking into a pipe would take its first bytes away
            return False
        with Path(path).open("rb") as file:
            return file.read(len(_SAVED_PREFIX)) == _SAVED_PREFIX
    except OSError:
        return False


def several_columns(word: str, rows: Source) -> str | list[str]:
    """Return the columns that a word names, split at commas, or the word where that is a column's name."""
    from assay.cli.options import comma_list

    if "," not in word or word in rows.columns():
        return word
    names = comma_list(word)
    return names if len(names) > 1 else names[0]


def column_list(columns: Any) -> list[str]:
    """Return one name, or names of columns by model, as a flat list."""
    if not isinstance(columns, list):
        return [] if columns is None else [columns]
    return [name for each in columns for name in column_list(each)]


def read_limits(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the limits on memory and threads that are set."""
    limits = {name: getattr(arguments, name, None) for name in ("memory", "threads")}
    return {name: value for name, value in limits.items() if value is not None}


@contextlib.contextmanager
def progress_bar(arguments: argparse.Namespace, rows: Source) -> Iterator[Callable[[int], object]]:
    """Show how many rows were read, how fast, and the time left, where standard error is a terminal."""
    from assay.formatting.progress import Progress

    visible = not arguments.quiet and sys.stderr is not None and sys.stderr.isatty()
    with Progress("rows", rows.count() if visible else None) as bar:
        yield bar.reach


def read_table(
    arguments: argparse.Namespace, rows: Source, columns: Sequence[str], numbers: Sequence[str] = ()
) -> dict[str, Column]:
    """Read columns into memory."""
    from assay.engines import read

    limits = read_limits(arguments)
    _check_threads(limits.get("threads"))
    with progress_bar(arguments, rows) as progress:
        return read(rows, columns, numbers=numbers, progress=progress, **limits)


def _check_threads(count: int | None) -> None:
    if count is not None and count < 1:
        raise UsageError(f"--threads {count}: at least one is needed.")


def role_columns(arguments: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Return every column that has a role, and those of them that must be numbers."""
    columns: list[str] = []
    for role in (*ROLES, "by"):
        columns += column_list(getattr(arguments, role, None))
    numbers = [*column_list(getattr(arguments, "score", None)), getattr(arguments, "weight", None)]
    numbers += [name for name, _ in getattr(arguments, "edges", None) or ()]
    return columns, [name for name in dict.fromkeys(numbers) if name is not None and name in columns]


def _label_words(arguments: argparse.Namespace) -> list[str]:
    """Return the labels that --positive and --labels name."""
    positive, labels = (getattr(arguments, name, None) for name in ("positive", "labels"))
    return [*([] if positive is None else [positive]), *(labels or ())]


def _may_be_numbers(words: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(word) or word.lower() in _TRUTH for word in words)


def _columns_to_read_as_text(arguments: argparse.Namespace) -> list[str]:
    """Return the columns of labels to read as text, because a label on the command line is no number.

    Otherwise the rows would decide whether --labels 0,1,x are text or numbers.
    """
    if _may_be_numbers(_label_words(arguments)) or "," in str(getattr(arguments, "actual", "")):
        return []  # or labels name columns of 0 and 1
    return _label_columns(arguments)


def _label_columns(arguments: argparse.Namespace) -> list[str]:
    return [name for role in ("actual", "predicted") for name in column_list(getattr(arguments, role, None))]


def parse_labels(arguments: argparse.Namespace, rows: Source, actual: Column | None = None) -> dict[str, Any]:
    """Return the labels of the command line in the type of the actual column: text or numbers.

    Without the column itself its first rows decide: see :func:`with_labels`.
    """
    words = _label_words(arguments)
    if not words:
        return {}
    as_text = not _may_be_numbers(words) or isinstance(arguments.actual, list)  # names of columns
    if not as_text:
        from assay.engines import read

        column = (
            read(rows, [arguments.actual], most=_ROWS_TO_LOOK_AT)[arguments.actual]
            if actual is None
            else actual
        )
        as_text = bool(column.labels)
    return _labels(arguments, as_text=as_text)


def _labels(arguments: argparse.Namespace, *, as_text: bool) -> dict[str, Any]:
    return labels_from_words({"positive": arguments.positive, "labels": arguments.labels}, as_text=as_text)


def with_labels(
    arguments: argparse.Namespace, rows: Source, step: Callable[[Source, dict[str, Any]], T]
) -> T:
    """Call a step with the rows and with the labels of the command line, as text or numbers.

    One text far into a file makes all labels text. Where the first rows look like numbers and the step fails,
    all rows are scanned for the type of labels, so that the result does not depend on the order of rows.
    """
    import dataclasses

    from assay.errors import LabelError

    labels = parse_labels(arguments, rows)
    try:
        return step(rows, labels)
    except LabelError:
        if not labels or labels == (text := _labels(arguments, as_text=True)):
            raise
        from assay.engines import scan
        from assay.tallies import ColumnProfile

        limits = read_limits(arguments)
        profile: Any = scan(
            rows, actual=arguments.actual, missing="drop", tallies={"it": ColumnProfile}, **limits
        )["it"]
        if profile.actual.kind != "text":
            raise
    columns = _label_columns(arguments)
    return step(dataclasses.replace(rows, text=(*rows.text, *columns)), text)


def labels_from_words(words: dict[str, Any], *, as_text: bool) -> dict[str, Any]:
    """Convert words to labels: numbers, or text, which quotes mark as such and which is kept without them.

    >>> labels_from_words({"positive": "1", "labels": ["0", "1"]}, as_text=False)
    {'positive': 1, 'labels': [0, 1]}
    >>> labels_from_words({"positive": '"1"', "labels": None}, as_text=True)
    {'positive': '1'}
    >>> labels_from_words({"positive": "9007199254740993"}, as_text=False)
    {'positive': 9007199254740993}
    """

    def label(word: str) -> Any:
        if len(word) > 1 and word[0] == word[-1] == '"':
            return word[1:-1]
        if as_text:
            return word
        return _TRUTH[word.lower()] if word.lower() in _TRUTH else int(word.partition(".")[0])

    return {
        name: [label(word) for word in value] if isinstance(value, list) else label(value)
        for name, value in words.items()
        if value is not None
    }
