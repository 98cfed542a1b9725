"""Spark: a frame's partitions become tallies where they lie, and the tallies are merged there, too."""

from __future__ import annotations

import contextlib
import functools
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal

from assay.engines.accumulator import in_words
from assay.engines.distributed_auc import Above, Areas, Stretch, above, areas, precision_sum
from assay.engines.distributed_tally import (
    bytes_or_refusal,
    columns_of,
    finish_scan,
    labels_of_scan,
    labels_request,
    merge_parts,
    tally_partition,
    unpack_or_raise,
)
from assay.engines.duckdb import dependency
from assay.engines.scan_request import ScanRequest
from assay.errors import AssayError, ColumnError, InputError, LabelError, LengthError, MissingDependencyError
from assay.hints import param
from assay.inputs.frames import no_such_column
from assay.tallies import Scores, serialization
from assay.tallies.scores.scores import same_positive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from assay.engines.local_scan import Scan
    from assay.inputs import Label
    from assay.tallies.exact_numbers import Dyadic

__all__ = ["exact_areas", "scan_frame"]

_NAME: Final = "the Spark frame"
_PARTS: Final = "part binary, place bigint"
_STRETCHES: Final = "part binary, counts binary"
_LARGEST: Final = 1 << 30  # bytes: Arrow and Spark move no value beyond 2 GiB, and a merge may double one
_AS_NUMBERS: Final = ("decimal",)
_AS_TEXT: Final = ("date", "timestamp", "timestamp_ntz")
_AS_THEY_ARE: Final = (
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "varchar", "char", "void",
)  # fmt: skip


def scan_frame(frame: Any, request: ScanRequest, progress: Callable[[int], object] | None = None) -> Scan:
    """Return what is asked for of a Spark frame's rows: the very tallies that the same rows give as arrays.

    `memory` is meant for each task; `threads` are those of a task, as many as Spark gives it unless said;
    `progress` is called once, at the end. ``files`` counts the partitions.

    Each partition becomes bytes of at most a sixth of `memory`, which Spark merges in two rounds. The driver
    receives one tally, whatever the number of rows or partitions.
    """
    dependency("pyspark.sql", "assay-metrics[spark]", "reading a Spark frame")
    dependency("pyarrow", "assay-metrics[spark]", "reading a Spark frame")
    if request.share > _LARGEST:
        raise InputError(
            f"{param('memory', in_words(request.memory))} lets tallies become larger than Spark can move: "
            f"give at most {in_words(6 * _LARGEST)}."
        )
    if type(frame).__module__.startswith("pyspark.pandas"):
        frame = frame.to_spark()
    if request.needs_labels():
        request = request.with_labels(labels_of_scan(scan_frame(frame, labels_request(request))))
    request.check_labels()
    chosen = _selected(frame, request.column_names())
    parts = chosen.mapInArrow(functools.partial(_tally, request), _PARTS)
    # How many tasks merge first is Spark's to choose, by the size of the tallies; then one merges theirs.
    merge = functools.partial(_merge, request)
    parts = parts.repartition("place").mapInArrow(merge, _PARTS).repartition(1).mapInArrow(merge, _PARTS)
    with _translate_errors():
        rows = parts.collect()
    if not rows:
        raise LengthError(f"{_NAME} holds no rows, only the names of columns.")
    result = finish_scan(bytes(rows[0]["part"]), request, _NAME)
    if progress is not None:
        progress(result.rows + result.dropped)
    return result


def exact_areas(
    frame: Any,
    *,
    actual: str,
    score: str,
    positive: Label | None = None,
    missing: Literal["refuse", "drop"] = "refuse",
    partitions: int | None = None,
) -> Areas:
    """Return the exact area under the ROC curve, and average precision, of any number of distinct scores.

    Spark brings rows of near scores together (``repartitionByRange``), each partition becomes an exact tally
    there, and the driver receives a handful of numbers of each: it holds no list of scores. The area is a
    fraction of integers. A partition must fit its worker, at about 50 bytes per distinct score.

    :func:`assay.engines.scan` is one pass without a shuffle of the rows, and exact itself up to its part of
    `memory`; beyond that it gives certain bounds. Come here where those are too wide, or an exact figure is
    due.

    Parameters
    ----------
    frame
        A Spark frame that gives the same rows whenever it is read.
    actual, score
        The names of its columns.
    positive, missing
        As for :func:`assay.rows`.
    partitions
        Into how many stretches the scores are cut; as Spark chooses unless said.

    Returns
    -------
    Areas
        The area as a fraction, average precision, and how many rows there are.

    Raises
    ------
    ColumnError
        A column is not there, or holds neither labels nor scores.
    LabelError
        No label is declared positive, where that is not clear; or there are no rows of one class.
    MissingValueError
        A value is missing, and `missing` is ``"refuse"``.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> frame = spark.createDataFrame([(0, 0.1), (1, 0.8), (1, 0.3)], "y int, p double")
    >>> exact_areas(frame, actual="y", score="p").auc
    Fraction(1, 1)
    """
    request = ScanRequest.of(
        tallies={"ranks": Scores}, actual=actual, score=score, positive=positive, missing=missing
    )
    chosen = _selected(frame, request.column_names())
    column = f"c{request.column_names().index(score)}"
    ranged = chosen.repartitionByRange(*([partitions] if partitions else []), column)
    # Kept, so that the second job sees the stretches of the first: cut anew they may be others.
    ranked = ranged.mapInArrow(functools.partial(_rank, request), _STRETCHES).persist()
    try:
        with _translate_errors():
            ranks = [unpack_or_raise(bytes(row["part"])) for row in ranked.select("part").collect()]
        positive, lowest = None, set()
        for label, lows, *_ in ranks:
            positive = same_positive(positive, label)
            lowest.update(lows)
        if {-1.0, 0.0} <= lowest and request.label_options["positive"] is None:
            raise LabelError(
                f"the actual labels hold both -1 and 0: say which one is positive with {param('positive')}."
            )
        stretches = [Stretch(*numbers) for _, _, numbers, _ in ranks if numbers]
        sum_precision = functools.partial(_precision, above(stretches))
        with _translate_errors():
            sums = ranked.select("counts").mapInArrow(sum_precision, _STRETCHES).collect()
        terms: list[Dyadic] = [unpack_or_raise(bytes(row["part"]))[0] for row in sums]
        return areas(stretches, terms, sum(dropped for *_, dropped in ranks))
    finally:
        ranked.unpersist()


