"""Forest plots: estimates with their intervals, line by line, of metrics, slices, classes or differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, MetricError, passed
from assay.evaluation.default_metrics import default_metrics
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.per_class import ClassTable
from assay.formatting.numbers import format_interval, format_value
from assay.inference.estimate import Estimate
from assay.inference.intervals.choose_interval import estimate
from assay.inputs import Rows, encode
from assay.inputs.labels import cross
from assay.metrics import Metric, Undefined, find
from assay.metrics.spec import MetricSpec, metric_title
from assay.plots.axes import COLOURS, GREY, close_on_error, display_name, label_axes, new_axes, row_count
from assay.tallies import Grouped, Queries, merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes

    from assay.comparison.compare import Comparison

__all__ = ["classes", "differences", "forest", "metrics", "slices"]

_REASON = 60  # letters of a reason, before it is cut
_LARGE = 10  # from here on numbers are written as in text, not with three decimals


@close_on_error
def forest(
    estimates: Mapping[Any, Estimate],
    *,
    ax: Axes | None = None,
    reference: float | Estimate | None = None,
    limits: tuple[float, float] | None = None,
    sizes: bool | None = None,
    title: str = "Estimates",
    below: str = "",
    x: str = "",
) -> Axes:
    """Draw estimates by name, one below the other: a point, its interval, and both as numbers.

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

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or there are no estimates.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0] * 80 + [1] * 50, predicted=[0] * 68 + [1] * 57 + [0] * 5)
    >>> ax = forest({name: assay.estimate(name, rows) for name in ("recall", "precision")}, reference=0.9)
    >>> [text.get_text() for text in ax.texts]
    ['0.900 [0.786, 0.960]', '0.789 [0.667, 0.875]']
    """
    if not estimates:
        raise MetricError("there are no estimates to draw.")
    names, values = [display_name(name) for name in estimates], list(estimates.values())
    if sizes if sizes is not None else len({item.n for item in values}) > 1:
        names = [f"{name}  (n = {item.n:,})" for name, item in zip(names, values, strict=True)]
    ax = new_axes(ax, (7.0, float(np.clip(1.3 + 0.27 * len(values), 1.8, 14))))
    low, high = limits or _limits(values, reference)
    if isinstance(reference, Estimate):
        if reference.low is not None and reference.high is not None:
            ax.axvspan(reference.low, reference.high, color=GREY, alpha=0.15, linewidth=0)
        reference = float(reference) if reference.defined else None
    if reference is not None:
        ax.axvline(reference, color=GREY, linewidth=1, linestyle="--")
    for row, item in enumerate(values):
        _line(ax, row, item, (low, high))
    ax.set_yticks(range(len(values)), names)
    ax.set(xlim=(low, high), ylim=(len(values) - 0.4, -0.6))
    label_axes(ax, title=title, x=x, y="", below=below)
    ax.grid(visible=False, axis="y")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0, labelsize=9 if len(values) <= 30 else 7)  # noqa: PLR2004
    return ax


@close_on_error
def differences(comparison: Comparison, metric: str | None = None, **options: Any) -> Axes:
    """Draw the differences of a comparison with their intervals, of one metric or of all.

    Parameters
    ----------
    comparison
        What :func:`assay.compare` returned.
    metric
        A metric that was compared; all of them unless given.
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
    >>> y = [0] * 50 + [1] * 50
    >>> a = assay.rows(actual=y, predicted=[0] * 38 + [1] * 12 + [1] * 40 + [0] * 10)
    >>> b = assay.rows(actual=y, predicted=[0] * 48 + [1] * 2 + [1] * 41 + [0] * 9)
    >>> ax = assay.compare(a, b, metrics=["accuracy", "recall"]).plot()
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['accuracy', 'recall (TPR)']
    """
    chosen = [
        difference
        for difference in comparison.differences
        if metric is None or difference.metric in comparison.metric_names(metric)
    ]
    if not chosen:
        raise MetricError(f"{metric} was not compared.")
    two = len(comparison.names) == 2  # noqa: PLR2004 - the axis names them then
    estimates: dict[Any, Estimate] = {}
    for each in chosen:
        name = metric_title(each.metric)
        key = name if two else (name, f"{each.second} - {each.first}")
        estimates[key] = Estimate(each.difference, each.low, each.high, each.confidence, each.method, each.n)
    first, second = comparison.names[:2]
    options.setdefault("reference", 0.0)
    options.setdefault("title", "Differences")
    options.setdefault("below", f"{100 * comparison.confidence:.3g}% intervals")
    options.setdefault(
        "x", f"{display_name(second)} - {display_name(first)}" if two else "second model less first"
    )
    options.setdefault("sizes", False)
    return forest(estimates, **options)


@close_on_error
def metrics(
    data: Any,
    names: Iterable[str | Metric] | None = None,
    *,
    ax: Axes | None = None,
    limits: tuple[float, float] | None = None,
    confidence: float | None = None,
    **options: Any,
) -> Axes:
    """Draw several metrics of the same rows with their intervals.

    The axis shows 0 to 1, or -1 to 1 where something is below 0; what lies beyond is an arrow with its
    numbers.

    Parameters
    ----------
    data
        Rows, the tally that all these metrics read, or an evaluation.
    names
        Metrics of the catalogue, some with an average (``"macro f1"``); of an evaluation by default all that
        its report shows.
    ax
        Axes to draw on; a new figure's unless given.
    limits
        What the axis shows, if something else.
    confidence
        Of the intervals.
    options
        The metrics' own: ``positive=``, ``average=`` and so on, for those that know them.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or a metric is not known.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0] * 80 + [1] * 50, predicted=[0] * 68 + [1] * 57 + [0] * 5)
    >>> ax = assay.plots.metrics(rows, ["accuracy", "macro f1"])
    >>> [text.get_text() for text in ax.texts]
    ['0.869 [0.801, 0.917]', '0.865 [0.793, 0.916]']
    """
    if names is None:
        if not isinstance(data, Evaluation):
            raise MetricError("name the metrics to draw: plots.metrics(rows, ['recall', 'precision']).")
        names = list(data)
    results: dict[str, Estimate] = {}
    specs = []
    for name in names:
        spec = MetricSpec.of(name)
        specs.append(spec)
        known = {option: value for option, value in options.items() if option in spec.metric.options}
        if isinstance(data, Evaluation) and not known and isinstance(name, str):
            item = data[name] if confidence is None else data.estimate(spec, confidence=confidence)
        elif isinstance(data, Evaluation):
            item = data.estimate(spec.metric, confidence=confidence, **{**spec.options, **known})
        else:
            item = estimate(spec.metric, data, confidence=confidence or 0.95, **{**spec.options, **known})
        results[metric_title(spec.name)] = item
    confidence = confidence or (data.settings.confidence if isinstance(data, Evaluation) else 0.95)
    ends = [
        end for item in results.values() if item.defined for end in (float(item), item.low) if end is not None
    ]
    limits = limits or (-1.02 if min(ends, default=0) < 0 else -0.02, 1.02)
    sizes = [item.n for item in results.values()]
    below = f"{_size(max(sizes, default=0), *specs)} · {100 * confidence:.3g}% intervals"
    return forest(results, ax=ax, limits=limits, title="Metrics", below=below, sizes=False)


@close_on_error
def slices(
    data: Any,
    metric: str | Metric | None = None,
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
        Rows with ``by=``, a grouped tally of the kind that the metric reads, or an evaluation with ``by=``.
    metric
        A metric of the catalogue. Of an evaluation by default the first that its slices report, as accuracy.
    ax
        Axes to draw on; a new figure's unless given.
    confidence
        Of the intervals.
    order
        Whether to draw the slices from the highest value to the lowest, rather than by their names.
    options
        The metric's own: ``positive=``, ``average=`` and so on.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or the metric is not known.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 1] * 20, predicted=[0, 1, 1, 1] * 10, by=list("nnss") * 10)
    >>> ax = assay.plots.slices(rows, "accuracy")
    >>> [text.get_text() for text in ax.texts]
    ['1.000 [0.839, 1.000]', '0.500 [0.299, 0.701]']
    """
    if isinstance(data, Evaluation):
        return _slices_of(data, metric, ax=ax, order=order)
    if metric is None:
        raise MetricError(
            'name the metric to draw of each slice, as in assay.plots.slices(rows, "accuracy").'
        )
    known = metric if isinstance(metric, Metric) else find(metric)
    whole: Any = data
    if isinstance(data, Grouped):
        parts, whole = dict(data.items()), merge(data.tallies)
    elif isinstance(data, Rows):
        parts = _sliced(data)
    else:
        raise MetricError("slices are drawn of rows with by=, or of a grouped tally.")
    results = {name: estimate(known, part, confidence=confidence, **options) for name, part in parts.items()}
    if order:
        results = dict(
            sorted(results.items(), key=lambda item: -float(item[1]) if item[1].defined else np.inf)
        )
    all_rows = estimate(known, whole, confidence=confidence, **options)
    name = metric_title(known.name)
    size = _size(all_rows.n, MetricSpec.of(known))
    below = f"{size} · {100 * confidence:.3g}% intervals · dashed: all rows, {all_rows:.3f}"
    return forest(
        results, ax=ax, reference=all_rows, title=f"{name} by slice", below=below, x=name, sizes=True
    )


