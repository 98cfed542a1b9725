"""Files by name: which there are, what they hold, and how they are to be read."""

from __future__ import annotations

import codecs
import difflib
import glob
import gzip
import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from assay.engines.delimited import ENCODINGS, DelimitedFile
from assay.engines.sources import ArrowFile, JsonFile, ParquetFile, Part, Query, Source
from assay.errors import FileError, InputError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["source"]

Format: TypeAlias = Literal["csv", "tsv", "parquet", "arrow", "jsonl", "json", "duckdb"]

_FORMATS: Final[dict[str, Format]] = {
    ".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".arrows": "arrow",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json",
    ".duckdb": "duckdb", ".ddb": "duckdb",
}  # fmt: skip
_COMPRESSED: Final = (".gz", ".zst", ".zstd")
_MAGIC: Final = (
    (b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\xff\xff\xff\xff", "arrow"),
    (b"{", "jsonl"), (b"[", "json"),
)  # fmt: skip


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
) -> Source:
    """Return where rows are to be read from: files, a query, or a table of a database.

    Parameters
    ----------
    path
        A file, a pattern such as ``"out/*.parquet"``, a folder, ``"-"`` for standard input, or a list of
        them. CSV, TSV and JSON lines may be compressed (gz, zst).
    format
        ``"csv"``, ``"tsv"``, ``"parquet"``, ``"arrow"``, ``"jsonl"``, ``"json"`` or ``"duckdb"``, where
        the name of the file does not say it.
    delimiter, quote, decimal, encoding
        How a CSV is written. Without a delimiter it is the one of comma, tab, semicolon and bar that parts
        the header.
    null
        What stands for a missing value in a CSV: one text or several.
    names
        The columns' names, for a CSV that has no line of them.
    sql
        A SELECT of DuckDB's, over the tables of a database given as `path`, or over files it names itself.
    table
        A table or view of the database given as `path`.

    Examples
    --------
    >>> from assay.engines import source
    >>> source(sql="SELECT 1 AS y, 0.5 AS s").columns()
    ['y', 's']
    """
    if sql is not None or table is not None:
        return _of_query(path, sql, table)
    if path is None:
        raise InputError("no file was named: pass a path, a pattern or a folder, or sql=.")
    if format is not None and format not in _FORMATS.values():
        raise InputError(
            f"format={format!r} is not known: use one of {shown(dict.fromkeys(_FORMATS.values()), 9)}."
        )
    if delimiter is not None and len(delimiter) != 1:
        raise InputError(f"delimiter={delimiter!r}: a delimiter is one character.")
    given = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not given:
        raise InputError("no file was named: the list of paths is empty.")
    charset = _charset(encoding)
    written = {
        "delimiter": delimiter, "quote": quote, "decimal": decimal,
        "encoding": ENCODINGS.get(charset, "utf-8"),
        "null": (null,) if isinstance(null, str) else tuple(null),
        "names": None if names is None else tuple(names),
    }  # fmt: skip
    copies = _Copies()
    parts = []
    for one in map(str, given):
        for file in [_spooled(copies)] if one == "-" else _found(one):
            name = "standard input" if one == "-" else file
            kind = format or _format(file)
            recoded = kind in ("csv", "tsv") and charset not in ENCODINGS
            place = _recoded(file, name, charset, copies) if recoded else file
            parts.append(_part(place, name, kind, written))
    return Source(tuple(parts), parts[0].name if len(parts) == 1 else f"{len(parts):,} files", copies=copies)


