"""Intraclass correlations, Kendall's W and their kin: Shrout and Fleiss (1979) and the R package irr."""

import math

import numpy as np
import pytest
from scipy import stats
from support.reference_figures import oracle

from assay.inference.formulas.intraclass import (
    ICC_FORMS,
    MeanSquares,
    finn,
    kendall_w,
    mean_correlation,
    mean_ranks,
)
from assay.metrics import Undefined

RATERS = oracle("judges")["raters"]
IRR = {
    "icc_1_1": "oneway.consistency.single", "icc_1_k": "oneway.consistency.average",
    "icc_2_1": "twoway.agreement.single", "icc_2_k": "twoway.agreement.average",
    "icc_3_1": "twoway.consistency.single", "icc_3_k": "twoway.consistency.average",
}  # fmt: skip


def table(name):
    data = np.array(RATERS[name]["data"], dtype=float)
    return data, np.ones(len(data))


@pytest.mark.parametrize("name", ["shrout_fleiss_1979", "fleiss_1971", "made_complete"])
@pytest.mark.parametrize("form", ICC_FORMS)
def test_icc_is_that_of_irr(name, form):
    """Values, and limits but for ICC(2,k), where irr has other degrees of freedom than McGraw and Wong."""
    expected = RATERS[name]["values"][f"irr.icc.{IRR[form]}"]
    found = MeanSquares.of(*table(name)).icc(form)
    assert found.value == pytest.approx(expected["value"], abs=1e-11)
    assert found.test.statistic == pytest.approx(expected["F"], abs=1e-9)
    if form == "icc_2_k":
        single = MeanSquares.of(*table(name)).icc("icc_2_1")
        k = len(RATERS[name]["data"][0])
        assert (found.low, found.high) == pytest.approx(
            [k * limit / (1 + (k - 1) * limit) for limit in (single.low, single.high)]
        )
    else:
        assert (found.low, found.high) == pytest.approx((expected["lo"], expected["hi"]), abs=1e-9)
    if not form.startswith("icc_2"):  # irr tests agreement with other degrees of freedom
        assert found.test.p_value == pytest.approx(expected["p"], rel=1e-6)


def test_shrout_and_fleiss_as_printed():
    """The six values of their table, to the digits printed, and McGraw and Wong's limits."""
    squares = MeanSquares.of(*table("shrout_fleiss_1979"))
    found = {form: squares.icc(form) for form in ICC_FORMS}
    assert [round(found[form].value, 2) for form in ICC_FORMS] == [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    limits = [(round(item.low, 3), round(item.high, 3)) for item in found.values()]
    assert limits == [
        (-0.133, 0.723), (0.019, 0.761), (0.342, 0.946), (-0.884, 0.912), (0.071, 0.927), (0.676, 0.986)
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["shrout_fleiss_1979", "fleiss_1971", "made_complete"])
def test_kendalls_w_and_the_others_are_those_of_irr(name):
    """W with ties, the mean correlations and Finn's coefficient."""
    expected = RATERS[name]["values"]
    data, ones = table(name)
    w = kendall_w(data, ones)
    assert w.estimate == pytest.approx(expected["irr.kendall_ties"]["value"], abs=1e-11)
    assert w.p_value == pytest.approx(expected["irr.kendall_ties"]["p"], rel=1e-8)
    assert mean_correlation(data, ones) == pytest.approx(expected["irr.meancor"]["value"], abs=1e-11)
    for two_way, key in ((False, "irr.finn_oneway"), (True, "irr.finn_twoway")):
        found = finn(MeanSquares.of(data, ones), expected[key]["levels"], two_way=two_way)
        assert found.estimate == pytest.approx(expected[key]["value"], abs=1e-11)
        assert found.p_value == pytest.approx(expected[key]["p"], rel=1e-6)


def test_counts_equal_repetition():
    """An entry that stands for three items is three items."""
    data, _ = table("made_complete")
    counts = np.arange(len(data)) % 3 + 1.0
    repeated = np.repeat(data, counts.astype(int), axis=0)
    ones = np.ones(len(repeated))
    assert MeanSquares.of(data, counts) == pytest.approx(MeanSquares.of(repeated, ones))
    assert kendall_w(data, counts).estimate == pytest.approx(kendall_w(repeated, ones).estimate)
    assert mean_ranks(repeated[:, 0], ones)[0] == pytest.approx(stats.rankdata(repeated[:, 0]))


def test_edges():
    """No variation, no residual, no ranks."""
    constant = np.ones((4, 3))
    assert isinstance(MeanSquares.of(constant, np.ones(4)).icc("icc_1_1").value, Undefined)
    same = np.arange(4.0)[:, None] + np.zeros(3)
    for form in ICC_FORMS:
        found = MeanSquares.of(same, np.ones(4)).icc(form)
        assert found.value == pytest.approx(1)
        assert found.low is None
    assert isinstance(kendall_w(constant, np.ones(4)).p_value, Undefined)
    assert isinstance(mean_correlation(constant, np.ones(4)), Undefined)
    assert kendall_w(same, np.ones(4)).estimate == pytest.approx(1)
    assert math.isfinite(finn(MeanSquares.of(*table("made_complete")), 4).p_value)


def test_means_that_vary_less_than_chance_have_no_correlation():
    """Where the variance of the items' means is estimated as 0 or below, nothing is divided by it."""
    opposed = MeanSquares.of(np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 3.0]]), np.ones(3))
    assert opposed.items == 0
    assert opposed.icc("icc_1_1").value == pytest.approx(-1)
    for form in ("icc_1_k", "icc_2_k", "icc_3_k"):
        assert "vary less than chance" in opposed.icc(form).value.reason
    two = MeanSquares.of(np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2))  # no variance at all is left
    assert isinstance(two.icc("icc_2_1").value, Undefined)
    # By the formula (MSR - MSE) / (MSR + (MSC - MSE) / n) these have 2.25, where 1 is full agreement.
    beyond = MeanSquares(items=0.1, raters=0.0, error=1.0, within=0.5, n=2, k=2)
    assert isinstance(beyond.icc("icc_2_k").value, Undefined)
    tilted = MeanSquares.of(np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]]), np.ones(3))  # but for rounding
    assert isinstance(tilted.icc("icc_1_k").value, Undefined)


def test_perfect_correlations_are_left_out_of_a_mean_of_others():
    """They have no Fisher z; where all are perfect, so is the mean."""
    first, other = np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 4, 3])
    r = float(np.corrcoef(first, other)[0, 1])
    found = mean_correlation(np.column_stack([first, 2 * first, other]), np.ones(4))
    assert found == pytest.approx(r, rel=1e-12)
    assert mean_correlation(np.column_stack([first, 3 * first + 0.1]), np.ones(4)) == 1
    assert mean_correlation(np.column_stack([first, -first]), np.ones(4)) == -1
