"""The influence of rows on multilabel metrics: a row moves the counts of every label at once.

A tally of label sets counts label by label. That is enough for one label and for whole sets; averages depend
on which labels are right and wrong together, which only the rows tell: see :func:`of_indicators`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.inference.influence.gradients import class_shares, class_slopes
from assay.inference.influence.influence import Influence, tally_influence
from assay.metrics import Binary, Undefined
from assay.metrics.averaging import pooled
from assay.tallies import LabelSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics import Metric

__all__ = ["of_indicators", "of_tally"]


@tally_influence(LabelSets)
def of_tally(metric: Metric, tally: Any, options: dict[str, Any]) -> Influence | None:
    """Return the influence of one label's four cells, or of rows wholly right and the others.

    None for averages over several labels and for the Hamming loss of several, which take the rows.
    """
    value = metric(tally, **options)
    if isinstance(value, Undefined):
        return None
    powers = [tally.weight(power) for power in ((1,) if tally.weights is None else (1, 2, 3))]
    if metric.name == "subset_accuracy":
        sums = [np.array([weights[1], weights[0] - weights[1]]) for weights in powers]
        return Influence(value, np.array([1 - value, -value]) / powers[0][0], *sums)
    single_label = len(tally.labels) == 1
    if metric.name == "hamming_loss" and single_label:
        wrong = [weights[3] + weights[4] for weights in powers]
        sums = [np.array([part, weights[0] - part]) for part, weights in zip(wrong, powers, strict=True)]
        return Influence(value, np.array([1 - value, -value]) / powers[0][0], *sums)
    if metric.reads is not Binary or (options.get("average") and not single_label):
        return None
    index = 0 if options.get("average") else tally.labels.index(options["positive"])
    cells = [_cells(tally, weights)[:, index] for weights in powers]
    return Influence(value, _label_slopes(metric, Binary(*cells[0]), options), *cells)


def of_indicators(
    metric: Metric,
    *,
    actual: Any,
    predicted: Any,
    labels: Any = None,
    weight: Any = None,
    tally: LabelSets | None = None,
    **options: Any,
) -> Influence | None:
    """Return the influence of every row of two tables of 0 and 1, a column per label.

    Rows of weight 0 have a slope like the others, and no mass. `tally` is that of the rows, where the caller
    has it already.

    >>> from assay.metrics import find
    >>> actual, predicted = [[1, 1, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
    >>> rows = of_indicators(find("hamming_loss"), actual=actual, predicted=predicted)
    >>> round(rows.value, 4), rows.slopes.round(4)
    (0.2222, array([ 0.037 , -0.0741,  0.037 ]))
    """
    if tally is None:
        tally = LabelSets.of_indicators(actual=actual, predicted=predicted, labels=labels, weight=weight)
    value = metric(tally, **options)
    if isinstance(value, Undefined):
        return None
    is_actual, is_predicted = (np.asarray(x) for x in (actual, predicted))
    each = Binary.each(tally)
    if metric.reads is Binary and not options.get("average"):  # of one label, only its column counts
        index = tally.labels.index(options["positive"])
        is_actual, is_predicted = (x[:, index : index + 1] for x in (is_actual, is_predicted))
        each = Binary(*(x[index : index + 1] for x in (each.tp, each.fp, each.fn, each.tn)))
    is_actual, is_predicted = is_actual.astype(bool), is_predicted.astype(bool)
    # Which of its four cells (tp, fp, fn, tn) a row is in, label by label.
    cells = np.stack(
        [
            is_actual & is_predicted,
            is_predicted & ~is_actual,
            is_actual & ~is_predicted,
            ~(is_actual | is_predicted),
        ]
    ).astype(np.float64)
    mass = np.ones(len(is_actual)) if weight is None else np.asarray(weight, dtype=np.float64)
    if metric.name in ("subset_accuracy", "hamming_loss"):
        wrong = cells[1] + cells[2]
        own = wrong.mean(1) if metric.name == "hamming_loss" else 1.0 - wrong.any(1)
        slopes: NDArray[Any] | None = (own - value) / float(mass.sum())
    else:
        slopes = _row_slopes(metric, each, cells, options) if metric.reads is Binary else None
    if slopes is None:
        return None
    return Influence.of_rows(value, slopes, None if weight is None else mass)


def _row_slopes(
    metric: Metric, each: Binary, cells: NDArray[Any], options: dict[str, Any]
) -> NDArray[np.float64] | None:
    """Return each row's slope from the cells it is in: one 0 or 1 by cell, row and label.

    Without an average there is one label.
    """
    average = options.get("average")
    parameters = {name: value for name, value in options.items() if name in metric.parameters}
    if average == "micro":
        slopes = _label_slopes(metric, pooled(each), options)
        return np.asarray(np.einsum("crl,c->r", cells, slopes))
    slopes = _label_slopes(metric, each, options)
    if not average:
        return np.asarray(slopes[:, 0] @ cells[:, :, 0])
    values = np.broadcast_to(metric.formula(each, **parameters), len(each.tp))
    labels = class_shares(average, values, each.positives, options.get("undefined", "strict"))
    if labels is None:
        return None
    weighted = np.where((labels.shares > 0) & ~np.isnan(slopes), slopes, 0.0) * labels.shares
    moved = (cells[0] + cells[2]) @ labels.moved  # a row also adds to the weight of every label it has
    return np.asarray(np.einsum("crl,cl->r", cells, weighted) + moved)


def _label_slopes(metric: Metric, counts: Binary, options: dict[str, Any]) -> NDArray[np.float64]:
    """Return a formula's slopes by tp, fp, fn and tn, one or one per label."""
    parameters = {name: value for name, value in options.items() if name in metric.parameters}
    slopes = class_slopes(lambda c: metric.formula(c, **parameters), counts)
    return np.stack([slopes.tp, slopes.fp, slopes.fn, slopes.tn])


def _cells(tally: LabelSets, values: NDArray[Any]) -> NDArray[np.float64]:
    n, _, tp, fp, fn = tally.split(values)
    return np.stack([tp, fp, fn, n - tp - fp - fn]).astype(np.float64)
