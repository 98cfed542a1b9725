"""Comparing areas: the check values, pROC, numeric slopes, and laws."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.r_figures import D15_POSITIVE, D15_SCORE, check_values, r_figures, ranks, second_score, sms

import assay
from assay.inference.formulas.auc import Area, delong
from assay.inference.formulas.delong import (
    auc_influence,
    delong_covariance,
    delong_paired,
    delong_several,
    delong_unpaired,
    placements,
    weighted_area,
)
from assay.metrics import Undefined

Y = np.array(D15_POSITIVE)


def entries(positive):
    mine = np.array(positive)
    return mine, 1 - mine


def test_paired_test_is_that_of_o13():
    """Areas, variances, covariance, z, p and interval, from rows and from the paired tally."""
    inputs, expected = check_values(13)
    second = inputs["score2"]
    areas, covariance = delong_covariance([D15_SCORE, second], *entries(Y))
    assert areas == pytest.approx([expected["auc1"], expected["auc2"]], rel=1e-12)
    assert covariance[0, 0] == pytest.approx(expected["var1"], rel=1e-12)
    assert covariance[1, 1] == pytest.approx(expected["var2"], rel=1e-12)
    assert covariance[0, 1] == pytest.approx(expected["cov"], rel=1e-12)
    tally = assay.PairedScores.of(
        assay.rows(actual=Y, score=np.array(D15_SCORE)), assay.rows(actual=Y, score=np.array(second))
    )
    for found in (
        delong_paired(D15_SCORE, second, *entries(Y)),
        delong_paired(tally.first, tally.second, tally.positives, tally.negatives),
    ):
        assert found.estimate == pytest.approx(expected["diff"], rel=1e-12)
        assert found.standard_error == pytest.approx(expected["se_diff"], rel=1e-12)
        assert found.statistic == pytest.approx(expected["z"], rel=1e-12)
        assert found.p_value == pytest.approx(expected["p"], rel=1e-12)
        limits = expected["ci_lo"], expected["ci_hi"]
        assert (found.low, found.high) == pytest.approx(limits, rel=1e-12)


def test_unpaired_test_is_that_of_o14():
    """Normal, and with Satterthwaite's degrees of freedom."""
    inputs, expected = check_values(14)
    first, second = delong(ranks(Y, D15_SCORE)), delong(ranks(inputs["y2"], inputs["score2"]))
    found = delong_unpaired(first, second)
    assert found.estimate == pytest.approx(expected["diff"], rel=1e-12)
    assert found.statistic == pytest.approx(expected["z"], rel=1e-12)
    assert found.p_value == pytest.approx(expected["p_normal"], rel=1e-12)
    student = delong_unpaired(first, second, student=True)
    assert student.df == pytest.approx(expected["df_welch"], rel=1e-12)
    assert student.p_value == pytest.approx(expected["p_t"], rel=1e-12)


def test_weighted_area_is_that_of_o20():
    """Value and infinitesimal-jackknife error, whatever the weights' unit, from rows and from the tally."""
    inputs, expected = check_values(20)
    weight = np.array(inputs["weight"])
    tally = assay.Scores.of(assay.rows(actual=Y, score=np.array(D15_SCORE), weight=weight))
    for scores, weights, *counts in (
        (D15_SCORE, weight, *entries(Y)),
        (D15_SCORE, weight * 1024, *entries(Y)),
        (tally.scores, tally.weights, tally.positives, tally.negatives),
    ):
        value, variance = weighted_area(scores, weights, *counts)
        assert value == pytest.approx(expected["auc"], rel=1e-12)
        assert math.sqrt(variance) == pytest.approx(expected["ij_se"], rel=1e-12)


def test_the_spam_filter_agrees_with_proc():
    """Paired and unpaired tests of two scores, all three alternatives, and of the toy."""
    theirs = r_figures("sms_proc")
    positive, scores = sms()
    toy = theirs["toy"]
    cases = [
        (positive, scores, second_score(scores), theirs["tests"]["prob_spam_vs_score2"]),
        (toy["y"], toy["score"], toy["score_2"], toy["tests"]),
    ]
    for labels, first, second, expected in cases:
        _, covariance = delong_covariance([first, second], *entries(labels))
        assert covariance[0, 1] == pytest.approx(expected["cov_delong"], rel=1e-10)
        for name, alternative in (
            ("delong_paired", "two-sided"),
            ("delong_paired_less", "less"),
            ("delong_paired_greater", "greater"),
        ):
            found = delong_paired(first, second, *entries(labels), alternative=alternative)
            assert found.statistic == pytest.approx(expected[name]["statistic"]["Z"], rel=1e-10)
            assert found.p_value == pytest.approx(expected[name]["p.value"], rel=1e-10)
            limits = found.low, found.high
            assert limits == pytest.approx(expected[name]["conf.int"], abs=1e-10)
        areas = [delong(ranks(labels, one)) for one in (first, second)]
        found = delong_unpaired(*areas, student=True)
        unpaired = expected["delong_unpaired"]
        assert found.statistic == pytest.approx(unpaired["statistic"]["D"], rel=1e-10)
        assert found.df == pytest.approx(unpaired["parameter"]["df"], rel=1e-10)
        assert found.p_value == pytest.approx(unpaired["p.value"], rel=1e-10)


