"""Predicted numbers beside the actual ones, and what is left between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from assay.errors import MetricError
from assay.formatting.numbers import format_value
from assay.inputs import Rows
from assay.inputs.columns import doubles
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
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Show = Literal["auto", "points", "hexagons"]
    How = tuple[Show, int]  # and the seed of a pick

__all__ = [
    "inner_limits",
    "means_by_tenths",
    "predicted_actual",
    "quantiles",
    "residual_distribution",
    "residuals",
]

_SHOWN = ("auto", "points", "hexagons")
_POINTS = 3_000  # more than so many run into each other
_DRAWN = 20_000  # of those asked for as points
_REPEATED = 20_000_000  # rows that are taken one by one
_TREND_OF = 40  # rows that a trend needs
_QUARTILES = (0.25, 0.5, 0.75)
_TAIL = 0.002  # share of the rows at either end that may lie beyond a frame
_FAR = 3.0  # times the range of the others: how far those must be for the frame to leave them out


@close_on_error
def residuals(
    data: Any, *, ax: Axes | None = None, show: Show = "auto", trend: bool = True, seed: int = 0
) -> Axes:
    """Draw what the predictions fall short by, ``actual - predicted``, over the predictions.

    Parameters
    ----------
    data
        Rows with actual and predicted numbers, a tally of number pairs, or an evaluation. Of weighted rows
        areas and shades are by weight.
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
    pairs = _pairs(data)
    left = pairs.actual - pairs.predicted
    ax = new_axes(ax)
    ax.axhline(0, color=GREY, linewidth=1, linestyle=":", zorder=2)
    how = _cloud(ax, pairs.predicted, left, pairs, (show, seed))
    if trend and pairs.n >= _TREND_OF:
        middle, mean = means_by_tenths(pairs.predicted, left, pairs.mass)
        looks: dict[str, Any] = {"color": COLOURS[1], "markersize": 3.5, "linewidth": 1.4}
        ax.plot(middle, mean, "o-", label="mean, by tenths of the rows", **looks)
        add_legend(ax)
    below = " · ".join([row_count(pairs.n), *how])
    return label_axes(ax, title="Residuals", x="predicted", y="actual - predicted", below=below)


