import dataclasses
import math
import random
import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.oracles.multiclass_probability import ORACLES as CLASS_ORACLES
from support.oracles.probability import ORACLES
from support.reference_figures import messages, methods, oracle

import assay
from assay.metrics import (
    Undefined,
    brier,
    catalogue,
    ece,
    find,
    log_loss,
    multiclass_log_loss,
    top_k_accuracy,
)
from assay.metrics.probability.binning import equal_width
from assay.metrics.probability.calibration import calibration_curve, calibration_null
from assay.metrics.probability.calibration_tests import cox, hosmer_lemeshow_test, spiegelhalter_test
from assay.metrics.probability.isotonic import isotonic
from assay.metrics.probability.proper_scores import binned_brier, corp, murphy
from assay.metrics.views.probability import Probabilities

PROBABILITY = st.one_of(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), st.floats(0, 1))
ROWS = st.lists(st.tuples(st.integers(0, 1), PROBABILITY), min_size=1, max_size=40)


def scores(actual, score, weight=None):
    return assay.Scores.of(assay.rows(actual=list(actual), score=np.array(score), weight=weight))


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def check(name):
    found = methods(name)
    return SimpleNamespace(**found["inputs"]), found["outputs"]


def test_fourteen_rows_give_every_check_value():
    """Losses, their parts, the ECE family, Cox's line and the tests of fourteen rows, to 1e-12."""
    rows, expected = check("probability metrics")
    tally = scores(rows.y, rows.p)
    width = {"bins": rows.bins, "rule": "width"}
    mass = {
        "bins": rows.bins,
        "ties": "positives first",
    }  # the tied rows of the check have the positive first
    parts, line, test = binned_brier(tally, **width), cox(tally), spiegelhalter_test(tally)
    groups = hosmer_lemeshow_test(tally, groups=5, ties="positives first")
    quadratic, logarithmic, unique = corp(tally), corp(tally, "log"), murphy(tally)

    def error(metric):
        losses = tally.losses(metric.loss)
        mean, n = losses.total / losses.weight, losses.n
        return math.sqrt((losses.squares / n - mean**2) / (n - 1))

    found = {
        "log_loss": log_loss(tally),
        "log_loss_se": error(log_loss),
        "brier": brier(tally),
        "brier_se": error(brier),
        "murphy_rel_unique": unique.miscalibration,
        "murphy_res_unique": unique.discrimination,
        "murphy_unc": unique.uncertainty,
        "binned_rel": parts.reliability,
        "binned_res": parts.resolution,
        "binned_wbv": parts.within_variance,
        "binned_wbc": parts.within_covariance,
        "corp_brier_mcb": quadratic.miscalibration,
        "corp_brier_dsc": quadratic.discrimination,
        "corp_brier_unc": quadratic.uncertainty,
        "corp_log_mcb": logarithmic.miscalibration,
        "corp_log_dsc": logarithmic.discrimination,
        "corp_log_unc": logarithmic.uncertainty,
        "ece_width5": ece(tally, **width),
        "ece_width5_left_closed": ece(tally, bins=5, rule="left-closed width"),
        "mce_width5": find("mce")(tally, **width),
        "ece_mass5": ece(tally, **mass),
        "rms_ce_width5": find("rms_ce")(tally, **width),
        "ece2_debiased_mass5": find("debiased_calibration_square")(tally, **mass),
        "ici_isotonic": find("ici_isotonic")(tally),
        "cox_intercept": line.intercept,
        "cox_slope": line.slope,
        "cox_intercept_se": line.intercept_error,
        "cox_slope_se": line.slope_error,
        "citl": line.in_the_large,
        "citl_se": line.in_the_large_error,
        "cox_lr_chi2_2df": line.likelihood_ratio,
        "cox_lr_p": line.p_value,
        "oe_ratio": find("oe_ratio")(tally),
        "spiegelhalter_z": test.statistic,
        "spiegelhalter_p": test.p_value,
        "hl_mass_chi2": groups.statistic,
        "hl_p_df_g": groups.p_value,
        "hl_p_df_g_minus_2": find("hosmer_lemeshow_p")(
            tally, groups=5, in_sample=True, ties="positives first"
        ),
    }
    assert found == pytest.approx(expected, rel=1e-12)


