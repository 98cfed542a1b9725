"""Figures that others have published or computed: the check values of the methods, and worked examples."""

import math

import numpy as np
import pytest
from support.reference_figures import messages, methods, oracle

import assay
from assay.decisions import (
    bayes_threshold,
    choose_threshold,
    cost_curve,
    evaluate_threshold,
    expected_cost,
    net_benefit,
    normalised_cost,
    probability_cost,
    roc_hull,
    shifted_threshold,
)
from assay.metrics import auc, convex_hull_auc, equal_error_rate

EXACT = {"rel": 1e-12, "abs": 1e-14}


@pytest.fixture(scope="module")
def check():
    """The inputs and outputs of the check values for decisions."""
    item = methods("decision thresholds")
    given = item["inputs"]
    return assay.rows(actual=given["y"], score=given["score"]), given, item["outputs"]


def test_check_values_of_thresholds(check):
    """Youden, the corner, F1 and the least cost are where and what they should be."""
    rows, given, out = check
    chosen = {
        "youden": choose_threshold(rows, best="youden"),
        "closest_topleft": choose_threshold(rows, best="closest corner"),
        "max_f1": choose_threshold(rows, best="f1"),
        "min_cost": choose_threshold(rows, cost_fp=given["c_fp"], cost_fn=given["c_fn"]),
    }
    for name, found in chosen.items():
        assert found.threshold == out[f"{name}_threshold"]
    assert chosen["youden"].value == pytest.approx(out["youden_J"], **EXACT)
    assert chosen["closest_topleft"].value == pytest.approx(out["closest_topleft_dist"], **EXACT)
    assert chosen["max_f1"].value == pytest.approx(out["max_f1"], **EXACT)
    assert chosen["min_cost"].value == pytest.approx(out["min_cost_per_row"], **EXACT)


def test_check_values_of_costs_and_prevalence(check):
    """The Bayes threshold follows from the costs, and moves with the share of positives."""
    rows, given, out = check
    costs = {"cost_fp": given["c_fp"], "cost_fn": given["c_fn"]}
    alone = bayes_threshold(**costs)
    assert alone == pytest.approx(out["bayes_threshold"], **EXACT)
    prevalence = sum(given["y"]) / len(given["y"])
    shifted = out["threshold_on_original_p_after_prevalence_shift"]
    assert shifted_threshold(alone, prevalence, given["prevalence_new"]) == pytest.approx(shifted, **EXACT)
    found = choose_threshold(rows, **costs, prevalence=given["prevalence_new"], calibrated=True)
    assert found.threshold == pytest.approx(shifted, **EXACT)
    assert found.threshold_source == "cost"
    x = probability_cost(prevalence, **costs)
    assert x == pytest.approx(out["cost_curve_pc"], **EXACT)
    line = normalised_cost(rows, out["youden_threshold"], x)
    assert line == pytest.approx(out["cost_curve_nec_at_youden"], **EXACT)
    assert cost_curve(rows).at(x) <= line


def test_check_values_of_net_benefit(check):
    """Net benefit, its standard error, and what treating all would bring."""
    rows, given, out = check
    curve = net_benefit(rows, [given["net_benefit_t"]])
    assert curve["net_benefit"][0] == pytest.approx(out["net_benefit"], **EXACT)
    assert curve["standard_error"][0] == pytest.approx(out["net_benefit_se"], **EXACT)
    assert curve["treat_all"][0] == pytest.approx(out["net_benefit_treat_all"], **EXACT)
    assert curve["standardised"][0] == pytest.approx(out["standardized_net_benefit"], **EXACT)
    assert curve["treat_none"][0] == 0


def test_check_values_of_the_hull_and_equal_errors(check):
    """The corners that are best at some cost, the areas, and where both classes err alike."""
    rows, _, out = check
    hull = roc_hull(rows)
    assert np.column_stack([hull.x, hull.y]) == pytest.approx(np.array(out["hull_points"]), **EXACT)
    assert auc(rows) == pytest.approx(out["auc"], **EXACT)
    assert hull.area() == pytest.approx(out["auch_convex_hull"], **EXACT)
    assert convex_hull_auc(rows) == pytest.approx(out["auch_convex_hull"], **EXACT)
    assert equal_error_rate(rows) == pytest.approx(out["eer_interpolated"], **EXACT)
    found = choose_threshold(rows, equal_error=True)
    assert f"{out['eer_interpolated']:.4g}" in found.note


