"""Numbers in order: quantiles against NumPy and rational arithmetic, agreement of ranks against all pairs."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import assay

TIED = st.sampled_from([0.0, -0.0, 0.1, 0.25, 1.0, 3.0, -2.5])
NUMBER = TIED | st.floats(-1e6, 1e6)
SHARE = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 0.75, 0.9, 1.0])


@settings(max_examples=200, deadline=None)
@given(st.lists(NUMBER, min_size=1, max_size=30), SHARE)
@example([530073.0, -518503.82107161486], 0.5)  # where NumPy's way from one value to the next loses digits
def test_quantiles_are_numpys(numbers, share):
    """Both definitions agree with NumPy's, to what it rounds off between two values; the mean of two is exact."""
    tally = assay.Values.of(numbers)
    rounded = 4e-16 * max(map(abs, numbers))
    exact = Fraction(repr(share)) * len(numbers)
    if exact == share * len(numbers):
        expected = np.quantile(numbers, share, method="averaged_inverted_cdf")
        assert tally.quantile(share) == pytest.approx(expected, rel=1e-15, abs=rounded)
    expected = np.quantile(numbers, share, method="linear")
    assert tally.quantile(share, method="linear") == pytest.approx(expected, rel=1e-12, abs=1e-12)
    ordered = sorted(map(Fraction, numbers))
    middle = ordered[(len(numbers) - 1) // 2] + ordered[len(numbers) // 2]
    assert tally.quantile(0.5) == float(middle / 2)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(NUMBER, st.floats(1e-6, 1e6)), min_size=1, max_size=20), SHARE)
def test_weighted_quantiles_are_exact(rows, share):
    """A weighted quantile is where the exact sum of weights reaches the exact share, or halfway if just so."""
    numbers, weight = map(list, zip(*rows, strict=True))
    total, passed = Fraction(repr(share)) * sum(map(Fraction, weight)), Fraction(0)
    ordered = sorted(rows)
    for place, (value, w) in enumerate(ordered):
        passed += Fraction(w)
        if passed >= total:
            following = ordered[min(place + 1, len(rows) - 1)][0] if passed == total else value
            break
    expected = (value + following) / 2
    assert assay.Values.of(numbers, weight).quantile(share) == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(NUMBER, st.integers(0, 4)), min_size=1, max_size=20), SHARE)
def test_a_weight_is_a_repetition(rows, share):
    """A row of weight k gives the quantiles of k rows, one of weight 0 those of none.

    A straight line from row to row depends on how many rows there are, and weights have no unit: see below.
    """
    numbers, weight = map(list, zip(*rows, strict=True))
    repeated = assay.Values.of([value for value, times in rows for _ in range(times)])
    weighted = assay.Values.of(numbers, weight)
    assert weighted.weight == repeated.weight
    assert weighted.mass.sum() == repeated.n
    assert weighted.quantile(share) == pytest.approx(repeated.quantile(share), rel=1e-15, abs=0, nan_ok=True)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(NUMBER, st.integers(1, 4)), min_size=1, max_size=20), SHARE)
def test_a_straight_line_has_no_unit_of_weight(rows, share):
    """It runs from the least value to the largest, equal weights are none, and a common factor is nothing."""
    numbers, weight = map(list, zip(*rows, strict=True))

    def line(share, weight=None):
        return assay.Values.of(numbers, weight).quantile(share, method="linear")

    assert (line(0.0, weight), line(1.0, weight)) == (min(numbers), max(numbers))
    near = {"rel": 1e-9, "abs": 1e-9 * max(map(abs, numbers))}
    assert line(share, [w / 25 for w in weight]) == pytest.approx(line(share, weight), **near)
    assert line(share, [0.04] * len(numbers)) == pytest.approx(line(share), **near)


def test_a_share_is_the_decimal_it_is_written_as():
    """Three tenths of ten rows are three rows, although the float 0.3 is a little less."""
    assert assay.Values.of(range(10)).quantile(0.3) == 2.5


def test_large_numbers_have_a_middle():
    """Halfway between two numbers near the largest float is not infinite."""
    assert assay.Values.of([1.6e308, 1.7e308]).quantile(0.5) == 0.8e308 + 0.85e308
    spread = assay.Values.of([-1.7e308, 1.7e308])
    assert spread.quantile(0.25, method="linear") == pytest.approx(-0.85e308, rel=1e-15)


