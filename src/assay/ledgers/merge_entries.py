"""Merge entries of a ledger, such as days into a week, from their stored tallies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.errors import AssayError, LedgerError, shown
from assay.hints import param
from assay.ledgers.record import fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.ledgers.entry import Entry
    from assay.ledgers.ledger import Ledger
    from assay.tallies import Fingerprint

__all__ = ["latest_of_each_test_set", "merged_entries"]

_MAX_SHARED: Final = 0.01  # of the rows of two entries: what the sketches take for none


def latest_of_each_test_set(book: Ledger, entries: Iterable[Entry]) -> list[Entry]:
    """Return the last entry of each test set, in the order in which they were recorded.

    Raises where nothing tells whether two entries are of the same rows, or of others with the same labels.
    """
    by_test: dict[str, list[Entry]] = {}
    for entry in entries:
        by_test.setdefault(entry.test, []).append(entry)
    for same in by_test.values():
        if len(same) > 1 and not fingerprint_of(book.load(same[-1])).tells_rows_apart:
            raise LedgerError(
                f"entries {shown([entry.number for entry in same])} have as many rows of each label, and "
                "nothing tells whether they are the same rows: name the entries to merge by their numbers, "
                f"and from now on the rows by {param('key')}."
            )
    return sorted((same[-1] for same in by_test.values()), key=lambda entry: entry.number)


def merged_entries(book: Ledger, entries: Sequence[Entry]) -> Evaluation:
    """Return the evaluation of the rows of all entries."""
    if not entries:
        raise LedgerError("there are no evaluations to merge: name some, or look for others.")
    whole: Evaluation | None = None
    prints: list[tuple[Entry, Fingerprint]] = []
    for entry in entries:
        ev = book.load(entry)
        fingerprint = fingerprint_of(ev)
        _refuse_shared_rows(entry, fingerprint, prints)
        prints.append((entry, fingerprint))
        try:
            whole = ev if whole is None else whole.merge(ev)
        except AssayError as refused:
            raise LedgerError(
                f"entry {entry.number} does not go with entry {entries[0].number}: {refused}"
            ) from None
    assert whole is not None  # noqa: S101 - there is one entry at least
    return whole


def _refuse_shared_rows(
    entry: Entry, fingerprint: Fingerprint, others: Iterable[tuple[Entry, Fingerprint]]
) -> None:
    for other, known in others:
        same = fingerprint.test_set == known.test_set and fingerprint.tells_rows_apart
        share = 1.0 if same or other.number == entry.number else fingerprint.overlap(known) or 0.0
        if share > _MAX_SHARED:
            raise LedgerError(
                f"entries {other.number} and {entry.number} share {share:.0%} of their rows, which would "
                "count twice: leave one of them out."
            )
