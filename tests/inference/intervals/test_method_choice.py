"""Which interval methods are tried for each metric of the catalogue, in their order."""

import re

import pytest

import assay
from assay.inference.intervals.choose_interval import methods_for
from assay.inference.intervals.method_registry import (
    Default,
    interval_method,
    method_named,
    no_interval,
    selectable_methods,
)
from assay.metrics import Binary, Ranks, catalogue, find

# The methods in the order in which they are tried, and the metrics they are tried for; "none" have no interval.
CHOICE = {
    "proportion": """
        accuracy detection_prevalence detection_rate error_rate false_discovery_rate false_negative_rate
        false_omission_rate false_positive_rate jaccard negative_predictive_value
        precision prevalence rate_of_negative_predictions recall specificity subset_accuracy
    """,
    "mover-rates, mover-accuracy, delta, dirichlet": """
        f2 f_beta f_half fowlkes_mallows goodman_kruskal_gamma gwet_ac1 gwet_ac2 hamming_loss kappa
        krippendorff_alpha lift macro_f1_of_averages mcc mean_absolute_rank_error mean_cost
        mean_squared_rank_error misclassification_cost npv_at_prevalence phi precision_at_prevalence
        quadratic_weighted_kappa scott_pi stuarts_tau_c weighted_accuracy weighted_brennan_prediger
        weighted_kappa weighted_scott_pi
    """,
    "largest-share, proportion": """
        no_information_rate
    """,
    "wilson-on-jaccard, mover-rates, mover-accuracy, delta, dirichlet": """
        f1
    """,
    "koopman-mover, mover-rates, mover-accuracy, delta, dirichlet": """
        negative_likelihood_ratio positive_likelihood_ratio
    """,
    "mover-two-rates, mover-rates, mover-accuracy, delta, dirichlet": """
        informedness markedness one_vs_rest_balanced_accuracy
    """,
    "woolf, mover-rates, mover-accuracy, delta, dirichlet": """
        diagnostic_odds_ratio
    """,
    "from-likelihood-ratio, mover-rates, mover-accuracy, delta, dirichlet": """
        prevalence_threshold
    """,
    "mean-of-recalls, mover-rates, mover-accuracy, delta, dirichlet": """
        adjusted_balanced_accuracy balanced_accuracy g_mean
    """,
    "none": """
        brier_discrimination brier_miscalibration brier_reliability brier_resolution chi_square
        classwise_calibration_error confidence_calibration_error debiased_calibration_error
        debiased_calibration_square expected_agreement expected_calibration_error hosmer_lemeshow
        hosmer_lemeshow_p integrated_calibration_index isotonic_calibration_index isotonic_largest_distance
        isotonic_median_distance isotonic_upper_distance largest_calibration_distance log_discrimination
        log_miscalibration max_error max_f1 max_informedness max_kappa maximum_calibration_error
        median_calibration_distance rms_calibration_error rmse_over_range spiegelhalter_p spiegelhalter_z
        top_label_calibration_error upper_calibration_distance
    """,
    "from-accuracy, mover-rates, mover-accuracy, delta, dirichlet": """
        brennan_prediger
    """,
    "bias-corrected-association": """
        bias_corrected_cramers_v contingency_coefficient cramers_v tschuprows_t
    """,
    "bias-corrected-association, delta, dirichlet": """
        goodman_kruskal_tau goodman_kruskal_tau_predicted
    """,
    "bias-corrected-information, delta, dirichlet": """
        mutual_information normalized_mutual_information uncertainty_coefficient
        uncertainty_coefficient_predicted
    """,
    "plain-delta, dirichlet": """
        goodman_kruskal_lambda goodman_kruskal_lambda_predicted goodman_kruskal_lambda_symmetric
    """,
    "moderated-delong": """
        auc
    """,
    "gini-from-auc": """
        gini
    """,
    "partial-auc": """
        partial_auc
    """,
    "best-cutoff": """
        ks
    """,
    "rate-at-share": """
        break_even equal_error_rate gain_at precision_at_share
    """,
    "convex-hull-auc": """
        convex_hull_auc
    """,
    "h-of-separated-classes, best-cutoff": """
        h_measure
    """,
    "lift-from-gain": """
        lift_at
    """,
    "moderated-logit": """
        average_precision pr_auc_davis_goadrich pr_auc_integral pr_auc_trapezoid
        tie_expected_average_precision
    """,
    "class-average-ranks": """
        hand_till_auc macro_auc micro_auc weighted_auc
    """,
    "share-of-rows, loss-of-probabilities, hall, student, bernstein": """
        brier crps_gaussian dcg expected_reciprocal_rank f1_at_k gamma_deviance halved_multiclass_brier
        hit_rate huber log_cosh log_loss mae mape mase mean_average_precision mean_error
        mean_reciprocal_rank mpe multiclass_brier multiclass_log_loss ndcg pinball poisson_deviance
        poisson_log_loss precision_at_k pseudo_huber r_precision rank_biased_precision
        ranked_probability_score recall_at_k smape_100 smape_200 spherical_score top_k_accuracy
        tweedie_deviance
    """,
    "root-of-loss, loss-sums, delta, dirichlet": """
        root_brier
    """,
    "base-rate-score": """
        brier_uncertainty log_uncertainty
    """,
    "skill-score": """
        brier_skill cox_snell_r2 log_loss_skill nagelkerke_r2
    """,
    "recalibration": """
        calibration_in_the_large cox_intercept cox_slope
    """,
    "observed-expected": """
        observed_expected_ratio
    """,
    "delta, dirichlet": """
        adjusted_r2 ccc concordance_index cosine_similarity d2_absolute_error d2_pinball d2_tweedie
        error_deviation explained_variance kendall_tau kling_gupta pearson r2 relative_absolute_error
        relative_squared_error rmse_over_mean root_relative_squared_error rpd somers_d spearman
        theil_u1 theil_u2 wape
    """,
    "squared-errors, delta, dirichlet": """
        mse rmse
    """,
    "squared-correlation": """
        squared_correlation
    """,
    "loss-sums, delta, dirichlet": """
        rmspe
    """,
    "loss-sums, squared-errors, dirichlet": """
        msle rmsle
    """,
    "order-statistics": """
        median_absolute_error quantile_error
    """,
    "order-statistics-of-percentages": """
        median_absolute_percentage_error
    """,
    "bca": """
        rmse_over_iqr rpiq
    """,
}
AVERAGES = {  # over classes, by kind of metric
    "proportion": "class-average, mover-rates, mover-accuracy, delta, dirichlet",
    "counts": "class-average, mover-rates, mover-accuracy, delta, dirichlet",
    "rank": "class-average-ranks",
}


