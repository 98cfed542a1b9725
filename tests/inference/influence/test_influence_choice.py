"""Which module computes the influence of rows on each metric: frozen, so that no metric changes hands unseen."""

import pytest

from assay import LabelSets
from assay.inference.influence import influence as registry
from assay.metrics import catalogue, find

# Module, then metrics; the last have no influence in closed form.
MODULES = {
    "confusion": """
        recall specificity precision negative_predictive_value false_positive_rate false_negative_rate
        false_discovery_rate false_omission_rate prevalence detection_rate detection_prevalence
        rate_of_negative_predictions f_beta f1 f2 f_half jaccard positive_likelihood_ratio
        negative_likelihood_ratio informedness fowlkes_mallows markedness phi
        one_vs_rest_balanced_accuracy diagnostic_odds_ratio lift precision_at_prevalence npv_at_prevalence
        misclassification_cost prevalence_threshold accuracy error_rate no_information_rate
        balanced_accuracy adjusted_balanced_accuracy g_mean macro_f1_of_averages mcc kappa
        expected_agreement max_kappa scott_pi krippendorff_alpha gwet_ac1 brennan_prediger chi_square
        cramers_v bias_corrected_cramers_v tschuprows_t contingency_coefficient mutual_information
        uncertainty_coefficient uncertainty_coefficient_predicted normalized_mutual_information
        goodman_kruskal_lambda goodman_kruskal_lambda_predicted goodman_kruskal_lambda_symmetric
        goodman_kruskal_tau goodman_kruskal_tau_predicted weighted_kappa quadratic_weighted_kappa
        weighted_scott_pi gwet_ac2 weighted_brennan_prediger weighted_accuracy mean_cost
        mean_absolute_rank_error mean_squared_rank_error goodman_kruskal_gamma stuarts_tau_c
    """,
    "multilabel": """
        subset_accuracy hamming_loss
    """,
    "ranking": """
        auc gini partial_auc ks equal_error_rate convex_hull_auc h_measure gain_at precision_at_share
        lift_at max_f1 max_informedness average_precision pr_auc_trapezoid pr_auc_integral
        tie_expected_average_precision pr_auc_davis_goadrich break_even
    """,
    "multiclass_ranking": """
        hand_till_auc macro_auc weighted_auc micro_auc classwise_calibration_error
    """,
    "row_means": """
        precision_at_k recall_at_k hit_rate mean_reciprocal_rank mean_average_precision ndcg dcg f1_at_k
        r_precision rank_biased_precision expected_reciprocal_rank log_loss brier root_brier
        multiclass_log_loss multiclass_brier halved_multiclass_brier ranked_probability_score
        spherical_score top_k_accuracy mape rmspe mpe smape_200 smape_100 msle rmsle huber pseudo_huber
        log_cosh pinball crps_gaussian tweedie_deviance poisson_deviance gamma_deviance poisson_log_loss
    """,
    "probability": """
        brier_uncertainty log_uncertainty brier_skill log_loss_skill cox_snell_r2 nagelkerke_r2
        brier_miscalibration brier_discrimination log_miscalibration log_discrimination brier_reliability
        brier_resolution expected_calibration_error maximum_calibration_error rms_calibration_error
        debiased_calibration_square debiased_calibration_error isotonic_calibration_index
        isotonic_median_distance isotonic_upper_distance isotonic_largest_distance
        integrated_calibration_index median_calibration_distance upper_calibration_distance
        largest_calibration_distance cox_intercept cox_slope calibration_in_the_large
        observed_expected_ratio spiegelhalter_z spiegelhalter_p hosmer_lemeshow hosmer_lemeshow_p
    """,
    "": """
        confidence_calibration_error top_label_calibration_error median_absolute_error quantile_error
        median_absolute_percentage_error
    """,
    "regression": """
        mean_error mae mse rmse error_deviation r2 adjusted_r2 explained_variance ccc pearson
        squared_correlation cosine_similarity relative_squared_error root_relative_squared_error rpd
        rmse_over_mean theil_u1 theil_u2 kling_gupta max_error mase wape d2_tweedie d2_pinball
        d2_absolute_error relative_absolute_error rmse_over_range rmse_over_iqr rpiq
    """,
    "rank_correlation": """
        spearman kendall_tau concordance_index somers_d
    """,
}
ROWS_ONLY = {"multiclass_ranking", "regression"}  # their tallies do not tell what single rows bring
EXPECTED = {name: module for module, names in MODULES.items() for name in names.split()}


def module_of(function):
    return "" if function is None else function.__module__.rsplit(".", 1)[1]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_influence_of_a_metric_is_computed_by_the_same_module_as_ever(name):
    """The module that is registered for the metric's view, for rows and for tallies."""
    module, view = EXPECTED[name], find(name).reads
    of_label_sets = module == "multilabel"  # rows have one label each, and the tally decides, not the view
    assert module_of(registry._ROW_INFLUENCES.get(view)) == ("" if of_label_sets else module)
    tally = LabelSets if of_label_sets else view
    assert module_of(registry._TALLY_INFLUENCES.get(tally)) == ("" if module in ROWS_ONLY else module)


def test_every_view_has_an_influence_or_is_known_to_have_none():
    """A metric of a new view is registered, or is listed here as one without an influence."""
    without = {find(name).reads for name in MODULES[""].split()} | {find("hamming_loss").reads}
    for metric in catalogue():
        assert (metric.reads in registry._ROW_INFLUENCES) != (metric.reads in without), metric.name


def test_a_view_is_registered_once():
    """A second function for the same view is refused: which one counts would hang on the order of imports."""
    view = find("auc").reads
    with pytest.raises(ValueError, match="Ranks has an influence already"):
        registry.row_influence(view)(lambda *_: None)
