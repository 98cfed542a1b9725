"""Score tallies and the area under the ROC curve against sklearn.metrics.roc_auc_score."""

from __future__ import annotations

import numpy as np
from harness import Line, measure
from sklearn.metrics import roc_auc_score

import assay


def scored(n, seed=2):
    rng = np.random.default_rng(seed)
    label = (rng.random(n) < 0.3).astype(np.int64)
    return label, 1 / (1 + np.exp(-(rng.normal(size=n) + 1.2 * label - 1)))


def auc(label, score):
    ranks = assay.Scores.of(assay.rows(actual=label, score=score)).concordance()
    return ranks.concordant / (2 * ranks.positives * ranks.negatives)


def torch_auc():
    """Return torchmetrics' exact area as a function of arrays, or None where it is not installed."""
    try:
        import torch
        from torchmetrics.functional.classification import binary_auroc
    except ImportError:
        return None
    return lambda y, s: binary_auroc(torch.from_numpy(s), torch.from_numpy(y), validate_args=False)


def run(sizes: tuple[int, ...] = (100, 10_000, 100_000, 1_000_000, 10_000_000)) -> list[Line]:
    lines = []
    for n in sizes:
        y, s = scored(n)
        assert abs(auc(y, s) - roc_auc_score(y, s)) < 1e-12
        for name, score in (("float64", s), ("float32", s.astype(np.float32))):
            if name == "float32" and n < 10_000_000:
                continue
            peers = {"sklearn": lambda y=y, s=score: roc_auc_score(y, s)}
            if torch_auc() is not None and n <= 1_000_000:
                peers["torchmetrics"] = lambda y=y, s=score: torch_auc()(y, s)
            lines.append(
                measure(
                    f"ROC AUC, {name} scores", n, lambda y=y, s=score: auc(y, s), peers,
                    goal=50 if n == 10_000_000 else 35, moved=2 * (y.nbytes + score.nbytes),
                )
            )  # fmt: skip
    y, s = scored(10_000_000)
    rows = assay.rows(actual=y, score=s)
    lines.append(measure("binned score tally", len(y), lambda: assay.BinnedScores.of(rows)))
    return lines
