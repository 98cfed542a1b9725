"""The ``compute_metrics`` of Hugging Face's Trainer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from assay.errors import InputError, LengthError
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.torch.batch_accumulator import Accumulator
from assay.torch.metric_values import checked_names, metric_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation import Evaluation
    from assay.torch.row_store import Tensor

__all__ = ["ComputeMetrics"]

_IGNORED = -100  # the label of places without one, in this library


class ComputeMetrics:
    """Metrics for the ``compute_metrics=`` of Hugging Face's Trainer, from logits and labels.

    One score or two per row are binary, several are classes, by the softmax; labels in several columns are
    multilabel, by the sigmoid. Logits of tokens, shape ``(rows, tokens, classes)``, are a row per token. With
    ``batch_eval_metrics=True`` batches are accumulated. The last evaluation is in `evaluation`.

    Parameters
    ----------
    metrics
        Names of metrics; None for those that fit the task. Spaces become underscores, and the Trainer adds
        ``eval_``: ``metric_for_best_model="eval_macro_f1"``.
    task
        ``"binary"``, ``"multiclass"``, ``"multilabel"`` or ``"regression"``; by default as the labels are.
    intervals
        Whether the limits of intervals are returned, too.
    ignore_index
        Rows with this label are left out.
    predictions
        Which of several outputs of the model are the predictions.
    settings
        Those of :class:`Accumulator`, such as ``classes=`` or ``threshold=``.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.torch import ComputeMetrics
    >>> compute_metrics = ComputeMetrics(["accuracy", "auc"])
    >>> logits = np.array([[2.0, 1.0], [0.3, 0.8], [0.1, 1.7], [1.0, 1.5]])
    >>> compute_metrics((logits, np.array([0, 1, 1, 0])))
    {'accuracy': 0.75, 'auc': 0.875}
    """

    def __init__(
        self, metrics: str | Sequence[str] | None = None, *, task: str | None = None, intervals: bool = False,
        ignore_index: int = _IGNORED, predictions: int = 0, **settings: Any,
    ) -> None:  # fmt: skip
        self._names = checked_names(metrics)
        self._task, self._intervals, self._index = task, intervals, predictions
        self._ignore_index, self._settings = ignore_index, settings
        self._rows: Accumulator | None = None  # of batches, while there are more to come
        self._found = ""  # the task of these rows
        self.evaluation: Evaluation | None = None

    def __call__(self, eval_prediction: Any, compute_result: bool = True) -> dict[str, float]:  # noqa: FBT001, FBT002 - as the Trainer calls it
        """Add predictions and labels; return the metrics, or nothing while there are batches to come."""
        predictions, labels = eval_prediction[0], eval_prediction[1]
        if isinstance(predictions, tuple | list):
            predictions = predictions[self._index]
        rows = self._add(torch.as_tensor(predictions).detach(), _labels(labels))
        if not compute_result:
            return {}
        self._rows = None
        self.evaluation = rows.evaluate()
        return metric_values(self.evaluation, self._names, intervals=self._intervals)

    def _add(self, logits: Tensor, labels: Tensor) -> Accumulator:
        """Add a batch, and return what it was added to."""
        if self._rows is None:
            self._found = self._task or _task(logits, labels)
        task = self._found
        columns = labels.shape[1] if labels.ndim > 1 else 1
        if logits.ndim == labels.ndim + 1 and labels.ndim > 1:  # tokens, or other places of a row
            logits, labels = logits.reshape(-1, logits.shape[-1]), labels.reshape(-1)
        elif columns == 1 and labels.ndim > 1:
            labels = labels.reshape(-1)
        if logits.ndim > 1 and logits.shape[1] == 1:
            logits = logits.reshape(-1)
        if len(logits) != len(labels):
            raise LengthError(
                f"there are {count_of(len(labels), 'label')} and {count_of(len(logits), 'prediction')}: "
                "where the model has "
                f"several outputs, say which are the predictions with {param('predictions')}."
            )
        if task not in {"multilabel", "regression"}:
            kept = labels != self._ignore_index
            logits, labels = logits[kept], labels[kept].long()
        if task == "binary" and logits.ndim > 1:  # a softmax of two is the sigmoid of their difference
            logits = logits[:, 1].double() - logits[:, 0].double()
        role = "predicted" if task == "regression" else "score"
        if self._rows is None:
            settings = {"logits": task != "regression", **self._settings}
            self._rows = Accumulator(task=task, **settings)
        self._rows.update(actual=labels, **{role: logits})
        return self._rows


def _labels(labels: Any) -> Tensor:
    if isinstance(labels, tuple | list) and len(labels) and hasattr(labels[0], "shape"):
        if len(labels) > 1:
            raise InputError("there are several columns of labels: pass the one to evaluate as label_names.")
        labels = labels[0]
    return torch.as_tensor(labels)


def _task(logits: Tensor, labels: Tensor) -> str:
    """Return the task that the shapes and the type of the labels mean, as for models of this library."""
    if labels.ndim > 1 and logits.shape == labels.shape and labels.shape[1] > 1:
        return "multilabel" if bool(((labels == 0) | (labels == 1)).all()) else "regression"
    if labels.is_floating_point():
        return "regression"
    classes = logits.shape[-1] if logits.ndim > labels.ndim or logits.ndim > 1 else 1
    return "multiclass" if classes > 2 else "binary"  # noqa: PLR2004 - two classes
