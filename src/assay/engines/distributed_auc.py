"""Exact areas of rows that lie in stretches of the score: nobody holds the scores of all of them.

A stretch is tallied alone; what it says of pairs within it, and how many rows of each class lie above and
below it, is all that the areas need.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.errors import LabelError, TallyError
from assay.tallies import Sums
from assay.tallies.exact_numbers import Dyadic

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.inputs.columns import Array
    from assay.tallies import Scores

__all__ = ["Above", "Areas", "Stretch", "above", "areas", "precision_sum"]

_EXACT = 2.0**53  # integers up to here are floats


class Areas(NamedTuple):
    """The exact area under the ROC curve, and average precision, its terms rounded once and added exactly."""

    auc: Fraction
    average_precision: float
    positives: int
    negatives: int
    dropped: int


class Stretch(NamedTuple):
    """The rows whose scores lie between two of them.

    ``concordant`` is twice the number of pairs that are ranked right, a tie counting half.
    """

    number: int  # of the partition
    lowest: float
    highest: float
    positives: int
    negatives: int
    concordant: int

    @classmethod
    def of(cls, tally: Scores, number: int) -> Stretch:
        """Return the stretch of an exact tally that holds rows."""
        concordance = tally.concordance()
        lowest, highest = float(tally.scores[0]), float(tally.scores[-1])
        return cls(
            number, lowest, highest, concordance.positives, concordance.negatives, concordance.concordant
        )


class Above(NamedTuple):
    """How many rows lie above a stretch, and how many it holds itself."""

    positives: int
    rows: int
    own_positives: int
    own_rows: int


def above(stretches: Iterable[Stretch]) -> dict[int, Above]:
    """Return, by the number of each stretch, what lies above it.

    >>> above([Stretch(0, 0.1, 0.4, 1, 2, 1), Stretch(1, 0.5, 0.9, 3, 1, 4)])[0]
    Above(positives=3, rows=4, own_positives=1, own_rows=3)
    """
    above_by_number, positives, rows = {}, 0, 0
    for stretch in reversed(_ordered(stretches)):
        own_rows = stretch.positives + stretch.negatives
        above_by_number[stretch.number] = Above(positives, rows, stretch.positives, own_rows)
        positives, rows = positives + stretch.positives, rows + own_rows
    return above_by_number


def areas(stretches: Iterable[Stretch], precision: Iterable[Dyadic], dropped: int = 0) -> Areas:
    """Return the areas of all stretches, whose sums of precision are given in any order."""
    concordant = positives = negatives = 0
    for stretch in _ordered(stretches):
        # A positive of this stretch scores higher than every negative of those below.
        concordant += stretch.concordant + 2 * stretch.positives * negatives
        positives, negatives = positives + stretch.positives, negatives + stretch.negatives
    if not positives or not negatives:
        raise LabelError(f"no row is {'negative' if positives else 'positive'}: there is no area.")
    total = Dyadic()
    for terms in precision:
        total += terms
    auc = Fraction(concordant, 2 * positives * negatives)
    return Areas(auc, total / positives, positives, negatives, dropped)


def precision_sum(positives: Array, negatives: Array, rows_above: Above) -> Dyadic:
    """Return the sum of a stretch's terms of average precision: positives at a score times precision there.

    Counts are those of ascending scores. Each term is rounded once; the sum is exact.
    """
    at_score = positives[::-1].astype(np.int64)
    cumulative = np.cumsum(at_score)
    rows = rows_above.rows + cumulative + np.cumsum(negatives[::-1], dtype=np.int64)
    cumulative += rows_above.positives
    if len(at_score) and (int(cumulative[-1]), int(rows[-1])) != (
        rows_above.positives + rows_above.own_positives,
        rows_above.rows + rows_above.own_rows,
    ):
        raise TallyError(
            "the rows have changed meanwhile: a frame must give the same ones whenever it is read."
        )
    has_positives = at_score > 0
    at_score, cumulative, rows = at_score[has_positives], cumulative[has_positives], rows[has_positives]
    is_exact = at_score.astype(np.float64) * cumulative < _EXACT
    total = Sums.of((at_score[is_exact] * cumulative[is_exact]) / rows[is_exact]).total
    for p, tp, n in zip(*(part[~is_exact].tolist() for part in (at_score, cumulative, rows)), strict=True):
        quotient, remainder = divmod(p * tp, n)
        total = total + Dyadic.of(quotient) + Dyadic.of_float(remainder / n)
    return total


def _ordered(stretches: Iterable[Stretch]) -> Sequence[Stretch]:
    """Return stretches by their scores, or raise where two of them share some."""
    rising = sorted(stretches, key=lambda stretch: stretch.lowest)
    for lower, upper in itertools.pairwise(rising):
        if lower.highest >= upper.lowest:
            raise TallyError(f"two stretches of scores overlap: {lower.highest} and {upper.lowest}.")
    return rising
