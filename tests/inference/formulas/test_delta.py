"""Delta variances against closed forms, numeric derivatives and the check values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import agrees, check_values

import assay
from assay.inference.formulas.delta import (
    acceleration,
    cluster_variance,
    delta_interval,
    design_effect,
    effective_counts,
    group_sums,
    kish,
    scale_of,
    stratified_variance,
    variance,
)
from assay.inference.influence.gradients import class_slopes, gradient, metric_gradient, paired_gradient
from assay.metrics import Binary, Classes, averaged, catalogue, find
from assay.metrics.arithmetic import ratio, root
from assay.metrics.views.confusion import Ordered

THREE = np.array([[44, 6, 3], [5, 30, 7], [2, 9, 61]])
TWO = np.array([[68, 12], [5, 45]])

# Formulas that need not be in the catalogue for these checks.
FORMULAS = {
    "prevalence": lambda c: ratio(c.positives, c.n),
    "markedness": lambda c: ratio(c.tp, c.predicted_positives) + ratio(c.tn, c.predicted_negatives) - 1,
    "gmean": lambda c: root(ratio(c.tp, c.positives) * ratio(c.tn, c.negatives)),
    "lift": lambda c: ratio(c.tp * c.n, c.predicted_positives * c.positives),
    "dor": lambda c: ratio(c.tp * c.tn, c.fp * c.fn),
}
CATALOGUED = {
    "accuracy": "accuracy", "sensitivity": "recall", "specificity": "specificity", "ppv": "precision",
    "npv": "npv", "f1": "f1", "mcc": "mcc", "kappa": "kappa", "balanced_accuracy": "balanced_accuracy",
    "informedness": "informedness", "jaccard": "jaccard", "fowlkes_mallows": "fowlkes_mallows",
    "lr_pos": "lr_plus", "lr_neg": "lr_minus",
}  # fmt: skip


def slopes_of(name):
    """The slopes of a quantity of O5 at its table."""
    if name in FORMULAS:
        found = class_slopes(FORMULAS[name], Binary(45, 12, 5, 68))
        return np.array([[found.tn, found.fp], [found.fn, found.tp]])
    if name in ("f2", "f05"):
        return metric_gradient(find("f_beta"), TWO, beta=2.0 if name == "f2" else 0.5)
    return metric_gradient(find(CATALOGUED[name]), TWO)


def error_of(name):
    return math.sqrt(variance(slopes_of(name), TWO))


def test_standard_errors_are_those_of_o5():
    """Twenty-one metrics of a binary table, none with a closed form of its own."""
    _, expected = check_values(5)
    assert len(expected) == 21
    for name, error in expected.items():
        assert error_of(name.removeprefix("se_")) == pytest.approx(error, rel=1e-12), name


def test_intervals_on_their_scale_are_those_of_o6():
    """MCC and kappa by atanh, F2 by logit, lift by log; the accelerations of MCC and F1."""
    _, expected = check_values(6)
    _, values = check_values(4)
    for name, bounds, key in (
        ("mcc", (-1, 1), "mcc_atanh"),
        ("kappa", (-1, 1), "kappa_atanh"),
        ("f2", (0, 1), "f2_logit"),
        ("lift", (0, math.inf), "lift_log"),
    ):
        assert agrees(delta_interval(values[name], error_of(name), bounds), expected, key)
    for name in ("mcc", "f1"):
        assert acceleration(slopes_of(name), TWO) == pytest.approx(expected[f"bca_accel_{name}"], rel=1e-12)


def test_three_classes_are_those_of_o7():
    """R_K, kappa and the averages of F1, precision and recall with their errors and intervals."""
    inputs, expected = check_values(7)
    assert inputs["confusion_rows_truth"] == THREE.tolist()
    cases = {
        "rk_mcc_se": metric_gradient(find("mcc"), THREE),
        "kappa_ase": metric_gradient(find("kappa"), THREE),
        "macro_f1_se": metric_gradient(find("f1"), THREE, average="macro"),
        "weighted_f1_se": metric_gradient(find("f1"), THREE, average="weighted"),
        "macro_precision_se": metric_gradient(find("precision"), THREE, average="macro"),
        "macro_recall_se": metric_gradient(find("recall"), THREE, average="macro"),
        "gmean_se": gradient(
            lambda t: np.prod(ratio(Classes(t).against_rest().tp, Classes(t).actual), -1) ** (1 / 3), THREE
        ),
    }
    for name, slopes in cases.items():
        assert math.sqrt(variance(slopes, THREE)) == pytest.approx(expected[name], rel=1e-12), name
        assert float((slopes * THREE).sum()) == pytest.approx(0, abs=1e-12)
    balanced = metric_gradient(find("balanced_accuracy"), THREE)
    assert balanced == pytest.approx(cases["macro_recall_se"], rel=1e-12)
    assert agrees(delta_interval(expected["rk_mcc"], expected["rk_mcc_se"], (-1, 1)), expected, "rk_atanh")
    assert agrees(
        delta_interval(expected["macro_f1"], expected["macro_f1_se"], (0, 1)), expected, "macro_f1_logit"
    )
    for name, key in (("rk_mcc_se", "bca_accel_rk"), ("macro_f1_se", "bca_accel_macro_f1")):
        assert acceleration(cases[name], THREE) == pytest.approx(expected[key], rel=1e-12)


def test_micro_averages_of_one_label_are_accuracy():
    """Pooled over the classes, F1 has accuracy's slopes."""
    micro = metric_gradient(find("f1"), THREE, average="micro")
    assert micro == pytest.approx(metric_gradient(find("accuracy"), THREE), abs=1e-15)