class _Copies:
    """A folder for copies of what cannot be read where it is; it goes when nobody holds this any more."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    @property
    def folder(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="assay-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder


def _part(path: str, name: str, kind: str, written: dict[str, Any]) -> Part:
    """Return a file as a part, by its format."""
    if kind in ("csv", "tsv"):
        parted = written["delimiter"] or ("\t" if kind == "tsv" else None)
        return DelimitedFile(name, path, **{**written, "delimiter": parted})
    if kind in ("json", "jsonl"):
        return JsonFile(name, path, "newline_delimited" if kind == "jsonl" else "auto")
    if kind == "duckdb":
        raise InputError(f"{name} is a database: say which rows of it are meant, with table= or sql=.")
    return ParquetFile(name, path) if kind == "parquet" else ArrowFile(name, path)


def _of_query(path: Any, sql: str | None, table: str | None) -> Source:
    if sql is not None and table is not None:
        raise InputError("say either sql= or table=, not both.")
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise InputError("sql= and table= read one database: pass its path alone.")
    database = None if path is None else _found(os.fspath(path))[0]
    if sql is not None:
        return Source((Query("the query's result", sql),), "a query", database)
    if database is None:
        raise InputError(f"table={table!r} needs the database file it is in, as the path.")
    return Source((Query.of_table(str(table)),), f"the table {table}", database)


def _found(path: str) -> list[str]:
    """Return the files that a path, a pattern or a folder stands for, in the order of their names."""
    place = Path(path)
    if place.is_dir():
        inside = sorted(
            one
            for one in place.rglob("*")
            if _suffix(one.name) in _FORMATS
            and one.is_file()
            and not any(step.startswith((".", "_")) for step in one.relative_to(place).parts)
        )
        if not inside:
            raise FileError(f"the folder {path} holds no file to read: {shown(list(_FORMATS), 20)}.")
        return [str(one) for one in inside]
    if not place.exists():
        if glob.has_magic(path):
            matching = sorted(one for one in glob.glob(path, recursive=True) if Path(one).is_file())  # noqa: PTH207 - patterns may be absolute
            if matching:
                return matching
            raise FileError(f"no file matches {path}.")
        try:
            beside = [one.name for one in place.parent.iterdir()]
        except OSError:
            beside = []
        near = difflib.get_close_matches(place.name, beside, n=1)
        raise FileError(f"there is no file {path}.{f' Did you mean {near[0]}?' if near else ''}")
    if not os.access(path, os.R_OK):
        raise FileError(f"{path} may not be read by this user: change its permissions, or copy it.")
    return [path]


def _suffix(name: str) -> str:
    """Return what a name says of the format, whatever it is compressed with."""
    place = Path(name.lower())
    return Path(place.stem).suffix if place.suffix in _COMPRESSED else place.suffix


def _format(path: str) -> str:
    """Return the format of a file by its name, or by its first bytes."""
    known = _FORMATS.get(_suffix(path))
    if known is not None:
        return known
    try:
        with Path(path).open("rb") as file:
            start = file.read(16)
    except OSError as failed:
        raise FileError(f"{path} cannot be read: {failed.strerror}.") from None
    if start[8:12] == b"DUCK":
        return "duckdb"
    return next((kind for magic, kind in _MAGIC if start.startswith(magic)), "csv")


def _spooled(copies: _Copies) -> str:
    """Return a file with all of standard input: it can be read once only, and some formats need it twice."""
    file = copies.folder / "stdin"
    with file.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy, 1 << 20)
    with file.open("rb") as copy:
        start = copy.read(4)
    for magic, suffix in ((b"\x1f\x8b", ".gz"), (b"\x28\xb5\x2f\xfd", ".zst")):
        if start.startswith(magic):
            file = file.rename(file.with_suffix(suffix))
    return str(file)


def _charset(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name.removesuffix("-sig")
    except LookupError:
        raise InputError(f'encoding="{encoding}" is not known: try "utf-8", "latin-1" or "cp1252".') from None


def _recoded(path: str, name: str, encoding: str, copies: _Copies) -> str:
    """Return a copy of a text file in UTF-8."""
    handle, copy = tempfile.mkstemp(dir=copies.folder, suffix=".csv")
    opened: Callable[..., Any] = gzip.open if path.lower().endswith(".gz") else open
    try:
        with (
            opened(path, "rt", encoding=encoding, newline="") as text,
            open(handle, "w", encoding="utf-8", newline="") as out,  # noqa: PTH123 - a handle
        ):
            shutil.copyfileobj(text, out, 1 << 20)
    except (UnicodeError, OSError) as failed:
        raise FileError(f"{name} is not text in {encoding}: {failed}.") from None
    return copy
