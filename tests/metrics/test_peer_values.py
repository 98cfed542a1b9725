"""The figures of R's packages and of the methods page that are read off counts."""

import math

import numpy as np
import pytest
from support.reference_figures import check_value as methods
from support.reference_figures import oracle

import assay
from assay.metrics import (
    Binary,
    Ranks,
    accuracy,
    balanced_accuracy,
    brennan_prediger,
    expected_agreement,
    f1,
    f_beta,
    find,
    g_mean,
    gwet_ac1,
    kappa,
    krippendorff_alpha,
    macro_f1_of_averages,
    mcc,
    misclassification_cost,
    mutual_information,
    no_information_rate,
    npv_at_prevalence,
    one_vs_rest_balanced_accuracy,
    precision,
    precision_at_prevalence,
    quadratic_weighted_kappa,
    recall,
    scott_pi,
    specificity,
    weighted_kappa,
)
from assay.metrics.curves.cutoffs import best

EDITIONS = ["ed1", "ed2to4"]


def tally_of(table, labels):
    """Return the tally of a table whose rows are actual."""
    counts = np.asarray(table, dtype=np.int64).ravel()
    cells = np.flatnonzero(counts)
    return assay.Confusion(tuple(labels), cells=cells.astype(np.uint64), counts=counts[cells])


def near(value, rel=1e-13):
    return pytest.approx(value, rel=rel, abs=0)


def caret(edition):
    figures = oracle("sms_confusion_caret")[edition]
    table = figures["inputs"]["table"]
    return tally_of(np.transpose(table["values"]), table["rows"]), figures


@pytest.mark.parametrize("edition", EDITIONS)
def test_caret_overall(edition):
    """Accuracy, kappa and the no-information rate."""
    tally, figures = caret(edition)
    overall = figures["caret_positive_spam"]["overall"]
    assert accuracy(tally) == near(overall["Accuracy"])
    assert kappa(tally) == near(overall["Kappa"])
    assert no_information_rate(tally) == near(overall["AccuracyNull"])


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("positive", ["spam", "ham"])
def test_caret_by_class(edition, positive):
    """All eleven figures under caret's names, whichever class is positive."""
    tally, figures = caret(edition)
    names = {"Pos Pred Value": "ppv", "Neg Pred Value": "npv", "Balanced Accuracy": "bal_accuracy"}
    for name, value in figures[f"caret_positive_{positive}"]["byClass"].items():
        assert find(names.get(name, name))(tally, positive=positive) == near(value), name
    assert balanced_accuracy(tally) == near(figures["caret_positive_spam"]["byClass"]["Balanced Accuracy"])


@pytest.mark.parametrize("edition", EDITIONS)
def test_caret_at_another_prevalence(edition):
    """The predictive values where a quarter of the mail is spam; precision stays what it was."""
    tally, figures = caret(edition)
    by_class = figures["caret_positive_spam_prevalence_0.25"]["byClass"]
    at = {"positive": "spam", "prevalence": 0.25}
    assert precision_at_prevalence(tally, **at) == near(by_class["Pos Pred Value"])
    assert npv_at_prevalence(tally, **at) == near(by_class["Neg Pred Value"])
    assert precision(tally, positive="spam") == near(by_class["Precision"])


@pytest.mark.parametrize("edition", EDITIONS)
def test_agreement_of_vcd_psych_and_formulas(edition):
    """Kappa and, for two classes the same, weighted kappa, from two packages and typed in R."""
    figures = oracle("sms_agreement_kappa")[edition]
    tally = tally_of(figures["inputs"]["table"]["values"], ["ham", "spam"])
    plain, linear, quadratic = kappa(tally), weighted_kappa(tally), quadratic_weighted_kappa(tally)
    assert figures["vcd_equal_spacing"]["Unweighted"]["value"] == near(plain)
    assert figures["vcd_equal_spacing"]["Weighted"]["value"] == near(linear)
    assert figures["vcd_fleiss_cohen"]["Weighted"]["value"] == near(quadratic)
    for weights, value in {"unweighted": plain, "equal": linear, "squared": quadratic}.items():
        assert figures["kappa_by_formula"][weights]["value"] == near(value)
    assert figures["psych_cohen_kappa"]["kappa"] == near(plain)
    assert figures["psych_cohen_kappa"]["weighted.kappa"] == near(quadratic)
    assert weighted_kappa(tally, weights=figures["vcd_equal_spacing"]["Weights"]["values"]) == near(plain)
    assert figures["percent_agreement"] == near(100 * accuracy(tally))


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("cohen_kappa", kappa),
        ("scott_pi", scott_pi),
        ("gwet_ac1", gwet_ac1),
        ("brennan_prediger", brennan_prediger),
        ("krippendorff_alpha", krippendorff_alpha),
        ("percent_agreement", accuracy),
    ],
)
def test_agreement_by_formula(edition, name, metric):
    """Six coefficients for two raters, typed in R from their definitions."""
    figures = oracle("sms_agreement_kappa")[edition]
    tally = tally_of(figures["inputs"]["table"]["values"], ["ham", "spam"])
    assert metric(tally) == near(figures["agreement_by_formula"][name])


