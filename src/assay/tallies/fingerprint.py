"""Fingerprint of a test set: tells whether two evaluations were made on the same rows, or on how many."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from assay import kernels
from assay.errors import MergeError
from assay.inputs import need_rows
from assay.inputs.text_hashes import text_hashes
from assay.tallies.tally import Tally, frozen, no_values, require

if TYPE_CHECKING:
    from assay.inputs import Column, Rows
    from assay.inputs.columns import Array

__all__ = ["Fingerprint"]

# The standard error of the overlap is sqrt(J (1 - J) / 2048): 0.3 points at 0.98, 1.1 points at 0.5.
_SKETCH_SIZE: Final = 2048
_MIN_DISTINCT_SHARE: Final = 0.5  # of the rows, from which on an overlap is one of rows
_WHOLE_NUMBER: Final = re.compile(r"0|-?[1-9][0-9]{0,15}")
_MAX_EXACT: Final = 2**53  # up to which a float64 holds every whole number
_MODULUS: Final = 1 << 128


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Fingerprint(Tally, kind="fingerprint"):
    """A hash of the rows of a test set in any order, one of the predictions, and a sketch for overlaps.

    A row is known by its key where there are keys, else by its group or query, and by its actual value: the
    hash is the sum modulo 2**128 of the rows' hashes (a sum and not an exclusive or, by which rows that
    occur twice would cancel out). Numbers count by their value, whatever their type, and text by its
    characters; text that is a whole number counts as that number. Without keys, rows of a classification
    differ in their labels only: test sets of the same number of rows of each label cannot be told apart, so
    give ``key=``. Predictions are never part of it: it is the same for every model.

    State: the number of rows, two sums, and the 2,048 lowest hashes with their counts.

    Examples
    --------
    >>> import assay
    >>> first = assay.rows(actual=[0, 1, 1], score=[0.2, 0.9, 0.4], key=["a", "b", "c"])
    >>> again = assay.rows(actual=["1", "0", "1"], score=[0.5, 0.5, 0.5], key=["c", "a", "b"])
    >>> one, two = assay.Fingerprint.of(first), assay.Fingerprint.of(again)
    >>> one.test_set == two.test_set, one.predictions == two.predictions
    (True, False)
    """

    n: int = 0
    basis: tuple[str, ...] = ()  # the roles that say which row it is
    shown: tuple[str, ...] = ()  # the roles of the predictions
    row_sum: int = 0
    prediction_sum: int = 0
    hashes: Array = no_values(np.uint64)
    counts: Array = no_values(np.uint64)

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return the fingerprint of rows: of their keys and actual values, and of all predictions."""
        rows = need_rows(rows)
        if not rows.n:
            return cls.empty()
        names = [role for role in ("key",) if getattr(rows, role) is not None]
        names = names or [role for role in ("group", "query") if getattr(rows, role) is not None]
        identity = [words for role in names for words in _words(getattr(rows, role))]
        if rows.actual is not None:
            names.append("actual")
            identity += _words(rows.actual)
        shown = tuple(role for role in ("predicted", "score") if getattr(rows, role) is not None)
        predictions = [words for role in shown for words in _words(getattr(rows, role))]
        if not identity:
            identity = [np.zeros(rows.n, dtype=np.uint64)]
        sums = kernels.fingerprint_rows([*identity, *predictions], len(identity), _SKETCH_SIZE)
        row_sum, prediction_sum = (int.from_bytes(data, "little") for data in sums[:2])
        return cls(rows.n, tuple(names), shown, row_sum, prediction_sum, frozen(sums[2]), frozen(sums[3]))

    def merge(self, other: Self) -> Self:
        """Return the fingerprint of both sides' rows."""
        self._same_kind(other)
        if not self.n or not other.n:
            return other if other.n else self
        columns, other_columns = ((*side.basis, *side.shown) for side in (self, other))
        if columns != other_columns:
            raise MergeError(
                f"one fingerprint is of {_listed(columns)}, the other of {_listed(other_columns)}: name the "
                "same columns for both."
            )
        hashes, inverse = np.unique(np.concatenate([self.hashes, other.hashes]), return_inverse=True)
        counts = np.zeros(len(hashes), dtype=np.uint64)
        np.add.at(counts, inverse, np.concatenate([self.counts, other.counts]))
        return type(self)(
            self.n + other.n, self.basis, self.shown,
            (self.row_sum + other.row_sum) % _MODULUS,
            (self.prediction_sum + other.prediction_sum) % _MODULUS,
            frozen(hashes[:_SKETCH_SIZE].copy()), frozen(counts[:_SKETCH_SIZE].copy()),
        )  # fmt: skip

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        sums, arrays = (self.row_sum, self.prediction_sum), (self.hashes, self.counts)
        require(type(self.n) is int and self.n >= 0, "a count below 0")
        require(all(type(name) is str for name in (*self.basis, *self.shown)), "roles that are no text")
        require(all(type(value) is int and 0 <= value < _MODULUS for value in sums), "a sum beyond 128 bits")
        require(all(value.dtype == np.uint64 and value.ndim == 1 for value in arrays), "no sketch")
        require(len(self.hashes) == len(self.counts) <= _SKETCH_SIZE, "a sketch of another size")
        require(bool((self.hashes[1:] > self.hashes[:-1]).all()), "hashes out of order")
        total = sum(map(int, self.counts))
        exact = len(self.counts) < _SKETCH_SIZE
        require(bool((self.counts > 0).all()), "a hash that no row has")
        require(total == self.n if exact else total <= self.n, "counts that are not those of the rows")

    @property
    def test_set(self) -> str:
        """The identity of the test set, 32 hexadecimal digits: equal for equal rows in any order."""
        return self._digest("rows", self.basis, self.row_sum)

    @property
    def predictions(self) -> str:
        """The identity of the predictions on these rows, 32 hexadecimal digits."""
        return self._digest("predictions", (*self.basis, *self.shown), self.prediction_sum)

    def _digest(self, noun: str, roles: tuple[str, ...], total: int) -> str:
        text = f"assay {noun} 1 {self.n} {','.join(roles)} {total:032x}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def distinct(self) -> float:
        """The number of different rows: counted where they are few, else estimated from the sketch."""
        if len(self.hashes) < _SKETCH_SIZE:
            return float(len(self.hashes))
        return (_SKETCH_SIZE - 1) * 2.0**64 / float(self.hashes[-1])

    @property
    def tells_rows_apart(self) -> bool:
        """Whether most rows differ, so that rows can be found again in another test set."""
        return self.n > 0 and self.distinct >= _MIN_DISTINCT_SHARE * self.n

    def overlap(self, other: Fingerprint) -> float | None:
        """Return the estimated share of rows in both among the rows in either (Jaccard's index).

        Exact where the different rows are fewer than 2,048, else with a standard error of
        ``sqrt(J (1 - J) / 2048)``. None where rows cannot be told apart, as by labels alone.

        >>> import assay
        >>> first, second = ([f"case {i}" for i in range(begin, begin + 100)] for begin in (0, 50))
        >>> one, two = (assay.Fingerprint.of(assay.rows(actual=[0] * 100, key=k)) for k in (first, second))
        >>> round(one.overlap(two), 4)
        0.3333
        """
        if self.basis != other.basis or not (self.tells_rows_apart and other.tells_rows_apart):
            return None
        lowest = np.union1d(self.hashes, other.hashes)[:_SKETCH_SIZE]
        left, right = (_counts_of(lowest, side) for side in (self, other))
        return float(np.minimum(left, right).sum() / np.maximum(left, right).sum())


