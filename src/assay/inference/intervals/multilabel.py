"""Intervals for multilabel rows, whose labels are right and wrong together."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import LengthError
from assay.inference.estimate import Estimate
from assay.inference.formulas.effective_proportions import ClusterCells
from assay.inference.formulas.proportions import check_confidence
from assay.inference.influence.multilabel import of_indicators
from assay.inference.intervals.choose_interval import answer_request
from assay.inference.intervals.confusion_rates import cell_numbers, cell_weights
from assay.inference.intervals.interval_request import IntervalRequest
from assay.inputs import rows
from assay.inputs.labels import encode
from assay.metrics import Binary, Metric, Undefined, find
from assay.tallies import LabelSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inference.influence.influence import Influence
    from assay.inputs import Rows

__all__ = ["label_sets_estimate"]


@dataclasses.dataclass(frozen=True, eq=False)
class _LabelSetsRequest(IntervalRequest):
    """A request with the rows' influence, and the weights of one label's cells (tp, fp, fn, tn)."""

    known: Influence | None = None
    cells: ClusterCells | None = None

    @property
    def influence(self) -> Influence | None:
        """The influence of the rows."""
        return self.known


def label_sets_estimate(
    metric: Metric | str,
    *,
    actual: Any,
    predicted: Any,
    labels: Any = None,
    weight: Any = None,
    group: Any = None,
    tally: LabelSets | None = None,
    confidence: float = 0.95,
    method: str | None = None,
    **options: Any,
) -> Estimate:
    """Return a metric's value with its interval for rows of several labels: two tables of 0 and 1.

    A tally of label sets has no interval for averages over labels: only the rows say which labels are right
    together. `tally` is that of the rows, where the caller has it already. `options` are the metric's
    own, ``average=`` or ``positive=`` among them.

    >>> actual = [[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1]] * 9
    >>> predicted = [[1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1]] * 9
    >>> label_sets_estimate("f1", actual=actual, predicted=predicted, average="micro")
    0.8333 [0.7697, 0.8821]
    """
    known = metric if isinstance(metric, Metric) else find(metric)
    check_confidence(confidence)
    tables = [np.asarray(table) for table in (actual, predicted)]
    given = {"weight": weight, "group": group}
    columns = {name: column for name, column in given.items() if column is not None}
    about = rows(actual=np.zeros(len(tables[0]), dtype=np.int64), **columns)
    if about.origin is not None:  # rows of weight 0 were dropped
        tables = [table[about.origin] for table in tables]
    row_weights = None if about.weight is None else about.weight.values
    if len({len(table) for table in tables}) > 1:
        raise LengthError(f"actual has {len(tables[0]):,} rows, predicted has {len(tables[1]):,}.")
    inputs: dict[str, Any] = {
        "actual": tables[0],
        "predicted": tables[1],
        "labels": labels,
        "weight": row_weights,
    }
    if tally is None:
        tally = LabelSets.of_indicators(**inputs)
    value = known(tally, **options)
    if isinstance(value, Undefined):
        return Estimate(value, None, None, confidence, "", tally.n)
    influences = of_indicators(known, **inputs, tally=tally, **options)
    cells = None
    if known.reads is Binary and not options.get("average"):
        index = tally.labels.index(options["positive"])
        cells = _label_cells(tables[0][:, index] != 0, tables[1][:, index] != 0, about)
    request = _LabelSetsRequest(
        known, value, tally, options, confidence, about, options, known=influences, cells=cells
    )
    return answer_request(request, method)


def _label_cells(actual: NDArray[Any], predicted: NDArray[Any], about: Rows) -> ClusterCells:
    """Return the weight of the tp, fp, fn and tn of one label, in all and by group."""
    cells = cell_numbers(actual, predicted)
    weight = np.ones(len(cells)) if about.weight is None else about.weight.values
    squares = None if about.weight is None else cell_weights(cells, weight**2, 4)
    clusters = None
    if about.group is not None:
        codes, groups = encode(about.group)
        clusters = cell_weights(codes.astype(np.intp) * 4 + cells, weight, 4 * len(groups)).reshape(-1, 4)
    return ClusterCells(cell_weights(cells, weight, 4), squares, clusters)
