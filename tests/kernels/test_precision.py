"""Average precision by steps, from the counts of a score tally."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._kernels import order_scores, set_threads, sweep_precision

COUNTS = [np.uint8, np.uint16, np.uint32, np.uint64]
BLOCK = 2048


@pytest.fixture(autouse=True)
def _every_core_again():
    yield
    set_threads(0)


def precision_by_hand(positives, negatives):
    """Walk from the highest score down in rational numbers."""
    tp = every = area = 0
    for p, q in zip(reversed(positives.tolist()), reversed(negatives.tolist()), strict=True):
        tp, every = tp + p, every + p + q
        if p:
            area += Fraction(p * tp, every)
    return area / tp


def assert_close(positives, negatives):
    exact = precision_by_hand(positives, negatives)
    found = sweep_precision(positives, negatives)
    assert type(found) is float
    assert abs(Fraction(found) - exact) <= 1.5 * Fraction(math.ulp(float(exact)))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("n", [1, 2, 5, 60, 800])
def test_precision_is_the_rational_number(count, n):
    """For any counts of any dtype the area is within 1.5 units in the last place of the rational one."""
    r = np.random.default_rng(n)
    top = min(int(np.iinfo(count).max), 2**41 // n) + 1
    for p_top, q_top in ((2, 2), (5, 3), (top, top), (2, top), (top, 2), (top, 1)):
        p = r.integers(0, p_top, n, np.uint64).astype(count)
        q = r.integers(0, q_top, n, np.uint64).astype(count)
        p[r.integers(n)] = 1
        assert_close(p, q)


@pytest.mark.parametrize("n", [BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 3])
def test_blocks_meet(n):
    """Rows above a block are counted into it, whatever the number of entries."""
    r = np.random.default_rng(n)
    p, q = r.integers(0, 3, n).astype(np.uint8), r.integers(0, 3, n).astype(np.uint8)
    tp, every = p[::-1].cumsum(), (p.astype(int) + q)[::-1].cumsum()
    terms = [Fraction(int(a) * int(b), int(c)) for a, b, c in zip(p[::-1], tp, every, strict=True) if a]
    # A sum of so many fractions is rounded to 200 bits each: far beyond a double's.
    exact = Fraction(sum(one.numerator * 2**200 // one.denominator for one in terms), 2**200 * int(tp[-1]))
    found = sweep_precision(p, q)
    assert abs(Fraction(found) - exact) <= 1.5 * Fraction(math.ulp(float(exact)))


def test_the_best_and_the_worst():
    """All positives on top give 1; entries without rows change nothing; no positives give NaN."""
    zeros, ones = np.zeros(5000, np.uint8), np.ones(5000, np.uint8)
    assert sweep_precision(np.concatenate([zeros, ones]), np.concatenate([ones, zeros])) == 1.0
    assert sweep_precision(ones, ones) == 0.5
    assert sweep_precision(np.array([1, 0], np.uint8), np.array([0, 3], np.uint8)) == 0.25
    assert sweep_precision(np.array([0, 1, 0, 0], np.uint8), np.array([3, 1, 0, 0], np.uint8)) == 0.5
    assert math.isnan(sweep_precision(zeros, ones))
    assert math.isnan(sweep_precision(zeros[:0], zeros[:0]))


@pytest.mark.parametrize("count", COUNTS)
def test_threads_change_nothing(count):
    """1, 2 and 3 threads give the same bits, near those of NumPy's sum."""
    r = np.random.default_rng(8)
    p, q = r.integers(0, 3, 700_000).astype(count), r.integers(0, 200, 700_000).astype(count)
    tp, every = p[::-1].cumsum(dtype=float), (p.astype(float) + q)[::-1].cumsum()
    rough = (p[::-1] * tp / every).sum() / tp[-1]
    set_threads(1)
    one = sweep_precision(p, q)
    assert one == pytest.approx(rough, rel=1e-12)
    for threads in (2, 3):
        set_threads(threads)
        assert sweep_precision(p, q) == one


def test_products_beyond_a_double():
    """Where p TP has more bits than a double, whole quotients are kept apart and nothing is lost."""
    for p, q in (
        ([2**41 - 1, 3, 2**40 + 7], [5, 2**20 + 1, 1]),
        ([2**41, 1], [2**41 - 3, 2]),
        ([7, 2**42 - 7], [0, 0]),
        ([1, 2**41 - 9], [2**41 - 1, 1]),
    ):
        assert_close(np.array(p, np.uint64), np.array(q, np.uint64))
    half = np.array([2**41 + 1], np.uint64), np.array([2**41 - 1], np.uint64)
    assert sweep_precision(*half) == 0.5 + 2.0**-42
    with pytest.raises(ValueError, match="2\\^42"):
        sweep_precision(half[0], half[0])
    top = np.full(5000, np.iinfo(np.uint64).max)
    with pytest.raises(ValueError, match="2\\^42"):
        sweep_precision(top, top)


counts = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), min_size=1, max_size=40)


@settings(deadline=None)
@given(counts, st.integers(1, 300))
def test_any_counts(rows, first):
    """Whatever counts Hypothesis finds, the area is within 1.5 units in the last place."""
    p, q = np.array([(first, 0), *rows], dtype=np.uint16).T.copy()
    assert_close(p, q)


def test_ties_count_together():
    """Rows of one score share the precision at that score, in whatever order they come."""
    score = np.array([0.9, 0.5, 0.5, 0.5, 0.1])
    label = np.array([1, 0, 1, 1, 0])
    _, p, q, *_ = order_scores(score, label)
    assert sweep_precision(p, q) == pytest.approx((1 + 2 * 3 / 4) / 3, rel=1e-15)


def test_wrong_counts_are_refused():
    """Lengths and dtypes that differ, and floats, raise."""
    with pytest.raises(ValueError, match="length"):
        sweep_precision(np.zeros(3, np.uint8), np.zeros(2, np.uint8))
    with pytest.raises(ValueError, match="dtype"):
        sweep_precision(np.zeros(3, np.uint8), np.zeros(3, np.uint16))
    with pytest.raises(TypeError):
        sweep_precision(np.zeros(3), np.zeros(3))
