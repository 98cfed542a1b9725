"""Rows of a file dealt out into several files of its own format, or written with a column more.

Lines of text go from file to file as they are; nothing about their values is decided. Parquet goes through
DuckDB, which streams it, Arrow files through memory.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import csv
import gzip
import io
import json
import lzma
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from assay.engines.delimited import DelimitedFile
from assay.engines.duckdb import dependency, quoted, text
from assay.engines.sources import ArrowFile, JsonFile, ParquetFile, Source
from assay.errors import FileError
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.temporary_files import TemporaryFolder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.engines.duckdb import Database
    from assay.engines.sources import SourcePart
    from assay.inputs.columns import Array

__all__ = ["deal", "is_lines", "stored", "widen"]

_MEMORY = 1 << 29
_ZSTD: Final = (".zst", ".zstd")  # which DuckDB writes, and Python does not
_OPEN: Final[dict[str, Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def deal(
    origin: Source,
    layers: Sequence[tuple[Array, Sequence[Path]]],
    *,
    encoding: str = "utf-8",
    packing: str = "",
) -> None:
    """Write each row of a file to one file of every layer: the one that the layer's number for it names.

    A number beyond the files means that the row goes to none of them. Rows keep their order. `packing` is
    the ending of what the files are compressed with: .gz, .bz2 or .xz.
    """
    (part,) = origin.parts
    with origin.open(memory=_MEMORY, threads=1) as database:
        if is_lines(part):
            _deal_lines(part, database, layers, encoding, packing)
            return
        for file_of_row, files in layers:
            for number, file in enumerate(files):
                _write(part, database, file, np.asarray(file_of_row) == number, {}, packing)


def widen(
    origin: Source,
    file: Path,
    columns: Mapping[str, Sequence[str]],
    *,
    encoding: str = "utf-8",
    packing: str = "",
) -> None:
    """Write a file's rows with columns of text more."""
    (part,) = origin.parts
    with origin.open(memory=_MEMORY, threads=1) as database:
        for name in columns:
            if name.lower() in (existing.lower() for existing in part.columns(database)):
                raise FileError(f'{part.name} has a column "{name}" already: name another with --column.')
        if is_lines(part):
            _widen_lines(part, database, file, columns, encoding, packing)
        else:
            _write(part, database, file, None, columns, packing)


def stored(origin: Source, file: Path) -> Source:
    """Return a query's result as a Parquet file, so that every reading of it gives the same rows."""
    (part,) = origin.parts
    with origin.open(memory=_MEMORY, threads=1, folder=str(file.parent)) as database:
        try:
            database.copy(
                f"SELECT * FROM {part.expression(database)}", str(file), "FORMAT parquet", part.name
            )
        except OSError as failed:
            raise FileError(
                f"{part.name} is stored in {file.parent} before it is dealt out, which failed: "
                f"{failed.strerror}. Set TMPDIR to a folder with more room."
            ) from None
    return Source(
        (ParquetFile(part.name, str(file)),), origin.name, files_read=origin.files_read, text=origin.text
    )


def is_lines(part: SourcePart) -> bool:
    """Tell whether a file's rows are lines of text, which are copied as they are."""
    return isinstance(part, DelimitedFile) or (isinstance(part, JsonFile) and part.layout != "auto")


def _deal_lines(
    part: SourcePart,
    database: Database,
    layers: Sequence[tuple[Array, Sequence[Path]]],
    encoding: str,
    packing: str,
) -> None:
    with contextlib.ExitStack() as stack:
        header, records = _records(part, database, stack)
        outs = []
        for file_of_row, files in layers:
            opened = [_opened(file, "wt", encoding, stack, packing) for file in files]
            for out in opened:
                out.write(header)
            outs.append((file_of_row.tolist(), [*(out.write for out in opened), len]))
        count, expected = 0, len(layers[0][0])
        for count, record in enumerate(records, 1):
            if count > expected:
                break
            for file_of_row, writes in outs:
                writes[file_of_row[count - 1]](record)
        _same_rows(part, count, expected)


