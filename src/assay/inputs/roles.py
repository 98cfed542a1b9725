"""Rows: the columns of one data set by role, of one length, with nothing missing."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import ColumnError, InputError, LabelError, LengthError, shown, suggest_keywords
from assay.formatting.numbers import count_of
from assay.hints import param, passed
from assay.inputs.arrays import column, column_names
from assay.inputs.columns import doubles
from assay.inputs.dates import dates_as_text
from assay.inputs.labels import Label, Labels, binary, plain_label, same_kind, weights
from assay.inputs.score_matrix import class_labels, class_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs.columns import Array, Column
    from assay.inputs.frames import Table

__all__ = ["Rows", "declare_labels", "gather_rows", "need_columns", "need_rows", "rows"]

_ROLES = ("actual", "predicted", "score", "weight", "group", "query", "key")
_NAME_ROLES = ("group", "query", "by", "key")  # whose values are names alone
_NO_SLICES: tuple[Any, ...] = ()


@dataclasses.dataclass(
    slots=True, eq=False, repr=False
)  # not frozen: that alone would double a small call's cost
class Rows:
    """The columns of one data set by role. Make one with :func:`rows`; it is not changed afterwards.

    ``labels`` is the declared label set, ``positive`` the stated positive label, ``dropped`` the number
    of rows left out because a value was missing. ``origin`` holds the rows' numbers in what the caller
    passed, where some were left out. Of rows with several labels or outputs, actual, predicted and score are
    matrices, a column for each of ``labels``.
    """

    n: int
    actual: Column | None = None
    predicted: Column | None = None
    score: Column | None = None
    weight: Column | None = None
    group: Column | None = None
    query: Column | None = None
    key: Column | None = None
    by: tuple[Column, ...] = ()
    labels: Labels | None = None
    positive: Label | None = None
    dropped: int = 0
    origin: Array | None = None
    multioutput: bool = dataclasses.field(init=False)  # whether actual has a column per label or output

    def __post_init__(self) -> None:
        self.multioutput = self.actual is not None and self.actual.ndim > 1

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        fields = [f"{role}={column.name!r}" for role in _ROLES if (column := getattr(self, role)) is not None]
        fields += [f"by={[column.name for column in self.by]}"] if self.by else []
        fields += [
            f"{name}={getattr(self, name)!r}"
            for name in ("labels", "positive", "dropped")
            if getattr(self, name)
        ]
        return f"Rows({', '.join([count_of(self.n, 'row'), *fields])})"

    def need(self, role: str, what: str) -> Column:
        """Return the column of a role, or raise saying what needs it."""
        column: Column | None = getattr(self, role)
        if column is None:
            raise ColumnError(f"{what} needs {param(role)}: pass it to rows().")
        return column

    def float64(self, role: str, what: str, kind: str = "numbers") -> Array:
        """Return the numbers of a role as float64; `what` needs them, `kind` is what they are in messages."""
        return doubles(self.need(role, what).complete_numbers(kind))

    def binary_actual(self, what: str) -> tuple[Array, Label]:
        """Return which rows are positive, as 0 and 1, and the positive label; `what` needs them."""
        return binary(self.need("actual", what), self.positive, self.labels)

    def of_column(self, index: int) -> Rows:
        """Return the rows of one label or output: its column of actual, predicted and score."""
        columns = {
            role: dataclasses.replace(matrix, values=np.ascontiguousarray(matrix.values[:, index]))
            for role in ("actual", "predicted", "score")
            if (matrix := getattr(self, role)) is not None
        }
        return dataclasses.replace(self, **columns, labels=None, positive=None)

    def labels_of_row(self, index: int) -> Rows:
        """Return the labels of one row as rows: whether it has each of them, and the score of each."""
        actual, score = self.need("actual", "the labels of a row"), self.need("score", "the labels of a row")
        return Rows(
            actual.values.shape[1],
            actual=dataclasses.replace(actual, values=actual.values[index] != 0),
            score=dataclasses.replace(score, values=np.ascontiguousarray(score.values[index])),
        )

    def of_label(self, label: Label) -> Rows:
        """Return the rows of one label or output by its name."""
        labels = self.labels or ()
        if label not in labels:
            raise LabelError(f"the label {shown([label])} is not among {shown(labels)}.")
        return self.of_column(labels.index(label))

    def take(self, index: Any) -> Rows:
        """Return the rows chosen by a mask, an index array or a slice; weights all 1 there are no weights."""
        origin = _chosen(index, self.n) if self.origin is None else self.origin[index]
        chosen = {
            role: values.take(index, origin) for role in _ROLES if (values := getattr(self, role)) is not None
        }
        by = tuple(values.take(index, origin) for values in self.by)
        return _even(dataclasses.replace(self, n=len(origin), by=by, origin=origin, **chosen))


def need_rows(data: Any) -> Rows:
    """Return rows, or raise saying how to make them."""
    if type(data) is not Rows:
        raise InputError(
            f"a tally is made of rows, not of a {type(data).__name__}: "
            "gather the columns first with assay.rows(...)."
        )
    return data


def need_columns(data: Any, what: str, *roles: str) -> tuple[Column, ...]:
    """Return the columns of some roles of rows; raise where these are no rows, or lack a column."""
    gathered = need_rows(data)
    return tuple(gathered.need(role, what) for role in roles)


@suggest_keywords
def rows(
    data: Any = None,
    *,
    actual: Any = None,
    predicted: Any = None,
    score: Any = None,
    weight: Any = None,
    group: Any = None,
    query: Any = None,
    key: Any = None,
    by: Any = _NO_SLICES,
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
        What was true and what the model said: labels, or numbers for a regression. Rows of several labels
        or outputs have a column for each: a two-dimensional array, a list of column names, a frame, or for
        labels a list of them per row.
    score
        The model's score for the positive class; higher means more likely positive. Or one column per
        class: a two-dimensional array or a list of column names in the order of the labels (columns named
        after their classes in any order), or a mapping from label to column or column name.
    weight
        How much each row counts: finite, not negative. A row of weight 0 is left out.
    group
        Rows that belong together (a patient, a user): the unit of sampling.
    query
        The list a row belongs to, for ranking.
    key
        The name of each row, by which a test set is recognized (:class:`assay.Fingerprint`).
    by
        One column, or a list of them, to slice by; or a data frame, or a mapping from names to columns.
    labels
        The whole label set, in order, so that an absent class keeps its row.
    positive
        The positive label; not needed where the labels are 0/1, false/true or -1/1.
    missing
        What to do with rows that lack a value: ``"refuse"`` raises and says where, ``"drop"`` leaves
        them out and counts them in ``dropped``.

    Returns
    -------
    Rows
        The columns by role, encoded and checked.

    Raises
    ------
    ColumnError
        A column is not there, or is none.
    LengthError
        Columns have different numbers of values.
    MissingValueError
        A value is missing, and `missing` is ``"refuse"``.
    LabelError
        A label was not declared, or it is not clear which one is positive.
    NumberError
        A number is not finite, or a weight is negative.
    InputError
        A setting is not known.

    Examples
    --------
    >>> import assay
    >>> r = assay.rows(actual=["ham", "spam", "ham"], predicted=["ham", "spam", "spam"])
    >>> len(r)
    3
    >>> assay.rows(actual=[1, 0, None], score=[0.9, 0.2, 0.4], missing="drop").dropped
    1
    """
    roles = {
        "actual": actual, "predicted": predicted, "score": score, "weight": weight, "group": group,
        "query": query, "key": key,
    }  # fmt: skip
    from assay.inputs.multilabel import has_several_outputs  # noqa: PLC0415 - circular import

    several = has_several_outputs(data, actual, predicted)
    return gather_rows(
        data, roles, by=by, labels=labels, positive=positive, missing=missing, multioutput=several
    )


