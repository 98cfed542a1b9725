"""Intervals of ranks, the set that is tied with the best, and letters for what cannot be told apart.

Mogstad, Romano, Shaikh and Wilhelm 2024: from simultaneous tests of all differences. That two intervals
overlap is no test of their difference.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.distributions import normal_point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Ranking", "letters", "rank_models"]

_DRAWS = 10_000
_CHUNK = 500
_MANY = 150  # models from which on Bonferroni's limit is used: nearly the same, and at once


@dataclasses.dataclass(frozen=True, eq=False)
class Ranking:
    """Ranks of models, 1 the best: an interval for each, all of them true together with the confidence.

    ``tied_with_best`` holds the index of every model that may be the best; ``apart`` says which pairs differ.
    ``critical`` is the limit of a difference in standard errors.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    tied_with_best: tuple[int, ...]
    apart: NDArray[np.bool_]
    critical: float
    method: str


def rank_models(
    values: Any,
    covariance: Any,
    *,
    confidence: float = 0.95,
    df: float | None = None,
    method: str = "max-t",
    seed: int = 0,
) -> Ranking:
    """Return the ranking of values, larger ones better, with a covariance of their errors.

    `method` is "max-t", the exact limit by simulation, or "bonferroni", a little larger. `df` are degrees of
    freedom of Student's t, where the covariance is from few clusters.

    >>> ranking = rank_models([3.0, 1.0, 0.9], np.eye(3) * 0.01)
    >>> ranking.low.tolist(), ranking.high.tolist(), ranking.tied_with_best
    ([1, 2, 2], [1, 3, 3], (0,))
    """
    estimates, spread = np.asarray(values, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    size = len(estimates)
    variances = np.diag(spread)
    errors = np.sqrt(np.maximum(variances[:, None] + variances[None, :] - 2 * spread, 0.0))
    differences = estimates[:, None] - estimates[None, :]
    if size < 2:  # noqa: PLR2004
        first_ranks = np.ones(size, dtype=np.int64)
        return Ranking(
            first_ranks, first_ranks, tuple(range(size)), np.zeros((size, size), bool), math.nan, method
        )
    if method == "max-t" and size <= _MANY:
        critical, one_sided = _simulated(spread, errors, confidence, df, seed)
    else:
        method = "bonferroni"
        critical = _point(1 - (1 - confidence) / (size * (size - 1)), df)
        one_sided = np.full(size, _point(1 - (1 - confidence) / (size - 1), df))
    ahead = differences > critical * errors
    behind = (differences < -one_sided[:, None] * errors).any(axis=1)
    return Ranking(
        1 + ahead.sum(axis=0), size - ahead.sum(axis=1), tuple(np.flatnonzero(~behind).tolist()),
        ahead | ahead.T, float(critical), method,
    )  # fmt: skip


def _point(share: float, df: float | None) -> float:
    if df is None:
        return normal_point(share)
    from scipy.special import stdtrit  # noqa: PLC0415 - SciPy takes its time to load

    return float(stdtrit(df, share))


def _simulated(
    covariance: NDArray[np.float64],
    errors: NDArray[np.float64],
    confidence: float,
    df: float | None,
    seed: int,
) -> tuple[float, NDArray[np.float64]]:
    """Return the quantile of the largest of all differences, and of the largest ahead of each model."""
    draw = np.random.default_rng(seed)
    size = len(errors)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    scale = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0)
    ahead = np.empty((size, _DRAWS))
    for start in range(0, _DRAWS, _CHUNK):
        normal = root @ draw.standard_normal((size, _CHUNK))
        if df is not None:
            normal /= np.sqrt(draw.chisquare(df, _CHUNK) / df)
        for index in range(size):
            gaps = normal - normal[index]
            gaps *= scale[index][:, None]
            ahead[index, start : start + _CHUNK] = gaps.max(axis=0)
    largest = np.quantile(ahead.max(axis=0), confidence)
    return float(largest), np.asarray(np.quantile(ahead, confidence, axis=1))


def letters(apart: NDArray[np.bool_], order: Sequence[int]) -> list[str]:
    """Return letters for each of several models: two that share none differ by more than chance.

    Insert and absorb (Piepho 2004); `order` is from best to worst, and letters begin with the best.

    >>> apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> letters(apart, [0, 1, 2])
    ['a', 'ab', 'b']
    """
    # Sets of models are whole numbers with a bit for each, the best model's first.
    positions = np.asarray(order, dtype=np.int64)
    masks = [int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")
             for row in apart[np.ix_(positions, positions)]]  # fmt: skip
    sets = [(1 << len(masks)) - 1]
    for position, far in enumerate(masks):
        own, whole, split = 1 << position, [], []
        for members in sets:
            if members & own and members & far:
                split += [members & ~own, members & ~far]
            else:
                whole.append(members)
        parts = list(dict.fromkeys(split))
        sets = whole + [part for part in parts
                        if not any(part & other == part for other in whole)
                        and not any(part & other == part != other for other in parts)]  # fmt: skip
    ranks = [[rank for rank in range(len(masks)) if members >> rank & 1] for members in sets]
    ranks.sort()
    marks = [""] * len(apart)
    for index, shared in enumerate(ranks):
        for rank in shared:
            marks[order[rank]] += _letter(index)
    return marks


def _letter(index: int) -> str:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    if index < len(alphabet):
        return alphabet[index]
    return f"({index + 1})"
