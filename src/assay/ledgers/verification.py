"""Verify a ledger: its entries and their data are those that were recorded, in that order."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any, Final

from assay.errors import LedgerError, shown
from assay.ledgers.entry import Entry, digest, entry_hash

if TYPE_CHECKING:
    from assay.ledgers.store import Store

__all__ = ["COLUMNS", "Verification", "read_entry", "verified"]

_NOTED_DIGITS: Final = 16
_HASH: Final = re.compile(r"[0-9a-f]{16,64}")
COLUMNS: Final = "number, time, kind, payload, blobs, previous, hash"


@dataclasses.dataclass(frozen=True)
class Verification:
    """Whether a ledger's chain holds: the number of entries, and what is wrong where it does not.

    ``last`` is the hash of the last entry, which covers all before it. Noted elsewhere, and given to
    :meth:`assay.Ledger.verify` later, it tells whether any of them was removed or written anew since.
    """

    entries: int
    problems: tuple[str, ...] = ()
    last: str = ""

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        if self.problems:
            return "\n".join(self.problems)
        return f"{self.entries:,} entries, every one as it was recorded"


def verified(opened: Store, noted: str = "") -> Verification:
    """Return whether the entries of a store are whole, and go on from the one whose hash was noted."""
    from assay.ledgers.looks_count import changed_sketches  # noqa: PLC0415 - circular import

    noted = noted.strip().lower()
    if noted and not _HASH.fullmatch(noted):
        raise LedgerError(f"{noted[:80]!r} is no hash of an entry: name its 64 digits, or the first 16.")
    problems: list[str] = []
    with opened.transaction() as store:
        head = store.rows("SELECT number, hash FROM assay_head")[0]
        rows = store.rows(
            f"SELECT {COLUMNS}, model, test, predictions FROM assay_entries ORDER BY number"  # noqa: S608
        )
        blobs = {
            str(name): digest(bytes(data)) for name, data in store.each("SELECT hash, data FROM assay_blobs")
        }
        problems += changed_sketches(store)
    number, previous = 0, ""
    for row in rows:
        try:
            entry = read_entry(row[:7])
        except LedgerError as damaged:
            problems.append(str(damaged))
            number, previous = int(row[0]), str(row[6])
            continue
        if entry.number != number + 1:
            problems.append(f"entry {number + 1} is missing: {number} is followed by {entry.number}.")
        elif entry.previous != previous:
            problems.append(f"entry {entry.number} does not follow the entry before it.")
        made = entry_hash(entry.number, entry.time, entry.kind, entry.payload, entry.blobs, entry.previous)
        searched = (entry.number, entry.model, entry.test, entry.predictions)
        if made != entry.hash or (row[0], *row[7:]) != searched:
            problems.append(f"entry {entry.number} was changed after it was recorded.")
        problems += [
            f"the data {name} of entry {entry.number} are {'missing' if key not in blobs else 'changed'}."
            for name, key in entry.blobs.items()
            if blobs.get(key) != key
        ]
        number, previous = entry.number, entry.hash
    if number != head[0]:
        problems.append(f"the last entry is {number}, where {head[0]} was recorded last.")
    elif previous != head[1]:
        problems.append(f"entry {number}, the last one, is not the one that was recorded last.")
    if noted and not any(row[6].startswith(noted) for row in rows):
        problems.append(
            f"no entry has the noted hash {noted[:_NOTED_DIGITS]}: entries were removed from the end, or "
            "written anew."
        )
    return Verification(len(rows), tuple(problems), previous)


def read_entry(row: tuple[Any, ...]) -> Entry:
    """Return the entry of a row of the table."""
    number, time, kind, payload, blobs, previous, made = row
    try:
        content, hashes = json.loads(payload), json.loads(blobs)
    except (ValueError, TypeError, RecursionError):
        content = hashes = None
    if not isinstance(content, dict) or not isinstance(hashes, dict):
        raise LedgerError(f"entry {number} of the ledger is damaged: {shown([payload])[:60]}.")
    return Entry(int(number), time, kind, content, hashes, previous, made)
