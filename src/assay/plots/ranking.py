"""Curves of how scores rank: ROC, precision-recall, detection error tradeoff, gain and lift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.decisions.costs import numbers_of
from assay.decisions.sweep import Sample
from assay.errors import MetricError
from assay.inference.formulas.proportions import modified_wilson
from assay.metrics.curves import curves
from assay.metrics.curves.curves import Curve
from assay.metrics.parameters import number
from assay.metrics.views.ranking import Ranks
from assay.plots.axes import (
    GREY,
    Model,
    add_legend,
    check_choice,
    close_on_error,
    describe_rows,
    draw_curve,
    estimate_metric,
    format_percent,
    label_axes,
    models,
    new_axes,
    text_outline,
    unit_square,
)
from assay.plots.simplify import stepped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Share = tuple[Any, Any]  # so many of so many

__all__ = ["det", "gain", "lift", "precision_recall", "roc"]

_UNIT = (0.0, 1.0)
_SQUARE = (_UNIT, _UNIT)
_LOW_RATES = (1e-5, 1e-4, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6)  # the ticks of a probit axis
_ALL_RATES = (1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
_EDGE = 0.88  # of a side: beyond, words go the other way
_POOR = 0.15  # an equal error rate above which rates above _HIGH are shown, too
_HIGH = 0.6
_ROOM = 0.7  # of the lowest rate: how far an axis goes on, so that lines at it are seen


@close_on_error
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
        What runs from left to right: the false positive rate, or specificity from 1 down to 0. The
        picture is the same.
    hull
        Whether to draw the convex hull, too.
    at
        Cutoffs to mark, each with the modified Wilson intervals of both rates.
    confidence
        Of all intervals.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or `over` is not known; or a cutoff
        is no number.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> ax = assay.plots.roc(rows, at=0.5)
    >>> ax.get_lines()[1].get_ydata().round(2).tolist()
    [0.0, 0.33, 0.67, 0.67, 1.0, 1.0, 1.0]
    """
    check_choice("over", over, ("1 - specificity", "specificity"))
    models_drawn = models(data)
    shapes = [curves.roc(model.outline) for model in models_drawn]
    ax = new_axes(ax, names=len(models_drawn))
    backwards = over == "specificity"
    ax.plot((1, 0) if backwards else (0, 1), (0, 1), color=GREY, linewidth=1, linestyle=":")
    for model, curve in zip(models_drawn, shapes, strict=True):
        text = model.called(f"AUC {estimate_metric('auc', model, confidence):.3f}")
        lines: list[tuple[Curve, dict[str, Any]]] = [(curve, {"linestyle": model.dash, "label": text})]
        if hull:
            lines.append((curves.roc_hull(model.outline), {"linestyle": "--", "linewidth": 0.8}))
        for line, looks in lines:
            turned = _over_specificity(line) if backwards else line
            draw_curve(ax, turned, limits=_SQUARE, color=model.colour, **looks)
        for cutoff, counts in _marked(model, at):
            rates = (counts["fp"], counts["negatives"]), (counts["tp"], counts["positives"])
            _point(ax, model, f"≥ {cutoff:g}", rates, confidence=confidence, backwards=backwards)
    unit_square(ax)
    if backwards:
        ax.invert_xaxis()
    x = "specificity" if backwards else "false positive rate (1 - specificity)"
    label_axes(ax, title="ROC curve", x=x, y="recall (sensitivity)", below=describe_rows(models_drawn))
    backward_models = all(curve.area() < 0.5 for curve in shapes)  # noqa: PLR2004 - that of chance
    add_legend(ax, "upper left" if backward_models else "lower right")
    return ax


