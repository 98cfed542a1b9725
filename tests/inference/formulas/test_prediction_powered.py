"""Few labels and many proxies: the check values, and regressions as a second way."""

import math

import numpy as np
import pytest
from support.reference_figures import oracle

import assay
from assay.inference.formulas.delta import delta_interval
from assay.inference.formulas.prediction_powered import (
    joint_table,
    one_step,
    one_step_stratified,
    one_step_weighted,
    rogan_gladen,
)
from assay.inference.influence.influence import influence
from assay.metrics import find

JUDGES = oracle("judges")
METRICS = (
    "accuracy", "recall", "precision", "specificity", "f1", "balanced_accuracy", "mcc", "kappa", "prevalence",
)  # fmt: skip


def table_rows():
    """Return human labels, proxies of all rows, predictions of all rows; labelled rows first."""
    data = JUDGES["ppi_table"]["data"]
    labelled, rest = np.array(data["labelled_counts_h_j_m"]), np.array(data["unlabelled_counts_j_m"])
    human, judge, model = (np.repeat([(cell >> bit) & 1 for cell in range(8)], labelled) for bit in (2, 1, 0))
    judge = np.concatenate([judge, np.repeat([0, 0, 1, 1], rest)])
    return human, judge, np.concatenate([model, np.repeat([0, 1, 0, 1], rest)])


@pytest.mark.parametrize("name", METRICS)
def test_one_step_of_a_table(name):
    """Estimate, error, degrees of freedom, limits, tuning and worth of every metric of the check table."""
    human, judge, model = table_rows()
    n, size = len(human), len(judge)
    metric = find(name)
    own = influence(metric, assay.rows(actual=human, predicted=model[:n]))
    proxy = influence(metric, assay.rows(actual=judge, predicted=model))
    found = one_step(own.slopes * n, (proxy.slopes * size)[:n], size)
    expected = JUDGES["ppi_table"]["values"][name]
    assert own.value + found.shift == pytest.approx(expected["estimate"], abs=1e-11)
    assert (found.error, found.large_sample_error, found.rows_error) == pytest.approx(
        (expected["se"], expected["se_large_sample"], expected["se_these_rows"]), abs=1e-12
    )
    assert found.df == pytest.approx(expected["df"], rel=1e-9)
    assert found.tuning[0] == pytest.approx(expected["lambda"], abs=1e-11)
    assert found.effective_labels == pytest.approx(expected["worth"], rel=1e-10)
    assert found.explained == pytest.approx(expected["rho2"], abs=1e-11)
    limits = delta_interval(own.value + found.shift, found.error, metric.bounds, df=found.df)
    assert limits == pytest.approx((expected["low"], expected["high"]), abs=1e-9)


@pytest.mark.parametrize("name", METRICS)
def test_the_joint_table(name):
    """The post-stratified estimate and both errors of the check table."""
    data = JUDGES["ppi_table"]["data"]
    labelled = np.array(data["labelled_counts_h_j_m"], dtype=float).reshape(2, 2, 2)
    everything = labelled.sum(axis=0) + np.array(data["unlabelled_counts_j_m"]).reshape(2, 2)

    def read(shares):
        rows = assay.rows(actual=[0, 0, 1, 1], predicted=[0, 1, 0, 1], weight=shares.ravel())
        at = influence(find(name), rows)
        return at.value, at.slopes.reshape(2, 2) * shares.sum()

    found = joint_table(labelled, everything, read)
    expected = JUDGES["ppi_table"]["values"][name]["joint"]
    assert (found.estimate, found.error, found.large_sample_error) == pytest.approx(
        (expected["estimate"], expected["se"], expected["se_large_sample"]), abs=1e-11
    )


def test_a_mean_is_a_regression_on_the_proxy():
    """The mean of people's scores: the intercept of a line through the centred proxy, as statsmodels has it."""
    case = JUDGES["ppi_mean"]
    human = np.array(case["data"]["human"])
    proxy = np.array(case["data"]["judge"] + case["data"]["judge_unlabelled"])
    found = one_step(human - human.mean(), (proxy - proxy.mean())[: len(human)], len(proxy))
    expected = case["values"]["this_text"]
    estimate = human.mean() + found.shift
    assert estimate == pytest.approx(case["values"]["statsmodels_OLS_intercept"], abs=1e-10)
    design = np.column_stack([np.ones(len(human)), proxy[: len(human)] - proxy.mean()])
    assert estimate == pytest.approx(np.linalg.lstsq(design, human, rcond=None)[0][0])
    assert (found.error, found.df) == pytest.approx((expected["se"], expected["df"]), rel=1e-9)
    assert found.effective_labels == pytest.approx(expected["worth"], rel=1e-10)
    # ppi-python keeps labelled rows apart from the others: its lambda is ours times the unlabelled share.
    assert found.tuning[0] * (1 - len(human) / len(proxy)) == pytest.approx(expected["lambda_U"], abs=1e-11)


