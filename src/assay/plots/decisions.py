"""Curves to decide by: expected cost, cost curves and net benefit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.decisions import decision_curves
from assay.errors import MetricError
from assay.formatting.numbers import format_threshold
from assay.inference.formulas.proportions import normal_quantile
from assay.metrics.curves.curves import Curve
from assay.plots.axes import (
    GREY,
    MAX_LEGEND_INSIDE,
    add_legend,
    close_on_error,
    curve_style,
    describe_rows,
    display_name,
    draw_curve,
    label_axes,
    models,
    new_axes,
    text_outline,
)
from assay.plots.evaluation_data import drawn_data
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


@close_on_error
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

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or a cost is missing or negative.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> assay.plots.expected_cost(rows, cost_fp=1, cost_fn=4).texts[0].get_text()
    'least: 0.167 at 0.35'
    """
    several, text = _several(
        data, lambda model: decision_curves.expected_cost(_outline(model, costs), **costs)
    )
    if text:
        text += f"\ncosts: {_told(costs)}"
    ax = new_axes(ax, (6.0, 3.8), names=len(several))
    alone, tops = len(several) == 1, []
    for index, (name, model) in enumerate(several.items()):
        colour, dash = curve_style(index)
        seen = _within_sight(model)
        cheapest, highest = int(np.nanargmin(seen.y)), float(np.nanmax(seen.y))
        cheapest_text = (
            f"least: {float(seen.y[cheapest]):.3g} at {format_threshold(float(model.cutoffs[cheapest]))}"
        )
        draw_curve(
            ax,
            stepped(seen),
            color=colour,
            linestyle=dash,
            label=f"{name}  {cheapest_text}" if name else None,
        )
        x, cost, blind = float(seen.x[cheapest]), float(seen.y[cheapest]), float(min(seen.y[0], seen.y[-1]))
        tops.append(min(highest, 2 * blind) if blind > cost else highest)
        ax.plot([x], [cost], "o", color=colour, markersize=5, markeredgecolor="white", zorder=4)
        ax.axhline(blind, color=GREY if alone else colour, linewidth=1, linestyle=":", zorder=1)
        if alone:
            under = cost > _ROOM * tops[-1]
            ax.annotate(
                cheapest_text, (x, cost), xytext=(0, -6 if under else 6), textcoords="offset points",
                ha=_side(seen.x, x), va="top" if under else "bottom", fontsize=8,
                path_effects=text_outline(ax), zorder=5,
            )  # fmt: skip
            left = _side(seen.x, x) == "right"  # away from the words at the lowest point
            ax.annotate(
                "all predicted alike", (0 if left else 1, blind), xycoords=("axes fraction", "data"),
                xytext=(2 if left else -2, 3), textcoords="offset points", fontsize=8, color=GREY,
                ha="left" if left else "right", path_effects=text_outline(ax),
            )  # fmt: skip
    top = max(tops) or 1.0
    ax.set_ylim(-0.02 * top, 1.05 * top)
    label_axes(
        ax, title="Expected cost", x="threshold", y="cost per row", below=text if below is None else below
    )
    add_legend(ax)
    return ax


