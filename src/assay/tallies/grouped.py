"""The grouped tally: one tally per slice of the rows, filled in one pass."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from assay import kernels
from assay.errors import ColumnError
from assay.inputs.labels import Label, encode
from assay.tallies.mapped import MappedTallies

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.inputs import Rows
    from assay.tallies.tally import Tally

__all__ = ["Grouped", "Key"]

Key: TypeAlias = tuple[Label, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Grouped(MappedTallies, kind="grouped"):
    """A tally for each group that occurs, by its key: one label per grouping column.

    State: that of its tallies together. It reads as a mapping from key to tally; where one column
    groups, the bare label will do as a key.

    Examples
    --------
    >>> import assay
    >>> r = assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0], by=["north", "south", "north"])
    >>> by_region = assay.Grouped.of(r, assay.Confusion.of)
    >>> by_region.keys
    (('north',), ('south',))
    >>> by_region["north"].table()
    array([[1, 0],
           [1, 0]])
    """

    @classmethod
    def of(
        cls,
        rows: Rows,
        each: Callable[[Rows], Tally],
        over: Literal["by", "group", "query"] = "by",
    ) -> Self:
        """Return the tally that `each` makes of every group's rows."""
        columns = rows.by if over == "by" else (rows.need(over, "a grouped tally"),)
        if not columns:
            raise ColumnError("a grouped tally needs by=: pass one or more columns to rows().")
        encoded = [encode(column) for column in columns]
        numbers = np.zeros(len(rows), dtype=np.uint64)
        for codes, labels in encoded:
            numbers = numbers * np.uint64(max(len(labels), 1)) + codes
        groups, found = kernels.encode_integers(numbers)
        offsets, order = kernels.order_groups(groups, len(found))
        tallies = {}
        for index, number in enumerate(found.tolist()):
            chosen = order[offsets[index] : offsets[index + 1]]
            tallies[_key(number, [labels for _, labels in encoded])] = each(rows.take(chosen))
        return cls.of_mapping(tallies)

    def __getitem__(self, key: Label | Key) -> Tally:
        return MappedTallies.__getitem__(self, key if isinstance(key, tuple) else (key,))

    @staticmethod
    def rank(key: Any) -> list[tuple[bool, Label]]:
        """Return an order for keys whose labels may be numbers in one shard and text in another."""
        if type(key) is not tuple:
            raise TypeError(f"a group's key is a tuple of labels, not {type(key).__name__}")
        return [(isinstance(label, str), label) for label in key]


def _key(number: int, axes: list[tuple[Label, ...]]) -> Key:
    """Return the labels that are a group number's digits."""
    key: list[Label] = []
    for labels in reversed(axes):
        number, code = divmod(number, len(labels))
        key.append(labels[code])
    return tuple(reversed(key))
