"""Influences on errors, mean losses, ranked lists and rank correlations: numeric slopes, second ways, laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracles import regression_influence
from support.r_figures import check_values
from support.regression_rows import NONE, OPTIONS, ROW_LOSSES, SCORED, numbers, of_classes, of_views

import assay
from assay.inference.influence.influence import influence
from assay.inference.influence.rank_correlation import each_agreement
from assay.inference.influence.row_means import query_values
from assay.metrics import find

NUMBERS = of_views("Errors", "Scaled", "Explained", "Ranged")


def numeric(name, columns, weight, options):
    """The slope by each row's weight, of weights that keep their sum: central differences."""
    slopes = []
    for row in range(len(weight)):
        ends = []
        for step in (-1e-5, 1e-5):
            moved = weight.copy()
            moved[row] += step
            moved *= weight.sum() / moved.sum()
            ends.append(float(find(name)(assay.rows(**columns, weight=moved), **options)))
        slopes.append((ends[1] - ends[0]) / 2e-5)
    return np.array(slopes)


@pytest.mark.parametrize("name", [*NUMBERS, *ROW_LOSSES, *SCORED])
def test_influence_is_the_slope_by_weight(name):
    """Of every metric of numbers and of every mean loss; slopes times weights add up to 0."""
    if name in SCORED:
        columns, weight = of_classes(name)
    else:
        actual, predicted, weight = numbers()
        columns = {"actual": actual, "predicted": predicted}
    options = OPTIONS.get(name, {})
    rows = assay.rows(**columns, weight=weight)
    found = influence(find(name), rows, **options)
    assert found.value == find(name)(rows, **options)
    size = np.abs(found.slopes).max()
    assert size > 0
    assert found.slopes == pytest.approx(numeric(name, columns, weight, options), abs=1e-7 * size)
    assert found.parts.sum() == pytest.approx(0, abs=1e-14 * np.abs(found.parts).sum())


@pytest.mark.parametrize(
    "name", [one for one in (*NUMBERS, *ROW_LOSSES, *SCORED) if not find(one).depends_on_n]
)
def test_a_weight_of_two_is_two_rows(name):
    """Value and slopes; the variance differs, since one row twice is less than two rows."""
    columns, weight = of_classes(name) if name in SCORED else ({}, None)
    if weight is None:
        columns = dict(zip(("actual", "predicted"), numbers()[:2], strict=True))
    times = np.arange(len(columns["actual"])) % 3 + 1
    options = OPTIONS.get(name, {})
    weighted = influence(find(name), assay.rows(**columns, weight=times.astype(float)), **options)
    repeated = influence(
        find(name),
        assay.rows(**{role: np.repeat(x, times, axis=0) for role, x in columns.items()}),
        **options,
    )
    assert weighted.value == pytest.approx(repeated.value, rel=1e-14)
    size = np.abs(repeated.slopes).max()
    assert np.repeat(weighted.slopes, times) == pytest.approx(repeated.slopes, abs=1e-13 * size)
    assert weighted.variance > repeated.variance


@pytest.mark.parametrize("name", sorted(NONE))
def test_extremes_and_quantiles_have_no_influence(name):
    """Their slope by one row is 0 or without a bound."""
    actual, predicted, _ = numbers()
    assert influence(find(name), assay.rows(actual=actual, predicted=predicted)) is None


def test_errors_are_those_of_o25():
    """RMSE, R², explained variance and concordance; the ratio of errors to truth by its own formula."""
    inputs, expected = check_values(25)
    rows = assay.rows(actual=inputs["y"], predicted=inputs["yhat"])
    for name, short in (("rmse", "rmse"), ("r2", "r2"), ("explained_variance", "ev"), ("ccc", "ccc")):
        found = influence(find(name), rows)
        assert found.value == pytest.approx(expected[short], rel=1e-12)
        assert found.standard_error == pytest.approx(expected[f"if_se_{short}"], rel=1e-12)
    y, e = np.array(inputs["y"]), np.array(inputs["y"]) - np.array(inputs["yhat"])
    residuals = (np.abs(e) - expected["wape"] * y) / y.mean()
    assert influence(find("wape"), rows).standard_error == pytest.approx(math.sqrt((residuals**2).sum()) / 8)


columns_of_rows = st.lists(
    st.tuples(st.integers(-20, 20), st.integers(-20, 20), st.integers(1, 5)), min_size=3, max_size=15
)