def gather_rows(
    data: Any, roles: Mapping[str, Any], *, by: Any = _NO_SLICES, labels: Sequence[Label] | None = None,
    positive: Label | None = None, missing: str = "refuse", multioutput: bool = False,
) -> Rows:  # fmt: skip
    """Return rows of columns by role; `multioutput` states that actual has a column per label or output."""
    if str(missing) not in ("refuse", "drop"):
        raise InputError(f'{passed("missing", missing)} is not known: use "refuse" or "drop".')
    table = None
    if data is not None:
        from assay.inputs.frames import Table  # noqa: PLC0415 - arrays do without it

        table = Table(data)
    score, several = roles.get("score"), None
    if score is not None and not multioutput and not isinstance(score, str):  # a name is that of one column
        several = class_scores(score, table, "score")
    columns: dict[str, Any] = {}
    if multioutput:
        from assay.inputs.multilabel import target_columns  # noqa: PLC0415 - circular import

        targets = {role: roles.get(role) for role in ("actual", "predicted", "score")}
        columns, labels = target_columns(data, **targets, labels=labels)
    columns |= {
        role: _column(table, value if role != "score" or several is None else several[0], role)
        for role, value in roles.items()
        if value is not None and role not in columns
    }
    slices: tuple[Column, ...] = ()
    if by is not None and by is not _NO_SLICES:
        slices = _slicing_columns(table, by)
    everything = (*columns.values(), *slices)
    n = _common_length(everything)
    positive = None if positive is None else plain_label(positive)
    declared = None if labels is None else declare_labels(labels, positive)
    gathered = Rows(n, **columns, by=slices, labels=declared, positive=positive)
    if missing == "drop":
        gathered = _dropped(gathered, everything)
    else:
        for complete in everything:
            complete.refuse_missing()
    if several is not None:
        named = class_labels(*several, declared, gathered.actual, listed=isinstance(score, (list, tuple)))
        gathered = dataclasses.replace(gathered, labels=declare_labels(named, positive))
    return gathered if gathered.weight is None else _weighted(gathered)


