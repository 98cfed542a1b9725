"""Correlations by Fisher's z, against R's figures."""

import numpy as np
import pytest
from scipy import stats

import assay

ACTUAL = [2.1, 3.4, 1.2, 5.6, 4.4, 7.8, 6.1, 2.9, 9.0, 8.2]
PREDICTED = [1.9, 3.9, 2.2, 4.1, 5.6, 6.9, 7.2, 2.5, 8.1, 9.3]


def found(metric, method, **more):
    return assay.estimate(metric, assay.rows(actual=ACTUAL, predicted=PREDICTED, **more), method=method)


@pytest.mark.parametrize(
    ("metric", "method", "limits"),
    [
        ("pearson", "fisher", (0.7228789103906336, 0.9835200591325218)),  # cor.test(x, y)$conf.int
        ("spearman", "fisher", (0.8029134941376035, 0.9887702305449227)),  # psych::r.con(rho, 10)
        # tanh(atanh(rho) + c(-1, 1) * qnorm(.975) * s), s of the named method
        ("spearman", "bonett-wright", (0.7418991174729049, 0.9917029005425031)),
        ("spearman", "fieller", (0.7949937081336775, 0.9892488951705172)),
        ("kendall_tau", "fieller", (0.5612736044830413, 0.9344759318570464)),
    ],
)
def test_the_limits_are_those_of_r(metric, method, limits):
    """To the digits that R prints."""
    estimate = found(metric, method)
    assert (estimate.low, estimate.high) == pytest.approx(limits, rel=1e-12)


def test_scipy_has_the_same_limits_of_pearson():
    """scipy.stats.pearsonr's interval, at another confidence."""
    theirs = stats.pearsonr(ACTUAL, PREDICTED).confidence_interval(0.8)
    data = assay.rows(actual=ACTUAL, predicted=PREDICTED)
    ours = assay.estimate("pearson", data, method="fisher", confidence=0.8)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), rel=1e-12)


def test_what_they_are_not_meant_for_gets_a_reason():
    """Another metric, groups, perfect correlation, few rows."""
    assert found("pearson", "bonett-wright").note == "Bonett-Wright is for spearman, not for pearson"
    assert "groups" in found("spearman", "fisher", group=[1, 2] * 5).note
    assert "weights" in found("pearson", "fisher", weight=[1.0, 2.0] * 5).note
    perfect = assay.rows(actual=ACTUAL, predicted=np.array(ACTUAL) * 2)
    assert "1 or -1" in assay.estimate("spearman", perfect, method="fisher").note
    few = assay.rows(actual=ACTUAL[:3], predicted=PREDICTED[:3])
    assert "more than 3 rows" in assay.estimate("spearman", few, method="fisher").note