@pytest.mark.parametrize("name", regression_influence.ERRORS)
@settings(deadline=None)
@given(columns_of_rows)
def test_influence_is_that_of_the_written_out_formula(name, rows):
    """A second way to four of them, for any rows and weights."""
    y, p, w = (np.array(column, float) for column in zip(*rows, strict=True))
    if len(set(y)) < 2 or (y == p).all():
        return
    value, slopes = regression_influence.ERRORS[name](y, p, w)
    found = influence(find(name), assay.rows(actual=y, predicted=p, weight=w))
    assert found.value == pytest.approx(value, abs=1e-12 * (1 + abs(value)))
    scale = np.abs(slopes).max() + abs(value) + abs(1 - value)  # the terms that cancel are as large
    assert found.slopes * w.sum() == pytest.approx(slopes, abs=1e-11 * scale)


@pytest.mark.parametrize("name", of_views("Errors"))
def test_numbers_far_from_0_lose_nothing(name):
    """The same rows a hundred million further on, which squares of plain numbers could not tell apart."""
    rng = np.random.default_rng(1)
    actual = rng.integers(0, 64, 40) / 16
    predicted = actual + rng.integers(-8, 9, 40) / 16
    options = OPTIONS.get(name, {})
    near, far = (
        influence(find(name), assay.rows(actual=actual + shift, predicted=predicted + shift), **options)
        for shift in (0.0, 2.0**27)
    )
    changing = {"cosine_similarity", "rmse_over_mean", "kling_gupta", "theil_u1", "theil_u2"}
    if name in changing:
        weight = np.ones(40)
        columns = {"actual": actual + 2.0**27, "predicted": predicted + 2.0**27}
        if name == "cosine_similarity":  # so close to 1 that it cannot vary
            assert far.standard_error < 1e-15
            return
        slopes = numeric(name, columns, weight, options)
        assert far.slopes == pytest.approx(slopes, rel=1e-4, abs=1e-4 * np.abs(slopes).max())
        return
    assert far.value == pytest.approx(near.value, rel=1e-15)
    assert far.slopes == pytest.approx(near.slopes, abs=1e-13 * np.abs(near.slopes).max())


@pytest.mark.parametrize("name", of_views("Errors"))
def test_perfect_predictions_have_no_spread(name):
    """Whatever the rows' weights, the value stays; no division by nothing."""
    found = (
        influence(find(name), assay.rows(actual=[1.0, 2.0, 4.0], predicted=[1.0, 2.0, 4.0]), scale=1)
        if (name == "mase")
        else influence(find(name), assay.rows(actual=[1.0, 2.0, 4.0, 5.0], predicted=[1.0, 2.0, 4.0, 5.0]))
    )
    if name == "rpd":  # infinitely good
        assert found is None
    else:
        assert found.variance == 0


def test_sums_alone_have_no_units():
    """A tally of moments, or of losses, does not tell its rows apart."""
    rows = assay.rows(actual=[1.0, 2.0, 4.0], predicted=[1.5, 2.0, 3.0])
    assert influence(find("r2"), assay.Moments.of(rows)) is None
    assert influence(find("huber"), find("huber").tally(rows)) is None


@pytest.mark.parametrize("name", ["brier", "root_brier", "log_loss"])
def test_a_score_tally_has_the_influence_of_its_rows(name):
    """Its entries stand for their rows, weighted or not."""
    columns, _ = of_classes(name)
    columns = {role: np.tile(column, 2) for role, column in columns.items()}
    for weight in (None, np.arange(24) % 3 + 0.5):
        rows = assay.rows(**columns, **({} if weight is None else {"weight": weight}))
        one, all_rows = (influence(find(name), data) for data in (assay.Scores.of(rows), rows))
        assert one.value == all_rows.value
        for figure in ("variance", "acceleration", "effective_sample_size"):
            assert getattr(one, figure) == pytest.approx(getattr(all_rows, figure), rel=1e-12)
        assert one.parts.sum() == pytest.approx(0, abs=1e-15)


def test_infinite_losses_have_no_influence():
    """Nor has a row without a loss."""
    assert influence(find("log_loss"), assay.rows(actual=[1, 0], score=[0.0, 0.5])) is None
    assert influence(find("mape"), assay.rows(actual=[1.0, 0.0], predicted=[1.0, 1.0])) is None


