"""Metrics by group: 10,000 groups of 1,000 rows, beside pandas with scikit-learn and beside Polars."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
from harness import Line, measure
from sklearn.metrics import roc_auc_score

import assay

GROUPS, ROWS = 10_000, 1_000  # of each


def columns() -> dict[str, np.ndarray]:
    """Return groups, labels and scores, the rows of a group anywhere."""
    draw = np.random.default_rng(1)
    actual = draw.integers(0, 2, GROUPS * ROWS)
    score = draw.normal(size=GROUPS * ROWS) + actual
    return {"group": draw.permutation(np.arange(GROUPS * ROWS) % GROUPS), "actual": actual, "score": score}


def with_pandas(frame: pd.DataFrame) -> pd.Series:
    """Ask scikit-learn for the area of each group of a data frame."""
    return frame.groupby("group")[["actual", "score"]].apply(
        lambda group: roc_auc_score(group["actual"].to_numpy(), group["score"].to_numpy())
    )


def with_polars(frame: pl.DataFrame) -> pl.DataFrame:
    """Compute the areas from ranks, as a Polars expression."""
    positive = pl.col("actual") == 1
    positives, negatives = positive.sum(), (~positive).sum()
    ranks = pl.col("score").rank().filter(positive).sum()
    area = (ranks - positives * (positives + 1) / 2) / (positives * negatives)
    return frame.group_by("group").agg(area.alias("auc"))


def run() -> list[Line]:
    """Measure the area under the ROC curve of every group, alone and with other metrics."""
    data = columns()
    pandas, polars = pd.DataFrame(data), pl.DataFrame(data)
    call = {"by": data["group"], "actual": data["actual"], "score": data["score"]}
    ours = assay.group_metrics(**call, metrics="auc")
    theirs = with_polars(polars).sort("group")["auc"].to_numpy()
    assert np.allclose(ours["auc"], theirs, rtol=1e-12)  # the same areas
    n = GROUPS * ROWS
    return [
        measure(
            f"AUC of {GROUPS:,} groups", n, lambda: assay.group_metrics(**call, metrics="auc"),
            {"pandas with sklearn": lambda: with_pandas(pandas), "Polars": lambda: with_polars(polars)},
            goal=100, runs=5,
        ),
        measure(
            f"AUC, average precision, accuracy, precision and recall of {GROUPS:,} groups", n,
            lambda: assay.group_metrics(
                **call, threshold=0.5, metrics=["auc", "average_precision", "accuracy", "precision", "recall"]
            ),
            runs=3,
        ),
    ]  # fmt: skip
