import itertools
import math

import numpy as np
import pytest

import assay
from assay.metrics import (
    Undefined,
    dcg,
    hit_rate,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg,
    precision_at_k,
    recall_at_k,
)

# The six lists of the teaching text: what is relevant, what was predicted, and AP@1, AP@2, AP@3.
TOP_K = [
    ([1, 2, 3], [0, 1, 2], (0, (0 + 1 / 2) / 2, (0 + 1 / 2 + 2 / 3) / 3)),
    ([0, 2], [1], (0, 0, 0)),
    ([1], [0, 2, 3], (0, 0, 0)),
    ([2, 3], [2, 3, 4, 0], (1, 1, (1 + 1 + 2 / 3) / 3)),
    ([1, 0], [0, 1, 2], (1, 1, (1 + 1 + 2 / 3) / 3)),
    ([], [0], (0, 0, 0)),
]


@pytest.fixture
def lists():
    return assay.Queries.of_lists(
        actual=[row[0] for row in TOP_K], predicted=[row[1] for row in TOP_K], query=range(6)
    )


@pytest.mark.parametrize("k", [1, 2, 3])
def test_average_precision_of_the_teaching_text(lists, k):
    """AP@k is the mean of P@1 to P@k, where a shorter list divides by its own length."""
    view = mean_average_precision.reads.of(lists, k=k)
    each = mean_average_precision.each(view, convention="teaching")
    np.testing.assert_allclose(each, [row[2][k - 1] for row in TOP_K], rtol=1e-15)


@pytest.mark.parametrize(("k", "expected"), [(1, 0.3333333), (2, 0.375), (3, 0.3611111), (4, 0.3472222)])
def test_mean_average_precision_of_the_teaching_text(lists, k, expected):
    """MAP@1 to MAP@4 of the six lists."""
    value = mean_average_precision(lists, k=k, convention="teaching")
    assert value == pytest.approx(expected, abs=5e-8)


def ranked(gains, more=()):
    """Return a tally of one query with these gains in rank order; `more` are judged but not listed."""
    if not more:
        n = len(gains)
        return assay.Queries.of(assay.rows(query=["q"] * n, score=range(n, 0, -1), actual=gains))
    relevant = [f"seen {i}" for i, gain in enumerate(gains) if gain] + [
        f"unseen {i}" for i, _ in enumerate(more)
    ]
    predicted = [f"seen {i}" if gain else f"noise {i}" for i, gain in enumerate(gains)]
    return assay.Queries.of_lists(actual=[relevant], predicted=[predicted])


@pytest.mark.parametrize(
    ("convention", "at_six", "at_three"),
    [
        ("trec", 0.4533333333333, 0.2916666666667),
        ("retrieval", 0.4533333333333, 0.3888888888889),
        ("depth", 0.3777777777778, 0.3888888888889),
        ("hits", 0.7555555555556, 0.5833333333333),
    ],
)
def test_the_denominators_of_average_precision(convention, at_six, at_three):
    """Four conventions in use give four numbers for the same list (methods O28 and O29)."""
    six = ranked([1, 0, 1, 0, 1, 0], more=[1, 1])
    three = ranked([0, 1, 1, 0, 0], more=[1, 1])
    assert mean_average_precision(six, k=6, convention=convention) == pytest.approx(at_six, rel=1e-12)
    assert mean_average_precision(three, k=3, convention=convention) == pytest.approx(at_three, rel=1e-12)


def test_precision_and_recall_at_k():
    """Recall divides by every relevant item, listed or not; precision by k (methods O28 and O29)."""
    six, three = ranked([1, 0, 1, 0, 1, 0], more=[1, 1]), ranked([0, 1, 1, 0, 0], more=[1, 1])
    assert (precision_at_k(six, k=6), recall_at_k(six, k=6)) == (3 / 6, 3 / 5)
    assert (precision_at_k(three, k=3), recall_at_k(three, k=3)) == (2 / 3, 2 / 4)
    assert (mean_reciprocal_rank(six, k=6), mean_reciprocal_rank(three, k=3)) == (1, 1 / 2)
    assert hit_rate(three, k=1) == 0
    assert precision_at_k(ranked([1, 1]), k=4) == 2 / 4  # a short list stays short


def test_gains_are_linear_or_exponential():
    """DCG of graded relevance under both gains (methods O28, O29)."""
    graded = ranked([3, 0, 2, 0, 1, 0])
    assert dcg(graded, k=6) == pytest.approx(4.386852807235, rel=1e-12)
    assert dcg(graded, k=6, gain="exponential") == pytest.approx(8.886852807235, rel=1e-12)
    items = assay.rows(query=["q"] * 8, score=[8, 7, 6, 5, 4, 3, 2, 1], actual=[3, 0, 2, 0, 1, 0, 3, 2])
    everything = assay.Queries.of(items)
    assert ndcg(everything, k=6) == pytest.approx(0.6143195302813, rel=1e-12)
    assert ndcg(everything, k=6, gain="exponential") == pytest.approx(0.6088807730827, rel=1e-12)
    assert ndcg(ranked([0, 1, 1, 0, 0], more=[1, 1]), k=3) == pytest.approx(0.5307212739772, rel=1e-12)


def test_tied_scores_are_averaged_over_their_orders():
    """NDCG of ties equals the mean over every order of the tied items (methods O30)."""
    relevance, score = [3, 2, 3, 0, 1, 2], [0.9, 0.8, 0.8, 0.5, 0.5, 0.1]
    tally = assay.Queries.of(assay.rows(query=["q"] * 6, score=score, actual=relevance))
    assert ndcg(tally, k=4) == pytest.approx(0.8946602434184, rel=1e-12)
    orders = [
        [3, *second, *fourth, 2]
        for second in itertools.permutations([2, 3])
        for fourth in itertools.permutations([0, 1])
    ]
    ideal = sum(gain / math.log2(i + 2) for i, gain in enumerate([3, 3, 2, 2]))
    mean = sum(gain / math.log2(i + 2) for order in orders for i, gain in enumerate(order[:4])) / len(orders)
    assert ndcg(tally, k=4) == pytest.approx(mean / ideal, rel=1e-14)


def test_queries_without_relevant_items_are_left_out():
    """A query with nothing to find has no recall; of such queries alone nothing can be said."""
    nothing = assay.Queries.of_lists(actual=[[]], predicted=[[1, 2]])
    assert recall_at_k(nothing, k=2) == Undefined("no query has a relevant item")
    assert precision_at_k(nothing, k=2) == 0
    both = assay.Queries.of_lists(actual=[[], [1]], predicted=[[1, 2], [1, 2]])
    assert recall_at_k(both, k=2) == 1


def test_an_unknown_convention_is_refused():
    """The message lists what can be said instead."""
    with pytest.raises(assay.MetricError, match='use "retrieval", "trec"'):
        mean_average_precision(ranked([1]), convention="mine")
    with pytest.raises(assay.MetricError, match='use "linear" or "exponential"'):
        ndcg(ranked([1]), gain="cubic")


def test_what_is_relevant_may_be_a_set():
    """Relevant items have no order; predicted ones must have one."""
    lists = assay.Queries.of_lists(actual=[{"a", "b"}], predicted=[["b", "c"]])
    assert precision_at_k(lists, k=2) == 0.5
    with pytest.raises(assay.ColumnError, match="where a list of items is needed"):
        assay.Queries.of_lists(actual=[["a"]], predicted=[{"a"}])
