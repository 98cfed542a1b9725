"""The figures of every class as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.width import left, right, short, width
from assay.metrics import Undefined
from assay.reports.summary import shown_interval, shown_name, shown_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evaluation.per_class import ClassRow
    from assay.inference.estimate import Estimate

__all__ = ["count_text", "drawn"]

_ROOM = 80
_LABEL = 24  # columns that a label takes at most
_LARGE = 1e15  # beyond which a sum of weights has no digits after the point


def drawn(rows: Sequence[ClassRow], room: int = _ROOM) -> Iterator[str]:
    """Yield the lines of a table; where intervals do not fit beside the values, only the values."""
    if not rows:
        return
    lines = list(_lines(rows, intervals=True))
    if max(map(width, lines)) > room:
        lines = list(_lines(rows, intervals=False))
    yield from lines


def _lines(rows: Sequence[ClassRow], *, intervals: bool) -> Iterator[str]:
    heads = ["class", "rows", *(shown_name(name).split(" (")[0] for name, _ in rows[0].metrics)]
    table = [
        [
            short(row.label, _LABEL),
            count_text(row.support),
            *(_cell(one, intervals=intervals) for _, one in row.metrics),
        ]
        for row in rows
    ]
    sizes = [max(width(row[place]) for row in [heads, *table]) for place in range(len(heads))]
    for row in [heads, *table]:
        cells = [left(row[0], sizes[0]), right(row[1], sizes[1])]
        cells += [left(text, size) for text, size in zip(row[2:], sizes[2:], strict=True)]
        yield f" {'  '.join(cells)}".rstrip()


def _cell(estimate: Estimate, *, intervals: bool) -> str:
    if isinstance(estimate.value, Undefined):
        return "undefined"
    text = shown_value(estimate.value)
    return f"{text} {shown_interval(estimate, digits=2)}".rstrip() if intervals else text


def count_text(number: float) -> str:
    """Return a count, or a sum of weights, as text.

    >>> count_text(1207), count_text(10.25)
    ('1,207', '10.2')
    """
    if isinstance(number, int):
        return f"{number:,}"
    return f"{number:,.1f}" if number < _LARGE else f"{number:.4g}"
