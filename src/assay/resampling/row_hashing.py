"""A random word for every row that depends on the seed and the row's key alone."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from assay import kernels
from assay.errors import SplitError, shown
from assay.hints import param
from assay.inputs import encode
from assay.inputs.text_hashes import mix, text_hashes

if TYPE_CHECKING:
    from assay.inputs.columns import Array, Column

__all__ = ["Keys", "read_keys", "shuffled"]

_BLOCK_ROWS = 1 << 15  # whose words stay in the cache from one step to the next


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """Keys of the rows: 64 bits each, and values that sort as the keys do.

    Without a column of keys the row number is the key, and neither is stored.
    """

    n: int
    bits: Array | None = None
    values: Array | None = None

    def words(self, seed: int, repeat: int) -> Array:
        """Return 64 random bits per row, a function of the seed, the repeat and the row's key."""
        first, second = kernels.random_words(seed, repeat, 0, 2)
        words = np.empty(self.n, dtype=np.uint64)
        for begin in range(0, self.n, _BLOCK_ROWS):
            block = words[begin : begin + _BLOCK_ROWS]
            if self.bits is None:
                block[:] = np.arange(begin, begin + len(block), dtype=np.uint64)
            else:
                block[:] = self.bits[begin : begin + _BLOCK_ROWS]
            block ^= first
            mix(block)
            block += second
            mix(block)
        return words

    def ties(self, rows: Array) -> Array:
        """Return values of some rows that sort as their keys do, for words that happen to be equal."""
        return rows if self.values is None else self.values[rows]

    def order(self) -> Array | None:
        """Return the rows in the order of their keys, None where they already are."""
        return None if self.values is None else np.argsort(self.values, kind="stable")


def read_keys(keys: Column | None, n: int) -> Keys:
    """Return the keys of n rows from a column of whole numbers or texts that are all different."""
    if keys is None:
        return Keys(n)
    if keys.labels is not None:
        codes, labels = encode(keys)
        if len(labels) < n:
            _refuse_twice(keys, codes)
        return Keys(n, text_hashes([str(label) for label in labels])[codes], codes)
    keys.refuse_missing()
    values = keys.values
    if values.dtype.kind == "f":
        encode(keys)  # refuses what is not whole
    # The number's own bits, whatever its width: an int32 5, an int64 5 and a 5.0 are one key.
    # A copy, because splits are made later, when the caller may have changed the array.
    wide = values.astype(np.uint64 if values.dtype == np.uint64 else np.int64)
    ordered = np.sort(wide)
    if (ordered[1:] == ordered[:-1]).any():
        _refuse_twice(keys, wide)
    return Keys(n, wide.view(np.uint64), wide)


def shuffled(count: int, seed: int, repeat: int) -> Array:
    """Return 0 to count - 1 in an order that depends on seed and repeat alone."""
    return np.argsort(kernels.random_words(seed, repeat, 2, 2 + count), kind="stable")


def _refuse_twice(keys: Column, values: Array) -> NoReturn:
    order = np.argsort(values, kind="stable")
    index = int(np.argmax(values[order][1:] == values[order][:-1]))
    first, second = order[index], order[index + 1]
    value = keys.values[first] if keys.labels is None else keys.labels[int(keys.values[first])]
    raise SplitError(
        f"key holds {shown([value])} twice ({keys.where(first)}, and row {second:,}): a key names "
        f"one row. Where rows of one name must stay together, pass the column as {param('group')}."
    )
