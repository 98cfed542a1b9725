"""The one door to DuckDB: a database within limits, its rows as Arrow batches, its errors in our words."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import re
import tempfile
from typing import TYPE_CHECKING, Any, Self, TypeVar

from assay.engines.csv_layout import never_closed
from assay.errors import AssayError, ColumnError, FileError, MissingDependencyError
from assay.hints import param
from assay.temporary_files import TemporaryFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = [
    "TEXT",
    "Again",
    "Database",
    "OddLines",
    "OutOfMemory",
    "Unfit",
    "Wider",
    "dependency",
    "quoted",
    "selected",
    "text",
]

_AS_NUMBERS = ("DECIMAL", "HUGEINT", "UHUGEINT", "BIGNUM")
_AS_TEXT = (
    "DATE", "TIME", "TIME_NS", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ_NS",
    "INTERVAL", "UUID", "JSON", "BIT",
)  # fmt: skip
_AS_THEY_ARE = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "FLOAT", "DOUBLE", "VARCHAR", "ENUM", '"NULL"', "NULL",
)  # fmt: skip


T = TypeVar("T")

_FOR_THREADS = 24 << 20  # bytes below which the buffers of several threads are more than is left

TEXT = "stated text"  # what kinds say of a column that the caller wants as text


class Again(Exception):  # noqa: N818 - no error: a request to read all rows again from the first one
    """Something turned out on the way that the rows before were read without."""

    def note(self, kinds: dict[str, str]) -> None:
        """Write down what is to be read otherwise."""


class Wider(Again):
    """A column of text does not hold the kind of labels that its first rows promised."""

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(name, kind)
        self.name, self.kind = name, kind

    def note(self, kinds: dict[str, str]) -> None:
        """Write down as what the column is to be read."""
        kinds[self.name] = self.kind


class OddLines(FileError):  # noqa: N818 - a reason
    """Lines of a text end in different ways, or a quote stands where none may."""


class NotParallel(FileError):  # noqa: N818 - a reason
    """Threads cannot agree where the lines of a text begin: one of them has to read it."""


class Ragged(FileError):  # noqa: N818 - a reason
    """A line of a text has more or fewer values than the header, or seems to."""


class OutOfMemory(FileError):  # noqa: N818 - a reason
    """The reader needs more memory than it has."""


class Unfit(ColumnError):  # noqa: N818 - a reason
    """A value of a column is no number."""

    def __init__(self, message: str, column: str) -> None:
        super().__init__(message)
        self.column = column


class WriteError(FileError):
    """A file could not be written, for a reason of the system's."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"a temporary file cannot be written: {os.strerror(number)}. Is the disk of TMPDIR full?"
        )
        self.number = number


