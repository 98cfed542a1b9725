"""Assign groups to parts, the largest first, each to the part that lacks most of its classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay import kernels
from assay.errors import SplitError
from assay.inputs.text_hashes import text_hashes
from assay.resampling.assignment import narrow
from assay.resampling.row_hashing import Keys

if TYPE_CHECKING:
    from fractions import Fraction

    from assay.inputs.columns import Array
    from assay.resampling.split_inputs import SplitInputs

__all__ = ["assign_groups", "group_keys", "group_strata"]


def group_keys(inputs: SplitInputs) -> Keys:
    """Return the groups' labels as keys."""
    labels = inputs.group_labels
    return Keys(len(labels), text_hashes([str(label) for label in labels]), np.arange(len(labels)))


def assign_groups(inputs: SplitInputs, shares: tuple[Fraction, ...], seed: int, repeat: int) -> Array:
    """Return the part of every row such that no group is in two parts, close to the shares in every class.

    The largest groups are placed first, equal ones in random order. Each goes to the part that lacks most
    of the group's classes, as a share of the class, and among equals to the one that lacks most rows.
    """
    assert inputs.groups is not None  # noqa: S101 - for the type checker
    count, parts = len(inputs.group_labels), len(shares)
    if count < parts:
        raise SplitError(
            f"{parts} parts of {count} group{'s' * (count != 1)}: there cannot be more parts than groups, "
            "because a group stays in one."
        )
    strata = np.zeros(inputs.n, dtype=np.uint8) if inputs.strata is None else inputs.strata
    cells, held = kernels.count_pairs_sparse(inputs.groups, strata, count, inputs.strata_count)
    owner, stratum = np.divmod(cells.astype(np.int64), inputs.strata_count)
    begins = np.searchsorted(owner, np.arange(count + 1)).tolist()
    sizes = np.bincount(inputs.groups, minlength=count)
    order = np.lexsort((np.arange(count), group_keys(inputs).words(seed, repeat), -sizes))
    totals = np.bincount(stratum, weights=held, minlength=inputs.strata_count)
    target = np.array([float(share) for share in shares])
    missing = totals[:, None] * target  # by stratum and part
    lacking_rows = inputs.n * target
    empty = np.ones(parts, dtype=bool)
    part_of = np.empty(count, dtype=narrow(parts))
    stratum_of, held_of = stratum.tolist(), held.tolist()
    for left, group in zip(range(count, 0, -1), order.tolist(), strict=True):
        inside = range(begins[group], begins[group + 1])
        need = np.zeros(parts)
        for cell in inside:  # term by term: a sum must not depend on how a machine adds
            need += missing[stratum_of[cell]] * (held_of[cell] / totals[stratum_of[cell]])
        # The last groups go where there is none yet, so that no part stays empty.
        open_ = empty if left <= np.count_nonzero(empty) else np.ones(parts, dtype=bool)
        best = np.where(open_, need, -np.inf)
        part = int(np.argmax(np.where(best == best.max(), lacking_rows, -np.inf)))
        part_of[group] = part
        empty[part] = False
        lacking_rows[part] -= sizes[group]
        for cell in inside:
            missing[stratum_of[cell], part] -= held_of[cell]
    return part_of[inputs.groups]


def group_strata(inputs: SplitInputs) -> tuple[Array, int]:
    """Return for each group the class most of its rows have, the first of equals."""
    assert inputs.groups is not None  # noqa: S101 - for the type checker
    count = len(inputs.group_labels)
    if inputs.strata is None:
        return np.zeros(count, dtype=np.uint8), 1
    cells, held = kernels.count_pairs_sparse(inputs.groups, inputs.strata, count, inputs.strata_count)
    owner, stratum = np.divmod(cells.astype(np.int64), inputs.strata_count)
    order = np.lexsort((stratum, -held, owner))
    first = np.searchsorted(owner, np.arange(count))
    return stratum[order][first].astype(narrow(inputs.strata_count)), inputs.strata_count
