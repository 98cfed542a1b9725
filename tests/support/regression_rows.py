"""Rows and options for every metric of numbers and every mean loss."""

import numpy as np

from assay.metrics import catalogue, find

OPTIONS = {"mase": {"scale": 2.5}, "adjusted_r2": {"parameters": 2}, "crps_gaussian": {"deviation": 0.5}}


NONE = {"max_error", "rmse_over_range", "rmse_over_iqr", "rpiq"}  # of extremes and of the middle rows


def of_views(*views):
    return [
        metric.name for metric in catalogue() if metric.reads.__name__ in views and metric.name not in NONE
    ]


LOSSES = of_views("Mean")


SCORED = [name for name in LOSSES if find(name).loss.__code__.co_varnames[0] != "actual"]


ROW_LOSSES = [name for name in LOSSES if name not in SCORED]


def numbers(n=11, seed=3):
    """Counts that a model predicts, with weights."""
    rng = np.random.default_rng(seed)
    actual = rng.integers(1, 9, n).astype(float)
    return actual, np.round(actual * rng.uniform(0.6, 1.7, n), 2), rng.uniform(0.5, 2, n)


def of_classes(name, n=12, seed=4):
    """Labels and scores of the kind that a metric of probabilities reads, with weights."""
    rng = np.random.default_rng(seed)
    if "positive" in find(name).loss.__code__.co_varnames[:2]:
        labels = np.arange(n) % 2
        return {"actual": labels, "score": np.round(rng.uniform(0.05, 0.95, n), 2)}, rng.uniform(0.5, 2, n)
    scores = rng.dirichlet([1, 2, 2], n)
    return {"actual": np.arange(n) % 3, "score": scores}, rng.uniform(0.5, 2, n)
