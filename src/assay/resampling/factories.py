"""Functions that make splitters: each checks its arguments and returns a frozen splitter."""

from __future__ import annotations

import datetime as dt
import numbers
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from assay.errors import SplitError, check_whole_number, suggest_keywords
from assay.hints import param, passed
from assay.resampling.split_inputs import shares
from assay.resampling.splitters import (
    Bootstrap,
    Holdout,
    KFold,
    LeaveGroupOut,
    LeaveOneOut,
    WalkForward,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["bootstrap", "holdout", "kfold", "leave_group_out", "leave_one_out", "walk_forward"]

_MAX_SEED = 2**64 - 1
_TRAIN_TEST_SHARES = MappingProxyType({"train": 0.75, "test": 0.25})


@suggest_keywords
def holdout(
    parts: Mapping[str, float] = _TRAIN_TEST_SHARES,
    *,
    repeats: int = 1,
    stratify: bool = True,
    bins: int | None = None,
    gap: Any = 0,
    seed: int = 0,
) -> Holdout:
    """Split the rows once, or several times, into named parts of these shares.

    The shares hold to within one row in every class of `y` and in total; with `bins`, `y` is a number and
    its quantiles take the place of classes. Rows of one `group` stay together.
    With `time` the parts are in time order, and rows at most `gap` before the next part are left out.

    Parameters
    ----------
    parts
        The share of each part by its name, in order.
    repeats
        How often the rows are split anew.
    stratify
        False to draw without regard to the classes of `y`.
    bins
        Into how many quantiles a numeric `y` is cut, in place of classes.
    gap
        How long before the next part rows are left out, in the unit of ``time``.
    seed
        Where the random draws begin: the same seed gives the same result.

    Returns
    -------
    Holdout
        A splitter: ``.split(...)`` makes the splits.

    Raises
    ------
    SplitError
        The shares do not add up to 1, or `repeats` or `bins` is no such number.

    Examples
    --------
    >>> half = holdout({"train": 0.5, "validate": 0.25, "test": 0.25})
    >>> split = half.split(y=["no"] * 700 + ["yes"] * 300)[0]
    >>> split
    <split: train 500, validate 250, test 250>
    >>> int((split["test"] >= 700).sum())
    75
    """
    shares(parts)
    plain = tuple((name, float(share)) for name, share in parts.items())
    return Holdout(*_strata(stratify, bins, seed), plain, _count("repeats", repeats), _duration("gap", gap))


@suggest_keywords
def kfold(
    k: int = 10, *, repeats: int = 1, stratify: bool = True, bins: int | None = None, seed: int = 0
) -> KFold:
    """Split the rows into k folds; each is tested once per repeat by a model trained on the others.

    Folds differ by at most one row, in every class of `y` (or quantile, with `bins`) and in total. A class
    of fewer than k rows is absent from some folds; :func:`check` says from which. Rows of one
    `group` stay together, and then folds are as even as the groups allow, and repeats differ only in how
    groups of equal size are assigned.

    Parameters
    ----------
    k
        How many folds there are.
    repeats
        How often the rows are split anew.
    stratify
        False to draw without regard to the classes of `y`.
    bins
        Into how many quantiles a numeric `y` is cut, in place of classes.
    seed
        Where the random draws begin: the same seed gives the same result.

    Returns
    -------
    KFold
        A splitter: ``.split(...)`` makes the splits.

    Raises
    ------
    SplitError
        `k` is below 2, or `repeats` or `bins` is no such number.

    Examples
    --------
    >>> folds = kfold(10, seed=1).split(y=["no"] * 700 + ["yes"] * 300)
    >>> folds, folds[3]
    (<10 splits>, <split: train 900, test 100>)
    """
    return KFold(*_strata(stratify, bins, seed), _count("k", k, 2), _count("repeats", repeats))


def leave_one_out() -> LeaveOneOut:
    """Test each row by a model trained on all others.

    Pooled over rows, an area under the ROC curve is misleading: a model that knows the classes' shares and
    nothing else scores 0.

    Returns
    -------
    LeaveOneOut
        A splitter: ``.split(...)`` makes the splits.

    Examples
    --------
    >>> [split["test"].tolist() for split in leave_one_out().split(n=3)]
    [[0], [1], [2]]
    """
    return LeaveOneOut()


def leave_group_out() -> LeaveGroupOut:
    """Test each group by a model trained on all others, in the order of their labels.

    Returns
    -------
    LeaveGroupOut
        A splitter: ``.split(group=...)`` makes the splits.

    Examples
    --------
    >>> [split["test"].tolist() for split in leave_group_out().split(group=["b", "a", "b"])]
    [[1], [0, 2]]
    """
    return LeaveGroupOut()


@suggest_keywords
def bootstrap(
    replicates: int = 100, *, stratify: bool = True, bins: int | None = None, seed: int = 0
) -> Bootstrap:
    """Draw as many rows as there are, with replacement, and test on those that were not drawn.

    Classes of `y` are resampled separately, so that each keeps its size; without `y`, or with
    ``stratify=False``, all rows are drawn from at once. With `group`, whole groups are drawn; of a group of
    several classes the most frequent counts.

    Parameters
    ----------
    replicates
        How many times the rows are drawn.
    stratify
        False to draw without regard to the classes of `y`.
    bins
        Into how many quantiles a numeric `y` is cut, in place of classes.
    seed
        Where the random draws begin: the same seed gives the same result.

    Returns
    -------
    Bootstrap
        A splitter: ``.split(...)`` makes the splits.

    Raises
    ------
    SplitError
        `replicates` is no whole number from 1, or `bins` from 2.

    Examples
    --------
    >>> split = bootstrap(seed=1).split(n=1000)[0]
    >>> len(split["train"]), len(set(split["train"].tolist())) + len(split["test"])
    (1000, 1000)
    """
    return Bootstrap(*_strata(stratify, bins, seed), _count("replicates", replicates))


@suggest_keywords
def walk_forward(folds: int = 5, *, gap: Any = 0, window: Any = None) -> WalkForward:
    """Test each period of `time` by a model trained on rows strictly before it.

    The last `folds` periods of equally many rows are tested in order. The training rows grow with every
    fold, or are a sliding `window` of the latest. Rows at most `gap` before the test are left out: set it to
    how long the target takes to be known. Both are in the unit of `time`,
    or durations where it holds dates.

    Parameters
    ----------
    folds
        How many periods are tested.
    gap
        How long before the next part rows are left out, in the unit of ``time``.
    window
        How long the training rows reach back; all the way unless given.

    Returns
    -------
    WalkForward
        A splitter: ``.split(time=...)`` makes the splits.

    Raises
    ------
    SplitError
        `folds` is below 1, or `window` is not above 0.

    Examples
    --------
    >>> for train, test in walk_forward(3, gap=1).split(time=range(8)):
    ...     print(train, test)
    [0] [2 3]
    [0 1 2] [4 5]
    [0 1 2 3 4] [6 7]
    """
    if window is not None and not _duration("window", window) > window * 0:
        raise SplitError(f"{passed('window', window)} should be more than 0.")
    return WalkForward(_count("folds", folds), _duration("gap", gap), window)


def _strata(stratify: Any, bins: int | None, seed: int) -> tuple[bool, int | None, int]:
    if not isinstance(stratify, bool):
        raise SplitError(
            f"{passed('stratify', stratify)} should be True or False: what to stratify by is {param('y')}."
        )
    checked = None if bins is None else _count("bins", bins)
    return stratify, checked, check_whole_number("seed", seed, 0, _MAX_SEED, error=SplitError)


def _count(name: str, value: Any, minimum: int = 1) -> int:
    return check_whole_number(name, value, minimum, error=SplitError)


def _duration(name: str, value: Any) -> Any:
    """Return a number or a duration that is not negative."""
    known = isinstance(value, (numbers.Real, dt.timedelta)) and not isinstance(value, bool)
    if not known or not value >= value * 0:
        raise SplitError(
            f"{passed(name, value)} should be a number of the unit of time, or a duration, and not negative."
        )
    return value