def test_eight_rows_of_three_classes_give_every_check_value():
    """Multi-class log loss and Brier score, confidence and classwise calibration error, to 1e-12."""
    rows, expected = check("multiclass AUC")
    data = assay.rows(actual=rows.y, score=rows.proba)

    def value(name, **parameters):
        return find(name)(find(name).tally(data), **parameters)

    assert value("multiclass_log_loss") == pytest.approx(expected["log_loss"], rel=1e-12)
    assert value("multiclass_brier") == pytest.approx(expected["brier_multiclass_sum"], rel=1e-12)
    assert value("halved_multiclass_brier") == pytest.approx(expected["brier_multiclass_sum"] / 2, rel=1e-12)
    confidence = value("confidence_ece", bins=5, rule="width")
    assert confidence == pytest.approx(expected["top_label_confidence_ece_w5"], rel=1e-12)
    classwise = value("classwise_ece", bins=5, rule="width")
    assert classwise == pytest.approx(expected["classwise_ece_w5"], rel=1e-12)


def test_the_spam_filter_gives_the_figures_of_rocr():
    """Mean cross-entropy and root mean squared error of 1,390 messages as ROCR has them."""
    actual, score = messages()
    measures = oracle("sms_rocr")["measures"]
    tally = assay.Scores.of(assay.rows(actual=actual, score=score, positive="spam"))
    assert find("mxe")(tally) == pytest.approx(measures["mxe"]["value"], rel=1e-12)
    assert find("root_brier")(tally) == pytest.approx(measures["rmse"]["value"], rel=1e-12)


def drawn_rows(seed, weights):
    """Draw rows of probabilities, tied or not, calibrated or not."""
    rng = random.Random(seed)
    n, grid = rng.randint(1, 50), rng.choice([None, 8, 4])
    score = [rng.random() if grid is None else rng.randint(0, grid) / grid for _ in range(n)]
    actual = [int(rng.random() < rng.choice([p, 0.5])) for p in score]
    return SimpleNamespace(actual=actual, score=score, weight=[rng.choice(weights) for _ in range(n)])


@pytest.mark.slow
@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("weights", [[1.0], [0.5, 1.0, 2.0, 3.0], [0.3, 0.01, 1.7]], ids=str)
def test_every_figure_is_what_plain_python_says(name, weights):
    """Each metric equals its oracle, defined and undefined, with and without weights."""
    metric = find(name)
    for seed in range(25):
        data = drawn_rows(seed, weights)
        found = metric(scores(data.actual, data.score, data.weight))
        assert float(found) == pytest.approx(ORACLES[name](data), rel=1e-10, abs=1e-12, nan_ok=True), found


@pytest.mark.parametrize("name", CLASS_ORACLES)
def test_every_figure_of_several_classes_is_what_plain_python_says(name):
    """Each metric of several classes equals its oracle, with ties and without, with weights and without."""
    metric, rng = find(name), np.random.default_rng(3)
    for _ in range(25):
        n, classes = rng.integers(1, 30), rng.integers(2, 6)
        table = rng.dirichlet([0.5] * classes, n)
        if rng.random() < 0.5:
            table = rng.multinomial(4, [1 / classes] * classes, n) / 4
        actual, weight = rng.integers(0, classes, n), rng.choice([0.5, 1.0, 3.0], n)
        tally = metric.tally(assay.rows(actual=actual, score=table, weight=weight, labels=range(classes)))
        data = SimpleNamespace(actual=actual.tolist(), score=table.tolist(), weight=weight.tolist())
        assert float(metric(tally)) == pytest.approx(CLASS_ORACLES[name](data), rel=1e-12, abs=1e-15)


OURS = [metric for metric in catalogue() if metric.name in ORACLES]


