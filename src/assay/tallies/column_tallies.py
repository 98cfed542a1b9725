"""Tallies of each column: rows of several labels or outputs, one tally for each of them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from assay.errors import LabelError, shown
from assay.inputs import need_rows
from assay.tallies.tally import Tally, merge, require, require_same_labels, restored

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs import Label, Labels, Rows

__all__ = ["ColumnTallies"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ColumnTallies(Tally, kind="columns"):
    """One tally for each label or output: the scores of each label, say, or the moments of each output.

    State: the names of the columns, and the state of their tallies.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[[0.5, 1.0], [1.5, 3.0]], predicted=[[0.5, 2.0], [1.0, 3.0]])
    >>> tally = assay.ColumnTallies.of(rows, assay.Moments)
    >>> tally.labels, [assay.metrics.mae(moments) for moments in tally.tallies]
    ((0, 1), [0.25, 0.5])
    """

    labels: Labels = ()
    tallies: tuple[Tally, ...] = ()

    @classmethod
    def of(cls, rows: Rows, each: Callable[[Rows], Tally] | type[Tally]) -> Self:
        """Return the tally that `each` makes of every label's or output's own rows."""
        if not len(need_rows(rows)):
            return cls()
        make: Callable[[Rows], Tally] = getattr(each, "of", each)
        labels = rows.labels or ()
        return cls(labels, tuple(make(rows.of_column(index)) for index in range(len(labels))))

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows; both must have the same columns in the same order."""
        self._same_kind(other)
        if not self.labels or not other.labels:
            return self if self.labels else other
        require_same_labels(self.labels, other.labels)
        both = zip(self.tallies, other.tallies, strict=True)
        return type(self)(self.labels, tuple(first.merge(second) for first, second in both))

    def of_label(self, label: Label) -> Tally:
        """Return the tally of one label or output."""
        if label not in self.labels:
            raise LabelError(f"the label {shown([label])} is not among {shown(self.labels)}.")
        return self.tallies[self.labels.index(label)]

    def pooled(self) -> Tally:
        """Return all columns as one: every row counts once for each of them."""
        return self.cached("pooled", lambda: merge(self.tallies))  # type: ignore[no-any-return]

    @property
    def n(self) -> int:
        """How many rows there are."""
        first: Any = self.tallies[0] if self.tallies else ()
        return int(first.n) if hasattr(first, "n") else len(first)

    def state(self) -> tuple[Any, ...]:
        """Return the names of the columns and their tallies, those as kind and state."""
        return self.labels, tuple((tally.kind, tally.state()) for tally in self.tallies)

    @classmethod
    def restore(cls, state: tuple[Any, ...]) -> Self:
        """Return the tally whose :meth:`state` this was."""
        labels, tallies = state
        return cls(labels, tuple(restored(*each) for each in tallies))

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(type(self.labels) is tuple, "wrong types")
        require({type(label) for label in self.labels} <= {str, int, bool}, "labels of several kinds")
        require(len(set(self.labels)) == len(self.labels) == len(self.tallies), "labels and tallies differ")
        require(len({type(tally) for tally in self.tallies}) <= 1, "tallies of several kinds")
        sizes = {tally.n if hasattr(tally, "n") else len(tally) for tally in self.tallies}  # type: ignore[arg-type]
        require(len(sizes) <= 1 and sizes != {0}, "columns of different numbers of rows")
