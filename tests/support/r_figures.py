"""Reference values for tests of inference: R's by file, check values by number, and the spam filter's rows."""

import math

import numpy as np
import pytest

import assay
from support.reference_figures import check_value, messages, oracle

# y and score of O10 to O14, O20 and others.
D15_POSITIVE = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0]
D15_SCORE = [0.95, 0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.55, 0.5, 0.45, 0.4, 0.3, 0.3, 0.2, 0.1]


def r_figures(name):
    """R's output in a file of reference values."""
    return oracle(name)


def check_values(number):
    """The inputs and outputs of check value O<number>."""
    item = check_value(number)
    return item["inputs"], item["outputs"]


def sms():
    """The spam filter's rows: 1 where the message is spam, and its probability."""
    actual, score = messages()
    return [int(label == "spam") for label in actual], score


def second_score(scores):
    """The second score of the spam filter's rows, as the reference values define it."""
    return [math.sqrt(p) * 0.7 + 0.3 * (i % 97) / 97 for i, p in enumerate(scores, 1)]


def ranks(positive, score):
    """The integers behind an area."""
    return assay.Scores.of(assay.rows(actual=np.array(positive), score=np.array(score, float))).concordance()


def agrees(found, expected, prefix, rel=1e-12):
    """Whether an interval has the limits called <prefix>_lo and <prefix>_hi."""
    limits = expected[f"{prefix}_lo"], expected[f"{prefix}_hi"]
    return tuple(found) == pytest.approx(limits, rel=rel, abs=1e-15)
