"""Files into tallies: how near a scan comes to the speed of its reader alone, and what it takes of memory.

The reader alone delivers the same batches and nobody looks at them. Processor time is shown beside the
clock's, because a reader that leaves no core idle can only be kept up with by adding little work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
from harness import Line, Timing, clock, timing

import assay
from assay.engines import scan, source

ROWS = int(os.environ.get("ASSAY_SCAN_ROWS", "20_000_000"))


def written(folder: Path, n: int) -> Path:
    """Write labels and scores that do not compress, in four files."""
    share = n // 4
    with duckdb.connect() as database:
        for part in range(4):
            database.execute(
                "COPY (SELECT (hash(i) % 10 < 3)::TINYINT AS label, random() AS score "  # noqa: S608 - a number of ours
                f"FROM range({share}) t(i)) "
                f"TO '{folder / f'{part}.parquet'}' (FORMAT parquet, COMPRESSION zstd)"
            )
    return folder


def reader_alone(given) -> None:
    with given.open(memory=1 << 28, threads=assay.threads()) as database:
        for part in given.parts:
            for _ in part.batches(database, ["label", "score"], {}):
                pass


def duckdb_sum(folder: Path) -> None:
    with duckdb.connect() as database:
        database.sql(f"SELECT sum(label), sum(score) FROM '{folder}/*.parquet'").fetchall()  # noqa: S608 - our folder


def run(n: int = ROWS, runs: int = 5) -> list[Line]:
    with tempfile.TemporaryDirectory() as place:
        folder = written(Path(place), n)
        given = source(folder)

        def scanned(tally, memory="1GiB"):
            roles = {"actual": "label", "score": "score"}
            return lambda: scan(given, tallies={"it": tally}, memory=memory, **roles)

        work = {
            "reader alone": lambda: reader_alone(given),
            "DuckDB's sum of the columns": lambda: duckdb_sum(folder),
            "scan: binned scores": scanned(assay.BinnedScores),
            "scan: exact scores, 4 GiB": scanned(assay.Scores, "4GiB"),
            "scan: exact scores, 1 GiB": scanned(assay.Scores),
        }
        wall: dict[str, list[float]] = {name: [] for name in work}
        spent: dict[str, list[float]] = {name: [] for name in work}
        for _ in range(runs):  # in turns, so that a slow moment hits all of them
            for name, step in work.items():
                start, before = time.perf_counter(), time.process_time()
                step()
                wall[name].append(time.perf_counter() - start)
                spent[name].append(time.process_time() - before)
        reader, lines = "reader alone", []
        for name in work:
            best = min(wall[name])
            note = (
                f"{n / best / 1e6:.0f} million rows/s, {min(wall[reader]) / best:.0%} of the reader's speed; "
                f"{min(spent[name]):.2f} s of processors, reader {min(spent[reader]):.2f} s"
            )
            lines.append(Line(name, n, timing(wall[name]), {}, note=note))
            print(f"{name:<32}{n:>14,}  {clock(best)}  {note}")
        lines += run_processes(folder, n)
    return lines


OURS = """
import assay
from assay.engines import scan
tallies = {{"ranks": assay.{tally}}}
ranks = scan({folder!r}, actual="label", score="score", tallies=tallies, memory={memory!r})["ranks"]
low, high = ranks.auc_bounds() if hasattr(ranks, "auc_bounds") else [assay.metrics.auc(ranks)] * 2
"""
THEIRS = """
import pandas
from sklearn.metrics import roc_auc_score
frame = pandas.read_parquet({folder!r})
low = high = roc_auc_score(frame["label"], frame["score"])
"""
MEASURED = """
import json, time
start = time.perf_counter()
{script}
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024
print(json.dumps([time.perf_counter() - start, peak, low, high]))
"""


def run_processes(folder: Path, n: int) -> list[Line]:
    """Measure time from the first import on, and peak memory, each in a process of its own."""
    cases = {
        "process: scan, exact, 4 GiB": OURS.format(folder=str(folder), tally="Scores", memory="4GiB"),
        "process: scan, 1 GiB": OURS.format(folder=str(folder), tally="Scores", memory="1GiB"),
        "process: scan, 256 MiB": OURS.format(folder=str(folder), tally="Scores", memory="256MiB"),
        "process: pandas + scikit-learn": THEIRS.format(folder=str(folder)),
    }
    lines = []
    for name, script in cases.items():
        made = subprocess.run(
            [sys.executable, "-c", MEASURED.format(script=script)], capture_output=True, text=True, check=True
        )
        took, peak, low, high = json.loads(made.stdout)
        note = f"peak {peak / 2**20:,.0f} MiB, AUC {low:.9f} to {high:.9f}"
        lines.append(Line(name, n, Timing(took, took, 1), {}, note=note))
        print(f"{name:<32}{n:>14,}  {clock(took)}  {note}")
    return lines


if __name__ == "__main__":
    run()
