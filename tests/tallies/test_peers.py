"""The tallies against scikit-learn and NumPy on random rows: many labels, weights, slices, two models."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, dcg_score, roc_auc_score

import assay

KINDS = {
    "int64": lambda x: x,
    "int64, far apart": lambda x: x * 10**15 - 7,
    "int8": lambda x: (x % 100).astype(np.int8),
    "uint64": lambda x: x.astype(np.uint64) + np.uint64(2**63),
    "float64": lambda x: x.astype(np.float64),
    "bool": lambda x: x % 2 == 1,
    "text": lambda x: np.char.add("label ", x.astype(str)),
    "object": lambda x: np.char.add("label ", x.astype(str)).astype(object),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 20, 300])
def test_counts_equal_scikit_learn_s(kind, k):
    """Labels of every kind, two to three hundred of them: the same matrix in the same order."""
    rng = np.random.default_rng(k)
    actual, predicted = KINDS[kind](rng.integers(0, k, 5000)), KINDS[kind](rng.integers(0, k, 5000))
    tally = assay.Confusion.of(assay.rows(actual=actual, predicted=predicted))
    assert list(tally.labels) == np.unique(np.concatenate([actual, predicted])).tolist()
    assert (tally.table() == confusion_matrix(actual, predicted)).all()


@pytest.mark.parametrize("kind", ["int64", "int64, far apart", "text"])
def test_thousands_of_labels(kind):
    """Five thousand labels: only the pairs that occur are kept, and all totals are right."""
    rng = np.random.default_rng(7)
    a, p = rng.integers(0, 5000, 200_000), rng.integers(0, 5000, 200_000)
    tally = assay.Confusion.of(assay.rows(actual=KINDS[kind](a), predicted=KINDS[kind](p)))
    pairs, counts = np.unique(np.stack([a, p]), axis=1, return_counts=True)
    order = np.argsort(np.argsort(KINDS[kind](np.arange(5000))))  # text sorts otherwise
    cells = order[pairs[0]].astype(np.uint64) * np.uint64(5000) + order[pairs[1]].astype(np.uint64)
    assert (tally.cells == np.sort(cells)).all()
    assert (tally.counts == counts[np.argsort(cells)]).all()
    assert tally.correct == (a == p).sum()
    assert (tally.actual_totals == np.bincount(order[a])).all()
    assert (tally.predicted_totals == np.bincount(order[p])).all()
    halves = [
        assay.Confusion.of(assay.rows(actual=KINDS[kind](a[part]), predicted=KINDS[kind](p[part])))
        for part in (slice(None, 77_000), slice(77_000, None))
    ]
    assert assay.merge(halves) == tally


def test_a_table_too_large_to_fill_is_refused():
    """Twenty thousand labels have cells and counts, but no full table."""
    names = np.arange(20_000) * 10**12
    tally = assay.Confusion.of(assay.rows(actual=names, predicted=names))
    assert len(tally.cells) == 20_000
    with pytest.raises(assay.TallyError, match="would take 3 GiB: use cells and counts"):
        tally.table()


def test_weights_equal_scikit_learn_s():
    """Weighted counts are those of scikit-learn, to its rounding; whole weights equal repetition."""
    rng = np.random.default_rng(2)
    a, p = rng.integers(0, 4, 3000), rng.integers(0, 4, 3000)
    w = rng.gamma(1.0, size=3000)
    tally = assay.Confusion.of(assay.rows(actual=a, predicted=p, weight=w))
    assert np.allclose(tally.table(tally.weight()), confusion_matrix(a, p, sample_weight=w), rtol=1e-13)
    whole = rng.integers(0, 4, 3000)
    weighted = assay.Confusion.of(assay.rows(actual=a, predicted=p, weight=whole))
    repeated = assay.Confusion.of(assay.rows(actual=a.repeat(whole), predicted=p.repeat(whole)))
    assert (weighted.weight() == repeated.counts).all()
    assert weighted.labels == repeated.labels


def test_zero_weight_equals_removal_and_one_equals_none():
    """A row of weight 0 was never there, down to its label; weights of 1 are no weights."""
    some = assay.rows(actual=["a", "b", "c"], predicted=["a", "b", "b"], weight=[2, 1, 0])
    rest = assay.rows(actual=["a", "b"], predicted=["a", "b"], weight=[2, 1])
    assert assay.Confusion.of(some) == assay.Confusion.of(rest)
    plain = assay.rows(actual=[0, 1], score=[0.5, 0.7])
    ones = assay.rows(actual=[0, 1, 1], score=[0.5, 0.7, 0.9], weight=[1, 1, 0])
    assert assay.Scores.of(ones) == assay.Scores.of(plain)


def test_declared_labels_keep_their_order_and_absent_ones_their_row():
    """The declared order is the table's; a class that does not occur has a row of zeros."""
    rows = assay.rows(actual=["low", "high"], predicted=["high", "high"], labels=["low", "mid", "high"])
    tally = assay.Confusion.of(rows)
    assert tally.labels == ("low", "mid", "high")
    assert tally.table().tolist() == [[0, 0, 1], [0, 0, 0], [0, 0, 1]]
    free = assay.Confusion.of(assay.rows(actual=["low"], predicted=["low"]))
    assert tally.merge(free) == free.merge(tally)
    assert tally.merge(free).table()[0, 0] == 1


