import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._kernels import bin_edges, bin_places, bin_scores, set_threads

BITS = [12, 13, 16, 18, 22]
INFINITY = np.inf


@pytest.fixture(autouse=True)
def every_core_again():
    yield
    set_threads(0)


def nextafter(values, towards):
    """Step to the neighbouring float; the warnings at the ends of the range are expected."""
    with np.errstate(all="ignore"):
        return np.nextafter(values, towards)


def reference(scores, positive, bits):
    """Count by binary search in the edges."""
    edges = bin_edges(bits)
    cells = np.searchsorted(edges, scores.astype(np.float64) + 0.0, side="right") - 1
    counts = np.bincount(2 * cells + positive.astype(np.int64), minlength=2 * edges.size)
    return counts.reshape(-1, 2)


def hostile():
    """Every power of two of either sign, one less powers of two, and the floats around them."""
    powers = np.ldexp(1.0, np.arange(-1074, 1024))
    near_one = 1 - np.ldexp(1.0, np.arange(-53, 0))
    thirds = powers[100:-100] * (4 / 3)
    middle = np.concatenate([powers, near_one, thirds, [0.0, 1.0, 0.75, 0.3, INFINITY]])
    both = np.concatenate([middle, -middle])
    above, below = nextafter(both, INFINITY), nextafter(both, -INFINITY)
    return np.concatenate([both, above, below])


@pytest.mark.parametrize("bits", BITS)
def test_edges_ascend_from_minus_infinity_to_infinity(bits):
    """Edges strictly ascend, from -inf to inf, and nearly 2**bits cells are used, never more."""
    edges = bin_edges(bits)
    assert (edges[1:] > edges[:-1]).all()
    assert edges[0] == -INFINITY
    assert edges[-1] == INFINITY
    assert 0.97 * 2**bits < edges.size <= 2**bits


@pytest.mark.parametrize("bits", BITS)
def test_minus_infinity_zero_one_and_infinity_stand_alone(bits):
    """The cells of -inf, 0, 1 and inf hold that one value."""
    edges = bin_edges(bits)
    for value in (-INFINITY, 0.0, 1.0, INFINITY):
        cell = np.searchsorted(edges, value)
        assert edges[cell] == value
        if value < INFINITY:
            assert edges[cell + 1] == nextafter(value, INFINITY)


@pytest.mark.parametrize("bits", BITS)
def test_an_edge_is_the_smallest_score_of_its_cell(bits):
    """Each edge falls in its own cell and the float before it in the one below."""
    edges = bin_edges(bits)
    none = np.zeros(edges.size, dtype=np.uint8)
    counts, *bad = bin_scores(edges, none, bits)
    assert bad == [-1, -1]
    assert (counts == [1, 0]).all()
    counts, *_ = bin_scores(nextafter(edges[1:], -INFINITY), none[1:], bits)
    assert (counts[:-1] == [1, 0]).all()
    assert counts[-1].tolist() == [0, 0]


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("label", [np.uint8, np.int64])
def test_hostile_scores_land_where_binary_search_puts_them(bits, label):
    """Powers of two, subnormals, infinities, -0.0 and their neighbours are counted right."""
    scores = hostile()
    positive = (np.arange(scores.size) % 3 == 0).astype(label)
    counts, *bad = bin_scores(scores, positive, bits)
    assert bad == [-1, -1]
    assert counts.dtype == np.uint64
    assert np.array_equal(counts, reference(scores, positive, bits))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(allow_nan=False), st.booleans()), max_size=50),
    st.integers(12, 22),
)
def test_any_scores_land_where_binary_search_puts_them(rows, bits):
    """Whatever the scores, a cell's count is the number of rows between its edges."""
    scores = np.array([score for score, _ in rows], dtype=np.float64)
    positive = np.array([label for _, label in rows], dtype=np.uint8)
    counts, *_ = bin_scores(scores, positive, bits)
    assert np.array_equal(counts, reference(scores, positive, bits))


@pytest.mark.parametrize("label", [np.uint8, np.int64])
def test_float32_scores_land_in_the_cell_of_their_float64_value(label):
    """A float32 score is counted like the same number in float64, subnormals included."""
    rng = np.random.default_rng(5)
    with np.errstate(over="ignore"):
        scores = np.concatenate([rng.random(100_000), hostile()]).astype(np.float32)
    positive = rng.integers(0, 2, scores.size).astype(label)
    narrow, *_ = bin_scores(scores, positive, 18)
    wide, *_ = bin_scores(scores.astype(np.float64), positive, 18)
    assert np.array_equal(narrow, wide)


@pytest.mark.parametrize("rows", [0, 1, 511, 512, 513, 262_144, 262_145, 400_003])
def test_counts_do_not_depend_on_threads_or_order(rows):
    """One, two and three threads, and the rows reversed, give the same counts."""
    rng = np.random.default_rng(rows)
    scores = rng.normal(size=rows)
    positive = rng.integers(0, 2, rows)
    expected = reference(scores, positive, 14)
    for threads in (1, 2, 3):
        set_threads(threads)
        for flip in (slice(None), slice(None, None, -1)):
            flipped = np.ascontiguousarray(scores[flip]), np.ascontiguousarray(positive[flip])
            assert np.array_equal(bin_scores(*flipped, 14)[0], expected)


def test_probabilities_are_sharp_at_both_ends():
    """From 2**-14 to 1 - 2**-14 a cell of 18 bits is at most 2**-11 of its distance to an end."""
    edges = bin_edges(18)
    inside = edges[(edges >= 2.0**-14) & (edges <= 1 - 2.0**-14)]
    distance = np.minimum(inside[:-1], 1 - inside[:-1])
    assert (np.diff(inside) <= distance * 2.0**-11).all()
    deep = edges[(edges >= 2.0**-34) & (edges <= 2.0**-14)]
    assert (np.diff(deep) <= deep[:-1] * 2.0**-10).all()


