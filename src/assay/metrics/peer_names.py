"""What other packages call our metrics, and names that mean different quantities in different packages.

A name with capitals is matched as it is written, before its capitals are ignored.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["AMBIGUOUS", "PEER_NAMES", "PEER_SPECS"]

# Names of other packages, with our metric of the same definition; names that our metrics have as aliases are
# found without this table.
PEER_NAMES: Final = {
    # yardstick
    "pr_auc": "pr_auc_trapezoid",
    "mn_log_loss": "log_loss",
    "brier_class": "brier",
    "roc_aunu": "macro_auc",
    "roc_aunp": "weighted_auc",
    "gain_capture": "gini",
    # caret
    "roc": "auc",
    "pos_pred_value": "precision",
    "neg_pred_value": "negative_predictive_value",
    "Rsquared": "squared_correlation",
    # pROC
    "area_under_the_curve": "auc",
    # scikit-learn
    "roc_auc_ovr": "macro_auc",
    "roc_auc_score (ovr, macro)": "macro_auc",  # as ev.text(like="sklearn") prints it
    "roc_auc_score (ovo, macro)": "hand_till_auc",
    "roc_auc_ovo": "hand_till_auc",
    "roc_auc_ovr_weighted": "weighted_auc",
    "mutual_info": "mutual_information",
    "normalized_mutual_info": "normalized_mutual_information",
    # torchmetrics
    "jaccard_index": "jaccard",
    "hamming_distance": "hamming_loss",
    "concordance_corr_coef": "ccc",
    "pearson_corr_coef": "pearson",
    "spearman_corr_coef": "spearman",
    "kendall_rank_corr_coef": "kendall_tau",
    "pearsons_contingency_coefficient": "contingency_coefficient",
    "weighted_mean_absolute_percentage_error": "wape",
    "retrieval_mrr": "mean_reciprocal_rank",
    "retrieval_normalized_dcg": "ndcg",
    "retrieval_precision": "precision_at_k",
    "retrieval_recall": "recall_at_k",
    "retrieval_hit_rate": "hit_rate",
    "retrieval_r_precision": "r_precision",
    # XGBoost, LightGBM and Keras
    "mlogloss": "multiclass_log_loss",
    "multi_logloss": "multiclass_log_loss",
    "binary_logloss": "log_loss",
    "merror": "error_rate",
    "multi_error": "error_rate",
    "binary_error": "error_rate",
    "mphe": "pseudo_huber",
    "binary_crossentropy": "log_loss",
    "categorical_crossentropy": "multiclass_log_loss",
    "sparse_categorical_crossentropy": "multiclass_log_loss",
    # how people write them
    "pinball_loss": "pinball",
}

# Names of other packages that are a metric of ours with options.
PEER_SPECS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "roc_auc_ovo_weighted": ("hand_till_auc", {"average": "weighted"}),  # scikit-learn
    "retrieval_map": ("mean_average_precision", {"convention": "hits"}),  # torchmetrics
    "mean_balanced_accuracy": ("one_vs_rest_balanced_accuracy", {"average": "macro"}),  # caret
}

# Names that packages give to different quantities: the message says which metrics may be meant.
AMBIGUOUS: Final = {
    "theil_u": "uncertainty_coefficient (of classes), theil_u1 or theil_u2 (of forecasts)",
    "theils_u": "uncertainty_coefficient (of classes), theil_u1 or theil_u2 (of forecasts)",
    "tau": "kendall_tau (tau-b), stuarts_tau_c or goodman_kruskal_tau",
    "rsquared": "r2 (1 - mse / variance) or squared_correlation (what caret prints as Rsquared)",
    "nrmse": "rmse_over_mean, rmse_over_range, rmse_over_iqr or root_relative_squared_error",
    "normalized_root_mean_squared_error": (
        "rmse_over_mean (torchmetrics' default), rmse_over_range, rmse_over_iqr or "
        "root_relative_squared_error"
    ),
    "CramersV": "cramers_v, or bias_corrected_cramers_v (torchmetrics' default)",
    "TschuprowsT": "tschuprows_t, which has no bias correction (torchmetrics has one by default)",
    "fowlkes_mallows_score": (
        "fowlkes_mallows for the geometric mean of precision and recall; scikit-learn's function of this "
        "name compares two clusterings by pairs of rows"
    ),
    "fowlkes_mallows_index": (
        "fowlkes_mallows for the geometric mean of precision and recall; torchmetrics' class of this name "
        "compares two clusterings by pairs of rows"
    ),
    "ERR": "error_rate or expected_reciprocal_rank",
    "crps": "crps_gaussian; for ensembles there is assay.metrics.regression.row_losses.crps_ensemble",
    "continuous_ranked_probability_score": (
        "crps_gaussian; for ensembles there is assay.metrics.regression.row_losses.crps_ensemble"
    ),
}
