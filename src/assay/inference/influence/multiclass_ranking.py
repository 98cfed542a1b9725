"""The influence of rows on multiclass AUC: the sum of their influences on the AUC of the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.inference.influence.class_average_auc import area_average, hand_till
from assay.inference.influence.influence import row_influence
from assay.inference.influence.ranking import ClassRows
from assay.metrics import Undefined, find
from assay.metrics.ranking.multiclass_auc import ClassRanks
from assay.tallies import ClassScores

if TYPE_CHECKING:
    from assay.inference.influence.influence import Influence
    from assay.inputs import Rows
    from assay.metrics import Metric
    from assay.tallies import Tally

__all__ = ["of_rows"]

_AVERAGE_OF = {"macro_auc": "macro", "weighted_auc": "weighted"}


@row_influence(ClassRanks)
def of_rows(
    metric: Metric, rows: Rows, options: dict[str, Any], tally: Tally | None = None
) -> Influence | None:
    """Return the influence of every row on an average of AUC."""
    value = metric(tally if isinstance(tally, ClassScores) else rows, **options)
    if isinstance(value, Undefined):
        return None
    class_rows = ClassRows(rows)
    if metric.name in _AVERAGE_OF:
        return area_average(class_rows, _AVERAGE_OF[metric.name], value)
    if metric.name == "micro_auc":
        return class_rows.micro_average(find("auc"), {})
    if metric.name == "hand_till_auc":
        return hand_till(class_rows, value, weighted=options.get("average") == "weighted")
    return None
