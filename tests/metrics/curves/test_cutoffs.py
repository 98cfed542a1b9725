"""Every measure of ROCR, cutoff by cutoff, against what ROCR itself gives; where we differ it is said why."""

import itertools
import math

import numpy as np
import pytest
from support.reference_figures import messages, oracle

import assay
from assay.metrics import auc, break_even, find, pr_auc_integral
from assay.metrics.curves.cutoffs import at_cutoffs, best, performance

CLOSE = {"rtol": 1e-10, "atol": 1e-10}
# Every identifier of ROCR's performance(), variants with other parameters besides.
BY_CUTOFF = [
    "acc",
    "err",
    "fpr",
    "fall",
    "tpr",
    "rec",
    "sens",
    "fnr",
    "miss",
    "tnr",
    "spec",
    "ppv",
    "prec",
    "npv",
    "pcfall",
    "pcmiss",
    "rpp",
    "rnp",
    "phi",
    "mat",
    "mi",
    "chisq",
    "odds",
    "lift",
    "f",
    "sar",
    "cost",
    "f_alpha0.2",
    "f_alpha0.8",
    "cost_fp1_fn5",
    "cost_fp5_fn1",
]
FIGURES = ["auc", "aucpr", "prbe", "mxe", "rmse", "auc_fpr.stop0.1", "auc_fpr.stop0.01"]
CURVES = ["rch", "ecost", "cal", "cal_window50"]
# Where ROCR says NaN and there is a value:
# - F at infinity: no positive was found and some were missed, so it is 0 (2 tp / (2 tp + fp + fn)); ROCR divides
#   by a precision that does not exist.
# - The mutual information with a constant prediction is 0; ROCR takes the logarithm of 0.
DEFINED_HERE = {"f": 0, "f_alpha0.2": 0, "f_alpha0.8": 0, "mi": 0}


def scores(actual, score, **more):
    return assay.Scores.of(assay.rows(actual=actual, score=score, **more))


@pytest.fixture(scope="module")
def toy():
    """Twenty-four tied rows, whose curves are known in full."""
    inputs = oracle("toy_rocr_full_curves.json")["inputs"]
    return scores(inputs["y"], inputs["score"])


@pytest.fixture(scope="module")
def spam():
    """The text messages, whose curves are known in summary."""
    actual, score = messages()
    return scores(actual, score, positive="spam")


def numbers(values):
    return np.array([math.nan if value is None else float(value) for value in values])


def parameters(figures):
    ours = {"window.size": "window"}
    return {ours.get(name, name.replace(".", "_")): value for name, value in figures.get("args", {}).items()}


def computed(tally, figures, **more):
    return performance(tally, figures["measure"], **{**parameters(figures), **more})


def as_rocr(name, curve):
    """Return a curve's values with NaN where ROCR has none although there is a value."""
    values = curve.y.copy()
    if name in DEFINED_HERE:
        ends = [0, -1] if name == "mi" else [0]
        assert (values[ends] == DEFINED_HERE[name]).all()
        values[ends] = math.nan
    return values


def test_every_identifier_is_tested():
    """The 35 measures of ROCR are all here."""
    known = {one["measure"] for one in oracle("toy_rocr_full_curves.json")["measures"].values()}
    assert len(known) == 35
    measures = oracle("sms_rocr.json")["measures"]
    assert {*BY_CUTOFF, *FIGURES, *CURVES} == set(measures)


@pytest.mark.parametrize("name", BY_CUTOFF)
def test_the_full_curve_is_that_of_rocr(name, toy):
    """Cutoff by cutoff on the tied rows."""
    figures = oracle("toy_rocr_full_curves.json")["measures"][name]
    curve = computed(toy, figures)
    np.testing.assert_allclose(curve.cutoffs, numbers(figures["x"]), **CLOSE)
    np.testing.assert_allclose(as_rocr(name, curve), numbers(figures["y"]), **CLOSE)