def test_two_proxies_are_a_regression_on_both():
    """Each has its own tuning, by least squares."""
    case = JUDGES["ppi_two_judges_mean"]
    human = np.array(case["data"]["human"])
    proxies = np.stack(
        [np.array(case["data"][f"judge{k}"] + case["data"][f"judge{k}_unlabelled"]) for k in (1, 2)], 1
    )
    found = one_step(human - human.mean(), (proxies - proxies.mean(axis=0))[: len(human)], len(proxies))
    expected = case["values"]
    assert found.tuning == pytest.approx(expected["lambda"], abs=1e-10)
    assert human.mean() + found.shift == pytest.approx(expected["estimate"], abs=1e-10)
    assert (found.error, found.large_sample_error) == pytest.approx(
        (expected["se"], expected["se_large_sample"]), abs=1e-11
    )
    assert found.effective_labels == pytest.approx(expected["worth"], rel=1e-10)


@pytest.mark.parametrize("name", ["accuracy", "f1"])
def test_weights_probabilities_and_clusters(name):
    """Rows with weights in clusters, labelled with known probabilities."""
    case = JUDGES["ppi_clustered_weighted"]
    rows = case["data"]["rows_group_judge_predicted_human_weight_labelprob"]
    group, judge, model = (np.array([row[index] for row in rows]) for index in (0, 1, 2))
    weight = np.array([row[4] for row in rows], dtype=float)
    labelled = np.array([index for index, row in enumerate(rows) if row[3] is not None])
    human = np.array([rows[index][3] for index in labelled])
    own_weight = weight[labelled] / np.array([rows[index][5] for index in labelled])
    metric = find(name)
    own = influence(metric, assay.rows(actual=human, predicted=model[labelled], weight=own_weight))
    proxy = influence(metric, assay.rows(actual=judge, predicted=model, weight=weight))
    found = one_step_weighted(
        own.slopes * own_weight.sum(), own_weight, proxy.slopes * weight.sum(), weight, labelled, group
    )
    expected = case["values"][name]
    assert own.value + found.shift == pytest.approx(expected["estimate"], abs=1e-11)
    assert (found.error, found.labels_error) == pytest.approx(
        (expected["se"], expected["labels_se"]), abs=1e-11
    )
    assert found.df == pytest.approx(expected["df"], rel=1e-9)
    assert found.effective_labels / len(labelled) == pytest.approx(expected["worth_ratio"], rel=1e-9)


def test_labels_of_fixed_numbers_from_strata():
    """Neyman's double sampling with a fixed number of labels in each stratum."""
    case = JUDGES["ppi_stratified"]
    strata = case["data"]["strata"]
    human, judge = (
        np.concatenate([item[key] for item in strata]).astype(float) for key in ("human", "judge")
    )
    stratum = np.repeat(np.arange(len(strata)), [len(item["human"]) for item in strata])
    sizes = np.array([item["N"] for item in strata], dtype=float)
    means = np.array([item["judge_mean_all"] for item in strata])
    theta = sum(item["N"] * np.mean(item["human"]) for item in strata) / sizes.sum()
    overall = float(sizes @ means / sizes.sum())
    found = one_step_stratified(human - theta, judge - overall, means - overall, stratum, sizes)
    expected = case["values"]
    assert theta + found.shift == pytest.approx(expected["estimate"], abs=1e-11)
    assert (found.tuning, found.error, found.labels_error, found.rows_error) == pytest.approx(
        (expected["lambda"], expected["se"], expected["se_labels_alone"], expected["se_these_rows"]),
        abs=1e-11,
    )


def test_prevalence_is_rogan_and_gladens_with_less_tuning():
    """Rogan and Gladen's estimator is the same with a tuning divided by the explained share."""
    human, judge, _ = table_rows()
    expected = JUDGES["ppi_table"]["values"]
    n = len(human)
    sensitivity, specificity = judge[:n][human == 1].mean(), 1 - judge[:n][human == 0].mean()
    found = rogan_gladen(judge.mean(), sensitivity, specificity)
    assert found == pytest.approx(0.223690, abs=1e-6)
    assert expected["rogan_gladen"]["prevalence"] == pytest.approx(found, abs=1e-11)
    lam = expected["prevalence"]["lambda"] / expected["prevalence"]["rho2"]
    assert lam == pytest.approx(expected["rogan_gladen"]["lambda"], abs=1e-9)
    assert math.isnan(rogan_gladen(0.3, 0.4, 0.5))


def test_a_constant_proxy_adds_nothing():
    """Nothing varies, nothing is explained."""
    assert one_step(np.array([0.5, -0.5]), np.zeros(2), 5) is None
