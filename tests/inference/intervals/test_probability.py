"""The intervals of figures of probabilities, and the reasons of those that have none."""

import math

import numpy as np
import pytest
from support.r_figures import check_values

import assay
from assay.inference.formulas.proportions import modified_wilson
from assay.inference.influence.influence import influence
from assay.metrics import catalogue, find

Z = 1.959963984540054
FIGURES = [
    "brier_uncertainty", "log_uncertainty", "brier_skill", "log_loss_skill", "observed_expected_ratio",
    "cox_snell_r2", "nagelkerke_r2",
    "cox_intercept", "cox_slope", "calibration_in_the_large",
]  # fmt: skip


def columns(n=200, seed=1):
    """Outcomes and probabilities."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.02, 0.7, n)
    return (rng.uniform(size=n) < p).astype(int), p


def both(found):
    """Its limits."""
    return found.low, found.high


@pytest.mark.parametrize("name", FIGURES)
def test_every_smooth_figure_of_probabilities_has_an_interval_around_it(name):
    """Within its bounds; the same for rows and tally; weighted and grouped as well."""
    actual, p = columns()
    rows = assay.rows(actual=actual, score=p)
    plain = assay.estimate(name, rows)
    assert both(plain) == both(assay.estimate(name, assay.Scores.of(rows)))
    for more in ({}, {"weight": np.arange(200) % 3 + 1}, {"group": np.arange(200) // 5}):
        found = assay.estimate(name, assay.rows(actual=actual, score=p, **more))
        least, largest = find(name).bounds
        assert least <= found.low < found.value < found.high <= largest
    twice = assay.rows(actual=np.repeat(actual, 2), score=np.repeat(p, 2), group=np.arange(400) // 2)
    once = assay.rows(actual=actual, score=p, group=np.arange(200))
    assert both(assay.estimate(name, twice)) == pytest.approx(both(assay.estimate(name, once)), rel=1e-9)


def test_every_other_figure_says_why_it_has_none():
    """Calibration errors, what a fit to the rows gives, tests and their p-values."""
    actual, p = columns()
    rows = assay.rows(actual=actual, score=p)
    for metric in catalogue():
        if metric.reads.__name__ != "Probabilities" or metric.name in FIGURES:
            continue
        found = assay.estimate(metric, rows)
        assert found.low is None, metric.name
        words = "compare it with what it would be" if metric.kind in ("extreme", "order") else " "
        assert words in found.note, metric.name
    assert "p-value of a test" in assay.estimate("spiegelhalter_p", rows).note
    assert "grows with the rows" in assay.estimate("spiegelhalter_z", rows).note
    assert "fit to the same rows" in assay.estimate("brier_discrimination", rows).note


def test_calibration_errors_of_several_classes_say_so_too():
    """Confidence, top-label and classwise."""
    scores = np.random.default_rng(1).dirichlet([1, 1, 1], 30)
    rows = assay.rows(actual=np.arange(30) % 3, score=scores, labels=[0, 1, 2])
    for name in (
        "confidence_calibration_error",
        "top_label_calibration_error",
        "classwise_calibration_error",
    ):
        found = assay.estimate(name, rows)
        assert found.low is None
        assert "compare it with what it would be" in found.note


def test_the_base_rates_own_score_is_mapped_from_the_rate():
    """Up to one half and down again: the largest score is at the half where that is among the rates."""
    for positives in (0, 10, 50, 93, 100):
        rows = assay.rows(actual=[1] * positives + [0] * (100 - positives), score=[0.3] * 100)
        low, high = modified_wilson(positives, 100)
        for name, score in (
            ("brier_uncertainty", lambda r: r * (1 - r)),
            ("log_uncertainty", lambda r: -sum(x * math.log(x) for x in (r, 1 - r) if x)),
        ):
            rates = np.linspace(low, high, 100_001)
            scores = [score(float(rate)) for rate in rates]
            assert both(assay.estimate(name, rows)) == pytest.approx((min(scores), max(scores)), abs=1e-8)


def test_recalibration_takes_the_larger_of_two_errors():
    """Fisher's of O18, where the sandwich is smaller; with weights, of as many rows as they are worth."""
    inputs, expected = check_values(18)
    rows = assay.rows(actual=inputs["y"], score=inputs["p"])
    for name, key in (
        ("cox_intercept", "cox_intercept_se"),
        ("cox_slope", "cox_slope_se"),
        ("calibration_in_the_large", "citl_se"),
    ):
        found = assay.estimate(name, rows)
        own = influence(find(name), rows).standard_error
        error = max(own, expected[key])
        assert found.standard_error == pytest.approx(error, rel=1e-8)
        lowered = error**2 / found.value if name == "cox_slope" else 0.0
        expected_limits = (found.value - lowered - Z * error, found.value + Z * error)
        assert both(found) == pytest.approx(expected_limits, rel=1e-8)
        assert found.method == ("sandwich" if own > expected[key] else "Fisher's information")
        weight = np.arange(14) % 2 + 1
        weighted = assay.rows(actual=inputs["y"], score=inputs["p"], weight=weight)
        error = assay.estimate(name, weighted).standard_error
        assert error >= influence(find(name), weighted).standard_error
        tripled = assay.rows(actual=inputs["y"], score=inputs["p"], weight=weight * 3)
        assert assay.estimate(name, tripled).standard_error == pytest.approx(error, rel=1e-9)


