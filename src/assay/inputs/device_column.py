"""One column whose values are on a device: counted there where it can be, else copied when they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from assay.device.tensors import as_torch, to_host
from assay.inputs.columns import Column

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = ["DeviceColumn"]

_FEWEST_ROWS = 1 << 16  # fewer are copied in less time than a device takes to answer
_DTYPES = frozenset(("bool", "int8", "int16", "int32", "int64", "uint8", "float32", "float64"))


class DeviceColumn(Column):
    """A column of numbers in a tensor on a device, of which a copy is made when `values` are read."""

    __slots__ = ("_host", "_tensor")

    def __init__(self, name: str, values: Any, *rest: Any, **more: Any) -> None:
        self._tensor = None if isinstance(values, np.ndarray) else values
        self._host: Array | None = values if self._tensor is None else None
        super().__init__(name, values, *rest, **more)

    @classmethod
    def of(cls, values: Any, name: str) -> Self | None:
        """Return the column of a tensor; None where it is better copied at once."""
        if getattr(values, "ndim", 0) != 1 or len(values) < _FEWEST_ROWS:
            return None
        tensor = as_torch(values)
        if tensor is None or str(tensor.dtype).removeprefix("torch.") not in _DTYPES:
            return None
        return cls(name, tensor.contiguous())

    @property
    def values(self) -> Array:
        """The numbers in the CPU's memory."""
        if self._host is None:
            self._host = np.from_dlpack(to_host(self._tensor))
        return self._host

    @values.setter
    def values(self, values: Any) -> None:
        """Do nothing: they were stored before."""

    def __len__(self) -> int:
        return len(self.values if self._tensor is None else self._tensor)

    @property
    def ndim(self) -> int:
        """The number of axes of the values."""
        return 1 if self._host is None else self._host.ndim

    def _tensor_of_values(self) -> Any:
        """Return the tensor, as long as nothing is missing and no labels are stated."""
        return self._tensor if self.labels is None and self.missing is None else None

    device_tensor: ClassVar[Any] = property(_tensor_of_values)