def test_every_metric_has_its_oracle():
    """No metric of probabilities goes unchecked."""
    names = {
        metric.name
        for metric in catalogue()
        if ".metrics.probability." in (metric.loss or metric.formula).__module__
    }
    assert names == {*ORACLES, *CLASS_ORACLES}


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, seed=st.integers(0, 9))
def test_no_order_of_rows_shows_in_any_figure(rows, seed):
    """Shuffled rows give the same bits."""
    shuffled = random.Random(seed).sample(rows, len(rows))
    whole, other = (scores(*columns(part)) for part in (rows, shuffled))
    for metric in OURS:
        assert repr(metric(whole)) == repr(metric(other)), metric.name


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, data=st.data())
def test_a_weight_counts_as_so_many_rows(rows, data):
    """Whole weights equal repeated rows."""
    times = data.draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    weighted = scores(*columns(rows), [float(n) for n in times])
    repeated = scores(*columns([row for row, n in zip(rows, times, strict=True) for _ in range(n)]))
    for metric in (one for one in OURS if not one.depends_on_n):
        first, second = float(metric(weighted)), float(metric(repeated))
        assert first == pytest.approx(second, rel=1e-9, abs=1e-11, nan_ok=True), metric.name


@pytest.mark.parametrize("take_apart", [corp, murphy, binned_brier, calibration_curve])
def test_no_rows_have_no_parts(take_apart):
    """They are refused in words."""
    with pytest.raises(assay.MetricError, match="there are no rows"):
        take_apart(assay.Scores.empty())


def test_no_degrees_of_freedom_are_no_p_value():
    """Two groups of a model's own rows leave none, and the reason says so."""
    tally = scores([0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4])
    found = find("hosmer_lemeshow_p")(tally, groups=2, in_sample=True)
    assert "fitted to these rows" in found.reason


def test_a_sum_beyond_the_largest_float_is_infinite():
    """Two groups whose distances are finite and whose sum is not."""
    assert find("hosmer_lemeshow")(scores([1, 1], [1.1125369292536007e-308] * 2)) == math.inf


@pytest.mark.parametrize("whole", [1.0, 0.5, 1 / 60, 1e-9])
def test_bins_of_equal_mass_take_weights_that_add_up_to_one(whole):
    """However small equal weights are, the bins are those of the rows; they were a single one below 1."""
    rows = drawn_rows(3, [1.0])
    actual, score = np.resize(rows.actual, 60), np.linspace(0.1, 0.9, 60)
    for name in ("ece", "mce", "rms_ce"):
        plain, weighted = (find(name)(scores(actual, score, weight)) for weight in (None, np.full(60, whole)))
        assert weighted == pytest.approx(plain, rel=1e-12)


@settings(max_examples=100, deadline=None)
@given(rows=ROWS)
@example(rows=[(0, 0.25), (1, 2.225073858507203e-309)])  # Nagelkerke's R² overflows
def test_values_stay_within_their_bounds(rows):
    """No metric leaves the range that it declares."""
    tally = scores(*columns(rows))
    for metric in OURS:
        value = metric(tally)
        low, high = metric.bounds
        assert isinstance(value, Undefined) or low <= value <= high + 1e-15, (metric.name, value)


@settings(max_examples=200, deadline=None)
@given(rows=ROWS, score=st.sampled_from(["brier", "log"]))
def test_the_parts_of_a_score_add_up(rows, score):
    """Miscalibration and discrimination are not negative, and the identity holds to 1e-15."""
    parts = corp(scores(*columns(rows)), score)
    assert parts.miscalibration >= 0
    assert parts.discrimination >= 0
    if math.isfinite(parts.score):
        found = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert found == pytest.approx(parts.score, rel=2e-15, abs=1e-15)
    else:
        assert parts.miscalibration == math.inf


