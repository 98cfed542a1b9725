"""Rows: the columns of one data set by role, of one length, with nothing missing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import ColumnError, InputError, LabelError, LengthError, shown
from assay.inputs.columns import Column, column
from assay.inputs.labels import Label, Labels, label_union, weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs.columns import Array
    from assay.inputs.frames import Table

__all__ = ["Rows", "rows"]

_ROLES = ("actual", "predicted", "score", "weight", "group", "query")


@dataclasses.dataclass(slots=True, eq=False)  # not frozen: that alone would double a small call's cost
class Rows:
    """The columns of one data set by role. Make one with :func:`rows`; it is not changed afterwards.

    ``labels`` is the declared label set, ``positive`` the stated positive label, ``dropped`` the number
    of rows left out because a value was missing.
    """

    n: int
    actual: Column | None = None
    predicted: Column | None = None
    score: Column | None = None
    weight: Column | None = None
    group: Column | None = None
    query: Column | None = None
    by: tuple[Column, ...] = ()
    labels: Labels | None = None
    positive: Label | None = None
    dropped: int = 0

    def __len__(self) -> int:
        return self.n

    def need(self, role: str, what: str) -> Column:
        """Return the column of a role, or raise saying what needs it."""
        found: Column | None = getattr(self, role)
        if found is None:
            raise ColumnError(f"{what} needs {role}=: pass it to rows().")
        return found

    def take(self, index: Any) -> Rows:
        """Return the rows chosen by a mask, an index array or a slice."""
        chosen = {role: kept.take(index) for role in _ROLES if (kept := getattr(self, role)) is not None}
        by = tuple(kept.take(index) for kept in self.by)
        n = len((*chosen.values(), *by)[0])
        return dataclasses.replace(self, n=n, by=by, **chosen)


def rows(
    data: Any = None,
    *,
    actual: Any = None,
    predicted: Any = None,
    score: Any = None,
    weight: Any = None,
    group: Any = None,
    query: Any = None,
    by: Any = (),
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    missing: Literal["refuse", "drop"] = "refuse",
) -> Rows:
    """Gather columns by role into rows.

    Parameters
    ----------
    data
        A table (any data frame narwhals knows, a dict of columns); each role may then be a column's name.
    actual, predicted
        What was true and what the model said: labels, or numbers for a regression.
    score
        The model's score for the positive class; higher means more likely positive.
    weight
        How much each row counts: finite, not negative. A row of weight 0 is left out.
    group
        Rows that belong together (a patient, a user): the unit of sampling.
    query
        The list a row belongs to, for ranking.
    by
        One column, or a list of them, to slice by.
    labels
        The whole label set, in order, so that an absent class keeps its row.
    positive
        The positive label; not needed where the labels are 0/1, false/true or -1/1.
    missing
        What to do with rows that lack a value: ``"refuse"`` raises and says where, ``"drop"`` leaves
        them out and counts them in ``dropped``.

    Examples
    --------
    >>> import assay
    >>> r = assay.rows(actual=["ham", "spam", "ham"], predicted=["ham", "spam", "spam"])
    >>> len(r)
    3
    >>> assay.rows(actual=[1, 0, None], score=[0.9, 0.2, 0.4], missing="drop").dropped
    1
    """
    if missing not in ("refuse", "drop"):
        raise InputError(f'missing={missing!r} is not known: use "refuse" or "drop".')
    table = None
    if data is not None:
        from assay.inputs.frames import Table  # noqa: PLC0415 - arrays do without it

        table = Table(data)
    columns: dict[str, Any] = {
        role: _column(table, value, role)
        for role, value in (
            ("actual", actual), ("predicted", predicted), ("score", score),
            ("weight", weight), ("group", group), ("query", query),
        )
        if value is not None
    }  # fmt: skip
    slices = tuple(_column(table, value, "by") for value in _listed(by)) if len(by) else ()
    everything = (*columns.values(), *slices)
    n = _common_length(everything)
    declared = None if labels is None else _declared(labels, positive)
    gathered = Rows(n, **columns, by=slices, labels=declared, positive=positive)
    if missing == "drop":
        gathered = _dropped(gathered, everything)
    else:
        for kept in everything:
            kept.refuse_missing()
    return gathered if weight is None else _weighted(gathered)


def _column(table: Table | None, value: Any, role: str) -> Column:
    if isinstance(value, str):
        if table is None:
            raise ColumnError(
                f'{role}="{value}" names a column, but no data was given. Pass the table first: '
                f'rows(table, {role}="{value}").'
            )
        return table.column(value)
    return column(value, role)


def _listed(by: Any) -> list[Any]:
    """Return the slicing columns as a list; a single name or array is one column."""
    if isinstance(by, (list, tuple)) and not np.isscalar(by[0]):
        return list(by)
    return [by]


def _common_length(columns: tuple[Column, ...]) -> int:
    if not columns:
        raise LengthError("no columns were given: pass at least actual= and predicted= or score=.")
    first = columns[0]
    n = len(first.values)
    for other in columns:
        if len(other.values) != n:
            raise LengthError(f"{first.name} has {n:,} values, {other.name} has {len(other):,}.")
    return n


def _declared(labels: Sequence[Label], positive: Label | None) -> Labels:
    if isinstance(labels, str):
        raise LabelError(f'labels="{labels}" is one text: pass a list of labels.')
    plain = tuple(value.item() if isinstance(value, np.generic) else value for value in labels)
    if not plain:
        raise LabelError("labels= is empty: name at least one label, or leave it out.")
    label_union(
        tuple(x for x in plain if isinstance(x, str)),
        tuple(x for x in plain if not isinstance(x, str)),
    )
    for label in plain:
        if not isinstance(label, (str, int)):
            raise LabelError(f"{label!r} is no label: labels are text, whole numbers or true/false.")
        if plain.count(label) > 1:
            raise LabelError(f"the label {shown([label])} is declared twice.")
    if positive is not None and positive not in plain:
        raise LabelError(
            f"the positive label {shown([positive])} is not among the declared labels: {shown(plain)}."
        )
    return plain


def _dropped(gathered: Rows, everything: tuple[Column, ...]) -> Rows:
    absent: Array | None = None
    for kept in everything:
        mask = kept.absent()
        if mask is not None:
            absent = mask if absent is None else absent | mask
    if absent is None:
        return gathered
    return dataclasses.replace(
        gathered.take(~absent), dropped=gathered.dropped + int(np.count_nonzero(absent))
    )


def _weighted(gathered: Rows) -> Rows:
    """Return rows whose weights are checked: zero weights leave, and all ones mean no weights."""
    assert gathered.weight is not None  # noqa: S101 - for the type checker
    values = weights(gathered.weight)
    gathered = dataclasses.replace(gathered, weight=dataclasses.replace(gathered.weight, values=values))
    if not values.all():
        gathered = gathered.take(values > 0)
        assert gathered.weight is not None  # noqa: S101
        values = gathered.weight.values
    return dataclasses.replace(gathered, weight=None) if (values == 1).all() else gathered
