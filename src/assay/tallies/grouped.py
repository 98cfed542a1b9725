"""The grouped tally: one tally per slice of the rows, filled in one pass."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from assay import kernels
from assay.errors import ColumnError
from assay.hints import param
from assay.inputs import Label, encode, need_rows
from assay.inputs.labels import cross, same_kind
from assay.tallies.collection import MappedTallies, maker

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs import Rows
    from assay.tallies.tally import Tally

__all__ = ["Grouped", "Key"]

Key: TypeAlias = tuple[Label, ...]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Grouped(MappedTallies, kind="grouped"):
    """A tally for each group that occurs, by its key: one label per grouping column.

    State: that of its tallies together. It reads as a mapping from key to tally; where one column
    groups, the bare label will do as a key.

    Examples
    --------
    >>> import assay
    >>> r = assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0], by=["north", "south", "north"])
    >>> by_region = assay.Grouped.of(r, assay.Confusion)
    >>> list(by_region)
    [('north',), ('south',)]
    >>> by_region["north"].table()
    array([[1, 0],
           [1, 0]])
    """

    @classmethod
    def of(
        cls,
        rows: Rows,
        each: Callable[[Rows], Tally] | type[Tally],
        over: Literal["by", "group", "query"] = "by",
    ) -> Self:
        """Return the tally of every group's rows that `each` makes: a tally, or a function of rows."""
        if over not in ("by", "group", "query"):
            raise ColumnError(f'over={over!r} is no role to group by: use "by", "group" or "query".')
        columns = need_rows(rows).by if over == "by" else (rows.need(over, "a grouped tally"),)
        if not columns:
            raise ColumnError(f"a grouped tally needs {param('by')}: pass one or more columns to rows().")
        each = maker(each)
        encoded = [encode(column) for column in columns]
        groups, digits = cross([(codes, max(len(labels), 1)) for codes, labels in encoded])
        offsets, order = kernels.order_groups(groups, len(digits[0]))
        tallies = {}
        for group, codes in enumerate(zip(*digits, strict=True)):
            key = tuple(labels[code] for (_, labels), code in zip(encoded, codes, strict=True))
            tallies[key] = each(rows.take(order[offsets[group] : offsets[group + 1]]))
        return cls.of_mapping(tallies)

    def merge(self, other: Self) -> Self:
        """Return both sides' tallies, group by group."""
        self._same_kind(other)
        # True and 1 are one key, whichever side it came from.
        kinds = [same_kind(axis) for axis in zip(*self.index, *other.index, strict=False)]
        keys = list(zip(*kinds, strict=True))
        left = type(self)(tuple(keys[: len(self)]), self.tallies)
        right = type(self)(tuple(keys[len(self) :]), other.tallies)
        return MappedTallies.merge(left, right)

    def __getitem__(self, key: Label | Key) -> Tally:
        return MappedTallies.__getitem__(self, key if isinstance(key, tuple) else (key,))

    @staticmethod
    def rank(key: Any) -> Key:
        """Return the key itself."""
        if type(key) is not tuple:
            raise TypeError(f"a group's key is a tuple of labels, not {type(key).__name__}")
        return key
