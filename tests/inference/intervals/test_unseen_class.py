"""Grouped rows without one of the actual classes: which metrics have no interval, and why."""

import numpy as np
import pytest

import assay

GROUP = np.arange(60) // 6
PREDICTED = (np.arange(60) % 7 == 0).astype(int)


def rows(positives=(), group=GROUP):
    """Return rows in ten groups, of which these are actual positives."""
    actual = np.zeros(60, dtype=int)
    actual[list(positives)] = 1
    return assay.rows(actual=actual, predicted=PREDICTED, group=group, labels=[0, 1])


@pytest.mark.parametrize(
    "metric",
    ["precision", "false_discovery_rate", "negative_predictive_value", "f1", "f2", "jaccard", "markedness"],
)
def test_no_group_has_an_actual_positive(metric):
    """A precision of 0 covered 0.10 of the time; what a group with positives would add is not known."""
    found = assay.estimate(metric, rows())
    assert (found.low, found.high) == (None, None)
    assert found.note == "no group has an actual positive: what a group with some would add is not known"
    assert assay.estimate(metric, rows([0, 7])).low is not None


@pytest.mark.parametrize("metric", ["specificity", "accuracy", "prevalence", "detection_prevalence"])
def test_rates_of_one_class_and_of_all_rows_stay(metric):
    """They do not need the class that is in no group."""
    assert assay.estimate(metric, rows()).low is not None


def test_groups_of_one_row_are_rows():
    """No row can add more than itself."""
    alone = assay.estimate("precision", rows(group=np.arange(60)))
    assert alone.low == 0 < alone.high < 0.5
