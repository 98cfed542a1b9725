"""Metrics of every class, label or output as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.numbers import format_count, format_interval, format_value
from assay.formatting.table import align_columns
from assay.formatting.width import short, widest
from assay.metrics import Undefined
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evaluation.per_class import ClassRow
    from assay.inference.estimate import Estimate

__all__ = ["drawn"]

_LABEL_WIDTH = 24
_METRICS_ON_A_LINE = 3  # with their intervals


def drawn(rows: Sequence[ClassRow], max_width: int = 80) -> Iterator[str]:
    """Yield the lines of a table.

    Where intervals do not fit beside the values, those of the first three metrics; or only the values.
    """
    if not rows:
        return
    first = [row._replace(metrics=row.metrics[:_METRICS_ON_A_LINE]) for row in rows]
    for chosen, intervals in ((rows, True), (first, True), (rows, False)):
        lines = _lines(chosen, intervals=intervals)
        if widest(lines) <= max_width:
            break
    yield from lines


def _lines(rows: Sequence[ClassRow], *, intervals: bool) -> list[str]:
    titles = [metric_title(name).split(" (")[0] for name, _ in rows[0].metrics]
    body = [
        [
            short(row.label, _LABEL_WIDTH),
            format_count(row.support),
            *(_cell(estimate, intervals=intervals) for _, estimate in row.metrics),
        ]
        for row in rows
    ]
    lines = align_columns([[rows[0].unit, "rows", *titles], *body], "lr" + "l" * len(titles))
    return [f" {line}" for line in lines]


def _cell(estimate: Estimate, *, intervals: bool) -> str:
    if isinstance(estimate.value, Undefined):
        return "undefined"
    text = format_value(estimate.value)
    return f"{text} {format_interval(estimate, digits=2)}".rstrip() if intervals else text
