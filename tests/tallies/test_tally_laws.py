"""The laws of every tally, tested with `==`: a tally is a function of the multiset of its rows."""

import dataclasses
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.tallies import BoundedTally, ColumnProfile, StoredRows

SMALL = st.sampled_from([-3, -1, 0, 1, 2, 7])
WORDS = st.sampled_from(["", "ham", "spam", "sp", "naïve", "🛳"])
BINARY = st.integers(0, 1)
SCORE = st.one_of(
    st.sampled_from([0.0, -0.0, 0.1, 0.25, 0.5, 1.0, math.inf, -math.inf, 5e-324]),
    st.floats(allow_nan=False),
)
FINITE = st.one_of(
    st.sampled_from([0.0, -0.0, 1e16, -1e16, 0.1, 5e-324, 1.7e308, -1.7e308]),
    st.floats(allow_nan=False, allow_infinity=False),
)
LABEL_SET = st.tuples(BINARY, BINARY, BINARY)
NUMBER_PAIR = st.tuples(*[st.sampled_from([-1.5, 0.0, 0.1, 2.0])] * 2)
CHANCES = st.sampled_from([(0.5, 0.25, 0.25), (0.1, 0.8, 0.1), (0.0, 0.5, 0.5), (0.2, 0.2, 0.6)])
WHOLE_WEIGHT = st.integers(1, 5).map(float)
WEIGHT = st.one_of(WHOLE_WEIGHT, st.floats(1e-300, 1e300), st.floats(0.01, 100))


@dataclasses.dataclass
class Case:
    """How rows of a kind are drawn, and the tally made of a list of them."""

    row: Any
    of: Callable[[list], assay.Tally]
    empty: Callable[[], assay.Tally]
    keyed: bool = False  # rows of one key must stay together


def columns(rows, count):
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(count)]


def from_columns(make, *roles):
    """Make a tally from rows given as tuples, one value per role; no rows give no columns of a kind."""

    def of(rows):
        named = dict(zip(roles, columns(rows, len(roles)), strict=True))
        arrays = {
            role: np.array(values, dtype=np.float64) if role in {"score", "weight"} else values
            for role, values in named.items()
        }
        return make(assay.rows(**arrays))

    return of


def paired(make, role):
    def of(rows):
        actual, first, second = columns(rows, 3)
        kind = np.float64 if role == "score" else None
        return make(
            assay.rows(actual=actual, **{role: np.array(first, dtype=kind) if rows else []}),
            assay.rows(actual=actual, **{role: np.array(second, dtype=kind) if rows else []}),
        )

    return of


def class_scores(rows):
    """Each row is a label, its three scores and perhaps a weight."""
    if not rows:
        return assay.ClassScores.of(assay.rows(actual=[], score=np.empty((0, 3)), labels=[0, 1, 2]))
    actual, *scores = columns(rows, 4)
    weight = {"weight": scores.pop()} if len(scores) > 3 else {}
    matrix = np.array(scores, dtype=np.float64).T
    return assay.ClassScores.of(assay.rows(actual=actual, score=matrix, labels=[0, 1, 2], **weight))


def lists(rows):
    actual, predicted = columns(rows, 2)
    return assay.Queries.of_lists(actual=actual, predicted=predicted)


def ranked(rows):
    """Each row is a whole query: its name and its (score, gain) pairs."""
    flat = [(name, score, gain) for name, items in rows for score, gain in items]
    query, score, gain = columns(flat, 3)
    return assay.Queries.of(assay.rows(query=query, score=score, actual=gain))


def column_moments(rows):
    """Each row is two actual and two predicted numbers, and a weight or none."""
    if not rows:
        return assay.ColumnTallies.empty()
    actual, predicted, *weight = columns(rows, len(rows[0]))
    weights = {"weight": np.array(weight[0], dtype=np.float64)} if weight else {}
    several = assay.rows(actual=np.array(actual), predicted=np.array(predicted), **weights)
    return assay.ColumnTallies.of(several, assay.Moments)


