"""Store the rows of batches where the tensors are, in blocks, without waiting for the device."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import torch

from assay.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Tensor: TypeAlias = Any  # torch.Tensor, which a type checker may not have
    Columns: TypeAlias = Mapping[str, Tensor]

__all__ = ["Layout", "RowStore"]

_BLOCK_ROWS = 1 << 16  # rows that are allocated at once
Layout = dict[str, tuple[Any, tuple[int, ...]]]  # the dtype and the shape of a row, by role


@dataclasses.dataclass
class _Block:
    """Room for rows, of which the first `used` are taken."""

    columns: dict[str, Tensor]
    capacity: int
    used: int = 0

    def rows(self) -> dict[str, Tensor]:
        return {role: column[: self.used] for role, column in self.columns.items()}


class RowStore:
    """Columns by role, appended batch by batch.

    Blocks lie on the device of the first batch's tensors. Where those on a device that is not the CPU take
    more than `device_bytes`, full ones are copied to page-locked memory of the host, without waiting.
    """

    def __init__(self, device_bytes: int) -> None:
        self.device_bytes = device_bytes
        self.n = 0
        self.layout: Layout | None = None
        self._blocks: list[_Block] = []
        self._on_device = 0

    def append(self, columns: Columns) -> None:
        """Copy a batch of columns, all of one length, behind the rows so far."""
        layout: Layout = {role: (column.dtype, tuple(column.shape[1:])) for role, column in columns.items()}
        if self.layout is None:
            self.layout = layout
        elif layout != self.layout:
            raise InputError(_difference(self.layout, layout))
        n, start = len(next(iter(columns.values()))), 0
        while start < n:
            if not self._blocks or self._blocks[-1].used == self._blocks[-1].capacity:
                self._open(columns, max(_BLOCK_ROWS, n - start))
            block = self._blocks[-1]
            taken = min(n - start, block.capacity - block.used)
            for role, column in columns.items():
                part = column if taken == n else column[start : start + taken]
                block.columns[role][block.used : block.used + taken].copy_(part, non_blocking=True)
            block.used += taken
            start += taken
        self.n += n

    def _open(self, columns: Columns, capacity: int) -> None:
        made = {
            role: torch.empty((capacity, *column.shape[1:]), dtype=column.dtype, device=column.device)
            for role, column in columns.items()
        }
        needed = sum(_device_bytes(column) for column in made.values())
        if needed and self._on_device + needed > self.device_bytes:
            self._spill()
        self._on_device += needed
        self._blocks.append(_Block(made, capacity))

    def _spill(self) -> None:
        """Copy all blocks to the host, without waiting: the device frees their memory after the copies."""
        for block in self._blocks:
            for role, column in block.columns.items():
                if _device_bytes(column):
                    host = torch.empty(column.shape, dtype=column.dtype, pin_memory=column.is_cuda)
                    block.columns[role] = host.copy_(column, non_blocking=True)
        self._on_device = 0

    def joined(self, other: RowStore) -> RowStore:
        """Return a store of both stores' rows; neither is changed by what is appended to it."""
        if self.layout is not None and other.layout is not None and self.layout != other.layout:
            raise InputError(_difference(self.layout, other.layout))
        both = RowStore(self.device_bytes)
        both.n, both.layout = self.n + other.n, self.layout or other.layout
        both._blocks = [_Block(block.rows(), block.used, block.used)
                        for store in (self, other) for block in store._blocks]  # noqa: SLF001 # fmt: skip
        both._on_device = self._on_device + other._on_device
        return both

    def columns(self) -> dict[str, Tensor]:
        """Return all rows as columns on the host. This waits for the device."""
        if any(_device_bytes(column) or column.is_pinned() for block in self._blocks
               for column in block.columns.values() if torch.cuda.is_available()):  # fmt: skip
            torch.cuda.synchronize()
        parts = [{role: column.cpu() for role, column in block.rows().items()} for block in self._blocks]
        if len(parts) == 1:
            return parts[0]
        return {role: torch.cat([part[role] for part in parts]) for role in self.layout or {} if parts}


def _device_bytes(column: Tensor) -> int:
    return 0 if column.device.type == "cpu" else column.nbytes


def _difference(first: Layout, second: Layout) -> str:
    """Return how a batch differs from those before it."""
    if first.keys() != second.keys():
        return (
            f"earlier batches had {shown(first)}, this one has {shown(second)}: pass the same roles each "
            "time, or reset() first."
        )
    role = next(role for role in first if first[role] != second[role])
    (dtype, shape), (other_dtype, other_shape) = first[role], second[role]
    what = f"{dtype}, {other_dtype}" if dtype != other_dtype else f"rows of shape {shape}, {other_shape}"
    return f"{role} changed between batches ({what}): pass tensors of one dtype and one shape of a row."
