"""Curves of how scores rank: ROC, precision-recall, detection error tradeoff, gain and lift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.inference.proportions import wilson
from assay.metrics import curves
from assay.metrics.curves import Curve
from assay.metrics.ranks import Ranks
from assay.reports.plots.axes import (
    GREY,
    INK,
    Model,
    chosen,
    drawn,
    dressed,
    judged,
    key,
    models,
    sheet,
    unit_square,
    whose,
)
from assay.reports.simplified import stepped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["det", "gain", "lift", "precision_recall", "roc"]

_UNIT = (0.0, 1.0)
_SQUARE = (_UNIT, _UNIT)
_RATES = (1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)  # where a probit axis has ticks


def roc(
    data: Any,
    *,
    ax: Axes | None = None,
    over: Literal["1 - specificity", "specificity"] = "1 - specificity",
    hull: bool = False,
    at: float | Iterable[float] = (),
    confidence: float = 0.95,
) -> Axes:
    """Draw the ROC curve with the area under it and its interval.

    Parameters
    ----------
    data
        Rows or a score tally; or several by name, which are drawn together.
    ax
        Axes to draw on; a new figure's unless given.
    over
        What runs from left to right: the false positive rate, or specificity from 1 down to 0. The picture is the
        same.
    hull
        Whether to draw the convex hull, too.
    at
        Cutoffs to mark, each with the Wilson intervals of both rates.
    confidence
        Of all intervals.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> ax = assay.plots.roc(rows, at=0.5)
    >>> ax.get_lines()[1].get_ydata().round(2).tolist()
    [0.0, 0.33, 0.67, 0.67, 1.0, 1.0, 1.0]
    """
    chosen("over", over, ("1 - specificity", "specificity"))
    together = models(data)
    shapes = [curves.roc(one.tally) for one in together]
    ax = sheet(ax)
    backwards = over == "specificity"
    ends = (1, 0) if backwards else (0, 1)
    ax.plot(ends, (0, 1), color=GREY, linewidth=1, linestyle=":")
    for one, curve in zip(together, shapes, strict=True):
        said = one.called(f"AUC {judged('auc', one, confidence):.3f}")
        drawn(ax, _turned(curve, backwards), limits=_SQUARE, color=one.colour, linestyle=one.dash, label=said)
        if hull:
            corners = _turned(curves.roc_hull(one.tally), backwards)
            drawn(ax, corners, limits=_SQUARE, color=one.colour, linewidth=0.8, linestyle="--")
        for cutoff, counts in _marked(one, at):
            hits, alarms = (counts["tp"], counts["positives"]), (counts["fp"], counts["negatives"])
            _point(ax, one, cutoff, alarms, hits, confidence, backwards=backwards)
    unit_square(ax)
    if backwards:
        ax.invert_xaxis()
    x = "specificity" if backwards else "false positive rate (1 - specificity)"
    dressed(ax, title="ROC curve", x=x, y="recall (sensitivity)", below=whose(together))
    key(ax, "lower right")
    return ax


def precision_recall(
    data: Any,
    *,
    ax: Axes | None = None,
    baseline: bool = True,
    iso_f: Iterable[float] = (),
    at: float | Iterable[float] = (),
    confidence: float = 0.95,
) -> Axes:
    """Draw precision over recall, as the steps that average precision adds up.

    Parameters
    ----------
    data
        Rows or a score tally; or several by name, which are drawn together.
    ax
        Axes to draw on; a new figure's unless given.
    baseline
        Whether to draw the prevalence: the precision of scores that tell nothing.
    iso_f
        Values of F1 to draw lines of: ``(0.2, 0.4, 0.6, 0.8)``.
    at
        Cutoffs to mark, each with the Wilson intervals of both rates.
    confidence
        Of all intervals.
    """
    together = models(data)
    shapes = [curves.precision_recall(one.tally) for one in together]
    ax = sheet(ax)
    for value in iso_f:
        recall = np.linspace(value / (2 - value), 1, 200)
        ax.plot(recall, value * recall / (2 * recall - value), color="#BBBBBB", linewidth=0.8, zorder=1)
        ax.annotate(
            f"F1 {value:g}", (1, value / (2 - value)), xytext=(-2, 2), textcoords="offset points",
            ha="right", fontsize=7, color=GREY,
        )  # fmt: skip
    for one, curve in zip(together, shapes, strict=True):
        if baseline:
            ranks = Ranks.of(one.tally)
            share = float(ranks.positives / ranks.n)
            colour = GREY if len(together) == 1 else one.colour
            ax.axhline(share, color=colour, linewidth=1, linestyle=":", zorder=1)
            if len(together) == 1:
                _beside(ax, 0.01, share, f"prevalence {share:.3g}", below=share > 0.9)  # noqa: PLR2004
        said = one.called(f"AP {judged('average_precision', one, confidence):.3f}")
        drawn(ax, stepped(curve), limits=_SQUARE, color=one.colour, linestyle=one.dash, label=said)
        for cutoff, counts in _marked(one, at):
            found = counts["tp"] + counts["fp"]
            hits, right = (counts["tp"], counts["positives"]), (counts["tp"], found)
            if found:
                _point(ax, one, cutoff, hits, right, confidence)
    unit_square(ax)
    dressed(ax, title="Precision-recall curve", x="recall", y="precision", below=whose(together))
    key(ax, "best")
    return ax


def det(data: Any, *, ax: Axes | None = None, confidence: float = 0.95) -> Axes:
    """Draw the detection error tradeoff: misses over false alarms, on axes that make normal scores straight.

    A rate of 0 or 1 lies infinitely far out on such an axis and is drawn at its edge. The key has the equal error rate.

    Parameters
    ----------
    data
        Rows or a score tally; or several by name, which are drawn together.
    ax
        Axes to draw on; a new figure's unless given.
    confidence
        Of the intervals in the key, where there are some.
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - SciPy takes its time to load

    together = models(data)
    shapes = [curves.detection_error(one.tally) for one in together]
    ax = sheet(ax)
    rates = np.concatenate([column for curve in shapes for column in (curve.x, curve.y)])
    edge = float(np.clip(rates[rates > 0].min(initial=0.01) / 2, 1e-6, 0.005))
    limits = edge, 1 - edge

    def probit(rate: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(ndtri(np.clip(rate, edge / 2, 1 - edge / 2)))

    ax.set_xscale("function", functions=(probit, ndtr))
    ax.set_yscale("function", functions=(probit, ndtr))
    ax.plot(limits, limits[::-1], color=GREY, linewidth=1, linestyle=":")
    ax.plot(limits, limits, color="#CCCCCC", linewidth=0.8)
    for one, curve in zip(together, shapes, strict=True):
        said = one.called(f"EER {judged('equal_error_rate', one, confidence):.3f}")
        held = Curve(
            curve.name,
            curve.x_name,
            curve.y_name,
            *(np.clip(c, *limits) for c in (curve.x, curve.y)),
            curve.cutoffs,
        )
        drawn(
            ax, held, limits=(limits, limits), scale=probit, color=one.colour, linestyle=one.dash, label=said
        )
    ticks = [rate for rate in _RATES if limits[0] <= rate <= limits[1]]
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ticks, [f"{100 * rate:.5g}%" for rate in ticks])
        axis.set_ticks([], minor=True)
    ax.set(xlim=limits, ylim=limits)
    ax.set_box_aspect(1)
    ax.tick_params(axis="x", labelrotation=45)
    below = whose(together)
    dressed(
        ax, title="Detection error tradeoff", x="false positive rate", y="false negative rate", below=below
    )
    key(ax, "upper right")
    return ax


