"""Resolve split=: a splitter, a number of folds, a scikit-learn splitter, or ready splits."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import LengthError, SplitError, shown
from assay.formatting.numbers import count_of
from assay.resampling.factories import kfold
from assay.resampling.split import TRAIN_TEST, Split
from assay.resampling.splitters import Bootstrap, Holdout, KFold, LeaveGroupOut, LeaveOneOut, WalkForward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.crossvalidation.setup import CrossValSetup
    from assay.inputs.columns import Array

__all__ = ["choose_test_part", "count_repeats", "describe_splits", "resolve_splits", "strata_of"]

_MAX_SHOWN = 60  # characters of what was passed


def resolve_splits(
    split: Any, setup: CrossValSetup, *, group: Any, time: Any, key: Any, seed: int
) -> tuple[Any, Sequence[Split]]:
    """Return the splitter, or None for ready splits, and the splits of the rows.

    A number is a number of folds. Folds are stratified by class, and by a numeric target where the splitter
    has ``bins=``. Ready splits are pairs of row numbers or masks, or a text column of part names.
    """
    if isinstance(split, bool):
        raise SplitError(f"split={split!r} is neither a splitter nor a number of folds.")
    with contextlib.suppress(TypeError):  # not a number
        split = kfold(operator.index(split), seed=seed)
    if hasattr(split, "names") and hasattr(split, "split"):
        return split, split.split(strata_of(setup, split), group=group, time=time, key=key, n=setup.n)
    if hasattr(split, "split") and hasattr(split, "get_n_splits"):  # of scikit-learn
        split = split.split(np.zeros((setup.n, 1)), setup.target, group)
    if isinstance(split, Split):
        split = [split]
    elif _is_column_of_names(split):
        split = [Split.of_column(split)]
    if not isinstance(split, Iterable) or isinstance(split, (str, bytes)):
        raise SplitError(
            f"split={_short(split)} is neither a splitter nor a number of folds, nor a list of train and "
            "test rows, nor a column that names each row's part."
        )
    splits = [fold if isinstance(fold, Split) else _from_pair(fold, setup.n) for fold in split]
    if not splits:
        raise SplitError("split= holds no splits.")
    for fold in splits:
        if len(fold.places) != setup.n:
            raise LengthError(f"a split is of {count_of(len(fold.places), 'row')}, X has {setup.n:,}.")
        if fold.names != splits[0].names:
            raise SplitError(
                f"the splits have different parts: {shown(splits[0].names)} and {shown(fold.names)}."
            )
    return None, splits


def strata_of(setup: CrossValSetup, splitter: Any) -> Any:
    """Return what rows are stratified by: classes, or a numeric target where the splitter has bins."""
    if setup.multioutput:
        return None
    return setup.actual if setup.labels or getattr(splitter, "bins", None) else None


def count_repeats(splitter: Any, splits: Sequence[Split]) -> int:
    """Return how often the rows are split into folds; 1 where ready splits do not tell repeats apart."""
    if splitter is not None:
        return int(getattr(splitter, "repeats", 1))
    is_bootstrap = any(split.draws is not None for split in splits)
    numbers = {(split.repeat, split.fold) for split in splits}
    return 1 if is_bootstrap or len(numbers) < len(splits) else 1 + max(split.repeat for split in splits)


def _is_column_of_names(split: Any) -> bool:
    """Tell whether this is a text column: the name of each row's part."""
    if isinstance(split, (str, bytes)) or not hasattr(split, "__len__") or not len(split):
        return False
    if isinstance(split, (list, tuple)):
        return all(isinstance(name, str) for name in split)
    return getattr(split, "ndim", 1) == 1 and isinstance(next(iter(split), None), str)


def _from_pair(pair: Any, n: int) -> Split:
    try:
        train, test = pair
    except (TypeError, ValueError):
        raise SplitError(f"{_short(pair)} is no pair of training and test rows.") from None
    train, test = _row_numbers(train, n), _row_numbers(test, n)
    draws = np.bincount(train, minlength=n)
    both = np.flatnonzero(draws[test])
    if len(both):
        raise SplitError(f"row {test[both[0]]:,} both trains and tests: the model has seen it.")
    if len(np.unique(test)) < len(test):
        raise SplitError(f"row {int(np.argmax(np.bincount(test) > 1)):,} is tested twice in one split.")
    parts = np.full(n, 2, dtype=np.uint8)
    parts[train], parts[test] = 0, 1
    return Split(TRAIN_TEST, parts, draws if draws.max(initial=0) > 1 else None)


def _row_numbers(part: Any, n: int) -> Array:
    """Return the row numbers of a part, given as numbers or as a mask."""
    rows = np.asarray(part)
    if rows.dtype == bool and rows.ndim == 1:
        if len(rows) != n:
            raise SplitError(f"a mask of {count_of(len(rows), 'row')} was given for {n:,}.")
        return np.flatnonzero(rows)
    if rows.ndim == 1 and not len(rows):
        return np.zeros(0, dtype=np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not 0 <= rows.min() <= rows.max() < n:
        raise SplitError(f"{_short(part)}: rows are numbers from 0 to {n - 1:,}, or a mask of all of them.")
    return rows.astype(np.intp)


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def choose_test_part(names: Sequence[str], part: str | None) -> str:
    """Return the part that is tested: the second of two; with more parts it must be named."""
    if part is None and len(names) == 2:  # noqa: PLR2004 - train and test
        return names[1]
    if part is None:
        raise SplitError(
            f"the splits have the parts {shown(names)}: say with part= which one is tested. "
            f"{shown(names[:1])} is for training."
        )
    if part not in names[1:]:
        raise SplitError(f"part={part!r} is not tested: say one of {shown(names[1:])}.")
    return part


def describe_splits(splitter: Any, count: int) -> str:
    """Return a description of the splits.

    >>> describe_splits(kfold(10, repeats=10), 100), describe_splits(None, 1)
    ('10 times 10 folds', '1 split')
    """
    if isinstance(splitter, KFold):
        return (
            f"{splitter.repeats} times {splitter.k} folds" if splitter.repeats > 1 else f"{splitter.k} folds"
        )
    if isinstance(splitter, Bootstrap):
        return f"bootstrap of {count_of(count, 'replicate')}"
    words = {
        Holdout: "holdout" if count == 1 else f"{count:,} holdouts",
        LeaveOneOut: "leave one out",
        LeaveGroupOut: f"leave one of {count:,} groups out",
        WalkForward: f"{count_of(count, 'step')} forward in time",
    }
    return words.get(type(splitter), f"{count:,} split{'s' * (count != 1)}")
