"""Find the tallies that metrics of an evaluation read: those at hand, or made of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import ColumnError, MetricError
from assay.evaluation.validation import refuse_metrics_without_columns
from assay.inference.intervals.choose_interval import TalliedMetric, tallies_for
from assay.metrics.spec import MetricSpec, with_positive
from assay.tallies import BoundedTally, ColumnTallies, Confusion, NumberPairs, Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = ["MAX_ROWS_FOR_SKEWNESS", "read_metrics", "tally_name"]

MAX_ROWS_FOR_SKEWNESS = 1_000_000  # beyond which the skewness of losses no longer matters to their mean
# Views of tallies that may outgrow the memory, by task.
_CLASS_VIEWS = ("ClassRanks", "Ranks", "Confidence", "Mean")
_ROW_VIEWS = {
    "regression": (
        "Mean",
        "ValuePairs",
        "AbsoluteErrors",
        "AbsolutePercentageErrors",
        "Ranged",
        "Scaled",
        "Explained",
    ),
    "multioutput": ("Errors", "Scaled", "Explained", "Ranged", "AbsoluteErrors", "ValuePairs", "Mean"),
    "multilabel": ("Ranks", "ClassRanks", "Mean", "Binary", "Sets"),
    "multiclass": _CLASS_VIEWS,
    "ordinal": _CLASS_VIEWS,
}


def read_metrics(
    ev: Evaluation, metrics: Sequence[tuple[Metric, dict[str, Any]]], *, held: bool = False
) -> list[TalliedMetric]:
    """Return the tally that each of some metrics reads, with its options beside the tally and beside rows.

    With `held`, one of the tallies at hand where one will do, also for losses of many rows, which are
    faster to read from the rows than from scores.
    """
    with_label = with_positive(metrics, ev.task.positive)
    with_options = [(metric, _options(ev, metric, options)) for metric, options in with_label]
    tallies = tallies_for(with_options, ev.readable)
    return [
        TalliedMetric(metric, *_read(ev, metric, options, tally, held=held))
        for (metric, options), tally in zip(with_options, tallies, strict=True)
    ]


def _read(
    ev: Evaluation, metric: Metric, row_options: dict[str, Any], tally: Tally | None, *, held: bool
) -> tuple[Tally, dict[str, Any], dict[str, Any]]:
    """Return the tally that a metric reads, its options beside the tally, and its options beside rows."""
    own = ev.by_name.get(tally_name(metric, row_options))  # a tally made for this metric alone
    if own is not None:
        return own, row_options, row_options
    labels = ev.by_name.get("label_scores")
    if isinstance(labels, ColumnTallies) and metric.of_scores and row_options.get("positive") is not None:
        tally_options = dict(row_options)
        return labels.of_label(tally_options.pop("positive")), tally_options, row_options
    if tally is not None and (held or metric.loss is None or ev.n <= MAX_ROWS_FOR_SKEWNESS):
        return tally, row_options, row_options
    if isinstance(tally, Scores) and ev.source_rows is None:
        tally_options = dict(row_options)
        parameters = {
            name: tally_options.pop(name) for name in metric.loss_parameters if name in tally_options
        }
        return tally.losses(metric.loss, **parameters), tally_options, row_options
    return _read_rows(ev, metric, row_options)


def tally_name(metric: Metric, options: dict[str, Any]) -> str:
    """Return the name of a tally that is made for one metric alone; a mean over rows has its own."""
    return f"samples_{metric.name}" if options.get("average") == "samples" else metric.name


def _options(ev: Evaluation, metric: Metric, options: dict[str, Any]) -> dict[str, Any]:
    """Return a metric's options with the depth of lists of this evaluation."""
    if metric.each is None:  # no mean over ranked lists
        return options
    lists = {"k": ev.settings.k, "empty": ev.settings.empty}
    return {name: value for name, value in lists.items() if value is not None} | options


def _read_rows(
    ev: Evaluation, metric: Metric, options: dict[str, Any]
) -> tuple[Tally, dict[str, Any], dict[str, Any]]:
    """Return the tally that a metric reads, made of the rows; raise where there are none."""
    # Only a metric of labels needs the predictions that a threshold makes of scores.
    from_source = ev.source_rows is not None and metric.reads.tally is not Confusion
    rows = ev.source_rows if from_source else ev.stored_rows
    if rows is None:
        outgrown = next((tally for tally in ev.tallies.tallies if isinstance(tally, BoundedTally)), None)
        if outgrown is not None and metric.reads.__name__ in _ROW_VIEWS.get(ev.task.name, ()):
            return outgrown, options, options
        raise MetricError(
            f"{metric.name} has nothing to read here: it is of another task than "
            f"{ev.task.title.lower()}, or needs the rows, of which only tallies are held."
        )
    if rows.weight is not None and metric.reads.tally is NumberPairs:
        return (
            BoundedTally.lost(len(rows), "ranks of weighted rows are not defined here"),
            options,
            options,
        )
    refuse_metrics_without_columns([MetricSpec(metric, options)], ev.task, rows)
    try:
        tally, tally_options = metric.tallied(rows, options)
    except ColumnError as error:
        reason = str(error).replace("rows()", "evaluate()")
        raise MetricError(f"{metric.name} has nothing to read here: {reason}") from None
    return tally, tally_options, options
