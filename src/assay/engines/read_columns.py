"""Read whole columns of files into memory, for what needs the rows and not tallies of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.engines.accumulator import as_bytes
from assay.engines.batches import BatchGroup, prefetch
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

    Parameters
    ----------
    data
        A source, or what one is made of: a path, a pattern, a folder.
    columns
        Names of columns.
    numbers
        Those of them that must be numbers.
    most
        About how many rows to read, from the beginning.
    memory
        What the reader may take beside the columns.
    threads
        How many threads read.
    progress
        Called with the number of rows read so far, now and then.

    Returns
    -------
    dict[str, Column]
        The columns by name.

    Raises
    ------
    FileError
        The data cannot be read.
    ColumnError
        A column is not there.
    NumberError
        A column of `numbers` holds something else.
    LengthError
        The columns came out at different lengths.

    Examples
    --------
    >>> from assay.engines import read, source
    >>> found = read(source(sql="SELECT i AS n, 'r' || i % 2 AS half FROM range(3) t(i)"), ["n", "half"])
    >>> found["n"].values.tolist(), found["half"].labels
    ([0, 1, 2], ('r0', 'r1'))
    """
    origin = data if isinstance(data, Source) else find(data)
    names = list(dict.fromkeys(columns))
    with origin.open(memory=as_bytes(memory) // _DATABASE, threads=threads) as database:
        kinds = origin.kinds(database, names, numbers)
        while True:
            try:
                pieces = _read_pieces(origin, database, names, kinds, most=most, progress=progress)
                # Read by a thread, so that this one can be interrupted while DuckDB is at work.
                with prefetch(pieces, database.interrupt) as ready:
                    tables = [
                        {name: settled(column, kinds.get(name, "")) for name, column in piece.items()}
                        for piece in ready
                    ]
                break
            except Again as again:  # text was taken for something narrower, say: once more, as what it is
                again.note(kinds)
    if not tables:
        raise LengthError(f"{origin.name} holds no rows, only the names of columns.")
    return {name: _joined([piece[name] for piece in tables]) for name in names}


def _read_pieces(
    origin: Source,
    database: Database,
    names: list[str],
    kinds: Mapping[str, str],
    *,
    most: int | None,
    progress: Callable[[int], object] | None,
) -> Generator[dict[str, Column], None, None]:
    """Yield the columns of all rows, a piece for each run of batches with one schema."""
    piece, read_so_far = BatchGroup(whole=False), 0
    for part in origin.parts:
        first = 0
        for batch in part.batches(database, names, kinds):
            if not batch.num_rows:
                continue
            if piece.rows and piece.schema != batch.schema:
                yield piece.columns(names, database.table)
                piece = BatchGroup(whole=False)
            piece.add(batch, part.name, first)
            first += batch.num_rows
            read_so_far += batch.num_rows
            if progress is not None:
                progress(read_so_far)
            if most is not None and read_so_far >= most:
                break
        if most is not None and read_so_far >= most:
            break
    if piece.rows:
        yield piece.columns(names, database.table)


def _joined(pieces: list[Column]) -> Column:
    """Concatenate columns; the position of a row is still that within its own piece."""
    first, *more = pieces
    if not more:
        return first
    ends = np.cumsum([len(column) for column in pieces])

    def row_position(row: int) -> str:
        index = int(np.searchsorted(ends, row, side="right"))
        return pieces[index].where(row - (int(ends[index - 1]) if index else 0))

    missing = None
    if any(column.missing is not None for column in pieces):
        missing = np.concatenate(
            [
                np.zeros(len(column), dtype=bool) if column.missing is None else column.missing
                for column in pieces
            ]
        )
    if all(column.labels is None for column in pieces):
        return Column(
            first.name,
            np.concatenate([column.values for column in pieces]),
            None,
            missing,
            None,
            row_position,
        )
    labels: tuple[Any, ...] = ()
    for column in pieces:
        labels = label_union(labels, _labels(column))
    codes, _ = kernels.encode_integers(np.concatenate([_codes(column, labels) for column in pieces]))
    return Column(first.name, codes, labels, missing, None, row_position)


def _labels(column: Column) -> tuple[Any, ...]:
    return tuple(np.unique(column.values).tolist()) if column.labels is None else column.labels


def _codes(column: Column, labels: tuple[Any, ...]) -> Any:
    """Return the index of every row's label among the labels of all pieces."""
    own = _labels(column)
    if not own:  # every row lacks a value
        return np.zeros(len(column), dtype=np.uint64)
    codes = np.unique(column.values, return_inverse=True)[1] if column.labels is None else column.values
    return translate(own, labels)[codes]
