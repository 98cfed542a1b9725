import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reference_figures import methods, oracle

from assay import AssayError
from assay.metrics import Undefined
from assay.resampling import (
    bootstrap,
    err632,
    err632plus,
    leave_one_out_bootstrap,
    nested_cv_interval,
    no_information_rate,
    no_information_squared_error,
)

CASES = ["knn1_signal", "centroid_signal", "knn1_noise", "centroid_noise"]
shares = st.floats(0, 1)


def close(value, expected):
    return value == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("case", CASES)
def test_figures_of_ipred_from_its_own_draws(case):
    """From the rows ipred drew and what it predicted, every figure of its bootstrap follows."""
    found = oracle("bootstrap_632plus.json")["cases"][case]
    inputs, outputs = found["inputs"], found["outputs"]
    y = np.array(inputs["y"])
    drawn = np.array([np.bincount(rows, minlength=len(y) + 1)[1:] for rows in inputs["inbag_index_1based"]])
    losses = np.array(inputs["pred_all_rows_per_replicate"]) != y
    full = np.array(inputs["pred_full_model"])
    apparent = float((full != y).mean())
    out_of_bag = leave_one_out_bootstrap(losses, drawn)
    assert close(out_of_bag, outputs["ipred_boot_error_leave_one_out"])
    assert close(
        leave_one_out_bootstrap(losses, drawn, by="replicate"), outputs["mean_of_replicate_oob_errors"]
    )
    assert close(apparent, outputs["resubstitution"])
    assert close(err632(apparent, out_of_bag), outputs["err632"])
    gamma = no_information_rate(y, full)
    assert close(gamma, outputs["gamma_no_information"])
    plus = err632plus(apparent, out_of_bag, gamma)
    assert close(plus.value, outputs["formula_err632plus_capped_R_efron_tibshirani_1997"])
    theirs = err632plus(apparent, out_of_bag, gamma, convention="ipred")
    assert close(theirs.value, outputs["ipred_632plus"])
    assert close(theirs.relative_overfitting, outputs["relative_overfit_used_by_ipred"])


def test_caret_weighs_without_rounding():
    """The boot632 of caret weighs the mean of the replicates' accuracies by 1 - 1/e."""
    found = oracle("bootstrap_632plus.json")["caret_train_rpart_cp0.01_seed123_number10"]
    for figure in ("Accuracy", "Kappa"):
        apparent, mean = found["boot632"][f"{figure}Apparent"], found["boot"][figure]
        assert close(err632(apparent, mean, weight=1 - math.exp(-1)), found["boot632"][figure])


@pytest.mark.parametrize("which", [0, 1])
def test_check_values_of_632plus(which):
    """The two check values; where the out-of-bag error is worse than knowing nothing, they cap it everywhere."""
    item = [item for item in oracle("check_values")["items"] if item["name"] == ".632 and .632+"][which]
    given_, expected = item["inputs"], item["outputs"]
    actual, predicted = (
        np.repeat(["a", "b"], [round(10 * share) for share in given_[name]])
        for name in ("class_prior_y", "class_freq_pred")
    )
    gamma = no_information_rate(actual, predicted)
    assert close(gamma, expected["gamma"])
    apparent, out_of_bag = given_["err_apparent"], given_["err_loo_boot"]
    assert close(err632(apparent, out_of_bag), expected["err632"])
    plus = err632plus(apparent, out_of_bag, gamma, convention="capped")
    assert close(plus.value, expected["err632plus"])
    assert close(plus.relative_overfitting, expected["R"])
    assert close(plus.weight, expected["w"])


@settings(deadline=None)
@given(shares, shares, shares)
def test_conventions_agree_where_the_model_knows_something(apparent, out_of_bag, no_information):
    """They differ only where the out-of-bag error is above the no-information rate; weights are .632 to 1."""
    found = [
        err632plus(apparent, out_of_bag, no_information, convention=c) for c in ("1997", "capped", "ipred")
    ]
    assert 0.632 <= found[0].weight <= 1 + 1e-12
    assert 0 <= found[0].relative_overfitting <= 1
    if out_of_bag <= no_information:
        assert all(one.value == pytest.approx(found[0].value, abs=1e-12) for one in found)
        plus = found[0]
        assert plus.value == pytest.approx((1 - plus.weight) * apparent + plus.weight * out_of_bag, abs=1e-12)
    if out_of_bag > apparent and no_information > apparent:
        assert found[1].value <= no_information + 1e-12


def test_no_overfitting_is_plain_632():
    """Where out-of-bag rows are no harder than the model's own, or nothing could be learnt, the rate is 0."""
    assert err632plus(0.3, 0.2, 0.5) == (err632(0.3, 0.2), 0.0, 0.632)
    assert err632plus(0.3, 0.4, 0.3).relative_overfitting == 0


