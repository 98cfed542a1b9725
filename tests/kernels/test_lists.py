import itertools
from decimal import Decimal, localcontext
from fractions import Fraction
from math import fsum, inf, log2, nan

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay._kernels import match_lists, rank_rows, score_lists, set_threads

NAMES = [
    "hits",
    "precision_sum",
    "precision_mean_sum",
    "reciprocal_rank",
    "dcg_linear",
    "dcg_exponential",
    "ideal_dcg_linear",
    "ideal_dcg_exponential",
    "hit",
]
NO_TIES = np.empty(0, dtype=np.uint8)


@pytest.fixture(autouse=True)
def every_core_again():
    yield
    set_threads(0)


def ragged(lists, dtype=np.int64):
    """Lay lists end to end: offsets and values."""
    offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return offsets, np.array(list(itertools.chain(*lists)), dtype=dtype)


def by_name(scores):
    """Name the columns."""
    return dict(zip(NAMES, scores, strict=True))


def match(actual, predicted):
    """Match lists given as lists."""
    return match_lists(*ragged(actual), *ragged(predicted))


def score_matched(actual, predicted, k):
    """Match and score: every relevant item has an ideal gain of 1."""
    gains, relevant = match(actual, predicted)
    ideal_offsets, ideal = ragged([[1.0] * int(r) for r in relevant], np.float64)
    return by_name(score_lists(ragged(predicted)[0], gains, NO_TIES, ideal_offsets, ideal, k))


def score_ranked(queries, k):
    """Rank and score rows given as one list of (score, gain) per query."""
    offsets, rows = ragged(queries, object)
    table = np.array(list(rows), dtype=np.float64).reshape(-1, 2)
    gains, tied, ideal, ideal_offsets, _, bad = rank_rows(offsets, *map(np.ascontiguousarray, table.T))
    assert bad == -1
    return by_name(score_lists(offsets, gains, tied, ideal_offsets, ideal, k))


def score_order(gains, k):
    """Score one order of gains by the definitions, with fractions where they are rational."""
    cutoff = k or len(gains)
    relevant = [gain > 0 for gain in gains]
    hits = [sum(relevant[:i]) for i in range(cutoff + 1)]
    ranks = [i for i in range(1, cutoff + 1) if i <= len(gains) and relevant[i - 1]]
    return {
        "hits": Fraction(hits[-1]),
        "precision_sum": sum((Fraction(hits[i], i) for i in ranks), Fraction(0)),
        "precision_mean_sum": sum(
            (Fraction(hits[i], min(i, len(gains))) for i in range(1, cutoff + 1) if gains),
            Fraction(0),
        ),
        "reciprocal_rank": Fraction(1, ranks[0]) if ranks else Fraction(0),
        "hit": Fraction(bool(ranks)),
        "dcg_linear": fsum(gains[i - 1] / log2(i + 1) for i in ranks),
        "dcg_exponential": fsum((2.0 ** gains[i - 1] - 1) / log2(i + 1) for i in ranks),
    }


def score_by_enumeration(query, k):
    """Average over every order of the tied items."""
    levels = sorted({score for score, _ in query}, reverse=True)
    groups = [[gain for score, gain in query if score == level] for level in levels]
    orders = [
        list(itertools.chain(*order))
        for order in itertools.product(*(itertools.permutations(group) for group in groups))
    ]
    scored = [score_order(order, k) for order in orders]
    expected = {
        name: fsum(s[name] for s in scored) / len(scored)
        if name.startswith("dcg")
        else float(sum(s[name] for s in scored) / len(scored))
        for name in scored[0]
    }
    best = score_order(sorted((gain for _, gain in query), reverse=True), k)
    expected["ideal_dcg_linear"] = best["dcg_linear"]
    expected["ideal_dcg_exponential"] = best["dcg_exponential"]
    return expected


rows = st.tuples(st.sampled_from([-1.5, 0.0, -0.0, 2.0]), st.sampled_from([0.0, 1.0, 2.0, 0.3, 3.0]))


@settings(deadline=None, max_examples=150)
@given(st.lists(st.lists(rows, max_size=5), max_size=4), st.integers(0, 8))
@example([[(0.0, 1.0)] * 6, [(0.0, 0.0)] * 5 + [(0.0, 1.0)], []], 3)
@example([[(1.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 2.0), (0.0, 0.0)]], 4)
def test_tied_scores_give_the_expectation_over_orders(queries, k):
    """Every value is the mean over all orders of tied items, also when k cuts a tie."""
    scored = score_ranked(queries, k)
    for q, query in enumerate(queries):
        for name, expected in score_by_enumeration(query, k).items():
            assert scored[name][q] == pytest.approx(expected, rel=4e-15, abs=0), (name, query)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), max_size=60), max_size=5), st.integers(0, 70))
