"""How much better a choice looks than it is: folds and replicates, checked by doing it with plain rows."""

import math

import numpy as np
import pytest

import assay
from assay.decisions import choose_threshold, cross_fitted, evaluate_threshold, optimism
from assay.decisions.selection_optimism import _folds, _replicates
from assay.decisions.sweep import Amounts, Sample


def noisy(n=120, seed=0, signal=1.0, **more):
    """Rows whose scores tell the classes apart a little, in halves so that some tie."""
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, 2, n)
    score = np.round(2 * (rng.normal(size=n) + signal * actual)) / 2
    return assay.rows(actual=actual, score=score, **more)


def in_groups(n=120, groups=12, seed=0, weight=None):
    rng = np.random.default_rng(seed + 100)
    return noisy(n, seed, group=rng.integers(0, groups, n), weight=weight)


def rebuilt(sample, counts):
    """Rows with so many of every entry, as a caller would pass them."""
    tally = sample.tally
    score = np.repeat(np.tile(tally.scores.astype(float), 2), counts.ravel())
    actual = np.repeat([1] * len(tally.scores) + [0] * len(tally.scores), counts.ravel())
    return assay.rows(actual=actual, score=score, positive=1)


@pytest.mark.parametrize("folds", [2, 7, 10])
def test_folds_share_out_every_row_once_and_the_classes_evenly(folds):
    """Each fold has its share of either class and of all rows, to within one."""
    sample = Sample.of(noisy())
    parts = _folds(sample, folds, seed=3)
    assert (parts.sum(0) == [sample.tally.positives, sample.tally.negatives]).all()
    for sizes in (*parts.sum(2).T, parts.sum((1, 2))):
        assert sizes.max() - sizes.min() <= 1
    assert (parts == _folds(sample, folds, seed=3)).all()
    assert not (parts == _folds(sample, folds, seed=4)).all()


def test_cross_fitting_is_choosing_on_the_others_and_judging_on_one():
    """Fold by fold with rows of its own, the thresholds and the pooled counts are the same."""
    rows = noisy()
    sample = Sample.of(rows)
    fit = cross_fitted(rows, folds=5, seed=1, best="f1")
    parts = _folds(sample, 5, seed=1)
    pooled = np.zeros(4)
    for held_out, threshold in zip(parts, fit.thresholds, strict=True):
        assert (
            choose_threshold(rebuilt(sample, parts.sum(0).astype(int) - held_out), best="f1").threshold
            == threshold
        )
        counts = evaluate_threshold(rebuilt(sample, held_out), threshold, best="f1").counts
        pooled += [counts.tp, counts.fp, counts.fn, counts.tn]
    assert [fit.counts.tp, fit.counts.fp, fit.counts.fn, fit.counts.tn] == pooled.tolist()
    tp, fp, fn, _ = pooled
    assert fit.estimate.value == 2 * tp / (2 * tp + fp + fn)
    assert fit.estimate.low < fit.estimate.value < fit.estimate.high


def test_the_order_of_the_rows_does_not_matter():
    """Rows are dealt out as the tally has them."""
    rows = noisy()
    mixed = rows.take(np.random.default_rng(5).permutation(len(rows)))
    for function in (cross_fitted, optimism):
        first, second, tally = (function(x, best="youden") for x in (rows, mixed, assay.Scores.of(rows)))
        assert first == second == tally


def test_a_replicate_is_as_many_rows_drawn_with_replacement():
    """On average every entry has its own count, with the spread of the multinomial."""
    sample = Sample.of(noisy(60))
    drawn = np.array([one.ravel() for one in _replicates(sample, 2000, seed=0)])
    sizes = np.concatenate([sample.tally.positives, sample.tally.negatives]).astype(int)
    assert (drawn.sum(1) == 60).all()
    assert drawn.mean(0) == pytest.approx(sizes, abs=4 * np.sqrt(sizes.max() / 2000))
    held = sizes > 0
    assert drawn.var(0)[held] == pytest.approx((sizes * (1 - sizes / 60))[held], rel=0.2)