def label_sets(rows):
    """Each row is two sets of three labels, as 0 and 1, and a weight or none."""
    actual, predicted, *weight = columns(rows, len(rows[0]) if rows else 2)
    weight = np.array(weight[0], dtype=np.float64) if weight else None
    return assay.LabelSets.of_indicators(actual=actual, predicted=predicted, weight=weight)


def grouped(rows):
    actual, predicted, region, size = columns(rows, 4)
    data = assay.rows(actual=actual, predicted=predicted, by=[region, size])
    return assay.Grouped.of(data, assay.Confusion.of)


def confident(rows):
    """Each row is a label, and one of a few distributions over three of them, and a weight or none."""
    actual, score, *weight = columns(rows, len(rows[0]) if rows else 2)
    weight = np.array(weight[0]) if weight else None
    score = np.array(score).reshape(len(rows), 3)
    return assay.Confidences.of(assay.rows(actual=actual, score=score, weight=weight, labels=["a", "b", "c"]))


def fingerprints(rows):
    """Each row is a key, an actual label and a score."""
    key, actual, score = columns(rows, 3)
    return assay.Fingerprint.of(assay.rows(actual=actual, score=np.array(score), key=key))


def ratings(rows):
    """Each row is an item with the ratings of three raters, None where one is missing, and its group."""
    first, second, third, group = columns(rows, 4)
    return assay.Ratings.of({"a": first, "b": second, "c": third}, group=group)


def long_ratings(rows):
    """Each row is an item's name and its ratings by rater."""
    flat = [(name, rater, value) for name, votes in rows for rater, value in votes.items()]
    return assay.Ratings.of_long(*columns(flat, 3))


def run_counts(rows):
    """Each row is a question with its runs by two models, and its group."""
    flat = [(name, model, value, group) for name, runs, group in rows for model, value in runs]
    question, model, correct, group = columns(flat, 4)
    return assay.RunCounts.of(question, np.array(correct, dtype=np.int64), model=model, group=group)


def preferences(rows):
    """Each row is two models, the outcome and a group."""
    left, right, winner, group = columns(rows, 4)
    return assay.Preferences.of(left, right, winner, group=group)


def collected(rows):
    actual, score = columns(rows, 2)
    data = assay.rows(actual=actual, score=np.array(score, dtype=np.float64))
    each = {"exact": assay.Scores.of, "binned": assay.BinnedScores.of}
    return assay.Collection.of(data, each)


def hard_loss(actual, predicted, *, limit=2.0):
    """Give finite, infinite (of both signs) and undefined losses."""
    with np.errstate(all="ignore"):
        return np.where(actual == limit, np.nan, actual / predicted)


def losses(*roles):
    return from_columns(lambda rows: assay.Losses.of(rows, hard_loss), *roles)


