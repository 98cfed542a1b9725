"""Two models on the same rows: the same draws for both, and the permutation test against exact answers."""

import numpy as np
import pytest

import assay
from assay import kernels
from assay.errors import MetricError
from assay.inference.bootstrap.bootstrap import replicates
from assay.inference.bootstrap.paired_bootstrap import paired_replicates, permutation
from assay.metrics import Undefined, find

RNG = np.random.default_rng(11)
N = 120
ACTUAL = RNG.integers(0, 3, N)
FIRST = np.where(RNG.random(N) < 0.6, ACTUAL, RNG.integers(0, 3, N))
SECOND = np.where(RNG.random(N) < 0.7, ACTUAL, RNG.integers(0, 3, N))
POSITIVE = RNG.integers(0, 2, N)
SCORES = np.round((RNG.random((2, N)) + 0.3 * POSITIVE) / 1.3, 2)


def _labelled(order=slice(None)):
    return tuple(assay.rows(actual=ACTUAL[order], predicted=one[order]) for one in (FIRST, SECOND))


def _scored(order=slice(None)):
    return tuple(assay.rows(actual=POSITIVE[order], score=one[order]) for one in SCORES)


def _numbers(order=slice(None), **more):
    return tuple(assay.rows(actual=ACTUAL[order] + 0.5, predicted=one[order] + 0.1, **more) for one in SCORES)


@pytest.mark.parametrize("name", ["accuracy", "mcc", "kappa"])
def test_tables_of_both_models_come_from_the_same_draws(name):
    """Each model's replicates are the metric of its table of the very rows drawn."""
    metric = find(name)
    tally = assay.PairedLabels.of(*_labelled())
    found = paired_replicates(metric, tally, count=10, seed=4)
    counts = kernels.resample_counts(tally.counts.astype(np.uint64), 4, 0, 10)
    actual, *predicted = tally.digits()
    for values, one in zip(found[:2], predicted, strict=True):
        for drawn, value in zip(counts, values, strict=True):
            rows = assay.rows(
                actual=np.repeat(actual, drawn), predicted=np.repeat(one, drawn), labels=range(3)
            )
            assert value == pytest.approx(float(metric(rows)), rel=1e-12)
    assert (found.difference == found.second - found.first).all()


def test_order_of_rows_and_way_in_do_not_show():
    """A joint tally, a pair of rows and rows in another order give the same replicates."""
    order = RNG.permutation(N)
    for rows, shuffled, kind, name in (
        (_labelled(), _labelled(order), assay.PairedLabels, "accuracy"),
        (_scored(), _scored(order), assay.PairedScores, "auc"),
        (_scored(), _scored(order), assay.PairedScores, "ks"),
        (_numbers(), _numbers(order), None, "rmse"),
    ):
        expected = paired_replicates(name, rows, count=8).difference
        assert paired_replicates(name, shuffled, count=8).difference.tobytes() == expected.tobytes()
        if kind is not None:
            assert paired_replicates(name, kind.of(*rows), count=8).difference.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["auc", "gini", "ks", "average_precision", "brier"])
@pytest.mark.parametrize("stratified", [False, True])
def test_scores_of_both_models(name, stratified):
    """A model against itself has no difference, and its own series spreads like a single bootstrap's."""
    metric = find(name)
    first, second = _scored()
    if stratified and name == "brier":
        return
    same = paired_replicates(metric, (first, first), count=20, stratified=stratified)
    assert not same.difference.any()
    both = paired_replicates(metric, (first, second), count=300, stratified=stratified)
    single = replicates(metric, first, count=300, stratified=stratified)
    assert both.first.std() == pytest.approx(single.std(), rel=0.3)
    assert both.first.mean() == pytest.approx(single.mean(), abs=0.01)


