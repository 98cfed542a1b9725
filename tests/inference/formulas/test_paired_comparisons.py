"""Bradley-Terry and its kin: the check values of choix, evalica and BradleyTerry2, and a numeric likelihood."""

import math

import numpy as np
import pytest
from scipy import optimize
from support.reference_figures import oracle

from assay.inference.formulas.paired_comparisons import (
    ComparisonData,
    components,
    fit_strengths,
    identified,
    pair_fit,
)
from assay.metrics import Undefined

JUDGES = oracle("judges")
CASE = JUDGES["preferences"]
NAMES = CASE["data"]["names"]
OUTCOME = {1: 0, 0.5: 1, 0: 2}
NUMERIC = 2e-8  # the references differentiate twice by differences


def comparisons(games, names, *, ties=True, prompt=None, position=False):
    kept = [index for index, game in enumerate(games) if ties or game[2] != 0.5]
    left, right = (np.array([names.index(games[index][side]) for index in kept]) for side in (0, 1))
    outcome = np.array([OUTCOME[games[index][2]] for index in kept])
    columns = np.ones((len(kept), 1)) if position else np.zeros((len(kept), 0))
    clusters = None if prompt is None else np.array(prompt)[kept]
    return ComparisonData(len(names), left, right, outcome, np.ones(len(kept)), columns, clusters)


SETTINGS = {
    "bradley_terry_no_ties": ("bradley-terry", {"ties": False}),
    "bradley_terry_no_ties_clustered": ("bradley-terry", {"ties": False, "prompt": CASE["data"]["prompt"]}),
    "bradley_terry_left_advantage": ("bradley-terry", {"ties": False, "position": True}),
    "ties_as_half_sandwich": ("half", {}),
    "davidson": ("davidson", {}),
    "davidson_left_advantage": ("davidson", {"position": True}),
    "davidson_clustered": ("davidson", {"prompt": CASE["data"]["prompt"]}),
    "rao_kupper": ("rao-kupper", {}),
}


@pytest.mark.parametrize("key", SETTINGS)
def test_fits_are_the_check_values(key):
    """Strengths, both errors (the sandwich without its factor), likelihood, tie and position parameters."""
    model, options = SETTINGS[key]
    expected = CASE["values"][key]
    fit = fit_strengths(comparisons(CASE["data"]["games_left_right_outcome"], NAMES, **options), model)
    assert dict(zip(NAMES, fit.strengths, strict=True)) == pytest.approx(
        expected["log_strength_sum0"], abs=1e-9
    )
    plain = fit.covariance * (fit.clusters - 1) / fit.clusters
    for covariance, name in ((plain, "se_sandwich"), (fit.model_covariance, "se_model")):
        errors = np.sqrt(np.diag(covariance))[: len(NAMES)]
        assert dict(zip(NAMES, errors, strict=True)) == pytest.approx(expected[name], abs=NUMERIC)
    assert fit.log_likelihood == pytest.approx(expected["loglik"], abs=1e-9)
    if "tie_parameter" in expected:
        assert fit.tie == pytest.approx(expected["tie_parameter"], abs=1e-9)
    if "left_advantage" in expected:
        assert fit.coefficients[0] == pytest.approx(expected["left_advantage"], abs=1e-9)
        assert math.sqrt(fit.model_covariance[-1, -1]) == pytest.approx(
            expected["left_advantage_se_model"], abs=NUMERIC
        )
    assert fit.clusters == expected.get("groups", fit.clusters)


def test_bradley_terry_is_that_of_choix_and_evalica():
    """Two packages with other algorithms, to what they converge to."""
    fit = fit_strengths(
        comparisons(CASE["data"]["games_left_right_outcome"], NAMES, ties=False), "bradley-terry"
    )
    for name, tolerance in (("choix_ilsr_sum0", 1e-8), ("evalica_bt_log_sum0", 1e-9)):
        assert dict(zip(NAMES, fit.strengths, strict=True)) == pytest.approx(
            CASE["values"][name], abs=tolerance
        )
    # BradleyTerry2 prints b - a with its error.
    assert fit.strengths[1] - fit.strengths[0] == pytest.approx(0.0692554, abs=1e-7)
    c = fit.model_covariance
    assert math.sqrt(c[0, 0] + c[1, 1] - 2 * c[0, 1]) == pytest.approx(0.4363386, abs=1e-6)


