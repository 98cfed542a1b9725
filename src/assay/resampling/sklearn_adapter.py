"""Use a splitter as scikit-learn's ``cv=``; scikit-learn itself is not needed."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.errors import SplitError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.inputs.columns import Array
    from assay.resampling.split import Splits
    from assay.resampling.splitters import Splitter

__all__ = ["CrossValidator", "as_cv"]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class CrossValidator:
    """Pairs of training and test rows, as scikit-learn expects them. Make one with :func:`as_cv`."""

    splitter: Splitter
    time: Any = None
    key: Any = None

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Array, Array]]:  # noqa: N803
        """Yield the training and the test rows of every split."""
        for split in self._splits(X, y, groups):
            train, test = split
            yield train, test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: N803
        """Return how many splits there are."""
        if self.splitter.number is not None:
            return self.splitter.number
        if X is None and groups is None:
            raise SplitError("how many splits there are depends on the rows: pass X, or groups.")
        return len(self._splits(X, y, groups))

    def _splits(self, X: Any, y: Any, groups: Any) -> Splits:  # noqa: N803
        shape = getattr(X, "shape", None)
        n = None if X is None else int(shape[0]) if shape else len(X)
        return self.splitter.split(y, group=groups, time=self.time, key=self.key, n=n)


def as_cv(splitter: Splitter, *, time: Any = None, key: Any = None) -> CrossValidator:
    """Return a splitter as an object for the ``cv=`` of cross_validate, GridSearchCV and their like.

    They pass `y`, which stratifies unless the splitter says ``stratify=False``, and `groups`. `time` and
    `key`, which they do not pass, are given here.

    Parameters
    ----------
    splitter
        A splitter of :mod:`assay.resampling`.
    time, key
        Columns of all rows for the splitter.

    Returns
    -------
    CrossValidator
        With ``split`` and ``get_n_splits``.

    Raises
    ------
    SplitError
        `splitter` is none, or it is of another kind than these can use.

    Examples
    --------
    >>> from assay.resampling import kfold
    >>> cv = as_cv(kfold(3))
    >>> cv.get_n_splits(), [len(test) for _, test in cv.split([[0]] * 7, ["a", "b", "a", "b", "a", "a", "a"])]
    (3, [3, 2, 2])
    """
    if not hasattr(splitter, "names") or not hasattr(splitter, "number"):
        raise SplitError(f"{splitter!r} is no splitter: make one with kfold, holdout or bootstrap.")
    if len(splitter.names) != 2:  # noqa: PLR2004 - train and test
        raise SplitError(
            f"scikit-learn takes a part to train and one to test; this splitter has {shown(splitter.names)}."
        )
    return CrossValidator(splitter, time, key)
