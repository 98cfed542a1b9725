"""Recognize tensors that are not in the CPU's memory, and copy them to it."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import numpy as np

__all__ = ["as_torch", "current", "has_fused_kernels", "is_on_device", "to_host"]

_DLPACK_CPU = 1
_DLPACK_CUDA_HOST = 3  # page-locked CPU memory


def is_on_device(values: Any) -> bool:
    """Tell whether values are a tensor on a device other than the CPU.

    >>> is_on_device(np.zeros(3)), is_on_device([1, 2])
    (False, False)
    """
    if isinstance(values, np.ndarray) or not hasattr(values, "__dlpack_device__"):
        return False
    try:
        return int(values.__dlpack_device__()[0]) not in (_DLPACK_CPU, _DLPACK_CUDA_HOST)
    except (ValueError, BufferError, RuntimeError):  # a device unknown to DLPack
        return True


def to_host(values: Any) -> Any:
    """Return a tensor of PyTorch, CuPy, JAX or the like in the CPU's memory; waits for its device."""
    if hasattr(values, "detach"):  # PyTorch
        return values.detach().cpu()
    if hasattr(values, "get") and hasattr(values, "device"):  # CuPy
        return values.get()
    return np.asarray(values)


def as_torch(values: Any) -> Any:
    """Return a tensor on a CUDA device as one of PyTorch, without a copy; None where that cannot be."""
    loaded: Any = sys.modules.get("torch")
    if loaded is not None and isinstance(values, loaded.Tensor):
        return values.detach() if values.is_cuda and values.layout is loaded.strided else None
    try:
        import torch  # noqa: PLC0415 - optional

        tensor = torch.from_dlpack(values)
    except (ImportError, AssertionError, AttributeError, BufferError, RuntimeError, TypeError, ValueError):
        return None
    return tensor if tensor.is_cuda else None


def current(tensor: Any) -> Any:
    """Return a context in which the device of a tensor is the current one, where kernels are launched."""
    import torch  # noqa: PLC0415 - optional

    return torch.cuda.device(tensor.device) if tensor.is_cuda else contextlib.nullcontext()


def has_fused_kernels(tensor: Any) -> bool:
    """Tell whether Triton's kernels run where a tensor is."""
    if not tensor.is_cuda:
        return False
    try:
        import triton  # noqa: F401, PLC0415 - optional
    except ImportError:
        return False
    return True
