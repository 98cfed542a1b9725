"""What an evaluation says, as plain data: headings, figures with their intervals, and remarks.

Renderers (text, Markdown, the page) draw it; nobody computes while drawing.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from assay.metrics import Undefined

if TYPE_CHECKING:
    from assay.evaluation.per_class import ClassRow
    from assay.inference.estimate import Estimate

__all__ = ["Line", "Summary", "shown_interval", "shown_name", "shown_value"]

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


@dataclasses.dataclass(frozen=True)
class Line:
    """One figure: its name, what it is, and remarks that belong under it; notes only where all is shown."""

    name: str
    estimate: Estimate
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Summary:
    """A heading, the table of counts where there is one, groups of figures, and remarks at the end.

    ``table`` holds labels and counts, rows actual, columns predicted; ``classes`` the figures of each class.
    """

    title: str
    heading: tuple[str, ...]
    groups: tuple[tuple[Line, ...], ...]
    labels: tuple[Any, ...] = ()
    table: tuple[tuple[float, ...], ...] = ()
    remarks: tuple[str, ...] = ()
    classes: tuple[ClassRow, ...] = ()


def shown_name(name: str) -> str:
    """Return a figure's name as people write it.

    >>> shown_name("macro_f1"), shown_name("balanced_accuracy"), shown_name("f_0.5")
    ('macro F1', 'balanced accuracy', 'F0.5')
    """
    if name in _NAMES:
        return _NAMES[name]
    if name.startswith("f_") and name[2:3].isdigit():
        return f"F{name[2:]}"
    return " ".join(_ACRONYMS.get(word, word) for word in name.split("_"))


def shown_value(value: Any, *, like: float | None = None) -> str:
    """Return a number at four decimals, or at four digits where it is large or very small.

    >>> shown_value(0.975539), shown_value(1234.567), shown_value(0.0000123), shown_value(math.inf)
    ('0.9755', '1235', '1.23e-05', '∞')
    """
    if isinstance(value, Undefined):
        return repr(value)
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value if like is None else like)
    if value and size < 0.001:  # noqa: PLR2004 - four decimals would leave nothing
        return f"{value:.3g}"
    return f"{value:.4f}" if size < 10 else f"{value:.4g}"  # noqa: PLR2004 - digits before the point count too


def shown_interval(estimate: Estimate, *, digits: int | None = None) -> str:
    """Return an interval in brackets, or nothing; at so many decimals where they are said."""
    if estimate.low is None or estimate.high is None:
        return ""
    if digits is not None:
        return f"[{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"
    return f"[{shown_value(estimate.low)}, {shown_value(estimate.high)}]"
