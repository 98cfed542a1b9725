"""Class labels: encoding, order, declared labels and the positive label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from assay import kernels
from assay.errors import ColumnError, LabelError, NumberError, shown
from assay.hints import hint, param, passed

if TYPE_CHECKING:
    from assay.inputs.columns import Array, Column

__all__ = [
    "Label",
    "Labels",
    "binary",
    "check_declared",
    "cross",
    "encode",
    "in_order",
    "label_union",
    "plain_label",
    "positions",
    "positive_label",
    "same_kind",
    "stated_order",
    "translate",
    "weights",
]

Label: TypeAlias = str | int | bool
Labels: TypeAlias = tuple[Label, ...]

# Label pairs whose positive label is 1 by convention.
_CONVENTIONAL_PAIRS: tuple[frozenset[int], ...] = (frozenset({0, 1}), frozenset({-1, 1}))


def encode(column: Column) -> tuple[Array, Labels]:
    """Return a column's labels, sorted, and for every row the index of its label.

    Numbers must be whole: 1.0 is the label 1, and 0.5 is refused, because a measured quantity is not a class.
    """
    column.refuse_missing()
    values = column.values
    if column.labels is not None:
        return values, column.labels
    if values.ndim > 1:
        column.plain_numbers("labels")  # raises
    if values.dtype.kind == "f":
        codes, labels, bad_row = kernels.encode_doubles(values)
        if bad_row >= 0:
            _refuse_label(column, bad_row)
        return codes, tuple(labels.tolist())
    boolean = values.dtype.kind == "b"
    codes, labels = kernels.encode_integers(values.view(np.uint8) if boolean else values)
    return codes, tuple(map(bool, labels)) if boolean else tuple(labels.tolist())


def _refuse_label(column: Column, row: int) -> NoReturn:
    value = float(column.values[row])
    if np.isnan(value):
        column.raise_missing(row)
    if value.is_integer():
        raise LabelError(
            f"{column.name} holds {value!r} ({column.where(row)}), a float beyond 2**53, where floats skip "
            "whole numbers. Pass such labels as integers or text."
        )
    raise LabelError(
        f"{column.name} holds {value!r} ({column.where(row)}), which is no label: labels are text, whole "
        f"numbers or true/false. Cut a measured quantity into classes first{hint(' (assay.cut)', '')}, or "
        f"evaluate it as a regression{hint(' (assay.Moments)', '')}."
    )


def plain_label(value: Any) -> Label:
    """Return a label as a plain str, int or bool; raise if it is not a label.

    >>> plain_label(2.0), plain_label(np.str_("spam"))
    (2, 'spam')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        return "".join(value)  # a plain str, also from a subclass
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    raise LabelError(f"{value!r} is no label: labels are text, whole numbers or true/false.")


def same_kind(labels: Labels) -> Labels:
    """Return labels of one kind: true/false beside numbers count as 1 and 0, text beside them is refused."""
    kinds = {type(label) for label in labels}
    if str in kinds and len(kinds) > 1:
        texts, numbers = ([x for x in labels if isinstance(x, str) == text] for text in (True, False))
        raise LabelError(
            f"some labels are text and others numbers: {shown(texts, 3)} beside {shown(numbers, 3)}. "
            "Make them all text or all numbers."
        )
    return tuple(map(int, labels)) if kinds == {bool, int} else labels


def label_union(first: Labels, second: Labels) -> Labels:
    """Return the labels of both, sorted; true/false beside numbers count as 1 and 0.

    >>> label_union((1, 3), (2,)), label_union((False, True), (0, 2)), label_union((), ("b", "a"))
    ((1, 2, 3), (0, 1, 2), ('a', 'b'))
    """
    return tuple(sorted(set(same_kind((*first, *second)))))


def translate(labels: Labels, into: Labels) -> Array:
    """Return, for each label, its index in another label set that holds it."""
    index_of = {label: index for index, label in enumerate(into)}
    return np.array([index_of[label] for label in labels], dtype=np.uint64)


def positions(labels: tuple[Any, ...], union: tuple[Any, ...]) -> Array:
    """Return the index of each label in a union that holds it; true/false beside numbers are 1 and 0.

    >>> positions((False, True), (0, 1, 2)).tolist(), positions((), ()).tolist()
    ([0, 1], [])
    """
    turned = bool(labels) and type(labels[0]) is bool and type(union[0]) is int
    return translate(tuple(map(int, labels)) if turned else labels, union).astype(np.int64)


def cross(encoded: list[tuple[Array, int]]) -> tuple[Array, list[Array]]:
    """Return the index of each row's combination of codes, and each combination's codes.

    `encoded` holds codes and their number of labels, column by column. Combinations are numbered in sorted
    order, and only those that occur, so that the product of label counts cannot overflow.
    """
    (codes, _), *rest = encoded
    indices, combinations = kernels.encode_integers(codes)
    column_codes = [combinations.astype(np.intp)]
    for next_codes, size in rest:
        indices, combinations = kernels.encode_integers(
            indices.astype(np.uint64) * np.uint64(size) + next_codes
        )
        previous, last = np.divmod(combinations.astype(np.intp), size)
        column_codes = [*(earlier[previous] for earlier in column_codes), last]
    return indices, column_codes