@pytest.mark.parametrize("methods", CHOICE)
def test_each_metric_has_its_methods_in_their_order(methods):
    """The default methods of every metric are those of the table."""
    expected = {find(name) for name in CHOICE[methods].split()}
    chosen = {metric for metric in catalogue() if (", ".join(_methods(metric)) or "none") == methods}
    assert chosen == expected


def test_the_table_names_every_metric_once():
    """No metric of the catalogue is missing from the table."""
    listed = sorted(name for names in CHOICE.values() for name in names.split())
    assert listed == sorted(metric.name for metric in catalogue())


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_averages_over_classes_have_methods_of_their_own(average):
    """An average is not treated as the metric of one class; the macro recall is the balanced accuracy."""
    for metric in catalogue():
        if metric.reads not in (Binary, Ranks) or metric.kind not in AVERAGES:
            continue
        if (average, metric.name) == ("macro", "recall"):
            assert _methods(metric, average) == _methods(find("balanced_accuracy"))
        else:
            assert ", ".join(_methods(metric, average)) == AVERAGES[metric.kind]


def test_a_metric_without_methods_has_a_reason():
    """Either there are methods or a sentence says why there is no interval, never both."""
    for metric in catalogue():
        rule = methods_for(metric, {})
        assert bool(rule.methods) != bool(rule.reason), metric.name


def test_every_name_in_a_rule_is_a_method():
    """No rule names a method that does not exist."""
    rows = assay.rows(actual=[0, 1, 1, 0, 1], predicted=[0, 1, 0, 0, 1])
    with pytest.raises(assay.MetricError, match="use one of") as refused:
        assay.estimate("recall", rows, method="nonsense")  # loads all of them
    for metric in catalogue():
        for name in _methods(metric):
            assert callable(method_named(name))
    assert set(selectable_methods()) < set(re.findall(r'"([\w-]+)"', str(refused.value)))


def test_a_second_default_for_the_same_metrics_is_refused():
    """Two methods cannot both be the first one tried, nor can two have the same name."""
    methods_for(find("f1"), {})
    with pytest.raises(ValueError, match="two defaults are registered for f1"):
        interval_method("another", Default(metrics=("f1",)))(lambda _: None)
    with pytest.raises(ValueError, match="two interval methods are named 'delta'"):
        interval_method("delta")(lambda _: None)
    with pytest.raises(ValueError, match="two defaults are registered for max_kappa"):
        no_interval("for another reason", metrics=("max_kappa",))


def _methods(metric, average=None):
    return methods_for(metric, {"average": average} if average else {}).methods
