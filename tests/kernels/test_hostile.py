"""Columns made to be slow: they take as long as harmless ones of the same size, give or take.

Each column below once took a hundred times as long, by meeting a fixed hash or a fixed sample.
"""

import time

import numpy as np
import pytest

from assay import _kernels

ROWS = 300_000
GOLDEN = 0x9E3779B97F4A7C15


def fold(words, factor):
    """Both halves of the 128-bit products of words and a factor, xored."""
    mask = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    low, high = np.uint64(factor & 0xFFFFFFFF), np.uint64(factor >> 32)
    a, b = words & mask, words >> shift
    middle = a * high + (a * low >> shift)
    upper = b * high + (middle >> shift) + ((middle & mask) + b * low >> shift)
    return upper ^ words * np.uint64(factor)


def seconds(call):
    best = np.inf
    for _ in range(4):
        start = time.process_time()  # of all threads: other programs do not count
        call()
        best = min(best, time.process_time() - start)
    return best


def colliding(words, hashes, labels, bits):
    """Words whose hashes agree in their lowest bits."""
    found = words[hashes & np.uint64((1 << bits) - 1) == 5][:labels]
    assert len(found) == labels
    return found


@pytest.fixture
def words():
    return np.random.default_rng(1).integers(0, 1 << 63, 4_000_000, dtype=np.uint64)


def compare(hostile, harmless, call, rows=ROWS, most=20):
    row = np.random.default_rng(2).integers(0, len(hostile), rows)
    slow, fast = hostile[row], harmless[row]
    assert seconds(lambda: call(slow)) < most * seconds(lambda: call(fast)) + 0.01


def test_integers(words):
    """Labels that agree in hash bits under a known hash."""
    hashes = fold(words ^ np.uint64(0x2545F4914F6CDD1D), GOLDEN)
    hashes ^= hashes >> np.uint64(29)
    compare(colliding(words, hashes, 1500, 11), words[:1500], _kernels.encode_integers)


def test_text(words):
    """Texts that agree in the upper hash bits under a known hash."""
    first, second = words % np.uint64(0xD000), (words >> np.uint64(32)) % np.uint64(0xD000)
    texts = first | second << np.uint64(32)
    hashes = fold(texts ^ np.uint64(0x243F6A8885A308D3), 0x13198A2E03707345) >> np.uint64(53)
    hostile = np.unique(texts[hashes == 5])[:1500]
    harmless = np.unique(texts[:1500])
    compare(
        hostile[: len(harmless)],
        harmless,
        lambda column: _kernels.encode_fixed_text(column.view(np.uint32).reshape(-1, 2)),
    )


def test_lists(words):
    """Items of a list that agree in hash bits under a known hash."""
    hashes = fold(words ^ np.uint64(0x243F6A8885A308D3), GOLDEN)
    items = colliding(words, hashes, 1500, 11).view(np.int64)
    offsets = np.array([0, 1500])
    places = np.array([0, ROWS])
    compare(
        items,
        words[:1500].view(np.int64),
        lambda column: _kernels.match_lists(offsets, column[:1500], places, column),
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_few_scores(words, dtype):
    """A few hundred scores with one place in the table under a known hash."""
    rows = 1_000_000  # fewer are sorted
    scores = (words >> np.uint64(11)).astype(np.float64) * 2.0**-52 + 1e-9
    scores = np.unique(scores.astype(dtype))
    unsigned = np.uint64 if dtype is np.float64 else np.uint32
    keys = (scores.view(unsigned) | unsigned(1 << (8 * scores.itemsize - 1))).astype(np.uint64)
    homes = keys * np.uint64(GOLDEN) >> np.uint64(51)
    hostile = scores[homes >> np.uint64(3) == 5][:400]
    positive = np.zeros(rows, np.uint8)
    compare(
        hostile,
        scores[:: len(scores) // 400][: len(hostile)],
        lambda column: _kernels.order_scores(column, positive),
        rows,
    )


def test_scores_under_the_looks():
    """Scores that lie just where a crowded bucket is looked at for one that fills it."""
    rows = 120_000
    scores = -1 - np.random.default_rng(3).random(rows)
    left = np.arange(rows)
    free = np.ones(rows, bool)
    for value in range(2500):
        looks = [(i * GOLDEN % 2**64) * len(left) >> 64 for i in range(256)]
        chosen = left[[look for look in looks if free[left[look]]][:16]]
        scores[chosen] = -1.5 - value * 1e-5
        free[chosen] = False
        left = left[free[left] | ~np.isin(left, chosen)]
    positive = np.zeros(rows, np.uint8)
    shuffled = np.random.default_rng(4).permutation(scores)
    slow = seconds(lambda: _kernels.order_scores(scores, positive))
    assert slow < 10 * seconds(lambda: _kernels.order_scores(shuffled, positive)) + 0.01
    for found, expected in zip(
        _kernels.order_scores(scores, positive),
        _kernels.order_scores(shuffled, positive),
        strict=True,
    ):
        assert np.array_equal(found, expected)