def _slices_of(ev: Evaluation, metric: str | Metric | None, *, ax: Axes | None, order: bool) -> Axes:
    """Draw a metric of an evaluation's slices, by all columns of its ``by=``."""
    table = ev.slices[ev.settings.by] if ev.settings.by else next(iter(ev.slices.values()))
    if metric is None:
        metric = next(
            (name for name in default_metrics(ev.task.name, "slices") if name in ev), next(iter(ev))
        )
    spec = MetricSpec.of(metric)
    results = {key: part.estimate(spec) for key, part in table.items()}
    if order:
        results = dict(
            sorted(results.items(), key=lambda item: -float(item[1]) if item[1].defined else np.inf)
        )
    whole, name = ev.estimate(spec), metric_title(spec.name)
    level = f"{100 * ev.settings.confidence:.3g}% intervals"
    value = f", {whole:.3f}" if whole.defined else ""
    below = f"{_size(whole.n, spec)} · {level} · dashed: all rows{value}"
    reference = whole if whole.defined else None
    return forest(
        results, ax=ax, reference=reference, title=f"{name} by slice", below=below, x=name, sizes=True
    )


@close_on_error
def classes(
    data: Any, metric: str | None = None, *, ax: Axes | None = None, order: bool = False, **options: Any
) -> Axes:
    """Draw a metric of every class, or label, against the rest, with its interval.

    Parameters
    ----------
    data
        An evaluation of several classes, ordered classes or several labels; or its ``classes``.
    metric
        ``"precision"``, ``"recall"`` or ``"f1"``, the default.
    ax
        Axes to draw on; a new figure's unless given.
    order
        Whether to draw the classes from the highest value to the lowest, rather than in their order.
    options
        Those of :func:`forest`.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `data` are not what this draws; or the metric is not one of a
        class.

    Examples
    --------
    >>> import assay
    >>> ev = assay.evaluate(actual=list("aabbcc"), predicted=list("aabccc"))
    >>> ax = assay.plots.classes(ev, "recall")
    >>> [text.get_text() for text in ax.texts]
    ['1.000 [0.224, 1.000]', '0.500 [0.025, 0.975]', '1.000 [0.224, 1.000]']
    """
    table = data.classes if isinstance(data, Evaluation) else data
    if not isinstance(table, ClassTable):
        raise MetricError(
            "classes are drawn of an evaluation of several classes, or of its table of classes."
        )
    names = list(dict.fromkeys(name for row in table.rows for name, _ in row.metrics))
    if metric is None:
        metric = "f1" if "f1" in names else names[0]
    if metric not in names:
        raise MetricError(f"{passed('metric', metric)} is none of {', '.join(names)}.")
    results = {label: table[label][metric] for label in table}
    if order:
        results = dict(
            sorted(results.items(), key=lambda item: -float(item[1]) if item[1].defined else np.inf)
        )
    name = metric_title(metric)
    kind = "label" if isinstance(data, Evaluation) and data.task.name == "multilabel" else "class"
    return forest(results, ax=ax, **{"title": f"{name} by {kind}", "x": name, **options})


