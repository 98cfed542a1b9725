"""Whether probabilities mean what they say: rates over probabilities, by isotonic fit or in bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.inference.formulas.calibration_bands import Band, confidence_band, consistency_band
from assay.inference.formulas.proportions import modified_wilson
from assay.metrics import find
from assay.metrics.curves import curves
from assay.metrics.probability.calibration import CalibrationCurve, calibration_curve
from assay.plots.axes import (
    GREY,
    Model,
    add_legend,
    check_choice,
    close_on_error,
    describe_rows,
    draw_curve,
    estimate_metric,
    label_axes,
    models,
    new_axes,
    unit_square,
)
from assay.plots.probability_side import probability_side, reach_of
from assay.plots.score_distributions import histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from assay.metrics.probability.binning import Rule

__all__ = ["calibration"]

_TALL = 0.12  # of the axes: the histogram of the probabilities
_SMALL_BRIER = 0.01  # of which three decimals say too little


@close_on_error
def calibration(
    data: Any,
    *,
    ax: Axes | None = None,
    bins: int | None = None,
    rule: Rule = "mass",
    band: Literal["consistency", "confidence", "none", "auto"] = "auto",
    counts: bool = True,
    confidence: float = 0.95,
    seed: int = 0,
) -> Axes:
    """Draw how often rows were positive over the probability that they were given.

    The line is the isotonic fit, which has no bins to choose (Dimitriadis, Gneiting and Jordan 2021). The
    key has the Brier score and what of it is miscalibration (MCB). Both axes end where the probabilities
    do, if none is above a half; a line that goes on beyond them is said to.

    Parameters
    ----------
    data
        Rows or a score tally whose scores are probabilities; or several by name, which are drawn together.
    ax
        Axes to draw on; a new figure's unless given.
    bins
        Draw the rates of so many bins with modified Wilson intervals instead of the fit.
    rule
        How bins are cut: ``"mass"``, ``"width"`` or ``"left-closed width"``.
    band
        ``"consistency"``: where the line would be if the probabilities were right. ``"confidence"``: where
        the true rates are, all at once, if they rise. ``"auto"``: the first, where there is a single model
        and no bins.
    counts
        Whether to draw how many rows have each probability, at the foot; of a single model only.
    confidence
        Of bands and intervals.
    seed
        Of the draws behind a consistency band.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or `bins` or another option is not
        known.
    NumberError
        A score is no probability.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> ax = assay.plots.calibration(rows, band="none")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('predicted probability', 'share of positives')
    """
    check_choice("band", band, ("consistency", "confidence", "none", "auto"))
    models_drawn = models(data)
    alone = len(models_drawn) == 1
    if band == "auto":
        band = "consistency" if alone and bins is None else "none"
    shapes = [
        curves.calibration(model.outline)
        if bins is None
        else calibration_curve(model.tally, bins=bins, rule=rule)
        for model in models_drawn
    ]
    highest, rate = reach_of(shapes)
    side = probability_side(highest, rate)
    bands = [_band(model, band, confidence, seed) for model in models_drawn]
    ax = new_axes(ax, names=len(models_drawn))
    ax.plot((0, side), (0, side), color=GREY, linewidth=1, linestyle=":")
    for model, curve, limits in zip(models_drawn, shapes, bands, strict=True):
        if limits is not None:
            colour = GREY if band == "consistency" and alone else model.colour
            words = f"{100 * confidence:.3g}% {band} band" if alone else None
            looks: dict[str, Any] = {"color": colour, "alpha": 0.2, "linewidth": 0, "label": words}
            wide = 0.006 * side * np.array([-1, 1]) if len(limits.p) == 1 else 0.0  # a lone point is not seen
            ax.fill_between(limits.p + wide, limits.low, limits.high, **looks)
        text = model.called(_brier_text(model, confidence))
        if isinstance(curve, CalibrationCurve):
            _binned(ax, model, curve, confidence, text)
        else:
            square = ((0.0, side), (0.0, side))
            draw_curve(ax, curve, limits=square, color=model.colour, linestyle=model.dash, label=text)
    if counts and alone:
        _foot(ax, models_drawn[0], side)
    unit_square(ax, side)
    how = "" if bins is None else f", {bins} bins of equal {'mass' if rule == 'mass' else 'width'}"
    beyond = f" · rates go on to {rate:.3g}, beyond the axes" if rate > side else ""
    below = describe_rows(models_drawn) + beyond
    label_axes(ax, title=f"Calibration{how}", x="predicted probability", y="share of positives", below=below)
    add_legend(ax)
    return ax


def _band(model: Model, band: str, confidence: float, seed: int) -> Band | None:
    if band == "consistency":
        return consistency_band(model.tally, confidence=confidence, seed=seed)
    return confidence_band(model.tally, confidence=confidence) if band == "confidence" else None


def _brier_text(model: Model, confidence: float) -> str:
    part = find("brier_miscalibration")(model.tally)  # biased upward, so that it has no interval
    brier = estimate_metric("brier", model, confidence)
    digits = ".3f" if float(brier) >= _SMALL_BRIER else ".2g"
    return f"Brier {brier:{digits}}, MCB {float(part):{digits}}"


def _binned(ax: Axes, model: Model, binned_curve: CalibrationCurve, confidence: float, text: str) -> None:
    """Draw the rate of each bin, with modified Wilson limits unless rows are weighted."""
    bars = None
    if model.tally.weights is None:
        limits = [
            modified_wilson(share * n, n, confidence)
            for share, n in zip(binned_curve.observed, binned_curve.rows, strict=True)
        ]
        low, high = np.array(limits).T
        bars = np.maximum([binned_curve.observed - low, high - binned_curve.observed], 0)
    ax.errorbar(
        binned_curve.predicted, binned_curve.observed, yerr=bars, fmt="o-", markersize=4, linewidth=1.2,
        elinewidth=1, color=model.colour, label=text,
    )  # fmt: skip


def _foot(ax: Axes, model: Model, side: float) -> None:
    """Draw how many rows have each probability, along the foot of the axes."""
    edges, positives, negatives = histogram(model.tally, 50, (0.0, side))
    rows = positives + negatives
    ax.bar(
        edges[:-1], _TALL * rows / rows.max(), np.diff(edges), align="edge", color="#BBBBBB", alpha=0.7,
        zorder=0.5, transform=ax.get_xaxis_transform(),
    )  # fmt: skip
