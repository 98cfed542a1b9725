"""Exact sums of a regression against sklearn's mean_squared_error, mean_absolute_error and r2_score."""

from __future__ import annotations

import numpy as np
from harness import Line, measure
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

import assay


def all_three(tally):
    """Return MSE, MAE and R2 from exact sums, each rounded once."""
    squared = tally.squared_error.fraction()
    total = tally.n * tally.squared_actual.fraction() - tally.actual.fraction() ** 2
    return (
        float(squared / tally.n),
        float(tally.absolute_error.fraction() / tally.n),
        float(1 - tally.n * squared / total),
    )


def run(n: int = 10_000_000) -> list[Line]:
    rng = np.random.default_rng(3)
    lines = []
    for name, offset in (("normal", 0.0), ("1e8 + noise", 1e8)):
        y = rng.normal(size=n) + offset
        h = y + rng.normal(size=n) * 0.3
        rows = assay.rows(actual=y, predicted=h)
        found = all_three(assay.Moments.of(rows))
        peers = (mean_squared_error(y, h), mean_absolute_error(y, h), r2_score(y, h))
        assert np.allclose(found, peers, rtol=1e-9)
        lines.append(
            measure(
                f"MSE + MAE + R2, {name}", n, lambda r=rows: all_three(assay.Moments.of(r)),
                {
                    "sklearn (all three)": lambda y=y, h=h: (
                        mean_squared_error(y, h), mean_absolute_error(y, h), r2_score(y, h)
                    ),
                    "sklearn (MSE alone)": lambda y=y, h=h: mean_squared_error(y, h),
                    "numpy (MSE)": lambda y=y, h=h: np.mean((y - h) ** 2),
                },
                goal=12, moved=y.nbytes + h.nbytes,
            )
        )  # fmt: skip
    weight = rng.gamma(2.0, size=n)
    weighted = assay.rows(actual=y, predicted=h, weight=weight)
    lines.append(
        measure(
            "weighted MSE", n, lambda: assay.Moments.of(weighted),
            {"sklearn": lambda: mean_squared_error(y, h, sample_weight=weight)}, runs=4,
        )
    )  # fmt: skip
    return lines
