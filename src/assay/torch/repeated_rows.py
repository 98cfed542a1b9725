"""Leave out rows that occur twice, as those that a distributed sampler repeats to fill its last batches."""

from __future__ import annotations

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
    kept, in the order of the columns, so that the result does not depend on the order of rows. Their actual
    values are the same, or the keys are none.

    >>> columns = {"actual": np.array([1, 0, 1]), "score": np.array([0.5, 0.1, 0.25])}
    >>> columns["key"] = np.array([4, 7, 4])
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
    same = keys[order][1:] == keys[order][:-1]
    if not same.any():
        return rest
    # Rows that share their key with another: sorted by key, then by what they hold, the first is taken.
    shared = np.append(same, False) | np.append(False, same)
    copies = order[shared]
    fields = [part for column in rest.values() for part in column[copies].reshape(len(copies), -1).T]
    by_value = np.lexsort([*fields[::-1], keys[copies]])
    copies = copies[by_value]
    first = np.append(True, keys[copies][1:] != keys[copies][:-1])
    _refuse_other_labels(keys[copies], columns["actual"][copies], first)
    chosen = np.sort(np.concatenate([order[~shared], copies[first]]))
    return {role: column[chosen] for role, column in rest.items()}


def _refuse_other_labels(keys: Array, actual: Array, first: Array) -> None:
    """Raise where rows of one key are not copies of a row: their actual values differ."""
    same = actual[1:] == actual[:-1]
    same = (same | ((actual[1:] != actual[1:]) & (actual[:-1] != actual[:-1]))).reshape(len(same), -1)
    differs = np.flatnonzero(~same.all(axis=1) & ~first[1:])
    if len(differs):
        raise ColumnError(
            f"rows with the key {keys[differs[0]]} have different actual values: a key is the number of a "
            "row in the data, which only copies of that row share. Numbers that begin anew in each batch are "
            "none."
        )
