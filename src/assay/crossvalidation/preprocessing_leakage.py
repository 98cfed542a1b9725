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
_SAID = {
    "standard": (
        "mean 0 and deviation 1 over all rows, as if standardised before splitting: the tested rows then had "
        "a say. Put the scaler into the model, as a pipeline."
    ),
    "encoded": (
        "the target's mean over all rows of equal value, as if target-encoded before splitting: the tested "
        "rows' own targets are in it. Put the encoder into the model."
    ),
    "filled": (
        "one repeated value, which is the mean of all rows, as if gaps had been filled before splitting: the "
        "tested rows then had a say. Put the imputer into the model, as a pipeline."
    ),
}


def traces(features: Any, target: Array | None) -> list[SplitError]:
    """Return what looks as if it had been computed from all rows, the tested ones among them.

    Columns standardised to mean 0 and deviation 1 over all rows; columns that hold for each of their
    values just the mean of the `target` (0 and 1 for two classes) over all rows of that value; and columns
    of ever different values, of which one is repeated and is the mean of all. Each can be right, if
    computed from other rows; what cannot be seen is not said. Numbers in arrays, lists and frames only.

    >>> x = np.arange(40.0) ** 2
    >>> [str(one) for one in traces(((x - x.mean()) / x.std())[:, None], None)][0][:52]
    'column 0 has mean 0 and deviation 1 over all rows, a'
    """
    with np.errstate(all="ignore"):  # numbers beyond all bounds are the model's affair
        found = _found(features, target)
    return [SplitError(f"{_named(names)} {_SAID[kind]}") for kind, names in found.items() if names]


def _found(features: Any, target: Array | None) -> dict[str, list[Any]]:
    """Return the columns of each kind of trace."""
    found: dict[str, list[Any]] = {kind: [] for kind in _SAID}
    aim = None if target is None else (float(target.mean()), float(np.abs(target).max(initial=0.0)) or 1.0)
    for name, values, mean in _columns(features):
        if len(values) < _LEAST_ROWS or not np.isfinite(mean):
            continue
        if _is_standard(values, mean):
            found["standard"].append(name)
        elif (
            target is not None and aim is not None and abs(mean - aim[0]) <= _EXACT * aim[1]
            and _is_mean_of(values, target, aim[1])
        ):  # fmt: skip
            found["encoded"].append(name)
        elif _is_filled(values, mean):
            found["filled"].append(name)
    return found


def _named(names: list[Any]) -> str:
    return (
        f"column {shown(names)} has" if len(names) == 1 else f"{len(names)} columns ({shown(names, 3)}) have"
    )


def _columns(features: Any) -> Iterator[tuple[Any, Array, float]]:
    """Yield the columns of numbers that are not whole, by name or by place, with their means."""
    names = None if isinstance(features, (np.ndarray, list, tuple)) else column_names(features)
    if names is not None:
        for name in names:
            values = np.asarray(features[name])
            if values.dtype.kind == "f" and values.ndim == 1:
                yield name, values, float(values.mean(dtype=np.float64))
        return
    if isinstance(features, (list, tuple)):
        try:
            features = np.asarray(features)
        except ValueError:  # rows of different lengths
            return
    if not isinstance(features, np.ndarray) or features.ndim != 2 or features.dtype.kind != "f":  # noqa: PLR2004
        return
    # All columns in one pass: one by one, each would drag the whole table through the cache.
    means = features.mean(axis=0, dtype=np.float64) if len(features) else np.full(features.shape[1], np.nan)
    for place, mean in enumerate(means.tolist()):
        yield place, features[:, place], mean


def _is_standard(values: Array, mean: float) -> bool:
    if abs(mean) > _NEAR:
        return False
    spread = float(np.square(values, dtype=np.float64).mean())
    sizes = (1.0, 1.0 - 1.0 / len(values))  # a deviation by n, or by n - 1
    return any(abs(spread - size) < _NEAR for size in sizes) and len(np.unique(values)) >= _LEAST_VALUES


def _is_mean_of(values: Array, target: Array, scale: float) -> bool:
    """Tell whether each value is the target's mean of its rows; the mean of such means is the mean."""
    levels, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if not 1 < len(levels) <= _MOST_LEVELS * len(values):
        return False
    means = np.bincount(codes, weights=target) / sizes
    return bool(np.abs(means - levels).max() <= _EXACT * scale)


def _is_filled(values: Array, mean: float) -> bool:
    """Tell whether the mean itself occurs several times among values that are otherwise all different."""
    beside = np.ascontiguousarray(values) - mean
    near = np.flatnonzero(np.abs(beside, out=beside) <= _EXACT * abs(mean))
    if len(near) < 2 or (values[near] != values[near[0]]).any():  # noqa: PLR2004 - once is chance
        return False
    return len(np.unique(values)) == len(values) - len(near) + 1