@settings(max_examples=100, deadline=None)
@given(rows=ROWS, bins=st.integers(1, 20), rule=st.sampled_from(["mass", "width", "left-closed width"]))
def test_the_parts_by_bins_add_up_with_what_is_within_the_bins(rows, bins, rule):
    """Without the two terms within the bins they do not (Stephenson, Coelho and Jolliffe)."""
    parts = binned_brier(scores(*columns(rows)), bins=bins, rule=rule)
    found = parts.reliability - parts.resolution + parts.uncertainty
    found += parts.within_variance - parts.within_covariance
    assert found == pytest.approx(parts.score, abs=2e-15)


@settings(max_examples=100, deadline=None)
@given(rows=ROWS, data=st.data(), metric=st.sampled_from([log_loss, brier, find("root_brier")]))
def test_scores_and_rows_give_the_same_bits(rows, data, metric):
    """A score tally gives the very tally of losses that the rows give, weighted or not."""
    actual, score = columns(rows)
    weights = st.one_of(st.none(), st.lists(st.floats(0.01, 100), min_size=len(rows), max_size=len(rows)))
    given_rows = assay.rows(actual=actual, score=np.array(score), weight=data.draw(weights))
    tally = assay.Scores.of(given_rows)
    assert tally.losses(metric.loss) == metric.tally(given_rows)
    assert repr(metric(tally)) == repr(metric(metric.tally(given_rows)))


def test_something_that_was_held_impossible_costs_infinitely_much():
    """Log loss is infinite, and says for how many rows; a clip is asked for by name."""
    tally = scores([1, 0, 1, 1], [0.0, 0.25, 0.0, 0.5])
    assert log_loss(tally) == math.inf
    assert log_loss.reads.of(tally.losses(log_loss.loss)).infinite == 2
    assert log_loss(tally, clip=1e-15) == pytest.approx(
        (2 * math.log(1e15) - math.log(0.75) - math.log(0.5)) / 4, rel=1e-15
    )
    assert find("log_loss_skill")(tally) == -math.inf
    assert log_loss(scores([1, 0], [1.0, 0.0])) == 0


def test_parameters_of_a_loss_belong_where_the_losses_are_taken():
    """A tally of losses cannot be clipped any more, nor read as another loss."""
    rows = assay.rows(actual=[1, 0], score=[0.0, 0.25])
    assert log_loss(log_loss.tally(rows, clip=0.25)) == log_loss(assay.Scores.of(rows), clip=0.25)
    with pytest.raises(
        assay.MetricError, match=r"clip=0.1 is needed where .* log_loss.tally\(rows, clip=0.1\)"
    ):
        log_loss(log_loss.tally(rows), clip=0.1)
    with pytest.raises(assay.MetricError, match="log_loss cannot be read from a tally of the loss brier"):
        log_loss(brier.tally(rows))
    with pytest.raises(assay.TallyError, match="asks for actual, predicted, but a score tally holds"):
        assay.Scores.of(rows).losses(lambda actual, predicted: actual - predicted)


def test_float32_probabilities_are_what_they_are():
    """The log loss of float32 scores is no NaN at 0 and 1, and is that of their exact values."""
    p = np.array([0.0, 1.0, 0.1, np.nextafter(np.float32(1), np.float32(0))], dtype=np.float32)
    tally = scores([0, 1, 1, 1], p)
    expected = -(math.log(float(p[2])) + math.log(float(p[3]))) / 4
    assert log_loss(tally) == pytest.approx(expected, rel=1e-15)
    assert log_loss(tally, clip=1e-7) > 0


@pytest.mark.parametrize("wrong", [1.0000001, -0.25, math.inf, 7.0])
def test_what_a_score_means_is_not_guessed(wrong):
    """A score beyond 0 and 1 is refused, with its value and what to do: no sigmoid is applied in silence."""
    rows = assay.rows(actual=[0, 1, 1], score=[0.5, wrong, 0.75])
    message = rf"{wrong!r}, which is not a probability.*turn them into probabilities first"
    for metric in (brier, ece, find("cox_slope")):
        with pytest.raises(assay.NumberError, match=message):
            metric(assay.Scores.of(rows))
    with pytest.raises(assay.NumberError, match=r"score \(row 1, counting from 0\) is"):
        log_loss.tally(rows)