@pytest.mark.parametrize("name", BY_CUTOFF)
def test_the_summary_is_that_of_rocr(name, spam):
    """Ends, extremes and their places, sum and the value at one half on the text messages."""
    figures = oracle("sms_rocr.json")["measures"][name]
    curve = computed(spam, figures)
    values = as_rocr(name, curve)
    finite = np.isfinite(values)
    x, y = curve.cutoffs[finite], values[finite]
    # max and min first: extremes that differ by rounding alone may be reached first somewhere else.
    found = {
        "n": len(curve),
        "n_finite": finite.sum(),
        "n_nan": np.isnan(values).sum(),
        "n_inf": np.isinf(values).sum(),
        "first_finite": y[0],
        "first_finite_x": x[0],
        "last_finite": y[-1],
        "last_finite_x": x[-1],
        "max_finite": y.max(),
        "min_finite": y.min(),
        "sum_finite": y.sum(),
    }
    for key, value in found.items():
        assert float(value) == pytest.approx(float(figures[key]), rel=1e-10, abs=1e-10), key
    for key, value in (("x_at_max_first", y.max()), ("x_at_min_first", y.min())):
        place = int(np.argmin(np.abs(x - float(figures[key])))) if figures[key] != "Inf" else 0
        assert y[place] == pytest.approx(value, rel=1e-10), key
    half = figures["at_cutoff_0.5"]
    place = int(np.flatnonzero(curve.cutoffs >= 0.5)[-1])
    assert curve.cutoffs[place] == pytest.approx(half["cutoff_used"], rel=1e-12)
    assert curve.y[place] == pytest.approx(half["value"], rel=1e-10)


@pytest.mark.parametrize("file", ["toy_rocr_full_curves.json", "sms_rocr.json"])
def test_single_figures_are_those_of_rocr(file, toy, spam):
    """Areas, cross-entropy and root mean squared error."""
    tally, measures = (toy if "toy" in file else spam), oracle(file)["measures"]
    for name in ("auc", "auc_fpr.stop0.1", "auc_fpr.stop0.01", "mxe", "rmse"):
        assert computed(tally, measures[name]) == pytest.approx(measures[name]["value"], rel=1e-10), name


@pytest.mark.parametrize("file", ["toy_rocr_full_curves.json", "sms_rocr.json"])
def test_the_area_under_precision_and_recall(file, toy, spam):
    """Aucpr is the interpolation that ROCR means; what ROCR gives instead has its own name.

    ROCR adds the interpolated points at a place in the list that was right before it added any.
    """
    tally, figures = (toy if "toy" in file else spam), oracle(file)["measures"]["aucpr"]
    assert performance(tally, "aucpr_rocr") == pytest.approx(figures["value"], rel=1e-10)
    assert performance(tally, "aucpr") == pr_auc_integral(tally)
    assert performance(tally, "aucpr") < figures["value"]


def test_the_break_even_point(toy, spam):
    """Prbe agrees where a cutoff has precision equal to recall; else ROCR returns a root's residual, about 0."""
    assert performance(spam, "prbe") == pytest.approx(
        oracle("sms_rocr.json")["measures"]["prbe"]["value"], rel=1e-10
    )
    assert abs(oracle("toy_rocr_full_curves.json")["measures"]["prbe"]["value"]) < 1e-15
    # Nine rows score above the three tied at 0.66, six of them positive; one more of the ten wanted is a third of a positive.
    assert performance(toy, "prbe") == break_even(toy) == pytest.approx((6 + 1 / 3) / 10)


def test_the_hull_and_the_cost_curve_on_the_toy(toy):
    """The same lines; of corners on one straight line, which ROCR keeps by rounding, only the ends are given."""
    measures = oracle("toy_rocr_full_curves.json")["measures"]
    for name, between in (("rch", 3), ("ecost", 0)):
        x, y = (numbers(measures[name][axis]) for axis in "xy")
        curve = performance(toy, name)
        for px, py in zip(x, y, strict=True):
            on_curve = (
                np.interp(px, curve.x, curve.y)
                if px
                else min(curve.y[curve.x == 0], key=lambda v: abs(v - py))
            )
            assert on_curve == pytest.approx(py, abs=1e-10)
        theirs = set(zip(x.round(9), y.round(9), strict=True))
        extra = {(x[between].round(9), y[between].round(9))} if name == "rch" else set()
        assert set(zip(curve.x.round(9), curve.y.round(9), strict=True)) == theirs - extra


