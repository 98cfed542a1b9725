"""Where a ledger's entries are stored: in an SQLite file, or (:mod:`assay.ledgers.postgres`) on a server.

It holds four tables: the head of the chain, whose row every writer locks first, the entries, blobs by their
SHA-256, and the lowest hashes of every test set, by which those that share rows are found. Triggers keep
them from being changed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.errors import LedgerError
from assay.output_files import identity as file_identity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["SqliteStore", "Store", "open_store"]

DEFAULT_PATH: Final = ".assay/ledger.db"
_LOCK_SECONDS: Final = 60.0  # that a writer waits for others
# A version of the tables is the number of migrations that were made.
_TABLES: Final = (
    (
        "CREATE TABLE assay_head (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL, "
        "number BIGINT NOT NULL, hash TEXT NOT NULL)"
    ),
    "INSERT INTO assay_head VALUES (1, 1, 0, '')",
    (
        "CREATE TABLE assay_entries (number BIGINT PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, "
        "model TEXT NOT NULL, test TEXT NOT NULL, predictions TEXT NOT NULL, payload TEXT NOT NULL, "
        "blobs TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL)"
    ),
    "CREATE INDEX assay_entries_test ON assay_entries (kind, test, predictions)",
    "CREATE INDEX assay_entries_model ON assay_entries (kind, model)",
    "CREATE TABLE assay_blobs (hash TEXT PRIMARY KEY, data {bytes} NOT NULL)",
)


def _refuse_changes(*tables: str) -> dict[str, tuple[str, ...]]:
    """Return the statements after which rows of tables are only added, by dialect."""
    return {
        "sqlite": tuple(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
            "BEGIN SELECT RAISE(ABORT, 'a ledger is only appended to'); END"
            for table in tables
            for change in ("UPDATE", "DELETE")
        ),
        "postgresql": tuple(
            f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION assay_refuse_change()"
            for table in tables
        ),
    }


_TRIGGERS: Final = _refuse_changes("assay_entries", "assay_blobs")
_REFUSE_CHANGES: Final = {
    **_TRIGGERS,
    "postgresql": (
        (
            "CREATE FUNCTION assay_refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'a ledger is only appended to'; END $$"
        ),
        *_TRIGGERS["postgresql"],
    ),
}
# From the second version on, looks are counted from an index alone.
_LOOKS: Final = (
    "DROP INDEX assay_entries_test",
    "CREATE INDEX assay_entries_looks ON assay_entries (kind, test, predictions, number, model)",
    "CREATE INDEX assay_entries_time ON assay_entries (kind, time)",
)
_NOTHING: Final[dict[str, tuple[str, ...]]] = {"sqlite": (), "postgresql": ()}
# From the third on, test sets that share rows are found by the lowest hashes of their fingerprints.
_SKETCHES: Final = (
    "CREATE TABLE assay_sketches (hash BIGINT NOT NULL, test TEXT NOT NULL, PRIMARY KEY (hash, test))",
)


def _fill_sketches(store: Store) -> None:
    from assay.ledgers.looks_count import add_sketches  # noqa: PLC0415 - circular import

    add_sketches(store)


_MIGRATIONS: Final = (
    (_TABLES, _REFUSE_CHANGES, None),
    (_LOOKS, _NOTHING, None),
    (_SKETCHES, _refuse_changes("assay_sketches"), _fill_sketches),
)
VERSION: Final = len(_MIGRATIONS)


class Store:
    """A connection that is opened when first used, anew in every process, for one thread at a time."""

    dialect = ""
    url = ""

    def __init__(self, *, read_only: bool = False) -> None:
        self.read_only = read_only
        self._connection: Any = None
        self._process = 0
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self.url, "read_only": self.read_only}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(open_store(state["url"], read_only=state["read_only"]).__dict__)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # of a store that was never made, or whose modules are gone
            self.close()

    @property
    def shown(self) -> str:
        """What messages call it."""
        return self.url

    def identity(self) -> tuple[Any, ...]:
        """Return what tells it from other stores, a file that was made anew too."""
        return (self.url, self.read_only)

    def close(self) -> None:
        """Close the connection; the next use opens another."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    @contextlib.contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[Store]:
        """Hold while statements are executed that happen together or not at all."""
        with self._lock:
            self._ready()
            with self._words():
                self._begin(write=write)
                try:
                    yield self
                except BaseException:
                    self._roll_back()
                    raise
                self._end("COMMIT")

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query, within a transaction."""
        return list(self._execute(statement, values).fetchall())

    def each(self, statement: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query one by one, within a transaction: they need not fit the memory."""
        yield from self._execute(statement)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Execute a statement, within a transaction."""
        self._execute(statement, values)

    def _ready(self) -> None:
        if self._connection is not None and self._process == os.getpid():
            return
        with self._words():
            self._connection, self._process = self._connect(), os.getpid()
            try:
                self._require_tables() if self.read_only else self._migrate()
            except BaseException:  # the next use looks again
                self.close()
                raise

    def _require_tables(self) -> None:
        """Raise where the tables are not there as this version knows them."""
        version = self._version()
        if not version:
            raise LedgerError(f"{self.shown} is no ledger: it holds none of a ledger's tables.")
        self._refuse_newer(version)
        if version < VERSION:
            raise LedgerError(
                f"the ledger {self.shown} was written by an older assay, and cannot be read without being "
                "changed: open it once with assay.ledger(...), which brings its tables up to date."
            )

    def _refuse_newer(self, version: int) -> None:
        if version > VERSION:
            raise LedgerError(
                f"the ledger {self.shown} was written by a newer assay (version {version} of its tables; "
                f"this one knows {VERSION}). Update assay to use it."
            )

    def _migrate(self) -> None:
        if self._version() == VERSION:
            return
        self._begin(write=True)
        try:
            self._lock_tables()
            version = self._version()
            self._refuse_newer(version)
            for tables, others, fill in _MIGRATIONS[version:]:
                for statement in (*tables, *others[self.dialect]):
                    self._execute(statement.replace("{bytes}", self._bytes_type))
                if fill is not None:
                    fill(self)
            self._execute("UPDATE assay_head SET version = ?", (VERSION,))
        except BaseException:
            self._roll_back()
            raise
        self._end("COMMIT")

    def _roll_back(self) -> None:
        """Undo a transaction; one whose connection was lost is undone already."""
        with contextlib.suppress(Exception):
            self._end("ROLLBACK")

    def _version(self) -> int:
        if not self._execute(self._has_head).fetchone():
            return 0
        head = self._execute("SELECT version FROM assay_head").fetchone()
        if head is None:
            raise LedgerError(
                f"the ledger {self.shown} is damaged: it no longer says which entry was recorded last."
            )
        return int(head[0])

    _bytes_type = "BLOB"
    _has_head = "SELECT 1 FROM sqlite_master WHERE name = 'assay_head'"

    def _connect(self) -> Any:
        raise NotImplementedError

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        return self._connection.execute(statement, tuple(values))

    def _begin(self, *, write: bool) -> None:
        raise NotImplementedError

    def _lock_tables(self) -> None:
        """Keep others from creating the tables meanwhile."""

    def _end(self, statement: str) -> None:
        self._connection.execute(statement)

    def _words(self) -> Any:
        raise NotImplementedError

    def lock_head(self) -> tuple[int, str]:
        """Return number and hash of the last entry; no one else appends until the transaction ends."""
        number, last = self.rows("SELECT number, hash FROM assay_head")[0]
        return int(number), str(last)


class SqliteStore(Store):
    """An SQLite file with a write-ahead log, which several processes may use at once."""

    dialect = "sqlite"

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        super().__init__(read_only=read_only)
        self.url = self.path = path
        self._unchanging: tuple[int, ...] | None = None  # the file's state, where nobody can write to it

    def identity(self) -> tuple[Any, ...]:
        """Return what tells it from other stores, a file that was made anew too."""
        return (str(Path(self.path).absolute()), self.read_only, file_identity(self.path))

    def _connect(self) -> sqlite3.Connection:
        if self.read_only:
            return self._connect_read_only()
        try:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LedgerError(
                f"the folder of the ledger {self.path} cannot be made: {error.strerror}."
            ) from None
        connection = sqlite3.connect(
            self.path, timeout=_LOCK_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    def _connect_read_only(self) -> sqlite3.Connection:
        path = Path(self.path)
        if not path.is_file():
            raise LedgerError(
                f"there is no ledger {self.path}: name the file that evaluations were recorded to."
            )
        connection = self._opened(path, "mode=ro")
        try:
            connection.execute("SELECT 1 FROM sqlite_master")
        except sqlite3.OperationalError:
            # In a folder that cannot be written to, SQLite cannot make the file by which readers and
            # writers know of each other. Without a write-ahead log nobody writes: the file is read as
            # it is, until it changes.
            if Path(f"{path}-wal").exists():
                raise
            connection.close()
            self._unchanging = _state_of(path)
            connection = self._opened(path, "immutable=1")
        return connection

    @staticmethod
    def _opened(path: Path, how: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{path.resolve().as_uri()}?{how}", uri=True, timeout=_LOCK_SECONDS, isolation_level=None,
            check_same_thread=False,
        )  # fmt: skip

    def _ready(self) -> None:
        if self._unchanging is not None and self._unchanging != _state_of(Path(self.path)):
            self._unchanging = None
            self.close()
        super()._ready()

    def _begin(self, *, write: bool) -> None:
        self._connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    @contextlib.contextmanager
    def _words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise LedgerError(f"the ledger {self.path} cannot be used: {error}.") from error


def _state_of(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def open_store(url: str | os.PathLike[str] | None, *, read_only: bool = False) -> Store:
    """Return the store of a path or URL; nothing is opened yet."""
    if url is not None and not isinstance(url, (str, os.PathLike)):
        raise LedgerError(
            "a ledger is named by the path of a file or the address of a server, "
            f"not by a {type(url).__name__}."
        )
    text = DEFAULT_PATH if url is None else os.fspath(url)
    from assay.ledgers.postgres import SCHEMES, PostgresStore, without_password  # noqa: PLC0415 - circular

    if text.startswith(SCHEMES):
        return PostgresStore(text, read_only=read_only)
    if "://" in text and not text.startswith("sqlite://"):
        raise LedgerError(
            f"{without_password(text)} is no ledger: give the path of a file, or postgresql://host/database."
        )
    path = text.removeprefix("sqlite:///").removeprefix("sqlite://") or DEFAULT_PATH
    return SqliteStore(path, read_only=read_only)
