"""Counts per cell of a table whose axes are all one label set: shared by confusion and paired labels."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from assay import kernels
from assay.errors import MergeError, TallyError, shown
from assay.inputs.labels import Labels, check_declared, cross, encode, label_union, translate
from assay.tallies.exact_numbers import CellSums, check_weights, weight_sums
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Column
    from assay.inputs.columns import Array

__all__ = ["LabelCells"]

_DENSE = 1 << 20  # cells counted in a plain table; beyond, only those that occur


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class LabelCells(Tally):
    """Counts per tuple of labels, kept for the cells that occur.

    A cell's number has the labels' indices as its digits in base K, the number of labels. ``weights``
    holds the exact sums of the weights, their squares and their cubes per cell; it is None where every
    weight is 1, because then all three are the counts.
    """

    axes: ClassVar[int]

    labels: Labels = ()
    declared: bool = False
    cells: Array = no_values(np.uint64)
    counts: Array = no_values(np.int64)
    weights: tuple[tuple[int, Any], ...] | None = None

    @classmethod
    def of_columns(cls, columns: Sequence[Column], declared: Labels | None, weight: Column | None) -> Self:
        """Return the tally of columns of labels, one per axis."""
        encoded = [encode(column) for column in columns]
        labels = functools.reduce(label_union, (labels for _, labels in encoded))
        if declared is not None:
            for column, (codes, own) in zip(columns, encoded, strict=True):
                check_declared(column, codes, own, declared)
            labels = declared
        codes_and_sizes = [(codes, max(len(own), 1)) for codes, own in encoded]
        if weight is None:
            digits, counts = _counted(codes_and_sizes)
            sums = None
        else:
            digits, counts, sums = _weighed(codes_and_sizes, weight.values)
        tables = [translate(own, labels) for _, own in encoded]
        digits_of_labels = [table[digit] for table, digit in zip(tables, digits, strict=True)]
        return cls.of_digits(digits_of_labels, labels, counts, sums, declared=declared is not None)

    @classmethod
    def of_digits(
        cls,
        digits: Sequence[Array],
        labels: Labels,
        counts: Array,
        sums: Sequence[CellSums] | None,
        *,
        declared: bool,
    ) -> Self:
        """Return the tally of cells given by their label's index on each axis; some may come twice."""
        return cls._canonical(labels, _cell_numbers(digits, len(labels)), counts, sums, declared=declared)

    @classmethod
    def _canonical(
        cls,
        labels: Labels,
        unsorted_cells: Array,
        counts: Array,
        sums: Sequence[CellSums] | None,
        *,
        declared: bool,
    ) -> Self:
        """Return the canonical tally: cells ascending, none twice."""
        cells, cell_indices = np.unique(unsorted_cells, return_inverse=True)
        if len(cells) == len(unsorted_cells) and (cell_indices[1:] > cell_indices[:-1]).all():
            total = counts
        else:
            total = np.zeros(len(cells), dtype=np.int64)
            np.add.at(total, cell_indices, counts)
            sums = sums and [cell_sums.scattered(cell_indices, len(cells)) for cell_sums in sums]
        if sums and all(cell_sums.equals(total) for cell_sums in sums):
            sums = None
        weights = None if sums is None else tuple(cell_sums.state() for cell_sums in sums)
        return cls(labels, declared, frozen(cells), frozen(total), weights)

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows; undeclared label sets are joined."""
        self._same_kind(other)
        if (
            self.labels == other.labels
            and self.declared == other.declared
            and (not self.labels or type(self.labels[0]) is type(other.labels[0]))
        ):
            labels, declared = self.labels, self.declared
            if self.weights is None is other.weights and np.array_equal(self.cells, other.cells):
                return type(self)(labels, declared, self.cells, frozen(self.counts + other.counts))
        else:
            labels, declared = self._joined_labels(other)
        cells = np.concatenate([self._cells_in(labels), other._cells_in(labels)])
        counts = np.concatenate([self.counts, other.counts])
        sums = None
        if self.weights is not None or other.weights is not None:
            split, size = len(self.counts), len(counts)
            sums = [
                first.scattered(np.arange(split), size).added(second.scattered(np.arange(split, size), size))
                for first, second in zip(self.sums(), other.sums(), strict=True)
            ]
        return self._canonical(labels, cells, counts, sums, declared=declared)

    def _joined_labels(self, other: Self) -> tuple[Labels, bool]:
        if not (self.declared or other.declared):
            return label_union(self.labels, other.labels), False
        if self.declared and other.declared:
            raise MergeError(
                f"the tallies declare different labels: {shown(self.labels)} against {shown(other.labels)}."
            )
        fixed, free = (self, other) if self.declared else (other, self)
        known = set(fixed.labels)
        unknown = [label for label in free.labels if label not in known]
        if unknown:
            raise MergeError(
                f"one tally declares the labels {shown(fixed.labels)}; the other holds "
                f"{shown(unknown)} besides."
            )
        return fixed.labels, True

    def _cells_in(self, labels: Labels) -> Array:
        """Return this tally's cell numbers under another label set that holds its own."""
        if labels == self.labels:
            return self.cells
        table = translate(self.labels, labels)
        return _cell_numbers([table[digit] for digit in self.digits()], len(labels))

    def digits(self) -> list[Array]:
        """Return, for every cell, its label's index on each axis."""
        rest, base = self.cells, np.uint64(max(len(self.labels), 1))
        digits: list[Array] = []
        for _ in range(self.axes):
            rest, digit = np.divmod(rest, base)
            digits.append(digit.astype(np.intp))
        return digits[::-1]

    def sums(self) -> list[CellSums]:
        """Return the exact sums of the weights, their squares and cubes, cell by cell."""
        if self.weights is None:
            return [CellSums(0, self.counts.astype(object))] * 3
        return [CellSums(*state) for state in self.weights]

    @functools.cached_property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    def weight(self, power: int = 1) -> Array:
        """Return, for every cell, the sum of the weights to a power (1, 2 or 3), correctly rounded."""
        if power not in (1, 2, 3):
            raise TallyError(f"power={power}: sums of weights are kept to the powers 1, 2 and 3.")
        if self.weights is None:
            return self.counts.astype(np.float64)
        return self.cached(("weight", power), lambda: frozen(self.sums()[power - 1].floats()))  # type: ignore[no-any-return]

    def table(self, values: Array | None = None) -> Array:
        """Return the counts, or other values per cell, as a full table with one axis per column."""
        size = len(self.labels)
        if size**self.axes > 1 << 27:
            raise TallyError(
                f"a full table of {size:,} labels would take {size**self.axes * 8 / 2**30:,.0f} GiB: "
                "use cells and counts."
            )
        full = np.zeros(size**self.axes, dtype=np.int64 if values is None else values.dtype)
        full[self.cells] = self.counts if values is None else values
        return full.reshape((size,) * self.axes)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(type(self.labels) is tuple and type(self.declared) is bool, "wrong types")
        kinds = {type(label) for label in self.labels}
        require(len(kinds) <= 1 and kinds <= {str, int, bool}, "labels of several kinds")
        require(len(set(self.labels)) == len(self.labels), "a label twice")
        require(self.declared or self.labels == tuple(sorted(self.labels)), "labels out of order")
        require(self.cells.dtype == np.uint64 and self.counts.dtype == np.int64, "wrong types")
        require(self.cells.ndim == 1 and self.cells.shape == self.counts.shape, "shapes differ")
        require((self.cells[1:] > self.cells[:-1]).all(), "cells out of order")
        if len(self.cells):
            require(int(self.cells[-1]) < len(self.labels) ** self.axes, "a cell outside the table")
        require((self.counts > 0).all(), "a count below 1")
        check_weights(self.weights, self.counts)