def test_optimism_is_the_mean_gain_of_choosing_on_a_replicate():
    """Replicate by replicate with rows of its own, as Harrell has it."""
    rows = noisy()
    sample = Sample.of(rows)
    gains, thresholds = [], []
    for drawn in _replicates(sample, 40, seed=2):
        there = choose_threshold(rebuilt(sample, drawn), best="f1")
        thresholds.append(there.threshold)
        gains.append(there.value - evaluate_threshold(rows, there.threshold, best="f1").value)
    found = optimism(rows, best="f1", replicates=40, seed=2)
    assert found.optimism == pytest.approx(math.fsum(gains) / 40, rel=1e-12)
    assert found.apparent == choose_threshold(rows, best="f1").value
    assert found.corrected == found.apparent - found.optimism
    assert min(thresholds) <= found.low <= found.high <= max(thresholds)


def test_scores_that_know_nothing_are_found_out():
    """On pure noise the best Youden index is well above 0, and both ways say that it is luck."""
    apparent, corrected, fitted = [], [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        rows = assay.rows(actual=rng.permutation([0, 1] * 40), score=rng.normal(size=80))
        found = optimism(rows, best="youden", replicates=60)
        apparent.append(found.apparent)
        corrected.append(found.corrected)
        fitted.append(cross_fitted(rows, best="youden").estimate.value)
    assert np.mean(apparent) > 0.08
    assert abs(np.mean(fitted)) < 0.05
    assert abs(np.mean(corrected)) < np.mean(apparent) / 2


def test_rows_of_a_group_stay_together():
    """A group is in one fold, and is drawn whole."""
    groups = np.repeat(range(12), range(4, 16))
    actual = np.arange(len(groups)) % 2
    rows = assay.rows(actual=actual, score=np.arange(len(groups)), group=groups)  # a score is a row
    sample = Sample.of(rows)
    parts = _folds(sample, 4, seed=0)
    assert parts.sum() == len(groups)
    for part in (*parts, *_replicates(sample, 5, seed=0)):
        times = part.sum(0)
        for group in range(12):
            assert len(set(times[groups == group])) == 1
    assert len({int(part.sum()) for part in _replicates(sample, 20, seed=0)}) > 1


def test_no_interval_is_given_that_does_not_allow_for_groups():
    """The threshold is chosen as ever; the intervals for rows one by one are withheld, and it is said why."""
    rows = in_groups()
    fit = cross_fitted(rows, best="f1", folds=4)
    for estimate in (fit.estimate, evaluate_threshold(rows, 0.5, best="f1").estimate):
        assert estimate.low is None
        assert "groups" in estimate.note
    assert optimism(rows, best="f1", replicates=20).replicates == 20
    assert choose_threshold(rows, best="f1").threshold == choose_threshold(noisy(), best="f1").threshold


def test_groups_of_weighted_rows_and_of_rows_with_costs_find_their_entries():
    """Row by row, the places add up to the tally."""
    weight = np.random.default_rng(1).choice([0.5, 1.0, 2.0], 120)
    for rows, amounts in ((in_groups(weight=weight), None), (in_groups(), Amounts(1.0, weight))):
        sample = Sample.of(rows, amounts)
        indices, _ = sample.groups
        sizes = np.bincount(indices, minlength=2 * len(sample.tally.scores))
        assert sizes.tolist() == [*sample.tally.positives, *sample.tally.negatives]


def test_costs_of_each_row_can_be_cross_fitted():
    """Folds and replicates draw rows with their own costs."""
    rows = noisy()
    amounts = np.random.default_rng(3).integers(1, 500, 120) / 100
    fit = cross_fitted(rows, cost_fp=1, cost_fn=amounts, folds=5)
    assert fit.estimate.low < fit.estimate.value < fit.estimate.high
    found = optimism(rows, cost_fp=1, cost_fn=amounts, replicates=100)
    assert found.optimism < 0  # a cost looks lower than it is
    assert found.corrected > found.apparent
    even = optimism(rows, cost_fp=[2.0] * 120, cost_fn=[3.0] * 120, replicates=30)
    plain = optimism(rows, cost_fp=2, cost_fn=3, replicates=30)
    assert (even.low, even.high) == (plain.low, plain.high)
    assert even.optimism == pytest.approx(plain.optimism, rel=1e-12)


def test_a_threshold_from_the_costs_alone_has_no_optimism():
    """It is the same in every replicate."""
    rng = np.random.default_rng(0)
    p = rng.random(300)
    rows = assay.rows(actual=rng.random(300) < p, score=p)
    found = optimism(rows, cost_fp=1, cost_fn=3, calibrated=True, replicates=50)
    assert found.low == found.high == 0.25
    assert abs(found.optimism) < 0.02


def test_a_recall_that_was_promised_is_kept():
    """Chosen on 60 positives to have recall 0.8 at 90% confidence, it has it in 90% of samples at least.

    The true recall at a threshold is known: scores of positives are uniform.
    """
    kept = 0
    samples = 600
    rng = np.random.default_rng(7)
    for _ in range(samples):
        score = np.concatenate([rng.random(60), rng.random(60) - 0.3])
        rows = assay.rows(actual=[1] * 60 + [0] * 60, score=score)
        kept += 1 - choose_threshold(rows, min_recall=0.8, confidence=0.9).threshold >= 0.8
    assert kept / samples >= 0.9 - 2 * math.sqrt(0.09 / samples)
    assert kept / samples < 0.97  # and is not bought by caution alone


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cross_fitted(noisy(), best="f1", folds=1), "folds=1 should be a whole number of at least 2"),
        (lambda: cross_fitted(noisy(8), best="accuracy", folds=9), "there are only 8 rows"),
        (lambda: cross_fitted(in_groups(groups=3), best="f1", folds=5), "there are only 3 groups"),
        (lambda: cross_fitted(noisy(), capacity=5), "state it as a share of them, max_positive_rate="),
        (lambda: optimism(noisy(), best="f1", replicates=0), "replicates=0"),
        (
            lambda: cross_fitted(assay.rows(actual=[1, 0, 0, 0], score=[4, 3, 2, 1]), best="f1", folds=2),
            "without fold . of 2: there are no actual positives",
        ),
        (
            lambda: optimism(assay.rows(actual=[1, 0, 0, 0], score=[4, 3, 2, 1]), best="f1"),
            "there are too few rows",
        ),
    ],
)
def test_samples_that_are_too_small(call, message):
    """Each says what is too few, and of what."""
    with pytest.raises(assay.MetricError, match=message):
        call()


