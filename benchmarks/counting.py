"""Confusion tallies: label pairs of every kind against sklearn.metrics.confusion_matrix."""

from __future__ import annotations

import numpy as np
from harness import Line, measure
from sklearn.metrics import confusion_matrix

import assay


def tally(actual, predicted):
    return assay.Confusion.of(assay.rows(actual=actual, predicted=predicted))


def by_hand(actual, predicted, k):
    return np.bincount(actual * k + predicted, minlength=k * k).reshape(k, k)


def pairs(n, k, seed=1):
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, k, n)
    predicted = np.where(rng.random(n) < 0.8, actual, rng.integers(0, k, n))
    return actual, predicted


def run(n: int = 10_000_000) -> list[Line]:
    lines = []
    for k, goal in ((2, 200), (20, 200), (1000, None)):
        a, p = pairs(n, k)
        expected = confusion_matrix(a[:100_000], p[:100_000], labels=range(k))
        found = assay.Confusion.of(assay.rows(actual=a[:100_000], predicted=p[:100_000], labels=range(k)))
        assert (found.table() == expected).all()
        lines.append(
            measure(
                f"confusion of int64 labels, {k} classes", n, lambda a=a, p=p: tally(a, p),
                {"sklearn": lambda a=a, p=p: confusion_matrix(a, p),
                 "numpy": lambda a=a, p=p, k=k: by_hand(a, p, k)},
                goal=goal, moved=a.nbytes + p.nbytes,
            )
        )  # fmt: skip
    lines += run_text()
    return lines


def run_text(n: int = 1_000_000) -> list[Line]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    names = np.array(["setosa", "versicolor", "virginica"])
    a, p = (names[codes] for codes in pairs(n, 3))
    forms = {
        "numpy U": lambda x: x,
        "object": lambda x: x.astype(object),
        "pandas str": pd.Series,
        "pandas categorical": lambda x: pd.Series(x, dtype="category"),
        "polars": pl.Series,
        "pyarrow": pa.array,
    }
    lines = []
    for name, make in forms.items():
        first, second = make(a), make(p)
        # scikit-learn is given what it reads fastest of this form.
        peer = (first, second) if name in {"numpy U", "object"} else (a.astype(object), p.astype(object))
        lines.append(
            measure(
                f"confusion of text labels, {name}", n, lambda f=first, s=second: tally(f, s),
                {"sklearn": lambda x=peer: confusion_matrix(*x)}, goal=100,
            )
        )  # fmt: skip
    return lines
