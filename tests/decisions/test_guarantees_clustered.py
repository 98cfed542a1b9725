"""A promise of rows that come in groups, or have weights, is broken no more often than was said."""

import math

import numpy as np
import pytest

import assay
from assay.decisions import choose_threshold, cross_fitted, effective_counts, optimism
from assay.decisions.sweep import Sample


def beyond(z):
    """The share of a normal distribution above z."""
    return math.erfc(z / math.sqrt(2)) / 2


class Hospitals:
    """Scores and shares of positives that go together within groups; each class's scores are normal."""

    distance, prevalence = 1.5, 0.3

    def __init__(self, groups, icc, *, rows=600, unequal=False, by_group=False, weights=0.0):
        self.groups, self.icc, self.rows = groups, icc, rows
        self.unequal, self.by_group, self.weights = unequal, by_group, weights

    def draw(self, random):
        """The rows of a sample."""
        size = np.exp(random.standard_normal(self.groups)) if self.unequal else np.ones(self.groups)
        sizes = np.maximum(np.rint(size / size.sum() * self.rows).astype(int), 2)
        group = np.repeat(np.arange(self.groups), sizes)
        spread = 1 / self.icc - 1
        rate = random.beta(self.prevalence * spread, (1 - self.prevalence) * spread, self.groups)
        if self.by_group:
            rate = random.random(self.groups) < self.prevalence
        actual = random.random(len(group)) < rate[group]
        common, own = random.standard_normal(self.groups)[group], random.standard_normal(len(group))
        score = self.distance * actual + math.sqrt(self.icc) * common + math.sqrt(1 - self.icc) * own
        weight = np.exp(self.weights * random.standard_normal(len(group))) if self.weights else None
        return assay.rows(
            actual=actual, score=score, group=group, weight=weight, labels=[False, True], positive=True
        )

    def true(self, measure, threshold):
        """The measure in all of the population."""
        recall, alarms = beyond(threshold - self.distance), beyond(threshold)
        hits = self.prevalence * recall
        precision = hits / (hits + (1 - self.prevalence) * alarms)
        return {"recall": recall, "specificity": 1 - alarms, "precision": precision}[measure]


WORLDS = [
    (Hospitals(20, 0.1), "recall", 0.8),
    (Hospitals(20, 0.5), "specificity", 0.8),
    (Hospitals(20, 0.5), "recall", 0.6),
    (Hospitals(30, 0.3), "precision", 0.5),
    (Hospitals(8, 0.1, unequal=True), "precision", 0.5),
    (Hospitals(40, 0.3, by_group=True), "recall", 0.6),
    (Hospitals(30, 0.2, weights=0.7), "specificity", 0.8),
]


@pytest.mark.parametrize(("world", "measure", "share"), WORLDS)
def test_a_promise_is_broken_no_more_often_than_was_said(world, measure, share):
    """In no more than 5% of the samples, within what chance does; some promises are made."""
    random, broken, made, samples = np.random.default_rng(0), 0, 0, 120
    for _ in range(samples):
        rows = world.draw(random)
        try:
            found = choose_threshold(rows, confidence=0.95, **{f"min_{measure}": share})
        except assay.MetricError:
            continue
        made += 1
        broken += world.true(measure, found.threshold) < share
    assert broken / samples <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / samples)
    assert made > samples / 5


def jackknife(rows, measure, threshold):
    """The share, and its variance by leaving out each group and counting anew."""
    actual, group = rows.actual.values.astype(bool), rows.group.values
    called = rows.score.values >= threshold
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight.values
    counted, hit = {
        "recall": (actual, called),
        "specificity": (~actual, ~called),
        "precision": (called, actual),
    }[measure]

    def share(kept):
        return (weight * (counted & hit & kept)).sum() / (weight * (counted & kept)).sum()

    whole = share(np.ones(len(rows), dtype=bool))
    held = [one for one in np.unique(group) if (counted & (group == one)).any()]
    mass = np.array([(weight * (counted & (group == one))).sum() for one in held])
    without = np.array([share(group != one) for one in held])
    size = len(held)
    variance = (size - 1) / size * ((without - whole) ** 2).sum()
    return whole, variance, mass.sum() ** 2 / (mass**2).sum(), size


