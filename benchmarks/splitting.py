"""Folds and parts beside sklearn.model_selection, as a value and with all row numbers written out."""

from __future__ import annotations

import numpy as np
from harness import Line, measure
from sklearn.model_selection import KFold, StratifiedKFold, StratifiedShuffleSplit

from assay.resampling import holdout, kfold


def labels(n, seed=4):
    return np.random.default_rng(seed).choice(np.array(["no", "yes", "maybe"]), n, p=[0.7, 0.2, 0.1])


def every_row(n, y=None):
    """Return all of the peer's index arrays, which it makes whether they are wanted or not."""
    folds = (
        KFold(10, shuffle=True, random_state=0)
        if y is None
        else StratifiedKFold(10, shuffle=True, random_state=0)
    )
    return list(folds.split(np.zeros((n, 1), dtype=np.int8), y))


def shuffled(y):
    parting = StratifiedShuffleSplit(1, test_size=0.25, random_state=0)
    return list(parting.split(np.zeros((len(y), 1), dtype=np.int8), y))


def run(sizes: tuple[int, ...] = (1_000, 100_000, 10_000_000)) -> list[Line]:
    lines = []
    for n in sizes:
        text = labels(n)
        counts = (
            [sorted(np.unique(text[test], return_counts=True)[1]) for _, test in every_row(n, text)]
            if n <= 100_000
            else []
        )
        ours = [
            sorted(np.unique(text[split["test"]], return_counts=True)[1]) for split in kfold(10).split(text)
        ]
        for a, b in zip(counts, ours, strict=False):
            assert np.abs(np.subtract(a, b)).max() <= 1
        runs = 3 if n >= 10_000_000 else 9
        peers = {"sklearn": lambda n=n, y=text: every_row(n, y)}
        lines += [
            measure("10 stratified folds, text", n, lambda y=text: kfold(10).split(y), peers, runs=runs),
            measure(
                "10 stratified folds, all row numbers", n,
                lambda y=text: [tuple(split) for split in kfold(10).split(y)], peers, runs=runs,
            ),
        ]  # fmt: skip
        if n == 10_000_000:
            objects = text.astype(object)
            peers = {"sklearn": lambda n=n, y=objects: every_row(n, y)}
            lines.append(
                measure(
                    "10 stratified folds, objects", n, lambda y=objects: kfold(10).split(y), peers, runs=runs
                )
            )
        peers = {"sklearn": lambda y=text: shuffled(y)}
        lines.append(measure("stratified holdout", n, lambda y=text: holdout().split(y), peers, runs=runs))
        peers = {"sklearn": lambda n=n: every_row(n)}
        lines.append(measure("10 folds", n, lambda n=n: kfold(10).split(n=n), peers, runs=runs))
        key = np.random.default_rng(0).permutation(n)
        lines.append(
            measure(
                "10 stratified folds by integer keys",
                n,
                lambda y=text, key=key: kfold(10).split(y, key=key),
                runs=runs,
            )
        )
    return lines
