"""Sums are exact: `math.fsum` and `Fraction` are the referees."""

import contextlib
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.tallies.exact_numbers import CellSums, Dyadic

FINITE = st.floats(allow_nan=False, allow_infinity=False)
HARD = {
    "large offset": [1e16, 1.0, -1e16, 3.0],
    "cancellation": [0.1, 0.2, -0.3, 1e300, -1e300],
    "subnormal": [5e-324, 5e-324, -1e-310, 2.5e-320],
    "near overflow": [1.7e308, -1.7e308, 1.0],
    "wide": [1e300, 1e-300, 1.0, -1e300],
    "zeros": [0.0, -0.0, 0.0],
    "tenths": [0.1] * 1001,
}


@pytest.mark.parametrize("name", HARD)
def test_hard_sums(name):
    """Sum and sum of squares of every hard case equal the rational numbers they are."""
    values = HARD[name]
    tally = assay.Sums.of(values)
    assert tally.total.fraction() == sum(map(Fraction, values))
    assert tally.squares.fraction() == sum(Fraction(value) ** 2 for value in values)
    assert float(tally.total) == math.fsum(values)
    assert (tally.least, tally.largest) == (min(values), max(values))


@settings(max_examples=150, deadline=None)
@given(st.lists(FINITE, min_size=1, max_size=40))
def test_any_sum_is_correctly_rounded(values):
    """The float of a sum is the float nearest to the exact one; beyond all floats it is infinite."""
    tally = assay.Sums.of(values)
    exact = sum(map(Fraction, values))
    assert tally.total.fraction() == exact
    try:
        expected = float(exact)
    except OverflowError:
        expected = math.inf if exact > 0 else -math.inf
    assert float(tally.total) == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(FINITE, FINITE, st.floats(1e-200, 1e200)), min_size=1, max_size=20), st.booleans())
def test_moments_are_the_rational_numbers_they_are(rows, weighted):
    """Every sum of a regression, weighted or not, equals the same sum in rational arithmetic."""
    actual, predicted, weight = map(list, zip(*rows, strict=True))
    if not weighted:
        weight = [1.0] * len(rows)
    tally = assay.Moments.of(assay.rows(actual=actual, predicted=predicted, weight=weight))
    exact = [tuple(map(Fraction, row)) for row in zip(actual, predicted, weight, strict=True)]
    assert tally.weight.fraction() == sum(w for _, _, w in exact)
    assert tally.squared_weight.fraction() == sum(w * w for _, _, w in exact)
    assert tally.actual.fraction() == sum(w * a for a, _, w in exact)
    assert tally.predicted.fraction() == sum(w * p for _, p, w in exact)
    assert tally.absolute_error.fraction() == sum(w * abs(a - p) for a, p, w in exact)
    assert tally.squared_actual.fraction() == sum(w * a * a for a, _, w in exact)
    assert tally.squared_predicted.fraction() == sum(w * p * p for _, p, w in exact)
    assert tally.squared_error.fraction() == sum(w * (a - p) ** 2 for a, p, w in exact)
    with np.errstate(over="ignore"):
        assert tally.largest_error == np.abs(np.subtract(actual, predicted)).max()


@pytest.mark.parametrize("weight", [None, [1, 2, 3, 0.5]])
@pytest.mark.parametrize("kind", [np.bool_, np.uint8, np.int32, np.int64, np.float32])
def test_labels_need_not_be_floats(kind, weight):
    """Labels of any type beside scores give the tally of the same labels as floats."""
    label, score = np.array([0, 1, 1, 0], dtype=kind), np.array([0.1, 0.7, 0.4, 0.2])
    plain = assay.rows(actual=label.astype(float), predicted=score, weight=weight)
    assert assay.Moments.of(assay.rows(actual=label, predicted=score, weight=weight)) == assay.Moments.of(
        plain
    )
    assert assay.Sums.of(label) == assay.Sums.of(label.astype(float))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(FINITE, st.floats(1e-300, 1e300), st.sampled_from(["finite"] * 4 + ["inf", "-inf", "nan"])),
        min_size=1, max_size=20,
    ),
    st.booleans(),
)  # fmt: skip
def test_losses_are_the_rational_numbers_they_are(rows, weighted):
    """The sum of weight times loss is exact; where it is squared, the product was rounded once."""
    values, weight, kind = map(list, zip(*rows, strict=True))
    lost = [value if what == "finite" else float(what) for value, what in zip(values, kind, strict=True)]
    weight = weight if weighted else [1.0] * len(rows)
    tally = assay.Losses.of_values(lost, weight if weighted else None)
    kept = [(Fraction(x), Fraction(w)) for x, w in zip(lost, weight, strict=True) if math.isfinite(x)]
    assert tally.n == len(rows)
    assert tally.infinite == sum(map(math.isinf, lost))
    assert tally.undefined == sum(map(math.isnan, lost))
    assert tally.weight.fraction() == sum(map(Fraction, weight))
    assert tally.squared_weight.fraction() == sum(Fraction(w) ** 2 for w in weight)
    assert tally.total.fraction() == sum(w * x for x, w in kept)
    # CPython rounds a quotient of integers correctly, and a product beyond all floats is the largest one.
    largest = Fraction(np.finfo(float).max)
    terms = [(Fraction(float(max(-largest, min(largest, w * x)))), w) for x, w in kept]
    assert tally.squares.fraction() == sum(term**2 for term, _ in terms)
    assert tally.cross.fraction() == sum(term * w for term, w in terms)
    defined = [x for x in lost if not math.isnan(x)]
    assert (tally.least, tally.largest) == (min(defined, default=math.inf), max(defined, default=-math.inf))
    tally.check()


