"""The search reads few blocks of cutoffs and finds what reading all of them finds; decimals are exact."""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import brute_force_thresholds

import assay
from assay.decisions import choose_threshold, cross_fitted, evaluate_threshold, optimism, selection_optimism
from assay.decisions.criteria import parse_criterion
from assay.decisions.sweep import Amounts, CumulativeCounts, Sample, to_whole_units
from assay.metrics import Binary, catalogue, find
from assay.metrics.curves.cutoffs import of_counts

MONOTONE = sorted(metric.name for metric in catalogue() if metric.monotone)


@pytest.mark.parametrize("name", MONOTONE)
def test_what_is_said_to_rise_does(name):
    """In every table of up to six of a class, more found and fewer falsely called is never worse."""
    metric = find(name)
    sign = -1 if metric.best == metric.bounds[0] else 1
    for positives, negatives in itertools.product(range(1, 7), repeat=2):
        tp, fp = (x.ravel() for x in np.indices((positives + 1, negatives + 1)))
        values = sign * of_counts(metric, Binary(tp, fp, positives - tp, negatives - fp), {})
        better = (tp[:, None] >= tp) & (fp[:, None] <= fp)
        with np.errstate(invalid="ignore"):
            assert not (better & (values[:, None] < values - 1e-12)).any()


CRITERIA = [
    *({"best": name} for name in MONOTONE),
    {"best": "f_beta", "beta": 0.3},
    {"best": "closest_corner"},
    {"cost_fp": 1, "cost_fn": 7},
    {"cost_fp": 0, "cost_fn": 1},
    {"cost_fp": 1, "cost_fn": 0},
    {"cost_fp": 3, "cost_fn": 1, "prevalence": 0.01},
    {"min_recall": 0.9},
    {"min_recall": 0.9, "confidence": 0.95},
    {"min_precision": 0.8},
    {"min_precision": 0.8, "confidence": 0.9},
    {"min_specificity": 0.75, "confidence": 0.9, "method": "wilson"},
]


def many(n=60_000, seed=0, digits=None, weight=None):
    random = np.random.default_rng(seed)
    actual = random.integers(0, 2, n)
    score = random.normal(size=n) + actual
    return assay.rows(actual=actual, score=score if digits is None else score.round(digits), weight=weight)


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@pytest.mark.parametrize("kind", ["distinct", "tied", "weighted"])
def test_blocks_that_are_left_unread_hold_nothing_better(criterion, kind):
    """The place and the number of ties are those of reading all cutoffs."""
    weight = np.random.default_rng(1).choice([0.1, 0.7, 2.5], 60_000) if kind == "weighted" else None
    sample = Sample.of(many(digits=3 if kind == "tied" else None, weight=weight))
    sweep, wanted = sample.sweep(), parse_criterion(**criterion)
    assert wanted.rises
    chosen = wanted.choose(sample, sweep)
    every = dataclasses.replace(wanted, rises=False).choose(sample, sweep)
    assert chosen == every


def test_costs_of_each_row_by_reading_all():
    """The least cost of sixty thousand amounts in cents is what adding them up in integers says."""
    rows = many()
    amounts = np.random.default_rng(2).integers(0, 9999, 60_000)
    actual, score = np.asarray(rows.actual.values), np.asarray(rows.score.values)
    order = np.argsort(-score)
    signed = np.where(actual == 1, -amounts, 250)[order]
    spent = np.concatenate([[0], np.cumsum(signed)]) + amounts[actual == 1].sum()
    found = choose_threshold(rows, cost_fp=2.5, cost_fn=amounts / 100)
    best = int(spent.argmin())
    assert found.threshold == score[order][best - 1]
    assert found.value == pytest.approx(spent[best] / 100 / 60_000, rel=1e-15)
    assert found.ties == (spent == spent[best]).sum()


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=900),
    cuts=st.tuples(st.integers(0, 900), st.integers(0, 900)),
    weighted=st.booleans(),
)
def test_running_sums_are_those_of_all_steps_wherever_they_are_read(steps, cuts, weighted):
    """Blocks end anywhere, and floats are added in one order: the same to the bit."""
    columns = np.array(steps).T
    times = np.linspace(0.1, 3.7, len(steps)) if weighted else None
    running = CumulativeCounts((columns[0].astype(np.uint8), columns[1].astype(np.uint8)), times)
    tp, fp = (
        np.concatenate([[0], np.cumsum(column if times is None else column * times)]) for column in columns
    )
    begin, end = sorted(min(cut, len(steps)) for cut in cuts)
    table = running.between(begin, end + 1)
    assert np.array_equal(table.tp, tp[begin : end + 1])
    assert np.array_equal(table.fp, fp[begin : end + 1])
    assert np.array_equal(table.fn, tp[-1] - tp[begin : end + 1])
    assert np.array_equal(table.tn, fp[-1] - fp[begin : end + 1])


