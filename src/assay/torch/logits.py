"""Turn logits into probabilities, the same bits wherever the tensors were and however they were cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from assay.inputs.columns import Array

__all__ = ["probabilities"]


def probabilities(logits: Array, *, multilabel: bool = False) -> Array:
    """Return the sigmoid of one logit per row, or of each label's, or the softmax of several of a row.

    A row's probabilities are a function of that row alone, computed in float64.

    >>> probabilities(np.array([0.0, -800.0, 800.0])).tolist()
    [0.5, 0.0, 1.0]
    >>> probabilities(np.array([[0.0, 0.0], [1000.0, 0.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    wide = np.ascontiguousarray(logits, dtype=np.float64)
    with np.errstate(invalid="ignore", under="ignore"):  # a NaN stays one, and is refused with its row
        if wide.ndim == 1 or multilabel:
            small = np.exp(-np.abs(wide))
            sigmoid: Array = np.where(wide >= 0, 1.0, small) / (1.0 + small)
            return sigmoid
        powers = np.exp(wide - wide.max(axis=1, keepdims=True))
        softmax: Array = powers / powers.sum(axis=1, keepdims=True)
        return softmax