@pytest.mark.parametrize("edition", EDITIONS)
def test_agreement_of_epir(edition):
    """Observed and expected agreement, kappa and PABAK."""
    figures = oracle("sms_agreement_kappa")[edition]
    tally = tally_of(figures["inputs"]["table"]["values"], ["ham", "spam"])
    epir = figures["epiR_fleiss"]
    assert [accuracy(tally)] == near(epir["prop.agree"]["obs"])
    assert [expected_agreement(tally)] == near(epir["prop.agree"]["exp"])
    assert [find("pabak")(tally)] == near(epir["pabak"]["est"])
    assert [kappa(tally)] == near(epir["kappa"]["est"])


def test_two_classes_of_the_methods_page():
    """O4: every metric of TN 68, FP 12, FN 5, TP 45."""
    names = {"f05": "f0_5", "lr_pos": "lr_plus", "lr_neg": "lr_minus"}
    item = methods(4)
    assert item["inputs"] == {"tn": 68, "fp": 12, "fn": 5, "tp": 45}
    tally = tally_of([[68, 12], [5, 45]], [0, 1])
    for name, value in item["outputs"].items():
        assert find(names.get(name, name))(tally) == near(value), name


def test_three_classes_of_the_methods_page():
    """O7: kappas, R_K, the averages and both macro F1."""
    item = methods(7)
    tally = tally_of(item["inputs"]["confusion_rows_truth"], [0, 1, 2])
    found = {
        "kappa": kappa(tally),
        "kappa_linear": weighted_kappa(tally),
        "kappa_quadratic": quadratic_weighted_kappa(tally),
        "rk_mcc": mcc(tally),
        "macro_f1": f1(tally, average="macro"),
        "weighted_f1": f1(tally, average="weighted"),
        "macro_precision": precision(tally, average="macro"),
        "macro_recall_bacc": recall(tally, average="macro"),
        "micro_f1_accuracy": f1(tally, average="micro"),
        "macro_f1_of_averages": macro_f1_of_averages(tally),
        "gmean": g_mean(tally),
    }
    for name, value in found.items():
        assert value == near(item["outputs"][name]), name
    assert balanced_accuracy(tally) == near(item["outputs"]["macro_recall_bacc"])
    assert accuracy(tally) == near(item["outputs"]["micro_f1_accuracy"])


def test_two_definitions_of_balanced_accuracy():
    """For three classes caret's and yardstick's figure is another than the mean of the recalls."""
    tally = tally_of([[44, 6, 3], [5, 30, 7], [2, 9, 61]], [0, 1, 2])
    recalls = (44 / 53, 30 / 42, 61 / 72)
    specificities = ((30 + 7 + 9 + 61) / 114, (44 + 3 + 2 + 61) / 125, (44 + 6 + 5 + 30) / 95)
    pairs = zip(recalls, specificities, strict=True)
    assert one_vs_rest_balanced_accuracy(tally, average="macro") == near(
        sum((a + b) / 2 for a, b in pairs) / 3
    )
    assert balanced_accuracy(tally) == near(sum(recalls) / 3)
    assert one_vs_rest_balanced_accuracy(tally, average="macro") > balanced_accuracy(tally) + 0.04


def test_weighted_rows_of_the_methods_page():
    """O8: accuracy, F1 and MCC of ten weighted rows."""
    item = methods(8)
    actual, predicted, weight = zip(*item["inputs"]["rows_truth_pred_weight"], strict=True)
    tally = assay.Confusion.of(assay.rows(actual=actual, predicted=predicted, weight=weight))
    for name in ("accuracy", "f1", "mcc"):
        assert find(name)(tally) == near(item["outputs"][name])


ROCR = [
    "acc", "err", "fpr", "fall", "tpr", "rec", "sens", "fnr", "miss", "tnr", "spec", "ppv", "prec",
    "npv", "pcfall", "pcmiss", "rpp", "rnp", "phi", "mat", "chisq", "odds", "lift", "cost",
]  # fmt: skip


def rocr():
    figures = oracle("toy_rocr_full_curves")
    counts = figures["counts_per_cutoff"]
    return Binary(*(np.array(counts[name]) for name in ("tp", "fp", "fn", "tn"))), figures["measures"]


def curve(metric, counts, **parameters):
    return metric.formula(counts if metric.reads is Binary else counts.classes(), **parameters)


