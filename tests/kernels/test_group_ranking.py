"""Areas under the curves of many groups at once, against pairs counted one by one."""

import math
from fractions import Fraction

import numpy as np
import pytest

from assay import kernels


def ranked(codes, groups, scores, positive):
    """The kernel's result for rows of groups."""
    offsets, order = kernels.order_groups(np.asarray(codes, dtype=np.uint32), groups)
    return kernels.rank_groups(offsets, order, np.asarray(scores), np.asarray(positive, dtype=np.uint8))


def by_hand(scores, positive):
    """Positives, twice the concordant pairs, and average precision, from every pair and every cutoff."""
    high = [score for score, is_positive in zip(scores, positive, strict=True) if is_positive]
    low = [score for score, is_positive in zip(scores, positive, strict=True) if not is_positive]
    pairs = sum(2 * (one > other) + (one == other) for one in high for other in low)
    if not high:
        return 0, pairs, math.nan
    precisions = [
        Fraction(sum(other >= score for other in high), sum(other >= score for other in high + low))
        for score in high
    ]
    return len(high), pairs, float(sum(precisions) / len(high))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("distinct", [2, 7, 1000])
def test_every_group_is_ranked_by_itself(dtype, distinct):
    """Positives, concordant pairs and average precision equal those counted pair by pair."""
    draw = np.random.default_rng(distinct)
    codes, n = draw.integers(0, 40, 900), 900
    codes[codes == 7] = 8  # a group without rows
    scores = (draw.integers(0, distinct, n) - distinct // 2).astype(dtype) / 8
    positive = draw.random(n) < draw.random(40)[codes]
    positives, concordance, precision, bad_row = ranked(codes, 40, scores, positive)
    assert bad_row == -1
    for group in range(40):
        rows = codes == group
        hits, pairs, area = by_hand(scores[rows].tolist(), positive[rows].tolist())
        assert (positives[group], concordance[group]) == (hits, pairs)
        assert precision[group] == pytest.approx(area, rel=3e-16, nan_ok=True)


def test_extreme_scores_are_numbers_like_others():
    """Infinities rank at the ends, and zero has no sign."""
    scores = [math.inf, -math.inf, 0.0, -0.0, 5e-324, -1e308]
    positive = [1, 0, 1, 0, 1, 0]
    positives, concordance, precision, _ = ranked([0] * 6, 1, scores, positive)
    assert (positives[0], concordance[0], precision[0]) == by_hand(scores, positive)


def test_the_order_of_rows_and_the_number_of_threads_do_not_matter():
    """Rows in another order give the same bits, on one thread or two."""
    draw = np.random.default_rng(3)
    codes, scores, positive = draw.integers(0, 300, 60_000), draw.random(60_000), draw.random(60_000) < 0.3
    expected = [array.tobytes() for array in ranked(codes, 300, scores, positive)[:3]]
    order = draw.permutation(60_000)
    before = kernels.threads()
    try:
        for threads in (1, 2):
            kernels.set_threads(threads)
            shuffled = ranked(codes[order], 300, scores[order], positive[order])
            assert [array.tobytes() for array in shuffled[:3]] == expected
    finally:
        kernels.set_threads(before)


def test_a_nan_is_found():
    """A row whose score is NaN is named, and there are no values."""
    positives, _, _, bad_row = ranked([0, 0, 1], 2, [0.1, math.nan, 0.3], [0, 1, 1])
    assert bad_row == 1
    assert len(positives) == 0


def test_rows_that_are_not_there_are_refused():
    """Wrong offsets, lengths and row numbers raise instead of reading beyond the columns."""
    offsets, scores, positive = np.array([0, 2]), np.array([0.1, 0.2]), np.array([0, 1], dtype=np.uint8)
    with pytest.raises(ValueError, match="not there"):
        kernels.rank_groups(offsets, np.array([0, 5], dtype=np.uint32), scores, positive)
    with pytest.raises(ValueError, match="differ in length"):
        kernels.rank_groups(offsets, np.array([0, 1], dtype=np.uint32), scores, positive[:1])
    with pytest.raises(ValueError, match="offsets must rise"):
        kernels.rank_groups(np.array([0, 3]), np.array([0, 1], dtype=np.uint32), scores, positive)
