"""The runs of a ledger in memory: read once, and from then on only what was appended since."""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from assay.formatting.progress import Progress
from assay.ledgers.ledger import EVALUATION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.ledgers.entry import Entry
    from assay.ledgers.ledger import Ledger

__all__ = ["Limits", "Run", "RunIndex", "key_of"]

_AT_ONCE: Final = 1_000  # entries that are read in one step
_LONGEST_KEY: Final = 100  # letters of a name within an address

Limits: TypeAlias = "tuple[float | None, float | None, float | None]"  # a value, its lower and upper limit


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """An evaluation in the ledger, as lists of them show it."""

    number: int
    time: str  # UTC, ISO 8601
    model: str
    test: str  # the identity of its test set
    predictions: str
    task: str
    title: str  # of the task
    rows: int
    tags: tuple[str, ...]
    by: tuple[str, ...]  # the columns that it is sliced by
    commit: str
    version: str
    estimates: Mapping[str, Limits]
    metrics: frozenset[str]  # the names of the estimates, one set for all runs that have these
    confidence: float | None  # of the intervals
    look: int  # at its test set, from 1; predictions that were there before have theirs
    hash: str
    search: str  # what a search looks into

    @property
    def days(self) -> float | None:
        """Its time in days since 1970, None where the time cannot be read."""
        try:
            moment = dt.datetime.fromisoformat(self.time)
        except ValueError:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp() / 86_400


class RunIndex:
    """The runs of a ledger, and its other entries, in the order in which they were appended."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.runs: list[Run] = []
        self.others: list[Entry] = []
        # How many runs there are of each, and how each task is called.
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in ("model", "test", "task", "tag")}
        self.titles: dict[str, str] = {}
        self._by_number: dict[int, Run] = {}
        self._metrics: dict[frozenset[str], frozenset[str]] = {}
        self._looks: dict[str, dict[str, int]] = {}
        self._last = 0
        self._lock = threading.Lock()

    def refresh(self) -> None:
        """Read what was appended since the last time; a bar shows progress where that takes long."""
        with self._lock:
            found = self.ledger.entries(after=self._last, limit=_AT_ONCE)
            if len(found) < _AT_ONCE:
                self._add(found)
                return
            with Progress("entries", len(self.ledger) - self._last) as bar:
                while found:
                    self._add(found)
                    bar.step(len(found))
                    found = self.ledger.entries(after=self._last, limit=_AT_ONCE)

    def run(self, number: int) -> Run | None:
        """Return a run by the number of its entry, None where there is none."""
        return self._by_number.get(number)

    def _add(self, entries: list[Entry]) -> None:
        for entry in entries:
            self._last = entry.number
            if entry.kind == EVALUATION:
                self._add_run(_run(entry, self._look(entry), self._metrics))
            else:
                self.others.append(entry)

    def _add_run(self, run: Run) -> None:
        self._by_number[run.number] = run
        self.runs.append(run)
        self.titles[run.task] = run.title
        for name, values in (
            ("model", (run.model,)), ("test", (run.test,)), ("task", (run.task,)), ("tag", run.tags),
        ):  # fmt: skip
            self.counts[name].update(value for value in values if value)

    def _look(self, entry: Entry) -> int:
        looks = self._looks.setdefault(entry.test, {})
        return looks.setdefault(entry.predictions, len(looks) + 1)


def _run(entry: Entry, look: int, known: dict[frozenset[str], frozenset[str]]) -> Run:
    payload = entry.payload
    task, title, commit, version = (
        str(payload.get(name) or "") for name in ("task", "title", "commit", "version")
    )
    by = tuple(map(str, payload.get("by") or ()))
    rows = payload.get("rows")
    estimates = _estimates(payload.get("estimates"))
    metrics = frozenset(estimates)
    searched = [f"#{entry.number}", entry.model, *entry.tags, entry.test, title, task, commit]
    return Run(
        entry.number, entry.time, entry.model, entry.test, entry.predictions, task, title or task,
        rows if isinstance(rows, int) else 0, entry.tags, by, commit, version, estimates,
        known.setdefault(metrics, metrics), _confidence(payload.get("estimates")), look, entry.hash,
        "\n".join(searched).casefold(),
    )  # fmt: skip


def _estimates(found: Any) -> dict[str, Limits]:
    """Return values with their limits by metric, None for what is no number."""
    if not isinstance(found, dict):
        return {}
    return {
        name: (_number(one.get("value")), _number(one.get("low")), _number(one.get("high")))
        for name, one in found.items()
        if isinstance(one, dict)
    }


def _confidence(found: Any) -> float | None:
    """Return the confidence of all intervals, that of the first one."""
    estimates = found.values() if isinstance(found, dict) else ()
    levels = (_number(one.get("confidence")) for one in estimates if isinstance(one, dict))
    return next((level for level in levels if level is not None and 0 < level < 1), None)


def _number(value: Any) -> float | None:
    if value in {"Infinity", "-Infinity"}:
        return float(value)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def key_of(name: str) -> str:
    """Return what stands for a name in an address: the name itself, or of a very long one its hash.

    >>> key_of("forest"), len(key_of("long " * 2000))
    ('forest', 19)
    """
    if len(name) <= _LONGEST_KEY:
        return name
    return f"sha{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