def _sliced(rows: Rows) -> dict[tuple[Any, ...], Rows]:
    """Return the rows of each slice by its labels, in their order."""
    if not rows.by:
        raise ColumnError("slices need by=: pass one or more columns to rows().")
    encoded = [encode(column) for column in rows.by]
    groups, digits = cross([(codes, max(len(labels), 1)) for codes, labels in encoded])
    pieces = np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])
    keys = zip(*digits, strict=True)
    parts = {tuple(codes): rows.take(piece) for codes, piece in zip(keys, pieces, strict=True)}
    return {
        tuple(labels[code] for (_, labels), code in zip(encoded, codes, strict=True)): parts[codes]
        for codes in sorted(parts)
    }


def _size(n: int, *specs: MetricSpec) -> str:
    """Return how many rows, or ranked lists, metrics were computed of."""
    of_lists = bool(specs) and all(spec.metric.reads.tally is Queries for spec in specs)
    return row_count(n, "list" if of_lists else "row")


def _limits(values: list[Estimate], reference: float | Estimate | None) -> tuple[float, float]:
    """Return what an axis must show of the estimates, with room at both ends."""
    ends: list[float | None] = []
    for item in (*values, reference):
        if isinstance(item, Estimate):
            ends += [float(item), item.low, item.high] if item.defined else []
        else:
            ends.append(item)
    shown = [end for end in ends if end is not None and np.isfinite(end)]
    if not shown:
        return 0.0, 1.0
    margin = 0.05 * (max(shown) - min(shown)) or 0.05 * (abs(shown[0]) or 1.0)
    return min(shown) - margin, max(shown) + margin


