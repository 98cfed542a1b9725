"""How often intervals of cross-validation hold the error of the model at hand: simulated for the docs.

``python benchmarks/nested_coverage.py 400`` simulates so many data sets per setting and writes the table
into docs/how-to/resampling.md. A data set has n rows of p normal features; its labels are drawn with a
logistic chance. The model is least squares on labels of -1 and 1, its true error is that on 20,000 fresh
rows.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

import assay
from assay.inference.formulas.proportions import normal_quantile
from assay.resampling import kfold

SETTINGS = ((100, 5), (100, 20), (200, 40))
FOLDS, REPEATS = 10, 10
FRESH = 20_000
PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "resampling.md"
BEGIN, END = "<!-- coverage: written by benchmarks/nested_coverage.py -->", "<!-- end of coverage -->"


class LeastSquares:
    def fit(self, features, target):
        with_one = np.column_stack([np.ones(len(features)), features])
        self.line = np.linalg.lstsq(with_one, 2.0 * target - 1, rcond=None)[0]

    def predict(self, features):
        return (self.line[0] + features @ self.line[1:] > 0).astype(np.int64)


def drawn(rng, n, p):
    features = rng.normal(size=(n, p))
    chance = 1 / (1 + np.exp(-3 * features[:, : min(p, 4)].sum(axis=1) / 2))
    return features, (rng.random(n) < chance).astype(np.int64)


def simulated(n, p, number):
    """Return for one data set the true error, and each method's lower and upper limit."""
    rng = np.random.default_rng((number, n, p))
    features, target = drawn(rng, n, p)
    fresh, truth = drawn(rng, FRESH, p)
    model = LeastSquares()
    model.fit(features, target)
    error = float((model.predict(fresh) != truth).mean())
    cv = assay.crossval(
        LeastSquares(), features, target, task="binary", split=kfold(FOLDS, seed=number),
        metrics=["error_rate"], interval="nested", nested_repeats=REPEATS, resubstitution=False,
        progress=False,
    )  # fmt: skip
    rate = float(cv.pooled("error_rate"))
    reach = normal_quantile(0.95) * math.sqrt(rate * (1 - rate) / (n - 1))
    return error, {
        "naive: losses taken for independent": (rate - reach, rate + reach),
        "naive: folds taken for independent": _limits(cv.naive("error_rate")),
        "corrected resampled t": _limits(cv.averaged("error_rate")),
        "nested cross-validation": _limits(cv["error_rate"]),
    }


def _limits(estimate):
    return estimate.low, estimate.high


def table(sets):
    lines = [
        f"{sets} data sets per setting, {FOLDS} folds, nested intervals of {REPEATS} repeats, nominal 95%; a",
        f"coverage's own standard error is about {math.sqrt(0.9 * 0.1 / sets):.3f}. Each cell: coverage of",
        "the error rate of the model of all rows, and the mean width.",
        "",
        "| interval | " + " | ".join(f"n = {n}, p = {p}" for n, p in SETTINGS) + " |",
        "|---|" + "---|" * len(SETTINGS),
    ]
    cells: dict[str, list[str]] = {}
    for n, p in SETTINGS:
        held: dict[str, list[tuple[bool, float]]] = {}
        for number in range(sets):
            error, found = simulated(n, p, number)
            for name, (low, high) in found.items():
                held.setdefault(name, []).append((low <= error <= high, high - low))
        for name, results in held.items():
            coverage, width = np.mean(results, axis=0)
            cells.setdefault(name, []).append(f"{coverage:.3f}, {width:.3f}")
        print(n, p, {name: texts[-1] for name, texts in cells.items()}, flush=True)
    return lines + [f"| {name} | {' | '.join(texts)} |" for name, texts in cells.items()]


def main() -> int:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    written = "\n".join(table(sets))
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    if not rest:
        print(f"{PAGE.name} lacks the line {BEGIN}", file=sys.stderr)
        return 1
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{written}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
