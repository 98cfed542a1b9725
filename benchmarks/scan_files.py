"""Writes the Parquet files that the scan is measured on: a label and a float64 score a row.

``python benchmarks/scan_files.py FOLDER ROWS`` writes what is not there yet, and removes nothing. Rows come
from hashes of their numbers, so they are the same wherever they are written: three of ten are positive, all
scores are distinct and hardly compress, and a positive has the square root of a uniform number, so that the
area under the curve is 2/3 but for chance.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import duckdb

ROWS_PER_FILE = 25_000_000


def written(folder: Path, rows: int, rows_per_file: int = ROWS_PER_FILE) -> list[Path]:
    """Return the files that hold so many rows, the last one perhaps fewer; write those that are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    with duckdb.connect() as database:
        for first in range(0, rows, rows_per_file):
            end = min(first + rows_per_file, rows)
            file = folder / f"rows-{first:013}-{end:013}.parquet"
            files.append(file)
            if not file.exists():
                unfinished = file.with_suffix(".unfinished")
                database.execute(
                    "COPY (SELECT positive::TINYINT AS label, "  # noqa: S608 - numbers and a name of ours
                    "CASE WHEN positive THEN sqrt(uniform) ELSE uniform END AS score FROM ("
                    "SELECT hash(i, 1) % 10 < 3 AS positive, "
                    "(hash(i, 2) >> 11)::DOUBLE * power(2, -53) AS uniform "
                    f"FROM range({first}, {end}) numbers(i))) "
                    f"TO '{unfinished}' (FORMAT parquet, COMPRESSION zstd)"
                )
                unfinished.rename(file)
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description="Write rows to be scanned.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("rows", type=lambda said: int(said.replace("_", "")))
    asked = parser.parse_args()
    start = time.perf_counter()
    files = written(asked.folder, asked.rows)
    size = sum(file.stat().st_size for file in files)
    took = time.perf_counter() - start
    sys.stdout.write(f"{asked.rows:,} rows in {len(files)} files, {size / 1e9:.2f} GB, {took:.0f} s\n")


if __name__ == "__main__":
    main()
