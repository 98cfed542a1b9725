"""A random word for every row that depends on the seed and the row's key alone."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from assay import kernels
from assay.errors import SplitError, shown
from assay.hints import param
from assay.inputs import encode

if TYPE_CHECKING:
    from assay.inputs.columns import Array, Column

__all__ = ["Keys", "read_keys", "shuffled", "text_hashes"]

_BLOCK_ROWS = 1 << 15  # whose words stay in the cache from one step to the next
_BLOCK_TEXTS = 1 << 12


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
            _mix(block)
            block += second
            _mix(block)
        return words

    def ties(self, rows: Array) -> Array:
        """Return values of some rows that sort as their keys do, for words that happen to be equal."""
        return rows if self.values is None else self.values[rows]

    def order(self) -> Array | None:
        """Return the rows in the order of their keys, None where they already are."""
        return None if self.values is None else np.argsort(self.values, kind="stable")


def _mix(words: Array) -> None:
    """Scramble 64-bit words in place, one to one (Stafford's variant 13 of MurmurHash3's last step)."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)


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


def text_hashes(texts: list[str]) -> Array:
    """Return a 64-bit hash for each text: the sum of scrambled pairs of character and position.

    It depends on the characters and their positions alone, so it is the same on every machine.
    """
    words = np.empty(len(texts), dtype=np.uint64)
    for begin in range(0, len(texts), _BLOCK_TEXTS):
        some = texts[begin : begin + _BLOCK_TEXTS]
        # Each text ends in a character of its own, so that none is empty.
        together = "\0".join(some) + "\0"
        characters = np.frombuffer(together.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        lengths = np.fromiter(map(len, some), dtype=np.intp, count=len(some)) + 1
        starts = lengths.cumsum() - lengths
        places = np.arange(len(characters), dtype=np.uint64)
        places -= np.repeat(starts, lengths).astype(np.uint64)
        places <<= np.uint64(32)
        places += characters
        places += np.uint64(0x9E3779B97F4A7C15)  # 0 would stay 0
        _mix(places)
        words[begin : begin + _BLOCK_TEXTS] = np.add.reduceat(places, starts)
    return words


def shuffled(count: int, seed: int, repeat: int) -> Array:
    """Return 0 to count - 1 in an order that depends on seed and repeat alone."""
    return np.argsort(kernels.random_words(seed, repeat, 2, 2 + count), kind="stable")


def _refuse_twice(keys: Column, values: Array) -> NoReturn:
    order = np.argsort(values, kind="stable")
    place = int(np.argmax(values[order][1:] == values[order][:-1]))
    first, second = order[place], order[place + 1]
    value = keys.values[first] if keys.labels is None else keys.labels[int(keys.values[first])]
    raise SplitError(
        f"key holds {shown([value])} twice ({keys.where(first)}, and row {second:,}): a key names "
        f"one row. Where rows of one name must stay together, pass the column as {param('group')}."
    )
