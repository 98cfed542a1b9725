"""The influence of rows on metrics of a confusion table, from the derivative by each cell."""

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
from assay.inference.influence.influence import Influence, row_influence, tally_influence
from assay.inference.influence.margin_gradients import margin_gradient
from assay.inputs.labels import encode, translate
from assay.metrics import Binary, Classes, Ordered, Undefined
from assay.metrics.spec import value_of
from assay.metrics.views.confusion import effective_rows
from assay.tallies import Confusion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Rows
    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = ["cell_of_rows", "of_rows", "of_tally", "slopes_at"]

_MAX_CELLS_TO_CACHE = 64  # of a table, whose copies with one cell moved are then kept
_MAX_CELLS_ONE_BY_ONE = 4096  # of a table: with more, moving each of them takes seconds
_FOUR_CELLS = np.arange(4)
_CELL_OF_PAIR = np.array([0, 2, 1, 3])  # by 2 (not actual) + (not predicted): index into tp, fp, fn, tn


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
        return _influence_of_class(metric, tally, options, value, powers)
    cells = len(tally.labels) ** 2
    if cells > _MAX_CELLS_TO_CACHE:
        slopes = _slopes_of_cells(metric, tally, options)
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
    slopes = slopes_from(lambda c: metric.formula(c, **options), tables[0], moved)
    return Influence(value, slopes, *tables)


def _slopes_of_cells(metric: Metric, tally: Confusion, options: dict[str, Any]) -> NDArray[np.float64] | None:
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
    if slopes is not None or len(tally.labels) ** 2 > _MAX_CELLS_ONE_BY_ONE:
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
    cells = of_tally(metric, tally, options)
    if cells is None:
        return None
    actual, predicted = np.divmod(cell_of_rows(rows, tally), len(tally.labels))
    slopes = slopes_at(cells, tally, options, actual, predicted)
    return Influence.of_rows(cells.value, slopes, None if rows.weight is None else rows.weight.values)


def slopes_at(
    cells: Influence, tally: Confusion, options: dict[str, Any], actual: NDArray[Any], predicted: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the slopes of rows given by their labels' indices, from the influence of a tally's cells.

    The tally has such rows.
    """
    size = len(tally.labels)
    if cells.slopes.shape == (size, size):
        return np.asarray(cells.slopes[actual, predicted])
    if cells.slopes.ndim > 1:  # the cells that occur, in order
        indices = np.searchsorted(tally.cells, (actual * size + predicted).astype(np.uint64))
        return np.asarray(cells.slopes[0, indices])
    positive = _positive_index(tally, options)
    return np.asarray(cells.slopes[_CELL_OF_PAIR[2 * (actual != positive) + (predicted != positive)]])


def cell_of_rows(rows: Rows, tally: Confusion) -> NDArray[np.intp]:
    """Return for every row the index of its cell in a tally's full table, cached for the tally's rows."""

    def compute() -> tuple[Rows, NDArray[np.intp]]:
        return rows, _codes(rows, "actual", tally) * len(tally.labels) + _codes(rows, "predicted", tally)

    cached_rows, cells = tally.cached("cells of rows", compute)
    return cells if cached_rows is rows else compute()[1]


def _influence_of_class(
    metric: Metric, tally: Confusion, options: dict[str, Any], value: float, powers: tuple[int, ...]
) -> Influence:
    parameters = {name: value for name, value in options.items() if name != "positive"}
    positive = _positive_index(tally, options)

    def prepare() -> tuple[Binary, list[NDArray[Any]]]:
        if positive < 0:
            sums = [np.array([0.0, 0.0, 0.0, tally.weight(power).sum()]) for power in powers]
        else:
            each = (tally.each_against_rest(power) for power in powers)
            sums = [np.array([column[positive] for column in columns], dtype=np.float64) for columns in each]
        return moved_counts(Binary(*sums[0])), sums

    moved, sums = tally.cached(("four", positive), prepare)
    slopes = slopes_from(lambda c: metric.formula(c, **parameters), sums[0], [(_FOUR_CELLS, moved)])
    return Influence(value, np.where(sums[0] == 0, 0.0, slopes), *sums)


def _positive_index(tally: Confusion, options: dict[str, Any]) -> int:
    """Return the index of the positive label, which is 1 if not stated; -1 where it does not occur."""
    stated = options.get("positive")
    label = 1 if stated is None else stated
    return tally.labels.index(label) if label in tally.labels else -1


def _codes(rows: Rows, role: str, tally: Confusion) -> NDArray[np.intp]:
    codes, labels = encode(rows.need(role, "an influence"))
    return translate(labels, tally.labels).astype(np.intp)[codes]
