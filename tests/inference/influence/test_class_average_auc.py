"""Areas of several classes: the slopes of one walk per column beside sums over every pair of rows."""

import itertools

import numpy as np
import pytest
from support.group_jackknife import leverage_error
from support.numeric_influence import nudged

import assay
from assay.inference.influence.influence import influence
from assay.inference.intervals.choose_interval import estimate_tally
from assay.metrics import find

METRICS = [
    ("hand_till_auc", {}),
    ("hand_till_auc", {"average": "weighted"}),
    ("macro_auc", {}),
    ("weighted_auc", {}),
    ("auc", {"average": "macro"}),
    ("auc", {"average": "weighted"}),
]


def sample(seed, size, n=50, *, levels=None, lone=False, undefined=False):
    """Codes, a column of scores per class and weights; the last class may have one row, the first none."""
    rng = np.random.default_rng([seed, size])
    codes = rng.choice(size, n, p=rng.dirichlet(np.full(size, 2.0)))
    codes[: 2 * size] = np.arange(2 * size) % size
    if lone:
        codes = np.where(codes == size - 1, 1, codes)
        codes[0] = size - 1
    if undefined:
        codes = np.where(codes == 0, 1, codes)
    scores = rng.normal(size=(n, size)) + 1.5 * np.eye(size)[codes]
    if levels:
        scores = np.round(scores * levels) / levels
    return codes, scores, rng.lognormal(size=n)


def wins(column, rows, others):
    """How each of some rows does against each of others: 1 above, half at the same score, 0 below."""
    first, second = column[rows][:, None], column[others][None, :]
    return (first > second) + (first == second) / 2


def area_and_slopes(column, positive, negative, weight):
    """The area of two sets of rows from all pairs of them, and by rows what a unit of weight more does to it."""
    won = wins(column, positive, negative)
    shares = [weight[side] / weight[side].sum() for side in (positive, negative)]
    area = shares[0] @ won @ shares[1]
    slopes = np.zeros(len(column))
    slopes[positive] = (won @ shares[1] - area) / weight[positive].sum()
    slopes[negative] = (shares[0] @ won - area) / weight[negative].sum()
    return area, slopes


def by_pairs(name, codes, scores, weight, *, weighted):
    """The value and the slopes of an average, area by area: a second way that never sorts."""
    present = np.unique(codes)
    mass = np.bincount(codes, weight, minlength=scores.shape[1])
    parts = []  # of every area in the average: its value, its slopes, its weight and whose rows that weight is
    if name == "hand_till_auc":
        for pair in itertools.combinations(present, 2):
            both = [
                area_and_slopes(scores[:, i], np.flatnonzero(codes == i), np.flatnonzero(codes == j), weight)
                for i, j in (pair, pair[::-1])
            ]
            area, slopes = ((first + second) / 2 for first, second in zip(*both, strict=True))
            parts.append((area, slopes, mass[list(pair)].sum(), np.isin(codes, pair)))
    else:
        for i in present:
            own = codes == i
            area, slopes = area_and_slopes(scores[:, i], np.flatnonzero(own), np.flatnonzero(~own), weight)
            parts.append((area, slopes, mass[i], own))
    total = sum(part[2] for part in parts) if weighted else len(parts)
    value = sum(area * (size if weighted else 1) for area, _, size, _ in parts) / total
    slopes = sum(one * (size if weighted else 1) for _, one, size, _ in parts) / total
    if weighted:
        slopes = slopes + sum((area - value) * inside for area, _, _, inside in parts) / total
    return value, slopes


SHAPES = [
    {"size": 3},
    {"size": 3, "levels": 2},
    {"size": 7, "n": 90},
    {"size": 7, "n": 90, "levels": 1},
    {"size": 4, "lone": True},
    {"size": 4, "lone": True, "levels": 2},
    {"size": 2, "levels": 3},
    {"size": 25, "n": 80},
]


