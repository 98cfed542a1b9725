"""R-precision, rank-biased precision and expected reciprocal rank: by hand, with ties, at a depth."""

import itertools
import math

import numpy as np
import pytest

import assay
from assay import MetricError
from assay.metrics import Undefined, find

R_PRECISION, RBP, ERR = map(find, ("r_precision", "rank_biased_precision", "expected_reciprocal_rank"))


def lists(*queries):
    """Return rows of queries, each a list of (gain, score)."""
    rows = [(q, gain, score) for q, query in enumerate(queries) for gain, score in query]
    query, actual, score = zip(*rows, strict=True)
    return assay.rows(query=list(query), actual=list(actual), score=list(score))


def in_order(*gains):
    return [(gain, -place) for place, gain in enumerate(gains)]


def test_by_hand():
    """Places 1, 3, 4 and 6 hold what is relevant."""
    rows = lists(in_order(1, 0, 1, 1, 0, 1))
    assert R_PRECISION(rows) == 3 / 4
    assert R_PRECISION(rows, k=2) == 1 / 2  # precision at the smaller of both depths
    assert RBP(rows, persistence=0.5) == 0.5 * (1 + 0.25 + 0.125 + 1 / 32)
    assert RBP(rows, persistence=0.5, k=3) == 0.5 * 1.25
    assert RBP(rows, persistence=0) == 1  # who sees the first place alone
    # Every relevant item stops half of those who come to it.
    expected = 1 / 2 + 1 / 4 / 3 + 1 / 8 / 4 + 1 / 16 / 6
    assert ERR(rows) == pytest.approx(expected, rel=1e-15)
    assert ERR(rows, k=3) == pytest.approx(1 / 2 + 1 / 4 / 3, rel=1e-15)


def test_the_scale_of_gains():
    """Grades of 0 to 4 as web search has them: 3 stops 7 of 16, 1 stops 1 of 16."""
    rows = lists(in_order(3, 0, 1))
    assert ERR(rows, max_gain=4) == pytest.approx(7 / 16 + 9 / 16 * 1 / 16 / 3, rel=1e-15)
    assert ERR(rows) == pytest.approx(7 / 8 + 1 / 8 * 1 / 8 / 3, rel=1e-15)  # the largest gain is the top
    with pytest.raises(MetricError, match="an item has a gain of 3"):
        ERR(rows, max_gain=2)


def test_a_query_without_a_relevant_item_counts_0():
    """As trec_eval has it, unless such queries are left out."""
    both = lists(in_order(1, 0), in_order(0, 0))
    assert (R_PRECISION(both), ERR(both)) == (0.5, 0.25)
    assert RBP(both) == pytest.approx(0.1)
    none = lists(in_order(0, 0), in_order(0))
    for metric in (R_PRECISION, RBP, ERR):
        assert metric(none) == 0
        assert isinstance(metric(none, empty="skip"), Undefined)


def test_lists_of_items_and_what_they_miss():
    """Relevant items that are not listed count for R; an empty list finds nothing."""
    tally = assay.Queries.of_lists(actual=[[1, 2, 3], [2, 3]], predicted=[[0, 1, 2], []])
    assert R_PRECISION(tally) == (2 / 3 + 0) / 2
    assert RBP(tally, persistence=0.5) == 0.5 * (0.5 + 0.25) / 2
    assert ERR(tally) == pytest.approx((1 / 2 / 2 + 1 / 4 / 3) / 2)


@pytest.mark.parametrize("k", [None, 1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_ties_are_averaged_over_their_orders(seed, k):
    """The mean over every order of all rows that respects the scores, one by one."""
    rng = np.random.default_rng(seed)
    query = list(zip(rng.integers(0, 3, 6).tolist(), rng.integers(0, 3, 6).tolist(), strict=True))
    other = in_order(0, 2, 1)
    depth = {} if k is None else {"k": k}
    asked = [(RBP, {"persistence": 0.7, **depth}), (ERR, {"max_gain": 2, **depth})]
    for metric, options in [*asked, (R_PRECISION, depth)]:
        orders = [
            order
            for order in itertools.permutations(range(6))
            if all(query[a][1] >= query[b][1] for a, b in itertools.pairwise(order))
        ]
        values = [
            metric(lists(in_order(*(query[i][0] for i in order)), other), **options) for order in orders
        ]
        assert metric(lists(query, other), **options) == pytest.approx(np.mean(values), rel=1e-13)


def test_long_lists_and_many_tied_rows():
    """One list of thousands, all scores equal: the mean over all orders, in a moment."""
    n, relevant = 3000, 40
    rows = assay.rows(query=[0] * n, actual=[1] * relevant + [0] * (n - relevant), score=[0.5] * n)
    assert R_PRECISION(rows) == pytest.approx(relevant / n)
    assert RBP(rows) == pytest.approx(relevant / n)
    # Past j places a reader goes with the mean of 0.5^(relevant items among them).
    chances = [
        sum(
            math.comb(relevant, h) * math.comb(n - relevant, j - h) * 0.5**h
            for h in range(min(j, relevant) + 1)
        )
        / math.comb(n, j)
        for j in range(4)
    ]
    expected = sum((chances[j - 1] - chances[j]) / j for j in (1, 2, 3))
    assert ERR(rows, k=3) == pytest.approx(expected, rel=1e-9)


def test_what_is_refused():
    """Chances beyond 1, a depth of none."""
    rows = lists(in_order(1, 0))
    with pytest.raises(MetricError, match="below 1"):
        RBP(rows, persistence=1.0)
    with pytest.raises(MetricError, match="k=0"):
        RBP(rows, k=0)
