"""The isotonic fit and the places that running counts reach, against a few lines of Python."""

from fractions import Fraction

import numpy as np
import pytest

from assay import _kernels
from assay._kernels import entries_reaching, rising_pools, rising_rates

THREADS = (1, 2, 3)


@pytest.fixture(autouse=True)
def _every_core_again():
    yield
    _kernels.set_threads(0)


def pooled(positives, negatives):
    """Return the pools as (first entry, positives, negatives), one entry after the other."""
    pools = []
    for start, (p, q) in enumerate(zip(positives.tolist(), negatives.tolist(), strict=True)):
        pool = start, p, q
        while pools and Fraction(pools[-1][1], sum(pools[-1][1:])) >= Fraction(pool[1], sum(pool[1:])):
            first = pools.pop()
            pool = first[0], first[1] + pool[1], first[2] + pool[2]
        pools.append(pool)
    return pools


def cases(dtype, n, seed=0):
    """Return columns of counts whose rates rise, fall, do neither, or are all 0 or 1."""
    r = np.random.default_rng(seed)
    most = min(int(np.iinfo(dtype).max), 1 << 45)
    for share in (np.linspace(0.1, 0.9, n), np.linspace(0.9, 0.1, n), np.full(n, 0.5), np.linspace(0, 1, n)):
        one = (r.random(n) < share).astype(dtype)
        yield one, (1 - one).astype(dtype)
        rows = r.integers(1, most, n, endpoint=True)
        p = np.minimum((rows * share).astype(dtype), rows.astype(dtype))
        yield p, rows.astype(dtype) - p


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("n", [1, 2, 500, 33_000, 70_001])
def test_pools_are_those_of_a_plain_loop(dtype, n):
    """Of counts of any size, in one block and in several, on any number of threads."""
    for positives, negatives in cases(dtype, n):
        expected = pooled(positives, negatives) if n < 40_000 else None
        for threads in THREADS:
            _kernels.set_threads(threads)
            columns = [column.tolist() for column in rising_pools(positives, negatives)]
            found = list(zip(*columns, strict=True))
            expected = expected or found
            assert found == expected
        assert (sum(columns[1]), sum(columns[2])) == (int(positives.sum()), int(negatives.sum()))


def test_pools_of_no_entries():
    """There are none."""
    none = np.zeros(0, np.uint8)
    assert [column.tolist() for column in rising_pools(none, none)] == [[], [], []]


def test_rates_of_weights_are_those_of_counts():
    """Whole weights give the rates of as many rows, alone and as one of several replicates."""
    for n in (1, 700, 40_000):
        positives, negatives = zip(*cases("u1", n), strict=True)
        total = np.full(n, 255.0)
        expected = []
        for p in positives:
            starts, above, below = rising_pools(p, 255 - p)
            expected.append(np.repeat(above / (above + below), np.diff(starts, append=n)))
        for threads in THREADS:
            _kernels.set_threads(threads)
            both = rising_rates(np.array(positives, dtype=float), total)
            assert np.array_equal(both, expected)
            one = rising_rates(positives[0][np.newaxis].astype(float), total)
            assert np.array_equal(one[0], expected[0])
        assert len(negatives) == len(positives)


def test_rounded_rates_do_not_depend_on_threads():
    """Sums of weights are rounded in one order."""
    r = np.random.default_rng(4)
    total = r.random(100_000) + 0.01
    positives = (total * r.random(100_000))[np.newaxis]
    made = []
    for threads in THREADS:
        _kernels.set_threads(threads)
        made.append(rising_rates(positives, total))
    assert np.array_equal(made[0], made[1])
    assert np.array_equal(made[0], made[2])
    assert (np.diff(made[0]) >= 0).all()


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
def test_levels_are_reached_where_the_running_counts_say(dtype):
    """Of one column and of two together, also past the end and at entries without rows."""
    r = np.random.default_rng(5)
    for n in (1, 7, 4096, 4097, 100_003):
        columns = [r.integers(0, 3, n).astype(dtype) for _ in range(2)]
        columns[0][: n // 3] = 0
        columns[1][-1] = np.iinfo(dtype).max >> 2
        for some in (columns[:1], columns[1:], columns):
            running = np.cumsum(np.sum([column.astype(np.int64) for column in some], axis=0))
            total = int(running[-1])
            levels = np.sort(r.integers(1, total + 10, 300))
            for chosen in (levels, np.arange(1, min(total, 500) + 3), levels[:0]):
                for threads in THREADS:
                    _kernels.set_threads(threads)
                    found = entries_reaching(some, chosen)
                    assert np.array_equal(found, np.searchsorted(running, chosen))


def test_what_has_no_answer_is_refused():
    """Levels out of order or below 1, and columns of two lengths."""
    counts = np.ones(3, np.uint8)
    for levels in ([2, 1], [0, 1]):
        with pytest.raises(ValueError, match="levels"):
            entries_reaching([counts], np.array(levels))
    with pytest.raises(ValueError, match="length"):
        entries_reaching([counts, counts[:2]], np.array([1]))
    with pytest.raises(ValueError, match="length"):
        rising_pools(counts, counts[:2])
    with pytest.raises(ValueError, match="length"):
        rising_rates(np.ones((2, 3)), np.ones(2))
    assert entries_reaching([], np.array([1])).tolist() == [0]
    assert entries_reaching([counts[:0]], np.array([1])).tolist() == [0]
