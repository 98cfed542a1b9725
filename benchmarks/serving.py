"""The web page of a ledger of very many runs: how long it takes to start, list, filter and open a run.

    python benchmarks/serving.py 10000

A ledger is written with so many runs of eight models on 700 test sets, `assay serve` is started on it, and
every page is asked for over HTTP; the list is opened in Chromium, too, where there is one.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import http.client
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

import assay
from assay.ledgers.record import fingerprint_of, recorded

TIMES = 15
LIMIT = 0.2  # seconds for a list
PAGES = {
    "list, newest first": "",
    "list, searched": "?q=model+3+nightly",
    "list, filtered and sorted": "?tag=nightly&model=model+5&sort=-auc",
    "list, sorted by name, page 40": "?sort=model&page=40",
    "test sets": "tests",
    "trends": "trends?metric=auc",
    "plans": "plans",
}


def write(path: Path, runs: int) -> None:
    """Write a ledger whose runs share eight evaluations, with metrics that wander."""
    draw = np.random.default_rng(0)
    parts = []
    for k in range(8):
        actual = (draw.random(500) < 0.3).astype(int)
        score = 1 / (1 + np.exp(-(draw.normal(size=500) + (1.5 + 0.1 * k) * actual - 1)))
        ev = assay.evaluate(assay.rows(actual=actual, score=score, key=range(500)), name=f"model {k}")
        parts.append(recorded(ev, fingerprint_of(ev), ev.name, ["nightly"]))
    start = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    with assay.ledger(path) as book:
        for k in range(runs):
            payload, blobs = parts[k % 8]
            steps = dict(zip(payload["estimates"], draw.normal(0, 0.01, 50), strict=False))
            estimates = {
                name: {
                    key: one[key] + step if one[key] is not None else None for key in ("value", "low", "high")
                }
                for name, step in steps.items()
                for one in [payload["estimates"][name]]
            }
            own = {"test": f"{k % 700:032x}", "predictions": f"{k:032x}", "estimates": estimates,
                   "tags": ["nightly", f"week {k // 500}"]}  # fmt: skip
            time_of = (start + dt.timedelta(hours=2 * k)).isoformat(timespec="microseconds")
            book.append("evaluation", {**payload, **own}, blobs, time=time_of)


@contextlib.contextmanager
def served(path: Path):
    """Start the server as a person does; return its address and how long that took."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "assay", "serve", "--ledger", str(path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            process.stdout.readline()
            yield process.stdout.readline().strip(), time.perf_counter() - began
        finally:
            process.terminate()


def asked(url: str, path: str) -> list[float]:
    """Return how many seconds each of several requests takes."""
    parts = urlsplit(url)
    took = []
    for _ in range(TIMES):
        connection = http.client.HTTPConnection(parts.hostname, parts.port)
        began = time.perf_counter()
        connection.request("GET", f"/{path}")
        answer = connection.getresponse()
        body = answer.read()
        took.append(time.perf_counter() - began)
        assert answer.status == 200, body
        connection.close()
    return took


def opened(url: str) -> list[float]:
    """Return how many seconds Chromium takes to show the list, from the address to the drawn table."""
    where = os.environ.get("ASSAY_CHROMIUM") or shutil.which("chromium")
    if where is None:
        return []
    from playwright.sync_api import sync_playwright

    took = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=where, args=["--no-sandbox"])
        for _ in range(5):
            page = browser.new_page()
            began = time.perf_counter()
            page.goto(url)
            page.locator("table.runs tbody tr").nth(99).wait_for()
            took.append(time.perf_counter() - began)
            page.close()
        browser.close()
    return took


def said(name: str, took: list[float]) -> None:
    middle = 1e3 * statistics.median(took)
    print(f"{name:<34}{middle:8.1f} ms   ({1e3 * min(took):.1f} to {1e3 * max(took):.1f})")


def main(runs: int) -> int:
    """Measure and print; fail where a list takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        write(path, runs)
        with served(path) as (url, started):
            print(f"{runs:,} runs, {path.stat().st_size / 1e6:.0f} MB; address printed after {started:.2f} s")
            found = {name: asked(url, page) for name, page in PAGES.items()}
            for name, took in found.items():
                said(name, took)
            first = asked(url, f"run/{runs}")
            said("a run, the first time", first[:1])
            said("a run, again", first[1:])
            if took := opened(url):
                said("the list in Chromium", took)
    slow = [
        name for name, took in found.items() if name.startswith("list") and statistics.median(took) >= LIMIT
    ]
    if slow:
        print(f"too slow: {', '.join(slow)}", file=sys.stderr)
    return bool(slow)


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if sys.argv[1:] else 10_000))