def test_weighted_rows_are_those_of_o8():
    """The sandwich from a cell's sums of weights, their squares and cubes, whatever the weights' unit."""
    inputs, expected = check_values(8)
    rows = np.array(inputs["rows_truth_pred_weight"])
    for unit in (1.0, 7.0):
        powers = np.zeros((3, 2, 2))
        for actual, predicted, weight in rows:
            powers[:, int(actual), int(predicted)] += [(unit * weight) ** power for power in (1, 2, 3)]
        for name in ("accuracy", "f1", "mcc"):
            slopes = metric_gradient(find(name), powers[0])
            assert math.sqrt(variance(slopes, powers[1])) == pytest.approx(expected[f"{name}_se"], rel=1e-12)
            skew = acceleration(slopes, powers[1], powers[2])
            assert skew == pytest.approx(expected[f"{name}_bca_a"], rel=1e-12)
        found = kish(powers[0].sum(), powers[1].sum())
        assert found == pytest.approx(expected["kish_n_eff"], rel=1e-12)


def test_clusters_are_those_of_o22():
    """Rows of a group go together: plain and corrected error, and the design effect."""
    inputs, expected = check_values(22)
    groups = sorted({group for group, _ in inputs["rows_group_correct"]})
    tables = np.zeros((len(groups), 2))  # right, wrong
    for group, correct in inputs["rows_group_correct"]:
        tables[groups.index(group), 1 - correct] += 1
    slopes = gradient(lambda c: c[..., 0] / c.sum(-1), tables.sum(0))
    sums = group_sums(slopes, tables)
    naive, clustered = variance(slopes, tables.sum(0)), cluster_variance(sums, corrected=False)
    assert math.sqrt(naive) == pytest.approx(expected["naive_se"], rel=1e-12)
    assert math.sqrt(clustered) == pytest.approx(expected["cluster_se_cr0"], rel=1e-12)
    assert math.sqrt(cluster_variance(sums)) == pytest.approx(expected["cluster_se_g_over_gm1"], rel=1e-12)
    assert design_effect(clustered, naive) == pytest.approx(expected["design_effect_cr0"], rel=1e-12)
    assert math.isnan(cluster_variance(sums[:1]))


def test_paired_differences_are_those_of_o23():
    """The error of a difference from the joint table of two models."""
    inputs, expected = check_values(23)
    joint = np.array(inputs["joint"])
    first, second = joint.sum(2), joint.sum(1)
    for name in ("accuracy", "f1", "mcc", "kappa", "balanced_accuracy"):
        slopes = paired_gradient(*(metric_gradient(find(name), table) for table in (first, second)))
        error = math.sqrt(variance(slopes, joint))
        assert error == pytest.approx(expected[f"se_diff_{name}"], rel=1e-12), name


TABLES = (Binary, Classes, Ordered)
SMOOTH = [m for m in catalogue() if m.reads in TABLES and m.kind in ("proportion", "counts")]


@pytest.mark.parametrize("metric", SMOOTH, ids=lambda metric: metric.name)
def test_slopes_are_derivatives_and_add_up_to_nothing(metric):
    """By numeric differences, and Euler's sum of count times slope, for the catalogue's metrics of a table."""
    table = TWO if metric.reads is Binary else THREE

    def value(cells):
        if metric.reads is not Binary:  # a weight moves, so that there are as many rows as before
            return float(metric.formula(metric.reads(cells, effective=table.sum())))
        return float(metric.formula(Binary(cells[1, 1], cells[0, 1], cells[1, 0], cells[0, 0])))

    slopes = metric_gradient(metric, table)
    for place in np.ndindex(table.shape):
        step = np.zeros(table.shape)
        step[place] = 1e-3
        numeric = (value(table + step) - value(table - step)) / 2e-3
        assert slopes[place] == pytest.approx(numeric, rel=1e-4, abs=1e-9)
    assert float((slopes * table).sum()) == pytest.approx(0, abs=1e-12 * max(1.0, abs(value(table))))


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=3, max_size=3))
def test_averages_have_the_slopes_of_their_values(table):
    """Macro and weighted F1 with classes left out, filled and strict, by numeric differences."""
    cells = np.array(table, dtype=float)
    for average in ("macro", "weighted"):
        for absent in ("strict", "skip", 0):

            def value(at, average=average, undefined=absent):
                classes = Classes(at).against_rest()
                found = averaged(find("f1"), classes, average, {}, names=range(3), undefined=undefined)
                return float(found)

            slopes = metric_gradient(find("f1"), cells, average=average, undefined=absent)
            if math.isnan(value(cells)):
                assert np.isnan(slopes[cells > 0]).all()
                continue
            for place in zip(*np.nonzero(cells), strict=True):
                step = np.zeros((3, 3))
                step[place] = 1e-4
                numeric = (value(cells + step) - value(cells - step)) / 2e-4
                assert slopes[place] == pytest.approx(numeric, rel=1e-4, abs=1e-7)


