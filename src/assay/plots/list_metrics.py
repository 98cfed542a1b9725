"""Ranked lists: a metric over the depth k, and its distribution over the lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.formatting.numbers import count_of
from assay.inference.influence.row_means import query_values
from assay.inference.intervals.choose_interval import estimate
from assay.metrics import find
from assay.metrics.metric import need_tally, tallied
from assay.metrics.spec import metric_title
from assay.plots.axes import COLOURS, add_legend, close_on_error, curve_style, label_axes, new_axes
from assay.plots.evaluation_data import drawn_data
from assay.tallies import Queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

__all__ = ["at_k", "list_depths", "lists"]

_DEFAULT = ("ndcg", "recall_at_k", "precision_at_k", "hit_rate")
_ALL_DEPTHS = 20  # depths that are all drawn; of longer lists fewer, further apart


@close_on_error
def at_k(
    data: Any,
    names: Iterable[str] = _DEFAULT,
    *,
    ax: Axes | None = None,
    confidence: float = 0.95,
    **options: Any,
) -> Axes:
    """Draw ranking metrics over the depth k at which lists are evaluated, with their intervals.

    Parameters
    ----------
    data
        Rows with ``query=``, a query tally, or the evaluation of ranked lists.
    names
        Metrics that take ``k=``.
    ax
        Axes to draw on; a new figure's unless given.
    confidence
        Of the intervals.
    options
        The metrics' own: ``empty=`` and so on.

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
    >>> lists = assay.rows(query=[1] * 3 + [2] * 3, actual=[1, 0, 1, 0, 1, 0], score=[3, 2, 1, 3, 2, 1])
    >>> ax = assay.plots.at_k(lists, ["ndcg"])
    >>> ax.get_xlabel(), ax.get_legend_handles_labels()[1]
    ('k, the first so many of each list', ['NDCG'])
    """
    queries, names = _queries(data), list(names)
    ax = new_axes(ax, names=len(names))
    depths = list_depths(int(queries.lengths.max(initial=1)))
    for index, name in enumerate(names):
        estimates = [estimate(name, queries, confidence=confidence, k=k, **options) for k in depths]
        colour, dash = curve_style(index)
        values = [float(item) if item.defined else np.nan for item in estimates]
        low, high = (
            [np.nan if end is None else end for end in side]
            for side in ([item.low for item in estimates], [item.high for item in estimates])
        )
        ax.fill_between(depths, low, high, color=colour, alpha=0.12, linewidth=0)
        ax.plot(
            depths, values, color=colour, linestyle=dash, marker="o", markersize=3, label=metric_title(name)
        )
    ax.set_ylim(-0.02, 1.02)
    below = f"{count_of(len(queries), 'list')} · {100 * confidence:.3g}% intervals"
    label_axes(ax, title="Metrics over k", x="k, the first so many of each list", y="metric", below=below)
    add_legend(ax, "lower right")
    return ax


@close_on_error
def lists(data: Any, metric: str = "ndcg", *, ax: Axes | None = None, bins: int = 20, **options: Any) -> Axes:
    """Draw how a metric is distributed over the lists.

    Parameters
    ----------
    data
        Rows with ``query=``, a query tally, or the evaluation of ranked lists.
    metric
        A metric that is a mean over the lists.
    ax
        Axes to draw on; a new figure's unless given.
    bins
        How many bars there are between 0 and 1.
    options
        The metric's own: ``k=``, ``empty=`` and so on.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or the metric is no mean over
        lists.

    Examples
    --------
    >>> import assay
    >>> lists = assay.rows(query=[1] * 3 + [2] * 3, actual=[1, 0, 1, 0, 1, 0], score=[3, 2, 1, 3, 2, 1])
    >>> ax = assay.plots.lists(lists, "ndcg", k=2)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('NDCG', 'lists')
    """
    values = query_values(find(metric), _queries(data), options)
    known = values[~np.isnan(values)]
    ax = new_axes(ax)
    ax.hist(known, bins=bins, range=(0.0, 1.0), color=COLOURS[0], alpha=0.5)
    if len(known):
        ax.axvline(float(known.mean()), color=COLOURS[1], linewidth=1.4, label=f"mean {known.mean():.3f}")
        add_legend(ax)
    left_out = f" · {len(values) - len(known):,} without a value" if len(known) < len(values) else ""
    title = metric_title(metric)
    return label_axes(
        ax,
        title=f"{title} of each list",
        x=title,
        y="lists",
        below=f"{count_of(len(known), 'list')}{left_out}",
    )


def _queries(data: Any) -> Queries:
    queries: Queries = tallied(drawn_data(data, Queries), Queries)
    need_tally(queries, Queries)
    return queries


def list_depths(longest: int) -> list[int]:
    """Return the depths at which metrics are drawn: all of short lists, else ever fewer.

    >>> list_depths(4), list_depths(100)[-4:]
    ([1, 2, 3, 4], [58, 69, 83, 100])
    """
    if longest <= _ALL_DEPTHS:
        return list(range(1, longest + 1))
    return np.unique(np.rint(np.geomspace(1, longest, 26)).astype(int)).tolist()  # type: ignore[no-any-return]
