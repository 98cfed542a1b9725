"""Metrics are found by their own names, by those that reports print and by those of other packages."""

import re

import numpy as np
import pytest

import assay
from assay.metrics import Metric, catalogue, find, metric
from assay.metrics.peer_names import AMBIGUOUS, PEER_NAMES, PEER_SPECS
from assay.metrics.registry import split_average
from assay.metrics.views.confusion import Binary

PEERS = {
    "scikit-learn": {
        "accuracy_score": "accuracy",
        "balanced_accuracy_score": "balanced_accuracy",
        "average_precision_score": "average_precision",
        "brier_score_loss": "brier",
        "cohen_kappa_score": "kappa",
        "d2_absolute_error_score": "d2_absolute_error",
        "d2_log_loss_score": "log_loss_skill",
        "d2_pinball_score": "d2_pinball",
        "d2_tweedie_score": "d2_tweedie",
        "dcg_score": "dcg",
        "explained_variance_score": "explained_variance",
        "f1_score": "f1",
        "fbeta_score": "f_beta",
        "hamming_loss": "hamming_loss",
        "jaccard_score": "jaccard",
        "log_loss": "log_loss",
        "matthews_corrcoef": "mcc",
        "max_error": "max_error",
        "mean_absolute_error": "mae",
        "mean_absolute_percentage_error": "mape",
        "mean_gamma_deviance": "gamma_deviance",
        "mean_pinball_loss": "pinball",
        "mean_poisson_deviance": "poisson_deviance",
        "mean_squared_error": "mse",
        "mean_squared_log_error": "msle",
        "mean_tweedie_deviance": "tweedie_deviance",
        "median_absolute_error": "median_absolute_error",
        "mutual_info_score": "mutual_information",
        "ndcg_score": "ndcg",
        "normalized_mutual_info_score": "normalized_mutual_information",
        "precision_score": "precision",
        "r2_score": "r2",
        "recall_score": "recall",
        "roc_auc_score": "auc",
        "roc_auc_ovo": "hand_till_auc",
        "roc_auc_ovr": "macro_auc",
        "roc_auc_ovr_weighted": "weighted_auc",
        "root_mean_squared_error": "rmse",
        "root_mean_squared_log_error": "rmsle",
        "top_k_accuracy_score": "top_k_accuracy",
        "zero_one_loss": "error_rate",
    },
    "yardstick": {
        "bal_accuracy": "one_vs_rest_balanced_accuracy",
        "brier_class": "brier",
        "ccc": "ccc",
        "detection_prevalence": "detection_prevalence",
        "f_meas": "f1",
        "gain_capture": "gini",
        "huber_loss": "huber",
        "huber_loss_pseudo": "pseudo_huber",
        "j_index": "informedness",
        "kap": "kappa",
        "mape": "mape",
        "mn_log_loss": "log_loss",
        "mpe": "mpe",
        "msd": "mean_error",
        "npv": "negative_predictive_value",
        "poisson_log_loss": "poisson_log_loss",
        "ppv": "precision",
        "pr_auc": "pr_auc_trapezoid",
        "roc_auc": "auc",
        "roc_aunp": "weighted_auc",
        "roc_aunu": "macro_auc",
        "rpd": "rpd",
        "rpiq": "rpiq",
        "rsq": "squared_correlation",
        "rsq_trad": "r2",
        "sens": "recall",
        "smape": "smape_200",
        "spec": "specificity",
    },
    "caret": {
        "AUC": "auc",
        "Accuracy": "accuracy",
        "Balanced Accuracy": "balanced_accuracy",
        "Detection Prevalence": "detection_prevalence",
        "Detection Rate": "detection_rate",
        "Kappa": "kappa",
        "MAE": "mae",
        "Neg Pred Value": "negative_predictive_value",
        "No Information Rate": "no_information_rate",
        "Pos Pred Value": "precision",
        "Prevalence": "prevalence",
        "RMSE": "rmse",
        "ROC": "auc",
        "Rsquared": "squared_correlation",
        "Sens": "recall",
        "Spec": "specificity",
        "logLoss": "log_loss",
        "prAUC": "pr_auc_trapezoid",
    },
    "pROC": {"Area under the curve": "auc"},
    "torchmetrics": {
        "AUROC": "auc",
        "AveragePrecision": "average_precision",
        "BinaryAccuracy": "accuracy",
        "BinaryF1Score": "f1",
        "BinaryRecall": "recall",
        "CohenKappa": "kappa",
        "ConcordanceCorrCoef": "ccc",
        "CriticalSuccessIndex": "jaccard",
        "EER": "equal_error_rate",
        "ExactMatch": "subset_accuracy",
        "ExplainedVariance": "explained_variance",
        "F1Score": "f1",
        "FBetaScore": "f_beta",
        "HammingDistance": "hamming_loss",
        "JaccardIndex": "jaccard",
        "KendallRankCorrCoef": "kendall_tau",
        "LogCoshError": "log_cosh",
        "MatthewsCorrCoef": "mcc",
        "MeanAbsoluteError": "mae",
        "MeanAbsolutePercentageError": "mape",
        "MeanSquaredError": "mse",
        "MeanSquaredLogError": "msle",
        "MutualInfoScore": "mutual_information",
        "NegativePredictiveValue": "negative_predictive_value",
        "NormalizedMutualInfoScore": "normalized_mutual_information",
        "PearsonCorrCoef": "pearson",
        "PearsonsContingencyCoefficient": "contingency_coefficient",
        "R2Score": "r2",
        "RelativeSquaredError": "relative_squared_error",
        "RetrievalHitRate": "hit_rate",
        "RetrievalMRR": "mean_reciprocal_rank",
        "RetrievalNormalizedDCG": "ndcg",
        "RetrievalPrecision": "precision_at_k",
        "RetrievalRPrecision": "r_precision",
        "RetrievalRecall": "recall_at_k",
        "SpearmanCorrCoef": "spearman",
        "Specificity": "specificity",
        "TweedieDevianceScore": "tweedie_deviance",
        "WeightedMeanAbsolutePercentageError": "wape",
    },
    "XGBoost, LightGBM and Keras": {
        "BinaryCrossentropy": "log_loss",
        "CategoricalCrossentropy": "multiclass_log_loss",
        "aucpr": "pr_auc_integral",
        "binary_logloss": "log_loss",
        "logloss": "log_loss",
        "merror": "error_rate",
        "mlogloss": "multiclass_log_loss",
        "mphe": "pseudo_huber",
        "multi_logloss": "multiclass_log_loss",
    },
    "how people write them": {
        "Average Precision": "average_precision",
        "BalancedAccuracy": "balanced_accuracy",
        "Brier score": "brier",
        "F1": "f1",
        "LogLoss": "log_loss",
        "R-squared": "r2",
        "RSquared": "r2",
        "R²": "r2",
        "ROC AUC": "auc",
        "ROCAUC": "auc",
        "Sensitivity": "recall",
        "TPR": "recall",
        "f1score": "f1",
        "precision (PPV)": "precision",
        "recall (TPR)": "recall",
        "rocauc": "auc",
        "top-label ECE": "top_label_calibration_error",
        "true positive rate": "recall",
    },
}


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        pytest.param(name, ours, id=f"{package}: {name}")
        for package, names in PEERS.items()
        for name, ours in names.items()
    ],
)
def test_names_of_other_packages_are_found(name, ours):
    """Each leads to our metric of the same definition."""
    assert find(name).name == ours


