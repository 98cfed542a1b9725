"""The tally of repeated runs: how many questions were run so often and correct so often, by each model."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import InputError, LengthError, NumberError
from assay.formatting.numbers import count_of
from assay.inputs import column, encode, label_union
from assay.inputs.labels import cross, positions, same_kind
from assay.tallies.tally import Tally, frozen, require

if TYPE_CHECKING:
    from assay.inputs.columns import Array
    from assay.inputs.labels import Label

__all__ = ["RunCounts"]

_NO_TABLE = np.zeros((0, 1), dtype=np.int64)
_NO_TABLE.flags.writeable = False


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class RunCounts(Tally, kind="run counts"):
    """How many questions have the same runs and correct runs by each model, and are of the same group.

    ``table`` has a row for each such pattern, in order: the index of the group (0 without groups), then for
    each model its runs and its correct runs. ``counts`` are the numbers of questions.

    State: one row per pattern that occurs, however many questions there are.

    Examples
    --------
    >>> import assay
    >>> tally = assay.RunCounts.of(["q1", "q1", "q2", "q2", "q3", "q3"], [1, 0, 1, 1, 0, 1])
    >>> tally.table.tolist(), tally.counts.tolist()
    ([[0, 2, 1], [0, 2, 2]], [2, 1])
    """

    models: tuple[Label, ...] = ()
    groups: tuple[Label, ...] = ()
    table: Array = dataclasses.field(default_factory=lambda: _NO_TABLE)
    counts: Array = dataclasses.field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, question: Any, correct: Any, *, model: Any = None, group: Any = None) -> Self:
        """Return the tally of one row per run; a question's rows must not be split between tallies."""
        values = column(correct, "correct").require_complete()
        numbers = values.complete_numbers("correct runs, 1 or 0,")
        wrong = (numbers != 0) & (numbers != 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            if np.isnan(numbers[row]):
                values.raise_missing(row)
            raise NumberError(f"correct is 1 or 0, not {numbers[row]} ({values.where(row)}).")
        codes, questions = _coded(question, "question", len(numbers))
        model_codes, models = (np.zeros(len(codes), np.int64), ("model",)) if model is None else _coded(
            model, "model", len(numbers)
        )  # fmt: skip
        if not len(numbers):
            return cls()
        cells = codes * len(models) + model_codes
        size = len(questions) * len(models)
        runs = np.bincount(cells, minlength=size).reshape(-1, len(models))
        hits = np.bincount(cells, numbers, minlength=size).astype(np.int64).reshape(-1, len(models))
        clusters = np.zeros(len(questions), np.int64)
        groups: tuple[Label, ...] = ()
        if group is not None:
            group_codes, groups = _coded(group, "group", len(numbers))
            clusters = group_of_question(codes, group_codes, questions)
        table = np.empty((len(questions), 1 + 2 * len(models)), dtype=np.int64)
        table[:, 0], table[:, 1::2], table[:, 2::2] = clusters, runs, hits
        return cls._distinct(models, groups, table, np.ones(len(questions), np.int64))

    @classmethod
    def _distinct(cls, models: Any, groups: Any, table: Array, counts: Array) -> Self:
        """Return the tally of rows that may repeat and come in any order."""
        if not len(table):
            return cls(tuple(models), tuple(groups), frozen(table.astype(np.int64)))
        columns = [(np.ascontiguousarray(part).astype(np.uint64), int(part.max()) + 1) for part in table.T]
        pattern, digits = cross(columns)
        totals = np.zeros(len(digits[0]), dtype=np.int64)
        np.add.at(totals, pattern, counts)
        unique = np.stack(digits, axis=1).astype(np.int64)
        return cls(tuple(models), tuple(groups), frozen(unique), frozen(totals))

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' questions."""
        self._same_kind(other)
        models = label_union(self.models, other.models)
        groups = label_union(self.groups, other.groups)
        tables = []
        for tally in (self, other):
            table = np.zeros((len(tally.table), 1 + 2 * len(models)), dtype=np.int64)
            table[:, 0] = tally.table[:, 0]
            if tally.groups:
                table[:, 0] = positions(tally.groups, groups)[tally.table[:, 0]]
            for index, position in enumerate(positions(tally.models, models).tolist()):
                table[:, 1 + 2 * position : 3 + 2 * position] = tally.table[:, 1 + 2 * index : 3 + 2 * index]
            tables.append(table)
        counts = np.concatenate([self.counts, other.counts])
        return self._distinct(models, groups, np.concatenate(tables), counts)

    @property
    def n(self) -> int:
        """How many questions there are."""
        return int(self.counts.sum())

    def runs(self, model: int = 0) -> tuple[Array, Array]:
        """Return the runs and the correct runs of a model, pattern by pattern."""
        return self.table[:, 1 + 2 * model], self.table[:, 2 + 2 * model]

    def check(self) -> None:
        """Raise ValueError if no runs could have led to this state."""
        for labels in (self.models, self.groups):
            require(isinstance(labels, tuple), "wrong labels")
            require(tuple(sorted(set(same_kind(labels)))) == labels, "labels out of order")
        require(self.table.ndim == 2 and self.table.shape[1] == 1 + 2 * len(self.models), "wrong shape")  # noqa: PLR2004
        require(self.table.dtype == self.counts.dtype == np.int64, "wrong types")
        require(self.counts.shape == (len(self.table),) and (self.counts > 0).all(), "wrong counts")
        require((self.table >= 0).all(), "a count below 0")
        require((self.table[:, 0] < max(len(self.groups), 1)).all(), "a group outside")
        for index in range(len(self.models)):
            runs, hits = self.runs(index)
            require((hits <= runs).all(), "more correct runs than runs")
        again = self._distinct(self.models, self.groups, self.table, self.counts)
        require(again == self, "rows out of order")


def _coded(values: Any, name: str, n: int) -> tuple[Array, tuple[Label, ...]]:
    coded_column = column(values, name).require_complete()
    if len(coded_column) != n:
        raise LengthError(f"{name} has {count_of(len(coded_column), 'value')} for {count_of(n, 'run')}.")
    codes, labels = encode(coded_column)
    return codes.astype(np.int64), labels


def group_of_question(questions: Array, groups: Array, names: tuple[Label, ...]) -> Array:
    """Return the group of each question, which all of its rows must have."""
    first = np.zeros(len(names), dtype=np.int64)
    first[questions[::-1]] = groups[::-1]
    other = np.flatnonzero(first[questions] != groups)
    if other.size:
        raise InputError(f"the question {names[questions[int(other[0])]]} is in two groups.")
    return first
