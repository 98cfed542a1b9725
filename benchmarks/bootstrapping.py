"""Bootstrap replicates against a loop over scikit-learn, of which a few are timed and scaled to as many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from harness import Line, Timing, once, show, timing
from ordering import scored
from sklearn.metrics import average_precision_score, f1_score, matthews_corrcoef, roc_auc_score

import assay
from assay.inference.bootstrap.bootstrap import replicates
from assay.inference.bootstrap.paired_bootstrap import paired_replicates

if TYPE_CHECKING:
    from collections.abc import Callable


def beside(
    what: str, n: int, count: int, ours: Callable[[], object], peer: Callable[[], object], *, goal: float,
    peer_runs: int = 3,
) -> Line:  # fmt: skip
    """Time all of our replicates, and one of the peer's, taken so many times."""
    ours()
    times, peers = [], []
    for _ in range(peer_runs):
        times.append(once(ours))
        peers.append(once(peer) * count)
    theirs = timing(peers)
    line = Line(
        f"{what}, {count:,} replicates", n, timing(times),
        {"sklearn": Timing(theirs.best, theirs.middle, theirs.runs)}, goal,
        note=f"peer: {peer_runs} replicates timed, scaled to {count:,}",
    )  # fmt: skip
    show(line)
    return line


def loop(metric: Callable[..., float], *columns: np.ndarray) -> Callable[[], float]:
    """Return one turn of the loop that everyone writes."""
    rng = np.random.default_rng(0)

    def turn() -> float:
        drawn = rng.integers(0, len(columns[0]), len(columns[0]))
        return metric(*(column[drawn] for column in columns))

    return turn


def run(n: int = 1_000_000, count: int = 1_000) -> list[Line]:
    y, s = scored(n)
    tally = assay.Scores.of(assay.rows(actual=y, score=s))
    tied = assay.Scores.of(assay.rows(actual=y, score=np.round(s, 3)))
    lines = [
        beside("AUC, distinct scores", n, count, lambda: replicates("auc", tally, count=count),
               loop(roc_auc_score, y, s), goal=200),
        beside("AUC, 1,001 scores", n, count, lambda: replicates("auc", tied, count=count),
               loop(roc_auc_score, y, np.round(s, 3)), goal=200),
        beside("AUC stratified", n, count // 10,
               lambda: replicates("auc", tally, count=count // 10, stratified=True),
               loop(roc_auc_score, y, s), goal=20),
        beside("average precision", n, count, lambda: replicates("average_precision", tally, count=count),
               loop(average_precision_score, y, s), goal=100),
    ]  # fmt: skip
    rng = np.random.default_rng(1)
    other = np.clip(s + rng.normal(scale=0.1, size=n), 0, 1)
    pair = assay.PairedScores.of(assay.rows(actual=y, score=s), assay.rows(actual=y, score=other))
    both = loop(lambda y, a, b: roc_auc_score(y, b) - roc_auc_score(y, a), y, s, other)
    lines.append(
        beside("AUC, difference of two models", n, count // 10,
               lambda: paired_replicates("auc", pair, count=count // 10), both, goal=20)
    )  # fmt: skip
    many = 10 * n
    actual, predicted = rng.integers(0, 2, many), rng.integers(0, 2, many)
    cells = assay.Confusion.of(assay.rows(actual=actual, predicted=predicted))
    for name, peer in (("mcc", matthews_corrcoef), ("f1", f1_score)):
        lines.append(
            beside(f"{name} of a table", many, 9_999, lambda name=name: replicates(name, cells, count=9_999),
                   loop(peer, actual, predicted), goal=10_000, peer_runs=2)
        )  # fmt: skip
    return lines
