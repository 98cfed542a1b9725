"""Stored rows: all rows sorted by value, for metrics and intervals that no smaller tally can give."""

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
_WIDEST_DTYPES = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class StoredRows(Tally, kind="cases"):
    """Every row's values by role, sorted, so that the result does not depend on the order of the input.

    Numbers are stored in the widest type of their kind; text as codes into sorted ``labels``, which is None
    for other columns. Multiclass scores are several columns of the same role.

    State: 1 to 8 bytes per value, so it grows with the number of rows: see :meth:`within`.

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
        for role, column in _columns_by_role(rows):
            column.refuse_missing()
            kind = column.values.dtype.kind
            dtype: Any = np.uint32 if column.labels is not None else _WIDEST_DTYPES[kind]
            arrays = column.values.T if column.values.ndim > 1 else [column.values]
            for values in arrays:
                roles.append((role, column.name))
                labels.append(column.labels)
                columns.append(values.astype(dtype))
        return cls._sorted(tuple(roles), tuple(labels), columns, rows.labels, rows.positive)

    @classmethod
    def within(cls, rows: Rows, limit: int) -> BoundedTally:
        """Return the tally of rows, dropped if it takes more bytes than `limit`."""
        row_bytes = sum(
            4 if column.labels is not None else max(column.values[:1].size, 1) * _item_bytes(column.values)
            for _, column in _columns_by_role(rows)
        )
        if row_bytes * len(rows) > limit:
            return BoundedTally.lost(len(rows), "the rows outgrow the memory", limit)
        return BoundedTally.of(rows, cls, limit)

    @classmethod
    def _sorted(
        cls,
        roles: tuple[tuple[str, str], ...],
        labels: tuple[Labels | None, ...],
        columns: list[Array],
        declared: Labels | None,
        positive: Label | None,
    ) -> Self:
        arrays = [array + 0.0 if array.dtype.kind == "f" else array for array in columns]  # -0.0 is 0.0
        order = np.lexsort(arrays[::-1])
        return cls(roles, labels, tuple(frozen(array[order]) for array in arrays), declared, positive)

    def merge(self, other: Self) -> Self:
        """Return the tally of both tallies' rows."""
        self._same_kind(other)
        if not self.n or not other.n:
            return self if self.n else other
        if self.roles != other.roles:
            left, right = self._with_unit_weights(other), other._with_unit_weights(self)
            if left is not self or right is not other:
                return left.merge(right)
        if self.roles != other.roles or self.declared != other.declared or self.positive != other.positive:
            raise MergeError("the rows of the two tallies have different columns or labels.")
        labels: list[Labels | None] = []
        columns: list[Array] = []
        for (_, name), left_labels, right_labels, left_values, right_values in zip(
            self.roles, self.labels, other.labels, self.columns, other.columns, strict=True
        ):
            if (left_labels is None) != (right_labels is None):
                raise MergeError(
                    f"{name} holds text in some rows and numbers in others. Make it all text or all numbers."
                )
            if left_labels is None or right_labels is None:
                labels.append(None)
                columns.append(np.concatenate([left_values, right_values]))
                continue
            union = label_union(left_labels, right_labels)
            sides: Any = ((left_labels, left_values), (right_labels, right_values))
            labels.append(union)
            columns.append(
                np.concatenate([translate(own, union).astype(np.uint32)[codes] for own, codes in sides])
            )
        return self._sorted(self.roles, tuple(labels), columns, self.declared, self.positive)

    def _with_unit_weights(self, other: Self) -> Self:
        """Return the rows with a weight of 1 each if only the other tally has weights."""
        weight_roles = [role for role in other.roles if role[0] == "weight"]
        if not weight_roles or any(role == "weight" for role, _ in self.roles):
            return self
        index = other.roles.index(weight_roles[0])
        roles, labels, columns = list(self.roles), list(self.labels), list(self.columns)
        roles.insert(index, weight_roles[0])
        labels.insert(index, None)
        columns.insert(index, np.ones(self.n))
        return dataclasses.replace(self, roles=tuple(roles), labels=tuple(labels), columns=tuple(columns))

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def rows(self) -> Rows:
        """Return the rows in sorted order."""
        by_role: dict[str, Any] = {}
        by: list[Column] = []
        for role, name in dict.fromkeys(self.roles):
            indices = [index for index, key in enumerate(self.roles) if key == (role, name)]
            values, labels = self.columns[indices[0]], self.labels[indices[0]]
            if len(indices) > 1:
                values = np.stack([self.columns[index] for index in indices], axis=1)
            if labels is not None:
                values, used = kernels.encode_integers(values)
                labels = tuple(labels[int(code)] for code in used)
            column = Column(name, values, labels)
            if role == "by":
                by.append(column)
            else:
                by_role[role] = column
        return Rows(self.n, **by_role, by=tuple(by), labels=self.declared, positive=self.positive)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(len(self.roles) == len(self.labels) == len(self.columns), "numbers of columns that differ")
        for (role, name), labels, values in zip(self.roles, self.labels, self.columns, strict=True):
            require(role in (*_ROLES, "by") and type(name) is str, "an unknown role")
            require(values.ndim == 1 and len(values) == self.n > 0, "columns of different lengths")
            if labels is None:
                require(values.dtype in tuple(_WIDEST_DTYPES.values()), "a wrong column type")
                require(values.dtype.kind != "f" or not np.isnan(values).any(), "a missing value")
                require(
                    values.dtype.kind != "f" or not np.signbit(values[values == 0]).any(), "a negative zero"
                )
            else:
                require(tuple(sorted(set(labels))) == labels, "labels out of order")
                require(values.dtype == np.uint32, "wrong codes")
                require(np.array_equal(np.unique(values), np.arange(len(labels))), "labels that do not occur")
        require(self.declared is None or type(self.declared) is tuple, "wrong labels")
        if self.columns:
            order = np.lexsort(self.columns[::-1])
            is_sorted = all(np.array_equal(array[order], array) for array in self.columns)
            require(is_sorted, "rows out of order")
        else:
            require(self.state() == type(self)().state(), "labels of no rows")


def _columns_by_role(rows: Rows) -> list[tuple[str, Column]]:
    columns = [(role, column) for role in _ROLES if (column := getattr(rows, role)) is not None]
    return columns + [("by", column) for column in rows.by]


def _item_bytes(values: Array) -> int:
    return 1 if values.dtype.kind == "b" else 8
