"""Kappa's two standard errors: the check values, vcd, psych, epiR and formulas typed in R."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.r_figures import check_values, r_figures

import assay
from assay.inference.formulas.delta import variance
from assay.inference.formulas.kappa import agreement_weights, kappa_errors, pabak, pabak_interval
from assay.inference.influence.gradients import metric_gradient
from assay.metrics import Classes, Undefined, find

SCHEMES = ("none", "linear", "quadratic")
tables = st.lists(st.lists(st.integers(0, 25), min_size=3, max_size=3), min_size=3, max_size=3)


def test_binary_kappa_is_that_of_o6():
    """Both errors, z and p."""
    cells, expected = check_values(6)
    found = kappa_errors([[cells["tn"], cells["fp"]], [cells["fn"], cells["tp"]]])
    assert found.standard_error == pytest.approx(expected["kappa_ase"], rel=1e-12)
    assert found.null_error == pytest.approx(expected["kappa_ase0"], rel=1e-12)
    assert found.statistic == pytest.approx(expected["kappa_z"], rel=1e-12)
    assert found.p_value == pytest.approx(expected["kappa_p_two_sided"], rel=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_three_classes_are_those_of_o7(scheme):
    """Plain, linear and quadratic weights."""
    inputs, expected = check_values(7)
    name = "kappa" if scheme == "none" else f"kappa_{scheme}"
    found = kappa_errors(inputs["confusion_rows_truth"], scheme)
    ours = found.estimate, found.standard_error, found.null_error, found.statistic
    theirs = expected[name], expected[f"{name}_ase"], expected[f"{name}_ase0"], expected[f"{name}_z"]
    assert ours == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("edition", ["ed1", "ed2to4"])
def test_the_spam_tables_agree_with_r(edition):
    """Value, error and three intervals of vcd's; the z of the formula; epiR's p, which does not underflow; PABAK."""
    theirs = r_figures("sms_agreement_kappa")[edition]
    table = theirs["inputs"]["table"]["values"]
    for scheme, name in (("linear", "vcd_equal_spacing"), ("quadratic", "vcd_fleiss_cohen")):
        for weights, part in (("none", "Unweighted"), (scheme, "Weighted")):
            found = kappa_errors(table, weights)
            assert found.estimate == pytest.approx(theirs[name][part]["value"], abs=1e-10)
            assert found.standard_error == pytest.approx(theirs[name][part]["ASE"], abs=1e-10)
            for level, limits in theirs[name]["confint"].items():
                at = limits["rows"].index(part)
                assert found.wald(float(level)) == pytest.approx(limits["values"][at], abs=1e-10)
    for scheme, name in (("none", "unweighted"), ("linear", "equal"), ("quadratic", "squared")):
        found = kappa_errors(table, scheme)
        assert found.statistic == pytest.approx(theirs["kappa_by_formula"][name]["z"], rel=1e-10)
        assert found.p_value > 0
        assert theirs["kappa_by_formula"][name]["p.value"] == 0
    found = kappa_errors(table)
    for part in theirs["kappa_by_formula"].values():
        for level in (90, 95, 99):
            limits = part[f"ci{level}"]["lwr.ci"], part[f"ci{level}"]["upr.ci"]
            assert found.wald(level / 100) == pytest.approx(limits, abs=1e-10)
    assert found.standard_error**2 == pytest.approx(theirs["psych_cohen_kappa"]["var.kappa"], rel=1e-10)
    assert found.standard_error == pytest.approx(theirs["kappa_by_formula"]["unweighted"]["se"], abs=1e-10)
    epi = theirs["epiR_fleiss"]
    assert found.null_error == pytest.approx(epi["kappa"]["se"][0], abs=1e-10)
    assert found.statistic == pytest.approx(epi["z"]["test.statistic"][0], rel=1e-10)
    assert found.p_value == pytest.approx(epi["z"]["p.value"][0], rel=1e-10)
    assert pabak(table) == pytest.approx(epi["pabak"]["est"][0], abs=1e-12)
    limits = pabak_interval(table, method="clopper-pearson")
    assert limits == pytest.approx((epi["pabak"]["lower"][0], epi["pabak"]["upper"][0]), abs=1e-10)


def test_the_three_errors_that_packages_print():
    """On caret's table: vcd's 0.0532842 for the interval, irr's 0.0538743 for the test, and p is not 0."""
    found = kappa_errors([[231, 32], [27, 54]])
    assert found.estimate == pytest.approx(0.5335968, abs=5e-8)
    assert found.standard_error == pytest.approx(0.0532842, abs=5e-8)
    assert found.null_error == pytest.approx(0.0538743, abs=5e-8)
    assert found.estimate / found.standard_error == pytest.approx(10.0142, abs=5e-5)
    assert found.statistic == pytest.approx(9.9045, abs=5e-5)
    assert 1e-24 < found.p_value < 1e-22


