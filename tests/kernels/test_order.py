from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assay._kernels import (
    merge_pairs,
    merge_scores,
    order_pairs,
    order_scores,
    set_threads,
    sweep_scores,
)

COUNTS = (np.uint8, np.uint16, np.uint32, np.uint64)
FLOATS = (np.float64, np.float32)


@pytest.fixture(autouse=True)
def every_core():
    yield
    set_threads(0)


def smallest(*counts):
    top = max((int(c.max()) for c in counts if c.size), default=0)
    return next(t for t in COUNTS if top <= np.iinfo(t).max)


def in_order(scores, positive):
    """Distinct scores and class counts, the slow way."""
    values, place = np.unique(scores + scores.dtype.type(0), return_inverse=True)
    p = np.bincount(place[positive == 1], minlength=values.size)
    q = np.bincount(place[positive == 0], minlength=values.size)
    count = smallest(p, q)
    return values, p.astype(count), q.astype(count)


def pairs_in_order(x, y, positive):
    rows = np.column_stack([x + 0.0, y + 0.0])
    values, place = np.unique(rows, axis=0, return_inverse=True)
    place = place.reshape(-1)
    p = np.bincount(place[positive == 1], minlength=len(values))
    q = np.bincount(place[positive == 0], minlength=len(values))
    count = smallest(p, q)
    return (*np.ascontiguousarray(values.T), p.astype(count), q.astype(count))


def assert_same(got, want):
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert g.dtype == w.dtype
        assert g.tobytes() == w.tobytes()


def uniform(r, n):
    return r.random(n)


def with_infinities(r, n):
    scores = r.standard_normal(n)
    scores[::7] = np.inf
    scores[3::11] = -np.inf
    return scores


def signed_zeros(r, n):
    return np.where(r.random(n) < 0.5, -0.0, r.integers(-1, 2, n) * r.random(n))


SHAPES = {
    "uniform": uniform,
    "sigmoid": lambda r, n: 1 / (1 + np.exp(-2 * r.standard_normal(n))),
    "rare": lambda r, n: 1 / (1 + np.exp(5 - r.standard_normal(n))),
    "logits": lambda r, n: 3 * r.standard_normal(n),
    "three decimals": lambda r, n: r.random(n).round(3),
    "five decimals": lambda r, n: r.random(n).round(5),
    "votes": lambda r, n: r.integers(0, 101, n) / 100,
    "hard": lambda r, n: r.integers(0, 2, n) * 1.0,
    "constant": lambda _, n: np.full(n, -0.25),
    "half zeros": lambda r, n: np.where(r.random(n) < 0.5, 0.0, r.random(n)),
    "heavy ties both signs": lambda r, n: np.where(
        r.random(n) < 0.6, np.floor(2 * r.standard_normal(n)), r.standard_normal(n)
    ),
    "piled at both ends": lambda r, n: r.beta(0.1, 0.1, n),
    "sorted": lambda r, n: np.sort(r.random(n)),
    "reversed": lambda r, n: np.sort(r.random(n))[::-1].copy(),
    "infinities": with_infinities,
    "600 decades, both signs": lambda r, n: r.choice([-1.0, 1.0], n) * 10 ** (600 * r.random(n) - 300),
    "log-uniform": lambda r, n: 10 ** (-30 * r.random(n)),
    "two clusters": lambda r, n: r.choice([0.25, 0.75], n) + 1e-10 * r.random(n),
    "two clusters, both signs": lambda r, n: r.choice([-0.25, 0.75], n) + 1e-10 * r.random(n),
    "nearly all within 1e-9": lambda r, n: np.where(
        r.random(n) < 0.98, 0.5 + 1e-9 * r.random(n), r.random(n)
    ),
    "4096 clusters": lambda r, n: r.integers(0, 4096, n) / 4096 + 1e-9 * r.random(n),
    "subnormal": lambda r, n: r.integers(-(10**6), 10**6, n) * 5e-324,
    "signed zeros": signed_zeros,
    # One row in 997 is far away: the sample meets few, the buckets at the ends get them all.
    "unseen tails": lambda r, n: np.where(
        np.arange(n) % 997 == 0, r.standard_normal(n) * 1e200, 1 + 1e-3 * r.random(n)
    ),
}


def make(shape, n, score=np.float64, label=np.int64, seed=0):
    r = np.random.default_rng([seed, n])
    with np.errstate(over="ignore", under="ignore"):
        scores = SHAPES[shape](r, n).astype(score)
    return scores, (r.random(n) < 0.3).astype(label)


