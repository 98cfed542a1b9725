"""What all plots share: axes, colours, labels, legends, and how a curve is drawn."""

from __future__ import annotations

import contextvars
import dataclasses
import functools
import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import numpy as np

from assay.decisions.sweep import Sample
from assay.errors import MetricError, MissingDependencyError
from assay.hints import param
from assay.inference.intervals.choose_interval import estimate
from assay.inputs import Rows
from assay.metrics.metric import tallied
from assay.plots.evaluation_data import drawn_data
from assay.plots.simplify import simplified
from assay.plots.thin_scores import condensed
from assay.tallies import BinnedScores, ClassScores, Scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

    from assay.inference.estimate import Estimate
    from assay.metrics.curves.curves import Curve
    from assay.plots.simplify import Limits

__all__ = [
    "COLOURS",
    "GREY",
    "MAX_LEGEND_INSIDE",
    "Model",
    "add_legend",
    "check_choice",
    "close_on_error",
    "curve_style",
    "describe_rows",
    "display_name",
    "draw_curve",
    "estimate_metric",
    "format_percent",
    "label_axes",
    "legend_width",
    "models",
    "new_axes",
    "new_subplots",
    "pyplot",
    "row_count",
    "shorten_label",
    "text_outline",
    "unit_square",
]

# Okabe and Ito (2008): told apart by readers of any colour vision; yellow is left out, too pale on white.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREY: Final = "#767676"  # 4.5 to 1 against white, and against black
P = ParamSpec("P")
T = TypeVar("T")
_OPENED: contextvars.ContextVar[list[Any] | None] = contextvars.ContextVar("figures of a plot", default=None)
_DASHES: Final = ("-", "--", "-.", ":")
_LONGEST = 28  # letters of a label, before it is cut
MAX_LEGEND_INSIDE = 6  # curves that a legend within the axes may have
MAX_CURVES = 60  # in one picture
_MAX_KEY_LINES = 25  # of a column of a key beside the picture
_BESIDE = 3.2  # inches that a key beside the picture needs
_LETTER = 4.4  # points: how wide a letter of a key is


def new_axes(ax: Axes | None, size: tuple[float, float] = (5.0, 4.6), *, names: int = 1) -> Axes:
    """Return the axes to draw on: those given, or those of a new figure with room for many names."""
    if ax is not None:
        if not hasattr(ax, "set_xlabel"):
            raise MetricError(
                f"ax= takes Matplotlib's axes, as plt.subplots()[1] gives them, not a {type(ax).__name__}."
            )
        return ax
    made: Axes = new_subplots(1, (size[0] + legend_width(names), size[1]))[0]
    return made


def new_subplots(count: int, size: tuple[float, float]) -> Any:
    """Return the axes of a new figure, side by side."""
    figure, axes = pyplot().subplots(1, count, figsize=size, layout="compressed", squeeze=False)
    opened = _OPENED.get()
    if opened is not None:
        opened.append(figure)
    return axes[0]


def close_on_error(draw: Callable[P, T]) -> Callable[P, T]:
    """Return a plot that leaves no figure behind where it fails."""

    @functools.wraps(draw)
    def drawing(*words: P.args, **options: P.kwargs) -> T:
        opened: list[Any] = []
        token = _OPENED.set(opened)
        try:
            return draw(*words, **options)
        except BaseException:
            for figure in opened:
                pyplot().close(figure)
            raise
        finally:
            _OPENED.reset(token)

    return drawing


