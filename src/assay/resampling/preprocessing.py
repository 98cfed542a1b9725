"""Traces in the features of what was fitted to all rows before they were split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import SplitError, shown
from assay.inputs.arrays import column_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.inputs.columns import Array

__all__ = ["traces"]

_NEAR = 1e-6  # how exact a mean of 0 and a deviation of 1 are; chance does not get so close
_LEAST_ROWS = 20
_LEAST_VALUES = 3  # a column of two values may well be -1 and 1 by design
_EXACT = 1e-9
_MOST_LEVELS = 0.5  # of the rows: where every row has a value of its own, its mean is that row's


def traces(features: Any, target: Array | None) -> list[SplitError]:
    """Return what looks as if it had been computed from all rows, the tested ones among them.

    Columns standardised to mean 0 and deviation 1 over all rows, and columns that hold for each of their
    values just the mean of the `target` (0 and 1 for two classes) over all rows of that value. Both can be
    right, if computed from other rows; what cannot be seen is not said. Numbers in arrays and frames only.

    >>> x = np.arange(40.0) ** 2
    >>> [str(one) for one in traces(((x - x.mean()) / x.std())[:, None], None)][0][:52]
    'column 0 has mean 0 and deviation 1 over all rows, a'
    """
    standard: list[Any] = []
    encoded: list[Any] = []
    for name, values in _columns(features):
        if len(values) < _LEAST_ROWS or not np.isfinite(values).all():
            continue
        if _is_standard(values):
            standard.append(name)
        elif target is not None and _is_mean_of(values, target):
            encoded.append(name)
    found = []
    if standard:
        found.append(
            SplitError(
                f"{_said(standard)} mean 0 and deviation 1 over all rows, as if standardised before "
                "splitting: the tested rows then had a say. Put the scaler into the model, as a pipeline."
            )
        )
    if encoded:
        found.append(
            SplitError(
                f"{_said(encoded)} the target's mean over all rows of equal value, as if target-encoded "
                "before splitting: the tested rows' own targets are in it. Put the encoder into the model."
            )
        )
    return found


def _said(names: list[Any]) -> str:
    return (
        f"column {shown(names)} has" if len(names) == 1 else f"{len(names)} columns ({shown(names, 3)}) have"
    )


def _columns(features: Any) -> Iterator[tuple[Any, Array]]:
    """Yield the columns of numbers that are not whole, by name or by place."""
    names = column_names(features)
    if names is not None:
        pairs = ((name, np.asarray(features[name])) for name in names)
    elif isinstance(features, np.ndarray) and features.ndim == 2:  # noqa: PLR2004 - rows and columns
        pairs = ((place, features[:, place]) for place in range(features.shape[1]))
    else:
        return
    for name, values in pairs:
        if values.dtype.kind == "f":
            yield name, values


def _is_standard(values: Array) -> bool:
    mean = float(values.mean(dtype=np.float64))
    if abs(mean) > _NEAR:
        return False
    spread = float(np.square(values, dtype=np.float64).mean())
    sizes = (1.0, 1.0 - 1.0 / len(values))  # a deviation by n, or by n - 1
    return any(abs(spread - size) < _NEAR for size in sizes) and len(np.unique(values)) >= _LEAST_VALUES


def _is_mean_of(values: Array, target: Array) -> bool:
    scale = float(np.abs(target).max(initial=0.0)) or 1.0
    if abs(float(values.mean(dtype=np.float64)) - float(target.mean())) > _EXACT * scale:
        return False  # the mean of the means is the mean
    levels, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if not 1 < len(levels) <= _MOST_LEVELS * len(values):
        return False
    means = np.bincount(codes, weights=target) / sizes
    return bool(np.abs(means - levels).max() <= _EXACT * scale)