@pytest.mark.parametrize("known", catalogue(), ids=lambda known: known.name)
def test_what_reports_print_is_found(known):
    """A printed title leads back to a metric of that title, and a name with capitals to the metric itself."""
    assert find(known.title).title == known.title
    assert find(known.name.upper()) is known or known.name.upper() in AMBIGUOUS
    camel = "".join(word.title() for word in known.name.split("_"))
    assert camel in AMBIGUOUS or find(camel) is known


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("theil_u", "several meanings: say uncertainty_coefficient"),
        ("TheilsU", "several meanings"),
        ("tau", "several meanings: say kendall_tau"),
        ("rsquared", r"several meanings: say r2 .* or squared_correlation"),
        ("NRMSE", "several meanings: say rmse_over_mean"),
        ("CramersV", "bias_corrected_cramers_v"),
        ("fowlkes_mallows_score", "compares two clusterings"),
        ("FowlkesMallowsIndex", "compares two clusterings"),
        ("ERR", "error_rate or expected_reciprocal_rank"),
        ("CRPS", "crps_gaussian"),
        ("neg_log_loss", r"losses are not negated here.*Say log_loss\."),
        ("neg_mean_squared_error", r"Say mse\."),
        ("neg_root_mean_squared_error", r"Say rmse\."),
        ("neg_brier_score", r"Say brier\."),
        ("f1_macro", 'is an average over classes: say f1 with average="macro"'),
        ("Mean_Sensitivity", 'is an average over classes: say recall with average="macro"'),
        ("macro f1", 'is an average over classes: say f1 with average="macro"'),
        ("RetrievalMAP", "say mean_average_precision with convention='hits'"),
        ("roc_auc_ovo_weighted", "say hand_till_auc with average='weighted'"),
        ("precison", "Did you mean precision"),
        ("sensitivty", r"Did you mean sensitivity\?"),
        ("zebra", "assay metrics lists all"),
        ("neg_zebra", "assay metrics lists all"),
    ],
)
def test_names_that_do_not_lead_to_one_metric_say_why(name, message):
    """What means another quantity elsewhere, is negated or averaged there, or is misspelt, is not guessed."""
    with pytest.raises(assay.MetricError, match=message):
        find(name)


