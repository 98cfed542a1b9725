"""The interval of nested cross-validation, against a plain second way."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from support.odd_models import Model

import assay
from assay.errors import MetricError, SplitError
from assay.resampling import kfold, nested_cv_interval

X, Y = make_classification(90, 5, n_informative=2, flip_y=0.2, random_state=2)


class Unfit(Model):
    """A model that must not be fitted, because what is asked cannot be done."""

    def fit(self, X, y):  # noqa: ARG002, D102, N803
        raise AssertionError("fitted in vain")


def second_way(k, repeats):
    """Nested loops as they are written down: an inner cross-validation without each outer fold."""
    model = LogisticRegression()
    splits = kfold(k, repeats=repeats).split(Y)
    differences, variances, inner, outer = [], [], [], []
    for repeat in range(repeats):
        folds = [split["test"] for split in splits[repeat * k : (repeat + 1) * k]]
        for out in range(k):
            inside = []
            for held in (fold for fold in range(k) if fold != out):
                train = np.concatenate([folds[fold] for fold in range(k) if fold not in (out, held)])
                train.sort()
                inside.append(model.fit(X[train], Y[train]).predict(X[folds[held]]) != Y[folds[held]])
            train = np.sort(np.concatenate([folds[fold] for fold in range(k) if fold != out]))
            outside = model.fit(X[train], Y[train]).predict(X[folds[out]]) != Y[folds[out]]
            inside = np.concatenate(inside)
            differences.append(inside.mean() - outside.mean())
            variances.append(outside.astype(float).var(ddof=1) / len(outside))
            inner.append(inside.mean())
            outer.append(outside.astype(float))
    outer = np.concatenate(outer)
    return nested_cv_interval(
        differences,
        variances,
        folds=k,
        nested_error=np.mean(inner),
        cv_error=outer.mean(),
        spread=outer.std(ddof=1),
        n=len(Y),
    )


def test_it_is_that_of_nested_loops():
    """Every two folds left out once serve both ways, and give what nested loops give."""
    cv = assay.crossval(
        LogisticRegression(),
        X,
        Y,
        split=4,
        metrics=["error_rate", "accuracy", "kappa"],
        interval="nested",
        nested_repeats=3,
    )
    expected = second_way(4, 3)
    found = cv.nested["error_rate"]
    assert found.mse == pytest.approx(expected.mse)
    assert found.bias == pytest.approx(expected.bias)
    assert (cv["error_rate"].value, cv["error_rate"].low, cv["error_rate"].high) == pytest.approx(
        (expected.estimate.value, expected.estimate.low, expected.estimate.high)
    )
    assert cv["accuracy"].value == pytest.approx(1 - cv["error_rate"].value)
    assert cv["accuracy"].method == "nested cross-validation"
    assert cv["kappa"].method == "corrected resampled t"
    assert "nested" in str(cv)


def test_jobs_do_not_show():
    """Threads give the same interval."""
    one, other = (
        assay.crossval(
            LogisticRegression(),
            X,
            Y,
            split=3,
            metrics="brier",
            interval="nested",
            nested_repeats=2,
            jobs=jobs,
        )
        for jobs in (1, 3)
    )
    assert one["brier"] == other["brier"]


def test_it_is_for_means_over_rows_and_for_three_folds():
    """Kappa alone has none, two folds leave no inner cross-validation: said before anything is fitted."""
    with pytest.raises(MetricError, match="means over rows"):
        assay.crossval(Unfit(), X, Y, task="binary", metrics="kappa", interval="nested")
    with pytest.raises(SplitError, match="at least 3 folds"):
        assay.crossval(Unfit(), X, Y, task="binary", split=2, metrics="accuracy", interval="nested")
    with pytest.raises(SplitError, match="nested_repeats=0"):
        assay.crossval(Unfit(), X, Y, task="binary", metrics="accuracy", interval="nested", nested_repeats=0)
    weight = np.arange(len(Y)) + 1.0
    with pytest.raises(MetricError, match="is not defined for weighted rows"):
        assay.crossval(Unfit(), X, Y, task="binary", metrics="accuracy", interval="nested", weight=weight)
    assert len(list(itertools.combinations(range(4), 2))) + 4 == 10  # fits of a repeat of four folds
