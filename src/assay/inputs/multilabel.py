"""Rows that may have several labels each: tables of 0 and 1, or lists of labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, InputError, LabelError, LengthError, MissingValueError, shown
from assay.hints import param, passed
from assay.inputs import column, rows
from assay.inputs.arrays import column_names, from_tensor, is_tensor
from assay.inputs.frames import Table, no_such_column
from assay.inputs.labels import plain_label, same_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Label, Labels
    from assay.inputs.columns import Array

__all__ = ["LabelTables", "are_graded", "are_rows_of_items", "are_sets", "as_lists", "label_tables"]

_ROW = (list, tuple, set, frozenset, np.ndarray)
_OF_LISTS = ("object", "list", "large_list", "fixed_size_list", "array")  # how such a column's type begins


@dataclasses.dataclass(frozen=True, eq=False)
class LabelTables:
    """Two tables of truth values, a row per row and a column per label, with the rows' weights and groups.

    ``origin`` holds the rows' numbers in what the caller passed, where some were left out.
    """

    actual: Array
    predicted: Array
    labels: Labels
    weight: Any = None
    group: Any = None
    inferred: tuple[str, ...] = ()
    dropped: int = 0
    origin: Array | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """The tables, their labels and the rows' weights, as a tally takes them."""
        return {name: getattr(self, name) for name in ("actual", "predicted", "labels", "weight")}


def as_lists(data: Any, values: Any) -> Any:
    """Return a column that holds a list per row as a list of them, and anything else as it is."""
    if type(values) is np.ndarray and values.dtype != object:
        return values
    if isinstance(values, str):
        values = data[values] if data is not None and values in _names_of(data) else values
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    if not kind.startswith(_OF_LISTS) or getattr(values, "ndim", 1) > 1:
        return values
    if isinstance(next(iter(values), None), str):
        return values
    made = next(name for name in ("to_pylist", "to_list", "tolist") if hasattr(values, name))
    return getattr(values, made)()


def are_rows_of_items(values: Any) -> bool:
    """Tell whether values hold a list of items each."""
    return isinstance(values, (list, tuple)) and bool(values) and all(isinstance(row, _ROW) for row in values)


def are_graded(values: Any) -> bool:
    """Tell whether values hold a mapping from item to gain each."""
    return isinstance(values, (list, tuple)) and any(isinstance(row, Mapping) for row in values)


def are_sets(values: Any) -> bool:
    """Tell whether values hold rows of labels that cannot be anything else: sets, or lists of text."""
    if not isinstance(values, (list, tuple)) or not values:
        return False
    there = [row for row in values if row is not None] if values[0] is None else values
    if not there or not all(row is None or isinstance(row, (list, tuple, set, frozenset)) for row in there):
        return False
    return any(isinstance(row, (set, frozenset)) for row in there) or any(
        isinstance(one, str) for row in there if row is not None for one in row
    )


