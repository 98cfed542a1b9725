"""Store the rows of batches where the tensors are, in blocks, without waiting for the device."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import torch

from assay.errors import ColumnError, InputError, shown

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
        self._devices: tuple[Any, ...] | None = None  # of the columns that are appended
        self._copied_from: set[Any] = set()  # devices whose copies to the host may not have ended

    def append(self, columns: Columns) -> None:
        """Copy a batch of columns, all of one length, behind the rows so far."""
        layout: Layout = {role: (column.dtype, tuple(column.shape[1:])) for role, column in columns.items()}
        if self.layout is None:
            self.layout = layout
        elif layout != self.layout:
            raise InputError(_difference(self.layout, layout))
        devices = tuple(column.device for column in columns.values())
        if self._devices is None:
            self._devices = devices
        elif devices != self._devices:
            raise ColumnError(_other_device(columns, self._devices))
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
        with torch.inference_mode(mode=False):  # so that they can be written to outside of it
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
                    with torch.inference_mode(mode=False):
                        host = torch.empty(column.shape, dtype=column.dtype, pin_memory=column.is_cuda)
                    block.columns[role] = host.copy_(column, non_blocking=column.is_cuda)
                    if column.is_cuda:  # its memory may be used again only behind the copy
                        column.record_stream(torch.cuda.current_stream(column.device))
                        self._copied_from.add(column.device)
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
        both._copied_from = self._copied_from | other._copied_from
        return both

    def columns(self) -> dict[str, Tensor]:
        """Return all rows as columns on the host. This waits for the device."""
        self._wait()
        parts = [{role: column.cpu() for role, column in block.rows().items()} for block in self._blocks]
        if len(parts) == 1:
            return parts[0]
        return {role: torch.cat([part[role] for part in parts]) for role in self.layout or {} if parts}

    def _wait(self) -> None:
        """Wait for the devices that the rows are on, or were copied from."""
        columns = [column for block in self._blocks for column in block.columns.values()]
        for device in self._copied_from | {column.device for column in columns if column.is_cuda}:
            torch.cuda.synchronize(device)
        self._copied_from = set()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy of the store has: the rows, without the room for more."""
        self._wait()
        blocks = [
            _Block({role: column.clone() for role, column in block.rows().items()}, block.used, block.used)
            for block in self._blocks
        ]
        return {**self.__dict__, "_blocks": blocks}


def _device_bytes(column: Tensor) -> int:
    return 0 if column.device.type == "cpu" else column.nbytes


def _other_device(columns: Columns, devices: tuple[Any, ...]) -> str:
    """Return which column is on another device than in earlier batches."""
    role, column, before = next(
        (role, column, before)
        for (role, column), before in zip(columns.items(), devices, strict=True)
        if column.device != before
    )
    return (
        f"{role} is on {column.device}, in earlier batches it was on {before}: move it there, or merge() "
        "accumulators of either."
    )


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
