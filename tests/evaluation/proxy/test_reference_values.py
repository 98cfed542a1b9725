"""Every reference value of few labels with many proxies: the formulas' values, and ppi-python's."""

import math

import numpy as np
import pytest
from scipy import stats
from support.nested_values import differences
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
COUNTED = (
    "accuracy", "recall", "precision", "specificity", "f1", "balanced_accuracy", "mcc", "kappa", "prevalence",
)  # fmt: skip


def tolerance(path):
    """Twelve digits are stored; degrees of freedom and worth are large."""
    return (
        {"rel": 1e-8}
        if path[-1] in ("df", "worth")
        else {"abs": 2e-9 if path[-1] in ("low", "high") else 2e-11}
    )


def metric_of(name, human, model, weight=None):
    """Return a metric's value and its influence by row, times the rows' number or weight."""
    at = influence(find(name), assay.rows(actual=human, predicted=model, weight=weight))
    return at.value, at.slopes * (len(human) if weight is None else weight.sum())


def table_rows():
    data = JUDGES["ppi_table"]["data"]
    labelled, rest = np.array(data["labelled_counts_h_j_m"]), np.array(data["unlabelled_counts_j_m"])
    human, judge, model = (np.repeat([(cell >> bit) & 1 for cell in range(8)], labelled) for bit in (2, 1, 0))
    judge = np.concatenate([judge, np.repeat([0, 0, 1, 1], rest)])
    return human, judge, np.concatenate([model, np.repeat([0, 1, 0, 1], rest)])


def of_table(name):
    """Return everything of one metric of the check table."""
    human, judge, model = table_rows()
    n, size = len(human), len(judge)
    alone, own = metric_of(name, human, model[:n])
    by_judge, slopes = metric_of(name, judge, model)
    powered = one_step(own, slopes[:n], size)
    # The plug-in form has the judge's metric of the labelled rows, and is tuned on its influence there.
    labelled_by_judge, there = metric_of(name, judge[:n], model[:n])
    tuning = (own @ (there - there.mean())) / ((there - there.mean()) ** 2).sum()
    value = alone + powered.shift
    limits = delta_interval(value, powered.error, find(name).bounds, df=powered.df)
    found = {
        "labels_alone": alone, "labels_se": powered.labels_error, "judge_alone": by_judge,
        "lambda": powered.tuning[0], "estimate": value, "se_large_sample": powered.large_sample_error,
        "se": powered.error, "df": powered.df, "low": limits[0], "high": limits[1],
        "worth": powered.effective_labels, "rho2": powered.explained,
        "plug_in_difference": alone + tuning * (by_judge - labelled_by_judge),
        "se_these_rows": powered.rows_error,
    }  # fmt: skip

    def read(shares):
        rows = assay.rows(actual=[0, 0, 1, 1], predicted=[0, 1, 0, 1], weight=shares.ravel())
        at = influence(find(name), rows)
        return at.value, at.slopes.reshape(2, 2) * shares.sum()

    counts = JUDGES["ppi_table"]["data"]
    labelled = np.array(counts["labelled_counts_h_j_m"], dtype=float).reshape(2, 2, 2)
    everything = labelled.sum(axis=0) + np.array(counts["unlabelled_counts_j_m"]).reshape(2, 2)
    joint = joint_table(labelled, everything, read)
    limits = delta_interval(joint.estimate, joint.error, find(name).bounds)
    found["joint"] = {
        "estimate": joint.estimate, "se_large_sample": joint.large_sample_error, "se": joint.error,
        "low": limits[0], "high": limits[1],
        "worth": n * powered.labels_error**2 / joint.large_sample_error**2,
    }  # fmt: skip
    return found


