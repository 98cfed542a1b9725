"""Files into tallies: how near a scan comes to the speed of its reader alone, and what it takes of memory.

``python benchmarks/scanning.py --rows 1_000_000_000 --folder FOLDER`` measures on files that are kept (8 GB);
without a folder they are temporary. The reader alone delivers the same batches with the same settings and
nobody looks at them. Every measurement is a process of its own, in turns, so that a slow moment hits all of
them; what is said of memory is the most that a process and its children held at once. Processor time is shown
beside the clock's: a reader that leaves no core idle can only be kept up with by adding little to its work.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from harness import Line, clock, timing
from scan_files import ROWS_PER_FILE, written

ROWS = int(os.environ.get("ASSAY_SCAN_ROWS", "20_000_000"))
PEER_ROWS = 100_000_000  # more of them in a data frame would take more memory than most machines have
MEMORY = "256MiB"  # what a scan may take beyond the process that runs it

READER = """
given = source(files)
with given.open(memory=as_bytes({memory!r}) // 5, threads=assay.threads()) as database:
    for part in given.parts:
        for batch in part.batches(database, ["label", "score"], {{}}):
            pass
low = high = None
"""
SUM = """
with duckdb.connect(config={{"threads": assay.threads()}}) as database:
    database.execute("SET enable_progress_bar = false")
    database.sql(f"SELECT sum(label), sum(score) FROM read_parquet({{files}})").fetchall()
low = high = None
"""
SCAN = """
tallies = {{"ranks": {tally}}}
ranks = scan(files, actual="label", score="score", tallies=tallies, memory={memory!r})["ranks"]
low, high = ranks.auc_bounds() if hasattr(ranks, "auc_bounds") else [assay.metrics.auc(ranks)] * 2
"""
EVALUATE = """
ev = assay.evaluate(source(files), actual="label", score="score", memory={memory!r})
print(ev)
scores = ev.tallies["scores"]
low, high = scores.auc_bounds() if hasattr(scores, "auc_bounds") else [ev["auc"].value] * 2
"""
PEER = """
frame = pandas.read_parquet(files)
low = high = roc_auc_score(frame["label"], frame["score"])
"""
OURS = "import assay, assay.evaluation, assay.metrics, scipy.special, duckdb, arro3.core\n"
OURS += "from assay.engines import scan, source\n"
OURS += "from assay.engines.accumulator import as_bytes\n"
THEIRS = "import pandas, pyarrow.parquet\nfrom sklearn.metrics import roc_auc_score\n"
MEASURED = """
import json, sys, time
files = json.loads(sys.argv[1])
{imports}
start, spent = time.perf_counter(), time.process_time()
{script}
took = time.perf_counter() - start, time.process_time() - spent
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024
print(json.dumps([*took, peak, low, high]))
"""


def run(n: int = ROWS, runs: int = 3, folder: Path | None = None, memory: str = MEMORY) -> list[Line]:
    with contextlib.ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        share = min(ROWS_PER_FILE, -(-n // 4))  # four files at least
        files = json.dumps([str(file) for file in written(folder, n, share)])
        plenty = f"{max(4, n * 72 // 10**9 + 1)}GiB"
        cases = {
            "reader alone": (OURS, READER.format(memory=memory)),
            "DuckDB's sum of the columns": (OURS, SUM.format()),
            f"scan: scores in bins, {memory}": (OURS, SCAN.format(tally="assay.BinnedScores", memory=memory)),
            f"evaluate and print, {memory}": (OURS, EVALUATE.format(memory=memory)),
        }
        if n <= PEER_ROWS:
            cases[f"scan: exact scores, {plenty}"] = (OURS, SCAN.format(tally="assay.Scores", memory=plenty))
            cases["pandas.read_parquet + scikit-learn"] = (THEIRS, PEER.format())
        found: dict[str, list[tuple[float, ...]]] = {name: [] for name in cases}
        for turn in range(runs):
            for name, (imports, script) in cases.items():
                if name in list(cases)[:4] or not turn:  # the slow ones once
                    found[name].append(measured(MEASURED.format(imports=imports, script=script), files))
    return [told(name, n, found) for name in cases]


def told(name: str, n: int, found: dict[str, list[tuple[float, ...]]]) -> Line:
    """Return what was measured of a case as a line, and print it."""
    took, spent, peaks, lows, highs = zip(*found[name], strict=True)
    reader = found["reader alone"]
    wall, busy = (min(one[place] for one in reader) for place in (0, 1))
    note = f"{n / min(took) / 1e6:.0f} million rows/s, {wall / min(took):.0%} of the reader's speed"
    note += f"; {min(spent):.2f} s of processors, reader {busy:.2f} s ({busy / min(spent):.0%})"
    note += f"; peak {max(peaks) / 2**20:,.0f} MiB"
    if lows[0] is not None:
        note += f"; AUC {lows[0]:.9f} to {highs[0]:.9f}"
    peer = found.get("pandas.read_parquet + scikit-learn")
    if peer and name.startswith(("scan", "evaluate")):
        note += f"; against pandas + scikit-learn {peer[0][0] / min(took):.1f}x as fast"
        note += f" in 1/{peer[0][2] / max(peaks):.1f} of the memory"
    print(f"{name:<36}{n:>14,}  {clock(min(took))}  {note}", flush=True)
    return Line(name, n, timing(list(took)), {}, note=note)


def measured(script: str, files: str) -> tuple[float, ...]:
    """Return seconds, processor seconds, peak memory and bounds of the area, of a script run by itself."""
    process = subprocess.Popen([sys.executable, "-c", script, files], stdout=subprocess.PIPE, text=True)
    most = [0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            most[0] = max(most[0], held(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    out, _ = process.communicate()
    done.set()
    watcher.join()
    if process.returncode:
        raise SystemExit("a measurement failed; what it said stands above.")
    took, spent, peak, low, high = json.loads(out.splitlines()[-1])
    return took, spent, max(peak, most[0]), low, high


def held(pid: int) -> int:
    """Return the bytes of memory that a process and all its children hold now."""
    total = 0
    with contextlib.suppress(OSError, StopIteration):  # it may have ended
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
        total = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += sum(map(held, map(int, (task / "children").read_text(encoding="ascii").split())))
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=lambda said: int(said.replace("_", "")), default=ROWS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the files are, or are to be written and kept")
    parser.add_argument("--memory", default=MEMORY, help=f"what a scan may take ({MEMORY} unless said)")
    asked = parser.parse_args()
    run(asked.rows, asked.runs, asked.folder, asked.memory)


if __name__ == "__main__":
    main()
