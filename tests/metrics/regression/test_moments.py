"""Regression: worked figures, published check values, exactness, and what is undefined."""

import dataclasses
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from support.oracles.regression import ORACLES
from support.reference_figures import oracle

import assay
from assay import metrics
from assay.metrics import Undefined, each_output, find, over_outputs
from assay.metrics.exact import Exact
from assay.metrics.regression.moments import seasonal_scale
from assay.metrics.regression.row_losses import crps_ensemble, crps_gaussian
from assay.metrics.views.regression import Errors

OURS = [
    known
    for known in metrics.catalogue()
    if any(".metrics.regression." in getattr(part, "__module__", "") for part in (known.formula, known.loss))
]
UNWEIGHTED = ("NumberPairs",)


def rows(actual, predicted, weight=None):
    return assay.rows(actual=actual, predicted=predicted, weight=weight)


def value(name, actual, predicted, weight=None, **parameters):
    """Return a metric's value for columns; its row loss's parameters go to the tally, others to the formula."""
    known = find(name)
    formula = {key: x for key, x in parameters.items() if key in known.parameters}
    tally = known.tally(
        rows(actual, predicted, weight), **{k: v for k, v in parameters.items() if k not in formula}
    )
    return known(tally, **formula)


@pytest.fixture(scope="module")
def checks():
    return {item["id"]: item for item in oracle("check_values")["items"]}


FIVE = [0.1, 0.2, 0.3, 0.4, 0.5], [0.11, 0.19, 0.29, 0.41, 0.5]


def test_five_rows_of_a_textbook():
    """MAE 0.008 and RMSE 0.00894427190999915; MPE keeps the sign of actual minus predicted."""
    assert value("mae", *FIVE) == pytest.approx(0.008, rel=1e-14)
    assert value("rmse", *FIVE) == pytest.approx(0.00894427190999915, rel=1e-14)
    assert value("mpe", *FIVE) == pytest.approx((-0.1 + 0.05 + 1 / 30 - 0.025) / 5, rel=1e-12)
    assert value("mean_error", [1, 2], [0, 0]) == 1.5
    assert value("mpe", [-2.0], [-1.0]) == 0.5
    assert value("mape", [-2.0], [-1.0]) == 0.5


@pytest.mark.parametrize(
    ("theirs", "ours", "parameters"),
    [
        ("mae", "mae", {}), ("mse", "mse", {}), ("rmse", "rmse", {}), ("medae", "median_absolute_error", {}),
        ("maxe", "max_error", {}), ("r2", "r2", {}), ("ev", "explained_variance", {}), ("mape", "mape", {}),
        ("smape200", "smape_200", {}), ("smape100", "smape_100", {}), ("msle", "msle", {}), ("rmsle", "rmsle", {}),
        ("ccc", "ccc", {}), ("pearson", "pearson", {}), ("wape", "wape", {}),
        ("adj_r2_p2", "adjusted_r2", {"parameters": 2}), ("pinball_0.1", "pinball", {"alpha": 0.1}),
        ("pinball_0.5", "pinball", {}), ("pinball_0.9", "pinball", {"alpha": 0.9}),
        ("huber_0.5", "huber", {"delta": 0.5}), ("huber_1.35", "huber", {"delta": 1.35}), ("logcosh", "log_cosh", {}),
        ("tweedie_1", "tweedie_deviance", {"power": 1}), ("tweedie_1.5", "tweedie_deviance", {"power": 1.5}),
        ("tweedie_2", "tweedie_deviance", {"power": 2}), ("tweedie_3", "tweedie_deviance", {"power": 3}),
        ("d2_pinball_0.5", "d2_pinball", {}),
    ],
)  # fmt: skip
def test_the_check_values_of_eight_rows(checks, theirs, ours, parameters):
    """Each figure of check O25."""
    given, expected = checks["O25"]["inputs"], checks["O25"]["outputs"]
    assert value(ours, given["y"], given["yhat"], **parameters) == pytest.approx(expected[theirs], rel=1e-12)


