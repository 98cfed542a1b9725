"""How the work of one large evaluation spreads over the cores: a table by number of threads.

    python benchmarks/scaling.py                     # 10 million rows, 1, 2, 4, 8 and 16 threads
    python benchmarks/scaling.py 1000000 1 2         # so many rows, these numbers of threads

It needs NumPy and SciPy alone. Every figure is the best of several runs with all numbers of threads in turns,
so that a slow moment hits all of them; the spread is how far the middle run was from the best. The last
column is how many times as fast the most threads are as one. The first row is what the memory gives.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import assay
from assay import _kernels

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 4.0  # for each line of the table, of which there are some fifteen
MOST_RUNS, LEAST_RUNS = 7, 3


def work(n: int) -> dict[str, Callable[[], object]]:
    """Return what is measured, by name."""
    draw = np.random.default_rng(11)
    y = draw.integers(0, 2, n)
    p = 1 / (1 + np.exp(-(draw.normal(size=n) + 1.5 * y - 0.75)))
    predicted = (p >= 0.5).astype(np.int64)
    rows = assay.rows(actual=y, score=p)
    labels = assay.rows(actual=y, predicted=predicted)
    real, guess = draw.normal(size=n), draw.normal(size=n)
    words = p.view(np.uint64)
    rounded, narrow = np.round(p, 3), p.astype(np.float32)
    scores = assay.Scores.of(rows)
    folder = Path(tempfile.mkdtemp())

    def page() -> None:
        assay.evaluate(actual=y, score=p).report(folder / "page.html")

    return {
        "reading 8 bytes a row": lambda: _kernels.sum_words(words),
        "confusion matrix": lambda: assay.Confusion.of(labels),
        "ROC AUC": lambda: assay.metrics.auc(rows),
        "evaluate": lambda: assay.evaluate(actual=y, score=p),
        "evaluate and print": lambda: str(assay.evaluate(actual=y, score=p)),
        "evaluate and write the page": page,
        "evaluate and print, 0.001 steps": lambda: str(assay.evaluate(actual=y, score=rounded)),
        "evaluate and print, float32": lambda: str(assay.evaluate(actual=y, score=narrow)),
        "evaluate and print a regression": lambda: str(assay.evaluate(actual=real, predicted=guess)),
        "kernel: scores in order": lambda: _kernels.order_scores(p, y),
        "kernel: log losses": lambda: _kernels.exact_log_losses(y, p, 0.0),
        "kernel: Brier losses": lambda: _kernels.exact_brier_losses(y, p, 0.0),
        "kernel: pairs of ranks": lambda: _kernels.sweep_scores(scores.positives, scores.negatives),
        "kernel: average precision": lambda: _kernels.sweep_precision(scores.positives, scores.negatives),
        "kernel: extremes": lambda: _kernels.extremes(p),
    }


def measure(function: Callable[[], object], counts: list[int]) -> dict[int, tuple[float, float]]:
    """Return the best time and the spread for every number of threads."""
    times: dict[int, list[float]] = {count: [] for count in counts}
    began = time.perf_counter()
    for run in range(1 + MOST_RUNS):
        if run > LEAST_RUNS and time.perf_counter() - began > SECONDS:
            break
        for count in counts:
            assay.set_threads(count)
            start = time.perf_counter()
            function()
            if run:  # the first one warms up
                times[count].append(time.perf_counter() - start)
    return {count: (min(took), statistics.median(took) / min(took) - 1) for count, took in times.items()}


def main(n: int, counts: list[int]) -> None:
    """Measure and print."""
    print(
        f"assay {assay.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"{os.cpu_count()} cores, {n:,} rows, milliseconds (spread)\n"
    )
    heads = [f"{count} thread{'s' if count > 1 else ''}" for count in counts]
    print(f"| {'work':<32} | {' | '.join(f'{head:>15}' for head in heads)} | times |")
    print(f"|{'-' * 34}|{'|'.join('-' * 16 + ':' for _ in heads)}|------:|")
    for name, function in work(n).items():
        found = measure(function, counts)
        cells = [f"{best * 1e3:8.1f} ({spread:4.0%})" for best, spread in found.values()]
        gain = found[counts[0]][0] / found[counts[-1]][0]
        print(f"| {name:<32} | {' | '.join(cells)} | {gain:5.1f} |", flush=True)
    assay.set_threads(0)


if __name__ == "__main__":
    numbers = [int(float(word)) for word in sys.argv[1:]]
    main(numbers[0] if numbers else 10_000_000, numbers[1:] or [1, 2, 4, 8, 16])
