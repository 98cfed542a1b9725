"""What is said of other packages' values: scikit-learn's are computed here beside ours."""

import math
import warnings

import numpy as np
import pytest
import sklearn.metrics as sk

import assay
from assay.metrics import Undefined, catalogue, find
from assay.metrics.peer_differences import DIFFERENCES
from assay.reports.catalogue import entry

NONE = {"actual": [0, 1, 0, 1], "predicted": [0, 0, 0, 0]}
NEGATIVE = {"actual": [0, 0], "predicted": [0, 1], "labels": [0, 1], "positive": 1}
EMPTY = {"actual": [0, 0], "predicted": [0, 0], "labels": [0, 1], "positive": 1}
CONSTANT = {"actual": [2.0, 2.0], "predicted": [1.0, 3.0]}
EXACT = {"actual": [2.0, 2.0], "predicted": [2.0, 2.0]}
ONE_CLASS = {"actual": [1, 1], "predicted": [1, 1], "labels": [0, 1]}
SURE = {"actual": [0, 1], "score": [0.2, 0.0]}
ZERO = {"actual": [0.0, 2.0], "predicted": [1.0, 2.0]}
PERFECT = {"actual": [0, 0, 1], "predicted": [0, 0, 1]}
CASES = [
    ("precision", NONE, sk.precision_score, 0),
    ("recall", NEGATIVE, sk.recall_score, 0),
    ("jaccard", EMPTY, sk.jaccard_score, 0),
    ("f1", EMPTY, sk.f1_score, 0),
    ("mcc", NONE, sk.matthews_corrcoef, 0),
    ("kappa", ONE_CLASS, sk.cohen_kappa_score, math.nan),
    ("balanced_accuracy", NEGATIVE, sk.balanced_accuracy_score, 0.5),
    (
        "average_precision",
        {"actual": [0, 0], "score": [0.1, 0.2], "labels": [0, 1], "positive": 1},
        sk.average_precision_score,
        0,
    ),
    ("mape", ZERO, sk.mean_absolute_percentage_error, 0.5 / np.finfo(float).eps),
    ("r2", CONSTANT, sk.r2_score, 0),
    ("r2", EXACT, sk.r2_score, 1),
    ("explained_variance", CONSTANT, sk.explained_variance_score, 0),
    ("explained_variance", EXACT, sk.explained_variance_score, 1),
]


@pytest.mark.parametrize(("name", "rows", "theirs", "value"), CASES, ids=[case[0] for case in CASES])
def test_what_scikit_learn_returns_where_ours_is_undefined(name, rows, theirs, value):
    """It returns the value that is said, and ours is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = theirs(rows["actual"], rows.get("predicted", rows.get("score")))
    assert got == pytest.approx(value, nan_ok=True)
    assert isinstance(find(name)(assay.rows(**rows)), Undefined)
    assert "scikit-learn" in DIFFERENCES[name]


def test_scikit_learn_is_finite_or_nan_where_ours_is_infinite():
    """Log loss of a sure mistake, and the likelihood ratio without a false positive."""
    assert math.isinf(find("log_loss")(assay.rows(**SURE)))
    assert math.isfinite(sk.log_loss([0, 1], [0.2, 0.0]))
    assert math.isfinite(find("log_loss")(assay.rows(**SURE), clip=1e-15))
    assert math.isinf(find("positive_likelihood_ratio")(assay.rows(**PERFECT)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert math.isnan(sk.class_likelihood_ratios([0, 0, 1], [0, 0, 1])[0])


def test_gains_are_those_of_scikit_learn():
    """Linear ones; the exponential ones are larger than the relevance from 2 on."""
    lists = assay.rows(query=[1] * 4, actual=[3, 0, 2, 1], score=[1, 2, 3, 4])
    linear = find("ndcg")(lists)
    assert linear == pytest.approx(sk.ndcg_score([[3, 0, 2, 1]], [[1, 2, 3, 4]]))
    assert find("ndcg")(lists, gain="exponential") != pytest.approx(linear)


def test_every_difference_is_of_a_metric_and_shown():
    """The command line prints it with the metric's other facts."""
    names = {metric.name for metric in catalogue()}
    for name in DIFFERENCES:
        assert name in names
        assert "  differs" in entry(name)
