"""Thresholds: which one, what it costs, how optimistic it is, and curves over all of them.

>>> import assay
>>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
>>> assay.decisions.choose_threshold(rows, cost_fp=1, cost_fn=4).threshold
0.35
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.decisions.costs import (
        bayes_threshold,
        probability_cost,
        shifted_probability,
        shifted_threshold,
    )
    from assay.decisions.decision_curves import (
        DecisionCurve,
        cost_curve,
        expected_cost,
        net_benefit,
        normalised_cost,
    )
    from assay.decisions.selection_optimism import CrossFit, Optimism, cross_fitted, optimism
    from assay.decisions.threshold import Threshold, choose_threshold, evaluate_threshold
    from assay.metrics.curves.curves import roc_hull

# Loaded when first used: an evaluation needs the keywords of a criterion, but seldom a threshold.
_MODULES = {
    "assay.decisions.costs": (
        "bayes_threshold",
        "probability_cost",
        "shifted_probability",
        "shifted_threshold",
    ),
    "assay.decisions.decision_curves": (
        "DecisionCurve",
        "cost_curve",
        "expected_cost",
        "net_benefit",
        "normalised_cost",
    ),
    "assay.decisions.selection_optimism": ("CrossFit", "Optimism", "cross_fitted", "optimism"),
    "assay.decisions.threshold": ("Threshold", "choose_threshold", "evaluate_threshold"),
    "assay.metrics.curves.curves": ("roc_hull",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "CrossFit",
    "DecisionCurve",
    "Optimism",
    "Threshold",
    "bayes_threshold",
    "choose_threshold",
    "cost_curve",
    "cross_fitted",
    "evaluate_threshold",
    "expected_cost",
    "net_benefit",
    "normalised_cost",
    "optimism",
    "probability_cost",
    "roc_hull",
    "shifted_probability",
    "shifted_threshold",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'assay.decisions' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
