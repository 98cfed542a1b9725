"""Scores of several classes side by side: two that are one, the predictions they imply, and their kind."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError, LabelError, NumberError, shown
from assay.evaluation.kinds import Problem
from assay.inputs import Column, column
from assay.tallies.row_losses import numbers

if TYPE_CHECKING:
    from assay.inputs import Rows

__all__ = ["of_class_scores", "one_of_two"]

_PAIRS = ({0, 1}, {-1, 1})


def one_of_two(rows: Rows, kind: str | None) -> tuple[Rows, str | None, str | None]:
    """Return rows whose two columns of scores are the positive class's, and what is to be said of it.

    Two columns are what many models give for two classes. Nothing is said where they stay as they are.
    """
    labels, score = rows.labels or (), rows.score
    assert score is not None  # noqa: S101 - seen to before
    if len(labels) != 2 or kind not in (None, "binary"):  # noqa: PLR2004 - two classes
        if rows.positive is not None or kind == "binary":
            said = "positive= names one class" if rows.positive is not None else 'kind="binary" has two'
            raise InputError(
                f"score= has a column for each of {len(labels)} classes, but {said}: pass the positive "
                "class's column alone, or leave it out to judge all classes alike."
            )
        return rows, kind, None
    positive = rows.positive
    if positive is None:
        if set(labels) not in _PAIRS:
            raise LabelError(
                f"the labels are {shown(labels)}: say which one is positive with positive=, "
                'or judge both alike with kind="multiclass".'
            )
        positive = max(labels)
    place = labels.index(positive)
    chosen = Column(
        score.name, np.ascontiguousarray(score.values[:, place]), None, None, score.origin, score.place
    )
    return (
        dataclasses.replace(rows, score=chosen),
        "binary",
        f"the scores are column {place}, that of {shown([positive])}",
    )


def of_class_scores(rows: Rows, kind: str | None) -> tuple[Problem, Rows]:
    """Return the problem of a column of scores per class; without predictions, the highest score predicts."""
    labels, score = rows.labels or (), rows.score
    assert score is not None  # noqa: S101 - seen to before
    if kind in ("regression", "multilabel"):
        raise InputError(
            f'score= has one column per class, which is no {kind} problem: use kind="multiclass".'
        )
    said: tuple[str, ...] = () if kind else ("scores of each class",)
    if rows.predicted is None:
        guess = column(np.array(labels)[score.values.argmax(axis=1)], "highest score")
        guess = dataclasses.replace(guess, origin=score.origin, place=score.place)
        rows = dataclasses.replace(rows, predicted=guess)
        said += ("the highest predicts, of equal ones the first",)
    problem = Problem(
        "ordinal" if kind == "ordinal" else "multiclass",
        labels,
        inferred=said,
        probabilities=_sum_to_one(rows),
    )
    return problem, rows


def _sum_to_one(rows: Rows) -> bool:
    """Tell whether every row's scores are probabilities of all classes."""
    try:
        numbers(rows, "probabilities", "an evaluation")
    except (NumberError, LabelError):
        return False
    return True
