"""Probabilities of 0/1 labels against sklearn's brier_score_loss and log_loss."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from harness import Line, measure
from sklearn.metrics import brier_score_loss, log_loss

import assay
from assay import kernels

UNIT = Fraction(1, 2**1074)


def brier(rows):
    """Return the mean squared error of the probabilities, rounded once."""
    tally = assay.Moments.of(rows)
    return float(tally.squared_error.fraction() / tally.n)


def mean_log_loss(labels, p):
    """Return the mean of the rows' losses, rounded once."""
    clip = float(np.finfo(p.dtype).eps)
    return float(kernels.exact_log_losses(labels, p, clip)["sum"] * UNIT / len(p))


def run(n: int = 10_000_000) -> list[Line]:
    rng = np.random.default_rng(4)
    p = rng.beta(0.7, 0.9, size=n)
    lines = []
    for score_type, label_type in ((np.float64, np.int64), (np.float32, np.uint8)):
        score = p.astype(score_type)
        label = (rng.random(n) < p).astype(label_type)
        rows = assay.rows(actual=label, predicted=score)
        name = f"{np.dtype(label_type)} labels, {np.dtype(score_type)}"
        moved = label.nbytes + score.nbytes
        brier_goal, log_goal = (40, 60) if score_type is np.float64 else (None, None)
        # sklearn adds up floats in their own precision.
        close = {"rtol": 1e-9 if score_type is np.float64 else 1e-3}
        assert np.isclose(brier(rows), brier_score_loss(label, score), **close)
        assert np.isclose(mean_log_loss(label, score), log_loss(label, score), **close)
        lines.append(
            measure(
                f"Brier score, {name}", n, lambda r=rows: brier(r),
                {"sklearn": lambda y=label, s=score: brier_score_loss(y, s)}, goal=brier_goal, moved=moved,
            )
        )  # fmt: skip
        lines.append(
            measure(
                f"log loss, {name}", n, lambda y=label, s=score: mean_log_loss(y, s),
                {"sklearn": lambda y=label, s=score: log_loss(y, s)}, goal=log_goal, moved=moved,
            )
        )  # fmt: skip
    return lines
