"""From the caller's targets to counts: one reading of the rows per call, whatever the targets are.

One label per row becomes :class:`LabelTargets`, label sets become :class:`IndicatorTargets`.
Arrays that are labels by nature go straight to the tally; only what it refuses is looked at closely, to word
the error or to find another reading.
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

__all__ = ["IndicatorTargets", "LabelTargets", "counted", "one_label_per_row"]

_SQUARE_FITS = 1 << 31
_BLOCK = 1 << 24  # entries of a sparse table that are spread out at a time


@dataclasses.dataclass(eq=False)
class LabelTargets:
    """How much there is of each pair of actual and predicted label: a confusion tally's cells.

    For accuracy it reads like :class:`assay.metrics.Classes` (``correct``, ``wrong``, ``n``), but it needs
    no full table, so any number of labels is cheap. A cell's number is its row in that table times the
    number of labels, plus its column; a cell may come twice.
    """

    labels: tuple[Any, ...]
    cells: Array
    amount: Array
    n: Any
    weights: Array | None = None
    source: tuple[Any, Any] = ((), ())

    width = 1  # labels that a row has

    @property
    def kind(self) -> str:
        """What scikit-learn calls such a target."""
        return "binary" if len(self.labels) <= 2 else "multiclass"  # noqa: PLR2004 - two classes

    def actual_places(self) -> Array:
        """Return the places of the labels that are actual somewhere, if only in a row without weight."""
        return np.unique(self.cells // len(self.labels))

    @property
    def present(self) -> Array:
        """The labels as they came: floats, say, where the tally has whole numbers."""
        labels = np.array(self.labels)
        if labels.dtype.kind not in "biuf":
            return labels
        y_true, y_pred = self.source
        kinds = [as_array(y_true).dtype]
        if len(self.actual_places()) < len(labels):  # some were only predicted
            kinds.append(as_array(y_pred).dtype)
        return labels.astype(np.result_type(*kinds))

    def among(self, labels: Sequence[Any]) -> LabelTargets:
        """Return the pairs whose labels are both among the given ones, placed in their order."""
        place = {label: index for index, label in enumerate(labels)}
        places = np.array([place.get(label, -1) for label in self.labels], dtype=np.intp)
        row, column = (places[axis] for axis in np.divmod(self.cells, len(self.labels)))
        kept = (row >= 0) & (column >= 0)
        cells, amount = (row * len(labels) + column)[kept], self.amount[kept]
        return LabelTargets(tuple(labels), cells, amount, amount.sum().item(), self.weights)

    def table(self) -> Array:
        """Return the confusion matrix: integers where the weights are, too."""
        size = len(self.labels)
        whole = self.weights is None or self.weights.dtype.kind in "biu"
        table = np.zeros(size * size, dtype=np.int64 if whole else np.float64)
        np.add.at(table, self.cells, self.amount.astype(table.dtype, copy=False))
        return table.reshape(size, size)

    @property
    def _right(self) -> Array:
        """Which cells lie on the diagonal: their numbers are multiples of one more than its length."""
        right: Array = self.cells % (len(self.labels) + 1) == 0
        return right

    @property
    def correct(self) -> Any:
        """How much was predicted as it is."""
        return self.amount[self._right].sum().item()

    @property
    def wrong(self) -> Any:
        """How much was not."""
        return self.amount[~self._right].sum().item()

    @functools.cached_property
    def each(self) -> Binary:
        """The counts of every label against the rest."""
        size, right = len(self.labels), self._right
        wrong = ~right
        cells, amount = self.cells[wrong], self.amount[wrong]
        tp = np.bincount(self.cells[right] // (size + 1), self.amount[right], size)
        fn, fp = np.bincount(cells // size, amount, size), np.bincount(cells % size, amount, size)
        if self.weights is None and right.any():  # scikit-learn's are floats, too, where nothing is right
            tp, fn, fp = (x.astype(np.int64) for x in (tp, fn, fp))
        return Binary(tp, fp, fn, self.n - tp - fn - fp)

    def of(self, labels: Sequence[Any]) -> Binary:
        """Return the counts of the given labels, each against the rest; one that does not occur has none."""
        known: Sequence[Any] = self.labels
        if len({isinstance(label, str) for label in (*known, *labels)}) > 1:
            # Text beside numbers: scikit-learn compares both as text.
            known, labels = ([str(label) for label in side] for side in (self.present.tolist(), labels))
        place = {label: index for index, label in enumerate(known)}
        places = [place.get(label, -1) for label in labels]
        each = (self.each.tp, self.each.fp, self.each.fn, self.each.tn)
        absent = (0, 0, 0, self.n)
        return Binary(*(np.append(x, rest)[places] for x, rest in zip(each, absent, strict=True)))

    def one(self, label: Any) -> Binary:
        """Return the counts of one label as plain numbers; cheap where there are two labels."""
        if label not in self.labels:
            return Binary(0, 0, 0, self.n)
        place, size = self.labels.index(label), len(self.labels)
        tp, fp, fn, tn = 0, 0, 0, 0
        for cell, amount in zip(self.cells.tolist(), self.amount.tolist(), strict=True):
            row, column = divmod(cell, size)
            if row == place:
                tp, fn = (tp + amount, fn) if column == place else (tp, fn + amount)
            else:
                fp, tn = (fp + amount, tn) if column == place else (fp, tn + amount)
        return Binary(tp, fp, fn, tn)

    def classes(self) -> Ordered:
        """Return the full table as metrics of all classes read it."""
        table = self.table()
        # Beyond 31 bits as Python's integers, so that squares stay exact.
        return Ordered(table if self.n < _SQUARE_FITS or table.dtype.kind == "f" else table.astype(object))


@dataclasses.dataclass(eq=False)
class IndicatorTargets:
    """Two tables of label sets, dense or sparse: a row per sample, a column per label."""

    actual: Any
    predicted: Any
    weights: Array | None = None

    kind = "multilabel-indicator"

    @property
    def width(self) -> int:
        """How many labels a row has, there or not."""
        return int(self.actual.shape[1])

    @property
    def present(self) -> Array:
        """The labels: the columns' numbers."""
        return np.arange(self.width)

    @functools.cached_property
    def counts(self) -> tuple[Any, Any, Array, Array, Array]:
        """How many rows there are and are wholly right, and tp, fp and fn of each label."""
        return self._counts(by_value=False)

    @functools.cached_property
    def _by_value(self) -> tuple[Any, Any, Array, Array, Array]:
        return self._counts(by_value=True)

    @property
    def n(self) -> Any:
        """How many rows there are, or what they weigh."""
        return self._by_value[0]

    @property
    def correct(self) -> Any:
        """How many rows were predicted exactly as they are."""
        return self._by_value[1]

    @property
    def wrong(self) -> Any:
        """How many labels were predicted as they are not."""
        return (self._by_value[3] + self._by_value[4]).sum()

    def blocks(self, *, by_value: bool = False) -> Iterator[tuple[slice, Array, Array]]:
        """Yield the rows as tables of truth values, sparse ones some at a time.

        What is not 0 is there. ``by_value`` keeps in the second table where the *values* differ from the
        first's, which matters for tables of -1 and 1.
        """
        n, size = self.actual.shape
        step = max(1, _BLOCK // size) if is_sparse(self.actual) or is_sparse(self.predicted) else n
        for start in range(0, n, step):
            part = slice(start, start + step)
            actual, predicted = (
                side[part].toarray() if is_sparse(side) else side[part]
                for side in (self.actual, self.predicted)
            )
            there = actual != 0
            yield part, there, there ^ (actual != predicted) if by_value else predicted != 0

    def _counts(self, *, by_value: bool) -> tuple[Any, Any, Array, Array, Array]:
        values: Any = 0
        for factor, weight in [(1, None)] if self.weights is None else _parts(self.weights):
            tally = merge(
                LabelSets.of_indicators(
                    actual=there, predicted=given, weight=None if weight is None else weight[part]
                )
                for part, there, given in self.blocks(by_value=by_value)
            )
            values = values + factor * (tally.counts if weight is None else tally.weight())
        return tally.split(values)

    def of(self, labels: Sequence[int] | None) -> Binary:
        """Return the counts of the given labels, or of all."""
        n, _, tp, fp, fn = self.counts
        if labels is not None:
            tp, fp, fn = (x[self._chosen(labels)] for x in (tp, fp, fn))
        return Binary(tp, fp, fn, n - tp - fp - fn)

    def of_samples(self, labels: Sequence[int] | None) -> Binary:
        """Return the counts of every row, over the given labels or all."""
        chosen = slice(None) if labels is None else self._chosen(labels)
        sides = []
        for _, *block in self.blocks():
            there, given = (np.ascontiguousarray(side.T[chosen]) for side in block)
            masks = (there & given, given & ~there, there & ~given, ~(there | given))
            sides.append([mask.view(np.uint8).sum(axis=0, dtype=np.int64) for mask in masks])
        tp, fp, fn, tn = np.concatenate(sides, axis=1)
        if self.weights is not None:
            tp, fp, fn, tn = (x * self.weights for x in (tp, fp, fn, tn))
        return Binary(tp, fp, fn, tn)

    def _chosen(self, labels: Sequence[int]) -> Array:
        chosen = np.asarray(labels, dtype=np.intp)
        last = self.width - 1
        if chosen.size and chosen.max() > last:
            raise LabelError(
                f"All labels must be in [0, n labels) for multilabel targets. Got {chosen.max()} > {last}"
            )
        if chosen.size and chosen.min() < 0:
            raise LabelError(
                f"All labels must be in [0, n labels) for multilabel targets. Got {chosen.min()} < 0"
            )
        return chosen


def counted(y_true: Any, y_pred: Any, sample_weight: Any = None) -> LabelTargets | IndicatorTargets:
    """Return the counts of two targets, or raise where they are none or do not fit together."""
    if not (_wide(y_true) or _wide(y_pred)):
        try:
            gathered = rows(actual=y_true, predicted=y_pred)
            if gathered.n:
                pairs = _pairs(gathered, sample_weights(sample_weight, gathered.n))
                pairs.source = y_true, y_pred
                return pairs
        except InputError:
            pass
    return _examined(y_true, y_pred, sample_weight)


def one_label_per_row(y_true: Any, y_pred: Any, sample_weight: Any = None) -> LabelTargets:
    """Return the counts of two targets that must have one label per row."""
    pairs = counted(y_true, y_pred, sample_weight)
    if isinstance(pairs, IndicatorTargets):
        raise LabelError(f"{pairs.kind} is not supported")
    return pairs


def _wide(values: Any) -> bool:
    """Tell whether this may be a table of several columns."""
    shape = getattr(values, "shape", None)
    if shape is not None:
        return len(shape) != 1 and (shape[1:] != (1,) or is_sparse(values) or isinstance(values, np.matrix))
    first = values[0] if isinstance(values, (list, tuple)) and values else None
    return hasattr(first, "__len__") and not isinstance(first, str)


def _pairs(gathered: Rows, weights: Array | None) -> LabelTargets:
    """Return the counts of rows of labels."""
    if weights is None:
        tally = Confusion.of(gathered)
        return LabelTargets(tally.labels, tally.cells.view(np.int64), tally.counts, gathered.n)
    parts = list(_parts(weights))
    labels = None
    cells: list[Array] = []
    amounts: list[Array] = []
    if len(parts) > 1 or weights.min() <= 0:  # a row without weight still brings its labels along
        tally = Confusion.of(gathered)
        labels = tally.labels
        cells.append(tally.cells.view(np.int64))
        amounts.append(np.zeros(len(tally.cells), dtype=np.int64))
    for factor, weight in parts:
        weighted = rows(actual=gathered.actual, predicted=gathered.predicted, weight=weight, labels=labels)
        tally = Confusion.of(weighted)
        amount = tally.weight() if weights.dtype.kind == "f" else tally.weight().astype(np.int64)
        cells.append(tally.cells.view(np.int64))
        amounts.append(factor * amount)
    amount = np.concatenate(amounts)
    return LabelTargets(tally.labels, np.concatenate(cells), amount, amount.sum().item(), weights)


def _parts(weights: Array) -> Iterator[tuple[int, Array]]:
    """Yield weights as a tally takes them, each with the factor that makes them what they were.

    Those below 0 come apart, to be taken away, and integers that no float64 holds in two halves.
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


def _examined(y_true: Any, y_pred: Any, sample_weight: Any) -> LabelTargets | IndicatorTargets:
    """Return the counts of targets that are not labels at first sight, or raise saying what they are."""
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
    # Labels of a kind no tally knows (dates, say) are counted by their places in the sorted list.
    first, second = (Column("y", np.searchsorted(labels, values)) for values in (actual, predicted))
    pairs = _pairs(Rows(n, first, second), weights)
    return dataclasses.replace(pairs, labels=tuple(labels.tolist()), source=(actual, predicted))
