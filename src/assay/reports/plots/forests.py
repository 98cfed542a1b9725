"""Estimates with their intervals, line by line: of many metrics, of slices, of anything with a name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, MetricError
from assay.inference.estimate import Estimate
from assay.inference.intervals import estimate
from assay.inputs import Rows, encode
from assay.inputs.labels import cross
from assay.metrics import Metric, Undefined, find
from assay.reports.plots.axes import COLOURS, GREY, INK, counted, dressed, sheet, shortened
from assay.tallies import Grouped, merge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

__all__ = ["forest", "metrics", "slices"]

_UNDEFINED = "undefined: "


def forest(
    estimates: Mapping[Any, Estimate],
    *,
    ax: Axes | None = None,
    reference: float | Estimate | None = None,
    limits: tuple[float, float] | None = None,
    sizes: bool | None = None,
    title: str = "Estimates",
    below: str = "",
    x: str = "value",
) -> Axes:
    """Draw estimates by name, one below the other: a point, its interval, and both in figures.

    Parameters
    ----------
    estimates
        Estimates by name, in the order in which they are to be drawn. A tuple of labels is a name, too.
    ax
        Axes to draw on; a new figure's unless given.
    reference
        A value, or an estimate with its interval, that all are held against.
    limits
        What the axis shows; an interval that goes beyond ends in an arrow.
    sizes
        Whether to write the number of rows beside each name; where they differ unless said.
    title, below, x
        The title, what is said below it, and the name of the axis.
    """
    if not estimates:
        raise MetricError("there are no estimates to draw.")
    names = [
        shortened(" · ".join(map(str, name)) if isinstance(name, tuple) else str(name)) for name in estimates
    ]
    values = list(estimates.values())
    if sizes is None:
        sizes = len({one.n for one in values}) > 1
    if sizes:
        names = [f"{name}  (n = {one.n:,})" for name, one in zip(names, values, strict=True)]
    ax = sheet(ax, (7.0, float(np.clip(1.3 + 0.27 * len(values), 1.8, 14))))
    low, high = limits or _limits(values, reference)
    if isinstance(reference, Estimate):
        if reference.low is not None and reference.high is not None:
            ax.axvspan(reference.low, reference.high, color=GREY, alpha=0.15, linewidth=0)
        reference = float(reference.value) if reference.defined else None
    if reference is not None:
        ax.axvline(reference, color=GREY, linewidth=1, linestyle="--")
    for row, one in enumerate(values):
        _line(ax, row, one, low, high)
    size = 9 if len(values) <= 30 else 7  # noqa: PLR2004
    ax.set_yticks(range(len(values)), names, fontsize=size)
    ax.set(xlim=(low, high), ylim=(len(values) - 0.4, -0.6))
    dressed(ax, title=title, x=x, y="", below=below)
    ax.grid(visible=False, axis="y")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0, labelsize=size)
    return ax


def metrics(
    data: Any,
    names: Iterable[str | Metric],
    *,
    ax: Axes | None = None,
    limits: tuple[float, float] | None = None,
    confidence: float = 0.95,
    **options: Any,
) -> Axes:
    """Draw several metrics of the same rows with their intervals.

    What lies beyond 0 to 1, or beyond -1 to 1 where a metric may be below 0, is written and points there by an arrow.

    Parameters
    ----------
    data
        Rows, or the tally that all these metrics read; or their estimates by name, and then `names` choose among them.
    names
        Metrics of the catalogue.
    ax
        Axes to draw on; a new figure's unless given.
    limits
        What the axis shows, unless it is to be 0 to 1 or -1 to 1.
    confidence
        Of the intervals.
    options
        The metrics' own: ``positive=``, ``average=`` and so on, for those that know them.
    """
    found: dict[str, Estimate] = {}
    below_zero = False
    for name in names:
        metric = name if isinstance(name, Metric) else find(name)
        if (
            isinstance(data, Mapping)
            and not isinstance(data, Grouped)
            and all(isinstance(one, Estimate) for one in data.values())
        ):
            one = data[name]
        else:
            known = {key: value for key, value in options.items() if key in metric.options}
            one = estimate(metric, data, confidence=confidence, **known)
        found[metric.name] = one
        below_zero |= one.defined and min(float(one.value), np.inf if one.low is None else one.low) < 0
    if limits is None:
        limits = (-1.02 if below_zero else -0.02, 1.02)
    n = next(iter(found.values())).n if found else 0
    below = f"{counted(n)} · {100 * confidence:.3g}% intervals"
    return forest(found, ax=ax, limits=limits, title="Metrics", below=below, sizes=False)


def slices(
    data: Any,
    metric: str | Metric,
    *,
    ax: Axes | None = None,
    confidence: float = 0.95,
    order: bool = False,
    **options: Any,
) -> Axes:
    """Draw a metric of each slice with its interval, beside that of all rows.

    Parameters
    ----------
    data
        Rows with ``by=``, or a grouped tally of the kind that the metric reads.
    metric
        A metric of the catalogue.
    ax
        Axes to draw on; a new figure's unless given.
    confidence
        Of the intervals.
    order
        Whether to draw the slices from the highest value to the lowest, rather than by their names.
    options
        The metric's own: ``positive=``, ``average=`` and so on.
    """
    known = metric if isinstance(metric, Metric) else find(metric)
    parts: Mapping[Any, Any]
    if isinstance(data, Grouped):
        parts, whole = dict(data.items()), merge(data.tallies)
    elif isinstance(data, Rows):
        parts, whole = _sliced(data), data
    else:
        raise MetricError("slices are drawn of rows with by=, or of a grouped tally.")
    found = {name: estimate(known, part, confidence=confidence, **options) for name, part in parts.items()}
    if order:
        found = dict(sorted(found.items(), key=lambda item: _rank(item[1])))
    overall = estimate(known, whole, confidence=confidence, **options)
    title = f"{known.name.replace('_', ' ')} by slice"
    below = f"{counted(overall.n)} · {100 * confidence:.3g}% intervals · dashed: all rows, {overall:.3f}"
    return forest(
        found, ax=ax, reference=overall, title=title, below=below, x=known.name.replace("_", " "), sizes=True
    )


def _rank(one: Estimate) -> float:
    return -float(one.value) if one.defined else np.inf


def _sliced(rows: Rows) -> dict[tuple[Any, ...], Rows]:
    """Return the rows of each slice by its labels."""
    if not rows.by:
        raise ColumnError("slices need by=: pass one or more columns to rows().")
    encoded = [encode(column) for column in rows.by]
    groups, digits = cross([(codes, max(len(labels), 1)) for codes, labels in encoded])
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=len(digits[0])))
    parts = {}
    for place, codes in enumerate(zip(*digits, strict=True)):
        name = tuple(labels[code] for (_, labels), code in zip(encoded, codes, strict=True))
        parts[name] = rows.take(order[ends[place - 1] if place else 0 : ends[place]])
    return dict(sorted(parts.items())) if len({tuple(map(type, name)) for name in parts}) == 1 else parts


def _limits(values: list[Estimate], reference: float | Estimate | None) -> tuple[float, float]:
    """Return what an axis must show of the estimates, with room at both ends."""
    held = [reference] if reference is not None else []
    ends: list[float] = []
    for one in (*values, *held):
        if isinstance(one, Estimate):
            told = () if not one.defined else (float(one.value), one.low, one.high)
            ends += [end for end in told if end is not None and np.isfinite(end)]
        else:
            ends.append(one)
    if not ends:
        return 0.0, 1.0
    room = 0.05 * (max(ends) - min(ends)) or 0.05 * (abs(ends[0]) or 1.0)
    return min(ends) - room, max(ends) + room


def _line(ax: Axes, row: int, one: Estimate, low: float, high: float) -> None:
    """Draw one estimate, what is out of sight as an arrow, and write its figures to the right."""
    words = format(one, ".3f") if not isinstance(one.value, Undefined) else f"{_UNDEFINED}{one.value.reason}"
    ax.annotate(
        words if one.defined else words if len(words) < 40 else f"{words[:38]}…", (1.015, row),  # noqa: PLR2004
        xycoords=("axes fraction", "data"), va="center", fontsize=8, color=INK if one.defined else GREY,
        annotation_clip=False,
    )  # fmt: skip
    if not one.defined:
        return
    value = float(one.value)
    looks: dict[str, Any] = {"color": COLOURS[0], "zorder": 3}
    if one.low is not None and one.high is not None:
        seen = np.clip((one.low, one.high), low, high)
        if seen[1] > seen[0]:
            ax.plot(seen, (row, row), linewidth=1.6, solid_capstyle="butt", **looks)
    ends = (value, value) if one.low is None or one.high is None else (one.low, one.high)
    for beyond, edge, marker in ((ends[0] < low, low, "<"), (ends[1] > high, high, ">")):
        if beyond:
            ax.plot([edge], [row], marker=marker, markersize=6, clip_on=False, linestyle="", **looks)
    if low <= value <= high:
        ax.plot([value], [row], marker="o", markersize=5, linestyle="", **looks)
