"""What a caller may have meant otherwise: doubts that are raised before any figure is shown."""

from __future__ import annotations

import difflib
import os
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from assay.engines.dispatch import is_cluster
from assay.errors import ColumnError, InputError, shown
from assay.evaluation.task import TaskName
from assay.inputs.arrays import column_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.evaluation.settings import Settings
    from assay.evaluation.task import TaskRequest
    from assay.inputs import Column, Rows
    from assay.tallies import ColumnProfile

__all__ = [
    "check_stated",
    "check_task",
    "first_fraction",
    "refuse_beside_lists",
    "refuse_cluster_columns",
    "refuse_idle",
    "refuse_labels_as_scores",
    "refuse_misplaced",
    "refuse_swapped",
    "refuse_tables",
    "refuse_unused",
    "unnamed_columns",
]

_NEEDS_NO_THRESHOLD = {
    "multiclass": "classes are predicted by labels, or by the highest score",
    "ordinal": "grades are predicted as such: cut them to two classes first with assay.cut",
    "regression": 'numbers are judged as they are: leave task= out, or say task="binary", to cut them',
    "ranking": "lists are ranked by their scores: say with k= how deep they are judged",
}
_ROLES = "assay.evaluate(actual=..., predicted=...) or assay.evaluate(actual=..., score=...)"


def check_task(task_name: Any) -> None:
    """Raise unless a kind of problem is known."""
    known = get_args(TaskName)
    if task_name is None or task_name in known:
        return
    near = difflib.get_close_matches(str(task_name).lower(), known, n=1, cutoff=0.5)
    advice = {"classification": '"binary" or "multiclass"', "continuous": '"regression"'}.get(str(task_name))
    meant = advice or (f'"{near[0]}"' if near else "")
    hint = f" Did you mean {meant}?" if meant else ""
    raise InputError(f"task={task_name!r} is not known: use {shown(known)}.{hint}")


def check_stated(**stated: Any) -> None:
    """Raise where something that was said beside the rows cannot be meant."""
    for name in ("confidence", "threshold", "beta", "cost_fp", "cost_fn", "prevalence"):
        value = stated[name]
        if value is None:
            continue
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
            such = ": say a share between 0 and 1, such as 0.95" if name == "confidence" else ""
            raise InputError(f"{name}={value!r} is no number{such}.")
        if np.isnan(value):
            raise InputError(f"{name}= is NaN, which is no number: leave it out, or say one.")
        if name in ("beta", "cost_fp", "cost_fn") and value < 0:
            raise InputError(f"{name}={value!r} is below 0: say how much worse the error is, 0 or more.")
    share = stated["prevalence"]
    if share is not None and not 0 < share < 1:
        percent = f", such as {share / 100:g}" if 1 < share < 100 else ""  # noqa: PLR2004 - a percentage
        raise InputError(f"prevalence={share!r} is a share between 0 and 1{percent}.")
    k = stated["k"]
    if k is not None and (isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1):
        raise InputError(f"k={k!r} says how many of a list count: a whole number, 1 or more.")
    if stated["empty"] not in (None, "zero", "one", "skip"):
        raise InputError(
            f'empty={stated["empty"]!r} says what a list without a relevant item counts as: use "zero", '
            '"one" or "skip".'
        )
    if not isinstance(stated["name"], str):
        raise InputError(f"name={stated['name']!r} is what to call the model: text.")


def refuse_misplaced(data: Any, more: tuple[Any, ...], *, by_role: bool) -> None:
    """Raise where columns were passed without saying which is which."""
    if more:
        raise InputError(
            f"evaluate takes one table at most without a name, not {1 + len(more)} columns: which one is "
            f"actual and which predicted must be said, as in {_ROLES}."
        )
    if isinstance(data, bytes):
        raise InputError(
            f"evaluate takes a table or the path of a file as text, not the bytes {data[:20]!r}."
        )
    if not by_role:
        _refuse_unnamed(data)


def refuse_cluster_columns(roles: Mapping[str, Any]) -> None:
    """Raise where a role is a column of a cluster's frame, which is nowhere as a whole."""
    for role, one in roles.items():
        if one is not None and not isinstance(one, str) and is_cluster(one):
            raise InputError(
                f"{role}= is a {type(one).__name__} of a cluster: pass its frame, and the names of columns, "
                'as in assay.evaluate(frame, actual="y", score="p").'
            )


def unnamed_columns(data: Any) -> InputError:
    """Return the error for a table none of whose columns was given a role."""
    names = _names(data)
    known = f" Columns: {shown(names, 12)}." if names else ""
    what = "table" if names else type(data).__name__
    return InputError(f"which columns of the {what} are which must be said by name, as in {_ROLES}.{known}")


def _names(data: Any) -> list[Any]:
    """Return the names of a table's columns, or of a file's."""
    if isinstance(data, (str, os.PathLike)) or type(data).__module__.startswith("assay.engines"):
        from assay.engines import Source, source  # noqa: PLC0415 - few come here

        return (data if isinstance(data, Source) else source(data)).columns()
    return column_names(data) or (list(data) if isinstance(data, dict) else [])


