"""Ledger: a store of evaluations, append-only, each entry chained to the one before by its hash."""

from __future__ import annotations

import atexit
import dataclasses
import datetime as dt
import json
from typing import TYPE_CHECKING, Any, Final, Self

from assay.errors import LedgerError
from assay.evaluation.evaluation import Evaluation
from assay.hints import passed
from assay.ledgers.entry import EVALUATION, Entry, canonical_json, digest, entry_hash
from assay.ledgers.looks_count import LooksCount, add_sketch
from assay.ledgers.record import FINGERPRINT, evaluation_of, fingerprint_of, recorded
from assay.ledgers.shortcuts import LedgerShortcuts
from assay.ledgers.store import Store, open_store
from assay.ledgers.verification import COLUMNS, Verification, read_entry, verified
from assay.tallies import Fingerprint

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Mapping

    from assay.evaluation.looks import Looks
    from assay.evaluation.shortcuts import LedgerAddress
    from assay.ledgers.history import History

__all__ = ["EVALUATION", "Ledger", "Verification", "ledger", "record_in"]

_TEST_DIGITS: Final = 32  # of the identity of a test set


class Ledger(LedgerShortcuts):
    """A store of evaluations. Made by :func:`assay.ledger`.

    It is only appended to: every entry carries the SHA-256 of the one before, so that :meth:`verify` finds
    an entry that was changed or removed. Several processes may use one ledger at once.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._looks_count = LooksCount(store)

    @property
    def url(self) -> str:
        """The path of the ledger; of a server its address without the password."""
        return self._store.shown

    def __repr__(self) -> str:
        return f"<Ledger {self.url}>"

    def close(self) -> None:
        """Close the connection; using the ledger again opens another."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(
        self,
        kind: str,
        payload: Mapping[str, Any],
        blobs: Mapping[str, bytes] | None = None,
        *,
        time: str = "",
    ) -> Entry:
        """Append an entry of plain data, and binary data by name; return it.

        Of the plain data, ``model``, ``test`` and ``predictions`` are what :meth:`entries` finds it by.
        """
        text = canonical_json(payload)
        hashes = {name: digest(data) for name, data in (blobs or {}).items()}
        contents = {hashes[name]: data for name, data in (blobs or {}).items()}
        plain = json.loads(text)
        _refuse_unstorable(kind, *(str(plain.get(name) or "") for name in ("model", "test", "predictions")))
        time = time or dt.datetime.now(dt.UTC).isoformat(timespec="microseconds")
        with self._store.transaction(write=True) as store:
            number, previous = store.lock_head()
            number += 1
            made = entry_hash(number, time, kind, plain, hashes, previous)
            entry = Entry(number, time, kind, plain, hashes, previous, made)
            if kind == EVALUATION and FINGERPRINT in hashes and not self._knows(store, entry.test):
                add_sketch(store, entry.test, contents[hashes[FINGERPRINT]])
            for name, data in contents.items():
                store.execute(
                    "INSERT INTO assay_blobs (hash, data) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
                    (name, data),
                )
            store.execute(
                "INSERT INTO assay_entries (number, time, kind, model, test, predictions, payload, blobs, "
                "previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (number, time, kind, entry.model, entry.test, entry.predictions, text, canonical_json(hashes),
                 previous, made),
            )  # fmt: skip
            store.execute("UPDATE assay_head SET number = ?, hash = ?", (number, made))
        return entry

    def record(self, ev: Evaluation, *, model: str | None = None, tags: Iterable[str] = ()) -> Entry:
        """Append an evaluation under the name of its model; rows are never stored.

        >>> import assay, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> book = assay.ledger(f"{folder.name}/ledger.db")
        >>> ev = assay.evaluate(actual=[0, 1, 1, 0], predicted=[0, 1, 0, 0], name="first")
        >>> book.record(ev).number, book.record(ev).number, book.looks(ev).number
        (1, 2, 1)
        >>> book.close(); folder.cleanup()
        """
        if not isinstance(ev, Evaluation):
            raise LedgerError(f"a ledger records evaluations, not a {type(ev).__name__}.")
        return self._record(ev, fingerprint_of(ev), model, tags)

    def _record(
        self, ev: Evaluation, fingerprint: Fingerprint, model: str | None, tags: Iterable[str]
    ) -> Entry:
        payload, blobs = recorded(ev, fingerprint, ev.name if model is None else model, tags)
        return self.append(EVALUATION, payload, blobs)

    def add(
        self, ev: Evaluation, *, model: str | None = None, tags: Iterable[str] = ()
    ) -> tuple[Entry, Looks]:
        """Append an evaluation as :meth:`record` does; return its entry and which look it is."""
        if not isinstance(ev, Evaluation):
            raise LedgerError(f"a ledger records evaluations, not a {type(ev).__name__}.")
        fingerprint = fingerprint_of(ev)
        entry = self._record(ev, fingerprint, model, tags)
        return entry, self._looks_count.looks(fingerprint, fingerprint.predictions, before=entry.number)

    def entries(
        self, *, kind: str | None = None, model: str | None = None, test: str | Fingerprint | None = None,
        since: str | dt.date | None = None, tag: str | None = None, after: int = 0,
        limit: int | None = None,
    ) -> list[Entry]:  # fmt: skip
        """Return the entries in the order in which they were appended: all, or those of a kind, model, ...

        ``after`` leaves out the entries up to a number, for those who have read them before, and ``limit``
        what follows so many; a tag is looked for among these.
        """
        test = test.test_set if isinstance(test, Fingerprint) else test
        wanted = {"kind = ?": kind, "model = ?": model, "time >= ?": _moment(since),
                  "number > ?": after or None}  # fmt: skip
        if test is not None:  # the first digits of its identity are enough
            wanted["test = ?" if len(test) == _TEST_DIGITS else "test LIKE ?"] = (
                test if len(test) == _TEST_DIGITS else f"{test.replace('%', '').replace('_', '')}%"
            )
        given = {clause: value for clause, value in wanted.items() if value is not None}
        where = f" WHERE {' AND '.join(given)}" if given else ""
        first = "" if limit is None else f" LIMIT {int(limit)}"
        with self._store.transaction() as store:
            rows = store.rows(
                f"SELECT {COLUMNS} FROM assay_entries{where} ORDER BY number{first}",  # noqa: S608 - our own names
                list(given.values()),
            )
        found = [read_entry(row) for row in rows]
        return found if tag is None else [entry for entry in found if tag in entry.tags]

    def entry(self, number: int) -> Entry:
        """Return an entry by its number."""
        if not isinstance(number, int):
            raise LedgerError(f"an entry is named by its number, not by {number!r}.")
        with self._store.transaction() as store:
            rows = store.rows(f"SELECT {COLUMNS} FROM assay_entries WHERE number = ?", [number])  # noqa: S608
        if not rows:
            raise LedgerError(f"the ledger has no entry {number}.")
        return read_entry(rows[0])

    def __bool__(self) -> bool:
        return True  # an empty ledger is one, too

    def __len__(self) -> int:
        with self._store.transaction() as store:
            return int(store.rows("SELECT COUNT(*) FROM assay_entries")[0][0])

    def blob(self, name: str) -> bytes:
        """Return binary data by its SHA-256."""
        with self._store.transaction() as store:
            rows = store.rows("SELECT data FROM assay_blobs WHERE hash = ?", [name])
        if not rows:
            raise LedgerError(f"the ledger has no data with the SHA-256 {name}.")
        return bytes(rows[0][0])

    def load(self, entry: Entry | int) -> Evaluation:
        """Return the evaluation of an entry, from its stored tallies, with its fingerprint."""
        entry = entry if isinstance(entry, Entry) else self.entry(entry)
        if entry.kind != EVALUATION:
            raise LedgerError(f"entry {entry.number} is a {entry.kind}, not an evaluation.")
        return evaluation_of(*(self.blob(entry.blobs[name]) for name in ("evaluation", FINGERPRINT)))

    def looks(self, test: Fingerprint | Evaluation, *, besides: Collection[str] = ()) -> Looks:
        """Return the looks at a test set so far; of an evaluation, which of them it is.

        Looks at test sets that share at least half of their rows with it count too. Not those of predictions
        named in `besides` (:attr:`assay.Fingerprint.predictions`), such as a baseline's.
        """
        if isinstance(test, Evaluation):
            fingerprint = fingerprint_of(test)
            return self._looks_count.looks(fingerprint, fingerprint.predictions, besides)
        return self._looks_count.looks(test, "", besides)

    @staticmethod
    def _knows(store: Store, test: str) -> bool:
        statement = "SELECT 1 FROM assay_entries WHERE kind = ? AND test = ? LIMIT 1"
        return bool(store.rows(statement, [EVALUATION, test]))

    def look_numbers(self) -> dict[int, int]:
        """Return for each evaluation, by its number, which look at its own test set it was."""
        with self._store.transaction() as store:
            rows = store.rows(
                "SELECT number, test, predictions FROM assay_entries WHERE kind = ? ORDER BY number",
                [EVALUATION],
            )
        seen: dict[str, dict[str, int]] = {}
        numbers = {}
        for number, test, predictions in rows:
            looks = seen.setdefault(test, {})
            numbers[int(number)] = looks.setdefault(predictions, len(looks) + 1)
        return numbers

    def history(
        self, *, metrics: Iterable[str] | None = None, model: str | None = None,
        test: str | Fingerprint | None = None, since: str | dt.date | None = None, tag: str | None = None,
        by: str | None = None,
    ) -> History:  # fmt: skip
        """Return the evaluations over time, the oldest first, with their metrics and intervals.

        Parameters
        ----------
        metrics
            Names of metrics; all that were recorded unless given. Others are computed from the stored
            tallies.
        model, test, since, tag
            Which evaluations; the first digits of a test set's identity are enough.
        by
            A column that they were sliced by: a line for each slice instead of one for all rows.

        Examples
        --------
        >>> import assay, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> with assay.ledger(f"{folder.name}/ledger.db") as book:
        ...     for wrong in (5, 3):
        ...         predicted = [0, 1] * (50 - wrong) + [1, 0] * wrong
        ...         ev = assay.evaluate(actual=[0, 1] * 50, predicted=predicted, name=f"v{wrong}")
        ...         entry = book.record(ev)
        ...     history = book.history(metrics=["accuracy"])
        >>> frame = history.to_frame("dict")
        >>> frame["model"], frame["look"], frame["accuracy"]
        (['v5', 'v3'], [1, 2], [0.9, 0.94])
        >>> folder.cleanup()
        """
        from assay.ledgers.history import check_by, history_of  # noqa: PLC0415 - loaded when called for

        check_by(by)
        entries = self.entries(kind=EVALUATION, model=model, test=test, since=since, tag=tag)
        return history_of(self, entries, metrics, by)

    def merge(
        self, entries: Iterable[Entry | int] | None = None, *, model: str | None = None,
        since: str | dt.date | None = None, tag: str | None = None,
    ) -> Evaluation:  # fmt: skip
        """Return the evaluation of all rows of several entries, from their stored tallies.

        Days become a week without reading a row. Entries are named by their numbers, or found by model, time
        and tag; of those found, a test set that was evaluated twice counts once, by its last entry. Entries
        that share rows are refused, for these would count twice.

        >>> import assay, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> with assay.ledger(f"{folder.name}/ledger.db") as book:
        ...     for day in (1, 2):
        ...         predicted, key = [0, 1] * 45 + [1, 0] * 5, range(day * 100, day * 100 + 100)
        ...         ev = assay.evaluate(actual=[0, 1] * 50, predicted=predicted, key=key, ledger=book)
        ...     week = book.merge()
        >>> week.n, week["accuracy"]
        (200, 0.9 [0.8506, 0.9343])
        >>> folder.cleanup()
        """
        from assay.ledgers.merge_entries import latest_of_each_test_set, merged_entries  # noqa: PLC0415

        if entries is None:
            chosen = latest_of_each_test_set(
                self, self.entries(kind=EVALUATION, model=model, since=since, tag=tag)
            )
        else:
            chosen = [entry if isinstance(entry, Entry) else self.entry(entry) for entry in entries]
        return merged_entries(self, chosen)

    def export(self, path: str | os.PathLike[str], **filters: Any) -> int:
        """Write entries with their data to a file, ``.jsonl`` or ``.parquet``; return how many.

        All entries, or those that `filters` choose, which are those of :meth:`entries`.
        """
        from assay.ledgers.transfer import export_entries  # noqa: PLC0415 - loaded when called for

        return export_entries(self, path, self.entries(**filters))

    def import_from(self, source: Ledger | str | os.PathLike[str]) -> int:
        """Append the entries of another ledger, or of a file that :meth:`export` wrote; return how many.

        Entries that are here already are left out, so that two ledgers can be merged again and again. Each
        is checked first; its time stays, and its place in the chain is a new one.
        """
        from assay.ledgers.transfer import import_entries  # noqa: PLC0415 - loaded when called for

        return import_entries(self, source)

    def verify(self, *, noted: str = "") -> Verification:
        """Return whether all entries and their data are those that were recorded, in that order.

        The chain does not show that its last entries were removed, or that all of it was written anew, by
        somebody who knew how. Against that, note the hash of the last entry elsewhere, where that person
        cannot write, and pass it as `noted` later: no entry up to it can have changed without being found.

        >>> import assay, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> with assay.ledger(f"{folder.name}/ledger.db") as book:
        ...     entry = book.append("note", {"text": "a first entry"})
        ...     last = book.verify().last
        ...     entry = book.append("note", {"text": "a second one"})
        ...     bool(book.verify(noted=last)), bool(book.verify(noted="0" * 64))
        (True, False)
        >>> folder.cleanup()
        """
        return verified(self._store, noted)


