"""Problems of a cross-validation: bad splits, leakage, failed folds, metrics without a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.crossvalidation.preprocessing_leakage import find_leakage
from assay.errors import AssayError
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

__all__ = ["Diagnostic", "SplitChecker", "fold_diagnostics", "fold_name", "leakage_diagnostics"]

_MIN_DISTINCT_SHARE = 0.5  # where fewer rows are distinct, equal rows are expected and no copies


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
    elif (names := column_names(features)) is not None:
        columns = [features[name] for name in names]
    elif isinstance(features, (list, tuple, np.ndarray)):
        try:
            matrix = np.asarray(features)
        except ValueError:  # rows of different lengths
            return None
        if matrix.ndim > 2:  # noqa: PLR2004 - images and the like
            return None
        columns = [matrix] if matrix.ndim == 1 else list(matrix.T)
    else:
        return None
    try:
        target = setup.actual.values
        codes, count = row_codes([*columns, *(target.T if target.ndim > 1 else [target])])
    except AssayError:  # values that are neither numbers nor text
        return None
    return (codes, count) if count > _MIN_DISTINCT_SHARE * setup.n else None
