"""Every reference value of preferences and leaderboards: choix, evalica, and likelihoods written anew."""

import math

import numpy as np
from scipy import stats
from support.nested_values import differences
from support.reference_figures import oracle

import assay
from assay.inference.formulas.paired_comparisons import ComparisonData, fit_strengths
from assay.inference.formulas.rank_intervals import rank_models

JUDGES = oracle("judges")
CASE = JUDGES["preferences"]
GAMES, PROMPT, NAMES = (CASE["data"][key] for key in ("games_left_right_outcome", "prompt", "names"))
SETTINGS = {
    "bradley_terry_no_ties": ("bradley-terry", {"ties": False}),
    "bradley_terry_no_ties_clustered": ("bradley-terry", {"ties": False, "prompt": PROMPT}),
    "bradley_terry_left_advantage": ("bradley-terry", {"ties": False, "position": True}),
    "bradley_terry_ridge_0.1": ("bradley-terry", {"ties": False, "ridge": 0.1}),
    "ties_as_half_sandwich": ("half", {}),
    "davidson": ("davidson", {}),
    "davidson_left_advantage": ("davidson", {"position": True}),
    "davidson_clustered": ("davidson", {"prompt": PROMPT}),
    "rao_kupper": ("rao-kupper", {}),
}


def comparisons(games, names, *, ties=True, prompt=None, position=False):
    kept = [index for index, game in enumerate(games) if ties or game[2] != 0.5]
    left, right = (np.array([names.index(games[index][side]) for index in kept]) for side in (0, 1))
    outcome = np.array([{1: 0, 0.5: 1, 0: 2}[games[index][2]] for index in kept])
    columns = np.ones((len(kept), 1)) if position else np.zeros((len(kept), 0))
    clusters = None if prompt is None else np.array(prompt)[kept]
    return ComparisonData(len(names), left, right, outcome, np.ones(len(kept)), columns, clusters)


def by_name(values, names=NAMES):
    return dict(zip(names, values, strict=True))


def sandwich(data, fit, ridge):
    """Return the sandwich of a fit that is penalized on purpose, which the package does not use."""
    signs = np.eye(data.size)[data.left] - np.eye(data.size)[data.right]
    p = 1 / (1 + np.exp(-signs @ fit.strengths))
    scores = signs * (1 - data.outcome / 2 - p)[:, None]
    bread = np.linalg.inv((signs * (p * (1 - p))[:, None]).T @ signs + ridge * np.eye(data.size))
    centre = np.eye(data.size) - 1 / data.size
    return centre @ bread @ (scores.T @ scores) @ bread @ centre


def ranks_one_at_a_time(values, covariance):
    """Return each model's rank among those it differs from, by its own comparisons alone (Bonferroni)."""
    size = len(values)
    limit = stats.norm.ppf(1 - 0.05 / (2 * (size - 1)))
    spread = np.sqrt(np.add.outer(np.diag(covariance), np.diag(covariance)) - 2 * covariance)
    ahead = np.subtract.outer(values, values) > limit * spread  # the row's model before the column's
    return [[1 + int(ahead[:, i].sum()), size - int(ahead[i].sum())] for i in range(size)]


def fitted(key):
    model, options = SETTINGS[key]
    ridge = options.get("ridge")
    data = comparisons(GAMES, NAMES, **{name: value for name, value in options.items() if name != "ridge"})
    fit = fit_strengths(data, model, ridge=ridge)
    size = len(NAMES)
    # The check values' sandwich has no factor of G / (G - 1).
    plain = (
        fit.covariance * (fit.clusters - 1) / fit.clusters if ridge is None else sandwich(data, fit, ridge)
    )
    covariance = plain[:size, :size]
    together = rank_models(fit.strengths, covariance, method="bonferroni")
    found = {
        "log_strength_sum0": by_name(fit.strengths),
        "se_model": by_name(np.sqrt(np.diag(fit.model_covariance))[:size]),
        "se_sandwich": by_name(np.sqrt(np.diag(covariance))),
        "loglik": fit.log_likelihood,
        "rank_intervals_simultaneous_bonferroni": by_name(
            [list(pair) for pair in zip(together.low.tolist(), together.high.tolist(), strict=True)]
        ),
        "rank_intervals_marginal_bonferroni": by_name(ranks_one_at_a_time(fit.strengths, covariance)),
        "tied_with_best_one_sided_bonferroni": [NAMES[index] for index in together.tied_with_best],
        "groups": fit.clusters,
        "tie_parameter": fit.tie,
    }
    if "position" in options:
        found["left_advantage"] = fit.coefficients[0]
        found["left_advantage_se_model"] = math.sqrt(fit.model_covariance[size, size])
    return found


def tolerance(path):
    """Errors are from second differences of the likelihood, choix stops at 1e-8."""
    if any(str(key).startswith(("se_", "left_advantage_se")) for key in path):
        return {"abs": 2e-7}
    return {"abs": 1e-8 if path[0].startswith("choix") else 1e-9}


def test_every_reference_value_of_preferences_is_computed():
    """Strengths, both errors, likelihood, ties, position, ranks together and alone, and who may be the best."""
    found = {key: fitted(key) for key in SETTINGS}
    plain = found["bradley_terry_no_ties"]["log_strength_sum0"]
    found |= {"choix_ilsr_sum0": plain, "evalica_bt_log_sum0": plain}
    assert differences(CASE["values"], found, tolerance) == []


def test_every_reference_value_of_separated_preferences_is_computed():
    """Someone never loses: two penalties."""
    case = JUDGES["preferences_separated"]
    names = case["data"]["names"]
    found = {}
    for key, ridge in (("ridge_0.1", 0.1), ("ridge_1", 1.0)):
        fit = fit_strengths(comparisons(case["data"]["games"], names), "bradley-terry", ridge=ridge)
        found[key] = {
            "log_strength_sum0": by_name(fit.strengths, names),
            "se_model": by_name(np.sqrt(np.diag(fit.covariance)), names),
            "loglik": fit.log_likelihood,
        }
    assert differences(case["values"], found, tolerance) == []


def test_every_reference_value_of_leaderboards_is_computed():
    """Means, errors of differences, ranks, the tied set and Friedman's test over ten data sets."""
    case = JUDGES["boards"]
    names = case["data"]["names"]
    scores = np.array(case["data"]["scores_dataset_by_model"])
    covariance = np.cov(scores.T) / len(scores)
    ranking = rank_models(scores.mean(axis=0), covariance, df=len(scores) - 1, method="bonferroni")
    result = assay.compare_datasets(case["data"]["scores_dataset_by_model"], names=names)
    spread = np.sqrt(np.add.outer(np.diag(covariance), np.diag(covariance)) - 2 * covariance)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    limits = [list(pair) for pair in zip(ranking.low.tolist(), ranking.high.tolist(), strict=True)]
    found = {
        "mean": by_name(scores.mean(axis=0), names),
        "se_of_difference": {f"{names[i]}-{names[j]}": spread[i, j] for i, j in pairs},
        "rank_intervals_t_bonferroni": by_name(limits, names),
        "tied_with_best_t_bonferroni": [names[index] for index in ranking.tied_with_best],
        "mean_rank": by_name(result.ranks, names),
        "friedman_chi2": result.friedman.statistic,
        "friedman_p": result.friedman.p_value,
    }
    assert differences(case["values"], found, lambda _: {"rel": 1e-8, "abs": 1e-16}) == []
