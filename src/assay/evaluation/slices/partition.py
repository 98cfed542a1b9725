"""How rows are cut into slices: from the rows where they are held, else from tallies of each slice.

Both give the same slices, in the same order, with the same figures.
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
from assay.inference.differences.slice_vs_rest import Side
from assay.inputs import Label, encode, label_union
from assay.inputs.labels import cross, translate
from assay.tallies import BinnedScores, Collection, Confusion, Grouped, NumberPairs, Scores, StoredRows, merge
from assay.tallies.scores.counts_at_threshold import counted_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.settings import Settings
    from assay.inputs import Rows
    from assay.tallies import Tally

__all__ = ["Key", "RowCuts", "TallyCuts", "cuts", "same_cuts", "weight_of"]

Key: TypeAlias = Label | tuple[Label, ...]


def cuts(ev: Evaluation, columns: tuple[str, ...]) -> RowCuts | TallyCuts:
    """Return the slices of an evaluation by columns, crossed where they are several."""
    return TallyCuts(ev, columns) if ev.given is None else RowCuts(ev, columns)


def _parted(rows: Rows, columns: tuple[str, ...]) -> tuple[list[Key], Any]:
    """Return the slices of rows by columns, in order, and for every row the number of its slice."""
    given = {column.name: column for column in rows.by}
    encoded = [encode(given[name]) for name in columns]
    codes, digits = cross([(codes, max(len(labels), 1)) for codes, labels in encoded])
    parts = (
        tuple(labels[int(code)] for code, (_, labels) in zip(places, encoded, strict=True))
        for places in zip(*digits, strict=True)
    )
    return [_bare(key) for key in parts], codes


def _bare(key: tuple[Label, ...]) -> Key:
    return key if len(key) > 1 else key[0]


class RowCuts:
    """The slices of rows that are held."""

    def __init__(self, ev: Evaluation, columns: tuple[str, ...]) -> None:
        self.ev = ev
        self.keys, codes = _parted(self._rows, columns)
        self._offsets, self._order = kernels.order_groups(codes, len(self.keys))
        if ev.task.name == "ranking":
            self._check_lists(codes, columns)

    @property
    def _rows(self) -> Any:
        return self.ev.rows

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

    def _index(self, place: int) -> Any:
        return self._order[self._offsets[place] : self._offsets[place + 1]]

    def evaluation(self, place: int, settings: Settings) -> Evaluation:
        """Return the evaluation of one slice's rows."""
        given: Any = self.ev.given
        labels = given.labels or (self.ev.task.labels or None)
        rows = dataclasses.replace(given, by=(), labels=labels).take(self._index(place))
        return evaluate_rows(self.ev.task, settings, rows)

    def groups(self) -> tuple[list[int], list[int]]:
        """Return how many groups have rows in each slice, and how many outside of it."""
        codes, groups = encode(self._rows.need("group", "slices of groups"))
        total = np.bincount(codes, minlength=len(groups))
        inside, outside = [], []
        for place in range(len(self.keys)):
            held = np.bincount(codes[self._index(place)], minlength=len(groups))
            inside.append(int(np.count_nonzero(held)))
            outside.append(int(np.count_nonzero(total - held)))
        return inside, outside

    def sides(self, place: int) -> tuple[Side, Side] | None:
        """Return a slice's rows and all others, with their groups where there are some."""
        inside = np.zeros(len(self._rows), dtype=bool)
        inside[self._index(place)] = True
        labels = self._rows.labels or (self.ev.task.labels or None)
        rows = dataclasses.replace(self._rows, by=(), labels=labels)
        codes = inside if rows.group is None else encode(rows.group)[0]
        return Side(rows.take(inside), codes[inside]), Side(rows.take(~inside), codes[~inside])


