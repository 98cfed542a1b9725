"""The interval of the no-information rate, the largest of several shares."""

import numpy as np
import pytest

import assay
from assay.inference.formulas.proportions import clopper_pearson, modified_wilson


def rows(counts, **more):
    """Return rows of so many of each class, all predicted right."""
    actual = np.repeat(np.arange(len(counts)), counts)
    return assay.rows(actual=actual, predicted=actual, **more)


def test_a_clear_majority_has_the_interval_of_a_share():
    """Nothing is corrected where one class is shown to be the commonest."""
    found = assay.estimate("no_information_rate", rows([160, 30, 10]))
    assert (found.low, found.high) == modified_wilson(160, 200)
    assert (found.method, found.note) == ("Wilson", "")


def test_two_like_classes_are_corrected_below_alone():
    """The lower limit has half of the error that it may make; the upper one stays."""
    found = assay.estimate("no_information_rate", rows([100, 100]))
    assert found.low == clopper_pearson(100, 200, 0.975)[0] < modified_wilson(100, 200, 0.975)[0]
    assert found.high == modified_wilson(100, 200)[1]
    assert (found.method, found.note) == ("Wilson, Bonferroni below", "2 classes may be the commonest one")


def test_the_correction_comes_without_a_jump():
    """From two like classes to a clear majority, no row more or less moves the lower limit by far."""
    lows = [assay.estimate("no_information_rate", rows([n, 200 - n])).low for n in range(100, 160)]
    assert 0 < min(np.diff(lows)) <= max(np.diff(lows)) < 0.009


@pytest.mark.parametrize(("classes", "n"), [(2, 60), (7, 70), (30, 600)])
def test_like_classes_are_covered(classes, n):
    """The plain interval of the commonest class covered 0.76 with 7 classes and 0.33 with 30."""
    rng = np.random.default_rng(classes)
    found = [
        assay.estimate("no_information_rate", rows(rng.multinomial(n, np.full(classes, 1 / classes))))
        for _ in range(200)
    ]
    assert np.mean([estimate.low <= 1 / classes <= estimate.high for estimate in found]) >= 0.93


def test_weighted_rows_count_for_no_more_than_they_are_worth():
    """Five rare rows of a hundred with small weights do not make the others more than they are."""
    rng = np.random.default_rng(2)
    weight = np.exp(rng.normal(size=100))
    actual = np.arange(100) < 5
    weight[:5] = 0.01
    data = assay.rows(actual=actual, predicted=actual, weight=weight)
    found = assay.estimate("no_information_rate", data)
    effective = weight.sum() ** 2 / (weight**2).sum()
    assert found.low == pytest.approx(modified_wilson(found.value * effective, effective)[0], rel=1e-9)