def test_signs_are_of_actual_minus_predicted(checks):
    """O25 takes errors the other way round, so bias and MPE have the opposite sign there."""
    given, expected = checks["O25"]["inputs"], checks["O25"]["outputs"]
    assert value("mean_error", given["y"], given["yhat"]) == pytest.approx(-expected["me"], rel=1e-12)
    assert value("mpe", given["y"], given["yhat"]) == pytest.approx(-expected["mpe"], rel=1e-12)


def test_the_scale_of_mase_is_the_training_series_own(checks):
    """MASE divides by the mean change of the series the model was trained on; without it there is none."""
    given, expected = checks["O25"]["inputs"], checks["O25"]["outputs"]
    scale = seasonal_scale(given["train"])
    assert value("mase", given["y"], given["yhat"], scale=scale) == pytest.approx(expected["mase"], rel=1e-12)
    assert isinstance(value("mase", given["y"], given["yhat"]), Undefined)
    assert isinstance(value("mase", given["y"], given["yhat"], scale=0), Undefined)


def test_the_scale_of_mase_is_one():
    """Unsigned numbers do not wrap round, and what is no scale or no season is refused."""
    assert seasonal_scale(np.array([5, 3, 9], dtype=np.uint8)) == 4
    with pytest.raises(assay.MetricError, match="season=0"):
        seasonal_scale([5, 3, 9], season=0)
    for scale in (math.inf, -1.0):
        with pytest.raises(assay.MetricError, match="not below 0"):
            value("mase", [1.0], [2.0], scale=scale)


def test_concordance_of_nine_rows(checks):
    """O21: 30 concordant pairs, 4 discordant, one tied in the prediction."""
    given, expected = checks["O21"]["inputs"], checks["O21"]["outputs"]
    found = assay.NumberPairs.of(rows(given["y"], given["prediction"])).agreement()
    assert (found.concordant, found.discordant, found.tied_predicted) == (30, 4, 1)
    assert value("concordance_index", given["y"], given["prediction"]) == pytest.approx(
        expected["c_index"], rel=1e-12
    )
    assert value("somers_d", given["y"], given["prediction"]) == pytest.approx(
        expected["somers_d"], rel=1e-12
    )


def test_ranked_probability_scores(checks):
    """O24: of a normal distribution, of an ensemble, and of the same taken fairly."""
    given, expected = checks["O24"]["inputs"], checks["O24"]["outputs"]
    found = value("crps_gaussian", [given["y"]], [given["mu"]], deviation=given["sigma"])
    assert found == pytest.approx(expected["crps_normal"], rel=1e-12)
    assert crps_ensemble([given["y"]], [given["ensemble"]]) == pytest.approx(
        expected["crps_ensemble"], rel=1e-12
    )
    fair = crps_ensemble([given["y"]], [given["ensemble"]], fair=True)
    assert fair == pytest.approx(expected["crps_ensemble_fair"], rel=1e-12)
    each = crps_gaussian.loss(np.array([1.3, 1.3]), np.array([1.0, 1.0]), deviation=np.array([0.7, 0.0]))
    assert crps_gaussian(assay.Losses.of_values(each)) == pytest.approx(
        (expected["crps_normal"] + 0.3) / 2, rel=1e-12
    )


@pytest.mark.parametrize("deviation", [0.1, 1.0, 7.5])
@pytest.mark.parametrize("error", [-2.0, 0.0, 0.3, 4.0])
def test_a_ranked_probability_score_is_an_integral(error, deviation):
    """It is the squared distance of the predicted distribution from the step at the truth, integrated."""
    below = integrate.quad(lambda x: stats.norm.cdf(x, 1.0, deviation) ** 2, -math.inf, 1.0 + error)[0]
    above = integrate.quad(lambda x: stats.norm.sf(x, 1.0, deviation) ** 2, 1.0 + error, math.inf)[0]
    found = value("crps_gaussian", [1.0 + error], [1.0], deviation=deviation)
    assert found == pytest.approx(below + above, rel=1e-6)


