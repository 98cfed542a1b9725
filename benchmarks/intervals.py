"""Intervals: what they cost after the tally, beside a bootstrap loop over the peer."""

from __future__ import annotations

import numpy as np
from counting import pairs
from harness import Line, Timing, measure, once
from ordering import scored
from sklearn.metrics import f1_score

import assay
from assay.inference.formulas.auc import auc_estimate
from assay.metrics import catalogue

N = 10_000_000
_REPLICATES = 1000


def run(n: int = N) -> list[Line]:
    """Measure the intervals of all count metrics, and DeLong's beside the sort."""
    return [_counts(n), *_areas(n)]


def _counts(n: int) -> Line:
    actual, predicted = pairs(n, 2)
    tally = assay.Confusion.of(assay.rows(actual=actual, predicted=predicted))
    views = ("Binary", "Classes", "Ordered")
    metrics = [m for m in catalogue() if m.reads.__name__ in views and m.kind != "statistic"]

    def ours() -> None:
        fresh = assay.Confusion(tally.labels, tally.declared, tally.cells, tally.counts)  # nothing kept of it
        for metric in metrics:
            assay.estimate(metric, fresh)

    small = slice(0, 1_000_000)  # a replicate of all rows would take a second and more

    def peer() -> None:
        drawn = np.random.default_rng(1).integers(0, len(actual[small]), len(actual[small]))
        f1_score(actual[small][drawn], predicted[small][drawn])

    line = measure(f"intervals of {len(metrics)} count metrics, after the tally", n, ours, runs=9)
    scale = _REPLICATES * n / len(actual[small])
    took = min(once(peer) for _ in range(2)) * scale
    line.peers["loop over f1_score"] = Timing(took, took, 2)
    ratio = line.ratio("loop over f1_score")
    line.note = f"goal 5 ms; one replicate over f1_score alone, scaled to {_REPLICATES:,}, is {ratio:,.0f}x"
    print(f"  {line.note}")
    return line


def _areas(n: int) -> list[Line]:
    labels, scores = scored(n)
    rows = assay.rows(actual=labels, score=scores)
    tally = assay.Scores.of(rows)
    sort = measure("score tally (the sort)", n, lambda: assay.Scores.of(rows), runs=5)

    def area_of() -> object:
        fresh = assay.Scores(tally.positive, tally.scores, None, tally.positives, tally.negatives)
        return auc_estimate(fresh.concordance())  # nothing kept of it

    area = measure("area by DeLong, after it", n, area_of, runs=5)
    area.note = f"{area.ours.best / sort.ours.best:.0%} of the sort's time (goal: less than half)"
    print(f"  {area.note}")
    return [sort, area]
