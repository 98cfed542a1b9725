"""Log losses: each rounded by our own logarithm, their sums exact."""

import decimal
import hashlib
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import _kernels
from assay._kernels import brier_losses, exact_brier_losses, exact_log_losses, log_losses

DIGITS = decimal.Context(prec=100, Emin=-9999, Emax=9999)


@pytest.fixture(autouse=True)
def _every_core_again():
    yield
    _kernels.set_threads(0)


def true_loss(label, p):
    """Return the log loss of one row to some 80 digits."""
    x = decimal.Decimal(p)
    if label:
        return -x.ln(DIGITS)
    if p < 2.0**-60:  # 1 - p would need hundreds of digits
        return DIGITS.add(x, DIGITS.divide(DIGITS.multiply(x, x), 2))
    return -DIGITS.subtract(1, x).ln(DIGITS)


def ulps_off(labels, p):
    """Return how far each loss is from the true one, in units of its last place."""
    losses, bad_row, bad_label = log_losses(labels, p, 0.0)
    assert (bad_row, bad_label) == (-1, -1)
    truth = [true_loss(y, x) for y, x in zip(labels.tolist(), p.tolist(), strict=True)]
    return [
        abs(float((decimal.Decimal(loss) - true) / decimal.Decimal(math.ulp(float(true)))))
        for loss, true in zip(losses.tolist(), truth, strict=True)
    ]


PROBABILITIES = {
    "uniform": lambda r, n: r.random(n),
    "where the reduction changes": lambda r, n: 2 / 3 + r.uniform(-1e-3, 1e-3, n),
    "where most is lost": lambda r, n: r.uniform(0.665, 0.72, n),
    "and on the other side": lambda r, n: 1 - r.uniform(0.665, 0.72, n),
    "powers of two and neighbours": lambda r, n: np.nextafter(
        2.0 ** -r.integers(1, 60, n), r.integers(0, 2, n)
    ),
    "near 0": lambda r, n: 2.0 ** (-80 * r.random(n)) * 0.99,
    "near 1": lambda r, n: 1 - 2.0 ** (-53 * r.random(n)) * 0.99,
    "tiny": lambda r, n: np.maximum(5e-324, 2.0 ** (-1074 * r.random(n)) * 0.99),
    "subnormal": lambda r, n: r.integers(1, 2**40, n) * 5e-324,
}


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("kind", PROBABILITIES)
def test_losses_are_off_by_less_than_their_last_place(kind, label):
    """Our logarithm is within 0.85 units in the last place of the true one."""
    p = PROBABILITIES[kind](np.random.default_rng(1), 1500)
    p = p[(p > 0) & (p < 1)]
    assert len(p) > 1000
    assert max(ulps_off(np.full(len(p), label), p)) < 0.85


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 1), st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_any_probability(label, p):
    """Whatever probability Hypothesis finds, the loss is within 0.85 units in the last place."""
    assert ulps_off(np.array([label]), np.array([p]))[0] < 0.85


def test_losses_are_near_those_of_math():
    """No loss is more than a place from math.log and math.log1p, in any of many rows."""
    r = np.random.default_rng(2)
    p, labels = r.random(100_000), r.integers(0, 2, 100_000)
    losses = log_losses(labels, p, 0.0)[0].tolist()
    rows = zip(losses, labels.tolist(), p.tolist(), strict=True)
    expected = [(loss, -math.log(x) if y else -math.log1p(-x)) for loss, y, x in rows]
    assert all(abs(loss - other) <= math.ulp(other) for loss, other in expected)


def test_losses_at_the_ends():
    """Certainty costs nothing when right, everything when wrong; the ends are exact."""
    p = np.array([0.0, -0.0, 1.0, 5e-324, 2.0**-1022, 1 - 2.0**-53, 0.5, 0.25])
    ones, zeros = np.ones(8, np.int64), np.zeros(8, np.int64)
    last = 1 - 2.0**-53
    assert log_losses(ones, p, 0.0)[0].tolist() == [
        math.inf, math.inf, 0.0, -math.log(5e-324), 1022 * math.log(2), -math.log(last), math.log(2), 2 * math.log(2)
    ]  # fmt: skip
    assert log_losses(zeros, p, 0.0)[0].tolist() == [
        0.0, 0.0, math.inf, 5e-324, 2.0**-1022, 53 * math.log(2), math.log(2), -math.log(0.75)
    ]  # fmt: skip
    for labels in (ones, zeros):
        assert not np.signbit(log_losses(labels, p, 0.0)[0]).any()


