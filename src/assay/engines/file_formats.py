"""Files by name: which there are, what they hold, and how they are to be read."""

from __future__ import annotations

import codecs
import dataclasses
import difflib
import glob
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from assay.engines.delimited import ENCODINGS, DelimitedFile
from assay.engines.duckdb import dependency
from assay.engines.hive_partitions import with_folder_columns
from assay.engines.sources import ArrowFile, JsonFile, ParquetFile, Query, Source, SourcePart
from assay.engines.sql_files import QueriedFiles
from assay.engines.temporary_copies import COMPRESSED, Copies, is_stream, unpacked_suffix
from assay.errors import FileError, InputError, shown
from assay.hints import param, passed
from assay.output_files import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.output_files import FileIdentity

__all__ = ["source"]

Format: TypeAlias = Literal["csv", "tsv", "parquet", "arrow", "jsonl", "json", "duckdb"]

_FORMATS: Final[dict[str, Format]] = {
    ".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".arrows": "arrow",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json",
    ".duckdb": "duckdb", ".ddb": "duckdb",
}  # fmt: skip
_NAMED: Final = 3  # files that a message names
_MAGIC: Final = (
    (b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\xff\xff\xff\xff", "arrow"),
    (b"{", "jsonl"), (b"[", "json"),
)  # fmt: skip
_LOOKED_AT: Final = 1 << 12  # bytes by which the format of a file without a telling name is found


def source(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    *,
    format: Format | None = None,  # noqa: A002 - the word for it
    delimiter: str | None = None,
    quote: str = '"',
    decimal: str = ".",
    encoding: str = "utf-8",
    null: str | Iterable[str] = "",
    names: Sequence[str] | None = None,
    sql: str | None = None,
    table: str | None = None,
    hive: bool = False,
    text: str | Iterable[str] = (),
) -> Source:
    """Return where rows are to be read from: files, a query, or a table of a database.

    Parameters
    ----------
    path
        A file, a pattern such as ``"out/*.parquet"``, a folder, ``"-"`` for standard input, or a list of
        them. Pipes are read as standard input is. CSV, TSV and JSON lines may be compressed (gz, zst), and
        any file packed as bz2, xz or zip, which is unpacked to a temporary file first.
    format
        ``"csv"``, ``"tsv"``, ``"parquet"``, ``"arrow"``, ``"jsonl"``, ``"json"`` or ``"duckdb"``, where
        the name of the file does not say it.
    delimiter, quote, decimal, encoding
        How a CSV is written. Without a delimiter it is the one of comma, tab, semicolon and bar that parts
        the header.
    null
        What stands for a missing value in a CSV beside an empty one: one text or several.
    names
        The columns' names, for a CSV that has no line of them.
    sql
        A SELECT of DuckDB's, over the tables of a database given as `path`, or over files it names itself.
    table
        A table or view of the database given as `path`.
    hive
        Read the names of folders such as ``year=2024`` as columns (Hive partitions). Unless it is said, the
        columns are those of the files.
    text
        Columns whose values are text, however much they look like numbers or dates: ``"1e2"`` and ``"100"``
        of a CSV are then two labels.

    Returns
    -------
    Source
        To scan, to evaluate, or to ask for its columns.

    Raises
    ------
    FileError
        There is no such file.
    InputError
        Settings exclude each other, or belong to another format.

    Examples
    --------
    >>> from assay.engines import source
    >>> source(sql="SELECT 1 AS y, 0.5 AS s").columns()
    ['y', 's']
    """
    text_columns = (text,) if isinstance(text, str) else tuple(dict.fromkeys(text))
    if sql is not None or table is not None:
        if hive:
            raise InputError(
                f"{param('hive')} is for files: in {param('sql')}, write read_parquet(..., "
                "hive_partitioning=true)."
            )
        return dataclasses.replace(_of_query(path, sql, table), text=text_columns)
    if path is None:
        raise InputError(f"no file was named: pass a path, a pattern or a folder, or {param('sql')}.")
    if format is not None and format not in _FORMATS.values():
        raise InputError(
            f"{passed('format', format)} is not known: use one of "
            f"{shown(dict.fromkeys(_FORMATS.values()), 9)}."
        )
    if delimiter is not None and len(delimiter) != 1:
        raise InputError(f"{passed('delimiter', delimiter)}: a delimiter is one character.")
    if len(quote) > 1:
        raise InputError(
            f'{passed("quote", quote)}: a quote is one character, or "" where nothing is quoted.'
        )
    if len(decimal) != 1:
        raise InputError(
            f"{passed('decimal', decimal)}: what parts a number from its fraction is one character."
        )
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not paths:
        raise InputError("no file was named: the list of paths is empty.")
    charset = _charset(encoding)
    written = {
        "delimiter": delimiter, "quote": quote, "decimal": decimal,
        "encoding": ENCODINGS.get(charset, "utf-8"),
        "null": tuple(dict.fromkeys(["", *([null] if isinstance(null, str) else null)])),
        "names": None if names is None else tuple(names),
    }  # fmt: skip
    copies = Copies()
    parts: list[SourcePart] = []
    files_read: set[FileIdentity] = set()
    files = [
        (pattern, file)
        for pattern in map(str, paths)
        for file in (["-"] if pattern == "-" else _matching_files(pattern))
    ]
    _refuse_twice(files)
    for _, file in files:
        if (known := identity(0 if file == "-" else file)) is not None:
            files_read.add(known)
        name, location = _readable(file, copies)
        kind = format or _format(location)
        if kind in ("csv", "tsv") and charset not in ENCODINGS:
            location = copies.recoded(location, name, charset)
        if kind in ("json", "jsonl"):
            location = copies.without_mark(location, name)
        parts.append(_part(copies.linked(location), name, kind, written))
    if hive:
        parts = with_folder_columns(parts, [file for _, file in files])
    return Source(tuple(parts), _joint_name(parts), copies=copies, files_read=files_read, text=text_columns)


def _refuse_twice(files: Sequence[tuple[str, str]]) -> None:
    """Raise where two names mean the same file: its rows would count twice."""
    seen: dict[tuple[int, int], tuple[str, str]] = {}
    for pattern, file in files:
        status = None if file == "-" else os.stat(file)  # noqa: PTH116 - a path as the caller wrote it
        key = (-1, -1) if status is None else (status.st_dev, status.st_ino)
        if key in seen:
            first_given, first = seen[key]
            ways = [name if name == path else f"{path} (of {name})" for name, path in
                    ((first_given, first), (pattern, file))]  # fmt: skip
            what = "standard input" if file == "-" else file
            also = "" if ways[0] == ways[1] else f", as {ways[0]} and as {ways[1]}"
            raise FileError(f"{what} is named twice{also}: its rows would count twice. Name it once.")
        seen[key] = pattern, file


def _readable(file: str, copies: Copies) -> tuple[str, str]:
    """Return what messages call a file, and where it can be read more than once, as it is or unpacked."""
    if file == "-":
        return "standard input", copies.of_input()
    if is_stream(file):
        return file, copies.of_stream(file)
    if unpacked_suffix(file):
        return file, copies.unpacked(file, file)
    return file, file


def _joint_name(parts: Sequence[SourcePart]) -> str:
    """Return what messages call all files together: which they are, where they are few."""
    names = [part.name for part in parts]
    if len(names) == 1:
        return names[0]
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{len(names):,} files ({', '.join(names[:_NAMED])}{more})"


def _part(path: str, name: str, kind: str, written: dict[str, Any]) -> SourcePart:
    """Return a file as a part, by its format."""
    if kind in ("csv", "tsv"):
        parted = written["delimiter"] or ("\t" if kind == "tsv" else None)
        return DelimitedFile(name, path, **{**written, "delimiter": parted})
    if kind in ("json", "jsonl"):
        return JsonFile(name, path, "newline_delimited" if kind == "jsonl" else "auto")
    if kind == "duckdb":
        raise InputError(
            f"{name} is a database: say which rows of it are meant, with {param('table')} or {param('sql')}."
        )
    return ParquetFile(name, path) if kind == "parquet" else ArrowFile(name, path)


def _of_query(path: Any, sql: str | None, table: str | None) -> Source:
    if sql is not None and table is not None:
        raise InputError(f"say either {param('sql')} or {param('table')}, not both.")
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise InputError(f"{param('sql')} and {param('table')} read one database: pass its path alone.")
    database = None if path is None else _matching_files(os.fspath(path))[0]
    if database is not None and (is_stream(database) or unpacked_suffix(database)):
        raise InputError(f"{database} cannot be opened as a database: copy or unpack it to a file first.")
    queried = (
        QueriedFiles()
        if sql is None
        else QueriedFiles.of(sql, dependency("duckdb", "duckdb", "reading files"))
    )
    files_read = queried.identities()
    if database is not None and (file := identity(database)) is not None:
        files_read.add(file)
    if sql is not None:
        _refuse_folder_columns(sql, queried)
        query, name = Query("the query's result", sql), "a query"
    elif database is None:
        raise InputError(f"{passed('table', table)} needs the database file it is in, as the path.")
    else:
        query, name = Query.of_table(str(table)), f"the table {table}"
    copies = Copies()
    location = None if database is None else copies.linked(database)
    return Source((query,), name, location, copies, queried=queried, files_read=files_read)


def _refuse_folder_columns(sql: str, queried: QueriedFiles) -> None:
    """Raise where DuckDB would put the name of a folder in the place of a column, and nobody says so."""
    if "hive_partitioning" in sql.lower():
        return
    for file in queried.paths:
        folder = re.search(r"(?:^|/)([^/=]+=[^/]*)/", file)
        if folder is not None:
            raise FileError(
                f"the query reads {file}, and {folder[1]} would take the place of a column: say "
                "hive_partitioning=false (the file's own columns) or true in read_parquet('...')."
            )


def _matching_files(path: str) -> list[str]:
    """Return the files that a path, a pattern or a folder stands for, in the order of their names."""
    folder = Path(path)
    if folder.is_dir():
        inside = sorted(
            file
            for file in folder.rglob("*")
            if _suffix(file.name) in _FORMATS
            and file.is_file()
            and not any(step.startswith((".", "_")) for step in file.relative_to(folder).parts)
        )
        if not inside:
            raise FileError(f"the folder {path} holds no file to read: {shown(list(_FORMATS), 20)}.")
        return [str(file) for file in inside]
    if not folder.exists():
        if glob.has_magic(path):
            matching = sorted(file for file in glob.glob(path, recursive=True) if Path(file).is_file())  # noqa: PTH207 - patterns may be absolute
            if matching:
                return matching
            raise FileError(f"no file matches {path}.")
        try:
            beside = [file.name for file in folder.parent.iterdir()]
        except OSError:
            beside = []
        near = difflib.get_close_matches(folder.name, beside, n=1)
        raise FileError(f"there is no file {path}.{f' Did you mean {near[0]}?' if near else ''}")
    if not os.access(path, os.R_OK):
        raise FileError(f"{path} may not be read by this user: change its permissions, or copy it.")
    return [path]


def _suffix(name: str) -> str:
    """Return what a name says of the format, whatever it is compressed with."""
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in COMPRESSED else path.suffix


def _format(path: str) -> str:
    """Return the format of a file by its name, or by its first bytes."""
    known = _FORMATS.get(_suffix(path))
    if known is not None:
        return known
    try:
        with Path(path).open("rb") as file:
            start = file.read(_LOOKED_AT)
    except OSError as failed:
        raise FileError(f"{path} cannot be read: {failed.strerror}.") from None
    if start[8:12] == b"DUCK":
        return "duckdb"
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    return next((kind for magic, kind in _MAGIC if start.startswith(magic) or text.startswith(magic)), "csv")


def _charset(encoding: str) -> str:
    try:
        "".encode(encoding)  # which refuses what is known and no encoding of text, as rot13
        return codecs.lookup(encoding).name.removesuffix("-sig")
    except (LookupError, ValueError):
        raise InputError(
            f'{param("encoding", encoding)} is not known: try "utf-8", "latin-1" or "cp1252".'
        ) from None
