"""What a caller may have meant otherwise: doubts that are raised before any figure is shown."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from assay.errors import ColumnError, InputError, shown
from assay.evaluation.kinds import Kind
from assay.inputs.arrays import column_names

if TYPE_CHECKING:
    from assay.inputs import Column, Rows

__all__ = [
    "check_kind",
    "check_stated",
    "has_fractions",
    "refuse_beside_lists",
    "refuse_idle",
    "refuse_misplaced",
    "refuse_swapped",
    "refuse_tables",
    "refuse_unused",
    "unnamed_columns",
]

_NEEDS_NO_THRESHOLD = {
    "multiclass": "classes are predicted by labels, or by the highest score",
    "ordinal": "grades are predicted as such: cut them to two classes first with assay.cut",
    "regression": 'numbers are judged as they are: leave kind= out, or say kind="binary", to cut them',
    "ranking": "lists are ranked by their scores: say with k= how deep they are judged",
}
_ROLES = "assay.evaluate(actual=..., predicted=...) or assay.evaluate(actual=..., score=...)"


def check_kind(kind: Any) -> None:
    """Raise unless a kind of problem is known."""
    known = get_args(Kind)
    if kind is None or kind in known:
        return
    near = difflib.get_close_matches(str(kind).lower(), known, n=1, cutoff=0.5)
    advice = {"classification": '"binary" or "multiclass"', "continuous": '"regression"'}.get(str(kind))
    meant = advice or (f'"{near[0]}"' if near else "")
    hint = f" Did you mean {meant}?" if meant else ""
    raise InputError(f"kind={kind!r} is not known: use {shown(known)}.{hint}")


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
    if not isinstance(stated["name"], str):
        raise InputError(f"name={stated['name']!r} is what to call the model: text.")


def refuse_misplaced(data: Any, more: tuple[Any, ...], *, by_role: bool) -> None:
    """Raise where columns were passed without saying which is which."""
    if more:
        raise InputError(
            f"evaluate takes one table at most without a name, not {1 + len(more)} columns: which one is "
            f"actual and which predicted must be said, as in {_ROLES}."
        )
    if isinstance(data, (str, bytes)) or hasattr(data, "__fspath__"):
        raise InputError(
            f"evaluate takes a table, not the file {str(data)!r}: read it first, for example with "
            "pandas.read_csv; assay.engines.scan reads files larger than memory into tallies."
        )
    if not by_role:
        _refuse_unnamed(data)


def unnamed_columns(data: Any) -> InputError:
    """Return the error for a table none of whose columns was given a role."""
    names = column_names(data) or (list(data) if isinstance(data, dict) else [])
    known = f" Columns: {shown(names, 12)}." if names else ""
    what = "table" if names else type(data).__name__
    return InputError(f"which columns of the {what} are which must be said by name, as in {_ROLES}.{known}")


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


def refuse_unused(kind: str, **stated: Any) -> None:
    """Raise where something was said of two classes that this problem has no figure for."""
    idle = [f"{name}=" for name in _OF_TWO if stated.get(name) is not None]
    if idle and kind != "binary":
        one = (
            ", or name one class with positive= to judge it against the rest" if kind == "multiclass" else ""
        )
        raise InputError(
            f"{' and '.join(idle)} is for two classes, and this problem is {kind}: leave it out{one}."
        )


def refuse_beside_lists(**stated: Any) -> None:
    """Raise where something was said beside lists of items that they have no use for."""
    idle = [f"{name}=" for name, one in stated.items() if one is not None and name not in ("k", "name")]
    if idle:
        raise InputError(
            f"{' and '.join(idle)} has no use beside lists of items, which are ranked as they are: leave it "
            "out, or pass a row per item with score= and query=."
        )


def refuse_tables(roles: dict[str, Any], kind: str | None) -> None:
    """Raise where a role that holds one value a row has several columns."""
    for role in ("actual", "predicted"):
        values = roles[role]
        shape = tuple(getattr(values, "shape", ()))
        listed = isinstance(values, list) and values and isinstance(values[0], (list, tuple))
        if not listed and (len(shape) != 2 or shape[1] < 2):  # noqa: PLR2004 - rows and columns
            continue
        columns = shape[1] if shape else len(values[0])
        if kind == "regression":
            one = "actual[:, i]" if shape else "[row[i] for row in actual]"
            each = f"for i in range({columns})"
            if not isinstance(values, np.ndarray) and column_names(values):
                one, each = "actual[name]", "for name in actual.columns"
            raise InputError(
                f"{role} has {columns} columns, and each output is judged on its own: [assay.evaluate("
                f"actual={one}, predicted={one.replace('actual', 'predicted')}) {each}]."
            )
        raise InputError(
            f'{role} has {columns} columns: say kind="multilabel" for rows that may have several labels, or '
            'kind="regression" for several numbers a row. Rows of one label each, marked by a 1, are passed '
            "as labels (table.argmax(axis=1))."
        )


def refuse_idle(rows: Rows, kind: str | None, threshold: float | None) -> None:
    """Raise where a threshold was stated that nothing would be cut at."""
    if threshold is None:
        return
    if kind in _NEEDS_NO_THRESHOLD:
        raise InputError(
            f'threshold={threshold:g} has no use where kind="{kind}": {_NEEDS_NO_THRESHOLD[kind]}.'
        )
    if rows.predicted is not None and rows.score is not None:
        raise InputError(
            f"predicted= and threshold={threshold:g} are both given, and either says what was predicted: "
            "leave predicted= out to cut the scores, or threshold= to keep the predictions."
        )


def refuse_swapped(rows: Rows) -> None:
    """Raise where scores came as predictions, or actual and predicted look exchanged."""
    actual, predicted = rows.actual, rows.predicted
    if actual is None or predicted is None:
        _refuse_as_score(actual, rows.score)
        return
    if has_fractions(predicted) and _few(actual):
        raise InputError(
            f"{predicted.name} holds {_first_fraction(predicted)}, but {actual.name} holds classes: if these "
            'are scores pass them as score=; if both are measured quantities say kind="regression".'
        )
    if has_fractions(actual) and _few(predicted):
        raise InputError(
            f"{actual.name} holds {_first_fraction(actual)}, but {predicted.name} holds classes: are the two "
            "exchanged? actual= is what was true, score= what the model gave. If both are measured "
            'quantities say kind="regression".'
        )


def _refuse_as_score(actual: Column | None, score: Column | None) -> None:
    """Raise where what came as scores are labels, or actual and score look exchanged."""
    if score is None or actual is None:
        return
    if score.labels is not None and len(score):
        score.refuse_missing()
        raise ColumnError(
            f"{score.name} holds text, such as {shown(score.labels[:1])}, where scores are needed: pass "
            "labels as predicted=; text that reads as numbers must be made numbers first."
        )
    if has_fractions(actual):
        raise InputError(
            f"{actual.name} holds {_first_fraction(actual)}, which is no label, beside scores: are the two "
            "exchanged? actual= is what was true, score= what the model gave. Of two measured quantities the "
            "model's is predicted=; assay.cut makes classes of one."
        )


def has_fractions(column: Column) -> bool:
    """Tell whether a column holds numbers that are not whole."""
    values = column.values
    if column.labels is not None or values.dtype.kind != "f":
        return False
    return bool(((values != np.floor(values)) & np.isfinite(values)).any())


def _few(column: Column) -> bool:
    """Tell whether a column's values are text, true or false, or two whole numbers."""
    if column.labels is not None or column.values.dtype.kind == "b":
        return True
    values = column.values[np.isfinite(column.values)]
    return (
        bool(len(values))
        and set(np.unique(values[:1000]).tolist()) in ({0, 1}, {-1, 1})
        and (set(np.unique(values).tolist()) in ({0, 1}, {-1, 1}))
    )


def _first_fraction(column: Column) -> str:
    values = column.values
    row = int(np.argmax((values != np.floor(values)) & np.isfinite(values)))
    return f"{values[row]:g} ({column.where(row)})"
