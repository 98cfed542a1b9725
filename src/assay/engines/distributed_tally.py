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

__all__ = [
    "bytes_or_refusal",
    "columns_of",
    "finish_scan",
    "labels_of_scan",
    "labels_request",
    "merge_parts",
    "tally_partition",
    "unpack_or_raise",
]

_REFUSAL: Final = "refusal"
_BATCHES: Final = 25  # the share of memory of a group of batches is one of so many, as on one machine
_SCATTERED: Final = (
    "the rows of a query are in several partitions: {refused} Bring them together first, as "
    "{method}(...) does on the query's column."
)


def tally_partition(
    pieces: Iterable[tuple[dict[str, Column], int]], request: ScanRequest, index: int
) -> bytes:
    """Return the tallies of one partition as bytes; `pieces` are columns by name with their length.

    Rows that cannot be used are no reason to try again: what is wrong with them is returned, too.
    """

    def tally() -> bytes:
        accumulator = request.new_accumulator()
        accumulator.pieces = 1
        for columns, count in pieces:
            request.accumulate(columns, count, accumulator)
        return accumulator.part().to_bytes()

    with limited_threads(_task_threads(request.threads)):
        return bytes_or_refusal(tally, index)


def merge_parts(parts: Iterable[bytes], request: ScanRequest, method: str) -> bytes:
    """Return the tallies of several partitions as one; `method` brings the rows of a query together."""
    refusals: list[tuple[int, bytes]] = []
    text = _SCATTERED.replace("{method}", method)

    def tally() -> bytes:
        accumulator = request.new_accumulator(scattered=text)
        for data in parts:
            kind, state = serialization.unpack(data)
            if kind == _REFUSAL:
                refusals.append((state[0], data))
            elif not refusals:
                accumulator.take(PartialResult.from_bytes(data))
        # The first partition's complaint, so that the same rows give the same message.
        return min(refusals)[1] if refusals else accumulator.part().to_bytes()

    with limited_threads(_task_threads(request.threads)):
        return bytes_or_refusal(tally, -1)


def finish_scan(data: bytes, request: ScanRequest, name: str) -> Scan:
    """Return the scan of all partitions, or raise the error of one of them."""
    unpack_or_raise(data)
    accumulator = request.new_accumulator()
    accumulator.take(PartialResult.from_bytes(data))
    if not accumulator.rows + accumulator.dropped:
        raise LengthError(f"{name} holds no rows, only the names of columns.")
    return Scan(
        accumulator.result(),
        accumulator.rows,
        accumulator.dropped,
        accumulator.pieces,
        tuple(accumulator.notes),
    )


def columns_of(
    batches: Iterable[Any], request: ScanRequest, name: str
) -> Iterator[tuple[dict[str, Column], int]]:
    """Yield the columns of a partition's Arrow batches, as many at a time as are worth tallying.

    Where rows belong to queries they are taken at once: the partition must fit.
    """
    arrow = module("arro3.core", "arro3-core", "reading Arrow batches")
    names, limit = request.column_names(), request.memory // _BATCHES
    whole = "query" in request.roles
    buffers = BufferPool()
    batch_group, first = BatchGroup(limit, whole, buffers), 0
    for arrow_batch in batches:
        batch = arrow.RecordBatch.from_arrow(arrow_batch)
        if not batch.num_rows:
            continue
        batch_group.add(batch, name, first)
        first += batch.num_rows
        if batch_group.size >= limit and not whole:
            yield batch_group.columns(names, arrow.Table.from_batches), batch_group.rows
            batch_group = BatchGroup(limit, whole, buffers)
    if batch_group.rows:
        yield batch_group.columns(names, arrow.Table.from_batches), batch_group.rows


def labels_request(request: ScanRequest) -> ScanRequest:
    """Return the request for the actual labels alone: they name the columns of several scores."""
    return type(request).of(
        tallies={"labels": Confusion},
        actual=request.roles["actual"],
        predicted=request.roles["actual"],
        missing="drop",
        memory=request.memory,
        threads=request.threads,
    )


def labels_of_scan(scan: Scan) -> tuple[Any, ...]:
    """Return the labels that occur, from a scan of :func:`labels_request`."""
    tally: Any = scan["labels"]
    return tuple(tally.labels)


def bytes_or_refusal(step: Callable[[], bytes], index: int) -> bytes:
    """Return the bytes of a step, or those of the error that it raised."""
    try:
        return step()
    except AssayError as refused:
        name = next(kind.__name__ for kind in type(refused).__mro__ if kind.__module__ == errors.__name__)
        return serialization.pack(_REFUSAL, (index, name, refused.message))


def unpack_or_raise(data: bytes) -> tuple[Any, ...]:
    """Return what bytes hold, or raise the error that they hold."""
    kind, state = serialization.unpack(data)
    if kind != _REFUSAL:
        return state
    _, name, message = state
    error: type[AssayError] = getattr(errors, name, InputError)
    raise error(message)


def _task_threads(count: int | None) -> int | None:
    """Return how many threads are asked for, or how many the cluster gives a task."""
    # Spark and Dask tell it this way, lest each of a worker's tasks uses all of its cores.
    text = os.environ.get("OMP_NUM_THREADS", "")
    return count or (int(text) if text.isdecimal() else None)
