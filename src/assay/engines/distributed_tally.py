"""The pieces of a frame on a cluster: each becomes the bytes of its tallies, and those become one.

Everything here is a function of what is passed in and of nothing else, so that a piece may be walked as
often as its worker is lost: only what the last one returned counts.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from assay import errors
from assay.engines.accumulator import PartialResult
from assay.engines.batches import BatchGroup, BufferPool, limited_threads
from assay.engines.duckdb import dependency as module
from assay.engines.local_scan import Scan
from assay.errors import AssayError, InputError, LengthError
from assay.tallies import Confusion, serialization

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from assay.engines.scan_request import ScanRequest
    from assay.inputs import Column

__all__ = ["alone", "columns_of", "finished", "labels_of", "merged", "tallied", "told", "undone"]

_REFUSAL: Final = "refusal"
_BATCHES: Final = 25  # the share of memory of a group of batches is one of so many, as on one machine
_SCATTERED: Final = (
    "the rows of a query are in several partitions: {refused} Bring them together first, as "
    "{how}(...) does on the query's column."
)


def tallied(pieces: Iterable[tuple[dict[str, Column], int]], asked: ScanRequest, place: int) -> bytes:
    """Return what is gathered of one partition, as bytes; `pieces` are columns by name with their length.

    Rows that cannot be used are no reason to try again: what is wrong with them is returned, too.
    """

    def gather() -> bytes:
        gathered = asked.gathering()
        gathered.pieces = 1
        for found, count in pieces:
            asked.gather(found, count, gathered)
        return gathered.part().to_bytes()

    with limited_threads(_task_threads(asked.threads)):
        return told(gather, place)


def merged(parts: Iterable[bytes], asked: ScanRequest, how: str) -> bytes:
    """Return what several partitions gathered, as one; `how` brings the rows of a query together."""
    refusals: list[tuple[int, bytes]] = []
    text = _SCATTERED.replace("{how}", how)

    def gather() -> bytes:
        gathered = asked.gathering(scattered=text)
        for data in parts:
            kind, state = serialization.unpack(data)
            if kind == _REFUSAL:
                refusals.append((state[0], data))
            elif not refusals:
                gathered.take(PartialResult.from_bytes(data))
        # The first partition's complaint, so that the same rows give the same message.
        return min(refusals)[1] if refusals else gathered.part().to_bytes()

    with limited_threads(_task_threads(asked.threads)):
        return told(gather, -1)


def finished(data: bytes, asked: ScanRequest, name: str) -> Scan:
    """Return the scan that all partitions together are, or raise what one of them said."""
    undone(data)
    gathered = asked.gathering()
    gathered.take(PartialResult.from_bytes(data))
    if not gathered.rows + gathered.dropped:
        raise LengthError(f"{name} holds no rows, only the names of columns.")
    return Scan(gathered.result(), gathered.rows, gathered.dropped, gathered.pieces, tuple(gathered.notes))


def columns_of(
    batches: Iterable[Any], asked: ScanRequest, name: str
) -> Iterator[tuple[dict[str, Column], int]]:
    """Yield the columns of a partition's Arrow batches, as many at a time as are worth tallying.

    Where rows belong to queries they are taken at once: the partition must fit.
    """
    arrow = module("arro3.core", "arro3-core", "reading Arrow batches")
    wanted, limit = asked.wanted(), asked.memory // _BATCHES
    whole = "query" in asked.roles
    buffers = BufferPool()
    batch_group, first = BatchGroup(limit, whole, buffers), 0
    for each in batches:
        batch = arrow.RecordBatch.from_arrow(each)
        if not batch.num_rows:
            continue
        batch_group.add(batch, name, first)
        first += batch.num_rows
        if batch_group.size >= limit and not whole:
            yield batch_group.columns(wanted, arrow.Table.from_batches), batch_group.rows
            batch_group = BatchGroup(limit, whole, buffers)
    if batch_group.rows:
        yield batch_group.columns(wanted, arrow.Table.from_batches), batch_group.rows


def alone(asked: ScanRequest) -> ScanRequest:
    """Return the question for the actual labels alone: they name the columns of several scores."""
    return type(asked).of(
        tallies={"labels": Confusion},
        actual=asked.roles["actual"],
        predicted=asked.roles["actual"],
        missing="drop",
        memory=asked.memory,
        threads=asked.threads,
    )


def labels_of(found: Scan) -> tuple[Any, ...]:
    """Return the labels that occur, by the answer to :func:`alone`."""
    tally: Any = found["labels"]
    return tuple(tally.labels)


def told(step: Callable[[], bytes], place: int) -> bytes:
    """Return the bytes of a step, or those of what it refused."""
    try:
        return step()
    except AssayError as refused:
        known = next(kind.__name__ for kind in type(refused).__mro__ if kind.__module__ == errors.__name__)
        return serialization.pack(_REFUSAL, (place, known, refused.message))


def undone(data: bytes) -> tuple[Any, ...]:
    """Return what bytes hold, or raise what was refused."""
    kind, state = serialization.unpack(data)
    if kind != _REFUSAL:
        return state
    _, name, message = state
    error: type[AssayError] = getattr(errors, name, InputError)
    raise error(message)


def _task_threads(count: int | None) -> int | None:
    """Return how many threads are asked for, or how many the cluster gives a task."""
    # Spark and Dask tell it this way, lest each of a worker's tasks uses all of its cores.
    told = os.environ.get("OMP_NUM_THREADS", "")
    return count or (int(told) if told.isdecimal() else None)