CASES = {
    "confusion": Case(
        st.tuples(SMALL, SMALL),
        from_columns(assay.Confusion.of, "actual", "predicted"),
        assay.Confusion.empty,
    ),
    "confusion of text": Case(
        st.tuples(WORDS, WORDS),
        from_columns(assay.Confusion.of, "actual", "predicted"),
        assay.Confusion.empty,
    ),
    "confusion, whole weights": Case(
        st.tuples(SMALL, SMALL, WHOLE_WEIGHT),
        from_columns(assay.Confusion.of, "actual", "predicted", "weight"),
        assay.Confusion.empty,
    ),
    "confusion, weighted": Case(
        st.tuples(WORDS, WORDS, WEIGHT),
        from_columns(assay.Confusion.of, "actual", "predicted", "weight"),
        assay.Confusion.empty,
    ),
    "scores": Case(
        st.tuples(BINARY, SCORE),
        from_columns(assay.Scores.of, "actual", "score"),
        assay.Scores.empty,
    ),
    "scores, weighted": Case(
        st.tuples(BINARY, SCORE, WEIGHT),
        from_columns(assay.Scores.of, "actual", "score", "weight"),
        assay.Scores.empty,
    ),
    "binned scores": Case(
        st.tuples(BINARY, SCORE),
        from_columns(assay.BinnedScores.of, "actual", "score"),
        assay.BinnedScores.empty,
    ),
    "binned scores, weighted": Case(
        st.tuples(BINARY, SCORE, WEIGHT),
        from_columns(assay.BinnedScores.of, "actual", "score", "weight"),
        assay.BinnedScores.empty,
    ),
    "class scores": Case(
        st.tuples(st.integers(0, 2), SCORE, SCORE, SCORE), class_scores, assay.ClassScores.empty
    ),
    "class scores, weighted": Case(
        st.tuples(st.integers(0, 2), SCORE, SCORE, SCORE, WEIGHT), class_scores, assay.ClassScores.empty
    ),
    "moments": Case(
        st.tuples(FINITE, FINITE),
        from_columns(assay.Moments.of, "actual", "predicted"),
        assay.Moments.empty,
    ),
    "moments, weighted": Case(
        st.tuples(FINITE, FINITE, WEIGHT),
        from_columns(assay.Moments.of, "actual", "predicted", "weight"),
        assay.Moments.empty,
    ),
    "sums": Case(FINITE, assay.Sums.of, assay.Sums.empty),
    "losses": Case(
        st.tuples(SMALL.map(float) | FINITE, SMALL.map(float) | FINITE),
        losses("actual", "predicted"),
        assay.Losses.empty,
    ),
    "losses, weighted": Case(
        st.tuples(SMALL.map(float) | FINITE, SMALL.map(float) | FINITE, WEIGHT),
        losses("actual", "predicted", "weight"),
        assay.Losses.empty,
    ),
    "values": Case(st.tuples(FINITE), lambda rows: assay.Values.of(*columns(rows, 1)), assay.Values.empty),
    "values, weighted": Case(
        st.tuples(FINITE, WEIGHT), lambda rows: assay.Values.of(*columns(rows, 2)), assay.Values.empty
    ),
    "number pairs": Case(
        st.tuples(FINITE, SMALL | FINITE),
        from_columns(assay.NumberPairs.of, "actual", "predicted"),
        assay.NumberPairs.empty,
    ),
    "paired labels": Case(
        st.tuples(SMALL, SMALL, SMALL), paired(assay.PairedLabels.of, "predicted"), assay.PairedLabels.empty
    ),
    "paired scores": Case(
        st.tuples(BINARY, SCORE, SCORE), paired(assay.PairedScores.of, "score"), assay.PairedScores.empty
    ),
    "queries of lists": Case(
        st.tuples(st.lists(st.integers(0, 5), max_size=4), st.lists(st.integers(0, 5), max_size=5)),
        lists,
        assay.Queries.empty,
    ),
    "queries of rows": Case(
        st.tuples(
            st.integers(0, 10**6),
            st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from([0, 0, 1, 2.5])), min_size=1, max_size=5),
        ),
        ranked,
        assay.Queries.empty,
        keyed=True,
    ),
    "label sets": Case(st.tuples(LABEL_SET, LABEL_SET), label_sets, assay.LabelSets.empty),
    "label sets, weighted": Case(
        st.tuples(LABEL_SET, LABEL_SET, WEIGHT), label_sets, assay.LabelSets.empty
    ),
    "columns": Case(st.tuples(NUMBER_PAIR, NUMBER_PAIR), column_moments, assay.ColumnTallies.empty),
    "columns, weighted": Case(
        st.tuples(NUMBER_PAIR, NUMBER_PAIR, WEIGHT), column_moments, assay.ColumnTallies.empty
    ),
    "grouped": Case(
        st.tuples(SMALL, SMALL, WORDS, st.integers(0, 2)), grouped, assay.Grouped.empty
    ),
    "confidences": Case(st.tuples(st.sampled_from("abc"), CHANCES), confident, assay.Confidences.empty),
    "confidences, weighted": Case(
        st.tuples(st.sampled_from("abc"), CHANCES, WEIGHT), confident, assay.Confidences.empty
    ),
    "fingerprint": Case(st.tuples(WORDS, SMALL, st.floats(0, 1)), fingerprints, assay.Fingerprint.empty),
    "ratings": Case(
        st.tuples(*[st.none() | SMALL] * 2, st.sampled_from([None, 0.5, 2.0]), WORDS),
        ratings,
        assay.Ratings.empty,
    ),
    "ratings, long": Case(
        st.tuples(st.integers(0, 99), st.dictionaries(WORDS, SMALL, min_size=1)),
        long_ratings,
        assay.Ratings.empty,
        keyed=True,
    ),
    "run counts": Case(
        st.tuples(
            st.integers(0, 99), st.lists(st.tuples(st.sampled_from("ab"), BINARY), min_size=1, max_size=4), WORDS
        ),
        run_counts,
        assay.RunCounts.empty,
        keyed=True,
    ),
    "preferences": Case(
        st.tuples(
            st.sampled_from("abc"), st.sampled_from("def"), st.sampled_from(["left", "right", "tie"]), SMALL
        ),
        preferences,
        assay.Preferences.empty,
    ),
    "collection": Case(st.tuples(BINARY, SCORE), collected, lambda: collected([])),
    "traits of labels": Case(
        st.tuples(WORDS, WORDS), from_columns(ColumnProfile.of, "actual", "predicted"), ColumnProfile.empty
    ),
    "traits of numbers": Case(
        st.tuples(SMALL.map(float) | st.just(0.5), SMALL, SCORE),
        from_columns(ColumnProfile.of, "actual", "predicted", "score"),
        ColumnProfile.empty,
    ),
    "cases": Case(
        st.tuples(SMALL, FINITE, WEIGHT, WORDS),
        from_columns(StoredRows.of, "actual", "score", "weight", "group"),
        StoredRows.empty,
    ),
    "perhaps": Case(
        st.tuples(FINITE, FINITE),
        from_columns(lambda rows: BoundedTally.of(rows, assay.NumberPairs, limit=100), "actual", "predicted"),
        BoundedTally.empty,
    ),
}  # fmt: skip

