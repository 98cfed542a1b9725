"""Intervals of many tables at once against those of each table alone."""

import numpy as np
import pytest

from assay.inference.formulas.proportions import (
    jeffreys,
    jeffreys_limits,
    modified_wilson,
    modified_wilson_limits,
    wilson,
    wilson_limits,
)
from assay.inference.intervals.choose_interval import estimate_tally
from assay.inference.intervals.many_tables import estimate_counts
from assay.metrics import Binary, find
from assay.tallies import Confusion

DRAW = np.random.default_rng(3)
COUNTS = np.concatenate(
    [
        DRAW.integers(0, 4, (60, 4)),
        DRAW.integers(0, 60, (120, 4)),
        DRAW.integers(0, 100_000, (60, 4)),
        [[5, 0, 0, 7], [0, 3, 4, 0], [0, 0, 5, 5], [5, 5, 0, 0], [1, 0, 0, 0], [0, 1, 0, 4_000_000]],
    ]
)
COUNTS = COUNTS[COUNTS.sum(1) > 0]
METRICS = {
    "accuracy": {}, "precision": {}, "recall": {}, "specificity": {}, "negative_predictive_value": {}, "f1": {},
    "balanced_accuracy": {}, "mcc": {}, "kappa": {}, "f_beta": {"beta": 2}, "detection_rate": {},
    "detection_prevalence": {}, "false_positive_rate": {}, "threat_score": {},
    "precision_at_prevalence": {"prevalence": 0.1}, "npv_at_prevalence": {"prevalence": 0.3},
    "misclassification_cost": {"cost_fp": 2, "cost_fn": 7},
}  # fmt: skip


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("name", METRICS)
def test_each_entry_is_the_estimate_of_its_table(name, confidence):
    """Value, limits and method are those of the table alone wherever an entry is known."""
    metric, options = find(name), METRICS[name]
    result = estimate_counts(metric, Binary(*COUNTS.T), options, confidence=confidence)
    assert result.known.mean() > 0.7  # all whose cells have rows
    positive = {"positive": 1} if "positive" in metric.view_options else {}
    for index, (tp, fp, fn, tn) in enumerate(COUNTS.tolist()):
        table = Confusion.of_table([[tn, fp], [fn, tp]], (0, 1))
        alone = estimate_tally(metric, table, {**options, **positive}, confidence=confidence)
        if not result.known[index]:
            assert not COUNTS[index].all()
            continue
        got = result.values[index], result.low[index], result.high[index]
        assert got == pytest.approx((alone.value, alone.low, alone.high), rel=1e-11, abs=1e-13), COUNTS[index]
        assert result.methods[index] == alone.method, COUNTS[index]


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize(
    ("many", "alone"),
    [(wilson_limits, wilson), (modified_wilson_limits, modified_wilson), (jeffreys_limits, jeffreys)],
)
def test_limits_of_arrays_are_those_of_each_count(many, alone, confidence):
    """Limits of arrays of proportions are those of each, and NaN where there are no rows."""
    n = DRAW.integers(1, 500, 200)
    x = np.minimum(DRAW.integers(0, 500, 200), n)
    low, high = many(x, n, confidence)
    assert np.array([alone(*both, confidence) for both in zip(x.tolist(), n.tolist(), strict=True)]) == (
        pytest.approx(np.stack([low, high], axis=1), rel=1e-13, abs=1e-15)
    )
    assert np.isnan(many(np.array([0]), np.array([0]), confidence)).all()


def test_metrics_without_such_a_method_are_left_to_the_caller():
    """A metric whose default method is not one of these has no estimates of many tables."""
    assert estimate_counts(find("no_information_rate"), Binary(*COUNTS.T), {}) is None
    assert estimate_counts(find("recall"), Binary(*(COUNTS.T * 10**6)), {}) is None
