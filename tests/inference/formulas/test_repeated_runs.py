"""Repeated runs: the check values, and every choice of k runs as a second way."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reference_figures import oracle

from assay.inference.formulas.repeated_runs import (
    best_of_k,
    decompose,
    majority_at_k,
    pass_all_k,
    pass_at_k,
    question_interval,
    question_spread,
)
from assay.repeated_runs.majority import plurality_at_k

JUDGES = oracle("judges")
FUNCTIONS = {"pass@k": pass_at_k, "pass^k": pass_all_k, "majority@k": majority_at_k}


@pytest.mark.parametrize("k", ["1", "2", "3", "5"])
def test_pass_k_check_values(k):
    """Values, errors and Student's limits of eight tasks with ten runs."""
    runs, correct = np.array(JUDGES["pass_k"]["data"]["tasks_n_c"]).T
    for name, expected in JUDGES["pass_k"]["values"][k].items():
        values = FUNCTIONS[name](runs, correct, int(k))
        mean, error, df, _ = question_spread(values, np.ones(len(values)), None)
        assert (mean, error) == pytest.approx((expected["value"], expected["se"]), abs=1e-11)
        if "low_t" in expected:
            low, high, _ = question_interval(mean, error, df, 8, share=False)
            assert (low, high) == pytest.approx((expected["low_t"], expected["high_t"]), abs=1e-9)
        low, high, _ = question_interval(mean, error, df, 8)
        assert 0 <= low < mean < high <= 1


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_every_choice_of_k_runs(outcomes, k):
    """The closed forms are means over all subsets."""
    runs, correct = np.array([len(outcomes)]), np.array([sum(outcomes)])
    if k > len(outcomes):
        assert all(math.isnan(function(runs, correct, k)[0]) for function in FUNCTIONS.values())
        return
    subsets = list(itertools.combinations(outcomes, k))
    assert pass_at_k(runs, correct, k)[0] == pytest.approx(np.mean([any(s) for s in subsets]))
    assert pass_all_k(runs, correct, k)[0] == pytest.approx(np.mean([all(s) for s in subsets]))
    votes = [1.0 if 2 * sum(s) > k else 0.5 if 2 * sum(s) == k else 0.0 for s in subsets]
    assert majority_at_k(runs, correct, k)[0] == pytest.approx(np.mean(votes))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=6),
    st.integers(1, 6),
)
def test_best_of_k_is_the_mean_over_all_choices(runs, k):
    """The run with the largest score is taken, and runs of equal score share."""
    selector, quality = (np.array(part, dtype=float) for part in zip(*runs, strict=True))
    found = best_of_k(selector, quality, k)
    if k > len(runs):
        assert math.isnan(found)
        return
    # Equal scores: each order among them is as likely, so that their quality is that of their mean.
    mean = {score: quality[selector == score].mean() for score in set(selector.tolist())}
    expected = np.mean([mean[max(subset)] for subset in itertools.combinations(selector.tolist(), k)])
    assert found == pytest.approx(expected)


def test_best_of_k_check_values():
    """The check values, which order runs of equal score by their quality: one pair in the third task."""
    tasks = JUDGES["best_of_k"]["data"]["task_rows_score_quality"]
    for k, expected in JUDGES["best_of_k"]["values"].items():
        values = np.array([
            best_of_k(np.array([s + 1e-9 * q for s, q in task]), np.array([q for _, q in task], float), int(k))
            for task in tasks
        ])  # fmt: skip
        mean, error, *_ = question_spread(values, np.ones(len(values)), None)
        assert (mean, error) == pytest.approx((expected["value"], expected["se"]), abs=1e-11)


def test_the_decomposition_check_values():
    """Twelve questions of four runs: within, between, and the errors that they give."""
    scores = np.array(JUDGES["repeats"]["data"]["scores_question_by_run"], dtype=float)
    expected = JUDGES["repeats"]["values"]
    found = decompose(
        np.full(len(scores), 4), scores.mean(axis=1), scores.var(axis=1, ddof=1), np.ones(len(scores))
    )
    assert (found.within, found.between) == pytest.approx(
        (expected["within"], expected["between"]), abs=1e-11
    )
    errors = found.standard_error(), found.standard_error(runs=1), found.standard_error(runs=math.inf)
    names = ("se", "se_one_repeat", "se_infinite_repeats")
    assert errors == pytest.approx([expected[name] for name in names], abs=1e-11)
    assert found.icc == pytest.approx(expected["icc1"], abs=1e-11)
    assert found.within / 4 / found.standard_error() ** 2 / 12 == pytest.approx(
        expected["share_within_of_se2"], abs=1e-10
    )
    assert found.best_runs(4, 1) == pytest.approx(math.sqrt(4 * found.within / found.between))
    assert found.best_runs(0, 1) == 1


def test_clusters_as_statsmodels_has_them():
    """Questions in groups: the cluster sum of squares with G / (G - 1)."""
    case = JUDGES["clusters"]
    x, group = np.array(case["data"]["x"], dtype=float), np.array(case["data"]["group"])
    mean, error, df, groups = question_spread(x, np.ones(len(x)), group)
    assert (mean, df, groups) == (0.5, 5, 6)
    assert error == pytest.approx(case["values"]["statsmodels_cluster"], abs=1e-11)
    assert question_spread(x, np.ones(len(x)), None)[1] == pytest.approx(case["values"]["se_iid"], abs=1e-11)


def test_plurality_of_answers():
    """With all runs it is the vote itself; with two answers it nears the closed form."""
    answers, score = np.array([1, 1, 2, 3, 3]), np.array([1.0, 1.0, 0.0, 0.0, 0.0])
    assert plurality_at_k(answers, score, 5) == 0.5, "answers 1 and 3 tie"
    assert math.isnan(plurality_at_k(answers, score, 6))
    right = np.array([1, 1, 1, 0, 0, 1, 0, 1])
    expected = majority_at_k(np.array([8]), np.array([5]), 3)[0]
    assert plurality_at_k(right, right.astype(float), 3, draws=40_000) == pytest.approx(expected, abs=0.01)