def test_the_cost_optimum_touches_the_hull(check):
    """Whatever the costs, the cheapest cutoff is a corner of the hull, or as cheap as one."""
    rows, _, _ = check
    corners = set(roc_hull(rows).cutoffs.tolist())
    for cost_fn in np.geomspace(0.01, 100, 41):
        curve = expected_cost(rows, cost_fp=1, cost_fn=cost_fn)
        cheapest = curve.y.min()
        assert any(cutoff in corners for cutoff in curve.cutoffs[curve.y <= cheapest * (1 + 1e-12)])
        assert choose_threshold(rows, cost_fp=1, cost_fn=cost_fn).value == pytest.approx(cheapest)


def test_the_threshold_sweep_of_ten_points():
    """Labels by rising score 0,1,0,0,1,0,1,0,1,1: (TP, TN) as the threshold passes one point after another."""
    rows = assay.rows(actual=[0, 1, 0, 0, 1, 0, 1, 0, 1, 1], score=range(10))
    passed = [(5, 0), (5, 1), (4, 1), (4, 2), (4, 3), (3, 3), (3, 4), (2, 4), (2, 5), (1, 5), (0, 5)]
    for threshold, (tp, tn) in zip([*range(10), math.inf], passed, strict=True):
        counts = evaluate_threshold(rows, threshold, best="youden").counts
        assert (counts.tp, counts.tn) == (tp, tn)
    youden = choose_threshold(rows, best="youden")  # 4/5 + 3/5 - 1 is tied with 2/5 + 5/5 - 1
    assert (youden.threshold, youden.ties, youden.value) == (8, 3, pytest.approx(0.4))
    # A miss is worse (the disease): beta 2; a false alarm is worse (the mail filter): beta 0.5.
    assert choose_threshold(rows, best="f2").threshold == 1
    assert choose_threshold(rows, best="f_beta", beta=0.5).threshold == 8


def test_treasure_ships_as_hard_labels():
    """Labels taken as scores have three cutoffs; the labels' own table is at 1."""
    rows = assay.rows(actual=[1] * 10 + [0] * 10, score=[1] * 9 + [0] + [1, 1] + [0] * 8)
    found = choose_threshold(rows, best="accuracy")
    assert (found.threshold, found.value) == (1, 0.85)
    assert (found.counts.tp, found.counts.fp, found.counts.fn, found.counts.tn) == (9, 2, 1, 8)


def test_nobody_is_ill_enough():
    """Ten ill among a thousand: accuracy calls all healthy, and recall is worth what a miss costs."""
    actual = [1] * 10 + [0] * 990
    score = [0.9] * 8 + [0.1] * 2 + [0.9] * 48 + [0.1] * 942
    rows = assay.rows(actual=actual, score=score)
    healthy = choose_threshold(rows, best="accuracy")
    assert (healthy.threshold, healthy.value) == (math.inf, 0.99)
    careful = choose_threshold(rows, cost_fp=1, cost_fn=20)
    assert (careful.counts.tp, careful.counts.fp, careful.counts.fn) == (8, 48, 2)
    assert choose_threshold(rows, min_recall=0.8).value == 0.8


@pytest.fixture(scope="module")
def spam():
    """The 1,390 messages, spam positive."""
    actual, score = messages()
    return assay.rows(actual=actual, score=score, positive="spam")


def test_the_spam_filter_where_a_false_alarm_costs_five(spam):
    """At 0.5 five false alarms and 29 misses cost 38.8 per 1,000; at 0.6860 two and 32 cost 30.2."""
    found = choose_threshold(spam, cost_fp=5, cost_fn=1)
    assert f"{found.threshold:.4f}" == "0.6860"
    assert (found.counts.fp, found.counts.fn) == (2, 32)
    assert (found.baseline.counts.fp, found.baseline.counts.fn) == (5, 29)
    assert found.value == 42 / 1390
    assert found.baseline.value == 54 / 1390
    text = str(found)
    assert "cost-optimal threshold 0.6860 (a false positive costs 5, a false negative 1)" in text
    assert "at 0.5" in text
    assert "30.22" in text


