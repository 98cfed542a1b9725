"""scikit-learn's supervised metrics, by the same names, over assay's tallies: floats in, floats out.

>>> from assay.sklearn import accuracy_score
>>> accuracy_score(["ham", "spam", "ham"], ["ham", "spam", "spam"])
0.6666666666666666

Parameters, results, errors and warnings are those of scikit-learn 1.9, which need not be installed. Names are
loaded when first used.
"""

from __future__ import annotations

import importlib
from typing import Any

# One line per module: its functions are public here by being named in this table.
_HOMES = {
    "agreement": ("cohen_kappa_score", "matthews_corrcoef"),
    "auc": ("auc", "average_precision_score", "roc_auc_score"),
    "classification": (
        "accuracy_score", "balanced_accuracy_score", "class_likelihood_ratios", "confusion_matrix",
        "hamming_loss", "multilabel_confusion_matrix", "zero_one_loss",
    ),
    "label_ranking": (
        "coverage_error", "dcg_score", "label_ranking_average_precision_score", "label_ranking_loss",
        "ndcg_score", "top_k_accuracy_score",
    ),
    "parameter_checks": ("InvalidParameterError",),
    "probability": ("brier_score_loss", "d2_brier_score", "d2_log_loss_score", "hinge_loss", "log_loss"),
    "rates": (
        "f1_score", "fbeta_score", "jaccard_score", "precision_recall_fscore_support", "precision_score",
        "recall_score",
    ),
    "classification_report": ("classification_report",),
    "deviance": (
        "d2_absolute_error_score", "d2_pinball_score", "d2_tweedie_score", "mean_gamma_deviance",
        "mean_poisson_deviance", "mean_tweedie_deviance",
    ),
    "regression": (
        "explained_variance_score", "max_error", "mean_absolute_error", "mean_absolute_percentage_error",
        "mean_pinball_loss", "mean_squared_error", "mean_squared_log_error", "median_absolute_error",
        "r2_score", "root_mean_squared_error", "root_mean_squared_log_error",
    ),
    "curves": (
        "confusion_matrix_at_thresholds", "det_curve", "metric_at_thresholds", "precision_recall_curve",
        "roc_curve",
    ),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*sorted(_HOME_OF), "UndefinedMetricWarning"]  # noqa: PLE0604 - the table names them


def __getattr__(name: str) -> Any:
    if name == "UndefinedMetricWarning":  # never kept: scikit-learn may be loaded later
        from assay.sklearn.undefined_warnings import undefined_metric_warning  # noqa: PLC0415

        return undefined_metric_warning()
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'assay.sklearn' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"assay.sklearn.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