def test_truth_beside_numbers_is_one_and_zero():
    """Bool on one side and 0/1 on the other are the same two labels."""
    mixed = assay.Confusion.of(assay.rows(actual=[True, False, True], predicted=[1, 0, 0]))
    assert mixed == assay.Confusion.of(assay.rows(actual=[1, 0, 1], predicted=[1, 0, 0]))
    truth = assay.Confusion.of(assay.rows(actual=[True], predicted=[False]))
    assert truth.labels == (False, True)
    assert truth.merge(mixed) == mixed.merge(truth)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint8, np.float16])
@pytest.mark.parametrize("labels", ["0/1", "-1/1", "bool", "text"])
def test_areas_equal_scikit_learn_s(dtype, labels):
    """Scores of every type and labels of every kind give scikit-learn's area."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 4000)
    score = (rng.normal(size=4000) * 20 + 10 * y + 60).clip(0, 200).astype(dtype)
    named = {"0/1": y, "-1/1": 2 * y - 1, "bool": y == 1, "text": np.array(["ham", "spam"])[y]}[labels]
    positive = "spam" if labels == "text" else None
    ranks = assay.Scores.of(assay.rows(actual=named, score=score, positive=positive)).concordance()
    found = ranks.concordant / (2 * ranks.positives * ranks.negatives)
    assert found == pytest.approx(roc_auc_score(y, score), rel=1e-12)


def test_one_positive_label_against_the_rest():
    """With three labels the positive one is evaluated against the other two."""
    rng = np.random.default_rng(4)
    y, score = rng.integers(0, 3, 500), rng.random(500)
    ranks = assay.Scores.of(assay.rows(actual=y, score=score, positive=2)).concordance()
    assert ranks.concordant / (2 * ranks.positives * ranks.negatives) == pytest.approx(
        roc_auc_score(y == 2, score)
    )


def test_float32_and_float64_shards_merge_to_exact_scores():
    """A float32 score is the float64 of the same value, not of the same decimals."""
    narrow = assay.Scores.of(assay.rows(actual=[1, 0], score=np.array([0.1, 0.5], np.float32)))
    wide = assay.Scores.of(assay.rows(actual=[0, 1], score=[0.1, 0.5]))
    merged = narrow.merge(wide)
    assert merged.scores.tolist() == [0.1, float(np.float32(0.1)), 0.5]
    assert merged.positives.tolist() == [0, 1, 1]


def test_slices_equal_tallies_of_their_rows():
    """Grouped by two crossed columns, each group's tally is that of its rows alone."""
    rng = np.random.default_rng(5)
    a, p, s = rng.integers(0, 3, 2000), rng.integers(0, 3, 2000), rng.random(2000)
    region, size = np.array(["n", "s", "w"])[rng.integers(0, 3, 2000)], rng.integers(0, 2, 2000)
    rows = assay.rows(actual=a, predicted=p, score=s, by=[region, size], group=size, positive=1)
    for make in (assay.Confusion.of, assay.Scores.of):
        grouped = assay.Grouped.of(rows, make)
        assert len(grouped) == 6
        for key in grouped:
            assert grouped[key] == make(rows.take((region == key[0]) & (size == key[1])))
    assert assay.Grouped.of(rows, assay.Confusion.of, over="group").index == ((0,), (1,))
    with pytest.raises(KeyError):
        _ = grouped["nowhere"]


def test_cut_makes_intervals_that_include_their_lower_edge():
    """Ages cut at 18 and 65 fall where numpy.digitize puts them."""
    ages = np.array([0, 17.9, 18, 64, 65, 99])
    codes = assay.cut(ages, [18, 65]).values
    assert codes.tolist() == np.digitize(ages, [18, 65]).tolist()
    rows = assay.rows(actual=ages > 30, predicted=ages > 40, by=[assay.cut(ages, [18, 65])])
    assert [tally.n for tally in assay.Grouped.of(rows, assay.Confusion.of).tallies] == [2, 2, 2]