def test_no_information_is_every_pair():
    """The closed forms equal the mean loss over all pairs of a row and a prediction."""
    rng = np.random.default_rng(0)
    y, f = rng.choice(list("abc"), 50), rng.choice(list("bcd"), 50)
    assert no_information_rate(y, f) == pytest.approx((y[:, None] != f).mean(), abs=1e-15)
    y, f = rng.normal(1e6, 1, 50), rng.normal(1e6, 2, 50)
    assert no_information_squared_error(y, f) == pytest.approx(((y[:, None] - f) ** 2).mean(), rel=1e-9)


def test_splits_of_our_own_bootstrap_are_taken():
    """The splits say how often each row was drawn; what a model says of drawn rows does not count."""
    splits = bootstrap(30, seed=4).split(n=40)
    out = np.array([split.draws == 0 for split in splits])
    losses = np.where(out, 0.25, np.nan)
    assert leave_one_out_bootstrap(losses, splits) == 0.25
    assert leave_one_out_bootstrap(losses, splits, by="replicate") == 0.25
    nobody = leave_one_out_bootstrap([[1.0, 2.0]], [[1, 1]])
    assert isinstance(nobody, Undefined)
    assert nobody.reason == "no row was ever left out of the bag"


def test_the_interval_of_nested_cross_validation():
    """The check value: error, inflation, bias and limits."""
    item = methods("nested CV interval")
    inputs, expected = item["inputs"], item["outputs"]
    found = nested_cv_interval(
        inputs["a_diffs"], inputs["b_vars"], folds=inputs["K"], nested_error=inputs["mean_ncv"],
        cv_error=inputs["mean_cv"], spread=inputs["sd_losses"], n=inputs["n"],
    )  # fmt: skip
    assert close(found.mse, expected["mse_hat"])
    assert close(found.raw_inflation, expected["inflation_raw"])
    assert close(found.inflation, expected["inflation_clamped"])
    assert close(found.bias, expected["bias"])
    assert close(found.estimate.value, expected["point"])
    assert close(found.estimate.low, expected["lo"])
    assert close(found.estimate.high, expected["hi"])


def test_the_interval_is_never_wider_than_a_fold_would_make_it():
    """The standard error is at most sqrt(K) times the naive one, and the paper's exponent is at hand."""
    known = {"folds": 5, "nested_error": 0.245, "cv_error": 0.24, "spread": 0.43, "n": 200}
    wide = nested_cv_interval([1.0, -1.0], [0.0, 0.0], **known)
    assert wide.inflation == math.sqrt(5)
    assert wide.estimate.standard_error == pytest.approx(math.sqrt(5) * 0.43 / math.sqrt(200))
    assert nested_cv_interval([0.1], [1.0], **known).mse == 0
    assert nested_cv_interval([0.1], [0.0], **known, exponent=1).bias == pytest.approx(1.6 * 0.005)
    flat = nested_cv_interval([0.0], [0.0], **known | {"spread": 0}).estimate
    assert (flat.low, flat.note) == (None, "all losses are the same")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: leave_one_out_bootstrap([1, 2], [1, 2]), r"losses have shape \(2,\) and drawn \(2,\)"),
        (lambda: leave_one_out_bootstrap([[1, 2]], [[1]]), "a line per replicate"),
        (lambda: leave_one_out_bootstrap([[np.nan]], [[0]]), "no finite number"),
        (lambda: leave_one_out_bootstrap([[1]], [[0]], by="fold"), "neither"),
        (lambda: no_information_rate([], []), "no rows"),
        (lambda: no_information_squared_error([1.0], [1.0, 2.0]), "as many are needed"),
        (lambda: no_information_squared_error([1.0, np.inf], [1.0, 2.0]), r"actual holds inf \(row 1"),
        (lambda: err632(math.nan, 0.2), "apparent is nan"),
        (lambda: err632plus(0.1, 0.2, math.inf), "no_information is inf"),
        (lambda: err632plus(0.1, 0.2, 0.5, convention="1983"), "is none of"),
        (
            lambda: nested_cv_interval([1], [1, 2], folds=5, nested_error=0, cv_error=0, spread=1, n=9),
            "1 differences and 2 variances",
        ),
        (
            lambda: nested_cv_interval([1], [1], folds=1, nested_error=0, cv_error=0, spread=1, n=9),
            "at least 2 folds",
        ),
    ],
)
def test_figures_that_cannot_be(call, message):
    """Shapes that do not fit and numbers that are none are refused."""
    with pytest.raises(AssayError, match=message):
        call()