@close_on_error
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
        Values of F1 to draw lines of, such as ``(0.2, 0.4, 0.6, 0.8)``.
    at
        Cutoffs to mark, each with the modified Wilson intervals of both rates.
    confidence
        Of all intervals.

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
    >>> ax = assay.plots.precision_recall(rows, iso_f=[0.6])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('recall', 'precision')
    """
    models_drawn = models(data)
    shapes = [_from_the_first_found(curves.precision_recall(model.outline)) for model in models_drawn]
    ax = new_axes(ax, names=len(models_drawn))
    for value in (number("iso_f", model, above=0) for model in iso_f):
        if value >= 1:
            raise MetricError(f"iso_f={value:g} is no value of F1 below 1.")
        recall = np.linspace(value / (2 - value), 1, 200)
        ax.plot(recall, value * recall / (2 * recall - value), color="#BBBBBB", linewidth=0.8, zorder=1)
        ax.annotate(
            f"F1 {value:g}", (1, value / (2 - value)), xytext=(-2, 2), textcoords="offset points", ha="right",
            fontsize=7, color=GREY, path_effects=text_outline(ax),
        )  # fmt: skip
    if baseline:
        _prevalence(ax, models_drawn)
    for model, curve in zip(models_drawn, shapes, strict=True):
        text = model.called(f"AP {estimate_metric('average_precision', model, confidence):.3f}")
        draw_curve(ax, stepped(curve), limits=_SQUARE, color=model.colour, linestyle=model.dash, label=text)
        for cutoff, counts in _marked(model, at):
            predicted_positive = counts["tp"] + counts["fp"]
            if predicted_positive:
                rates = (counts["tp"], counts["positives"]), (counts["tp"], predicted_positive)
                _point(ax, model, f"≥ {cutoff:g}", rates, confidence=confidence)
    unit_square(ax)
    label_axes(
        ax, title="Precision-recall curve", x="recall", y="precision", below=describe_rows(models_drawn)
    )
    add_legend(ax)
    return ax


@close_on_error
def det(data: Any, *, ax: Axes | None = None, confidence: float = 0.95) -> Axes:
    """Draw the detection error tradeoff: misses over false alarms, on axes that make normal scores straight.

    A rate of 0 lies infinitely far out on such an axis and is drawn near its edge. The key has the equal
    error rate; rates above 60% are shown where it is above 15%.

    Parameters
    ----------
    data
        Rows or a score tally; or several by name, which are drawn together.
    ax
        Axes to draw on; a new figure's unless given.
    confidence
        Of the intervals in the key, where there are some.

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
    >>> ax = assay.plots.det(rows)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('false positive rate', 'false negative rate')
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - SciPy takes its time to load

    models_drawn = models(data)
    shapes = [curves.detection_error(model.outline) for model in models_drawn]
    errors = [estimate_metric("equal_error_rate", model, confidence) for model in models_drawn]
    ax = new_axes(ax, names=len(models_drawn))
    rates = np.concatenate([column for curve in shapes for column in (curve.x, curve.y)])
    edge = float(np.clip(rates[rates > 0].min(initial=0.01) / 2, 1e-6, 0.005))
    limits = _ROOM * edge, _HIGH if all(float(error.value) <= _POOR for error in errors) else 1 - _ROOM * edge

    def probit(rate: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(ndtri(np.clip(rate, edge / 2, 1 - edge / 2)))

    ax.set_xscale("function", functions=(probit, ndtr))
    ax.set_yscale("function", functions=(probit, ndtr))
    ax.plot((edge, 1 - edge), (1 - edge, edge), color=GREY, linewidth=1, linestyle=":")
    ax.plot(limits, limits, color=GREY, alpha=0.5, linewidth=0.8)
    for model, curve, error in zip(models_drawn, shapes, errors, strict=True):
        x, y = (np.clip(rate, edge, 1 - edge) for rate in (curve.x, curve.y))
        binned_curve = Curve(curve.name, curve.x_name, curve.y_name, x, y, curve.cutoffs)
        looks = {"color": model.colour, "linestyle": model.dash, "label": model.called(f"EER {error:.3f}")}
        draw_curve(ax, binned_curve, limits=(limits, limits), scale=probit, **looks)
    marks = _LOW_RATES if limits[1] == _HIGH else _ALL_RATES
    ticks = _apart([rate for rate in marks if limits[0] <= rate <= limits[1]], probit, limits)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ticks, [f"{100 * rate:.5g}%" for rate in ticks])
        axis.set_ticks([], minor=True)
    ax.set(xlim=limits, ylim=limits, box_aspect=1)
    ax.tick_params(axis="x", labelrotation=45)
    sides = "false positive rate", "false negative rate"
    label_axes(
        ax, title="Detection error tradeoff", x=sides[0], y=sides[1], below=describe_rows(models_drawn)
    )
    add_legend(ax, "upper right")
    return ax


