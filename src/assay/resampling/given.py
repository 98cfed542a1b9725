"""The splits that a validation goes by: a splitter's, a number of folds, scikit-learn's, or ready ones."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import SplitError, shown
from assay.resampling.schemes import kfold
from assay.resampling.split import TRAIN_TEST, Split
from assay.resampling.splitters import Bootstrap, Holdout, KFold, LeaveGroupOut, LeaveOneOut, WalkForward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.resampling.plan import Plan

__all__ = ["given_splits", "said", "tested_part"]


def given_splits(
    split: Any, plan: Plan, *, group: Any, time: Any, key: Any, seed: int
) -> tuple[Any, Sequence[Split]]:
    """Return the splitter, or None for ready splits, and the splits of the plan's rows.

    A number is that of folds. Classes stratify; a measured target does where the splitter has ``bins=``.
    """
    if isinstance(split, bool):
        raise SplitError(f"split={split!r} is neither a splitter nor a number of folds.")
    with contextlib.suppress(TypeError):  # not a number
        split = kfold(operator.index(split), seed=seed)
    if hasattr(split, "names") and hasattr(split, "split"):
        strata = plan.actual if plan.labels or getattr(split, "bins", None) else None
        return split, split.split(strata, group=group, time=time, key=key, n=plan.n)
    if hasattr(split, "split") and hasattr(split, "get_n_splits"):  # of scikit-learn
        split = split.split(np.zeros((plan.n, 1)), plan.target, group)
    if not isinstance(split, Iterable) or isinstance(split, (str, bytes)):
        raise SplitError(
            f"split={split!r} is neither a splitter nor a number of folds, nor a list of train and test rows."
        )
    splits = [one if isinstance(one, Split) else _of_pair(one, plan.n) for one in split]
    if not splits:
        raise SplitError("split= holds no splits.")
    return None, splits


def _of_pair(pair: Any, n: int) -> Split:
    try:
        train, test = (np.asarray(part) for part in pair)
    except (TypeError, ValueError):
        raise SplitError(f"{pair!r} is no pair of training and test rows.") from None
    train, test = (np.flatnonzero(part) if part.dtype == bool else part for part in (train, test))
    for part in (train, test):
        if (
            part.ndim != 1
            or part.dtype.kind not in "iu"
            or (len(part) and not 0 <= part.min() <= part.max() < n)
        ):
            raise SplitError(f"training and test rows are row numbers from 0 to {n - 1:,}.")
    draws = np.bincount(train, minlength=n)
    both = np.flatnonzero(draws[test])
    if len(both):
        raise SplitError(f"row {test[both[0]]:,} both trains and tests: a model knows what it has seen.")
    places = np.full(n, 2, dtype=np.uint8)
    places[train], places[test] = 0, 1
    return Split(TRAIN_TEST, places, draws if draws.max(initial=0) > 1 else None)


def tested_part(names: Sequence[str], part: str | None) -> str:
    """Return the part that is tested: the second of two; of more it must be said."""
    if part is None and len(names) == 2:  # noqa: PLR2004 - train and test
        return names[1]
    if part is None:
        raise SplitError(
            f"the splits have the parts {shown(names)}: say with part= which one is tested. "
            f"{shown(names[:1])} is learnt from."
        )
    if part not in names[1:]:
        raise SplitError(f"part={part!r} is not tested: say one of {shown(names[1:])}.")
    return part


def said(splitter: Any, count: int) -> str:
    """Return how rows were split, in words.

    >>> said(kfold(10, repeats=10), 100), said(None, 1)
    ('10 times 10 folds', '1 split')
    """
    if isinstance(splitter, KFold):
        return (
            f"{splitter.repeats} times {splitter.k} folds" if splitter.repeats > 1 else f"{splitter.k} folds"
        )
    if isinstance(splitter, Bootstrap):
        return f"bootstrap of {count:,} replicates"
    words = {
        Holdout: "holdout" if count == 1 else f"{count:,} holdouts",
        LeaveOneOut: "leave one out",
        LeaveGroupOut: f"leave one of {count:,} groups out",
        WalkForward: f"{count:,} steps forward in time",
    }
    return words.get(type(splitter), f"{count:,} split{'s' * (count != 1)}")
