"""The page of very many rows: how large it is, how long it takes to write, and how long to open.

    python benchmarks/paging.py 100000000

The rows are made and counted in chunks, their scores in bins, as a scan of files beyond memory does; then the
page is written from the tallies and opened in Chromium, three times. With ``exact`` after the number all
distinct scores are kept.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import assay
from assay.inference.estimate import Estimate
from assay.metrics import find
from assay.tallies import Collection, Confusion, Losses

CHUNK = 5_000_000
LIMITS = {"bytes": 1_500_000, "open_s": 1.0}


def chunk(rows: int, seed: int) -> assay.Rows:
    """Return rows of probabilities and of what came true, a third of it."""
    draw = np.random.default_rng(seed)
    actual = (draw.random(rows) < 0.3).astype(np.int8)
    score = 1 / (1 + np.exp(-(draw.normal(size=rows) + 2 * actual - 1)))
    return assay.rows(actual=actual, score=score)


def scanned(n: int) -> assay.Evaluation:
    """Return the evaluation of n rows, of which no more than a chunk is held at a time."""
    scores, table, losses = (
        assay.BinnedScores(),
        Confusion(),
        {name: Losses() for name in ("log_loss", "brier")},
    )
    first = assay.evaluate(chunk(1_000, 0))
    for seed, start in enumerate(range(0, n, CHUNK)):
        rows = chunk(min(CHUNK, n - start), seed)
        scores = scores.merge(assay.BinnedScores.of(rows))
        above = (rows.need("score", "a page").values >= 0.5).astype(np.int8)
        table = table.merge(
            Confusion.of(assay.rows(actual=rows.need("actual", "a page").values, predicted=above))
        )
        losses = {name: one.merge(Losses.of(rows, find(name).loss)) for name, one in losses.items()}
    bounds = {"auc": scores.auc_bounds(), "average_precision": scores.average_precision_bounds()}
    kept = {
        first.key(find(name), {}): Estimate(
            (low + high) / 2, None, None, 0.95, "", n, f"between {low} and {high}"
        )
        for name, (low, high) in bounds.items()
    }
    tallies = Collection.of_mapping({"scores": scores, "confusion": table, **losses})
    task = dataclasses.replace(first.task, probabilities=True)
    return dataclasses.replace(first, task=task, tallies=tallies, source_rows=None, saved=kept)


def exact(n: int) -> assay.Evaluation:
    """Return the evaluation of n rows that are all in memory, every score distinct."""
    made = assay.evaluate(chunk(n, 0))
    _ = made.summary
    return made


def opening(path: Path) -> list[float]:
    """Return how many seconds Chromium takes to show the page, each time anew."""
    from playwright.sync_api import sync_playwright

    took = []
    with sync_playwright() as driver:
        where = os.environ.get("ASSAY_CHROMIUM") or shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=where, args=["--no-sandbox"])
        for _ in range(3):
            page = browser.new_page()
            began = time.perf_counter()
            page.goto(path.as_uri())
            page.get_by_role("slider").wait_for()
            page.evaluate(
                "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            took.append(time.perf_counter() - began)
            page.close()
        browser.close()
    return took


def main(n: int, *, binned: bool) -> None:
    """Measure and print."""
    began = time.perf_counter()
    made = scanned(n) if binned else exact(n)
    print(f"{n:,} rows: {'binned' if binned else 'kept'} in {time.perf_counter() - began:.1f} s")
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        path = made.report(Path(folder) / "report.html")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        size, took = path.stat().st_size, opening(path)
    print(f"page: {size:,} bytes, written in {wall:.2f} s ({cpu:.2f} s of CPU time)")
    print("shown by Chromium in", ", ".join(f"{one:.2f} s" for one in took))
    if size >= LIMITS["bytes"] or min(took) >= LIMITS["open_s"]:
        raise SystemExit("the page is too large, or too slow to open")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10_000_000, binned="exact" not in sys.argv[2:])
