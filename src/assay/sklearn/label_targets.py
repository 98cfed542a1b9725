"""Count y_true and y_pred, reading the rows once per call.

One label per row becomes :class:`LabelTargets`, multilabel indicators become :class:`IndicatorTargets`.
Arrays of labels go straight to the tally; only inputs that it refuses are examined further, to raise
scikit-learn's error or to convert them.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, LabelError, LengthError
from assay.inputs import Column, Rows, rows
from assay.metrics.views.confusion import Binary, Ordered
from assay.sklearn.parameter_checks import InvalidParameterError, is_sparse
from assay.sklearn.target_checks import (
    as_array,
    column_or_1d,
    consistent_length,
    sample_weights,
    type_of_target,
    unique_labels,
)
from assay.tallies import Confusion, LabelSets, merge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.inputs.columns import Array

__all__ = ["IndicatorTargets", "LabelTargets", "count_labels", "one_label_per_row"]

_MAX_COUNT_FOR_INT64_SQUARES = 1 << 31
_BLOCK_ENTRIES = 1 << 24  # entries of a sparse table made dense at a time


@dataclasses.dataclass(eq=False)
class LabelTargets:
    """Count or weight of each pair of actual and predicted label: a sparse confusion matrix.

    For accuracy it has the interface of :class:`assay.metrics.Classes` (``correct``, ``wrong``, ``n``), but
    needs no full table, so any number of labels is cheap. A cell's index is its row in that table times the
    number of labels, plus its column; a cell may occur twice.
    """

    labels: tuple[Any, ...]
    cells: Array
    amount: Array
    n: Any
    weights: Array | None = None
    source: tuple[Any, Any] = ((), ())

    width = 1  # labels per row

    @property
    def kind(self) -> str:
        """scikit-learn's name for this type of target."""
        return "binary" if len(self.labels) <= 2 else "multiclass"  # noqa: PLR2004 - two classes

    def actual_places(self) -> Array:
        """Return the indices of the labels that occur in y_true, rows of weight 0 included."""
        return np.unique(self.cells // len(self.labels))

    @property
    def present(self) -> Array:
        """The labels in their original dtype, such as floats where the tally has integers."""
        labels = np.array(self.labels)
        if labels.dtype.kind not in "biuf":
            return labels
        y_true, y_pred = self.source
        kinds = [as_array(y_true).dtype]
        if len(self.actual_places()) < len(labels):  # some were only predicted
            kinds.append(as_array(y_pred).dtype)
        return labels.astype(np.result_type(*kinds))

    def among(self, labels: Sequence[Any]) -> LabelTargets:
        """Return the pairs whose labels are both in `labels`, in that order."""
        index_of = {label: index for index, label in enumerate(labels)}
        indices = np.array([index_of.get(label, -1) for label in self.labels], dtype=np.intp)
        row, column = (indices[axis] for axis in np.divmod(self.cells, len(self.labels)))
        selected = (row >= 0) & (column >= 0)
        cells, amount = (row * len(labels) + column)[selected], self.amount[selected]
        return LabelTargets(tuple(labels), cells, amount, amount.sum().item(), self.weights)

    def table(self) -> Array:
        """Return the confusion matrix; integers if the weights are integers."""
        size = len(self.labels)
        whole = self.weights is None or self.weights.dtype.kind in "biu"
        table = np.zeros(size * size, dtype=np.int64 if whole else np.float64)
        np.add.at(table, self.cells, self.amount.astype(table.dtype, copy=False))
        return table.reshape(size, size)

    @property
    def _right(self) -> Array:
        """Which cells lie on the diagonal: their indices are multiples of the number of labels plus 1."""
        right: Array = self.cells % (len(self.labels) + 1) == 0
        return right

    @property
    def correct(self) -> Any:
        """The number or weight of correct predictions."""
        return self.amount[self._right].sum().item()

    @property
    def wrong(self) -> Any:
        """The number or weight of wrong predictions."""
        return self.amount[~self._right].sum().item()

    @functools.cached_property
    def each(self) -> Binary:
        """The one-vs-rest counts of every label."""
        size, right = len(self.labels), self._right
        wrong = ~right
        cells, amount = self.cells[wrong], self.amount[wrong]
        tp = np.bincount(self.cells[right] // (size + 1), self.amount[right], size)
        fn, fp = np.bincount(cells // size, amount, size), np.bincount(cells % size, amount, size)
        if self.weights is None and right.any():  # floats in scikit-learn if no prediction is correct
            tp, fn, fp = (x.astype(np.int64) for x in (tp, fn, fp))
        return Binary(tp, fp, fn, self.n - tp - fn - fp)

    def of(self, labels: Sequence[Any]) -> Binary:
        """Return the one-vs-rest counts of these labels; 0 for a label that does not occur."""
        known: Sequence[Any] = self.labels
        if len({isinstance(label, str) for label in (*known, *labels)}) > 1:
            # Text beside numbers: scikit-learn compares both as text.
            known, labels = ([str(label) for label in side] for side in (self.present.tolist(), labels))
        index_of = {label: index for index, label in enumerate(known)}
        indices = [index_of.get(label, -1) for label in labels]
        each = (self.each.tp, self.each.fp, self.each.fn, self.each.tn)
        absent = (0, 0, 0, self.n)
        return Binary(*(np.append(x, rest)[indices] for x, rest in zip(each, absent, strict=True)))

    def one(self, label: Any) -> Binary:
        """Return the counts of one label as plain numbers; fast if there are two labels."""
        if label not in self.labels:
            return Binary(0, 0, 0, self.n)
        index, size = self.labels.index(label), len(self.labels)
        tp, fp, fn, tn = 0, 0, 0, 0
        for cell, amount in zip(self.cells.tolist(), self.amount.tolist(), strict=True):
            row, column = divmod(cell, size)
            if row == index:
                tp, fn = (tp + amount, fn) if column == index else (tp, fn + amount)
            else:
                fp, tn = (fp + amount, tn) if column == index else (fp, tn + amount)
        return Binary(tp, fp, fn, tn)

    def classes(self) -> Ordered:
        """Return the full confusion matrix, as multiclass metrics read it."""
        table = self.table()
        # Python integers beyond 31 bits, so that squares stay exact.
        return Ordered(
            table
            if self.n < _MAX_COUNT_FOR_INT64_SQUARES or table.dtype.kind == "f"
            else table.astype(object)
        )


@dataclasses.dataclass(eq=False)
class IndicatorTargets:
    """Two multilabel indicator tables, dense or sparse: a row per sample, a column per label."""

    actual: Any
    predicted: Any
    weights: Array | None = None

    kind = "multilabel-indicator"

    @property
    def width(self) -> int:
        """The number of labels."""
        return int(self.actual.shape[1])

    @property
    def present(self) -> Array:
        """The labels: the column indices."""
        return np.arange(self.width)

    @functools.cached_property
    def counts(self) -> tuple[Any, Any, Array, Array, Array]:
        """The number of rows, of exact matches, and tp, fp and fn of each label."""
        return self._counts(by_value=False)

    @functools.cached_property
    def _by_value(self) -> tuple[Any, Any, Array, Array, Array]:
        return self._counts(by_value=True)

    @property
    def n(self) -> Any:
        """The number of rows, or their total weight."""
        return self._by_value[0]

    @property
    def correct(self) -> Any:
        """The number or weight of rows with all labels correct."""
        return self._by_value[1]

    @property
    def wrong(self) -> Any:
        """The number or weight of wrong labels."""
        return (self._by_value[3] + self._by_value[4]).sum()

    def blocks(self, *, by_value: bool = False) -> Iterator[tuple[slice, Array, Array]]:
        """Yield the rows as boolean tables, sparse tables block by block.

        Nonzero entries are true. With ``by_value`` the second table differs from the first wherever the
        *values* differ, which matters for tables of -1 and 1.
        """
        n, size = self.actual.shape
        step = max(1, _BLOCK_ENTRIES // size) if is_sparse(self.actual) or is_sparse(self.predicted) else n
        for start in range(0, n, step):
            block = slice(start, start + step)
            actual, predicted = (
                side[block].toarray() if is_sparse(side) else side[block]
                for side in (self.actual, self.predicted)
            )
            truth = actual != 0
            yield block, truth, truth ^ (actual != predicted) if by_value else predicted != 0

    def _counts(self, *, by_value: bool) -> tuple[Any, Any, Array, Array, Array]:
        values: Any = 0
        for factor, weight in [(1, None)] if self.weights is None else _split_weights(self.weights):
            tally = merge(
                LabelSets.of_indicators(
                    actual=truth, predicted=guess, weight=None if weight is None else weight[block]
                )
                for block, truth, guess in self.blocks(by_value=by_value)
            )
            values = values + factor * (tally.counts if weight is None else tally.weight())
        return tally.split(values)

    def of(self, labels: Sequence[int] | None) -> Binary:
        """Return the counts of these labels, or of all."""
        n, _, tp, fp, fn = self.counts
        if labels is not None:
            tp, fp, fn = (x[self._column_indices(labels)] for x in (tp, fp, fn))
        return Binary(tp, fp, fn, n - tp - fp - fn)

    def of_samples(self, labels: Sequence[int] | None) -> Binary:
        """Return the counts of every row, over these labels or all."""
        columns = slice(None) if labels is None else self._column_indices(labels)
        counts = []
        for _, *block in self.blocks():
            truth, guess = (np.ascontiguousarray(side.T[columns]) for side in block)
            masks = (truth & guess, guess & ~truth, truth & ~guess, ~(truth | guess))
            counts.append([mask.view(np.uint8).sum(axis=0, dtype=np.int64) for mask in masks])
        tp, fp, fn, tn = np.concatenate(counts, axis=1)
        if self.weights is not None:
            tp, fp, fn, tn = (x * self.weights for x in (tp, fp, fn, tn))
        return Binary(tp, fp, fn, tn)

    def _column_indices(self, labels: Sequence[int]) -> Array:
        indices = np.asarray(labels, dtype=np.intp)
        last = self.width - 1
        if indices.size and indices.max() > last:
            raise LabelError(
                f"All labels must be in [0, n labels) for multilabel targets. Got {indices.max()} > {last}"
            )
        if indices.size and indices.min() < 0:
            raise LabelError(
                f"All labels must be in [0, n labels) for multilabel targets. Got {indices.min()} < 0"
            )
        return indices


def count_labels(y_true: Any, y_pred: Any, sample_weight: Any = None) -> LabelTargets | IndicatorTargets:
    """Return the counts of two targets; raise if they are invalid or do not match."""
    if not (_may_be_table(y_true) or _may_be_table(y_pred)):
        try:
            label_rows = rows(actual=y_true, predicted=y_pred)
            if label_rows.n:
                pairs = _count_pairs(label_rows, sample_weights(sample_weight, label_rows.n))
                pairs.source = y_true, y_pred
                return pairs
        except InputError:
            pass
    return _count_examined(y_true, y_pred, sample_weight)


def one_label_per_row(y_true: Any, y_pred: Any, sample_weight: Any = None) -> LabelTargets:
    """Return the counts of two targets that must have one label per row."""
    pairs = count_labels(y_true, y_pred, sample_weight)
    if isinstance(pairs, IndicatorTargets):
        raise LabelError(f"{pairs.kind} is not supported")
    return pairs


def _may_be_table(values: Any) -> bool:
    """Whether this may be a table of several columns."""
    shape = getattr(values, "shape", None)
    if shape is not None:
        return len(shape) != 1 and (shape[1:] != (1,) or is_sparse(values) or isinstance(values, np.matrix))
    first = values[0] if isinstance(values, (list, tuple)) and values else None
    return hasattr(first, "__len__") and not isinstance(first, str)


def _count_pairs(label_rows: Rows, weights: Array | None) -> LabelTargets:
    """Return the counts of rows of labels."""
    if weights is None:
        tally = Confusion.of(label_rows)
        return LabelTargets(tally.labels, tally.cells.view(np.int64), tally.counts, label_rows.n)
    parts = list(_split_weights(weights))
    labels = None
    cells: list[Array] = []
    amounts: list[Array] = []
    if len(parts) > 1 or weights.min() <= 0:  # the labels of rows of weight 0 count as well
        tally = Confusion.of(label_rows)
        labels = tally.labels
        cells.append(tally.cells.view(np.int64))
        amounts.append(np.zeros(len(tally.cells), dtype=np.int64))
    for factor, weight in parts:
        weighted = rows(
            actual=label_rows.actual, predicted=label_rows.predicted, weight=weight, labels=labels
        )
        tally = Confusion.of(weighted)
        amount = tally.weight() if weights.dtype.kind == "f" else tally.weight().astype(np.int64)
        cells.append(tally.cells.view(np.int64))
        amounts.append(factor * amount)
    amount = np.concatenate(amounts)
    return LabelTargets(tally.labels, np.concatenate(cells), amount, amount.sum().item(), weights)


def _split_weights(weights: Array) -> Iterator[tuple[int, Array]]:
    """Yield nonnegative weights that a tally accepts, each with its factor; their sum is the input.

    Negative weights are split off with factor -1, and integers beyond 2**53 are split into two halves.
    """
    signed = [(1, weights)]
    if weights.min() < 0:
        signed = [(1, np.maximum(weights, 0)), (-1, np.maximum(-weights, 0))]
    for sign, part in signed:
        if part.dtype.kind in "iu" and part.max() > 1 << 53:
            yield sign << 32, part >> 32
            yield sign, part & 0xFFFFFFFF
        else:
            yield sign, part


def _count_examined(y_true: Any, y_pred: Any, sample_weight: Any) -> LabelTargets | IndicatorTargets:
    """Return the counts of targets after checking their type as scikit-learn does, or raise its error."""
    n = consistent_length(y_true, y_pred, sample_weight)
    kinds = type_of_target(y_true, "y_true"), type_of_target(y_pred, "y_pred")
    if n < 1:
        raise LengthError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."
        )
    weights = sample_weights(sample_weight, n)
    if kinds[0] != kinds[1] and set(kinds) != {"binary", "multiclass"}:
        raise LabelError(f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets")
    if kinds[0] == IndicatorTargets.kind:
        actual, predicted = (y.tocsr() if is_sparse(y) else as_array(y) for y in (y_true, y_pred))
        if actual.shape != predicted.shape:
            raise LabelError("Multi-label binary indicator input with different numbers of labels")
        return IndicatorTargets(actual, predicted, weights)
    if kinds[0] not in ("binary", "multiclass"):
        raise LabelError(f"{kinds[0]} is not supported")
    if is_sparse(y_true) or is_sparse(y_pred):
        raise InvalidParameterError("Sparse input is only supported when targets are of multilabel type")
    actual, predicted = column_or_1d(y_true, "y_true"), column_or_1d(y_pred, "y_pred")
    labels = unique_labels(actual, predicted)
    # Labels of types that tallies do not support, such as dates, are counted by their index in sorted order.
    first, second = (Column("y", np.searchsorted(labels, values)) for values in (actual, predicted))
    pairs = _count_pairs(Rows(n, first, second), weights)
    return dataclasses.replace(pairs, labels=tuple(labels.tolist()), source=(actual, predicted))
