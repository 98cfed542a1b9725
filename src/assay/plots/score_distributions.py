"""How the scores of both classes are distributed."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.decisions.costs import numbers_of
from assay.errors import MetricError
from assay.hints import param
from assay.plots.axes import (
    COLOURS,
    GREY,
    add_legend,
    check_choice,
    close_on_error,
    describe_rows,
    label_axes,
    models,
    new_axes,
    row_count,
    shorten_label,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from assay.tallies import Scores

__all__ = ["histogram", "scores"]


@close_on_error
def scores(
    data: Any,
    *,
    ax: Axes | None = None,
    bins: int = 50,
    scale: Literal["share", "count", "log count"] = "share",
    at: float | Iterable[float] = (),
) -> Axes:
    """Draw how the scores of the positives and of the negatives are distributed.

    Parameters
    ----------
    data
        Rows or a score tally.
    ax
        Axes to draw on; a new figure's unless given.
    bins
        How many bars there are, of equal width: over [0, 1] where all scores are in it.
    scale
        The height of a bar: its share of the class, so that a rare class is seen beside a common one, or the
        rows in it, on a plain or a logarithmic axis.
    at
        Cutoffs to mark.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or `scale` is not known; or a
        cutoff is no number.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> ax = assay.plots.scores(rows, bins=10, at=0.5)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('score', 'share of its class')
    """
    check_choice("scale", scale, ("share", "count", "log count"))
    models_drawn = models(data)
    if len(models_drawn) > 1:
        raise MetricError(
            f"the scores of one model are drawn at a time; of several classes name one with {param('label')}"
            ", as in ev.plot.scores(label=...)."
        )
    tally: Scores = models_drawn[0].tally
    edges, positives, negatives = histogram(tally, bins)
    ax = new_axes(ax, (6.0, 3.8))
    name = shorten_label(tally.positive)
    for heights, colour, hatch, label in (
        (negatives, COLOURS[0], None, f"not {name}"), (positives, COLOURS[1], None, name)
    ):  # fmt: skip
        total = heights.sum()
        shown = heights / total if scale == "share" and total else heights
        ax.stairs(shown, edges, fill=True, color=colour, alpha=0.35, linewidth=0, hatch=hatch)
        ax.stairs(shown, edges, color=colour, linewidth=1.4, label=f"{label} ({total:,.10g})")
    for cutoff in np.atleast_1d(numbers_of("at", at)).tolist():
        ax.axvline(cutoff, color=GREY, linewidth=1, linestyle="--")
        ax.annotate(
            f"{cutoff:g}", (cutoff, 1), xycoords=("data", "axes fraction"), xytext=(3, -3), va="top",
            textcoords="offset points", fontsize=8,
        )  # fmt: skip
    if scale == "log count":
        ax.set_yscale("log", nonpositive="clip")
        ax.set_ylim(bottom=0.5)
    infinite = int(np.isinf(tally.scores).sum())
    below = describe_rows(models_drawn)
    if infinite:
        left = ~np.isfinite(tally.scores)
        rows = int((tally.positives[left].astype(np.int64) + tally.negatives[left]).sum())
        below += f"\n{row_count(rows)} of infinite score not shown"
    height = (
        "share of its class" if scale == "share" else "rows" if tally.weights is None else "weight of rows"
    )
    label_axes(ax, title="Scores by class", x="score", y=height, below=below)
    ax.grid(visible=False, axis="x")
    ax.tick_params(axis="both", color=GREY)
    add_legend(ax, "best")
    return ax


def histogram(
    tally: Scores, bins: int, limits: tuple[float, float] | None = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return edges of equal width, and how many positives and negatives have a score between each two.

    Scores that are infinite are left out; with weights the weights are added up.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.7, 0.9]))
    >>> edges, positives, negatives = histogram(tally, 2)
    >>> edges.tolist(), positives.tolist(), negatives.tolist()
    ([0.0, 0.5, 1.0], [0.0, 2.0], [1.0, 1.0])
    """
    first, last = np.searchsorted(tally.scores, -np.inf, "right"), np.searchsorted(tally.scores, np.inf)
    values = tally.scores[first:last]
    if not len(values):
        raise MetricError("there are no rows of finite score to draw.")
    if limits is None:
        within = values[0] >= 0 and values[-1] <= 1
        limits = (0.0, 1.0) if within else (float(values[0]), float(values[-1]))
    if not np.isfinite(limits[1] - limits[0]):
        raise MetricError("the scores are too far apart to be drawn on one axis.")
    edges = np.histogram_bin_edges(np.zeros(0), bins, limits)
    # The scores are in order, so that a bar is a stretch of them; the last one holds its upper end, too.
    ends = [*np.searchsorted(values, edges[:-1]).tolist(), int(np.searchsorted(values, edges[-1], "right"))]
    heights = []
    for rows in (tally.positives[first:last], tally.negatives[first:last]):
        mass = rows if tally.weights is None else rows * tally.weights[first:last]
        heights.append(np.array([mass[a:b].sum(dtype=np.float64) for a, b in itertools.pairwise(ends)]))
    return edges, heights[0], heights[1]