def test_untied_lists_follow_the_definitions(lists, k):
    """Without ties the rational values are the nearest floats to the textbook's, or one beside."""
    offsets, gains = ragged(lists, np.float64)
    ideal_offsets, ideal = ragged([sorted((g for g in one if g), reverse=True) for one in lists], np.float64)
    scored = by_name(score_lists(offsets, gains, NO_TIES, ideal_offsets, ideal, k))
    for q, one in enumerate(lists):
        for name, expected in score_order([float(g) for g in one], k).items():
            assert scored[name][q] == pytest.approx(float(expected), rel=4e-16, abs=0), name


TEACHING = [
    ([1, 2, 3], [0, 1, 2], [0, 0.25, 0.3888889]),
    ([0, 2], [1], [0, 0, 0]),
    ([1], [0, 2, 3], [0, 0, 0]),
    ([2, 3], [2, 3, 4, 0], [1, 1, 0.8888889]),
    ([1, 0], [0, 1, 2], [1, 1, 0.8888889]),
    ([], [0], [0, 0, 0]),
]


def test_the_teaching_table_of_average_precision():
    """AP@k as the mean of P@1 to P@k, six rows; MAP@1 to MAP@4 are 1/3, 3/8, 13/36 and 25/72."""
    actual, predicted, table = zip(*TEACHING, strict=True)
    for k in (1, 2, 3):
        got = score_matched(actual, predicted, k)["precision_mean_sum"] / k
        assert got == pytest.approx([row[k - 1] for row in table], abs=5e-8)
    means = [score_matched(actual, predicted, k)["precision_mean_sum"].mean() / k for k in (1, 2, 3, 4)]
    assert means == pytest.approx([1 / 3, 3 / 8, 13 / 36, 25 / 72], rel=1e-15)


def test_a_query_of_graded_gains():
    """Gains 3, 0, 2, 0, 1, 0 with 3 and 2 missed: s = 2.2667, NDCG .6143 and .6089."""
    offsets, gains = ragged([[3, 0, 2, 0, 1, 0]], np.float64)
    ideal_offsets, ideal = ragged([[3, 3, 2, 2, 1]], np.float64)
    s = by_name(score_lists(offsets, gains, NO_TIES, ideal_offsets, ideal, 6))
    assert s["precision_sum"] / 5 == pytest.approx(0.4533333333333, rel=1e-12)
    assert s["dcg_linear"] == pytest.approx(4.386852807235, rel=1e-12)
    assert s["dcg_exponential"] == pytest.approx(8.886852807235, rel=1e-12)
    assert s["dcg_linear"] / s["ideal_dcg_linear"] == pytest.approx(0.6143195302813, rel=1e-12)
    assert s["dcg_exponential"] / s["ideal_dcg_exponential"] == pytest.approx(0.6088807730827, rel=1e-12)


def test_a_query_with_tied_scores():
    """Two tied pairs within the first five: NDCG@4 averaged over ties is .89466."""
    query = list(zip([0.9, 0.8, 0.8, 0.5, 0.5, 0.1], [3, 2, 3, 0, 1, 2], strict=True))
    s = score_ranked([query], 4)
    assert s["dcg_linear"] / s["ideal_dcg_linear"] == pytest.approx(0.8946602434184, rel=1e-12)


def test_long_ties_agree_with_a_simulation_free_closed_form():
    """A tie of 5000 with 40 relevant: hypergeometric sums with exact fractions agree."""
    size, relevant, k = 5000, 40, 700
    query = [(1.0, 1.0)] * relevant + [(1.0, 0.0)] * (size - relevant)
    s = score_ranked([query], k)
    miss, rr = Fraction(1), Fraction(0)
    for i in range(1, k + 1):
        still = miss * Fraction(size - relevant - i + 1, size - i + 1)
        rr += (miss - still) / i
        miss = still
    assert s["reciprocal_rank"][0] == pytest.approx(float(rr), rel=1e-13)
    assert s["hit"][0] == pytest.approx(float(1 - miss), rel=1e-13)
    assert s["hits"][0] == float(Fraction(k * relevant, size))


