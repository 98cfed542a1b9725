"""Metrics with the calls of torchmetrics, for loops that were written for it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import torch
import torch.distributed as dist

from assay.torch.batch_accumulator import Accumulator
from assay.torch.metric_values import checked_names, metric_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation import Evaluation
    from assay.torch.row_store import Tensor

__all__ = ["TorchMetric"]


class TorchMetric(torch.nn.Module):  # type: ignore[misc]
    """Metrics with the calls of torchmetrics: ``update(preds, target)``, ``compute()``, ``reset()``.

    Rows are kept by an :class:`Accumulator`, so that the values are those of all rows at once, and
    :meth:`evaluation` has the intervals, the comparison and the page. :meth:`compute` gathers the rows of all
    processes where there are several.

    Parameters
    ----------
    metrics
        The name of a metric, of which the value is returned, or several, of which a dictionary is; None for
        those that fit the task.
    task
        ``"binary"``, ``"multiclass"``, ``"multilabel"``, ``"regression"`` or ``"ranking"``.
    settings
        Those of :class:`Accumulator`, such as ``logits=``, ``classes=``, ``ignore_index=`` or ``threshold=``.

    Examples
    --------
    >>> import torch
    >>> from assay.torch import TorchMetric
    >>> auc = TorchMetric("auc", task="binary")
    >>> auc.update(torch.tensor([0.2, 0.9, 0.4]), torch.tensor([0, 1, 1]))
    >>> auc.update(torch.tensor([0.6, 0.7]), torch.tensor([0, 1]))
    >>> auc.compute()
    tensor(0.8333, dtype=torch.float64)
    >>> auc.evaluation()["auc"].value
    0.8333333333333334
    """

    def __init__(
        self, metrics: str | Sequence[str] | None = None, *, task: str | None = None, **settings: Any
    ) -> None:
        super().__init__()
        self._names = checked_names(metrics)
        self._single = isinstance(metrics, str)
        self._task = task
        self._rows = Accumulator(**(settings if task is None else {"task": task, **settings}))

    def update(
        self, preds: Tensor, target: Tensor, indexes: Tensor | None = None, *, weight: Tensor | None = None,
        group: Tensor | None = None, key: Tensor | None = None,
    ) -> None:  # fmt: skip
        """Add a batch: `preds` are scores where they are fractions, unless the task is a regression.

        `indexes` are the queries of ranked lists; `weight`, `group` and `key` are those of
        :meth:`Accumulator.update`.
        """
        self._rows.update(**self._roles(preds, target, indexes), weight=weight, group=group, key=key)

    def forward(self, preds: Tensor, target: Tensor, indexes: Tensor | None = None) -> Any:
        """Add a batch and return the metrics of its rows alone. This waits for the device."""
        roles = self._roles(preds, target, indexes)
        self._rows.update(**roles)
        batch = self._rows.without_rows()
        batch.update(**roles)
        return self._values(batch.evaluate())

    def _roles(self, preds: Tensor, target: Tensor, indexes: Tensor | None) -> dict[str, Tensor | None]:
        is_score = self._task != "regression" and preds.is_floating_point()
        role = "score" if is_score or self._task == "ranking" else "predicted"
        return {"actual": target, role: preds, "query": indexes}

    def compute(self) -> Any:
        """Return the value, or a dictionary of values; NaN where one is undefined."""
        return self._values(self.evaluation())

    def evaluation(self, **settings: Any) -> Evaluation:
        """Return the evaluation of the rows of all processes, each of which must call it."""
        several = dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1
        rows = self._rows.reduce() if several else self._rows
        return rows.evaluate(**settings)

    def _values(self, evaluation: Evaluation) -> Any:
        values = {
            name: torch.tensor(value, dtype=torch.float64)
            for name, value in metric_values(evaluation, self._names).items()
        }
        return next(iter(values.values())) if self._single else values

    def reset(self) -> None:
        """Forget all rows, as at the start of an epoch."""
        self._rows.reset()

    def merge_state(self, other: Self) -> None:
        """Add the rows of another metric with the same settings."""
        self._rows = self._rows.merge(other._rows)

    def clone(self) -> Self:
        """Return a copy with the same rows."""
        return copy.deepcopy(self)

    @property
    def update_called(self) -> bool:
        """Whether there are rows."""
        return self._rows.n > 0

    def extra_repr(self) -> str:
        """Return what the module is shown with."""
        names = "" if self._names is None else ", ".join(self._names) + ", "
        return f"{names}task={self._task}, rows={self._rows.n:,}"