@pytest.mark.parametrize("which", ["O26", "O27"])
def test_results_are_correctly_rounded_to_the_last_bit(checks, which):
    """Numbers that float sums lose altogether come out as the nearest float of the exact value."""
    given, expected = checks[which]["inputs"], checks[which]["outputs"]
    assert value("mse", given["y"], given["yhat"]).hex() == expected["mse_hex"]
    assert value("r2", given["y"], given["yhat"]).hex() == expected["r2_hex"]
    assert float(assay.Sums.of(given["y"]).total).hex() == expected["sum_hex"]
    assert value("mae", given["y"], given["yhat"]) == pytest.approx(expected["mae"], rel=1e-12)
    assert value("rmse", given["y"], given["yhat"]) == pytest.approx(expected["rmse"], rel=1e-12)


FINITE = st.floats(-1e150, 1e150) | st.sampled_from([0.0, 1.0, 1e-300, 1e100, 1e100 + 1e85, 0.1, 5e-324])


def frame(rows_):
    actual, predicted, weight = map(list, zip(*rows_, strict=True))
    return SimpleNamespace(actual=actual, predicted=predicted, weight=weight)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(FINITE, FINITE, st.floats(1e-3, 1e3)), min_size=1, max_size=12))
def test_rational_figures_are_the_nearest_floats(table):
    """Bias, MAE, MSE, R², explained variance, CCC, squared correlation and WAPE equal the rounded fraction."""
    d = frame(table)
    for name in (
        "mean_error",
        "mae",
        "mse",
        "r2",
        "explained_variance",
        "ccc",
        "squared_correlation",
        "wape",
    ):
        expected = ORACLES[name](d)
        found = value(name, d.actual, d.predicted, d.weight)
        assert (math.isnan(expected) and isinstance(found, Undefined)) or found == expected, name


def is_nearest_root(found, square):
    """Tell whether a float is the one nearest to the root of a rational number."""
    low, high = (Fraction(math.nextafter(found, end)) for end in (0.0, math.inf))
    return ((Fraction(found) + low) / 2) ** 2 <= square <= ((Fraction(found) + high) / 2) ** 2


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(FINITE, FINITE, st.floats(1e-3, 1e3)), min_size=1, max_size=12))
def test_roots_are_the_nearest_floats(table):
    """RMSE and Pearson's correlation are the floats nearest to the roots of rational numbers."""
    view = Errors.of(assay.Moments.of(rows(*map(list, zip(*table, strict=True)))))
    d = frame(table)
    exact = [tuple(map(Fraction, row)) for row in table]
    total = sum(w for *_, w in exact)
    square = sum(w * (a - p) ** 2 for a, p, w in exact) / total
    found = float(find("rmse").formula(view))
    assert is_nearest_root(found, square) if square else found == 0
    r = value("pearson", d.actual, d.predicted, d.weight)
    if isinstance(r, Undefined):
        return
    means = [sum(w * row[k] for *row, w in exact) / total for k in (0, 1)]
    moments = [
        sum(w * (row[i] - means[i]) * (row[j] - means[j]) for *row, w in exact) / total
        for i, j in ((0, 1), (0, 0), (1, 1))
    ]
    square = moments[0] ** 2 / (moments[1] * moments[2])
    assert is_nearest_root(abs(r), square) if square else r == 0
    assert (r < 0) == (moments[0] < 0) or r == 0


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**200), st.integers(1, 2**200), st.integers(-2200, 900))
def test_an_exact_root_is_the_nearest_float(top, bottom, exponent):
    """The root of any fraction, down to the smallest floats, is rounded once."""
    found = Exact(top, bottom, exponent).root()
    square = Fraction(top, bottom) * Fraction(2) ** exponent
    assert is_nearest_root(found, square) if math.isfinite(found) else square > Fraction(2) ** 2047


def test_exact_numbers_calculate():
    """Exact numbers add, multiply, divide and compare as fractions, and become floats beside floats."""
    third, tenth = Exact(1) / 3, Exact.of(0.1)
    assert float(third + third + third) == 1
    assert (third * 3 == 1, third < 1, third > 0, -third < 0, abs(-third) == third) == (True,) * 5
    assert float(1 - tenth - tenth) == float(1 - 2 * Fraction(0.1))
    assert 1 / third == 3
    assert (tenth * 0.5, 0.5 / Exact(2), tenth + 0.5) == (0.05, 0.25, 0.6)
    assert float(Exact(-(7**5000))) == -math.inf
    assert repr(third) == "Exact(0.3333333333333333)"
    with pytest.raises(ZeroDivisionError):
        third / 0


