"""Baseline rows: those of a second model on the same test set, in the order of the candidate's."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import PlanError, shown
from assay.hints import hint
from assay.inputs.labels import encode
from assay.tallies import Fingerprint

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs import Column, Rows

__all__ = ["refuse_repeated_keys", "same_order"]


def same_order(baseline: Rows, candidate: Rows, name: str) -> Rows:
    """Return a baseline's rows in the order of a candidate's: by their keys, else as they are.

    Raises where they are not the same rows, or nothing tells how they belong together.
    """
    if Fingerprint.of(baseline).test_set != Fingerprint.of(candidate).test_set:
        numbers = f"{baseline.n:,}" if baseline.n != candidate.n else "others"
        raise PlanError(
            f"{name} was evaluated on other rows than the test set ({numbers}, where the candidate has "
            f"{candidate.n:,}), or on other labels: give its predictions on the same ones."
        )
    if baseline.key is not None and candidate.key is not None:
        refuse_repeated_keys(candidate)
        own, others = _codes(candidate.key, baseline.key)
        row_of_code = np.empty(len(others), dtype=np.intp)
        row_of_code[others] = np.arange(len(others))
        return dataclasses.replace(baseline.take(row_of_code[own]), origin=candidate.origin)
    if not _same_values(baseline, candidate):
        raise PlanError(
            f"{name} has the rows of the test set in another order: name a column that tells which row is "
            f"which with {hint('key=', 'key under [columns]')}, or sort both alike."
        )
    return baseline


def refuse_repeated_keys(rows: Rows) -> None:
    """Raise where two rows have one key: nothing would tell them apart."""
    if rows.key is None:
        return
    codes, labels = encode(rows.key)
    if len(labels) < rows.n:
        counts = np.bincount(codes, minlength=len(labels))
        twice = [labels[index] for index in np.flatnonzero(counts > 1)[:3]]
        raise PlanError(
            f"{rows.key.name} names several rows alike ({shown(twice)}): a key is of one row. Remove rows "
            "that are there twice, or name another column."
        )


def _codes(*columns: Column) -> list[NDArray[np.intp]]:
    """Return columns of names as numbers, the same name having the same number in both."""
    index: dict[str, int] = {}
    code_columns = []
    for codes, labels in map(encode, columns):
        numbers = [index.setdefault(str(label), len(index)) for label in labels]
        code_columns.append(np.array(numbers, dtype=np.intp)[codes])
    return code_columns


def _same_values(baseline: Rows, candidate: Rows) -> bool:
    """Tell whether what is known of the rows beside the predictions is the same, one by one."""
    return all(
        _same_column(getattr(baseline, role), getattr(candidate, role))
        for role in ("actual", "group", "query")
    )


def _same_column(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    if left.labels is None and right.labels is None:
        return bool(np.array_equal(left.values, right.values))
    first, second = _codes(left, right)
    return bool(np.array_equal(first, second))
