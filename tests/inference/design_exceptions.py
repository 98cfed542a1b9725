"""Metrics that do not keep a law of designs, and why; `test_design_laws` says when one does again.

Reasons that begin with "Defect" are to be mended, the others hold by definition or by choice.
"""

COUNTS_ROWS = "Defect: its interval takes the sum of the weights for the number of rows"
ROUNDING = "Defect: at the end of its bounds a last digit decides which method is taken"
NAME_ONLY = "a tally of sums cannot say that all weights are equal: the same limits have another name"
ONE_POSITIVE = "Defect: one group has all rows of the denominator: the number of all groups stands in for it"
TWO_WAYS = "Defect: in groups the narrower of two ways to write the table is taken, of plain rows the first"
NOT_NESTED = (
    "Defect: which of the two ways is narrower differs by confidence, and of correlated rates those that "
    "still move cancel those that have reached 0 or 1"
)
OWN_METHOD = "Defect: plain rows have a method of their own, groups take another"
LESS_CHANCE = "Defect: of plain rows what chance adds is taken off, of groups it is not"
LEVERAGE = (
    "Defect: with few positives the leverage of a group is that of a rate of positives, though all rows count"
)
FEW_POSITIVES = (
    "Defect: with fewer than 50 positives plain rows take the wider logit-binomial interval, groups do not"
)
SHARE_BY_KURTOSIS = (
    "Defect: near 1 the few misses make the degrees of freedom few; a rate of a table does without"
)
RANKS_OF_GROUPS = "of 20 groups the ranks jump by one at each end"
RANKS = "ranks of the errors give limits, and no standard error"
EQUAL_ERRORS = "the ranks of equal errors have no width"
LAMBDA_AT_0 = "Defect: more than 97.5% of the draws are 0, as the estimate is"
NO_SPREAD = "at the end of its bounds rows show no spread: the limits come from a rate, a bound or draws"
NO_ERROR_GIVEN = "Defect: its method maps the limits of rates, and gives no standard error"
HEAVY_TAIL = "a ratio whose denominator is two or three rows: leaving out one of them moves it far"
STEPS = "it moves in steps from row to row, which the jackknife of 40 rows takes for spread"
FEW_ROWS_FIT = "a logistic fit of 40 rows is far from linear in its rows"

# A platform that rounds otherwise may keep the law.
DEPENDS_ON_ROUNDING = {ROUNDING}


def _listed(*groups: tuple[str, str]) -> dict[str, str]:
    """Return the reason of each metric, from reasons and the names they hold for."""
    return {name: reason for reason, names in groups for name in names.split()}


