"""The confusion tally: how often each label was predicted for each actual label."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from assay import kernels
from assay.inputs import need_columns
from assay.tallies.label_cells import LabelCells
from assay.tallies.tally import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Column, Label, Rows
    from assay.inputs.columns import Array
    from assay.inputs.labels import Labels

__all__ = ["Confusion"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Confusion(LabelCells, kind="confusion"):
    """Counts per pair of actual and predicted label; rows of the table are actual.

    State: one number per pair that occurs, so at most K squared for K labels.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Confusion.of(assay.rows(actual=[0, 0, 1, 1, 1], predicted=[0, 1, 1, 1, 0]))
    >>> tally.labels, tally.n
    ((0, 1), 5)
    >>> tally.table()
    array([[1, 1],
           [1, 2]])
    """

    axes: ClassVar[int] = 2

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return the tally of rows with actual and predicted labels."""
        actual, predicted = need_columns(rows, "a confusion tally", "actual", "predicted")
        fused = _integer_pairs(actual, predicted) if rows.weight is None else None
        if fused is not None:
            labels: Labels = tuple(fused[0].tolist())
            counts = fused[1].ravel()
            cells = counts.nonzero()[0]
            tally = cls(labels, cells=frozen(cells.astype(np.uint64)), counts=frozen(counts[cells]))
            if rows.labels is None or set(labels) <= set(rows.labels):
                if rows.labels is not None:
                    tally = tally.merge(cls(rows.labels, declared=True))
                tally.__dict__["n"] = rows.n  # known here
                return tally
        return cls.of_columns((actual, predicted), rows.labels, rows.weight)

    @classmethod
    def of_table(cls, counts: Any, labels: Sequence[Label], *, declared: bool = False) -> Self:
        """Return the tally of a square table of counts, rows actual, labels in the table's order.

        `declared` keeps that order, as labels do that the rows state; else labels are sorted, as those that
        are found in rows are, so that the tally equals that of the rows.

        >>> Confusion.of_table([[154, 29], [5, 1202]], ["spam", "ham"]).labels
        ('ham', 'spam')
        """
        table, names = np.asarray(counts, dtype=np.int64), tuple(labels)
        if not declared:
            order = sorted(range(len(names)), key=names.__getitem__)
            table, names = table[np.ix_(order, order)], tuple(names[index] for index in order)
        flat = table.ravel()
        cells = flat.nonzero()[0]
        return cls(names, declared, frozen(cells.astype(np.uint64)), frozen(flat[cells]))

    def against_rest(self, label: Label) -> Self:
        """Return the table of two labels, as text: all others together, and one.

        >>> tally = Confusion.of_table([[5, 1, 0], [2, 4, 0], [0, 1, 7]], ["a", "b", "c"])
        >>> tally.against_rest("a").labels, tally.against_rest("a").table().tolist()
        (('not a', 'a'), [[12, 2], [1, 5]])
        """
        own = np.array([own_label == label for own_label in self.labels], dtype=np.uint64)
        sums = None if self.weights is None else self.sums()
        digits = [own[digit] for digit in self.digits()]
        return self.of_digits(digits, (f"not {label}", str(label)), self.counts, sums, declared=True)

    def each_against_rest(self, power: int = 1) -> tuple[Array, Array, Array, Array]:
        """Return the true and false positives, false and true negatives of every label in turn.

        With weights they are sums of the weights to a power (1, 2 or 3), each rounded once. The cost is that
        of the cells that occur.

        >>> tally = Confusion.of_table([[5, 1, 0], [2, 4, 0], [0, 1, 7]], ["a", "b", "c"])
        >>> [column.tolist() for column in tally.each_against_rest()]
        [[5, 4, 7], [2, 2, 0], [1, 2, 1], [12, 12, 12]]
        """
        return self.cached(("against rest", power), lambda: self._against_rest(power))  # type: ignore[no-any-return]

    def _against_rest(self, power: int) -> tuple[Array, ...]:
        sums = None if self.weights is None else self.sums()[power - 1]
        exact = self.counts if sums is None else sums.units
        actual, predicted = self.digits()
        right, wrong = actual == predicted, actual != predicted
        parts = (actual, right), (predicted, wrong), (actual, wrong)
        counts = [np.zeros(len(self.labels), dtype=exact.dtype) for _ in parts]
        for column, (digits, chosen) in zip(counts, parts, strict=True):
            np.add.at(column, digits[chosen], exact[chosen])
        counts.append(exact.sum() - sum(counts))
        if sums is not None:
            counts = [dataclasses.replace(sums, units=column).floats() for column in counts]
        return tuple(frozen(column) for column in counts)

    @property
    def actual_totals(self) -> Array:
        """How many rows each label has, by what was true."""
        return self._totals(0)

    @property
    def predicted_totals(self) -> Array:
        """How many rows each label has, by what was predicted."""
        return self._totals(1)

    def _totals(self, axis: int) -> Array:
        totals = np.zeros(len(self.labels), dtype=np.int64)
        np.add.at(totals, self.digits()[axis], self.counts)
        return totals

    @property
    def correct(self) -> int:
        """How many rows were predicted as they are."""
        actual, predicted = self.digits()
        return int(self.counts[actual == predicted].sum())


def _pairs_on_device(actual: Any, predicted: Any) -> tuple[Array, Array] | None:
    """Count two columns of integers, or of true and false, on their device."""
    kinds = {actual.dtype, predicted.dtype}
    if len(kinds) > 1 or actual.is_floating_point() or actual.device != predicted.device:
        return None
    from assay.device.class_counts import integer_pairs  # noqa: PLC0415 - few need it

    return integer_pairs(actual, predicted)


def _integer_pairs(actual: Column, predicted: Column) -> tuple[Array, Array] | None:
    """Count two integer columns in one pass over both, where their range allows it."""
    if actual.labels is not None or predicted.labels is not None:
        return None
    if actual.missing is not None or predicted.missing is not None:  # encoding them says where
        return None
    tensors = actual.device_tensor, predicted.device_tensor
    if all(tensor is not None for tensor in tensors):
        return _pairs_on_device(*tensors)
    first, second = actual.values, predicted.values
    if first.dtype != second.dtype or first.dtype.kind not in "iub" or first.ndim > 1:
        return None
    truth = first.dtype.kind == "b"
    if truth:
        first, second = first.view(np.uint8), second.view(np.uint8)
    fused: tuple[Array, Array] | None = kernels.count_integer_pairs(first, second)
    if fused is None or not truth:
        return fused
    return fused[0].astype(bool), fused[1]
