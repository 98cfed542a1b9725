"""The label-set tally: rows that may have several labels at once, or none."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import ColumnError, LabelError, LengthError, NumberError, TallyError, shown
from assay.formatting.numbers import count_of
from assay.inputs import column, need_rows
from assay.inputs.arrays import from_tensor, is_tensor
from assay.inputs.labels import Labels, plain_label, same_kind, weights
from assay.tallies.exact_numbers import CellSums, check_weights, weight_sums
from assay.tallies.tally import Tally, frozen, no_values, require, require_same_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Rows
    from assay.inputs.columns import Array

__all__ = ["LabelSets", "indicators"]

_HEAD = 2  # the counts before the labels': rows, and rows that are wholly right


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class LabelSets(Tally, kind="label sets"):
    """For each label how often it was found (tp), wrongly given (fp) and missed (fn), and rows wholly right.

    ``counts`` holds the number of rows, of rows whose predicted set is the actual one, then tp, fp and fn
    of every label. ``weights`` holds the exact sums of the weights, their squares and their cubes in the
    same places; it is None where every weight is 1.

    State: three numbers per label.

    Examples
    --------
    >>> import assay
    >>> tally = assay.LabelSets.of_indicators(
    ...     actual=[[1, 1, 0], [0, 1, 0]], predicted=[[1, 0, 0], [0, 1, 0]], labels=["cat", "dog", "owl"]
    ... )
    >>> tally.n, tally.exact, tally.tp, tally.fn
    (2, 1, array([1, 1, 0]), array([0, 1, 0]))
    """

    labels: Labels = ()
    counts: Array = no_values(np.int64, _HEAD)
    weights: tuple[tuple[int, Any], ...] | None = None

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return the tally of rows of several labels: matrices of 0 and 1, a column per label.

        >>> import assay
        >>> rows = assay.rows(actual=[["cat"], ["cat", "dog"]], predicted=[["cat"], ["dog"]])
        >>> assay.LabelSets.of(rows).tp
        array([1, 1])
        """
        if not len(need_rows(rows)):
            return cls()
        actual, predicted = (rows.need(role, "a tally of label sets") for role in ("actual", "predicted"))
        for side in (actual, predicted):
            side.refuse_missing()
            if side.values.ndim == 1:
                raise ColumnError(f"{side.name} has one label per row: label sets have a column per label.")
        weight = None if rows.weight is None else rows.weight.values
        return cls.of_indicators(
            actual=actual.values, predicted=predicted.values, labels=rows.labels, weight=weight
        )

    @classmethod
    def of_indicators(
        cls, *, actual: Any, predicted: Any, labels: Sequence[Any] | None = None, weight: Any = None
    ) -> Self:
        """Return the tally of two tables of 0 and 1: a row per sample, a column per label.

        Labels are numbered from 0 unless they are named. A row of weight 0 is left out.
        """
        has_label, is_predicted = indicators(actual, "actual"), indicators(predicted, "predicted")
        if has_label.shape != is_predicted.shape:
            raise LengthError(f"actual has shape {has_label.shape}, predicted has {is_predicted.shape}.")
        n, size = has_label.shape
        names = tuple(range(size)) if labels is None else same_kind(tuple(map(plain_label, labels)))
        if len(names) != size or len(set(names)) != size:
            raise LabelError(f"{size} columns need as many different labels, not {shown(names)}.")
        if n and not size:
            raise LengthError("actual has no columns: a label set needs one per label.")
        row_weights = None if weight is None else weights(column(weight, "weight"))
        if row_weights is not None and len(row_weights) != n:
            raise LengthError(f"weight has {count_of(len(row_weights), 'value')} for {count_of(n, 'row')}.")
        if row_weights is None or (row_weights == 1).all():
            return cls(names, frozen(_counted(has_label, is_predicted)))
        if not row_weights.all():
            positive_weight = row_weights > 0
            has_label, is_predicted = has_label[positive_weight], is_predicted[positive_weight]
            row_weights = row_weights[positive_weight]
            if (row_weights == 1).all():
                return cls(names, frozen(_counted(has_label, is_predicted)))
        counts, sums = _weighed(has_label, is_predicted, row_weights)
        return cls(names, frozen(counts), tuple(cell_sums.state() for cell_sums in sums))

    @classmethod
    def of_lists(
        cls, *, actual: Sequence[Any], predicted: Sequence[Any], labels: Sequence[Any] | None = None,
        weight: Any = None,
    ) -> Self:  # fmt: skip
        """Return the tally of lists: for each row the labels it has, and those it was predicted.

        The labels are those that occur, sorted, unless the whole set is declared, as shards need.

        >>> import assay
        >>> assay.LabelSets.of_lists(actual=[["cat", "dog"], []], predicted=[["dog"], ["owl"]]).fp
        array([0, 0, 1])
        """
        sides = [
            [_row(row, name) for row in rows] for name, rows in (("actual", actual), ("predicted", predicted))
        ]
        if len(sides[0]) != len(sides[1]):
            raise LengthError(
                f"actual has {count_of(len(sides[0]), 'row')}, predicted has {len(sides[1]):,}."
            )
        occurring = {label for side in sides for row in side for label in row}
        names = same_kind(tuple(map(plain_label, occurring if labels is None else labels)))
        names = tuple(sorted(names)) if labels is None else names
        index_of = {label: index for index, label in enumerate(names)}
        if undeclared := occurring - set(names):
            raise LabelError(f"{shown(undeclared)} is not among the declared labels: {shown(names)}.")
        tables = [np.zeros((len(side), len(names)), dtype=bool) for side in sides]
        for side, table in zip(sides, tables, strict=True):
            for index, row in enumerate(side):
                table[index, [index_of[label] for label in row]] = True
        return cls.of_indicators(actual=tables[0], predicted=tables[1], labels=names, weight=weight)

    @staticmethod
    def each_row(*, actual: Any, predicted: Any) -> tuple[Array, Array, Array, Array]:
        """Return tp, fp, fn and tn of every row over its labels, for averages over rows.

        >>> LabelSets.each_row(actual=[[1, 1, 0]], predicted=[[1, 0, 0]])
        (array([1]), array([0]), array([1]), array([1]))
        """
        has_label, is_predicted = indicators(actual, "actual"), indicators(predicted, "predicted")
        if has_label.shape != is_predicted.shape:
            raise LengthError(f"actual has shape {has_label.shape}, predicted has {is_predicted.shape}.")
        masks = *_outcomes(has_label, is_predicted), ~(has_label | is_predicted)
        tp, fp, fn, tn = (np.count_nonzero(mask, axis=1) for mask in masks)
        return tp, fp, fn, tn

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows; both must have the same labels in the same order."""
        self._same_kind(other)
        if not self.labels or not other.labels:
            return self if self.labels else other
        require_same_labels(self.labels, other.labels)
        counts = frozen(self.counts + other.counts)
        if self.weights is None is other.weights:
            return type(self)(self.labels, counts)
        sums = [first.added(second) for first, second in zip(self._sums(), other._sums(), strict=True)]
        return type(self)(self.labels, counts, tuple(cell_sums.state() for cell_sums in sums))

    def _sums(self) -> list[CellSums]:
        if self.weights is None:
            return [CellSums(0, self.counts.astype(object))] * 3
        return [CellSums(*state) for state in self.weights]

    @property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.counts[0])

    @property
    def exact(self) -> int:
        """How many rows were predicted exactly the labels they have."""
        return int(self.counts[1])

    @property
    def tp(self) -> Array:
        """How many rows have each label and were predicted it."""
        return self.split()[2]

    @property
    def fp(self) -> Array:
        """How many rows were predicted each label without having it."""
        return self.split()[3]

    @property
    def fn(self) -> Array:
        """How many rows have each label without being predicted it."""
        return self.split()[4]

    def weight(self, power: int = 1) -> Array:
        """Return, in the places of ``counts``, the sums of the weights to a power (1, 2 or 3)."""
        if power not in (1, 2, 3):
            raise TallyError(f"power={power}: sums of weights are kept to the powers 1, 2 and 3.")
        return self.cached(("weight", power), lambda: frozen(self._sums()[power - 1].floats()))  # type: ignore[no-any-return]

    def split(self, values: Array | None = None) -> tuple[Any, Any, Array, Array, Array]:
        """Return the counts, or other values in their places, as n, exact, tp, fp and fn."""
        values = self.counts if values is None else values
        tp, fp, fn = values[_HEAD:].reshape(3, len(self.labels))
        return values[0], values[1], tp, fp, fn

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(type(self.labels) is tuple, "wrong types")
        kinds = {type(label) for label in self.labels}
        require(len(kinds) <= 1 and kinds <= {str, int, bool}, "labels of several kinds")
        require(len(set(self.labels)) == len(self.labels), "a label twice")
        require(self.counts.dtype == np.int64, "wrong types")
        require(self.counts.shape == (_HEAD + 3 * len(self.labels),), "counts and labels differ in number")
        require((self.counts >= 0).all(), "a count below 0")
        n, exact, tp, fp, fn = self.split()
        require(self.labels or not n, "rows without labels")
        require((tp + fp + fn <= n).all(), "more labels than rows")
        wrong = int((fp + fn).max(initial=0)), int((fp + fn).sum())
        require(wrong[0] <= n - exact <= wrong[1], "rows wholly right and rows with errors do not add up")
        check_weights(self.weights, self.counts)


def indicators(values: Any, name: str) -> Array:
    """Return a table of 0 and 1 as truth values; raise for anything else."""
    table = from_tensor(values, name) if is_tensor(values) else np.asarray(values)
    if table.size == 0 and table.ndim < 2:  # noqa: PLR2004 - no rows, so no columns to see either
        return np.zeros((0, 0), dtype=bool)
    if table.ndim != 2:  # noqa: PLR2004
        raise LengthError(f"{name} has shape {table.shape}; a row per sample, a column per label are needed.")
    if table.dtype == bool:
        return table
    bad = (table != 0) & (table != 1) if table.dtype.kind in "iuf" else np.ones(table.shape, dtype=bool)
    if bad.any():
        row, index = (int(axis[0]) for axis in np.nonzero(bad))
        raise NumberError(
            f"{name} holds {table[row, index].item()!r} (row {row:,}, column {index}), not 0 or 1."
        )
    return table.astype(bool)


def _row(row: Any, name: str) -> set[Any]:
    """Return the labels of a row as plain ones."""
    if isinstance(row, (str, bytes)) or not hasattr(row, "__iter__"):
        raise ColumnError(f"{name} holds {row!r} where a list of labels is needed.")
    return {plain_label(label) for label in row}


def _outcomes(has_label: Array, is_predicted: Array) -> tuple[Array, Array, Array]:
    """Return where there are true positives, false positives and false negatives."""
    return has_label & is_predicted, is_predicted & ~has_label, has_label & ~is_predicted


def _counted(has_label: Array, is_predicted: Array) -> Array:
    # A label's values side by side: counting down narrow columns would take ten times as long.
    has_label, is_predicted = np.ascontiguousarray(has_label.T), np.ascontiguousarray(is_predicted.T)
    tp = np.count_nonzero(has_label & is_predicted, axis=1)
    n, wrong = has_label.shape[1], np.count_nonzero((has_label ^ is_predicted).any(axis=0))
    by_label = (tp, np.count_nonzero(is_predicted, axis=1) - tp, np.count_nonzero(has_label, axis=1) - tp)
    return np.concatenate([[n, n - wrong], *by_label]).astype(np.int64)


def _weighed(has_label: Array, is_predicted: Array, weight: Array) -> tuple[Array, list[CellSums]]:
    """Return the counts, and in the same cells the exact sums of weight, its square and its cube."""
    size = has_label.shape[1]
    cells, rows = [np.zeros(len(has_label), dtype=np.uint32)], [np.arange(len(has_label))]
    rows.append(np.flatnonzero((has_label == is_predicted).all(axis=1)))
    cells.append(np.ones(len(rows[1]), dtype=np.uint32))
    for block, mask in enumerate(_outcomes(has_label, is_predicted)):
        row, label = np.nonzero(mask)
        rows.append(row)
        cells.append((_HEAD + block * size + label).astype(np.uint32))
    row_weights = weight[np.concatenate(rows)].astype(np.float64)
    return weight_sums(np.concatenate(cells), _HEAD + 3 * size, row_weights)