@close_on_error
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

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> ax = assay.plots.cost_curve(rows)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('probability cost', 'normalised expected cost')
    """
    several, text = _several(data, decision_curves.cost_curve)
    ax = new_axes(ax, names=len(several))
    ax.plot((0, 0.5, 1), (0, 0.5, 0), color=GREY, linewidth=1, linestyle=":")
    ax.annotate(
        "always the cheaper class", (0.5, 0.5), xytext=(0, 3), textcoords="offset points", ha="center",
        fontsize=8, color=GREY,
    )  # fmt: skip
    for index, (name, model) in enumerate(several.items()):
        colour, dash = curve_style(index)
        draw_curve(
            ax, model, limits=((0.0, 1.0), (0.0, 0.5)), color=colour, linestyle=dash, label=name or None
        )
    above = 0.04 * len(several) if 1 < len(several) <= MAX_LEGEND_INSIDE else 0.0  # for the key
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.01, 0.56 + above))
    text = text if below is None else below
    label_axes(ax, title="Cost curve", x="probability cost", y="normalised expected cost", below=text)
    add_legend(ax, "upper left")
    return ax


@close_on_error
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

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or a threshold is not above 0 and
        below 1.
    NumberError
        A score is no probability.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> ax = assay.plots.net_benefit(rows)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('threshold probability', 'net benefit')
    """
    several, text = _several(data, lambda model: decision_curves.net_benefit(model, thresholds))
    alone = len(several) == 1
    ax = new_axes(ax, (6.0, 4.2), names=len(several) + 2)
    ax.axhline(0, color=GREY, linewidth=1, label="treat none")
    tops = [float(np.nanmax(model.y)) for model in several.values()]
    for index, (name, model) in enumerate(several.items()):
        (colour, dash), columns = curve_style(index), model.columns
        if "treat_all" in columns and not index:
            everyone = columns["treat_all"]
            odds = model.x[0] / (1 - model.x[0])
            tops += [float(np.nanmax(everyone)), float((everyone[0] + odds) / (1 + odds))]  # the prevalence
            ax.plot(model.x, everyone, color=GREY, linewidth=1.2, linestyle="--", label="treat all")
        if band and alone and "standard_error" in columns:
            half_width = normal_quantile(confidence) * columns["standard_error"]
            words = f"{100 * confidence:.3g}% interval at each threshold"
            fill: dict[str, Any] = {"color": colour, "alpha": 0.18, "linewidth": 0, "label": words}
            ax.fill_between(model.x, model.y - half_width, model.y + half_width, **fill)
        draw_curve(ax, model, color=colour, linestyle=dash, label=name or "by the model")
    top = max(tops)
    if top > 0:  # far below nothing there is nothing to see, and it would flatten what there is
        middles = [float(np.nanmedian(model.y)) for model in several.values()]
        hidden = all(float(np.nanmean(model.y < _BELOW * top)) > 0.5 for model in several.values())  # noqa: PLR2004
        ax.set_ylim(1.5 * max(middles) if hidden else _BELOW * top, 1.08 * top)
    label_axes(
        ax,
        title="Net benefit",
        x="threshold probability",
        y="net benefit",
        below=text if below is None else below,
    )
    add_legend(ax, "upper right")
    return ax


def _outline(model: Any, costs: dict[str, Any]) -> Any:
    """Return scores as fine as can be seen, the cheapest among them; with costs of each row, all data."""
    alike = all(cost is None or np.ndim(cost) == 0 for cost in costs.values())
    return condensed(model).tally if alike and isinstance(model, Scores) else model


def _told(costs: dict[str, Any]) -> str:
    """Return what outcomes cost, in words."""
    stated = [(words, costs[name]) for name, words in _OUTCOMES.items() if costs.get(name) is not None]
    description = [f"{words} {float(cost):g}" for words, cost in stated if np.ndim(cost) == 0]
    description += [] if len(description) == len(stated) else ["others row by row"]
    share = costs.get("prevalence")
    return ", ".join(description) + (f"; {share:.4g} positive" if share is not None else "")


def _several(data: Any, make: Callable[[Any], Curve]) -> tuple[dict[str, Curve], str]:
    """Return curves by name, made where they are not given, and what is to be said of their rows."""
    data = drawn_data(data, Scores)
    by_name = data if isinstance(data, Mapping) else {"": data}
    by_name = {name: drawn_data(model, Scores) for name, model in by_name.items()}
    if not by_name:
        raise MetricError("there is nothing to draw: the mapping of curves is empty.")
    rows = {name: model for name, model in by_name.items() if not isinstance(model, Curve)}
    curves = {display_name(name): make(model) if name in rows else model for name, model in by_name.items()}
    for model in curves.values():
        if np.isnan(model.y).all():
            raise MetricError(f"there is nothing to draw: {model.name} has no point.")
    return curves, describe_rows(models(rows)) if rows else ""


def _within_sight(curve: Curve) -> Curve:
    """Return a curve over cutoffs whose infinite ones are drawn a little beyond the last finite one."""
    x = np.asarray(curve.x, dtype=np.float64)
    finite = x[np.isfinite(x)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    margin = 0.04 * (high - low) or 0.04
    binned_curve = np.clip(x, low - margin, high + margin)
    return Curve(curve.name, curve.x_name, curve.y_name, binned_curve, curve.y, curve.cutoffs)


def _side(x: Any, at: float) -> Any:
    """Return where words over a point go so that they stay within the picture."""
    low, high = float(x.min()), float(x.max())
    share = (at - low) / (high - low) if high > low else 0.5
    return "left" if share < 0.25 else "right" if share > 0.75 else "center"  # noqa: PLR2004
