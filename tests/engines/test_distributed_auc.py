from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.engines.distributed_auc import Above, Stretch, above, areas, precision_sum


def cut(score, actual, cuts):
    """Return the tallies of the rows between cuts of the score."""
    sides = np.searchsorted(cuts, score, side="right")
    return [
        assay.Scores.of(assay.rows(actual=actual[sides == side], score=score[sides == side]))
        for side in np.unique(sides)
    ]


@settings(deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 1)), min_size=2, max_size=80),
    cuts=st.lists(st.integers(0, 12), max_size=5).map(sorted),
    seed=st.integers(0, 99),
)
def test_stretches_give_the_areas_of_the_whole(rows, cuts, seed):
    """However the scores are cut, and in whatever order the stretches come, the areas are those of all rows."""
    score, actual = (np.array(one) for one in zip(*rows, strict=True))
    whole = assay.Scores.of(assay.rows(actual=actual, score=score))
    tallies = cut(score, actual, cuts)
    places = np.random.default_rng(seed).permutation(len(tallies)).tolist()
    stretches = [Stretch.of(tally, place) for tally, place in zip(tallies, places, strict=True)][::-1]
    over = above(stretches)
    sums = [
        precision_sum(tally.positives, tally.negatives, over[place])
        for tally, place in zip(tallies, places, strict=True)
    ]
    ranks = whole.concordance()
    if not ranks.positives or not ranks.negatives:
        with pytest.raises(assay.LabelError, match="there is no area"):
            areas(stretches, sums)
        return
    found = areas(stretches, sums)
    assert found.auc == Fraction(ranks.concordant, 2 * ranks.positives * ranks.negatives)
    assert found.average_precision == whole.average_precision()


def test_ties_beyond_what_a_float_counts():
    """A term whose product no float holds is divided as integers: it is off by no more than its rest is."""
    positives, negatives = np.array([10**9, 3], dtype=np.uint64), np.array([10**9 + 7, 1], dtype=np.uint64)
    over = Above(10**12, 3 * 10**12, 10**9 + 3, 2 * 10**9 + 11)
    top = Fraction(3 * (10**12 + 3), 3 * 10**12 + 4)
    rest = Fraction(10**9 * (10**12 + 10**9 + 3), 3 * 10**12 + 2 * 10**9 + 11)
    found = precision_sum(positives, negatives, over).fraction()
    assert abs(found - (top + rest)) < Fraction(1, 2**50)


def test_stretches_that_cannot_be():
    """Stretches that share a score, and rows that changed between two readings, are refused."""
    with pytest.raises(assay.TallyError, match="overlap"):
        above([Stretch(0, 0.1, 0.5, 1, 1, 1), Stretch(1, 0.5, 0.9, 1, 1, 1)])
    one = np.array([1], dtype=np.uint8)
    with pytest.raises(assay.TallyError, match="have changed"):
        precision_sum(one, one, Above(0, 0, 2, 3))
