"""Hashes of texts that are the same on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs.columns import Array

__all__ = ["mix", "text_hashes"]

_BLOCK_TEXTS = 1 << 12  # whose characters stay in the cache


def mix(words: Array) -> None:
    """Scramble 64-bit words in place, one to one (Stafford's variant 13 of MurmurHash3's last step)."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)


def text_hashes(texts: Sequence[str]) -> Array:
    """Return a 64-bit hash for each text: the sum of scrambled pairs of character and position.

    It depends on the characters and their positions alone, so it is the same on every machine.
    """
    words = np.empty(len(texts), dtype=np.uint64)
    for begin in range(0, len(texts), _BLOCK_TEXTS):
        block = texts[begin : begin + _BLOCK_TEXTS]
        # Each text ends in a character of its own, so that none is empty.
        together = "\0".join(block) + "\0"
        characters = np.frombuffer(together.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        lengths = np.fromiter(map(len, block), dtype=np.intp, count=len(block)) + 1
        starts = lengths.cumsum() - lengths
        pairs = np.arange(len(characters), dtype=np.uint64)
        pairs -= np.repeat(starts, lengths).astype(np.uint64)
        pairs <<= np.uint64(32)
        pairs += characters
        pairs += np.uint64(0x9E3779B97F4A7C15)  # 0 would stay 0
        mix(pairs)
        words[begin : begin + _BLOCK_TEXTS] = np.add.reduceat(pairs, starts)
    return words
