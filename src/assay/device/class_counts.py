"""Count pairs of actual and predicted classes where their tensors are, batch by batch or all rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.device.score_cells import NO_ROW, note_rows
from assay.device.tensors import current, has_fused_kernels

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Tensor: TypeAlias = Any  # torch.Tensor, which a type checker may not have

__all__ = ["ClassCounts", "integer_pairs"]

_BLOCK = 1024
_FEW_BLOCK = 2048  # rows of a program that counts few classes, 8 warps
_ROW_CELLS = 4096  # scores that a program of the kernel for several classes holds
_FEW_CLASSES = 4  # whose pairs are counted in registers
_MOST_VALUES = 1024  # that two columns may span to be counted on the device
_COPIES = 1 << 18  # cells of all copies of a table, among which many rows are spread
_SAMPLE = 1 << 16


class ClassCounts:
    """Counts of the classes 0, 1, 2 ... by what is actual and what is predicted, on a device.

    Adding rows reads no value, so that it never waits for the device: the lowest row whose prediction, and
    the lowest whose actual value is not one of the classes are kept beside the counts.
    """

    def __init__(self, classes: int, ignore_index: int | None, device: Any) -> None:
        import torch  # noqa: PLC0415 - optional

        self.classes = classes
        with torch.inference_mode(mode=False):  # so that they can be added to outside of it
            self.counts = torch.zeros(classes * classes, dtype=torch.int64, device=device)
            self.first_bad = torch.full((2,), NO_ROW, dtype=torch.int64, device=device)
        self._on_cpu = self.counts.device.type == "cpu"
        self._ignored = -1 - NO_ROW if ignore_index is None else ignore_index
        self._launches: tuple[Any, Any] | None = None
        self._width = min(1 << max(classes - 1, 1).bit_length(), _ROW_CELLS)
        self._rows = max(1, min(_ROW_CELLS // self._width, 16))  # of a program
        self.begin_layout()

    def begin_layout(self) -> None:
        """Prepare for batches of other types of numbers than before."""
        if has_fused_kernels(self.counts):
            from assay.device.fused_kernels import count_classes, count_pairs  # noqa: PLC0415 - needs Triton
            from assay.device.kernel_launch import KernelLaunch  # noqa: PLC0415 - needs Triton

            self._launches = (
                KernelLaunch(count_classes, CLASSES=self.classes, ROWS=self._rows, WIDTH=self._width),
                KernelLaunch(count_pairs, BLOCK=_BLOCK),
            )

    def add_scores(self, actual: Tensor, score: Tensor, start: int) -> None:
        """Count a batch by the class of each row's highest score, the first of equal ones."""
        n = score.shape[0]
        if self._on_cpu:
            self._add_on_cpu(actual, _highest(score), start)
        elif self._launches is None:
            predicted = score.argmax(1)
            self._add_by_operations(actual, predicted.masked_fill(score.isnan().any(1), -1), start)
        elif n:
            self._launches[0](
                -(-n // self._rows), actual, score, self.counts, self.first_bad, n, start, self._ignored
            )

    def add_predictions(self, actual: Tensor, predicted: Tensor, start: int) -> None:
        """Count a batch by its predicted classes."""
        n = actual.shape[0]
        if self._on_cpu:
            self._add_on_cpu(actual, predicted.long().numpy(), start)
        elif self._launches is None:
            self._add_by_operations(actual, predicted, start)
        elif n:
            self._launches[1](
                -(-n // _BLOCK), actual, predicted, self.counts, self.first_bad, n, start, 0, self.classes,
                self._ignored, 1,
            )  # fmt: skip

    def _add_on_cpu(self, actual: Tensor, predicted: NDArray[Any], start: int) -> None:
        """Count a batch with NumPy, whose calls cost less than PyTorch's."""
        labels = actual.long().numpy()
        inside = [(column >= 0) & (column < self.classes) for column in (predicted, labels)]
        counted = labels != self._ignored
        good = inside[0] & inside[1] & counted
        if not good.all():
            strange = [np.flatnonzero(counted & ~mask) for mask in inside]
            note_rows(self.first_bad, [int(rows[0]) if len(rows) else -1 for rows in strange], start)
            labels, predicted = labels[good], predicted[good]
        np.add.at(self.counts.numpy(), labels * self.classes + predicted, 1)

    def _add_by_operations(self, actual: Tensor, predicted: Tensor, start: int) -> None:
        import torch  # noqa: PLC0415 - optional

        actual, predicted = actual.long(), predicted.long()
        rows = torch.arange(start, start + len(actual), device=actual.device)
        counted = actual != self._ignored
        inside = [(column >= 0) & (column < self.classes) for column in (predicted, actual)]
        for index, mask in enumerate(inside):
            if len(rows):
                lowest = torch.where(counted & ~mask, rows, NO_ROW).amin()
                self.first_bad[index] = torch.minimum(self.first_bad[index], lowest)
        good = counted & inside[0] & inside[1]
        cells = torch.where(good, actual * self.classes + predicted, 0)
        self.counts.index_add_(0, cells, good.long())


def _highest(score: Tensor) -> NDArray[Any]:
    """Return the class of each row's highest score, the first of equal ones; -1 where one is NaN."""
    import torch  # noqa: PLC0415 - optional

    values = (score if score.dtype in {torch.float32, torch.float64} else score.double()).numpy()
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    at = values.argmax(axis=1)  # the first NaN, where there is one
    highest = values[np.arange(len(values)), at]
    return np.where(np.isnan(highest), -1, at)


def integer_pairs(actual: Tensor, predicted: Tensor) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Count two integer columns on their device: the values that occur, sorted, and a table of both.

    As :func:`assay.kernels.count_integer_pairs` of arrays; None where the values span too many numbers. One
    pass over both columns: 0 and 1 are expected, then what the first rows hold, and another pass is made
    where that was wrong.
    """
    import torch  # noqa: PLC0415 - optional

    kind = np.dtype(str(actual.dtype).removeprefix("torch."))
    if kind.kind == "b":
        actual, predicted = actual.view(torch.uint8), predicted.view(torch.uint8)
    if not len(actual):
        return None
    with current(actual):
        counted = _counted_between(actual, predicted, 0, 1)
        for rows in (_SAMPLE, None):
            if counted is None:
                counted = _counted_between(actual, predicted, *_ends(actual[:rows], predicted[:rows]))
    if counted is None:
        return None
    low, table = counted
    seen = np.flatnonzero(table.any(axis=0) | table.any(axis=1))
    return (seen + low).astype(kind), np.ascontiguousarray(table[np.ix_(seen, seen)])


def _ends(actual: Tensor, predicted: Tensor) -> tuple[int, int]:
    """Return the lowest and the highest value of two columns."""
    import torch  # noqa: PLC0415 - optional

    ends = torch.stack([end for column in (actual, predicted) for end in torch.aminmax(column)]).tolist()
    return min(ends), max(ends)


def _counted_between(actual: Tensor, predicted: Tensor, low: int, high: int) -> tuple[int, Any] | None:
    """Return the table of values from `low` on; None where there are others, or they are too many."""
    import torch  # noqa: PLC0415 - optional

    span, n = high - low + 1, len(actual)
    if span > _MOST_VALUES:
        return None
    if has_fused_kernels(actual):
        from assay.device import fused_kernels  # noqa: PLC0415 - needs Triton

        if span <= _FEW_CLASSES:
            few = 2 if span <= 2 else _FEW_CLASSES  # noqa: PLR2004 - two classes
            counts = torch.zeros(few * few + 1, dtype=torch.int64, device=actual.device)
            programs = min(-(-n // _FEW_BLOCK), 8 * _multiprocessors(actual.device))
            fused_kernels.count_few_pairs[(programs,)](
                actual, predicted, counts, n, low, programs, CLASSES=few, BLOCK=_FEW_BLOCK, num_warps=8
            )
            table = counts.cpu().numpy()
            return None if table[-1] else (low, table[:-1].reshape(few, few))
        copies = max(1, min(_COPIES // span**2, 64))
        counts = torch.zeros(copies, span * span, dtype=torch.int64, device=actual.device)
        bad = torch.full((2,), NO_ROW, dtype=torch.int64, device=actual.device)
        fused_kernels.count_pairs[(-(-n // _BLOCK),)](
            actual, predicted, counts, bad, n, 0, low, span, -1 - NO_ROW, copies, BLOCK=_BLOCK
        )
        strange, table = bool((bad != NO_ROW).any()), counts.sum(0)
    else:
        digits = [column.long() - low for column in (actual, predicted)]
        strange = any(bool(((digit < 0) | (digit >= span)).any()) for digit in digits)
        if strange:
            return None
        table = torch.bincount(digits[0] * span + digits[1], minlength=span * span)
    return None if strange else (low, table.cpu().numpy().reshape(span, span))


def _multiprocessors(device: Any) -> int:
    import torch  # noqa: PLC0415 - optional

    return int(torch.cuda.get_device_properties(device).multi_processor_count)
