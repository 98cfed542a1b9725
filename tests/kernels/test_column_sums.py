"""Extremes of columns and sums of consecutive counts, against NumPy."""

import math

import numpy as np
import pytest

from assay import _kernels
from assay._kernels import block_sums, extremes

THREADS = (1, 2, 3)


@pytest.fixture(autouse=True)
def _every_core_again():
    yield
    _kernels.set_threads(0)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"])
def test_extremes_are_those_of_numpy(dtype):
    """Of any type and length, whatever the number of threads."""
    r = np.random.default_rng(1)
    for n in (1, 63, 64, 65, 1000, 300_001):
        draws = r.normal(size=n) * 1e3
        # Integers by way of int64: what a negative float becomes as an unsigned integer depends on the CPU.
        values = (draws if dtype.startswith("f") else draws.astype(np.int64)).astype(dtype)
        for threads in THREADS:
            _kernels.set_threads(threads)
            assert extremes(values) == (values.min(), values.max(), -1)


@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_extremes_of_the_largest_integers(dtype):
    """No integer passes through a float."""
    limits = np.iinfo(dtype)
    values = np.array([limits.max - 1, limits.max, limits.min, limits.min + 1], dtype)
    assert extremes(values) == (limits.min, limits.max, -1)


@pytest.mark.parametrize("n", [1, 100, 300_001])
def test_extremes_name_the_first_nan(n):
    """NaN is in no extreme, and its first row is returned; infinities are numbers."""
    values = np.random.default_rng(2).normal(size=n)
    for row in {0, n // 2, n - 1}:
        spoiled = values.copy()
        spoiled[[row, n - 1]] = math.nan
        rest = spoiled[~np.isnan(spoiled)]
        expected = (rest.min(initial=math.inf), rest.max(initial=-math.inf), row)
        for threads in THREADS:
            _kernels.set_threads(threads)
            assert extremes(spoiled) == expected
    assert extremes(np.array([math.inf, 0.0, -math.inf])) == (-math.inf, math.inf, -1)
    assert extremes(np.empty(0)) == (math.inf, -math.inf, -1)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("block", [1, 7, 4096, 70_000, 10**9])
def test_sums_of_blocks(dtype, block):
    """Each block of consecutive counts is added up, a shorter one at the end."""
    r = np.random.default_rng(3)
    for n in (0, 1, 6, 7, 8, 200_003):
        counts = r.integers(0, min(np.iinfo(dtype).max, 2**40), n, dtype=dtype, endpoint=True)
        expected = [int(counts[at : at + block].sum(dtype=np.int64)) for at in range(0, n, block)]
        for threads in THREADS:
            _kernels.set_threads(threads)
            assert block_sums(counts, block).tolist() == expected


def test_sums_of_full_counts():
    """Sums of the largest small counts do not wrap around."""
    for dtype in ("u1", "u2"):
        counts = np.full(300_000, np.iinfo(dtype).max, dtype)
        assert block_sums(counts, 10**6).tolist() == [300_000 * int(np.iinfo(dtype).max)]


def test_blocks_have_counts():
    """A block of no counts is refused."""
    with pytest.raises(ValueError, match="block"):
        block_sums(np.zeros(3, np.uint8), 0)
