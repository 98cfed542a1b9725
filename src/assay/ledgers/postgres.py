"""Ledgers on a PostgreSQL server, by psycopg (the extra ``assay-metrics[postgres]``)."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from assay.errors import LedgerError, MissingDependencyError
from assay.ledgers.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["PostgresStore", "without_password"]

SCHEMES: Final = ("postgresql://", "postgres://")
_PASSWORD: Final = re.compile(r"(?<=password=)[^\s&]+", re.IGNORECASE)


def without_password(url: str) -> str:
    """Return the address of a server without its password, for messages.

    >>> without_password("postgresql://ann:secret@host:5432/runs?sslmode=require")
    'postgresql://ann@host:5432/runs?sslmode=require'
    >>> without_password("postgresql:///runs?host=/run/postgresql&password=secret")
    'postgresql:///runs?host=%2Frun%2Fpostgresql'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return "a PostgreSQL server"
    user, sign, host = parts.netloc.rpartition("@")
    options = [(name, value) for name, value in parse_qsl(parts.query) if name.lower() != "password"]
    query = urlencode(options, quote_via=quote, safe="")
    return f"{parts.scheme}://{user.partition(':')[0]}{sign}{host}{parts.path}{'?' if query else ''}{query}"


class PostgresStore(Store):
    """The tables of a ledger in a database of a PostgreSQL server."""

    dialect = "postgresql"
    _bytes_type = "BYTEA"
    # Not by to_regclass: a process that has waited for another to make the tables does not see them by it.
    _has_head = (
        "SELECT 1 FROM pg_catalog.pg_class "
        "WHERE relname = 'assay_head' AND pg_catalog.pg_table_is_visible(oid)"
    )

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        super().__init__(read_only=read_only)
        self.url = url

    @property
    def shown(self) -> str:
        """The address without its password."""
        return without_password(self.url)

    def _connect(self) -> Any:
        try:
            import psycopg  # noqa: PLC0415 - SQLite does without it
        except ImportError:
            raise MissingDependencyError(
                "a ledger on a PostgreSQL server needs psycopg: pip install 'assay-metrics[postgres]'."
            ) from None
        return psycopg.connect(self.url, autocommit=True, application_name="assay")

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        if not values:
            return self._connection.execute(statement)
        return self._connection.execute(statement.replace("?", "%s"), tuple(values))

    def each(self, statement: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query one by one, by a cursor on the server."""
        with self._connection.cursor(name="assay_each") as cursor:
            cursor.itersize = 100
            cursor.execute(statement)
            yield from cursor

    def _begin(self, *, write: bool) -> None:
        if write and not self.read_only:
            self._execute("BEGIN")
        else:  # all that is read is of one moment
            self._execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def _lock_tables(self) -> None:
        self._execute("SELECT pg_advisory_xact_lock(hashtext('assay ledger'))")

    def lock_head(self) -> tuple[int, str]:
        """Return number and hash of the last entry, which other writers wait for."""
        number, last = self.rows("SELECT number, hash FROM assay_head FOR UPDATE")[0]
        return int(number), str(last)

    @contextlib.contextmanager
    def _words(self) -> Iterator[None]:
        import psycopg  # noqa: PLC0415

        try:
            yield
        except psycopg.Error as error:
            if isinstance(error, psycopg.OperationalError):  # the next use connects again
                self.close()
            said = _PASSWORD.sub("...", " ".join(str(error).split()))
            raise LedgerError(f"the ledger {self.shown} cannot be used: {said}.") from None
