"""Which tallies the figures of a problem are read from, and how each is made of some of the rows.

The makers are plain functions and partial ones of them, so that they can be sent to where the rows are.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, LabelError, NumberError
from assay.evaluation.infer_task import prepare_rows
from assay.evaluation.validation import refuse_swapped
from assay.inputs import Column, Rows
from assay.inputs.discretize import FEW, MOST, too_many
from assay.inputs.labels import binary
from assay.metrics import find
from assay.tallies import (
    BoundedTally,
    ClassScores,
    Collection,
    ColumnProfile,
    Confusion,
    Grouped,
    Moments,
    Queries,
    Scores,
    StoredRows,
)
from assay.tallies.column_profile import has_fractions, label_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.evaluation.task import Task, TaskRequest
    from assay.tallies import Tally

    Makers = Mapping[str, Callable[[Rows], Tally] | type[Tally]]

__all__ = [
    "CASES",
    "CUT",
    "TRAITS",
    "collected",
    "quantity",
    "sliced",
    "tallies_for_metrics",
    "tallies_for_scan",
    "tallies_for_task",
]

CASES, CUT, TRAITS = "cases", "cut", "traits"
# What single figures are read from: a tally of their own each, under the metric's name.
_OF_NUMBERS = ("median_absolute_error", "spearman")
_OF_PROBABILITIES = ("multiclass_log_loss", "multiclass_brier", "top_label_calibration_error")
_NOT_WHOLE = "there are numbers that are not whole"


def tallies_for_scan(stated: TaskRequest, task_name: str | None, limit: int) -> dict[str, Any]:
    """Return the makers of what rows as they come may be judged by; `kind` is that of the problem, if known.

    `limit` is how many bytes a tally may take that is not needed by all figures.

    >>> from assay.evaluation.task import TaskRequest
    >>> list(tallies_for_scan(TaskRequest(names={"actual": "y", "score": "p"}), None, 0))
    ['traits', 'scores']
    """
    if task_name == "ranking":
        return {"queries": Queries} | (_rows(limit) if "group" in stated.names else {})
    if task_name == "regression":
        return {"moments": Moments, **tallies_for_metrics("regression", limit), **_rows(limit)}
    if stated.columns > 1 or stated.cut:
        inside = _of_labels(stated, limit)
        return {name: functools.partial(_readied, each=make, stated=stated) for name, make in inside.items()}
    return _of_labels(stated, limit)


def _of_labels(stated: TaskRequest, limit: int) -> dict[str, Any]:
    makers: dict[str, Any] = {TRAITS: functools.partial(_seen, stated=stated)}
    if "group" in stated.names or stated.columns > 1:
        makers |= _rows(limit)
    if stated.columns > 1:
        both = functools.partial(BoundedTally.of, each=ClassScores, limit=limit)
        if stated.columns == 2 and stated.task in (None, "binary"):  # noqa: PLR2004 - two classes
            return {**makers, "scores": Scores} | ({"confusion": Confusion} if _predicted(stated) else {})
        return {
            **makers,
            "class_scores": both,
            "confusion": Confusion,
            **tallies_for_metrics("classes", limit),
        }
    lacking = stated.task in ("multiclass", "ordinal") and not _predicted(stated)  # which is told afterwards
    if ("score" in stated.names and not lacking) or stated.cut:
        makers["scores"] = Scores
    if stated.threshold is not None and not stated.cut:
        makers[CUT] = functools.partial(_cut_scores, threshold=stated.threshold)
    if _predicted(stated):
        sure = stated.task is not None or stated.cut or "score" in stated.names
        makers["confusion"] = Confusion if sure else _unless_fractions
    return makers


def _rows(limit: int) -> dict[str, Any]:
    """Return the maker of the rows themselves, while they are few: intervals of some figures need them."""
    return {CASES: functools.partial(StoredRows.within, limit=limit)}


def tallies_for_metrics(task_name: str, limit: int) -> dict[str, Any]:
    """Return the makers of what single figures of a kind of problem are read from alone."""
    if task_name == "regression":
        return {name: functools.partial(_of_metric, name=name, limit=limit) for name in _OF_NUMBERS}
    if task_name == "classes":
        return {name: functools.partial(_of_metric, name=name, limit=limit) for name in _OF_PROBABILITIES}
    return {}


def tallies_for_task(task: Task, rows: Rows) -> dict[str, Any]:
    """Return the makers of what rows are judged by whose problem is known, read as it reads them."""
    if task.name == "ranking":
        return {"queries": Queries}
    if task.name == "regression":
        return {"moments": Moments, **tallies_for_metrics("regression", 0)}
    makers: dict[str, Any] = {"confusion": Confusion} if rows.predicted is not None else {}
    if rows.score is None:
        return makers
    if rows.score.values.ndim == 1:
        return {**makers, "scores": Scores}
    return {**makers, "class_scores": ClassScores} | (
        tallies_for_metrics("classes", 0) if task.probabilities else {}
    )


def sliced(rows: Rows, makers: Makers, cut: tuple[str, ...] = ()) -> Grouped:
    """Return the tallies of each slice by all columns of `by`, crossed; numbers must be few, or were cut."""
    for one in rows.by:
        if one.name not in cut:
            _refuse_quantity(one)
            if one.labels is not None and len(one.labels) > MOST:  # told now: tallies of so many take long
                raise too_many(len(one.labels), one.name)
    return Grouped.of(rows, functools.partial(collected, makers=makers))


def collected(rows: Rows, makers: Makers) -> Collection:
    """Return the tallies of rows by their names."""
    return Collection.of(rows, makers)


def _refuse_quantity(column: Column) -> None:
    """Raise where a column to slice by holds numbers that are no names: their quartiles are not known yet."""
    if column.values.dtype.kind == "f" and np.isinf(column.values).any():
        raise quantity(column.name)
    seen = label_profile(column)
    if seen.kind == "fractions" or (seen.kind == "whole" and len(seen.labels) > FEW):
        raise quantity(column.name)


def quantity(name: str) -> ColumnError:
    """Return the error for numbers to slice by whose quartiles one pass over the rows cannot know."""
    return ColumnError(
        f"{name} holds numbers, and rows that are read once cannot be sliced at quartiles, which are known "
        f'at the end: say where to cut them, as edges={{"{name}": [10, 20]}}, or pass the rows in memory.'
    )


def _predicted(stated: TaskRequest) -> bool:
    return "predicted" in stated.names


def _readied(rows: Rows, each: Any, stated: TaskRequest) -> Tally:
    made: Tally = getattr(each, "of", each)(prepare_rows(rows, stated))
    return made


def _seen(rows: Rows, stated: TaskRequest) -> ColumnProfile:
    """Return the traits of some rows; what is wrong whatever the others hold is said with its row."""
    rows = prepare_rows(rows, stated) if stated.columns == 1 and not stated.cut else rows
    traits = ColumnProfile.of(rows)
    if "score" in stated.names and stated.columns == 1:
        refuse_swapped(traits, stated, rows)
    return traits


def _unless_fractions(rows: Rows) -> BoundedTally:
    """Return the confusion tally, unless there are measured quantities, which have no such table."""
    columns = (rows.need("actual", "an evaluation"), rows.need("predicted", "an evaluation"))
    if any(has_fractions(one) for one in columns):
        return BoundedTally.lost(len(rows), _NOT_WHOLE)
    return BoundedTally.of(rows, Confusion)


def _cut_scores(rows: Rows, threshold: float) -> Confusion:
    """Return the table of what is positive by the scores from a threshold on."""
    actual, _ = binary(rows.need("actual", "an evaluation"), rows.positive, rows.labels)
    above = rows.need("score", "an evaluation").numbers("scores") >= np.float64(threshold)
    sides = (("actual", actual.astype(bool)), ("predicted", above))
    return Confusion.of_columns([Column(*side) for side in sides], None, rows.weight)


def _of_metric(rows: Rows, name: str, limit: int) -> BoundedTally:
    """Return the tally that a metric is read from; lost where these rows have none."""
    if name == "spearman" and rows.weight is not None:
        return BoundedTally.lost(len(rows), "ranks of weighted rows are not defined here")
    try:
        return BoundedTally.of(rows, find(name).tally, limit)
    except (NumberError, LabelError):
        if name in _OF_PROBABILITIES:
            return BoundedTally.lost(len(rows), "the scores are not probabilities")
        raise