def _line(ax: Axes, row: int, item: Estimate, limits: tuple[float, float]) -> None:
    """Draw one estimate, what is out of sight as an arrow, and its numbers to the right."""
    undefined = isinstance(item.value, Undefined)
    ax.annotate(
        _estimate_text(item), (1, row), xycoords=("axes fraction", "data"), xytext=(8, 0), va="center",
        fontsize=8, textcoords="offset points", color=GREY if undefined else None, annotation_clip=False,
    )  # fmt: skip
    if undefined:
        return
    value = float(item)
    low, high = (value, value) if item.low is None or item.high is None else (item.low, item.high)
    looks: dict[str, Any] = {"color": COLOURS[0], "zorder": 3}
    if low < limits[1] and high > limits[0]:
        ax.plot(np.clip((low, high), *limits), (row, row), linewidth=1.6, solid_capstyle="butt", **looks)
    for beyond, edge, marker in ((low < limits[0], limits[0], "<"), (high > limits[1], limits[1], ">")):
        if beyond:
            ax.plot([edge], [row], marker=marker, markersize=6, clip_on=False, linestyle="", **looks)
    if limits[0] <= value <= limits[1]:
        ax.plot([value], [row], marker="o", markersize=5, linestyle="", **looks)


def _estimate_text(item: Estimate) -> str:
    """Return an estimate as text, or why there is none."""
    if isinstance(item.value, Undefined):
        words = f"undefined: {item.value.reason}"
        return words if len(words) <= _REASON else f"{words[: _REASON - 1]}…"
    if abs(float(item)) < _LARGE:
        return format(item, ".3f")
    return f"{format_value(item.value)} {format_interval(item)}".rstrip()
