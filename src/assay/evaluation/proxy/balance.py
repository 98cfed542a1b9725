"""Do labelled rows look like a random sample: tests of what can be seen of all rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.formatting.numbers import p_text
from assay.inference.distributions import chi_square_p
from assay.inputs import encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from assay.inputs import Column

__all__ = ["balance_tests", "balance_warnings"]

_SMALL_P = 0.01
_FEW_VALUES = 20  # of which shares are compared, not distributions
_MIN_EXPECTED = 1.0
_MAX_OTHERS = 100_000


def balance_tests(columns: dict[str, Column], labelled: NDArray[np.int64], n: int) -> dict[str, float]:
    """Return the p-value by column of labelled rows being distributed as the others are.

    Labels and few numbers are compared by their shares (chi-square), numbers by Kolmogorov and Smirnov.
    """
    mask = np.zeros(n, dtype=bool)
    mask[labelled] = True
    if mask.all() or not mask.any():
        return {}
    tests = {}
    for name, column in columns.items():
        p = math.nan
        if column.labels is not None:
            p = _shares_p(column.values, mask)
        elif column.values.dtype.kind in "biu":
            codes, values = encode(column)
            few = len(values) <= _FEW_VALUES
            p = _shares_p(codes, mask) if few else _distribution_p(column.values, mask)
        elif column.values.ndim == 1:
            p = _distribution_p(column.values, mask)
        if not math.isnan(p):
            tests[name] = p
    return tests


def balance_warnings(tests: dict[str, float]) -> Iterator[str]:
    """Yield a sentence for each column in which labelled rows differ from the others."""
    for name, p in tests.items():
        if p < _SMALL_P:
            yield (
                f"labelled rows differ from the others in {name} ({p_text(p)}): if they were not drawn at "
                "random, the estimates are biased"
            )


def _shares_p(codes: NDArray[Any], mask: NDArray[np.bool_]) -> float:
    size = int(codes.max()) + 1
    own = np.bincount(codes[mask], minlength=size)
    table = np.stack([own, np.bincount(codes, minlength=size) - own])
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    used = expected.min(axis=0) >= _MIN_EXPECTED
    if np.count_nonzero(used) < 2:  # noqa: PLR2004
        return math.nan
    table, expected = table[:, used], expected[:, used]
    statistic = float(((table - expected) ** 2 / expected).sum())
    return chi_square_p(statistic, table.shape[1] - 1)


def _distribution_p(values: NDArray[Any], mask: NDArray[np.bool_]) -> float:
    from scipy.special import kolmogorov  # noqa: PLC0415 - SciPy takes its time to load

    others = np.flatnonzero(~mask)
    if len(others) > _MAX_OTHERS:  # the labels are few: more of the others say no more
        others = np.random.default_rng(0).choice(others, _MAX_OTHERS, replace=False)
    first, second = (np.sort(values[part].astype(np.float64)) for part in (mask, others))
    points = np.concatenate([first, second])
    gap = np.abs(
        np.searchsorted(first, points, side="right") / len(first)
        - np.searchsorted(second, points, side="right") / len(second)
    ).max()
    size = len(first) * len(second) / (len(first) + len(second))
    return float(kolmogorov(math.sqrt(size) * gap))