def _column(table: Table | None, value: Any, role: str) -> Column:
    if table is not None and (isinstance(value, str) or table.has(value)):
        values = table.values(value)
        return column(dates_as_text(values) if role in _NAME_ROLES else values, str(value))
    if isinstance(value, str):
        raise ColumnError(
            f"{param(role, value)} names a column, but no data was given. Pass the table first, as in "
            f'evaluate(table, {role}="{value}", ...).'
        )
    return column(dates_as_text(value) if role in _NAME_ROLES else value, role)


def _slicing_columns(table: Table | None, by: Any) -> tuple[Column, ...]:
    """Return the slicing columns; those that came as data under the names they have, unless two are alike."""
    columns = [_column(table, value, "by") for value in _listed(table, by)]
    if isinstance(by, Mapping):
        return tuple(dataclasses.replace(col, name=str(name)) for col, name in zip(columns, by, strict=True))
    names = column_names(by) if table is None or not table.has(by) else None
    if names is None:
        names = [getattr(value, "name", None) for value in _listed(table, by)]
        names = [name if isinstance(name, str) else "" for name in names]
    return tuple(
        dataclasses.replace(col, name=str(name))
        if col.name == "by" and name != "" and names.count(name) == 1
        else col
        for col, name in zip(columns, names, strict=True)
    )


def _listed(table: Table | None, by: Any) -> list[Any]:
    """Return the slicing columns as a list: names or columns; a list of plain values is one column.

    With a table, a list of text can only be names.
    """
    if isinstance(by, Mapping):
        return list(by.values())
    if isinstance(by, str) or (table is not None and table.has(by)):
        return [by]
    names = column_names(by)
    if names is not None:
        return [by[name] for name in names]
    if not isinstance(by, (list, tuple)):
        return [by]
    if table is not None and by and all(isinstance(name, str) or table.has(name) for name in by):
        return list(by)
    if any(hasattr(item, "__len__") and not isinstance(item, (str, bytes)) for item in by):
        return list(by)
    return [by]


def _common_length(columns: tuple[Column, ...]) -> int:
    if not columns:
        raise LengthError(
            f"no columns were given: pass at least {param('actual')} and {param('predicted')} or "
            f"{param('score')}."
        )
    first = columns[0]
    n = len(first)
    for other in columns:
        if len(other) != n:
            raise LengthError(f"{first.name} has {count_of(n, 'value')}, {other.name} has {len(other):,}.")
    return n


def declare_labels(labels: Any, positive: Label | None = None) -> Labels:
    """Return declared labels, checked: of one kind, each once, with the positive one among them."""
    if isinstance(labels, str):
        raise LabelError(f"{param('labels', labels)} is one text: pass a list of labels.")
    try:
        plain = same_kind(tuple(plain_label(label) for label in labels))
    except TypeError:
        raise LabelError(f"{passed('labels', labels)} is no list of labels.") from None
    if not plain:
        raise LabelError(f"{param('labels')} is empty: name at least one label, or leave it out.")
    seen: set[Label] = set()
    for label in plain:
        if label in seen:
            raise LabelError(f"the label {shown([label])} is declared twice.")
        seen.add(label)
    if positive is not None and positive not in seen:
        raise LabelError(
            f"the positive label {shown([positive])} is not among the declared labels: {shown(plain)}."
        )
    return plain


def _dropped(gathered: Rows, everything: tuple[Column, ...]) -> Rows:
    absent: Array | None = None
    for values in everything:
        mask = values.absent()
        if mask is not None:
            absent = mask if absent is None else absent | mask
    if absent is None:
        return gathered
    return dataclasses.replace(gathered.take(~absent), dropped=int(np.count_nonzero(absent)))


def _weighted(gathered: Rows) -> Rows:
    """Return rows whose weights are checked: zero weights leave, and all ones mean no weights."""
    if gathered.weight is None:
        return gathered
    values = weights(gathered.weight)
    gathered = dataclasses.replace(gathered, weight=dataclasses.replace(gathered.weight, values=values))
    return _even(gathered) if values.all() else gathered.take(values > 0)


def _even(gathered: Rows) -> Rows:
    """Return the rows without weights where those are all 1."""
    weight = gathered.weight
    if weight is None or weight.values.dtype != np.float64 or not (weight.values == 1).all():
        return gathered
    return dataclasses.replace(gathered, weight=None)


def _chosen(index: Any, n: int) -> Array:
    """Return the row numbers that a mask, an index array or a slice chooses."""
    if isinstance(index, slice):
        return np.arange(*index.indices(n))
    return np.flatnonzero(index) if index.dtype == bool else index
