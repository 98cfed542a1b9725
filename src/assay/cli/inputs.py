"""Rows as they were named on the command line: which files, which columns, which labels."""

from __future__ import annotations

import contextlib
import re
import sys
from typing import TYPE_CHECKING, Any

from assay.cli.options import READING, ROLES
from assay.cli.output import check_outputs
from assay.cli.parser import Misuse
from assay.cli.printing import complain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from assay.engines import Source
    from assay.inputs import Column

    T = TypeVar("T")

__all__ = [
    "label_words", "need", "origin", "run_options", "stated_labels", "table", "watched", "with_labels",
]  # fmt: skip

_LOOKED_AT = 1000  # rows by which it is told whether labels are text
_NUMBER = re.compile(r"[+-]?\d+(\.0*)?")
_TRUTH = {"true": True, "false": False}
_TABS = ("tab", "\\t")


def need(arguments: argparse.Namespace, *names: str) -> None:
    """Raise where an option that a command cannot do without was not said."""
    for name in names:
        if getattr(arguments, name, None) in (None, []):
            raise Misuse(
                f"--{name.replace('_', '-')} is needed. (assay {arguments.command} --help says more.)"
            )


def origin(arguments: argparse.Namespace, paths: Sequence[str] | None = None) -> Source:
    """Return where rows are read from."""
    from assay.engines import source
    from assay.engines.delimited import DelimitedFile

    named = list(arguments.paths if paths is None else paths)
    if not named and arguments.sql is None:
        raise Misuse(f"no file was named: assay {arguments.command} FILE ..., or - for standard input.")
    said = {name: getattr(arguments, name) for name in READING if getattr(arguments, name) is not None}
    if said.get("delimiter") in _TABS:
        said["delimiter"] = "\t"
    where: Any = (named[0] if len(named) == 1 else named) or None
    chosen = {name: getattr(arguments, name) for name in ("format", "sql", "table")}
    if getattr(arguments, "hive", False):
        chosen["hive"] = True
    chosen["text"] = [*(arguments.text or ()), *_columns_of_words(arguments)]
    found = source(where, **{name: value for name, value in chosen.items() if value is not None}, **said)
    files = [getattr(part, "file", part) for part in found.parts]  # behind the names of their folders
    if said and not any(isinstance(part, DelimitedFile) for part in files):
        name = next(iter(said))
        raise Misuse(f"--{name} says how a CSV is written, but {found.name} is none: leave it out.")
    if (arguments.sql or arguments.table) and arguments.format:
        raise Misuse("--format is for files, not for --sql and --table: leave it out.")
    arguments.sources = [*getattr(arguments, "sources", ()), found]
    check_outputs(arguments)
    _tell_files(arguments, named, found)
    return found


def _tell_files(arguments: argparse.Namespace, named: Sequence[str], found: Source) -> None:
    """Say which files patterns and folders stand for, where somebody looks."""
    told = [part.name for part in found.parts]
    if told == named or len(told) < 2 or arguments.quiet:  # noqa: PLR2004 - one was named by itself
        return
    if sys.stderr is not None and sys.stderr.isatty():
        complain(f"reading {found.name}")


def run_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the limits that were set to reading."""
    said = {name: getattr(arguments, name, None) for name in ("memory", "threads")}
    return {name: value for name, value in said.items() if value is not None}


@contextlib.contextmanager
def watched(arguments: argparse.Namespace, rows: Source) -> Iterator[Callable[[int], object]]:
    """Draw how many rows were read, how fast and how long it will take; only where somebody looks."""
    from assay.formatting.progress import Progress

    seen = not arguments.quiet and sys.stderr is not None and sys.stderr.isatty()
    with Progress("rows", rows.count() if seen else None) as bar:
        yield bar.reach


def table(
    arguments: argparse.Namespace, rows: Source, columns: Sequence[str], numbers: Sequence[str] = ()
) -> dict[str, Column]:
    """Return columns in memory."""
    from assay.engines import read

    limits = run_options(arguments)
    _check_threads(limits.get("threads"))
    with watched(arguments, rows) as progress:
        return read(rows, columns, numbers=numbers, progress=progress, **limits)


def _check_threads(count: int | None) -> None:
    if count is not None and count < 1:
        raise Misuse(f"--threads {count}: at least one is needed.")


def role_columns(arguments: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Return every column that has a role, and those of them that must be numbers."""
    found: list[str] = []
    for role in (*ROLES, "by"):
        said = getattr(arguments, role, None)
        if said is not None:
            found += said if isinstance(said, list) else [said]
    numbers = [*(getattr(arguments, "score", None) or ()), getattr(arguments, "weight", None)]
    numbers += [name for name, _ in getattr(arguments, "edges", None) or ()]
    return found, [name for name in dict.fromkeys(numbers) if name is not None and name in found]