@settings(deadline=None)
@given(tables)
def test_the_error_is_the_delta_method_and_the_table_may_be_turned(table):
    """Fleiss, Cohen and Everitt's formula is the sum of count times squared slope; kappa does not see sides."""
    cells = np.array(table)
    for scheme in SCHEMES:
        found = kappa_errors(cells, scheme)
        turned = kappa_errors(cells.T, scheme)
        if isinstance(found.estimate, Undefined):
            assert isinstance(turned.estimate, Undefined)
            continue
        assert found.estimate == pytest.approx(turned.estimate, abs=1e-12)
        assert found.standard_error == pytest.approx(turned.standard_error, abs=1e-13)
        name, options = ("kappa", {}) if scheme == "none" else ("weighted_kappa", {"weights": scheme})
        slopes = metric_gradient(find(name), cells, **options)
        assert found.standard_error == pytest.approx(math.sqrt(variance(slopes, cells)), abs=1e-12)
        assert found.estimate == pytest.approx(find(name).formula(Classes(cells), **options), abs=1e-12)


def test_a_matrix_of_weights_is_taken_as_it_is():
    """The linear scheme spelt out gives the same."""
    table = [[44, 6, 3], [5, 30, 7], [2, 9, 61]]
    assert kappa_errors(table, agreement_weights(3, "linear")) == kappa_errors(table, "linear")


def test_what_has_no_kappa_says_why():
    """No rows; one class only; a constant prediction has a kappa of 0 and no test."""
    assert kappa_errors([[0, 0], [0, 0]]).estimate == Undefined("there are no rows")
    alone = kappa_errors([[9, 0], [0, 0]])
    assert "chance alone" in alone.estimate.reason
    assert alone.wald() is None
    constant = kappa_errors([[9, 0], [4, 0]])
    assert constant.estimate == 0
    assert "no spread" in constant.p_value.reason
    perfect = kappa_errors([[9, 0], [0, 4]])
    assert perfect.estimate == 1
    assert perfect.standard_error == pytest.approx(0, abs=1e-15)


def test_labels_without_a_class_in_common_have_a_kappa_and_no_test():
    """Nothing agrees, and nothing could have agreed by chance: kappa is 0, and there is nothing to test."""
    found = kappa_errors([[0, 0, 3, 4], [0, 0, 5, 2], [0, 0, 0, 0], [0, 0, 0, 0]])
    assert (found.estimate, found.standard_error, found.null_error) == (0, 0, 0)
    assert found.wald() == (0, 0)
    assert found.statistic == found.p_value
    assert found.p_value.reason == (
        "actual and predicted labels have no class in common: chance agreement has no spread"
    )
    rows = assay.rows(actual=["a", "a", "b"], predicted=["c", "d", "c"])
    assert isinstance(assay.CrossTable.of(rows).kappa().p_value, Undefined)


@pytest.mark.parametrize("size", [3, 4, 7])
def test_grades_all_predicted_too_high_have_no_test_by_linear_weights(size):
    """The mean distance of shuffled grades does not vary: the two rows' sum stays what it is."""
    table = np.zeros((size, size))
    table[0, 1:] = range(1, size)
    table[1, 1:] = range(size - 1, 0, -1)
    found = kappa_errors(table, "linear")
    assert found.null_error == 0
    assert found.p_value.reason.startswith("every predicted class is on one side of the actual ones")
    assert kappa_errors(table, "quadratic").null_error > 0


def test_nonsense_is_refused():
    """Weights must be known or fit."""
    with pytest.raises(assay.MetricError, match="is not known"):
        kappa_errors([[1, 2], [3, 4]], "cubic")
    with pytest.raises(assay.MetricError, match="do not fit 2 classes"):
        kappa_errors([[1, 2], [3, 4]], np.eye(3))
