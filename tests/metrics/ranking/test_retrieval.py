import itertools
import math

import numpy as np
import pytest

import assay
from assay.metrics import (
    Undefined,
    catalogue,
    dcg,
    find,
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


EMPTY = {
    "zero": {"recall_at_k": 1 / 2, "precision_at_k": 1 / 4, "dcg": 1 / 2, "ndcg": 1 / 2, "hit_rate": 1 / 2},
    "one": {"recall_at_k": 1, "precision_at_k": 3 / 4, "dcg": 1 / 2, "ndcg": 1, "hit_rate": 1},
    "skip": {"recall_at_k": 1, "precision_at_k": 1 / 2, "dcg": 1, "ndcg": 1, "hit_rate": 1},
}


@pytest.mark.parametrize("empty", EMPTY)
def test_lists_without_a_relevant_item_count_as_is_said(empty):
    """As 0, as 1, or not at all; a gain has no largest value, so that nothing is gained there."""
    both = assay.Queries.of_lists(actual=[[], [1]], predicted=[[1, 2], [1, 2]])
    assert both.empty_lists == 1
    for name, expected in EMPTY[empty].items():
        assert find(name)(both, k=2, empty=empty) == expected
        found = assay.estimate(name, both, k=2, empty=empty)
        assert (found.value, found.n) == (expected, 1 if empty == "skip" else 2)


def test_lists_without_a_relevant_item_are_0_unless_said_otherwise():
    """Of such lists alone every metric is 0, or undefined where they are left out."""
    nothing = assay.Queries.of_lists(actual=[[]], predicted=[[1, 2]])
    for metric in (one for one in catalogue() if one.each is not None):
        assert metric(nothing, k=2) == 0
        assert isinstance(metric(nothing, k=2, empty="skip"), Undefined)
    with pytest.raises(assay.MetricError, match=r'use "zero", "one" or "skip"\. Did you mean "zero"'):
        recall_at_k(nothing, empty="neg")


def test_the_retrieval_metrics_of_torchmetrics_count_empty_lists_as_0():
    """724 of 2,000 lists have nothing to find: the hit rate is that of all lists."""
    lists = 2000
    actual = [[] if query < 724 else [0] for query in range(lists)]
    tally = assay.Queries.of_lists(actual=actual, predicted=[[0, 1]] * lists)
    assert hit_rate(tally) == (lists - 724) / lists
    assert hit_rate(tally, empty="skip") == 1


def test_documents_that_were_not_retrieved_are_in_the_ideal_order():
    """A score of minus infinity: no place in the list, but relevant, with its grade."""
    judged = assay.rows(query=["q"] * 5, actual=[1, 3, 0, 2, 0], score=[0.9, -math.inf, 0.8, 0.1, -math.inf])
    tally = assay.Queries.of(judged)
    assert tally.lengths.tolist() == [3]
    assert tally.gains.tolist() == [1, 0, 2]
    assert tally.ideal_gains.tolist() == [3, 2, 1]
    assert recall_at_k(tally) == 2 / 3
    assert precision_at_k(tally) == 2 / 3
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    assert ndcg(tally) == pytest.approx((1 + 2 / 2) / ideal, rel=1e-14)
    assert mean_average_precision(tally, convention="trec") == pytest.approx((1 + 2 / 3) / 3, rel=1e-14)
    tally.check()
    nowhere = assay.Queries.of(assay.rows(query=["q"], actual=[2], score=[-math.inf]))
    assert (nowhere.lengths.tolist(), ndcg(nowhere), recall_at_k(nowhere)) == ([0], 0, 0)
    with pytest.raises(
        assay.MissingValueError, match="judged but not retrieved have a score of minus infinity"
    ):
        assay.Queries.of(assay.rows(query=["q", "q"], actual=[2, 1], score=[0.5, math.nan]))


@pytest.mark.parametrize("seed", range(5))
def test_what_is_not_retrieved_is_as_if_it_were_ranked_beyond_k(seed):
    """Cut at a depth that no unretrieved document reaches, the metrics are those of the whole ranking."""
    rng = np.random.default_rng(seed)
    query, actual = np.repeat(np.arange(12), 9), rng.integers(0, 4, 108)
    score = rng.permutation(108).astype(float)
    score.reshape(12, 9).sort(axis=1)
    actual = rng.permutation(actual)
    missed = np.where(np.arange(108) % 9 < 4, -math.inf, score)  # the four lowest of each list
    whole, part = (
        assay.Queries.of(assay.rows(query=query, actual=actual, score=one)) for one in (score, missed)
    )
    for metric in (one for one in catalogue() if one.each is not None):
        assert metric(part, k=5) == metric(whole, k=5)


def test_graded_relevance_of_lists_of_items():
    """A mapping from item to gain is the same as rows of all judged documents."""
    lists = assay.Queries.of_lists(
        actual=[{"a": 3, "b": 1, "c": 0}, {"a": 2}], predicted=[["b", "d", "c", "b"], []], query=["x", "y"]
    )
    rows = assay.rows(query=["x"] * 4 + ["y"], actual=[3, 1, 0, 0, 2], score=[-math.inf, 3, 1, 2, -math.inf])
    assert lists == assay.Queries.of(rows)
    plain = assay.Queries.of_lists(actual=[{"a": 1, "b": 1}], predicted=[["b", "c"]])
    assert plain == assay.Queries.of_lists(actual=[["a", "b"]], predicted=[["b", "c"]])
    for actual, message in (
        ([{"a": -1}], "a gain is a finite number"),
        ([{"a": "high"}], "a gain is a finite number"),
    ):
        with pytest.raises(assay.NumberError, match=message):
            assay.Queries.of_lists(actual=actual, predicted=[["a"]])
    with pytest.raises(assay.ColumnError, match="pass a mapping in every row"):
        assay.Queries.of_lists(actual=[{"a": 1}, ["b"]], predicted=[["a"], ["b"]])


def test_an_evaluation_tells_how_many_lists_have_nothing_to_find():
    """In its text, its JSON, its page, its slices and comparisons."""
    columns = {
        "query": [1, 1, 2, 2, 3, 3, 4, 4], "actual": [1, 0, 0, 0, 0, 2, 0, 0],
        "score": [2.0, 1.0] * 4, "by": [["a"] * 4 + ["b"] * 4],
    }  # fmt: skip
    ev = assay.evaluate(**columns)
    assert "4 lists" in str(ev)
    assert "2 lists without a relevant item, counted as 0" in str(ev)
    assert ev.to_dict()["empty_lists"] == ev.empty_lists == 2
    assert (ev["hit_rate"].value, ev["hit_rate"].n) == (1 / 2, 4)
    assert "4 lists (2 without a relevant item)" in str(ev.slices)
    skipped = assay.evaluate(**columns, empty="skip")
    assert "2 lists without a relevant item, left out" in str(skipped)
    assert (skipped["hit_rate"].value, skipped["hit_rate"].n) == (1, 2)
    assert skipped.to_dict()["settings"]["empty"] == "skip"
    del columns["by"]
    found = assay.compare(*(assay.rows(**{**columns, "score": one}) for one in ([2, 1] * 4, [1, 2] * 4)))
    assert "paired on 4 queries · 2 without a relevant item" in str(found)
    assert found.to_dict()["empty_lists"] == 2
    with pytest.raises(assay.InputError, match="empty=skip"):
        assay.compare(ev, skipped)
    with pytest.raises(assay.InputError, match="empty='neg' says what a list"):
        assay.evaluate(**columns, empty="neg")


def test_evaluate_takes_graded_lists_of_items():
    """A mapping from item to gain in place of a list of relevant items."""
    ev = assay.evaluate(actual=[{"a": 3, "b": 1}, {}], predicted=[["b"], ["a"]], task="ranking")
    assert ev["ndcg"].value == pytest.approx(1 / (3 + 1 / math.log2(3)) / 2, rel=1e-14)
    assert ev.empty_lists == 1


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
