"""Text files of values parted by a delimiter: CSV, TSV and their kin.

Nothing is detected by looking at lines until some reading fits, which is how a ragged file loses its rows
unseen: the header is read, every line must have as many values as it, and only what a column of labels holds
is found out, from all of its values.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from assay.engines.csv_layout import (
    Layout,
    best_layout,
    copy_with_plain_lines,
    first_lines,
    lines_with_ends,
    no_header,
)
from assay.engines.duckdb import Again, NotParallel, OddLines, Ragged, Unfit, Wider, quoted, text
from assay.engines.sources import SourcePart, lines_about
from assay.errors import FileError, InputError
from assay.hints import param

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.engines.duckdb import Database
    from assay.inputs import Column

__all__ = ["ENCODINGS", "DelimitedFile", "settled"]

ENCODINGS: Final = {"utf-8": "utf-8", "iso8859-1": "latin-1", "utf-16": "utf-16"}  # what DuckDB reads itself
_DELIMITERS: Final = ",\t;|"
_HEADER_LINES: Final = 100  # how many lines a header may have that only DuckDB can unpack
_FIRST_ROWS: Final = 1000
_FOR_OWN_BUFFERS: Final = 200 << 20  # bytes of the reader's memory from which on its own buffers fit
_BUFFERS: Final = (24, 6)  # the part of it that a line, and a buffer of lines, may take where they do not
_ENDS: Final = {"\n": r"\n", "\r\n": r"\r\n", "\r": r"\r"}  # of lines, as DuckDB has them written

_WHOLE: Final = re.compile(r" *(?:0|[+-]?[1-9][0-9]*) *")
_TRUTH: Final = {"true": True, "false": False}
# Digits that are a name and no number: 007, 1_000, an identifier of more digits than a float64 holds.
_NAMES: Final = "^ *[+-]?(0[0-9]|[0-9]{16,} *$)|_"


@dataclasses.dataclass(frozen=True)
class DelimitedFile(SourcePart):
    """A file of delimited text, as it is or compressed, with a header unless names are given."""

    path: str
    delimiter: str | None = None
    quote: str = '"'
    decimal: str = "."
    encoding: str = "utf-8"
    null: tuple[str, ...] = ("",)
    names: tuple[str, ...] | None = None

    def dialect(self, database: Database) -> tuple[list[str], str]:
        """Return the columns' names and the delimiter: the one said, or the one that parts the header."""
        layout = self._layout(database)
        if self.names is None:
            return layout.header, layout.delimiter
        if len(self.names) != len(layout.header):
            raise InputError(
                f"{param('names')} has {len(self.names)} names, but {self.name} has {len(layout.header)} "
                "columns."
            )
        return list(self.names), layout.delimiter

    def _layout(self, database: Database) -> Layout:
        """Return how the file begins, and have it copied where DuckDB would not find that."""
        key = ("layout", self)
        if key not in database.notes:
            lines = first_lines(self.path, self.encoding, self.name)
            packed = lines is None
            lines = self._lines_of_zst(database) if lines is None else lines
            layout = best_layout(lines, self.delimiter or _DELIMITERS, self.quote, self.name)
            if packed and layout.end == "\n" and not any("\n" in name for name in layout.header):
                layout = layout._replace(end="")  # it may be CR, which the first line alone tells DuckDB
            database.notes[key] = layout
            if database.notes[key].odd:
                self._copy(database)
        stored: Layout = database.notes[key]
        return stored

    def _lines_of_zst(self, database: Database) -> list[str]:
        """Return the first lines of a file that only DuckDB can unpack, each with its end."""
        lines_by_end = []
        for end in (r"\r\n", r"\n"):
            whole_lines = (
                f"read_csv({text(self.path)}, auto_detect=false, header=false, "
                "columns={'line': 'VARCHAR'}, "
                f"delim='\x01', quote='', escape='', strict_mode=false, encoding={text(self.encoding)}, "
                f"hive_partitioning=false, new_line={text(end)})"
            )
            rows = database.rows(f"SELECT line FROM {whole_lines} LIMIT {3 * _HEADER_LINES}", self.name)
            lines_by_end.append([line or "" for (line,) in rows])
        lines = lines_with_ends(*lines_by_end)[:_HEADER_LINES]
        if not any(line.strip() for line in lines):
            raise no_header(self.name)
        return lines

    def _path_and_encoding(self, database: Database) -> tuple[str, str]:
        """Return the file to read and its encoding: the one named, or a copy whose lines end alike."""
        copy = database.notes.get(("copy", self))
        return (self.path, self.encoding) if copy is None else (copy, "utf-8")

    def _copy(self, database: Database) -> None:
        if self.path.lower().endswith((".zst", ".zstd")):
            raise FileError(f"{self.name} has lines that end in different ways: unpack it first.")
        copy = database.scratch(".csv")
        layout: Layout = database.notes["layout", self]
        quoting = {"delimiter": layout.delimiter, "quote": self.quote}
        copy_with_plain_lines(self.path, copy, encoding=self.encoding, name=self.name, **quoting)
        database.notes["copy", self] = copy
        database.notes["layout", self] = layout._replace(end="\n", odd=False)

    def count(self, _database: Database) -> int | None:
        """Return the file's size over that of its first lines."""
        return lines_about(self.path)

    def columns(self, database: Database) -> list[str]:
        """Return the names of the header."""
        return self.dialect(database)[0]

    def _table(self, database: Database, types: Mapping[str, str]) -> str:
        # Columns go by their place, so that names may be odd, or the same where nobody asks for them.
        header, delimiter = self.dialect(database)
        layout = self._layout(database)
        path, encoding = self._path_and_encoding(database)
        columns = ", ".join(f"'c{i}': {text(types.get(name, 'VARCHAR'))}" for i, name in enumerate(header))
        blank = 0 if len(header) == 1 else layout.blank
        settings = {
            "auto_detect": False, "header": False, "delim": delimiter, "quote": self.quote,
            "escape": self.quote, "decimal_separator": self.decimal, "encoding": encoding,
            "hive_partitioning": False,
        }  # fmt: skip
        options = ", ".join(f"{name}={text(value)}" for name, value in settings.items())
        # The reader would guess how lines end, and where the header is, and pass over rows if it errs.
        options += f", skip={blank if self.names is not None else layout.blank + 1}"
        if layout.end:
            options += f", new_line={text(_ENDS[layout.end])}"
        if database.memory < _FOR_OWN_BUFFERS:
            longest, buffer = (1 << ((database.memory // part).bit_length() - 1) for part in _BUFFERS)
            options += f", max_line_size={longest}, buffer_size={buffer}"
        if ("one thread", self) in database.notes:
            options += ", parallel=false"
        nulls = ", ".join(map(text, self.null))
        return f"read_csv({text(path)}, columns={{{columns}}}, nullstr=[{nulls}], {options})"

    def _number(self, index: int) -> str:
        """Return SQL for the number that the text of a column is, or NULL."""
        digits = f"c{index}" if self.decimal == "." else f"replace(c{index}, {text(self.decimal)}, '.')"
        return f"TRY_CAST(CASE WHEN NOT regexp_matches({digits}, {text(_NAMES)}) THEN {digits} END AS DOUBLE)"

    def kinds(self, database: Database, names: Sequence[str]) -> dict[str, str]:
        """Return what the first rows of each column are: whole numbers, numbers, true/false or text."""
        if not names:
            return {}
        header = self.columns(database)
        indices = [header.index(name) for name in names]
        expressions = ", ".join(f"c{index}, {self._number(index)}" for index in indices)
        try:
            query = f"SELECT {expressions} FROM {self._table(database, {})} LIMIT {_FIRST_ROWS}"
            rows = database.rows(query, self.name, header)
        except OddLines:
            if ("copy", self) in database.notes:
                raise
            self._copy(database)
            query = f"SELECT {expressions} FROM {self._table(database, {})} LIMIT {_FIRST_ROWS}"
            rows = database.rows(query, self.name, header)
        kinds = {}
        for index, name in enumerate(names):
            values = [row[2 * index] for row in rows if row[2 * index] is not None]
            numbers = [row[2 * index + 1] for row in rows if row[2 * index] is not None]
            kinds[name] = _kind(values) or ("text" if None in numbers else "number")
        return kinds

    def batches(self, database: Database, names: Sequence[str], kinds: Mapping[str, str]) -> Iterator[Any]:
        """Yield the wanted columns, numbers as such and everything else as text."""
        header = self.columns(database)
        columns = []
        for name in names:
            index = header.index(name)
            value = f"c{index}"
            if kinds.get(name) == "number":
                raise_error = f"error('no number in c{index}: ' || c{index})"
                value = (
                    f"COALESCE({self._number(index)}, CASE WHEN c{index} IS NOT NULL THEN {raise_error} END)"
                )
            columns.append(f"{value} AS {quoted(name)}")
        scores = {name: "DOUBLE" for name, kind in kinds.items() if kind == "score"}
        query = f"SELECT {', '.join(columns)} FROM {self._table(database, scores)}"
        try:
            yield from database.batches(query, self.name, header)
        except Unfit as unfit:
            if kinds.get(unfit.column) == "number":  # labels: not all of them are numbers
                raise Wider(unfit.column, "text") from None
            self._with_one_thread(database)
            raise
        except (NotParallel, Ragged):
            self._with_one_thread(database)
            raise
        except OddLines:
            if ("copy", self) not in database.notes:
                self._copy(database)
                raise Again from None
            self._with_one_thread(database)
            raise

    def _with_one_thread(self, database: Database) -> None:
        """Have all rows read again by one thread, unless they were.

        A thread that begins in the middle of a file may take a line break within quotes for the end of a
        row: what is wrong with a line is certain only where one thread has read all lines before it.
        """
        if ("one thread", self) not in database.notes:
            database.notes["one thread", self] = True
            raise Again from None


def settled(column: Column, kind: str) -> Column:
    """Return a column of text as what it is to be read as, or ask for something wider.

    Each step depends on what the values are, not on their order: whole numbers may turn out to be numbers,
    those text; true and false nothing but text.
    """
    if kind not in ("unknown", "whole", "truth") or not column.labels:
        return column
    labels = [str(label) for label in column.labels]
    actual_kind = _kind(labels)
    if actual_kind != kind:
        raise Wider(
            column.name, "text" if kind == "truth" else (kind == "unknown" and actual_kind) or "number"
        )
    if kind == "truth":
        values = np.array([_TRUTH[label.strip().lower()] for label in labels], dtype=bool)
    else:
        values = np.array([int(label) for label in labels], dtype=np.int64)
    return dataclasses.replace(column, values=values[column.values], labels=None)


def _kind(values: Sequence[str]) -> str:
    """Return the kind of all values where it is a narrow one, or nothing."""
    if not values:
        return "unknown"
    if all(_WHOLE.fullmatch(value) and -(2**63) <= int(value) < 2**63 for value in values):
        return "whole"
    return "truth" if all(value.strip().lower() in _TRUTH for value in values) else ""
