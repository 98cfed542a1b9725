"""Every criterion, a second way: all cutoffs one by one, in fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import brute_force_thresholds

import assay
from assay.decisions import choose_threshold
from assay.decisions.criteria import interpolated_error, parse_criterion
from assay.decisions.sweep import Sample
from assay.inference.formulas.proportions import proportion_interval, wilson
from assay.metrics import equal_error_rate

SCORES = [-1.5, 0.1, 0.2, 0.3, 0.30000000000000004, 0.5, 0.7, 0.9, 1.0, 4.0]
PRICES = [0.1, 0.3, 0.2, 0.7, 1, 3, 5, 12.5]
some_rows = st.lists(st.tuples(st.booleans(), st.sampled_from(SCORES)), min_size=1, max_size=14)
weighted_rows = st.lists(
    st.tuples(st.booleans(), st.sampled_from(SCORES), st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.0])),
    min_size=1,
    max_size=14,
)


def read(rows):
    columns = list(zip(*rows, strict=True))
    weight = columns[2] if len(columns) > 2 else None
    return assay.rows(
        actual=np.array(columns[0]), score=np.array(columns[1], dtype=float), weight=weight, positive=True
    )


def both_classes(rows):
    return {row[0] for row in rows} == {False, True}


def agrees(rows, expected, **criterion):
    """The chosen threshold, the ties and the counts are those found by hand."""
    if expected is None:
        with pytest.raises(assay.MetricError):
            choose_threshold(read(rows), **criterion)
        return None
    found = choose_threshold(read(rows), **criterion)
    assert (found.threshold, found.ties) == (expected[0], expected[2])
    by_row = brute_force_thresholds.counts(rows, expected[0])
    assert {cell: getattr(found.counts, cell) for cell in by_row} == by_row
    return found


METRICS = [
    ("f1", {}, lambda c: brute_force_thresholds.f_beta(c, 1)),
    ("f2", {}, lambda c: brute_force_thresholds.f_beta(c, 2)),
    ("f_beta", {"beta": 0.5}, lambda c: brute_force_thresholds.f_beta(c, 0.5)),
    ("f_beta", {"beta": 3}, lambda c: brute_force_thresholds.f_beta(c, 3)),
    ("youden", {}, brute_force_thresholds.informedness),
    ("balanced_accuracy", {}, brute_force_thresholds.informedness),
    ("accuracy", {}, brute_force_thresholds.accuracy),
    ("precision", {}, brute_force_thresholds.precision),
    ("recall", {}, brute_force_thresholds.recall),
    ("mcc", {}, brute_force_thresholds.signed_square_of_mcc),
]


@pytest.mark.parametrize(("name", "parameters", "value"), METRICS)
@pytest.mark.parametrize("kind", [some_rows, weighted_rows], ids=["plain", "weighted"])
def test_the_best_of_a_metric(name, parameters, value, kind):
    """The highest cutoff of the best value is chosen, and cutoffs that are as good are counted."""

    @settings(max_examples=60, deadline=None)
    @given(rows=kind)
    def holds(rows):
        expected = brute_force_thresholds.choose(rows, value) if any(row[0] for row in rows) else None
        found = agrees(rows, expected, best=name, **parameters)
        if found is not None and name not in ("mcc", "balanced_accuracy"):
            assert found.value == pytest.approx(float(expected[1]), rel=1e-14, abs=1e-15)

    holds()


@pytest.mark.parametrize("kind", [some_rows, weighted_rows], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("closest_corner", brute_force_thresholds.distance_to_corner),
        ("equal_error", brute_force_thresholds.difference_of_errors),
    ],
)
def test_the_corner_and_equal_errors(name, value, kind):
    """Both need both classes, and are the least of a distance."""
    criterion = {"best": name} if name != "equal_error" else {"equal_error": True}

    @settings(max_examples=60, deadline=None)
    @given(rows=kind)
    def holds(rows):
        expected = brute_force_thresholds.choose(rows, value, lowest=True) if both_classes(rows) else None
        found = agrees(rows, expected, **criterion)
        if found is not None:
            least = float(expected[1])
            assert found.value == pytest.approx(
                math.sqrt(least) if name == "closest_corner" else least, abs=1e-15
            )

    holds()


@settings(max_examples=150, deadline=None)
@given(rows=some_rows | weighted_rows)
def test_the_equal_error_rate_is_that_of_the_catalogue(rows):
    """Read beside the chosen cutoff, it is what the whole curve gives."""
    if not both_classes(rows):
        return
    sample = Sample.of(read(rows))
    sweep = sample.sweep()
    index = parse_criterion(equal_error=True).choose(sample, sweep).cutoff_index
    assert interpolated_error(sweep, index) == pytest.approx(equal_error_rate(sample.tally), abs=1e-14)


@settings(max_examples=150, deadline=None)
@given(
    rows=some_rows | weighted_rows,
    fp=st.sampled_from(PRICES),
    fn=st.sampled_from(PRICES),
    right=st.sampled_from([0, 0.1]),
)
def test_the_least_cost(rows, fp, fn, right):
    """Costs are the decimals that are written: three at 0.1 tie with one at 0.3."""
    if right > min(fp, fn) or (right == fp == fn):
        return
    expected = brute_force_thresholds.choose(
        rows, lambda c: brute_force_thresholds.cost(c, fp, fn, right, right), lowest=True
    )
    found = agrees(rows, expected, cost_fp=fp, cost_fn=fn, cost_tp=right, cost_tn=right)
    assert found.value == pytest.approx(float(expected[1]), rel=1e-14)


@settings(max_examples=80, deadline=None)
@given(
    rows=some_rows | weighted_rows,
    fp=st.sampled_from(PRICES),
    fn=st.sampled_from(PRICES),
    prevalence=st.sampled_from([0.01, 0.2, 0.5]),
)
def test_the_least_cost_at_another_prevalence(rows, fp, fn, prevalence):
    """Rates are weighed by the new shares of the classes."""
    expected = None
    if both_classes(rows):
        value = lambda c: brute_force_thresholds.cost_at_prevalence(c, fp, fn, prevalence)  # noqa: E731
        expected = brute_force_thresholds.choose(rows, value, lowest=True)
    agrees(rows, expected, cost_fp=fp, cost_fn=fn, prevalence=prevalence)


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.sampled_from(SCORES), st.sampled_from([0, 0.1, 0.3, 1.25, 7, 19.99])),
        min_size=1,
        max_size=14,
    ),
    alarm=st.sampled_from([0.1, 0.2, 5]),
    seed=st.integers(0, 3),
)
def test_costs_of_each_row(rows, alarm, seed):
    """A column of amounts is what missing each row costs; cents add up exactly, in any order of the rows."""

    def spent(cutoff):
        missed = sum(brute_force_thresholds.exact(a) for y, s, a in rows if y and s < cutoff)
        return missed + sum(brute_force_thresholds.exact(alarm) for y, s, _ in rows if not y and s >= cutoff)

    each = [spent(cutoff) for cutoff in brute_force_thresholds.cutoffs(rows)]
    mixed = [rows[index] for index in np.random.default_rng(seed).permutation(len(rows))]
    plain = [row[:2] for row in mixed]
    found = choose_threshold(read(plain), cost_fp=alarm, cost_fn=[row[2] for row in mixed])
    assert found.threshold == brute_force_thresholds.cutoffs(rows)[each.index(min(each))]
    assert found.ties == each.count(min(each))
    assert found.value == pytest.approx(float(min(each) / len(rows)), rel=1e-14)
    assert found.counts.n == len(rows)


def test_costs_of_each_row_follow_rows_that_were_left_out():
    """Columns as long as the data were before rows were dropped still belong to the same rows."""
    rows = assay.rows(actual=[0, 1, None, 1], score=[0.2, 0.4, 0.5, 0.9], missing="drop")
    found = choose_threshold(rows, cost_fp=[3, 0, 0, 0], cost_fn=[0, 1, 50, 5])
    assert (found.threshold, found.value) == (0.4, 0.0)


DEMANDS = [
    ("min_recall", brute_force_thresholds.recall, ("tp", "fn"), lambda c: c["fp"], True),
    ("min_precision", brute_force_thresholds.precision, ("tp", "fp"), lambda c: c["tp"], False),
    ("min_specificity", brute_force_thresholds.specificity, ("tn", "fp"), lambda c: c["tp"], False),
]


@pytest.mark.parametrize("demand", DEMANDS, ids=[one[0] for one in DEMANDS])
@settings(max_examples=120, deadline=None)
@given(
    rows=some_rows,
    least=st.sampled_from([0.17, 0.5, 0.75, 0.8, 1.0]),
    confidence=st.sampled_from([None, 0.6, 0.9]),
    method=st.sampled_from(["clopper-pearson", "wilson"]),
)
def test_what_is_demanded(demand, rows, least, confidence, method):
    """The demand is met by the count, the lower limit or a walk, and no cutoff that meets it is better."""
    name, share, cells, objective, lowest = demand
    enough = brute_force_thresholds.exact(least)

    def refutes(x, n, level):
        if method == "wilson":
            return wilson(x, n, 1 - 2 * float(level))[0] >= least
        return brute_force_thresholds.tail(x, n, enough) <= level

    delta = None if confidence is None else 1 - brute_force_thresholds.exact(confidence)
    walked = name == "min_precision" and confidence is not None
    certified = brute_force_thresholds.certified(rows, enough, delta, refutes) if walked else []

    def allowed(c):
        if walked:
            return c in certified
        reached = share(c)
        if reached is None or reached < enough:
            return False
        return confidence is None or refutes(int(c[cells[0]]), int(c[cells[0]] + c[cells[1]]), delta)

    present = any(row[0] != (name == "min_specificity") for row in rows)
    expected = (
        brute_force_thresholds.choose(rows, objective, lowest=lowest, allowed=allowed) if present else None
    )
    found = agrees(rows, expected, confidence=confidence, method=method, **{name: least})
    if found is not None:
        assert found.value == float(share(brute_force_thresholds.counts(rows, expected[0]))) >= least


@settings(max_examples=80, deadline=None)
@given(rows=weighted_rows, least=st.sampled_from([0.5, 0.75, 0.9]))
def test_what_is_demanded_of_weighted_rows(rows, least):
    """Weights count as so much of a row; with confidence, as the rows that they are worth."""
    enough = brute_force_thresholds.exact(least)
    expected = None
    if any(row[0] for row in rows):
        expected = brute_force_thresholds.choose(
            rows, lambda c: c["fp"], lowest=True, allowed=lambda c: brute_force_thresholds.recall(c) >= enough
        )
    agrees(rows, expected, min_recall=least)
    try:
        sure = choose_threshold(read(rows), min_recall=least, confidence=0.8)
    except assay.MetricError:
        return
    assert sure.threshold <= expected[0]


def test_weights_that_are_alike_are_as_good_as_none_where_one_is_to_be_sure():
    """A common factor of the weights makes nobody surer."""
    actual, score = [1] * 40 + [0] * 40, [*range(20, 60), *range(40)]
    plain = choose_threshold(assay.rows(actual=actual, score=score), min_recall=0.8, confidence=0.9)
    for factor in (0.5, 7.0):
        rows = assay.rows(actual=actual, score=score, weight=[factor] * 80)
        assert choose_threshold(rows, min_recall=0.8, confidence=0.9).threshold == plain.threshold
        for method in ("wilson", "clopper-pearson"):
            criterion = {"min_precision": 0.7, "confidence": 0.9, "method": method}
            alike = choose_threshold(rows, **criterion).threshold
            assert alike == choose_threshold(assay.rows(actual=actual, score=score), **criterion).threshold


@settings(max_examples=80, deadline=None)
@given(
    rows=some_rows | weighted_rows,
    room=st.sampled_from([0, 1, 2.5, 5, 100]),
    rate=st.sampled_from([0, 0.1, 0.3, 0.5, 1]),
)
def test_room_for_so_many(rows, room, rate):
    """As many rows as fit are predicted positive: of tied scores all or none."""
    called = lambda c: c["tp"] + c["fp"]  # noqa: E731
    expected = brute_force_thresholds.choose(rows, called, allowed=lambda c: called(c) <= Fraction(room))
    assert agrees(rows, expected, capacity=room).value == float(expected[1])
    share = lambda c: called(c) / sum(c.values())  # noqa: E731
    expected = brute_force_thresholds.choose(
        rows, share, allowed=lambda c: share(c) <= brute_force_thresholds.exact(rate)
    )
    assert agrees(rows, expected, max_positive_rate=rate).value == float(expected[1])


@settings(max_examples=60, deadline=None)
@given(rows=some_rows, cut=st.integers(0, 14), seed=st.integers(0, 5))
def test_rows_a_tally_and_its_parts_choose_alike(rows, cut, seed):
    """The order of the rows, and how they were tallied, do not matter."""
    whole = assay.Scores.of(read(rows))
    parts = [assay.Scores.of(read(part)) for part in (rows[:cut], rows[cut:]) if part]
    mixed = [rows[index] for index in np.random.default_rng(seed).permutation(len(rows))]
    chosen = choose_threshold(whole, cost_fp=1, cost_fn=2, baseline=0.5)
    for other in (read(mixed), assay.merge(parts)):
        again = choose_threshold(other, cost_fp=1, cost_fn=2, baseline=0.5)
        assert again.to_dict() == chosen.to_dict()


def test_ties_that_rounding_hides():
    """2/6 + 7/10 - 1 and 5/6 + 2/10 - 1 are both 1/30, though their floats differ by more than that rounds."""
    actual = [0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1]
    found = choose_threshold(assay.rows(actual=actual, score=range(16, 0, -1)), best="youden")
    assert 2 / 6 + 7 / 10 - 1 < 5 / 6 + 2 / 10 - 1
    assert (found.threshold, found.ties) == (12, 2)


def test_many_cents_add_up_exactly():
    """Thousands of costs of 0.1, 0.2 and 0.3 tie as the decimals do, where sums of floats would drift."""
    actual = np.tile([1, 0, 0], 2000)
    cents = np.tile([30, 10, 20], 2000)
    score = np.arange(len(actual), 0, -1)
    found = choose_threshold(assay.rows(actual=actual, score=score), cost_fp=cents / 100, cost_fn=cents / 100)
    missed = cents[actual == 1].sum() - np.cumsum(np.where(actual == 1, cents, 0))
    spent = np.concatenate([[cents[actual == 1].sum()], missed + np.cumsum(np.where(actual == 0, cents, 0))])
    assert found.ties == (spent == spent.min()).sum() == 2000
    assert found.value == spent.min() / 100 / len(actual)


def test_a_limit_of_weighted_rows_that_were_all_found():
    """Where no positive is missed they are worth Kish's number of rows: (sum w)² / sum w²."""
    rows = assay.rows(actual=[1, 1, 1, 0], score=[4, 3, 2, 1], weight=[1.0, 2.0, 4.0, 8.0])
    worth = 7**2 / (1 + 4 + 16)
    limit = proportion_interval(worth, worth, 0.6, "wilson")[0]
    found = choose_threshold(rows, min_recall=limit - 1e-9, confidence=0.8, method="wilson")
    assert found.threshold == 2
    assert f"{limit:.4g}" in found.note
    with pytest.raises(assay.MetricError, match="no threshold has a recall"):
        choose_threshold(rows, min_recall=limit + 1e-9, confidence=0.8, method="wilson")