def test_losses_at_hand_are_checked():
    """Losses and weights of different lengths, negative weights and columns of text are refused."""
    with pytest.raises(assay.LengthError, match="values has 2 values, weight has 1"):
        assay.Losses.of_values([1.0, 2.0], [1.0])
    with pytest.raises(assay.NumberError, match="negative"):
        assay.Losses.of_values([1.0, 2.0], [1.0, -1.0])
    with pytest.raises(assay.MissingValueError):
        assay.Losses.of_values([1.0, None])
    with pytest.raises(assay.ColumnError, match="text where losses"):
        assay.Losses.of_values(["a"])
    assert assay.Losses.of_values([1.0, 2.0], [3.0, 0.0]) == assay.Losses.of_values([1.0], [3.0])
    assert assay.Losses.of_values([1.0, 2.0], [1.0, 1.0]) == assay.Losses.of_values([1.0, 2.0])
    assert assay.Losses.of_values([]) == assay.Losses.empty()


def test_a_loss_says_what_it_needs():
    """A loss that asks for an unknown role, has no such parameter or gives no number per row is refused."""
    rows = assay.rows(actual=[1.0, 2.0], predicted=[3.0, 4.0])

    def asks(actual, colour): ...

    def plain(actual, *, slope=1.0):
        return slope * actual

    with pytest.raises(assay.TallyError, match="has the parameter 'colour'"):
        assay.Losses.of(rows, asks)
    with pytest.raises(assay.TallyError, match="plain has no parameter slop"):
        assay.Losses.of(rows, plain, slop=2.0)
    with pytest.raises(assay.TallyError, match=r"shape \(\) for 2 rows"):
        assay.Losses.of(rows, lambda actual: actual.sum())
    with pytest.raises(assay.TallyError, match="one number for all rows"):
        assay.Losses.of(rows, plain, slope=[1.0, 2.0])
    assert assay.Losses.of(rows, plain, slope=3).parameters == {"slope": 3.0}
    infinite = assay.rows(actual=[1.0, math.inf], predicted=[3.0, 4.0])
    with pytest.raises(assay.NumberError, match=r"actual is infinite: inf \(row 1"):
        assay.Losses.of(infinite, plain)
    scored = assay.rows(actual=[0, 1], score=[0.5, math.inf])
    assert assay.Losses.of(scored, lambda score: score).infinite == 1


def test_overflow_is_said():
    """A sum beyond every float is infinite as a float, and still exact as a number."""
    tally = assay.Sums.of([1.7e308, 1.7e308])
    assert float(tally.total) == math.inf
    assert tally.total.fraction() == 2 * Fraction(1.7e308)
    assert float(-tally.total) == -math.inf
    merged = tally.merge(assay.Sums.of([-1.7e308]))
    assert float(merged.total) == 1.7e308


@settings(max_examples=150, deadline=None)
@given(FINITE, FINITE)
def test_exact_numbers_add_and_subtract_as_fractions(a, b):
    """A dyadic number is canonical: equal numbers have equal parts."""
    x, y = Dyadic.of_float(a), Dyadic.of_float(b)
    assert (x + y).fraction() == Fraction(a) + Fraction(b)
    assert (x - y).fraction() == Fraction(a) - Fraction(b)
    assert x + y == y + x
    assert (x + y) - y == x
    assert float(x) == a
    if b:
        with contextlib.suppress(OverflowError):
            assert x / y == float(Fraction(a) / Fraction(b))


def test_cell_sums_take_the_largest_exponent():
    """Sums of whole numbers have exponent 0, others the largest that leaves them whole."""
    halves = CellSums.of(-3, np.array([4, 12], dtype=object))
    assert (halves.exponent, halves.units.tolist()) == (-1, [1, 3])
    assert halves.added(halves).exponent == 0
    assert CellSums.of(-5, np.array([0, 0], dtype=object)).exponent == 0
    assert halves.floats().tolist() == [0.5, 1.5]