def test_two_models_jointly():
    """The joint counts give back each model's own, and who was right when the other was not."""
    rng = np.random.default_rng(6)
    y, first, second = rng.integers(0, 3, (3, 1000))
    rows = [assay.rows(actual=y, predicted=model) for model in (first, second)]
    joint = assay.PairedLabels.of(*rows)
    table = joint.table()
    assert (table.sum(axis=2) == assay.Confusion.of(rows[0]).table()).all()
    assert (table.sum(axis=1) == assay.Confusion.of(rows[1]).table()).all()
    only_first = sum(table[t, t, j] for t in range(3) for j in range(3) if j != t)
    assert only_first == ((first == y) & (second != y)).sum()


def test_discounted_gain_equals_scikit_learn_s():
    """NDCG's parts on tied scores, where scikit-learn averages over ties as we do."""
    rng = np.random.default_rng(8)
    gains, score = rng.integers(0, 4, (50, 12)), rng.integers(0, 5, (50, 12))
    rows = assay.rows(query=np.repeat(np.arange(50), 12), actual=gains.ravel(), score=score.ravel())
    for k in (1, 5, 12):
        found = assay.Queries.of(rows).at(k)
        expected = [dcg_score(gains[q : q + 1], score[q : q + 1], k=k) for q in range(50)]
        assert found.dcg_linear == pytest.approx(expected, rel=1e-12)
        best = [dcg_score(gains[q : q + 1], gains[q : q + 1], k=k) for q in range(50)]
        assert found.ideal_dcg_linear == pytest.approx(best, rel=1e-12)


def test_dropping_counts_rows_once():
    """A row that lacks two values is dropped once; what is left is tallied as if alone."""
    rows = assay.rows(
        actual=["a", None, "b", "c"], predicted=["a", None, "b", "b"], score=[0.1, 0.2, 0.3, np.nan],
        missing="drop", positive="a",
    )  # fmt: skip
    assert (len(rows), rows.dropped) == (2, 2)
    assert assay.Confusion.of(rows).labels == ("a", "b"), "the dropped row's label is gone too"


def test_a_tally_does_not_share_the_caller_s_memory():
    """Changing an array afterwards does not change the tally made of it."""
    y, score = np.array([0, 1, 1]), np.array([0.1, 0.5, 0.9])
    tallies = [assay.Scores.of(assay.rows(actual=y, score=score)), assay.Sums.of(score)]
    before = [tally.to_bytes() for tally in tallies]
    score[:] = 7
    y[:] = 0
    assert [tally.to_bytes() for tally in tallies] == before
    with pytest.raises(ValueError, match="read-only"):
        tallies[0].scores[0] = 3


def test_one_against_the_rest_can_be_split():
    """A shard without the positive class, or whose weights are all 0, merges as any other."""
    whole = assay.Scores.of(assay.rows(actual=list("abcab"), score=[1, 2, 3, 4, 5], positive="c"))
    parts = [
        assay.Scores.of(assay.rows(actual=list(names), score=score, positive="c"))
        for names, score in (("ab", [4, 5]), ("abc", [1, 2, 3]))
    ]
    assert assay.merge(parts) == whole
    sliced = assay.rows(actual=list("abcab"), score=[1, 2, 3, 4, 5], positive="c", by=list("xxxyy"))
    assert assay.merge(assay.Grouped.of(sliced, assay.Scores.of).tallies) == whole
    nothing = assay.Confusion.of(assay.rows(actual=[0], predicted=[1], weight=[0]))
    assert nothing == assay.Confusion.empty()
    empty = assay.rows(actual=[], predicted=[], by=np.array([], dtype=str))
    assert assay.Grouped.of(empty, assay.Confusion.of) == assay.Grouped.empty()


def test_truth_and_numbers_as_keys_merge_either_way():
    """Groups and queries named True in one shard and 2 in another are named 1 and 2 together."""
    first = assay.rows(actual=[0], predicted=[0], by=[True])
    second = assay.rows(actual=[1], predicted=[0], by=[2])
    a, b = (assay.Grouped.of(one, assay.Confusion.of) for one in (first, second))
    assert a.merge(b) == b.merge(a)
    assert a.merge(b).index == ((1,), (2,))
    assert "nothing" not in a
    assert (1,) in a.merge(b)
    assert dict(a.merge(b))[(2,)].n == 1
    q, r = (assay.Queries.of(assay.rows(query=[n], score=[1.0], actual=[1])) for n in (True, 2))
    assert q.merge(r) == r.merge(q)
    assert q.merge(r).names == (1, 2)