def test_edges_of_bins_are_where_they_are_written():
    """Neither 0.07 * 100 above 7 nor linspace's 0.30000000000000004 moves a probability into another bin."""
    for bins, at in ((100, 7), (10, 3), (10, 6), (10, 7)):
        edge = at / bins
        view = Probabilities.of(scores([0, 1, 0], [edge - 1e-9, edge, edge + 1e-9]))
        assert equal_width(view, bins).starts.tolist() == [0, 2]
        assert equal_width(view, bins, left_closed=True).starts.tolist() == [0, 1]
    curve = calibration_curve(scores([0, 1, 1], [0.0, 0.5, 1.0]), bins=2, rule="width")
    assert curve.rows.tolist() == [2, 1]
    assert (curve.low.tolist(), curve.high.tolist()) == ([0, 1], [0.5, 1])


def test_tied_rows_are_alike():
    """A constant probability has no bins: its calibration error is its distance from the rate."""
    tally = scores([1] * 30 + [0] * 70, [0.3] * 100)
    assert ece(tally) == pytest.approx(0, abs=1e-15)
    assert ece(tally, ties="positives first") > 0.3
    assert calibration_curve(tally, bins=3).observed == pytest.approx([0.3] * 3)


def test_a_calibrated_model_shows_an_error_too():
    """With 200 rows and 15 bins of equal mass a perfect model's ECE is 0.09 on average, its debiased square 0."""
    rng = np.random.default_rng(7)
    p = rng.random(200)
    tally = scores((rng.random(200) < p).astype(int), p)
    null = calibration_null(ece, tally, replicates=400)
    assert null.mean == pytest.approx(0.087, abs=0.003)
    assert 0.01 < null.p_value < 1
    assert null == calibration_null(ece, tally, replicates=400)
    assert abs(calibration_null(find("debiased_calibration_square"), tally, replicates=400).mean) < 2e-3
    wrong = scores((rng.random(200) < p**3).astype(int), p)
    assert calibration_null(find("brier_miscalibration"), wrong, replicates=199).p_value == 1 / 200
    with pytest.raises(assay.MetricError, match="does not read probabilities"):
        calibration_null(find("accuracy"), tally)


@pytest.mark.parametrize(
    ("name", "actual", "score", "reason"),
    [
        ("cox_slope", [0, 0, 1, 1], [0.1, 0.2, 0.2, 0.9], "separated"),
        ("cox_slope", [1, 1, 0], [0.1, 0.2, 0.9], "separated"),
        ("cox_intercept", [0, 1], [0.5, 0.5], "all probabilities are equal"),
        ("cox_slope", [1, 1], [0.1, 0.5], "all rows are of one class"),
        ("cox_slope", [0, 1, 0], [0.0, 0.5, 1.0], "2 of 3 rows have probability 0 or 1.*clip="),
        ("calibration_in_the_large", [0, 0], [0.5, 0.25], "all rows are of one class"),
        ("brier_skill", [1, 1], [0.5, 0.75], "one class"),
        ("log_loss_skill", [0, 0], [0.5, 0.75], "one class"),
        ("spiegelhalter_z", [0, 1], [0.5, 0.5], "0, 1/2 or 1"),
        ("spiegelhalter_p", [0, 1], [0.5, 1.0], "0, 1/2 or 1"),
        ("hosmer_lemeshow", [0, 1, 0], [0.0, 0.5, 0.25], "all 0 or all 1"),
        ("observed_expected_ratio", [0, 0], [0.0, 0.0], "none are expected"),
        ("debiased_calibration_error", [0, 1, 1], [0.1, 0.5, 0.7], "no bin has two rows"),
    ],
)
def test_what_has_no_value_says_why(name, actual, score, reason):
    """Undefined, with the reason of these very rows."""
    found = find(name)(scores(actual, score))
    assert isinstance(found, Undefined)
    assert re.search(reason, found.reason), found