@close_on_error
def predicted_actual(data: Any, *, ax: Axes | None = None, show: Show = "auto", seed: int = 0) -> Axes:
    """Draw predicted over actual numbers; on the dotted line they are equal.

    Parameters
    ----------
    data
        Rows with actual and predicted numbers, a tally of number pairs, or an evaluation. Of weighted rows
        areas and shades are by weight.
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
    pairs = _pairs(data)
    ax = new_axes(ax)
    everything = pairs.actual.min(), pairs.predicted.min(), pairs.actual.max(), pairs.predicted.max()
    low, high = min(everything[:2]), max(everything[2:])
    margin = 0.04 * (high - low) or 1.0
    ax.plot((low, high), (low, high), color=GREY, linewidth=1, linestyle=":", zorder=2)
    how = _cloud(ax, pairs.actual, pairs.predicted, pairs, (show, seed))
    ax.set(xlim=(low - margin, high + margin), ylim=(low - margin, high + margin), box_aspect=1)
    below = " · ".join([row_count(pairs.n), *how])
    return label_axes(ax, title="Predicted and actual", x="actual", y="predicted", below=below)


@close_on_error
def residual_distribution(data: Any, *, ax: Axes | None = None, bins: int = 50) -> Axes:
    """Draw how ``actual - predicted`` is distributed, with its quartiles.

    Parameters
    ----------
    data
        Rows with actual and predicted numbers, a tally of number pairs, or an evaluation. Of weighted rows
        bars are sums of weights.
    ax
        Axes to draw on; a new figure's unless given.
    bins
        How many bars there are. Residuals far outside the others are left out, and counted below the title.

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
    >>> ax = assay.plots.residual_distribution(assay.rows(actual=[1.0, 2.0, 3.5], predicted=[1.2, 1.8, 3.0]))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('actual - predicted', 'rows')
    """
    pairs = _pairs(data)
    left = pairs.actual - pairs.predicted
    low, high = inner_limits(left)
    inside = (left >= low) & (left <= high)
    ax = new_axes(ax)
    ax.hist(
        left[inside], bins=bins, range=(low, high), weights=pairs.mass[inside], color=COLOURS[0], alpha=0.5
    )
    for share, value in zip(_QUARTILES, quantiles(left, pairs.mass, _QUARTILES), strict=True):
        named = share == 0.5  # noqa: PLR2004 - the median
        ax.axvline(
            value, color=COLOURS[1], linewidth=1.4 if named else 1, linestyle="-" if named else ":",
            label=f"median {format_value(value)}" if named else None,
        )  # fmt: skip
    add_legend(ax)
    beyond = int(pairs.counts[~inside].sum())
    outside = [f"{beyond:,} beyond the frame"] if beyond else []
    below = " · ".join([row_count(pairs.n), *(["by weight"] if pairs.weighted else []), *outside])
    title = "Distribution of the residuals"
    return label_axes(
        ax, title=title, x="actual - predicted", y="weight" if pairs.weighted else "rows", below=below
    )


class _PlottedPairs(NamedTuple):
    """Pairs of numbers, how many rows each stands for, and what those weigh."""

    actual: NDArray[Any]
    predicted: NDArray[Any]
    counts: NDArray[Any]
    mass: NDArray[Any]
    weighted: bool

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.counts.sum(dtype=np.int64))


def _pairs(data: Any) -> _PlottedPairs:
    """Return the pairs to draw, each row of its own where rows have weights."""
    data = drawn_data(data, NumberPairs)
    if isinstance(data, Rows) and data.weight is not None:
        columns = (data.need("actual", "a plot of numbers"), data.need("predicted", "a plot of numbers"))
        actual, predicted = (doubles(column.numbers("numbers")) for column in columns)
        mass = doubles(data.weight.numbers("weights"))
        inside = mass > 0
        actual, predicted, mass = actual[inside], predicted[inside], mass[inside]
        pairs = _PlottedPairs(actual, predicted, np.ones(len(mass), np.int64), mass, weighted=True)
    else:
        tally: NumberPairs = tallied(data, NumberPairs)
        need_tally(tally, NumberPairs)
        pairs = _PlottedPairs(tally.actual, tally.predicted, tally.counts, tally.counts, weighted=False)
    if not pairs.n:
        raise MetricError("there are no rows, so that there is nothing to draw.")
    return pairs


def _cloud(ax: Axes, x: NDArray[Any], y: NDArray[Any], pairs: _PlottedPairs, how: How) -> list[str]:
    """Draw pairs as points or hexagons; return what is to be said of that."""
    show, seed = how
    mass, n = pairs.mass, pairs.n
    if show == "hexagons" or (show == "auto" and n > _POINTS):
        _hexagons(ax, x, y, pairs)
        return ["hexagons by weight" if pairs.weighted else "hexagons by number of rows"]
    indices = np.arange(len(x))
    if len(x) > _DRAWN:
        shares = mass / mass.sum()
        indices = np.random.default_rng(seed).choice(len(x), _DRAWN, replace=False, p=shares)
    alpha = float(np.clip(12 / np.sqrt(len(indices)), 0.12, 0.8))
    each = mass[indices].astype(np.float64)
    if pairs.weighted:  # so that points of the mean weight are as large as others
        each /= each.mean()
    ax.scatter(x[indices], y[indices], s=14 * np.sqrt(each), alpha=alpha, color=COLOURS[0], linewidths=0)
    remarks = ["points by weight"] if pairs.weighted else []
    return remarks if len(indices) == len(x) else [*remarks, f"{_DRAWN:,} points of {len(x):,} drawn"]


def _hexagons(ax: Axes, x: NDArray[Any], y: NDArray[Any], pairs: _PlottedPairs) -> None:
    """Draw hexagons, shaded by the logarithm of how many rows they hold, or of what those weigh."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 - an extra

    shades = LinearSegmentedColormap.from_list("assay", ["#D6E6F2", "#6BAED6", "#0072B2", "#08306B"])
    looks: dict[str, Any] = {"C": pairs.mass, "reduce_C_function": np.sum}
    if not pairs.weighted and pairs.n <= _REPEATED:  # rows one by one are counted by arrays, others in a loop
        x, y, looks = np.repeat(x, pairs.counts), np.repeat(y, pairs.counts), {}
    held = ax.hexbin(x, y, gridsize=45, mincnt=1, bins="log", cmap=shades, linewidths=0.1, **looks)
    bar = ax.figure.colorbar(held, ax=ax, shrink=0.85, pad=0.02)
    bar.set_label("weight" if pairs.weighted else "rows", fontsize=9)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=8)


def quantiles(values: NDArray[Any], mass: NDArray[Any], shares: Sequence[float]) -> list[float]:
    """Return quantiles of values by weight: the smallest that so much of the weight does not exceed.

    >>> quantiles(np.array([3.0, 1.0, 2.0]), np.array([1, 1, 2]), (0.5, 0.9))
    [2.0, 3.0]
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(mass[order])
    indices = np.searchsorted(reached, np.array(shares) * reached[-1] * (1 - 1e-12))
    return values[order][np.minimum(indices, len(values) - 1)].tolist()  # type: ignore[no-any-return]


def inner_limits(values: NDArray[Any]) -> tuple[float, float]:
    """Return the limits of an axis: the extremes, or of far outliers none.

    >>> inner_limits(np.array([1.0, 2.0, 3.0])), inner_limits(np.array([2.0, 2.0]))
    ((1.0, 3.0), (1.999998, 2.000002))
    """
    low, high = float(values.min()), float(values.max())
    inner = np.quantile(values, [_TAIL, 1 - _TAIL])
    spread = float(inner[1] - inner[0])
    if spread > 0 and math.isfinite(high - low):
        low = low if inner[0] - low <= _FAR * spread else float(inner[0] - spread)
        high = high if high - inner[1] <= _FAR * spread else float(inner[1] + spread)
    if low == high:  # equal values still need a width
        width = abs(low) * 1e-6 or 1.0
        return low - width, high + width
    return low, high


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
