"""One split of the rows into named parts, and a lazy sequence of splits."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from assay import kernels
from assay.errors import SplitError, shown
from assay.inputs import column

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = ["TRAIN_TEST", "UNUSED", "Split", "Splits", "parts_of"]

UNUSED = "unused"  # the name of a row's part in column() where it is in none
TRAIN_TEST = ("train", "test")


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Split:
    """Which rows are in which part; unpacks into the parts' row numbers, in the order of ``names``.

    ``places`` holds for each row the index of its part in ``names``, or ``len(names)`` where it is in none.
    ``draws`` says how often a bootstrap drew each row: drawn rows are the first part, once per draw.

    >>> split = Split(("train", "test"), np.array([0, 1, 0, 2], dtype=np.uint8))
    >>> split
    <split: train 2, test 1, unused 1>
    >>> train, test = split
    >>> train, split["test"]
    (array([0, 2]), array([1]))
    >>> split.column().tolist()
    ['train', 'test', 'train', 'unused']
    """

    names: tuple[str, ...]
    places: Array
    draws: Array | None = None
    repeat: int = 0
    fold: int = 0

    @classmethod
    def of_column(cls, names: Any) -> Split:
        """Return the split of a column of part names, as :meth:`column` returns and files hold.

        The part "train" is first and "test" last; others are between them, as they sort.

        >>> Split.of_column(["test", "train", "unused", "train"])
        <split: train 2, test 1, unused 1>
        """
        parts = column(names, "the column of parts")
        parts.refuse_missing()
        if parts.labels is None:
            raise SplitError("a column of parts holds their names, such as train and test, row by row.")
        codes, used = kernels.encode_integers(parts.values)
        present = [str(parts.labels[int(code)]) for code in used]
        first, last = TRAIN_TEST
        order = sorted({*present} - {UNUSED}, key=lambda name: (name != first, name == last, name))
        if len(order) < 2 or order[0] != first:  # noqa: PLR2004
            raise SplitError(
                f'the column of parts names {shown(present)}: "train" and a part to test are needed.'
            )
        index_of = {name: index for index, name in enumerate([*order, UNUSED])}
        part_of_row = np.array([index_of[name] for name in present], dtype=np.min_scalar_type(len(order)))
        return cls(tuple(order), part_of_row[codes])

    def __getitem__(self, name: str) -> Array:
        """Return the numbers of a part's rows, ascending; a row drawn twice is there twice."""
        if name not in self.names:
            raise SplitError(f"there is no part {name!r}: the parts are {shown(self.names)}.")
        return self._part(self.names.index(name), *self._ordered())

    def __iter__(self) -> Iterator[Array]:
        ordered = self._ordered()
        return (self._part(index, *ordered) for index in range(len(self.names)))

    def __len__(self) -> int:
        return len(self.names)

    def _ordered(self) -> tuple[Array, Array]:
        return kernels.order_groups(self.places, len(self.names) + 1)

    def _part(self, index: int, offsets: Array, rows: Array) -> Array:
        part = rows[offsets[index] : offsets[index + 1]].astype(np.intp)
        return part if self.draws is None or index else np.repeat(part, self.draws[part])

    def masks(self) -> dict[str, Array]:
        """Return for each part which rows are in it."""
        return {name: self.places == index for index, name in enumerate(self.names)}

    def column(self) -> Array:
        """Return for each row the name of its part, or "unused"."""
        return np.array([*self.names, UNUSED])[self.places]

    def sizes(self) -> dict[str, int]:
        """Return how many rows each part has; a row drawn twice counts twice."""
        counts = np.bincount(self.places, minlength=len(self.names)).tolist()
        sizes = dict(zip(self.names, counts, strict=False))
        if self.draws is not None:
            sizes[self.names[0]] = int(self.draws.sum())
        return sizes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Split):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.places, other.places)
            and (self.draws is None) == (other.draws is None)
            and (self.draws is None or np.array_equal(self.draws, other.draws))  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = self.sizes()
        unused = int(np.count_nonzero(self.places == len(self.names)))
        words = [f"{name} {size:,}" for name, size in (sizes | ({UNUSED: unused} if unused else {})).items()]
        return f"<split: {', '.join(words)}>"


class Splits(Sequence[Split]):
    """A lazy sequence of splits, each made on access: many splits of many rows would fill the memory."""

    def __init__(self, length: int, make: Callable[[int], Split]) -> None:
        self._length = length
        self._make = make

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Split: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Split]: ...
    def __getitem__(self, index: Any) -> Any:
        """Return one split, or those of a slice."""
        if isinstance(index, slice):
            return [self._make(place) for place in range(*index.indices(self._length))]
        place = operator.index(index)
        if not -self._length <= place < self._length:
            raise IndexError(f"there are {self._length} splits.")
        return self._make(place % self._length)

    def __repr__(self) -> str:
        return f"<{self._length:,} split{'s' * (self._length != 1)}>"


def parts_of(splits: Sequence[Split], *names: str) -> Iterator[tuple[Split, list[Array]]]:
    """Yield each split with the numbers of the rows of some of its parts; only one split is held at a time.

    >>> from assay.resampling import kfold
    >>> [parts for _, parts in parts_of(kfold(2, seed=1).split(n=4), "test")]
    [[array([2, 3])], [array([0, 1])]]
    """
    for number in range(len(splits)):
        split = splits[number]
        yield split, [split[name] for name in names]