def record_in(
    target: LedgerAddress,
    ev: Evaluation,
    *,
    model: str | None = None,
    tags: Iterable[str] = (),
) -> Evaluation:
    """Record an evaluation in a ledger, or in the one at an address (True: the default one).

    Return it with its looks.
    """
    if isinstance(target, Ledger):
        _, looks = target.add(ev, model=model, tags=tags)
    else:
        opened = opened_ledger(None if isinstance(target, bool) else target)
        _, looks = opened.add(ev, model=model, tags=tags)
    return dataclasses.replace(ev, looks=looks, saved=ev.estimates)


def _refuse_unstorable(*texts: str) -> None:
    """Raise for text that a database does not take."""
    for text in texts:
        if "\0" in text or (not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)):
            raise LedgerError(f"{text[:40]!r} cannot be stored: it holds NUL, or bytes that are no text.")


def _moment(since: str | dt.date | None) -> str | None:
    """Return a time as entries have it, in UTC, where times without a zone are; a day begins at midnight."""
    if isinstance(since, str):
        try:
            since = dt.datetime.fromisoformat(since)
        except ValueError:
            raise LedgerError(
                f"{passed('since', since)} is no time: write it as 2026-11-01 or 2026-11-01T18:00."
            ) from None
    if isinstance(since, dt.datetime) and since.tzinfo is not None:
        since = since.astimezone(dt.UTC)
    return since.isoformat() if isinstance(since, dt.date) else since


