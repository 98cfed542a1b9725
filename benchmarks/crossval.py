"""Cross-validation with ten metrics beside scikit-learn's, and what it costs beyond the model's own work."""

from __future__ import annotations

import statistics
import time

import numpy as np
from harness import Line, measure
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.resampling import as_cv, kfold

METRICS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "mcc": "matthews_corrcoef",
    "auc": "roc_auc",
    "average_precision": "average_precision",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
}
MODELS = {
    "naive Bayes": GaussianNB(),
    "logistic regression": LogisticRegression(),
    "tree": DecisionTreeClassifier(max_depth=5, min_samples_leaf=500, random_state=0),
}


def problem(n, seed=6):
    rng = np.random.default_rng(seed)
    features = rng.normal(1, 2, size=(n, 20))
    return features, (features[:, :4].sum(axis=1) + rng.normal(0, 4, size=n) > 4).astype(int)


def run(sizes: tuple[int, ...] = (100_000,)) -> list[Line]:
    lines = []
    for n in sizes:
        features, target = problem(n)
        for name, model in MODELS.items():
            shares: list[float] = []

            def ours(model=model, features=features, target=target, shares=shares):
                start = time.perf_counter()
                found = assay.crossval(
                    model, features, target, split=kfold(10), metrics=list(METRICS), resubstitution=False
                )
                own = sum(fold.seconds for fold in found.folds)
                shares.append((time.perf_counter() - start) / own - 1)
                return found

            def theirs(model=model, features=features, target=target):
                return cross_validate(
                    model, features, target, cv=as_cv(kfold(10)), scoring=list(METRICS.values()),
                    error_score="raise",
                )  # fmt: skip

            found, peer = ours(), theirs()
            for mine, other in METRICS.items():
                assert np.allclose(found.per_fold(mine), np.abs(peer[f"test_{other}"]), rtol=1e-9)
            line = measure(f"10 folds, 10 metrics, {name}", n, ours, {"sklearn": theirs}, runs=3)
            line.note = f"{statistics.median(shares):.1%} beyond the model's own fit and predict"
            print(f"  {line.note}")
            lines.append(line)
    return lines
