"""Tallies that a task needs, by name, each as a function of rows: for scans, arrays and slices.

They are plain functions and partials of them, so that they can be sent to workers.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, LabelError, NumberError
from assay.evaluation.infer_task import prepare_rows
from assay.evaluation.multioutput import label_rows
from assay.evaluation.task import Task
from assay.evaluation.validation import refuse_swapped_columns
from assay.hints import hint
from assay.inputs import Column, Rows
from assay.inputs.discretize import MAX_DISTINCT_INTEGERS, MAX_SLICES, too_many
from assay.metrics import find
from assay.tallies import (
    BoundedTally,
    ClassScores,
    Collection,
    ColumnProfile,
    ColumnTallies,
    Confusion,
    Grouped,
    LabelSets,
    Moments,
    Queries,
    Scores,
    StoredRows,
)
from assay.tallies.column_profile import has_fractions, label_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.evaluation.task import TaskRequest
    from assay.tallies import Tally

    Makers = Mapping[str, Callable[[Rows], Tally] | type[Tally]]

__all__ = [
    "CUT",
    "FINGERPRINT",
    "PROFILE",
    "STORED_ROWS",
    "collect_tallies",
    "core_tallies",
    "needs_edges_error",
    "slice_tallies_of",
    "tallies_for_metrics",
    "tallies_for_scan",
    "tallies_for_task",
]

STORED_ROWS, CUT, PROFILE, FINGERPRINT = "cases", "cut", "traits", "fingerprint"
# Metrics that have a tally of their own, under the metric's name.
_REGRESSION_METRICS = ("median_absolute_error", "spearman")
_PROBABILITY_METRICS = ("multiclass_log_loss", "multiclass_brier", "top_label_calibration_error")
_LABEL_TALLIES: dict[str, Any] = {
    "label_sets": LabelSets,
    "label_scores": functools.partial(ColumnTallies.of, each=Scores),
}
_NOT_WHOLE = "there are numbers that are not whole"


def tallies_for_scan(request: TaskRequest, task_name: str | None, limit: int) -> dict[str, Any]:
    """Return the tallies of a scan; `task_name` is None where the columns decide the task.

    `limit` is the maximum number of bytes of a tally that only some metrics need.

    >>> from assay.evaluation.task import TaskRequest
    >>> list(tallies_for_scan(TaskRequest(names={"actual": "y", "score": "p"}), None, 0))
    ['traits', 'scores']
    """
    if request.outputs:
        return _multioutput_tallies(request, task_name, limit)
    if task_name == "ranking":
        return {"queries": Queries} | (_stored_rows(limit) if "group" in request.names else {})
    if task_name == "regression":
        return {"moments": Moments, **tallies_for_metrics("regression", limit), **_stored_rows(limit)}
    if request.columns > 1 or request.cut:
        tallies_inside = _label_tallies(request, limit)
        return {
            name: functools.partial(_tally_prepared, each=make, request=request)
            for name, make in tallies_inside.items()
        }
    return _label_tallies(request, limit)


def _label_tallies(request: TaskRequest, limit: int) -> dict[str, Any]:
    tallies: dict[str, Any] = {PROFILE: functools.partial(_profile, request=request)}
    if "group" in request.names or request.columns > 1:
        tallies |= _stored_rows(limit)
    if request.columns > 1:
        bounded = functools.partial(BoundedTally.of, each=ClassScores, limit=limit)
        if request.columns == 2 and request.task in (None, "binary"):  # noqa: PLR2004 - two classes
            return {**tallies, "scores": Scores} | (
                {"confusion": Confusion} if _has_predictions(request) else {}
            )
        return {
            **tallies,
            "class_scores": bounded,
            "confusion": Confusion,
            **tallies_for_metrics("classes", limit),
        }
    missing_predictions = request.task in ("multiclass", "ordinal") and not _has_predictions(
        request
    )  # which raises later
    if ("score" in request.names and not missing_predictions) or request.cut:
        tallies["scores"] = Scores
    if request.threshold is not None and not request.cut:
        tallies[CUT] = functools.partial(_cut_scores, threshold=request.threshold)
    if _has_predictions(request):
        is_labels = request.task is not None or request.cut or "score" in request.names
        tallies["confusion"] = Confusion if is_labels else _confusion_unless_fractions
    return tallies


def _multioutput_tallies(request: TaskRequest, task_name: str | None, limit: int) -> dict[str, Any]:
    """Return the tallies of a scan of several labels or outputs; labels unless a regression is known."""
    if task_name == "multioutput":
        return {**core_tallies(Task("multioutput"), None), **_stored_rows(limit)}
    threshold = 0.5 if request.threshold is None else request.threshold
    makers = {"label_sets": LabelSets, "label_scores": _LABEL_TALLIES["label_scores"]}
    if "score" not in request.names:
        del makers["label_scores"]
    tallies: dict[str, Any] = {
        name: functools.partial(_label_tally, make=make, threshold=threshold, limit=limit)
        for name, make in makers.items()
    }
    stored = functools.partial(_label_tally, make=StoredRows, threshold=None, limit=limit)
    return {PROFILE: ColumnProfile, **tallies, STORED_ROWS: stored}


def _label_tally(rows: Rows, make: Any, threshold: float | None, limit: int) -> BoundedTally:
    """Return a tally of rows of several labels, unless the columns hold other numbers than 0 and 1."""
    try:
        prepared = label_rows(rows, threshold)
    except NumberError as error:
        return BoundedTally.lost(len(rows), str(error))
    if make is StoredRows:
        return StoredRows.within(prepared, limit)
    return BoundedTally.of(prepared, make, 0 if make is LabelSets else limit)


def _stored_rows(limit: int) -> dict[str, Any]:
    """Return the tally that stores the rows while they are few: intervals of some metrics need them."""
    return {STORED_ROWS: functools.partial(StoredRows.within, limit=limit)}


def tallies_for_metrics(task_name: str, limit: int) -> dict[str, Any]:
    """Return the tallies of single metrics of a task."""
    if task_name == "regression":
        return {
            name: functools.partial(_metric_tally, name=name, limit=limit) for name in _REGRESSION_METRICS
        }
    if task_name == "classes":
        return {
            name: functools.partial(_metric_tally, name=name, limit=limit) for name in _PROBABILITY_METRICS
        }
    return {}


def core_tallies(task: Task, rows: Rows | None) -> dict[str, Any]:
    """Return the tallies of a task that every report reads, for rows as the task reads them."""
    if task.name == "multioutput":
        return {"outputs": functools.partial(ColumnTallies.of, each=Moments)}
    assert rows is not None  # noqa: S101 - the tallies of other tasks depend on their columns
    if task.name == "multilabel":
        present = {"label_sets": rows.predicted, "label_scores": rows.score}
        return {name: make for name, make in _LABEL_TALLIES.items() if present[name] is not None}
    if task.name == "ranking":
        return {"queries": Queries}
    if task.name == "regression":
        return {"moments": Moments}
    tallies: dict[str, Any] = {}
    if rows.score is not None:
        is_matrix = rows.score.ndim > 1
        tallies |= {"class_scores": ClassScores} if is_matrix else {"scores": Scores}
    return tallies | ({"confusion": Confusion} if rows.predicted is not None else {})


def tallies_for_task(task: Task, rows: Rows) -> dict[str, Any]:
    """Return all tallies of rows of a known task, those of single metrics too."""
    own = {"regression": "regression", "multiclass": "classes", "ordinal": "classes"}.get(task.name, "")
    if own == "classes" and not task.probabilities:
        own = ""
    return {**core_tallies(task, rows), **tallies_for_metrics(own, 0)}


def slice_tallies_of(rows: Rows, tallies: Makers, cut: tuple[str, ...] = ()) -> Grouped:
    """Return the tallies of each slice by all columns of `by` crossed; numbers must be few, or were cut."""
    for column in rows.by:
        if column.name not in cut:
            _refuse_quantity(column)
            if (
                column.labels is not None and len(column.labels) > MAX_SLICES
            ):  # refused before so many tallies are made
                raise too_many(len(column.labels), column.name)
    return Grouped.of(rows, functools.partial(collect_tallies, tallies=tallies))


def collect_tallies(rows: Rows, tallies: Makers) -> Collection:
    """Return the tallies of rows by name."""
    return Collection.of(rows, tallies)


def _refuse_quantity(column: Column) -> None:
    """Raise where a column to slice by holds quantities, whose quartiles one pass cannot know."""
    if column.values.dtype.kind == "f" and np.isinf(column.values).any():
        raise needs_edges_error(column.name)
    profile = label_profile(column)
    if profile.kind == "fractions" or (
        profile.kind == "whole" and len(profile.labels) > MAX_DISTINCT_INTEGERS
    ):
        raise needs_edges_error(column.name)


def needs_edges_error(name: str) -> ColumnError:
    """Return the error for slicing a scan by quantities without edges."""
    advice = hint(f'edges={{"{name}": [10, 20]}}, or pass the rows in memory', f"--edges {name}=10,20")
    return ColumnError(
        f"{name} holds numbers, and rows that are read once cannot be sliced at quartiles, which are known "
        f"at the end: say where to cut them, as {advice}."
    )


def _has_predictions(request: TaskRequest) -> bool:
    return "predicted" in request.names


def _tally_prepared(rows: Rows, each: Any, request: TaskRequest) -> Tally:
    made: Tally = getattr(each, "of", each)(prepare_rows(rows, request))
    return made


def _profile(rows: Rows, request: TaskRequest) -> ColumnProfile:
    """Return the profile of some rows; raise at once for what no other rows can make right."""
    rows = prepare_rows(rows, request) if request.columns == 1 and not request.cut else rows
    profile = ColumnProfile.of(rows)
    if "score" in request.names and request.columns == 1:
        refuse_swapped_columns(profile, request, rows)
    return profile


def _confusion_unless_fractions(rows: Rows) -> BoundedTally:
    """Return the confusion tally, unless the columns hold measured quantities."""
    columns = (rows.need("actual", "an evaluation"), rows.need("predicted", "an evaluation"))
    if any(has_fractions(column) for column in columns):
        return BoundedTally.lost(len(rows), _NOT_WHOLE)
    return BoundedTally.of(rows, Confusion)


def _cut_scores(rows: Rows, threshold: float) -> Confusion:
    """Return the confusion tally of scores at a threshold."""
    actual, _ = rows.binary_actual("an evaluation")
    above = rows.need("score", "an evaluation").numbers("scores") >= np.float64(threshold)
    sides = (("actual", actual.astype(bool)), ("predicted", above))
    return Confusion.of_columns([Column(*side) for side in sides], None, rows.weight)


def _metric_tally(rows: Rows, name: str, limit: int) -> BoundedTally:
    """Return the tally that a metric reads; lost where these rows have none."""
    if name == "spearman" and rows.weight is not None:
        return BoundedTally.lost(len(rows), "ranks of weighted rows are not defined here")
    try:
        return BoundedTally.of(rows, find(name).tally, limit)
    except (NumberError, LabelError):
        if name in _PROBABILITY_METRICS:
            return BoundedTally.lost(len(rows), "the scores are not probabilities")
        raise