def label_tables(
    data: Any, *, actual: Any, predicted: Any, score: Any, threshold: float | None,
    labels: Sequence[Label] | None, weight: Any, group: Any, missing: str = "refuse",
) -> LabelTables:  # fmt: skip
    """Return the tables of what was true and what was predicted."""
    if actual is None or (predicted is None and score is None):
        raise InputError(
            f"rows of several labels need {param('actual')} and {param('predicted')}: tables of 0 and 1 "
            "with a column per label, "
            f"or lists of labels. Scores instead of predictions go to {param('score')}, with "
            f"{param('threshold')}."
        )
    if predicted is not None and (score is not None or threshold is not None):
        raise InputError(
            f"{param('predicted')} is given, so that {param('score')} and {param('threshold')} have no use "
            "here: leave them out."
        )
    names = None if labels is None else _declared(labels)
    if hasattr(data, "collect"):  # a lazy frame
        data = data.collect()
    role = "score" if predicted is None else "predicted"
    truth, own = _read(data, actual, "actual")
    given, theirs = _read(data, score if predicted is None else predicted, role)
    if len(truth) != len(given):
        raise LengthError(f"actual has {len(truth):,} rows, {role} has {len(given):,}.")
    if not len(truth):
        raise InputError("there are no rows to evaluate.")
    beside = {
        name: _column(data, one, name)
        for name, one in (("weight", weight), ("group", group))
        if one is not None
    }
    kept = _present({"actual": truth, role: given, **beside}, missing)
    origin = None if kept is None else np.flatnonzero(kept)
    if kept is not None:
        truth, given = (_chosen(side, kept) for side in (truth, given))
        beside = {name: one.take(kept) for name, one in beside.items()}
    if predicted is None:
        given = _cut(given, threshold)
    said: tuple[str, ...] = ()
    if all(isinstance(side, list) or _none_there(side) for side in (truth, given)):
        truth, given = (side if isinstance(side, list) else [[] for _ in side] for side in (truth, given))
    if isinstance(truth, list) and isinstance(given, list):
        truth, given, names = _of_lists(truth, given, names)
    elif isinstance(truth, list) or isinstance(given, list):
        raise ColumnError(
            "of actual and predicted one is a table of 0 and 1, the other lists of labels: pass both alike."
        )
    else:
        given = _aligned(given, own, theirs, role)
        names = names or own or theirs or tuple(range(truth.shape[1]))
        said = ("the tables hold 0 and 1, a column per label",)
    about = rows(actual=np.zeros(len(truth), dtype=np.int64), **beside)
    if not len(about):
        raise InputError("there are no rows to evaluate.")
    dropped = 0 if kept is None else int(np.count_nonzero(~kept))
    return LabelTables(truth, given, names, beside.get("weight"), beside.get("group"), said, dropped, origin)


def _declared(labels: Any) -> Labels:
    if isinstance(labels, str):
        raise LabelError(f"{param('labels', labels)} is one text: pass a list of labels.")
    return same_kind(tuple(map(plain_label, labels)))


def _names_of(data: Any) -> list[Any]:
    """Return the column names of a table in memory; nothing of what is none."""
    if isinstance(data, Mapping):
        return list(data)
    if hasattr(data, "collect"):  # a lazy frame, whose columns hold what Table.column reads
        return []
    return column_names(data) or list(getattr(getattr(data, "dtype", None), "names", None) or ())


def _column(data: Any, one: Any, name: str) -> Any:
    return Table(data).column(one) if data is not None and isinstance(one, str) else column(one, name)


def _read(data: Any, values: Any, name: str) -> tuple[Any, Labels | None]:
    """Return a table of numbers, or a list of rows of labels; with the labels that columns are named by."""
    if data is not None and isinstance(values, str) and values not in _names_of(data):
        raise no_such_column(values, _names_of(data))
    values = as_lists(data, values)
    if hasattr(values, "toarray"):  # a sparse matrix
        values = values.toarray()
    if is_tensor(values):
        values = from_tensor(values, name)
    elif isinstance(values, (list, tuple)):
        values = [from_tensor(row, name) if is_tensor(row) else row for row in values]
    if (
        data is not None
        and isinstance(values, (list, tuple))
        and values
        and all(isinstance(one, str) for one in values)
    ):
        known = _names_of(data)
        if lacking := [one for one in values if one not in known]:
            raise no_such_column(lacking[0], known)
        return np.stack([np.asarray(data[one]) for one in values], axis=1), tuple(values)
    if (names := None if isinstance(values, np.ndarray) else column_names(values)) is not None:
        table = np.stack([np.asarray(values[one]) for one in names], axis=1)
        return table, same_kind(tuple(map(plain_label, names)))
    if not isinstance(values, np.ndarray):
        values = list(values)
        if not all(_is_absent(row) or isinstance(row, _ROW) for row in values):
            odd = next(row for row in values if not isinstance(row, _ROW))
            raise ColumnError(
                f"{name} holds {odd!r} where each row is a list of labels, or a row of 0 and 1: "
                f"for one label a row leave out {param('task', 'multilabel')}."
            )
        if are_sets(values) or len({-1 if _is_absent(row) else len(row) for row in values}) > 1:
            return values, None
    table = np.asarray(values)
    if table.ndim != 2:  # noqa: PLR2004 - rows and columns
        raise ColumnError(f"{name} has shape {table.shape}: a row per row and a column per label are needed.")
    return table, None


