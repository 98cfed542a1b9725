"""The confusion table as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.crosstable import CrossTable
from assay.errors import MetricError
from assay.plots.axes import (
    GREY,
    check_choice,
    close_on_error,
    label_axes,
    new_axes,
    row_count,
    shorten_label,
)
from assay.plots.evaluation_data import drawn_data
from assay.tallies import Confusion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from numpy.typing import NDArray

__all__ = ["confusion"]

_SMALLEST, _LARGEST = 4.5, 11.0  # letters that can be read, in points
_MIDDLE = 0.179  # the luminance from which black has more contrast than white, 4.6 to 1 at least
_LETTER = 0.62  # of its size: how wide a letter is
_FEW = 12  # classes: up to so many have totals beside their names and plain shades
_MANY = 60  # classes: beyond, lines between the cells would hide them
_TICKS = 40  # labels on a side: beyond, only some are written
_OF = {
    "actual": "share of the actual class",
    "predicted": "share of the predicted class",
    "all": "share of all rows",
}


@close_on_error
def confusion(
    data: Any,
    *,
    ax: Axes | None = None,
    shares: Literal["actual", "predicted", "all"] = "actual",
    colour_bar: bool = True,
) -> Axes:
    """Draw the table of actual against predicted labels, each cell shaded by its share.

    Cells have the count and, where there is room, the share; with many classes the shades alone are left, and
    with more than 12 small shares are shaded more. A label that never occurs has a grey row, or column.

    Parameters
    ----------
    data
        Rows with actual and predicted labels, a confusion tally, a cross table, or an evaluation.
    ax
        Axes to draw on; a new figure's unless given.
    shares
        What a share is of: the rows of the actual class (recall on the diagonal), of the predicted class
        (precision on the diagonal), or all rows.
    colour_bar
        Whether to draw the scale of the shades.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or `shares` is not known.

    Examples
    --------
    >>> import assay
    >>> ax = assay.plots.confusion(assay.rows(actual=[0, 0, 1, 1], predicted=[0, 1, 1, 1]), colour_bar=False)
    >>> [text.get_text() for text in ax.texts]
    ['1', '50.0%', '1', '50.0%', '0', '2', '100.0%']
    """
    check_choice("shares", shares, tuple(_OF))
    data = drawn_data(data, Confusion)
    table = data if isinstance(data, CrossTable) else CrossTable.of(data)
    if table.rows == "predicted":
        table = table.transposed()
    if not table.counts.size or not table.total:
        raise MetricError("there are no rows, so that there is no table to draw.")
    part = {"actual": table.row_shares, "predicted": table.column_shares, "all": table.table_shares}[shares]
    size = max(part.shape)
    side = float(np.clip(1.6 + 0.55 * size, 3.6, 10))
    ax = new_axes(ax, (side + (0.9 if colour_bar else 0), side))
    image = ax.imshow(np.ma.masked_invalid(part), cmap=_shades(), norm=_norm(part, size, shares))
    text = f"weight {table.total:,.6g}" if table.weighted else row_count(table.total)
    if part.shape[0] == part.shape[1]:
        text += f" · {np.trace(table.counts) / table.total:.1%} on the diagonal"
    label_axes(ax, title="Confusion table", x=table.columns or "", y=table.rows, below=text)
    _named(ax.xaxis, table.column_labels or table.labels, table.column_totals)
    _named(ax.yaxis, table.labels, table.row_totals)
    _lined(ax, part.shape, visible=size <= _MANY)
    if colour_bar:
        from matplotlib.ticker import PercentFormatter  # noqa: PLC0415 - an extra

        bar = ax.figure.colorbar(image, ax=ax, format=PercentFormatter(1), shrink=0.85, pad=0.02)
        bar.set_label(_OF[shares], fontsize=9)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=8, color=GREY)
    _written(ax, table.counts, part, image.to_rgba(np.ma.masked_invalid(part)))
    return ax


def _shades() -> Any:
    """Return the map of shades, near white to deep blue, with a grey for what has no share."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 - an extra

    shades = ["#F7FBFF", "#C6DDF0", "#6BAED6", "#2474B5", "#08306B"]
    return LinearSegmentedColormap.from_list("assay", shades).with_extremes(bad="#E4E4E4")