@pytest.mark.parametrize("label", [np.uint8, np.int64])
@pytest.mark.parametrize("score", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_order_equals_unique(shape, score, label):
    """Every shape of scores gives what np.unique and bincount give, to the byte and the dtype."""
    for n in (1, 2, 3, 24, 25, 100, 1000, 5000, 30_000, 140_000):
        scores, positive = make(shape, n, score, label)
        *tally, bad_score, bad_label = order_scores(scores, positive)
        assert (bad_score, bad_label) == (-1, -1)
        assert_same(tally, in_order(scores, positive))


@pytest.mark.parametrize("n", [65_536, 65_537, 131_071, 131_072, 131_073, 262_144, 262_145])
@pytest.mark.parametrize("shape", ["uniform", "logits", "votes", "half zeros"])
def test_order_at_limits(shape, n):
    """Row counts on either side of every limit between two ways of working give the same."""
    scores, positive = make(shape, n)
    assert_same(order_scores(scores, positive)[:3], in_order(scores, positive))


@pytest.mark.parametrize("shape", ["uniform", "half zeros", "heavy ties both signs", "two clusters"])
@pytest.mark.parametrize("score", FLOATS)
def test_order_of_a_million(shape, score):
    """Large columns, where buckets overflow and heavy scores are taken out, are exact too."""
    scores, positive = make(shape, 1_100_003, score)
    assert_same(order_scores(scores, positive)[:3], in_order(scores, positive))


@pytest.mark.parametrize("shape", SHAPES)
def test_threads_and_row_order_do_not_matter(shape):
    """One, two and three threads and any order of rows give the same bytes."""
    scores, positive = make(shape, 140_000)
    want = order_scores(scores, positive)[:3]
    for threads in (1, 2, 3):
        set_threads(threads)
        shuffle = np.random.default_rng(threads).permutation(scores.size)
        assert_same(order_scores(scores, positive)[:3], want)
        assert_same(order_scores(scores[shuffle], positive[shuffle])[:3], want)


@pytest.mark.parametrize("digits", [3, 5, 6, 9])
def test_gaps_between_buckets_are_closed_by_many_threads(digits):
    """Where scores tie, buckets end in gaps of any size, which 1, 2, 5 or 16 threads close alike."""
    scores, positive = make("uniform", 1_100_003)
    scores = np.round(scores, digits) - 0.25
    want = in_order(scores, positive)
    for threads in (1, 2, 5, 16):
        set_threads(threads)
        assert_same(order_scores(scores, positive)[:3], want)


@pytest.mark.parametrize("score", FLOATS)
@pytest.mark.parametrize(
    ("count", "dtype"),
    [(255, np.uint8), (256, np.uint16), (65_535, np.uint16), (65_536, np.uint32)],
)
@pytest.mark.parametrize("others", [0, 50, 140_000])
def test_counts_are_as_narrow_as_they_can_be(score, count, dtype, others):
    """Both counts share the smallest dtype that holds the largest of them."""
    r = np.random.default_rng(count)
    scores = np.concatenate([np.full(count, 0.5), r.random(others)]).astype(score)
    positive = np.concatenate([np.ones(count), r.integers(0, 2, others)]).astype(np.uint8)
    shuffle = r.permutation(scores.size)
    scores, positive = scores[shuffle], positive[shuffle]
    if others and score is np.float32:
        scores[(scores == 0.5) & (np.cumsum(scores == 0.5) > count)] = 0.25
    got = order_scores(scores, positive)[:3]
    assert_same(got, in_order(scores, positive))
    assert got[1].dtype == got[2].dtype == dtype


def test_no_rows():
    """No rows give an empty tally, whose sums are zero and which merges with anything."""
    for score in FLOATS:
        empty = order_scores(np.empty(0, score), np.empty(0, np.int64))
        assert [a.size for a in empty[:3]] == [0, 0, 0]
        assert empty[0].dtype == score
        assert empty[3:] == (-1, -1)
        tally = order_scores(np.array([1, 2], score), np.array([0, 1]))[:3]
        assert_same(merge_scores(*empty[:3], *tally), tally)
        assert_same(merge_scores(*tally, *empty[:3]), tally)
        assert_same(merge_scores(*empty[:3], *empty[:3]), empty[:3])
    assert sweep_scores(empty[1], empty[2]) == (0, 0, 0, 0, 0, 0, -1)


@pytest.mark.parametrize("score", FLOATS)
@pytest.mark.parametrize("shape", ["uniform", "votes", "hard", "two clusters"])
def test_first_bad_row_is_found(shape, score):
    """The first NaN and the first label other than 0 and 1 are reported, wherever they are."""
    for n in (1, 100, 140_000):
        scores, positive = make(shape, n, score)
        for row in {0, n // 3, n // 2, n - 1}:
            nan, label = scores.copy(), positive.copy()
            nan[row] = np.nan
            nan[n - 1] = -np.nan
            assert order_scores(nan, positive)[3:] == (row, -1)
            for bad in (2, -1, 256, 2**40, -(2**63)):
                label[row] = bad
                got = order_scores(scores, label)
                assert got[3:] == (-1, row)
                assert [a.size for a in got[:3]] == [0, 0, 0]
            assert order_scores(nan, label)[3:] == (row, row)
            small = positive.astype(np.uint8)
            small[row] = 2
            assert order_scores(scores, small)[3:] == (-1, row)


def test_every_nan_is_found():
    """Quiet or signalling, of either sign, with any payload."""
    bits = [0x7FF0000000000001, 0x7FF8000000000000, 0xFFF0000000000001, 0xFFFFFFFFFFFFFFFF]
    for n in (10, 140_000):
        for pattern in bits:
            for scores in make("uniform", n)[0], make("votes", n)[0]:
                scores.view(np.uint64)[7] = pattern
                assert order_scores(scores, np.zeros(n, np.uint8))[3:] == (7, -1)


def test_wrong_arrays_are_refused():
    """Lengths that differ and dtypes that are not meant raise."""
    with pytest.raises(ValueError, match="length"):
        order_scores(np.zeros(3), np.zeros(2, np.int64))
    with pytest.raises(TypeError):
        order_scores(np.zeros(3, np.float16), np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="length"):
        sweep_scores(np.zeros(3, np.uint8), np.zeros(2, np.uint8))
    with pytest.raises(ValueError, match="dtype"):
        sweep_scores(np.zeros(3, np.uint8), np.zeros(3, np.uint16))
    with pytest.raises(TypeError):
        sweep_scores(np.zeros(3), np.zeros(3))
    one = np.zeros(1, np.uint8)
    with pytest.raises(ValueError, match="length"):
        merge_scores(np.zeros(2), one, one, np.zeros(1), one, one)


finite_or_infinite = {
    np.float64: st.floats(allow_nan=False),
    np.float32: st.floats(allow_nan=False, width=32),
}


@pytest.mark.parametrize("score", FLOATS)
@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_order_of_any_scores(score, data):
    """Any scores at all, infinities and both zeros included."""
    scores = data.draw(hnp.arrays(score, st.integers(0, 60), elements=finite_or_infinite[score]))
    positive = data.draw(hnp.arrays(np.uint8, scores.size, elements=st.integers(0, 1)))
    assert_same(order_scores(scores, positive)[:3], in_order(scores, positive))


def swept(p, q):
    """Sweep in Python integers."""
    p, q = [int(v) for v in p], [int(v) for v in q]
    m, n0 = sum(p), sum(q)
    below_p = below_q = concordance = p_squares = q_squares = 0
    gaps = []
    for a, b in zip(p, q, strict=True):
        concordance += a * (2 * below_q + b)
        p_squares += a * (2 * below_q + b) ** 2
        q_squares += b * (2 * (m - below_p - a) + a) ** 2
        below_p, below_q = below_p + a, below_q + b
        gaps.append(abs(below_p * n0 - below_q * m))
    gap = max(gaps, default=0)
    return m, n0, concordance, p_squares, q_squares, gap, gaps.index(gap) if gaps else -1


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("n", [1, 2, 2047, 2048, 2049, 10_000])
def test_sweep_is_exact(count, n):
    """Concordance, DeLong's two sums and the KS gap equal integer arithmetic, for any dtype."""
    r = np.random.default_rng(n)
    top = min(int(np.iinfo(count).max), 2**41 // n) + 1
    for p_top, q_top in ((2, 2), (top, top), (2, top), (1, 2), (2, 1)):
        p = r.integers(0, p_top, n, np.uint64).astype(count)
        q = r.integers(0, q_top, n, np.uint64).astype(count)
        assert sweep_scores(p, q) == swept(p, q)


@pytest.mark.parametrize("peak", [0, 2047, 2048, 4095, 4096, 9_999])
def test_sweep_finds_the_first_largest_gap(peak):
    """The gap's index is the first that reaches it, at block edges too."""
    p = (np.arange(10_000) <= peak).astype(np.uint8)
    q = 1 - p
    assert sweep_scores(p, q) == swept(p, q)
    assert sweep_scores(q, p) == swept(q, p)
    assert sweep_scores(p, np.zeros(10_000, np.uint8)) == swept(p, np.zeros(10_000, np.uint8))


def test_sweep_of_a_long_tally():
    """Above 131,072 entries the work is shared out and the sums stay the same."""
    r = np.random.default_rng(5)
    p = r.integers(0, 3, 1_200_000).astype(np.uint8)
    q = r.integers(0, 4, 1_200_000).astype(np.uint8)
    want = swept(p, q)
    for threads in (1, 2, 3):
        set_threads(threads)
        assert sweep_scores(p, q) == want


def test_sweep_limit():
    """2^42 rows are exact, one more is refused: no sum runs over in silence."""
    half = 2**41
    p = np.array([0, half - 5, 5, 0], np.uint64)
    q = np.array([half - 7, 3, 0, 4], np.uint64)
    assert sweep_scores(p, q) == swept(p, q)
    third = np.array([2**42 // 3, 0], np.uint64), np.array([0, 2 * (2**42 // 3)], np.uint64)
    assert sweep_scores(*third) == swept(*third)
    assert sweep_scores(third[1], third[0]) == swept(third[1], third[0])
    with pytest.raises(ValueError, match="2\\^42"):
        sweep_scores(p, q + np.array([1, 0, 0, 0], np.uint64))
    top = np.full(5000, np.iinfo(np.uint64).max)
    with pytest.raises(ValueError, match="2\\^42"):
        sweep_scores(top, top)


@pytest.mark.parametrize("shape", SHAPES)
def test_auc_and_delong_equal_rationals(shape):
    """AUC and DeLong's components equal the sums over all pairs of rows, as fractions."""
    scores, positive = make(shape, 300)
    _, p, q, _, _ = order_scores(scores, positive)
    m, n0, concordance, p_squares, q_squares, gap, index = sweep_scores(p, q)
    high, low = scores[positive == 1], scores[positive == 0]
    wins = 2 * (high[:, None] > low).astype(int) + (high[:, None] == low)
    assert Fraction(concordance, 2 * m * n0) == Fraction(int(wins.sum()), 2 * high.size * low.size)
    assert p_squares == int((wins.sum(axis=1) ** 2).sum())
    assert q_squares == int((wins.sum(axis=0) ** 2).sum())
    at = np.unique(scores + 0.0)[:, None]
    gaps = abs((high <= at).sum(axis=1) * low.size - (low <= at).sum(axis=1) * high.size)
    assert (gap, index) == (gaps.max(), gaps.argmax())


@pytest.mark.parametrize("score", FLOATS)
@pytest.mark.parametrize("shape", ["uniform", "votes", "infinities", "signed zeros", "half zeros"])
@pytest.mark.parametrize("n", [3, 1000, 200_000])
def test_merge_of_any_split_is_the_whole(shape, score, n):
    """Two parts tallied apart and merged give the bytes of the whole, whichever comes first."""
    scores, positive = make(shape, n, score)
    whole = order_scores(scores, positive)[:3]
    r = np.random.default_rng(n)
    for share in (0.0, 0.01, 0.5, 1.0):
        left = r.random(n) < share
        a = order_scores(scores[left], positive[left])[:3]
        b = order_scores(scores[~left], positive[~left])[:3]
        assert_same(merge_scores(*a, *b), whole)
        assert_same(merge_scores(*b, *a), whole)


@pytest.mark.parametrize("a_count", COUNTS)
@pytest.mark.parametrize("b_count", COUNTS)
def test_merge_of_any_dtypes(a_count, b_count):
    """Counts of different dtypes add up to the smallest dtype that holds the sums."""
    a = np.array([1.0, 2, 3]), np.array([255, 0, 1], a_count), np.array([0, 7, 1], a_count)
    b = np.array([1.0, 4]), np.array([1, 9], b_count), np.array([3, 0], b_count)
    want = [1.0, 2, 3, 4], [256, 0, 1, 9], [3, 7, 1, 0]
    got = merge_scores(*a, *b)
    assert [list(column) for column in got] == [list(column) for column in want]
    assert got[1].dtype == got[2].dtype == np.uint16
    huge = np.array([5.0]), np.array([2**63 - 1], np.uint64), np.array([2**40], np.uint64)
    p, q = merge_scores(*huge, *huge)[1:]
    assert (int(p[0]), int(q[0]), p.dtype) == (2**64 - 2, 2**41, np.uint64)


@pytest.mark.parametrize("score", FLOATS)
def test_long_merge_is_shared_out(score):
    """A merge of more than a million entries equals the whole with 1, 2 and 3 threads."""
    r = np.random.default_rng(9)
    scores = (r.integers(0, 4_000_000, 2_600_000) / 4_000_000).astype(score)
    scores[:300_000] = 0.5
    positive = r.integers(0, 2, scores.size)
    whole = order_scores(scores, positive)[:3]
    a = order_scores(scores[:1_900_000], positive[:1_900_000])[:3]
    b = order_scores(scores[1_900_000:], positive[1_900_000:])[:3]
    for threads in (1, 2, 3):
        set_threads(threads)
        assert_same(merge_scores(*a, *b), whole)
        assert_same(merge_scores(*b, *a), whole)


PAIRS = {
    "continuous": lambda r, n: (r.standard_normal(n), r.standard_normal(n)),
    "few scores, any weight": lambda r, n: (r.integers(0, 5, n) / 4, r.random(n)),
    "any score, few weights": lambda r, n: (r.random(n), r.integers(1, 4, n) * 1.0),
    "few of both": lambda r, n: (r.integers(-3, 3, n) / 2, r.integers(-2, 3, n) * 1.0),
    "one pair": lambda _, n: (np.full(n, -0.5), np.full(n, 2.0)),
    "one score": lambda r, n: (np.full(n, -0.5), r.standard_normal(n)),
    "half one pair": lambda r, n: np.where(r.random(n) < 0.5, 0.0, r.standard_normal((2, n))),
    "close": lambda r, n: (0.5 + 1e-13 * r.random(n), -0.5 + 1e-13 * r.random(n)),
    "zeros and infinities": lambda r, n: (
        r.choice([-0.0, 0.0, np.inf, -np.inf, 1, -1], n),
        r.choice([-0.0, 0.0, np.inf, -np.inf, 5e-324], n),
    ),
    "alike": lambda r, n: np.cumsum(r.random((2, n)) * [[1], [1e-3]], axis=0),
}


@pytest.mark.parametrize("shape", PAIRS)
def test_pairs_equal_unique_rows(shape):
    """Distinct pairs come in lexicographic order with their counts, at any size and threads."""
    for n in (1, 2, 25, 300, 9000, 45_000):
        r = np.random.default_rng(n)
        x, y = map(np.ascontiguousarray, PAIRS[shape](r, n))
        positive = r.integers(0, 2, n).astype(np.uint8)
        want = pairs_in_order(x, y, positive)
        for threads in (1, 2, 3):
            set_threads(threads)
            shuffle = r.permutation(n)
            *got, bad = order_pairs(x[shuffle], y[shuffle], positive[shuffle])
            assert bad == -1
            assert_same(got, want)
        left = r.random(n) < 0.3
        a = order_pairs(x[left], y[left], positive[left])[:4]
        b = order_pairs(x[~left], y[~left], positive[~left])[:4]
        assert_same(merge_pairs(*a, *b), want)
        assert_same(merge_pairs(*b, *a), want)


def test_long_merge_of_pairs():
    """A merge of more than a million pairs equals the whole."""
    r = np.random.default_rng(3)
    x, y = r.integers(0, 2000, 1_500_000) / 7, r.integers(0, 2000, 1_500_000) / 3
    positive = r.integers(0, 2, x.size).astype(np.uint8)
    whole = order_pairs(x, y, positive)[:4]
    rest = np.arange(x.size) % 3 != 0
    a = order_pairs(x[~rest], y[~rest], positive[~rest])[:4]
    b = order_pairs(x[rest], y[rest], positive[rest])[:4]
    for threads in (1, 2):
        set_threads(threads)
        assert_same(merge_pairs(*a, *b), whole)


def test_bad_pairs():
    """The first row with a NaN in either column or a bad label is reported."""
    for n in (5, 60_000):
        r = np.random.default_rng(n)
        x, y, positive = r.random(n), r.random(n), r.integers(0, 2, n).astype(np.uint8)
        positive[4] = 2
        assert order_pairs(x, y, positive)[4] == 4
        y[3] = np.nan
        assert order_pairs(x, y, positive)[4] == 3
        x[2] = np.nan
        got = order_pairs(x, y, positive)
        assert got[4] == 2
        assert [a.size for a in got[:4]] == [0, 0, 0, 0]
    none = np.empty(0)
    assert [a.size for a in order_pairs(none, none, np.empty(0, np.uint8))[:4]] == [0] * 4
