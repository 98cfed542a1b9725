"""Numerical derivatives of a metric by each cell of a table: the complex-step method.

A step into the complex plane differentiates without cancellation: the imaginary part of ``f(C + i h)``
over ``h`` is the derivative to the last digits, because no two nearby values are subtracted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.hints import param
from assay.metrics import Binary, Classes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from assay.metrics import Metric

__all__ = [
    "STEP",
    "ClassShares",
    "average_gradient",
    "class_shares",
    "class_slopes",
    "derivative_by_complex_step",
    "gradient",
    "metric_gradient",
    "moved_counts",
    "moved_tables",
    "paired_gradient",
    "slopes_by",
    "slopes_from",
]

STEP = 1e-30
_MAX_NUMBERS_AT_ONCE = 1 << 20  # of a stack of tables


def gradient(formula: Callable[[NDArray[Any]], Any], table: Any) -> NDArray[np.float64]:
    """Return the slope of a formula at every cell of a table; NaN where the formula has no value.

    The formula takes a stack of tables, the first axis counting them, and returns a value for each. Empty
    cells get slope 0: no row has it, and a formula may have no slope there.

    Martins, Sturdza and Alonso 2003, the complex-step derivative.

    >>> gradient(lambda c: c[..., 0] / c.sum(-1), [3, 1])
    array([ 0.0625, -0.1875])
    """
    return slopes_from(formula, np.asarray(table), moved_tables(table))


def moved_tables(table: Any) -> list[tuple[NDArray[np.intp], NDArray[np.complex128]]]:
    """Return the cells that hold rows, in blocks, and for each the table with that cell moved.

    >>> [(cells, tables)] = moved_tables([3, 1])
    >>> cells, tables.real.astype(int), tables.imag
    (array([0, 1]), array([[3, 1],
           [3, 1]]), array([[1.e-30, 0.e+00],
           [0.e+00, 1.e-30]]))
    """
    cells = np.asarray(table).astype(np.complex128)
    indices = np.flatnonzero(cells)
    block = max(1, _MAX_NUMBERS_AT_ONCE // max(cells.size, 1))
    return [_moved(cells, indices[begin : begin + block]) for begin in range(0, len(indices), block)]


def _moved(
    cells: NDArray[np.complex128], indices: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.complex128]]:
    stack = np.broadcast_to(cells.reshape(-1), (len(indices), cells.size)).copy()
    stack[np.arange(len(indices)), indices] += 1j * STEP
    return indices, stack.reshape(len(indices), *cells.shape)


def slopes_from(
    formula: Callable[[Any], Any], table: NDArray[Any], moved: Iterable[tuple[NDArray[np.intp], Any]]
) -> NDArray[np.float64]:
    """Return the slopes at a table's cells by a formula of moved tables, or of views of them.

    >>> slopes_from(lambda c: c[..., 0] / c.sum(-1), np.array([3, 1]), moved_tables([3, 1]))
    array([ 0.0625, -0.1875])
    """
    slopes = np.zeros(table.size)
    for indices, stack in moved:
        slopes[indices] = derivative_by_complex_step(formula, stack)
    return slopes.reshape(table.shape)


def slopes_by(formula: Callable[..., Any], values: Any) -> NDArray[np.float64]:
    """Return the slope of a formula of some numbers by each of them; NaN where it has no value.

    The formula is called once, with an array for each number.

    >>> slopes_by(lambda a, b: a * b / (a + b), [1.0, 3.0])
    array([0.5625, 0.0625])
    """
    numbers = np.asarray(values, dtype=np.float64)
    moved = numbers + 1j * STEP * np.eye(len(numbers))
    with np.errstate(all="ignore"):
        # Where exact numbers took part, the formula returns objects.
        result = np.asarray(formula(*moved.T), dtype=np.complex128)
    return np.where(np.isnan(result.real), np.nan, result.imag / STEP)


def class_slopes(formula: Callable[[Binary], Any], counts: Binary) -> Binary:
    """Return the slopes by tp, fp, fn and tn of a formula over one class, or over each of several.

    >>> from assay.metrics import precision
    >>> float(class_slopes(precision.formula, Binary(3, 1, 0, 0)).fp)
    -0.1875
    """
    moved = moved_counts(counts)
    slopes = derivative_by_complex_step(formula, moved)
    return Binary(*np.where(np.stack([x[0] for x in _cells(moved)]).real == 0, 0.0, slopes))


def moved_counts(counts: Binary) -> Binary:
    """Return the counts four times over, each time with another one moved: the leading axis says which.

    >>> moved_counts(Binary(3, 1, 0, 0)).fp.imag
    array([0.e+00, 1.e-30, 0.e+00, 0.e+00])
    """
    cells = np.stack(np.broadcast_arrays(*_cells(counts))).astype(np.complex128)
    size = len(cells)
    moved = np.repeat(cells[:, None], size, axis=1)
    moved[np.arange(size), np.arange(size)] += 1j * STEP
    return Binary(*moved)


def metric_gradient(
    metric: Metric,
    table: Any,
    *,
    positive: int | None = None,
    average: str | None = None,
    undefined: Any = "strict",
    effective: float | None = None,
    **parameters: Any,
) -> NDArray[np.float64]:
    """Return the slope of a metric at every cell of a confusion table, rows actual, columns predicted.

    A metric of one class needs the index of the positive one, or an average over the classes; `undefined`
    is that of :func:`assay.metrics.averaged`, `effective` the effective sample size of weighted rows. NaN
    where the metric has no finite value.

    >>> from assay.metrics import recall
    >>> metric_gradient(recall, [[8, 2], [1, 3]], positive=1)
    array([[ 0.    ,  0.    ],
           [-0.1875,  0.0625]])
    """
    cells = np.asarray(table).astype(np.float64)
    if isinstance(metric.reads, type) and issubclass(metric.reads, Classes):
        view = metric.reads
        moved = ((indices, view(stack, effective)) for indices, stack in moved_tables(cells))
        return slopes_from(lambda c: metric.formula(c, **parameters), cells, moved)
    if metric.reads is not Binary:
        raise MetricError(f"{metric.name} is no formula of a confusion table's cells.")
    if positive is None and average is None:
        if len(cells) != 2:  # noqa: PLR2004 - two classes, of which the second is the positive one
            raise MetricError(
                f"{metric.name} of {len(cells)} classes needs {param('positive')} or {param('average')}."
            )
        positive = 1
    counts, everywhere = Classes(cells).against_rest(), np.ogrid[: len(cells), : len(cells)]
    if positive is None:
        slopes_of_average = average_gradient(
            metric, counts, everywhere, average=average, undefined=undefined, **parameters
        )
        return np.where((cells == 0) & ~np.isnan(slopes_of_average), 0.0, slopes_of_average)
    value = np.broadcast_to(metric.formula(counts, **parameters), len(cells))[positive]
    if not np.isfinite(value):
        return np.full(cells.shape, np.nan)
    share = np.zeros(len(cells))
    share[positive] = 1.0
    slopes = class_slopes(lambda c: metric.formula(c, **parameters), counts)
    return np.where(cells == 0, 0.0, _slopes_of_cells(_scale_by_share(slopes, share), everywhere))


def average_gradient(
    metric: Metric,
    counts: Binary,
    cells: Sequence[NDArray[np.intp]],
    *,
    average: str | None,
    undefined: Any = "strict",
    **parameters: Any,
) -> NDArray[np.float64]:
    """Return the slope of a metric's average over classes at some cells of a confusion table.

    `counts` are those of every class against the rest, `cells` the indices of the actual and of the predicted
    class of each cell. NaN where the average has no finite value.

    >>> from assay.metrics import recall
    >>> table = np.array([[8, 2], [1, 3]])
    >>> average_gradient(recall, Classes(table).against_rest(), np.indices((2, 2)), average="macro")
    array([[ 0.01   , -0.04   ],
           [-0.09375,  0.03125]])
    """

    def formula(counts: Binary) -> Any:
        return metric.formula(counts, **parameters)

    size, shape = len(counts.tp), np.broadcast_shapes(*(np.shape(index) for index in cells))
    if average == "micro":
        pooled = Binary(*(np.sum(x) for x in _cells(counts)))
        if not np.isfinite(formula(pooled)):
            return np.full(shape, np.nan)
        slopes = class_slopes(formula, pooled)
        return _slopes_of_cells(Binary(*(np.broadcast_to(x, size) for x in _cells(slopes))), cells)
    values = np.broadcast_to(formula(counts), size).astype(np.float64)
    classes = class_shares(average, values, counts.positives, undefined)
    if classes is None or np.isinf(classes.values).any():
        return np.full(shape, np.nan)
    slopes = _scale_by_share(class_slopes(formula, counts), classes.shares)
    return _slopes_of_cells(slopes, cells) + classes.moved[cells[0]]


class ClassShares(NamedTuple):
    """The weight of each class in an average, and how a row of the class moves the average by that weight.

    ``values`` are the classes' own, 0 where a class has no weight.
    """

    shares: NDArray[np.float64]
    values: NDArray[np.float64]
    moved: NDArray[np.float64]


def class_shares(
    average: str | None, values: Any, rows: Any, undefined: Any = "strict"
) -> ClassShares | None:
    """Return the weights of classes in an average of their values, of which NaN stands for undefined.

    `rows` are the numbers of rows of the classes, and `undefined` is that of :func:`assay.metrics.averaged`;
    None where the average has no value.

    >>> class_shares("weighted", [0.5, 0.75], [3, 1])
    ClassShares(shares=array([0.75, 0.25]), values=array([0.5 , 0.75]), moved=array([-0.015625,  0.046875]))
    """
    if average not in ("macro", "weighted"):
        raise MetricError(f'average={average!r} is not known: use "macro", "micro" or "weighted".')
    known, weights = np.array(values, dtype=np.float64), np.array(rows, dtype=np.float64)
    if average == "macro":
        weights[:] = 1.0
    missing = np.isnan(known) & (weights > 0)
    if missing.any():
        if undefined == "strict":
            return None
        if undefined == "skip":
            weights[missing] = 0.0
        else:
            known[missing] = float(undefined)
    total = weights.sum()
    if not total:
        return None
    shares = weights / total
    known = np.where(weights > 0, known, 0.0)
    moved = np.zeros(len(known))
    if average == "weighted":
        moved = np.where(weights > 0, known - shares @ known, 0.0) / total
    return ClassShares(shares, known, moved)


def paired_gradient(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """Return the slope of a difference by the cells (actual, predicted by one, predicted by the other).

    Jaeckel 1972; the joint table is what makes it paired.

    >>> paired_gradient(np.array([[1.0, 2.0]]), np.array([[0.5, 1.0]]))
    array([[[0.5, 0. ],
            [1.5, 1. ]]])
    """
    return np.asarray(first[:, :, None] - second[:, None, :], dtype=np.float64)


def _slopes_of_cells(slopes: Binary, cells: Sequence[NDArray[np.intp]]) -> NDArray[np.float64]:
    """Return the slope at some cells from the slopes by the counts of all classes."""
    actual, predicted = cells
    by_tn = slopes.tn
    others = by_tn.sum() - by_tn
    wrong = others[actual] - by_tn[predicted] + slopes.fn[actual] + slopes.fp[predicted]
    return np.asarray(np.where(actual == predicted, (others + slopes.tp)[actual], wrong), dtype=np.float64)


def _scale_by_share(slopes: Binary, share: NDArray[Any]) -> Binary:
    """Return each class's slopes times its share; a class without a share has no slope."""
    return Binary(*(np.where(share == 0, 0.0, np.nan_to_num(x) * share) for x in _cells(slopes)))


def _cells(counts: Binary) -> tuple[Any, Any, Any, Any]:
    return counts.tp, counts.fp, counts.fn, counts.tn


def derivative_by_complex_step(formula: Callable[[Any], Any], stack: Any) -> NDArray[np.float64]:
    """Return the derivatives of a formula from numbers moved by an imaginary step; NaN without a value."""
    with np.errstate(all="ignore"):  # a formula without a value returns NaN or infinity
        values = np.asarray(formula(stack))
    if values.dtype.kind != "c":
        raise MetricError(
            "a formula that drops the imaginary part has no slope: it must not take absolute values."
        )
    return np.where(np.isnan(values.real), np.nan, values.imag / STEP)