@pytest.mark.parametrize("name", ["rch", "ecost"])
def test_the_hull_and_the_cost_curve_of_the_messages(name, spam):
    """Where no three corners are on a line the points are the same."""
    figures = oracle("sms_rocr.json")["measures"][name]
    curve = performance(spam, name)
    assert len(curve) == figures["n"]
    assert curve.y.sum() == pytest.approx(figures["sum_finite"], rel=1e-10)
    assert curve.y.max() == pytest.approx(figures["max_finite"], rel=1e-10)
    assert curve.x[np.argmax(curve.y)] == pytest.approx(float(figures["x_at_max_first"]), rel=1e-10)
    assert (curve.x[0], curve.y[0], curve.x[-1]) == (0, 0, 1)


def in_the_order_of_rocr(actual, score):
    """Return scores of which no two are equal, tied rows put into ROCR's order by the least that floats allow.

    ROCR takes tied rows in the reverse of the order in which they came, which a tally does not know.
    """
    order = sorted(range(len(score)), key=lambda i: score[i])[::-1]
    parted = [score[i] for i in order]
    for here, there in itertools.pairwise(range(len(parted))):
        if parted[there] >= parted[here]:
            parted[there] = math.nextafter(parted[here], -1)
    return [actual[i] for i in order], parted


@pytest.mark.parametrize("name", ["cal", "cal_window50"])
def test_calibration_in_a_sliding_window(name):
    """The whole curve on the toy, summaries on the messages, with ties in ROCR's order."""
    inputs = oracle("toy_rocr_full_curves.json")
    figures = inputs["measures"][name]
    tally = scores(*in_the_order_of_rocr(inputs["inputs"]["y"], inputs["inputs"]["score"]))
    curve = computed(tally, figures)
    np.testing.assert_allclose(curve.x, numbers(figures["x"]), **CLOSE)
    np.testing.assert_allclose(curve.y, numbers(figures["y"]), **CLOSE)
    actual, score = in_the_order_of_rocr(*messages())
    figures = oracle("sms_rocr.json")["measures"][name]
    curve = computed(scores(actual, score, positive="spam"), figures)
    assert len(curve) == figures["n"]
    assert curve.y.sum() == pytest.approx(figures["sum_finite"], rel=1e-10)
    for key, value in (
        ("max", curve.y.max()),
        ("min", curve.y.min()),
        ("first", curve.y[0]),
        ("last", curve.y[-1]),
    ):
        assert value == pytest.approx(figures[f"{key}_finite"], rel=1e-10, abs=1e-12), key
    assert curve.x[np.argmax(curve.y)] == pytest.approx(figures["x_at_max_first"], rel=1e-10)


def test_calibration_takes_tied_rows_in_proportion(toy):
    """Windows that cut no tie agree with ROCR; the others do not depend on the order of rows."""
    figures = oracle("toy_rocr_full_curves.json")["measures"]["cal"]
    curve = computed(toy, figures)
    np.testing.assert_allclose(curve.x, numbers(figures["x"]), **CLOSE)
    counts = oracle("toy_rocr_full_curves.json")["counts_per_cutoff"]
    whole = set(counts["n.pos.pred"])
    uncut = [i for i in range(len(curve)) if i in whole and i + 8 in whole]
    assert len(uncut) > 4
    np.testing.assert_allclose(curve.y[uncut], numbers(figures["y"])[uncut], **CLOSE)


def test_any_measure_against_any(toy):
    """Precision over recall, lift over the rate of positive predictions."""
    curve = performance(toy, "prec", against="rec")
    np.testing.assert_array_equal(curve.x, at_cutoffs(toy, "rec").y)
    np.testing.assert_array_equal(curve.y, at_cutoffs(toy, "prec").y)
    assert (curve.x_name, curve.y_name) == ("recall", "precision")
    assert performance(toy, "lift", against="rpp").cutoffs[0] == math.inf
    assert performance(toy, "tpr", against="fpr").area() == pytest.approx(auc(toy))


def test_any_metric_of_counts_is_a_measure(toy):
    """Also those that ROCR does not know, with their parameters."""
    f2 = at_cutoffs(toy, "f_beta", beta=2)
    assert f2.y[1] == pytest.approx(5 * 1 / (5 * 1 + 4 * 9))
    assert at_cutoffs(toy, "kappa").y[0] == 0
    assert performance(toy, "ks") == pytest.approx(best(toy, "youden").value)