def check_declared(column: Column, codes: Array, labels: Labels, declared: Labels) -> None:
    """Raise if the column holds a label that was not declared."""
    if labels and isinstance(labels[0], str) != isinstance(declared[0], str):
        raise LabelError(
            f"{column.name} holds {shown(labels, 3)}, but the declared labels are {shown(declared, 3)}: "
            "text on one side, numbers on the other."
        )
    known = set(declared)
    for code, label in enumerate(labels):
        if label not in known:
            row = int(np.argmax(codes == code))
            raise LabelError(
                f"{column.name} holds the label {shown([label])} (first at {column.where(row)}), "
                f"which is not among the declared labels: {shown(declared)}."
            )


def binary(column: Column, positive: Label | None, declared: Labels | None) -> tuple[Array, Label]:
    """Return which rows are positive, as 0 and 1, and the positive label.

    Without `positive`, only 0/1, false/true and -1/1 are accepted, with 1 or true as positive. A declared
    positive label need not occur: these may be a subset of the rows.
    """
    column.refuse_missing()
    if positive is None and declared is None and column.values.dtype.kind == "b":
        return column.values.view(np.uint8), True
    codes, labels = encode(column)
    if declared is not None:
        check_declared(column, codes, labels, declared)
    positive = positive_label(column.name, labels, positive, declared)
    if positive not in labels:
        return np.zeros(len(codes), dtype=np.uint8), positive
    if len(labels) == 2 and positive == labels[1] and codes.dtype == np.uint8:  # noqa: PLR2004 - two classes
        return codes, positive
    return (codes == labels.index(positive)).view(np.uint8), positive


def positive_label(name: str, labels: Labels, positive: Label | None, declared: Labels | None) -> Label:
    """Return the positive label of a column with these labels: as declared, or 1 (true) by convention.

    >>> positive_label("y", (0, 1), None, None), positive_label("y", (False, True), 1, None)
    (1, True)
    """
    if positive is None:
        positive = _conventional_positive(name, declared or labels)
    elif labels and isinstance(positive, str) != isinstance(labels[0], str):
        raise LabelError(
            f"{passed('positive', positive)} is {'text' if isinstance(positive, str) else 'a number'}, but "
            f"{name} holds {shown(labels)}."
        )
    if labels and isinstance(labels[0], bool) and positive not in (False, True):
        raise LabelError(f"{passed('positive', positive)} is neither true nor false, but {name} is boolean.")
    if labels and not isinstance(labels[0], str):
        positive = bool(positive) if isinstance(labels[0], bool) else int(positive)
    return positive


def _conventional_positive(name: str, labels: Labels) -> Label:
    if not labels or any(set(labels) <= pair for pair in _CONVENTIONAL_PAIRS):
        return True if labels and isinstance(labels[0], bool) else 1
    if len(labels) == 2:  # noqa: PLR2004 - two classes
        raise LabelError(
            f"the labels of {name} are {shown(labels)}: say which one is positive with {param('positive')}."
        )
    raise LabelError(
        f"{name} has {len(labels)} label{'s' * (len(labels) > 1)} ({shown(labels)}) where two are "
        f"needed: choose one with {param('positive')} to evaluate it against the rest."
    )


def weights(column: Column) -> Array:
    """Return a copy of the weights as float64; raise unless all are finite and none negative."""
    try:
        values = column.float64("weights")
    except ColumnError as refused:
        raise NumberError(str(refused)) from None
    column.refuse_missing()
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        row = int(np.argmax(bad))
        if np.isnan(values[row]):
            column.raise_missing(row)
        problem = "negative" if values[row] < 0 else "infinite"
        raise NumberError(
            f"{column.name} is {problem}: {values[row]} ({column.where(row)}). "
            "A weight is a finite number, 0 or more."
        )
    # A copy, so that later changes to the caller's array cannot undo the check.
    return np.array(values)


def stated_order(values: Any) -> Labels | None:
    """Return the labels of an ordered categorical or an enumeration, lowest first; None where none is stated.

    >>> import pandas as pd
    >>> stated_order(pd.Categorical(["mid", "low"], ["low", "mid", "high"], ordered=True))
    ('low', 'mid', 'high')
    >>> stated_order(pd.cut(pd.Series([7, 30]), [5, 10, 40]))
    ('(5, 10]', '(10, 40]')
    """
    dtype = getattr(values, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None or not (getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum"):
        return None
    try:
        return tuple(map(plain_label, categories))
    except LabelError:  # intervals, whose text is the label
        return tuple(map(str, categories))


def in_order(labels: Labels, column: Column | None) -> Labels:
    """Return labels in the order that a column states; as they are where it states none, or not of all.

    >>> import assay, pandas as pd
    >>> size = assay.column(pd.Categorical(["S", "L", "M"], ["S", "M", "L"], ordered=True))
    >>> size.labels, in_order(size.labels, size)
    (('L', 'M', 'S'), ('S', 'M', 'L'))
    """
    order = None if column is None else column.order
    if order is None or not set(labels) <= set(order):
        return labels
    return tuple(label for label in order if label in labels)
