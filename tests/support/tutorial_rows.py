"""Make up the rows of the tutorial: ``python tests/support/tutorial_rows.py`` writes docs/tutorial/predictions.csv.

1,500 loans, one in five of which defaulted, with the probabilities of two models. The candidate knows more
than the current model, but for the region "north".
"""

from pathlib import Path

import numpy as np

FILE = Path(__file__).parents[2] / "docs" / "tutorial" / "predictions.csv"


def rows(n=1500, seed=8):
    """Return the lines of the file, the header first."""
    draw = np.random.default_rng(seed)
    region = draw.choice(["east", "north", "south", "west"], n, p=[0.3, 0.2, 0.3, 0.2])
    risk = draw.normal(-1.95, 1.4, n)
    defaulted = draw.random(n) < _logistic(risk)
    current = _logistic(0.5 * risk - 0.95 + draw.normal(0, 0.8, n))
    noise = np.where(region == "north", 1.9, 0.3)
    candidate = _logistic(0.9 * risk - 0.2 + draw.normal(0, 1, n) * noise)
    yield "loan,region,defaulted,current,candidate"
    for i in range(n):
        yield f"{i + 1},{region[i]},{'yes' if defaulted[i] else 'no'},{current[i]:.4f},{candidate[i]:.4f}"


def _logistic(x):
    return np.clip(1 / (1 + np.exp(-x)), 0.0001, 0.9999)  # four decimals, and none of them 0 or 1


if __name__ == "__main__":
    FILE.write_text("\n".join(rows()) + "\n", encoding="utf-8")
