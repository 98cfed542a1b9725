"""Flips: rows that one of two models predicts right and the other wrong, and the share that differs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inputs import Rows
from assay.inputs.labels import encode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.differences.pairing import Pair

__all__ = ["Flips", "flips_of"]


@dataclasses.dataclass(frozen=True, eq=False)
class Flips:
    """What changes from the first model to the second, row by row.

    ``better`` rows are right with the second model only, ``worse`` with the first only; ``changed`` rows have
    another prediction, right or wrong. ``better_rows`` and ``worse_rows`` are their numbers in the rows of
    the second model, from 0, as the caller passed them, and None where only a tally is at hand.
    """

    first: str
    second: str
    n: int
    better: int
    worse: int
    changed: int
    better_rows: NDArray[np.intp] | None = None
    worse_rows: NDArray[np.intp] | None = None

    @property
    def churn(self) -> float:
        """The share of rows whose prediction differs."""
        return self.changed / self.n if self.n else 0.0

    @property
    def sentence(self) -> str:
        """The flips in words."""
        if not self.changed:
            return f"{self.first} and {self.second} predict the same on every row."
        return (
            f"Flips: {self.second} is right on {_rows(self.better)} that {self.first} has wrong, and wrong "
            f"on {_rows(self.worse)} that {self.first} has right; {100 * self.churn:.3g}% of predictions "
            "differ."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, without row numbers."""
        return {
            "first": self.first, "second": self.second, "n": self.n, "better": self.better,
            "worse": self.worse, "changed": self.changed, "churn": self.churn,
        }  # fmt: skip


def _rows(count: int) -> str:
    return {0: "no row", 1: "1 row"}.get(count, f"{count:,} rows")


def flips_of(pair: Pair, first: str, second: str) -> Flips | None:
    """Return the flips of two models that predict one label per row; None where rows or labels are missing.

    >>> from assay import compare, rows
    >>> old, new = ([0, 0, 1, 1], [0, 1, 1, 0])
    >>> flips = compare(rows(actual=[0, 1, 1, 1], predicted=old),
    ...                 rows(actual=[0, 1, 1, 1], predicted=new), metrics=["accuracy"]).flips[0]
    >>> flips.better_rows.tolist(), flips.worse_rows.tolist(), flips.churn
    ([1], [3], 0.5)
    """
    if not pair.paired:
        return None
    if pair.joint_tally is not None:
        actual, old, new = pair.joint_tally.digits()
        counts = np.asarray(pair.joint_tally.counts)
        better, worse = (old != actual) & (new == actual), (old == actual) & (new != actual)
        right, wrong, changed = (int(counts[cells].sum()) for cells in (better, worse, old != new))
        return Flips(first, second, int(counts.sum()), right, wrong, changed)
    left, right = pair.both
    if not isinstance(left, Rows) or not isinstance(right, Rows) or pair.multioutput:
        return None
    if left.actual is None or left.predicted is None or right.predicted is None:
        return None
    actual, old, new = _codes(left.actual, left.predicted, right.predicted)
    better, worse = (old != actual) & (new == actual), (old == actual) & (new != actual)
    better_rows, worse_rows = (_numbers(right, mask) for mask in (better, worse))
    differing = int(np.count_nonzero(old != new))
    return Flips(
        first, second, len(actual), len(better_rows), len(worse_rows), differing, better_rows, worse_rows
    )


def _numbers(rows: Rows, mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the numbers of some rows in what the caller passed, ascending."""
    index = np.flatnonzero(mask)
    return index if rows.origin is None else np.sort(rows.origin[index])


def _codes(*columns: Any) -> list[NDArray[np.intp]]:
    """Return columns of labels as numbers, the same label having the same number in all of them."""
    index: dict[Any, int] = {}
    numbered = []
    for codes, labels in map(encode, columns):
        numbers = [index.setdefault(label, len(index)) for label in labels]
        numbered.append(np.array(numbers, dtype=np.intp)[codes])
    return numbered
