"""Which methods compare two models on each metric, in their order: frozen, so that no metric changes unseen."""

import pytest

from assay.inference.differences.compare_models import methods_for
from assay.inference.differences.pooled_variance import BY_CLASS
from assay.inference.intervals.interval_request import NUMERIC_VIEWS
from assay.metrics import catalogue, find

# Methods for the same rows, for different rows, and either with an average over classes; then the metrics.
CHOICES = [
    (
        "proportions influence bootstrap",
        "proportions influence bootstrap separate_intervals",
        "influence bootstrap",
        "influence bootstrap separate_intervals",
        """
        recall specificity precision negative_predictive_value false_positive_rate false_negative_rate
        false_discovery_rate false_omission_rate prevalence detection_rate detection_prevalence
        rate_of_negative_predictions jaccard accuracy error_rate no_information_rate subset_accuracy
        """,
    ),
    (
        "influence bootstrap",
        "influence bootstrap separate_intervals",
        "influence bootstrap",
        "influence bootstrap separate_intervals",
        """
        f_beta f1 f2 f_half positive_likelihood_ratio negative_likelihood_ratio informedness
        fowlkes_mallows markedness phi one_vs_rest_balanced_accuracy diagnostic_odds_ratio lift
        precision_at_prevalence npv_at_prevalence misclassification_cost prevalence_threshold
        balanced_accuracy adjusted_balanced_accuracy g_mean macro_f1_of_averages mcc kappa
        expected_agreement max_kappa scott_pi krippendorff_alpha gwet_ac1 brennan_prediger cramers_v
        bias_corrected_cramers_v tschuprows_t contingency_coefficient mutual_information
        uncertainty_coefficient uncertainty_coefficient_predicted normalized_mutual_information
        goodman_kruskal_lambda goodman_kruskal_lambda_predicted goodman_kruskal_lambda_symmetric
        goodman_kruskal_tau goodman_kruskal_tau_predicted weighted_kappa quadratic_weighted_kappa
        weighted_scott_pi gwet_ac2 weighted_brennan_prediger weighted_accuracy mean_cost
        mean_absolute_rank_error mean_squared_rank_error goodman_kruskal_gamma stuarts_tau_c hamming_loss
        partial_auc ks equal_error_rate convex_hull_auc h_measure gain_at precision_at_share lift_at
        average_precision pr_auc_trapezoid pr_auc_integral tie_expected_average_precision
        pr_auc_davis_goadrich break_even hand_till_auc macro_auc weighted_auc micro_auc root_brier
        brier_uncertainty log_uncertainty brier_skill log_loss_skill cox_snell_r2 nagelkerke_r2
        brier_discrimination log_discrimination brier_reliability brier_resolution cox_intercept cox_slope
        calibration_in_the_large observed_expected_ratio rmse error_deviation r2 adjusted_r2
        explained_variance ccc pearson squared_correlation cosine_similarity relative_squared_error
        root_relative_squared_error rpd rmse_over_mean theil_u1 theil_u2 kling_gupta wape rmspe rmsle
        d2_tweedie d2_pinball d2_absolute_error relative_absolute_error rmse_over_range spearman
        kendall_tau concordance_index somers_d
        """,
    ),
    (
        "aucs bootstrap",
        "aucs influence separate_intervals bootstrap",
        "influence bootstrap",
        "influence bootstrap separate_intervals",
        """
        auc gini
        """,
    ),
    (
        "permutation",
        "",
        "permutation",
        "",
        """
        max_f1 max_informedness brier_miscalibration log_miscalibration expected_calibration_error
        maximum_calibration_error rms_calibration_error debiased_calibration_square
        debiased_calibration_error isotonic_calibration_index isotonic_largest_distance
        integrated_calibration_index largest_calibration_distance confidence_calibration_error
        top_label_calibration_error classwise_calibration_error max_error
        """,
    ),
    (
        "row_means influence bootstrap",
        "row_means influence bootstrap separate_intervals",
        "row_means influence bootstrap",
        "row_means influence bootstrap separate_intervals",
        """
        precision_at_k recall_at_k hit_rate mean_reciprocal_rank mean_average_precision ndcg dcg f1_at_k
        r_precision rank_biased_precision expected_reciprocal_rank log_loss brier multiclass_log_loss
        multiclass_brier halved_multiclass_brier ranked_probability_score spherical_score top_k_accuracy
        mean_error mae mse mase mape mpe smape_200 smape_100 msle huber pseudo_huber log_cosh pinball
        crps_gaussian tweedie_deviance poisson_deviance gamma_deviance poisson_log_loss
        """,
    ),
    (
        "bootstrap",
        "bootstrap separate_intervals",
        "bootstrap",
        "bootstrap separate_intervals",
        """
        isotonic_median_distance isotonic_upper_distance median_calibration_distance
        upper_calibration_distance median_absolute_error quantile_error median_absolute_percentage_error
        rmse_over_iqr rpiq
        """,
    ),
]
EXPECTED = [(name, choices) for *choices, names in CHOICES for name in names.split()]


@pytest.mark.parametrize(("name", "choices"), EXPECTED, ids=[name for name, _ in EXPECTED])
def test_a_metric_is_compared_by_the_same_methods_as_ever(name, choices):
    """The methods and their order, paired and unpaired, with and without an average."""
    metric = find(name)
    ways = [({}, True), ({}, False), ({"average": "macro"}, True), ({"average": "macro"}, False)]
    for expected, (options, paired) in zip(choices, ways, strict=True):
        names = [method.__name__ for method in methods_for(metric, options, paired=paired)]
        short = [name.removeprefix("compare_").removeprefix("by_") for name in names]
        assert short == expected.split()


def test_every_metric_but_the_statistics_of_tests_can_be_compared():
    """Each kind of metric has its methods."""
    for metric in catalogue():
        if metric.kind != "statistic":
            methods_for(metric, {}, paired=True)


def test_views_are_of_classes_or_of_numbers_or_neither():
    """By the view, a pooled variance goes by class, or two models' rows need not spread alike, or neither."""
    by_class = "recall accuracy weighted_kappa auc hand_till_auc"
    numeric = "log_loss ndcg mae wape d2_tweedie rmse_over_iqr spearman"
    neither = "brier_skill subset_accuracy median_absolute_error top_label_calibration_error"
    views = [{find(name).reads for name in names.split()} for names in (by_class, numeric, neither)]
    assert views[0] == BY_CLASS
    assert views[1] == NUMERIC_VIEWS
    assert {metric.reads for metric in catalogue()} - views[0] - views[1] >= views[2]
