"""Which threshold, at what cost, and how much of that is luck: decisions over every distinct score.

>>> import assay
>>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
>>> assay.decisions.choose_threshold(rows, cost_fp=1, cost_fn=4).threshold
0.35
"""

from assay.decisions.costs import bayes_threshold, probability_cost, shifted_probability, shifted_threshold
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
