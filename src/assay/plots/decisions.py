"""Curves to decide by: expected cost, cost curves and net benefit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.decisions import decision_curves
from assay.errors import MetricError
from assay.formatting.numbers import cutoff
from assay.inference.formulas.proportions import normal_quantile
from assay.metrics.curves.curves import Curve
from assay.plots.axes import (
    FEW,
    GREY,
    drawn,
    dressed,
    key,
    looks,
    models,
    named,
    outlined,
    sheet,
    whole_or_none,
    whose,
)
from assay.plots.simplify import stepped
from assay.plots.thin_scores import condensed
from assay.tallies import Scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

__all__ = ["cost_curve", "expected_cost", "net_benefit"]

_OUTCOMES = {
    "cost_fp": "false positive", "cost_fn": "false negative",
    "cost_tp": "true positive", "cost_tn": "true negative",
}  # fmt: skip
_BELOW = -0.15  # of the highest net benefit: how far down a picture goes
_ROOM = 0.08  # of the picture: what words below a point need


@whole_or_none
def expected_cost(data: Any, *, ax: Axes | None = None, below: str | None = None, **costs: Any) -> Axes:
    """Draw what a row costs over the threshold, with the lowest point marked.

    Predicting nothing positive, at a threshold of infinity, is the line's right end. What costs more than
    twice as much as the cheaper of predicting nothing and predicting everything positive is not shown.

    Parameters
    ----------
    data
        Rows or a score tally, or a curve of costs by cutoff; or several by name.
    ax
        Axes to draw on; a new figure's unless given.
    below
        What to say below the title, if not the rows, the positive class and the costs.
    costs
        What outcomes cost, as :func:`assay.decisions.choose_threshold` takes it: ``cost_fp=5, cost_fn=1``.
        Curves have theirs.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> assay.plots.expected_cost(rows, cost_fp=1, cost_fn=4).texts[0].get_text()
    'least: 0.167 at 0.35'
    """
    several, said = _several(data, lambda one: decision_curves.expected_cost(_outline(one, costs), **costs))
    if said:
        said += f"\ncosts: {_told(costs)}"
    ax = sheet(ax, (6.0, 3.8), names=len(several))
    alone, tops = len(several) == 1, []
    for place, (name, one) in enumerate(several.items()):
        colour, dash = looks(place)
        seen = _within_sight(one)
        least, most = int(np.nanargmin(seen.y)), float(np.nanmax(seen.y))
        said_least = f"least: {float(seen.y[least]):.3g} at {cutoff(float(one.cutoffs[least]))}"
        drawn(
            ax, stepped(seen), color=colour, linestyle=dash, label=f"{name}  {said_least}" if name else None
        )
        x, cost, blind = float(seen.x[least]), float(seen.y[least]), float(min(seen.y[0], seen.y[-1]))
        tops.append(min(most, 2 * blind) if blind > cost else most)
        ax.plot([x], [cost], "o", color=colour, markersize=5, markeredgecolor="white", zorder=4)
        ax.axhline(blind, color=GREY if alone else colour, linewidth=1, linestyle=":", zorder=1)
        if alone:
            under = cost > _ROOM * tops[-1]
            ax.annotate(
                said_least, (x, cost), xytext=(0, -6 if under else 6), textcoords="offset points",
                ha=_side(seen.x, x), va="top" if under else "bottom", fontsize=8,
                path_effects=outlined(ax), zorder=5,
            )  # fmt: skip
            left = _side(seen.x, x) == "right"  # away from the words at the lowest point
            ax.annotate(
                "all predicted alike", (0 if left else 1, blind), xycoords=("axes fraction", "data"),
                xytext=(2 if left else -2, 3), textcoords="offset points", fontsize=8, color=GREY,
                ha="left" if left else "right", path_effects=outlined(ax),
            )  # fmt: skip
    top = max(tops) or 1.0
    ax.set_ylim(-0.02 * top, 1.05 * top)
    dressed(
        ax, title="Expected cost", x="threshold", y="cost per row", below=said if below is None else below
    )
    key(ax)
    return ax


@whole_or_none
def cost_curve(data: Any, *, ax: Axes | None = None, below: str | None = None) -> Axes:
    """Draw the least expected cost over the probability cost (Drummond and Holte 2006).

    The probability cost is the share of all possible cost that misses have: prevalence times the cost of a
    miss, over that plus the same for false alarms. The dotted triangle is the cost of always predicting the
    same class, whichever is cheaper.

    Parameters
    ----------
    data
        Rows or a score tally, or the curve of one; or several by name.
    ax
        Axes to draw on; a new figure's unless given.
    below
        What to say below the title, if not the rows and the positive class.
    """
    several, said = _several(data, decision_curves.cost_curve)
    ax = sheet(ax, names=len(several))
    ax.plot((0, 0.5, 1), (0, 0.5, 0), color=GREY, linewidth=1, linestyle=":")
    ax.annotate(
        "always the cheaper class", (0.5, 0.5), xytext=(0, 3), textcoords="offset points", ha="center",
        fontsize=8, color=GREY,
    )  # fmt: skip
    for place, (name, one) in enumerate(several.items()):
        colour, dash = looks(place)
        drawn(ax, one, limits=((0.0, 1.0), (0.0, 0.5)), color=colour, linestyle=dash, label=name or None)
    above = 0.04 * len(several) if 1 < len(several) <= FEW else 0.0  # for the key
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.01, 0.56 + above))
    said = said if below is None else below
    dressed(ax, title="Cost curve", x="probability cost", y="normalised expected cost", below=said)
    key(ax, "upper left")
    return ax


@whole_or_none
def net_benefit(
    data: Any,
    *,
    ax: Axes | None = None,
    thresholds: Any = None,
    band: bool = True,
    confidence: float = 0.95,
    below: str | None = None,
) -> Axes:
    """Draw the net benefit over the threshold probability, beside that of treating all and none.

    Parameters
    ----------
    data
        Rows or a score tally whose scores are probabilities, or the curve of one; or several by name.
    ax
        Axes to draw on; a new figure's unless given.
    thresholds
        Where it is computed: 0.01 to 0.99 by 0.01 unless given. Curves have theirs.
    band
        Whether to draw the interval at each threshold; of a single model only.
    confidence
        Of the band.
    below
        What to say below the title, if not the rows and the positive class.
    """
    several, said = _several(data, lambda one: decision_curves.net_benefit(one, thresholds))
    alone = len(several) == 1
    ax = sheet(ax, (6.0, 4.2), names=len(several) + 2)
    ax.axhline(0, color=GREY, linewidth=1, label="treat none")
    tops = [float(np.nanmax(one.y)) for one in several.values()]
    for place, (name, one) in enumerate(several.items()):
        (colour, dash), columns = looks(place), one.columns
        if "treat_all" in columns and not place:
            everyone = columns["treat_all"]
            odds = one.x[0] / (1 - one.x[0])
            tops += [float(np.nanmax(everyone)), float((everyone[0] + odds) / (1 + odds))]  # the prevalence
            ax.plot(one.x, everyone, color=GREY, linewidth=1.2, linestyle="--", label="treat all")
        if band and alone and "standard_error" in columns:
            reach = normal_quantile(confidence) * columns["standard_error"]
            words = f"{100 * confidence:.3g}% interval at each threshold"
            fill: dict[str, Any] = {"color": colour, "alpha": 0.18, "linewidth": 0, "label": words}
            ax.fill_between(one.x, one.y - reach, one.y + reach, **fill)
        drawn(ax, one, color=colour, linestyle=dash, label=name or "by the model")
    top = max(tops)
    if top > 0:  # far below nothing there is nothing to see, and it would flatten what there is
        middles = [float(np.nanmedian(one.y)) for one in several.values()]
        hidden = all(float(np.nanmean(one.y < _BELOW * top)) > 0.5 for one in several.values())  # noqa: PLR2004
        ax.set_ylim(1.5 * max(middles) if hidden else _BELOW * top, 1.08 * top)
    dressed(
        ax,
        title="Net benefit",
        x="threshold probability",
        y="net benefit",
        below=said if below is None else below,
    )
    key(ax, "upper right")
    return ax


def _outline(one: Any, costs: dict[str, Any]) -> Any:
    """Return scores as fine as can be seen, the cheapest among them; with costs of each row, all data."""
    alike = all(cost is None or np.ndim(cost) == 0 for cost in costs.values())
    return condensed(one).tally if alike and isinstance(one, Scores) else one


def _told(costs: dict[str, Any]) -> str:
    """Return what outcomes cost, in words."""
    given = [(words, costs[name]) for name, words in _OUTCOMES.items() if costs.get(name) is not None]
    told = [f"{words} {float(cost):g}" for words, cost in given if np.ndim(cost) == 0]
    told += [] if len(told) == len(given) else ["others row by row"]
    share = costs.get("prevalence")
    return ", ".join(told) + (f"; {share:.4g} positive" if share is not None else "")


def _several(data: Any, make: Callable[[Any], Curve]) -> tuple[dict[str, Curve], str]:
    """Return curves by name, made where they are not given, and what is to be said of their rows."""
    given = data if isinstance(data, Mapping) else {"": data}
    if not given:
        raise MetricError("there is nothing to draw: the mapping of curves is empty.")
    rows = {name: one for name, one in given.items() if not isinstance(one, Curve)}
    found = {named(name): make(one) if name in rows else one for name, one in given.items()}
    for one in found.values():
        if np.isnan(one.y).all():
            raise MetricError(f"there is nothing to draw: {one.name} has no point.")
    return found, whose(models(rows)) if rows else ""


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