def test_no_values_have_no_quantile():
    """No rows give NaN; a share beyond 1 and an unknown method are refused."""
    assert math.isnan(assay.Values.empty().quantile(0.5))
    with pytest.raises(assay.TallyError, match=r"between 0 and 1: 1\.5"):
        assay.Values.of([1]).quantile(1.5)
    with pytest.raises(assay.TallyError, match="method='nearest' is not known"):
        assay.Values.of([1]).quantile(0.5, method="nearest")


@pytest.mark.parametrize(
    ("numbers", "weight", "error", "message"),
    [
        ([1.0, math.nan], None, assay.MissingValueError, "1 value is missing in numbers"),
        ([1.0, -math.inf], None, assay.NumberError, r"numbers is infinite: -inf \(row 1"),
        (["a"], None, assay.ColumnError, "text where numbers"),
        ([1.0, 2.0], [1.0], assay.LengthError, "numbers has 2 values, weight has 1"),
        ([1.0], [-1.0], assay.NumberError, "negative"),
    ],
)
def test_values_must_be_finite_numbers(numbers, weight, error, message):
    """What is no finite number, and weights that do not fit, are refused where they are."""
    with pytest.raises(error, match=message):
        assay.Values.of(numbers, weight)


def test_values_of_a_function_of_the_rows():
    """What a function gives each row is ordered with the rows' weights."""
    rows = assay.rows(actual=[1.0, 2.0, 5.0], predicted=[2.0, 2.0, 2.0], weight=[1, 2, 3])

    def absolute_error(actual, predicted):
        return abs(actual - predicted)

    assert assay.Values.of_rows(rows, absolute_error) == assay.Values.of([1, 0, 3], [1, 2, 3])
    with pytest.raises(assay.TallyError, match="gives inf at row 1"):
        assay.Values.of_rows(rows, lambda actual, predicted: 1 / (actual - predicted))


def by_all_pairs(rows):
    found = [0] * 5
    for (a, p), (b, q) in itertools.combinations(rows, 2):
        if a == b or p == q:
            found[4 if (a == b and p == q) else 2 if a == b else 3] += 1
        else:
            found[(a < b) != (p < q)] += 1
    return tuple(found)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(TIED, NUMBER) | st.tuples(TIED, TIED), max_size=25))
def test_agreement_is_that_of_all_pairs(rows):
    """Concordant, discordant and tied pairs are those one finds by looking at every two rows."""
    actual, predicted = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [])
    tally = assay.NumberPairs.of(assay.rows(actual=actual, predicted=predicted))
    assert tally.agreement() == by_all_pairs(rows)


def test_agreement_of_many_rows():
    """A hundred thousand rows with ties agree as Kendall's tau-b in SciPy says."""
    rng = np.random.default_rng(7)
    actual = rng.normal(size=100_000).round(2)
    predicted = (actual + rng.normal(size=100_000)).round(1)
    found = assay.NumberPairs.of(assay.rows(actual=actual, predicted=predicted)).agreement()
    difference = found.concordant - found.discordant
    free = [difference + 2 * found.discordant + tied for tied in (found.tied_predicted, found.tied_actual)]
    assert difference / math.sqrt(free[0]) / math.sqrt(free[1]) == pytest.approx(
        stats.kendalltau(actual, predicted).statistic, rel=1e-13
    )


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(TIED, NUMBER), min_size=1, max_size=25))
def test_ranks_are_mean_ranks_doubled(rows):
    """The moments of the ranks are those of SciPy's mean ranks, doubled."""
    actual, predicted = map(list, zip(*rows, strict=True))
    tally = assay.NumberPairs.of(assay.rows(actual=actual, predicted=predicted))
    doubled = [2 * stats.rankdata(column) for column in (actual, predicted)]
    expected = assay.Moments.of(assay.rows(actual=doubled[0], predicted=doubled[1]))
    found = tally.ranks()
    for field in ("actual", "predicted", "squared_actual", "squared_predicted", "squared_error", "weight"):
        assert getattr(found, field) == getattr(expected, field), field


def test_number_pairs_refuse_what_they_cannot_count():
    """Weights, infinities and missing numbers are refused with a sentence."""
    with pytest.raises(assay.TallyError, match="take no weights"):
        assay.NumberPairs.of(assay.rows(actual=[1.0], predicted=[1.0], weight=[0.5]))
    with pytest.raises(assay.NumberError, match=r"predicted is infinite: inf \(row 1"):
        assay.NumberPairs.of(assay.rows(actual=[1.0, 2.0], predicted=[1.0, math.inf]))
    with pytest.raises(assay.MissingValueError, match="missing in actual"):
        assay.NumberPairs.of(assay.rows(actual=[1.0, math.nan], predicted=[1.0, 1.0]))