def test_discounts_and_powers_are_the_nearest_floats():
    """1 / log2(i + 1) and 2**gain - 1 are within half an ulp and a little of the true value."""
    ranks = np.unique(np.geomspace(1, 200_000, 400).astype(int))
    offsets = np.array([0, *np.cumsum(ranks)], dtype=np.int64)
    gains = np.zeros(offsets[-1])
    gains[offsets[1:] - 1] = 1
    no_ideal = np.zeros(offsets.size, dtype=np.int64), np.empty(0)
    discount = by_name(score_lists(offsets, gains, NO_TIES, *no_ideal, 0))["dcg_linear"]
    powers = np.random.default_rng(0).random(300) * np.repeat([1e-9, 1e-3, 1, 10, 60, 1000], 50)
    one_each = np.arange(powers.size + 1, dtype=np.int64)
    no_ideal = np.zeros(one_each.size, dtype=np.int64), np.empty(0)
    power = by_name(score_lists(one_each, powers, NO_TIES, *no_ideal, 0))["dcg_exponential"]
    with localcontext() as context:
        context.prec = 340
        ln2 = Decimal(2).ln()
        context.prec = 60
        for rank, got in zip(ranks.tolist(), discount.tolist(), strict=True):
            true = ln2 / Decimal(rank + 1).ln()
            assert abs(Decimal(got) - true) <= Decimal(np.spacing(got)) * Decimal("0.502")
        for gain, got in zip(powers.tolist(), power.tolist(), strict=True):
            context.prec = 340
            true = (Decimal(gain) * ln2).exp() - 1
            assert abs(Decimal(got) - true) <= Decimal(np.spacing(got)) * Decimal("0.502")


def test_huge_and_tiny_gains_do_not_trap():
    """A gain of 1024 or more has an infinite power, the smallest one a power above 0."""
    offsets = np.array([0, 1, 2, 3], dtype=np.int64)
    gains = np.array([1024.0, 1023.0, 5e-324])
    s = by_name(score_lists(offsets, gains, NO_TIES, offsets, gains, 0))
    assert s["dcg_exponential"].tolist()[:2] == [inf, 2.0**1023]
    assert s["ideal_dcg_exponential"].tolist()[:2] == [inf, 2.0**1023]
    assert s["hits"].tolist() == [1, 1, 1]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.integers(-30, 30), max_size=40), st.lists(st.integers(-30, 30), max_size=40)),
        max_size=6,
    )
)
def test_matching_counts_each_item_once_at_its_first_place(queries):
    """A predicted place is a hit if its item is an actual one that did not come before."""
    actual, predicted = [a for a, _ in queries], [p for _, p in queries]
    gains, relevant = match(actual, predicted)
    expected = [item in a and item not in p[:i] for a, p in queries for i, item in enumerate(p)]
    assert gains.dtype == np.uint8
    assert gains.tolist() == expected
    assert relevant.tolist() == [len(set(a)) for a in actual]


def test_matching_takes_the_largest_and_smallest_integers():
    """Items at the ends of int64 are items like others, in short and long lists."""
    ends = [-(2**63), 2**63 - 1, 0]
    for extra in ([], list(range(1, 100))):
        gains, relevant = match([ends + extra], [[*ends, -1, *ends]])
        assert gains.tolist() == [1, 1, 1, 0, 0, 0, 0]
        assert relevant.tolist() == [3 + len(extra)]


def rank_reference(offsets, scores, gains):
    """Rank with Python's sort."""
    ranked, tied, ideal, relevant = [], [], [], []
    for begin, end in itertools.pairwise(offsets.tolist()):
        order = sorted(zip(-scores[begin:end], -gains[begin:end], strict=True))
        ranked += [-gain for _, gain in order]
        tied += [a[0] == b[0] for a, b in itertools.pairwise(order)] + [False] * (end > begin)
        positive = sorted((g for g in gains[begin:end] if g > 0), reverse=True)
        ideal.append(positive)
        relevant.append(len(positive))
    return ranked, tied, ideal, relevant


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_are_ranked_by_score_then_gain(dtype):
    """Infinities, both zeros, subnormals and ties are ranked as Python ranks them."""
    rng = np.random.default_rng(3)
    special = np.array([inf, -inf, 0.0, -0.0, 1e-45, -1e-45, 1.0, 1.0, 3e38])
    sizes = [0, 1, 2, 3, 0, 17, 64, 400, 1, 0]
    offsets = np.cumsum([0, *sizes])
    scores = rng.choice(special, offsets[-1]).astype(dtype)
    gains = rng.choice([0.0, -0.0, 1.0, 0.5, 1e308, 5e-324], offsets[-1])
    got = rank_rows(offsets, scores, gains)
    ranked, tied, ideal, relevant = rank_reference(offsets, scores.astype(float), gains)
    assert got[0].tolist() == ranked
    assert not np.signbit(got[0]).any()
    assert got[1].tolist() == tied
    ideal_offsets, flat = ragged(ideal, np.float64)
    assert got[2].tolist() == flat.tolist()
    assert got[3].tolist() == ideal_offsets.tolist()
    assert got[4].tolist() == relevant
    assert got[5] == -1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rows", [1, 100, 50_000])