def test_infinite_figures_are_defined():
    """Where the limit is plain, infinity is the figure."""
    assert find("oe_ratio")(scores([1, 0], [0.0, 0.0])) == math.inf
    assert find("hosmer_lemeshow")(scores([1, 0, 0], [0.0, 0.5, 0.5]), groups=3) == math.inf
    assert hosmer_lemeshow_test(scores([1, 0, 0], [0.0, 0.5, 0.5]), groups=3).p_value == 0
    assert isinstance(cox(scores([0, 1], [0.1, 0.9])), Undefined)
    assert not isinstance(cox(scores([0, 1, 0, 1], [0.0, 0.5, 0.75, 1.0]), clip=1e-3), Undefined)


def test_a_formula_takes_replicates():
    """Counts with an axis of replicates give each replicate's own figure."""
    rng = np.random.default_rng(5)
    p = np.sort(rng.random(30))
    positives, negatives = (
        rng.poisson(1.5, (2, 3, 30)).astype(float),
        rng.poisson(1.5, (2, 3, 30)).astype(float),
    )
    view = Probabilities(p, positives, negatives)
    for metric in OURS:
        if metric.reads is not Probabilities:
            continue
        found = metric.formula(view)
        assert found.shape == (2, 3), metric.name
        single = [metric.formula(one) for one in view.each()]
        np.testing.assert_allclose(found.ravel(), single, rtol=1e-13, err_msg=metric.name)


def test_the_isotonic_fit_is_scipys():
    """The same fit as SciPy's, also where one heavy pool swallows all others in turn."""
    from scipy.optimize import isotonic_regression  # noqa: PLC0415

    rng = np.random.default_rng(2)
    for size in (1, 2, 3, 10, 400):
        positives, negatives = rng.integers(0, 4, (2, size)).astype(float)
        negatives[positives + negatives == 0] = 1
        view = Probabilities(np.arange(size) / size, positives, negatives)
        expected = isotonic_regression(view.rates, weights=view.counts).x
        np.testing.assert_allclose(isotonic(view), expected, atol=1e-14)
    chain = np.arange(1.0, 5001.0)
    heavy = Probabilities(np.arange(5000) / 5000, np.append(chain[:-1], 0), np.append(chain[:0:-1], 1e9))
    assert len(set(isotonic(heavy))) < 5000
    assert (np.diff(isotonic(heavy)) >= 0).all()


def test_scores_of_very_many_probabilities_are_those_of_columns():
    """Of 200,000 rows every metric of the fit and of the scores is that of rows that weigh 2 each."""
    rng = np.random.default_rng(9)
    p = np.clip(rng.normal(0.4, 0.2, 200_000), 1e-3, 1 - 1e-3)
    y = (rng.random(len(p)) < p**2).astype(int)
    plain, even = (scores(y, p, w) for w in (None, np.full(len(p), 2.0)))
    for score in ("brier", "log"):
        parts, same = (dataclasses.astuple(corp(tally, score)) for tally in (plain, even))
        np.testing.assert_allclose(parts, same, rtol=1e-11)
    for name in ("brier_skill", "log_loss_skill", "nagelkerke_r2", "isotonic_calibration_index"):
        assert float(find(name)(plain)) == pytest.approx(float(find(name)(even)), rel=1e-11)


def test_probabilities_of_a_row_add_up_to_one():
    """Rows that do not are refused, the first of them named, and so are probabilities beyond 0 and 1."""
    table = np.array([[0.5, 0.25, 0.25], [0.5, 0.25, 0.26], [0.1, 0.1, 0.1]])
    rows = assay.rows(actual=["a", "b", "c"], score=table)
    with pytest.raises(assay.NumberError, match=r"add up to 1.01 \(row 1, counting from 0\).*2 of 3 rows"):
        multiclass_log_loss.tally(rows)
    table[1] = 0.5, 0.75, -0.25
    with pytest.raises(assay.NumberError, match=r"score \(row 1, counting from 0\) is -0.25"):
        find("rps").tally(assay.rows(actual=["a", "b", "c"], score=table))
    with pytest.raises(assay.ColumnError, match="a column of scores per class"):
        multiclass_log_loss.tally(assay.rows(actual=[0, 1], score=[0.1, 0.9]))