def test_the_spam_filter_by_brute_force(spam):
    """Every distinct probability in turn, by counting messages, gives the same least cost."""
    actual, score = messages()
    y, s = np.array(actual) == "spam", np.array(score)
    cutoffs = [math.inf, *sorted(set(score), reverse=True)]
    costs = [5 * int((~y & (s >= t)).sum()) + int((y & (s < t)).sum()) for t in cutoffs]
    found = choose_threshold(spam, cost_fp=5, cost_fn=1)
    assert (found.threshold, found.ties) == (cutoffs[costs.index(min(costs))], costs.count(min(costs)))
    assert expected_cost(spam, cost_fp=5, cost_fn=1).y == pytest.approx(np.array(costs) / 1390, rel=1e-15)


def test_the_spam_filter_as_rocr_prices_it(spam):
    """R's ROCR has the least explicit cost, and where, for three pairs of costs; and the best F at three weights."""
    measures = oracle("sms_rocr.json")["measures"]
    for name, fp, fn in (("cost", 1, 1), ("cost_fp1_fn5", 1, 5), ("cost_fp5_fn1", 5, 1)):
        found = choose_threshold(spam, cost_fp=fp, cost_fn=fn)
        assert found.value == pytest.approx(measures[name]["min_finite"], rel=1e-12)
        assert found.threshold == pytest.approx(measures[name]["x_at_min_first"], rel=1e-12)
        curve = expected_cost(spam, cost_fp=fp, cost_fn=fn)
        assert len(curve) == measures[name]["n"]
        assert curve.y.sum() == pytest.approx(measures[name]["sum_finite"], rel=1e-12)
    for name, beta in (("f", 1), ("f_alpha0.2", 2), ("f_alpha0.8", 0.5)):
        found = choose_threshold(spam, best="f_beta", beta=beta)
        assert found.value == pytest.approx(measures[name]["max_finite"], rel=1e-12)
        assert found.threshold == pytest.approx(measures[name]["x_at_max_first"], rel=1e-12)
    envelope = cost_curve(spam)
    assert envelope.y.max() == pytest.approx(measures["ecost"]["max_finite"], rel=1e-12)
    assert envelope.x[envelope.y.argmax()] == pytest.approx(measures["ecost"]["x_at_max_first"], rel=1e-12)
    assert len(roc_hull(spam)) == measures["rch"]["n"]


@pytest.mark.parametrize(
    ("name", "criterion"),
    [
        ("best_youden", {"best": "youden"}),
        ("best_closest.topleft", {"best": "closest_topleft"}),
        ("best_youden_weights_cost5_prev0.13", {"cost_fp": 1, "cost_fn": 5, "prevalence": 0.13}),
    ],
)
def test_the_spam_filter_as_proc_cuts_it(spam, name, criterion):
    """R's pROC cuts halfway to the next lower score: the same messages are called spam.

    Its weighted Youden index is ``recall + r specificity`` with ``r = (1 - prevalence) / (cost prevalence)``,
    which is highest where the cost at that prevalence is lowest.
    """
    theirs = oracle("sms_proc.json")["prob_spam"][name]
    found = choose_threshold(spam, **criterion)
    cells = {cell: getattr(found.counts, cell) for cell in ("tp", "fp", "fn", "tn")}
    assert cells == {cell: theirs[cell][0] for cell in cells}
    below = max(score for score in messages()[1] if score < found.threshold)
    assert theirs["threshold"][0] == pytest.approx((found.threshold + below) / 2, rel=1e-12)
    if name == "best_youden":
        assert found.value == pytest.approx(theirs["youden"][0] - 1, rel=1e-12)
    elif "best" in criterion:
        assert found.value**2 == pytest.approx(theirs["closest.topleft"][0], rel=1e-12)
    else:
        weight = (1 - 0.13) / (5 * 0.13)
        assert found.value == pytest.approx(5 * 0.13 * (1 + weight - theirs["youden"][0]), rel=1e-10)


def test_the_spam_filter_where_proc_reads_a_rate(spam):
    """Between two cutoffs pROC takes a mixture; the threshold that is chosen has at least the rate, and is next to it."""
    curves = oracle("sms_proc.json")["prob_spam"]
    careful = choose_threshold(spam, min_recall=0.9)
    assert careful.counts.fp == curves["at_sensitivity_0.9"]["fp"][0] == 16
    assert careful.value >= 0.9
    specific = choose_threshold(spam, min_specificity=0.95)
    assert specific.counts.tp == curves["at_specificity_0.95"]["tp"][0] == 172
    half = evaluate_threshold(spam, 0.5, best="youden")
    assert half.value == pytest.approx(curves["at_threshold_0.5"]["youden"][0] - 1, rel=1e-12)