DECIMALS = st.lists(
    st.tuples(
        st.booleans(),
        st.sampled_from([-math.inf, -1.0, 0.0, 0.3, 0.7, 2.0, math.inf]),
        st.sampled_from(["0.1", "0.2", "0.3", "0.7", "1.1", "2.5"]).map(Fraction),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(
    rows=DECIMALS,
    share=st.sampled_from([0.1, 0.25, 0.3, 0.6, 0.7, 0.9, 1.0]),
    room=st.sampled_from([0, 0.3, 1, 3.3]),
)
def test_decimal_weights_and_infinite_scores_as_written(rows, share, room):
    """Three weights of 0.1 are 0.3: they fit, are enough and tie, as the decimals do and floats would not."""
    data = assay.rows(
        actual=[int(one[0]) for one in rows], score=[one[1] for one in rows], labels=[0, 1], positive=1,
        weight=[float(one[2]) for one in rows],
    )  # fmt: skip
    enough = brute_force_thresholds.exact(share)
    # A cutoff of infinity leaves out no row that scores infinity.
    highest = max(one[1] for one in rows)
    called = lambda c: c["tp"] + c["fp"]  # noqa: E731
    cases = [
        ({"max_positive_rate": share}, called, False, lambda c: called(c) / sum(c.values()) <= enough),
        ({"capacity": room}, called, False, lambda c: called(c) <= brute_force_thresholds.exact(room)),
        ({"cost_fp": 0.1, "cost_fn": 0.3}, lambda c: brute_force_thresholds.cost(c, 0.1, 0.3), True, None),
    ]
    if any(one[0] for one in rows):
        cases += [
            ({"min_recall": share}, lambda c: c["fp"], True, lambda c: brute_force_thresholds.recall(c) >= enough),
            (
                {"min_precision": share}, lambda c: c["tp"], False,
                lambda c: brute_force_thresholds.precision(c) is not None and brute_force_thresholds.precision(c) >= enough,
            ),
            ({"best": "f1"}, lambda c: brute_force_thresholds.f_beta(c, 1), False, None),
        ]  # fmt: skip
    if len({one[0] for one in rows}) == 2:
        cases.append(({"equal_error": True}, brute_force_thresholds.difference_of_errors, True, None))
    for criterion, value, lowest, allowed in cases:
        indices = brute_force_thresholds.cutoffs(rows)[int(highest == math.inf) :]
        found = [
            (cutoff, value(c))
            for cutoff in indices
            if value(c := brute_force_thresholds.counts(rows, cutoff)) is not None
            and (allowed is None or allowed(c))
        ]
        if not found:
            with pytest.raises(assay.MetricError):
                choose_threshold(data, **criterion)
            continue
        best = (min if lowest else max)(figure for _, figure in found)
        tied = [cutoff for cutoff, figure in found if figure == best]
        chosen = choose_threshold(data, **criterion)
        assert (chosen.threshold, chosen.ties) == (tied[0], len(tied)), criterion


def test_numbers_are_made_whole_or_left():
    """Up to four decimals; not where sums would pass what floats count exactly."""
    assert to_whole_units(np.array([1.0, 3.0]), 2)[1] == 1
    assert to_whole_units(np.array([0.0001, 3.0]), 2)[1] == 10_000
    for odd in ([1 / 3], [0.00001], [2.0**52, 0.5]):
        kept, unit = to_whole_units(np.array(odd), 10)
        assert (kept.tolist(), unit) == (odd, 1)


def test_costs_of_any_kind_of_number():
    """Fractions and NumPy's numbers are numbers; what is too large, or nothing at all, is refused."""
    rows = many(50)
    plain = choose_threshold(rows, cost_fp=0.25, cost_fn=3)
    for fp, fn in ((Fraction(1, 4), 3), (np.float32(0.25), np.int64(3)), (1e98, 1.2e99), (1e-98, 1.2e-97)):
        assert choose_threshold(rows, cost_fp=fp, cost_fn=fn).threshold == plain.threshold
    for costs in ((1e101, 1), ([1e101] * 50, 1)):
        with pytest.raises(assay.AssayError, match="state costs in a larger unit"):
            choose_threshold(rows, cost_fp=costs[0], cost_fn=costs[1])
    with pytest.raises(assay.MetricError, match="both errors cost nothing on every row"):
        choose_threshold(rows, cost_fp=[0] * 50, cost_fn=0)


def test_the_luck_of_many_scores_is_that_of_their_neighbours_put_together(monkeypatch):
    """Forty thousand scores as they are, or 16,384 together, differ by less than other draws do."""
    rows = many(40_000)
    together = [optimism(rows, best="youden", replicates=60, seed=seed) for seed in range(3)]
    monkeypatch.setattr(selection_optimism, "_MAX_CUTOFFS", 1 << 30)
    alone = [optimism(rows, best="youden", replicates=60, seed=seed) for seed in range(3)]
    assert {one.apparent for one in together} == {one.apparent for one in alone}
    draws = [one.optimism for one in alone]
    mean = np.mean(draws)
    spread = np.std([*draws, *(one.optimism for one in together)], ddof=1)
    assert abs(np.mean([one.optimism for one in together]) - mean) < 3 * spread
    assert np.mean([one.low for one in together]) == pytest.approx(
        np.mean([one.low for one in alone]), abs=0.03
    )


@pytest.mark.parametrize("kind", ["plain", "amounts"])
def test_folds_of_distinct_and_of_tied_scores_are_dealt_alike(kind):
    """Rows that are entries of their own are dealt by another way than counts, to the same folds."""
    rows = many(600)
    amounts = Amounts(1.0, np.arange(600) / 4) if kind == "amounts" else None
    sample = Sample.of(rows, amounts)
    parts = selection_optimism._folds(sample, 5, seed=1)
    assert parts.dtype == np.uint8
    assert (parts.sum(0) == [sample.tally.positives, sample.tally.negatives]).all()
    twice = assay.rows(
        actual=np.tile(np.asarray(rows.actual.values), 2), score=np.tile(np.asarray(rows.score.values), 2)
    )
    doubled = selection_optimism._folds(Sample.of(twice), 5, seed=1)
    assert (doubled.sum(0) == 2 * (parts.sum(0) if kind == "plain" else doubled.sum(0) // 2)).all()
    assert cross_fitted(rows, best="f1", folds=5).counts.n == 600


def test_precision_that_was_promised_is_kept_where_scores_rank():
    """Where precision rises with the score, the threshold that was chosen by its limit keeps it, too."""
    random, kept, samples = np.random.default_rng(3), 0, 300
    for _ in range(samples):
        actual = random.random(400) < 0.5
        score = np.where(actual, random.random(400), random.random(400) ** 2)
        try:
            found = choose_threshold(
                assay.rows(actual=actual, score=score), min_precision=0.6, confidence=0.9
            )
        except assay.MetricError:  # nothing was promised
            kept += 1
            continue
        root = math.sqrt(found.threshold)
        kept += (1 + root) / (2 + root) >= 0.6
    assert kept / samples >= 0.9 - 2 * math.sqrt(0.09 / samples)


def test_a_specificity_that_was_promised_is_kept():
    """Chosen on 80 negatives to have specificity 0.8 at 90% confidence, it has it in 90% of samples."""
    random, kept, samples = np.random.default_rng(4), 0, 400
    for _ in range(samples):
        score = np.concatenate([random.random(80), random.random(80) + 0.2])
        found = choose_threshold(
            assay.rows(actual=[0] * 80 + [1] * 80, score=score), min_specificity=0.8, confidence=0.9
        )
        kept += min(found.threshold, 1.0) >= 0.8
    assert kept / samples >= 0.9 - 2 * math.sqrt(0.09 / samples)


def test_a_float32_tally_is_cut_as_its_numbers_are():
    """The float32 next to 0.7 lies below 0.7."""
    rows = assay.rows(actual=[0, 1, 1], score=np.array([0.2, 0.7, 0.9], dtype=np.float32))
    assert evaluate_threshold(rows, 0.7, best="recall").counts.tp == 1
    assert evaluate_threshold(rows, float(np.float32(0.7)), best="recall").counts.tp == 2
