"""Accumulate tallies of batches within a memory limit.

What the limit decides depends on the rows alone, not on how they were cut: a tally of some of the rows is
never larger than that of all, so an exact tally passes the limit on the way exactly if the whole one would.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np

from assay.errors import FormatError, InputError, LabelError, MergeError, TallyError
from assay.hints import param, render
from assay.tallies import (
    BinnedScores,
    Collection,
    Confusion,
    Grouped,
    Moments,
    Scores,
    Sums,
    Tally,
    serialization,
)
from assay.tallies.collection import maker
from assay.tallies.scores.streaming_bins import RunningBins
from assay.tallies.tally import restored

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.inputs import Rows

__all__ = ["PartialResult", "TallyAccumulator", "as_bytes", "in_words", "size"]

_UNITS: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SCATTERED: Final = (
    "the rows of a query are not together, and all rows are too many to hold: {refused} "
    f"Sort them by query first, as with {param('sql', 'SELECT * FROM ... ORDER BY ...')}."
)
_PART: Final = "part of a scan"
_OBJECT_BYTES: Final = 64  # estimated for a number, a text or a tuple of Python's
_POINTER_BYTES: Final = 8
_MANY_TEXTS: Final = 1000  # from which on it matters whether they are stored twice
_PER_CELL: Final = 20  # bytes of a bin that is counted in place
_LIGHT: Final = 1 << 16  # bytes of tallies that are merged faster than a batch is copied


def as_bytes(memory: int | str) -> int:
    """Return an amount of memory in bytes: a number, or text such as ``"512MB"`` or ``"2 GiB"``.

    >>> as_bytes("1.5GB"), as_bytes(1 << 30)
    (1500000000, 1073741824)
    """
    if isinstance(memory, str):
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?)b?", memory.strip().lower())
        if match is None:
            raise InputError(
                f'{param("memory", memory)} is no amount of memory: write it as "512MB" or "2GiB".'
            )
        memory = int(float(match[1]) * (1024 if match[3] else 1000) ** _UNITS[match[2]])
    if memory < 64 << 20:
        raise InputError(
            f"{param('memory', in_words(memory))} is too little to read files with: give at least 64 MiB."
        )
    return int(memory)


def in_words(size: int) -> str:
    """Return a number of bytes with its unit, for messages.

    >>> in_words(1 << 30), in_words(123_456_789)
    ('1 GiB', '118 MiB')
    """
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << power:
            return f"{size / (1 << power):.3g} {unit}"
    return f"{size} bytes"


def size(state: Any) -> int:
    """Return about how many bytes a tally's state takes; labels that several tallies share count once.

    >>> labels = tuple(f"label{i}" for i in range(2000))
    >>> size((labels, labels)) - size(labels) < 20_000
    True
    """
    texts: list[tuple[str, ...]] = []
    return _size(state, texts) + _size_of_texts(texts)


def _size(state: Any, texts: list[tuple[str, ...]]) -> int:
    """Return the size of all but long tuples of text, which are added to `texts`."""
    if isinstance(state, Tally):
        return _size(state.state(), texts)
    if isinstance(state, np.ndarray):
        objects = _OBJECT_BYTES * state.size if state.dtype == object else 0
        return _OBJECT_BYTES + state.nbytes + objects
    if isinstance(state, tuple):
        if len(state) > _MANY_TEXTS and type(state[0]) is str:
            texts.append(state)
            return _OBJECT_BYTES + _POINTER_BYTES * len(state)
        return _OBJECT_BYTES + sum(_size(part, texts) for part in state)
    return _OBJECT_BYTES + (len(state) if isinstance(state, str) else 0)


def _size_of_texts(texts: Sequence[tuple[str, ...]]) -> int:
    if not texts:
        return 0
    ids = np.concatenate([np.fromiter(map(id, labels), np.uint64, len(labels)) for labels in texts])
    sample = [text for labels in texts for text in labels[:: max(len(labels) // _MANY_TEXTS, 1)]]
    return int(len(np.unique(ids)) * sum(map(sys.getsizeof, sample)) / len(sample))


class PartialResult(NamedTuple):
    """The tallies of some rows, which become bytes and are merged elsewhere.

    ``pieces`` is the number of partitions, ``lowest`` the lowest actual numbers of batches.
    """

    tallies: Collection | None
    rows: int
    dropped: int
    pieces: int
    lowest: tuple[float, ...]
    notes: tuple[str, ...]
    binned: bool

    def to_bytes(self) -> bytes:
        """Return it as bytes, without pickle."""
        state = None if self.tallies is None else self.tallies.state()
        return serialization.pack(_PART, (state, *self[1:]))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what :meth:`to_bytes` wrote, its tallies checked."""
        kind, (state, *fields) = serialization.unpack(data)
        if kind != _PART:
            raise FormatError(f"the bytes hold {kind}, not a part of a scan.")
        return cls(None if state is None else restored(Collection.kind, state), *fields)  # type: ignore[arg-type]