def test_errors_take_arrays():
    """The formulas serve arrays of sums as well, one entry a replicate."""
    one = Errors.of(assay.Moments.of(rows(*FIVE)))
    both = Errors(*(np.array([float(getattr(one, field.name))] * 2) for field in dataclasses.fields(one)))
    for name in ("mae", "mse", "rmse", "r2", "ccc", "pearson", "explained_variance", "rpd", "adjusted_r2"):
        expected = float(find(name).formula(one))
        np.testing.assert_allclose(find(name).formula(both), [expected] * 2, rtol=1e-9)


def random_data(rng, kind, n, *, weighted):
    actual = rng.normal(size=n) * 3
    predicted = actual + rng.normal(size=n)
    if kind == "positive":
        actual, predicted = rng.gamma(2.0, size=n), rng.gamma(2.0, size=n) + 0.01
    elif kind == "counts":
        actual, predicted = rng.poisson(2.0, n).astype(float), rng.gamma(2.0, size=n) + 0.01
    elif kind == "tied":
        actual, predicted = rng.integers(-2, 3, n).astype(float), rng.integers(-2, 3, n).astype(float)
    elif kind == "constant":
        actual = np.full(n, 2.0)
    weight = rng.integers(1, 5, n) / 2 if weighted else np.ones(n)
    return SimpleNamespace(actual=actual.tolist(), predicted=predicted.tolist(), weight=weight.tolist())


@pytest.mark.parametrize("metric", OURS, ids=lambda metric: metric.name)
@pytest.mark.parametrize("kind", ["normal", "positive", "counts", "tied", "constant"])
def test_every_metric_equals_its_second_way(metric, kind):
    """On random rows of several kinds each metric agrees with its oracle, defined or not."""
    rng = np.random.default_rng(sum(map(ord, kind)))
    for n in (1, 2, 3, 7, 20):
        for weighted in (False, True):
            if weighted and getattr(metric.reads.tally, "__name__", "") in UNWEIGHTED:
                continue
            d = random_data(rng, kind, n, weighted=weighted)
            found = float(metric(metric.tally(rows(d.actual, d.predicted, d.weight))))
            expected = ORACLES[metric.name](d)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True), (n, weighted)


def test_every_metric_has_an_oracle():
    """No metric of these rooms goes unchecked, and no oracle is of nothing."""
    assert sorted(ORACLES) == sorted(metric.name for metric in OURS)


def test_a_constant_truth_has_no_r2():
    """R² of a constant target is neither 0 nor 1 nor enormous: it is undefined, and says why."""
    for name in ("r2", "explained_variance", "relative_squared_error"):
        assert value(name, [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]) == Undefined(
            "the actual values are all the same"
        )
    assert value("r2", [0.1] * 3, [0.1, 0.2, 0.3]) == Undefined("the actual values are all the same")
    assert value("r2", [1.0], [2.0]) == Undefined("the actual values are all the same")
    assert value("pearson", [1.0, 2.0], [3.0, 3.0]).reason.startswith("the actual or the predicted")


def test_nearly_constant_truth_has_the_r2_it_has():
    """Rounding in sums of squares makes no R² of tens of thousands: the exact one is small and right."""
    actual, predicted = [1e8 + i / 8 for i in range(4)], [1e8 + i / 8 + 0.25 for i in range(4)]
    assert value("r2", actual, predicted) == 1 - 0.0625 / (5 / 4 / 64)


@pytest.mark.parametrize("weight", [0.1, 0.2, 0.5, 1.5, 3.0])
def test_a_range_does_not_depend_on_weights(weight):
    """It is from the least value to the largest, of rows that count less than one each too."""
    rows = assay.rows(actual=[0.0, 1, 2, 3, 4], predicted=[1.0, 2, 3, 4, 5], weight=[weight] * 5)
    assert find("rmse_over_range")(rows) == 0.25


def test_a_percentage_of_nothing_is_counted():
    """MAPE with zeros among the actual values is undefined and says how many there are, not 1e15."""
    found = value("mape", [0.0, 1.0, 0.0], [1.0, 1.0, 0.0])
    assert found.reason == "an actual value is 0, by which it cannot be divided (2 of 3 rows)"