EXCEPTIONS: dict[str, dict[str, str]] = {
    "a factor of all weights": _listed(
        (
            COUNTS_ROWS,
            "krippendorff_alpha cramers_v bias_corrected_cramers_v tschuprows_t contingency_coefficient",
        ),
        (ROUNDING, "gain_at lift_at mcc tie_expected_average_precision"),
    ),
    "equal weights": _listed(
        (NAME_ONLY, "subset_accuracy"),
    ),
    "groups of one row": _listed(
        (OWN_METHOD, "negative_likelihood_ratio diagnostic_odds_ratio npv_at_prevalence ks"),
        (TWO_WAYS, "lift"),
        (
            LESS_CHANCE,
            "uncertainty_coefficient uncertainty_coefficient_predicted normalized_mutual_information",
        ),
        (
            FEW_POSITIVES,
            (
                "average_precision pr_auc_trapezoid pr_auc_integral tie_expected_average_precision "
                "pr_auc_davis_goadrich"
            ),
        ),
        (SHARE_BY_KURTOSIS, "recall_at_k hit_rate"),
        (LEVERAGE, "brier_skill log_loss_skill cox_snell_r2 nagelkerke_r2"),
        (RANKS_OF_GROUPS, "median_absolute_percentage_error"),
    ),
    "groups of one row at the ends": _listed(
        (ONE_POSITIVE, "recall false_negative_rate"),
        (
            TWO_WAYS,
            (
                "f_beta f2 f_half fowlkes_mallows phi lift misclassification_cost macro_f1_of_averages mcc "
                "kappa scott_pi krippendorff_alpha gwet_ac1 weighted_kappa quadratic_weighted_kappa "
                "weighted_scott_pi gwet_ac2 weighted_brennan_prediger weighted_accuracy mean_cost "
                "mean_absolute_rank_error mean_squared_rank_error stuarts_tau_c"
            ),
        ),
        (
            OWN_METHOD,
            (
                "positive_likelihood_ratio negative_likelihood_ratio informedness "
                "one_vs_rest_balanced_accuracy diagnostic_odds_ratio precision_at_prevalence "
                "npv_at_prevalence prevalence_threshold balanced_accuracy adjusted_balanced_accuracy g_mean "
                "ks precision_at_share"
            ),
        ),
        (
            LEVERAGE,
            (
                "no_information_rate cramers_v tschuprows_t contingency_coefficient mutual_information "
                "uncertainty_coefficient uncertainty_coefficient_predicted normalized_mutual_information "
                "goodman_kruskal_lambda_predicted goodman_kruskal_lambda_symmetric goodman_kruskal_tau "
                "goodman_kruskal_tau_predicted brier_uncertainty log_uncertainty brier_skill log_loss_skill "
                "cox_snell_r2 nagelkerke_r2 cox_intercept cox_slope calibration_in_the_large "
                "observed_expected_ratio"
            ),
        ),
        (
            FEW_POSITIVES,
            (
                "average_precision pr_auc_trapezoid pr_auc_integral tie_expected_average_precision "
                "pr_auc_davis_goadrich"
            ),
        ),
    ),
    "many groups of one row": _listed(
        (SHARE_BY_KURTOSIS, "top_k_accuracy"),
    ),
    "copies in one group": _listed(
        (ONE_POSITIVE, "recall false_negative_rate"),
        (
            TWO_WAYS,
            (
                "f_beta f2 f_half fowlkes_mallows phi lift misclassification_cost macro_f1_of_averages mcc "
                "kappa scott_pi krippendorff_alpha gwet_ac1 weighted_kappa quadratic_weighted_kappa "
                "weighted_scott_pi gwet_ac2 weighted_brennan_prediger weighted_accuracy mean_cost "
                "mean_absolute_rank_error mean_squared_rank_error stuarts_tau_c"
            ),
        ),
        (
            OWN_METHOD,
            (
                "positive_likelihood_ratio negative_likelihood_ratio informedness "
                "one_vs_rest_balanced_accuracy diagnostic_odds_ratio precision_at_prevalence "
                "npv_at_prevalence prevalence_threshold balanced_accuracy adjusted_balanced_accuracy g_mean "
                "ks precision_at_share"
            ),
        ),
        (LESS_CHANCE, "mutual_information uncertainty_coefficient normalized_mutual_information"),
        (
            FEW_POSITIVES,
            (
                "average_precision pr_auc_trapezoid pr_auc_integral tie_expected_average_precision "
                "pr_auc_davis_goadrich"
            ),
        ),
    ),
    "nested intervals": _listed(
        (
            NOT_NESTED,
            (
                "f_beta f2 f_half positive_likelihood_ratio negative_likelihood_ratio fowlkes_mallows phi "
                "diagnostic_odds_ratio lift precision_at_prevalence npv_at_prevalence prevalence_threshold "
                "g_mean mcc kappa scott_pi krippendorff_alpha gwet_ac1 weighted_kappa "
                "quadratic_weighted_kappa weighted_scott_pi gwet_ac2 stuarts_tau_c"
            ),
        ),
        (LEVERAGE, "brier_skill log_loss_skill cox_snell_r2 nagelkerke_r2"),
    ),
    "a standard error": _listed(
        (
            NO_ERROR_GIVEN,
            (
                "diagnostic_odds_ratio precision_at_prevalence npv_at_prevalence prevalence_threshold "
                "brier_uncertainty log_uncertainty"
            ),
        ),
        (NO_SPREAD, "precision_at_share"),
        (RANKS, "median_absolute_error quantile_error median_absolute_percentage_error"),
    ),
    "a standard error at the ends": _listed(
        (
            NO_SPREAD,
            (
                "positive_likelihood_ratio negative_likelihood_ratio g_mean cramers_v "
                "bias_corrected_cramers_v tschuprows_t contingency_coefficient uncertainty_coefficient "
                "uncertainty_coefficient_predicted normalized_mutual_information goodman_kruskal_lambda "
                "goodman_kruskal_lambda_predicted goodman_kruskal_lambda_symmetric goodman_kruskal_tau "
                "goodman_kruskal_tau_predicted partial_auc equal_error_rate convex_hull_auc h_measure "
                "gain_at precision_at_share lift_at average_precision pr_auc_trapezoid pr_auc_integral "
                "tie_expected_average_precision pr_auc_davis_goadrich break_even hand_till_auc macro_auc "
                "weighted_auc micro_auc brier root_brier observed_expected_ratio multiclass_brier "
                "top_k_accuracy smape_200 smape_100"
            ),
        ),
        (
            NO_ERROR_GIVEN,
            (
                "diagnostic_odds_ratio precision_at_prevalence npv_at_prevalence prevalence_threshold "
                "brier_uncertainty log_uncertainty"
            ),
        ),
        (RANKS, "median_absolute_error quantile_error median_absolute_percentage_error"),
    ),
    "a width": _listed(
        (
            LAMBDA_AT_0,
            "goodman_kruskal_lambda goodman_kruskal_lambda_predicted goodman_kruskal_lambda_symmetric",
        ),
        (EQUAL_ERRORS, "median_absolute_error quantile_error median_absolute_percentage_error"),
    ),
    "the jackknife": _listed(
        (HEAVY_TAIL, "positive_likelihood_ratio diagnostic_odds_ratio"),
        (STEPS, "equal_error_rate break_even"),
        (FEW_ROWS_FIT, "cox_slope"),
    ),
}
