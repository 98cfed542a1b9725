"""Check a split for missing classes, divided groups, reversed time and duplicated rows."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.errors import ColumnError, LengthError, SplitError, shown
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs import Column, column, encode
from assay.inputs.arrays import column_names
from assay.inputs.labels import cross
from assay.resampling.split_inputs import classes
from assay.resampling.time_order import read_times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from assay.inputs.columns import Array
    from assay.resampling.split import Split

__all__ = ["check", "row_codes", "split_checker"]

_MAX_DENSE_CELLS = 1 << 12


def check(
    split: Split, *, y: Any = None, group: Any = None, time: Any = None, data: Any = None
) -> list[SplitError]:
    """Return the problems of a split, an error for each; raise them, or print them.

    A part without one of the classes of `y`; a `group` with rows in two parts; `time` reversed, that is a
    part with a row no later than one of the part before it; rows of `data` (a table, a matrix or a list of
    columns) that are equal and in two parts. Rows in no part are ignored.

    Parameters
    ----------
    split
        A split, such as a splitter returns.
    y
        The target.
    group
        What groups rows belong to.
    time
        When rows are from.
    data
        Features, of which equal rows are looked for.

    Returns
    -------
    list[SplitError]
        Empty where there is nothing wrong.

    Raises
    ------
    LengthError
        A column has another number of rows than the split.

    Examples
    --------
    >>> from assay.resampling import holdout
    >>> split = holdout({"train": 0.5, "test": 0.5}).split(n=4)[0]
    >>> for error in check(split, group=["ann", "ann", "bob", "bob"]):
    ...     print(error)
    2 groups have rows in more than one part, such as "ann" in "train", "test". Split with group=.
    """
    return [error for _, error in split_checker(y=y, group=group, time=time, data=data)(split)]


def split_checker(
    *, y: Any = None, group: Any = None, time: Any = None, data: Any = None, copies: Any = None
) -> Callable[[Split], list[tuple[str, SplitError]]]:
    """Return a function that checks splits of the same rows, whose columns are read once.

    Each problem comes with its kind: "classes", "groups", "time" or "copies". Where the rows' codes
    are known (:func:`row_codes`), they are passed as `copies`, and not `data`.

    >>> from assay.resampling import kfold
    >>> check_split = split_checker(group=["ann", "ann", "bob", "bob"])
    >>> [kind for split in kfold(2).split(n=4) for kind, error in check_split(split)]
    ['groups', 'groups']
    """
    checks: dict[str, Callable[[Split], Iterable[SplitError]]] = {}
    if y is not None:
        codes, labels = classes(y)
        checks["classes"] = lambda split: _absent_classes(split, _fitting(split, codes, "y"), labels)
    if group is not None:
        groups, names = encode(column(group, "group"))
        checks["groups"] = lambda split: _straddling_groups(split, _fitting(split, groups, "group"), names)
    if time is not None:
        times = read_times(time)
        checks["time"] = lambda split: _reversed(split, _fitting(split, times, "time"))
    if data is not None or copies is not None:
        rows, count = row_codes(data) if copies is None else copies
        checks["copies"] = lambda split: _duplicates(split, _fitting(split, rows, "data"), count)
    return lambda split: [(kind, error) for kind, find in checks.items() for error in find(split)]


def _absent_classes(split: Split, codes: Array, labels: tuple[Any, ...]) -> Iterator[SplitError]:
    table = _table(split, codes, len(labels))
    for part, name in enumerate(split.names):
        absent = [label for label, count in zip(labels, table[:, part], strict=True) if not count]
        if absent:
            of = "the classes" if len(absent) > 1 else "the class"
            yield SplitError(
                f"the part {name!r} holds no row of {of} {shown(absent)}. "
                f"Stratify by {param('y')}, or make fewer parts."
            )


def _straddling_groups(split: Split, codes: Array, labels: tuple[Any, ...]) -> Iterator[SplitError]:
    among = _table(split, codes, len(labels)) > 0
    astray = np.flatnonzero(among.sum(axis=1) > 1)
    if len(astray):
        parts = [split.names[part] for part in np.flatnonzero(among[astray[0]])]
        several = "1 group has" if len(astray) == 1 else f"{len(astray):,} groups have"
        yield SplitError(
            f"{several} rows in more than one part, such as {shown([labels[astray[0]]])} in "
            f"{shown(parts)}. Split with {param('group')}."
        )


def _reversed(split: Split, times: Array) -> Iterator[SplitError]:
    times_of_parts = [(name, times[mask]) for name, mask in split.masks().items() if mask.any()]
    for (name, earlier), (after, later) in itertools.pairwise(times_of_parts):
        if earlier.max() >= later.min():
            count = int(np.count_nonzero(earlier >= later.min()))
            what = "1 row is" if count == 1 else f"{count:,} rows are"
            yield SplitError(
                f"in the part {name!r} {what} not earlier than the first of {after!r} ({later.min()}). "
                f"Split with {param('time')}."
            )


def _duplicates(split: Split, codes: Array, count: int) -> Iterator[SplitError]:
    if count == len(codes):  # all rows are different
        return
    among = _table(split, codes, count) > 0
    twins = np.flatnonzero(among.sum(axis=1) > 1)
    if len(twins):
        rows = np.flatnonzero(codes == twins[0])
        parts = split.places[rows]
        used = parts < len(split.names)
        first = rows[used][0]
        second = rows[used & (parts != parts[used][0])][0]
        times = "1 distinct row occurs" if len(twins) == 1 else f"{len(twins):,} distinct rows occur"
        yield SplitError(
            f"{times} in more than one part, such as rows {first:,} and {second:,}, counting from 0. "
            f"Drop the copies, or pass {param('group')} so that they stay together."
        )


def _table(split: Split, codes: Array, count: int) -> Array:
    """Return how many rows of each code every part holds."""
    width = len(split.names) + 1
    if count * width <= _MAX_DENSE_CELLS:
        return kernels.count_pairs(codes, split.places, count, width)[:, :-1]
    cells, counts = kernels.count_pairs_sparse(codes, split.places, count, width)
    table = np.zeros(count * width, dtype=np.int64)
    table[cells] = counts
    return table.reshape(count, width)[:, :-1]


def row_codes(data: Any) -> tuple[Array, int]:
    """Return a code for every row of a table, the same for rows whose values are all equal; and how many.

    >>> row_codes([[1, 1, 2], ["a", "a", "a"]])
    (array([0, 0, 1], dtype=uint8), 2)
    """
    if isinstance(data, (list, tuple)):
        columns = list(data)
    elif (names := column_names(data)) is not None:
        columns = [data[name] for name in names]
    else:
        matrix = np.asarray(data)
        columns = [matrix] if matrix.ndim == 1 else list(matrix.T)
    if not columns:
        raise LengthError("data has no columns.")
    lengths = {len(values) for values in columns}
    if len(lengths) > 1:
        raise LengthError(f"the columns of data have different lengths: {shown(sorted(lengths))}.")
    codes, count = _value_codes(columns[0], 0)
    for index, values in enumerate(columns[1:], 1):
        if count == len(codes):  # all rows are different already
            break
        codes, distinct = cross([(codes, count), _value_codes(values, index)])
        count = len(distinct[0])
    return codes, count


def _value_codes(values: Any, index: int) -> tuple[Array, int]:
    """Return a column's values as codes; a missing value is equal to another."""
    try:
        values_column = column(values, f"column {index} of data")
    except ColumnError:
        dates = np.asarray(values)
        if dates.dtype.kind not in "mM":
            raise
        values_column = Column("dates", dates.view(np.int64))
    plain = values_column.values
    if values_column.labels is None and plain.dtype.kind == "f":
        wide = plain.astype(np.float64) + 0.0  # -0.0 equals 0.0
        wide[np.isnan(wide)] = np.nan  # of one sort
        plain = wide.view(np.uint64)
    elif plain.dtype.kind == "b":
        plain = plain.view(np.uint8)
    codes, labels = kernels.encode_integers(np.ascontiguousarray(plain))
    if values_column.missing is not None:  # what such rows hold is nothing, and may occur nowhere else
        codes, labels = kernels.encode_integers(
            np.where(values_column.missing, len(labels), codes).astype(np.uint32)
        )
    return codes, len(labels)


def _fitting(split: Split, values: Array, name: str) -> Array:
    if len(values) != len(split.places):
        raise LengthError(
            f"the split is of {count_of(len(split.places), 'row')}, {name} has {len(values):,}."
        )
    return values
