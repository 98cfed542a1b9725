"""Count scores in the cells of a binned tally where their tensors are, batch by batch, without waiting."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.device.tensors import has_fused_kernels

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
    Tensor: TypeAlias = Any  # torch.Tensor, which a type checker may not have

__all__ = ["NO_ROW", "ScoreCells", "cells_of", "note_rows"]

NO_ROW = np.iinfo(np.int64).max  # the number of no row, where the lowest strange one is kept
_MANTISSA = (1 << 52) - 1
_BLOCK = 1024  # rows of a program of the fused kernel


class ScoreCells:
    """Counts of scores by cell and label, and of labels by side of a threshold, on a device.

    Labels are 0 and 1. Adding rows reads no value, so that it never waits for the device: the lowest row
    whose score is not a number, and the lowest with another label, are kept beside the counts.
    """

    def __init__(self, bits: int, threshold: float, device: Any) -> None:
        import torch  # noqa: PLC0415 - optional

        cells = len(kernels.bin_edges(bits))
        self.bits = bits
        with torch.inference_mode(mode=False):  # so that they can be added to outside of it
            self._counts = torch.zeros(2 * cells, dtype=torch.int64, device=device)
            self.table = torch.zeros(4, dtype=torch.int64, device=device)
            self.first_bad = torch.full((2,), NO_ROW, dtype=torch.int64, device=device)
            self._threshold = torch.full((1,), threshold, dtype=torch.float64, device=device)
            self._octaves = _octaves(bits, str(self._counts.device))
        on_cpu = self._counts.device.type == "cpu"
        # On the CPU the counts but for multiples of 2**16, which are in the others.
        self._recent: Array | None = np.zeros((cells, 2), dtype=np.uint16) if on_cpu else None
        self._launch: Any = None
        self.begin_layout()

    @property
    def counts(self) -> Tensor:
        """The counts by cell and label."""
        if self._recent is not None:
            self._counts.numpy()[:] += self._recent.ravel()
            self._recent[:] = 0
        return self._counts

    def begin_layout(self) -> None:
        """Prepare for batches of other types of numbers than before."""
        if has_fused_kernels(self._counts):
            from assay.device.fused_kernels import count_scores  # noqa: PLC0415 - needs Triton
            from assay.device.kernel_launch import KernelLaunch  # noqa: PLC0415 - needs Triton

            self._launch = KernelLaunch(count_scores, BLOCK=_BLOCK)

    def add(self, actual: Tensor, score: Tensor, start: int) -> None:
        """Count a batch of rows, the first of which has the number `start`."""
        n = score.shape[0]
        if self._recent is not None:
            self._add_on_cpu(self._recent, actual, score, start)
        elif self._launch is None:
            self._add_by_operations(actual, score, start)
        elif n:
            self._launch(
                -(-n // _BLOCK), actual, score, self._octaves, self._threshold, self.counts, self.table,
                self.first_bad, n, start,
            )  # fmt: skip

    def _add_on_cpu(self, recent: Array, actual: Tensor, score: Tensor, start: int) -> None:
        """Count a batch by the kernel of the CPU; one with a row that is refused is not counted."""
        import torch  # noqa: PLC0415 - optional

        score = score if score.dtype in {torch.float32, torch.float64} else score.double()
        labels, values = actual.long().numpy(), score.numpy()
        counts = self._counts.numpy().reshape(-1, 2)
        strange = kernels.add_scores(recent, counts, values, labels, self.bits)
        if max(strange) >= 0:
            note_rows(self.first_bad, strange, start)
            return
        positive, above = labels == 1, values >= self._threshold.numpy()
        positives, high = np.count_nonzero(positive), np.count_nonzero(above)
        both = np.count_nonzero(positive & above)
        self.table.numpy()[:] += (len(values) - positives - high + both, high - both, positives - both, both)

    def _add_by_operations(self, actual: Tensor, score: Tensor, start: int) -> None:
        import torch  # noqa: PLC0415 - optional

        values = score.double() + 0.0
        rows = torch.arange(start, start + len(values), device=values.device)
        strange = values.isnan(), (actual != 0) & (actual != 1)
        for index, mask in enumerate(strange):
            if len(rows):
                lowest = torch.where(mask, rows, NO_ROW).amin()
                self.first_bad[index] = torch.minimum(self.first_bad[index], lowest)
        positive = (actual == 1).long()
        cells = cells_of(values.nan_to_num(0.0, float("inf"), float("-inf")), self._octaves)
        ones = torch.ones_like(cells)
        self._counts.index_add_(0, 2 * cells + positive, ones)
        self.table.index_add_(0, 2 * positive + (values >= self._threshold).long(), ones)


def note_rows(first_bad: Tensor, rows: Iterable[int], start: int) -> None:
    """Keep the lowest strange rows of a batch on the CPU that begins with row `start`; -1 is none."""
    lowest = first_bad.numpy()
    for index, row in enumerate(rows):
        if row >= 0:
            lowest[index] = min(lowest[index], start + row)


def cells_of(values: Tensor, octaves: Tensor) -> Tensor:
    """Return the cell of each float64, none of which may be NaN.

    The same steps as in ``cpp/kernel/binned_scores.cpp``.
    """
    import torch  # noqa: PLC0415 - optional

    below_one = (values >= 0.5) & (values < 1.0)  # noqa: PLR2004 - cut by their distance to 1
    magnitude = torch.where(below_one, 1.0 - values, values.abs()).view(torch.int64)
    key = torch.where((values < 0) | below_one, -magnitude, magnitude)
    packed = octaves[((key >> 52) & 0xFFF) + 1024 * below_one.long()]
    place = key & _MANTISSA
    return (packed & 0xFFFFFFFF) + (place >> ((packed >> 32) & 63)) + torch.minimum(place, packed >> 40)


@functools.lru_cache(maxsize=16)
def _octaves(bits: int, device: str) -> Tensor:
    import torch  # noqa: PLC0415 - optional

    return torch.from_numpy(kernels.bin_octaves(bits).view(np.int64)).to(device)
