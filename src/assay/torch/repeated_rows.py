"""Leave out rows that occur twice, as those that a distributed sampler repeats to fill its last batches."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.inputs.columns import Array

__all__ = ["without_repeats"]


def without_repeats(columns: Mapping[str, Array]) -> dict[str, Any]:
    """Return the columns with one row per key, without the keys.

    Copies of a row may differ in the last bits, as a model's scores do between batch sizes. Then the least is
    kept, in the order of the columns, so that the result does not depend on the order of rows.

    >>> columns = {"key": np.array([4, 7, 4]), "score": np.array([0.5, 0.1, 0.25])}
    >>> without_repeats(columns)["score"].tolist()
    [0.1, 0.25]
    """
    keys = columns["key"]
    if keys.dtype.kind not in "iu":
        raise ColumnError(
            f"key holds {keys.dtype}: number the rows with integers, such as their place in the data."
        )
    rest = {role: column for role, column in columns.items() if role != "key"}
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    first = np.ones(len(keys), dtype=bool)
    first[1:] = in_order[1:] != in_order[:-1]
    starts = np.flatnonzero(first)
    sizes = np.diff(starts, append=len(keys))
    repeated = sizes > 1
    for start, size in zip(starts[repeated], sizes[repeated], strict=True):
        copies = order[start : start + size]
        order[start] = min(copies.tolist(), key=functools.partial(_row, rest))
    chosen = np.sort(order[starts])
    return {role: column[chosen] for role, column in rest.items()}


def _row(columns: Mapping[str, Array], index: int) -> list[Any]:
    return [column[index].tolist() for column in columns.values()]
