"""Which problem rows pose: said by the caller, or inferred where it cannot be mistaken."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import InputError, LabelError, shown
from assay.evaluation.class_scores import of_class_scores, one_of_two
from assay.evaluation.doubts import check_kind, refuse_idle, refuse_swapped
from assay.evaluation.kinds import Kind, Problem
from assay.inputs import Column, Rows, encode, label_union
from assay.inputs.labels import binary

if TYPE_CHECKING:
    from assay.inputs import Label, Labels

__all__ = ["Kind", "Problem", "posed"]

_PAIRS = ({0, 1}, {-1, 1})


def posed(rows: Rows, kind: str | None = None, threshold: float | None = None) -> tuple[Problem, Rows]:
    """Return the problem that rows pose, and the rows as that problem reads them.

    >>> import assay
    >>> problem, _ = posed(assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0]))
    >>> problem.title, problem.positive, problem.inferred
    ('Binary classification', 1, ('the labels are 0, 1, of which 1 is positive',))
    """
    check_kind(kind)
    if rows.actual is None:
        raise InputError("an evaluation needs actual=, what was true, beside predicted= or score=.")
    actual = rows.actual
    if rows.predicted is None and rows.score is None:
        raise InputError(
            "an evaluation needs predicted= (labels or numbers), score= (of the positive class), or both "
            "beside actual=."
        )
    refuse_idle(rows, kind, threshold)
    if kind == "ranking" or (kind is None and rows.query is not None):
        for role, what in (("query", "which list each row is of"), ("score", "what the lists are ranked by")):
            if getattr(rows, role) is None:
                raise InputError(f"ranked lists need {role}=, {what}.")
        if rows.weight is not None:
            raise InputError("ranked lists count alike, so that weight= has no use: leave it out.")
        return Problem("ranking", inferred=() if kind else ("there are queries, so lists are ranked",)), rows
    if rows.score is not None and rows.score.values.ndim > 1:
        rows, kind, chosen = one_of_two(rows, kind)
        if chosen is None:
            return of_class_scores(rows, kind)
        problem, rows = _of_labels(rows, "binary", threshold)
        return dataclasses.replace(problem, inferred=(*problem.inferred, chosen)), rows
    if kind == "regression" or (kind is None and threshold is None and _are_numbers(rows)):
        return _regression(rows, kind)
    if threshold is not None and rows.score is None:
        if _can_be_cut(actual):
            return _cut(rows, threshold)
        raise InputError(
            f"threshold={threshold:g} cuts scores into predictions, or actual and predicted numbers into two "
            "classes, but actual holds text and there are no scores: pass score=, or leave threshold= out."
        )
    refuse_swapped(rows)
    return _of_labels(rows, kind, threshold)


def _regression(rows: Rows, kind: str | None) -> tuple[Problem, Rows]:
    if rows.predicted is None:
        raise InputError("a regression needs predicted= numbers; score= is for classes.")
    if kind is None:
        refuse_swapped(rows)
    said = () if kind else ("actual and predicted are numbers that are not whole, so it is a regression",)
    return Problem("regression", inferred=said), rows


def _of_labels(rows: Rows, kind: str | None, threshold: float | None) -> tuple[Problem, Rows]:
    actual, predicted = rows.actual, rows.predicted
    assert actual is not None  # noqa: S101 - seen to before
    found = encode(actual)[1]
    if predicted is not None:
        found = label_union(found, encode(predicted)[1])
    labels = rows.labels or found
    if kind == "ordinal" and rows.labels is None and labels and isinstance(labels[0], str):
        raise LabelError(
            f"the labels {shown(labels)} have no order of their own: state it, lowest first, with labels=."
        )
    if kind in ("multiclass", "ordinal"):
        if rows.positive is not None:
            raise LabelError(f'positive= has no use where kind="{kind}": all classes are judged alike.')
        return _several(rows, "ordinal" if kind == "ordinal" else "multiclass", labels, said=True)
    if rows.score is not None or rows.positive is not None or kind == "binary":
        return _binary(rows, labels, threshold)
    if set(labels) in _PAIRS or (labels and set(labels) == {False, True}):
        return _binary(rows, labels, threshold)
    if len(labels) == 2:  # noqa: PLR2004 - two classes
        raise LabelError(
            f"the labels are {shown(labels)}: say which one is positive with positive=, "
            'or judge both alike with kind="multiclass".'
        )
    if rows.labels is None and labels and isinstance(labels[0], int):
        binary_too = '"binary", ' if any(set(labels) <= pair for pair in _PAIRS) else ""
        raise InputError(
            f"actual holds whole numbers ({shown(labels, 4)}), which may be classes, grades or quantities: "
            f'say kind={binary_too}"multiclass", "ordinal" or "regression".'
        )
    return _several(rows, "multiclass", labels, said=False)


def _several(
    rows: Rows, kind: Literal["multiclass", "ordinal"], labels: Labels, *, said: bool
) -> tuple[Problem, Rows]:
    if rows.predicted is None:
        raise InputError(
            f"{len(labels)} classes need predicted= labels, or a column of scores for each of them in score=."
        )
    inferred = () if said else (f"the labels are {shown(labels)}",)
    return Problem(kind, labels, inferred=inferred), rows


def _binary(rows: Rows, labels: Labels, threshold: float | None) -> tuple[Problem, Rows]:
    assert rows.actual is not None  # noqa: S101 - seen to before
    _, positive = binary(rows.actual, rows.positive, rows.labels)
    inferred: tuple[str, ...] = ()
    if rows.positive is None:
        known = labels if positive in labels else (*labels, positive)
        inferred = (f"the labels are {shown(known)}, of which {shown([positive])} is positive",)
    if positive not in labels and {*labels, positive} not in _PAIRS:
        raise LabelError(
            f"the positive label {shown([positive])} does not occur: the labels are {shown(labels)}. Where "
            "it may be absent, declare all labels with labels=."
        )
    others = [label for label in labels if label != positive]
    if len(others) > 1:
        rows, classes = _against_rest(rows, positive)
        inferred += (f"{shown([positive])} is judged against the other {len(others)} labels together",)
    else:
        classes = (others[0] if others else _opposite(positive), positive)
    if (
        rows.score is not None
        and threshold is None
        and rows.predicted is None
        and _are_probabilities(rows.score)
    ):
        threshold = 0.5
        inferred += ("the scores are probabilities, cut at 0.5 for the counts",)
    rows = dataclasses.replace(rows, positive=classes[1])
    return Problem("binary", classes, classes[1], threshold, inferred), rows


def _against_rest(rows: Rows, positive: Label) -> tuple[Rows, tuple[Label, Label]]:
    """Return rows of two labels, as text: the positive one and all others."""
    names = (f"not {positive}", str(positive))

    def two(column: Column | None) -> Column | None:
        if column is None:
            return None
        codes, labels = encode(column)
        table = np.array([label == positive for label in labels], dtype=np.uint8)
        return Column(column.name, table[codes], names, None, column.origin)

    parted = dataclasses.replace(rows, actual=two(rows.actual), predicted=two(rows.predicted), labels=names)
    return parted, names


def _opposite(positive: Label) -> Label:
    """Return a name for the class that does not occur."""
    if isinstance(positive, bool):
        return not positive
    return f"not {positive}" if isinstance(positive, str) else (0 if positive == 1 else positive - 1)


def _cut(rows: Rows, threshold: float) -> tuple[Problem, Rows]:
    """Return the rows with actual and predicted numbers cut at a threshold; the latter rank as scores too."""
    names = (f"below {threshold:g}", f"{threshold:g} or more")

    def two(column: Column) -> Column:
        numbers = column.numbers("numbers")
        column.refuse_missing()
        return Column(column.name, (numbers >= threshold).astype(np.uint8), names, None, column.origin)

    actual, predicted = rows.need("actual", "an evaluation"), rows.need("predicted", "an evaluation")
    said = (f"actual and predicted numbers are cut at {threshold:g}",)
    cut = dataclasses.replace(
        rows, actual=two(actual), predicted=two(predicted), score=predicted, labels=names, positive=names[1]
    )
    return Problem("binary", names, names[1], threshold, said), cut


def _are_numbers(rows: Rows) -> bool:
    """Tell whether actual and predicted are measured quantities: numbers, not all of them whole."""
    columns = (rows.actual, rows.predicted)
    if rows.score is not None or any(one is None or one.labels is not None for one in columns):
        return False
    return any(one is not None and _has_fractions(one.values) for one in columns)


def _can_be_cut(actual: Column) -> bool:
    return actual.labels is None and actual.values.dtype.kind in "iuf"


def _has_fractions(values: Any) -> bool:
    return values.dtype.kind == "f" and bool((values != np.floor(values)).any())


def _are_probabilities(score: Column) -> bool:
    numbers = score.numbers("scores")
    return len(numbers) > 0 and float(numbers.min()) >= 0 and float(numbers.max()) <= 1
