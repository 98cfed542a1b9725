"""One call for everything, beside scikit-learn's functions that give some of it, without intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from harness import Line, measure
from sklearn import metrics

import assay

if TYPE_CHECKING:
    from numpy.typing import NDArray


def probabilities(n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return labels and probabilities that have something to do with each other."""
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, n)
    return y, 1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * y - 0.75)))


def judged(y: NDArray[np.int64], p: NDArray[np.float64]) -> dict[str, assay.Estimate]:
    """Judge the rows: every figure with its interval."""
    return dict(assay.evaluate(actual=y, score=p))


def printed(y: NDArray[np.int64], p: NDArray[np.float64]) -> str:
    """Judge the rows and print it, with what is said of calibration besides."""
    return str(assay.evaluate(actual=y, score=p))


def theirs(y: NDArray[np.int64], p: NDArray[np.float64]) -> tuple[object, ...]:
    """Ask scikit-learn for its report and four figures."""
    return (
        metrics.classification_report(y, (p >= 0.5).astype(np.int64)),
        metrics.roc_auc_score(y, p),
        metrics.average_precision_score(y, p),
        metrics.log_loss(y, p),
        metrics.brier_score_loss(y, p),
    )


def run(n: int = 10_000_000) -> list[Line]:
    """Measure many rows and few."""
    lines = []
    for size, goal, runs in ((n, 60.0, 5), (100, None, 9)):
        y, p = probabilities(size)
        peers = {"sklearn": lambda y=y, p=p: theirs(y, p)}
        for name, ours in (("evaluate, all figures", judged), ("evaluate and print", printed)):
            wanted = goal if ours is judged else None
            lines.append(measure(name, size, lambda y=y, p=p, f=ours: f(y, p), peers, goal=wanted, runs=runs))
    return lines