def test_the_fast_areas_are_those_of_the_tallies(monkeypatch):
    """The kernel's paired areas are the metric's of both resampled tallies."""
    fast = paired_replicates("auc", _scored(), count=12, seed=2)
    one = find("partial_auc")
    slow = paired_replicates(one, _scored(), count=12, seed=2, false_positive_rate=(0.0, 1.0))
    for a, b in zip(fast, slow, strict=True):
        assert np.allclose(a, b, rtol=0, atol=1e-12)


def test_permutation_of_accuracy_is_the_sign_test():
    """For accuracy the permutations are McNemar's exact test: 12 rows against 3 of 15 that differ."""
    actual = np.ones(60, dtype=int)
    first, second = actual.copy(), actual.copy()
    first[:12] = 0
    second[12:15] = 0
    rows = [assay.rows(actual=actual, predicted=one, labels=[0, 1]) for one in (first, second)]
    found = permutation("accuracy", tuple(rows), count=40_000)
    exact = 2 * sum([1, 15, 105, 455]) / 2**15
    assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact / 40_000))
    assert found.estimate == pytest.approx(9 / 60)
    tally = permutation("accuracy", assay.PairedLabels.of(*rows), count=40_000)
    assert tally.p_value == found.p_value


def test_permutation_of_any_metric():
    """Scores and numbers are swapped row by row; equal models never differ."""
    for name, rows in (("auc", _scored()), ("brier", _scored()), ("mae", _numbers())):
        found = permutation(name, rows, count=99)
        assert 0.01 <= found.p_value <= 1
        assert "99 permutations" in found.note
        alike = permutation(name, (rows[0], rows[0]), count=9)
        assert alike.p_value == 1
        assert alike.estimate == 0
    far = tuple(assay.rows(actual=POSITIVE, score=one) for one in (POSITIVE * 0.9, 1 - POSITIVE * 0.9))
    assert permutation("auc", far, count=199).p_value == pytest.approx(1 / 200)


def test_weighted_rows_of_two_models():
    """Weights are drawn with their rows."""
    rows = tuple(
        assay.rows(actual=ACTUAL, predicted=one, weight=RNG.choice([0.5, 1, 2], N) * 0 + (1 + ACTUAL))
        for one in (FIRST, SECOND)
    )
    found = paired_replicates("accuracy", rows, count=15)
    assert np.isfinite(found.difference).all()
    with pytest.raises(MetricError, match="no rows"):
        paired_replicates("accuracy", assay.PairedLabels.of(*rows))


def test_what_is_refused_or_empty():
    """One model, tallies of something else, groups and empty data."""
    with pytest.raises(MetricError, match="a pair of rows"):
        paired_replicates("accuracy", assay.rows(actual=[1], predicted=[1]))
    with pytest.raises(MetricError, match="is not read from"):
        paired_replicates("auc", assay.PairedLabels.of(*_labelled()))
    with pytest.raises(MetricError, match="is not read from"):
        paired_replicates("accuracy", assay.PairedScores.of(*_scored()))
    with pytest.raises(MetricError, match="stratified"):
        paired_replicates("mae", _numbers(), stratified=True)
    with pytest.raises(MetricError, match="groups"):
        paired_replicates("mae", _numbers(group=np.arange(N) % 7), count=5)
    assert np.isnan(paired_replicates("accuracy", assay.PairedLabels(), count=3).difference).all()
    assert isinstance(permutation("accuracy", assay.PairedLabels(), count=3).p_value, Undefined)


def test_both_outputs_of_a_row_are_swapped():
    """A loss of scores is permuted though the rows have predictions too: p was 1, whatever the scores."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 60)
    good, poor = (np.clip(y * 0.6 + 0.2 + spread * rng.normal(size=60), 0, 1) for spread in (0.1, 0.4))
    models = [assay.rows(actual=y, predicted=(p > 0.5).astype(int), score=p) for p in (poor, good)]
    alone = [assay.rows(actual=y, score=p) for p in (poor, good)]
    found, same = (permutation("brier", tuple(pair), count=999) for pair in (models, alone))
    assert found.p_value < 0.05
    assert found.p_value == pytest.approx(same.p_value, abs=0.03)