def test_the_same_bits_everywhere():
    """The losses of fixed rows are these bits, on every CPU and with every C library."""
    steps = np.arange(1, 40_000, dtype=np.float64)
    p = np.concatenate([steps / 40_000, steps * 2.0**-60, steps * 5e-324, 1 - steps * 2.0**-50])
    losses = [log_losses(np.full(len(p), label), p, 0.0)[0] for label in (0, 1)]
    digest = hashlib.sha256(np.concatenate(losses).astype("<f8").tobytes()).hexdigest()
    assert digest == "41f4d99a975f8329ed5bbdc236ba82ce753750ace6f70fe1e859bcf7797134d1"


def units(values):
    """Return floats as exact integers in units of 2**-1074."""
    scaled = [Fraction(value) * 2**1074 for value in values]
    return [one.numerator for one in scaled]


def sums_by_hand(losses):
    finite = units(losses[np.isfinite(losses)].tolist())
    kept = losses[np.isfinite(losses)]
    return {
        "sum": sum(finite),
        "squared_sum": sum(one * one for one in finite),
        "infinite": int(np.isinf(losses).sum()),
        "least": float(kept.min(initial=math.inf)),
        "largest": float(kept.max(initial=-math.inf)),
        "bad_row": -1,
        "bad_label": -1,
    }


SCORES = {
    "uniform": lambda r, n: r.random(n),
    "sure": lambda r, n: r.choice([0.0, 1.0, 1e-300, 1 - 1e-16, 0.5], n),
    "wide": lambda r, n: 2.0 ** (-1000 * r.random(n)),
    "never": lambda _, n: np.zeros(n),
}


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("labels_type", ["i8", "u1", "?", None])
def test_sums_are_those_of_the_rows(kind, labels_type):
    """Sums, squares and extremes are exactly those of the rows' losses; infinite ones stay out."""
    r = np.random.default_rng(3)
    for n in (0, 1, 7, 511, 512, 513, 2048, 2049, 20_000):
        p = SCORES[kind](r, n)
        labels = None if labels_type is None else r.integers(0, 2, n).astype(labels_type)
        losses, *bad = log_losses(labels, p, 0.0)
        assert bad == [-1, -1]
        happened = p if labels is None else np.where(labels, p, 1 - p)
        assert (np.isinf(losses) == (happened == 0)).all()
        assert exact_log_losses(labels, p, 0.0) == sums_by_hand(losses)


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("labels_type", ["i8", "u1", "?"])
def test_brier_losses_are_those_of_numpy(kind, labels_type):
    """Squared differences are rounded as NumPy does, and their sums are exact, on 1, 2 or 3 threads."""
    r = np.random.default_rng(7)
    for n in (0, 1, 7, 513, 200_003):
        p = SCORES[kind](r, n)
        labels = r.integers(0, 2, n).astype(labels_type)
        expected = (labels.astype(float) - p) ** 2
        sums = sums_by_hand(expected)
        for threads in (1, 2, 3) if n > 513 else (1,):
            _kernels.set_threads(threads)
            losses, *bad = brier_losses(labels, p, 0.0)
            assert bad == [-1, -1]
            assert (losses == expected).all()
            assert exact_brier_losses(labels, p, 0.0) == sums


def test_brier_losses_without_labels_and_of_bad_rows():
    """Without labels every row is positive; what is no probability or no label is named and left out."""
    p = np.array([0.25, 1.0, 0.0, 1.5, math.nan])
    losses, *bad = brier_losses(None, p, 0.0)
    assert bad == [3, -1]
    assert losses[:3].tolist() == [0.5625, 0.0, 1.0]
    assert np.isnan(losses[3:]).all()
    found = exact_brier_losses(np.array([1, 2, 0, 0, 0]), p, 0.0)
    assert (found["bad_row"], found["bad_label"], found["largest"]) == (3, 1, 0.5625)