def dependency(name: str, package: str, purpose: str) -> Any:
    """Return a module that is loaded only where it is needed, or say in a line how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingDependencyError(
            f"{purpose} needs {package}, which is not installed: pip install {package}"
        ) from None


def text(value: object) -> str:
    """Return a value as a literal of SQL.

    >>> text("it's"), text(True)
    ("'it''s'", 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return "'" + str(value).replace("'", "''") + "'"


def quoted(name: str) -> str:
    """Return a name as an identifier of SQL: in quotes, and those within it doubled."""
    return '"' + name.replace('"', '""') + '"'


class Database:
    """A DuckDB in memory that stays within limits; what it spills goes to a folder that is removed."""

    def __init__(self, *, memory: int, threads: int) -> None:
        self._duckdb = dependency("duckdb", "duckdb", "reading files")
        self._arrow = dependency("arro3.core", "arro3-core", "reading files")
        self._folder = TemporaryFolder()
        self._columns: dict[str, dict[str, str]] = {}
        threads = threads if memory >= _FOR_THREADS else 1
        self.memory, self._threads = memory, threads
        self._wider = False
        self.notes: dict[Any, Any] = {}  # what parts found out about themselves and need again
        settings = {
            "memory_limit": f"{memory}B",
            "threads": threads,
            "temp_directory": str(self._folder.path / "spilled"),
            "preserve_insertion_order": True,  # row numbers of a message are those of the file
            "autoinstall_known_extensions": False,  # nothing is fetched from the network
            "enable_external_file_cache": False,  # every byte is read once
            "disable_parquet_prefetching": True,  # pages are read one by one: a row group may be large
        }
        try:
            self._connection = self._duckdb.connect(config=settings)
            self._connection.execute("SET enable_progress_bar = false")
            self._connection.execute("SET TimeZone = 'UTC'")  # moments are the same text on every machine
        except BaseException:
            self._folder.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of everything."""
        self._connection.close()
        self._folder.close()

    def economize(self) -> bool:
        """Read with less memory from now on, or with a larger part of it; False where all of this was done.

        Every thread holds a row group, or a buffer of text, of its own. What the tallies and batches of the
        caller leave of his memory is not known here, but they seldom take all of theirs.
        """
        if self._threads > 1:
            self._threads = 1
            self._connection.execute("SET threads = 1")
        elif not self._wider:
            self._wider = True
            self.memory *= 2
            self._connection.execute(f"SET memory_limit = '{self.memory}B'")
        else:
            return False
        return True

    def _economically(self, step: Callable[[], T]) -> T:
        """Return what a step gives, trying again with less memory where it needs too much."""
        while True:
            try:
                return step()
            except OutOfMemory:
                if not self.economize():
                    raise

    def scratch(self, suffix: str) -> str:
        """Return a path for a file that goes when the database is closed."""
        handle, path = tempfile.mkstemp(dir=self._folder.path, suffix=suffix)
        os.close(handle)
        return path

    def interrupt(self) -> None:
        """Stop whatever is being read."""
        self._connection.interrupt()

    def attach(self, path: str) -> None:
        """Open a database file, to be read only, as where tables are looked for."""
        with self._translate_errors(path):
            self._connection.execute(f"ATTACH {text(path)} AS given (READ_ONLY)")
            self._connection.execute("USE given")

    def restrict(self, paths: Sequence[str], folders: Sequence[str]) -> None:
        """Let nothing be read from now on but an attached database, some files, and what is in some folders.

        A database may come from anywhere, and its views name any file.
        """
        for setting, values in (("allowed_paths", paths), ("allowed_directories", folders)):
            if values:
                self._connection.execute(f"SET {setting} = [{', '.join(map(text, values))}]")
        self._connection.execute("SET enable_external_access = false")

    def is_select(self, query: str, name: str) -> bool:
        """Tell whether this is one statement that reads and does nothing else."""
        with self._translate_errors(name):
            statements = self._connection.extract_statements(query)
        return len(statements) == 1 and statements[0].type == self._duckdb.StatementType.SELECT

    def columns(self, table: str, name: str) -> dict[str, str]:
        """Return the columns of a table expression with their types."""

        def read_types() -> dict[str, str]:
            with self._translate_errors(name):
                relation = self._connection.sql(f"SELECT * FROM {table}")
                return dict(zip(relation.columns, map(str, relation.types), strict=True))

        if table not in self._columns:
            self._columns[table] = self._economically(read_types)
        return self._columns[table]

    def rows(self, query: str, name: str, columns: Sequence[str] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""

        def fetch() -> list[tuple[Any, ...]]:
            with self._translate_errors(name, columns):
                return self._connection.sql(query).fetchall()  # type: ignore[no-any-return]

        return self._economically(fetch)

    def batches(self, query: str, name: str, columns: Sequence[str] = ()) -> Iterator[Any]:
        """Yield a result as Arrow record batches, as they are read.

        `columns` are the names behind ``c0``, ``c1``... where a message may speak of those. Where there is
        too little memory it is read again from the first row, with less.
        """
        try:
            with self._translate_errors(name, columns):
                # A relation streams; execute() would hold all of the result.
                yield from self._arrow.RecordBatchReader.from_stream(self._connection.sql(query))
        except OutOfMemory:
            if not self.economize():
                raise
            raise Again from None

    def cast(self, batch: Any, name: str, kinds: Mapping[str, str]) -> Iterator[Any]:
        """Yield an Arrow batch with its columns in types that rows can hold."""
        with self._translate_errors(name):
            self._connection.register("given_batch", self._arrow.Table.from_batches([batch]))
        try:
            self._columns.pop("given_batch", None)
            columns = self.columns("given_batch", name)
            expressions = selected(columns, list(columns), name, kinds)
            yield from self.batches(f"SELECT {expressions} FROM given_batch", name)
        finally:
            self._connection.unregister("given_batch")

    def copy(self, query: str, path: str, options: str, name: str) -> None:
        """Write what a query gives to a file, as it is read; `how` are options of SQL's COPY.

        It can be interrupted where the database has one thread: with more, the one that is told sleeps.
        Threads that write for it would be waited for without end now and then, once it is interrupted.
        """
        try:
            with self._translate_errors(name):
                self._connection.execute("SET async_threads = 0")
                self._connection.execute(f"COPY ({query}) TO {text(path)} ({options}, USE_TMP_FILE false)")
        except WriteError as failed:
            raise OSError(failed.number, os.strerror(failed.number)) from None

    def hold(self, name: str, columns: dict[str, Any]) -> None:
        """Let queries read columns of NumPy's or lists of text, under a name."""
        arrays = {
            column: self._arrow.Array.from_numpy(values) if hasattr(values, "dtype") else self._arrow.Array(
                values, type=self._arrow.DataType.utf8()
            )
            for column, values in columns.items()
        }  # fmt: skip
        self._connection.register(name, self._arrow.Table.from_pydict(arrays))

    def table(self, batches: Sequence[Any]) -> Any:
        """Return batches of one schema as one table."""
        return self._arrow.Table.from_batches(batches)

    @contextlib.contextmanager
    def _translate_errors(self, name: str, columns: Sequence[str] = ()) -> Iterator[None]:
        try:
            yield
        except AssayError:
            raise
        except (self._duckdb.Error, UnicodeError, OSError) as failed:
            raise _explain(str(failed), name, columns) from None
        except RuntimeError as failed:
            if "interrupted" in str(failed):  # what DuckDB makes of Ctrl-C
                raise KeyboardInterrupt from None
            raise
        except Exception as failed:
            # What DuckDB says while a stream is read reaches us through Arrow's reader, as a plain Exception.
            if type(failed) is not Exception:
                raise
            raise _explain(str(failed), name, columns) from None


def selected(columns: Mapping[str, str], chosen: Sequence[str], name: str, kinds: Mapping[str, str]) -> str:
    """Return the wanted columns as a list of SQL, each in a type that rows can hold.

    `kinds` says which of them are to be text, whatever their type.
    """
    return ", ".join(
        f"{_cast(columns[column], column, name, as_text=kinds.get(column) == TEXT)} AS {quoted(column)}"
        for column in chosen
    )


def _cast(kind: str, column: str, name: str, *, as_text: bool) -> str:
    plain = re.split(r"[( ]", kind, maxsplit=1)[0].upper()
    if kind.endswith("]") or plain not in (*_AS_NUMBERS, *_AS_TEXT, *_AS_THEY_ARE):
        raise ColumnError(
            f'the column "{column}" of {name} is of type {kind}, which holds neither text nor plain numbers. '
            "Name a column of labels or numbers."
        )
    if as_text or plain in _AS_TEXT or "NULL" in plain:
        return f"CAST({quoted(column)} AS VARCHAR)"
    if plain in _AS_NUMBERS:
        return f"CAST({quoted(column)} AS DOUBLE)"
    return quoted(column)


def _write_failure(message: str) -> int | None:
    """Return the system's number for why a file could not be written, where that is what DuckDB said.

    >>> os.strerror(_write_failure('IO Error: Could not write file "a": ' + os.strerror(errno.ENOSPC)))
    'No space left on device'
    """
    number = re.search(r'write.*"errno":"(\d+)"', message, re.DOTALL)
    if number:  # of a thread that writes
        return int(number[1])
    reason = re.search(r'Could not write file ".*": ([^\n"]+)', message)
    if reason is None:
        return None
    return next((code for code in errno.errorcode if os.strerror(code) == reason[1].strip()), errno.EIO)


def _explain(message: str, name: str, columns: Sequence[str]) -> AssayError:
    """Return our error for what DuckDB said."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"line {int(line[1]):,} of {name}" if line else name
    unfit = re.search(
        r'Error when converting column "c(\d+)"\. Could not convert string "(.*?)" to', message, re.DOTALL
    ) or re.search(r"no number in c(\d+): (.*)", message)
    if unfit:
        column = columns[int(unfit[1])]
        return Unfit(
            f'{column} holds text where numbers are needed, such as "{unfit[2][:40]}" ({where}). '
            f"Pass a column of numbers, or say what stands for a missing value, as {param('null', 'NA')}.",
            column,
        )
    ragged = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if ragged:
        return Ragged(
            f"{where} has {ragged[2]} value{'s' * (ragged[2] != '1')} where the header has {ragged[1]}. "
            f"Mend that line, or say how values are parted and quoted: {param('delimiter')}, "
            f"{param('quote')}."
        )
    if "utf-8" in message.lower() or "unicode" in message.lower() or "utf-16" in message.lower():
        return FileError(
            f"{where} is not the text it should be: say its encoding, as {param('encoding', 'latin-1')}."
        )
    if "state machine reached an invalid state" in message:
        return OddLines(f"{name} has a quote in the middle of a value, or lines that end in different ways.")
    if "Parallel CSV Reader" in message:
        return NotParallel(f"{name} cannot be read by several threads: say {param('threads', 1)}.")
    if "Maximum line size" in message:
        return OutOfMemory(
            f"{where} is longer than its part of {param('memory')} holds: raise {param('memory')}."
        )
    if "unterminated quote" in message:
        return never_closed(where, OddLines)  # unless lines that end in different ways made it seem so
    if "in-memory database in read-only" in message:
        return FileError(f"{name} cannot be read: it is no database.")
    number = _write_failure(message)
    if number is not None:
        return WriteError(number)
    if "disabled by configuration" in message:
        blocked = re.search(r'Cannot access \w+ "([^"]*)"', message)
        return FileError(
            f"{name} would read {blocked[1] if blocked else 'other files'}, which the query does not name: "
            "it may read files that stand in it as text, whole or as a pattern, and so may the views of a "
            "database."
        )
    if "Out of Memory" in message:
        return OutOfMemory(
            f"reading {name} needs more memory than it was given: raise {param('memory')}, or set TMPDIR "
            "to a folder "
            "with more room."
        )
    first = re.sub(r"^(\w+ )+Error: ", "", message.partition("\n")[0]).rstrip(".! ")
    first = re.sub(r"""["'][^"']*/assay-[^"']*["']""", "it", first)  # our copy of it, or our link to it
    suggestion = re.search(r'Did you mean "([^"\n]+)"', message)
    return FileError(f"{name} cannot be read: {first}.{f' {suggestion[0]}?' if suggestion else ''}")
