"""Net benefit, cost curves and expected cost, each against its definition row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.decisions import choose_threshold, cost_curve, expected_cost, net_benefit, normalised_cost

both = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.05, 0.2, 0.25, 0.5, 0.8, 1.0])),
    min_size=2,
    max_size=25,
).filter(lambda rows: {y for y, _ in rows} == {0, 1})


def read(rows, weight=None):
    return assay.rows(actual=[y for y, _ in rows], score=[s for _, s in rows], weight=weight)


@settings(max_examples=60, deadline=None)
@given(rows=both)
def test_net_benefit_is_a_mean_over_rows(rows):
    """Every row brings 1, minus the odds of the threshold, or nothing; the error is that of the mean."""
    y, s = (np.array(x) for x in zip(*rows, strict=True))
    curve = net_benefit(read(rows), [0.0, 0.2, 0.25, 0.9])
    for index, t in enumerate(curve.x):
        each = np.where(s >= t, np.where(y == 1, 1.0, -t / (1 - t)), 0.0)
        everyone = np.where(y == 1, 1.0, -t / (1 - t))
        assert curve.y[index] == pytest.approx(each.mean(), abs=1e-14)
        assert curve["treat_all"][index] == pytest.approx(everyone.mean(), abs=1e-13)
        assert curve["standardised"][index] == pytest.approx(each.mean() / y.mean(), abs=1e-13)
        assert curve["standard_error"][index] == pytest.approx(each.std() / np.sqrt(len(y)), abs=1e-7)


def test_net_benefit_of_weighted_rows():
    """Weights that are alike change nothing; a weight of 2 is two rows in the value."""
    rows = [(0, 0.1), (1, 0.4), (0, 0.45), (1, 0.9)]
    plain, alike = net_benefit(read(rows)), net_benefit(read(rows, [3.0] * 4))
    assert alike.y == pytest.approx(plain.y)
    assert alike["standard_error"] == pytest.approx(plain["standard_error"], abs=1e-9)
    twice = net_benefit(read([*rows, rows[1]]))
    assert net_benefit(read(rows, [1, 2, 1, 1])).y == pytest.approx(twice.y)


def test_net_benefit_default_grid_and_columns():
    """Thresholds are percentages unless given; what stands beside it goes along with the points."""
    curve = net_benefit(read([(0, 0.1), (1, 0.9)]))
    assert len(curve) == 99
    assert list(curve.columns) == [
        "threshold", "net_benefit", "cutoff", "treat_all", "treat_none", "standardised", "standard_error",
    ]  # fmt: skip
    some = curve.taken(curve.x > 0.5)
    assert len(some["treat_all"]) == len(some) == 49


@settings(max_examples=60, deadline=None)
@given(rows=both, x=st.floats(0, 1))
def test_the_cost_curve_is_the_lower_envelope_of_all_lines(rows, x):
    """At every probability cost the curve is the least of all cutoffs' lines."""
    data = read(rows)
    curve = cost_curve(data)
    cutoffs = [np.inf, *{s for _, s in rows}]
    least = min(normalised_cost(data, cutoff, x) for cutoff in cutoffs)
    assert curve.at(x) == pytest.approx(least, abs=1e-12)
    assert (curve.y <= curve["always_the_same"] + 1e-15).all()
    assert normalised_cost(data, np.inf, [0, x]) == pytest.approx([0, x])


def test_expected_cost_is_least_at_the_chosen_threshold():
    """The curve that a choice is made on."""
    data = read([(0, 0.1), (1, 0.4), (0, 0.45), (1, 0.9)])
    curve = expected_cost(data, cost_fp=1, cost_fn=3)
    found = choose_threshold(data, cost_fp=1, cost_fn=3)
    assert curve.cutoffs[curve.y.argmin()] == found.threshold
    assert curve.y.min() == found.value
    own = expected_cost(data, cost_fp=[1, 1, 1, 1], cost_fn=3)
    assert own.y == pytest.approx(curve.y)


def test_binned_scores_have_the_curves_of_rows_at_the_edges_of_their_cells():
    """Scores that are edges lose nothing by being binned, so that every curve is the rows' own."""
    data = read([(0, 0.0), (1, 0.25), (0, 0.25), (1, 0.5), (0, 0.125), (1, 1.0)])
    binned = assay.BinnedScores.of(data, 14)
    for one, other in (
        (cost_curve(binned), cost_curve(data)),
        (net_benefit(binned), net_benefit(data)),
        (expected_cost(binned, cost_fp=1, cost_fn=3), expected_cost(data, cost_fp=1, cost_fn=3)),
    ):
        assert np.array_equal(one.x, other.x)
        assert np.array_equal(one.y, other.y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: net_benefit(read([(0, 0.1), (1, 0.9)]), [0.5, 1.0]), "from 0 to below 1"),
        (lambda: net_benefit(assay.rows(actual=[0, 1], score=[0.1, 7.3])), "not a probability"),
        (lambda: normalised_cost(read([(0, 0.1), (1, 0.9)]), 0.5, 1.5), "between 0 and 1"),
        (
            lambda: normalised_cost(assay.rows(actual=[0, 0], score=[0.1, 0.2]), 0.5, 0.5),
            "no actual positives",
        ),
        (lambda: cost_curve(assay.rows(actual=[1, 1], score=[0.1, 0.2])), "no actual negatives"),
        (lambda: expected_cost(read([(0, 0.1), (1, 0.9)]), best="f1"), "needs costs"),
        (lambda: net_benefit(assay.rows(actual=[], score=[])), "there are no rows"),
        (lambda: net_benefit(read([(0, 0.1), (1, 0.9)]), []), "one or more probabilities"),
        (lambda: net_benefit(read([(0, 0.1), (1, 0.9)]), "half"), "thresholds='half' is neither a number"),
        (lambda: expected_cost(read([(0, 0.1), (1, 0.9)])), "needs costs"),
        (lambda: normalised_cost(read([(0, 0.1), (1, 0.9)]), 0.5, "x"), "probability_cost='x' is neither"),
    ],
)
def test_what_a_curve_cannot_be_drawn_of(call, message):
    """Each says what is wrong."""
    with pytest.raises(assay.AssayError, match=message):
        call()
