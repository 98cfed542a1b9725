from decimal import Decimal, localcontext
from itertools import pairwise
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._kernels import random_below, random_poisson, random_words, set_threads

LARGEST = 2**64 - 1
words64 = st.integers(0, LARGEST)


@pytest.fixture(autouse=True)
def every_core_again():
    yield
    set_threads(0)


def cumulative():
    """2**64 times the cumulative probabilities of Poisson(1), rounded, for 0 to 19."""
    with localcontext() as context:
        context.prec = 60
        e = Decimal(-1).exp()
        steps = [e * sum(1 / Decimal(factorial(j)) for j in range(i + 1)) for i in range(20)]
        return [int((c * 2**64).to_integral_value()) for c in steps]


@settings(deadline=None)
@given(words64, words64, st.integers(0, 2**63), st.integers(0, 40))
def test_words_equal_numpy_philox(seed, replicate, begin, count):
    """The word of row r is word r % 4 of NumPy's block with counter r // 4.

    NumPy raises its counter before it draws, so a generator started at counter c gives the block
    c + 1 first; ours numbers blocks from 1 to agree, and rows 0, 1, ... are random_raw from zero.
    """
    begin %= 2**62
    blocks = (begin + count) // 4 - begin // 4 + 1
    key = np.array([seed, replicate], dtype=np.uint64)
    counter = np.array([begin // 4, 0, 0, 0], dtype=np.uint64)
    numpy_words = np.random.Philox(key=key, counter=counter).random_raw(4 * blocks)
    expected = numpy_words[begin % 4 :][:count]
    assert np.array_equal(random_words(seed, replicate, begin, begin + count), expected)


def test_words_from_zero_are_random_raw():
    """Rows 0 to n - 1 are the first n words of NumPy's generator with the same key."""
    expected = np.random.Philox(key=[3, 4]).random_raw(200_001)
    assert np.array_equal(random_words(3, 4, 0, 200_001), expected)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 65_535, 65_536, 65_537, 300_007])
@pytest.mark.parametrize("begin", [0, 1, 2, 3, 2**40 + 1])
def test_no_number_depends_on_threads_or_splits(begin, count):
    """Any number of threads and any split of the range give the same numbers."""
    kernels = [
        random_words,
        random_poisson,
        lambda seed, replicate, a, b: random_below(seed, replicate, a, b, 3 * 2**61 + 1),
    ]
    for kernel in kernels:
        set_threads(1)
        whole = kernel(8, 9, begin, begin + count)
        for threads in (2, 3):
            set_threads(threads)
            assert np.array_equal(kernel(8, 9, begin, begin + count), whole)
        cuts = [begin, begin + count // 3, begin + count // 2, begin + count]
        parts = [kernel(8, 9, a, b) for a, b in pairwise(cuts)]
        assert np.array_equal(np.concatenate(parts), whole)


def test_poisson_counts_the_cumulative_probabilities_at_or_below_the_word():
    """A Poisson count is the inversion of the row's word by the rounded distribution function."""
    limits = np.array(cumulative(), dtype=np.uint64)
    words = random_words(1, 2, 0, 500_000)
    expected = np.searchsorted(limits, words, side="right")
    counts = random_poisson(1, 2, 0, 500_000)
    assert counts.dtype == np.uint8
    assert np.array_equal(counts, expected)


def test_poisson_frequencies_pass_chi_square():
    """Half a million counts fit Poisson(1): chi-square with 7 degrees of freedom below 24.3."""
    n = 500_000
    for replicate in range(3):
        counts = random_poisson(42, replicate, 0, n)
        seen = np.bincount(np.minimum(counts, 7), minlength=8)
        share = np.array([np.exp(-1) / factorial(j) for j in range(7)])
        expected = n * np.append(share, 1 - share.sum())
        assert ((seen - expected) ** 2 / expected).sum() < 24.3  # p = 0.001
        assert abs(counts.mean() - 1) < 4 / np.sqrt(n)


def reference_below(seed, replicate, row, bound):
    """Lemire's rejection with Python integers; the attempt is the counter's second word."""
    attempt = 0
    while True:
        number = row // 4 + 1
        # One less, because NumPy counts up first; a carry cannot happen as number >= 1.
        counter = np.array([number - 1, attempt, 0, 0], dtype=np.uint64)
        key = np.array([seed, replicate], dtype=np.uint64)
        word = int(np.random.Philox(key=key, counter=counter).random_raw(4)[row % 4])
        product = word * bound
        if product % 2**64 >= 2**64 % bound:
            return product >> 64
        attempt += 1


@settings(deadline=None, max_examples=200)
@given(words64, words64, st.integers(0, 2**62), st.integers(1, 2**63))
def test_below_is_lemires_rejection(seed, replicate, row, bound):
    """An integer below the bound is the first accepted of the row's own attempts."""
    got = random_below(seed, replicate, row, row + 1, bound)
    assert got.dtype == np.int64
    assert int(got[0]) == reference_below(seed, replicate, row, bound)


def test_below_draws_again_where_a_quarter_of_words_is_rejected():
    """With a bound just above 2**62 about a quarter of the words are refused and redrawn."""
    bound = 2**62 + 1
    got = random_below(5, 6, 0, 400, bound)
    assert [int(x) for x in got] == [reference_below(5, 6, row, bound) for row in range(400)]


@pytest.mark.parametrize("bound", [2, 3, 10, 100])
def test_below_is_uniform(bound):
    """Integers below a small bound are equally frequent: chi-square within five deviations."""
    n = 300_000
    seen = np.bincount(random_below(7, bound, 0, n, bound), minlength=bound)
    assert seen.size == bound
    statistic = ((seen - n / bound) ** 2 / (n / bound)).sum()
    assert statistic < (bound - 1) + 5 * np.sqrt(2 * (bound - 1))


def test_words_of_neighbouring_seeds_and_replicates_differ():
    """Seeds, replicates and rows one apart share no visible pattern: half of the bits differ."""
    base = random_words(10, 20, 0, 10_000)
    for other in (random_words(11, 20, 0, 10_000), random_words(10, 21, 0, 10_000), base[::-1]):
        flips = np.bitwise_count(base ^ other).mean()
        assert abs(flips - 32) < 0.25


def test_misuse_is_refused():
    """A range that ends before it begins and a bound outside 1 to 2**63 raise."""
    for kernel in (random_words, random_poisson):
        with pytest.raises(ValueError, match="ends before"):
            kernel(0, 0, 2, 1)
    for bound in (0, 2**63 + 1):
        with pytest.raises(ValueError, match="bound"):
            random_below(0, 0, 0, 1, bound)
    assert random_below(0, 0, 0, 5, 1).tolist() == [0] * 5
    assert random_words(LARGEST, LARGEST, LARGEST - 1, LARGEST).size == 1
