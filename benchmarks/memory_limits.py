"""Is memory= kept? The most memory that a process holds while it evaluates files of twelve shapes.

Each shape is evaluated in a process of its own, which prints the most that it held. Promised is what
docs/how-to/files.md says: memory=, and 150 MiB for the interpreter and the libraries.

    python benchmarks/memory_limits.py --folder FOLDER [--only weights groups] [--repeat 2]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import duckdb

CHILD = """
import json, sys
import assay
from assay.engines import source
def held(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(what)) * 1024
how = json.loads(sys.argv[1])
path, said, memory = how["path"], how["said"], how["memory"]
try:
    ev = assay.evaluate(source(path, **how["source"]), memory=memory, **said)
    rows, note = ev.n, ""
except assay.AssayError as refused:
    rows, note = 0, "REFUSED: " + str(refused)
print(json.dumps([held("VmHWM"), rows, note]))
"""


class Shape(NamedTuple):
    """What is evaluated: a query that makes the rows, how they are written, and what is asked of them."""

    query: str
    file: str
    how: str
    memory: str
    said: dict
    rows: int


BESIDE = 150 << 20  # bytes of the interpreter and the libraries, as docs/how-to/files.md has it
SCORES = "hash(i * 2 + 1) / 18446744073709551615.0"
PARQUET = "FORMAT parquet, ROW_GROUP_SIZE {size}"
TWENTY = ", ".join(f"hash(i + {column}) / 18446744073709551615.0 AS s{column}" for column in range(20))
WIDE = ", ".join(f"i % {column + 2} AS c{column}" for column in range(500))
SHAPES = {
    "weights, 1 GiB": Shape(
        f"i % 2 AS y, {SCORES} AS s, (hash(i) % 1000) / 7.0 AS w", "weights.parquet",
        PARQUET.format(size=122_880), "1GiB", {"actual": "y", "score": "s", "weight": "w"}, 20_000_000,
    ),
    "weights, 512 MiB": Shape(
        f"i % 2 AS y, {SCORES} AS s, (hash(i) % 1000) / 7.0 AS w", "weights.parquet",
        PARQUET.format(size=122_880), "512MiB", {"actual": "y", "score": "s", "weight": "w"}, 20_000_000,
    ),
    "groups": Shape(
        f"i % 2 AS y, {SCORES} AS s, i // 5 AS g", "groups.parquet", PARQUET.format(size=122_880), "512MiB",
        {"actual": "y", "score": "s", "group": "g"}, 20_000_000,
    ),
    "20 scores, row groups of a million": Shape(
        f"i % 20 AS y, {TWENTY}", "twenty.parquet", PARQUET.format(size=1_000_000), "2GiB",
        {"actual": "y", "score": [f"s{column}" for column in range(20)]}, 3_000_000,
    ),
    "20 scores, 512 MiB": Shape(
        f"i % 20 AS y, {TWENTY}", "twenty.parquet", PARQUET.format(size=1_000_000), "512MiB",
        {"actual": "y", "score": [f"s{column}" for column in range(20)]}, 3_000_000,
    ),
    "a million labels": Shape(
        "'label' || (hash(i) % 1000000) AS y, 'label' || (hash(i + i % 2) % 1000000) AS p",
        "million.parquet", PARQUET.format(size=122_880), "1GiB", {"actual": "y", "predicted": "p"}, 5_000_000,
    ),
    "CSV of two columns, 256 MiB": Shape(
        f"i % 2 AS y, {SCORES} AS s", "two.csv", "FORMAT csv, HEADER", "256MiB",
        {"actual": "y", "score": "s"}, 10_000_000,
    ),
    "CSV, 64 MiB": Shape(
        f"i % 2 AS y, {SCORES} AS s", "two.csv", "FORMAT csv, HEADER", "64MiB",
        {"actual": "y", "score": "s"}, 10_000_000,
    ),
    "JSON lines, 256 MiB": Shape(
        f"i % 2 AS y, {SCORES} AS s", "two.jsonl", "FORMAT json", "256MiB", {"actual": "y", "score": "s"},
        3_000_000,
    ),
    "500 columns, two of them read": Shape(
        f"{WIDE}", "wide.parquet", PARQUET.format(size=122_880), "256MiB",
        {"actual": "c0", "predicted": "c2", "task": "multiclass"}, 300_000,
    ),
    # A page of a Parquet file is unpacked as a whole: DuckDB's own writer makes one of 80 MB of this.
    "row groups of five million, 512 MiB": Shape(
        f"i % 2 AS y, {SCORES} AS s", "large.parquet", PARQUET.format(size=5_000_000), "512MiB",
        {"actual": "y", "score": "s"}, 20_000_000,
    ),
    "slices": Shape(
        f"i % 2 AS y, {SCORES} AS s, 'slice' || (i % 50) AS b", "slices.parquet",
        PARQUET.format(size=122_880), "512MiB", {"actual": "y", "score": "s", "by": "b"}, 10_000_000,
    ),
    "a regression": Shape(
        f"{SCORES} AS y, {SCORES} + (i % 7) / 9.0 AS p", "regression.parquet", PARQUET.format(size=122_880),
        "512MiB", {"actual": "y", "predicted": "p"}, 10_000_000,
    ),
}  # fmt: skip


def write(shape: Shape, folder: Path) -> Path:
    """Write the rows of a shape, unless they are there from an earlier run."""
    path = folder / shape.file
    if not path.exists():
        with duckdb.connect() as database:
            database.execute(
                f"COPY (FROM range({shape.rows}) t(i) SELECT {shape.query}) TO '{path}.part' ({shape.how})"
            )
        Path(f"{path}.part").rename(path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--repeat", type=int, default=2)
    arguments = parser.parse_args()
    beyond = 0
    print(f"{'shape':<38}{'rows':>12}{'promised':>11}{'measured':>11}   runs")
    for name, shape in SHAPES.items():
        if arguments.only and not any(word in name for word in arguments.only):
            continue
        path = write(shape, arguments.folder)
        how = {"path": str(path), "said": shape.said, "memory": shape.memory, "source": {}}
        found = []
        for _ in range(arguments.repeat):
            done = subprocess.run(
                [sys.executable, "-c", CHILD, json.dumps(how)], capture_output=True, text=True, check=False
            )
            if done.returncode:
                found.append((0, 0, f"DIED: {done.stderr.strip().splitlines()[-1:]}"))
            else:
                found.append(json.loads(done.stdout.strip().splitlines()[-1]))
        limit = int(float(shape.memory[:-3]) * (1 << (30 if shape.memory.endswith("GiB") else 20)))
        promised = BESIDE + limit
        measured = [peak for peak, *_ in found]
        notes = {note for *_, note in found if note}
        bad = max(measured) > promised or notes
        beyond += bool(bad)
        runs = " ".join(f"{peak / 2**20:,.0f}" for peak in measured)
        words = [runs, *(["BEYOND"] if max(measured) > promised else []), *notes]
        sizes = f"{promised / 2**20:>7,.0f} MiB{max(measured) / 2**20:>7,.0f} MiB"
        print(f"{name:<38}{found[0][1]:>12,}{sizes}   {'   '.join(words)}", flush=True)
    sys.exit(1 if beyond else 0)


if __name__ == "__main__":
    main()
