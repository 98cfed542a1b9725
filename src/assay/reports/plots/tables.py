"""The confusion table as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import MetricError
from assay.reports.crosstable import CrossTable
from assay.reports.plots.axes import GREY, INK, chosen, counted, dressed, sheet, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["confusion"]

_SMALLEST, _LARGEST = 4.5, 11.0  # letters that can be read, in points
_DARK = 0.5  # luminance below which letters are white
_TICKS = 40  # labels on a side, before only some are written


def confusion(
    data: Any,
    *,
    ax: Axes | None = None,
    shares: Literal["actual", "predicted", "all"] = "actual",
    colour_bar: bool = True,
) -> Axes:
    """Draw the table of actual against predicted labels, each cell shaded by its share.

    Cells have the count and, where there is room, the share; with many classes the shades alone are left.
    A label that never occurs has a row, or a column, without shades.

    Parameters
    ----------
    data
        Rows with actual and predicted labels, a confusion tally, or a cross table.
    ax
        Axes to draw on; a new figure's unless given.
    shares
        What a share is of: the rows of the actual class (recall on the diagonal), of the predicted class (precision on
        the diagonal), or all rows.
    colour_bar
        Whether to draw the scale of the shades.
    """
    chosen("shares", shares, ("actual", "predicted", "all"))
    table = data if isinstance(data, CrossTable) else CrossTable.of(data)
    if table.rows != "actual":
        table = table.transposed()
    if not table.counts.size or not table.total:
        raise MetricError("there are no rows, so that there is no table to draw.")
    part = {"actual": table.row_shares, "predicted": table.column_shares, "all": table.table_shares}[shares]
    height, width = part.shape
    side = float(np.clip(1.6 + 0.55 * max(height, width), 3.6, 10))
    ax = sheet(ax, (side + (0.9 if colour_bar else 0), side))
    map_ = _shades(ax)
    image = ax.imshow(np.ma.masked_invalid(part), cmap=map_, vmin=0, vmax=1 if shares != "all" else None)
    _named(ax.xaxis, table.column_labels or table.labels, table.column_totals, width)
    _named(ax.yaxis, table.labels, table.row_totals, height)
    longest = max(len(shortened(label)) for label in table.column_labels or table.labels)
    if longest * width > 36 or width > 8:  # noqa: PLR2004 - they would run into each other
        ax.tick_params(axis="x", labelrotation=90 if width > 8 else 45)  # noqa: PLR2004
    right = np.trace(table.counts) / table.total if height == width else np.nan
    said = f"weight {table.total:,.6g}" if table.weighted else counted(table.total)
    below = f"{said} · {right:.1%} on the diagonal" if np.isfinite(right) else said
    dressed(ax, title="Confusion table", x="predicted", y="actual", below=below)
    ax.grid(visible=False)
    for edge in ax.spines.values():
        edge.set_visible(False)
    ax.set_xticks(np.arange(-0.5, width), minor=True)
    ax.set_yticks(np.arange(-0.5, height), minor=True)
    if max(height, width) <= 60:  # noqa: PLR2004 - beyond, the lines would hide the cells
        ax.grid(visible=True, which="minor", color="white", linewidth=0.8)
    ax.tick_params(which="minor", length=0)
    if colour_bar:
        from matplotlib.ticker import PercentFormatter  # noqa: PLC0415 - an extra

        words = {
            "actual": "share of the actual class",
            "predicted": "share of the predicted class",
            "all": "share of all rows",
        }
        bar = ax.figure.colorbar(image, ax=ax, format=PercentFormatter(1), shrink=0.85, pad=0.02)
        bar.set_label(words[shares], fontsize=9, color=INK)
        bar.outline.set_visible(False)  # type: ignore[operator]
        bar.ax.tick_params(labelsize=8, color=GREY)
    _written(ax, table.counts, part, image.to_rgba(image.get_array()))
    return ax


def _shades(ax: Axes) -> Any:
    """Return the map of shades, white to deep blue, with a grey for what has no share."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 - an extra

    shades = ["#F7FBFF", "#C6DDF0", "#6BAED6", "#2474B5", "#08306B"]
    return LinearSegmentedColormap.from_list("assay", shades).with_extremes(bad="#EEEEEE")


def _named(axis: Any, labels: Any, totals: NDArray[Any], size: int) -> None:
    """Write the labels of a side with their totals; of very many labels only some."""
    step = -(-size // _TICKS)
    places = np.arange(0, size, step)
    names = [shortened(labels[place]) for place in places]
    if size <= 12:  # noqa: PLR2004 - there is room for totals
        names = [f"{name}\n{totals[place]:,.10g}" for name, place in zip(names, places, strict=True)]
    axis.set_ticks(places, names, fontsize=9 if size <= 16 else 7 if size <= 30 else 5.5)  # noqa: PLR2004


def _written(ax: Axes, counts: NDArray[Any], part: NDArray[Any], colours: NDArray[Any]) -> None:
    """Write counts, and shares where there is room, in letters that fit the cells and stand out from them."""
    figure = ax.figure
    figure.draw_without_rendering()  # type: ignore[union-attr]
    box = ax.get_window_extent()
    height, width = part.shape
    cell = 72 / figure.dpi * min(box.width / width, box.height / height)
    words = [[f"{count:,.6g}" for count in row] for row in counts.tolist()]
    letters = max(max(map(len, row)) for row in words)
    size = min(_LARGEST, 0.85 * cell / (0.62 * max(letters, 3)), 0.42 * cell)
    if size < _SMALLEST:
        return
    with_shares = 0.8 * size >= _SMALLEST and max(letters, 5) * 0.62 * 0.8 * size < cell and 2.6 * size < cell
    luminance = colours[..., :3] @ np.array([0.2126, 0.7152, 0.0722])
    for place in np.ndindex(height, width):
        row, column = place
        ink = "white" if luminance[place] < _DARK else "#BBBBBB" if not counts[place] else INK
        ax.text(
            column,
            row - (0.13 if with_shares else 0),
            words[row][column],
            ha="center",
            va="center",
            fontsize=size,
            color=ink,
        )
        if with_shares and np.isfinite(part[place]) and counts[place]:
            ax.text(
                column,
                row + 0.22,
                f"{part[place]:.1%}",
                ha="center",
                va="center",
                fontsize=0.8 * size,
                color=ink,
            )