def test_constant_scores_leave_all_or_nothing():
    """One score has two cutoffs: at it, and above it."""
    rows = assay.rows(actual=[0, 1, 0, 0], score=[0.4] * 4)
    assert choose_threshold(rows, cost_fp=1, cost_fn=1).threshold == math.inf
    assert choose_threshold(rows, cost_fp=1, cost_fn=4).threshold == 0.4
    tied = choose_threshold(rows, cost_fp=1, cost_fn=3)
    assert (tied.threshold, tied.ties) == (math.inf, 2)


def test_single_precision_scores_are_held_against_the_threshold_as_they_are():
    """A float32 of 0.7 is a little below 0.7, and stays there."""
    rows = assay.rows(actual=[0, 1], score=np.array([0.3, 0.7], dtype=np.float32))
    found = choose_threshold(rows, best="f1", baseline=0.7)
    assert found.threshold == float(np.float32(0.7)) < 0.7
    assert (found.counts.tp, found.baseline.counts.tp) == (1, 0)


def test_a_binned_tally_chooses_among_the_edges_of_its_bins():
    """What is counted above the edge of a bin is exact."""
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 2, 3000)
    score = rng.normal(size=3000) + actual
    rows = assay.rows(actual=actual, score=score)
    found = choose_threshold(assay.BinnedScores.of(rows, 14), best="youden")
    assert found.counts.tp == ((score >= found.threshold) & (actual == 1)).sum()
    assert found.counts.fp == ((score >= found.threshold) & (actual == 0)).sum()
    exact = choose_threshold(rows, best="youden")
    assert exact.value - 0.01 < found.value <= exact.value
    weighted = assay.rows(actual=actual, score=score, weight=score**2)
    with pytest.raises(assay.MetricError, match="cannot be chosen from a binned tally"):
        choose_threshold(assay.BinnedScores.of(weighted, 14), best="youden")
