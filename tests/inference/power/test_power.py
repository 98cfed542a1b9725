"""Sizes and power: the check values, pROC's fourteen calls, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from support.r_figures import check_values, r_figures, ranks, second_score, sms

import assay
from assay.inference.formulas.auc import delong, hanley_mcneil
from assay.inference.formulas.delong import delong_covariance
from assay.inference.power.auc_power import (
    area_detected,
    binormal_covariance,
    binormal_variance,
    equal_binormal_variance,
    level_of_area,
    obuchowski_variance,
    positives_for_area,
    positives_for_area_difference,
    positives_for_area_width,
    power_of_area,
    power_of_area_difference,
)
from assay.inference.power.proportion_power import (
    power_of_paired,
    power_of_two_proportions,
    rows_for_paired,
    rows_for_two_proportions,
    rows_for_width,
)
from assay.metrics import Undefined


def test_sizes_are_those_of_o40():
    """A proportion, two of them, a pair of models, an area."""
    at, expected = check_values(40)
    level = {"alpha": at["alpha"], "power": at["power"]}
    assert math.ceil(rows_for_width(at["p"], at["half_width"])) == expected["n_halfwidth_wald"]
    found = rows_for_two_proportions(at["p1"], at["p2"], **level)
    assert found == pytest.approx(expected["n_per_group_two_prop"], rel=1e-12)
    found = rows_for_paired(at["p_disc"], at["diff"], **level)
    assert found == pytest.approx(expected["n_pairs_mcnemar"], rel=1e-12)
    ratio = at["kappa_ratio_neg_per_pos"]
    found = positives_for_area(at["auc"], ratio=ratio, **level)
    assert found == pytest.approx(expected["n_pos_auc_vs_half"], rel=1e-12)
    assert obuchowski_variance(at["auc"], ratio) == pytest.approx(expected["obuchowski_V"], rel=1e-12)


def calls():
    return {call["call"]: call for call in r_figures("sms_proc")["power_roc_test"]}


def test_one_area_agrees_with_proc():
    """Nine of its calls: power, size, area and level."""
    theirs = r_figures("sms_proc")["power_roc_test"]
    for place, options in ((0, {}), (1, {"alpha": 0.01}), (4, {"one_sided": True}), (7, {})):
        call = theirs[place]
        found = power_of_area(call["auc"], call["ncases"], call["ncontrols"], **options)
        assert found == pytest.approx(call["power"], rel=1e-9), call["call"]
    for place, ratio in ((2, 1.7), (3, 1.0), (12, 1.7)):
        call = theirs[place]
        found = positives_for_area(call["auc"], ratio=ratio, power=call["power"])
        assert found == pytest.approx(call["ncases"], rel=1e-9), call["call"]
        assert found * ratio == pytest.approx(call["ncontrols"], rel=1e-9)
    call = theirs[6]
    found = level_of_area(call["auc"], call["ncases"], call["ncontrols"], power=call["power"])
    assert found == pytest.approx(call["sig.level"], rel=1e-9)
    call = theirs[5]
    found = area_detected(call["ncases"], call["ncontrols"], power=call["power"])
    # R's uniroot stops within eps**0.25, which is 1.22e-4; ours has the power asked for to the last digits.
    assert found == pytest.approx(call["auc"], abs=1.3e-4)
    assert power_of_area(found, call["ncases"], call["ncontrols"]) == pytest.approx(0.95, rel=1e-12)


def test_two_areas_agree_with_proc():
    """Four of its calls, by DeLong's variances; where it says NaN the reason is said."""
    theirs = r_figures("sms_proc")
    toy = theirs["toy"]
    positive = np.array(toy["y"])
    areas, covariance = delong_covariance([toy["score"], toy["score_2"]], positive, 1 - positive)
    pilot = (areas[0] - areas[1], (covariance[0, 0], covariance[1, 1]), covariance[0, 1], 10)
    calls = theirs["power_roc_test"]
    assert power_of_area_difference(*pilot) == pytest.approx(calls[8]["power"], rel=1e-9)
    found = positives_for_area_difference(*pilot, power=0.9)
    assert found == pytest.approx(calls[9]["ncases"], rel=1e-9)
    assert found * 1.4 == pytest.approx(calls[9]["ncontrols"], rel=1e-9)
    for index, one, other, test in (
        (10, "nb_ed2to4", "knn_ed3to4", "nb_ed2to4_vs_knn"),
        (11, "prob_spam", "score2", "prob_spam_vs_score2"),
    ):
        difference = theirs[one]["auc"] - theirs[other]["auc"]
        variances = theirs[one]["var_delong"], theirs[other]["var_delong"]
        together = theirs["tests"][test]["cov_delong"]
        found = positives_for_area_difference(difference, variances, together, 183, power=0.9)
        if calls[index]["ncases"] != "NaN":
            assert found == pytest.approx(calls[index]["ncases"], rel=1e-9)
            assert found * 1207 / 183 == pytest.approx(calls[index]["ncontrols"], rel=1e-9)
            continue
        assert isinstance(found, Undefined)
        assert isinstance(power_of_area_difference(difference, variances, together, 183), Undefined)
    assert [call["ncases"] == "NaN" for call in calls[10:12]] == [False, True]


