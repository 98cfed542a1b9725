"""What a call costs when there is hardly any data, and what an import costs."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from harness import Line, Timing, measure, show
from ordering import auc, scored
from sklearn.metrics import confusion_matrix, roc_auc_score

import assay


def run() -> list[Line]:
    rng = np.random.default_rng(4)
    a, p = rng.integers(0, 2, 100), rng.integers(0, 2, 100)
    y, s = scored(100)
    lines = [
        measure(
            "confusion of 100 rows (goal: 10 us)", 100,
            lambda: assay.Confusion.of(assay.rows(actual=a, predicted=p)),
            {"sklearn": lambda: confusion_matrix(a, p)},
        ),
        measure(
            "ROC AUC of 100 rows (goal: 20 us)", 100, lambda: auc(y, s),
            {"sklearn": lambda: roc_auc_score(y, s)},
        ),
    ]  # fmt: skip
    lines.append(run_import())
    lines += run_merging()
    return lines


def run_import() -> Line:
    """Time imports in fresh processes; ours is told as what it adds to NumPy's."""
    took = {
        "numpy": imported("import numpy"),
        "assay": imported("import numpy, assay; assay.rows, assay.Confusion, assay.Scores"),
        "sklearn": imported("import numpy, sklearn.metrics"),
    }
    added = Timing(max(took["assay"] - took["numpy"], 1e-6), took["assay"] - took["numpy"], 15)
    peer = Timing(took["sklearn"] - took["numpy"], took["sklearn"] - took["numpy"], 15)
    line = Line(
        "import, beyond NumPy's (goal: 20 ms)", 0, added, {"sklearn.metrics": peer},
        note=f"NumPy itself {took['numpy'] * 1e3:.0f} ms",
    )  # fmt: skip
    show(line)
    return line


def imported(statement: str) -> float:
    script = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    # An installed package has its bytecode beside it; a setting of this shell must not take that away.
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", script]
    return min(
        float(subprocess.run(command, capture_output=True, check=True, env=env).stdout) for _ in range(15)
    )


def run_merging() -> list[Line]:
    y, s = scored(1_000_000)
    lines = []
    for name, make in (
        ("confusion", confusion_part),
        ("scores", scores_part),
        ("moments", moments_part),
    ):
        parts = [make(y[i : i + 100], s[i : i + 100]) for i in range(0, len(y), 100)]
        lines.append(
            measure(
                f"10,000 {name} tallies merged (goal: 1 s)",
                10_000,
                lambda x=parts: assay.merge(x),
                runs=3,
            )
        )
    return lines


def confusion_part(y, s):
    return assay.Confusion.of(assay.rows(actual=y, predicted=(s > 0.5).astype(np.int64)))


def scores_part(y, s):
    return assay.Scores.of(assay.rows(actual=y, score=s))


def moments_part(y, s):
    return assay.Moments.of(assay.rows(actual=y.astype(np.float64), predicted=s))
