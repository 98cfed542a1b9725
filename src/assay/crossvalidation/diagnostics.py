"""What is to be said against a validation: bad splits, failed folds, figures without a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.crossvalidation.preprocessing_leakage import traces
from assay.errors import AssayError
from assay.inputs.arrays import column_names
from assay.metrics import Undefined
from assay.resampling.split_checks import row_codes, watch
from assay.resampling.splitters import LeaveOneOut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.crossvalidation.fit_folds import Fold
    from assay.crossvalidation.setup import CrossValSetup
    from assay.inputs.columns import Array
    from assay.resampling.split import Split

__all__ = ["Diagnostic", "SplitChecker", "of_folds", "of_preprocessing", "where"]

_ORDINARY = 0.5  # where so few of the rows are distinct, equal ones are no copies


class Diagnostic(NamedTuple):
    """One thing to be said: its kind, the fold it was found in (None: in all), and the words.

    Kinds: "failure", "undefined", "classes", "groups", "time", "copies", "preprocessing".
    """

    kind: str
    where: str | None
    what: str


class SplitChecker:
    """Looks at each split before it is used; the columns are read once."""

    def __init__(self, plan: CrossValSetup, splitter: Any, group: Any, time: Any) -> None:
        classes = plan.actual if plan.labels and not isinstance(splitter, LeaveOneOut) else None
        self._seen = watch(y=classes, group=group, time=time, copies=_copies(plan))

    def at(self, split: Split, place: str) -> Iterator[Diagnostic]:
        """Yield what is wrong with a split, the place of which is told."""
        for kind, error in self._seen(split):
            yield Diagnostic(kind, place, str(error))


def where(repeat: int, fold: int, *, several: bool) -> str:
    """Return which fold is meant, as people count.

    >>> where(0, 2, several=False), where(1, 2, several=True)
    ('fold 3', 'repeat 2 fold 3')
    """
    return f"repeat {repeat + 1} fold {fold + 1}" if several else f"fold {fold + 1}"


def of_folds(folds: Sequence[Fold], *, several: bool) -> Iterator[Diagnostic]:
    """Yield which folds failed, and which have figures without a value."""
    for fold in folds:
        place = where(fold.repeat, fold.fold, several=several)
        if fold.failure:
            yield Diagnostic("failure", place, fold.failure)
            continue
        for name, value in fold.values.items():
            if isinstance(value, Undefined):
                yield Diagnostic("undefined", place, f"{name} is {value!r}.")


def of_preprocessing(plan: CrossValSetup) -> Iterator[Diagnostic]:
    """Yield what looks as if it had been computed before the rows were split."""
    target = None
    if not plan.labels:
        target = plan.actual.values.astype(np.float64)
    elif plan.positive is not None:
        from assay.inputs.labels import binary  # noqa: PLC0415

        target = binary(plan.actual, plan.positive, plan.labels)[0].astype(np.float64)
    for error in traces(plan.features, target):
        yield Diagnostic("preprocessing", None, str(error))


def _copies(plan: CrossValSetup) -> tuple[Array, int] | None:
    """Return codes of equal rows, target and all; None where they cannot be told or are ordinary."""
    features = plan.features
    if isinstance(features, Mapping):
        columns = list(features.values())
    elif (names := column_names(features)) is not None:
        columns = [features[name] for name in names]
    elif isinstance(features, (list, tuple, np.ndarray)):
        try:
            matrix = np.asarray(features)
        except ValueError:  # rows of different lengths
            return None
        if matrix.ndim > 2:  # noqa: PLR2004 - pictures and the like
            return None
        columns = [matrix] if matrix.ndim == 1 else list(matrix.T)
    else:
        return None
    try:
        codes, count = row_codes([*columns, plan.actual.values])
    except AssayError:  # values that are neither numbers nor text
        return None
    return (codes, count) if count > _ORDINARY * plan.n else None