def _label_words(arguments: argparse.Namespace) -> list[str]:
    """Return every label that was said."""
    positive, labels = (getattr(arguments, name, None) for name in ("positive", "labels"))
    return [*([] if positive is None else [positive]), *(labels or ())]


def _may_be_numbers(words: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(word) or word.lower() in _TRUTH for word in words)


def _columns_of_words(arguments: argparse.Namespace) -> list[str]:
    """Return the columns of labels where the labels that were said are no numbers, so that all are text.

    Otherwise it would hang on the rows whether --labels 0,1,x are text and numbers beside each other.
    """
    if _may_be_numbers(_label_words(arguments)):
        return []
    return _label_columns(arguments)


def _label_columns(arguments: argparse.Namespace) -> list[str]:
    found: list[str] = []
    for role in ("actual", "predicted"):
        said = getattr(arguments, role, None)
        found += said if isinstance(said, list) else [] if said is None else [said]
    return found


def stated_labels(
    arguments: argparse.Namespace, rows: Source, actual: Column | None = None
) -> dict[str, Any]:
    """Return the labels that were said, as the column of actual labels holds them: text or numbers.

    Without the column itself its first rows decide: see :func:`with_labels`.
    """
    words = _label_words(arguments)
    if not words:
        return {}
    as_text = not _may_be_numbers(words)
    if not as_text:
        from assay.engines import read

        seen = read(rows, [arguments.actual], most=_LOOKED_AT)[arguments.actual] if actual is None else actual
        as_text = bool(seen.labels)
    return _labels(arguments, as_text=as_text)


def _labels(arguments: argparse.Namespace, *, as_text: bool) -> dict[str, Any]:
    return label_words({"positive": arguments.positive, "labels": arguments.labels}, as_text=as_text)


def with_labels(
    arguments: argparse.Namespace, rows: Source, step: Callable[[Source, dict[str, Any]], T]
) -> T:
    """Return what a step makes of rows, given the labels that were said as text or numbers.

    A text far into a file makes all labels text. Where the first ones look like numbers and the step fails,
    all rows are asked what the labels are, so that the order of rows decides nothing.
    """
    import dataclasses

    from assay.errors import LabelError

    labels = stated_labels(arguments, rows)
    try:
        return step(rows, labels)
    except LabelError:
        if not labels or labels == (text := _labels(arguments, as_text=True)):
            raise
        from assay.engines import scan
        from assay.tallies import ColumnProfile

        limits = run_options(arguments)
        seen: Any = scan(
            rows, actual=arguments.actual, missing="drop", tallies={"it": ColumnProfile}, **limits
        )["it"]
        if seen.actual.kind != "text":
            raise
    columns = _label_columns(arguments)
    return step(dataclasses.replace(rows, text=(*rows.text, *columns)), text)


def label_words(said: dict[str, Any], *, as_text: bool) -> dict[str, Any]:
    """Return words as labels: text as it is, or without the quotes that say so.

    >>> label_words({"positive": "1", "labels": ["0", "1"]}, as_text=False)
    {'positive': 1, 'labels': [0, 1]}
    >>> label_words({"positive": '"1"', "labels": None}, as_text=True)
    {'positive': '1'}
    >>> label_words({"positive": "9007199254740993"}, as_text=False)
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
        for name, value in said.items()
        if value is not None
    }
