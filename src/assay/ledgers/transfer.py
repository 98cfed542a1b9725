"""Entries of a ledger as a file, JSON lines or Parquet, and back into another ledger."""

from __future__ import annotations

import base64
import binascii
import itertools
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.errors import FileError, LedgerError
from assay.ledgers.entry import canonical_json, digest, entry_hash
from assay.output_files import OutputFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.ledgers.entry import Entry
    from assay.ledgers.ledger import Ledger

__all__ = ["export_entries", "import_entries"]

_PARQUET: Final = (".parquet", ".pq")
_LINES: Final = (".jsonl", ".ndjson")
_FIELDS: Final = ("number", "time", "kind", "payload", "blobs", "previous", "hash", "data")
_BATCH: Final = 256  # entries that are in memory at once


def export_entries(book: Ledger, path: str | os.PathLike[str], entries: Iterable[Entry]) -> int:
    """Write entries to a file, and return their number. Binary data are written once, as base64."""
    suffix = Path(path).suffix.lower()
    if suffix not in (*_PARQUET, *_LINES):
        raise FileError(f"{path}: entries are written as .jsonl or .parquet, so name such a file.")
    records = _records(book, entries)
    with OutputFiles() as files:
        place = files.place(path)
        return _write_parquet(place, records) if suffix in _PARQUET else _write_lines(place, records)


def _records(book: Ledger, entries: Iterable[Entry]) -> Iterator[dict[str, Any]]:
    written: set[str] = set()
    for entry in entries:
        new = sorted(set(entry.blobs.values()) - written)
        written.update(new)
        data = {name: base64.b64encode(book.blob(name)).decode() for name in new}
        yield entry.to_dict() | {"data": data}


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for record in records:
            count += 1
            file.write(json.dumps({name: record[name] for name in _FIELDS}) + "\n")
    return count


def _write_parquet(path: Path, records: Iterator[dict[str, Any]]) -> int:
    """Write entries as Parquet: numbers and texts as columns, the rest as JSON."""
    import duckdb  # noqa: PLC0415 - only files need it
    from arro3.core import Array, DataType, Table  # noqa: PLC0415

    count = 0
    with duckdb.connect() as database:
        database.execute(
            "CREATE TABLE entries (number BIGINT, time VARCHAR, kind VARCHAR, payload VARCHAR, "
            "blobs VARCHAR, previous VARCHAR, hash VARCHAR, data VARCHAR, "
            "model VARCHAR, test VARCHAR, predictions VARCHAR)"
        )
        while batch := list(itertools.islice(records, _BATCH)):
            columns = {name: [_plain(record[name]) for record in batch] for name in _FIELDS}
            columns |= {
                name: [str(record["payload"].get(name) or "") for record in batch]
                for name in ("model", "test", "predictions")
            }
            table = Table.from_pydict(
                {
                    name: Array(values, type=DataType.int64() if name == "number" else DataType.utf8())
                    for name, values in columns.items()
                }
            )
            database.register("batch", table)
            database.execute("INSERT INTO entries SELECT * FROM batch")
            count += len(batch)
        target = str(path).replace("'", "''")
        database.execute(f"COPY entries TO '{target}' (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)")
    return count


def _plain(value: Any) -> Any:
    return value if isinstance(value, (int, str)) else canonical_json(value)


def import_entries(book: Ledger, source: Any) -> int:
    """Append the entries of a ledger, an address or a file that are not in a ledger yet; return how many.

    They keep their time and content, so that importing twice adds nothing.
    """
    known = {entry.content for entry in book.entries()}
    count = 0
    for entry, blobs in _entries_of(source):
        if entry.content in known:
            continue
        known.add(entry.content)
        book.append(entry.kind, entry.payload, blobs, time=entry.time)
        count += 1
    return count


def _entries_of(source: Any) -> Iterator[tuple[Entry, dict[str, bytes]]]:
    from assay.ledgers.ledger import Ledger, ledger  # noqa: PLC0415 - circular import

    if isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() in (*_PARQUET, *_LINES):
        yield from _checked(Path(source))
        return
    other = source if isinstance(source, Ledger) else ledger(source, read_only=True)
    problems = other.verify().problems
    if problems:
        raise LedgerError(f"{other.url} is not imported, for it was changed: {problems[0]}")
    for entry in other.entries():
        yield entry, {name: other.blob(key) for name, key in entry.blobs.items()}
    if other is not source:
        other.close()


def _checked(path: Path) -> Iterator[tuple[Entry, dict[str, bytes]]]:
    """Yield the entries of a file with their data, each as it was recorded."""
    from assay.ledgers.entry import Entry  # noqa: PLC0415 - for the type checker it is known above

    held: dict[str, bytes] = {}
    for line, record in enumerate(_read(path), 1):
        try:
            data = {name: base64.b64decode(text, validate=True) for name, text in record["data"].items()}
            entry = Entry(**{name: record[name] for name in _FIELDS if name != "data"})
            made = entry_hash(
                entry.number, entry.time, entry.kind, entry.payload, entry.blobs, entry.previous
            )
            held |= data
            blobs = {name: held[key] for name, key in entry.blobs.items()}
        except (KeyError, TypeError, AttributeError, binascii.Error) as error:
            raise LedgerError(f"{path}: line {line} is no entry of a ledger: {error!r}.") from None
        if made != entry.hash or any(digest(blobs[name]) != key for name, key in entry.blobs.items()):
            raise LedgerError(f"{path}: entry {entry.number} was changed after it was recorded.")
        yield entry, blobs


def _read(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        raise FileError(f"there is no file {path}.")
    if path.suffix.lower() in _PARQUET:
        import duckdb  # noqa: PLC0415 - only files need it

        with duckdb.connect() as database:
            try:
                found = database.execute(
                    f"SELECT {', '.join(_FIELDS)} FROM read_parquet(?) ORDER BY number",  # noqa: S608
                    [str(path)],
                )
            except duckdb.Error as error:
                raise LedgerError(f"{path} holds no entries of a ledger: {error}.") from None
            while batch := found.fetchmany(_BATCH):
                for row in batch:
                    record = dict(zip(_FIELDS, row, strict=True))
                    yield record | {
                        name: _loaded(path, record[name]) for name in ("payload", "blobs", "data")
                    }
        return
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield _loaded(path, line)


def _loaded(path: Path, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError):
        raise LedgerError(f"{path} holds no entries of a ledger: {text[:40]!r} is no JSON.") from None
