"""Krippendorff's alpha by the kernel: every pair of ratings, in whole numbers."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._kernels import krippendorff_alpha, set_threads

LEVELS = ("nominal", "ordinal", "interval", "ratio")
RATINGS = st.lists(
    st.lists(st.sampled_from([np.nan, 0, 1, 2, 4]), min_size=3, max_size=3), min_size=1, max_size=9
)


@pytest.fixture(autouse=True)
def _every_core_again():
    yield
    set_threads(0)


def by_pairs(table, level):
    """Return alpha from every pair of ratings of an item, and of all pairable ratings; None without."""
    units = [[value for value in row if not np.isnan(value)] for row in table]
    units = [unit for unit in units if len(unit) > 1]
    pooled = [value for unit in units for value in unit]

    counts = {value: pooled.count(value) for value in sorted(set(pooled))}
    ranks = {
        value: sum(n for other, n in counts.items() if other < value) + n / 2 for value, n in counts.items()
    }

    def distance(a, b):
        if level == "nominal":
            return float(a != b)
        if level == "ratio":
            return ((a - b) / (a + b)) ** 2 if a + b else 0.0
        return (a - b) ** 2 if level == "interval" else (ranks[a] - ranks[b]) ** 2

    observed = sum(
        distance(a, b) / (len(unit) - 1) for unit in units for a, b in itertools.permutations(unit, 2)
    )
    expected = sum(counts[a] * counts[b] * distance(a, b) for a in counts for b in counts)
    return len(units), 1 - (len(pooled) - 1) * observed / expected if expected else None


def alpha(table, level, *, by_item=True):
    flat = np.ascontiguousarray(table if by_item else table.T).ravel()
    return krippendorff_alpha(flat, *table.shape, by_item, LEVELS.index(level))


@pytest.mark.parametrize("level", LEVELS)
@given(RATINGS)
def test_every_pair_of_ratings(level, rows):
    """The definition, whichever way the table lies in memory."""
    table = np.array(rows, dtype=float)
    items, expected = by_pairs(table, level)
    found = alpha(table, level)
    assert found[1] == items
    assert found[0] == pytest.approx(expected, abs=1e-12) if expected is not None else np.isnan(found[0])
    assert str(alpha(table, level, by_item=False)) == str(found)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("shift", [0, 0.25, -3, 1000])
@pytest.mark.parametrize("raters", [2, 7, 23, 24, 40])
def test_other_numbers_and_more_raters(level, shift, raters):
    """Whole numbers from 0 are their own codes, others are looked up; many raters are counted otherwise."""
    draw = np.random.default_rng(raters)
    table = draw.integers(0, 4, (30, raters)) + float(shift)
    table[draw.random(table.shape) < 0.2] = np.nan
    if level == "ratio" and shift < 0:
        assert alpha(table, level) is None
    else:
        assert alpha(table, level)[0] == pytest.approx(by_pairs(table, level)[1], abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("missing", [0, 0.3])
def test_no_order_and_no_number_of_threads_changes_a_bit(level, missing):
    """More than a task of items, shuffled both ways."""
    draw = np.random.default_rng(1)
    table = draw.integers(0, 5, (70_000, 4)).astype(float)
    table[draw.random(table.shape) < missing] = np.nan
    expected = alpha(table, level)
    for threads in (1, 2, 3):
        set_threads(threads)
        assert alpha(table, level) == expected
        assert alpha(table, level, by_item=False) == expected
    assert alpha(draw.permuted(table, axis=1), level) == expected
    assert alpha(draw.permutation(table), level) == expected


def test_tables_that_need_another_way():
    """An infinite rating, many different ratings, many raters, and tables of pairs beyond memory."""
    draw = np.random.default_rng(2)
    assert alpha(np.array([[1, np.inf], [1, 1]]), "nominal") is None
    assert alpha(np.arange(256.0).reshape(-1, 1).repeat(2, axis=1), "nominal") is None
    assert alpha(np.arange(255.0).reshape(-1, 1).repeat(2, axis=1), "nominal") == (1.0, 255)
    assert alpha(draw.normal(size=(200, 2)), "interval") is None
    assert alpha(draw.integers(0, 2, (3, 256)).astype(float), "nominal") is None
    assert alpha(draw.integers(0, 255, (2, 250)).astype(float), "interval") is None


def test_wrong_shapes():
    """The sizes are those of the column."""
    flat = np.zeros(6)
    for items, raters, level in ((2, 2, 0), (0, 0, 0), (3, 2, 4), (3, 2, -1), (2**62, 4, 0)):
        with pytest.raises(ValueError, match=r"ratings are|a level is"):
            krippendorff_alpha(flat, items, raters, by_item=True, level=level)
    with pytest.raises(TypeError):
        krippendorff_alpha(flat.astype(np.float32), 3, 2, by_item=True, level=0)
    assert np.isnan(krippendorff_alpha(np.zeros(0), 0, 2, by_item=True, level=0)[0])