def _cell_numbers(digits: Sequence[Array], base: int) -> Array:
    """Return the numbers whose digits these are, the first the highest."""
    if base ** len(digits) > 1 << 64:
        raise TallyError(f"{base:,} labels on {len(digits)} axes are more cells than 64 bits can number.")
    numbers = np.zeros(len(digits[0]), dtype=np.uint64)
    for digit in digits:
        numbers = numbers * np.uint64(base) + digit
    return numbers


def _counted(encoded: list[tuple[Array, int]]) -> tuple[list[Array], Array]:
    """Return the codes of every combination that occurs, axis by axis, and how often it does."""
    (first, rows), (second, columns), *third = encoded
    if math.prod(size for _, size in encoded) > _DENSE:
        if third:  # the first two axes are crossed to one, so that no product runs over
            pairs, digits = cross(encoded[:2])
            cells, counts = kernels.count_pairs_sparse(pairs, third[0][0], len(digits[0]), third[0][1])
            before, last = np.divmod(cells.astype(np.intp), third[0][1])
            return [*(digit[before] for digit in digits), last], counts
        cells, counts = kernels.count_pairs_sparse(first, second, rows, columns)
        return list(np.divmod(cells.astype(np.intp), columns)), counts
    # The kernel takes the third axis as groups, which come first in its table.
    table = kernels.count_pairs(first, second, rows, columns, *(third[0] if third else ()))
    cells = np.flatnonzero(table)
    rest, digit_second = np.divmod(cells, columns)
    digit_third, digit_first = np.divmod(rest, rows)
    return [digit_first, digit_second, digit_third][: len(encoded)], table.ravel()[cells]


def _weighed(encoded: list[tuple[Array, int]], weight: Array) -> tuple[list[Array], Array, list[CellSums]]:
    """Return the same with the exact sums of weight, weight squared and weight cubed."""
    cells, digits = cross(encoded)
    counts, sums = weight_sums(cells, len(digits[0]), weight)
    return digits, counts, sums
