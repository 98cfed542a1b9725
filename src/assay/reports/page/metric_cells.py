"""Metrics as the page shows them: printed values, what they mean, and how they were computed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from assay.formatting.numbers import format_value
from assay.formatting.width import LINE, short
from assay.metrics import Undefined

if TYPE_CHECKING:
    from assay.inference.estimate import Estimate
    from assay.metrics import Metric
    from assay.reports.summary import Line

__all__ = ["metric_cell", "take_definitions", "texts"]

_OF_METRIC = ("label", "meaning", "formula", "notes", "also", "bounds", "undefined")  # whatever its value


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
        "label": line.title,
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


def take_definitions(models: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Take out of the metrics of models, and of their parts, what is the same for all; return it by name.

    >>> models = [{"metrics": [[{"name": "f1", "label": "F1", "text": ("0.5", None, None)}]], "parts": []}]
    >>> take_definitions(models), models[0]["metrics"]
    ({'f1': {'label': 'F1'}}, [[{'name': 'f1', 'text': ('0.5', None, None)}]])
    """
    definitions: dict[str, dict[str, Any]] = {}
    for owner in [part for model in models for part in (model, *model["parts"])]:
        for cell in (cell for group in owner["metrics"] for cell in group):
            own = {key: cell[key] for key in _OF_METRIC if key in cell}
            if definitions.setdefault(cell["name"], own) == own:
                for key in own:
                    del cell[key]
    return definitions
