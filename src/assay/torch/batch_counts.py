"""Count the rows of batches as they come: a state of fixed size for scores of two classes, or for classes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from assay.device.class_counts import ClassCounts
from assay.device.score_cells import NO_ROW, ScoreCells
from assay.errors import ColumnError, InputError, LabelError, LengthError, MergeError, MissingValueError
from assay.evaluation.evaluate import evaluate
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.from_scan import tallies_as_read
from assay.evaluation.infer_task import decide_task
from assay.evaluation.task import Settings, TaskRequest
from assay.evaluation.task_tallies import CUT
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.tallies import BinnedScores, Collection, ColumnProfile, Confusion
from assay.tallies.column_profile import LabelProfile
from assay.tallies.scores.binned import cell_edges, checked_bits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Tensor = Any  # torch.Tensor, which a type checker may not have

__all__ = ["BatchCounts"]

_SETTINGS_OF_COUNTS = ("task", "threshold", "labels", "positive")


class BatchCounts:
    """Counts of the rows of batches, on the device of the first batch's tensors.

    With scores of two classes, shape ``(n,)``, they are a :class:`~assay.BinnedScores` tally and the table at
    a threshold; with scores of several classes, shape ``(n, classes)``, or predicted classes they are a
    confusion table. Adding a batch is one kernel, and never waits.
    """

    def __init__(
        self, *, bits: int, classes: Sequence[str] | None, ignore_index: int | None, logits: bool,
        settings: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self._bits, self._classes, self._ignore_index = checked_bits(bits), classes, ignore_index
        self._logits, self._settings = logits, dict(settings)
        self.n = 0
        self._counts: ScoreCells | ClassCounts | None = None
        self._layout: tuple[Any, ...] = ()

    def add(self, actual: Tensor, predicted: Tensor | None, score: Tensor | None) -> None:
        """Count a batch of rows."""
        values: Any = predicted if score is None else score
        layout = (actual.dtype, values.dtype, values.shape[1:], actual.device, score is None)
        if layout != self._layout:
            self._begin(actual, values, layout)
        if actual.shape[0] != values.shape[0]:
            role = "predicted" if score is None else "score"
            raise LengthError(
                f"actual has {count_of(actual.shape[0], 'row')} and {role} {values.shape[0]:,}: "
                "pass a value for "
                "every row."
            )
        counts: Any = self._counts
        if not actual.is_contiguous() or not values.is_contiguous():
            actual, values = actual.contiguous(), values.contiguous()
        if type(counts) is ScoreCells:
            counts.add(actual, values, self.n)
        elif score is None:
            counts.add_predictions(actual, values, self.n)
        else:
            counts.add_scores(actual, values, self.n)
        self.n += actual.shape[0]

    def _begin(self, actual: Tensor, values: Tensor, layout: tuple[Any, ...]) -> None:
        """Check what batches look like, and make the counts that fit the first."""
        is_binary = values.ndim == 1 and not layout[-1]
        if actual.ndim != 1 or values.ndim > (1 if layout[-1] else 2):
            raise ColumnError(
                f"actual has shape {tuple(actual.shape)} and the predictions {tuple(values.shape)}: counts "
                f"are of rows of one class; leave {param('counts')} out, and the rows are stored."
            )
        for role, column in (("actual", actual), ("predicted", values))[: 1 + layout[-1]]:
            if column.is_floating_point() or column.is_complex():
                raise LabelError(
                    f"{role} holds {column.dtype} where the numbers of classes are needed: pass integers."
                )
        if values.is_complex():
            raise ColumnError(f"score holds {values.dtype}: pass real numbers.")
        if actual.device != values.device:
            raise ColumnError(
                f"actual is on {actual.device} and the predictions on {values.device}: move one to the other."
            )
        if self._counts is not None and actual.device != self._counts.first_bad.device:
            raise ColumnError(
                f"this batch is on {actual.device} and the counts of those before on "
                f"{self._counts.first_bad.device}: move it there, or merge() accumulators of either."
            )
        if is_binary and self._counts is None:
            self._counts = self._score_cells(actual.device)
        elif self._counts is None:
            classes = self._class_names(values, is_score=not layout[-1])
            self._counts = ClassCounts(len(classes), self._ignore_index, actual.device)
        elif isinstance(self._counts, ScoreCells) != is_binary or (
            values.ndim > 1 and values.shape[1] != self._counts.classes  # type: ignore[union-attr]
        ):
            raise InputError(
                "this batch has other roles or shapes than those before: pass the same each time, or reset() "
                "first."
            )
        self._layout = layout
        self._counts.begin_layout()

    def _score_cells(self, device: Any) -> ScoreCells:
        if self._logits:
            raise InputError(
                f"logits of two classes become probabilities in float64, row by row: pass probabilities "
                f"(torch.sigmoid) with {param('counts')}, or leave it out, and the rows are stored."
            )
        if self._ignore_index is not None:
            raise InputError(f"{param('ignore_index')} is for several classes: leave it out.")
        labels = self._settings.get("labels")
        if self._classes is not None or (labels is not None and list(labels) != [0, 1]):
            raise LabelError(
                f"with {param('counts')} the labels of two classes are 0 and 1: leave names out."
            )
        if self._settings.get("positive", 1) not in (1, None):
            raise LabelError(f"with {param('counts')} the positive label is 1.")
        threshold = self._settings.get("threshold")
        return ScoreCells(self._bits, 0.5 if threshold is None else float(threshold), device)

    def _class_names(self, values: Tensor, *, is_score: bool) -> list[Any]:
        """Return the labels of the classes 0, 1, 2 ..."""
        names: Any = self._classes if self._classes is not None else self._settings.get("labels")
        if names is None and is_score:
            names = range(values.shape[1])
        if names is None:
            raise LabelError(
                f"how many classes there are is not known from predicted ones: name them with "
                f"{param('classes')}, or pass {param('labels')}."
            )
        if self._classes is None and list(names) != list(range(len(names))):
            raise LabelError(
                f"with {param('counts')} the classes are the numbers 0 to {len(names) - 1}: pass their names "
                f"with {param('classes')}."
            )
        if is_score and len(names) != values.shape[1]:
            raise InputError(
                f"score has {count_of(values.shape[1], 'column')}, "
                f"but there are {len(names)} classes: a column per "
                "class is needed."
            )
        return list(names)

    def tensors(self) -> list[Tensor]:
        """Return the counts, to be added up with those of others, and the lowest strange rows."""
        counts: Any = self._counts
        if counts is None:
            return []
        return [counts.counts, counts.first_bad] + ([counts.table] if isinstance(counts, ScoreCells) else [])

    def joined(self, other: Self) -> Self:
        """Return the counts of both sides' rows; neither is changed."""
        first, second = self, other
        if first._counts is None:
            first, second = second, first
        both = first._copy()  # noqa: SLF001
        if second._counts is not None:  # noqa: SLF001
            mine, others = (
                both.tensors(),
                [tensor.to(both.tensors()[0].device) for tensor in second.tensors()],
            )
            if [tensor.shape for tensor in mine] != [tensor.shape for tensor in others]:
                raise MergeError("the accumulators count rows of other roles or shapes.")
            import torch  # noqa: PLC0415 - known to be there

            for index, (tensor, more) in enumerate(zip(mine, others, strict=True)):
                # The second side's rows are numbered behind the first's, where they are not yet strange.
                moved = torch.where(more == NO_ROW, more, more + both.n) if index == 1 else more
                tensor.copy_(torch.minimum(tensor, moved) if index == 1 else tensor + moved)
            both.n += second.n
        return both

    def without_rows(self) -> Self:
        """Return counts of no rows with the same settings."""
        return type(self)(
            bits=self._bits, classes=self._classes, ignore_index=self._ignore_index, logits=self._logits,
            settings=self._settings,
        )  # fmt: skip

    def counted_classes(self) -> int | None:
        """Return the number of classes that are counted; None for scores of two classes."""
        return None if isinstance(self._counts, ScoreCells) or self._counts is None else self._counts.classes

    def of_arrays(self, n: int, classes: int | None, tensors: Sequence[Tensor]) -> Self:
        """Return counts that were taken elsewhere, by the same settings."""
        made = self.without_rows()
        made.n, device = n, tensors[0].device
        if classes is None:
            made._counts = self._score_cells(device)  # noqa: SLF001 - of its own class
        else:
            made._counts = ClassCounts(classes, self._ignore_index, device)  # noqa: SLF001
        for tensor, counted in zip(made.tensors(), tensors, strict=True):
            tensor.copy_(counted)
        return made

    def _copy(self) -> Self:
        tensors = self.tensors()
        made = self.of_arrays(self.n, self.counted_classes(), tensors) if tensors else self.without_rows()
        made._layout = self._layout  # noqa: SLF001 - of its own class
        return made

    def evaluate(self, **settings: Any) -> Evaluation:
        """Return the evaluation of the counts. This waits for the device."""
        counts: Any = self._counts
        fixed = [name for name in _SETTINGS_OF_COUNTS if name in settings]
        if fixed:
            raise InputError(
                f"rows are counted by {param(fixed[0])}: say it when the accumulator is made, or leave "
                f"{param('counts')} out."
            )
        self._refuse_strange_rows(counts)
        given = {**self._settings, **settings}
        if isinstance(counts, ClassCounts):
            table = counts.counts.cpu().numpy().reshape(counts.classes, counts.classes)
            names = self._classes or given.get("labels") or range(counts.classes)
            tally = Confusion.of_table(table, list(names), declared=True)
            given = {"task": "multiclass", **given}
            return evaluate(tally, **{name: given[name] for name in given if name != "labels"})
        return self._evaluate_scores(counts, given)

    def _evaluate_scores(self, counts: ScoreCells, given: dict[str, Any]) -> Evaluation:
        rows = counts.counts.cpu().numpy().reshape(-1, 2)
        binned = BinnedScores.of_table(self._bits, 1, rows)
        edges = cell_edges(self._bits)[binned.cells]
        labels = tuple(label for label in (0, 1) if rows[:, label].any())
        profile = ColumnProfile(
            self.n, LabelProfile("whole", labels), least=float(edges[0]), largest=float(edges[-1])
        )
        request = TaskRequest(
            given.get("task"), given.get("threshold"), given.get("labels"), given.get("positive"),
            {"actual": "actual", "score": "score"},
        )  # fmt: skip
        decision = decide_task(profile, request)
        table = Confusion.of_table(counts.table.cpu().numpy().reshape(2, 2), (False, True))
        tallies = tallies_as_read({"scores": binned, CUT: table}, decision, predictions=False)
        fields = {field.name for field in dataclasses.fields(Settings)}
        chosen = {name: value for name, value in given.items() if name in fields and value is not None}
        return Evaluation(
            decision.task, Settings(**{"confidence": 0.95, **chosen, "actual": "actual", "score": "score"}),
            Collection.of_mapping(tallies),
        )  # fmt: skip

    def _refuse_strange_rows(self, counts: Any) -> None:
        """Raise where a row was no row: its number counts all rows of all batches."""
        first_value, first_label = (int(row) for row in counts.first_bad.cpu())
        if isinstance(counts, ScoreCells):
            if first_value != NO_ROW:
                raise MissingValueError(
                    f"a score is missing (row {first_value:,} of all batches, counting from 0): leave such "
                    "rows out before update()."
                )
            if first_label != NO_ROW:
                raise LabelError(
                    f"actual holds another label than 0 and 1 (row {first_label:,} of all batches, counting "
                    "from 0)."
                )
            return
        span = f"from 0 to {counts.classes - 1}"
        for row, what in ((first_label, "actual"), (first_value, "the predictions")):
            if row != NO_ROW:
                raise LabelError(
                    f"{what} hold{'s' * (what == 'actual')} no class {span} (row {row:,} of all batches, "
                    f"counting from 0). Rows without a class are left out with {param('ignore_index')}."
                )