@pytest.mark.parametrize("name", ROCR)
def test_rocr_over_all_cutoffs(name):
    """The whole curve at once, undefined and infinite where ROCR has it so."""
    counts, measures = rocr()
    expected = [float(value) for value in measures[name]["y"]]
    np.testing.assert_allclose(curve(find(name), counts), expected, rtol=1e-13, atol=1e-16)


def test_rocr_mutual_information_is_in_bits():
    """At the ends ROCR has 0 times minus infinity; a constant prediction tells nothing, which is 0."""
    counts, measures = rocr()
    expected = [float(value) for value in measures["mi"]["y"]]
    assert math.isnan(expected[0])
    assert math.isnan(expected[-1])
    found = curve(mutual_information, counts, base=2)
    np.testing.assert_allclose(found[1:-1], expected[1:-1], rtol=1e-12)
    assert found[0] == found[-1] == 0


@pytest.mark.parametrize(("name", "beta"), [("f", 1), ("f_alpha0.2", 2), ("f_alpha0.8", 0.5)])
def test_rocr_f_measure(name, beta):
    """ROCR's alpha is 1 / (1 + beta²). Where nothing is predicted F is 0, which ROCR leaves open."""
    counts, measures = rocr()
    expected = [float(value) for value in measures[name]["y"]]
    found = curve(f_beta, counts, beta=beta)
    assert math.isnan(expected[0])
    assert found[0] == 0
    np.testing.assert_allclose(found[1:], expected[1:], rtol=1e-13)


@pytest.mark.parametrize(("name", "costs"), [("cost_fp1_fn5", (1, 5)), ("cost_fp5_fn1", (5, 1))])
def test_rocr_explicit_cost(name, costs):
    """Each error at its price."""
    counts, measures = rocr()
    found = curve(misclassification_cost, counts, cost_fp=costs[0], cost_fn=costs[1])
    np.testing.assert_allclose(found, [float(value) for value in measures[name]["y"]], rtol=1e-13)


def test_identities_of_two_classes():
    """MCC² is informedness times markedness, R_K is phi, and balanced accuracy is half of J and one."""
    tally = tally_of([[68, 12], [5, 45]], [0, 1])
    informedness, markedness = find("informedness")(tally), find("markedness")(tally)
    assert mcc(tally) ** 2 == near(informedness * markedness)
    assert balanced_accuracy(tally) == near((informedness + 1) / 2)
    assert g_mean(tally) == near(math.sqrt(recall(tally) * specificity(tally)))
    assert find("cramers_v")(tally) == near(mcc(tally))
    assert find("chi_square")(tally) == near(130 * mcc(tally) ** 2)
    assert find("adjusted_balanced_accuracy")(tally) == near(informedness)


@pytest.mark.parametrize("edition", EDITIONS)
def test_caret_overall_does_not_depend_on_the_positive_class(edition):
    """With ham as the positive class the seven overall figures are the same."""
    _, figures = caret(edition)
    assert figures["caret_positive_ham"]["overall"] == figures["caret_positive_spam"]["overall"]


@pytest.mark.parametrize("edition", EDITIONS)
def test_caret_at_another_prevalence_changes_the_predictive_values_alone(edition):
    """Of the eleven figures two are read at the stated prevalence, and the prevalence is what was stated."""
    tally, figures = caret(edition)
    by_class = dict(figures["caret_positive_spam_prevalence_0.25"]["byClass"])
    assert by_class.pop("Prevalence") == 0.25
    at = {"Pos Pred Value": "ppv_at_prevalence", "Neg Pred Value": "npv_at_prevalence"}
    names = {"Balanced Accuracy": "bal_accuracy"}
    for name, value in by_class.items():
        stated = {"prevalence": 0.25} if name in at else {}
        found = find(at.get(name, names.get(name, name)))(tally, positive="spam", **stated)
        assert found == near(value), name


@pytest.mark.parametrize("edition", EDITIONS)
def test_prevalence_and_bias_index_of_epir(edition):
    """What PABAK is adjusted for, as differences of shares that the catalogue has."""
    figures = oracle("sms_agreement_kappa")[edition]
    tally = tally_of(figures["inputs"]["table"]["values"], ["ham", "spam"])
    both = find("detection_rate")
    shares = both(tally, positive="ham") - both(tally, positive="spam")
    assert [shares] == near(figures["epiR_fleiss"]["pindex"]["est"])
    said = find("detection_prevalence")(tally, positive="ham") - find("prevalence")(tally, positive="ham")
    assert [-said] == near(figures["epiR_fleiss"]["bindex"]["est"], rel=1e-11)


