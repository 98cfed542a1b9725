"""Where the value of another package differs from ours, by metric."""

from __future__ import annotations

from typing import Final

__all__ = ["DIFFERENCES"]

_ZERO = "scikit-learn and torchmetrics return 0 where it is undefined"
_CONSTANT = "of constant actual values scikit-learn returns 1 for exact predictions and 0 for others"

# What is said of scikit-learn is tried by tests/metrics/test_peer_differences.py, of torchmetrics and R
# on the pages of docs/coming-from.
DIFFERENCES: Final = {
    "precision": _ZERO,
    "recall": _ZERO,
    "jaccard": _ZERO,
    "f1": "scikit-learn and torchmetrics return 0 without positives, actual or predicted",
    "mcc": "scikit-learn returns 0 where it is undefined",
    "kappa": "scikit-learn returns NaN where it is undefined",
    "balanced_accuracy": (
        "scikit-learn leaves out classes without actual rows; torchmetrics calls it accuracy "
        "(average='macro')"
    ),
    "positive_likelihood_ratio": "scikit-learn returns NaN without false positives, where it is infinite",
    "auc": (
        "pROC turns scores round that rank in the wrong direction (direction='auto'); its interval is "
        "the plain one of DeLong, method='delong'"
    ),
    "average_precision": ("scikit-learn returns 0 without positives; yardstick's pr_auc is pr_auc_trapezoid"),
    "log_loss": (
        "scikit-learn and yardstick move probabilities of 0 and 1 inside, so that it is finite; "
        "here it is "
        "infinite where a probability of 0 came true, unless clip= is given"
    ),
    "mape": (
        "yardstick prints percent; of an actual 0 scikit-learn divides by 2.2e-16, here it is undefined"
    ),
    "smape_200": "in percent as in yardstick; torchmetrics has a hundredth of it",
    "r2": f"{_CONSTANT}; caret's Rsquared is squared_correlation",
    "explained_variance": _CONSTANT,
    "ndcg": "gains are linear, as in scikit-learn; those of LightGBM and XGBoost are gain='exponential'",
    "expected_calibration_error": (
        "bins hold equally many rows; torchmetrics has bins of equal width, rule='width'"
    ),
}
