"""What recording an evaluation in a ledger adds: the fingerprint of the test set, and the entry.

``python benchmarks/recording.py`` prints it; ``--rows`` says on how many rows the large evaluations are.
Everything is the best of several runs in turns, in this process, with and without a ledger.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import assay


def columns(n, seed=1):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    p = np.clip(0.3 * y + 0.7 * draw.random(n), 0, 1)
    return {"y": y, "p": p, "id": np.arange(n)}


def in_turns(cases, runs):
    """Return wall times and CPU times of each case, measured in turns."""
    times = {name: [] for name in cases}
    for _ in range(runs):
        for name, run in cases.items():
            wall, cpu = time.perf_counter(), time.process_time()
            run()
            times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return times


def printed(what, times, base, *, absolute):
    for kind, index in (("wall", 0), ("CPU", 1)):
        best = {name: min(run[index] for run in runs) for name, runs in times.items()}
        spread = {
            name: statistics.median(run[index] for run in runs) / best[name] - 1
            for name, runs in times.items()
        }
        for name in times:
            line = f"{what:<28} {kind:<4} {name:<22} {1000 * best[name]:9.2f} ms (spread {spread[name]:.0%})"
            more = best[name] - best[base]
            added = f"+{1000 * more:.2f} ms" if absolute else f"+{more / best[base]:.1%}"
            print(line if name == base else f"{line} {added}")


def evaluated(source, *, key=True, ledger=None):
    named = {"key": "id"} if key else {}
    ev = assay.evaluate(source, actual="y", score="p", ledger=ledger, name="m", **named)
    for name in ev:
        ev[name]
    return ev


def small(folder, runs):
    table = columns(1_000)
    counter = iter(range(10**9))

    def recorded(book):
        # Every evaluation is of another model.
        table["p"][next(counter) % 1_000] = 0.5
        evaluated(table, ledger=book)

    with assay.ledger(folder / "small.db") as book:
        cases = {
            "without": lambda: evaluated(table, key=False),
            "ledger, opened once": lambda: recorded(book),
            "ledger, by its path": lambda: recorded(folder / "path.db"),
        }
        printed("1,000 rows in memory", in_turns(cases, runs), "without", absolute=True)


def large(folder, rows, runs):
    table, path = columns(rows), folder / "large.db"
    pq.write_table(pa.table(table), folder / "rows.parquet", row_group_size=1_000_000)
    for what, source in (
        (f"{rows:,} rows in memory", table),
        (f"{rows:,} rows of Parquet", folder / "rows.parquet"),
    ):
        cases = {
            "without": lambda source=source: evaluated(source, key=False),
            "ledger, labels alone": lambda source=source: evaluated(source, key=False, ledger=path),
            "ledger, by key": lambda source=source: evaluated(source, ledger=path),
        }
        printed(what, in_turns(cases, runs), "without", absolute=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", help="where files are written")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        small(folder, 10 * arguments.runs)
        large(folder, arguments.rows, arguments.runs)


if __name__ == "__main__":
    main()
