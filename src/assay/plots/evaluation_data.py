"""What a plot draws of an evaluation: its rows, or a tally that it holds; of another task it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import MetricError
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.hints import param
from assay.tallies import BinnedScores, ClassScores, Confusion, NumberPairs, Queries, Scores

if TYPE_CHECKING:
    from assay.tallies import Tally

__all__ = ["INSTEAD", "drawn_data"]

# Tallies that plots of another draw as well.
INSTEAD: dict[type[Tally], tuple[type[Tally], ...]] = {Scores: (BinnedScores, ClassScores)}
_CLASSES = ("binary", "multiclass", "ordinal")
# What a plot draws, the tasks that have it, and the column that brings it.
_DRAWN: dict[type[Tally], tuple[str, tuple[str, ...], str]] = {
    Scores: ("scores", _CLASSES, "score"),
    Confusion: ("predicted labels", _CLASSES, "predicted"),
    NumberPairs: ("predicted numbers", ("regression",), "predicted"),
    Queries: ("ranked lists", ("ranking",), "query"),
}


def drawn_data(data: Any, kind: type[Tally]) -> Any:
    """Return the rows of an evaluation, or its tally of a kind; anything else as it is.

    >>> import assay
    >>> ev = assay.evaluate(actual=[0, 1, 1], predicted=[0, 1, 0])
    >>> drawn_data(ev, Confusion) is ev.rows
    True
    """
    if not isinstance(data, Evaluation):
        return data
    what, tasks, column = _DRAWN[kind]
    if data.task.name in MULTIOUTPUT_TASKS and {"binary", "regression"} & set(tasks):
        each = "label" if data.task.name == "multilabel" else "output"
        example = repr(data.task.labels[0])
        plot = "roc" if data.task.name == "multilabel" else "residuals"
        raise MetricError(
            f"this plot draws one {each} at a time: name it with {param('label')}, as in "
            f"ev.plot.{plot}(label={example}), or draw ev.outputs[{example}]."
        )
    if data.task.name not in tasks:
        *first, last = tasks
        which = " and ".join(filter(None, [", ".join(first), last]))
        tasks_text = f"{which} tasks have" if len(tasks) > 1 else f"{which} tasks alone have"
        raise MetricError(f"this plot draws {what}, which {tasks_text}: the task here is {data.task.name}.")
    rows = data.stored_rows if kind is NumberPairs else data.rows
    if rows is not None and getattr(rows, column) is not None:
        return rows
    for tally in data.tallies.tallies:
        if isinstance(tally, (kind, *INSTEAD.get(kind, ()))):
            return tally
    raise MetricError(f"this evaluation has no {what} to draw: it needs {param(column)}.")
