"""Rows that may have several labels: metrics of whole label sets.

Label by label, every metric of one class serves: ``f1(tally, average="macro")`` of an
:class:`assay.LabelSets` tally, or ``positive=`` for one label.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from assay.metrics.arithmetic import ratio
from assay.metrics.metric import metric, need_tally
from assay.metrics.undefined import NO_ROWS
from assay.metrics.views.confusion import Binary
from assay.metrics.views.row_means import Mean
from assay.tallies import LabelSets, Losses

if TYPE_CHECKING:
    from assay.metrics.metric import Metric
    from assay.metrics.undefined import Value

__all__ = ["Sets", "over_rows"]


@dataclasses.dataclass(frozen=True, slots=True)
class Sets:
    """Number of rows, of rows whose labels are all predicted correctly, and of wrong labels."""

    n: Any
    exact: Any
    wrong: Any
    size: int

    tally = LabelSets
    title = "label sets"
    needs = "label sets"

    @classmethod
    def of(cls, tally: Any) -> Self:
        """Return the view of a label-set tally."""
        need_tally(tally, LabelSets)
        n, exact, _, fp, fn = tally.split(None if tally.weights is None else tally.weight())
        return cls(n, exact, (fp + fn).sum(-1), len(tally.labels))


@metric(
    reads=Sets, kind="proportion", bounds=(0, 1), best=1, undefined=NO_ROWS,
    aliases=("exact_match_ratio", "exact_match"),
)  # fmt: skip
def subset_accuracy(s: Sets) -> Any:
    """Share of rows whose label set is predicted exactly: ``exact / n``."""
    return ratio(s.exact, s.n)


@metric(
    reads=Sets, kind="counts", bounds=(0, 1), best=0, undefined="there are no rows or no labels",
    title="Hamming loss",
)  # fmt: skip
def hamming_loss(s: Sets) -> Any:
    """Share of all labels of all rows that are predicted wrongly: ``(fp + fn) / (n labels)``."""
    return ratio(s.wrong, s.n * s.size)


def over_rows(metric: Metric, *, actual: Any, predicted: Any, weight: Any = None, **parameters: Any) -> Value:
    """Return the mean over rows of a metric of each row's own labels (scikit-learn's "samples" average).

    `actual` and `predicted` are tables of 0 and 1, a column per label. A row without a value, such as the
    precision of one without predicted labels, makes the mean undefined.

    >>> from assay.metrics import f1
    >>> over_rows(f1, actual=[[1, 1, 0], [0, 1, 0]], predicted=[[1, 0, 0], [0, 1, 0]])
    0.8333333333333333
    """
    counts = Binary(*LabelSets.each_row(actual=actual, predicted=predicted))
    losses = Losses.of_values(metric.formula(counts, **parameters), weight, loss=f"{metric.name} of a row")
    view = Mean.of(losses)
    return metric.value(view.mean, view)
