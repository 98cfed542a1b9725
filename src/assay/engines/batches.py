"""Groups of batches that are tallied together, and a thread that reads ahead."""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import queue
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.inputs import Column
from assay.inputs.arrays import from_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from assay.inputs.columns import Array

__all__ = ["BatchGroup", "BufferPool", "limited_threads", "prefetch"]

_MANY_LABELS = 1000  # from which on equal labels of columns and batches are made the same objects
_ROUND = 1 << 16  # rows: groups of batches differ by a few, and shall fit the same memory


class BufferPool:
    """Memory for columns of numbers, used again once the arrays over it are gone.

    Memory fresh from the system costs more than what is written into it. An array returns its memory when
    the last view of it is gone, so that a tally which keeps a column keeps its values, too.

    >>> pool = BufferPool()
    >>> array = pool.take(10, np.dtype("f8"))
    >>> address = array.ctypes.data
    >>> del array
    >>> pool.take(20, np.dtype("i8")).ctypes.data == address
    True
    """

    def __init__(self) -> None:
        self._free: list[Array] = []

    def take(self, size: int, dtype: np.dtype[Any]) -> Array:
        """Return an array of at least a size over memory that nothing else uses."""
        needed = size * dtype.itemsize
        for index, memory in enumerate(self._free):
            if len(memory) >= needed:
                return self._array(self._free.pop(index), dtype)
        self._free.clear()  # what is too small would be too small again
        return self._array(np.empty(-(-size // _ROUND) * _ROUND * dtype.itemsize, dtype=np.uint8), dtype)

    def _array(self, memory: Array, dtype: np.dtype[Any]) -> Array:
        # Views of an array have the array as their base, and hold it, only where its own base is no array:
        # hence the memoryview, ``memory.data``.
        array = np.frombuffer(memory.data, dtype=dtype, count=len(memory) // dtype.itemsize)
        weakref.finalize(array, self._free.append, memory).atexit = False
        return array


class _Numbers:
    """A column of numbers that grows batch by batch."""

    def __init__(self, expected: int, buffers: BufferPool) -> None:
        self._expected, self._buffers = expected, buffers
        self._values = self._missing = np.empty(0, dtype=bool)

    def add(self, more: Column, start: int) -> None:
        """Write the values of a batch, beginning at a row."""
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
        """Return the column of all rows that were added."""
        return Column(name, self._values[:rows], missing=self._missing if len(self._missing) else None)


@dataclasses.dataclass
class BatchGroup:
    """Consecutive batches of one schema, with the file and row at which each begins.

    Numbers are copied out of a batch as it comes, while it is in the processor's cache, and the batch is let
    go for the next one to take its place: keeping all of them until there are enough takes twice the time.
    A group that is `whole` keeps its batches, so that it can be split.
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
        """Append a batch of a file, whose first row has this number there."""
        if self.schema is None:
            self.schema = batch.schema
            if not self.whole:
                expected = int(self.limit * batch.num_rows / max(batch.nbytes, 1)) + 2 * batch.num_rows
                plain = [field.name for field in self.schema if _is_plain(field.type)]
                self.numbers = {name: _Numbers(expected, self.buffers) for name in plain}
        self.starts.append(self.rows)
        self.parts.append((name, first))
        for column, numbers in self.numbers.items():
            numbers.add(from_arrow(batch[column], column), self.rows)
        if not self.numbers:
            self.batches.append(batch)
        elif len(self.numbers) < batch.num_columns:
            self.batches.append(
                batch.select([column for column in batch.column_names if column not in self.numbers])
            )
        self.rows += batch.num_rows
        self.size += batch.nbytes

    def columns(self, names: Sequence[str], joined: Callable[[list[Any]], Any]) -> dict[str, Column]:
        """Return the columns by name; `joined` makes one table of batches."""
        table: Any = joined(self.batches) if len(self.batches) > 1 else next(iter(self.batches), None)
        by_name = {}
        for name in names:
            numbers = self.numbers.get(name)
            by_name[name] = (
                from_arrow(table[name], name) if numbers is None else numbers.column(name, self.rows)
            )
            by_name[name].place = self.where
            labels = by_name[name].labels
            if labels is not None and len(labels) > _MANY_LABELS:
                by_name[name].labels = tuple(map(sys.intern, labels))  # type: ignore[arg-type]
        return by_name

    def where(self, row: int) -> str:
        """Return the position of a row, for messages."""
        at = bisect.bisect_right(self.starts, row) - 1
        name, first = self.parts[at]
        return f"row {first + row - self.starts[at]:,} of {name}, counting from 0"

    def split(self, row: int) -> BatchGroup:
        """Cut the group before a row, and return the rows from there on as another group."""
        second, starts, parts, batches = BatchGroup(), self.starts, self.parts, self.batches
        self.__init__()  # type: ignore[misc]
        for start, (name, first), batch in zip(starts, parts, batches, strict=True):
            cut_at = min(max(row - start, 0), batch.num_rows)
            if cut_at:
                self.add(batch.slice(0, cut_at), name, first)
            if cut_at < batch.num_rows:
                second.add(batch.slice(cut_at), name, first + cut_at)
        return second

    def extend(self, more: BatchGroup) -> BatchGroup:
        """Append the batches of another group, and return this one."""
        for batch, (name, first) in zip(more.batches, more.parts, strict=True):
            self.add(batch, name, first)
        return self


def _is_plain(kind: Any) -> bool:
    is_a = type(kind)
    return bool(is_a.is_integer(kind) or is_a.is_floating(kind) or is_a.is_boolean(kind))


@contextlib.contextmanager
def limited_threads(count: int | None) -> Iterator[int]:
    """Limit the threads that kernels use when called from this thread."""
    before = kernels.limit_threads(count) if count else kernels.thread_limit()
    try:
        yield kernels.threads()
    finally:
        kernels.limit_threads(before)


@contextlib.contextmanager
def prefetch(items: Generator[Any, None, None], interrupt: Callable[[], None]) -> Iterator[Iterator[Any]]:
    """Compute the next item in a thread while one is used; what it raises is raised here."""
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
        items.close()  # which closes the stream and the connection
