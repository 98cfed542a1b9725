"""A small picture for a metric's page, where one helps: cells of the table of counts, a curve, or a loss."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

import assay
from assay.metrics import Binary

if TYPE_CHECKING:
    from pathlib import Path

    from assay.metrics import Metric

__all__ = ["picture"]

BLUE, PALE, GREY = "#1f5fa8", "#c6d9ef", "#f2f2f2"
CELLS = {"tp": (0, 0), "fn": (1, 0), "fp": (0, 1), "tn": (1, 1)}  # column predicted, row actual
# The plot that shows a metric of scores, drawn of the bundled messages.
CURVES = {
    "auc": "roc", "gini": "roc", "partial_auc": "roc", "ks": "roc", "convex_hull_auc": "roc", "max_informedness": "roc",
    "equal_error_rate": "det", "average_precision": "precision_recall", "pr_auc_trapezoid": "precision_recall",
    "pr_auc_integral": "precision_recall", "max_f1": "precision_recall", "break_even": "precision_recall", "gain_at": "gain",
    "lift_at": "lift", "brier": "calibration", "brier_miscalibration": "calibration", "log_miscalibration": "calibration",
    "isotonic_calibration_index": "calibration", "integrated_calibration_index": "calibration",
    "expected_calibration_error": "calibration", "maximum_calibration_error": "calibration",
    "rms_calibration_error": "calibration", "calibration_in_the_large": "calibration", "cox_slope": "calibration",
    "cox_intercept": "calibration", "observed_expected_ratio": "calibration",
}  # fmt: skip


def picture(metric: Metric, folder: Path) -> str:
    """Draw the picture of a metric, and return the Markdown that shows it; nothing where none helps."""
    file = folder / f"{metric.name}.svg"
    if metric.name in CURVES:
        return _curve(metric, file)
    if metric.reads is Binary and (shares := _numerator_and_denominator(metric.expression)):
        return _cells(metric, file, *shares)
    has_loss = metric.loss is not None or metric.name in ("mse", "mae", "rmse")
    if has_loss and metric.needs == "numbers" and metric.name not in ("mase", "crps_gaussian"):
        return _loss(metric, file)
    return ""


def _numerator_and_denominator(expression: str) -> tuple[set[str], set[str]] | None:
    """Return the cells above and below the line of a ratio of counts; None for other formulas.

    >>> top, bottom = _numerator_and_denominator("tp / (tp + fp)")
    >>> sorted(top), sorted(bottom)
    (['tp'], ['fp', 'tp'])
    """
    top, _, bottom = expression.partition(" / ")
    words = {*re.findall(r"[a-z]\w*", expression)}
    if not bottom or not words <= {*CELLS, "n"} or " tn / " in expression:
        return None
    above, below = ({*re.findall(r"[a-z]\w*", part)} for part in (top, bottom))
    return above, {*CELLS} if "n" in below else below


def _cells(metric: Metric, file: Path, above: set[str], below: set[str]) -> str:
    figure, axes = plt.subplots(figsize=(2.6, 2.1), layout="constrained")
    for cell, (x, y) in CELLS.items():
        colour = BLUE if cell in above else PALE if cell in below else GREY
        axes.add_patch(plt.Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white", linewidth=2))
        ink = "white" if cell in above else "#222222"
        axes.text(x + 0.5, y + 0.5, cell.upper(), ha="center", va="center", color=ink, fontsize=12)
    axes.set(
        xlim=(0, 2), ylim=(2, 0), xticks=[0.5, 1.5], yticks=[0.5, 1.5], xlabel="predicted", ylabel="actual"
    )
    axes.set_xticklabels(["positive", "negative"])
    axes.set_yticklabels(["positive", "negative"], rotation=90, va="center")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    _save(figure, file)
    what = (
        "the dark counts over all that are coloured"
        if above <= below
        else "the dark counts over the light ones"
    )
    if re.search(r"\d", metric.expression):
        what += ", each as often as the formula says"
    return f"![{metric.title}: {what}]({file.name})\n\n*{metric.title}: {what}.*"


def _curve(metric: Metric, file: Path) -> str:
    plot = CURVES[metric.name]
    axes = getattr(assay.plots, plot)(assay.datasets.messages())
    axes.figure.set_size_inches(4.2, 4.2)
    _save(axes.figure, file)
    where = f"[gallery](../../gallery/index.md), `assay.plots.{plot}(rows)`"
    return f"![The curve that {metric.title} is read from]({file.name})\n\n*What it is read from, drawn of the bundled messages: {where}.*"


def _loss(metric: Metric, file: Path) -> str:
    """Draw the loss of a row by its predicted value."""
    predicted = np.linspace(0.05, 6, 200)
    try:
        values = [float(metric(assay.rows(actual=[2.0], predicted=[value]))) for value in predicted]
    except (assay.AssayError, TypeError, ValueError):
        return ""
    if not all(map(math.isfinite, values)):
        return ""
    figure, axes = plt.subplots(figsize=(4.2, 2.3), layout="constrained")
    axes.plot(predicted, values, color=BLUE)
    axes.axvline(2.0, color="#888888", linewidth=0.8, linestyle=":")
    axes.set(xlabel="predicted, where the actual value is 2", ylabel=metric.title)
    axes.spines[["top", "right"]].set_visible(False)
    _save(figure, file)
    text = f"{metric.title} of one row by its predicted value, where the actual value is 2"
    return f"![{text}]({file.name})"


def _save(figure: plt.Figure, file: Path) -> None:
    figure.savefig(file, metadata={"Date": None}, bbox_inches="tight")
    plt.close("all")
