"""Problems of a cross-validation: bad splits, leakage, failed folds, metrics without a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import AssayError, SplitError, shown
from assay.inputs.arrays import column_names
from assay.inputs.labels import binary
from assay.metrics import Undefined
from assay.resampling.split_checks import row_codes, split_checker
from assay.resampling.splitters import LeaveOneOut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.crossvalidation.fit_folds import Fold
    from assay.crossvalidation.setup import CrossValSetup
    from assay.inputs.columns import Array
    from assay.resampling.split import Split

__all__ = [
    "Diagnostic",
    "SplitChecker",
    "find_leakage",
    "fold_diagnostics",
    "fold_name",
    "leakage_diagnostics",
]

_MIN_DISTINCT_SHARE = 0.5  # where fewer rows are distinct, equal rows are expected and no copies
# Of columns that look computed from all rows.
_STANDARD_TOLERANCE = 1e-6  # of mean 0 and deviation 1; chance does not get so close
_MIN_ROWS = 20
_MIN_VALUES = 3  # a column of two values may well be -1 and 1 by design
_MEAN_TOLERANCE = 1e-9
_MAX_LEVELS = 0.5  # of the rows: a level with one row has that row's target for its mean
_MESSAGES = {
    "standard": (
        "mean 0 and deviation 1 over all rows, as if standardised before splitting: test rows leaked into "
        "the scaler. Put the scaler into the model, as a pipeline."
    ),
    "encoded": (
        "the target's mean over all rows of equal value, as if target-encoded before splitting: targets of "
        "test rows leaked into the encoder. Put the encoder into the model, as a pipeline."
    ),
    "filled": (
        "one repeated value, which is the mean of all rows, as if gaps had been filled before splitting: "
        "test rows leaked into the imputer. Put the imputer into the model, as a pipeline."
    ),
}


class Diagnostic(NamedTuple):
    """A problem: its kind, the fold it concerns (None: all of them), and a sentence.

    Kinds: "failure", "undefined", "classes", "groups", "time", "copies", "preprocessing".
    """

    kind: str
    where: str | None
    what: str


class SplitChecker:
    """Checks each split before it is used; the columns are read once."""

    def __init__(self, setup: CrossValSetup, splitter: Any, group: Any, time: Any) -> None:
        classes = setup.actual if setup.labels and not isinstance(splitter, LeaveOneOut) else None
        self._check = split_checker(y=classes, group=group, time=time, copies=_equal_rows(setup))

    def check(self, split: Split, name: str) -> Iterator[Diagnostic]:
        """Yield what is wrong with a split of this name."""
        for kind, error in self._check(split):
            yield Diagnostic(kind, name, str(error))


def fold_name(repeat: int, fold: int, *, repeated: bool) -> str:
    """Return the name of a fold, counted from 1.

    >>> fold_name(0, 2, repeated=False), fold_name(1, 2, repeated=True)
    ('fold 3', 'repeat 2 fold 3')
    """
    return f"repeat {repeat + 1} fold {fold + 1}" if repeated else f"fold {fold + 1}"


def fold_diagnostics(folds: Sequence[Fold], *, repeated: bool) -> Iterator[Diagnostic]:
    """Yield which folds failed, and which have metrics without a value."""
    for fold in folds:
        name = fold_name(fold.repeat, fold.fold, repeated=repeated)
        if fold.failure:
            yield Diagnostic("failure", name, fold.failure)
            continue
        for metric, value in fold.values.items():
            if isinstance(value, Undefined):
                yield Diagnostic("undefined", name, f"{metric} is {value!r}.")


def leakage_diagnostics(setup: CrossValSetup) -> Iterator[Diagnostic]:
    """Yield columns that look computed from all rows before they were split."""
    target = None
    if not setup.labels and not setup.multioutput:
        target = setup.actual.values.astype(np.float64)
    elif setup.positive is not None:
        target = binary(setup.actual, setup.positive, setup.labels)[0].astype(np.float64)
    for error in find_leakage(setup.features, target):
        yield Diagnostic("preprocessing", None, str(error))


def _equal_rows(setup: CrossValSetup) -> tuple[Array, int] | None:
    """Return codes of equal rows, target included; None where unknown or where equal rows are expected."""
    features = setup.features
    if isinstance(features, Mapping):
        columns = list(features.values())
    elif isinstance(features, (list, tuple, np.ndarray)):
        try:
            matrix = np.asarray(features)
        except ValueError:  # rows of different lengths
            return None
        if matrix.ndim > 2:  # noqa: PLR2004 - images and the like
            return None
        columns = [matrix] if matrix.ndim == 1 else list(matrix.T)
    elif (names := column_names(features)) is not None:
        columns = [features[name] for name in names]
    else:
        return None
    try:
        target = setup.actual.values
        codes, count = row_codes([*columns, *(target.T if target.ndim > 1 else [target])])
    except AssayError:  # values that are neither numbers nor text
        return None
    return (codes, count) if count > _MIN_DISTINCT_SHARE * setup.n else None


def find_leakage(features: Any, target: Array | None) -> list[SplitError]:
    """Return an error for each kind of column that looks computed from all rows, test rows included.

    Columns standardised to mean 0 and deviation 1 over all rows; columns that hold, for each of their
    values, the mean of the `target` (0 and 1 for two classes) over the rows of that value; and columns of
    distinct values but one, which is repeated and is the mean of all. Each may be legitimate, if computed
    from other rows; other leakage leaves no trace and is not found. Only numbers in arrays, lists and frames
    are checked.

    >>> x = np.arange(40.0) ** 2
    >>> str(find_leakage(((x - x.mean()) / x.std())[:, None], None)[0])[:52]
    'column 0 has mean 0 and deviation 1 over all rows, a'
    """
    with np.errstate(all="ignore"):  # numbers that overflow are left to the model
        suspects = _suspect_columns(features, target)
    return [SplitError(f"{_subject(names)} {_MESSAGES[kind]}") for kind, names in suspects.items() if names]


def _suspect_columns(features: Any, target: Array | None) -> dict[str, list[Any]]:
    """Return the names of the columns that show each kind of leakage."""
    suspects: dict[str, list[Any]] = {kind: [] for kind in _MESSAGES}
    mean_and_scale = None
    if target is not None:
        mean_and_scale = float(target.mean()), float(np.abs(target).max(initial=0.0)) or 1.0
    for name, values, mean in _columns(features):
        if len(values) < _MIN_ROWS or not np.isfinite(mean):
            continue
        if _is_standard(values, mean):
            suspects["standard"].append(name)
        elif (
            target is not None and mean_and_scale is not None
            and abs(mean - mean_and_scale[0]) <= _MEAN_TOLERANCE * mean_and_scale[1]
            and _is_mean_of(values, target, mean_and_scale[1])
        ):  # fmt: skip
            suspects["encoded"].append(name)
        elif _is_filled(values, mean):
            suspects["filled"].append(name)
    return suspects


def _subject(names: list[Any]) -> str:
    return (
        f"column {shown(names)} has" if len(names) == 1 else f"{len(names)} columns ({shown(names, 3)}) have"
    )


def _columns(features: Any) -> Iterator[tuple[Any, Array, float]]:
    """Yield the floating-point columns by name or by index, with their means."""
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
    # All means in one pass: column by column, each would read the whole table from memory.
    means = features.mean(axis=0, dtype=np.float64) if len(features) else np.full(features.shape[1], np.nan)
    for index, mean in enumerate(means.tolist()):
        yield index, features[:, index], mean


def _is_standard(values: Array, mean: float) -> bool:
    if abs(mean) > _STANDARD_TOLERANCE:
        return False
    spread = float(np.square(values, dtype=np.float64).mean())
    sizes = (1.0, 1.0 - 1.0 / len(values))  # a deviation by n, or by n - 1
    return (
        any(abs(spread - size) < _STANDARD_TOLERANCE for size in sizes)
        and len(np.unique(values)) >= _MIN_VALUES
    )


def _is_mean_of(values: Array, target: Array, scale: float) -> bool:
    """Tell whether each value is the target's mean over the rows of that value."""
    levels, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if not 1 < len(levels) <= _MAX_LEVELS * len(values):
        return False
    means = np.bincount(codes, weights=target) / sizes
    return bool(np.abs(means - levels).max() <= _MEAN_TOLERANCE * scale)


def _is_filled(values: Array, mean: float) -> bool:
    """Tell whether the mean itself occurs several times among values that are otherwise all distinct."""
    distances = np.ascontiguousarray(values) - mean
    near = np.flatnonzero(np.abs(distances, out=distances) <= _MEAN_TOLERANCE * abs(mean))
    if len(near) < 2 or (values[near] != values[near[0]]).any():  # noqa: PLR2004 - once is chance
        return False
    return len(np.unique(values)) == len(values) - len(near) + 1