def test_unpaired_test_of_figures_alone_agrees_with_proc():
    """Two more comparisons, from their areas and variances."""
    theirs = r_figures("sms_proc")
    for name, *compared in (
        ("ed1_vs_ed2to4", "prob_spam", "nb_ed2to4"),
        ("nb_ed2to4_vs_knn", "nb_ed2to4", "knn_ed3to4"),
    ):
        areas = [Area(theirs[one]["auc"], theirs[one]["var_delong"], 183, 1207) for one in compared]
        expected = theirs["tests"][name]["delong_unpaired"]
        found = delong_unpaired(*areas, student=True)
        assert found.statistic == pytest.approx(expected["statistic"]["D"], rel=1e-10)
        assert found.df == pytest.approx(expected["parameter"]["df"], rel=1e-10)
        assert found.p_value == pytest.approx(expected["p.value"], rel=1e-10)


scored = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 5), st.integers(0, 5)), min_size=6, max_size=20
).filter(lambda rows: 2 <= sum(y for y, *_ in rows) <= len(rows) - 2)


@settings(deadline=None)
@given(scored)
@example([(0, 0, 1), (0, 2, 2), (0, 2, 2), (1, 1, 0), (1, 3, 2), (1, 3, 2)])  # no spread but rounding
def test_several_of_two_is_the_paired_test(rows):
    """Chi-square of one contrast is z squared; order changes the sign alone; ranks alike say so."""
    labels, first, second = (np.array(column) for column in zip(*rows, strict=True))
    found = delong_paired(first, second, *entries(labels))
    turned = delong_paired(second, first, *entries(labels))
    several = delong_several([first, second], *entries(labels))
    if isinstance(found.p_value, Undefined):
        assert isinstance(several.p_value, Undefined)
    elif found.statistic is None:
        assert found.p_value == several.p_value == 1
        assert "rank alike" in found.note
    else:
        assert several.statistic == pytest.approx(found.statistic**2, rel=1e-6)
        assert several.df == 1
        assert turned.statistic == pytest.approx(-found.statistic)
        assert turned.p_value == pytest.approx(found.p_value)
        assert found.low <= found.estimate <= found.high
    same = delong_paired(first, first * 2 + 1, *entries(labels))
    assert (same.p_value, same.statistic) == (1, None)


def test_three_models_one_of_them_twice():
    """A model said twice takes no degree of freedom; two that separate perfectly have no test."""
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 2, 60)
    first, second, third = (labels * 0.7 + rng.normal(size=60) for _ in range(3))
    alone = delong_several([first, second, third], *entries(labels))
    again = delong_several([first, first, second, third], *entries(labels))
    assert alone.df == again.df == 2
    assert again.statistic == pytest.approx(alone.statistic)
    areas, covariance = delong_covariance([first, second, third], *entries(labels))
    contrast = np.array([[1, 0, -1], [0, 1, -1]])
    steps = contrast @ areas
    expected = steps @ np.linalg.solve(contrast @ covariance @ contrast.T, steps)
    assert alone.statistic == pytest.approx(expected)
    apart = delong_several([labels, -labels], *entries(labels))
    assert isinstance(apart.p_value, Undefined)
    assert isinstance(delong_paired(labels, -labels, *entries(labels)).p_value, Undefined)


@settings(deadline=None)
@given(scored)
def test_influence_is_the_slope_by_weight(rows):
    """By numeric differences; it adds up to nothing over the rows."""
    labels, scores, weights = (np.array(column, float) for column in zip(*rows, strict=True))
    weights += 1
    heavy = [x * weights for x in entries(labels)]
    slopes = auc_influence(scores, *heavy)
    assert float(sum(w @ s for w, s in zip(heavy, slopes, strict=True))) == pytest.approx(0, abs=1e-12)
    for row in range(len(labels)):
        side = 0 if labels[row] else 1
        shifted = []
        for step in (-1e-5, 1e-5):
            moved = [one.copy() for one in heavy]
            moved[side][row] += step
            shifted.append(placements(scores, *moved).value)
        assert slopes[side][row] == pytest.approx((shifted[1] - shifted[0]) / 2e-5, abs=1e-7)


def test_a_class_of_one_row_or_none_is_refused():
    """And an undefined variance makes an undefined p."""
    with pytest.raises(assay.MetricError, match="needs both classes"):
        placements([1, 2], [1, 1], [0, 0])
    with pytest.raises(assay.MetricError, match="a single row"):
        delong_paired([1, 2, 3], [2, 1, 3], [1, 0, 0], [0, 1, 1])
    lacking = Area(0.5, Undefined("a single positive row shows no spread"), 1, 9)
    assert isinstance(delong_unpaired(lacking, Area(0.5, 0.1, 9, 9)).p_value, Undefined)
