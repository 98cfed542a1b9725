"""Plots with Matplotlib: axes in and out, drawn of rows or tallies, of estimates and of curves.

Matplotlib is an extra (``pip install 'assay-metrics[plots]'``) and is loaded by the first plot. Every plot
takes ``ax=`` and returns the axes; without it a new figure is made. Titles say how many rows there are and
which class is positive; colours can be told apart by readers of any colour vision.

>>> import assay
>>> rows = assay.rows(actual=["ham", "spam", "ham", "spam"], score=[0.1, 0.9, 0.6, 0.7], positive="spam")
>>> ax = assay.plots.roc(rows)
>>> ax.get_legend().get_texts()[0].get_text()
'AUC 1.000 [0.270, 1.000]'
"""

from assay.plots.accessor import Plots
from assay.plots.comparison import compare
from assay.plots.confusion import confusion
from assay.plots.decisions import cost_curve, expected_cost, net_benefit
from assay.plots.forest import classes, differences, forest, metrics, slices
from assay.plots.list_metrics import at_k, lists
from assay.plots.model_order import leaderboard, outcomes
from assay.plots.overview import overview
from assay.plots.probability import calibration
from assay.plots.ranking import det, gain, lift, precision_recall, roc
from assay.plots.regression import predicted_actual, residual_distribution, residuals
from assay.plots.score_distributions import scores
from assay.plots.trends import trend

__all__ = [
    "Plots",
    "at_k",
    "calibration",
    "classes",
    "compare",
    "confusion",
    "cost_curve",
    "det",
    "differences",
    "expected_cost",
    "forest",
    "gain",
    "leaderboard",
    "lift",
    "lists",
    "metrics",
    "net_benefit",
    "outcomes",
    "overview",
    "precision_recall",
    "predicted_actual",
    "residual_distribution",
    "residuals",
    "roc",
    "scores",
    "slices",
    "trend",
]
