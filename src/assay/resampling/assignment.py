"""Assign rows to parts by the order of their random words within strata, without sorting all of them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from assay import kernels
from assay.resampling.apportionment import apportion
from assay.resampling.row_hashing import Keys, shuffled

if TYPE_CHECKING:
    from fractions import Fraction

    from assay.inputs.columns import Array

__all__ = ["Folds", "PartShares", "assign_rows", "narrow"]

_MAX_BUCKET_BITS = 16
_MAX_CELLS = 1 << 20  # strata times buckets


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """Folds of equal size: those larger by one rotate from stratum to stratum, so that totals are even too.

    The rule maps the rank of a row in its stratum to a part; the ranks of a part are consecutive.
    """

    parts: int
    sizes: Array  # of the strata
    first: Array  # which fold each stratum begins with

    @classmethod
    def of(cls, sizes: Array, parts: int, order: Array) -> Folds:
        """Return the rule for strata of these sizes, processed in an order."""
        first = np.zeros(len(sizes), dtype=np.int64)
        first[order[1:]] = sizes[order].cumsum()[:-1] % parts
        return cls(parts, sizes, first)

    def place(self, stratum: Array, rank: Array) -> Array:
        """Return the fold of each rank."""
        small, larger = np.divmod(self.sizes[stratum], self.parts)
        ahead = larger * (small + 1)  # records in the folds that are larger by one
        late = larger + (rank - ahead) // np.maximum(small, 1)
        fold = np.where(rank < ahead, rank // (small + 1), late)
        part: Array = (fold + self.first[stratum]) % self.parts
        return part


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PartShares:
    """Parts of any shares, exact to within one row in every stratum and in total."""

    parts: int
    ends: Array  # strata by parts: the rank that a part ends before

    @classmethod
    def of(cls, sizes: Array, shares: tuple[Fraction, ...], order: Array) -> PartShares:
        """Return the rule for strata of these sizes, processed in an order."""
        table = np.empty((len(sizes), len(shares)), dtype=np.int64)
        table[order] = apportion(sizes[order].tolist(), shares)
        return cls(len(shares), table.cumsum(axis=1))

    def place(self, stratum: Array, rank: Array) -> Array:
        """Return the part of each rank."""
        part_of_row = np.zeros(np.broadcast(stratum, rank).shape, dtype=np.int64)
        for part in range(self.parts - 1):
            part_of_row += rank >= self.ends[stratum, part]
        return part_of_row


def narrow(highest: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest unsigned type of the kernels that holds codes up to a number."""
    return np.dtype(np.uint8 if highest < 1 << 8 else np.uint16 if highest < 1 << 16 else np.uint32)


def assign_rows(
    keys: Keys, strata: Array | None, count: int, how: int | tuple[Fraction, ...], *, seed: int, repeat: int
) -> Array:
    """Return the part of every row: of a number of equal folds, or of parts with these shares.

    Inside a stratum rows are ranked by their random words, and by their keys where words are equal. The
    upper bits of the words say in which of many buckets a row lies; a bucket goes to one part as
    a whole, except at the edges of parts, so that only the rows of those buckets are sorted.
    """
    codes = np.zeros(keys.n, dtype=np.uint8) if strata is None else strata
    words = keys.words(seed, repeat)
    bits = _bucket_bits(keys.n, count)
    bucket = (words >> np.uint64(64 - bits)).astype(narrow((1 << bits) - 1))
    cells = np.left_shift(codes, bits, dtype=np.uint32) | bucket if count > 1 else bucket
    if count << bits <= _MAX_CELLS:
        held = kernels.count_pairs(codes, bucket, count, 1 << bits)
    else:  # nearly as many strata as rows
        held = np.bincount(cells, minlength=count << bits).reshape(count, -1)
    sizes, order = held.sum(axis=1), shuffled(count, seed, repeat)
    rule: Folds | PartShares = (
        Folds.of(sizes, how, order) if isinstance(how, int) else PartShares.of(sizes, how, order)
    )
    starts = held.cumsum(axis=1) - held
    stratum = np.arange(count)[:, None]
    first, last = rule.place(stratum, starts), rule.place(stratum, starts + np.maximum(held - 1, 0))
    mixed = rule.parts  # stands for a bucket at an edge
    table = np.where(first == last, first, mixed).astype(narrow(mixed)).reshape(-1)
    parts: Array = table[cells]
    rows = np.flatnonzero(parts == mixed)
    rows = rows[np.lexsort((keys.ties(rows), words[rows], codes[rows]))]
    among = cells[rows]  # ascending: a cell's number begins with the stratum and goes on with the word
    rank = starts.reshape(-1)[among] + np.arange(len(rows)) - np.searchsorted(among, among)
    parts[rows] = rule.place(codes[rows], rank)
    return parts


def _bucket_bits(n: int, count: int) -> int:
    """Return how many bits of a word name its bucket: about four rows or more to a bucket."""
    cells = min(n // 4, _MAX_CELLS)
    return min(max((cells // count).bit_length() - 1, 1), _MAX_BUCKET_BITS)
