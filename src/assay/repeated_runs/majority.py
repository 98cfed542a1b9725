"""The majority vote among several answers, over random choices of k runs."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["plurality_at_k"]

_DRAWS = 1_000


def plurality_at_k(
    answers: NDArray[np.int64], score: NDArray[np.float64], k: int, seed: int = 0, draws: int = _DRAWS
) -> float:
    """Return the mean score of the most frequent answer among k runs drawn without replacement.

    Answers that tie share the vote. NaN below k runs. All choices of k runs where they are no more than
    `draws`, else so many of them at random.

    >>> float(plurality_at_k(np.array([5, 5, 7]), np.array([1.0, 1.0, 0.0]), 3))
    1.0
    """
    n = len(answers)
    if n < k:
        return math.nan
    codes = np.unique(answers, return_inverse=True)[1]
    quality = np.bincount(codes, score) / np.bincount(codes)
    if math.comb(n, k) <= draws:
        chosen = np.array(list(itertools.combinations(range(n), k)))
    else:
        draw = np.random.default_rng(seed)
        chosen = draw.random((draws, n)).argpartition(k - 1, axis=1)[:, :k]
    votes = np.zeros((len(chosen), len(quality)))
    np.add.at(votes, (np.arange(len(chosen))[:, None], codes[chosen]), 1)
    winners = votes == votes.max(axis=1, keepdims=True)
    return float(((winners @ quality) / winners.sum(axis=1)).mean())