def test_two_binormal_areas_agree_with_proc():
    """Its fourteenth call, which fits a line to the probits of the curve, specificity by sensitivity."""
    from scipy.special import ndtri  # noqa: PLC0415 - as the package does

    theirs = r_figures("sms_proc")
    toy, call = theirs["toy"], theirs["power_roc_test"][13]
    positive = np.array(toy["y"]) == 1
    scores = [np.array(toy[name]) for name in ("score", "score_2")]
    lines = []
    for score in scores:
        at = np.unique(score)
        edges = np.concatenate([[-np.inf], (at[1:] + at[:-1]) / 2, [np.inf]])
        called = score[None, :] >= edges[:, None]
        points = ndtri([called[:, positive].mean(1), 1 - called[:, ~positive].mean(1)])
        sensitivity, specificity = points[:, np.isfinite(points).all(0)]
        slope, intercept = np.polyfit(sensitivity, specificity, 1)
        lines.append((intercept, slope))
    ratio = 1.4
    variances = tuple(binormal_variance(*line, ratio) for line in lines)
    within = [np.corrcoef(*(score[rows] for score in scores))[0, 1] for rows in (positive, ~positive)]
    covariance = binormal_covariance(*lines, *within, ratio)
    found = positives_for_area_difference(
        call["auc1"] - call["auc2"], variances, covariance, 1, power=call["power"]
    )
    assert found == pytest.approx(call["ncases"], rel=1e-9)


def test_the_spam_scores_give_procs_nan_its_reason():
    """The same from the rows: the second score varies more than the first, and with it."""
    positive, scores = sms()
    areas = [delong(ranks(positive, one)) for one in (scores, second_score(scores))]
    assert areas[0].variance < r_figures("sms_proc")["tests"]["prob_spam_vs_score2"]["cov_delong"]


shares = st.floats(0.05, 0.95)
levels = st.tuples(st.floats(0.001, 0.2), st.floats(0.5, 0.99))


@settings(deadline=None)
@given(shares, shares, levels)
def test_a_size_has_its_power(first, second, level):
    """Power of the size found is the power asked for; more rows have more."""
    alpha, power = level
    if abs(first - second) < 0.01:
        return
    n = rows_for_two_proportions(first, second, alpha=alpha, power=power)
    assert power_of_two_proportions(first, second, n, alpha=alpha) == pytest.approx(power, rel=1e-9)
    assert power_of_two_proportions(first, second, 2 * n, alpha=alpha) > power
    gap = abs(first - second)
    n = rows_for_paired(gap, gap / 2, alpha=alpha, power=power)
    assert power_of_paired(gap, gap / 2, n, alpha=alpha) == pytest.approx(power, rel=1e-9)
    m = positives_for_area(first, null=second, ratio=2.5, alpha=alpha, power=power)
    assert power_of_area(first, m, 2.5 * m, null=second, alpha=alpha) == pytest.approx(power, rel=1e-9)
    hanley = positives_for_area(
        first, null=second, ratio=2.5, alpha=alpha, power=power, method="hanley-mcneil"
    )
    found = power_of_area(first, hanley, 2.5 * hanley, null=second, alpha=alpha, method="hanley-mcneil")
    assert found == pytest.approx(power, rel=1e-9)
    assert level_of_area(first, m, 2.5 * m, null=second, power=power) == pytest.approx(alpha, rel=1e-6)


@settings(deadline=None)
@given(st.floats(0.55, 0.98), st.floats(0.2, 5), st.floats(0.005, 0.1))
def test_a_width_is_kept(area, ratio, half):
    """Hanley and McNeil's variance of the size found reaches as far as asked; Obuchowski's is near."""
    m = positives_for_area_width(area, half, ratio=ratio, method="hanley-mcneil")
    reach = 1.959963984540054 * math.sqrt(hanley_mcneil(area, m, m * ratio))
    assert reach == pytest.approx(half, rel=1e-9)
    other = positives_for_area_width(area, half, ratio=ratio)
    assert other * half**2 == pytest.approx(1.959963984540054**2 * obuchowski_variance(area, ratio), rel=1e-9)


def test_no_difference_to_none():
    """Without any overlap of shares a test sees everything; binormal variance is near Obuchowski's."""
    assert power_of_two_proportions(0.0, 1.0, 100) == 1
    assert power_of_paired(0.3, 0.3, 50) > 0.9
    a = 1.414 * 0.8416212335729143
    assert binormal_variance(a, 1.0, 1.0) == pytest.approx(obuchowski_variance(0.8, 1.0), rel=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rows_for_two_proportions(0.5, 0.5), "not two different shares"),
        (lambda: rows_for_two_proportions(0.5, 0.6, power=1), "shares between 0 and 1"),
        (lambda: rows_for_paired(0.1, 0.2), "no difference of models"),
        (lambda: positives_for_area(0.5), "not two different areas"),
        (lambda: positives_for_area(0.8, alpha=0.2, power=0.01), "more power than that"),
        (lambda: rows_for_two_proportions(0.5, 0.6, alpha=0.2, power=0.05), "more power than that"),
        (lambda: positives_for_area_width(0.8, 0.1, method="delong"), "is not known"),
        (lambda: area_detected(1, 1, alpha=1e-9, power=0.999), "too few"),
    ],
)
def test_nonsense_is_refused(call, message):
    """The message says what is wrong."""
    with pytest.raises(assay.MetricError, match=message):
        call()


@pytest.mark.parametrize(
    ("area", "positives", "negatives"), [(0.5, 10, 40), (0.8, 200, 100), (0.99, 50, 1000)]
)
def test_the_variance_of_a_binormal_area_is_that_of_its_integrals(
    area: float, positives: int, negatives: int
) -> None:
    """Owen's function and the integral over the place of the row that two others are compared with."""
    distance = math.sqrt(2) * ndtri(area)
    both, _ = quad(lambda x: ndtr(distance - x) ** 2 * math.exp(-x * x / 2) / math.sqrt(2 * math.pi), -12, 12)
    expected = area * (1 - area) + (positives + negatives - 2) * (both - area**2)
    assert equal_binormal_variance(area, positives, negatives) == pytest.approx(
        expected / (positives * negatives), rel=1e-7
    )
