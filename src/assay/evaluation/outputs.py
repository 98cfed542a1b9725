"""One label or output of an evaluation as an evaluation of its own."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.evaluation.evaluate import evaluate_rows
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.task import Task
from assay.hints import param
from assay.metrics import Binary
from assay.tallies import Collection, ColumnTallies, Confusion, LabelSets

if TYPE_CHECKING:
    from assay.inputs import Label
    from assay.tallies import Tally

__all__ = ["evaluations_of_outputs"]


def evaluations_of_outputs(ev: Evaluation) -> dict[Label, Evaluation]:
    """Return the evaluation of each label or output by its name.

    >>> import assay
    >>> ev = assay.evaluate(actual=[["a"], ["a", "b"], []], predicted=[["a"], ["b"], ["b"]])
    >>> [round(float(each["precision"]), 2) for each in evaluations_of_outputs(ev).values()]
    [1.0, 0.5]
    """
    if ev.task.name not in ("multilabel", "multioutput"):
        raise InputError(
            "there is one output: several are evaluated where "
            f"{param('actual')} has several columns, or lists of labels."
        )
    return {label: _evaluation(ev, index) for index, label in enumerate(ev.task.labels)}


def _evaluation(ev: Evaluation, index: int) -> Evaluation:
    label = ev.task.labels[index]
    name = f"{ev.settings.name}, {label}" if ev.settings.name else str(label)
    settings = dataclasses.replace(ev.settings, name=name, by=())
    of_labels = ev.task.name == "multilabel"
    threshold = None if "label_scores" not in ev.tallies else ev.task.threshold
    task = Task("binary", (False, True), True, threshold) if of_labels else Task("regression")  # noqa: FBT003
    rows = ev.stored_rows
    if rows is not None:
        column = dataclasses.replace(rows, by=()).of_column(index)
        if of_labels:
            column = dataclasses.replace(column, labels=task.labels, positive=True)
        if threshold is not None:
            column = dataclasses.replace(column, predicted=None)
        return evaluate_rows(task, settings, column)
    return Evaluation(task, settings, Collection.of_mapping(_tallies(ev, index, label)))


def _tallies(ev: Evaluation, index: int, label: Label) -> dict[str, Tally]:
    """Return the tallies of one label or output, where the rows are not held."""
    tallies: dict[str, Tally] = {}
    names = {"label_scores": "scores", "outputs": "moments"}
    for name, tally in ev.by_name.items():
        if isinstance(tally, ColumnTallies):
            tallies[names.get(name, name)] = tally.tallies[index]
        if isinstance(tally, LabelSets) and tally.weights is None:
            c: Any = Binary.of(tally, positive=label)
            table = np.array([[c.tn, c.fp], [c.fn, c.tp]])
            tallies["confusion"] = Confusion.of_table(table, (False, True), declared=True)
    return tallies
