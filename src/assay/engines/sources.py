"""What rows are read from: one or more parts, each a file, a table or a query, as Arrow batches."""

from __future__ import annotations

import abc
import dataclasses
import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.engines.arrow_validation import check_arrow
from assay.engines.duckdb import TEXT, dependency, quoted, selected, text
from assay.errors import AssayError, ColumnError, FileError
from assay.hints import param
from assay.inputs.frames import no_such_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from assay.engines.duckdb import Database
    from assay.engines.sql_files import QueriedFiles
    from assay.output_files import FileIdentity

__all__ = ["ArrowFile", "JsonFile", "ParquetFile", "Query", "Source", "SourcePart", "lines_about"]

_LOOKED_AT = 1 << 16  # bytes of a text file by which the length of its lines is told


def lines_about(path: str) -> int | None:
    """Return about how many lines a text file has, from the length of its first ones; None if compressed."""
    with open(path, "rb") as file:  # noqa: PTH123 - a path as the caller wrote it
        start = file.read(_LOOKED_AT)
    if not start or start.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        return None
    return max(os.path.getsize(path) * (start.count(b"\n") or 1) // len(start), 1)  # noqa: PTH202


@dataclasses.dataclass(frozen=True)
class SourcePart(abc.ABC):
    """One file, table or query. `name` is what messages call it."""

    name: str

    @abc.abstractmethod
    def columns(self, database: Database) -> list[str]:
        """Return the names of its columns; one may come twice."""

    @abc.abstractmethod
    def batches(self, database: Database, names: Sequence[str], kinds: Mapping[str, str]) -> Iterator[Any]:
        """Yield the wanted columns as record batches.

        `kinds` says as what a column of text is to be read; a typed file knows that itself.
        """

    def kinds(self, _database: Database, _names: Sequence[str]) -> dict[str, str]:
        """Return what columns of text seem to hold, by their first rows; a typed file has nothing to say."""
        return {}

    def count(self, _database: Database) -> int | None:
        """Return about how many rows there are, where that costs next to nothing to know."""
        return None

    def expression(self, _database: Database) -> str | None:
        """Return all of it as a table expression of SQL, where it is one."""
        return None

    def check(self, database: Database, requested: Sequence[str]) -> None:
        """Raise unless every wanted column is there, once."""
        names = self.columns(database)
        spellings = Counter(name.lower() for name in names)
        for name in requested:
            if name not in names:
                raise no_such_column(name, names, f" in {self.name}")
            if spellings[name.lower()] > 1:
                raise ColumnError(
                    f'two columns of {self.name} are named "{name}" (capitals aside): rename one of them.'
                )


@dataclasses.dataclass(frozen=True)
class Source:
    """Where rows come from. Make one with :func:`assay.engines.source`."""

    parts: tuple[SourcePart, ...]
    name: str
    database: str | None = None
    copies: Any = dataclasses.field(default=None, repr=False, compare=False)  # temporary files, kept with it
    queried: QueriedFiles | None = dataclasses.field(default=None, repr=False, compare=False)
    # Which files the rows are from.
    files_read: set[FileIdentity] = dataclasses.field(default_factory=set, repr=False, compare=False)
    text: tuple[str, ...] = ()  # columns whose values are text, whatever they look like

    def open(self, *, memory: int, threads: int, folder: str | None = None) -> Database:
        """Return the database through which the parts are read; it may write to a folder."""
        from assay.engines.duckdb import Database  # noqa: PLC0415 - read here only

        opened = Database(memory=memory, threads=threads)
        try:
            if self.database is not None:
                opened.attach(self.database)
            queried = self.queried
            if queried is not None and (self.database is not None or not queried.everywhere):
                opened.restrict(queried.paths, [*queried.folders, *([folder] if folder else [])])
        except BaseException:
            opened.close()
            raise
        return opened

    def kinds(self, database: Database, names: Sequence[str], numbers: Iterable[str] = ()) -> dict[str, str]:
        """Check that every part has the wanted columns, and return as what text is to be read in them."""
        for file in self.parts:
            file.check(database, [*names, *(name for name in self.text if name not in names)])
        kinds = {**dict.fromkeys(numbers, "score"), **dict.fromkeys(self.text, TEXT)}
        undecided = [name for name in names if name not in kinds]
        return kinds | next(
            (kinds_of_text for file in self.parts if (kinds_of_text := file.kinds(database, undecided))), {}
        )

    def columns(self) -> list[str]:
        """Return the names of the columns, of the first part where there are several."""
        with self.open(memory=1 << 28, threads=1) as database:
            return self.parts[0].columns(database)

    def count(self) -> int | None:
        """Return about how many rows there are, for a bar of progress; None where nobody knows."""
        with self.open(memory=1 << 28, threads=1) as database:
            counts = [part.count(database) for part in self.parts]
        return None if None in counts else sum(count for count in counts if count)


@dataclasses.dataclass(frozen=True)
class ParquetFile(SourcePart):
    """A Parquet file."""

    path: str

    def _table(self) -> str:
        # A folder named y=0 is no column, unless hive= asks for it (see partitions.py).
        return f"read_parquet({text(self.path)}, hive_partitioning=false)"

    def expression(self, _database: Database) -> str | None:
        """Return the file as a table."""
        return self._table()

    def count(self, database: Database) -> int | None:
        """Return the number that stands in the file's footer."""
        rows = database.rows(f"SELECT num_rows FROM parquet_file_metadata({text(self.path)})", self.name)
        return int(rows[0][0])

    def columns(self, database: Database) -> list[str]:
        """Return the names that stand in the file's footer."""
        stored = list(database.columns(self._table(), self.name))
        if not any(re.search(r"_\d+$", name) for name in stored):
            return stored
        # A name that comes twice is told apart by a number behind it; what it was stands in the schema only.
        query = f"SELECT name, num_children FROM parquet_schema({text(self.path)})"
        names, open_children = [], 0
        # The schema is a tree, written depth first below its root; nested fields are no columns.
        for name, children in database.rows(query, self.name)[1:]:
            if not open_children:
                names.append(name)
            open_children += (children or 0) - (1 if open_children else 0)
        return names

    def batches(self, database: Database, names: Sequence[str], kinds: Mapping[str, str]) -> Iterator[Any]:
        """Yield the wanted columns; only their pages are read."""
        expressions = selected(database.columns(self._table(), self.name), names, self.name, kinds)
        return database.batches(f"SELECT {expressions} FROM {self._table()}", self.name)


@dataclasses.dataclass(frozen=True)
class JsonFile(SourcePart):
    """A file of JSON objects, one a line (or an array of them)."""

    path: str
    layout: str = "newline_delimited"

    def objects(self) -> str:
        """Return the file as a table of one column, ``json``: the text of every object."""
        return f"read_json_objects({text(self.path)}, format={text(self.layout)}, hive_partitioning=false)"

    def _table(self, options: str) -> str:
        return f"read_json({text(self.path)}, format={text(self.layout)}, hive_partitioning=false, {options})"

    def _types(self, database: Database) -> dict[str, str]:
        """Return every key with the type of its values; text is text, though it may look like a date."""
        # All of the file decides what a column holds, not its first rows: JSON has no schema to go by. Many
        # keys of one type are still columns, and no map.
        table = self._table("sample_size=-1, map_inference_threshold=-1")
        types = database.columns(table, self.name)
        if list(types) == ["json"] and types["json"].startswith("MAP"):
            raise FileError(f"{self.name} has objects with an empty key, which is no name: rename it.")
        renamed = [name for name in types if re.search(r"_\d+$", name)]
        if len({re.sub(r"_\d+$", "", name.lower()) for name in types}) < len(types) and renamed:
            # Keys that differ in capitals alone got a number behind them: these are the keys as they stand.
            query = f"SELECT DISTINCT unnest(json_keys(json)) FROM {self.objects()}"
            keys = {key for (key,) in database.rows(query, self.name)}
            types = {name: kind for name, kind in types.items() if name in keys} | dict.fromkeys(
                sorted(keys - set(types)), "VARCHAR"
            )
        return {name: _json_type(kind) for name, kind in types.items()}

    def count(self, _database: Database) -> int | None:
        """Return the file's size over that of its first lines."""
        return None if self.layout == "auto" else lines_about(self.path)

    def columns(self, database: Database) -> list[str]:
        """Return every key that occurs."""
        return list(self._types(database))

    def batches(self, database: Database, names: Sequence[str], kinds: Mapping[str, str]) -> Iterator[Any]:
        """Yield the wanted columns; other keys are passed over."""
        types = self._types(database)
        expressions = selected(types, names, self.name, kinds)
        read = ", ".join(f"{text(name)}: {text(types[name])}" for name in names)
        return database.batches(f"SELECT {expressions} FROM {self._table(f'columns={{{read}}}')}", self.name)


def _json_type(kind: str) -> str:
    """Return as what the values of a key are read: what DuckDB takes for a date or a UUID is text."""
    return "VARCHAR" if re.match(r"(DATE|TIME|UUID|JSON|INTERVAL)", kind) and "[" not in kind else kind


@dataclasses.dataclass(frozen=True)
class ArrowFile(SourcePart):
    """An Arrow IPC file (Feather) or stream."""

    path: str

    def _reader(self) -> Any:
        arrow = dependency("arro3.io", "arro3-io", "reading Arrow files")
        check_arrow(self.path, self.name)
        with open(self.path, "rb") as file:  # noqa: PTH123 - a path as the caller wrote it
            is_file = file.read(6) == b"ARROW1"
        return (arrow.read_ipc if is_file else arrow.read_ipc_stream)(self.path)

    def columns(self, _database: Database) -> list[str]:
        """Return the names of the file's schema."""
        return self._translate_errors(lambda: list(self._reader().schema.names))  # type: ignore[no-any-return]

    def plain_batches(self) -> Iterator[Any]:
        """Yield all columns as they stand in the file."""
        reader = self._translate_errors(lambda: iter(self._reader()))
        while (batch := self._translate_errors(lambda: next(reader, None))) is not None:
            yield batch

    def batches(self, database: Database, names: Sequence[str], kinds: Mapping[str, str]) -> Iterator[Any]:
        """Yield the wanted columns; dates, decimals and their like become what they are in other formats."""
        cast = None
        for batch in self.plain_batches():
            chosen = batch.select(list(names))
            if cast is None:
                cast = any(
                    kinds.get(field.name) == TEXT or not _is_held(field.type) for field in chosen.schema
                )
            if cast:
                yield from database.cast(chosen, self.name, kinds)
            else:
                yield chosen

    def _translate_errors(self, step: Callable[[], Any]) -> Any:
        try:
            return step()
        except (ImportError, MemoryError, AssayError):
            raise
        except BaseException as failed:
            # The reader raises plain exceptions, and a panic of its own, which is no Exception.
            if not isinstance(failed, Exception) and type(failed).__name__ != "PanicException":
                raise
            raise FileError(
                f"{self.name} cannot be read as an Arrow file: {str(failed).rstrip('.')}."
            ) from None


def _is_held(kind: Any) -> bool:
    """Tell whether rows can hold a type of Arrow's as it is."""
    is_a = type(kind)
    if is_a.is_dictionary(kind):
        kind = kind.value_type
    plain = (
        is_a.is_integer, is_a.is_floating, is_a.is_boolean, is_a.is_string, is_a.is_large_string,
        is_a.is_string_view, is_a.is_null,
    )  # fmt: skip
    return any(is_plain(kind) for is_plain in plain)


@dataclasses.dataclass(frozen=True)
class Query(SourcePart):
    """What a SELECT gives, or a table of a database."""

    sql: str

    def _table(self, database: Database) -> str:
        if not database.is_select(self.sql, self.name):
            raise FileError(
                f"{param('sql')} must be one SELECT: a query that reads rows and changes nothing."
            )
        return f"({self.sql.strip().rstrip(';')}\n) AS given_rows"

    def expression(self, database: Database) -> str | None:
        """Return the query as a table."""
        return self._table(database)

    @classmethod
    def of_table(cls, name: str) -> Query:
        """Return the query for a whole table, whose name may have a schema before it."""
        quoted_name = ".".join(map(quoted, name.split(".")))
        return cls(f"the table {name}", f"SELECT * FROM {quoted_name}")

    def columns(self, database: Database) -> list[str]:
        """Return the names of the result's columns."""
        return list(database.columns(self._table(database), self.name))

    def batches(self, database: Database, names: Sequence[str], kinds: Mapping[str, str]) -> Iterator[Any]:
        """Yield the wanted columns."""
        table = self._table(database)
        expressions = selected(database.columns(table, self.name), names, self.name, kinds)
        return database.batches(f"SELECT {expressions} FROM {table}", self.name)