def test_observed_to_expected_is_a_rate_of_as_many_rows_as_it_is_worth():
    """The rate's variance is the ratio's, moderated by five rows of that of independent counts.

    Of no positives it is Wilson's.
    """
    actual, p = columns()
    found = assay.estimate("observed_expected_ratio", assay.rows(actual=actual, score=p))
    rate, few = actual.mean(), min(actual.sum(), len(actual) - actual.sum())
    variance = (found.standard_error * p.mean()) ** 2
    plain = rate * (1 - rate) / len(actual) + rate**2 * p.var() / p.mean() ** 2 / len(actual)
    rows = rate * (1 - rate) / ((few * variance + 5 * plain) / (few + 5))
    low, high = modified_wilson(rate * rows, rows)
    assert both(found) == pytest.approx((low / p.mean(), high / p.mean()), rel=1e-10)
    share = actual / actual.sum() - p / p.sum()
    assert found.standard_error / found.value == pytest.approx(math.sqrt(share @ share), rel=1e-10)
    none = assay.estimate("observed_expected_ratio", assay.rows(actual=[0] * 20, score=[0.25] * 20))
    assert both(none) == pytest.approx((0.0, modified_wilson(0, 20)[1] / 0.25), rel=1e-12)


def test_skill_is_of_the_loss_and_of_the_base_rate():
    """Falls and rises of both logarithms, added in squares less what they share."""
    actual, p = columns()
    rows = assay.rows(actual=actual, score=p)
    found = assay.estimate("brier_skill", rows)
    loss, base = assay.estimate("brier", rows), assay.estimate("brier_uncertainty", rows)
    rate, few = actual.mean(), min(actual.sum(), len(actual) - actual.sum())
    first, second = (actual - p) ** 2 - loss.value, (1 - 2 * rate) * (actual - rate)
    shared = np.corrcoef(first, second)[0, 1] * few / (few + 5)
    fall, rise = (
        math.sqrt(a * a + b * b - 2 * shared * a * b)
        for a, b in (
            (math.log(loss.high / loss.value), math.log(base.value / base.low)),
            (math.log(loss.value / loss.low), math.log(base.high / base.value)),
        )
    )
    left = loss.value / base.value
    assert both(found) == pytest.approx((1 - left * math.exp(fall), 1 - left * math.exp(-rise)), rel=1e-9)
    perfect = assay.estimate("brier_skill", assay.rows(actual=[0, 1, 1], score=[0.0, 1.0, 1.0]))
    assert perfect.value == 1
    assert perfect.low is None
    assert "no spread" in perfect.note
