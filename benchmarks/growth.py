"""How cost grows with rows, from a hundred to a hundred million, and how much memory a tally takes."""

from __future__ import annotations

import json
import subprocess
import sys

from counting import pairs, tally
from harness import Line, Timing, measure
from ordering import auc, scored

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)


def run(largest: int = 100_000_000) -> list[Line]:
    lines = []
    sizes = [n for n in SIZES if n <= largest]
    for n in sizes:
        a, p = pairs(n, 2)
        line = measure("growth: confusion of int64 labels", n, lambda a=a, p=p: tally(a, p), runs=3)
        line.note = f"{line.ours.best / n * 1e9:.2f} ns a row"
        lines.append(line)
        del a, p
    for n in sizes:
        y, s = scored(n)
        line = measure("growth: ROC AUC", n, lambda y=y, s=s: auc(y, s), runs=3)
        line.note = f"{line.ours.best / n * 1e9:.2f} ns a row"
        lines.append(line)
        del y, s
    for line in lines:
        print(f"  {line.what:<40}{line.n:>12,}  {line.note}")
    lines += run_memory()
    return lines


MEMORY = """
import json, resource, sys, numpy as np, assay
n = {n}
rng = np.random.default_rng(5)
y, s = rng.integers(0, 2, n), rng.random(n)
rows = assay.rows(actual=y, score=s)
assay.{tally}.of(rows.take(slice(0, 100_000)))
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024
def now():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) * 1024
with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")
before = now()
tally = assay.{tally}.of(rows)
print(json.dumps([peak() - before, s.nbytes]))
"""


def run_memory(n: int = 10_000_000) -> list[Line]:
    """Measure the peak beyond the input, in a process of its own."""
    lines = []
    for name, rows, limit in (("Scores", n, "2x the scores"), ("BinnedScores", n, "32 MiB"),
                              ("BinnedScores", 10 * n, "32 MiB")):  # fmt: skip
        out = subprocess.run(
            [sys.executable, "-c", MEMORY.format(n=rows, tally=name)],
            capture_output=True,
            check=True,
        ).stdout
        peak, column = json.loads(out)
        line = Line(
            f"memory beyond the input, {name} (goal: {limit})", rows, Timing(1e-9, 1e-9, 1), {},
            note=f"{peak / 2**20:.1f} MiB, {peak / column:.2f}x the score column",
        )  # fmt: skip
        print(f"{line.what:<60}{rows:>12,}  {line.note}")
        lines.append(line)
    return lines
