"""``make bench``: every claim of speed, measured beside the peer in one run; a table and a JSON file.

Name parts to run only those: ``make bench ARGS="counting small"``.
"""

from __future__ import annotations

import json
import platform
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import sklearn
from harness import bandwidth

import assay

PARTS = (
    "counting",
    "ordering",
    "summing",
    "intervals",
    "bootstrapping",
    "evaluating",
    "many_classes",
    "dropin",
    "forecasting",
    "scanning",
    "splitting",
    "crossval",
    "judging",
    "grouping",
    "small",
    "batching",
    "growth",
)


def main() -> int:
    wanted = sys.argv[1:] or PARTS
    for part in wanted:
        if part not in PARTS:
            print(f"bench: no part {part!r}; there are {', '.join(PARTS)}", file=sys.stderr)
            return 2
    about = {
        "assay": assay.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sklearn": sklearn.__version__,
        "threads": assay.threads(),
        "bytes_a_second": bandwidth(),
    }
    lines = [line.as_dict() for part in wanted for line in import_module(part).run()]
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    out = results / "latest.json"
    out.write_text(json.dumps({"about": about, "lines": lines}, indent=1) + "\n", encoding="utf-8")
    print(f"written to {out.relative_to(Path.cwd()) if out.is_relative_to(Path.cwd()) else out.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
