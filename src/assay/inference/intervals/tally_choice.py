"""Choose which of several tallies of the same rows a metric is computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.metrics import Binary, Ranks
from assay.metrics.classification.multilabel import Sets
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.tallies import ClassScores, Collection, ColumnTallies, LabelSets, Losses, Scores, Values
from assay.tallies.loss_arguments import positional_parameters

if TYPE_CHECKING:
    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = ["tally_for"]

_SINGLE_METRIC_TALLIES = (Losses, Values)  # of one metric each, and they do not say of which


def tally_for(metric: Metric, tallies: Collection, options: dict[str, Any]) -> Tally | None:
    """Return the tally of a collection that a metric with options can be computed from, else None.

    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0], score=[0.2, 0.9, 0.4])
    >>> both = assay.Collection.of(rows, {"labels": assay.Confusion, "ranks": assay.Scores})
    >>> [tally_for(assay.metrics.find(name), both, {}).kind for name in ("recall", "auc", "brier")]
    ['confusion', 'scores', 'scores']
    """
    candidates = (tally for tally in tallies.tallies if not isinstance(tally, _SINGLE_METRIC_TALLIES))
    return next((tally for tally in candidates if _serves(metric, tally, options)), None)


def _serves(metric: Metric, tally: Tally, options: dict[str, Any]) -> bool:
    """Return whether a metric with options can be computed from a tally."""
    if options.get("average") == "samples":  # a mean over rows
        return False
    if isinstance(tally, ColumnTallies):
        return _serves_columns(metric, tally, options)
    if metric.loss is not None:
        return isinstance(tally, Scores) and _reads_scores(metric)
    if isinstance(tally, LabelSets):
        return metric.reads in (Binary, Sets)
    if options.get("average") and metric.reads is Ranks:
        return isinstance(tally, ClassScores)
    return tally.kind == metric.reads.tally.kind and not isinstance(tally, Collection)


def _serves_columns(metric: Metric, tally: ColumnTallies, options: dict[str, Any]) -> bool:
    """Return whether an average over labels or outputs can be computed from the tallies of each."""
    kind = tally.tallies[0].kind if tally.tallies else ""
    if metric.reads is ClassRanks:
        return kind == Scores.kind
    if not options.get("average"):
        return False
    if metric.loss is not None:
        return kind == Scores.kind and _reads_scores(metric)
    return bool(kind == metric.reads.tally.kind)


def _reads_scores(metric: Metric) -> bool:
    """Return whether a loss needs only what a tally of scores has."""
    return {"positive"} < set(positional_parameters(metric.loss)) <= {"positive", "score", "probability"}