def _norm(part: NDArray[Any], size: int, shares: str) -> Any:
    """Return how shares become shades: evenly, or by their root where most of many cells are small."""
    from matplotlib.colors import PowerNorm  # noqa: PLC0415 - an extra

    highest = float(np.nanmax(part)) if shares == "all" else 1.0
    return PowerNorm(1.0 if size <= _FEW else 0.5, 0.0, highest)


def _named(axis: Axis, labels: Any, totals: NDArray[Any]) -> None:
    """Write the labels of a side, with their totals if they are few; of very many labels only some."""
    from matplotlib.axis import XAxis  # noqa: PLC0415 - an extra

    size = len(labels)
    indices = np.arange(0, size, -(-size // _TICKS))
    names = [shorten_label(labels[index]) for index in indices]
    across = isinstance(axis, XAxis)
    # Names that would run into each other stand on end: slanted ones need a line to themselves.
    slanted = across and (size > _FEW or max(map(len, names)) * size > 36)  # noqa: PLR2004
    if size <= _FEW:
        form = "{} ({})" if slanted else "{}\n{}"
        names = [form.format(name, _count(totals[index])) for name, index in zip(names, indices, strict=True)]
    axis.set_ticks(indices, names)
    axis.set_tick_params(labelsize=9 if size <= 16 else 7 if size <= 30 else 5.5)  # noqa: PLR2004
    if slanted:
        turn: dict[str, Any] = {"rotation": 90, "ha": "center"}
        if size <= _FEW:
            turn = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        for label in axis.get_ticklabels():
            label.set(**turn)


def _lined(ax: Axes, shape: tuple[int, ...], *, visible: bool) -> None:
    """Draw white lines between the cells, and none around them."""
    ax.grid(visible=False)
    for edge in ax.spines.values():
        edge.set_visible(False)
    if visible:
        ax.set_xticks(np.arange(-0.5, shape[1]), minor=True)
        ax.set_yticks(np.arange(-0.5, shape[0]), minor=True)
        ax.grid(visible=True, which="minor", color="white", linewidth=0.8)
        ax.tick_params(which="minor", length=0)


def _written(ax: Axes, counts: NDArray[Any], part: NDArray[Any], colours: NDArray[Any]) -> None:
    """Write counts, and shares where there is room, in letters that fit the cells and stand out from them."""
    ax.figure.canvas.figure.draw_without_rendering()  # only then the cells have their size
    box = ax.get_window_extent()
    cell = 72 / ax.figure.dpi * min(box.width / part.shape[1], box.height / part.shape[0])
    words = np.array([[_count(count) for count in row] for row in counts.tolist()])
    letters = max(map(len, words.ravel()))
    size = min(_LARGEST, 0.85 * cell / (_LETTER * max(letters, 3)), 0.42 * cell)
    if size < _SMALLEST:
        return
    small = 0.8 * size
    both = small >= _SMALLEST and len("100.0%") * _LETTER * small < cell and 2.6 * size < cell
    dark = _luminance(colours) < _MIDDLE
    centre: dict[str, Any] = {"ha": "center", "va": "center", "textcoords": "offset points"}
    for row, column in np.ndindex(part.shape):
        at = row, column
        ink = "white" if dark[at] else "black" if counts[at] else "#5F5F5F"
        share = f"{part[at]:.1%}" if both and counts[at] else ""
        lift = 0.62 * size if share else 0
        ax.annotate(str(words[at]), (column, row), xytext=(0, lift), fontsize=size, color=ink, **centre)
        if share:
            ax.annotate(share, (column, row), xytext=(0, -0.7 * size), fontsize=small, color=ink, **centre)


def _count(value: float) -> str:
    """Return a count with all of its digits, or a sum of weights with six.

    >>> _count(123456789), _count(0.25), _count(1234567.5)
    ('123,456,789', '0.25', '1,234,568')
    """
    whole = value == round(value) or value >= 1e5  # noqa: PLR2004 - six digits
    return f"{value:,.0f}" if whole else f"{value:,.6g}"


def _luminance(colours: NDArray[Any]) -> NDArray[Any]:
    """Return how light colours are, from 0 for black to 1 for white, as guidelines for contrast have it."""
    rgb = colours[..., :3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)  # noqa: PLR2004
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))
