"""Where the check values lie: those of the methods by their O-number, and R's by file."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

import assay

SHARED = Path(__file__).resolve().parents[3] / "shared"
WHY = "the reference figures are not beside the project"
# y and score of O10 to O14, O20 and others.
D15_POSITIVE = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0]
D15_SCORE = [0.95, 0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.55, 0.5, 0.45, 0.4, 0.3, 0.3, 0.2, 0.1]


def r_figures(name):
    """R's output in a file of reference figures."""
    path = SHARED / "oracles" / f"{name}.json"
    if not path.exists():
        pytest.skip(WHY)
    return json.loads(path.read_text(encoding="utf-8"))


def check_values(number):
    """The inputs and outputs of check value O<number>."""
    item = r_figures("methods")["items"][number - 1]
    return item["inputs"], item["outputs"]


def sms():
    """The spam filter's rows: 1 where the message is spam, and its probability."""
    path = SHARED / "data" / "sms_results.csv"
    if not path.exists():
        pytest.skip(WHY)
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [int(row["actual_type"] == "spam") for row in rows], [float(row["prob_spam"]) for row in rows]


def second_score(scores):
    """The second score of the spam filter's rows, as the reference figures define it."""
    return [math.sqrt(p) * 0.7 + 0.3 * (i % 97) / 97 for i, p in enumerate(scores, 1)]


def ranks(positive, score):
    """The integers behind an area."""
    return assay.Scores.of(assay.rows(actual=np.array(positive), score=np.array(score, float))).concordance()


def agrees(found, expected, prefix, rel=1e-12):
    """Whether an interval has the limits called <prefix>_lo and <prefix>_hi."""
    limits = expected[f"{prefix}_lo"], expected[f"{prefix}_hi"]
    return tuple(found) == pytest.approx(limits, rel=rel, abs=1e-15)
