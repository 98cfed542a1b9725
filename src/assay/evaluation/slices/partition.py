"""Partition rows into slices: from rows in memory, or from the tallies of each slice.

Both give the same slices, in the same order, with the same metrics.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay import kernels
from assay.errors import InputError, shown
from assay.evaluation.evaluate import evaluate_rows
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.hints import param
from assay.inference.differences.slice_vs_rest import Side
from assay.inputs import Label, encode, label_union
from assay.inputs.labels import cross, in_order, translate
from assay.tallies import BinnedScores, Collection, Confusion, Grouped, NumberPairs, Scores, StoredRows, merge
from assay.tallies.scores.thresholding import counted_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.task import Settings
    from assay.inputs import Column, Labels, Rows
    from assay.tallies import Tally

__all__ = ["Key", "RowPartition", "TallyPartition", "check_same_edges", "partition_of", "total_weight"]

Key: TypeAlias = Label | tuple[Label, ...]


def partition_of(ev: Evaluation, columns: tuple[str, ...]) -> RowPartition | TallyPartition:
    """Return the slices of an evaluation by columns, crossed where they are several."""
    return TallyPartition(ev, columns) if ev.source_rows is None else RowPartition(ev, columns)


def _partition(rows: Rows, columns: tuple[str, ...]) -> tuple[list[Key], Any]:
    """Return the slices of rows by columns, in order, and for every row the number of its slice."""
    columns_by_name = {column.name: column for column in rows.by}
    encoded = [_encode_in_order(columns_by_name[name]) for name in columns]
    codes, digits = cross([(codes, max(len(labels), 1)) for codes, labels in encoded])
    parts = (
        tuple(labels[int(code)] for code, (_, labels) in zip(digit, encoded, strict=True))
        for digit in zip(*digits, strict=True)
    )
    return [_key(key) for key in parts], codes


def _encode_in_order(column: Column) -> tuple[Any, Labels]:
    """Return each row's label by its number, and the labels in the order that the column states."""
    codes, labels = encode(column)
    ordered = in_order(labels, column)
    if ordered == labels:
        return codes, labels
    return np.array([ordered.index(label) for label in labels], dtype=codes.dtype)[codes], ordered


def _key(key: tuple[Label, ...]) -> Key:
    return key if len(key) > 1 else key[0]


class RowPartition:
    """The slices of rows in memory."""

    def __init__(self, ev: Evaluation, columns: tuple[str, ...]) -> None:
        self.ev = ev
        several = ev.task.name in MULTIOUTPUT_TASKS
        self._source: Any = ev.stored_rows if several else ev.source_rows
        self.keys, codes = _partition(self._rows, columns)
        self._offsets, self._order = kernels.order_groups(codes, len(self.keys))
        if ev.task.name == "ranking":
            self._check_lists(codes, columns)

    @property
    def _rows(self) -> Any:
        return self.ev.rows if self._source is self.ev.source_rows else self._source

    def _check_lists(self, codes: Any, columns: tuple[str, ...]) -> None:
        """Raise where a ranked list lies in two slices: half a list is no list."""
        queries, names = encode(self._rows.need("query", "slices of ranked lists"))
        first = np.zeros(len(names), dtype=codes.dtype)
        first[queries] = codes
        split = first[queries] != codes
        if split.any():
            name = names[int(queries[int(np.argmax(split))])]
            raise InputError(
                f"the list {shown([name])} lies in two slices by {' x '.join(columns)}: slices of "
                "ranked lists are of whole lists, so slice by something that a list has once."
            )

    def numbers(self, index: int) -> Any:
        """Return the numbers of the rows of a slice, ascending."""
        return self._order[self._offsets[index] : self._offsets[index + 1]]

    def evaluation(self, index: int, settings: Settings) -> Evaluation:
        """Return the evaluation of one slice's rows."""
        labels = self._source.labels or (self.ev.task.labels or None)
        rows = dataclasses.replace(self._source, by=(), labels=labels).take(self.numbers(index))
        return evaluate_rows(self.ev.task, settings, rows)

    def groups(self) -> tuple[list[int], list[int]]:
        """Return the number of groups with rows in each slice, and outside of it."""
        codes, groups = encode(self._rows.need("group", "slices of groups"))
        total = np.bincount(codes, minlength=len(groups))
        inside, outside = [], []
        for index in range(len(self.keys)):
            groups_of_slice = np.bincount(codes[self.numbers(index)], minlength=len(groups))
            inside.append(int(np.count_nonzero(groups_of_slice)))
            outside.append(int(np.count_nonzero(total - groups_of_slice)))
        return inside, outside

    def sides(self, index: int) -> tuple[Side, Side] | None:
        """Return a slice's rows and all others, with their groups where there are some."""
        inside = np.zeros(len(self._rows), dtype=bool)
        inside[self.numbers(index)] = True
        labels = self._rows.labels or (self.ev.task.labels or None)
        rows = dataclasses.replace(self._rows, by=(), labels=labels)
        codes = inside if rows.group is None else encode(rows.group)[0]
        return Side(rows.take(inside), codes[inside]), Side(rows.take(~inside), codes[~inside])


