"""The catalogue answers to scikit-learn's names, with scikit-learn's figures."""

import warnings

import numpy as np
import pytest

import assay
import assay.sklearn
from assay.metrics import find

OF_LABELS = [
    "accuracy_score", "balanced_accuracy_score", "cohen_kappa_score", "f1_score", "fbeta_score", "jaccard_score",
    "matthews_corrcoef", "precision_score", "recall_score", "zero_one_loss",
]  # fmt: skip
OF_SCORES = [
    "average_precision_score", "brier_score_loss", "d2_brier_score", "d2_log_loss_score", "log_loss", "roc_auc_score",
]  # fmt: skip
OF_NUMBERS = [
    "d2_absolute_error_score", "d2_pinball_score", "d2_tweedie_score", "explained_variance_score", "max_error",
    "mean_absolute_error", "mean_absolute_percentage_error", "mean_gamma_deviance", "mean_pinball_loss",
    "mean_poisson_deviance", "mean_squared_error", "mean_squared_log_error", "mean_tweedie_deviance",
    "median_absolute_error", "r2_score", "root_mean_squared_error", "root_mean_squared_log_error",
]  # fmt: skip
FOUND = ["dcg_score", "hamming_loss", "ndcg_score", "top_k_accuracy_score"]
# Not one figure of a tally of the catalogue: tables, curves, reports, ranks of label sets, margins.
ELSEWHERE = {
    "auc", "class_likelihood_ratios", "classification_report", "confusion_matrix", "confusion_matrix_at_thresholds",
    "coverage_error", "det_curve", "hinge_loss", "label_ranking_average_precision_score",
    "label_ranking_loss", "metric_at_thresholds", "multilabel_confusion_matrix", "precision_recall_curve",
    "precision_recall_fscore_support", "roc_curve",
    "InvalidParameterError", "UndefinedMetricWarning",
}  # fmt: skip


def test_every_name_is_looked_at():
    """Nothing that assay.sklearn offers is left out here."""
    assert {*OF_LABELS, *OF_SCORES, *OF_NUMBERS, *FOUND, *ELSEWHERE} == set(assay.sklearn.__all__)


@pytest.mark.parametrize("name", [*OF_LABELS, *OF_SCORES, *OF_NUMBERS])
def test_a_name_gives_the_same_figure(name):
    """Found by scikit-learn's name, read from rows, equal to scikit-learn's own."""
    theirs = getattr(pytest.importorskip("sklearn.metrics"), name)
    rng = np.random.default_rng(5)
    actual = rng.integers(0, 2, 40)
    role, given = "predicted", rng.integers(0, 2, 40)
    if name in OF_SCORES:
        role, given = "score", rng.random(40)
    if name in OF_NUMBERS:
        actual, given = rng.gamma(2.0, size=40), rng.gamma(2.0, size=40)
    more = {"beta": 2} if name == "fbeta_score" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = theirs(actual, given, **more)
    assert find(name)(assay.rows(actual=actual, **{role: given}), **more) == pytest.approx(
        expected, rel=1e-12
    )


@pytest.mark.parametrize("name", FOUND)
def test_a_name_of_lists_and_label_sets_is_found(name):
    """Their figures are compared where these are tested."""
    assert find(name).name == name.removesuffix("_score")