every_tally = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def drawn(data, case, **limits):
    unique = (lambda row: row[0]) if case.keyed else None
    return data.draw(st.lists(case.row, unique_by=unique, **limits))


@pytest.mark.slow
@every_tally
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_split_in_any_order_equals_the_whole(case, data):
    """Rows shuffled, cut in three and tallied apart give the whole, however the parts are merged."""
    rows = drawn(data, case, max_size=30)
    whole = case.of(rows)
    shuffled = data.draw(st.permutations(rows))
    cuts = sorted(data.draw(st.tuples(*[st.integers(0, len(rows))] * 2)))
    a, b, c = (
        case.of(part) for part in (shuffled[: cuts[0]], shuffled[cuts[0] : cuts[1]], shuffled[cuts[1] :])
    )
    before = [part.to_bytes() for part in (a, b, c)]
    assert a.merge(b).merge(c) == whole
    assert a.merge(b.merge(c)) == whole
    assert c.merge(a).merge(b) == whole
    assert assay.merge([b, c, a]) == whole
    assert assay.merge([b, c, a]).to_bytes() == whole.to_bytes()
    assert [part.to_bytes() for part in (a, b, c)] == before, "merging changed an argument"


@every_tally
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_the_empty_tally_changes_nothing_on_either_side(case, data):
    """Merging with the tally of no rows gives back the same tally."""
    tally = case.of(drawn(data, case, max_size=12))
    assert case.empty().merge(tally) == tally
    assert tally.merge(case.empty()) == tally
    assert case.of([]) == case.empty()


@every_tally
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_bytes_round_trip(case, data):
    """A tally read back from its bytes equals it, has the same bytes and the same hash."""
    tally = case.of(drawn(data, case, max_size=12))
    again = assay.from_bytes(tally.to_bytes())
    assert again == tally
    assert again.to_bytes() == tally.to_bytes()
    assert hash(again) == hash(tally)
    assert type(tally).from_bytes(tally.to_bytes()) == tally


@every_tally
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_different_rows_give_different_tallies(case, data):
    """One row more is another tally: equality is not blind."""
    rows = drawn(data, case, min_size=1, max_size=12)
    assert case.of(rows[1:]) != case.of(rows)


