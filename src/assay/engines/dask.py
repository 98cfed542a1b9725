"""Dask: a frame's partitions become tallies where they lie, and the tallies are merged as a tree."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from assay.engines.distributed_tally import alone, finished, labels_of, merged, tallied
from assay.engines.duckdb import dependency
from assay.errors import InputError, LengthError
from assay.inputs.frames import Table, no_such_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.engines.local_scan import Scan
    from assay.engines.scan_request import ScanRequest
    from assay.inputs import Column

__all__ = ["scanned"]

_NAME: Final = "the Dask frame"
_BRANCHES: Final = 8  # tallies that one task merges: what a worker holds of them, and how deep the tree is


def scanned(frame: Any, asked: ScanRequest, progress: Callable[[int], object] | None = None) -> Scan:
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
    if asked.needs_labels():
        asked = asked.with_labels(labels_of(scanned(frame, alone(asked))))
    asked.check_labels()
    pieces = _pieces(frame, asked.wanted())
    if not pieces:
        raise LengthError(f"{_NAME} has no partitions.")
    # Not "pure": Dask would name tasks by what it takes for their content, and two names may fall together.
    tally, merge = dask.delayed(_tally, pure=False), dask.delayed(_merge, pure=False)
    question = dask.delayed(asked, pure=False, traverse=False)  # sent once, not with every task
    parts = [tally(piece, question, place) for place, piece in enumerate(pieces)]
    while len(parts) > 1:
        parts = [merge(parts[at : at + _BRANCHES], question) for at in range(0, len(parts), _BRANCHES)]
    (data,) = dask.compute(*parts)
    result = finished(data, asked, _NAME)
    if progress is not None:
        progress(result.rows + result.dropped)
    return result


def _pieces(frame: Any, wanted: Sequence[str]) -> list[Any]:
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
    names = list(frame.columns)
    for name in wanted:
        if name not in names:
            raise no_such_column(name, names, f" in {_NAME}")
    return list(frame[list(wanted)].to_delayed())


def _refuse_twins(pieces: Sequence[Any]) -> None:
    """Raise where two partitions have one name: then one of them is lost, and the other counted twice.

    Dask names what is scattered by its content, and does not tell slices of one Arrow table apart.
    """
    seen: dict[Any, int] = {}
    for place, piece in enumerate(pieces):
        key = getattr(piece, "key", place)
        if key in seen:
            raise InputError(
                f"partitions {seen[key]:,} and {place:,} are one to Dask, which may mistake tables for each "
                "other: give each a name of its own, as client.scatter(..., hash=False) does."
            )
        seen[key] = place


def _tally(piece: Any, asked: ScanRequest, place: int) -> bytes:
    def columns() -> Iterator[tuple[dict[str, Column], int]]:
        table = Table(piece)
        found = {name: table.column(name) for name in asked.wanted()}
        where = functools.partial(_where, place)
        for one in found.values():
            one.place = where
        count = len(next(iter(found.values())))
        if count:
            yield found, count

    return tallied(columns(), asked, place)


def _where(place: int, row: int) -> str:
    return f"row {row:,} of partition {place:,} of {_NAME}, counting from 0"


def _merge(parts: list[bytes], asked: ScanRequest) -> bytes:
    return merged(parts, asked, "frame.shuffle")
