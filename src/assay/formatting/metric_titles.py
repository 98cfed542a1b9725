"""Names of metrics as they are printed."""

from __future__ import annotations

__all__ = ["metric_title"]

_NAMES = {
    "precision": "precision (PPV)",
    "recall": "recall (TPR)",
    "negative_predictive_value": "NPV",
    "f1": "F1",
    "mcc": "MCC",
    "auc": "ROC AUC",
    "brier": "Brier score",
    "cox_slope": "calibration slope",
    "observed_expected_ratio": "observed / expected",
    "expected_calibration_error": "calibration error",
    "top_label_calibration_error": "top-label ECE",
    "r2": "R²",
    "mae": "MAE",
    "rmse": "RMSE",
    "hand_till_auc": "Hand-Till AUC",
    "ndcg": "NDCG",
    "multiclass_log_loss": "log loss",
    "multiclass_brier": "Brier score",
    "precision_at_prevalence": "PPV at prevalence",
    "npv_at_prevalence": "NPV at prevalence",
    "misclassification_cost": "cost per row",
    "g_mean": "G-mean",
    "jaccard": "Jaccard",
    "fowlkes_mallows": "Fowlkes-Mallows",
    "no_information_rate": "no-information rate",
    "gwet_ac1": "Gwet's AC1",
    "scott_pi": "Scott's pi",
    "cramers_v": "Cramér's V",
    "gini": "Gini",
    "h_measure": "H measure",
    "pr_auc_trapezoid": "PR AUC, trapezoid",
    "pr_auc_integral": "PR AUC, interpolated",
    "pr_auc_davis_goadrich": "PR AUC, Davis and Goadrich",
    "hamming_loss": "Hamming loss",
    "pearson": "Pearson correlation",
    "spearman": "Spearman correlation",
    "max_kappa": "largest possible kappa",
    "ks": "KS",
    "f_inf": "F∞",
    "mse": "MSE",
    "mape": "MAPE",
    "msle": "MSLE",
}
_ACRONYMS = {"auc": "AUC", "f1": "F1", "npv": "NPV", "pr": "PR", "k": "k"}


def metric_title(name: str) -> str:
    """Return a metric's name as people write it.

    >>> metric_title("macro_f1"), metric_title("balanced_accuracy"), metric_title("f_0.5")
    ('macro F1', 'balanced accuracy', 'F0.5')
    """
    if name in _NAMES:
        return _NAMES[name]
    if name.startswith("f_") and name[2:3].isdigit():
        return f"F{name[2:]}"
    return " ".join(_ACRONYMS.get(word, word) for word in name.split("_"))
