"""The influence on figures of probabilities: numeric slopes, sums, and R's kind of sandwich."""

import math

import numpy as np
import pytest
from support.numeric_influence import nudged
from support.r_figures import check_values

import assay
from assay.inference.influence.influence import influence
from assay.metrics import catalogue, find
from assay.metrics.probability.calibration_tests import cox

NAMES = [
    "brier_uncertainty", "log_uncertainty", "brier_skill", "log_loss_skill", "observed_expected_ratio",
    "cox_snell_r2", "nagelkerke_r2",
    "cox_intercept", "cox_slope", "calibration_in_the_large",
]  # fmt: skip


def columns(seed, levels=None, n=40):
    """Outcomes, probabilities (few distinct ones where there are few levels) and weights."""
    rng = np.random.default_rng(seed)
    p = np.clip(rng.uniform(size=n), 0.05, 0.95)
    p = np.round(p * levels) / levels if levels else p
    return (rng.uniform(size=n) < 0.2 + 0.6 * p).astype(int), np.clip(p, 0.1, 0.9), rng.uniform(0.5, 2, n)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("levels", "clip"), [(None, 0.0), (5, 0.0), (5, 0.3), (None, 0.3)])
def test_slopes_are_those_by_weight(name, levels, clip):
    """By numeric differences; rows and entries agree; they add up to nothing."""
    metric = find(name)
    actual, p, weight = columns(3, levels)
    rows = assay.rows(actual=actual, score=p, weight=weight)
    found = influence(metric, rows, clip=clip)

    def value(weights):
        return metric(assay.rows(actual=actual, score=p, weight=weights), clip=clip)

    assert found.value == value(weight)
    np.testing.assert_allclose(found.slopes, nudged(value, weight), rtol=0, atol=3e-9)
    assert abs(found.parts.sum()) < 1e-13
    entries = influence(metric, assay.Scores.of(rows), clip=clip)
    assert entries.variance == pytest.approx(found.variance, rel=1e-11)


def test_what_a_fit_to_the_same_rows_gives_has_no_influence():
    """Nor has a test's statistic: the list is of all of them."""
    actual, p, _ = columns(3, 5)
    rows = assay.rows(actual=actual, score=p)
    for metric in catalogue():
        if metric.reads.__name__ in ("Probabilities", "Confidence") and metric.name not in NAMES:
            data = rows if metric.reads.__name__ == "Probabilities" else assay.Confidences()
            assert influence(metric, data) is None, metric.name


def test_an_infinite_loss_of_rows_that_are_not_there_does_no_harm():
    """A probability of 0 where all rows are negative costs nothing; where one is positive, all is lost."""
    fine = assay.rows(actual=[0, 0, 1, 0, 1], score=[0.0, 0.3, 0.6, 0.4, 0.9])
    found = influence(find("log_loss_skill"), fine)
    assert math.isfinite(found.variance)
    assert abs(found.parts.sum()) < 1e-15
    lost = assay.rows(actual=[1, 0, 1, 0, 1], score=[0.0, 0.3, 0.6, 0.4, 0.9])
    assert influence(find("log_loss_skill"), lost) is None
    assert influence(find("brier_skill"), lost) is not None


def test_recalibration_has_the_coefficients_of_o18_and_the_sandwich():
    """The value is O18's; the error is (X'VX)^-1 X'diag(r²)X (X'VX)^-1, as matrices."""
    inputs, expected = check_values(18)
    y, p = np.array(inputs["y"]), np.array(inputs["p"])
    rows = assay.rows(actual=y, score=p)
    x = np.stack([np.ones(len(p)), np.log(p / (1 - p))], axis=1)
    fit = cox(assay.Scores.of(rows))
    mu = 1 / (1 + np.exp(-x @ [fit.intercept, fit.slope]))
    bread = np.linalg.inv(x.T * (mu * (1 - mu)) @ x)
    whole = bread @ (x.T * (y - mu) ** 2 @ x) @ bread
    for place, name in enumerate(("cox_intercept", "cox_slope")):
        found = influence(find(name), rows)
        assert found.value == pytest.approx(expected[name], rel=1e-9)
        assert found.variance == pytest.approx(whole[place, place], rel=1e-9)
    found = influence(find("calibration_in_the_large"), rows)
    assert found.value == pytest.approx(expected["citl"], rel=1e-9)
    found = influence(find("observed_expected_ratio"), rows)
    assert found.value == pytest.approx(expected["oe_ratio"], rel=1e-12)
