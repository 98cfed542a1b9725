"""Scores of several classes read as those of one class against the rest."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import LabelError, shown
from assay.inputs import Column, encode
from assay.tallies.scores.multiclass_scores import ClassScores
from assay.tallies.scores.scores import Scores
from assay.tallies.tally import Tally

if TYPE_CHECKING:
    from assay.inputs import Label, Rows

__all__ = ["of_class"]


def of_class(data: Any, label: Label) -> Any:
    """Return rows, or a tally of scores, as those of one class against all others.

    A tally that holds no scores is returned as it is: the metric says which one it reads.

    >>> import assay
    >>> scores = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.4, 0.4, 0.2]]
    >>> rows = assay.rows(actual=["a", "b", "c", "a"], score=scores)
    >>> assay.Scores.of(of_class(rows, "b")) == assay.Scores.of(assay.rows(
    ...     actual=[False, True, False, False], score=[0.2, 0.5, 0.3, 0.4]))
    True
    """
    if isinstance(data, ClassScores):
        return data.against_rest(label)
    if isinstance(data, Scores) and data.positive not in (None, label):
        raise LabelError(
            f"the scores are those of {shown([data.positive])}: for {shown([label])} pass its own scores, or "
            "a column of scores for each class."
        )
    return data if isinstance(data, Tally) else _rows_of_class(data, label)


def _rows_of_class(rows: Rows, label: Label) -> Rows:
    actual, score = rows.actual, rows.score
    if actual is None or score is None or score.values.ndim == 1:
        return dataclasses.replace(rows, positive=label)
    labels = rows.labels or ()
    if label not in labels:
        raise LabelError(f"the label {shown([label])} is not among {shown(labels)}.")
    actual.refuse_missing()
    codes, own = encode(actual)
    positive = np.array([own_label == label for own_label in own], dtype=bool)[codes]
    chosen = np.ascontiguousarray(score.values[:, labels.index(label)])
    return dataclasses.replace(
        rows,
        actual=Column(actual.name, positive, None, None, actual.origin, actual.place),
        score=Column(score.name, chosen, None, None, score.origin, score.place),
        predicted=None,
        labels=None,
        positive=True,
    )
