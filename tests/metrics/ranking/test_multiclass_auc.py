"""Areas of every two classes: exact, and one walk per column gives what every pair of rows gives."""

from fractions import Fraction

import numpy as np
import pytest

import assay
from assay.metrics import Undefined, hand_till_auc, macro_auc, weighted_auc
from assay.metrics.ranking.multiclass_auc import ClassRanks


def sample(seed, size, n, *, levels=4, undefined=False):
    """Codes, tied scores of each class and weights; the last class has one row, and the first none."""
    rng = np.random.default_rng([seed, size])
    codes = rng.integers(0 + undefined, size - 1, n)
    codes[-1] = size - 1
    scores = np.round((rng.normal(size=(n, size)) + np.eye(size)[codes]) * levels) / levels
    return codes, scores, rng.integers(1, 5, n) / 4


def tally_of(codes, scores, weight=None):
    given = {} if weight is None else {"weight": weight}
    return assay.ClassScores.of(
        assay.rows(actual=codes, score=scores, labels=list(range(scores.shape[1])), **given)
    )


def exact_area(column, positive, negative, weight):
    """The area of two sets of rows as a fraction, pair by pair."""
    won = [
        weight[p]
        * weight[q]
        * (Fraction(bool(column[p] > column[q])) + Fraction(bool(column[p] == column[q]), 2))
        for p in positive
        for q in negative
    ]
    pairs = sum(weight[p] for p in positive) * sum(weight[q] for q in negative)
    return sum(won) / pairs if pairs else None


def exact_areas(codes, scores, weight):
    """All areas by pairs of rows: of each class against each other, and of each against the rest."""
    size, known = scores.shape[1], [Fraction(float(one)) for one in weight]
    rows = [np.flatnonzero(codes == place) for place in range(size)]
    pairs = {
        (i, j): exact_area(scores[:, i], rows[i], rows[j], known)
        for i in range(size)
        for j in range(size)
        if i != j
    }
    rest = [exact_area(scores[:, i], rows[i], np.flatnonzero(codes != i), known) for i in range(size)]
    return pairs, rest


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("weighty", [False, True])
@pytest.mark.parametrize("size", [3, 6])
def test_areas_are_those_of_all_pairs_of_rows(size, weighty, absent):
    """Without weights each is the fraction rounded once."""
    codes, scores, weight = sample(1, size, 40, undefined=absent)
    view = ClassRanks.of(tally_of(codes, scores, weight if weighty else None))
    pairs, rest = exact_areas(codes, scores, weight if weighty else np.ones(len(codes)))
    tolerance = 1e-15 if weighty else 0
    for (i, j), area in pairs.items():
        found = view.pair_areas[i, j]
        assert np.isnan(found) if area is None else found == pytest.approx(float(area), rel=tolerance, abs=0)
    for found, area in zip(view.areas, rest, strict=True):
        assert np.isnan(found) if area is None else found == pytest.approx(float(area), rel=tolerance, abs=0)


@pytest.mark.parametrize("times", [10**4, 10**7, 10**9, 10**15])
def test_areas_of_very_many_rows_are_rounded_once(times):
    """Beyond what floats hold, and beyond what 64 bits do: the rows repeated so many times have the same areas."""
    codes, scores, _ = sample(2, 4, 30)
    few = tally_of(codes, scores)
    counts = few.counts.astype(np.uint64) * np.uint64(times)
    counts[few.classes == 0] += np.uint64(1)  # so that no fraction can be reduced by the factor
    counts = counts.astype(np.min_scalar_type(int(counts.max())))
    many = assay.ClassScores(few.labels, few.offsets, few.scores, few.classes, None, counts)
    view = ClassRanks.of(many)
    for i in range(4):
        within = slice(many.offsets[i], many.offsets[i + 1])
        entries = [*zip(many.scores[within], many.classes[within], map(int, counts[within]), strict=True)]
        for j in range(4):
            mine = [(score, rows) for score, code, rows in entries if code == i]
            theirs = [(score, rows) for score, code, rows in entries if code == j]
            above = sum(m * n * (int(s > t) * 2 + int(s == t)) for s, m in mine for t, n in theirs)
            pairs = 2 * sum(m for _, m in mine) * sum(n for _, n in theirs)
            if i != j:
                assert view.pair_areas[i, j] == above / pairs
        rest = [(score, rows) for score, code, rows in entries if code != i]
        mine = [(score, rows) for score, code, rows in entries if code == i]
        above = sum(m * n * (int(s > t) * 2 + int(s == t)) for s, m in mine for t, n in rest)
        assert view.areas[i] == above / (2 * sum(m for _, m in mine) * sum(n for _, n in rest))


@pytest.mark.parametrize("sign", [1, -1])
def test_weighted_classes_that_do_not_overlap_have_an_area_of_exactly_one_or_none(sign):
    """Whatever the weights: the interval has a method of its own there."""
    rng = np.random.default_rng(3)
    codes = np.arange(60) % 5
    scores = sign * (np.eye(5)[codes] + rng.uniform(0, 0.9, (60, 5)))
    tally = tally_of(codes, scores, rng.lognormal(0, 3, 60))
    for metric in (hand_till_auc, macro_auc, weighted_auc):
        assert metric(tally) == (1.0 if sign > 0 else 0.0)


@pytest.mark.parametrize("weighty", [False, True])
def test_one_class_against_others_is_the_score_tally_of_these_rows(weighty):
    """To the byte, with ties, rows of one weight at one score in several classes, and an absent class."""
    codes, scores, weight = sample(4, 5, 120, levels=2, undefined=True)
    tally = tally_of(codes, scores, weight if weighty else None)
    tally.check()
    for label in range(5):
        for others in ([other] for other in range(5) if other != label):
            taken = np.isin(codes, [label, *others])
            found = tally.pair(label, others[0])
            assert found == expected(codes, scores, weight, label, taken, weighty=weighty)
            found.check()
        every = np.ones(len(codes), dtype=bool)
        assert tally.against_rest(label) == expected(codes, scores, weight, label, every, weighty=weighty)
    pooled = [expected(codes, scores, weight, label, every, weighty=weighty, name=1) for label in range(5)]
    assert tally.pooled() == assay.merge(pooled)


def expected(codes, scores, weight, label, taken, *, weighty, name=None):
    """The score tally of rows whose class is one label or not."""
    if not taken.any():
        return assay.Scores(label if name is None else name)
    given = {"weight": weight[taken]} if weighty else {}
    positive = codes[taken] == label
    found = assay.Scores.of(assay.rows(actual=positive, score=scores[taken, label], **given))
    return assay.Scores(label if name is None else name, *found.state()[1:])


def test_one_class_alone_has_no_area():
    """Nor have no rows at all."""
    rows = assay.rows(actual=[1, 1, 1], score=np.eye(3), labels=[0, 1, 2])
    tally = assay.ClassScores.of(rows)
    assert np.isnan(ClassRanks.of(tally).pair_areas).sum() == 8  # all but the class by itself
    assert isinstance(hand_till_auc(tally, undefined="skip"), Undefined)
    assert isinstance(hand_till_auc(assay.ClassScores()), Undefined)
