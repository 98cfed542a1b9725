"""The catalogue: every metric as one declaration over a tally, found by name.

>>> from assay.metrics import catalogue, find, precision
>>> find("ppv") is precision
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.arithmetic import ratio, root
from assay.metrics.averaging import averaged, each, pooled
from assay.metrics.metric import Metric, View, catalogue, find, metric
from assay.metrics.multioutput import each_output, over_outputs
from assay.metrics.undefined import Undefined, Value
from assay.metrics.views.confusion import Binary, Classes, Ordered
from assay.metrics.views.ranking import Ranks
from assay.metrics.views.row_means import Mean, mean_metric

# The modules of the catalogue, in the order in which a reader would want their metrics.
# fmt: off
# isort: off
from assay.metrics.classification.rates import (
    detection_prevalence, detection_rate, diagnostic_odds_ratio, f1, f2, f_beta, f_half,
    false_discovery_rate, false_negative_rate, false_omission_rate, false_positive_rate, fowlkes_mallows,
    informedness, jaccard, lift, markedness, misclassification_cost, negative_likelihood_ratio,
    negative_predictive_value, npv_at_prevalence, one_vs_rest_balanced_accuracy, phi,
    positive_likelihood_ratio, precision, precision_at_prevalence, prevalence, prevalence_threshold,
    rate_of_negative_predictions, recall, specificity,
)
from assay.metrics.classification.multiclass import (
    accuracy, adjusted_balanced_accuracy, balanced_accuracy, error_rate, g_mean, macro_f1_of_averages,
    mcc, no_information_rate,
)
from assay.metrics.classification.agreement import (
    brennan_prediger, expected_agreement, gwet_ac1, kappa, krippendorff_alpha, max_kappa, scott_pi,
)
from assay.metrics.classification.association import (
    bias_corrected_cramers_v, chi_square, contingency_coefficient, cramers_v, goodman_kruskal_lambda,
    goodman_kruskal_lambda_predicted, goodman_kruskal_lambda_symmetric, goodman_kruskal_tau,
    goodman_kruskal_tau_predicted, mutual_information, normalized_mutual_information, tschuprows_t,
    uncertainty_coefficient, uncertainty_coefficient_predicted,
)
from assay.metrics.classification.ordinal import (
    goodman_kruskal_gamma, gwet_ac2, mean_absolute_rank_error, mean_cost, mean_squared_rank_error,
    quadratic_weighted_kappa, stuarts_tau_c, weighted_accuracy, weighted_brennan_prediger, weighted_kappa,
    weighted_scott_pi,
)
from assay.metrics.classification.multilabel import (
    hamming_loss, subset_accuracy,
)
from assay.metrics.ranking.roc import (
    auc, convex_hull_auc, equal_error_rate, gain_at, gini, h_measure, ks, lift_at, max_f1,
    max_informedness, partial_auc, precision_at_share,
)
from assay.metrics.ranking.precision_recall import (
    average_precision, break_even, pr_auc_davis_goadrich, pr_auc_integral, pr_auc_trapezoid,
    tie_expected_average_precision,
)
from assay.metrics.ranking.multiclass_auc import (
    hand_till_auc, macro_auc, micro_auc, weighted_auc,
)
from assay.metrics.ranking.retrieval import (
    dcg, f1_at_k, hit_rate, mean_average_precision, mean_reciprocal_rank, ndcg, precision_at_k,
    recall_at_k,
)
from assay.metrics.ranking.retrieval_user_models import (
    expected_reciprocal_rank, r_precision, rank_biased_precision,
)
from assay.metrics.probability.proper_scores import (
    brier, brier_discrimination, brier_miscalibration, brier_reliability, brier_resolution, brier_skill,
    brier_uncertainty, cox_snell_r2, log_discrimination, log_loss, log_loss_skill, log_miscalibration,
    log_uncertainty, nagelkerke_r2, root_brier,
)
from assay.metrics.probability.calibration import (
    debiased_calibration_error, debiased_calibration_square, expected_calibration_error,
    isotonic_calibration_index, isotonic_largest_distance, isotonic_median_distance,
    isotonic_upper_distance, maximum_calibration_error, rms_calibration_error,
)
from assay.metrics.probability.loess_calibration import (
    integrated_calibration_index, largest_calibration_distance, median_calibration_distance,
    upper_calibration_distance,
)
from assay.metrics.probability.calibration_tests import (
    calibration_in_the_large, cox_intercept, cox_slope, hosmer_lemeshow, hosmer_lemeshow_p,
    observed_expected_ratio, spiegelhalter_p, spiegelhalter_z,
)
from assay.metrics.probability.multiclass_probability import (
    classwise_calibration_error, confidence_calibration_error, halved_multiclass_brier, multiclass_brier,
    multiclass_log_loss, ranked_probability_score, spherical_score, top_k_accuracy,
    top_label_calibration_error,
)
from assay.metrics.regression.moments import (
    adjusted_r2, ccc, cosine_similarity, error_deviation, explained_variance, kling_gupta, mae, mase,
    max_error, mean_error, mse, pearson, r2, relative_squared_error, rmse, rmse_over_mean,
    root_relative_squared_error, rpd, squared_correlation, theil_u1, theil_u2, wape,
)
from assay.metrics.regression.row_losses import (
    crps_gaussian, huber, log_cosh, mape, mpe, msle, pinball, pseudo_huber, rmsle, rmspe, smape_100,
    smape_200,
)
from assay.metrics.regression.deviance import (
    d2_absolute_error, d2_pinball, d2_tweedie, gamma_deviance, poisson_deviance, poisson_log_loss,
    tweedie_deviance,
)
from assay.metrics.regression.order_statistics import (
    concordance_index, kendall_tau, median_absolute_error, median_absolute_percentage_error,
    quantile_error, relative_absolute_error, rmse_over_iqr, rmse_over_range, rpiq, somers_d, spearman,
)
# isort: on

__all__ = [
    "Binary", "Classes", "Mean", "Metric", "Ordered", "Ranks", "Undefined", "Value", "View", "accuracy",
    "adjusted_balanced_accuracy", "adjusted_r2", "auc", "average_precision", "averaged", "balanced_accuracy",
    "bias_corrected_cramers_v", "break_even", "brennan_prediger", "brier", "brier_discrimination",
    "brier_miscalibration", "brier_reliability", "brier_resolution", "brier_skill", "brier_uncertainty",
    "calibration_in_the_large", "catalogue", "ccc", "chi_square", "classwise_calibration_error",
    "concordance_index", "confidence_calibration_error", "contingency_coefficient", "convex_hull_auc",
    "cosine_similarity", "cox_intercept", "cox_slope", "cox_snell_r2", "cramers_v", "crps_gaussian",
    "d2_absolute_error", "d2_pinball", "d2_tweedie", "dcg", "debiased_calibration_error",
    "debiased_calibration_square", "detection_prevalence", "detection_rate", "diagnostic_odds_ratio", "each",
    "each_output", "equal_error_rate", "error_deviation", "error_rate", "expected_agreement",
    "expected_calibration_error", "expected_reciprocal_rank", "explained_variance", "f1", "f1_at_k", "f2",
    "f_beta", "f_half", "false_discovery_rate", "false_negative_rate", "false_omission_rate",
    "false_positive_rate", "find", "fowlkes_mallows", "g_mean", "gain_at", "gamma_deviance", "gini",
    "goodman_kruskal_gamma", "goodman_kruskal_lambda", "goodman_kruskal_lambda_predicted",
    "goodman_kruskal_lambda_symmetric", "goodman_kruskal_tau", "goodman_kruskal_tau_predicted", "gwet_ac1",
    "gwet_ac2", "h_measure", "halved_multiclass_brier", "hamming_loss", "hand_till_auc", "hit_rate",
    "hosmer_lemeshow", "hosmer_lemeshow_p", "huber", "informedness", "integrated_calibration_index",
    "isotonic_calibration_index", "isotonic_largest_distance", "isotonic_median_distance",
    "isotonic_upper_distance", "jaccard", "kappa", "kendall_tau", "kling_gupta", "krippendorff_alpha", "ks",
    "largest_calibration_distance", "lift", "lift_at", "log_cosh", "log_discrimination", "log_loss",
    "log_loss_skill", "log_miscalibration", "log_uncertainty", "macro_auc", "macro_f1_of_averages", "mae",
    "mape", "markedness", "mase", "max_error", "max_f1", "max_informedness", "max_kappa",
    "maximum_calibration_error", "mcc", "mean_absolute_rank_error", "mean_average_precision", "mean_cost",
    "mean_error", "mean_metric", "mean_reciprocal_rank", "mean_squared_rank_error", "median_absolute_error",
    "median_absolute_percentage_error", "median_calibration_distance", "metric", "micro_auc",
    "misclassification_cost", "mpe", "mse", "msle", "multiclass_brier", "multiclass_log_loss",
    "mutual_information", "nagelkerke_r2", "ndcg", "negative_likelihood_ratio", "negative_predictive_value",
    "no_information_rate", "normalized_mutual_information", "npv_at_prevalence", "observed_expected_ratio",
    "one_vs_rest_balanced_accuracy", "over_outputs", "partial_auc", "pearson", "phi", "pinball",
    "poisson_deviance", "poisson_log_loss", "pooled", "positive_likelihood_ratio", "pr_auc_davis_goadrich",
    "pr_auc_integral", "pr_auc_trapezoid", "precision", "precision_at_k", "precision_at_prevalence",
    "precision_at_share", "prevalence", "prevalence_threshold", "pseudo_huber", "quadratic_weighted_kappa",
    "quantile_error", "r2", "r_precision", "rank_biased_precision", "ranked_probability_score",
    "rate_of_negative_predictions", "ratio", "recall", "recall_at_k", "relative_absolute_error",
    "relative_squared_error", "rms_calibration_error", "rmse", "rmse_over_iqr", "rmse_over_mean",
    "rmse_over_range", "rmsle", "rmspe", "root", "root_brier", "root_relative_squared_error", "rpd", "rpiq",
    "scott_pi", "smape_100", "smape_200", "somers_d", "spearman", "specificity", "spherical_score",
    "spiegelhalter_p", "spiegelhalter_z", "squared_correlation", "stuarts_tau_c", "subset_accuracy",
    "theil_u1", "theil_u2", "tie_expected_average_precision", "top_k_accuracy", "top_label_calibration_error",
    "tschuprows_t", "tweedie_deviance", "uncertainty_coefficient", "uncertainty_coefficient_predicted",
    "upper_calibration_distance", "wape", "weighted_accuracy", "weighted_auc", "weighted_brennan_prediger",
    "weighted_kappa", "weighted_scott_pi",
]

if TYPE_CHECKING:  # a type checker knows the aliases from here; a test compares them with the declarations
    sensitivity = tpr = true_positive_rate = rec = sens = recall
    tnr = true_negative_rate = selectivity = spec = specificity
    ppv = prec = positive_predictive_value = precision
    npv = negative_predictive_value
    fpr = fall_out = fallout = fall = false_positive_rate
    fnr = miss_rate = miss = false_negative_rate
    fdr = pcfall = false_discovery_rate
    pcmiss = false_omission_rate
    base_rate = pre = prevalence
    rpp = rate_of_positive_predictions = selection_rate = predicted_positive_rate = detection_prevalence
    rnp = rate_of_negative_predictions
    fbeta = f_beta
    dice = f = f_meas = f_measure = f_score = sorensen_dice = f1
    f0_5 = f05 = f_half
    iou = threat_score = critical_success_index = csi = jaccard
    lr_plus = lr_positive = plr = positive_likelihood_ratio
    lr_minus = lr_negative = nlr = negative_likelihood_ratio
    youden_j = youden = j_index = bookmaker_informedness = bm = informedness
    mk = delta_p = markedness
    phi_coefficient = phi
    bal_accuracy = one_vs_rest_balanced_accuracy
    dor = odds = odds_ratio = diagnostic_odds_ratio
    lift_score = lift
    ppv_at_prevalence = precision_at_prevalence
    cost = explicit_cost = misclassification_cost
    acc = overall_accuracy = observed_agreement = percent_agreement = accuracy
    err = misclassification_rate = zero_one_loss = error_rate
    nir = accuracy_null = no_information_rate
    mean_recall = macro_recall = uar = balanced_accuracy
    chance_corrected_balanced_accuracy = adjusted_balanced_accuracy
    gmean = gm = geometric_mean = g_mean
    sokolova_lapalme_f1 = macro_f1_of_averages
    matthews_correlation = matthews_corrcoef = mat = r_k = mcc
    cohen_kappa = cohens_kappa = kap = kappa
    chance_agreement = expected_agreement
    kappa_max = maximum_kappa = max_kappa
    kappa_unbiased = scott_pi
    krippendorffs_alpha = krippendorff_alpha
    ac1 = gwets_ac1 = gwet_ac1
    pabak = bennett_s = s_coefficient = brennan_prediger
    chisq = chi2 = chi_squared = pearson_chi_square = chi_square
    cramer_v = cramers_v
    cramers_v_corrected = cramer_v_bias_corrected = bergsma_v = bias_corrected_cramers_v
    tschuprow_t = tschuprow = chuprov_t = tschuprows_t
    pearson_c = pearson_contingency = contingency_coefficient
    mi = mutual_information
    theil_u_actual = theils_uncertainty = uncert_coef = uncertainty_coefficient
    relative_classifier_information = uncertainty_coefficient
    theil_u_predicted = uncertainty_coefficient_predicted
    nmi = symmetric_uncertainty = normalized_mutual_information
    goodman_kruskal_lambda_actual = goodman_kruskal_lambda
    lambda_symmetric = symmetric_lambda = goodman_kruskal_lambda_symmetric
    gk_tau = goodman_kruskal_tau_actual = goodman_kruskal_tau
    gk_tau_predicted = goodman_kruskal_tau_predicted
    linear_weighted_kappa = linear_kappa = weighted_kappa
    qwk = quadratic_kappa = quadratic_weighted_kappa
    scott_pi_weighted = weighted_scotts_pi = weighted_pi = weighted_scott_pi
    ac2 = gwets_ac2 = gwet_ac2
    brennan_prediger_weighted = weighted_brennan_prediger
    ordinal_mae = mean_absolute_rank_error
    ordinal_mse = mean_squared_rank_error
    gamma = gk_gamma = goodman_kruskals_gamma = goodman_kruskal_gamma
    stuart_tau_c = tau_c = kendall_tau_c = stuarts_tau_c
    exact_match_ratio = exact_match = subset_accuracy
    roc_auc = auroc = c_statistic = c_index = area_under_the_roc_curve = auc
    gini_coefficient = accuracy_ratio = gini
    pauc = partial_auc
    kolmogorov_smirnov = ks_statistic = ks
    eer = equal_error_rate
    auch = auc_of_the_convex_hull = convex_hull_auc
    hand_h = h_measure
    recall_at_share = capture_rate = cumulative_gain = gain_at
    best_f1 = f_max = max_f1
    best_youden = max_youden = max_informedness
    ap = auprc = pr_auc_step = average_precision
    aucpr = pr_auc_interpolated = auc_integral = pr_auc_integral
    auc_davis_goadrich = pr_auc_davis_goadrich
    prbe = precision_recall_break_even = break_even
    hand_till = auc_one_vs_one = multiclass_auc = hand_till_auc
    auc_one_vs_rest = ovr_macro_auc = macro_auc
    ovr_weighted_auc = weighted_auc
    ovr_micro_auc = micro_auc
    p_at_k = precision_at_k
    r_at_k = recall_at_k
    hit_at_k = hit_rate_at_k = success_at_k = hit_rate
    mrr = reciprocal_rank = mean_reciprocal_rank
    map = map_at_k = ap_at_k = mean_average_precision  # noqa: A001 - the name that the field uses
    ndcg_at_k = ndcg
    dcg_at_k = dcg
    rprec = r_prec = r_precision
    rbp = rbp_at_k = rank_biased_precision
    err_at_k = expected_rr = expected_reciprocal_rank
    cross_entropy = mean_cross_entropy = mxe = logistic_loss = log_loss
    brier_score = brier_score_loss = quadratic_score = brier
    base_rate_brier = brier_uncertainty
    base_rate_log_loss = log_uncertainty
    bss = scaled_brier = d2_brier = brier_skill
    d2_log_loss = mcfadden_r2 = mcfadden = mcfadden_pseudo_r2 = log_loss_skill
    cox_snell = cox_snell_pseudo_r2 = maddala_r2 = cox_snell_r2
    nagelkerke = nagelkerke_pseudo_r2 = cragg_uhler_r2 = nagelkerke_r2
    corp_mcb = brier_mcb = brier_miscalibration
    corp_dsc = brier_dsc = brier_discrimination
    log_mcb = log_miscalibration
    log_dsc = log_discrimination
    murphy_reliability = brier_reliability
    murphy_resolution = brier_resolution
    ece = expected_calibration_error
    mce = maximum_calibration_error
    rms_ce = rms_calibration_error
    debiased_ece_squared = debiased_calibration_square
    debiased_ece = debiased_calibration_error
    ici_isotonic = isotonic_ici = isotonic_calibration_index
    e50_isotonic = isotonic_median_distance
    e90_isotonic = isotonic_upper_distance
    emax_isotonic = isotonic_largest_distance
    ici = eavg = ici_loess = integrated_calibration_index
    e50 = e50_loess = median_calibration_distance
    e90 = e90_loess = upper_calibration_distance
    emax = emax_loess = largest_calibration_distance
    recalibration_intercept = cox_intercept
    calibration_slope = recalibration_slope = cox_slope
    citl = calibration_intercept = calibration_in_the_large
    oe_ratio = observed_to_expected = observed_expected_ratio
    categorical_cross_entropy = multiclass_log_loss
    rps = ranked_probability_score
    confidence_ece = confidence_calibration_error
    top_label_ece = top_label_calibration_error
    classwise_ece = classwise_calibration_error
    bias = me = mean_signed_deviation = msd = mean_error
    mean_absolute_error = mean_absolute_deviation = mae
    mean_squared_error = mse
    root_mean_squared_error = rmse
    standard_deviation_of_errors = error_deviation
    r_squared = coefficient_of_determination = rsq_trad = nash_sutcliffe = nse = r2
    adjusted_r_squared = adjusted_r2
    concordance_correlation = lins_ccc = concordance_correlation_coefficient = ccc
    pearson_r = correlation = pearson_correlation = pearson
    rsq = squared_correlation
    rse = relative_squared_error
    rrse = rsr = rmse_over_deviation = root_relative_squared_error
    ratio_of_performance_to_deviation = rpd
    cv_rmse = nrmse_mean = scatter_index = rmse_over_mean
    theils_u1 = theil_inequality = theil_u1
    theils_u2 = theil_quality = theil_u2
    kge = kling_gupta
    maximum_error = max_error
    mean_absolute_scaled_error = mase
    weighted_absolute_percentage_error = wmape = mad_mean_ratio = wape
    mean_absolute_percentage_error = mape
    root_mean_squared_percentage_error = rmse_percentage = rmspe
    mean_percentage_error = mpe
    smape = smape200 = symmetric_mean_absolute_percentage_error = smape_200
    smape100 = smape_100
    mean_squared_log_error = msle
    root_mean_squared_log_error = rmsle
    huber_loss = huber
    huber_loss_pseudo = pseudo_huber_loss = pseudo_huber
    log_cosh_error = log_cosh
    mean_pinball_loss = quantile_loss = pinball
    mean_tweedie_deviance = tweedie_deviance
    mean_poisson_deviance = poisson_deviance
    mean_gamma_deviance = gamma_deviance
    d2_tweedie_score = d2_tweedie
    d2_pinball_score = d2_pinball
    d2_absolute_error_score = d2_absolute_error
    medae = median_absolute_error
    absolute_error_quantile = quantile_error
    mdape = medape = median_ape = median_absolute_percentage_error
    rae = relative_absolute_error
    nrmse_range = rmse_over_range
    nrmse_iqr = rmse_over_iqr
    ratio_of_performance_to_interquartile_range = rpiq
    spearman_rho = spearman_r = rank_correlation = spearman
    kendall = kendall_tau_b = tau_b = kendall_tau
    concordance = harrell_c = concordance_index
# fmt: on
else:

    def __getattr__(name: str) -> Metric:
        from assay.errors import MetricError  # noqa: PLC0415 - only for the message

        try:
            return find(name)
        except MetricError as unknown:
            raise AttributeError(str(unknown)) from None


def __dir__() -> list[str]:
    return sorted(__all__)
