"""``assay.sklearn`` against scikit-learn, function by function: ten million rows, and a hundred."""

from __future__ import annotations

import numpy as np
import sklearn.metrics
from harness import Line, measure

import assay.sklearn

# What ten million rows must reach, as times scikit-learn.
GOALS = {
    "confusion_matrix": 200,
    "classification_report": 300,
    "f1_score": 200,
    "precision_score": 200,
    "recall_score": 200,
    "matthews_corrcoef": 200,
    "accuracy_score": 60,
    "roc_auc_score": 50,
    "average_precision_score": 40,
    "log_loss": 60,
    "brier_score_loss": 40,
    "mean_squared_error": 3,
    "mean_absolute_error": 3,
    "r2_score": 3,
}
# What everybody calls: twenty times as fast on a hundred rows; no other function may be slower than theirs.
COMMON = {
    "accuracy_score", "confusion_matrix", "f1_score", "precision_score", "recall_score",
    "matthews_corrcoef", "roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss",
    "mean_squared_error", "mean_absolute_error", "r2_score", "root_mean_squared_error",
}  # fmt: skip


def run() -> list[Line]:
    return [*run_large(), *run_small()]


def run_large(n: int = 10_000_000) -> list[Line]:
    data = Data(n)
    return [pair(name, data, goal) for name, goal in GOALS.items()]


def run_small(n: int = 100) -> list[Line]:
    data = Data(n)
    return [
        pair(name, data, 20 if name in COMMON else 1) for name in assay.sklearn.__all__ if name in ARGUMENTS
    ]


def pair(name: str, data: Data, goal: float) -> Line:
    ours, theirs = (prepared(module, name, data) for module in (assay.sklearn, sklearn.metrics))
    assert same(ours(), theirs()), name
    moved = 16 * data.n if data.n > 1_000_000 else None  # two columns of eight bytes a row
    return measure(
        name, data.n, ours, {"sklearn": theirs}, goal=goal, peer_seconds=12.0, moved=moved
    )  # fmt: skip


def prepared(module, name: str, data: Data):
    """Return the call of a library's function; a function it takes is the library's own."""
    arguments, keywords = ARGUMENTS[name](data)
    arguments = [getattr(module, one) if isinstance(one, str) else one for one in arguments]
    function = getattr(module, name)
    return lambda: function(*arguments, **keywords)


def same(ours, theirs) -> bool:
    if isinstance(theirs, str):
        return ours == theirs
    if isinstance(theirs, tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return np.allclose(
        np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float), rtol=1e-9, equal_nan=True
    )


class Data:
    """Rows of every kind, drawn once."""

    def __init__(self, n: int) -> None:
        rng = np.random.default_rng(7)
        self.n = n
        self.y = rng.integers(0, 2, n)
        self.score = np.clip(rng.normal(0.35 + 0.3 * self.y, 0.2), 0.001, 0.999)
        self.label = (self.score > 0.5).astype(np.int64)
        self.actual = rng.normal(size=n) ** 2 + 0.1
        self.predicted = self.actual * rng.uniform(0.7, 1.3, n)
        self._rng = rng

    @property
    def several(self):
        """Three classes with probabilities."""
        rng = np.random.default_rng(8)
        y = rng.integers(0, 3, self.n)
        p = rng.random((self.n, 3)) + np.eye(3)[y]
        return y, p / p.sum(1, keepdims=True)

    @property
    def sets(self):
        """Rows with several labels, and a score for each."""
        rng = np.random.default_rng(9)
        y = rng.integers(0, 2, (self.n, 4))
        y[:, 0] = 1
        return y, rng.random((self.n, 4))


def labels(**keywords):
    return lambda d: ((d.y, d.label), keywords)


def scores(**keywords):
    return lambda d: ((d.y, d.score), keywords)


def numbers(**keywords):
    return lambda d: ((d.actual, d.predicted), keywords)


ARGUMENTS = {
    **{
        name: labels()
        for name in (
            "accuracy_score", "balanced_accuracy_score", "class_likelihood_ratios", "classification_report",
            "cohen_kappa_score", "confusion_matrix", "f1_score", "hamming_loss", "jaccard_score",
            "matthews_corrcoef", "multilabel_confusion_matrix", "precision_recall_fscore_support",
            "precision_score", "recall_score", "zero_one_loss",
        )
    },
    "fbeta_score": labels(beta=2.0),
    **{
        name: scores()
        for name in (
            "average_precision_score", "brier_score_loss", "confusion_matrix_at_thresholds",
            "d2_brier_score", "d2_log_loss_score", "det_curve", "hinge_loss", "log_loss",
            "precision_recall_curve", "roc_auc_score", "roc_curve",
        )
    },
    **{
        name: numbers()
        for name in (
            "d2_absolute_error_score", "d2_pinball_score", "d2_tweedie_score", "explained_variance_score",
            "max_error", "mean_absolute_error", "mean_absolute_percentage_error", "mean_gamma_deviance",
            "mean_pinball_loss", "mean_poisson_deviance", "mean_squared_error", "mean_squared_log_error",
            "mean_tweedie_deviance", "median_absolute_error", "r2_score", "root_mean_squared_error",
            "root_mean_squared_log_error",
        )
    },
    "auc": lambda d: ((np.sort(d.score), d.actual), {}),
    "metric_at_thresholds": lambda d: ((d.y, d.score, "accuracy_score"), {}),
    "top_k_accuracy_score": lambda d: (d.several, {"k": 2}),
    **{
        name: lambda d: (d.sets, {})
        for name in (
            "coverage_error", "dcg_score", "ndcg_score", "label_ranking_average_precision_score",
            "label_ranking_loss",
        )
    },
}  # fmt: skip