@pytest.mark.parametrize("number", [28, 29])
def test_ranked_lists_of_the_methods_page(number):
    """O28 and O29: every figure of one list at depth k, from the relevances themselves."""
    item = methods(number)
    inputs, outputs = item["inputs"], item["outputs"]
    listed, everything, k = (inputs[name] for name in ("relevance_in_rank_order", "all_relevances", "k"))
    n = len(everything)
    assert everything[: len(listed)] == listed
    assert sum(gain > 0 for gain in everything) == inputs["n_relevant"]
    rows = assay.rows(query=["q"] * n, score=range(n, 0, -1), actual=everything)
    lists = assay.Queries.of(rows)
    found = {
        "p_at_k": find("precision_at_k")(lists, k=k),
        "r_at_k": find("recall_at_k")(lists, k=k),
        "hit_at_k": find("hit_rate")(lists, k=k),
        "rr_at_k": find("mrr")(lists, k=k),
        "ndcg_linear": find("ndcg")(lists, k=k),
        "ndcg_exp": find("ndcg")(lists, k=k, gain="exponential"),
        "dcg_linear": find("dcg")(lists, k=k),
        "dcg_exp": find("dcg")(lists, k=k, gain="exponential"),
    }
    conventions = {"R": "trec", "min": "retrieval", "k": "depth", "hits": "hits"}
    for name, convention in conventions.items():
        found[f"ap_at_k_div_{name}"] = find("map")(lists, k=k, convention=convention)
    for name, value in found.items():
        assert value == near(outputs[name]), name
    # Not offered: the discount of Järvelin and Kekäläinen's first paper; and P over a shorter list's length.
    assert set(outputs) - set(found) == {"ndcg_linear_jk2002_discount", "p_at_min_k_len"}


def test_tied_lists_of_the_methods_page():
    """O30: ties are averaged over their orders, which is not what the order of the rows would give."""
    item = methods(30)
    inputs, outputs = item["inputs"], item["outputs"]
    rows = assay.rows(query=["q"] * 6, score=inputs["score"], actual=inputs["relevance"])
    found = find("ndcg")(assay.Queries.of(rows), k=inputs["k"])
    assert found == near(outputs["ndcg_tie_averaged"])
    assert abs(found - outputs["ndcg_stable_order"]) > 0.04
    parted = assay.rows(query=["q"] * 6, score=range(6, 0, -1), actual=inputs["relevance"])
    assert find("ndcg")(assay.Queries.of(parted), k=inputs["k"]) == near(outputs["ndcg_stable_order"])


def test_fifteen_rows_of_the_methods_page():
    """O10 and O44: the pairs behind the area, and the cutoffs that are best by three criteria."""
    item, decisions = methods(10), methods(44)
    rows = assay.rows(actual=item["inputs"]["y"], score=item["inputs"]["score"])
    ranks = assay.Scores.of(rows).concordance()
    assert (ranks.positives, ranks.negatives) == (item["outputs"]["n_pos"], item["outputs"]["n_neg"])
    assert ranks.concordant / 2 == item["outputs"]["mann_whitney_u"]
    assert f"{ranks.concordant}/{2 * ranks.positives * ranks.negatives}" == item["outputs"]["auc_fraction"]
    assert find("auc")(rows) == decisions["outputs"]["auc"]
    costs = {f"cost_{name}": decisions["inputs"][f"c_{name}"] for name in ("fp", "fn")}
    for measure, more, cutoff, value in (
        ("youden", {}, "youden_threshold", "youden_J"),
        ("f1", {}, "max_f1_threshold", "max_f1"),
        ("cost", costs, "min_cost_threshold", "min_cost_per_row"),
    ):
        found = best(rows, measure, **more)
        assert found.cutoff == decisions["outputs"][cutoff]
        assert found.value == near(decisions["outputs"][value])


def test_counts_at_every_cutoff_of_rocr():
    """The four counts themselves, and how many are predicted either way, from the tied scores."""
    figures = oracle("toy_rocr_full_curves")
    expected = {name: [float(x) for x in column] for name, column in figures["counts_per_cutoff"].items()}
    tally = assay.Scores.of(assay.rows(actual=figures["inputs"]["y"], score=figures["inputs"]["score"]))
    ranks = Ranks.of(tally)
    counts = ranks.at_cutoffs()
    assert ranks.cutoffs().tolist() == expected["cutoff"]
    for name in ("tp", "fp", "fn", "tn"):
        assert getattr(counts, name).tolist() == expected[name]
    assert counts.predicted_positives.tolist() == expected["n.pos.pred"]
    assert counts.predicted_negatives.tolist() == expected["n.neg.pred"]


@pytest.mark.parametrize("edition", EDITIONS)
def test_degrees_of_freedom_of_gmodels(edition):
    """One, for every test of two by two that has any."""
    r = oracle("sms_crosstable_gmodels")[edition]
    table = assay.CrossTable(r["inputs"]["table"]["values"], r["inputs"]["table"]["rows"])
    for name, test in (("chisq", table.chi_square()), ("mcnemar", table.mcnemar("uncorrected"))):
        assert test.df == r[name]["parameter"]["df"]
