"""What is on a device, and how it is copied."""

import numpy as np
import pytest

from assay.device.tensors import as_torch, is_on_device, to_host


class Elsewhere:
    """A tensor of an unknown library on a device."""

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        raise BufferError("not exported")

    def __array__(self, dtype=None, copy=None):
        return np.arange(3)


class WithGet(Elsewhere):
    """One that is copied as CuPy's are."""

    device = "gpu"

    def get(self):
        """Return the values as an array."""
        return np.arange(4)


def test_the_device_decides():
    """By DLPack; what does not know it is on the CPU."""
    assert is_on_device(Elsewhere())
    assert not is_on_device(np.zeros(2))
    assert not is_on_device([1])
    assert to_host(Elsewhere()).tolist() == [0, 1, 2]
    assert to_host(WithGet()).tolist() == [0, 1, 2, 3]
    assert as_torch(Elsewhere()) is None


def test_tensors_of_pytorch():
    """Those of the CPU are not counted on a device."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tensor = torch.arange(3.0, requires_grad=True)
    assert not is_on_device(tensor.detach())
    assert is_on_device(tensor.detach().to("meta"))
    assert as_torch(tensor) is None
    assert to_host(tensor).tolist() == [0, 1, 2]
