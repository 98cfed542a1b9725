"""A part of the rows against the rest: the variance that both would have if they were alike."""

import math

import numpy as np
import pytest
from scipy import stats

import assay
from assay.inference.differences.clustered_difference import GroupedUnits, difference_spreads
from assay.inference.differences.pooled_variance import NullSpread, combined, freedom, null_spread, units_of
from assay.inference.differences.slice_vs_rest import Side, against_rest, grouped_against_rest
from assay.inference.influence import confusion
from assay.metrics import Undefined, find


def shares(x1, n1, x2, n2, weight=None):
    """Rows of two samples with so many hits of so many positives."""
    made = []
    for x, n in ((x1, n1), (x2, n2)):
        columns = {"actual": np.ones(n, dtype=int), "predicted": (np.arange(n) < x).astype(int)}
        if weight is not None:
            columns["weight"] = np.full(n, weight)
        made.append(assay.rows(**columns, labels=[0, 1], positive=1))
    return made


def test_of_two_shares_it_is_the_pooled_variance():
    """The score test: p (1 - p) (1/n1 + 1/n2) with the share of both samples, rates of 0 and 1 included."""
    for x1, n1, x2, n2 in ((0, 13, 60, 200), (13, 13, 60, 200), (5, 13, 60, 200), (0, 10, 40, 40)):
        samples = shares(x1, n1, x2, n2, weight=2.0)
        own = [NullSpread(0.0, math.inf)] * 2
        found = null_spread(find("recall"), samples, {}, x1 / n1 - x2 / n2, own)
        pooled = (x1 + x2) / (n1 + n2)
        assert found.error == pytest.approx(math.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2)), rel=1e-9)
        tallies = [assay.Confusion.of(one) for one in samples]
        again = null_spread(find("recall"), tallies, {}, x1 / n1 - x2 / n2, own)
        assert again == pytest.approx(found, rel=1e-9)


def test_of_two_means_it_is_the_pooled_variance():
    """That of all values about their common mean."""
    random = np.random.default_rng(0)
    columns = [random.normal(size=n) + 0.3 * n / 100 for n in (30, 170)]
    samples = [assay.rows(actual=one, predicted=np.zeros(len(one))) for one in columns]
    means = [np.abs(one).mean() for one in columns]
    own = [NullSpread(0.1, 29), NullSpread(0.1, 169)]
    found = null_spread(find("mae"), samples, {}, means[0] - means[1], own)
    spread = np.abs(np.concatenate(columns)).std()
    assert found.error == pytest.approx(spread * math.sqrt(1 / 30 + 1 / 170), rel=1e-9)


def test_degrees_of_freedom():
    """Those of a normal sample less one; fewer for a rate near 1, whose sum is not normal."""
    assert freedom(20, 3) == 19
    assert freedom(20, 1) == 19
    rate = 0.98
    assert freedom(20, 1 / (rate * (1 - rate)) - 3) < 1
    both = combined([NullSpread(3.0, 10), NullSpread(4.0, math.inf)])
    assert both.error == 5
    assert both.df == pytest.approx(10 / 0.6**4, rel=1e-12)  # Welch and Satterthwaite


def sampled(random, groups, *, by_group):
    """Rows in groups of one quality, a part of them drawn at random."""
    sizes = np.maximum(np.rint(10 * np.exp(random.standard_normal(groups))).astype(int), 2)
    group = np.repeat(np.arange(groups), sizes)
    n = len(group)
    rate = random.beta(2, 2, groups)[group]
    actual = (random.random(n) < 0.2).astype(int)
    right = random.random(n) < np.clip(rate + 0.3, 0, 1)
    inside = (random.random(groups) < 0.4)[group] if by_group else random.random(n) < 0.3
    return actual, np.where(right, actual, 1 - actual), group, inside


@pytest.mark.parametrize("by_group", [False, True])
def test_a_part_drawn_at_random_seldom_differs_from_the_rest(by_group):
    """With groups of unequal size, whole or with rows on both sides: in no more than 5% of the samples."""
    random, samples = np.random.default_rng(1), 150
    names = ("accuracy", "recall", "precision", "f1", "balanced_accuracy", "mcc")
    rejected, tested = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for _ in range(samples):
        actual, predicted, group, inside = sampled(random, 30, by_group=by_group)
        sides = [
            Side(assay.rows(actual=actual[kept], predicted=predicted[kept], labels=[0, 1]), group[kept])
            for kept in (inside, ~inside)
        ]
        for name in names:
            p = grouped_against_rest(find(name), *sides, 30).p_value
            tested[name] += not isinstance(p, Undefined)
            rejected[name] += not isinstance(p, Undefined) and p < 0.05
    for name in names:
        assert tested[name] > 0.9 * samples
        assert rejected[name] / tested[name] <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / tested[name]), name