@pytest.mark.parametrize("weighty", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("name", "options"), METRICS)
def test_values_and_slopes_are_those_of_all_pairs_of_rows(name, options, shape, weighty):
    """With ties, weights, a class of one row, and more classes than most rows have company."""
    codes, scores, weight = sample(3, **shape)
    given = {"weight": weight} if weighty else {}
    rows = assay.rows(actual=codes, score=scores, labels=list(range(scores.shape[1])), **given)
    weight = weight if weighty else np.ones(len(codes))
    weighted = "weighted" in (options.get("average"), name.split("_")[0])
    value, slopes = by_pairs(name, codes, scores, weight, weighted=weighted)
    found = influence(find(name), rows, **options)
    assert found.value == find(name)(rows, **options)
    assert found.value == pytest.approx(value, rel=1e-13)
    np.testing.assert_allclose(found.slopes, slopes, rtol=0, atol=1e-12 * np.abs(slopes).max())
    assert abs(found.parts.sum()) < 1e-13


@pytest.mark.parametrize("levels", [None, 2])
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("name", ["hand_till_auc", "auc"])
def test_an_absent_class_that_is_left_out_has_no_part(name, average, levels):
    """The slopes are those of the other classes alone, and of numeric differences."""
    codes, scores, weight = sample(4, 4, undefined=True, levels=levels)

    def value(weights):
        rows = assay.rows(actual=codes, score=scores, weight=weights, labels=[0, 1, 2, 3])
        return find(name)(rows, average=average, undefined="skip")

    rows = assay.rows(actual=codes, score=scores, weight=weight, labels=[0, 1, 2, 3])
    found = influence(find(name), rows, average=average, undefined="skip")
    expected, slopes = by_pairs(name, codes, scores, weight, weighted=average == "weighted")
    assert found.value == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(found.slopes, slopes, rtol=0, atol=1e-12 * np.abs(slopes).max())
    np.testing.assert_allclose(found.slopes, nudged(value, weight), rtol=0, atol=3e-9)


@pytest.mark.parametrize(("name", "options"), METRICS)
def test_errors_of_groups_add_the_slopes_within_them(name, options):
    """The cluster jackknife's error, from the slopes of all pairs of rows and every group's leverage."""
    codes, scores, weight = sample(5, 5, n=120, levels=3)
    groups = np.random.default_rng(1).integers(0, 15, len(codes))
    rows = assay.rows(actual=codes, score=scores, weight=weight, group=groups, labels=list(range(5)))
    weighted = "weighted" in (options.get("average"), name.split("_")[0])
    _, slopes = by_pairs(name, codes, scores, weight, weighted=weighted)
    error = leverage_error(slopes, weight, groups, [codes])
    assert assay.estimate(name, rows, **options).standard_error == pytest.approx(error, rel=1e-12)


def test_a_class_that_outweighs_all_others_keeps_its_slopes():
    """Sums over the other classes are added up, and never what is left of a sum over all."""
    codes, scores, _ = sample(6, 4)
    weight = np.where(codes == 2, 1e17, 1.0)
    rows = assay.rows(actual=codes, score=scores, weight=weight, labels=[0, 1, 2, 3])
    for name in ("macro_auc", "hand_till_auc"):
        _, slopes = by_pairs(name, codes, scores, weight, weighted=False)
        parts = influence(find(name), rows).parts
        np.testing.assert_allclose(parts, slopes * weight, rtol=0, atol=1e-12 * np.abs(parts).max())


def test_the_value_is_not_read_again_where_it_is_known(monkeypatch):
    """An interval of many classes would make the tally a second time for it."""
    codes, scores, _ = sample(7, 3)
    rows = assay.rows(actual=codes, score=scores, labels=[0, 1, 2])
    tally = assay.ClassScores.of(rows)
    expected = assay.estimate("hand_till_auc", rows)
    monkeypatch.setattr(assay.ClassScores, "of", lambda _: pytest.fail("tallied again"))
    found = estimate_tally(find("hand_till_auc"), tally, {}, rows=rows)
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
