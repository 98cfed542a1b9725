"""Launch a fused kernel again and again at little cost, on the device of its tensors."""

from __future__ import annotations

from typing import Any

__all__ = ["KernelLaunch"]

_ALIGNMENT = 16  # bytes by which Triton compiles for a tensor's address
_TESTED = ("3.6",)  # releases of Triton whose compiled kernels were launched as below


class KernelLaunch:
    """A Triton kernel with constants, launched for batches of one layout.

    Triton looks at every argument of every call to find the kernel that was compiled for it. In a training
    loop that costs more than the launch; here it is looked up once for tensors that begin at a multiple of 16
    bytes. The first two arguments are the tensors that change from call to call.
    """

    def __init__(self, kernel: Any, **constants: Any) -> None:
        import triton  # noqa: PLC0415 - optional

        self._kernel, self._constants = kernel, constants
        self._compiled: Any = None
        self._direct = triton.__version__.rpartition(".")[0] in _TESTED

    def __call__(self, programs: int, *arguments: Any) -> None:
        """Launch the kernel in so many programs."""
        import torch  # noqa: PLC0415 - optional

        first, second = arguments[0], arguments[1]
        if first.device.index != torch.cuda.current_device():
            with torch.cuda.device(first.device):
                self._kernel[(programs,)](*arguments, **self._constants)
            return
        if (first.data_ptr() | second.data_ptr()) % _ALIGNMENT:
            self._kernel[(programs,)](*arguments, **self._constants)
        elif self._compiled is None:
            compiled = self._kernel[(programs,)](*arguments, **self._constants)
            self._compiled = compiled if self._direct else None
        else:
            try:
                self._compiled[(programs, 1, 1)](*arguments, *self._constants.values())
            except OverflowError:  # a row number that outgrew the 32 bits which the first had
                compiled = self._kernel[(programs,)](*arguments, **self._constants)
                self._compiled = compiled
