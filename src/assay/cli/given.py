"""Rows as they were named on the command line: which files, which columns, which labels."""

from __future__ import annotations

import contextlib
import re
import sys
from typing import TYPE_CHECKING, Any

from assay.cli.options import READING, ROLES
from assay.cli.parser import Misuse
from assay.cli.printing import complain
from assay.cli.written import check_outputs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from assay.engines import Source
    from assay.inputs import Column

__all__ = ["label_words", "need", "origin", "run_options", "stated_labels", "table", "watched"]

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
    found = source(where, **{name: value for name, value in chosen.items() if value is not None}, **said)
    if said and not any(isinstance(part, DelimitedFile) for part in found.parts):
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
    from assay.progress import Progress

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


def stated_labels(arguments: argparse.Namespace, rows: Source) -> dict[str, Any]:
    """Return the labels that were said, as the column of actual labels holds them: text or numbers."""
    said = {"positive": arguments.positive, "labels": arguments.labels}
    words = [*([said["positive"]] if said["positive"] is not None else []), *(said["labels"] or ())]
    if not words:
        return {}
    as_text = not all(_NUMBER.fullmatch(word) or word.lower() in _TRUTH for word in words)
    if not as_text:
        from assay.engines import read

        found = read(rows, [arguments.actual], most=_LOOKED_AT)[arguments.actual]
        as_text = bool(found.labels)
    return label_words(said, as_text=as_text)


def label_words(said: dict[str, Any], *, as_text: bool) -> dict[str, Any]:
    """Return words as labels: text as it is, or without the quotes that say so.

    >>> label_words({"positive": "1", "labels": ["0", "1"]}, as_text=False)
    {'positive': 1, 'labels': [0, 1]}
    >>> label_words({"positive": '"1"', "labels": None}, as_text=True)
    {'positive': '1'}
    """

    def label(word: str) -> Any:
        if len(word) > 1 and word[0] == word[-1] == '"':
            return word[1:-1]
        if as_text:
            return word
        return _TRUTH[word.lower()] if word.lower() in _TRUTH else int(float(word))

    return {
        name: [label(word) for word in value] if isinstance(value, list) else label(value)
        for name, value in said.items()
        if value is not None
    }