def test_the_best_cutoff_is_the_highest_of_equals(toy):
    """The cutoffs of the check values, ties counted; less is better for errors."""
    assert best(toy, "acc") == (0.81, pytest.approx(17 / 24), 3)
    assert best(toy, "err") == (0.81, pytest.approx(7 / 24), 3)
    assert best(toy, "cost", cost_fp=1, cost_fn=5).cutoff == 0.33
    assert best(toy, "f", alpha=0.8).cutoff == 0.81
    assert best(toy, "rpp", lowest=True).cutoff == math.inf
    with pytest.raises(assay.MetricError, match="say lowest"):
        best(toy, "rpp")


def test_weights_count(toy):
    """A weight of two is a row twice, at every cutoff; chi-square is of as many rows as weights are worth."""
    actual, score, weight = [0, 1, 1, 0], [0.1, 0.4, 0.4, 0.8], [2, 1, 2, 1]
    repeated = [i for i, times in enumerate(weight) for _ in range(times)]
    weighted = scores(actual, score, weight=weight)
    plain = scores([actual[i] for i in repeated], [score[i] for i in repeated])
    for name in ("acc", "mat", "cost"):
        np.testing.assert_allclose(at_cutoffs(weighted, name).y, at_cutoffs(plain, name).y, rtol=1e-14)
    worth = 6**2 / (4 + 1 + 4 + 1) / 6
    squares = [at_cutoffs(tally, "chisq").y for tally in (weighted, plain)]
    np.testing.assert_allclose(squares[0], worth * squares[1], rtol=1e-14)
    for name in ("mxe", "rmse", "aucpr"):
        assert performance(weighted, name) == pytest.approx(performance(plain, name), rel=1e-14)
    with pytest.raises(assay.MetricError, match="takes no weights"):
        performance(weighted, "cal", window=2)


def test_what_cannot_be_is_said(toy):
    """Wrong names, parameters, axes and scores."""
    with pytest.raises(assay.MetricError, match='no metric "tprr"'):
        performance(toy, "tprr")
    with pytest.raises(assay.MetricError, match="takes no beta"):
        performance(toy, "f", beta=2)
    with pytest.raises(assay.MetricError, match="takes no beta"):
        performance(toy, "acc", beta=2)
    with pytest.raises(assay.MetricError, match="an axis of its own"):
        performance(toy, "rch", against="rec")
    with pytest.raises(assay.MetricError, match="no measure of counts"):
        performance(toy, "acc", against="auc")
    with pytest.raises(assay.MetricError, match="there are 24 rows"):
        performance(toy, "cal")
    with pytest.raises(assay.MetricError, match=r"7.0 is no probability"):
        performance(scores([0, 1], [0.5, 7]), "mxe")
    with pytest.raises(assay.MetricError, match="no rows"):
        performance(assay.Scores.empty(), "acc")
    with pytest.raises(assay.MetricError, match="between 0 and 1"):
        performance(toy, "f", alpha=2)


def test_a_certain_error_costs_infinitely():
    """Cross-entropy is infinite where a probability of 0 or 1 is wrong, and finite where it is right."""
    assert performance(scores([0, 1], [0, 1]), "mxe") == 0
    assert performance(scores([0, 1], [1, 1]), "mxe") == math.inf


@pytest.mark.parametrize("factor", [0.04, 3.0, 1e6])
@pytest.mark.parametrize("name", ["krippendorff_alpha", "chi_square", "kappa", "f1"])
def test_the_unit_of_weights_does_not_show_at_any_cutoff(name, factor):
    """Nor does it where the number of rows matters: the values are those of the table at the cutoff."""
    rng = np.random.default_rng(3)
    actual, score, weight = rng.integers(0, 2, 40), rng.integers(0, 9, 40) / 8, rng.lognormal(size=40)
    curves = [
        at_cutoffs(assay.rows(actual=actual, score=score, weight=one), name)
        for one in (weight, weight * factor)
    ]
    np.testing.assert_allclose(curves[0].y, curves[1].y, rtol=1e-12)
    cutoff = curves[0].cutoffs[4]
    table = assay.rows(actual=actual, predicted=(score >= cutoff).astype(int), weight=weight)
    assert curves[0].y[4] == pytest.approx(find(name)(table), rel=1e-12)
