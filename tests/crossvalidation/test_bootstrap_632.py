"""The bootstrap's estimates as cross-validation gives them: against the formulas and against enumeration."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import assay
from assay.errors import MetricError
from assay.metrics import Undefined
from assay.resampling import (
    bootstrap,
    err632,
    err632plus,
    kfold,
    leave_one_out_bootstrap,
    no_information_rate,
)

X, Y = make_classification(120, 4, n_informative=3, n_redundant=0, flip_y=0.2, random_state=3)


def test_error_rates_are_those_of_the_formulas():
    """From the models of the same draws: out of bag row by row, then .632 and .632+."""
    splitter = bootstrap(40, seed=5)
    model = KNeighborsClassifier(1)
    cv = assay.crossval(model, X, Y, split=splitter, metrics=["error_rate", "accuracy"])
    splits = splitter.split(Y)
    losses = [model.fit(X[s["train"]], Y[s["train"]]).predict(X) != Y for s in splits]
    outside = leave_one_out_bootstrap(losses, splits)
    predicted = model.fit(X, Y).predict(X)
    inside, chance = float((predicted != Y).mean()), no_information_rate(Y, predicted)
    plus = err632plus(inside, outside, chance)
    found = cv.out_of_bag("error_rate")
    assert found.by_row
    assert found[:4] == pytest.approx((inside, outside, err632(inside, outside), plus.value), rel=1e-12)
    assert found[4:7] == pytest.approx((chance, plus.relative_overfitting, plus.weight), rel=1e-12)
    turned = cv.out_of_bag("accuracy")
    assert turned[:5] == pytest.approx([1 - value for value in found[:5]], rel=1e-12)
    assert turned[5:7] == pytest.approx(found[5:7], rel=1e-12)


def test_chance_of_other_losses_by_enumeration():
    """The Brier score, log losses and squared error without information: all pairs of rows and predictions."""
    cv = assay.crossval(
        LogisticRegression(),
        X,
        Y,
        split=bootstrap(5),
        metrics=["brier", "log_loss", "multiclass_log_loss", "auc"],
    )
    scores = LogisticRegression().fit(X, Y).predict_proba(X)[:, 1]
    brier = np.mean((Y[:, None] - scores) ** 2)
    log = -np.mean(np.where(Y[:, None], np.log(scores), np.log(1 - scores)))
    assert cv.out_of_bag("brier").no_information == pytest.approx(brier)
    assert cv.out_of_bag("log_loss").no_information == pytest.approx(log)
    assert cv.out_of_bag("multiclass_log_loss").no_information == pytest.approx(log)
    assert cv.out_of_bag("auc").no_information == 0.5
    features, target = make_regression(60, 2, noise=9, random_state=0)
    cv = assay.crossval(
        LinearRegression(), features, target, split=bootstrap(5), metrics=["mse", "mae", "rmse"]
    )
    fitted = LinearRegression().fit(features, target).predict(features)
    assert cv.out_of_bag("mse").no_information == pytest.approx(np.mean((target[:, None] - fitted) ** 2))
    assert isinstance(cv.out_of_bag("mae").err632plus, Undefined)
    assert cv.out_of_bag("mae").err632 > cv.out_of_bag("mae").apparent


def test_what_is_no_mean_of_rows_is_averaged_over_replicates():
    """Kappa out of bag is the mean of the replicates', and there is no .632+ of it."""
    cv = assay.crossval(KNeighborsClassifier(3), X, Y, split=bootstrap(20), metrics=["kappa", "auc"])
    found = cv.out_of_bag("kappa")
    assert found.out_of_bag == pytest.approx(np.mean(cv.per_fold("kappa")))
    assert found.err632 == pytest.approx(0.632 * found.out_of_bag + 0.368 * found.apparent)
    assert isinstance(found.err632plus, Undefined)
    auc = cv.out_of_bag("auc")
    assert auc.out_of_bag <= auc.err632plus <= auc.err632 <= auc.apparent


def test_a_model_that_learns_by_heart_needs_the_plus():
    """Labels by chance: one neighbour has no training error, .632 is far too good and .632+ is not."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(200, 3)), np.arange(200) % 2
    found = assay.crossval(
        KNeighborsClassifier(1), x, y, split=bootstrap(50), metrics="error_rate"
    ).out_of_bag("error_rate")
    assert found.apparent == 0
    assert found.err632 < 0.36
    assert 0.43 < found.err632plus < 0.57
    assert found.relative_overfitting > 0.9


def test_without_a_bootstrap_there_is_nothing_out_of_bag():
    """Folds have no .632, nor has a bootstrap whose model never learnt from all rows."""
    for more in ({"split": kfold(3)}, {"split": bootstrap(3), "resubstitution": False}):
        with pytest.raises(MetricError, match="no bootstrap"):
            assay.crossval(KNeighborsClassifier(1), X, Y, **more).out_of_bag("accuracy")