def test_the_tables_of_names_lead_to_metrics():
    """No entry names a metric that is not there, or repeats a name that a metric has itself."""
    own = {name for known in catalogue() for name in (known.name, *known.aliases)}
    assert {*PEER_NAMES.values(), *(ours for ours, _ in PEER_SPECS.values())} <= own
    assert not own & {*PEER_NAMES, *PEER_SPECS, *AMBIGUOUS}
    for ours, options in PEER_SPECS.values():
        find(ours).check_options(options)


def test_an_average_is_split_from_a_name():
    """In front as we write it, behind as scikit-learn's scorers do, and caret's mean."""
    for text in ("macro f1", "Macro F1", "macro:f1", "f1_macro", "Mean_F1"):
        average, name = split_average(text)
        assert (average, find(name).name) == ("macro", "f1")
    assert split_average("mean of nothing") is None


def declare(name="my_rate", module=__name__):
    def formula(c):
        """A rate of my own: ``tp / n``."""
        return c.tp / c.n

    formula.__name__ = name
    formula.__module__ = module
    return metric(reads=Binary, kind="proportion", bounds=(0, 1), best=1, undefined="no rows")(formula)


def test_a_metric_declared_again_replaces_the_former():
    """As a cell of a notebook does that is run twice; one of another module is refused."""
    first, second = declare(), declare()
    assert isinstance(first, Metric)
    assert find("my_rate") is find("my rate") is second is not first
    with pytest.raises(assay.MetricError, match="two metrics are called 'my_rate'"):
        declare(module="elsewhere")
    with pytest.raises(assay.MetricError, match="two metrics are called 'recall'"):
        declare("recall")


RNG = np.random.default_rng(8)
EVALUATIONS = {
    "binary": assay.evaluate(actual=RNG.integers(0, 2, 200), score=RNG.random(200)),
    "multiclass": assay.evaluate(
        actual=np.array(list("abc"))[RNG.integers(0, 3, 200)],
        score=RNG.dirichlet([1, 1, 1], 200),
        labels=list("abc"),
    ),
    "regression": assay.evaluate(actual=RNG.normal(size=200), predicted=RNG.normal(size=200)),
}
TESTS = ("P-Value [Acc > NIR]", "Mcnemar's Test P-Value")  # which are no metrics
OF_BOTH = ("log_loss", "brier")  # one name for two classes and for several, which are two metrics here


@pytest.mark.parametrize("task", EVALUATIONS)
@pytest.mark.parametrize("like", ["caret", "sklearn", "yardstick"])
def test_names_that_look_alikes_print_are_found(like, task):
    """Each name beside a number leads to a metric, whose value that number is where it is not of a class."""
    ev = EVALUATIONS[task]
    text = ev.text(like=like).partition("\n* ")[0]
    lines = re.findall(r"^ *([A-Za-z][\w .,()'>\[\]-]*?) : (-?[\d.]+)$", text, re.MULTILINE)
    lines += [
        (name, value)
        for name, estimator, value in re.findall(r"^ *\d+ (\S+) +(\S+) +(-?[\d.]+)$", text, re.MULTILINE)
        if estimator in ("binary", "multiclass", "standard")
    ]
    if (like, task) == ("caret", "regression"):
        lines = list(zip(*(line.split() for line in text.splitlines()[:2]), strict=True))
    assert len(lines) >= 3
    for name, value in lines:
        if name in TESTS:
            continue
        known = name
        if task == "multiclass" and find(name).name in OF_BOTH:
            known = f"multiclass_{find(name).name}"
        decimals = len(value.partition(".")[2])
        halves = (
            2 if (known, like) == ("multiclass_brier", "yardstick") else 1
        )  # which halves that of classes
        assert float(ev[known]) == pytest.approx(halves * float(value), abs=0.51 * halves * 10**-decimals), (
            name
        )
