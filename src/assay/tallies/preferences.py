"""The tally of preferences: how often the left or the right of two models won, or neither."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import InputError, LabelError, LengthError, shown
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs import column, encode, label_union
from assay.inputs.labels import positions, same_kind
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from assay.inputs.columns import Array
    from assay.inputs.labels import Label

__all__ = ["LEFT", "RIGHT", "TIE", "Preferences", "outcomes"]

LEFT, TIE, RIGHT = 0, 1, 2
_OUTCOMES = 3
_WORDS = {
    "left": LEFT, "a": LEFT, "model_a": LEFT, "first": LEFT, "right": RIGHT, "b": RIGHT, "model_b": RIGHT,
    "second": RIGHT, "tie": TIE, "draw": TIE, "both": TIE, "neither": TIE, "tie (bothbad)": TIE,
    "bothbad": TIE,
}  # fmt: skip
_NUMBERS = {1.0: LEFT, 0.5: TIE, 0.0: RIGHT}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Preferences(Tally, kind="preferences"):
    """How many comparisons each two models had, left and right, with each outcome, by group.

    ``cells`` are those that occur, in order: ((group * models + left) * models + right) * 3 + outcome, where
    the outcome is 0 for left, 1 for a tie and 2 for right. ``counts`` are the numbers of comparisons.

    State: one entry per cell that occurs; without groups at most three times the models squared.

    Examples
    --------
    >>> import assay
    >>> tally = assay.Preferences.of(["a", "b", "a"], ["b", "a", "b"], ["left", "tie", "a"])
    >>> tally.models, tally.counts.tolist(), tally.parts()[3].tolist()
    (('a', 'b'), [2, 1], [0, 1])
    """

    models: tuple[Label, ...] = ()
    groups: tuple[Label, ...] = ()
    cells: Array = no_values(np.int64)
    counts: Array = no_values(np.int64)

    @classmethod
    def of(cls, left: Any, right: Any, winner: Any, *, group: Any = None) -> Self:
        """Return the tally of rows that each compare two models.

        `winner` is "left", "right" or "tie" (or a, b; model_a, model_b), the winner's name, or 1, 0, 0.5.
        """
        columns = [
            column(values, name).require_complete() for values, name in ((left, "left"), (right, "right"))
        ]
        if len(columns[0]) != len(columns[1]):
            raise LengthError(
                f"left has {count_of(len(columns[0]), 'value')}, right has {len(columns[1]):,}."
            )
        (first, first_labels), (second, second_labels) = (encode(values) for values in columns)
        models = label_union(first_labels, second_labels)
        first, second = (
            positions(labels, models)[codes]
            for codes, labels in ((first, first_labels), (second, second_labels))
        )
        same = np.flatnonzero(first == second)
        if same.size:
            raise InputError(
                f"{models[first[int(same[0])]]} is compared with itself ({columns[0].where(int(same[0]))})."
            )
        result = outcomes(winner, first, second, models)
        clusters, groups = np.zeros(len(first), np.int64), ()
        if group is not None:
            values = column(group, "group").require_complete()
            if len(values) != len(first):
                raise LengthError(
                    f"group has {count_of(len(values), 'value')} for {count_of(len(first), 'comparison')}."
                )
            codes, labels = encode(values)
            clusters, groups = codes.astype(np.int64), labels  # type: ignore[assignment]
        size = len(models)
        cells = ((clusters * size + first) * size + second) * _OUTCOMES + result
        return cls._distinct(models, groups, cells, np.ones(len(cells), np.int64))

    @classmethod
    def _distinct(cls, models: Any, groups: Any, cells: Array, counts: Array) -> Self:
        size = int(cells.max(initial=-1)) + 1
        if size <= 4 * len(cells):  # every possible cell is counted, faster than sorting
            totals = np.bincount(cells, counts, size).astype(np.int64)  # exact below 2**53
            unique = np.flatnonzero(totals)
            return cls(tuple(models), tuple(groups), frozen(unique.astype(np.int64)), frozen(totals[unique]))
        unique, codes = np.unique(cells, return_inverse=True)
        totals = np.zeros(len(unique), dtype=np.int64)
        np.add.at(totals, codes, counts)
        return cls(tuple(models), tuple(groups), frozen(unique.astype(np.int64)), frozen(totals))

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' comparisons."""
        self._same_kind(other)
        models, groups = label_union(self.models, other.models), label_union(self.groups, other.groups)
        cells = []
        for tally in (self, other):
            cluster, left, right, outcome = tally.parts()
            if tally.groups:
                cluster = positions(tally.groups, groups)[cluster]
            if len(left):
                left, right = (positions(tally.models, models)[part] for part in (left, right))
            cells.append(((cluster * len(models) + left) * len(models) + right) * _OUTCOMES + outcome)
        return self._distinct(
            models, groups, np.concatenate(cells), np.concatenate([self.counts, other.counts])
        )

    @property
    def n(self) -> int:
        """How many comparisons there are."""
        return int(self.counts.sum())

    def parts(self) -> tuple[Array, Array, Array, Array]:
        """Return the group, the left model, the right model and the outcome of each cell, as indices."""
        rest, outcome = np.divmod(self.cells, _OUTCOMES)
        rest, right = np.divmod(rest, max(len(self.models), 1))
        cluster, left = np.divmod(rest, max(len(self.models), 1))
        return cluster, left, right, outcome

    def check(self) -> None:
        """Raise ValueError if no comparisons could have led to this state."""
        for labels in (self.models, self.groups):
            require(isinstance(labels, tuple), "wrong labels")
            require(tuple(sorted(set(same_kind(labels)))) == labels, "labels out of order")
        require(self.cells.dtype == self.counts.dtype == np.int64 and self.cells.ndim == 1, "wrong types")
        require(self.counts.shape == self.cells.shape and (self.counts > 0).all(), "wrong counts")
        require((np.diff(self.cells) > 0).all() and (self.cells >= 0).all(), "cells out of order")
        cluster, left, right, _ = self.parts()
        require((left != right).all() and (cluster < max(len(self.groups), 1)).all(), "a cell outside")
        require(set(np.unique([left, right]).tolist()) == set(range(len(self.models))), "a model without any")
        require(not self.groups or len(np.unique(cluster)) == len(self.groups), "a group without any")


