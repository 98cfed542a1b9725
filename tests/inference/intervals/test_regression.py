"""Intervals of errors, mean losses, ranked lists and order statistics: check values, laws, coverage."""

import math

import numpy as np
import pytest
from support.oracles import regression_influence
from support.oracles.quadratic_form import jackknife_df
from support.r_figures import agrees, check_values
from support.regression_rows import OPTIONS, ROW_LOSSES, SCORED, numbers, of_classes, of_views

import assay
from assay.inference.distributions import student_quantile
from assay.inference.formulas.delta import delta_interval
from assay.inference.formulas.means import order_interval
from assay.inference.formulas.proportions import modified_wilson
from assay.metrics import find

NUMBERS = of_views("Errors", "Scaled", "Explained", "Ranged")


def columns_for(name, n=40):
    if name in SCORED:
        return of_classes(name, n)[0]
    actual, predicted, _ = numbers(n)
    return {"actual": actual, "predicted": predicted}


def limits(found):
    return found.low, found.high


def test_student_and_order_statistics_are_those_of_o25():
    """The mean absolute error from rows and from sums; the median with the coverage of its ranks."""
    inputs, expected = check_values(25)
    rows = assay.rows(actual=inputs["y"], predicted=inputs["yhat"])
    for data in (rows, assay.Moments.of(rows)):
        found = assay.estimate("mae", data)
        assert found.method == "Student's t"
        assert found.standard_error == pytest.approx(expected["mae_se"], rel=1e-12)
        assert agrees(limits(found), expected, "mae_t")
    scaled = assay.estimate("mase", rows, scale=0.42)
    assert limits(scaled) == pytest.approx([x / 0.42 for x in limits(assay.estimate("mae", rows))], rel=1e-12)
    middle = assay.estimate("median_absolute_error", rows)
    assert agrees(limits(middle), expected, "medae_ci")
    assert (middle.method, middle.note) == ("order statistics", "the ranks cover 99.2%")


def test_normal_intervals_are_those_of_o25():
    """By their names, from sums alone."""
    inputs, expected = check_values(25)
    tally = assay.Moments.of(assay.rows(actual=inputs["y"], predicted=inputs["yhat"]))
    assert agrees(limits(assay.estimate("rmse", tally, method="chi-square")), expected, "rmse_chi2")
    lin = assay.estimate("ccc", tally, method="lin")
    assert agrees(limits(lin), expected, "lin_ccc")
    assert lin.standard_error == pytest.approx(expected["lin_ccc_se"], rel=1e-12)


def test_the_delta_method_takes_the_influence_and_students_t():
    """On the scale of the bounds, with as many degrees of freedom as the squared influences have, below n."""
    inputs, expected = check_values(25)
    rows = assay.rows(actual=inputs["y"], predicted=inputs["yhat"])
    for name, short in (("rmse", "rmse"), ("r2", "r2"), ("explained_variance", "ev"), ("ccc", "ccc")):
        error = expected[f"if_se_{short}"] * math.sqrt(8 / 7)
        found = assay.estimate(name, rows)
        assert found.standard_error == pytest.approx(error, rel=1e-12)
        _, slopes = regression_influence.ERRORS[name](
            *map(np.array, (inputs["y"], inputs["yhat"])), np.ones(8)
        )
        kurtosis = (slopes**4).mean() / (slopes**2).mean() ** 2
        df = min(7, 16 / (kurtosis - 1))
        low, high = delta_interval(expected[short], error, find(name).bounds, df=df)
        assert limits(found) == pytest.approx((low, high), rel=1e-11)
    assert assay.estimate("r2", rows).high < 1


def test_mean_losses_are_those_of_o18():
    """Log loss and Brier score, from rows, from scores and from losses."""
    inputs, expected = check_values(18)
    rows = assay.rows(actual=inputs["y"], score=inputs["p"])
    for name in ("log_loss", "brier"):
        tallies = assay.Scores.of(rows), find(name).tally(rows)
        for data in (rows, *tallies):
            found = assay.estimate(name, data, method="student")
            assert found.standard_error == pytest.approx(expected[f"{name}_se"], rel=1e-12)
            reach = student_quantile(0.95, 13) * expected[f"{name}_se"]
            assert found.high == pytest.approx(expected[name] + reach, rel=1e-12)


