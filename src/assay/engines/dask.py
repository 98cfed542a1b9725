"""Dask: a frame's partitions become tallies where they lie, and the tallies are merged as a tree."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from assay.engines.distributed_tally import (
    finish_scan,
    labels_of_scan,
    labels_request,
    merge_parts,
    tally_partition,
)
from assay.engines.duckdb import dependency
from assay.errors import InputError, LengthError
from assay.inputs.frames import Table, no_such_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.engines.local_scan import Scan
    from assay.engines.scan_request import ScanRequest
    from assay.inputs import Column

__all__ = ["scan_frame"]

_NAME: Final = "the Dask frame"
_BRANCHES: Final = 8  # tallies that one task merges: what a worker holds of them, and how deep the tree is


def scan_frame(frame: Any, request: ScanRequest, progress: Callable[[int], object] | None = None) -> Scan:
    """Return what is asked for of a Dask frame's rows: the very tallies that the same rows give as arrays.

    The frame may also be a list of delayed tables (or futures of such), one per partition. `memory` is meant
    for each task; `threads` are those of a task, as many as Dask gives it unless said; `progress` is called
    once, at the end. ``files`` counts the partitions.

    It runs wherever Dask runs: on the cluster of the current client, or in this process.

    Examples
    --------
    >>> import assay, dask
    >>> from assay.engines import scan
    >>> halves = [{"y": [0, 1], "s": [0.2, 0.9]}, {"y": [1, 0], "s": [0.6, 0.7]}]
    >>> pieces = [dask.delayed(one) for one in halves]
    >>> found = scan(pieces, actual="y", score="s", tallies={"ranks": assay.Scores})
    >>> found.rows, found.files
    (4, 2)
    """
    dask = dependency("dask", "assay-metrics[dask]", "reading a Dask frame")
    if request.needs_labels():
        request = request.with_labels(labels_of_scan(scan_frame(frame, labels_request(request))))
    request.check_labels()
    pieces = _pieces(frame, request.column_names())
    if not pieces:
        raise LengthError(f"{_NAME} has no partitions.")
    # Not "pure": Dask would name tasks by what it takes for their content, and two names may fall together.
    tally, merge = dask.delayed(_tally, pure=False), dask.delayed(_merge, pure=False)
    sent_request = dask.delayed(request, pure=False, traverse=False)  # sent once, not with every task
    parts = [tally(piece, sent_request, index) for index, piece in enumerate(pieces)]
    while len(parts) > 1:
        parts = [merge(parts[at : at + _BRANCHES], sent_request) for at in range(0, len(parts), _BRANCHES)]
    (data,) = dask.compute(*parts)
    result = finish_scan(data, request, _NAME)
    if progress is not None:
        progress(result.rows + result.dropped)
    return result


def _pieces(frame: Any, names: Sequence[str]) -> list[Any]:
    """Return the partitions, of a frame with the wanted columns only."""
    if isinstance(frame, (list, tuple)):
        _refuse_twins(frame)
        return list(frame)
    delayed = dependency("dask.delayed", "assay-metrics[dask]", "reading a Dask frame").Delayed
    if isinstance(frame, delayed) or not hasattr(frame, "to_delayed"):  # a delayed table has any attribute
        return [frame]
    if not hasattr(frame, "columns"):
        raise InputError(
            f"a Dask {type(frame).__name__} is no frame: pass a dask.dataframe, or a list of delayed tables."
        )
    frame_names = list(frame.columns)
    for name in names:
        if name not in frame_names:
            raise no_such_column(name, frame_names, f" in {_NAME}")
    return list(frame[list(names)].to_delayed())


def _refuse_twins(pieces: Sequence[Any]) -> None:
    """Raise where two partitions have one name: then one of them is lost, and the other counted twice.

    Dask names what is scattered by its content, and does not tell slices of one Arrow table apart.
    """
    index_by_key: dict[Any, int] = {}
    for index, piece in enumerate(pieces):
        key = getattr(piece, "key", index)
        if key in index_by_key:
            raise InputError(
                f"partitions {index_by_key[key]:,} and {index:,} are one to Dask, which may mistake tables "
                "for each other: give each a name of its own, as client.scatter(..., hash=False) does."
            )
        index_by_key[key] = index


def _tally(piece: Any, request: ScanRequest, index: int) -> bytes:
    def columns() -> Iterator[tuple[dict[str, Column], int]]:
        table = Table(piece)
        by_name = {name: table.column(name) for name in request.column_names()}
        where = functools.partial(_where, index)
        for column in by_name.values():
            column.place = where
        count = len(next(iter(by_name.values())))
        if count:
            yield by_name, count

    return tally_partition(columns(), request, index)


def _where(index: int, row: int) -> str:
    return f"row {row:,} of partition {index:,} of {_NAME}, counting from 0"


def _merge(parts: list[bytes], request: ScanRequest) -> bytes:
    return merge_parts(parts, request, "frame.shuffle")
