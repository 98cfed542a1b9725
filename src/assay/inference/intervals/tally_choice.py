"""Which of several tallies of the same rows a metric is read from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.metrics import Binary, Ranks
from assay.metrics.classification.multilabel import Sets
from assay.tallies import ClassScores, Collection, LabelSets, Losses, Scores, Values
from assay.tallies.loss_arguments import asked_for

if TYPE_CHECKING:
    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = ["tally_for"]

_OWN = (Losses, Values)  # tallies of one metric alone: they do not tell whose


def tally_for(metric: Metric, tallies: Collection, options: dict[str, Any]) -> Tally | None:
    """Return the tally of a collection that a metric with options can be read from; None if there is none.

    >>> import assay
    >>> rows = assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0], score=[0.2, 0.9, 0.4])
    >>> both = assay.Collection.of(rows, {"labels": assay.Confusion, "ranks": assay.Scores})
    >>> [tally_for(assay.metrics.find(name), both, {}).kind for name in ("recall", "auc", "brier")]
    ['confusion', 'scores', 'scores']
    """
    return next(
        (one for one in tallies.tallies if not isinstance(one, _OWN) and _serves(metric, one, options)), None
    )


def _serves(metric: Metric, tally: Tally, options: dict[str, Any]) -> bool:
    """Tell whether a metric with options can be read from a tally."""
    if metric.loss is not None:
        return isinstance(tally, Scores) and _reads_scores(metric)
    if isinstance(tally, LabelSets):
        return metric.reads in (Binary, Sets)
    if options.get("average") and metric.reads is Ranks:
        return isinstance(tally, ClassScores)
    return tally.kind == metric.reads.tally.kind and not isinstance(tally, Collection)


def _reads_scores(metric: Metric) -> bool:
    return {"positive"} < set(asked_for(metric.loss)) <= {"positive", "score", "probability"}
