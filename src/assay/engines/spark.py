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
    alone,
    columns_of,
    finished,
    labels_of,
    merged,
    tallied,
    told,
    undone,
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

__all__ = ["exact_areas", "scanned"]

_NAME: Final = "the Spark frame"
_PARTS: Final = "part binary, place bigint"
_STRETCHES: Final = "part binary, counts binary"
_LARGEST: Final = 1 << 30  # bytes: Arrow and Spark move no value beyond 2 GiB, and a merge may double one
_AS_NUMBERS: Final = ("decimal",)
_AS_TEXT: Final = ("date", "timestamp", "timestamp_ntz")
_AS_THEY_ARE: Final = (
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "varchar", "char", "void",
)  # fmt: skip


def scanned(frame: Any, asked: ScanRequest, progress: Callable[[int], object] | None = None) -> Scan:
    """Return what is asked for of a Spark frame's rows: the very tallies that the same rows give as arrays.

    `memory` is meant for each task; `threads` are those of a task, as many as Spark gives it unless said;
    `progress` is called once, at the end. ``files`` counts the partitions.

    Each partition becomes bytes of at most a sixth of `memory`, which Spark merges in two rounds. The driver
    receives one tally, whatever the number of rows or partitions.
    """
    dependency("pyspark.sql", "assay-metrics[spark]", "reading a Spark frame")
    dependency("pyarrow", "assay-metrics[spark]", "reading a Spark frame")
    if asked.share > _LARGEST:
        raise InputError(
            f"{param('memory', in_words(asked.memory))} lets tallies become larger than Spark can move: "
            f"give at most {in_words(6 * _LARGEST)}."
        )
    if type(frame).__module__.startswith("pyspark.pandas"):
        frame = frame.to_spark()
    if asked.needs_labels():
        asked = asked.with_labels(labels_of(scanned(frame, alone(asked))))
    asked.check_labels()
    chosen = _selected(frame, asked.wanted())
    parts = chosen.mapInArrow(functools.partial(_tally, asked), _PARTS)
    # How many tasks merge first is Spark's to choose, by the size of the tallies; then one merges theirs.
    merge = functools.partial(_merge, asked)
    parts = parts.repartition("place").mapInArrow(merge, _PARTS).repartition(1).mapInArrow(merge, _PARTS)
    with _explained():
        found = parts.collect()
    if not found:
        raise LengthError(f"{_NAME} holds no rows, only the names of columns.")
    result = finished(bytes(found[0]["part"]), asked, _NAME)
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
    """
    asked = ScanRequest.of(
        tallies={"ranks": Scores}, actual=actual, score=score, positive=positive, missing=missing
    )
    chosen = _selected(frame, asked.wanted())
    column = f"c{asked.wanted().index(score)}"
    ranged = chosen.repartitionByRange(*([partitions] if partitions else []), column)
    # Kept, so that the second job sees the stretches of the first: cut anew they may be others.
    ranked = ranged.mapInArrow(functools.partial(_rank, asked), _STRETCHES).persist()
    try:
        with _explained():
            found = [undone(bytes(row["part"])) for row in ranked.select("part").collect()]
        positive, lowest = None, set()
        for label, lows, *_ in found:
            positive = same_positive(positive, label)
            lowest.update(lows)
        if {-1.0, 0.0} <= lowest and asked.said["positive"] is None:
            raise LabelError(
                f"the actual labels hold both -1 and 0: say which one is positive with {param('positive')}."
            )
        stretches = [Stretch(*numbers) for _, _, numbers, _ in found if numbers]
        work = functools.partial(_precision, above(stretches))
        with _explained():
            sums = ranked.select("counts").mapInArrow(work, _STRETCHES).collect()
        terms: list[Dyadic] = [undone(bytes(row["part"]))[0] for row in sums]
        return areas(stretches, terms, sum(dropped for *_, dropped in found))
    finally:
        ranked.unpersist()


def _rank(asked: ScanRequest, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield what the driver must know of a stretch of scores, and its counts in order."""
    place, wanted, counts = _place(), asked.wanted(), b""

    def rank() -> bytes:
        nonlocal counts
        name = f"partition {place:,} of {_NAME}, cut by score"
        gathered = asked.gathering(unlimited=True)
        for found, count in columns_of((one.rename_columns(wanted) for one in batches), asked, name):
            asked.gather(found, count, gathered)
        dependency = gathered.part()
        tally: Any = Scores() if dependency.tallies is None else dependency.tallies["ranks"]
        numbers = tuple(Stretch.of(tally, place)) if len(tally.scores) else ()
        counts = serialization.pack("counts", (place, tally.positives, tally.negatives))
        return serialization.pack("stretch", (tally.positive, dependency.lowest, numbers, dependency.dropped))

    yield _row(told(rank, place), counts)


def _precision(over: dict[int, Above], batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the sum of precision of each stretch."""
    for batch in batches:
        for value in batch.column("counts"):
            _, (place, positives, negatives) = serialization.unpack(value.as_py())
            if len(positives):
                sums = functools.partial(precision_sum, positives, negatives, over[place])
                yield _row(told(lambda: serialization.pack("sum", (sums(),)), place), b"")  # noqa: B023 - called at once


def _selected(frame: Any, wanted: Sequence[str]) -> Any:
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
    with _explained():
        types = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
    names = [name for name, _ in types]
    often = Counter(name.lower() for name in names)
    for name in wanted:
        if name not in names:
            raise no_such_column(name, names, f" in {_NAME}")
        if often[name.lower()] > 1:
            raise ColumnError(
                f'two columns of {_NAME} are named "{name}" (capitals aside): rename one of them.'
            )
    kinds = dict(types)
    return frame.select(
        *(_cast(functions, name, kinds[name]).alias(f"c{at}") for at, name in enumerate(wanted))
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


def _tally(asked: ScanRequest, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the one row that a partition's rows become."""
    place = _place()
    wanted = asked.wanted()
    pieces = columns_of(
        (one.rename_columns(wanted) for one in batches), asked, f"partition {place:,} of {_NAME}"
    )
    yield _row(tallied(pieces, asked, place), place)


def _merge(asked: ScanRequest, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the one row that the rows of several partitions become, or none of none."""
    parts = (value.as_py() for batch in batches for value in batch.column("part"))
    first = next(parts, None)
    if first is not None:
        everything = (one for some in ((first,), parts) for one in some)
        yield _row(merged(everything, asked, "frame.repartition"), _place())


def _place() -> int:
    context = dependency("pyspark", "assay-metrics[spark]", "a Spark task").TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def _row(data: bytes, beside: int | bytes) -> Any:
    """Return a batch of one row: bytes, and a number or more bytes."""
    pa = dependency("pyarrow", "assay-metrics[spark]", "a Spark task")
    return pa.record_batch({"part": [data], "counts" if isinstance(beside, bytes) else "place": [beside]})


@contextlib.contextmanager
def _explained() -> Iterator[None]:
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