def outcomes(winner: Any, left: Array, right: Array, models: tuple[Label, ...]) -> Array:
    """Return the outcome of each comparison as 0 (left), 1 (tie) or 2 (right)."""
    winners = column(winner, "winner").require_complete()
    if len(winners) != len(left):
        raise LengthError(
            f"winner has {count_of(len(winners), 'value')} for {count_of(len(left), 'comparison')}."
        )
    is_float = winners.labels is None and winners.values.dtype.kind == "f"
    if is_float and (not set(models) & {0, 1} or (winners.values == 0.5).any()):  # noqa: PLR2004 - a tie is no name
        numbers = winners.values
        codes = np.full(len(numbers), -1, dtype=np.int64)
        for number, outcome in _NUMBERS.items():
            codes[numbers == number] = outcome
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            raise LabelError(f"winner is 1, 0.5 or 0, not {numbers[row]} ({winners.where(row)}).")
        return codes
    codes, labels = encode(winners)
    named = np.full(len(labels), -1, dtype=np.int64)
    words = np.full(len(labels), -1, dtype=np.int64)
    for index, label in enumerate(labels):
        if label in models:
            named[index] = models.index(label)
        elif isinstance(label, str):
            words[index] = _WORDS.get(label.strip().lower(), -1)
        else:
            words[index] = _NUMBERS.get(float(label), -1)
    who, result = named[codes], words[codes]
    result = np.where(who == left, LEFT, np.where(who == right, RIGHT, result)) if len(who) else result
    wrong = np.flatnonzero((result < 0) | ((who >= 0) & (who != left) & (who != right)))
    if wrong.size:
        row = int(wrong[0])
        raise LabelError(
            f"winner is {shown([labels[codes[row]]])} ({winners.where(row)}), where {models[left[row]]} is "
            f'compared with {models[right[row]]}: {param("winner")} is "left", "right", "tie" or a name.'
        )
    return np.asarray(result, dtype=np.int64)
