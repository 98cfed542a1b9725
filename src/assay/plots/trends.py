"""A metric over time, by model or slice: a point with its interval for each evaluation of a ledger."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.metrics.spec import MetricSpec, metric_title
from assay.plots.axes import (
    add_legend,
    close_on_error,
    curve_style,
    display_name,
    label_axes,
    new_axes,
    pyplot,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from assay.ledgers.history import History, HistoryLine

__all__ = ["trend"]

_MAX_TESTS_NAMED = 1
_APART = 0.012  # of the axis: how far series at the same time stand apart


@close_on_error
def trend(history: History, metric: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw a metric of a ledger's evaluations over time, with its intervals.

    Parameters
    ----------
    history
        What :meth:`assay.Ledger.history` returned.
    metric
        One of its metrics; the first unless given.
    ax
        Axes to draw on; a new figure's unless given.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or the history has no such metric.

    Examples
    --------
    >>> import assay, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with assay.ledger(f"{folder.name}/ledger.db") as book:
    ...     for wrong in (5, 3):
    ...         predicted = [0, 1] * (50 - wrong) + [1, 0] * wrong
    ...         ev = assay.evaluate(actual=[0, 1] * 50, predicted=predicted, name="m", ledger=book)
    ...     ax = trend(book.history(metrics=["accuracy"]))
    >>> ax.get_ylabel(), ax.lines[0].get_ydata().round(2).tolist()
    ('accuracy', [0.9, 0.94])
    >>> folder.cleanup()
    """
    name = _metric_name(history, metric)
    series: dict[str, list[HistoryLine]] = {}
    for line in history:
        if name in line.metrics and line.metrics[name].value is not None:
            key = line.slice if history.by else line.model
            series.setdefault(key, []).append(line)
    if not series:
        raise MetricError(f"no evaluation of this history has a value of {metric_title(name)}.")
    ax = new_axes(ax, (7.0, 3.8), names=len(series))
    times = [dt.datetime.fromisoformat(line.time) for lines in series.values() for line in lines]
    apart = (max(times) - min(times)) * _APART or dt.timedelta(hours=1)
    for index, (key, lines) in enumerate(series.items()):
        _draw_series(ax, name, lines, display_name(key) if key else "", index, apart)
    _mark_dates(ax)
    ax.margins(y=0.12)  # room for the legend
    level = "" if history.confidence is None else f"{100 * history.confidence:.3g}% intervals"
    tests, evaluations = ({getattr(line, name) for line in history} for name in ("test", "number"))
    sets = "one test set" if len(tests) <= _MAX_TESTS_NAMED else f"{len(tests):,} test sets"
    below = " · ".join(filter(None, (f"{len(evaluations):,} evaluations", sets, level)))
    title = metric_title(name)
    label_axes(ax, title=f"{title} by {history.by}" if history.by else title, x="", y=title, below=below)
    if len(series) > 1 or next(iter(series)):
        add_legend(ax)
    return ax


def _metric_name(history: History, metric: str | None) -> str:
    if not history.names:
        raise MetricError("this history has no evaluations: look for others.")
    if metric is None:
        return history.printed[0]
    name = metric if metric in history.names else MetricSpec.of(metric).name
    if name not in history.names:
        raise MetricError(f"{metric} is not in this history: name it in history(metrics=[...]).")
    return name


def _draw_series(  # noqa: PLR0917 - one call
    ax: Axes, name: str, lines: list[HistoryLine], label: str, index: int, apart: dt.timedelta
) -> None:
    colour, dashes = curve_style(index)
    cells = [line.metrics[name] for line in lines]
    at: Any = [dt.datetime.fromisoformat(line.time) + index * apart / 2 for line in lines]
    values = np.array([cell.value for cell in cells], dtype=float)
    ax.plot(
        at, values, color=colour, linestyle=dashes, linewidth=1, marker="o", markersize=4, label=label or None
    )
    for moment, cell in zip(at, cells, strict=True):
        if cell.low is not None and cell.high is not None:
            ends = (cell.low, cell.high)
            ax.plot([moment, moment], ends, color=colour, linewidth=1.4, alpha=0.7)


def _mark_dates(ax: Axes) -> None:
    """Write as little of the dates as tells them apart."""
    pyplot()
    from matplotlib import dates  # noqa: PLC0415 - loaded by a plot

    untyped: Any = dates
    locator = untyped.AutoDateLocator(minticks=3, maxticks=8)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(untyped.ConciseDateFormatter(locator, tz=dt.UTC))
