"""Accumulate batches of tensors for one evaluation of all their rows."""

from __future__ import annotations

import inspect
import threading
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch

from assay.engines.accumulator import as_bytes
from assay.errors import ColumnError, InputError, LabelError, LengthError, MergeError, shown
from assay.evaluation.evaluate import evaluate
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs import Column
from assay.inputs.arrays import from_tensor
from assay.torch.batch_counts import BatchCounts
from assay.torch.logits import probabilities
from assay.torch.processes import add_counts_of_processes, gather_rows_of_processes
from assay.torch.repeated_rows import without_repeats
from assay.torch.row_store import RowStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation import Evaluation
    from assay.inputs.columns import Array
    from assay.torch.row_store import Tensor

__all__ = ["Accumulator"]

_ROLES = ("actual", "predicted", "score", "weight", "group", "query", "key")
_TABLES = ("actual", "predicted", "score")  # roles whose rows may be more than one number
_SETTINGS = tuple(
    name
    for name, parameter in inspect.signature(evaluate).parameters.items()
    if name not in (*_ROLES, "data", "by", "edges", "memory", "threads", "proxy", "selection")
    and parameter.kind is parameter.KEYWORD_ONLY
)


class Accumulator:
    """Rows of batches of tensors, evaluated together: binary, multiclass, multilabel, regression, retrieval.

    Batches are copied to where the tensors are; :meth:`update` computes nothing and never waits for a device.
    :meth:`evaluate` returns what :func:`assay.evaluate` returns for all rows at once, so that the result has
    the same bits for any batch size, order and number of processes.

    Parameters
    ----------
    logits
        Scores are logits: one a row becomes a probability by the sigmoid, several of a row by the softmax,
        or each by the sigmoid where a row may have several labels. In float64, on the host, at the end.
    classes
        The names of the classes 0, 1, 2 ..., which the tensors hold.
    ignore_index
        Rows whose actual class is this number are left out, such as pixels without a class.
    counts
        Count the rows as they come instead of storing them, in a state of fixed size: for scores of two
        classes (0 and 1) in bins with certain bounds, and for classes by their highest score or prediction.
        Weights, keys, groups and other tasks need the rows.
    bits
        With `counts`, scores are counted in about 2**bits bins.
    memory
        The memory that the rows may take on a device; from there on they are moved to the host.
    settings
        Those of :func:`assay.evaluate`, such as ``task=``, ``positive=``, ``threshold=`` or ``k=``.

    Examples
    --------
    >>> import torch
    >>> from assay.torch import Accumulator
    >>> accumulator = Accumulator(task="binary", logits=True)
    >>> accumulator.update(actual=torch.tensor([0, 1, 1]), score=torch.tensor([-2.0, 0.5, 3.0]))
    >>> accumulator.update(actual=torch.tensor([0, 1]), score=torch.tensor([0.7, 1.5]))
    >>> ev = accumulator.evaluate()
    >>> ev.n, ev["auc"].value
    (5, 0.8333333333333334)
    """

    def __init__(
        self,
        *,
        logits: bool = False,
        classes: Sequence[str] | None = None,
        ignore_index: int | None = None,
        counts: bool = False,
        bits: int = 18,
        memory: int | str = "1GiB",
        **settings: Any,
    ) -> None:
        if unknown := [name for name in settings if name not in _SETTINGS]:
            raise InputError(
                f"an accumulator has no setting {shown(unknown)}: it has {shown(_SETTINGS, 30)}."
            )
        if classes is not None and "labels" in settings:
            raise InputError(
                f"{param('classes')} and {param('labels')} both name the labels: pass one of them."
            )
        self._logits, self._ignore_index = logits, ignore_index
        self._settings = {
            name: value.tolist() if hasattr(value, "tolist") else value for name, value in settings.items()
        }  # arrays of labels, which `==` would not compare as a whole
        self._classes = None if classes is None else tuple(classes)
        if self._classes is not None and len(set(self._classes)) < len(self._classes):
            raise LabelError(f"a class is named twice: {shown(self._classes)}.")
        self._store = RowStore(as_bytes(memory))
        self._bits, self._counts = bits, self._no_counts(bits) if counts else None
        self._lock = threading.Lock()

    def _no_counts(self, bits: int) -> BatchCounts:
        return BatchCounts(
            bits=bits, classes=self._classes, ignore_index=self._ignore_index, logits=self._logits,
            settings=self._settings,
        )  # fmt: skip

    def update(
        self,
        *,
        actual: Tensor,
        predicted: Tensor | None = None,
        score: Tensor | None = None,
        weight: Tensor | None = None,
        group: Tensor | None = None,
        query: Tensor | None = None,
        key: Tensor | None = None,
    ) -> None:
        """Add a batch of rows.

        `actual` has a number per row, or a row of 0 and 1 where rows may have several labels; `score` has a
        number per row, or one per class in a second axis. Images have their classes in the second axis, too,
        as PyTorch has them: ``(batch, class, height, width)``. Of rows with the same `key` one is evaluated,
        such as those that a distributed sampler repeats. Values are checked by :meth:`evaluate`: looking at
        them would wait for the device.
        """
        if self._counts is not None and weight is group is query is key is None:
            self._count(actual, predicted, score)
            return
        roles = {
            "actual": actual, "predicted": predicted, "score": score, "weight": weight, "group": group,
            "query": query, "key": key,
        }  # fmt: skip
        columns = {role: value for role, value in roles.items() if value is not None}
        for role, value in columns.items():
            if not isinstance(value, torch.Tensor):
                raise ColumnError(
                    f"{role} is {type(value).__name__}, not a tensor: use torch.as_tensor, or "
                    "assay.evaluate for rows that are no tensors."
                )
            if value.layout is not torch.strided:
                raise ColumnError(f"{role} is a sparse tensor: pass {role}.to_dense().")
        if predicted is None and score is None:
            raise _no_predictions()
        if self._counts is not None:
            names = [name for name in columns if name not in _TABLES]
            raise InputError(
                f"{shown(names)} needs the rows: leave {param('counts')} out, and they are stored."
            )
        if actual.ndim > 1:
            columns = _images_as_rows(columns)
        n = _length(columns)
        for role, value in columns.items():
            axes = value.ndim
            if axes == 0 or axes > (2 if role in _TABLES else 1):
                raise ColumnError(f"{role} has shape {tuple(value.shape)}: one value per row is needed.")
            if len(value) != n:
                raise LengthError(
                    f"actual has {count_of(n, 'row')} and {role} {len(value):,}: pass a value for every row."
                )
        with self._lock:
            self._store.append({role: value.detach() for role, value in columns.items()})

    def _count(self, actual: Tensor, predicted: Tensor | None, score: Tensor | None) -> None:
        """Count a batch instead of storing its rows; as little is done here as can be."""
        values = predicted if score is None else score
        if values is None:
            raise _no_predictions()
        if not isinstance(actual, torch.Tensor) or not isinstance(values, torch.Tensor):
            raise ColumnError("an accumulator takes tensors: use torch.as_tensor for other rows.")
        if actual.layout is not torch.strided or values.layout is not torch.strided:
            raise ColumnError("a tensor is sparse: pass to_dense() of it.")
        if values.ndim == 2 and values.shape[1] == 1:  # noqa: PLR2004 - a column
            actual, predicted, score = (
                column if column is None else column.reshape(-1) for column in (actual, predicted, score)
            )
        elif actual.ndim > 1:
            columns = _images_as_rows({"actual": actual, "predicted": predicted, "score": score})
            actual, predicted, score = columns["actual"], columns["predicted"], columns["score"]
        if score is not None and score.requires_grad:
            score = score.detach()
        with self._lock:
            self._counts.add(actual, predicted, score)  # type: ignore[union-attr]

    @property
    def n(self) -> int:
        """The number of rows so far, repeated and ignored ones included."""
        return self._store.n if self._counts is None else self._counts.n

    def __len__(self) -> int:
        return self.n

    def reset(self) -> None:
        """Forget all rows, as at the start of an epoch."""
        self._store = RowStore(self._store.device_bytes)
        if self._counts is not None:
            self._counts = self._no_counts(self._bits)

    def merge(self, other: Accumulator) -> Self:
        """Return an accumulator of both sides' rows. They must have the same settings; neither is changed."""
        if not isinstance(other, Accumulator):
            raise MergeError(f"an accumulator merges with another, not with a {type(other).__name__}.")
        if self._options() != other._options():
            raise MergeError(
                f"the accumulators have different settings: {self._options()} and {other._options()}."
            )
        if self._counts is not None:
            return self._with_counts(self._counts.joined(other._counts))  # type: ignore[arg-type]
        return self._with_store(self._store.joined(other._store))

    def reduce(self, process_group: Any = None) -> Self:
        """Return an accumulator of the rows of all processes of ``torch.distributed``, in each of them.

        Every process of the group must call it. This waits for the device and for the others.
        """
        if self._counts is not None:
            return self._with_counts(add_counts_of_processes(self._counts, process_group))
        return self._with_store(gather_rows_of_processes(self._store, process_group))

    def without_rows(self) -> Self:
        """Return an accumulator of no rows with the same settings."""
        return type(self)(**self._options(), memory=self._store.device_bytes)

    def _with_counts(self, counts: BatchCounts) -> Self:
        made = self.without_rows()
        made._counts = counts  # noqa: SLF001 - of its own class
        return made

    def _with_store(self, store: RowStore) -> Self:
        made = self.without_rows()
        made._store = store  # noqa: SLF001 - of its own class
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy of the accumulator has, in this process or another."""
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def _options(self) -> dict[str, Any]:
        own = {
            "logits": self._logits, "classes": self._classes, "ignore_index": self._ignore_index,
            "counts": self._counts is not None, "bits": self._bits,
        }  # fmt: skip
        return {**own, **self._settings}

    def evaluate(self, **settings: Any) -> Evaluation:
        """Return the evaluation of all rows. This waits for the device.

        Settings given here replace the accumulator's.
        """
        if not self.n:
            raise InputError("there are no rows to evaluate: call update() first.")
        if self._counts is not None:
            return self._counts.evaluate(**settings)
        columns: dict[str, Any] = {
            role: from_tensor(column, role) for role, column in self._store.columns().items()
        }
        if "key" in columns:
            columns = without_repeats(columns)
        if self._ignore_index is not None:
            counted = columns["actual"] != self._ignore_index
            if counted.ndim > 1:
                raise InputError(f"{param('ignore_index')} is for rows of one class: leave it out.")
            columns = {role: column[counted] for role, column in columns.items()}
        if self._logits and "score" in columns:
            columns["score"] = probabilities(columns["score"], multilabel=columns["actual"].ndim > 1)
        given = {**self._settings, **settings}
        if self._classes is not None:
            if columns["actual"].ndim == 1:
                for role in ("actual", "predicted"):
                    if role in columns:
                        columns[role] = _named(columns[role], role, self._classes)
            given["labels"] = list(self._classes)
        elif given.get("labels") is None and _has_scores_of_classes(columns, given.get("task")):
            given["labels"] = list(range(columns["score"].shape[1]))
        return evaluate(**columns, **given)


def _has_scores_of_classes(columns: dict[str, Any], task: str | None) -> bool:
    """Whether rows have the number of a class, and a score for each of several classes."""
    actual, score = columns["actual"], columns.get("score")
    if score is None or score.ndim == 1 or actual.ndim > 1 or actual.dtype.kind not in "iu":
        return False
    return task in {None, "multiclass"} and 1 < score.shape[1] > actual.max(initial=-1) and actual.min() >= 0


def _images_as_rows(columns: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return images as rows, one per place; scores of several classes have them in the second axis."""
    actual: Any = columns["actual"]
    score: Any = columns.get("score")
    several = score is not None and score.ndim == actual.ndim + 1
    if not several and actual.ndim == 2:  # noqa: PLR2004 - rows of several labels
        return columns
    rows = {role: None if value is None else value.reshape(-1) for role, value in columns.items()}
    if several:
        rows["score"] = score.movedim(1, -1).reshape(-1, score.shape[1])
    return rows


def _no_predictions() -> InputError:
    return InputError(f"an update needs {param('predicted')} or {param('score')} beside {param('actual')}.")


def _length(columns: dict[str, Tensor]) -> int:
    actual = columns["actual"]
    return len(actual) if actual.ndim else 0


def _named(codes: Array, role: str, classes: tuple[str, ...]) -> Column:
    """Return class numbers as a column of the classes' names."""
    if codes.dtype.kind not in "iub":
        raise LabelError(
            f"{role} holds {codes.dtype} where the numbers of classes are needed: pass integers."
        )
    wrong = (codes < 0) | (codes >= len(classes))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise LabelError(
            f"{role} holds {codes[row]} (row {row:,}, counting from 0), but there are {len(classes)} "
            f"classes, from 0 on. Rows without a class are left out with {param('ignore_index')}."
        )
    order = sorted(range(len(classes)), key=classes.__getitem__)
    place = np.empty(len(classes), dtype=np.int64)
    place[order] = np.arange(len(classes))
    return Column(role, place[codes.astype(np.int64)], tuple(classes[index] for index in order)).take(
        slice(None)
    )
