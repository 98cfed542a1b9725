"""Lots: batches that are worth tallying at once, read by a thread of their own."""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import queue
import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.inputs import Column
from assay.inputs.arrays import from_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from assay.inputs.columns import Array

__all__ = ["BatchGroup", "BufferPool", "ahead", "limited_threads"]

_MANY = 1000  # labels, from which on those of other columns and batches shall be the same objects
_ROUND = 1 << 16  # lots differ by a few rows, and shall fit into each other's arrays


class BufferPool:
    """Arrays for numbers, used again once nobody holds them.

    Memory fresh from the system costs more than what is written into it.
    """

    def __init__(self) -> None:
        self._arrays: list[Array] = []

    def take(self, size: int, dtype: np.dtype[Any]) -> Array:
        """Return an array of at least a size that nobody else holds."""
        for array in self._arrays:
            if len(array) >= size and array.dtype == dtype and _is_free(array):
                return array
        self._arrays = [array for array in self._arrays if not _is_free(array)]
        self._arrays.append(np.empty(-(-size // _ROUND) * _ROUND, dtype=dtype))
        return self._arrays[-1]


def _is_free(array: Array) -> bool:
    """Tell whether a list and the loop over it are all that hold an array; a view of it counts."""
    return sys.getrefcount(array) <= 4  # noqa: PLR2004 - those two, our own parameter, and the count's


class _Numbers:
    """A column of numbers that grows batch by batch."""

    def __init__(self, expected: int, buffers: BufferPool) -> None:
        self._expected, self._buffers = expected, buffers
        self._values = self._missing = np.empty(0, dtype=bool)

    def add(self, more: Column, start: int) -> None:
        """Write a batch's values from a row on."""
        end = start + len(more)
        if not start:
            self._values = self._buffers.take(max(self._expected, end), more.values.dtype)
        elif end > len(self._values):
            self._values = np.concatenate([self._values, np.empty_like(self._values, shape=end)])
        self._values[start:end] = more.values
        if more.missing is not None or len(self._missing):
            mask = np.zeros(end, dtype=bool)
            mask[: len(self._missing)] = self._missing
            mask[start:] = False if more.missing is None else more.missing
            self._missing = mask

    def column(self, name: str, rows: int) -> Column:
        """Return the column of all that was added."""
        return Column(name, self._values[:rows], missing=self._missing if len(self._missing) else None)


@dataclasses.dataclass
class BatchGroup:
    """Consecutive batches of one schema, and where in which part each begins.

    Numbers are copied out of a batch as it comes, while it is in the processor's cache, and the batch is let
    go for the next one to take its place: holding all of them until there are enough costs twice the time.
    What is `whole` keeps its batches, so that it can be split.
    """

    limit: int = 0  # bytes that are expected
    whole: bool = True
    buffers: BufferPool = dataclasses.field(default_factory=BufferPool, repr=False)
    batches: list[Any] = dataclasses.field(default_factory=list)
    numbers: dict[str, _Numbers] = dataclasses.field(default_factory=dict)
    schema: Any = None
    size: int = 0
    rows: int = 0
    starts: list[int] = dataclasses.field(default_factory=list)
    parts: list[tuple[str, int]] = dataclasses.field(default_factory=list)

    def add(self, batch: Any, name: str, first: int) -> None:
        """Append a batch whose first row has a number in a part."""
        if self.schema is None:
            self.schema = batch.schema
            if not self.whole:
                expected = int(self.limit * batch.num_rows / max(batch.nbytes, 1)) + 2 * batch.num_rows
                plain = [field.name for field in self.schema if _is_plain(field.type)]
                self.numbers = {one: _Numbers(expected, self.buffers) for one in plain}
        self.starts.append(self.rows)
        self.parts.append((name, first))
        for one, numbers in self.numbers.items():
            numbers.add(from_arrow(batch[one], one), self.rows)
        if not self.numbers:
            self.batches.append(batch)
        elif len(self.numbers) < batch.num_columns:
            self.batches.append(batch.select([x for x in batch.column_names if x not in self.numbers]))
        self.rows += batch.num_rows
        self.size += batch.nbytes

    def columns(self, names: Sequence[str], joined: Callable[[list[Any]], Any]) -> dict[str, Column]:
        """Return the columns by name; `joined` makes one table of batches."""
        table: Any = joined(self.batches) if len(self.batches) > 1 else next(iter(self.batches), None)
        found = {}
        for name in names:
            numbers = self.numbers.get(name)
            found[name] = (
                from_arrow(table[name], name) if numbers is None else numbers.column(name, self.rows)
            )
            found[name].place = self.where
            labels = found[name].labels
            if labels is not None and len(labels) > _MANY:
                found[name].labels = tuple(map(sys.intern, labels))  # type: ignore[arg-type]
        return found

    def where(self, row: int) -> str:
        """Return where a row is, in the words of a message."""
        at = bisect.bisect_right(self.starts, row) - 1
        name, first = self.parts[at]
        return f"row {first + row - self.starts[at]:,} of {name}, counting from 0"

    def split(self, row: int) -> BatchGroup:
        """Return the batches from a row on; these end there."""
        rest, starts, parts, batches = BatchGroup(), self.starts, self.parts, self.batches
        self.__init__()  # type: ignore[misc]
        for start, (name, first), batch in zip(starts, parts, batches, strict=True):
            cut_at = min(max(row - start, 0), batch.num_rows)
            if cut_at:
                self.add(batch.slice(0, cut_at), name, first)
            if cut_at < batch.num_rows:
                rest.add(batch.slice(cut_at), name, first + cut_at)
        return rest

    def extend(self, more: BatchGroup) -> BatchGroup:
        """Return these batches and those that follow, as one."""
        for batch, (name, first) in zip(more.batches, more.parts, strict=True):
            self.add(batch, name, first)
        return self


def _is_plain(kind: Any) -> bool:
    is_a = type(kind)
    return bool(is_a.is_integer(kind) or is_a.is_floating(kind) or is_a.is_boolean(kind))


@contextlib.contextmanager
def limited_threads(count: int | None) -> Iterator[int]:
    """Have this thread's kernels use so many threads meanwhile, and leave those of other threads alone."""
    before = kernels.limit_threads(count) if count else kernels.thread_limit()
    try:
        yield kernels.threads()
    finally:
        kernels.limit_threads(before)


@contextlib.contextmanager
def ahead(items: Generator[Any, None, None], interrupt: Callable[[], None]) -> Iterator[Iterator[Any]]:
    """Have a thread make the next item while one is being used; what it raises is raised here."""
    ready: queue.Queue[tuple[Any, BaseException | None]] = queue.Queue(1)
    stop = threading.Event()
    limit = kernels.thread_limit()  # of the thread that asks, and so of the one that reads for it

    def make() -> None:
        kernels.limit_threads(limit)
        try:
            for item in items:
                ready.put((item, None))
                if stop.is_set():
                    return
            ready.put((None, None))
        except BaseException as failed:  # noqa: BLE001 - carried over to the other thread
            ready.put((None, failed))

    def taken() -> Iterator[Any]:
        while True:
            item, failed = ready.get()
            if failed is not None:
                raise failed
            if item is None:
                return
            yield item

    maker = threading.Thread(target=make, name="assay-reader", daemon=True)
    maker.start()
    try:
        yield taken()
    finally:
        stop.set()
        if maker.is_alive():
            interrupt()
            while maker.is_alive():
                with contextlib.suppress(queue.Empty):
                    ready.get_nowait()
                maker.join(0.01)
        items.close()  # which lets go of the stream, and so of the connection
