"""Predicted numbers beside the actual ones, and what is left between them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import MetricError
from assay.inputs import Rows
from assay.metrics.metric import need_tally, tallied
from assay.plots.axes import (
    COLOURS,
    GREY,
    add_legend,
    check_choice,
    close_on_error,
    label_axes,
    new_axes,
    row_count,
)
from assay.plots.evaluation_data import drawn_data
from assay.tallies import NumberPairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Show = Literal["auto", "points", "hexagons"]
    How = tuple[Show, int]  # and the seed of a pick

__all__ = ["means_by_tenths", "predicted_actual", "residuals"]

_SHOWN = ("auto", "points", "hexagons")
_POINTS = 3_000  # more than so many run into each other
_DRAWN = 20_000  # of those asked for as points
_REPEATED = 20_000_000  # rows that are taken one by one
_TREND_OF = 40  # rows that a trend needs


@close_on_error
def residuals(
    data: Any, *, ax: Axes | None = None, show: Show = "auto", trend: bool = True, seed: int = 0
) -> Axes:
    """Draw what the predictions fall short by, ``actual - predicted``, over the predictions.

    Parameters
    ----------
    data
        Rows with actual and predicted numbers, a tally of number pairs, or an evaluation. Weights are not
        shown.
    ax
        Axes to draw on; a new figure's unless given.
    show
        ``"points"``; ``"hexagons"``, shaded by how many rows they hold; ``"auto"``: the first up to 3,000
        rows. Of more than 20,000 points so many are drawn, picked at random, and the title says so.
    trend
        Whether to draw the mean residual of tenths of the rows: a line that is not level shows a bias.
    seed
        Of the pick.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or `show` is not known.

    Examples
    --------
    >>> import assay
    >>> ax = assay.plots.residuals(assay.rows(actual=[1.0, 2.0, 3.5], predicted=[1.2, 1.8, 3.0]))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('predicted', 'actual - predicted')
    """
    check_choice("show", show, _SHOWN)
    pairs, remarks = _pairs(data)
    left = pairs.actual - pairs.predicted
    ax = new_axes(ax)
    ax.axhline(0, color=GREY, linewidth=1, linestyle=":", zorder=2)
    how = _cloud(ax, pairs.predicted, left, pairs.counts, (show, seed))
    if trend and pairs.n >= _TREND_OF:
        middle, mean = means_by_tenths(pairs.predicted, left, pairs.counts)
        looks: dict[str, Any] = {"color": COLOURS[1], "markersize": 3.5, "linewidth": 1.4}
        ax.plot(middle, mean, "o-", label="mean, by tenths of the rows", **looks)
        add_legend(ax)
    below = " · ".join([row_count(pairs.n), *how, *remarks])
    return label_axes(ax, title="Residuals", x="predicted", y="actual - predicted", below=below)


@close_on_error
def predicted_actual(data: Any, *, ax: Axes | None = None, show: Show = "auto", seed: int = 0) -> Axes:
    """Draw predicted over actual numbers; on the dotted line they are equal.

    Parameters
    ----------
    data
        Rows with actual and predicted numbers, a tally of number pairs, or an evaluation. Weights are not
        shown.
    ax
        Axes to draw on; a new figure's unless given.
    show
        As for :func:`residuals`.
    seed
        Of the pick, where not all points are drawn.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or `show` is not known.

    Examples
    --------
    >>> import assay
    >>> ax = assay.plots.predicted_actual(assay.rows(actual=[1.0, 2.0, 3.5], predicted=[1.2, 1.8, 3.0]))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('actual', 'predicted')
    """
    check_choice("show", show, _SHOWN)
    pairs, remarks = _pairs(data)
    ax = new_axes(ax)
    everything = pairs.actual.min(), pairs.predicted.min(), pairs.actual.max(), pairs.predicted.max()
    low, high = min(everything[:2]), max(everything[2:])
    room = 0.04 * (high - low) or 1.0
    ax.plot((low, high), (low, high), color=GREY, linewidth=1, linestyle=":", zorder=2)
    how = _cloud(ax, pairs.actual, pairs.predicted, pairs.counts, (show, seed))
    ax.set(xlim=(low - room, high + room), ylim=(low - room, high + room), box_aspect=1)
    below = " · ".join([row_count(pairs.n), *how, *remarks])
    return label_axes(ax, title="Predicted and actual", x="actual", y="predicted", below=below)


def _pairs(data: Any) -> tuple[NumberPairs, list[str]]:
    """Return the pairs to draw, and what is to be said of them: weights are not shown."""
    data, remarks = drawn_data(data, NumberPairs), []
    if isinstance(data, Rows) and data.weight is not None:
        data, remarks = dataclasses.replace(data, weight=None), ["weights not shown"]
    pairs: NumberPairs = tallied(data, NumberPairs)
    need_tally(pairs, NumberPairs)
    if not pairs.n:
        raise MetricError("there are no rows, so that there is nothing to draw.")
    return pairs, remarks


def _cloud(ax: Axes, x: NDArray[Any], y: NDArray[Any], counts: NDArray[Any], how: How) -> list[str]:
    """Draw pairs as points or hexagons; return what is to be said of that."""
    show, seed = how
    n = int(counts.sum(dtype=np.int64))
    if show == "hexagons" or (show == "auto" and n > _POINTS):
        _hexagons(ax, x, y, counts, n)
        return ["hexagons by number of rows"]
    places = np.arange(len(x))
    if len(x) > _DRAWN:
        places = np.random.default_rng(seed).choice(len(x), _DRAWN, replace=False, p=counts / n)
    alpha = float(np.clip(12 / np.sqrt(len(places)), 0.12, 0.8))
    area = 14 * np.sqrt(counts[places].astype(np.float64))
    ax.scatter(x[places], y[places], s=area, alpha=alpha, color=COLOURS[0], linewidths=0)
    return [] if len(places) == len(x) else [f"{_DRAWN:,} points of {len(x):,} drawn"]


def _hexagons(ax: Axes, x: NDArray[Any], y: NDArray[Any], counts: NDArray[Any], n: int) -> None:
    """Draw hexagons, shaded by the logarithm of how many rows they hold."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 - an extra

    shades = LinearSegmentedColormap.from_list("assay", ["#D6E6F2", "#6BAED6", "#0072B2", "#08306B"])
    looks: dict[str, Any] = {"C": counts, "reduce_C_function": np.sum}
    if n <= _REPEATED:  # rows one by one are counted by arrays, pairs with counts in a loop
        x, y, looks = np.repeat(x, counts), np.repeat(y, counts), {}
    held = ax.hexbin(x, y, gridsize=45, mincnt=1, bins="log", cmap=shades, linewidths=0.1, **looks)
    bar = ax.figure.colorbar(held, ax=ax, shrink=0.85, pad=0.02)
    bar.set_label("rows", fontsize=9)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=8)


def means_by_tenths(
    x: NDArray[Any], y: NDArray[Any], counts: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the mean x and the mean y of tenths of the rows in the order of x; like x stay together."""
    order = np.argsort(x, kind="stable")
    x, y, counts = x[order], y[order], counts[order].astype(np.float64)
    first = np.flatnonzero(np.diff(x, prepend=-np.inf))
    middles = (np.cumsum(counts) - counts / 2)[first]
    starts = first[np.flatnonzero(np.diff(np.floor(10 * middles / counts.sum()), prepend=-1))]
    rows = np.add.reduceat(counts, starts)
    return np.add.reduceat(counts * x, starts) / rows, np.add.reduceat(counts * y, starts) / rows
