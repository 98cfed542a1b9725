"""The warning of intervals that a few outlying errors decide."""

import numpy as np
import pytest

import assay


def rows(n=60, outliers=(), **more):
    """Return a regression with normal errors of variance 1, and some others."""
    rng = np.random.default_rng(4)
    actual = rng.normal(size=n)
    errors = rng.normal(size=n)
    errors[: len(outliers)] = outliers
    return assay.rows(actual=actual, predicted=actual + errors, **more)


@pytest.mark.parametrize("metric", ["rmse", "mse", "r2", "mae", "mean_error", "pearson", "ccc"])
def test_a_few_outlying_errors_are_told(metric):
    """Their number, and the share of the variance that they make up."""
    assert assay.estimate(metric, rows()).note == ""
    found = assay.estimate(metric, rows(outliers=[20, -15]))
    assert found.note.startswith("2 outlying errors make up ")
    assert found.note.endswith("% of the variance: the interval may be too narrow")
    assert "1 outlying error makes up" in assay.estimate(metric, rows(outliers=[30])).note


def test_many_outlying_errors_are_no_surprise():
    """The variance that thirty of a thousand rows show is known well enough."""
    assert assay.estimate("rmse", rows(1_000, [10] * 30)).note == ""


def test_ranks_do_not_mind():
    """Rank correlations are decided by no single error."""
    assert assay.estimate("spearman", rows(outliers=[20, -15])).note == ""


def test_normal_errors_are_seldom_warned_of():
    """Of 300 samples of 30 rows, a few at most."""
    rng = np.random.default_rng(8)
    notes = [
        assay.estimate("rmse", assay.rows(actual=rng.normal(size=30), predicted=np.zeros(30))).note
        for _ in range(300)
    ]
    assert sum(map(bool, notes)) <= 4