def test_the_first_bad_row_is_returned(rows, dtype):
    """A NaN score or a gain that is NaN, negative or infinite is reported by its first row."""
    offsets = np.array([0, rows // 4, rows // 4, rows], dtype=np.int64)
    row = rows * 2 // 3
    for bad_score, bad_gain in [(nan, 1.0), (0.0, nan), (0.0, -1e-300), (0.0, inf), (-nan, nan)]:
        scores, gains = np.zeros(rows, dtype=dtype), np.ones(rows)
        scores[row], gains[row] = bad_score, bad_gain
        gains[-1] = -1
        *arrays, bad = rank_rows(offsets, scores, gains)
        assert bad == row
        assert all(array.size == 0 for array in arrays)


def random_queries(rng, count):
    """Offsets of queries of very uneven lengths, many of them empty."""
    sizes = rng.geometric(0.02, count) * (rng.random(count) < 0.7)
    sizes[count // 2] = 40_000
    return np.cumsum([0, *sizes])


def test_no_result_depends_on_threads_or_the_order_of_rows():
    """One, two and three threads, and rows shuffled within queries, give the same bits."""
    rng = np.random.default_rng(8)
    offsets = random_queries(rng, 4000)
    size = offsets[-1]
    scores, gains = rng.integers(0, 50, size) / 7, rng.choice([0, 0, 0, 1, 2.5], size)
    query = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    items, wanted = rng.integers(0, 300, size), rng.integers(0, 300, size)
    results = []
    for threads in (1, 2, 3):
        set_threads(threads)
        order = np.lexsort([rng.random(size), query])
        ranked = rank_rows(offsets, scores[order], gains[order])
        scored = score_lists(offsets, ranked[0], ranked[1], ranked[3], ranked[2], 25)
        matched = match_lists(offsets, wanted, offsets, items)
        results.append([array.tobytes() for array in (*ranked[:5], *scored, *matched)])
    assert results[0] == results[1] == results[2]


def test_gains_as_bytes_and_as_floats_score_alike():
    """Matched lists can be scored without turning their bytes into floats."""
    rng = np.random.default_rng(9)
    offsets = random_queries(rng, 300)
    gains = rng.integers(0, 2, offsets[-1]).astype(np.uint8)
    ideal = np.zeros(offsets.size, dtype=np.int64), np.empty(0)
    for tied in (NO_TIES, np.zeros(gains.size, dtype=np.uint8)):
        narrow = score_lists(offsets, gains, tied, *ideal, 10)
        wide = score_lists(offsets, gains.astype(float), NO_TIES, *ideal, 10)
        assert all(np.array_equal(a, b) for a, b in zip(narrow, wide, strict=True))


def test_nothing_is_a_valid_input():
    """No queries, and queries without any items, give empty or zero results."""
    none, zero = np.empty(0), np.zeros(1, dtype=np.int64)
    assert all(column.size == 0 for column in score_lists(zero, none, NO_TIES, zero, none, 3))
    assert match([], [])[1].size == 0
    assert rank_rows(zero, none, none)[3].tolist() == [0]
    assert all(column.tolist() == [0, 0] for column in score_ranked([[], []], 5).values())


@pytest.mark.parametrize("offsets", [[], [1, 3], [0, 2], [0, 4], [0, 2, 1, 3], [0, -1, 3], [-1, 3]])
def test_offsets_out_of_order_or_range_are_refused(offsets):
    """Offsets must start at 0, never fall and end at the number of values."""
    bad = np.array(offsets, dtype=np.int64)
    good, items = np.zeros(bad.size, dtype=np.int64), np.zeros(3, dtype=np.int64)
    values, none = np.zeros(3), np.empty(0)
    with pytest.raises(ValueError, match="offsets"):
        match_lists(bad, items, good, items[:0])
    with pytest.raises(ValueError, match="offsets"):
        match_lists(good, items[:0], bad, items)
    with pytest.raises(ValueError, match="offsets"):
        rank_rows(bad, values, values)
    with pytest.raises(ValueError, match="offsets"):
        score_lists(bad, values, NO_TIES, good, none, 1)
    with pytest.raises(ValueError, match="offsets"):
        score_lists(good, none, NO_TIES, bad, values, 1)


def test_other_misuse_is_refused():
    """Unequal lengths, a negative k and other types raise."""
    offsets, values, items = np.array([0, 3]), np.zeros(3), np.zeros(3, dtype=np.int64)
    two = np.array([0, 1, 3])
    with pytest.raises(ValueError, match="number"):
        match_lists(offsets, items, two, items)
    with pytest.raises(ValueError, match="number"):
        score_lists(offsets, values, NO_TIES, two, values, 1)
    with pytest.raises(ValueError, match="length"):
        rank_rows(offsets, values, values[:2])
    with pytest.raises(ValueError, match="length"):
        score_lists(offsets, values, np.zeros(2, dtype=np.uint8), offsets, values, 1)
    with pytest.raises(ValueError, match="negative"):
        score_lists(offsets, values, NO_TIES, offsets, values, -1)
    with pytest.raises(TypeError):
        match_lists(offsets, values, offsets, items)