_OPENED: Final[dict[tuple[Any, ...], Ledger]] = {}  # opening and closing takes longer than an entry
_MAX_OPENED: Final = 8


def opened_ledger(url: str | os.PathLike[str] | None) -> Ledger:
    """Return the ledger at an address, which stays open for the next evaluation until the process ends."""
    store = open_store(url)
    key = store.identity()
    if None in key:  # the file is not there yet
        len(Ledger(store))
        key = store.identity()
    found = _OPENED.pop(key) if key in _OPENED else Ledger(store)
    _OPENED[key] = found  # the last one used is closed last
    while len(_OPENED) > _MAX_OPENED:
        _OPENED.pop(next(iter(_OPENED))).close()
    return found


@atexit.register
def _close_opened() -> None:
    for opened in _OPENED.values():
        opened.close()


def ledger(url: str | os.PathLike[str] | None = None, *, read_only: bool = False) -> Ledger:
    """Return the ledger at a path or on a server; it is created when first used.

    Parameters
    ----------
    url
        The path of an SQLite file, by default ``.assay/ledger.db``, or the address of a database of a
        PostgreSQL server, ``postgresql://user@host/database`` (``assay-metrics[postgres]``).
    read_only
        Neither create the ledger nor change it: what is missing or older is refused.

    Returns
    -------
    Ledger
        To record evaluations in, and to list them.

    Raises
    ------
    LedgerError
        The ledger cannot be opened, or is not one.
    MissingDependencyError
        The driver of a PostgreSQL server is not installed.

    Examples
    --------
    >>> import assay, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> book = assay.ledger(f"{folder.name}/ledger.db")
    >>> for name, wrong in (("first", 5), ("second", 3)):
    ...     predicted = [0, 1] * (50 - wrong) + [1, 0] * wrong
    ...     ev = assay.evaluate(assay.rows(actual=[0, 1] * 50, predicted=predicted, key=range(100)))
    ...     entry = book.record(ev, model=name)
    >>> print(book.looks(ev))
    look 2 at this test set, 1 model before (first); the same predictions again
    >>> print(book.verify())
    2 entries, every one as it was recorded
    >>> book.close(); folder.cleanup()
    """
    return Ledger(open_store(url, read_only=read_only))