def gain(data: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the cumulative gain: which share of the positives is found in the highest scores.

    Between the grey lines lies what scores can do: nothing below, all that is possible above.

    Parameters
    ----------
    data
        Rows or a score tally; or several by name, which are drawn together.
    ax
        Axes to draw on; a new figure's unless given.
    """
    together = models(data)
    shapes = [curves.gain(one.tally) for one in together]
    ax = sheet(ax)
    ax.plot((0, 1), (0, 1), color=GREY, linewidth=1, linestyle=":")
    for one, curve in zip(together, shapes, strict=True):
        ranks = Ranks.of(one.tally)
        best = float(ranks.positives / ranks.n)
        ax.plot((0, best, 1), (0, 1, 1), color=GREY, linewidth=0.8, linestyle="--")
        drawn(ax, curve, limits=_SQUARE, color=one.colour, linestyle=one.dash, label=one.called())
    unit_square(ax)
    _shares(ax)
    below = whose(together)
    dressed(
        ax,
        title="Cumulative gain",
        x="share of rows, highest scores first",
        y="share of positives found",
        below=below,
    )
    if together[0].name:
        key(ax, "lower right")
    return ax


def lift(data: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the lift: how many times more positives there are among the highest scores than among all rows.

    Parameters
    ----------
    data
        Rows or a score tally; or several by name, which are drawn together.
    ax
        Axes to draw on; a new figure's unless given.
    """
    together = models(data)
    shapes = [curves.lift(one.tally) for one in together]
    ax = sheet(ax)
    ax.axhline(1, color=GREY, linewidth=1, linestyle=":")
    highest = max(float(curve.y.max()) for curve in shapes)
    for one, curve in zip(together, shapes, strict=True):
        drawn(
            ax, curve, limits=(_UNIT, (0, highest)), color=one.colour, linestyle=one.dash, label=one.called(),
            **({"marker": "o"} if len(curve) == 1 else {}),
        )  # fmt: skip
    ax.set(xlim=(-0.02, 1.02), ylim=(0, 1.05 * max(highest, 1.05)))
    _shares(ax, "x")
    _beside(ax, 0.01, 1, "no better than chance", below=True)
    dressed(ax, title="Lift", x="share of rows, highest scores first", y="lift", below=whose(together))
    if together[0].name:
        key(ax, "upper right")
    return ax


def _turned(curve: Curve, backwards: bool) -> Curve:  # noqa: FBT001 - named where it matters
    """Return a ROC curve over specificity where that is wanted."""
    if not backwards:
        return curve
    return Curve(curve.name, "specificity", curve.y_name, 1 - curve.x, curve.y, curve.cutoffs)


def _marked(one: Model, at: float | Iterable[float]) -> list[tuple[float, dict[str, Any]]]:
    """Return the counts at some cutoffs: what is at or above each is predicted positive."""
    ranks = Ranks.of(one.tally)
    table, cutoffs = ranks.at_cutoffs(), ranks.cutoffs()
    marked = []
    for cutoff in np.atleast_1d(np.asarray(at, dtype=np.float64)).tolist():
        place = int(np.searchsorted(-cutoffs, -cutoff, side="right")) - 1
        counts = {
            "tp": table.tp[place],
            "fp": table.fp[place],
            "positives": ranks.positives,
            "negatives": ranks.negatives,
        }
        marked.append((cutoff, counts))
    return marked


def _point(
    ax: Axes,
    one: Model,
    cutoff: float,
    across: tuple[Any, Any],
    up: tuple[Any, Any],
    confidence: float,
    *,
    backwards: bool = False,
) -> None:
    """Mark a pair of rates, each given as so many of so many, with their intervals if rows count once."""
    rates = [float(hits / of) for hits, of in (across, up)]
    bars = None
    if one.tally.weights is None:
        limits = [wilson(int(hits), int(of), confidence) for hits, of in (across, up)]
        bars = [[[rate - low], [high - rate]] for rate, (low, high) in zip(rates, limits, strict=True)]
        if backwards:
            bars[0] = bars[0][::-1]
    x = 1 - rates[0] if backwards else rates[0]
    ax.errorbar(
        [x], [rates[1]], xerr=bars and bars[0], yerr=bars and bars[1], fmt="o", markersize=4.5, color=one.colour,
        elinewidth=1, markeredgecolor="white", zorder=4,
    )  # fmt: skip
    ax.annotate(
        f"≥ {cutoff:g}",
        (x, rates[1]),
        xytext=(5, -5),
        textcoords="offset points",
        va="top",
        fontsize=8,
        color=INK,
    )


def _beside(ax: Axes, x: float, y: float, words: str, *, below: bool = False) -> None:
    """Write beside a level line."""
    ax.annotate(
        words, (x, y), xytext=(2, -3 if below else 3), textcoords="offset points", fontsize=8, color=GREY,
        va="top" if below else "bottom",
    )  # fmt: skip


def _shares(ax: Axes, which: str = "xy") -> None:
    """Write an axis in percent."""
    from matplotlib.ticker import PercentFormatter  # noqa: PLC0415 - an extra

    for side in which:
        (ax.xaxis if side == "x" else ax.yaxis).set_major_formatter(PercentFormatter(1))