def _is_absent(row: Any) -> bool:
    return row is None or (isinstance(row, float) and row != row)  # noqa: PLR0124 - NaN


def _present(sides: dict[str, Any], missing: str) -> Array | None:
    """Return which rows lack nothing, where some do; or raise, unless they are to be left out."""
    if str(missing) not in ("refuse", "drop"):
        raise InputError(f'{passed("missing", missing)} is not known: use "refuse" or "drop".')
    absent = np.zeros(len(sides["actual"]), dtype=bool)
    lost: Array | None
    for name, side in sides.items():
        if isinstance(side, list):
            lost = np.array([_is_absent(row) for row in side], dtype=bool)
        elif isinstance(side, np.ndarray):
            lost = _without_number(side)
        else:
            lost = side.absent()
        if lost is None or not lost.any() or len(lost) != len(absent):
            continue
        if missing == "refuse":
            raise MissingValueError(
                f"{name} has a missing value (row {int(np.argmax(lost)):,}, counting from 0). "
                f"{param('missing', 'drop')} leaves such rows out and counts them; or fill them first."
            )
        absent |= lost
    return ~absent if absent.any() else None


def _without_number(table: Array) -> Array | None:
    """Return the rows of a table in which something is missing."""
    if table.dtype.kind == "f":
        return np.array(np.isnan(table).any(axis=1))
    if table.dtype == object:
        return np.array([any(_is_absent(one) for one in row) for row in table], dtype=bool)
    return None


def _chosen(side: Any, kept: Array) -> Any:
    if isinstance(side, list):
        return [row for row, there in zip(side, kept, strict=True) if there]
    chosen = side[kept]
    return chosen if side.dtype != object else np.array(chosen.tolist())


def _none_there(side: Any) -> bool:
    """Tell whether every row is an empty list, which is a table of no columns as well."""
    return isinstance(side, np.ndarray) and side.shape[1] == 0


def _aligned(given: Array, own: Labels | None, theirs: Labels | None, role: str) -> Array:
    """Return predictions in the order of the actual labels, where both tables name their columns.

    Names that have nothing in common are those of two tables that go by position.
    """
    if own is None or theirs is None or own == theirs or not set(own) & set(theirs):
        return given
    if set(own) != set(theirs):
        odd = sorted(map(str, set(own) ^ set(theirs)))
        raise LabelError(
            f"actual and {role} name different labels: {shown(odd)} is in one of them only. Give both the "
            "same columns, or pass them as arrays in the same order."
        )
    return given[:, [theirs.index(label) for label in own]]


def _cut(scores: Any, threshold: float | None) -> Any:
    if isinstance(scores, list):
        raise ColumnError(f"{param('score')} holds lists of labels: pass them as {param('predicted')}.")
    if threshold is None:
        raise InputError(
            f"{param('score')} says how likely each label is: say with {param('threshold')} from where it "
            "is predicted."
        )
    try:
        numbers = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise ColumnError(
            f"{param('score')} holds something else than numbers: pass labels as {param('predicted')}."
        ) from None
    return numbers >= threshold


def _of_lists(truth: list[Any], given: list[Any], names: Labels | None) -> tuple[Array, Array, Labels]:
    """Return lists of labels as tables; the labels are those that occur unless they are declared."""
    found = {plain_label(label) for side in (truth, given) for row in side for label in row}
    kinds = same_kind(tuple(found))
    labels = names or tuple(sorted(kinds))
    if not labels:
        raise LabelError(
            f"no row has a label, and none was predicted: declare the labels with {param('labels')}."
        )
    if strange := found - set(labels):
        raise LabelError(f"{shown(sorted(strange))} is not among the declared labels: {shown(labels)}.")
    place = {label: index for index, label in enumerate(labels)}
    tables = []
    for side in (truth, given):
        table = np.zeros((len(side), len(labels)), dtype=bool)
        for index, row in enumerate(side):
            table[index, [place[plain_label(label)] for label in row]] = True
        tables.append(table)
    return tables[0], tables[1], labels