def test_fixed_class_totals_leave_only_the_spread_within():
    """Recall is binomial either way; accuracy with fixed classes is the sum of two binomials."""
    for name, positives in (("recall", None), ("accuracy", (80, 50))):
        slopes = metric_gradient(find(name), TWO)
        fixed = stratified_variance(slopes, TWO)
        if positives is None:
            assert fixed == pytest.approx(variance(slopes, TWO))
        else:
            binomial = 80 * 0.85 * 0.15 + 50 * 0.9 * 0.1
            assert fixed == pytest.approx(binomial / 130**2)


def test_more_cells_than_a_block_give_the_same(monkeypatch):
    """Cells are moved in blocks; no block shows."""
    whole = metric_gradient(find("mcc"), THREE)
    monkeypatch.setattr("assay.inference.influence.gradients._MAX_NUMBERS_AT_ONCE", 20)
    assert (metric_gradient(find("mcc"), THREE) == whole).all()


def test_huge_counts_keep_their_digits():
    """A million times the rows: a thousandth of the error."""
    small, large = (math.sqrt(variance(metric_gradient(find("mcc"), t), t)) for t in (TWO, TWO * 10**12))
    assert small == pytest.approx(large * 10**6, rel=1e-13)
    counted = (TWO.astype(object) * 10**12).astype(object)
    assert math.sqrt(variance(metric_gradient(find("mcc"), counted), counted)) == large


def test_effective_counts_give_back_plain_ones():
    """Equal weights are worth their rows; a share of 0 or 1 takes Kish's number."""
    assert effective_counts(0.3, 0.3 * 0.7 / 50, 99) == pytest.approx((15, 50))
    assert effective_counts(1.0, 0.0, 99) == (99, 99)


def test_an_interval_needs_some_spread():
    """At the end of the bounds, or without error, there is none; few groups widen it."""
    assert delta_interval(1.0, 0.1, (0, 1)) is None
    assert delta_interval(0.5, 0.0, (0, 1)) is None
    assert delta_interval(0.5, math.nan, (0, 1)) is None
    normal, student = (delta_interval(0.5, 0.1, (0, 1), df=df) for df in (None, 4))
    assert student[0] < normal[0] < 0.5 < normal[1] < student[1]
    assert delta_interval(5.0, 1e6, (0, math.inf))[1] == math.inf
    assert scale_of((-math.inf, 1)).name == "log"
    low, high = delta_interval(0.9, 0.05, (-math.inf, 1))
    assert (1 - low, 1 - high) == pytest.approx(delta_interval(0.1, 0.05, (0, math.inf))[::-1])


@settings(deadline=None)
@given(st.floats(0.01, 0.99), st.floats(1e-6, 0.5))
def test_scaled_intervals_stay_inside_and_mirror(value, error):
    """Logit and atanh limits lie inside the bounds, and the complement's limits are mirrored."""
    low, high = delta_interval(value, error, (0, 1))
    assert 0 <= low < value < high <= 1
    mirrored = delta_interval(1 - value, error, (0, 1))
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((low, high), abs=1e-9)
    low, high = delta_interval(2 * value - 1, error, (-1, 1))
    assert -1 <= low < 2 * value - 1 < high <= 1


def test_nonsense_is_refused():
    """A metric that does not read a table, a class not said, an average not known, a kinked formula."""
    with pytest.raises(assay.MetricError, match="needs positive= or average="):
        metric_gradient(find("f1"), THREE)
    with pytest.raises(assay.MetricError, match="is not known"):
        metric_gradient(find("f1"), THREE, average="median")
    with pytest.raises(assay.MetricError, match="no formula of a confusion table"):
        metric_gradient(next(m for m in catalogue() if m.reads not in TABLES), THREE)
    with pytest.raises(assay.MetricError, match="absolute values"):
        gradient(lambda c: np.abs(c[..., 0] - c[..., 1]), [3, 1])
