"""Columns of files as a whole: for what needs the rows themselves, and not their tallies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.engines.accumulator import as_bytes
from assay.engines.batches import BatchGroup, ahead
from assay.engines.delimited import settled
from assay.engines.duckdb import Again
from assay.engines.file_formats import source as find
from assay.engines.sources import Source
from assay.errors import LengthError
from assay.inputs import Column, label_union
from assay.inputs.labels import translate

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from assay.engines.duckdb import Database

__all__ = ["read"]

_DATABASE = 5  # the part of a limit of memory that is DuckDB's own, as for a scan


def read(
    data: Any,
    columns: Sequence[str],
    *,
    numbers: Sequence[str] = (),
    most: int | None = None,
    memory: int | str = "1GiB",
    threads: int = 2,
    progress: Callable[[int], object] | None = None,
) -> dict[str, Column]:
    """Return columns of a file, or of anything :func:`~assay.engines.source` knows, by name.

    They are held in memory, all rows of them, or about the first `most` of them. `numbers` are columns that
    must be numbers; what a column of text holds otherwise is decided as for :func:`~assay.engines.scan`.
    `memory` is what the reader may take beside the columns, and `progress` is called with the number of rows
    read so far.

    >>> from assay.engines import read, source
    >>> found = read(source(sql="SELECT i AS n, 'r' || i % 2 AS half FROM range(3) t(i)"), ["n", "half"])
    >>> found["n"].values.tolist(), found["half"].labels
    ([0, 1, 2], ('r0', 'r1'))
    """
    origin = data if isinstance(data, Source) else find(data)
    wanted = list(dict.fromkeys(columns))
    with origin.open(memory=as_bytes(memory) // _DATABASE, threads=threads) as database:
        kinds = origin.kinds(database, wanted, numbers)
        while True:
            try:
                pieces = _lots(origin, database, wanted, kinds, most=most, progress=progress)
                # Read by a thread, so that this one can be interrupted while DuckDB is at work.
                with ahead(pieces, database.interrupt) as ready:
                    lots = [
                        {name: settled(one, kinds.get(name, "")) for name, one in lot.items()}
                        for lot in ready
                    ]
                break
            except Again as again:  # text was taken for something narrower, say: once more, as what it is
                again.note(kinds)
    if not lots:
        raise LengthError(f"{origin.name} holds no rows, only the names of columns.")
    return {name: _joined([lot[name] for lot in lots]) for name in wanted}


def _lots(
    origin: Source,
    database: Database,
    wanted: list[str],
    kinds: Mapping[str, str],
    *,
    most: int | None,
    progress: Callable[[int], object] | None,
) -> Generator[dict[str, Column], None, None]:
    """Yield the columns of all rows, in as many pieces as there are schemas one after another."""
    lot, read_so_far = BatchGroup(whole=False), 0
    for part in origin.parts:
        first = 0
        for batch in part.batches(database, wanted, kinds):
            if not batch.num_rows:
                continue
            if lot.rows and lot.schema != batch.schema:
                yield lot.columns(wanted, database.table)
                lot = BatchGroup(whole=False)
            lot.add(batch, part.name, first)
            first += batch.num_rows
            read_so_far += batch.num_rows
            if progress is not None:
                progress(read_so_far)
            if most is not None and read_so_far >= most:
                break
        if most is not None and read_so_far >= most:
            break
    if lot.rows:
        yield lot.columns(wanted, database.table)


def _joined(pieces: list[Column]) -> Column:
    """Return columns one after another as one; where a row is, each still says itself."""
    first, *others = pieces
    if not others:
        return first
    ends = np.cumsum([len(one) for one in pieces])

    def place(row: int) -> str:
        at = int(np.searchsorted(ends, row, side="right"))
        return pieces[at].where(row - (int(ends[at - 1]) if at else 0))

    missing = None
    if any(one.missing is not None for one in pieces):
        missing = np.concatenate(
            [np.zeros(len(one), dtype=bool) if one.missing is None else one.missing for one in pieces]
        )
    if all(one.labels is None for one in pieces):
        return Column(first.name, np.concatenate([one.values for one in pieces]), None, missing, None, place)
    labels: tuple[Any, ...] = ()
    for one in pieces:
        labels = label_union(labels, _labels(one))
    codes, _ = kernels.encode_integers(np.concatenate([_codes(one, labels) for one in pieces]))
    return Column(first.name, codes, labels, missing, None, place)


def _labels(one: Column) -> tuple[Any, ...]:
    return tuple(np.unique(one.values).tolist()) if one.labels is None else one.labels


def _codes(one: Column, labels: tuple[Any, ...]) -> Any:
    """Return the place of every row's label among the labels of all pieces."""
    mine = _labels(one)
    if not mine:  # every row lacks a value
        return np.zeros(len(one), dtype=np.uint64)
    codes = np.unique(one.values, return_inverse=True)[1] if one.labels is None else one.values
    return translate(mine, labels)[codes]