def test_many_crossed_columns_do_not_run_over():
    """Seventeen columns of sixteen labels are more combinations than 64 bits: only those that occur count."""
    base = np.arange(16)
    first, rest = np.r_[base, 0, 1], np.r_[base, 0, 0]
    rows = assay.rows(actual=np.zeros(18, int), predicted=np.zeros(18, int), by=[first, *[rest] * 16])
    grouped = assay.Grouped.of(rows, assay.Confusion.of)
    assert set(grouped) == {(int(f), *[int(r)] * 16) for f, r in zip(first, rest, strict=True)}
    names = np.arange(3000)
    joint = [assay.rows(actual=names, predicted=names, weight=names + 0.5) for _ in range(2)]
    assert (np.diff(assay.PairedLabels.of(*joint).digits(), axis=0) == 0).all()
    plain = [assay.rows(actual=names, predicted=names) for _ in range(2)]
    assert (np.diff(assay.PairedLabels.of(*plain).digits(), axis=0) == 0).all()


def test_stated_labels_of_any_type_give_the_same_tally():
    """NumPy's scalars, whole floats and subclasses of str state the same label."""

    class Name(str):
        __slots__ = ()

    y, score = np.array([0, 1, 1], dtype=np.int32), [0.1, 0.5, 0.9]
    tallies = {
        assay.Scores.of(assay.rows(actual=y.astype(dtype), score=score, positive=positive)).to_bytes()
        for positive in (None, 1, True, 1.0, np.int64(1), np.array([True])[0])
        for dtype in (np.int32, np.int64, np.float64)
    }
    assert len(tallies) == 1
    named = assay.rows(actual=["a", "b"], score=[1, 2], positive=Name("b"), labels=[Name("a"), np.str_("b")])
    again = assay.Scores.of(named)
    assert assay.from_bytes(again.to_bytes()) == again
    mixed = assay.Confusion.of(assay.rows(actual=[1], predicted=[2], labels=[True, 2]))
    assert mixed.labels == (1, 2)
    assert assay.Confusion.of(assay.rows(actual=[0.0], predicted=[1.0], labels=np.unique([0.0, 1.0]))).n == 1


def test_copies_and_pickles_are_frozen_too():
    """A tally copied, deep-copied or pickled is equal, and as closed for writing as before."""
    tally = assay.Confusion.of(assay.rows(actual=[0, 1], predicted=[0, 1]))
    for other in (copy.copy(tally), copy.deepcopy(tally), pickle.loads(pickle.dumps(tally))):  # noqa: S301
        assert other == tally
        with pytest.raises(ValueError, match="read-only"):
            other.counts[0] = 99


def test_changing_weights_after_they_were_checked_changes_nothing():
    """Weights are the caller's until rows() returns, and ours from then on."""
    y, weight = np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0])
    rows = assay.rows(actual=y, predicted=y, weight=weight)
    before = assay.Confusion.of(rows)
    weight[:] = -5
    assert assay.Confusion.of(rows) == before


def test_weights_do_not_break_ties():
    """The ranks of weighted rows are those of the rows: a tie on the score is a tie whatever the weights."""
    rng = np.random.default_rng(9)
    y, score, weight = rng.integers(0, 2, 900), rng.random(900).round(2), rng.gamma(1.0, size=900)
    plain = assay.Scores.of(assay.rows(actual=y, score=score))
    weighted = assay.Scores.of(assay.rows(actual=y, score=score, weight=weight))
    assert weighted.concordance() == plain.concordance()
    for one in ([2, 1, 1, 2], [1, 2, 2, 1]):
        tied = assay.Scores.of(assay.rows(actual=[1, 0, 0, 1], score=[0.5] * 4, weight=one))
        assert tied.concordance().concordant == 4


def test_a_class_stands_for_its_of():
    """Slices and collections take the tally itself; what makes no tally is refused."""
    rows = assay.rows({"y": [0, 1], "p": [1, 1], "r": ["a", "b"]}, actual="y", predicted="p",
                      by=["r", assay.cut([3, 9], [5])])  # fmt: skip
    grouped = assay.Grouped.of(rows, assay.Confusion)
    assert grouped.index == (("a", "1: below 5"), ("b", "2: 5 or more"))
    assert assay.Collection.of(rows, {"c": assay.Confusion})["c"].n == 2
    with pytest.raises(assay.TallyError, match="makes no tally"):
        assay.Grouped.of(rows, 5)


def test_what_is_printed_fits_a_line():
    """Rows and tallies of any length print as one short line."""
    rows = assay.rows(actual=np.arange(5000) % 2, score=np.arange(5000) / 7, positive=1)
    assert repr(rows) == "Rows(5,000 rows, actual='actual', score='score', positive=1)"
    assert "scores=<5000 float64>" in repr(assay.Scores.of(rows))
    assert len(repr(assay.Scores.of(rows))) < 160