@pytest.mark.parametrize("kind", SCORES)
def test_order_and_threads_change_nothing(kind):
    """Any order of rows and 1, 2 or 3 threads give one set of integers and the same rows."""
    r = np.random.default_rng(4)
    n = 200_003
    p, labels = SCORES[kind](r, n), r.integers(0, 2, n)
    order = r.permutation(n)
    losses = log_losses(labels, p, 1e-15)[0]
    expected = exact_log_losses(labels, p, 1e-15)
    for threads in (1, 2, 3):
        _kernels.set_threads(threads)
        assert exact_log_losses(labels, p, 1e-15) == expected
        assert exact_log_losses(labels[order], p[order], 1e-15) == expected
        assert (log_losses(labels, p, 1e-15)[0] == losses).all()
        parts = [exact_log_losses(labels[part], p[part], 1e-15) for part in (order[:70_000], order[70_000:])]
        assert sum(part["sum"] for part in parts) == expected["sum"]


@pytest.mark.parametrize("clip", [1e-15, 2.0**-52, 0.1, 0.5])
def test_clipping_moves_the_ends(clip):
    """A clip gives the losses of probabilities moved into [clip, 1 - clip]."""
    r = np.random.default_rng(5)
    p = np.concatenate([r.random(1000), [0.0, -0.0, 1.0, clip, 1 - clip, 1e-320]])
    for labels in (None, r.integers(0, 2, len(p)), np.ones(len(p), np.uint8), np.zeros(len(p), np.uint8)):
        moved = np.clip(p, clip, 1 - clip)
        assert (log_losses(labels, p, clip)[0] == log_losses(labels, moved, 0.0)[0]).all()
        found = exact_log_losses(labels, p, clip)
        assert found == exact_log_losses(labels, moved, 0.0)
        assert found["infinite"] == 0


def test_float32_equals_its_doubles():
    """Single precision probabilities give the losses of their exact doubles."""
    r = np.random.default_rng(6)
    p = np.concatenate([r.random(5000), [0, 1, 1e-45]]).astype(np.float32)
    labels = r.integers(0, 2, len(p))
    assert exact_log_losses(labels, p, 0.0) == exact_log_losses(labels, p.astype(float), 0.0)
    assert (log_losses(labels, p, 0.0)[0] == log_losses(labels, p.astype(float), 0.0)[0]).all()


BAD = [math.nan, math.inf, -math.inf, -5e-324, 1 + 2.0**-52, -1.0, 2.0]


@pytest.mark.parametrize("clip", [0.0, 1e-7])
@pytest.mark.parametrize("n", [3, 700, 150_000])
def test_first_bad_rows_are_named(n, clip):
    """The first row without a probability and the first without a label are returned and left out."""
    r = np.random.default_rng(n)
    p, labels = r.random(n), r.integers(0, 2, n)
    for bad, row in itertools.product(BAD, {0, n // 2, n - 1}):
        spoiled = p.copy()
        spoiled[[row, n - 1]] = bad
        for y in (labels, None):
            losses, bad_row, bad_label = log_losses(y, spoiled, clip)
            assert (bad_row, bad_label) == (row, -1)
            assert (np.isnan(losses) == (spoiled != p)).all()
            found = exact_log_losses(y, spoiled, clip)
            kept = spoiled == p
            rest = exact_log_losses(None if y is None else y[kept], p[kept], clip)
            assert found == {**rest, "bad_row": row}
    for bad, dtype in ((2, "i8"), (-1, "i8"), (2**60 + 1, "i8"), (2, "u1"), (0.5, "f8"), (math.nan, "f8")):
        wrong = labels.astype(dtype)
        wrong[n // 2] = bad
        assert log_losses(wrong, p, clip)[1:] == (-1, n // 2)
        found = exact_log_losses(wrong, p, clip)
        assert (found["bad_row"], found["bad_label"]) == (-1, n // 2)
        both = p.copy()
        both[n // 2] = math.nan
        assert log_losses(wrong, both, clip)[1:] == (n // 2, n // 2)


def test_wrong_arguments_are_refused():
    """Lengths that differ, clips that cannot be and other types raise."""
    p = np.full(3, 0.5)
    for kernel in (log_losses, exact_log_losses):
        with pytest.raises(ValueError, match="length"):
            kernel(np.zeros(2, np.int64), p, 0.0)
        for clip in (-1e-9, 0.6, math.nan):
            with pytest.raises(ValueError, match="clip"):
                kernel(None, p, clip)
        with pytest.raises(TypeError):
            kernel(None, p.astype(np.float16), 0.0)
        with pytest.raises(TypeError):
            kernel(None, None, 0.0)
