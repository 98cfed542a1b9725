"""The functions where people use them: scorers, searches, worker processes, partial calls, and alone."""

import functools
import inspect
import pickle
import pydoc
import subprocess
import sys

import numpy as np
import pytest

import assay.sklearn as ours

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is the host here")
joblib = pytest.importorskip("joblib", reason="scikit-learn's worker processes")
theirs = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the host here")
from sklearn.datasets import make_classification  # noqa: E402 - once it is known to be there
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate  # noqa: E402

NAMES = [name for name in ours.__all__ if inspect.isfunction(getattr(ours, name))]
X, Y = make_classification(120, 6, n_informative=4, n_classes=3, random_state=0)
MODEL = LogisticRegression(max_iter=500)
# What a scorer asks of the model, and how the metric is to be called.
SCORERS = {
    "f1_score": {"average": "macro"},
    "accuracy_score": {},
    "balanced_accuracy_score": {},
    "matthews_corrcoef": {},
    "log_loss": {"greater_is_better": False, "response_method": "predict_proba", "labels": [0, 1, 2]},
    "roc_auc_score": {"response_method": "predict_proba", "multi_class": "ovr"},
    "top_k_accuracy_score": {"response_method": "predict_proba", "k": 2},
}


def scorers(library):
    return {name: theirs.make_scorer(getattr(library, name), **how) for name, how in SCORERS.items()}


def test_cross_validation_scores_the_same():
    """Scorers made of these functions give what those of scikit-learn's own give, in every fold."""
    mine, other = (
        cross_validate(MODEL, X, Y, cv=4, scoring=scorers(library), return_train_score=True)
        for library in (ours, theirs)
    )
    for key in mine:
        if key.startswith(("test_", "train_")):
            np.testing.assert_allclose(mine[key], other[key], rtol=1e-10, err_msg=key)


def test_scores_of_two_classes_and_of_decisions():
    """A scorer may ask for decisions or for the probability of one class."""
    for how in ({"response_method": ("decision_function", "predict_proba")}, {"max_fpr": 0.4}):
        mine, other = (
            cross_val_score(MODEL, X, Y == 1, cv=3, scoring=theirs.make_scorer(library.roc_auc_score, **how))
            for library in (ours, theirs)
        )
        np.testing.assert_allclose(mine, other, rtol=1e-10)


@pytest.mark.slow
def test_a_search_picks_the_same_model():
    """A grid search over worker processes ranks the candidates alike, by classes and by numbers."""
    grid = {"C": [1e-3, 1e-2, 1.0, 10.0]}
    found = [
        GridSearchCV(MODEL, grid, cv=3, n_jobs=2, refit="f1_score", scoring=scorers(library)).fit(X, Y)
        for library in (ours, theirs)
    ]
    assert found[0].best_params_ == found[1].best_params_
    assert found[0].best_score_ == pytest.approx(found[1].best_score_, rel=1e-10)
    score = theirs.make_scorer(ours.root_mean_squared_error, greater_is_better=False)
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, cv=3, scoring=score).fit(X, X[:, 0] * 2.0)
    assert search.best_params_ == {"alpha": 0.1}


@pytest.mark.parametrize("name", NAMES)
def test_a_function_travels(name):
    """Every function is found again by its name after pickling, and so is a scorer made of it."""
    function = getattr(ours, name)
    assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301 - our own bytes
    scorer = pickle.loads(pickle.dumps(theirs.make_scorer(function)))  # noqa: S301
    assert scorer._score_func is function


def test_worker_processes_give_the_same():
    """Calls in two worker processes, of partial functions as well, give what calls here give."""
    half = functools.partial(ours.fbeta_score, beta=0.5, average="weighted")
    predicted = np.roll(Y, 7)
    jobs = [joblib.delayed(function)(Y, predicted) for function in (half, ours.accuracy_score) * 4]
    assert joblib.Parallel(n_jobs=2)(jobs) == [half(Y, predicted), ours.accuracy_score(Y, predicted)] * 4


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_scikit_learns(name):
    """Names, order, kinds and defaults of parameters are scikit-learn's; help shows them."""
    mine, other = (
        [(p.name, p.kind, repr(p.default)) for p in inspect.signature(getattr(lib, name)).parameters.values()]
        for lib in (ours, theirs)
    )
    assert mine == other
    shown = pydoc.render_doc(getattr(ours, name))
    assert all(parameter in shown for parameter, _, _ in mine)


def test_weights_are_routed_to_the_metric():
    """With metadata routing a scorer that requests weights passes them on."""
    weight = np.random.default_rng(0).random(len(Y))
    with sklearn.config_context(enable_metadata_routing=True):
        score = [
            cross_validate(
                MODEL.set_fit_request(sample_weight=False), X, Y, cv=3, params={"sample_weight": weight},
                scoring=theirs.make_scorer(lib.accuracy_score).set_score_request(sample_weight=True),
            )["test_score"]
            for lib in (ours, theirs)
        ]  # fmt: skip
    np.testing.assert_allclose(*score, rtol=1e-12)


def test_without_scikit_learn():
    """Neither scikit-learn nor SciPy, pandas or joblib is needed: every name loads, and warnings are ours."""
    code = """
import sys, warnings
for absent in ("sklearn", "scipy", "pandas", "joblib", "polars", "pyarrow"):
    sys.modules[absent] = None
import assay.sklearn as ours
assert all(callable(getattr(ours, name)) for name in ours.__all__)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    assert ours.precision_score([0, 1, 1], [0, 0, 0]) == 0
assert [one.category for one in said] == [ours.UndefinedMetricWarning], said
assert ours.roc_auc_score([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8]) == 0.5
assert ours.mean_squared_error([1, 2], [1, 4]) == 2
print(ours.classification_report([0, 1], [0, 1]))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    assert run.returncode == 0, run.stderr
    assert "weighted avg" in run.stdout
