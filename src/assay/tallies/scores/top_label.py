"""The confidence tally: how probable a model held the class it predicted, and whether it was right."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

import numpy as np

from assay.inputs import Column, Rows, need_rows
from assay.tallies.grouped import Grouped
from assay.tallies.loss_arguments import loss_argument
from assay.tallies.scores.scores import Scores
from assay.tallies.tally import require

__all__ = ["Confidences"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Confidences(Grouped, kind="confidences"):
    """For each predicted label, the probabilities it was given, and how often it was right.

    The predicted label is the one of the largest probability; of several, the first in the order of labels.
    It reads as a mapping from label to :class:`~assay.Scores`, whose positives are the right predictions.

    State: one entry per predicted label and distinct largest probability.

    Examples
    --------
    >>> import assay
    >>> scores = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.6, 0.3, 0.1]]
    >>> tally = assay.Confidences.of(assay.rows(actual=["a", "b", "c"], score=scores))
    >>> tally["a"].scores, tally["a"].positives
    (array([0.6, 0.7]), array([0, 1], dtype=uint8))
    """

    @classmethod
    def of(cls, rows: Rows) -> Self:  # type: ignore[override]
        """Return the tally of rows with actual labels and a column of probabilities per class."""
        if not len(need_rows(rows)):
            return cls()
        what = "a confidence tally"
        codes, probabilities = (loss_argument(rows, role, what) for role in ("codes", "probabilities"))
        top = probabilities.argmax(axis=1)
        confidence = np.take_along_axis(probabilities, top[:, None], axis=1)[:, 0]
        rows_of_top_label = Rows(
            len(rows),
            actual=Column("correct", codes == top),
            score=Column("confidence", confidence),
            weight=rows.weight,
            by=(Column("predicted", top.astype(np.uint64), rows.labels),),
        )
        return super().of(rows_of_top_label, Scores)

    def pooled(self) -> Scores:
        """Return all predictions together, whatever their label."""
        tally: Any = Scores()
        for scores in self.tallies:
            tally = tally.merge(scores)
        return tally  # type: ignore[no-any-return]

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        super().check()
        for key, scores in self.items():
            require(type(key) is tuple and len(key) == 1, "a key that is no label")
            require(isinstance(scores, Scores) and scores.positive is True, "a tally of something else")
            values = scores.scores
            require(len(values) > 0 and 0 <= values[0] <= values[-1] <= 1, "no probabilities")