class TallyCuts:
    """The slices of rows that are no longer held, from the tallies of each."""

    def __init__(self, ev: Evaluation, columns: tuple[str, ...]) -> None:
        self.ev, self._columns = ev, columns
        found: Any = ev.tallies["slices"]
        places = [ev.settings.by.index(name) for name in columns]
        parts: dict[tuple[Label, ...], list[Collection]] = {}
        for key, one in found.items():
            parts.setdefault(tuple(key[place] for place in places), []).append(one)
        self._parts = [merge(parts[key]) for key in sorted(parts)]
        self.keys: list[Key] = [_bare(key) for key in sorted(parts)]

    def evaluation(self, place: int, settings: Settings) -> Evaluation:
        """Return the evaluation of one slice's tallies."""
        task = self.ev.task
        tallies: dict[str, Tally] = dict(self._parts[place].items())
        table, scores = tallies.get("confusion"), tallies.get("scores")
        if task.threshold is None:
            if isinstance(table, Confusion) and not table.declared:
                tallies["confusion"] = table.merge(Confusion(self._labels, declared=True))
        elif isinstance(scores, Scores) or (
            isinstance(scores, BinnedScores) and scores.edge(task.threshold) == task.threshold
        ):
            tallies["confusion"] = counted_at(scores, task.threshold, task.labels)
        if self._cases:
            tallies["cases"] = StoredRows.of(self._cases[place])
        return Evaluation(task, settings, Collection.of_mapping(tallies))

    @property
    def _labels(self) -> tuple[Label, ...]:
        whole = self.ev.tallies.get("confusion")
        return whole.labels if isinstance(whole, Confusion) and whole.declared else self.ev.task.labels

    def groups(self) -> tuple[list[int], list[int]]:
        """Return how many groups have rows in each slice, and how many outside of it."""
        held = [set(encode(rows.need("group", "slices of groups"))[1]) for rows in self._cases]
        others = [set().union(*held[:place], *held[place + 1 :]) for place in range(len(held))]
        return [len(one) for one in held], [len(one) for one in others]

    def sides(self, place: int) -> tuple[Side, Side] | None:
        """Return a slice's rows and all others, where their tallies keep them, else None."""
        if len(self._cases) < len(self.keys):
            return None
        others = merge(
            StoredRows.of(rows) for number, rows in enumerate(self._cases) if number != place
        ).rows()
        return self._side(self._cases[place]), self._side(others)

    def _side(self, rows: Rows) -> Side:
        """Return rows with the number of each one's group among all groups."""
        if rows.group is None:
            return Side(rows, np.zeros(len(rows), dtype=np.intp))
        codes, labels = encode(rows.group)
        return Side(rows, translate(labels, self._groups)[codes].astype(np.intp))

    @functools.cached_property
    def _groups(self) -> tuple[Label, ...]:
        found: tuple[Label, ...] = ()
        for rows in self._cases:
            found = label_union(found, encode(rows.need("group", "slices of groups"))[1])
        return found

    @functools.cached_property
    def _cases(self) -> list[Rows]:
        """The rows of each slice, where tallies keep them."""
        rows, labels = self.ev.cases, self._labels or None
        if rows is not None and rows.by:
            _, codes = _parted(rows, self._columns)
            bare = dataclasses.replace(rows, by=(), labels=rows.labels or labels)
            return [bare.take(codes == place) for place in range(len(self.keys))]
        pairs: list[Any] = [one.get("spearman") for one in self._parts]
        return [one.rows() for one in pairs] if all(isinstance(one, NumberPairs) for one in pairs) else []


def weight_of(ev: Evaluation) -> float:
    """Return what the rows of an evaluation weigh together, by whichever tally tells."""
    for one in ev.tallies.tallies:
        if isinstance(one, Confusion):
            return math.fsum(one.weight())
        if isinstance(one, Scores) and one.weights is not None:
            return math.fsum((one.positives.astype(np.float64) + one.negatives) * one.weights)
        weight = getattr(one, "weight", None)
        if weight is not None and not callable(weight):
            return float(weight)
        if hasattr(one, "class_weights"):
            return math.fsum(one.class_weights)
    return float(ev.n)


def same_cuts(one: Grouped, other: Grouped, names: Sequence[str]) -> None:
    """Raise where numbers were cut at different places: at the quartiles of each side's own rows."""
    for place, name in enumerate(names):
        mine, theirs = (
            {
                label.split(":")[0]: label
                for key in side
                if isinstance(label := key[place], str) and _is_cut(label)
            }
            for side in (one, other)
        )
        for number in mine.keys() & theirs.keys():
            if mine[number] != theirs[number]:
                raise InputError(
                    f"{name} was cut at different numbers on both sides ({shown([mine[number]])} and "
                    f"{shown([theirs[number]])}): say where for both, with edges=."
                )


def _is_cut(label: str) -> bool:
    number, _, said = label.partition(": ")
    return number.isdigit() and ("below " in said or said.endswith(" or more"))
