"""Ranks with intervals: the check values, their coverage, and letters."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reference_figures import oracle

from assay.inference.formulas.paired_comparisons import ComparisonData, fit_strengths
from assay.inference.formulas.rank_intervals import letters, rank_models

JUDGES = oracle("judges")


@pytest.mark.parametrize("key", ["bradley_terry_no_ties", "davidson", "rao_kupper"])
def test_ranks_of_preferences_by_bonferroni(key):
    """The check values' intervals and the set tied with the best."""
    names = JUDGES["preferences"]["data"]["names"]
    expected = JUDGES["preferences"]["values"][key]
    games = [game for game in JUDGES["preferences"]["data"]["games_left_right_outcome"]
             if key != "bradley_terry_no_ties" or game[2] != 0.5]  # fmt: skip
    left, right = (np.array([names.index(game[side]) for game in games]) for side in (0, 1))
    outcome = np.array([{1: 0, 0.5: 1, 0: 2}[game[2]] for game in games])
    data = ComparisonData(len(names), left, right, outcome, np.ones(len(games)), np.zeros((len(games), 0)))
    fit = fit_strengths(data, {"davidson": "davidson", "rao_kupper": "rao-kupper"}.get(key, "bradley-terry"))
    covariance = fit.covariance * (fit.clusters - 1) / fit.clusters
    found = rank_models(fit.strengths, covariance, method="bonferroni")
    limits = [list(pair) for pair in zip(found.low.tolist(), found.high.tolist(), strict=True)]
    assert dict(zip(names, limits, strict=True)) == expected["rank_intervals_simultaneous_bonferroni"]
    assert [names[index] for index in found.tied_with_best] == expected["tied_with_best_one_sided_bonferroni"]
    exact = rank_models(fit.strengths, covariance)
    assert exact.critical < found.critical, "the simulated limit is the smaller one"


def test_ranks_over_data_sets_by_t():
    """Five models on ten data sets: A, B, C are 1 to 3, D and E 4 to 5; A and B may be the best."""
    case = JUDGES["boards"]
    scores = np.array(case["data"]["scores_dataset_by_model"])
    covariance = np.cov(scores.T) / len(scores)
    found = rank_models(scores.mean(axis=0), covariance, df=len(scores) - 1, method="bonferroni")
    names = case["data"]["names"]
    limits = [list(pair) for pair in zip(found.low.tolist(), found.high.tolist(), strict=True)]
    assert dict(zip(names, limits, strict=True)) == case["values"]["rank_intervals_t_bonferroni"]
    assert [names[index] for index in found.tied_with_best] == case["values"]["tied_with_best_t_bonferroni"]
    for (i, first), (j, second) in itertools.combinations(enumerate(names), 2):
        error = np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        assert error == pytest.approx(case["values"]["se_of_difference"][f"{first}-{second}"], abs=1e-11)


def test_ranks_hold_together_as_often_as_stated():
    """Of many samples, 95% have every true rank within its interval, and the best in the tied set."""
    draw = np.random.default_rng(5)
    truth, together, best = np.array([0.0, 0.0, 0.0, 0.0, 0.5]), 0, 0
    sets = 300
    for _ in range(sets):
        found = rank_models(truth + draw.normal(0, 0.3, 5), np.eye(5) * 0.09, seed=1)
        # Four are equal: each rank from 2 to 5 must be possible for some of them, 1 for the fifth.
        together += bool((found.low[:4] <= 5).all() and (found.high[:4] >= 2).all() and found.low[4] == 1
                         and not found.apart[:4, :4].any())  # fmt: skip
        best += 4 in found.tied_with_best
    assert together / sets >= 0.93
    assert best / sets >= 0.93


@settings(max_examples=40)
@given(st.integers(2, 6).flatmap(lambda n: st.lists(st.booleans(), min_size=n * n, max_size=n * n)))
def test_two_models_share_a_letter_exactly_where_they_are_not_apart(bits):
    """Whatever the pattern of differences, letters show it."""
    size = int(len(bits) ** 0.5)
    apart = np.triu(np.array(bits).reshape(size, size), 1)
    apart = apart | apart.T
    marks = letters(apart, list(range(size)))
    for first, second in itertools.combinations(range(size), 2):
        assert bool(set(marks[first]) & set(marks[second])) == (not apart[first, second])
    assert all(marks)


def test_one_model_and_no_error():
    """A single model is the best; without error the order is the ranks."""
    assert rank_models([1.0], [[1.0]]).tied_with_best == (0,)
    found = rank_models([3.0, 2.0, 1.0], np.zeros((3, 3)))
    assert found.low.tolist() == found.high.tolist() == [1, 2, 3]


@settings(max_examples=40)
@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.booleans(), min_size=n * n, max_size=n * n)))
def test_letters_are_the_largest_sets_that_are_not_apart(bits):
    """By trying every set of models."""
    size = int(len(bits) ** 0.5)
    apart = np.triu(np.array(bits).reshape(size, size), 1)
    apart = apart | apart.T
    alike = [set(members) for count in range(1, size + 1)
             for members in itertools.combinations(range(size), count)
             if not apart[np.ix_(members, members)].any()]  # fmt: skip
    largest = sorted(sorted(members) for members in alike if not any(members < other for other in alike))
    expected = ["".join("abcdefghijklmnopqrstuvwxyz"[index] for index, members in enumerate(largest)
                        if model in members) for model in range(size)]  # fmt: skip
    assert letters(apart, list(range(size))) == expected


def test_letters_of_many_models_are_soon_there():
    """Of 1,500 models: each step looks at the sets that it splits alone."""
    strengths = np.sort(np.random.default_rng(1).normal(size=1500))[::-1]
    apart = np.abs(strengths[:, None] - strengths) > 0.5
    start = time.process_time()
    marks = letters(apart, list(range(1500)))
    assert time.process_time() - start < 10
    assert marks[0] == "a"
    assert all(marks)
