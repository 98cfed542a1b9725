"""Scan files: read rows batch by batch and tally them while the next are read, in bounded memory."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from assay.engines.batches import BatchGroup, BufferPool, limited_threads, prefetch
from assay.engines.delimited import settled
from assay.engines.dispatch import cluster_of
from assay.engines.duckdb import Again
from assay.engines.file_formats import source as find
from assay.engines.scan_request import ScanRequest
from assay.engines.sources import Source
from assay.errors import LengthError
from assay.inputs import encode, label_union

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from assay.engines.accumulator import TallyAccumulator
    from assay.engines.duckdb import Database
    from assay.inputs import Column, Label
    from assay.tallies import Collection, Tally

__all__ = ["Scan", "scan"]

# Shares of the memory limit: DuckDB has a fifth, a group of batches a 32nd (two groups, a joined copy and the
# working space of a sort exist at once), the tallies a sixth.
_DATABASE: Final = 5
_BATCHES: Final = 32
_SINGLE: Final = 1 << 14  # rows from which on a batch is tallied by itself
_PROGRESS_INTERVAL: Final = 0.05  # seconds between two reports of how many rows were read


@dataclasses.dataclass(frozen=True)
class Scan(Mapping[str, Any]):
    """The result of a scan: a mapping from name to tally, with the numbers of rows.

    ``rows`` were tallied and ``dropped`` left out because a value was missing; ``notes`` explains decisions,
    as that scores were counted in bins.
    """

    tallies: Collection
    rows: int
    dropped: int
    files: int
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Tally:
        return self.tallies[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tallies)

    def __len__(self) -> int:
        return len(self.tallies)


def scan(
    data: Any,
    *,
    tallies: Mapping[str, Callable[..., Tally] | type[Tally]],
    actual: str | Sequence[str] | None = None,
    predicted: str | Sequence[str] | None = None,
    score: str | Sequence[str] | Mapping[Label, str] | None = None,
    weight: str | None = None,
    group: str | None = None,
    query: str | None = None,
    key: str | None = None,
    by: str | Sequence[str] = (),
    second: Mapping[str, str] | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    missing: Literal["refuse", "drop"] = "refuse",
    edges: Mapping[str, Sequence[float]] | None = None,
    memory: int | str = "1GiB",
    threads: int | None = None,
    bits: int = 18,
    progress: Callable[[int], object] | None = None,
) -> Scan:
    """Read rows once, from a file or anything :func:`~assay.engines.source` knows, and return their tallies.

    The tallies are the very ones that the same rows give as arrays, whatever the batches, the threads or
    the order of files.

    Parameters
    ----------
    data
        A source, or the path, pattern or folder to make one of.
    tallies
        By name a tally, or a function that makes one of rows.
    actual, predicted, score, weight, group, query, key, by
        The columns of each role; the others are not read. `score` may be a list of columns, one per class,
        or a mapping from label to column. Rows of several labels or outputs have a list of columns for
        `actual`, and for `predicted` or `score`.
    second
        The columns of a second model on the same rows, as ``{"score": "p_b"}``: other roles are those of the
        first. Tallies are then made of two rows each, as :class:`assay.PairedScores` is.
    labels, positive, missing
        As for :func:`assay.rows`. A row that lacks a value of any column is dropped for both models.
    edges
        For a column of `by` that holds numbers, where to cut it (see :func:`assay.cut`).
    memory
        What the scan may take beyond the process that runs it. Where exact scores would not fit into their
        part of it, a sixth, they are counted in bins, and ``notes`` says so.
    threads
        How many threads read and count; all cores unless said.
    bits
        How many bins there are then: about ``2**bits``.
    progress
        Called with the number of rows read so far, now and then.

    Returns
    -------
    Scan
        The tallies by name, how many rows were read and dropped, and notes.

    Raises
    ------
    InputError
        A setting does not fit.
    FileError
        The data cannot be read.
    ColumnError
        A column is not there, or holds what its role does not take.
    MissingValueError
        A value is missing, and `missing` is ``"refuse"``.
    LabelError
        A label was not declared.
    NumberError
        A number is not finite.

    Examples
    --------
    >>> import assay
    >>> from assay.engines import scan, source
    >>> sums = source(sql="SELECT i % 2 AS y, i / 100 AS s FROM range(100) t(i)")
    >>> found = scan(sums, actual="y", score="s", tallies={"ranks": assay.Scores})
    >>> found.rows, found["ranks"].n
    (100, 100)
    """
    request = ScanRequest.of(
        tallies=tallies, actual=actual, predicted=predicted, score=score, weight=weight, group=group,
        query=query, key=key, by=by, second=second, labels=labels, positive=positive, missing=missing,
        edges=edges, memory=memory, threads=threads, bits=bits,
    )  # fmt: skip
    engine = cluster_of(data)
    if engine is not None:
        return engine(data, request, progress)
    limit = request.memory
    origin = data if isinstance(data, Source) else find(data)
    plan = _Plan(request, limit // _BATCHES)
    with limited_threads(threads) as count, origin.open(memory=limit // _DATABASE, threads=count) as database:
        kinds = plan.prepare(origin, database)
        while True:
            accumulator = request.new_accumulator()
            try:
                plan.run(origin, database, kinds, accumulator, progress)
                break
            except Again as retry:  # text was taken for something narrower, say: once more, as what it is
                retry.note(kinds)
    return Scan(
        accumulator.result(),
        accumulator.rows,
        accumulator.dropped,
        len(origin.parts),
        tuple(accumulator.notes),
    )


@dataclasses.dataclass
class _Plan:
    """A scan request, and how many bytes of rows are tallied at a time."""

    request: ScanRequest
    group_size: int  # bytes
    column_names: list[str] = dataclasses.field(default_factory=list)

    def prepare(self, origin: Source, database: Database) -> dict[str, str]:
        """Check the columns of every file, and return the types that columns of text are read as."""
        role_columns = self.request.role_columns()
        self.column_names = self.request.column_names()
        # Scores, weights and columns that are cut are read as numbers.
        numbers = [
            name for role, name in role_columns if role in ("score", "weight") or name in self.request.edges
        ]
        kinds = origin.kinds(database, self.column_names, numbers)
        if self.request.needs_labels():
            self._find_labels(origin, database, kinds)
        self.request.check_labels()
        return kinds

    def _find_labels(self, origin: Source, database: Database, kinds: dict[str, str]) -> None:
        """Read the actual labels, which name the columns of scores, in a pass of its own."""
        label_plan = dataclasses.replace(self, column_names=[self.request.roles["actual"]])
        while True:
            labels: tuple[Label, ...] = ()
            try:
                for batch_group in label_plan.batch_groups(origin, database, kinds):
                    columns = label_plan.columns(batch_group, database, kinds).values()
                    for column in columns:
                        missing = column.absent()
                        complete = column if missing is None else column.take(~missing)
                        labels = label_union(labels, encode(complete)[1])
            except Again as retry:
                retry.note(kinds)
                continue
            break
        self.request = self.request.with_labels(labels)

    def run(
        self,
        origin: Source,
        database: Database,
        kinds: Mapping[str, str],
        accumulator: TallyAccumulator,
        progress: Callable[[int], object] | None,
    ) -> None:
        """Read every file and accumulate the tallies of its rows."""
        read = 0
        waiting: BatchGroup | None = None  # its last query may continue in the next group
        lock = threading.Lock()  # groups are tallied in this thread, single batches in the one that reads
        simple = not self.request.second and not self.request.roles.keys() & {"weight", "query"}

        def tally(batch_group: BatchGroup) -> None:
            with lock:
                self._gather(batch_group, database, kinds, accumulator)

        def tally_batch(batch: Any, name: str, first: int) -> bool:
            if not (simple and accumulator.at_once):
                return False
            single = BatchGroup()
            single.add(batch, name, first)
            tally(single)
            return True

        with prefetch(self.batch_groups(origin, database, kinds, tally_batch), database.interrupt) as groups:
            for fresh in groups:
                read += fresh.rows
                batch_group: BatchGroup | None = fresh
                if "query" in self.request.roles:
                    batch_group, waiting = waiting, fresh
                    if batch_group is not None and batch_group.schema == fresh.schema:
                        waiting = self._unfinished(batch_group, database, kinds).extend(fresh)
                if batch_group is not None:
                    tally(batch_group)
                if progress is not None:
                    progress(read)
        if waiting is not None:
            self._gather(waiting, database, kinds, accumulator)
        if not read:
            raise LengthError(f"{origin.name} holds no rows, only the names of columns.")

    def batch_groups(
        self,
        origin: Source,
        database: Database,
        kinds: Mapping[str, str],
        tally_batch: Callable[[Any, str, int], bool] = lambda *_: False,
    ) -> Generator[BatchGroup, None, None]:
        """Yield the rows of all files in groups of batches of one schema.

        Where `tally_batch` tallies a batch by itself, still in the processor's cache, only the number of its
        rows is yielded, now and then.
        """
        whole = "query" in self.request.roles
        buffers = BufferPool()
        batch_group, tallied, reported = (
            BatchGroup(self.group_size, whole, buffers),
            BatchGroup(),
            time.monotonic(),
        )
        for part in origin.parts:
            first = 0
            for batch in _pieces(part.batches(database, self.column_names, kinds), self.group_size):
                if batch_group.rows and (
                    batch_group.size >= self.group_size or batch_group.schema != batch.schema
                ):
                    yield batch_group
                    batch_group = BatchGroup(self.group_size, whole, buffers)
                if batch.num_rows >= _SINGLE and tally_batch(batch, part.name, first):
                    tallied.rows += batch.num_rows
                    if time.monotonic() > reported + _PROGRESS_INTERVAL:
                        yield tallied
                        tallied, reported = BatchGroup(), time.monotonic()
                else:
                    batch_group.add(batch, part.name, first)
                first += batch.num_rows
        for group in (batch_group, tallied):
            if group.rows:
                yield group

    def columns(
        self, batch_group: BatchGroup, database: Database, kinds: Mapping[str, str]
    ) -> dict[str, Column]:
        """Return the columns of a group by name."""
        by_name = batch_group.columns(self.column_names, database.table)
        for name, column in by_name.items():
            by_name[name] = settled(column, kinds.get(name, ""))
        return by_name

    def _gather(
        self,
        batch_group: BatchGroup,
        database: Database,
        kinds: Mapping[str, str],
        accumulator: TallyAccumulator,
    ) -> None:
        if not batch_group.parts:
            return
        self.request.accumulate(self.columns(batch_group, database, kinds), batch_group.rows, accumulator)

    def _unfinished(
        self, batch_group: BatchGroup, database: Database, kinds: Mapping[str, str]
    ) -> BatchGroup:
        """Cut the rows of the last query off a group, because more of them may follow."""
        name = self.request.roles["query"]
        column = settled(batch_group.columns([name], database.table)[name], kinds.get(name, ""))
        codes, _ = encode(dataclasses.replace(column, missing=None))  # missing values are checked elsewhere
        earlier = np.flatnonzero(codes != codes[-1])
        return batch_group.split(int(earlier[-1]) + 1 if len(earlier) else 0)


def _pieces(batches: Iterator[Any], limit: int) -> Iterator[Any]:
    """Yield non-empty batches; wide ones are cut to about a limit of bytes."""
    for batch in batches:
        rows = batch.num_rows
        step = max(rows * limit // max(batch.nbytes, 1), _SINGLE)
        if rows <= 2 * step:
            if rows:
                yield batch
            continue
        for start in range(0, rows, step):
            yield batch.slice(start, min(step, rows - start))