def ppi_table():
    human, judge, _ = table_rows()
    n = len(human)
    sensitivity, specificity = judge[:n][human == 1].mean(), 1 - judge[:n][human == 0].mean()
    by_metric = {name: of_table(name) for name in COUNTED}
    prevalence = by_metric["prevalence"]
    return {"n": n, "N": len(judge)} | by_metric | {
        "rogan_gladen": {
            "sensitivity": sensitivity, "specificity": specificity, "judged_share": judge.mean(),
            "prevalence": rogan_gladen(judge.mean(), sensitivity, specificity),
            "lambda": prevalence["lambda"] / prevalence["rho2"],
        }
    }  # fmt: skip


def ppi_auc():
    rows = JUDGES["ppi_auc"]["data"]["rows_score_judge_human"]
    score, judge, human = (list(column) for column in zip(*rows, strict=True))
    labelled = np.array([value is not None for value in human])
    known = np.array([value for value in human if value is not None])

    def area(actual, scores):
        at = influence(find("auc"), assay.rows(actual=actual, score=scores))
        return at.value, at.slopes * len(actual)

    alone, own = area(known, np.array(score)[labelled])
    by_judge, slopes = area(np.array(judge), np.array(score))
    powered = one_step(own, slopes[labelled], len(rows))
    value = alone + powered.shift
    low, high = delta_interval(value, powered.error, (0, 1), df=powered.df)
    return {
        "labels_alone": alone, "judge_alone": by_judge, "lambda": powered.tuning[0], "estimate": value,
        "se_large_sample": powered.large_sample_error, "se": powered.error, "df": powered.df, "low": low,
        "high": high, "worth": powered.effective_labels,
    }  # fmt: skip


def ppi_python(human, judge, unlabelled, tuning):
    """Return ppi-python's mean at 95%: it keeps labelled rows apart, and tunes by both sets' variance."""
    n, more = len(human), len(unlabelled)
    if tuning is None:
        together = np.concatenate([judge, unlabelled])
        covariance = np.mean((judge - judge.mean()) * (human - human.mean()))
        tuning = covariance / (together.var(ddof=1) * (1 + n / more))
    value = human.mean() + tuning * (unlabelled.mean() - judge.mean())
    variance = (human - tuning * judge).var() / n + tuning**2 * unlabelled.var() / more
    half = stats.norm.ppf(0.975) * math.sqrt(variance)
    return {"estimate": value, "low": value - half, "high": value + half}


def ppi_mean():
    data = JUDGES["ppi_mean"]["data"]
    human, judge, rest = (np.array(data[name]) for name in ("human", "judge", "judge_unlabelled"))
    proxy = np.concatenate([judge, rest])
    powered = one_step(human - human.mean(), judge - proxy.mean(), len(proxy))
    value = human.mean() + powered.shift
    half = stats.t.ppf(0.975, powered.df) * powered.error
    design = np.column_stack([np.ones(len(human)), judge - proxy.mean()])
    return {
        f"ppi_py lam_U={tuning}": ppi_python(human, judge, rest, tuning) for tuning in (0.0, 0.5, 1.0, None)
    } | {
        "this_text": {
            "lambda": powered.tuning[0], "lambda_U": powered.tuning[0] * (1 - len(human) / len(proxy)),
            "estimate": value, "se_large_sample": powered.large_sample_error, "se": powered.error,
            "df": powered.df, "low": value - half, "high": value + half, "worth": powered.effective_labels,
        },
        "statsmodels_OLS_intercept": np.linalg.lstsq(design, human, rcond=None)[0][0],
    }  # fmt: skip


def ppi_stratified():
    strata = JUDGES["ppi_stratified"]["data"]["strata"]
    human, judge = (
        np.concatenate([item[key] for item in strata]).astype(float) for key in ("human", "judge")
    )
    stratum = np.repeat(np.arange(len(strata)), [len(item["human"]) for item in strata])
    sizes = np.array([item["N"] for item in strata], dtype=float)
    means = np.array([item["judge_mean_all"] for item in strata])
    alone = sum(item["N"] * np.mean(item["human"]) for item in strata) / sizes.sum()
    overall = float(sizes @ means / sizes.sum())
    powered = one_step_stratified(human - alone, judge - overall, means - overall, stratum, sizes)
    rows = powered.error**2 - powered.rows_error**2
    return {
        "labels_alone": alone, "lambda": powered.tuning, "estimate": alone + powered.shift,
        "var_rows": rows, "var_labels": powered.rows_error**2, "se": powered.error,
        "se_labels_alone": powered.labels_error, "se_these_rows": powered.rows_error,
    }  # fmt: skip


