"""Tasks of rows with several columns: labels, several a row, or several outputs of a regression."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.evaluation.task import Task
from assay.hints import hint, param
from assay.inputs import Column
from assay.tallies.multilabel import indicators

if TYPE_CHECKING:
    from assay.evaluation.task import TaskRequest
    from assay.inputs import Rows
    from assay.tallies import ColumnProfile

__all__ = ["MULTIOUTPUT_TASKS", "label_rows", "matrix_rows", "multioutput_task", "stated_multioutput_task"]

MULTIOUTPUT_TASKS = ("multilabel", "multioutput")
_DEFAULT_THRESHOLD = 0.5
_ROLES = ("actual", "predicted", "score")


def stated_multioutput_task(request: TaskRequest) -> Task | None:
    """Return the task of several columns where the request alone decides it; raise where it does not fit."""
    for name in ("query", "positive"):
        column = request.positive if name == "positive" else request.names.get(name)
        if column is not None:
            raise InputError(f"{param(name)} has no use for rows of several labels or outputs: leave it out.")
    if request.task in ("binary", "multiclass", "ordinal", "ranking"):
        raise InputError(
            f"{request.names['actual']} has {request.outputs} columns, but {param('task', request.task)} has "
            f"one value per row. {_choices(request)}"
        )
    if request.threshold is not None and "score" not in request.names:
        raise InputError(
            f"{param('threshold', request.threshold)} cuts scores into predictions, and there are none: pass "
            f"{param('score')}, or leave {param('threshold')} out."
        )
    if request.task in ("regression", "multioutput"):
        return _regression(request)
    return None


def multioutput_task(profile: ColumnProfile, request: TaskRequest) -> Task:
    """Return the task of several columns by what they hold: 0 and 1 are labels, fractions are quantities."""
    kinds = {profile.actual.kind, profile.predicted.kind}
    are_indicators = {*profile.actual.labels, *profile.predicted.labels} <= {
        0,
        1,
    } and "fractions" not in kinds
    if request.task != "multilabel":
        if "fractions" in kinds and "score" not in request.names:
            return _regression(request)
        if not are_indicators or (profile.probabilities and "score" not in request.names):
            raise InputError(f"{request.names['actual']} has {request.outputs} columns: {_choices(request)}")
    labels = request.labels or ()
    inferred: tuple[str, ...] = ()
    if request.task is None:
        inferred = (f"the columns hold 0 and 1, so a row may have several of {len(labels)} labels",)
    threshold = request.threshold
    if threshold is None and "predicted" not in request.names and profile.are_probabilities:
        threshold = _DEFAULT_THRESHOLD
        inferred += ("the scores are probabilities, cut at 0.5 for the counts",)
    probabilities = "score" in request.names and profile.are_probabilities
    return Task("multilabel", labels, None, threshold, inferred, probabilities)


def _choices(request: TaskRequest) -> str:
    argmax = hint(" (table.argmax(axis=1))", "")
    one_class = "" if "score" in request.names else (
        f" Rows of one label each, marked by a 1, are passed as labels{argmax}."
    )  # fmt: skip
    return (
        f"say {param('task', 'multilabel')} for rows that may have several labels, columns of 0 and 1, or "
        f"{param('task', 'regression')} for several numbers a row.{one_class}"
    )


def _regression(request: TaskRequest) -> Task:
    if "predicted" not in request.names:
        raise InputError(f"a regression needs {param('predicted')} numbers; {param('score')} is for classes.")
    if request.threshold is not None:
        raise InputError(
            f"{param('threshold', request.threshold)} has no use for a regression: leave it out."
        )
    labels = request.labels or ()
    inferred = () if request.task else ("the columns hold numbers that are not whole, so it is a regression",)
    return Task("multioutput", labels, inferred=inferred)


def matrix_rows(rows: Rows) -> Rows:
    """Return rows whose actual, predicted and score are matrices, also where there is a single column."""
    single = {
        role: dataclasses.replace(column, values=column.values.reshape(len(rows), -1))
        for role in _ROLES
        if (column := getattr(rows, role)) is not None and column.values.ndim == 1
    }
    return dataclasses.replace(rows, **single) if single else rows


def label_rows(rows: Rows, threshold: float | None) -> Rows:
    """Return rows of several labels as true and false; scores at or above a threshold are predicted."""
    rows = matrix_rows(rows)
    columns: dict[str, Any] = {}
    for role in ("actual", "predicted"):
        column: Column | None = getattr(rows, role)
        if column is not None:
            column.refuse_missing()
            columns[role] = dataclasses.replace(column, values=indicators(column.values, column.name))
    score = rows.score
    if score is not None and "predicted" not in columns and threshold is not None:
        above = score.values >= np.float64(threshold)
        columns["predicted"] = Column("predicted", above, None, None, score.origin, score.place)
    return dataclasses.replace(rows, **columns)