@pytest.mark.parametrize(("ridge", "key"), [(None, "ridge_0.1"), (1.0, "ridge_1")])
def test_separated_comparisons_have_a_finite_fit(ridge, key):
    """Someone never loses: the penalized fit and its errors, not a sandwich that collapses."""
    case = JUDGES["preferences_separated"]
    names = case["data"]["names"]
    data = comparisons(case["data"]["games"], names)
    assert components(data)[2] > 1
    fit = fit_strengths(data, "bradley-terry", ridge=ridge)
    expected = case["values"][key]
    assert dict(zip(names, fit.strengths, strict=True)) == pytest.approx(
        expected["log_strength_sum0"], abs=1e-9
    )
    errors = np.sqrt(np.diag(fit.covariance))
    # The reference's second differences are less exact where strengths are large: the information itself, too.
    assert dict(zip(names, errors, strict=True)) == pytest.approx(expected["se_model"], abs=2e-7)
    signs = np.eye(3)[data.left] - np.eye(3)[data.right]
    p = 1 / (1 + np.exp(-signs @ fit.strengths))
    information = (signs * (p * (1 - p))[:, None]).T @ signs + np.eye(3) * (ridge or 0.1)
    centre = np.eye(3) - 1 / 3
    assert fit.covariance == pytest.approx(centre @ np.linalg.inv(information) @ centre, abs=1e-12)
    assert fit.log_likelihood == pytest.approx(expected["loglik"], abs=1e-9)


def test_the_likelihood_is_maximal():
    """A search without derivatives finds no better strengths, position, covariate and tie parameter."""
    draw = np.random.default_rng(4)
    n = 200
    left = draw.integers(0, 3, n)
    right = (left + draw.integers(1, 3, n)) % 3
    columns = np.column_stack([np.ones(n), draw.normal(size=n)])
    data = ComparisonData(3, left, right, draw.integers(0, 3, n), np.ones(n), columns)

    def davidson(theta):
        strength = np.array([theta[0], theta[1], -theta[0] - theta[1]])
        margin = strength[left] - strength[right] + columns @ theta[2:4]
        odds = np.stack([np.exp(margin / 2), np.full(n, math.exp(theta[4])), np.exp(-margin / 2)])
        return -np.log(odds[data.outcome, np.arange(n)] / odds.sum(axis=0)).sum()

    best = optimize.minimize(davidson, np.zeros(5), method="BFGS", options={"gtol": 1e-9})
    fit = fit_strengths(data, "davidson")
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-9)
    assert fit.coefficients == pytest.approx(best.x[2:4], abs=1e-5)
    assert fit.tie == pytest.approx(math.exp(best.x[4]), abs=1e-5)


def test_entries_equal_repetition():
    """A cell of several comparisons is those comparisons, in fit and errors."""
    games = CASE["data"]["games_left_right_outcome"]
    data = comparisons(games, NAMES)
    counts = (np.arange(len(games)) % 3 + 1).astype(float)
    repeat = counts.astype(int)
    longer = ComparisonData(
        4,
        *(np.repeat(part, repeat) for part in data[1:4]),
        np.ones(repeat.sum()),
        np.zeros((repeat.sum(), 0)),
    )
    for model in ("davidson", "rao-kupper", "half"):
        first, second = fit_strengths(data._replace(counts=counts), model), fit_strengths(longer, model)
        assert first.strengths == pytest.approx(second.strengths, abs=1e-10)
        assert first.covariance == pytest.approx(second.covariance, abs=1e-10)


def test_what_cannot_be_told_apart():
    """A model that is always left cannot be told from the left's advantage; pairs and strengths may be as many."""
    data = comparisons([["a", "b", 1], ["a", "b", 0]], ["a", "b"], position=True)
    assert not identified(data)
    assert identified(comparisons([["a", "b", 1], ["b", "a", 0]], ["a", "b"], position=True))
    fit = fit_strengths(comparisons([["a", "b", 1], ["a", "b", 0]], ["a", "b"]), "bradley-terry")
    assert fit.strengths == pytest.approx([0, 0])
    assert isinstance(
        pair_fit(comparisons([["a", "b", 1], ["a", "b", 0]], ["a", "b"]), fit.expected)[2], Undefined
    )