def test_domains_of_deviances():
    """A deviance outside of its domain is undefined; a power that does not exist is refused."""
    assert isinstance(value("poisson_deviance", [-1.0], [1.0]), Undefined)
    assert isinstance(value("gamma_deviance", [0.0], [1.0]), Undefined)
    assert isinstance(value("msle", [-1.0], [1.0]), Undefined)
    assert value("poisson_deviance", [0.0], [3.0]) == 6
    assert value("tweedie_deviance", [-1.0], [2.0], power=-1) == pytest.approx(2 * (4 / 2 + 8 / 3), rel=1e-15)
    with pytest.raises(assay.MetricError, match="no Tweedie distribution"):
        value("tweedie_deviance", [1.0], [1.0], power=0.5)
    with pytest.raises(assay.MetricError, match="alpha=2"):
        value("pinball", [1.0], [1.0], alpha=2)


def test_equal_actual_values_leave_nothing_to_explain():
    """The mean of 0.1 three times is 0.1, so that predicting it loses nothing to compare with."""
    assert isinstance(value("d2_tweedie", [0.1] * 3, [0.2] * 3), Undefined)


def test_large_numbers_do_not_run_over_where_the_loss_does_not():
    """Neither squares, sums nor quotients on the way to a loss that a float holds."""
    assert value("smape_100", [1e308], [-1e308]) == 100
    assert value("smape_200", [1.5e308], [0.5e308]) == 100
    assert value("pseudo_huber", [1e200], [0.0]) == 1e200
    assert value("poisson_deviance", [1e-200], [1e200]) == 2e200
    assert value("gamma_deviance", [1e-200], [1e200]) == pytest.approx(
        2 * (400 * math.log(10) - 1), rel=1e-14
    )


def test_small_errors_lose_no_digits():
    """Log cosh and pseudo-Huber are accurate where the textbook form is a difference of like numbers."""
    for size in (1e-3, 1e-8, 1e-150):
        assert value("log_cosh", [size], [0.0]) == pytest.approx(size**2 / 2, rel=1e-6, abs=0)
        assert value("pseudo_huber", [size], [0.0]) == pytest.approx(size**2 / 2, rel=1e-6, abs=0)
    assert value("log_cosh", [800.0], [0.0]) == 800 - math.log(2)


def test_the_parameters_of_a_loss_are_in_its_tally():
    """D² reads its alpha and its power from the tally it is given, so the two cannot differ."""
    d2, given = find("d2_pinball"), rows([1.0, 2.0, 4.0, 8.0], [1.0, 3.0, 4.0, 6.0])
    assert d2.tally(given, alpha=0.9)["loss"].loss == "pinball alpha=0.9"
    assert d2(d2.tally(given, alpha=0.9)) != d2(d2.tally(given, alpha=0.1))
    with pytest.raises(assay.MetricError, match="collection of loss and actual"):
        d2(find("wape").tally(given))
    with pytest.raises(assay.MetricError, match="a tally of moments, not one of losses"):
        find("mse")(assay.Losses.empty())


def test_no_rows_are_no_value():
    """Every metric of no rows is undefined because there are none."""
    for metric in OURS:
        assert metric(metric.tally(rows([], []))) == Undefined("there are no rows"), metric.name


def test_two_halves_are_the_whole():
    """Tallies of two halves, merged, give the same bits as the whole, for every metric."""
    d = random_data(np.random.default_rng(2), "positive", 41, weighted=False)
    for metric in OURS:
        parts = [
            metric.tally(rows(d.actual[part], d.predicted[part])) for part in (slice(20), slice(20, None))
        ]
        whole = metric.tally(rows(d.actual, d.predicted))
        assert assay.merge(parts) == whole, metric.name
        assert float(metric(assay.merge(parts))).hex() == float(metric(whole)).hex(), metric.name