def _counts_of(hashes: Array, side: Fingerprint) -> Array:
    indices = np.searchsorted(side.hashes, hashes).clip(max=len(side.hashes) - 1)
    counts: Array = np.where(side.hashes[indices] == hashes, side.counts[indices], 0).astype(np.float64)
    return counts


def _words(column: Column) -> list[Array]:
    """Return numbers, or 64 bits per row that depend on the value alone; of a matrix, each of its columns."""
    if column.labels is not None:
        table = _label_words(column.labels)
        return [table[column.values]]
    values = column.values
    if values.ndim > 1:
        return [_number_words(values[:, index]) for index in range(values.shape[1])]
    return [_number_words(values)]


def _number_words(values: Array) -> Array:
    """Return numbers as the kernel reads them: float64, or whole numbers that it cannot hold."""
    if values.dtype in (np.float64, np.int64):
        return np.ascontiguousarray(values)
    if values.dtype == np.uint64 and bool((values > _MAX_EXACT).any()):
        return np.where(values > _MAX_EXACT, values, values.astype(np.float64).view(np.uint64))
    return values.astype(np.float64)


def _label_words(labels: tuple[str | int, ...]) -> Array:
    texts = list(map(str, labels))
    words = text_hashes(texts)
    for index, text in enumerate(texts):
        if len(text) <= 17 and _WHOLE_NUMBER.fullmatch(text) and abs(int(text)) <= _MAX_EXACT:  # noqa: PLR2004
            words[index] = np.float64(int(text)).view(np.uint64)
    return words


def _listed(roles: tuple[str, ...]) -> str:
    return " and ".join(roles) or "nothing"
