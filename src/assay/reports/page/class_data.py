"""The classes of a page: the table of counts, the most confused pairs, each class's metrics and curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.evaluation.per_class import class_metrics
from assay.formatting.width import short
from assay.inference.intervals.choose_interval import estimate_tally
from assay.metrics import find
from assay.metrics.spec import metric_title
from assay.reports.page.charts import of_class
from assay.reports.page.metric_cells import texts
from assay.tallies import ClassScores, Confusion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.evaluation.evaluation import Evaluation
    from assay.inference.estimate import Estimate

__all__ = ["class_curves", "class_table_data", "confused_pairs", "heat_map", "label_counts", "rank_errors"]

_MAX_CELLS = 60  # classes whose counts are drawn; the others are taken together
_MAX_CLASSES = 500  # classes of a model that have a line of their own
_MAX_CLASS_LINES = 2_000  # of all models of a page: each takes about 250 bytes
_MAX_PAIRS = 15  # confused pairs of classes
_MAX_CURVES = 60  # classes of a model whose curves are in the file: each takes about 3 KB
_MAX_CLASS_CURVES = 240  # of all models of a page
_MAX_BANDS = 12  # classes whose calibration has a band: each takes some 20 ms
_SCORE_METRICS = ("auc", "average_precision")


def heat_map(labels: Sequence[Any], counts: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Return the table of counts, of at most 60 classes: the largest, and all others as one.

    >>> heat_map(["a", "b"], [[3, 1], [0, 2]])
    {'labels': ['a', 'b'], 'counts': [[3, 1], [0, 2]], 'others': 0}
    """
    table = np.asarray(counts)
    names = [short(label) for label in labels]
    if len(names) <= _MAX_CELLS:
        return {"labels": names, "counts": table.tolist(), "others": 0}
    size = table.sum(axis=0) + table.sum(axis=1)
    chosen = np.sort(np.argsort(-size, kind="stable")[: _MAX_CELLS - 1])
    index = np.full(len(names), _MAX_CELLS - 1)
    index[chosen] = np.arange(len(chosen))
    smaller = np.zeros((_MAX_CELLS, _MAX_CELLS), dtype=table.dtype)
    np.add.at(smaller, (index[:, None], index[None, :]), table)
    others = len(names) - len(chosen)
    names = [*(names[at] for at in chosen), f"{others:,} others"]
    return {"labels": names, "counts": smaller.tolist(), "others": others}


def label_counts(ev: Evaluation) -> tuple[Sequence[Any], NDArray[Any]] | None:
    """Return the labels in the task's order and the table of counts or weights; None where there is none."""
    table = ev.tallies.get("confusion")
    if not isinstance(table, Confusion):
        return None
    labels = ev.task.labels if set(ev.task.labels) == set(table.labels) else table.labels
    order = [table.labels.index(label) for label in labels]
    cells = table.table() if table.weights is None else table.table(table.weight())
    return labels, cells[np.ix_(order, order)]


def confused_pairs(labels: Sequence[Any], counts: NDArray[Any]) -> dict[str, Any]:
    """Return the most frequent errors: actual class, predicted class, rows, and their share of the actual.

    >>> confused_pairs(["a", "b"], np.array([[3, 1], [0, 2]]))["rows"]
    [['a', 'b', 1, 0.25]]
    """
    errors = np.array(counts)
    np.fill_diagonal(errors, 0)
    order = np.argsort(-errors, axis=None, kind="stable")[:_MAX_PAIRS]
    totals = counts.sum(axis=1)
    rows = [
        [short(labels[i]), short(labels[j]), errors[i, j].item(), float(errors[i, j] / totals[i])]
        for i, j in zip(*np.unravel_index(order, errors.shape), strict=True)
        if errors[i, j] > 0
    ]
    return {
        "rows": rows,
        "left_out": int(np.count_nonzero(errors)) - len(rows),
        "errors": errors.sum().item(),
    }


def rank_errors(counts: NDArray[Any]) -> list[float]:
    """Return, for ordered classes, how many rows are so many grades away from the actual one.

    >>> rank_errors(np.array([[3, 1, 2], [0, 2, 0], [0, 1, 4]]))
    [9, 2, 2]
    """
    size = len(counts)
    away = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    sums = np.zeros(size, dtype=counts.dtype)
    np.add.at(sums, away, counts)
    return sums.tolist()  # type: ignore[no-any-return]


def class_table_data(ev: Evaluation, *, models: int = 1) -> dict[str, Any] | None:
    """Return the metrics of each class against the rest, label or output, as ``ev.classes`` has them.

    Of many classes they are the largest; so many `models` share the page.
    """
    names = class_metrics(ev)
    if not names:
        return None
    table = ev.classes
    labels = list(table)
    max_classes = min(_MAX_CLASSES, _MAX_CLASS_LINES // models)
    if len(labels) > max_classes:
        largest = set(sorted(labels, key=lambda label: -table.support[label])[:max_classes])
        labels = [label for label in labels if label in largest]
    of_scores = score_metrics(ev, labels)
    rows = [
        {
            "name": short(label),
            "n": table.support[label],
            "metrics": {metric_title(name): texts(table[label][name]) for name in names}
            | {metric_title(name): texts(estimate) for name, estimate in of_scores.get(label, {}).items()},
        }
        for label in labels
    ]
    names = (*names, *(_SCORE_METRICS if of_scores else ()))
    return {
        "metrics": [metric_title(name) for name in names],
        "directions": [1 if find(name).higher_is_better else -1 for name in names],
        "rows": rows,
        "left_out": len(table) - len(rows),
    }


def score_metrics(ev: Evaluation, labels: Sequence[Any]) -> dict[Any, dict[str, Estimate]]:
    """Return AUC and average precision of classes against the rest, by their scores.

    Rows in groups have none: their tally of scores does not know the groups.
    """
    tally = ev.tallies.get("class_scores")
    if not isinstance(tally, ClassScores) or ev.settings.group:
        return {}
    metrics = [(name, find(name)) for name in _SCORE_METRICS]
    by_label = {}
    for label in labels:
        scores = tally.against_rest(label)
        by_label[label] = {
            name: estimate_tally(metric, scores, {}, confidence=ev.settings.confidence)
            for name, metric in metrics
        }
    return by_label


def class_curves(ev: Evaluation, *, models: int = 1) -> list[dict[str, Any]]:
    """Return the curves of each class against the rest, of the largest where there are many."""
    tally = ev.tallies.get("class_scores")
    if not isinstance(tally, ClassScores):
        return []
    sizes = dict(zip(tally.labels, tally.class_weights.tolist(), strict=True))
    labels = ev.task.labels if set(ev.task.labels) == set(tally.labels) else tally.labels
    largest = set(
        sorted(labels, key=lambda label: -sizes[label])[: min(_MAX_CURVES, _MAX_CLASS_CURVES // models)]
    )
    confidence = ev.settings.confidence if len(labels) <= _MAX_BANDS else None
    curves = []
    for label in labels:
        if label not in largest:
            continue
        try:
            scores = tally.against_rest(label)
            shapes = of_class(scores, probabilities=bool(ev.are_probabilities), confidence=confidence)
        except MetricError:  # the class, or the rest, has no rows
            continue
        shapes["precision_recall"]["base"] = round(sizes[label] / sum(sizes.values()), 5)
        curves.append({"name": short(label), "n": sizes[label], "of": sum(sizes.values()), **shapes})
    return curves