def test_outputs_average():
    """Averages over outputs: equal, by variance, by given weights; undefined names the output."""
    outputs = [([0.5, -1, 7], [0, -1, 8]), ([1, 1, -6], [2, 2, -5]), ([1, 1, 1], [1, 2, 3])]
    tallies = [assay.Moments.of(rows(*output)) for output in outputs]
    values = each_output(find("r2"), tallies)
    assert over_outputs(find("r2"), tallies[:2]) == pytest.approx(sum(values[:2]) / 2)
    assert over_outputs(find("r2"), tallies) == Undefined("the actual values are all the same (output 2)")
    # Squared errors over squares about the means; the third output has no variance, so no weight.
    errors, squares = (0.25 + 0 + 1) + (1 + 1 + 1), (0.25 + 1 + 49 - 6.5**2 / 3) + (1 + 1 + 36 - 4**2 / 3)
    assert over_outputs(find("r2"), tallies, "variance") == pytest.approx(1 - errors / squares, rel=1e-14)
    assert over_outputs(find("mse"), tallies[:2], [3, 1]) == (3 * 1.25 / 3 + 1) / 4
    with pytest.raises(assay.MetricError, match="3 outputs, but 2 weights"):
        over_outputs(find("mse"), tallies, [1, 2])
    with pytest.raises(assay.MetricError, match="'uniform' is not known"):
        over_outputs(find("mse"), tallies, "uniform")
    assert over_outputs(find("mse"), tallies, [0, 0, 0]) == Undefined("all outputs have weight 0")


def test_a_single_row_of_tiny_numbers_has_no_deviation_either():
    """The squared error is below every float, but not 0: nothing is divided by it."""
    assert str(assay.metrics.rpd(assay.rows(actual=[2e-301], predicted=[1e-301]))).startswith("undefined")


@pytest.mark.parametrize("weight", [1 / 25, 2.0, 1e-6, 1e6])
@pytest.mark.parametrize("name", ["rpd", "rpiq", "rmse_over_iqr", "adjusted_r2", "median_absolute_error"])
def test_equal_weights_are_no_weights(name, weight):
    """25 weights of 1/25 once gave a ratio of 8.9e8: their sum less 1 was taken for the rows less 1."""
    rng = np.random.default_rng(11)
    actual, predicted = rng.normal(size=(2, 25))
    plain, weighted = (
        find(name)(assay.rows(actual=actual, predicted=predicted, **more))
        for more in ({}, {"weight": np.full(25, weight)})
    )
    assert weighted == pytest.approx(plain, rel=1e-12)


def test_a_row_of_next_to_no_weight_is_next_to_no_row():
    """The number of rows that others are worth does not jump where a weight becomes 0."""
    rng = np.random.default_rng(12)
    actual, predicted = rng.normal(size=(2, 26))
    for name in ("rpd", "rpiq", "rmse_over_iqr", "adjusted_r2"):
        values = [
            find(name)(assay.rows(actual=actual, predicted=predicted, weight=[1.0] * 25 + [last]))
            for last in (1e-12, 0.0)
        ]
        assert values[0] == pytest.approx(values[1], rel=1e-10)


def test_weights_that_add_up_to_half_but_for_rounding_share_the_median():
    """0.1 and 0.2 of 0.6 are half of the weight, as 1 and 2 of 6 are."""
    rows = {"actual": [1.0, 2.0, 4.0], "predicted": [0.0, 0.0, 0.0]}
    for weight in ([1, 2, 3], [0.1, 0.2, 0.3]):
        assert find("median_absolute_error")(assay.rows(**rows, weight=weight)) == 3


def test_quantiles_of_weighted_rows_run_straight_between_them():
    """Akinshin's estimator: the mean over one of the equal rows that the rows are worth."""
    values = assay.Values.of([1.0, 2.0, 4.0], weight=[1, 1, 2])
    worth = 4**2 / 6
    begin = 0.5 * (worth - 1) / worth
    inside = [
        0.25 - max(begin - 0, 0) if begin < 0.25 else 0,
        0.5 - max(begin, 0.25),
        begin + 1 / worth - 0.5,
    ]
    expected = sum(x * part for x, part in zip([1, 2, 4], inside, strict=True)) * worth
    assert values.quantile(0.5, method="linear") == pytest.approx(expected, rel=1e-14)
    assert values.quantile(0, method="linear") < values.quantile(1, method="linear")