def test_cross_fitted_intervals_hold_what_the_chosen_threshold_is_worth():
    """Of 100 rows, in at least 95% of the samples less what chance does; taken as given it was 87%."""
    random, held, samples = np.random.default_rng(8), 0, 150
    for _ in range(samples):
        actual = random.random(100) < 0.3
        rows = assay.rows(actual=actual, score=random.normal(size=100) + 1.5 * actual, positive=True)
        threshold = choose_threshold(rows, best="f1").threshold
        recall, alarms = (math.erfc((threshold - shift) / math.sqrt(2)) / 2 for shift in (1.5, 0))
        truth = 2 * 0.3 * recall / (0.3 * recall + 0.7 * alarms + 0.3)
        found = cross_fitted(rows, best="f1").estimate
        held += found.low <= truth <= found.high
    assert held / samples >= 0.95 - 2 * math.sqrt(0.05 * 0.95 / samples)


def test_cross_fitted_intervals_allow_for_the_choice():
    """The half width in squares and the jackknife variance over the folds' thresholds, times Student's t."""
    rows = noisy()
    fit = cross_fitted(rows, best="youden", folds=5)
    counts = fit.counts
    table = assay.Confusion.of_table([[counts.tn, counts.fp], [counts.fn, counts.tp]], (0, 1))
    given = assay.estimate("informedness", table)
    values = [evaluate_threshold(rows, x, best="youden").value for x in fit.thresholds]
    chosen = 1.959963984540054 * math.sqrt(4 / 5 * sum((x - sum(values) / 5) ** 2 for x in values))
    wider = 2.7764451051977987 / 1.959963984540054  # Student's t of 4 degrees of freedom
    low = given.value - wider * math.hypot(given.value - given.low, chosen)
    high = given.value + wider * math.hypot(given.high - given.value, chosen)
    assert fit.estimate.value == given.value
    assert (fit.estimate.low, fit.estimate.high) == pytest.approx((max(low, -1), min(high, 1)), rel=1e-9)