@pytest.mark.slow
@pytest.mark.parametrize("weights", [0.0, 0.8])
def test_few_positives_seldom_differ(weights):
    """Five positives in the part, with and without weights, and a model that is nearly always right."""
    random, samples, names = np.random.default_rng(2), 150, ("recall", "balanced_accuracy", "f1", "auc")
    rejected = dict.fromkeys(names, 0)
    for _ in range(samples):
        made = []
        for n in (100, 700):
            actual = (np.arange(n) < n // 20).astype(int)
            score = 3 * actual + random.normal(size=n)
            columns = {"actual": actual, "score": score, "predicted": (score > 1.5).astype(int)}
            if weights:
                columns["weight"] = np.exp(weights * random.standard_normal(n))
            made.append(assay.rows(**columns, labels=[0, 1], positive=1))
        for name in names:
            p = against_rest(find(name), *made).p_value
            rejected[name] += not isinstance(p, Undefined) and p < 0.05
    for name, count in rejected.items():
        assert count / samples <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / samples), name


def test_a_part_that_differs_is_found():
    """Groups that are half as good: nearly every sample of 40 groups shows it."""
    random, found = np.random.default_rng(3), 0
    for _ in range(30):
        group = np.repeat(np.arange(40), 20)
        inside = group < 15
        actual = (random.random(800) < 0.4).astype(int)
        rate = np.where(inside, 0.5, 0.85) + 0.1 * random.uniform(-1, 1, 40)[group]
        predicted = np.where(random.random(800) < rate, actual, 1 - actual)
        sides = [
            Side(assay.rows(actual=actual[kept], predicted=predicted[kept], labels=[0, 1]), group[kept])
            for kept in (inside, ~inside)
        ]
        found += sum(
            grouped_against_rest(find(name), *sides, 40).p_value < 0.05
            for name in ("accuracy", "recall", "mcc")
        )
    assert found > 0.9 * 90


def test_groups_that_lie_on_both_sides_may_cancel():
    """A shift that all rows of a group share moves both sides: the pooled variance leaves it out."""
    random = np.random.default_rng(4)
    group = np.repeat(np.arange(50), 20)
    inside = np.tile(np.arange(20) < 6, 50)
    error = random.normal(size=50)[group] + 0.1 * random.normal(size=1000)
    sides = [
        GroupedUnits(
            units_of(find("mean_error"), assay.rows(actual=error[kept], predicted=np.zeros(kept.sum())), {}),
            group[kept],
        )
        for kept in (inside, ~inside)
    ]
    difference = error[inside].mean() - error[~inside].mean()
    jackknife, pooled = difference_spreads(sides, 50, difference)
    alone = math.sqrt(0.1**2 * (1 / 300 + 1 / 700))
    assert jackknife.error == pytest.approx(alone, rel=0.3)
    assert pooled.error == pytest.approx(alone, rel=0.6)
    assert stats.ttest_ind(error[inside], error[~inside]).pvalue > 0.5


def test_classes_of_a_large_table_are_those_of_its_rows(monkeypatch):
    """A table of many classes is read at the cells that occur: the p-value is that of the whole table."""
    draw = np.random.default_rng(0)
    samples = []
    for n in (900, 1_100):
        actual = draw.integers(0, 12, n)
        predicted = np.where(draw.random(n) < 0.7, actual, draw.integers(0, 12, n))
        samples.append(assay.rows(actual=actual, predicted=predicted, labels=range(12)))

    def p_value():
        (difference,) = assay.compare(
            *(assay.Confusion.of(rows) for rows in samples), metrics="balanced_accuracy"
        ).differences
        return difference.p_value

    sparse = p_value()
    monkeypatch.setattr(confusion, "_MAX_CELLS_TO_CACHE", 10_000)
    assert sparse == pytest.approx(p_value(), rel=1e-9)
