"""Labels: which classes there are, in which order, and which one is positive."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from assay import kernels
from assay.errors import ColumnError, LabelError, NumberError, shown
from assay.inputs.columns import Array, Column, doubles

__all__ = ["Label", "Labels", "binary", "check_declared", "encode", "label_union", "translate"]

Label: TypeAlias = str | int | bool
Labels: TypeAlias = tuple[Label, ...]

# The label pairs whose positive member nobody doubts.
_OBVIOUS: tuple[frozenset[int], ...] = (frozenset({0, 1}), frozenset({-1, 1}))


def encode(column: Column) -> tuple[Array, Labels]:
    """Return a column's labels, sorted, and for every row the index of its label.

    Numbers must be whole: 1.0 is the label 1, and 0.5 is refused, because a measured quantity is no class.
    """
    column.refuse_missing()
    values = column.values
    if column.labels is not None:
        return values, column.labels
    if values.dtype.kind == "f":
        codes, labels, bad_row = kernels.encode_doubles(values)
        if bad_row >= 0:
            _refuse_label(column, bad_row)
        return codes, tuple(labels.tolist())
    truth = values.dtype.kind == "b"
    codes, labels = kernels.encode_integers(values.view(np.uint8) if truth else values)
    return codes, tuple(map(bool, labels)) if truth else tuple(labels.tolist())


def _refuse_label(column: Column, row: int) -> None:
    value = float(column.values[row])
    if np.isnan(value):
        column.raise_missing(row)
    raise LabelError(
        f"{column.name} holds {value!r} at row {row:,} (counting from 0), which is no label: labels are "
        "text, whole numbers or true/false. For a measured quantity, say threshold= to cut it in two, "
        "or judge it as a regression."
    )


def label_union(first: Labels, second: Labels) -> Labels:
    """Return the labels of both, sorted; true/false beside numbers count as 1 and 0.

    >>> label_union((1, 3), (2,)), label_union((False, True), (0, 2)), label_union((), ("b", "a"))
    ((1, 2, 3), (0, 1, 2), ('a', 'b'))
    """
    if first == second and _kind(first) is _kind(second):
        return first
    if (clash := {_kind(first), _kind(second)} - {None}) and str in clash and len(clash) > 1:
        raise LabelError(
            f"one side has text labels and the other numbers: {shown(first, 3)} against "
            f"{shown(second, 3)}. Make them all text or all numbers."
        )
    merged = set(first) | set(second)
    if clash == {bool, int}:
        merged = set(map(int, merged))
    return tuple(sorted(merged))


def _kind(labels: Labels) -> type | None:
    return type(labels[0]) if labels else None


def translate(labels: Labels, into: Labels) -> Array:
    """Return, for each label, its index in another label set that holds it."""
    place = {label: index for index, label in enumerate(into)}
    return np.array([place[label] for label in labels], dtype=np.intp)


def check_declared(column: Column, codes: Array, labels: Labels, declared: Labels) -> None:
    """Raise if the column holds a label that was not declared."""
    known = set(declared)
    for code, label in enumerate(labels):
        if label not in known:
            row = int(np.argmax(codes == code))
            raise LabelError(
                f"{column.name} holds the label {shown([label])} (first at row {row:,}, counting from 0), "
                f"which is not among the declared labels: {shown(declared)}."
            )


def binary(column: Column, positive: Label | None) -> tuple[Array, Label]:
    """Return which rows are positive, as 0 and 1, and the label that means so.

    Without a stated positive label only 0/1, false/true and -1/1 are taken, as 1 or true.
    """
    column.refuse_missing()
    values = column.values
    if positive is None and values.dtype.kind == "b":
        return values.view(np.uint8), True
    codes, labels = encode(column)
    if positive is None:
        if labels and not any(set(labels) <= pair for pair in _OBVIOUS):
            if len(labels) == 2:  # noqa: PLR2004 - two classes
                raise LabelError(
                    f"the labels of {column.name} are {shown(labels)}: say which one is positive "
                    "with positive=."
                )
            raise LabelError(
                f"{column.name} has {len(labels)} labels ({shown(labels)}) where two are needed: "
                "name one with positive= to judge it against the rest."
            )
        positive = 1
    elif labels and positive not in labels:
        if type(positive) is str and type(labels[0]) is not str:
            raise LabelError(
                f"positive={positive!r} is text, but {column.name} holds numbers: {shown(labels)}."
            )
        if len(labels) > 1:
            raise LabelError(
                f"the positive label {shown([positive])} does not occur in {column.name}, "
                f"which holds {shown(labels)}."
            )
    if labels in {(0, 1), (-1, 1)} and positive == 1:
        return codes, positive
    if positive not in labels:
        return np.zeros(len(codes), dtype=np.uint8), positive
    return (codes == labels.index(positive)).view(np.uint8), positive


def weights(column: Column) -> Array:
    """Return weights as float64: finite, none negative, not all zero."""
    try:
        values = doubles(column.numbers("weights"))
    except ColumnError as refused:
        raise NumberError(str(refused)) from None
    column.refuse_missing()
    if not len(values):
        return values
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        row = int(np.argmax(bad))
        if np.isnan(values[row]):
            column.raise_missing(row)
        problem = "negative" if values[row] < 0 else "infinite"
        raise NumberError(
            f"{column.name} is {problem} at row {row:,} (counting from 0): {values[row]}. "
            "A weight is a finite number, 0 or more."
        )
    if not values.any():
        raise NumberError(f"every weight in {column.name} is 0, so no row counts.")
    return values