def _refuse_unnamed(data: Any) -> None:
    shape = getattr(data, "shape", None)
    flat = isinstance(data, (list, tuple)) and not (data and isinstance(data[0], (list, tuple, np.ndarray)))
    if flat or (isinstance(shape, tuple) and len(shape) == 1 and getattr(data, "dtype", None) is not None
                and not getattr(data.dtype, "names", None)):  # fmt: skip
        raise InputError(
            f"evaluate was given one column of {len(data):,} values: say what it is, and what to judge it "
            f"by, as in {_ROLES}."
        )


_OF_TWO = ("beta", "cost_fp", "cost_fn", "prevalence")


def refuse_unused(task_name: str, settings: Settings) -> None:
    """Raise where something was said of two classes that this problem has no figure for."""
    idle = [f"{name}=" for name in _OF_TWO if getattr(settings, name) is not None]
    if idle and task_name != "binary":
        one = (
            ", or name one class with positive= to judge it against the rest"
            if task_name == "multiclass"
            else ""
        )
        raise InputError(
            f"{' and '.join(idle)} is for two classes, and this task is {task_name}: leave it out{one}."
        )


def refuse_beside_lists(**stated: Any) -> None:
    """Raise where something was said beside lists of items that they have no use for."""
    idle = [
        f"{name}=" for name, one in stated.items() if one is not None and name not in ("k", "empty", "name")
    ]
    if idle:
        raise InputError(
            f"{' and '.join(idle)} has no use beside lists of items, which are ranked as they are: leave it "
            "out, or pass a row per item with score= and query=."
        )


def refuse_tables(roles: dict[str, Any], task_name: str | None) -> None:
    """Raise where a role that holds one value a row has several columns."""
    for role in ("actual", "predicted"):
        values = roles[role]
        shape = tuple(getattr(values, "shape", ()))
        listed = isinstance(values, list) and values and isinstance(values[0], (list, tuple))
        if not listed and (len(shape) != 2 or shape[1] < 2):  # noqa: PLR2004 - rows and columns
            continue
        columns = shape[1] if shape else len(values[0])
        if task_name == "regression":
            one = "actual[:, i]" if shape else "[row[i] for row in actual]"
            each = f"for i in range({columns})"
            if not isinstance(values, np.ndarray) and column_names(values):
                one, each = "actual[name]", "for name in actual.columns"
            raise InputError(
                f"{role} has {columns} columns, and each output is judged on its own: [assay.evaluate("
                f"actual={one}, predicted={one.replace('actual', 'predicted')}) {each}]."
            )
        raise InputError(
            f'{role} has {columns} columns: say task="multilabel" for rows that may have several labels, or '
            'task="regression" for several numbers a row. Rows of one label each, marked by a 1, are passed '
            "as labels (table.argmax(axis=1))."
        )


def refuse_idle(stated: TaskRequest) -> None:
    """Raise where a threshold was stated that nothing would be cut at."""
    task_name, threshold = stated.task, stated.threshold
    if threshold is None:
        return
    if task_name in _NEEDS_NO_THRESHOLD:
        raise InputError(
            f'threshold={threshold:g} has no use where task="{task_name}": {_NEEDS_NO_THRESHOLD[task_name]}.'
        )
    if {"predicted", "score"} <= stated.names.keys():
        raise InputError(
            f"predicted= and threshold={threshold:g} are both given, and either says what was predicted: "
            "leave predicted= out to cut the scores, or threshold= to keep the predictions."
        )


def refuse_swapped(traits: ColumnProfile, stated: TaskRequest, rows: Rows | None = None) -> None:
    """Raise where scores came as predictions, or actual and predicted look exchanged."""
    actual, predicted = stated.names["actual"], stated.names.get("predicted", "")
    if not predicted:
        if traits.actual.kind == "fractions":
            raise InputError(
                f"{actual} holds {first_fraction(rows, 'actual')}, which is no label, beside scores: are the "
                "two exchanged? actual= is what was true, score= what the model gave. Of two measured "
                "quantities the model's is predicted=; assay.cut makes classes of one."
            )
        return
    if traits.predicts_fractions_for_classes:
        raise InputError(
            f"{predicted} holds {first_fraction(rows, 'predicted')}, but {actual} holds classes: if "
            'these are scores pass them as score=; if both are measured quantities say task="regression".'
        )
    if traits.predicts_classes_for_fractions:
        raise InputError(
            f"{actual} holds {first_fraction(rows, 'actual')}, but {predicted} holds classes: are the two "
            "exchanged? actual= is what was true, score= what the model gave. If both are measured "
            'quantities say task="regression".'
        )


def refuse_labels_as_scores(score: Column | None) -> None:
    """Raise where what came as scores are labels."""
    if score is not None and score.labels is not None and len(score):
        score.refuse_missing()
        raise ColumnError(
            f"{score.name} holds text, such as {shown(score.labels[:1])}, where scores are needed: pass "
            "labels as predicted=; text that reads as numbers must be made numbers first."
        )


def first_fraction(rows: Rows | None, role: str) -> str:
    """Return the first number of a column that is not whole, in words; without rows, that there are some."""
    if rows is None:
        return "numbers that are not whole"
    column = rows.need(role, "an evaluation")
    values = column.values
    row = int(np.argmax((values != np.floor(values)) & np.isfinite(values)))
    return f"{values[row]:g} ({column.where(row)})"