def legend_width(names: int) -> float:
    """Return how much wider a picture is, in inches, whose key stands beside it."""
    return _BESIDE * -(-names // _MAX_KEY_LINES) if names > MAX_LEGEND_INSIDE else 0.0


def curve_style(index: int) -> tuple[str, str]:
    """Return the colour and the dashes of one of several curves; black is the colour of the words."""
    colour = COLOURS[index % len(COLOURS)]
    if colour == "#000000":
        colour = pyplot().rcParams["text.color"]
    return colour, _DASHES[index // len(COLOURS) % len(_DASHES)]


def pyplot() -> Any:
    """Return Matplotlib's pyplot, or say how to get it."""
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "matplotlib":
            raise
        hint = "plots need Matplotlib, which is not installed: pip install 'assay-metrics[plots]'."
        raise MissingDependencyError(hint) from None


def label_axes(ax: Axes, *, title: str, x: str, y: str, below: str = "") -> Axes:
    """Return the axes with a title, what is said below it, the names of both sides and a light grid."""
    ax.set_title("\n".join([title, *_lines(ax, below)]), fontsize=10, pad=18 if _has_power(ax) else None)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(visible=True, color="#888888", alpha=0.3, linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(GREY)
    ax.tick_params(labelsize=9)
    return ax


def unit_square(ax: Axes, side: float = 1.0) -> None:
    """Let both sides run from 0 to 1, or to `side`, equally long, with room for lines along the edges."""
    limits = (-0.02 * side, 1.02 * side)
    ax.set(xlim=limits, ylim=limits, box_aspect=1)
    if side < 1:  # whose ticks are longer words
        ax.locator_params(nbins=5)


def format_percent(*axes: Axis) -> None:
    """Write sides in percent."""
    from matplotlib.ticker import PercentFormatter  # noqa: PLC0415 - an extra

    for axis in axes:
        axis.set_major_formatter(PercentFormatter(1))


def text_outline(ax: Axes) -> list[Any]:
    """Return the effect that keeps letters readable where they cross a line."""
    from matplotlib.patheffects import withStroke  # noqa: PLC0415 - an extra

    return [withStroke(linewidth=2, foreground=ax.get_facecolor(), alpha=0.8)]


def add_legend(ax: Axes, location: Any = "best") -> None:
    """Write the key of what is drawn, if there is something to tell."""
    handles, labels = ax.get_legend_handles_labels()
    count = len(labels)
    placing: dict[str, Any] = {"loc": location, "fontsize": 8, "handlelength": 1.6}
    if count > MAX_LEGEND_INSIDE:  # within, it would hide what is drawn
        placing |= {
            "loc": "center left",
            "bbox_to_anchor": (1.01, 0.5),
            "fontsize": 8 if count <= 2 * MAX_LEGEND_INSIDE else 6,
            "ncols": -(-count // _MAX_KEY_LINES),
        }
    elif _LETTER * max(map(len, labels), default=0) + 30 > _width(ax):
        labels = [label.replace("  ", "\n") for label in labels]  # names above what is said of them
    if count:
        ax.legend(handles, labels, framealpha=0.85, edgecolor="none", **placing)


@dataclasses.dataclass(frozen=True)
class Model:
    """One of the models in a figure: its name (empty where it is the only one), data, tally and looks."""

    name: str
    source: Any
    tally: Any
    colour: str
    dash: str

    @functools.cached_property
    def outline(self) -> Any:
        """The tally for curves of counts, as fine as can be seen."""
        return (
            condensed(self.tally).tally if isinstance(self.tally, Scores) else self.tally
        )  # which is refused

    def called(self, text: str = "") -> str:
        """Return its name with what is said of it."""
        return "  ".join(part for part in (self.name, text) if part)


def models(data: Any) -> list[Model]:
    """Return the models of a figure: one of rows or a tally of scores, or several by name.

    A mapping may be a grouped tally: its slices are then drawn as models are. So are classes that have a
    column of scores each: every one against the rest. An evaluation stands for its rows, or its scores.
    """
    if isinstance(data, (list, tuple)):
        raise MetricError('several models are drawn by their names: {"first": ..., "second": ...}.')
    data = drawn_data(data, Scores)
    if isinstance(data, Rows) and data.score is not None and data.score.values.ndim > 1:
        data = ClassScores.of(data)
    if isinstance(data, ClassScores):
        if len(data.labels) > MAX_CURVES:
            raise MetricError(
                f"{len(data.labels):,} classes have more curves than can be told apart: draw one class "
                f"against the rest with {param('label')}, as in ev.plot.roc(label={data.labels[0]!r})."
            )
        data = {label: data.against_rest(label) for label in data.labels}
    several = data if isinstance(data, Mapping) else {"": data}
    if not several:
        raise MetricError("there is nothing to draw: the mapping of models is empty.")
    return [
        Model(
            display_name(name),
            model,
            Sample.of(model).tally if isinstance(model, BinnedScores) else tallied(model, Scores),
            *curve_style(index),
        )
        for index, (name, model) in enumerate(
            (name, drawn_data(model, Scores)) for name, model in several.items()
        )
    ]


def describe_rows(together: Sequence[Model]) -> str:
    """Return how many rows there are and which class is positive, in a line."""
    tallies = [model.tally for model in together]
    descriptions = {(tally.positive, tally.n, int(tally.positives.sum(dtype=np.int64))) for tally in tallies}
    binned = " · in bins" if any(isinstance(model.source, BinnedScores) for model in together) else ""
    if len(descriptions) == 1:
        ((label, n, positives),) = descriptions
        return (
            f"{row_count(n)}{binned} · positive: {shorten_label(label)} ({positives:,}, {positives / n:.1%})"
        )
    sizes = sorted({n for _, n, _ in descriptions})
    rows = row_count(sizes[0]) if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,} rows"
    labels = sorted({shorten_label(label) for label, _, _ in descriptions})
    which = ", ".join(labels) if len(labels) < 3 else f"each of {len(labels)} classes in turn"  # noqa: PLR2004
    return f"{rows}{binned} · positive: {which}"


def row_count(n: int, word: str = "row") -> str:
    """Return a number of rows, or of something else, in words.

    >>> row_count(1), row_count(1390), row_count(40, "list")
    ('1 row', '1,390 rows', '40 lists')
    """
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def display_name(name: Any) -> str:
    """Return the name of a model or a slice; the labels of a slice by several columns are joined.

    >>> display_name(("north", 3))
    'north · 3'
    """
    return " · ".join(map(shorten_label, name)) if isinstance(name, tuple) else shorten_label(name)


def shorten_label(label: Any) -> str:
    """Return a label that fits: the middle of a long one is left out.

    >>> shorten_label("a label that is far too long for a plot")
    'a label that i…ng for a plot'
    """
    text = " ".join(str(label).split())
    half = _LONGEST // 2
    if len(text) > _LONGEST:
        text = f"{text[:half]}…{text[1 - half :]}"
    return text.replace("$", r"\$")  # which would begin a formula


def estimate_metric(metric: str, model: Model, confidence: float) -> Estimate:
    """Return a model's metric with its interval; rows that come in groups are known to."""
    grouped = isinstance(model.source, Rows) and model.source.group is not None
    return estimate(metric, model.source if grouped else model.tally, confidence=confidence)


def draw_curve(
    ax: Axes,
    curve: Curve,
    *,
    limits: tuple[Limits, Limits] | None = None,
    scale: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
    **style: Any,
) -> Line2D:
    """Draw a curve, without the points that nobody could see; return the line."""
    seen = simplified(curve, limits=limits, scale=scale)
    (line,) = ax.plot(seen.x, seen.y, **{"linewidth": 1.6, "solid_joinstyle": "round", **style})
    if len(seen) == 1:
        line.set_marker("o")
    return line


def check_choice(name: str, value: str, known: Sequence[str]) -> None:
    """Raise unless an option's value is one of those known."""
    if value not in known:
        words = ", ".join(f'"{choice}"' for choice in known)
        raise MetricError(f"{name}={value!r} is not known: use one of {words}.")


def _width(ax: Axes) -> float:
    """Return how wide axes are, in points."""
    return float(ax.get_window_extent().width * 72 / ax.figure.dpi)


def _has_power(ax: Axes) -> bool:
    """Tell whether a power of ten stands above the left side, where a title would run into it."""
    form = ax.yaxis.get_major_formatter()
    form.format_ticks(list(ax.get_yticks()))
    return bool(form.get_offset())


def _lines(ax: Axes, below: str) -> list[str]:
    """Return what is said below a title, in as many lines as narrow axes need."""
    if not below:
        return []
    width = _width(ax)
    wide = 5.5 * max(map(len, below.splitlines()))  # points, at the title's size
    return (below.replace(" · ", "\n") if wide > 1.15 * width else below).splitlines()
