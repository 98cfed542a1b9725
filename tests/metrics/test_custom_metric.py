"""A user's own metric works wherever ours do: with an interval, in an evaluation and in a comparison."""

import math
import pickle

import numpy as np
import pytest

import assay
from assay.metrics import Binary, Classes, Ranks, auc, find, mean_metric, metric, ratio, root
from assay.metrics.views.probability import Probabilities
from assay.metrics.views.regression import Errors

SHARE = {"bounds": (0, 1), "best": 1, "undefined": "nothing was predicted positive"}
DRAW = np.random.default_rng(11)
TRUTH = DRAW.integers(0, 2, 200)
SCORES = [np.clip(shift * TRUTH + (1 - shift) * DRAW.random(200), 0, 1) for shift in (0.3, 0.2)]
LABELS = [{"actual": TRUTH, "predicted": (score > 0.5).astype(int)} for score in SCORES]
SCORED = [{"actual": TRUTH, "score": score} for score in SCORES]
VALUES = DRAW.normal(size=200)
NUMBERS = [{"actual": VALUES, "predicted": VALUES + noise * DRAW.normal(size=200)} for noise in (0.3, 0.4)]


def of_counts():
    @metric(reads=Binary, kind="counts", **SHARE)
    def my_counts(c, *, power=1.0):
        """Root of the precision: ``sqrt(precision)``."""
        return root(ratio(c.tp, c.tp + power * c.fp))


def of_classes():
    @metric(reads=Classes, kind="counts", **SHARE)
    def my_classes(c):
        """Squared accuracy: ``accuracy²``."""
        return ratio(c.correct, c.n) ** 2


def of_ranks():
    @metric(reads=Ranks, kind="rank", **SHARE)
    def my_ranks(r):
        """Squared area: ``auc²``."""
        return auc.formula(r) ** 2


def of_probabilities():
    @metric(reads=Probabilities, kind="moments", **SHARE)
    def my_probabilities(v):
        """What the Brier score leaves: ``1 - brier``."""
        return 1 - v.mean((1 - v.p) ** 2, v.p**2)


def of_rows():
    @mean_metric(bounds=(0, 1), best=0, undefined="a value is not a number")
    def my_loss(positive, probability, *, power=1.0):
        """Distance from the outcome: ``mean(abs(p - y))``."""
        return abs(positive - probability) ** power


def of_errors():
    @metric(reads=Errors, kind="moments", bounds=(0, math.inf), best=0, undefined="there are no rows")
    def my_errors(e):
        """Squared: ``mse²``."""
        return e.mean_squared_error * e.mean_squared_error


@pytest.mark.parametrize(
    ("declare", "name", "columns", "method"),
    [
        (of_counts, "my_counts", LABELS, "MOVER-Wilson"),
        (of_counts, "my_counts(power=2)", LABELS, "MOVER-Wilson"),
        (of_counts, "macro my_counts", LABELS, "delta, half a row added"),
        (of_classes, "my_classes", LABELS, "MOVER-Wilson"),
        (of_ranks, "my_ranks", SCORED, "bootstrap, BCa"),
        (of_probabilities, "my_probabilities", SCORED, "bootstrap, BCa"),
        (of_rows, "my_loss", SCORED, "Student's t"),
        (of_rows, "my_loss(power=2)", SCORED, "Student's t"),
        (of_errors, "my_errors", NUMBERS, "delta, log"),
    ],
)
def test_a_metric_of_ones_own_has_intervals_and_comparisons(declare, name, columns, method):
    """By the methods of its kind where they know its slopes, else by the bootstrap."""
    declare()
    first, second = (assay.rows(**some) for some in columns)
    estimate = assay.estimate(name, first)
    assert estimate.low < estimate.value < estimate.high
    assert estimate.method == method
    evaluation = assay.evaluate(**columns[0])
    for same in (evaluation.estimate(name), evaluation[name]):
        assert (same.value, same.low, same.high) == (estimate.value, estimate.low, estimate.high)
    comparison = assay.compare(first, second, metrics=name)
    assert comparison.differences[0].values[0] == estimate.value
    assert comparison.differences[0].low < comparison.differences[0].high
    assert "my" in str(comparison)
    known = find(name.split()[-1].partition("(")[0])
    assert known.is_custom
    assert pickle.loads(pickle.dumps(known)) is known  # noqa: S301 - ours


def test_a_formula_that_takes_no_arrays_says_so():
    """Its value is there, but classes, cutoffs and resamples come as arrays."""

    @metric(reads=Binary, kind="counts", **SHARE)
    def my_scalar(c):
        """Root of the precision: ``sqrt(precision)``."""
        return math.sqrt(c.tp / (c.tp + c.fp)) if c.tp else math.nan

    rows = assay.rows(**LABELS[0])
    assert 0 < my_scalar(rows) < 1
    with pytest.raises(
        assay.MetricError, match=r"formula of my_scalar failed .* arrays .* assay.metrics.ratio"
    ):
        assay.estimate("my_scalar", rows)


def test_an_extreme_of_ones_own_has_no_interval():
    """As ours: what is chosen from many values on the same rows flatters."""

    @metric(reads=Ranks, kind="extreme", **SHARE)
    def my_best(r):
        """Largest precision: ``max(precision)``."""
        return np.nanmax(ratio(r.tp, r.tp + r.fp))

    assert assay.estimate("my_best", assay.rows(**SCORED[0])).low is None
