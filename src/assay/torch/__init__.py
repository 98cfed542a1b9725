"""Evaluate tensors batch by batch, where they are: accumulators for training loops of PyTorch.

``assay.torch.lightning`` has a callback for Lightning, which it loads.
"""

from assay.errors import MissingDependencyError

try:
    import torch as _torch  # noqa: F401 - known to be there before the modules below need it
except ImportError as missing:
    raise MissingDependencyError(
        f"assay.torch needs PyTorch, which could not be loaded ({missing}): "
        "pip install 'assay-metrics[torch]'."
    ) from missing

from assay.torch.batch_accumulator import Accumulator
from assay.torch.compute_metrics import ComputeMetrics
from assay.torch.torch_metric import TorchMetric

__all__ = ["Accumulator", "ComputeMetrics", "TorchMetric"]