def test_cells_hold_one_value_close_to_one():
    """Above 1 - 2**-44 every float64 has a cell of its own, so ties there are true ties."""
    edges = bin_edges(18)
    close = edges[(edges >= 1 - 2.0**-44) & (edges <= 1)]
    assert (np.diff(close) == 2.0**-53).all()


def test_logits_are_sharp_on_both_sides():
    """From 1e-3 to 4096, on either side of 0, a cell of 18 bits is at most 2**-10 of its score."""
    edges = bin_edges(18)
    for side in (
        edges[(edges >= 1e-3) & (edges <= 4096)],
        -edges[(edges <= -1e-3) & (edges >= -4096)],
    ):
        assert (np.abs(np.diff(side)) <= np.minimum(side[:-1], side[1:]) * 2.0**-10).all()


@pytest.mark.parametrize(
    ("name", "width"), [("sigmoid", 4e-5), ("rare", 4e-5), ("beta", 2e-5), ("logits", 4e-5)]
)
def test_certified_bounds_hold_the_exact_auc(name, width):
    """At 18 bits AUC lies in [C, C + T] / pairs and the part left open is small."""
    rng = np.random.default_rng(11)
    n = 300_000
    positive = (rng.random(n) < (0.02 if name == "rare" else 0.4)).astype(np.uint8)
    logits = 2 * rng.normal(size=n) + positive - (4.5 if name == "rare" else 0.5)
    scores = {"beta": rng.beta(0.1, 0.1, n), "logits": logits}.get(name, 1 / (1 + np.exp(-logits)))
    counts, *_ = bin_scores(scores, positive, 18)
    negatives, positives = (column.tolist() for column in counts.T)
    certain = open_pairs = below = 0
    edges = bin_edges(18)
    single = np.append(nextafter(edges[:-1], INFINITY) == edges[1:], True)
    for q, p, one in zip(negatives, positives, single.tolist(), strict=True):
        certain += 2 * p * below + (p * q if one else 0)
        open_pairs += 0 if one else 2 * p * q
        below += q
    values, index = np.unique(scores, return_inverse=True)
    q = np.bincount(index[positive == 0], minlength=values.size)
    p = np.bincount(index[positive == 1], minlength=values.size)
    exact = int((p * (2 * (np.cumsum(q) - q) + q)).sum())
    assert certain <= exact <= certain + open_pairs
    assert open_pairs / (2 * int(p.sum()) * int(q.sum())) < width


@pytest.mark.parametrize("rows", [1, 600, 300_000])
@pytest.mark.parametrize("score", [np.float64, np.float32])
@pytest.mark.parametrize("label", [np.uint8, np.int64])
def test_the_first_bad_rows_are_returned(rows, score, label):
    """The first NaN of either sign and the first label but 0 and 1 come back by row."""
    scores = np.linspace(-3, 3, rows).astype(score)
    positive = np.zeros(rows, dtype=label)
    scores[rows // 2 :: 7] = -np.nan
    scores[rows // 3 * 2 :: 7] = np.nan
    assert bin_scores(scores, positive, 18)[1:] == (rows // 2, -1)
    positive[rows - 1] = 2
    assert bin_scores(scores, positive, 18)[1:] == (rows // 2, rows - 1)
    positive[rows // 3] = np.iinfo(label).max
    scores[:] = 0
    assert bin_scores(scores, positive, 18)[1:] == (-1, rows // 3)
    if label is np.int64:
        positive[0] = -1
        assert bin_scores(scores, positive, 18)[2] == 0


def test_misuse_is_refused():
    """Bits outside 12 to 22, unequal lengths and other types raise."""
    scores, positive = np.zeros(3), np.zeros(3, dtype=np.uint8)
    for bits in (11, 23, -1):
        with pytest.raises(ValueError, match="12 to 22"):
            bin_scores(scores, positive, bits)
        with pytest.raises(ValueError, match="12 to 22"):
            bin_edges(bits)
    with pytest.raises(ValueError, match="length"):
        bin_scores(scores, positive[:2], 18)
    with pytest.raises(TypeError):
        bin_scores(scores, positive.astype(np.int32), 18)


MEMORY = """
import resource
import numpy as np
from assay._kernels import bin_scores, set_threads
set_threads(2)
rng = np.random.default_rng(0)
scores, positive = rng.random(6_000_000), np.ones(6_000_000, dtype=np.uint8)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
bin_scores(scores, positive, 18)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif("tsan" in os.environ.get("LD_PRELOAD", ""), reason="shadow memory would be counted too")
def test_memory_does_not_grow_with_the_rows():
    """Six million rows (54 MB) take less than 32 MiB beyond the input with two threads."""
    grown = subprocess.run(  # noqa: S603
        [sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True
    )
    assert int(grown.stdout) < 32 * 1024


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_places_say_where_the_counts_come_from(dtype, count):
    """Counting the places of rows gives the counts of the cells, on any number of threads."""
    rng = np.random.default_rng(count)
    scores = (rng.normal(size=200_001) * rng.lognormal(sigma=4, size=200_001)).astype(dtype)
    positive = rng.integers(0, 2, 200_001).astype(np.uint8)
    set_threads(count)
    places, bad_score, bad_label = bin_places(scores, positive, 16)
    set_threads(0)
    counts = bin_scores(scores, positive, 16)[0]
    assert (np.bincount(places, minlength=counts.size) == counts.ravel()).all()
    assert (bad_score, bad_label) == (-1, -1)
    scores[77] = np.nan
    positive[5] = 2
    assert bin_places(scores, positive, 16)[1:] == (77, 5)
