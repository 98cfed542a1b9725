"""The cases: the rows themselves, in the order of their values, for what no smaller tally tells."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay import kernels
from assay.errors import MergeError
from assay.inputs import Column, Rows, label_union, need_rows
from assay.inputs.labels import translate
from assay.tallies.bounded import BoundedTally
from assay.tallies.tally import Tally, frozen, require

if TYPE_CHECKING:
    from assay.inputs.columns import Array
    from assay.inputs.labels import Label, Labels

__all__ = ["StoredRows"]

_ROLES = ("actual", "predicted", "score", "weight", "group", "query")
_KINDS = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class StoredRows(Tally, kind="cases"):
    """Every row's values by role, the rows in order, so that it does not show how they came.

    Numbers are as wide as can be; text is codes into sorted ``labels``, of which other columns have None.
    Scores of several classes are several columns of the same role.

    State: 1 to 8 bytes per value of a row. That grows with the rows: see :meth:`within`.

    Examples
    --------
    >>> import assay
    >>> tally = StoredRows.of(assay.rows(actual=[1, 0], score=[0.5, 0.25], group=["b", "a"]))
    >>> tally.n, tally.rows().score.values.tolist(), tally.rows().group.labels
    (2, [0.25, 0.5], ('a', 'b'))
    """

    roles: tuple[tuple[str, str], ...] = ()
    labels: tuple[Labels | None, ...] = ()
    columns: tuple[Array, ...] = ()
    declared: Labels | None = None
    positive: Label | None = None

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return the tally of rows."""
        if not len(need_rows(rows)):
            return cls()
        roles: list[tuple[str, str]] = []
        labels: list[Any] = []
        columns: list[Array] = []
        for role, one in _by_role(rows):
            one.refuse_missing()
            kind = one.values.dtype.kind
            wide: Any = np.uint32 if one.labels is not None else _KINDS[kind]
            several = one.values.T if one.values.ndim > 1 else [one.values]
            for values in several:
                roles.append((role, one.name))
                labels.append(one.labels)
                columns.append(values.astype(wide))
        return cls._ordered(tuple(roles), tuple(labels), columns, rows.labels, rows.positive)

    @classmethod
    def within(cls, rows: Rows, limit: int) -> BoundedTally:
        """Return the tally of rows where it takes no more bytes than a limit."""
        width = sum(
            4 if one.labels is not None else max(one.values[:1].size, 1) * _width(one.values)
            for _, one in _by_role(rows)
        )
        if width * len(rows) > limit:
            return BoundedTally.lost(len(rows), "the rows outgrow the memory", limit)
        return BoundedTally.of(rows, cls, limit)

    @classmethod
    def _ordered(
        cls,
        roles: tuple[tuple[str, str], ...],
        labels: tuple[Labels | None, ...],
        columns: list[Array],
        declared: Labels | None,
        positive: Label | None,
    ) -> Self:
        plain = [one + 0.0 if one.dtype.kind == "f" else one for one in columns]  # -0.0 is 0.0
        order = np.lexsort(plain[::-1])
        return cls(roles, labels, tuple(frozen(one[order]) for one in plain), declared, positive)

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        if not self.n or not other.n:
            return self if self.n else other
        if self.roles != other.roles:
            one, two = self._weighted(other), other._weighted(self)
            if one is not self or two is not other:
                return one.merge(two)
        if self.roles != other.roles or self.declared != other.declared or self.positive != other.positive:
            raise MergeError("the two sides' rows have different columns or labels.")
        labels: list[Labels | None] = []
        columns: list[Array] = []
        for (_, name), mine, theirs, first, second in zip(
            self.roles, self.labels, other.labels, self.columns, other.columns, strict=True
        ):
            if (mine is None) != (theirs is None):
                raise MergeError(
                    f"{name} holds text in some rows and numbers in others. Make it all text or all numbers."
                )
            if mine is None or theirs is None:
                labels.append(None)
                columns.append(np.concatenate([first, second]))
                continue
            joined = label_union(mine, theirs)
            sides: Any = ((mine, first), (theirs, second))
            labels.append(joined)
            columns.append(
                np.concatenate([translate(own, joined).astype(np.uint32)[codes] for own, codes in sides])
            )
        return self._ordered(self.roles, tuple(labels), columns, self.declared, self.positive)

    def _weighted(self, other: Self) -> Self:
        """Return the rows with weights of 1 where only the other side has weights that are not."""
        named = [one for one in other.roles if one[0] == "weight"]
        if not named or any(role == "weight" for role, _ in self.roles):
            return self
        place = other.roles.index(named[0])
        roles, labels, columns = list(self.roles), list(self.labels), list(self.columns)
        roles.insert(place, named[0])
        labels.insert(place, None)
        columns.insert(place, np.ones(self.n))
        return dataclasses.replace(self, roles=tuple(roles), labels=tuple(labels), columns=tuple(columns))

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.columns[0]) if self.columns else 0

    def rows(self) -> Rows:
        """Return the rows, in their order here."""
        made: dict[str, Any] = {}
        by: list[Column] = []
        for role, name in dict.fromkeys(self.roles):
            places = [place for place, one in enumerate(self.roles) if one == (role, name)]
            values, labels = self.columns[places[0]], self.labels[places[0]]
            if len(places) > 1:
                values = np.stack([self.columns[place] for place in places], axis=1)
            if labels is not None:
                values, used = kernels.encode_integers(values)
                labels = tuple(labels[int(code)] for code in used)
            one = Column(name, values, labels)
            if role == "by":
                by.append(one)
            else:
                made[role] = one
        return Rows(self.n, **made, by=tuple(by), labels=self.declared, positive=self.positive)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(len(self.roles) == len(self.labels) == len(self.columns), "columns that are not there")
        for (role, name), labels, values in zip(self.roles, self.labels, self.columns, strict=True):
            require(role in (*_ROLES, "by") and type(name) is str, "no such role")
            require(values.ndim == 1 and len(values) == self.n > 0, "columns of different lengths")
            if labels is None:
                require(values.dtype in tuple(_KINDS.values()), "a wrong column")
                require(values.dtype.kind != "f" or not np.isnan(values).any(), "a missing value")
                require(
                    values.dtype.kind != "f" or not np.signbit(values[values == 0]).any(), "a zero below 0"
                )
            else:
                require(tuple(sorted(set(labels))) == labels, "labels out of order")
                require(values.dtype == np.uint32, "wrong codes")
                require(np.array_equal(np.unique(values), np.arange(len(labels))), "labels that do not occur")
        require(self.declared is None or type(self.declared) is tuple, "wrong labels")
        if self.columns:
            order = np.lexsort(self.columns[::-1])
            same = all(np.array_equal(one[order], one) for one in self.columns)
            require(same, "rows out of order")
        else:
            require(self.state() == type(self)().state(), "labels of no rows")


def _by_role(rows: Rows) -> list[tuple[str, Column]]:
    found = [(role, kept) for role in _ROLES if (kept := getattr(rows, role)) is not None]
    return found + [("by", one) for one in rows.by]


def _width(values: Array) -> int:
    return 1 if values.dtype.kind == "b" else 8
