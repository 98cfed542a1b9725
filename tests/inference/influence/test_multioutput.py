"""The influence of rows of several labels or outputs on averages: numeric slopes are the second way."""

import numpy as np
import pytest
from support.numeric_influence import nudged

import assay
from assay.inference.influence.influence import influence
from assay.metrics.spec import MetricSpec

LABEL_METRICS = [
    *(f"{average} {name}" for average in ("macro", "micro", "weighted") for name in ("auc", "average_precision")),
    *(f"{average} {name}" for average in ("macro", "micro", "weighted") for name in ("f1", "brier")),
    "samples f1(undefined=1)", "samples recall(undefined=skip)", "hamming_loss", "subset_accuracy",
]  # fmt: skip
OUTPUT_METRICS = [
    *(f"macro {name}" for name in ("mae", "rmse", "r2", "pearson", "mean_error", "huber")),
    "variance_weighted r2", "variance_weighted mae",
]  # fmt: skip


def columns(of_labels, n=30):
    draw = np.random.default_rng(7)
    weight = draw.uniform(0.5, 2, n)
    if of_labels:
        actual = draw.random((n, 3)) < [0.6, 0.4, 0.3]
        score = np.clip(draw.random((n, 3)) * 0.7 + 0.3 * actual, 0.01, 0.99)
        return {"actual": actual, "predicted": score > 0.5, "score": score}, weight
    actual = draw.normal(size=(n, 3)) * [1, 2, 5]
    return {"actual": actual, "predicted": actual + draw.normal(size=(n, 3))}, weight


@pytest.mark.parametrize("name", [*LABEL_METRICS, *OUTPUT_METRICS])
def test_slopes_are_those_by_weight(name):
    """By numeric differences; they add up to nothing, and the value is the metric's."""
    given, weight = columns(name in LABEL_METRICS)
    spec = MetricSpec.of(name)

    def value(weights):
        return spec.metric(assay.rows(**given, weight=weights), **spec.options)

    found = influence(spec.metric, assay.rows(**given, weight=weight), **spec.options)
    assert found.value == pytest.approx(value(weight), rel=1e-12)
    np.testing.assert_allclose(found.slopes, nudged(value, weight), rtol=0, atol=3e-8)
    assert abs(found.parts.sum()) < 1e-12


@pytest.mark.parametrize("name", [*LABEL_METRICS, *OUTPUT_METRICS])
def test_tallies_of_each_column_do_not_know_the_rows(name):
    """They have the value, and say that the rows are needed for an interval."""
    given, _ = columns(name in LABEL_METRICS)
    rows, spec = assay.rows(**given), MetricSpec.of(name)
    tally, options = spec.metric.tallied(rows, spec.options)
    assert spec.metric(tally, **options) == spec.metric(rows, **spec.options)
    estimate = assay.estimate(spec.metric, rows, **spec.options)
    assert estimate.low < estimate.value < estimate.high
    if isinstance(tally, assay.ColumnTallies):
        assert influence(spec.metric, tally, **options) is None
        assert assay.estimate(spec.metric, tally, **options).low is None