@pytest.mark.parametrize("measure", ["recall", "specificity", "precision"])
@pytest.mark.parametrize("weights", [0.0, 0.7])
def test_the_variance_is_that_of_leaving_out_each_group(measure, weights):
    """A second way: rows left out and counted anew, at several cutoffs."""
    rows = Hospitals(12, 0.3, rows=150, unequal=True, weights=weights).draw(np.random.default_rng(4))
    sweep = Sample.of(rows).sweep()
    indices = np.array([10, 60, 100])
    found = sweep.groups.evidence(measure, indices)
    for index, cutoff_index in enumerate(indices):
        share, variance, units, groups = jackknife(rows, measure, sweep.cutoff(int(cutoff_index)))
        assert found.hits[index] / found.rows[index] == pytest.approx(share, rel=1e-12)
        assert found.variance[index] == pytest.approx(variance, rel=1e-9)
        assert found.units[index] == pytest.approx(units, rel=1e-12)
        assert found.groups[index] == groups


@pytest.mark.parametrize("measure", ["recall", "specificity", "precision"])
def test_groups_of_one_row_and_equal_weights_change_nothing(measure):
    """Each row its own group, or weights that are all 3, give the threshold of the rows alone."""
    random = np.random.default_rng(1)
    actual = random.random(400) < 0.4
    score = random.normal(size=400) + 1.5 * actual
    asked = {f"min_{measure}": 0.7, "confidence": 0.95}
    plain = choose_threshold(assay.rows(actual=actual, score=score), **asked)
    alone = choose_threshold(assay.rows(actual=actual, score=score, group=np.arange(400)), **asked)
    alike = choose_threshold(assay.rows(actual=actual, score=score, weight=np.full(400, 3.0)), **asked)
    assert plain.threshold == alone.threshold == alike.threshold


def test_without_a_failure_groups_count_as_rows():
    """Ten groups of a hundred positives, all found: the limit is that of ten of ten."""
    score = np.r_[np.full(1000, 2.0), np.full(1000, 1.0)]
    rows = assay.rows(
        actual=[1] * 1000 + [0] * 1000, score=score, group=np.tile(np.repeat(np.arange(10), 100), 2)
    )
    found = choose_threshold(rows, min_recall=0.7, confidence=0.95)
    assert f"limit of recall is {0.05 ** (1 / 10):.4g};" in found.note
    assert found.note.endswith("Whole groups were the sampling unit: 10 of them have positives.")
    with pytest.raises(assay.MetricError, match=r"10 of them have positives\) leaves a lower limit of 0\.74"):
        choose_threshold(rows, min_recall=0.8, confidence=0.95)


def test_a_failure_does_not_say_more_than_none():
    """One positive missed in one of ten groups: the limit is no higher than without it."""
    score = np.r_[np.full(999, 2.0), 0.5, np.full(1000, 1.0)]
    rows = assay.rows(
        actual=[1] * 1000 + [0] * 1000, score=score, group=np.tile(np.repeat(np.arange(10), 100), 2)
    )
    sweep = Sample.of(rows).sweep()
    seen = sweep.groups.evidence("recall", np.array([1]))
    assert seen.limit(0, 0.95, "clopper-pearson") == pytest.approx(0.05 ** (1 / 10), rel=1e-12)
    assert not seen.rejects(0.8, 0.05, "clopper-pearson").any()


def test_of_very_many_cutoffs_some_are_tested(monkeypatch):
    """Those at ranks that no label decides; the threshold is near that of testing all."""
    rows = Hospitals(25, 0.1, rows=3000).draw(np.random.default_rng(2))
    for measure in ("recall", "precision", "specificity"):
        asked = {f"min_{measure}": 0.6, "confidence": 0.9}
        every = choose_threshold(rows, **asked)
        monkeypatch.setattr(effective_counts, "_MAX_ALL_TESTED", 10)
        some = choose_threshold(rows, **asked)
        monkeypatch.undo()
        assert some.threshold == pytest.approx(every.threshold, abs=0.05)
    monkeypatch.setattr(effective_counts, "_MAX_ALL_TESTED", 10)
    indices = Sample.of(rows).sweep().groups.indices
    assert 900 < len(indices) < 3001
    assert indices[0] == 0
    assert indices[-1] == 3000


def test_folds_and_replicates_keep_the_groups_of_a_promise():
    """What is chosen without a fold rests on the groups that are left."""
    rows = Hospitals(40, 0.1, rows=800).draw(np.random.default_rng(3))
    asked = {"min_recall": 0.6, "confidence": 0.9}
    fit = cross_fitted(rows, folds=4, **asked)
    sample = Sample.of(rows)
    assert len(fit.thresholds) == 4
    drawn = np.zeros(40, dtype=np.int64)
    drawn[:20] = 2
    twice = sample.sweep(*[np.zeros(0)] * 2, times=drawn).groups.evidence("recall", np.array([400]))
    assert twice.groups[0] <= 40
    assert optimism(rows, replicates=20, **asked).low < fit.thresholds[0] + 2