def _widen_lines(  # noqa: PLR0917 - one call
    part: SourcePart,
    database: Database,
    file: Path,
    columns: Mapping[str, Sequence[str]],
    encoding: str,
    packing: str,
) -> None:
    with contextlib.ExitStack() as stack:
        header, records = _records(part, database, stack)
        out = _opened(file, "wt", encoding, stack, packing)
        expected = len(next(iter(columns.values())))
        if isinstance(part, DelimitedFile):
            delimiter = part.dialect(database)[1]
            more = [
                delimiter + delimiter.join(_cell(value, part, delimiter) for value in row)
                for row in _rows(columns)
            ]
            if header:
                names = delimiter + delimiter.join(_cell(name, part, delimiter) for name in columns)
                out.write(_appended(header, names))
        else:
            more = [_members(columns, row) for row in _rows(columns)]
        count = 0
        for count, record in enumerate(records, 1):
            if count > expected:
                break
            extra = more[count - 1]
            out.write(_appended(record, extra) if isinstance(part, DelimitedFile) else _within(record, extra))
        _same_rows(part, count, expected)


def _rows(columns: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    return zip(*columns.values(), strict=True)


def _members(columns: Mapping[str, Sequence[str]], row: Sequence[str]) -> str:
    """Return columns of one row as members of a JSON object."""
    return ", ".join(
        f"{json.dumps(name)}: {json.dumps(value)}" for name, value in zip(columns, row, strict=True)
    )


def _cell(value: str, file: DelimitedFile, delimiter: str) -> str:
    """Return a value as it is to stand in a line."""
    if not file.quote:
        return value
    cell = io.StringIO()
    csv.writer(cell, delimiter=delimiter, quotechar=file.quote, lineterminator="").writerow([value])
    return cell.getvalue()


def _appended(line: str, more: str) -> str:
    end = len(line.rstrip("\r\n"))
    return line[:end] + more + line[end:]


def _within(line: str, more: str) -> str:
    """Return a line that is a JSON object with members more at its end."""
    members = line.rstrip().removesuffix("}").rstrip()
    comma = "" if members.endswith("{") else ", "
    return f"{members}{comma}{more}}}\n"


def _same_rows(part: SourcePart, count: int, expected: int) -> None:
    """Raise where lines were told apart otherwise than by the reader of the columns."""
    if count != expected:
        raise FileError(
            f"{part.name} has {count_of(expected, 'row')}, "
            f"but its lines were told apart otherwise: say how values are "
            f"quoted with {param('quote')}, or bring the file into a plainer form."
        )


def _records(part: Any, database: Database, stack: contextlib.ExitStack) -> tuple[str, Iterator[str]]:
    """Return the header of a text file, and its rows as they stand in it."""
    if part.path.lower().endswith(_ZSTD):
        raise FileError(f"{part.name} is packed as zst, which split does not write: unpack it first.")
    encoding = part.encoding if isinstance(part, DelimitedFile) else "utf-8"
    lines = iter(_opened(part.path, "rt", encoding, stack, Path(part.path).suffix))
    quote = part.quote if isinstance(part, DelimitedFile) else ""
    # A line without a value is a row where there is only one column.
    single = isinstance(part, DelimitedFile) and len(part.columns(database)) == 1
    records = _whole_lines(lines, quote, keep_blank=single)
    if not isinstance(part, DelimitedFile) or part.names is not None:
        return "", records
    return next((line for line in records if line.strip().removeprefix("\ufeff")), ""), records


def _whole_lines(lines: Iterator[str], quote: str, *, keep_blank: bool) -> Iterator[str]:
    """Yield records, of several lines where a quoted value goes on, each with its end of line."""
    open_record = ""
    for line in lines:
        if open_record or (quote and quote in line):
            open_record += line
            if open_record.count(quote) % 2:
                continue
            line, open_record = open_record, ""  # noqa: PLW2901 - the whole of it
        if keep_blank or not line.isspace():
            yield line if line.endswith(("\n", "\r")) else f"{line}\n"
    if open_record:
        yield open_record


def _opened(path: Any, mode: str, encoding: str, stack: contextlib.ExitStack, packing: str) -> Any:
    """Open a text, packed or not; bytes that are no text go through as they are."""
    on_error = "surrogateescape" if codecs.lookup(encoding).name == "utf-8" else "strict"
    opened: Any = _OPEN.get(packing.lower(), open)
    return stack.enter_context(opened(path, mode, encoding=encoding, errors=on_error, newline=""))


def _write(  # noqa: PLR0917 - two calls
    part: SourcePart,
    database: Database,
    file: Path,
    chosen: Array | None,
    columns: Mapping[str, Sequence[str]],
    packing: str,
) -> None:
    """Write the chosen rows of a typed file."""
    if isinstance(part, ArrowFile):
        _write_arrow(part, file, chosen, columns)
        return
    if isinstance(part, JsonFile):
        _write_objects(part, database, file, chosen, columns, packing)
        return
    table = part.expression(database)
    table_columns: dict[str, Any] = {
        f"c{index}": list(values) for index, values in enumerate(columns.values())
    }
    if chosen is not None:
        table_columns["chosen"] = chosen.astype(np.uint8)
    database.hold("dealt", table_columns)
    new_columns = "".join(f", p.c{index} AS {quoted(name)}" for index, name in enumerate(columns))
    where = "" if chosen is None else " WHERE p.chosen = 1"
    query = f"SELECT d.*{new_columns} FROM {table} AS d POSITIONAL JOIN dealt AS p{where}"
    database.copy(query, str(file), "FORMAT parquet, COMPRESSION zstd", part.name)


def _write_objects(  # noqa: PLR0917 - one call
    part: JsonFile,
    database: Database,
    file: Path,
    chosen: Array | None,
    columns: Mapping[str, Sequence[str]],
    packing: str,
) -> None:
    """Write the chosen objects of a JSON file as an array, each as it stands in the file."""
    if packing.lower() in _ZSTD:
        with TemporaryFolder() as folder:
            plain = folder.path / "rows.json"
            _write_objects(part, database, plain, chosen, columns, "")
            query = f"SELECT content FROM read_blob({text(str(plain))})"
            database.copy(query, str(file), "FORMAT blob, COMPRESSION zstd", part.name)
        return
    extra = list(_rows(columns)) if columns else []
    row = 0
    with contextlib.ExitStack() as stack:
        out = _opened(file, "wt", "utf-8", stack, packing)
        out.write("[")
        separator = "\n"
        for batch in database.batches(f"SELECT json::VARCHAR AS json FROM {part.objects()}", part.name):
            for value in batch["json"]:
                if chosen is None or (row < len(chosen) and chosen[row]):
                    record = str(value.as_py())
                    if extra and row < len(extra):
                        record = _within(record, _members(columns, extra[row])).rstrip("\n")
                    out.write(f"{separator}{record}")
                    separator = ",\n"
                row += 1
        out.write("\n]\n")
    _same_rows(part, row, len(extra) if chosen is None else len(chosen))


def _write_arrow(
    part: ArrowFile, file: Path, chosen: Array | None, columns: Mapping[str, Sequence[str]]
) -> None:
    arrow, core = (
        dependency("arro3.io", "arro3-io", "writing Arrow files"),
        dependency("arro3.core", "arro3-core", "it"),
    )
    first, batches = 0, []
    for batch in part.plain_batches():
        rows = (
            np.arange(batch.num_rows)
            if chosen is None
            else np.flatnonzero(chosen[first : first + batch.num_rows])
        )
        chosen_batch = batch.take(core.Array.from_numpy(rows.astype(np.int64)))
        for name, values in columns.items():
            new_column = core.Array([values[first + row] for row in rows.tolist()], type=core.DataType.utf8())
            chosen_batch = chosen_batch.append_column(core.Field(name, core.DataType.utf8()), new_column)
        batches.append(chosen_batch)
        first += batch.num_rows
    with open(part.path, "rb") as opened:  # noqa: PTH123 - a path as the caller wrote it
        is_file = opened.read(6) == b"ARROW1"
    write = arrow.write_ipc if is_file else arrow.write_ipc_stream
    try:
        write(core.Table.from_batches(batches), str(file))
    except Exception as failed:
        number = re.search(r"os error (\d+)", str(failed))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from None