@pytest.mark.parametrize("name", of_views("Lists"))
def test_a_query_moves_the_mean_by_its_distance(name):
    """One more query like it: its slope, over one query more."""
    actual, predicted = [[1, 2], [3], [2, 5, 6], []], [[1, 3, 2], [1, 2, 4], [5, 2, 1], [1, 2, 3]]
    metric = find(name)
    once = assay.Queries.of_lists(actual=actual, predicted=predicted)
    found, values = influence(metric, once, k=2), query_values(metric, once, {"k": 2})
    assert found.value == metric(once, k=2)
    assert found.parts.sum() == pytest.approx(0, abs=1e-15)
    moved = []
    for query in range(4):
        more = assay.Queries.of_lists(
            actual=[*actual, actual[query]], predicted=[*predicted, predicted[query]]
        )
        moved.append(float(metric(more, k=2)) - found.value)
    n = found.mass.sum()
    assert n == (~np.isnan(values)).sum()
    assert sorted(moved) == pytest.approx(sorted(found.slopes * found.mass * n / (n + 1)), abs=1e-15)


def test_query_figures_are_those_of_the_rows():
    """The unit is the query, whether it comes as rows or as a tally."""
    rows = assay.rows(
        actual=[1, 0, 0, 1, 1, 0], score=[3, 2, 1, 3, 4, 5], query=["a", "a", "b", "b", "c", "c"]
    )
    by_rows, by_tally = (influence(find("ndcg"), data) for data in (rows, assay.Queries.of(rows)))
    assert by_rows.slopes.tolist() == by_tally.slopes.tolist()
    assert len(by_rows.slopes) == 3


@pytest.mark.parametrize("name", regression_influence.PAIRS)
@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=12))
def test_rank_influence_is_the_slope_by_weight(name, rows):
    """Against weighted pairs of rows one by one, with ties of every kind."""
    y, p = (np.array(column, float) for column in zip(*rows, strict=True))
    if len(set(y)) < 2 or len(set(p)) < 2:
        return
    second_way = regression_influence.PAIRS[name]
    data = assay.rows(actual=y, predicted=p)
    found = influence(find(name), data)
    assert found.value == pytest.approx(second_way(y, p, np.ones(len(y))), abs=1e-14)
    assert found.parts.sum() == pytest.approx(0, abs=1e-14)
    for row in range(len(y)):
        ends = []
        for step in (-1e-5, 1e-5):
            weight = np.ones(len(y))
            weight[row] += step
            ends.append(second_way(y, p, weight))
        assert found.slopes[row] == pytest.approx((ends[1] - ends[0]) / 2e-5, abs=1e-7)
    entries = influence(find(name), assay.NumberPairs.of(data))
    assert entries.variance == pytest.approx(found.variance, rel=1e-12, abs=1e-18)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=60))
def test_each_row_agrees_as_often_as_counted(rows):
    """Entry by entry against all other rows."""
    y, p = (np.array(column, float) for column in zip(*rows, strict=True))
    tally = assay.NumberPairs.of(assay.rows(actual=y, predicted=p))
    each = each_agreement(tally)
    for place, (a, b) in enumerate(zip(tally.actual, tally.predicted, strict=True)):
        product = np.sign(y - a) * np.sign(p - b)
        expected = (
            (product > 0).sum(), (product < 0).sum(),
            ((y == a) & (p != b)).sum(), ((y != a) & (p == b)).sum(), ((y == a) & (p == b)).sum(),
        )  # fmt: skip
        assert tuple(one[place] for one in each) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "ties"), [(name, ties) for name in regression_influence.PAIRS for ties in (0, 1)]
)
def test_rank_variance_is_that_of_repeated_samples(name, ties):
    """1,000 samples of 80 rows: the mean of the estimated variances is the variance of the values."""
    rng = np.random.default_rng(12)
    values, variances = [], []
    for _ in range(1_000):
        y = rng.normal(size=80)
        p = y + rng.normal(size=80)
        if ties:
            y, p = np.round(y), np.round(p)
        found = influence(find(name), assay.rows(actual=y, predicted=p))
        values.append(found.value)
        variances.append(found.variance)
    assert np.mean(variances) == pytest.approx(np.var(values), rel=0.12)


def test_concordance_of_two_classes_is_the_area_of_delong():
    """Its influence is that of placements, so its variance DeLong's with n where that has n - 1."""
    rng = np.random.default_rng(8)
    y, score = np.repeat([0, 1], [30, 20]), rng.normal(size=50) + np.repeat([0, 1], [30, 20])
    found = influence(find("concordance_index"), assay.rows(actual=y.astype(float), predicted=score))
    placements = (
        (score[y == 1][:, None] > score[y == 0]).mean(1),
        (score[y == 1][:, None] > score[y == 0]).mean(0),
    )
    assert found.variance == pytest.approx(placements[0].var() / 20 + placements[1].var() / 30, rel=1e-12)
