"""Precision, recall and F1 of every class as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.numbers import format_count, format_interval, format_value
from assay.formatting.table import align_columns
from assay.formatting.width import short, width
from assay.metrics import Undefined
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evaluation.per_class import ClassRow
    from assay.inference.estimate import Estimate

__all__ = ["drawn"]

_LABEL_WIDTH = 24


def drawn(rows: Sequence[ClassRow], room: int = 80) -> Iterator[str]:
    """Yield the lines of a table; where intervals do not fit beside the values, only the values."""
    if not rows:
        return
    lines = _lines(rows, intervals=True)
    if max(map(width, lines)) > room:
        lines = _lines(rows, intervals=False)
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
    lines = align_columns([["class", "rows", *titles], *body], "lr" + "l" * len(titles))
    return [f" {line}" for line in lines]


def _cell(estimate: Estimate, *, intervals: bool) -> str:
    if isinstance(estimate.value, Undefined):
        return "undefined"
    text = format_value(estimate.value)
    return f"{text} {format_interval(estimate, digits=2)}".rstrip() if intervals else text