def test_classes_that_tie_for_the_last_place_share_it():
    """Top-k accuracy of tied classes is the share of orders that find the actual one; any scores will do."""
    table = np.array([[3.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0], [-1.0, -2.0, -3.0, -4.0]])
    rows = assay.rows(actual=["b", "a", "d"], score=table, labels=["a", "b", "c", "d"])
    for k, expected in ((1, (0, 1 / 4, 0)), (2, (1 / 3, 1 / 2, 0)), (3, (2 / 3, 3 / 4, 0)), (4, (1, 1, 1))):
        assert top_k_accuracy(top_k_accuracy.tally(rows, k=k)) == pytest.approx(sum(expected) / 3, rel=1e-15)
    with pytest.raises(assay.MetricError, match="k=0"):
        top_k_accuracy.tally(rows, k=0)


def test_two_classes_give_twice_the_brier_score():
    """Of two classes, the sum form is twice and the halved form the same as the score of one."""
    p, actual = np.array([0.125, 0.5, 0.75]), [0, 1, 0]
    rows = assay.rows(actual=actual, score=np.stack([1 - p, p], axis=1))
    single = brier(scores(actual, p))
    assert find("multiclass_brier")(find("multiclass_brier").tally(rows)) == 2 * single
    assert find("halved_multiclass_brier")(find("halved_multiclass_brier").tally(rows)) == single
    assert find("rps")(find("rps").tally(rows)) == single


def test_a_large_tally_takes_the_fast_way():
    """Beyond a hundred thousand distinct probabilities the figures are the same."""
    rng = np.random.default_rng(1)
    p = rng.random(150_000)
    actual = (rng.random(150_000) < p).astype(int)
    tally = scores(actual, p)
    assert brier(tally) == pytest.approx(np.mean((actual - p) ** 2), rel=1e-13)
    assert find("brier_skill")(tally) == pytest.approx(1 - 4 * brier(tally), abs=1e-4)
    assert corp(tally).miscalibration < 1e-3


def test_pseudo_r2_are_those_of_rms_and_pscl():
    """R: f <- lrm(y ~ p); the probabilities are predict(f, type = "fitted"), f$stats["R2"] is Nagelkerke's.

    pscl::pR2(glm(y ~ p, family = binomial)) has r2CU 0.51114628, r2ML 0.38335971 and McFadden 0.34874947.
    """
    actual = [0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1]
    fitted = [
        0.0600814254978642, 0.17163431073965, 0.401772602920167, 0.312150206869416, 0.939227809436515,
        0.763130653191458, 0.0864247851946285, 0.971305299368145, 0.87587379215739, 0.234677103204587,
        0.68523148874259, 0.498479161096221,
    ]  # fmt: skip
    tally = assay.Scores.of(assay.rows(actual=actual, score=fitted))
    assert find("nagelkerke")(tally) == pytest.approx(0.5111462854933305, rel=1e-12)
    assert find("cox_snell")(tally) == pytest.approx(0.3833597141199979, rel=1e-12)
    assert find("mcfadden")(tally) == pytest.approx(0.3487494746472467, rel=1e-12)


def test_pseudo_r2_of_what_was_held_impossible():
    """An infinite log loss is infinitely bad; a single class has nothing to explain."""
    lost = assay.Scores.of(assay.rows(actual=[0, 1, 1], score=[0.5, 0.0, 0.9]))
    assert find("nagelkerke_r2")(lost) == find("cox_snell_r2")(lost) == -math.inf
    assert (
        "one class" in find("nagelkerke_r2")(assay.rows(actual=[0, 0], score=[0.1, 0.2], positive=1)).reason
    )
