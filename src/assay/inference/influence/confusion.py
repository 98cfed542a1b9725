"""The influence of rows on metrics of a confusion table, from the slope at each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.gradients import (
    average_gradient,
    metric_gradient,
    moved_counts,
    moved_tables,
    slopes_from,
)
from assay.inference.influence.influence import Influence, row_influence, tally_influence, value_of
from assay.inference.influence.margin_gradients import margin_gradient
from assay.inputs.labels import encode, translate
from assay.metrics import Binary, Classes, Ordered, Undefined
from assay.metrics.views.confusion import effective_rows
from assay.tallies import Confusion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = ["cell_of_rows", "of_rows", "of_tally", "slopes_at"]

_FEW = 64  # cells of a table whose moved copies are worth keeping
_MANY = 4096  # cells beyond which moving each of them by itself takes seconds
_ALL_FOUR = np.arange(4)
_OF_FOUR = np.array([0, 2, 1, 3])  # a positive that was missed is fn, the third of tp, fp, fn, tn


@tally_influence(Binary, Classes, Ordered)
def of_tally(metric: Metric, tally: Confusion, options: dict[str, Any]) -> Influence | None:
    """Return the influence of each cell's rows; of one class, the four cells are tp, fp, fn and tn.

    Of a large table it is that of the cells that occur, in one row.
    """
    value = value_of(metric, tally, options)
    if isinstance(value, Undefined):
        return None
    powers = (1,) if tally.weights is None else (1, 2, 3)
    if metric.reads is Binary and not options.get("average"):
        return _of_class(metric, tally, options, value, powers)
    cells = len(tally.labels) ** 2
    if cells > _FEW:
        slopes = _at_cells(metric, tally, options)
        if slopes is None:
            return None
        return Influence(value, slopes[None], *(tally.weight(power)[None] for power in powers))
    tables = tally.cached("tables", lambda: [tally.table(tally.weight(power)) for power in powers])
    if metric.reads is Binary:  # an average over the classes
        return Influence(value, metric_gradient(metric, tables[0], **options), *tables)
    effective = effective_rows(tally)
    # All metrics of a tally are differentiated on the same moved tables, whose margins are added up once.
    view = metric.reads
    moved = tally.cached(
        ("moved", view),
        lambda: [(cells, view(stack, effective)) for cells, stack in moved_tables(tables[0])],
    )
    return Influence(
        value, slopes_from(lambda one: metric.formula(one, **options), tables[0], moved), *tables
    )


def _at_cells(metric: Metric, tally: Confusion, options: dict[str, Any]) -> NDArray[np.float64] | None:
    """Return the slopes at the cells that occur; None where there are too many to find them one by one."""
    actual, predicted = tally.digits()
    counts = Binary(*(column.astype(np.float64) for column in tally.each_against_rest()))
    if metric.reads is Binary:
        return average_gradient(metric, counts, (actual, predicted), **options)
    effective = effective_rows(tally)
    slopes = margin_gradient(
        lambda c: metric.formula(c, **options),
        counts,
        (actual, predicted),
        symmetric=metric.reads is Classes,
        effective=effective,
    )
    if slopes is not None or len(tally.labels) ** 2 > _MANY:
        return slopes
    table = tally.table(tally.weight())
    return metric_gradient(metric, table, effective=effective, **options)[actual, predicted]


@row_influence(Binary, Classes, Ordered)
def of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], tally: Tally | None = None
) -> Influence | None:
    """Return the influence of every row: that of its cell."""
    if not isinstance(tally, Confusion):
        tally = Confusion.of(rows)
    if metric.reads is Binary and rows.positive is not None and not options.get("average"):
        options = {"positive": rows.positive, **options}
    found = of_tally(metric, tally, options)
    if found is None:
        return None
    actual, predicted = np.divmod(cell_of_rows(rows, tally), len(tally.labels))
    slopes = slopes_at(found, tally, options, actual, predicted)
    return Influence.of_rows(found.value, slopes, None if rows.weight is None else rows.weight.values)


def slopes_at(
    found: Influence, tally: Confusion, options: dict[str, Any], actual: NDArray[Any], predicted: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the slopes of rows given by their labels' indices, from the influence of a tally's cells.

    The tally has such rows.
    """
    size = len(tally.labels)
    if found.slopes.shape == (size, size):
        return np.asarray(found.slopes[actual, predicted])
    if found.slopes.ndim > 1:  # the cells that occur, in order
        places = np.searchsorted(tally.cells, (actual * size + predicted).astype(np.uint64))
        return np.asarray(found.slopes[0, places])
    here = _place(tally, options)  # of one class: which of its four cells
    return np.asarray(found.slopes[_OF_FOUR[2 * (actual != here) + (predicted != here)]])


def cell_of_rows(rows: Rows, tally: Confusion) -> NDArray[np.intp]:
    """Return for every row the number of its cell in a tally's full table; of one tally's rows found once."""

    def found() -> tuple[Rows, NDArray[np.intp]]:
        return rows, _codes(rows, "actual", tally) * len(tally.labels) + _codes(rows, "predicted", tally)

    known, cells = tally.cached("cells of rows", found)
    return cells if known is rows else found()[1]


def _of_class(
    metric: Metric, tally: Confusion, options: dict[str, Any], value: float, powers: tuple[int, ...]
) -> Influence:
    parameters = {name: given for name, given in options.items() if name != "positive"}
    here = _place(tally, options)

    def prepared() -> tuple[Binary, list[NDArray[Any]]]:
        if here < 0:
            sums = [np.array([0.0, 0.0, 0.0, tally.weight(power).sum()]) for power in powers]
        else:
            each = (tally.each_against_rest(power) for power in powers)
            sums = [np.array([column[here] for column in columns], dtype=np.float64) for columns in each]
        return moved_counts(Binary(*sums[0])), sums

    moved, sums = tally.cached(("four", here), prepared)
    slopes = slopes_from(lambda c: metric.formula(c, **parameters), sums[0], [(_ALL_FOUR, moved)])
    return Influence(value, np.where(sums[0] == 0, 0.0, slopes), *sums)


def _place(tally: Confusion, options: dict[str, Any]) -> int:
    """Return the positive label's index; 1 where it was obvious; none, -1, where it does not occur."""
    stated = options.get("positive")
    label = 1 if stated is None else stated
    return tally.labels.index(label) if label in tally.labels else -1


def _codes(rows: Rows, role: str, tally: Confusion) -> NDArray[np.intp]:
    codes, labels = encode(rows.need(role, "an influence"))
    return translate(labels, tally.labels).astype(np.intp)[codes]