@close_on_error
def gain(data: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the cumulative gain: which share of the positives is found in the highest scores.

    Between the grey lines lies what scores can do: nothing below, all that is possible above.

    Parameters
    ----------
    data
        Rows or a score tally; or several by name, which are drawn together.
    ax
        Axes to draw on; a new figure's unless given.

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
    >>> ax = assay.plots.gain(rows)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('share of rows, highest scores first', 'share of positives found')
    """
    models_drawn = models(data)
    shapes = [curves.gain(model.outline) for model in models_drawn]
    ax = new_axes(ax, names=len(models_drawn))
    ax.plot((0, 1), (0, 1), color=GREY, linewidth=1, linestyle=":")
    for share in sorted(set(_shares(models_drawn))):
        ax.plot((0, share, 1), (0, 1, 1), color=GREY, linewidth=0.8, linestyle="--")
    for model, curve in zip(models_drawn, shapes, strict=True):
        draw_curve(
            ax, curve, limits=_SQUARE, color=model.colour, linestyle=model.dash, label=model.name or None
        )
    unit_square(ax)
    format_percent(ax.xaxis, ax.yaxis)
    sides = "share of rows, highest scores first", "share of positives found"
    label_axes(ax, title="Cumulative gain", x=sides[0], y=sides[1], below=describe_rows(models_drawn))
    add_legend(ax, "lower right")
    return ax


@close_on_error
def lift(data: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the lift: how many times more positives there are among the highest scores than among all rows.

    Parameters
    ----------
    data
        Rows or a score tally; or several by name, which are drawn together.
    ax
        Axes to draw on; a new figure's unless given.

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
    >>> ax = assay.plots.lift(rows)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('share of rows, highest scores first', 'lift')
    """
    models_drawn = models(data)
    shapes = [curves.lift(model.outline) for model in models_drawn]
    ax = new_axes(ax, names=len(models_drawn))
    ax.axhline(1, color=GREY, linewidth=1, linestyle=":")
    highest = max(float(curve.y.max()) for curve in shapes)
    for model, curve in zip(models_drawn, shapes, strict=True):
        shown = _UNIT, (0.0, highest)
        draw_curve(
            ax, curve, limits=shown, color=model.colour, linestyle=model.dash, label=model.name or None
        )
    ax.set(xlim=(-0.02, 1.02), ylim=(0, 1.05 * max(highest, 1.05)))
    format_percent(ax.xaxis)
    _beside(ax, 1, "no better than chance", below=highest < 10)  # noqa: PLR2004 - room for the words
    label_axes(
        ax, title="Lift", x="share of rows, highest scores first", y="lift", below=describe_rows(models_drawn)
    )
    add_legend(ax, "upper right")
    return ax


def _from_the_first_found(curve: Curve) -> Curve:
    """Return a precision-recall curve without the points at recall 0, which have a height and no width."""
    first = int(np.argmax(curve.x > 0))
    trimmed = curve.taken(np.arange(max(first - 1, 0), len(curve)))
    trimmed.y[0] = curve.y[first]
    return trimmed


def _apart(
    rates: list[float], scale: Callable[[NDArray[Any]], NDArray[Any]], limits: tuple[float, float]
) -> list[float]:
    """Return the ticks that do not run into the one kept before, from the middle outwards."""
    low, high = scale(np.array(limits)).tolist()
    where = dict(zip(rates, scale(np.array(rates)).tolist(), strict=True))
    ticks: list[float] = []
    for rate in sorted(rates, key=lambda model: abs(where[model])):
        if all(abs(where[rate] - where[other]) >= 0.065 * (high - low) for other in ticks):
            ticks.append(rate)
    return sorted(ticks)


def _over_specificity(curve: Curve) -> Curve:
    return Curve(curve.name, "specificity", curve.y_name, 1 - curve.x, curve.y, curve.cutoffs)


def _shares(models_drawn: list[Model]) -> list[float]:
    """Return how large a share of each model's rows is positive."""
    views = [Ranks.of(model.tally) for model in models_drawn]
    return [float(view.positives / view.n) for view in views]


def _prevalence(ax: Axes, models_drawn: list[Model]) -> None:
    """Draw the share of positives, once where all models have the same."""
    shares = _shares(models_drawn)
    alike = len(set(shares)) == 1
    for model, share in list(zip(models_drawn, shares, strict=True))[: 1 if alike else None]:
        ax.axhline(share, color=GREY if alike else model.colour, linewidth=1, linestyle=":", zorder=1)
    if alike:
        _beside(ax, shares[0], f"prevalence {shares[0]:.3g}", below=shares[0] > 0.9)  # noqa: PLR2004


def _marked(model: Model, at: float | Iterable[float]) -> list[tuple[float, dict[str, Any]]]:
    """Return the counts at some cutoffs: what is at or above each is predicted positive."""
    cutoffs = np.atleast_1d(numbers_of("at", at)).tolist()
    if not cutoffs:
        return []
    sweep = Sample(model.tally).sweep()
    tables = [sweep.at(sweep.index_of(cutoff)).counts for cutoff in cutoffs]
    names = "tp", "fp", "positives", "negatives"
    return [
        (cutoff, {name: getattr(table, name)[0] for name in names})
        for cutoff, table in zip(cutoffs, tables, strict=True)
    ]


def _point(
    ax: Axes,
    model: Model,
    words: str,
    rates: tuple[Share, Share],
    *,
    confidence: float,
    backwards: bool = False,
) -> None:
    """Mark a pair of rates, with their intervals if rows count once."""
    x, y = (float(hits / of) for hits, of in rates)
    sides = [[x, x], [y, y]]
    if model.tally.weights is None:
        sides = [list(modified_wilson(int(hits), int(of), confidence)) for hits, of in rates]
    if backwards:
        x, sides[0] = 1 - x, [1 - end for end in sides[0]]
    looks: dict[str, Any] = {"color": model.colour, "zorder": 4}
    ax.plot(sides[0], [y, y], linewidth=1, **looks)
    ax.plot([x, x], sides[1], linewidth=1, **looks)
    ax.plot([x], [y], "o", markersize=5, markeredgecolor="white", **looks)
    right = (x > _EDGE) if not backwards else (x < 1 - _EDGE)  # words stay within the picture
    low = y < 1 - _EDGE
    ax.annotate(
        words, (x, y), xytext=(-5 if right else 5, 5 if low else -5), textcoords="offset points", fontsize=8,
        ha="right" if right else "left", va="bottom" if low else "top",
        path_effects=text_outline(ax), zorder=5,
    )  # fmt: skip


def _beside(ax: Axes, y: float, words: str, *, below: bool = False) -> None:
    """Write beside a level line, at its left end."""
    ax.annotate(
        words, (0.01, y), xytext=(2, -3 if below else 3), textcoords="offset points", fontsize=8, color=GREY,
        va="top" if below else "bottom", path_effects=text_outline(ax),
    )  # fmt: skip
