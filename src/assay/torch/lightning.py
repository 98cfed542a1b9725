"""A callback for Lightning: evaluate the batches of validation and test epochs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch.distributed as dist

from assay.errors import InputError, MissingDependencyError, shown
from assay.hints import param
from assay.torch.batch_accumulator import Accumulator
from assay.torch.metric_values import checked_names, metric_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.evaluation import Evaluation

__all__ = ["EvaluationCallback"]

_ROLES = ("actual", "predicted", "score", "weight", "group", "query", "key")


def _callback() -> Any:
    """Return the base of callbacks of the Lightning that is used, under either of its names."""
    for module in ("pytorch_lightning", "lightning.pytorch"):
        if callback := getattr(sys.modules.get(module), "Callback", None):
            return callback
    try:
        from lightning.pytorch import Callback  # noqa: PLC0415 - optional
    except ImportError:
        try:
            from pytorch_lightning import Callback  # noqa: PLC0415 - optional
        except ImportError as missing:
            raise MissingDependencyError(
                f"assay.torch.lightning needs Lightning, which could not be loaded ({missing}): "
                "pip install lightning."
            ) from missing
    return Callback


class EvaluationCallback(_callback()):  # type: ignore[misc]
    """Evaluate the rows of every validation and test epoch of a Lightning trainer, and log the metrics.

    ``validation_step`` and ``test_step`` return a dictionary with `actual` and `score` or `predicted`, as
    :meth:`Accumulator.update` takes them; others are passed over. At the end of an epoch the rows of all
    processes are evaluated together, the metrics are logged as ``val_auc`` or ``test_auc``, and
    `evaluations` has the evaluation by ``"val"`` and ``"test"``.

    Parameters
    ----------
    metrics
        Names of metrics; None for those that fit the task. Spaces become underscores: ``val_macro_f1``.
    rows
        A function of the step's output and the batch that returns the columns by role, where the step returns
        something else.
    intervals
        Whether ``val_auc_low`` and ``val_auc_high`` are logged, too.
    settings
        Those of :class:`Accumulator`, such as ``task=``, ``logits=`` or ``classes=``.
    """

    def __init__(
        self, metrics: str | Sequence[str] | None = None, *,
        rows: Callable[[Any, Any], Mapping[str, Any]] | None = None, intervals: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self._names, self._rows, self._intervals = checked_names(metrics), rows, intervals
        self._settings = settings
        Accumulator(**settings)  # raises where a setting is unknown, before any row is seen
        self._accumulators: dict[int, Accumulator] = {}
        self.evaluations: dict[str, Evaluation] = {}

    def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None:  # noqa: ARG002 - Lightning's call
        """Forget the rows of an epoch that was broken off."""
        self._accumulators = {}

    on_test_epoch_start = on_validation_epoch_start

    def on_validation_batch_end(  # noqa: PLR0917 - as Lightning calls it
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int,  # noqa: ARG002
        dataloader_idx: int = 0,
    ) -> None:  # fmt: skip
        """Add the rows of a batch."""
        if self._rows is not None:
            columns = dict(self._rows(outputs, batch))
        elif isinstance(outputs, dict) and "actual" in outputs:
            columns = {role: outputs[role] for role in _ROLES if role in outputs}
        else:
            raise InputError(
                "the step returned no rows: return a dictionary with actual and score or predicted "
                f"(it returned {_described(outputs)}), or pass {param('rows')}, a function of its output and "
                "the batch."
            )
        accumulator = self._accumulators.setdefault(dataloader_idx, Accumulator(**self._settings))
        accumulator.update(**columns)

    on_test_batch_end = on_validation_batch_end

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Evaluate the rows, and log the metrics."""
        self._finish("val", trainer, pl_module)

    def on_test_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Evaluate the rows, and log the metrics."""
        self._finish("test", trainer, pl_module)

    def _finish(self, stage: str, trainer: Any, pl_module: Any) -> None:
        accumulators, self._accumulators = self._accumulators, {}
        if trainer.sanity_checking:  # a few batches, which may lack a class
            return
        several = dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1
        for index, accumulator in sorted(accumulators.items()):
            rows = accumulator.reduce() if several else accumulator
            name = stage if len(accumulators) == 1 else f"{stage}/dataloader_idx_{index}"
            self.evaluations[name] = rows.evaluate()
            values = metric_values(self.evaluations[name], self._names, intervals=self._intervals)
            end = name.removeprefix(stage)
            pl_module.log_dict({f"{stage}_{key}{end}": value for key, value in values.items()})


def _described(outputs: Any) -> str:
    return f"one with {shown(outputs)}" if isinstance(outputs, dict) else type(outputs).__name__
