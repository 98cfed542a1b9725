"""Many classes: everything printed of 10,000 rows with up to 1,000 of them, beside scikit-learn's functions.

The peers give values alone; ours have an interval each.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from harness import Line, measure
from sklearn import metrics

import assay
from assay.sklearn import roc_auc_score

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROWS = 10_000
PRINTED = {10: 1.0, 50: 1.0, 200: 2.0, 1_000: 10.0}  # classes, and the seconds that a text may take
PAGES = {50: 1.0, 300: 10.0}
LABELS = 5_000  # without scores
PEER_PAIRS = 50  # classes of which scikit-learn takes seconds for one-vs-one; of 200 it takes minutes


def probabilities(size: int, n: int = ROWS) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return classes and probabilities that have something to do with each other; every class has rows."""
    rng = np.random.default_rng(size)
    y = rng.permutation(np.arange(n) % size)
    odds = np.exp(rng.normal(size=(n, size)) + 2.5 * np.eye(size)[y])
    return y, odds / odds.sum(1, keepdims=True)


def theirs(y: NDArray[np.int64], p: NDArray[np.float64], *, pairs: bool) -> tuple[object, ...]:
    """Ask scikit-learn for its report, both areas and the log loss."""
    found = [metrics.classification_report(y, p.argmax(1), zero_division=0)]
    found += [metrics.roc_auc_score(y, p, multi_class="ovr"), metrics.log_loss(y, p)]
    return (*found, metrics.roc_auc_score(y, p, multi_class="ovo")) if pairs else tuple(found)


def run() -> list[Line]:
    """Measure texts, areas, pages and tables of labels."""
    lines = []
    for size, goal in PRINTED.items():
        y, p = probabilities(size)
        pairs = size <= PEER_PAIRS
        name = "sklearn" if pairs else "sklearn without one-vs-one"
        lines.append(
            measure(
                f"evaluate and print, {size:,} classes", ROWS,
                lambda y=y, p=p: str(assay.evaluate(actual=y, score=p)),
                {name: lambda y=y, p=p, pairs=pairs: theirs(y, p, pairs=pairs)},
                runs=2, note=f"goal {goal:g} s",
            )
        )  # fmt: skip
    return [*lines, *_areas(), *_pages(), *_labels()]


def _areas() -> list[Line]:
    y, p = probabilities(PEER_PAIRS)
    return [
        measure(
            f"roc_auc_score, {way}, {PEER_PAIRS} classes", ROWS,
            lambda way=way: roc_auc_score(y, p, multi_class=way),
            {"sklearn": lambda way=way: metrics.roc_auc_score(y, p, multi_class=way)},
            runs=3,
        )
        for way in ("ovo", "ovr")
    ]  # fmt: skip


def _pages() -> list[Line]:
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        for size, goal in PAGES.items():
            y, p = probabilities(size)
            lines.append(
                measure(
                    f"the page, {size} classes", ROWS,
                    lambda y=y, p=p: assay.evaluate(actual=y, score=p).report(path),
                    runs=2, note=f"goal {goal:g} s",
                )
            )  # fmt: skip
    return lines


def _labels() -> list[Line]:
    rng = np.random.default_rng(5)
    n = 10 * LABELS
    y = rng.permutation(np.arange(n) % LABELS)
    guess = np.where(rng.random(n) < 0.6, y, rng.integers(0, LABELS, n))

    def made() -> assay.Evaluation:
        return assay.evaluate(actual=y, predicted=guess, task="multiclass")

    peer = {"classification_report": lambda: metrics.classification_report(y, guess, zero_division=0)}
    return [
        measure(f"evaluate and print, {LABELS:,} labels", n, lambda: str(made()), peer, runs=2),
        measure(f"intervals of each of {LABELS:,} labels", n, lambda: made().classes, peer, runs=2),
        measure(f"JSON of {LABELS:,} labels", n, lambda: made().to_json(), runs=1),
    ]
