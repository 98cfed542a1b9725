"""Looks at a test set, counted in a ledger's store: those at test sets that share most of its rows, too.

A test set is found by the lowest hashes of its fingerprint, which stand in a table of their own: however
many test sets a ledger has, only those that share rows are compared.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from assay.errors import FormatError
from assay.evaluation.looks import Looks, Overlap
from assay.evaluation.task_tallies import FINGERPRINT
from assay.ledgers.entry import EVALUATION
from assay.ledgers.verification import COLUMNS, read_entry
from assay.tallies import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from assay.ledgers.store import Store

__all__ = ["LooksCount", "add_sketch", "add_sketches", "changed_sketches"]

MIN_OVERLAP: Final = 0.5  # from which on looks at another test set count as looks at this one
# Of two test sets that share half of their rows, about half of so many lowest hashes are the same.
_SKETCH_SIZE: Final = 64
_FIRST_OF_LOOK: Final = (
    "SELECT test, predictions, number, model FROM assay_entries WHERE number IN (SELECT MIN(number) "
    "FROM assay_entries WHERE kind = ? AND test IN ({tests}) GROUP BY test, predictions) ORDER BY number"
)


def sketch_of(fingerprint: Fingerprint) -> list[int]:
    """Return the lowest hashes of a fingerprint, as whole numbers that every database has.

    Empty where rows cannot be told apart, so that they cannot be found again.
    """
    if not fingerprint.tells_rows_apart:
        return []
    lowest: list[int] = np.ascontiguousarray(fingerprint.hashes[:_SKETCH_SIZE]).view(np.int64).tolist()
    return lowest


def add_sketch(store: Store, test: str, data: bytes) -> None:
    """Insert the lowest hashes of a test set, by the bytes of its fingerprint, within a transaction."""
    lowest = sketch_of(Fingerprint.from_bytes(data))
    if lowest:
        store.execute(
            f"INSERT INTO assay_sketches (hash, test) VALUES {', '.join(['(?, ?)'] * len(lowest))}",  # noqa: S608 - marks alone
            [value for number in lowest for value in (number, test)],
        )


def add_sketches(store: Store) -> None:
    """Insert those of all test sets of a ledger that was written without them."""
    for test, data in _first_fingerprints(store):
        add_sketch(store, test, data)


def changed_sketches(store: Store) -> list[str]:
    """Return what is wrong with the lowest hashes of test sets, as problems of a verification."""
    stored: dict[str, set[int]] = {}
    for test, number in store.each("SELECT test, hash FROM assay_sketches"):
        stored.setdefault(str(test), set()).add(int(number))
    problems = []
    for test, data in _first_fingerprints(store):
        try:
            lowest = sketch_of(Fingerprint.from_bytes(data))
        except FormatError:  # which is a problem of its blob
            lowest = []
        if set(lowest) != stored.pop(test, set()):
            problems.append(f"the hashes by which test sets are found were changed, those of {test}.")
    return problems + [f"the hashes of a test set {test} are of no entry." for test in stored]


def _first_fingerprints(store: Store) -> Iterator[tuple[str, bytes]]:
    """Yield each test set with the bytes of the fingerprint that its first entry has."""
    firsts = store.rows(
        "SELECT test, blobs FROM assay_entries WHERE number IN (SELECT MIN(number) FROM assay_entries "
        "WHERE kind = ? GROUP BY test)",
        [EVALUATION],
    )
    for test, blobs in firsts:
        try:
            name = json.loads(blobs)[FINGERPRINT]
        except (ValueError, TypeError, KeyError):  # damaged, which is a problem of the entry, or without one
            continue
        for (data,) in store.rows("SELECT data FROM assay_blobs WHERE hash = ?", [name]):
            yield str(test), bytes(data)


class LooksCount:
    """Counts the looks in a store; shares of rows are computed once, for test sets never change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shares: dict[tuple[str, str], float] = {}

    def looks(
        self,
        fingerprint: Fingerprint,
        predictions: str,
        besides: Collection[str] = (),
        before: int | None = None,
    ) -> Looks:
        """Return the looks; `before` is the number of an entry that was just made, which repeats nothing."""
        with self._store.transaction() as store:
            shares = self._family(store, fingerprint)
            marks = ", ".join("?" * len(shares))
            seen = store.rows(_FIRST_OF_LOOK.replace("{tests}", marks), [EVALUATION, *shares])
        family = [row for row in seen if row[1] not in besides]
        place = next(
            (index for index, row in enumerate(family) if row[:2] == (fingerprint.test_set, predictions)),
            None,
        )
        earlier = family if place is None else family[:place]
        overlaps = [
            Overlap(test, shares[test], sum(row[0] == test for row in earlier))
            for test in dict.fromkeys(row[0] for row in earlier)
            if test != fingerprint.test_set
        ]
        return Looks(
            fingerprint.test_set, len(earlier) + 1, tuple(str(row[3]) for row in earlier),
            place is not None and (before is None or int(family[place][2]) < before), tuple(overlaps),
            fingerprint.basis == ("actual",) and not fingerprint.tells_rows_apart,
            len(family) + (place is None),
        )  # fmt: skip

    def _family(self, store: Store, fingerprint: Fingerprint) -> dict[str, float]:
        """Return the share of common rows by test set: of this one, and of those that have most of them."""
        shares = {fingerprint.test_set: 1.0}
        lowest = sketch_of(fingerprint)
        if lowest:
            found = store.rows(
                f"SELECT DISTINCT test FROM assay_sketches WHERE hash IN ({', '.join('?' * len(lowest))})",  # noqa: S608 - marks alone
                lowest,
            )
            for (test,) in found:
                share = 1.0 if test == fingerprint.test_set else self._share(store, fingerprint, test)
                if share >= MIN_OVERLAP:
                    shares[test] = share
        return shares

    def _share(self, store: Store, fingerprint: Fingerprint, test: str) -> float:
        key = (fingerprint.test_set, test)
        if key not in self._shares:
            rows: list[tuple[Any, ...]] = store.rows(
                f"SELECT {COLUMNS} FROM assay_entries WHERE kind = ? AND test = ? LIMIT 1",  # noqa: S608
                [EVALUATION, test],
            )
            blob = read_entry(rows[0]).blobs[FINGERPRINT]
            ((data,),) = store.rows("SELECT data FROM assay_blobs WHERE hash = ?", [blob])
            self._shares[key] = fingerprint.overlap(Fingerprint.from_bytes(bytes(data))) or 0.0
        return self._shares[key]
