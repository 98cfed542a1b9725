"""Curves to decide by: expected cost, cost curves and net benefit; drawn here, computed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.inference.proportions import normal_quantile
from assay.metrics.curves import Curve
from assay.reports.plots.axes import COLOURS, GREY, INK, drawn, dressed, key, named, outlined, sheet
from assay.reports.simplified import stepped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cost_curve", "expected_cost", "net_benefit"]


def expected_cost(curve: Curve | Mapping[Any, Curve], *, ax: Axes | None = None, below: str = "") -> Axes:
    """Draw what a row costs over the threshold, with the lowest point marked.

    Predicting nothing positive, at a threshold of infinity, is the line's right end. What costs more than
    twice as much as the cheaper of predicting nothing and predicting everything positive is not shown.

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
    tops = []
    for place, (name, one) in enumerate(several.items()):
        colour = COLOURS[place % len(COLOURS)]
        seen = _within_sight(one)
        drawn(ax, stepped(seen), color=colour, label=name or None)
        least = int(np.nanargmin(seen.y))
        x, cost = float(seen.x[least]), float(seen.y[least])
        ax.plot([x], [cost], "o", color=colour, markersize=5, markeredgecolor="white", zorder=4)
        ax.annotate(
            f"least: {cost:.3g} at {one.cutoffs[least]:.4g}", (x, cost), xytext=(0, 6), fontsize=8, color=INK,
            textcoords="offset points", ha=_side(seen.x, x), path_effects=outlined(), zorder=5,
        )  # fmt: skip
        blind = float(min(seen.y[0], seen.y[-1]))
        tops.append(min(float(np.nanmax(seen.y)), 2 * blind) if blind > cost else float(np.nanmax(seen.y)))
        ax.axhline(blind, color=GREY if len(several) == 1 else colour, linewidth=1, linestyle=":", zorder=1)
        if len(several) == 1:
            ax.annotate(
                "all predicted alike", (1, blind), xycoords=("axes fraction", "data"), xytext=(-2, 3),
                textcoords="offset points", fontsize=8, color=GREY, ha="right", path_effects=outlined(),
            )  # fmt: skip
    ax.set_ylim(0, 1.05 * max(tops) or 1.0)
    dressed(ax, title="Expected cost", x="threshold", y="cost per row", below=below)
    key(ax)
    return ax


def cost_curve(curve: Curve | Mapping[Any, Curve], *, ax: Axes | None = None, below: str = "") -> Axes:
    """Draw the least expected cost over the probability cost (Drummond and Holte 2006).

    The probability cost is the share of all possible cost that misses have: prevalence times the cost of a
    miss, over that plus the same for false alarms. The dotted triangle is the cost of always predicting the
    same class, whichever is cheaper.

    Parameters
    ----------
    curve
        The envelope, as :func:`assay.metrics.cutoffs.performance` gives it for ``"ecost"``; or several by
        name.
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
        colour = COLOURS[place % len(COLOURS)]
        drawn(ax, one, limits=((0.0, 1.0), (0.0, 0.5)), color=colour, label=name or None)
    ax.set(xlim=(-0.02, 1.02), ylim=(0, 0.56))
    dressed(ax, title="Cost curve", x="probability cost", y="normalised expected cost", below=below)
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
        Net benefit over thresholds; where it has the columns ``treat_all`` and ``standard_error`` they are
        drawn, too. Or several by name.
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
    alone = len(several) == 1
    ax = sheet(ax, (6.0, 4.2))
    ax.axhline(0, color=INK, linewidth=1, label="treat none")
    tops = [float(np.nanmax(one.y)) for one in several.values()]
    for place, (name, one) in enumerate(several.items()):
        colour, columns = COLOURS[place % len(COLOURS)], one.columns
        if "treat_all" in columns and not place:
            everyone = columns["treat_all"]
            tops.append(float(np.nanmax(everyone)))
            ax.plot(one.x, everyone, color=GREY, linewidth=1.2, linestyle="--", label="treat all")
        if band and alone and "standard_error" in columns:
            reach = normal_quantile(confidence) * columns["standard_error"]
            words = f"{100 * confidence:.3g}% interval at each threshold"
            looks: dict[str, Any] = {"color": colour, "alpha": 0.18, "linewidth": 0, "label": words}
            ax.fill_between(one.x, one.y - reach, one.y + reach, **looks)
        drawn(ax, one, color=colour, label=name or "by the model")
    if max(tops) > 0:  # far below nothing there is nothing to see, and it would flatten what there is
        ax.set_ylim(-0.15 * max(tops), 1.08 * max(tops))
    dressed(ax, title="Net benefit", x="threshold probability", y="net benefit", below=below)
    key(ax, "upper right")
    return ax


def _several(curve: Any) -> dict[str, Curve]:
    """Return curves by name; the only one has none."""
    given = curve if isinstance(curve, Mapping) else {"": curve}
    if not given:
        raise MetricError("there is nothing to draw: the mapping of curves is empty.")
    for one in given.values():
        if not isinstance(one, Curve):
            raise MetricError(f"this plot draws curves, see its parameters, and no {type(one).__name__}.")
        if np.isnan(one.y).all():
            raise MetricError(f"there is nothing to draw: {one.name} has no point.")
    return {named(name): one for name, one in given.items()}


def _within_sight(curve: Curve) -> Curve:
    """Return a curve over cutoffs whose infinite ones are drawn a little beyond the last finite one."""
    x = np.asarray(curve.x, dtype=np.float64)
    finite = x[np.isfinite(x)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    room = 0.04 * (high - low) or 0.04
    held = np.clip(x, low - room, high + room)
    return Curve(curve.name, curve.x_name, curve.y_name, held, curve.y, curve.cutoffs)


def _side(x: Any, at: float) -> Any:
    """Return where words over a point go so that they stay within the picture."""
    low, high = float(x.min()), float(x.max())
    share = (at - low) / (high - low) if high > low else 0.5
    return "left" if share < 0.25 else "right" if share > 0.75 else "center"  # noqa: PLR2004
