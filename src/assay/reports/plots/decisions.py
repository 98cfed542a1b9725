"""Curves to decide by: expected cost, cost curves and net benefit. They are drawn from curves, not computed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.inference.proportions import normal_quantile
from assay.metrics.curves import Curve
from assay.reports.plots.axes import COLOURS, GREY, INK, drawn, dressed, key, sheet, shortened
from assay.reports.simplified import stepped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cost_curve", "expected_cost", "net_benefit"]


def expected_cost(curve: Curve | Mapping[Any, Curve], *, ax: Axes | None = None, below: str = "") -> Axes:
    """Draw what a row costs over the threshold, with the lowest point marked.

    Predicting nothing positive, at a threshold of infinity, is the line's right end.

    Parameters
    ----------
    curve
        The cost at each cutoff, as :func:`assay.metrics.cutoffs.at_cutoffs` gives it for
        ``"misclassification_cost"``; or several by name.
    ax
        Axes to draw on; a new figure's unless given.
    below
        What to say below the title.
    """
    several = _several(curve)
    ax = sheet(ax, (6.0, 3.8))
    for place, (name, one) in enumerate(several.items()):
        colour = COLOURS[place % len(COLOURS)]
        steps = _to_the_right(one)
        drawn(ax, stepped(steps), color=colour, label=name or None)
        where = int(np.nanargmin(steps.y))
        cutoff, cost = one.cutoffs[np.nanargmin(one.y)], steps.y[where]
        ax.plot([steps.x[where]], [cost], "o", color=colour, markersize=5, markeredgecolor="white", zorder=4)
        ax.annotate(
            f"least {cost:.3g} at {cutoff:.4g}", (steps.x[where], cost), xytext=(0, 6), textcoords="offset points",
            fontsize=8, color=INK, ha=_side(steps, where),
        )  # fmt: skip
    ax.set_ylim(bottom=0)
    dressed(ax, title="Expected cost", x="threshold", y="cost per row", below=below)
    key(ax)
    return ax


def cost_curve(curve: Curve | Mapping[Any, Curve], *, ax: Axes | None = None, below: str = "") -> Axes:
    """Draw the least expected cost over the probability cost (Drummond and Holte 2006).

    The dotted triangle is the cost of always predicting the same class, whichever is cheaper.

    Parameters
    ----------
    curve
        The envelope, as :func:`assay.metrics.cutoffs.performance` gives it for ``"ecost"``; or several by name.
    ax
        Axes to draw on; a new figure's unless given.
    below
        What to say below the title.
    """
    several = _several(curve)
    ax = sheet(ax)
    ax.plot((0, 0.5, 1), (0, 0.5, 0), color=GREY, linewidth=1, linestyle=":")
    ax.annotate(
        "always the cheaper class", (0.5, 0.5), xytext=(0, 3), textcoords="offset points", ha="center",
        fontsize=8, color=GREY,
    )  # fmt: skip
    for place, (name, one) in enumerate(several.items()):
        drawn(ax, one, limits=((0, 1), (0, 0.5)), color=COLOURS[place % len(COLOURS)], label=name or None)
    ax.set(xlim=(-0.02, 1.02), ylim=(0, 0.56))
    x = "probability cost: share of the cost that misses could have"
    dressed(ax, title="Cost curve", x=x, y="expected cost, of the most it could be", below=below)
    key(ax, "upper left")
    return ax


def net_benefit(
    curve: Curve | Mapping[Any, Curve],
    *,
    ax: Axes | None = None,
    band: bool = True,
    confidence: float = 0.95,
    below: str = "",
) -> Axes:
    """Draw the net benefit over the threshold probability, beside that of treating all and none.

    Parameters
    ----------
    curve
        Net benefit over thresholds, with the columns ``treat_all`` and, for the band, ``standard_error``; or several by name.
    ax
        Axes to draw on; a new figure's unless given.
    band
        Whether to draw the interval at each threshold, where there is a standard error and a single model.
    confidence
        Of the band.
    below
        What to say below the title.
    """
    several = _several(curve)
    ax = sheet(ax, (6.0, 4.2))
    ax.axhline(0, color=INK, linewidth=1, label="treat none")
    highest = max(float(np.nanmax(one.y)) for one in several.values())
    alone = len(several) == 1
    for place, (name, one) in enumerate(several.items()):
        colour, columns = COLOURS[place % len(COLOURS)], one.columns
        if "treat_all" in columns:
            highest = max(highest, float(np.nanmax(columns["treat_all"])))
            if alone or not place:
                ax.plot(
                    one.x, columns["treat_all"], color=GREY, linewidth=1.2, linestyle="--", label="treat all"
                )
        if band and alone and "standard_error" in columns:
            reach = normal_quantile(confidence) * columns["standard_error"]
            words = f"{100 * confidence:.3g}% interval at each threshold"
            ax.fill_between(
                one.x, one.y - reach, one.y + reach, color=colour, alpha=0.18, linewidth=0, label=words
            )
        drawn(ax, one, color=colour, label=name or "by the model")
    # Far below nothing there is nothing to see, and it would flatten what there is.
    ax.set_ylim(-0.15 * highest if highest > 0 else None, 1.08 * highest if highest > 0 else None)
    dressed(ax, title="Net benefit", x="threshold probability", y="net benefit", below=below)
    key(ax, "upper right")
    return ax


def _several(curve: Any) -> dict[str, Curve]:
    """Return curves by name; the only one has none."""
    given = curve if isinstance(curve, Mapping) else {"": curve}
    for one in given.values():
        if not isinstance(one, Curve):
            raise MetricError(
                f"a {type(one).__name__} is no curve: this plot draws curves, see its parameters."
            )
        if not len(one):
            raise MetricError("there is no point to draw.")
    if not given:
        raise MetricError("there is nothing to draw: the mapping of curves is empty.")
    return {shortened(name): one for name, one in given.items()}


def _to_the_right(curve: Curve) -> Curve:
    """Return a curve over cutoffs whose infinite ones are drawn a little beyond the highest finite one."""
    finite = curve.x[np.isfinite(curve.x)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.04
    x = np.clip(np.asarray(curve.x, dtype=np.float64), low - room, high + room)
    return Curve(curve.name, curve.x_name, curve.y_name, x, curve.y, curve.cutoffs)


def _side(curve: Curve, where: int) -> str:
    """Return where words over a point go so that they stay within the picture."""
    low, high = float(curve.x.min()), float(curve.x.max())
    share = (curve.x[where] - low) / (high - low) if high > low else 0.5
    return "left" if share < 0.25 else "right" if share > 0.75 else "center"  # noqa: PLR2004
