"""Pairs of rows that two columns order alike, oppositely or not at all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._kernels import count_concordant, set_threads

LEAF, PIECE = 2**15, 2**16


@pytest.fixture(autouse=True)
def _every_core_again():
    yield
    set_threads(0)


def every_pair(x, y):
    """Look at all pairs."""
    first, second = np.triu_indices(len(x), 1)
    dx, dy = ((one[first] > one[second]) * 1 - (one[first] < one[second]) for one in (x, y))
    cases = dx * dy > 0, dx * dy < 0, (dx == 0) & (dy != 0), (dx != 0) & (dy == 0), (dx == 0) & (dy == 0)
    return (*(int(case.sum()) for case in cases), -1)


def by_ranks(x, y, *, levels):
    """Count from a table of all pairs of values, for columns of few of them: 0, 1, 2..."""
    table = np.zeros((levels, levels), dtype=object)
    np.add.at(table, (x.astype(int), y.astype(int)), 1)

    def within(counts):
        return int(sum(c * (c - 1) // 2 for c in counts.tolist()))

    both = within(table.ravel())
    tied_x, tied_y = within(table.sum(axis=1)) - both, within(table.sum(axis=0)) - both
    # For each cell, the rows above it in x and y.
    above = table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    strictly = np.zeros_like(table)
    strictly[:-1, :-1] = above[1:, 1:]
    concordant = int((table * strictly).sum())
    discordant = len(x) * (len(x) - 1) // 2 - concordant - tied_x - tied_y - both
    return concordant, discordant, tied_x, tied_y, both, -1


COLUMNS = {
    "continuous": lambda r, n: (r.standard_normal(n), r.standard_normal(n)),
    "few values": lambda r, n: (r.integers(0, 4, n) / 2, r.integers(-2, 3, n) * 1.0),
    "x tied": lambda r, n: (np.ones(n), r.random(n)),
    "y tied": lambda r, n: (r.random(n), np.ones(n)),
    "all tied": lambda _, n: (np.ones(n), -np.ones(n)),
    "alike": lambda r, n: (np.arange(n) * 1.0, np.arange(n) + r.random(n)),
    "opposite": lambda _, n: (np.arange(n) * 1.0, -np.arange(n) * 1.0),
    "zeros and infinities": lambda r, n: (
        r.choice([-0.0, 0.0, np.inf, -np.inf, 1, -1], n),
        r.choice([-0.0, 0.0, np.inf, -np.inf, 5e-324], n),
    ),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_counts_equal_those_of_all_pairs(kind):
    """Whatever the columns, the five counts are those of looking at every pair."""
    for n in (0, 1, 2, 3, 15, 16, 17, 31, 33, 300, 1000):
        r = np.random.default_rng(n)
        x, y = COLUMNS[kind](r, n)
        expected = every_pair(x, y)
        assert sum(expected[:5]) == n * (n - 1) // 2
        assert count_concordant(x, y) == expected
        concordant, discordant, tied_x, tied_y, both, _ = expected
        assert count_concordant(y, x) == (concordant, discordant, tied_y, tied_x, both, -1)
        assert count_concordant(x, -y) == (discordant, concordant, tied_x, tied_y, both, -1)


@pytest.mark.parametrize("n", [LEAF - 1, LEAF + 1, PIECE, PIECE + 1, 3 * PIECE - 5, 5 * LEAF, 500_000])
def test_runs_and_pieces_meet(n):
    """Rows in order, backwards and in any order count right where runs, pieces and threads meet."""
    every = n * (n - 1) // 2
    r = np.random.default_rng(n)
    x = np.arange(n) * 1.0
    for threads in (1, 2, 3):
        set_threads(threads)
        assert count_concordant(x, x) == (every, 0, 0, 0, 0, -1)
        assert count_concordant(x, -x) == (0, every, 0, 0, 0, -1)
        turned = np.roll(x, n // 3)  # the first third comes after everything else
        out_of_order = n // 3 * (n - n // 3)
        shuffle = r.permutation(n)
        found = count_concordant(x[shuffle], turned[shuffle])
        assert found == (every - out_of_order, out_of_order, 0, 0, 0, -1)


@pytest.mark.parametrize("levels", [2, 60, 400])
def test_many_rows_of_few_values(levels):
    """Weights of repeated rows count as rows do, on 1, 2 and 3 threads, in any order."""
    r = np.random.default_rng(levels)
    n = 300_000
    x = r.integers(0, levels, n) * 1.0
    y = np.clip(x + r.integers(-levels // 2, levels // 2 + 1, n), 0, levels - 1)
    expected = by_ranks(x, y, levels=levels)
    for threads in (1, 2, 3):
        set_threads(threads)
        shuffle = r.permutation(n)
        assert count_concordant(x[shuffle], y[shuffle]) == expected


def test_continuous_against_a_slow_count():
    """Inversions of a long permutation equal those that a tree of counts finds."""
    r = np.random.default_rng(5)
    n = 150_000
    order = r.permutation(n)
    tree = [0] * (n + 1)
    inversions = 0
    for seen, value in enumerate(order.tolist()):
        at, below = value + 1, 0
        while at:
            below += tree[at]
            at &= at - 1
        inversions += seen - below
        at = value + 1
        while at <= n:
            tree[at] += 1
            at += at & -at
    every = n * (n - 1) // 2
    for threads in (1, 2, 3):
        set_threads(threads)
        found = count_concordant(np.arange(n) * 1.0, order * 0.5)
        assert found == (every - inversions, inversions, 0, 0, 0, -1)


numbers = st.one_of(st.integers(-2, 2).map(float), st.floats(allow_nan=False))


@settings(deadline=None)
@given(st.lists(st.tuples(numbers, numbers), max_size=40))
def test_any_rows(rows):
    """Whatever rows Hypothesis finds, infinities and both zeros included."""
    x, y = np.array(rows, dtype=float).reshape(-1, 2).T.copy()
    assert count_concordant(x, y) == every_pair(x, y)


def test_bad_rows_are_named():
    """The first row with NaN in either column is returned, and nothing is counted."""
    for n in (5, 90_000):
        r = np.random.default_rng(n)
        x, y = r.random(n), r.random(n)
        y[4] = np.nan
        assert count_concordant(x, y) == (0, 0, 0, 0, 0, 4)
        x[3] = -np.nan
        assert count_concordant(x, y) == (0, 0, 0, 0, 0, 3)


def test_wrong_columns_are_refused():
    """Lengths that differ and other types raise."""
    with pytest.raises(ValueError, match="length"):
        count_concordant(np.zeros(3), np.zeros(2))
    with pytest.raises(TypeError):
        count_concordant(np.zeros(3), np.zeros(3, np.int64))
