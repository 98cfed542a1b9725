"""Many models: their order on a metric with intervals and ranks, and the outcome of every two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.comparison.standings import standings
from assay.errors import MetricError
from assay.metrics.spec import metric_title
from assay.plots.axes import COLOURS, close_on_error, display_name, label_axes, new_axes
from assay.plots.forest import forest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from assay.comparison.compare import Comparison

__all__ = ["leaderboard", "outcomes"]

_MARKS = {1: "\u25b2", -1: "\u25bc", 0: "\u00b7"}
_MAX_MARKED = 30  # models, of more the marks run into each other


@close_on_error
def leaderboard(comparison: Comparison, metric: str | None = None, **options: Any) -> Axes:
    """Draw the models in their order on a metric, each with its interval and the ranks that the tests allow.

    Parameters
    ----------
    comparison
        What :func:`assay.compare` returned.
    metric
        A metric that was compared; the first of them unless given.
    options
        Further options of :func:`forest`: ``ax=``, ``limits=`` and so on.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or the metric was not compared.

    Examples
    --------
    >>> import assay
    >>> y = [0, 1] * 200
    >>> right = [assay.rows(actual=y, predicted=y[:n] + [1 - v for v in y[n:]]) for n in (300, 390, 388)]
    >>> ax = leaderboard(assay.compare(*right, metrics="accuracy"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b * (1 to 2)', 'c * (1 to 2)', 'a (3)']
    """
    name = _metric(comparison, metric)
    estimates = {}
    for model in standings(comparison, name):
        low, high = model.rank_low, model.rank_high
        ranks = str(low) if low == high else f"{low} to {high}"
        text = f"{display_name(model.name)}{' *' if model.tied else ''} ({ranks})"
        estimates[text] = comparison.estimate(name, model.name)
    level = f"{100 * comparison.confidence:.3g}% intervals"
    options.setdefault("title", f"Models by {metric_title(name)}")
    options.setdefault("below", f"{level} \u00b7 in brackets: rank \u00b7 *: cannot be told from the best")
    options.setdefault("x", metric_title(name))
    options.setdefault("sizes", False)
    return forest(estimates, **options)


@close_on_error
def outcomes(comparison: Comparison, metric: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw for every two models whether the tests say that the one of the row is better or worse.

    Parameters
    ----------
    comparison
        What :func:`assay.compare` returned.
    metric
        A metric that was compared; the first of them unless given.
    ax
        Axes to draw on; a new figure's unless given.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or the metric was not compared.

    Examples
    --------
    >>> import assay
    >>> y = [0, 1] * 200
    >>> right = [assay.rows(actual=y, predicted=y[:n] + [1 - v for v in y[n:]]) for n in (300, 390)]
    >>> ax = outcomes(assay.compare(*right, metrics="accuracy"))
    >>> [text.get_text() for text in ax.texts]
    ['\u25b2', '\u25bc']
    """
    from matplotlib.colors import ListedColormap  # noqa: PLC0415 - an extra

    name = _metric(comparison, metric)
    names = [model.name for model in standings(comparison, name)]
    index = {model: at for at, model in enumerate(names)}
    size = len(names)
    table = np.zeros((size, size), dtype=int)
    for diff in comparison.differences:
        if diff.metric == name and diff.winner is not None:
            loser = diff.first if diff.winner == diff.second else diff.second
            table[index[diff.winner], index[loser]] = 1
            table[index[loser], index[diff.winner]] = -1
    side = float(np.clip(2.2 + 0.3 * size, 3.4, 14))
    ax = new_axes(ax, (side, side))
    colours = ListedColormap(["#F2C6AE", "#F4F5F6", "#BBD8EC"])
    ax.imshow(table, cmap=colours, vmin=-1, vmax=1, aspect="equal")
    if size <= _MAX_MARKED:
        for row, column in zip(*np.nonzero(~np.eye(size, dtype=bool)), strict=True):
            mark = _MARKS[int(table[row, column])]
            ax.text(column, row, mark, ha="center", va="center", fontsize=8, color=COLOURS[-1])
    labels = [display_name(model) for model in names]
    ax.set_xticks(range(size), labels, rotation=90)
    ax.set_yticks(range(size), labels)
    ax.tick_params(length=0, labelsize=9 if size <= _MAX_MARKED else 6)
    below = "\u25b2 the model of the row is better, \u25bc worse"
    label_axes(ax, title=f"Every two models by {metric_title(name)}", x="", y="", below=below)
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def _metric(comparison: Comparison, metric: str | None) -> str:
    """Return the name under which a metric was compared; the first one unless given."""
    known = list(dict.fromkeys(diff.metric for diff in comparison.differences))
    if not known:
        raise MetricError("no metric was compared, so that there is nothing to draw.")
    if metric is None:
        return known[0]
    chosen = [name for name in known if name in comparison.metric_names(metric)]
    if not chosen:
        raise MetricError(f"{metric} was not compared, only {', '.join(known)}.")
    return chosen[0]