@pytest.mark.parametrize(
    "name", [*NUMBERS, *ROW_LOSSES, *SCORED, *of_views("ValuePairs"), *of_views("AbsoluteErrors")]
)
def test_every_interval_holds_its_value_within_the_bounds(name):
    """With weights and groups as well, at any confidence."""
    columns, options = columns_for(name), OPTIONS.get(name, {})
    more = {"weight": numbers(40)[2], "group": np.arange(40) // 3}
    if name in of_views("ValuePairs"):
        del more["weight"]
    least, largest = find(name).bounds
    for kind in ({}, *({role: column} for role, column in more.items()), more):
        rows = assay.rows(**columns, **kind)
        found = assay.estimate(name, rows, **options)
        wide = assay.estimate(name, rows, confidence=0.99, **options)
        if found.low is None:
            assert name == "quantile_error"
            assert "too few rows" in found.note
            continue
        assert found.value == find(name)(rows, **options)
        assert least <= found.low < found.value < found.high <= largest
        assert wide.low is None or (wide.low <= found.low and wide.high >= found.high)
        assert found.method
        assert (found.groups == 14) == ("group" in kind) or name in of_views("AbsoluteErrors")


@pytest.mark.parametrize("name", [*NUMBERS, *ROW_LOSSES, *SCORED, *of_views("ValuePairs")])
def test_a_group_of_one_row_is_a_row(name):
    """As many groups as rows: the same limits to the last digits, and a design effect of n / (n - 1).

    Shares and losses of probabilities have Student's t beside groups and none beside rows: nearly the same.
    """
    columns, options = columns_for(name), OPTIONS.get(name, {})
    alone = assay.estimate(name, assay.rows(**columns), **options)
    grouped = assay.estimate(name, assay.rows(**columns, group=np.arange(40)[::-1]), **options)
    if alone.method.startswith(("Wilson", "modified", "Bayesian")):
        spans = [found.high - found.low for found in (grouped, alone)]
        assert 1 <= spans[0] / spans[1] < 1.12
        return
    assert limits(grouped) == pytest.approx(limits(alone), rel=1e-10)
    assert grouped.design_effect == pytest.approx(40 / 39, rel=1e-10)


@pytest.mark.parametrize("name", [*NUMBERS, *ROW_LOSSES, *SCORED, "median_absolute_error"])
def test_a_common_factor_of_weights_changes_nothing(name):
    """Equal weights are none, but for the corrected R² and RPD, which count the weights as rows."""
    columns, options = columns_for(name), OPTIONS.get(name, {})
    if name in ("adjusted_r2", "rpd"):
        return
    plain = assay.estimate(name, assay.rows(**columns), **options)
    even = assay.estimate(name, assay.rows(**columns, weight=np.full(40, 0.25)), **options)
    assert limits(even) == pytest.approx(limits(plain), rel=1e-12)
    weight = numbers(40)[2]
    once, twice = (assay.estimate(name, assay.rows(**columns, weight=k * weight), **options) for k in (1, 3))
    assert limits(once) == pytest.approx(limits(twice), rel=1e-9)


def test_clusters_are_summed_before_they_are_squared():
    """R², against the written-out influence and a loop over groups."""
    actual, predicted, weight = numbers(30)
    group = np.array(list("abcde"))[np.arange(30) % 5]
    value, slopes = regression_influence.r2(actual, predicted, weight)
    sums = [sum((slopes * weight)[group == one]) / weight.sum() for one in "abcde"]
    shares = [weight[group == one].sum() / weight.sum() for one in "abcde"]
    error = math.sqrt(4 / 5 * sum((x / (1 - share)) ** 2 for x, share in zip(sums, shares, strict=True)))
    found = assay.estimate("r2", assay.rows(actual=actual, predicted=predicted, weight=weight, group=group))
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    df = 2 / (sum(x**4 for x in sums) / sum(x * x for x in sums) ** 2 - 1 / 5)
    squares = [(weight[group == one] ** 2).sum() for one in "abcde"]
    effective = sum(squares) ** 2 / sum(x * x for x in squares)
    own = np.array(squares) / sum(squares) / np.square(shares)  # were rows alone; times the rows' number
    alone, rows = np.square(slopes * weight).sum() / weight.sum() ** 2, weight.sum() ** 2 / sum(squares)
    icc = np.clip((error**2 / alone - 1) / (rows * np.square(shares).sum() - 1), 0, 1)
    df = min(effective - 1, df, jackknife_df(shares, icc + (1 - icc) * own / rows))
    expected = delta_interval(value, error, (-math.inf, 1), df=df)
    assert limits(found) == pytest.approx(expected, rel=1e-11)


def test_losses_of_0_and_1_are_a_share():
    """Wilson on the count: top-k accuracy, and queries with a hit."""
    rows = assay.rows(**of_classes("top_k_accuracy", 40)[0])
    found = assay.estimate("top_k_accuracy", rows, k=1)
    assert limits(found) == modified_wilson(round(found.value * 40), 40)
    lists = assay.Queries.of_lists(actual=[[1], [2], [3], []], predicted=[[1, 2], [3, 2], [1, 2], [1]])
    hits = assay.estimate("hit_rate", lists, k=2)
    assert (hits.method, limits(hits)) == ("modified Wilson", modified_wilson(2, 4))
    # Left out, the query without a relevant item has no say.
    skipped = assay.estimate("hit_rate", lists, k=2, empty="skip")
    assert (skipped.method, limits(skipped), skipped.n) == ("modified Wilson", modified_wilson(2, 3), 3)


def test_queries_are_the_unit():
    """Student's t over their values, or over groups of them; a query belongs to one group."""
    rng = np.random.default_rng(5)
    query = np.repeat(np.arange(12), 6)
    columns = {"actual": rng.integers(0, 3, 72), "score": rng.normal(size=72), "query": query}
    values = [
        find("ndcg")(assay.rows(**{role: column[query == one] for role, column in columns.items()}))
        for one in range(12)
    ]
    found = assay.estimate("ndcg", assay.rows(**columns))
    reach = student_quantile(0.95, 11) * np.std(values, ddof=1) / math.sqrt(12)
    assert limits(found) == pytest.approx(
        (np.mean(values) - reach, min(np.mean(values) + reach, 1)), rel=1e-12
    )
    assert (found.n, found.method) == (12, "Student's t")
    grouped = assay.estimate("ndcg", assay.rows(**columns, group=query // 3))
    sums = (np.array(values) - np.mean(values)).reshape(4, 3).sum(1) / 12
    assert grouped.standard_error == pytest.approx(math.sqrt(4 / 3 * (sums**2).sum()), rel=1e-12)
    assert grouped.groups == 4
    with pytest.raises(assay.MetricError, match="a query lies in two groups"):
        assay.estimate("ndcg", assay.rows(**columns, group=np.arange(72) % 5))


def test_sums_that_do_not_tell_the_spread_say_so():
    """Moments hold squared errors, so the spread of errors and of their sizes, but no fourth powers."""
    actual, predicted, weight = numbers(30)
    rows = assay.rows(actual=actual, predicted=predicted)
    tally = assay.Moments.of(rows)
    for name in ("mean_error", "mae"):
        found, plain = assay.estimate(name, tally), assay.estimate(name, rows, method="student")
        assert limits(found) == limits(plain)
        assert "skewness of the losses" in found.note
    for name in ("mse", "rmse", "r2", "pearson", "squared_correlation"):
        found = assay.estimate(name, tally)
        assert found.low is None
        assert "pass the rows" in found.note
    weighted = assay.Moments.of(assay.rows(actual=actual, predicted=predicted, weight=weight))
    assert "pass the rows" in assay.estimate("mae", weighted).note


def test_a_mean_and_its_root_have_the_same_limits():
    """Squared: RMSE and MSE, RMSLE and MSLE, from rows and from a tally of losses; there with n - 1 degrees."""
    actual, predicted, _ = numbers(30)
    rows = assay.rows(actual=actual, predicted=predicted)
    for mean, root in (("mse", "rmse"), ("msle", "rmsle")):
        low, high = limits(assay.estimate(root, rows))
        assert limits(assay.estimate(mean, rows)) == pytest.approx((low**2, high**2), rel=1e-12)
    low, high = limits(assay.estimate("rmsle", find("rmsle").tally(rows)))
    assert limits(assay.estimate("msle", find("msle").tally(rows))) == pytest.approx(
        (low**2, high**2), rel=1e-12
    )
    error = assay.estimate("rmsle", rows).standard_error
    value = find("rmsle")(rows)
    assert (low, high) == pytest.approx(delta_interval(value, error, (0, math.inf), df=29), rel=1e-12)


def test_rows_that_show_no_spread():
    """Within bounds, what holds for any losses; else none, and why."""
    even = assay.estimate("brier", assay.rows(actual=[0, 1] * 500, score=[0.5] * 1000))
    assert (even.method, even.note) == ("empirical Bernstein", "all rows are alike")
    assert limits(even) == pytest.approx((0.25 - 3 * math.log(60) / 1000, 0.25 + 3 * math.log(60) / 1000))
    same = assay.rows(actual=[1.0, 2.0, 4.0], predicted=[2.0, 3.0, 5.0])
    for name, said in (("mae", "all rows are alike"), ("error_deviation", "no spread")):
        found = assay.estimate(name, same)
        assert (found.low, found.high) == (None, None)
        assert said in found.note
    # Constant predictions explain nothing, whatever the weights: not an interval as thin as rounding.
    flat = assay.estimate("explained_variance", assay.rows(actual=[0.1, 0.7, 0.4, 13], predicted=[0.3] * 4))
    assert (flat.value, flat.low) == (0, None)
    single = assay.estimate("mae", assay.rows(actual=[1.0], predicted=[2.0]))
    assert (single.low, single.note) == (None, "a single row shows no spread")


@pytest.mark.parametrize(
    ("name", "rows", "said"),
    [
        ("log_loss", {"actual": [1, 0, 1], "score": [0.0, 0.5, 0.5]}, "1 of 3 rows have an infinite loss"),
        ("max_error", {"actual": [1.0, 2.0], "predicted": [2.0, 2.0]}, "most extreme"),
        ("rmse_over_range", {"actual": [1.0, 2.0], "predicted": [2.0, 2.0]}, "the smallest and the largest"),
        ("rpd", {"actual": [1.0, 2.0], "predicted": [1.0, 2.0]}, "infinite"),
        ("median_absolute_error", {"actual": [1.0] * 5, "predicted": [2.0] * 5}, "too few rows"),
        ("r2", {"actual": [1.0, 2.0], "predicted": [1.0, 2.0]}, "no spread"),
        ("mae", {"actual": [1.0, 2.0], "predicted": [3.0, 3.0], "group": ["a", "a"]}, "one group"),
        ("rmse", {"actual": [1.0, 2.0], "predicted": [3.0, 3.0], "group": ["a", "a"]}, "one group"),
    ],
)
def test_where_there_is_no_interval_the_reason_is_said(name, rows, said):
    """A value without limits."""
    found = assay.estimate(name, assay.rows(**rows))
    assert (found.low, found.high) == (None, None)
    assert said in found.note


def test_intervals_for_any_losses_within_bounds():
    """By their names; not for what has no bound."""
    rows = assay.rows(**of_classes("brier", 200)[0])
    thin, wide = (assay.estimate("brier", rows, method=method) for method in ("bernstein", "hoeffding"))
    assert thin.low <= thin.value <= thin.high
    assert wide.high - wide.low == pytest.approx(2 * math.sqrt(math.log(40) / 400))
    actual, predicted, _ = numbers()
    found = assay.estimate("mae", assay.rows(actual=actual, predicted=predicted), method="bernstein")
    assert (found.low, found.note) == (None, "the method does not apply to rows like these")


def test_a_squared_correlation_is_judged_by_the_correlation():
    """An interval of r that holds 0 gives one from 0, whatever the slope there."""
    rng = np.random.default_rng(2)
    actual = rng.normal(size=30)
    rows = assay.rows(actual=actual, predicted=rng.normal(size=30))
    plain, square = (assay.estimate(name, rows) for name in ("pearson", "squared_correlation"))
    assert plain.low < 0 < plain.high
    assert limits(square) == (0, pytest.approx(max(plain.low**2, plain.high**2)))
    rows = assay.rows(actual=actual, predicted=rng.normal(size=30) - 2 * actual)
    plain, square = (assay.estimate(name, rows) for name in ("pearson", "squared_correlation"))
    assert limits(square) == pytest.approx((plain.high**2, plain.low**2))


@pytest.mark.parametrize("kind", ["plain", "weighted", "grouped"])
def test_skewed_losses_lose_their_skewness(kind):
    """Hall's cubic function of Student's ratio is at the quantiles where the mean is at the limits."""
    rng = np.random.default_rng(9)
    actual, weight, group = np.exp(rng.normal(size=60)), rng.uniform(0.5, 2, 60), np.arange(60) % 12
    more = {"plain": {}, "weighted": {"weight": weight}, "grouped": {"group": group}}[kind]
    found = assay.estimate("mae", assay.rows(actual=actual, predicted=np.zeros(60), **more))
    assert found.method == "Student's t, skewness removed"
    weight = weight if kind == "weighted" else np.ones(60)
    parts = weight * (actual - found.value) / weight.sum()
    n = weight.sum() ** 2 / (weight**2).sum()
    if kind == "grouped":
        parts, n = np.bincount(group, parts), 12
    skewness = (parts**3).sum() / (parts**2).sum() ** 1.5  # over the root of n
    error = math.sqrt((parts**2).sum() * n / (n - 1))
    if kind == "weighted":  # heavy rows pull the mean to themselves
        error = math.sqrt(59 / 60 * ((parts / (1 - weight / weight.sum())) ** 2).sum())
    ratios = [(found.value - end) / error for end in limits(found)]
    turned = [t + skewness / 3 * t**2 + skewness**2 / 27 * t**3 + skewness / 6 for t in ratios]
    df = jackknife_df(weight, np.ones(60)) if kind == "weighted" else n - 1
    quantile = student_quantile(0.95, df)
    assert turned == pytest.approx([quantile, -quantile], rel=1e-9)
    assert found.high - found.value > found.value - found.low


def test_what_hangs_on_quantiles_is_bootstrapped():
    """A range of quantiles has no slope: its interval is the bootstrap's, by whole groups where there are."""
    rng = np.random.default_rng(4)
    actual = rng.normal(size=80)
    columns = {"actual": actual, "predicted": actual + rng.normal(size=80) / 2}
    for name in ("rmse_over_iqr", "rpiq"):
        found = assay.estimate(name, assay.rows(**columns))
        assert found.method == "bootstrap, BCa"
        assert found.low < found.value < found.high
        grouped = assay.estimate(name, assay.rows(**columns, group=np.arange(80) // 4))
        assert grouped.groups == 20
        assert (grouped.low, grouped.high) != (found.low, found.high)


def test_order_statistics_of_weighted_rows():
    """Equal weights are none; rows that weigh little are worth little; ranks are looked up by weight."""
    values = np.arange(1, 31) / 8
    plain = order_interval(assay.Values.of(values))
    assert order_interval(assay.Values.of(values, weight=np.full(30, 7.0))) == plain
    heavy = np.where(np.arange(30) < 15, 3.0, 1.0)
    low, high, _ = order_interval(assay.Values.of(values, weight=heavy))
    assert low < assay.Values.of(values, weight=heavy).quantile(0.5) < high
    assert high < plain[1]
    assert order_interval(assay.Values.of(values, weight=np.geomspace(1, 1e6, 30))) is None
    assert order_interval(assay.Values.of([])) is None


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-10, 1e10, 1e150, 1e160, 1e300])
def test_numbers_of_any_size_have_an_interval_or_a_reason(scale):
    """Nothing is divided by what is too small for a float, and nothing overflows on the way."""
    rng = np.random.default_rng(6)
    more = {"group": np.arange(9) // 2}, {"weight": rng.uniform(1e-3, 10, 9)}, {}
    columns = rng.uniform(-1, 1, (2, 9)), np.abs(rng.uniform(-1, 1, (2, 9))), np.array([[1.0] * 9, [0.5] * 9])
    for actual, predicted in (scale * pair for pair in columns):
        for given in more:
            rows = assay.rows(actual=actual, predicted=predicted, **given)
            for name in (*NUMBERS, *ROW_LOSSES, *(() if "weight" in given else of_views("ValuePairs"))):
                found = assay.estimate(name, rows, **OPTIONS.get(name, {}))
                least, largest = find(name).bounds
                if found.defined and found.low is not None:
                    assert least <= found.low <= found.value <= found.high <= largest
                else:
                    assert found.note or not found.defined


@pytest.mark.parametrize(
    ("name", "truth", "least"), [("r2", 0.5, 0.92), ("spearman", 6 / math.pi * math.asin(0.5**0.5 / 2), 0.92)]
)
def test_coverage(name, truth, least):
    """400 samples of 50 normal rows: near the 0.95 that is meant."""
    rng = np.random.default_rng(17)
    hits = 0
    for _ in range(400):
        # Errors as wide as the prediction: half of the variance is explained, and r² is one half.
        predicted = rng.normal(size=50)
        rows = assay.rows(actual=predicted + rng.normal(size=50), predicted=predicted)
        found = assay.estimate(name, rows)
        hits += found.low <= truth <= found.high
    assert least <= hits / 400 <= 0.985


def test_clustered_coverage():
    """Rows of a group share their error: without the groups the interval would be far too thin."""
    rng = np.random.default_rng(18)
    group, hits, blind = np.repeat(np.arange(25), 8), 0, 0
    for _ in range(300):
        actual = rng.normal(size=200)
        error = rng.normal(size=25)[group] + 0.3 * rng.normal(size=200)
        columns = {"actual": actual, "predicted": actual + error}
        for clustered in (True, False):
            found = assay.estimate(
                "mean_error", assay.rows(**columns, **({"group": group} if clustered else {}))
            )
            hits += clustered and found.low <= 0 <= found.high
            blind += not clustered and found.low <= 0 <= found.high
    assert hits / 300 > 0.92
    assert blind / 300 < 0.7


def test_a_mean_squared_log_error_of_skewed_errors_has_halls_upper_limit():
    """MSLE is a mean of squares like MSE; the upper limit of its root is the root of its own."""
    actual, predicted = np.expm1(np.append(np.linspace(1, 3, 29), 4.5)), np.full(30, math.expm1(2))
    ev = assay.evaluate(actual=actual, predicted=predicted)
    mean, root = ev["msle"], assay.estimate("rmsle", assay.rows(actual=actual, predicted=predicted))
    hall = ev.estimate("msle", method="hall")
    assert mean.method == root.method == "delta, log, Hall above"
    assert mean.high == hall.high
    assert mean.high > ev.estimate("msle", method="delta").high
    assert root.high == pytest.approx(math.sqrt(hall.high), rel=1e-12)


@pytest.mark.parametrize("name", ["mse", "rmse"])
def test_a_mean_square_of_skewed_errors_has_halls_upper_limit(name):
    """One large error in 30: the upper limit is Hall's, by his formula; the lower one is the delta method's."""
    errors = np.append(np.linspace(-1, 1, 29), 2.5)
    ev = assay.evaluate(actual=errors, predicted=np.zeros(30))
    estimate, delta = ev[name], ev.estimate(name, method="delta")
    squares = errors**2
    n, mean, deviation = len(squares), squares.mean(), squares.std()
    a = ((squares - mean) ** 3).mean() / deviation**3 / 6 / math.sqrt(n)
    t = student_quantile(0.95, n - 1)
    high = mean - deviation / math.sqrt(n - 1) * (math.cbrt(1 + 6 * a * (-t - a)) - 1) / (2 * a)
    assert estimate.method == "delta, log, Hall above"
    assert estimate.high == pytest.approx(high if name == "mse" else math.sqrt(high), rel=1e-9)
    assert estimate.high > delta.high
    assert estimate.low == delta.low


def test_a_mean_square_of_even_errors_keeps_the_delta_method():
    """Errors of one size but for little: nothing is skewed."""
    errors = np.tile([0.9, -1.0, 1.1], 20)
    assert assay.evaluate(actual=errors, predicted=np.zeros(60))["rmse"].method == "delta, log"
