"""Every reference value of repeated runs: pass@k, best of k, variance within and between, clusters."""

import math

import numpy as np
import pytest
from scipy import stats
from support.nested_values import differences
from support.reference_figures import oracle

import assay
from assay.inference.formulas.repeated_runs import (
    best_of_k,
    decompose,
    majority_at_k,
    pass_all_k,
    pass_at_k,
    question_spread,
)

JUDGES = oracle("judges")


def pass_k():
    runs, correct = np.array(JUDGES["pass_k"]["data"]["tasks_n_c"]).T
    found = {}
    for key in JUDGES["pass_k"]["values"]:
        found[key] = {}
        for name, function in (("pass@k", pass_at_k), ("pass^k", pass_all_k), ("majority@k", majority_at_k)):
            mean, error, df, _ = question_spread(function(runs, correct, int(key)), np.ones(len(runs)), None)
            half = stats.t.ppf(0.975, df) * error
            found[key][name] = {"value": mean, "se": error, "low_t": mean - half, "high_t": mean + half}
    return found


def repeats():
    scores = np.array(JUDGES["repeats"]["data"]["scores_question_by_run"], dtype=float)
    n, k = scores.shape
    parts = decompose(np.full(n, k), scores.mean(axis=1), scores.var(axis=1, ddof=1), np.ones(n))
    error = parts.standard_error()
    return {
        "mean": scores.mean(), "se": error, "within": parts.within, "between": parts.between,
        "share_within_of_se2": parts.within / k / n / error**2,
        "se_one_repeat": parts.standard_error(runs=1),
        "se_infinite_repeats": parts.standard_error(runs=math.inf), "icc1": parts.icc,
    }  # fmt: skip


def best_of():
    """The check values order runs of equal score by their quality, where ours share it: one pair of runs."""
    tasks = JUDGES["best_of_k"]["data"]["task_rows_score_quality"]
    found = {}
    for key in JUDGES["best_of_k"]["values"]:
        values = np.array([
            best_of_k(np.array([s + 1e-9 * q for s, q in task]), np.array([q for _, q in task], float), int(key))
            for task in tasks
        ])  # fmt: skip
        mean, error, *_ = question_spread(values, np.ones(len(values)), None)
        found[key] = {"value": mean, "se": error}
    return found


def clusters():
    data = JUDGES["clusters"]["data"]
    x, group = np.array(data["x"], dtype=float), np.array(data["group"])
    mean, error, _, groups = question_spread(x, np.ones(len(x)), group)
    return {
        "mean": mean, "se_iid": question_spread(x, np.ones(len(x)), None)[1],
        "se_cluster_cr0": error * math.sqrt((groups - 1) / groups), "se_cluster_G/(G-1)": error,
        "statsmodels_cluster": error,
    }  # fmt: skip


CASES = {"pass_k": pass_k, "repeats": repeats, "best_of_k": best_of, "clusters": clusters}


@pytest.mark.parametrize("name", CASES)
def test_every_reference_value_is_computed(name):
    """No value is left out."""
    assert differences(JUDGES[name]["values"], CASES[name](), lambda _: {"abs": 1e-9}) == []


def test_the_paired_difference():
    """The first model less the second, through the public function."""
    data = JUDGES["repeats"]["data"]
    rows = [(q, name, r, value)
            for name, key in (("b", "scores_question_by_run"), ("a", "second_model"))
            for q, row in enumerate(data[key]) for r, value in enumerate(row)]  # fmt: skip
    question, model, run, correct = map(list, zip(*rows, strict=True))
    result = assay.repeats(question=question, model=model, run=run, correct=correct)
    found = next(item for item in result.differences if item.metric == "mean").difference
    pair = {
        "difference": found.value, "se": found.standard_error, "low_t": found.low, "high_t": found.high
    }  # fmt: skip
    assert differences(JUDGES["repeats"]["paired"], pair, lambda _: {"abs": 1e-9}) == []
