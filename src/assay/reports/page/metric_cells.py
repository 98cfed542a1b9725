"""Metrics as the page shows them: printed values, what they mean, and how they were computed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.formatting.numbers import format_value
from assay.formatting.width import LINE, short
from assay.inference.intervals.choose_interval import estimate_tally
from assay.metrics import Undefined, find
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inference.estimate import Estimate
    from assay.metrics import Metric
    from assay.reports.summary import Line
    from assay.tallies import Confusion

__all__ = ["class_cells", "heat_map", "metric_cell", "slice_table", "texts"]

_CELLS = 20  # classes whose counts are drawn; the others are taken together
_CLASSES = 200  # classes that have a line of their own


def texts(estimate: Estimate) -> tuple[str | None, str | None, str | None]:
    """Return a value and its limits as they are printed, None for what there is not."""
    numbers = (estimate.value, estimate.low, estimate.high)
    return tuple(  # type: ignore[return-value]
        None if value is None or isinstance(value, Undefined) else format_value(value) for value in numbers
    )


def metric_cell(line: Line, metric: Metric) -> dict[str, Any]:
    """Return one metric: its printed value and interval, meaning, formula and remarks."""
    estimate = line.estimate
    words = estimate.method or estimate.note if estimate.defined else repr(estimate.value)
    reason = metric.undefined if isinstance(metric.undefined, str) else (metric.undefined.__doc__ or "")
    return {
        "name": line.name,
        "label": metric_title(line.name),
        "text": texts(estimate),
        "words": short(words, LINE) if words else "",
        "remarks": [short(remark, LINE) for remark in line.remarks],
        "meaning": metric.meaning,
        "formula": metric.expression,
        "notes": metric.notes,
        "also": list(metric.aliases),
        "bounds": [bound if math.isfinite(bound) else None for bound in metric.bounds],
        "undefined": reason.rstrip("."),
    }


def heat_map(labels: Sequence[Any], counts: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Return the table of counts, of at most 20 classes: the largest, and all others as one.

    >>> heat_map(["a", "b"], [[3, 1], [0, 2]])
    {'labels': ['a', 'b'], 'counts': [[3, 1], [0, 2]], 'others': 0}
    """
    table = np.asarray(counts)
    names = [short(label) for label in labels]
    if len(names) > _CELLS:
        size = table.sum(axis=0) + table.sum(axis=1)
        kept = np.sort(np.argsort(-size, kind="stable")[: _CELLS - 1])
        place = np.full(len(names), _CELLS - 1)
        place[kept] = np.arange(len(kept))
        smaller = np.zeros((_CELLS, _CELLS), dtype=table.dtype)
        np.add.at(smaller, (place[:, None], place[None, :]), table)
        others = len(names) - len(kept)
        names, table = [*(names[index] for index in kept), f"{others:,} others"], smaller
        return {"labels": names, "counts": table.tolist(), "others": others}
    return {"labels": names, "counts": table.tolist(), "others": 0}


def class_cells(tally: Confusion, labels: Sequence[Any], confidence: float) -> dict[str, Any]:
    """Return precision, recall and F1 of each class against the rest, as a table of slices."""
    names = ("precision", "recall", "f1")
    totals = dict(zip(tally.labels, tally.actual_totals.tolist(), strict=True))
    largest = sorted(labels, key=lambda label: -totals.get(label, 0))[:_CLASSES]
    kept = [label for label in labels if label in set(largest)]
    rows = [
        {
            "name": short(label),
            "n": totals.get(label, 0),
            "metrics": {
                metric_title(name): texts(
                    estimate_tally(find(name), tally, {"positive": label}, confidence=confidence)
                )
                for name in names
            },
        }
        for label in kept
    ]
    return _sortable(names, rows, len(labels))


def slice_table(slices: Sequence[Any]) -> dict[str, Any]:
    """Return slices as the page has them, of ``{"name", "n", "metrics": {metric: [value, low, high]}}``.

    A number may be None where there is none; a ``"note"`` is shown below the name.

    >>> slice_table([{"name": "Monday", "n": 12, "metrics": {"recall": [0.5, 0.25, 0.75]}}])["rows"][0]
    {'name': 'Monday', 'n': 12, 'note': '', 'metrics': {'recall (TPR)': ('0.5000', '0.2500', '0.7500')}}
    """
    names = list(dict.fromkeys(name for part in slices for name in part["metrics"]))
    rows = [
        {
            "name": short(part["name"]),
            "n": int(part["n"]),
            "note": short(part["note"], LINE) if part.get("note") else "",
            "metrics": {
                metric_title(name): tuple(map(_shown, numbers)) for name, numbers in part["metrics"].items()
            },
        }
        for part in slices[: 5 * _CLASSES]
    ]
    return _sortable(names, rows, len(slices))


def _sortable(names: Sequence[str], rows: list[dict[str, Any]], known: int) -> dict[str, Any]:
    return {"metrics": [metric_title(name) for name in names], "rows": rows, "left_out": known - len(rows)}


def _shown(number: Any) -> str | None:
    missing = number is None or isinstance(number, Undefined) or math.isnan(number)
    return None if missing else format_value(float(number))