def large_rows(case, n, seed):
    """Draw a few rows by Hypothesis' strategies and repeat them in a random order."""
    rng = random.Random(seed)
    pool = [*EXAMPLES[case]]
    return [rng.choice(pool) for _ in range(n)]


EXAMPLES = {
    "traits of labels": [("ham", "spam"), ("ham", "ham"), ("", "naïve")],
    "traits of numbers": [(0.0, 1, 0.5), (0.5, 0, -0.0), (2.0, 7, 3.5), (1.0, 1, 0.1)],
    "cases": [(1, 0.5, 2.0, "a"), (0, -0.0, 1.5, "b"), (0, 0.0, 0.5, "a"), (7, 1e300, 1.0, "c")],
    "perhaps": [(0.1, 1.0), (0.1, 2.0), (-0.0, 1e300), (0.0, 1e300)],
    "confusion": [(0, 1), (1, 1), (2, 0), (7, 7), (-3, 0)],
    "confusion of text": [("ham", "ham"), ("ham", "spam"), ("spam", "spam"), ("", "naïve")],
    "confusion, whole weights": [(0, 1, 1.0), (1, 1, 3.0), (1, 0, 2.0)],
    "confusion, weighted": [("a", "b", 0.1), ("b", "b", 0.7), ("a", "a", 1e-9), ("b", "a", 1e9)],
    "scores": [(0, 0.1), (1, 0.1), (1, 0.30000000000000004), (0, 0.3), (1, -0.0), (0, 0.0)],
    "scores, weighted": [(0, 0.1, 0.1), (1, 0.1, 0.7), (1, 0.3, 0.1), (0, 0.3, 2.0)],
    "binned scores": [(0, 0.1), (1, 0.1), (1, 0.9), (0, 0.3), (1, 7.0), (0, -2.0)],
    "binned scores, weighted": [(0, 0.1, 0.3), (1, 0.1, 1.0), (1, 0.9, 2.0), (0, 0.3, 1e-9)],
    "class scores": [(0, 0.1, 0.2, 0.7), (1, 0.1, 0.5, 0.4), (2, 0.3, 0.3, 0.4), (1, 0.0, -0.0, 1.0)],
    "class scores, weighted": [(0, 0.1, 0.2, 0.7, 0.3), (1, 0.1, 0.5, 0.4, 1.0), (0, 0.1, 0.3, 0.4, 7.0)],
    "moments": [(0.1, 0.2), (1e16, 1.0), (-1e16, 0.3), (1e-300, 1e300)],
    "moments, weighted": [(0.1, 0.2, 0.3), (1e16, 1.0, 0.1), (-1e16, 0.3, 7.0)],
    "sums": [0.1, 0.2, 1e16, -1e16, 1e-300],
    "losses": [(0.1, 0.3), (1e300, 1e-300), (1.0, 0.0), (2.0, 1.0), (-7.0, 0.1)],
    "losses, weighted": [(0.1, 0.3, 0.7), (1e300, 1e-8, 1e300), (1.0, 0.0, 3.0), (2.0, 1.0, 0.2)],
    "values": [(0.1,), (0.5,), (-0.0,), (1e300,), (0.0,)],
    "values, weighted": [(0.1, 0.3), (0.5, 1.0), (-0.0, 7.0), (0.1, 1e-9)],
    "number pairs": [(0.1, 1.0), (0.1, 2.0), (-0.0, 1e300), (0.0, 1e300)],
    "paired labels": [(0, 1, 1), (1, 1, 0), (0, 0, 0), (2, 1, 2)],
    "paired scores": [(0, 0.1, 0.2), (1, 0.1, 0.3), (1, 0.9, 0.2)],
    "queries of lists": [([1, 2], [2, 3]), ([], [1]), ([4], [4, 4, 1])],
    "label sets": [((0, 1, 1), (0, 1, 1)), ((0, 0, 0), (1, 0, 1)), ((1, 1, 1), (0, 1, 1))],
    "label sets, weighted": [
        ((0, 1, 1), (0, 1, 1), 0.1),
        ((0, 0, 0), (1, 0, 1), 1.0),
        ((1, 1, 0), (0, 1, 1), 1e9),
    ],
    "grouped": [(0, 1, "a", 0), (1, 1, "b", 1), (1, 0, "a", 1)],
    "confidences": [("a", (0.5, 0.25, 0.25)), ("b", (0.5, 0.25, 0.25)), ("c", (0.0, 0.3, 0.7))],
    "collection": [(0, 0.1), (1, 0.1), (1, 0.9)],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_thousand_random_splits_give_the_same_bytes(name):
    """One data set cut a thousand ways into two to six parts merges to one and the same bytes."""
    case, rng = CASES[name], random.Random(5)
    rows = large_rows(name, 48, seed=1)
    whole = case.of(rows).to_bytes()
    for _ in range(1000):
        rng.shuffle(rows)
        cuts = sorted(rng.randrange(len(rows) + 1) for _ in range(rng.randrange(1, 6)))
        parts = [case.of(rows[a:b]) for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
        rng.shuffle(parts)
        assert assay.merge(parts).to_bytes() == whole


@pytest.fixture
def any_threads():
    """Set the number of threads back to every core afterwards."""
    yield assay.set_threads
    assay.set_threads(0)


ARRAYS = {
    "confusion": lambda r: assay.Confusion.of(assay.rows(actual=r["label"], predicted=r["other"])),
    "confusion of text": lambda r: assay.Confusion.of(assay.rows(actual=r["text"], predicted=r["text"][::-1])),
    "confusion, weighted": lambda r: assay.Confusion.of(
        assay.rows(actual=r["label"], predicted=r["other"], weight=r["weight"])
    ),
    "scores": lambda r: assay.Scores.of(assay.rows(actual=r["binary"], score=r["score"])),
    "scores, tied": lambda r: assay.Scores.of(assay.rows(actual=r["binary"], score=r["score"].round(2))),
    "scores, weighted": lambda r: assay.Scores.of(
        assay.rows(actual=r["binary"], score=r["score"], weight=r["weight"])
    ),
    "binned scores": lambda r: assay.BinnedScores.of(assay.rows(actual=r["binary"], score=r["score"])),
    "binned scores, weighted": lambda r: assay.BinnedScores.of(
        assay.rows(actual=r["binary"], score=r["score"], weight=r["weight"])
    ),
    "class scores": lambda r: assay.ClassScores.of(
        assay.rows(actual=r["label"] % 3, score=np.stack([r["score"], r["score"].round(2), r["number"]], 1))
    ),
    "class scores, weighted": lambda r: assay.ClassScores.of(
        assay.rows(
            actual=r["label"] % 2, score=np.stack([r["score"], r["number"]], 1), weight=r["weight"].round(2) + 0.1
        )
    ),
    "moments": lambda r: assay.Moments.of(assay.rows(actual=r["score"], predicted=r["weight"])),
    "moments, weighted": lambda r: assay.Moments.of(
        assay.rows(actual=r["score"], predicted=r["number"], weight=r["weight"])
    ),
    "sums": lambda r: assay.Sums.of(r["number"]),
    "losses": lambda r: assay.Losses.of(assay.rows(actual=r["number"], predicted=r["score"]), hard_loss),
    "losses, weighted": lambda r: assay.Losses.of(
        assay.rows(actual=r["number"], predicted=r["score"], weight=r["weight"]), hard_loss
    ),
    "values": lambda r: assay.Values.of(r["number"]),
    "values, weighted": lambda r: assay.Values.of(r["score"].round(3), r["weight"]),
    "number pairs": lambda r: assay.NumberPairs.of(assay.rows(actual=r["number"], predicted=r["score"].round(3))),
    "paired scores": lambda r: assay.PairedScores.of(
        assay.rows(actual=r["binary"], score=r["score"]), assay.rows(actual=r["binary"], score=r["number"])
    ),
    "label sets, weighted": lambda r: assay.LabelSets.of_indicators(
        actual=np.stack([r["label"] < 20, r["label"] % 2 == 0], 1),
        predicted=np.stack([r["other"] < 20, r["binary"] == 0], 1),
        weight=r["weight"],
    ),
    "queries": lambda r: assay.Queries.of(
        assay.rows(query=r["label"] + 40 * r["other"], score=r["score"].round(2), actual=r["binary"])
    ),
}  # fmt: skip


def random_arrays(n, seed=11):
    rng = np.random.default_rng(seed)
    return {
        "label": rng.integers(0, 40, n),
        "other": rng.integers(0, 40, n),
        "text": np.array(["ham", "spam", "jam"])[rng.integers(0, 3, n)],
        "binary": rng.integers(0, 2, n),
        "score": rng.beta(0.3, 0.3, n),
        "number": rng.normal(size=n) * rng.lognormal(sigma=3, size=n),
        "weight": rng.gamma(1.0, size=n) + 1e-3,
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ARRAYS)
def test_the_number_of_threads_and_the_order_of_rows_change_nothing(name, any_threads):
    """300,000 rows on one thread, two or three, in any order, give the same bytes."""
    arrays = random_arrays(300_001)
    found = set()
    for count in (1, 2, 3):
        any_threads(count)
        found.add(ARRAYS[name](arrays).to_bytes())
    order = np.random.default_rng(3).permutation(300_001)
    if name != "confusion of text":  # its second column is the first one reversed
        found.add(ARRAYS[name]({key: values[order] for key, values in arrays.items()}).to_bytes())
    assert len(found) == 1


@pytest.mark.slow
def test_ten_thousand_tallies_merge_to_the_whole():
    """Ten thousand tallies of fifty rows each, merged as a tree, equal the tally of all rows."""
    arrays = random_arrays(500_000)
    for name in ("confusion", "scores", "moments"):
        make = ARRAYS[name]
        parts = [
            make({key: values[start : start + 50] for key, values in arrays.items()})
            for start in range(0, 500_000, 50)
        ]
        assert assay.merge(parts) == make(arrays)


def test_a_collection_of_nothing_changes_nothing():
    """The collection without names merges with any other without effect."""
    tally = collected([(0, 0.1), (1, 0.3)])
    assert assay.Collection.empty().merge(tally) == tally == tally.merge(assay.Collection.empty())


def test_tallies_of_different_losses_do_not_merge():
    """A loss is told by its function's name and parameters; no rows are of no loss."""
    rows = assay.rows(actual=[1.0, 2.0], predicted=[3.0, 4.0])
    whole, three = assay.Losses.of(rows, hard_loss), assay.Losses.of(rows, hard_loss, limit=np.float64(3))
    assert (whole.loss, three.loss) == ("hard_loss limit=2.0", "hard_loss limit=3.0")
    assert three == assay.Losses.of(rows, hard_loss, limit=3)
    with pytest.raises(
        assay.MergeError, match=r"'hard_loss limit=2\.0', the other of 'hard_loss limit=3\.0'"
    ):
        whole.merge(three)
    for nothing in (assay.Losses.empty(), assay.Losses.of(rows.take(slice(0, 0)), hard_loss, limit=7)):
        assert nothing.merge(three) == three == three.merge(nothing)


def test_tallies_of_different_kinds_do_not_merge():
    """A confusion tally and a moments tally have nothing to say to each other."""
    with pytest.raises(assay.MergeError, match="confusion does not merge with moments"):
        assay.Confusion.empty().merge(assay.Moments.empty())
    with pytest.raises(assay.TallyError, match="nothing to merge"):
        assay.merge([])


def test_weights_that_are_all_1_in_a_group_are_no_weights():
    """A group's tally is the one its rows have alone, whatever others weigh; so its bytes are read back."""
    rows = {"actual": [0, 1, 1], "score": [0.1, 0.9, 0.4]}
    whole = assay.Grouped.of(assay.rows(**rows, weight=[1.0, 1.0, 2.0], by=["n", "n", "s"]), assay.Scores)
    assert whole["n"] == assay.Scores.of(assay.rows(actual=[0, 1], score=[0.1, 0.9]))
    assert assay.from_bytes(whole.to_bytes()) == whole
