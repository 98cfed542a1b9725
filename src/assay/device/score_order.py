"""Order scores where their tensors are: the exact area under the ROC curve, and the distinct scores."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.device.tensors import current, has_fused_kernels

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Tensor: TypeAlias = Any  # torch.Tensor, which a type checker may not have
    Array: TypeAlias = NDArray[Any]

__all__ = ["ScoreOrder"]

_BLOCK = 4096
_MOST_ROWS = 1 << 31  # whose pairs, counted twice, fit into 63 bits


class ScoreOrder:
    """Scores of two classes in order, on their device; `positive` is a value of `actual`.

    Scores are float32 or float64. float32 scores that are not negative are sorted once, with
    the label as the last bit; others class by class.
    """

    def __init__(self, actual: Tensor, score: Tensor, positive: int) -> None:
        self._actual, self._score, self._positive = actual, score, positive
        self.n = len(score)

    @functools.cached_property
    def _packed(self) -> tuple[Tensor, int] | None:
        """The scores with their labels as sorted 32-bit integers, and the number of positives."""
        import torch  # noqa: PLC0415 - optional

        if self._score.dtype != torch.float32 or not has_fused_kernels(self._score):
            return None
        from assay.device.fused_kernels import pack_scores  # noqa: PLC0415 - needs Triton

        packed = torch.empty(self.n, dtype=torch.int32, device=self._score.device)
        facts = torch.zeros(2, dtype=torch.int64, device=self._score.device)
        with current(packed):
            pack_scores[(-(-self.n // _BLOCK),)](
                self._actual, self._score, packed, facts, self._positive, self.n, BLOCK=_BLOCK
            )
        positives, refused = facts.tolist()
        return None if refused else (torch.sort(packed).values, positives)

    @functools.cached_property
    def has_nan(self) -> bool:
        """Whether a score is not a number, so that there is no order."""
        return self._packed is None and bool(self._score.isnan().any())

    @functools.cached_property
    def _by_class(self) -> tuple[Tensor, Tensor]:
        """The sorted scores of the positives, and of the negatives."""
        import torch  # noqa: PLC0415 - optional

        score = self._score + 0.0  # -0.0 becomes 0.0
        positive = self._actual == self._positive
        first, second = (torch.sort(score[mask]).values for mask in (positive, ~positive))
        return first, second

    def concordant(self) -> tuple[int, int, int]:
        """Return the numbers of positives and negatives, and twice the number of concordant pairs."""
        if self._packed is None:
            return self._concordant_by_search()
        import torch  # noqa: PLC0415 - optional

        from assay.device.fused_kernels import count_negatives, sum_ranks  # noqa: PLC0415 - needs Triton

        packed, positives = self._packed
        blocks = -(-self.n // _BLOCK)
        negatives = torch.zeros(blocks + 1, dtype=torch.int64, device=packed.device)
        sums = torch.empty(blocks, dtype=torch.int64, device=packed.device)
        with current(packed):
            count_negatives[(blocks,)](packed, negatives[1:], self.n, BLOCK=_BLOCK)
            sum_ranks[(blocks,)](packed, negatives.cumsum(0), sums, self.n, BLOCK=_BLOCK)
        return positives, self.n - positives, int(sums.sum())

    def _concordant_by_search(self) -> tuple[int, int, int]:
        import torch  # noqa: PLC0415 - optional

        positives, negatives = self._by_class
        below = torch.searchsorted(negatives, positives).sum()
        not_above = torch.searchsorted(negatives, positives, right=True).sum()
        return len(positives), len(negatives), int(below + not_above)

    def distinct(self) -> tuple[Array, Array, Array]:
        """Return the distinct scores, ascending, and the numbers of positives and negatives at each."""
        import torch  # noqa: PLC0415 - optional

        if self._packed is not None:
            values, counts = torch.unique_consecutive(self._packed[0], return_counts=True)
            keys = values >> 1
            fresh = torch.ones_like(keys, dtype=torch.bool)
            fresh[1:] = keys[1:] != keys[:-1]
            index = fresh.cumsum(0) - 1
            sides = torch.zeros(2, int(index[-1]) + 1, dtype=torch.int64, device=keys.device)
            sides.view(-1).index_add_(0, index + (values & 1) * sides.shape[1], counts)
            floats = (keys[fresh] + (1 << 30)).view(torch.float32)  # the keys begin at -2**30
            return floats.cpu().numpy(), sides[1].cpu().numpy(), sides[0].cpu().numpy()
        parts = [torch.unique_consecutive(side, return_counts=True) for side in self._by_class]
        scores = torch.unique(torch.cat([values for values, _ in parts]))
        sides = []
        for values, counts in parts:
            column = torch.zeros(len(scores), dtype=torch.int64, device=scores.device)
            column[torch.searchsorted(scores, values)] = counts
            sides.append(column.cpu().numpy())
        return np.asarray(scores.cpu().numpy()), sides[0], sides[1]