def _rank(request: ScanRequest, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield what the driver must know of a stretch of scores, and its counts in order."""
    index, names, counts = _partition_index(), request.column_names(), b""

    def rank() -> bytes:
        nonlocal counts
        name = f"partition {index:,} of {_NAME}, cut by score"
        gathered = request.new_accumulator(unlimited=True)
        for columns, count in columns_of((batch.rename_columns(names) for batch in batches), request, name):
            request.accumulate(columns, count, gathered)
        part = gathered.part()
        tally: Any = Scores() if part.tallies is None else part.tallies["ranks"]
        numbers = tuple(Stretch.of(tally, index)) if len(tally.scores) else ()
        counts = serialization.pack("counts", (index, tally.positives, tally.negatives))
        return serialization.pack("stretch", (tally.positive, part.lowest, numbers, part.dropped))

    yield _row(bytes_or_refusal(rank, index), counts)


def _precision(above_by_number: dict[int, Above], batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the sum of precision of each stretch."""
    for batch in batches:
        for value in batch.column("counts"):
            _, (index, positives, negatives) = serialization.unpack(value.as_py())
            if len(positives):
                sums = functools.partial(precision_sum, positives, negatives, above_by_number[index])
                yield _row(bytes_or_refusal(lambda: serialization.pack("sum", (sums(),)), index), b"")  # noqa: B023 - called at once


def _selected(frame: Any, chosen: Sequence[str]) -> Any:
    """Return the wanted columns of a frame as ``c0``, ``c1``..., each in a type that rows can hold.

    Spark would take a dot within a name for a field of something.
    """
    functions = dependency("pyspark.sql.functions", "assay-metrics[spark]", "reading a Spark frame")
    if not callable(getattr(frame, "mapInArrow", None)):
        raise InputError(
            f"a Spark {type(frame).__name__} is no frame: pass a DataFrame, and names of its columns."
        )
    if frame.isStreaming:
        raise InputError(
            f"{_NAME} is a stream, which has no end: judge its batches as they come, with "
            "writeStream.foreachBatch, and merge what is found."
        )
    with _translate_errors():
        types = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
    names = [name for name, _ in types]
    spellings = Counter(name.lower() for name in names)
    for name in chosen:
        if name not in names:
            raise no_such_column(name, names, f" in {_NAME}")
        if spellings[name.lower()] > 1:
            raise ColumnError(
                f'two columns of {_NAME} are named "{name}" (capitals aside): rename one of them.'
            )
    kinds = dict(types)
    return frame.select(
        *(_cast(functions, name, kinds[name]).alias(f"c{at}") for at, name in enumerate(chosen))
    )


def _cast(functions: Any, name: str, kind: str) -> Any:
    column = functions.col("`" + name.replace("`", "``") + "`")
    plain = re.split(r"[(<]", kind, maxsplit=1)[0]
    if plain in _AS_NUMBERS:
        return column.cast("double")
    if plain in _AS_TEXT:
        return column.cast("string")
    if plain not in _AS_THEY_ARE:
        raise ColumnError(
            f'the column "{name}" of {_NAME} is of type {kind}, which holds neither text nor plain numbers. '
            "Choose another, or convert it first."
        )
    return column


def _tally(request: ScanRequest, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the one row that a partition's rows become."""
    index = _partition_index()
    names = request.column_names()
    pieces = columns_of(
        (batch.rename_columns(names) for batch in batches), request, f"partition {index:,} of {_NAME}"
    )
    yield _row(tally_partition(pieces, request, index), index)


def _merge(request: ScanRequest, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the one row that the rows of several partitions become, or none of none."""
    parts = (value.as_py() for batch in batches for value in batch.column("part"))
    first = next(parts, None)
    if first is not None:
        everything = (data for part_group in ((first,), parts) for data in part_group)
        yield _row(merge_parts(everything, request, "frame.repartition"), _partition_index())


def _partition_index() -> int:
    context = dependency("pyspark", "assay-metrics[spark]", "a Spark task").TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def _row(data: bytes, beside: int | bytes) -> Any:
    """Return a batch of one row: bytes, and a number or more bytes."""
    pa = dependency("pyarrow", "assay-metrics[spark]", "a Spark task")
    return pa.record_batch({"part": [data], "counts" if isinstance(beside, bytes) else "place": [beside]})


@contextlib.contextmanager
def _translate_errors() -> Iterator[None]:
    """Say in our words what only Spark could find out."""
    errors = dependency("pyspark.errors", "assay-metrics[spark]", "reading a Spark frame")
    try:
        yield
    except AssayError:
        raise
    except errors.PySparkException as failed:
        if "No module named 'assay'" in str(failed):
            raise MissingDependencyError(
                "Spark's workers cannot import assay: install the same version there, into the Python that "
                "spark.pyspark.python names."
            ) from None
        raise