class TallyPartition:
    """The slices of rows that are no longer in memory, from the tallies of each."""

    def __init__(self, ev: Evaluation, columns: tuple[str, ...]) -> None:
        self.ev, self._columns = ev, columns
        tallies: Any = ev.tallies["slices"]
        positions = [ev.settings.by.index(name) for name in columns]
        parts: dict[tuple[Label, ...], list[Collection]] = {}
        for key, tally in tallies.items():
            parts.setdefault(tuple(key[index] for index in positions), []).append(tally)
        self._parts = [merge(parts[key]) for key in sorted(parts)]
        self.keys: list[Key] = [_key(key) for key in sorted(parts)]

    def evaluation(self, index: int, settings: Settings) -> Evaluation:
        """Return the evaluation of one slice's tallies."""
        task = self.ev.task
        tallies: dict[str, Tally] = dict(self._parts[index].items())
        table, scores = tallies.get("confusion"), tallies.get("scores")
        if task.threshold is None:
            if isinstance(table, Confusion) and not table.declared:
                tallies["confusion"] = table.merge(Confusion(self._labels, declared=True))
        elif isinstance(scores, Scores) or (
            isinstance(scores, BinnedScores) and scores.edge(task.threshold) == task.threshold
        ):
            tallies["confusion"] = counted_at(scores, task.threshold, task.labels)
        if self._rows_by_slice:
            tallies["cases"] = StoredRows.of(self._rows_by_slice[index])
        return Evaluation(task, settings, Collection.of_mapping(tallies))

    @property
    def _labels(self) -> tuple[Label, ...]:
        whole = self.ev.tallies.get("confusion")
        return whole.labels if isinstance(whole, Confusion) and whole.declared else self.ev.task.labels

    def groups(self) -> tuple[list[int], list[int]]:
        """Return the number of groups with rows in each slice, and outside of it."""
        groups_of_slice = [
            set(encode(rows.need("group", "slices of groups"))[1]) for rows in self._rows_by_slice
        ]
        others = [
            set().union(*groups_of_slice[:index], *groups_of_slice[index + 1 :])
            for index in range(len(groups_of_slice))
        ]
        return [len(groups) for groups in groups_of_slice], [len(groups) for groups in others]

    def sides(self, index: int) -> tuple[Side, Side] | None:
        """Return a slice's rows and all others, where their tallies keep them, else None."""
        if len(self._rows_by_slice) < len(self.keys):
            return None
        others = merge(
            StoredRows.of(rows) for number, rows in enumerate(self._rows_by_slice) if number != index
        ).rows()
        return self._side(self._rows_by_slice[index]), self._side(others)

    def _side(self, rows: Rows) -> Side:
        """Return rows with the number of each one's group among all groups."""
        if rows.group is None:
            return Side(rows, np.zeros(len(rows), dtype=np.intp))
        codes, labels = encode(rows.group)
        return Side(rows, translate(labels, self._groups)[codes].astype(np.intp))

    @functools.cached_property
    def _groups(self) -> tuple[Label, ...]:
        labels: tuple[Label, ...] = ()
        for rows in self._rows_by_slice:
            labels = label_union(labels, encode(rows.need("group", "slices of groups"))[1])
        return labels

    @functools.cached_property
    def _rows_by_slice(self) -> list[Rows]:
        """The rows of each slice, where tallies keep them."""
        rows, labels = self.ev.stored_rows, self._labels or None
        if rows is not None and rows.by:
            _, codes = _partition(rows, self._columns)
            bare = dataclasses.replace(rows, by=(), labels=rows.labels or labels)
            return [bare.take(codes == index) for index in range(len(self.keys))]
        pairs: list[Any] = [part.get("spearman") for part in self._parts]
        return (
            [tally.rows() for tally in pairs]
            if all(isinstance(tally, NumberPairs) for tally in pairs)
            else []
        )


def total_weight(ev: Evaluation) -> float:
    """Return the total weight of the rows, from whichever tally has it."""
    for tally in ev.tallies.tallies:
        if isinstance(tally, Confusion):
            return math.fsum(tally.weight())
        if isinstance(tally, Scores) and tally.weights is not None:
            return math.fsum((tally.positives.astype(np.float64) + tally.negatives) * tally.weights)
        weight = getattr(tally, "weight", None)
        if weight is not None and not callable(weight):
            return float(weight)
        if hasattr(tally, "class_weights"):
            return math.fsum(tally.class_weights)
    return float(ev.n)


def check_same_edges(own: Grouped, other: Grouped, names: Sequence[str]) -> None:
    """Raise where numbers were cut at different edges, such as the quartiles of each side."""
    for index, name in enumerate(names):
        left, right = (
            {
                label.split(":")[0]: label
                for key in side
                if isinstance(label := key[index], str) and _is_interval_label(label)
            }
            for side in (own, other)
        )
        for number in left.keys() & right.keys():
            if left[number] != right[number]:
                raise InputError(
                    f"{name} was cut at different numbers on both sides ({shown([left[number]])} and "
                    f"{shown([right[number]])}): say where for both, with {param('edges')}."
                )


def _is_interval_label(label: str) -> bool:
    number, _, interval = label.partition(": ")
    return number.isdigit() and ("below " in interval or interval.endswith(" or more"))