class TallyAccumulator:
    """Tallies of batches, merged as they come, so that all together take little more than the largest.

    Where the exact tallies would take more than `share`, scores are counted in bins from then on, and
    `notes` says so; where that does not help, it raises. `at_once` says whether a batch of rows by itself is
    taken in as fast as it would be among many: others are better sorted together.
    """

    def __init__(
        self,
        tallies: Mapping[str, Callable[..., Tally] | type[Tally]],
        *,
        share: int,
        memory: int,
        bits: int,
        scattered: str = _SCATTERED,
    ) -> None:
        self._scattered = scattered
        self._makers: dict[str, Any] = dict(tallies)
        self._running: dict[str, RunningBins] = {}
        self._share, self._memory, self._bits = share, memory, bits
        self._stack: list[tuple[int, Collection]] = []
        for name, make in tallies.items():
            self._run(name, make)
        self._binned = False
        self._lowest: set[float] = set()
        self.rows = self.dropped = self.pieces = 0
        self.notes: list[str] = []
        self.at_once = self._is_light()

    def add(self, rows: Rows, second: Rows | None = None) -> None:
        """Add the tallies of some rows, or of two models on the same rows."""
        self.rows += len(rows)
        makers = self._makers
        if second is not None:
            makers = {name: functools.partial(_of_both, maker(make), second) for name, make in makers.items()}
        elif self._running:
            makers = {name: make for name, make in makers.items() if name not in self._running}
            for running in self._running.values():
                running.add(rows)
        if rows.positive is None and rows.labels is None and rows.actual is not None and len(rows):
            values = rows.actual.values
            if rows.actual.labels is None and values.dtype.kind in "if":
                self._lowest.add(float(values.min()))
        if makers:
            collection = Collection.of(rows, makers)
            self._push(_in_bins(collection, self._bits) if self._binned else collection)
            self.at_once = self._is_light()

    def _is_light(self) -> bool:
        """Tell whether the tally of a batch is small: by its type, or by the tallies so far."""
        makers = (make for name, make in self._makers.items() if name not in self._running)
        small = all(any(make in (kind, kind.of) for kind in (Confusion, Moments, Sums)) for make in makers)
        return (small or bool(self._stack)) and sum(size for size, _ in self._stack) <= _LIGHT

    def _run(self, name: str, make: Any) -> None:
        """Count the rows of a tally in place from now on, if it can be and its bins fit."""
        bits = _bins(make)
        if bits is not None and _PER_CELL << bits <= self._share // 2:
            self._running[name] = RunningBins(bits)

    def take(self, part: PartialResult) -> None:
        """Add the tallies of another accumulator."""
        self.rows += part.rows
        self.dropped += part.dropped
        self.pieces += part.pieces
        self._lowest.update(part.lowest)
        self.notes = list(dict.fromkeys([*self.notes, *part.notes]))
        if part.binned and not self._binned:
            self._to_bins()
        if part.tallies is not None:
            self._push(_in_bins(part.tallies, self._bits) if self._binned else part.tallies)

    def part(self) -> PartialResult:
        """Return all tallies so far, to be added to another accumulator."""
        tallies = self._merge_all() if self._stack or self._running else None
        lowest, notes = tuple(sorted(self._lowest)), tuple(self.notes)
        return PartialResult(tallies, self.rows, self.dropped, self.pieces, lowest, notes, self._binned)

    def result(self) -> Collection:
        """Return the tallies of all rows."""
        merged = self._merge_all()
        if {-1.0, 0.0} <= self._lowest and _has_positive(merged):
            raise LabelError(
                f"the actual labels hold both -1 and 0: say which label is positive with {param('positive')}."
            )
        return merged

    def _merge_all(self) -> Collection:
        while len(self._stack) > 1:
            self._merge()
        merged = Collection.of_mapping({name: bins.tally() for name, bins in self._running.items()})
        for _, collection in self._stack:
            merged = collection.merge(merged)
        return merged

    def _size(self, collection: Collection) -> int:
        """Return about how many bytes tallies take, without those that are counted in place."""
        return size(tuple(tally for name, tally in collection.items() if name not in self._running))

    def _push(self, collection: Collection) -> None:
        # Each on the stack is at least twice as large as the next, so together they are twice the largest.
        self._stack.append((self._size(collection), collection))
        self._limit()
        while len(self._stack) > 1 and self._stack[-2][0] < 2 * self._stack[-1][0]:
            self._merge()

    def _merge(self) -> None:
        (_, second), (_, first) = self._stack.pop(), self._stack.pop()
        try:
            merged = first.merge(second)
        except MergeError as refused:
            if "query" in str(refused):
                raise InputError(self._scattered.replace("{refused}", refused.message)) from None
            raise
        self._stack.append((self._size(merged), merged))
        del first, second  # as large together, and the next step may need the memory
        self._limit()

    def _limit(self) -> None:
        if self._stack[-1][0] <= self._share:
            return
        if not self._binned:
            self._to_bins()
        if self._stack[-1][0] > self._share:
            name, large = max(self._stack[-1][1].items(), key=lambda item: size(item[1]))
            raise TallyError(
                f'the tally "{name}" ({large.kind}) outgrows its part of '
                f"{param('memory', in_words(self._memory))}: "
                f"give more with {param('memory')}, or leave out what needs every distinct value."
            )

    def _to_bins(self) -> None:
        """Count scores in bins from now on, and convert those counted so far."""
        self._binned = True
        names: list[str] = []
        for index, (_, exact) in enumerate(self._stack):  # one by one, to take less memory
            binned = _in_bins(exact, self._bits)
            names = [name for name, tally in binned.items() if tally is not exact[name]]
            self._stack[index] = (0, binned)
            del exact
        for name in names:
            if self._makers[name] in (Scores, Scores.of):
                self._makers[name] = functools.partial(BinnedScores.of, bits=self._bits)
                self._run(name, self._makers[name])
            note = render(
                f"{name}: scores were counted in {2**self._bits:,} bins with certain bounds, as the "
                f"exact ones outgrow their part of {param('memory', in_words(self._memory))}: give more."
            )
            if note not in self.notes:
                self.notes.append(note)
        self._stack = [(self._size(binned), binned) for _, binned in self._stack]


def _bins(make: Any) -> int | None:
    """Return the bits of a function that only counts scores in bins, None for any other."""
    options = {}
    if isinstance(make, functools.partial) and not make.args:
        make, options = make.func, make.keywords
    return (
        options.get("bits", 18)
        if make in (BinnedScores, BinnedScores.of) and options.keys() <= {"bits"}
        else None
    )


def _of_both(make: Callable[..., Tally], second: Rows, first: Rows) -> Tally:
    return make(first, second)


def _in_bins(tally: Any, bits: int) -> Any:
    """Return a tally whose exact scores are in bins, or the tally itself where it has none."""
    if type(tally) is Scores:
        return tally.binned(bits)
    if type(tally) not in (Grouped, Collection):
        return tally
    binned = {key: _in_bins(part, bits) for key, part in tally.items()}
    return tally if all(binned[key] is part for key, part in tally.items()) else tally.of_mapping(binned)


def _has_positive(tally: Any) -> bool:
    """Tell whether a tally anywhere took one label for the positive one."""
    if isinstance(tally, Mapping):
        return any(_has_positive(part) for part in tally.values())
    return getattr(tally, "positive", None) is not None
