"""Gather the rows of all processes of torch.distributed, or add up their counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from assay.errors import InputError
from assay.torch.row_store import RowStore

if TYPE_CHECKING:
    from assay.torch.batch_counts import BatchCounts
    from assay.torch.row_store import Layout

__all__ = ["add_counts_of_processes", "gather_rows_of_processes"]


def gather_rows_of_processes(store: RowStore, process_group: Any = None) -> RowStore:
    """Return a store with the rows of all processes, in each of them; every process must call it.

    Columns travel as bytes, padded to the longest, over the backend's own device: the CPU for gloo, the
    GPU for nccl. A process may have no rows.
    """
    count = _group_size(process_group)
    facts: list[Any] = [None] * count
    dist.all_gather_object(facts, (store.n, store.layout), group=process_group)
    sizes = [n for n, _ in facts]
    layouts: list[Layout] = [layout for _, layout in facts if layout is not None]
    parts = [RowStore(store.device_bytes) for _ in range(count)]
    if layouts:
        layout, own = layouts[0], store.columns()
        agree = all(other == layout for other in layouts)
        if agree:
            device = torch.device("cuda" if dist.get_backend(process_group) == "nccl" else "cpu")
            gathered = {
                role: _gathered(own.get(role), spec, sizes, device, process_group)
                for role, spec in layout.items()
            }
            for index, part in enumerate(parts):
                if sizes[index]:
                    part.append({role: columns[index] for role, columns in gathered.items()})
        else:
            raise InputError(
                f"the processes' rows differ in their roles, dtypes or shapes: {layouts}. Pass the same to "
                "update() in all of them."
            )
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    return whole


def add_counts_of_processes(counts: BatchCounts, process_group: Any = None) -> BatchCounts:
    """Return the counts of the rows of all processes, in each of them; every process must call it."""
    gathered: list[Any] = [None] * _group_size(process_group)
    own = [tensor.cpu().numpy() for tensor in counts.tensors()]
    dist.all_gather_object(gathered, (counts.n, counts.counted_classes(), own), group=process_group)
    whole = counts.without_rows()
    for n, classes, arrays in gathered:
        if n:
            part = counts.of_arrays(n, classes, [torch.from_numpy(array) for array in arrays])
            whole = whole.joined(part)
    return whole


def _group_size(process_group: Any) -> int:
    if not (dist.is_available() and dist.is_initialized()):
        raise InputError(
            "there is no group of processes: call torch.distributed.init_process_group first, or merge() the "
            "accumulators of one process."
        )
    return int(dist.get_world_size(process_group))


def _gathered(
    own: Any, spec: tuple[Any, tuple[int, ...]], sizes: list[int], device: Any, process_group: Any
) -> list[Any]:
    """Return a column's rows of each process."""
    dtype, shape = spec
    padded = torch.zeros((max(sizes), *shape), dtype=dtype, device=device)
    if own is not None:
        padded[: len(own)] = own.to(device)
    sent = padded.view(-1).view(torch.uint8)
    received = [torch.empty_like(sent) for _ in sizes]
    dist.all_gather(received, sent, group=process_group)
    return [
        raw.view(dtype).view(padded.shape)[:size].cpu() for raw, size in zip(received, sizes, strict=True)
    ]
