"""One column, in one of two forms: numbers, or codes into a list of labels."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.errors import ColumnError, MissingValueError
from assay.hints import hint, param

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Array", "Column", "doubles"]

Array: TypeAlias = NDArray[Any]


@dataclasses.dataclass(slots=True, eq=False)  # not frozen: that alone would double a small call's cost
class Column:
    """One value per row; not changed once it is made. Make one with :func:`assay.column`.

    ``values`` are the numbers themselves, or, where ``labels`` is given, indices into it. A row that
    holds nothing is marked in ``missing``; a float column may say it by NaN instead. ``origin`` holds
    the rows' numbers in what the caller passed, where some were left out, and ``place`` says where a row
    with such a number is, where that is not all there is to say (a row of a file). Scores of several
    classes, and values of several labels or outputs, are one column whose values have two axes, a row of
    numbers per row. ``order`` is that of the labels, lowest first, where the caller's column states one
    (ordered categories).
    """

    name: str
    values: Array
    labels: tuple[str | int, ...] | None = None
    missing: Array | None = None
    origin: Array | None = None
    place: Callable[[int], str] | None = None
    order: tuple[str | int, ...] | None = None

    device_tensor: ClassVar[Any] = None
    """The values as a tensor of PyTorch on a device that counts them faster; None where there is none."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def ndim(self) -> int:
        """The number of axes of the values."""
        return self.values.ndim

    def take(self, index: Any, origin: Array | None = None) -> Column:
        """Return the rows chosen by a mask, an index array or a slice."""
        missing = None if self.missing is None else self.missing[index]
        if missing is not None and not missing.any():
            missing = None
        values = np.ascontiguousarray(self.values[index])
        if self.labels is None:
            return Column(self.name, values, None, missing, origin, self.place, self.order)
        codes, used = kernels.encode_integers(values)
        labels = tuple(self.labels[int(code)] for code in used)
        return Column(self.name, codes, labels, missing, origin, self.place, self.order)

    def where(self, row: int) -> str:
        """Return a row as the caller counts it, for a message."""
        number = row if self.origin is None else int(self.origin[row])
        return f"row {number:,}, counting from 0" if self.place is None else self.place(number)

    def absent(self) -> Array | None:
        """Return a mask of the rows that hold nothing, or None where every row holds something."""
        if self.values.dtype.kind != "f" or self.labels is not None or self.values.ndim > 1:
            return self.missing
        mask: Array = np.isnan(self.values)
        if self.missing is not None:
            mask |= self.missing
        return mask if mask.any() else None

    def refuse_missing(self) -> None:
        """Raise if a row is known to hold nothing."""
        if self.missing is not None:
            self.raise_missing(int(np.argmax(self.missing)))

    def require_complete(self) -> Self:
        """Return the column; raise if a row holds nothing, where no option leaves such rows out."""
        absent = self.absent()
        if absent is not None:
            self.raise_missing(int(np.argmax(absent)), option=False)
        return self

    def raise_missing(self, row: int, *, option: bool = True) -> NoReturn:
        """Raise the error for missing values, the first of them at a row; `option`: ``missing=`` is there."""
        absent = self.absent()
        count = 1 if absent is None else int(np.count_nonzero(absent))
        what = "1 value is" if count == 1 else f"{count:,} values are"
        advice = f"{param('missing', 'drop')} leaves such rows out and counts them; or fill them first."
        raise MissingValueError(
            f"{what} missing in {self.name} (first at {self.where(row)}). "
            f"{advice if option else 'Leave such rows out, or fill them first.'}"
        )

    def numbers(self, what: str) -> Array:
        """Return the values as float32 or float64, exactly, or raise where they are not numbers."""
        values = self.plain_numbers(what)
        if values.dtype.kind == "f":
            return values
        if values.dtype.itemsize == np.dtype(np.int64).itemsize and len(values):
            wide = (values > 2**53) | (values < -(2**53)) if values.dtype.kind == "i" else values > 2**53
            if wide.any():
                self.raise_wide(int(np.argmax(wide)))
        return values.astype(np.float64)

    def complete_numbers(self, what: str) -> Array:
        """Return the values as :meth:`numbers`, or raise where a row is known to hold nothing."""
        values = self.numbers(what)
        self.refuse_missing()
        return values

    def float64(self, what: str) -> Array:
        """Return the values as float64, exactly, or raise where they are not numbers."""
        return doubles(self.numbers(what))

    def plain_numbers(self, what: str) -> Array:
        """Return the values as they are, integers of any width too, or raise where they are no numbers."""
        values = self.values
        if values.ndim > 1:
            average = hint('auc with average="macro"', "macro auc")
            several = f", or ask for a metric of all classes ({average}, multiclass_log_loss)"
            raise ColumnError(
                f"{self.name} has {values.shape[1]} columns where {what} of one are needed: pass one of them"
                f"{several if what in ('scores', 'probabilities') else ''}."
            )
        if self.labels is not None and len(values):
            if not self.labels:
                self.refuse_missing()
            first = self.labels[int(values[0])]
            kind = "text" if isinstance(first, str) else "integers beyond 64 bits"
            seen = f'"{first}"' if isinstance(first, str) else first
            raise ColumnError(
                f"{self.name} holds {kind} where {what} are needed, such as {seen} ({self.where(0)}). "
                "Pass a column of numbers, or convert this one first."
            )
        return values

    def raise_wide(self, row: int) -> NoReturn:
        """Raise the error for an integer that no float64 holds for certain."""
        raise ColumnError(
            f"{self.name} holds {self.values[row]} ({self.where(row)}), an integer beyond 2**53, which "
            "float64 cannot tell from its neighbours. Rank or rescale it first."
        )


def doubles(values: Array) -> Array:
    """Return numbers as float64, copied only where they are not; a NaN of any sort passes quietly."""
    with np.errstate(invalid="ignore", over="ignore"):
        return values.astype(np.float64, copy=False)