def ppi_clustered_weighted():
    rows = JUDGES["ppi_clustered_weighted"]["data"]["rows_group_judge_predicted_human_weight_labelprob"]
    group, judge, model = (np.array([row[index] for row in rows]) for index in (0, 1, 2))
    weight = np.array([row[4] for row in rows], dtype=float)
    labelled = np.array([index for index, row in enumerate(rows) if row[3] is not None])
    human = np.array([rows[index][3] for index in labelled])
    own_weight = weight[labelled] / np.array([rows[index][5] for index in labelled])
    found = {}
    for name in ("accuracy", "f1"):
        alone, own = metric_of(name, human, model[labelled], own_weight)
        by_judge, slopes = metric_of(name, judge, model, weight)
        powered = one_step_weighted(own, own_weight, slopes, weight, labelled, group)
        value = alone + powered.shift
        low, high = delta_interval(value, powered.error, (0, 1), df=powered.df)
        found[name] = {
            "labels_alone": alone, "judge_alone": by_judge, "labels_se": powered.labels_error,
            "lambda": powered.tuning[0], "estimate": value, "se": powered.error, "df": powered.df,
            "low": low, "high": high, "worth_ratio": powered.effective_labels / len(labelled),
            "groups": len(np.unique(group)),
        }  # fmt: skip
    return found


def ppi_paired():
    rows = JUDGES["ppi_paired"]["data"]["rows_judge_modelA_modelB_human"]
    judge, first, second = (np.array([row[index] for row in rows]) for index in (0, 1, 2))
    labelled = np.array([row[3] is not None for row in rows])
    human = np.array([row[3] for row in rows if row[3] is not None])
    found = {}
    for name in ("accuracy", "f1"):
        pairs = [
            (*metric_of(name, human, model[labelled]), *metric_of(name, judge, model))
            for model in (second, first)
        ]
        (a, own_a, judge_a, slopes_a), (b, own_b, judge_b, slopes_b) = pairs
        powered = one_step(own_b - own_a, (slopes_b - slopes_a)[labelled], len(rows))
        value = b - a + powered.shift
        half = stats.t.ppf(0.975, powered.df) * powered.error
        found[name] = {
            "labels_alone": b - a, "judge_alone": judge_b - judge_a, "lambda": powered.tuning[0],
            "estimate": value, "se_large_sample": powered.large_sample_error, "se": powered.error,
            "df": powered.df, "low": value - half, "high": value + half, "worth": powered.effective_labels,
            "labelled_rows_on_which_models_differ": int((first != second)[labelled].sum()),
        }  # fmt: skip
    return found


def ppi_two_judges_mean():
    data = JUDGES["ppi_two_judges_mean"]["data"]
    human = np.array(data["human"])
    proxies = np.stack([np.array(data[f"judge{k}"] + data[f"judge{k}_unlabelled"]) for k in (1, 2)], axis=1)
    powered = one_step(human - human.mean(), (proxies - proxies.mean(axis=0))[: len(human)], len(proxies))
    return {
        "lambda": list(powered.tuning), "estimate": human.mean() + powered.shift,
        "se_large_sample": powered.large_sample_error, "se": powered.error, "worth": powered.effective_labels,
    }  # fmt: skip


CASES = {function.__name__: function for function in (
    ppi_table, ppi_auc, ppi_mean, ppi_stratified, ppi_clustered_weighted, ppi_paired, ppi_two_judges_mean,
)}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in JUDGES if name.startswith("ppi_")])
def test_every_reference_value_is_computed(name):
    """Labels alone, judge alone, tuning, estimate, errors, freedom, limits and worth: none is left out."""
    assert differences(JUDGES[name]["values"], CASES[name](), tolerance) == []
