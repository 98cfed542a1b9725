"""The page of a result without scripts: its words, its tables, and intervals drawn beside them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from assay.formatting.numbers import format_value
from assay.formatting.result_table import IntervalCell, escape_html
from assay.formatting.width import clean
from assay.hints import render
from assay.reports.page.document import as_still_html

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.formatting.result_table import ResultTable
    from assay.reports.text.result_text import ResultParts

__all__ = ["result_html"]

_STYLES: Final = ("reports/page/page.css", "reports/page/result.css")
_WIDTH: Final = 180  # pixels of the strip on which the intervals of a column are drawn
_HEIGHT: Final = 18
_MIDDLE: Final = _HEIGHT // 2
_MARGIN: Final = 6
_MAX_ROWS: Final = 500  # of a table; the data have all


def result_html(parts: ResultParts, heading: str) -> str:
    """Return the document of a result under a heading; it has no scripts and loads nothing."""
    blocks = [
        f'<header><div><h1>{_text(heading)}</h1><p class="facts">{_text(parts.title)}</p></div></header>'
    ]
    if parts.conclusions:
        blocks.append(_section("What it shows", _paragraphs(parts.conclusions)))
    blocks += [_section(_title(table), _table(table)) for table in parts.tables]
    if parts.notes:
        blocks.append(_section("Notes", _paragraphs(parts.notes)))
    return as_still_html(heading, "".join(blocks), _STYLES)


def _text(words: str) -> str:
    return escape_html(clean(render(words)))


def _section(title: str, body: str) -> str:
    return f"<section>{f'<h2>{_text(title)}</h2>' if title else ''}{body}</section>"


def _title(table: ResultTable) -> str:
    return table.title[:1].upper() + table.title[1:]


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{_text(text)}</p>" for text in texts)


def _table(table: ResultTable) -> str:
    """Return a table; where a column holds intervals, a column in which they are drawn follows it."""
    strips = [_strips(name, column) for name, column in table.printed.items()]
    kinds = [' class="number"' if numeric else "" for numeric in table.numeric]
    heads = []
    for head, kind, drawn in zip(table.heads, kinds, strips, strict=True):
        heads.append(f'<th scope="col"{kind}>{escape_html(head)}</th>')
        if drawn:
            heads.append('<th scope="col"><span class="hidden">drawn</span></th>')
    rows = []
    for at, row in enumerate(table.body[:_MAX_ROWS]):
        cells = [f'<th scope="row">{escape_html(row[0])}</th>']
        for cell, kind, drawn in zip(row[1:], kinds[1:], strips[1:], strict=True):
            cells.append(f"<td{kind}>{escape_html(cell)}</td>")
            if drawn:
                cells.append(f"<td>{drawn[at]}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    left_out = len(table) - _MAX_ROWS
    rest = f'<p class="quiet">{left_out:,} more rows are in the data.</p>' if left_out > 0 else ""
    return (
        f'<div class="scroll"><table class="result"><thead><tr>{"".join(heads)}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{rest}"
    )


def _strips(name: str, column: Sequence[object]) -> list[str]:
    """Return a drawing of every interval of a column on one scale; none where no cell has limits."""
    cells = [cell if isinstance(cell, IntervalCell) else IntervalCell(None) for cell in column]
    numbers = [number for cell in cells if cell.low is not None for number in cell
               if number is not None and math.isfinite(number)]  # fmt: skip
    if numbers and name == "difference":
        numbers.append(0.0)
    if not numbers or min(numbers) == max(numbers):
        return []
    scale = _Scale(min(numbers), max(numbers))
    return [_strip(cell, scale) for cell in cells]


class _Scale(NamedTuple):
    """The numbers at both ends of a strip."""

    low: float
    high: float

    def across(self, number: float) -> str:
        """Return how many pixels from the left a number is."""
        share = min(max((number - self.low) / (self.high - self.low), 0.0), 1.0)
        return f"{_MARGIN + share * (_WIDTH - 2 * _MARGIN):.1f}"


def _strip(cell: IntervalCell, scale: _Scale) -> str:
    if cell.value is None or cell.low is None or cell.high is None:
        return ""
    words = escape_html(
        f"{format_value(cell.value)}, from {format_value(cell.low)} to {format_value(cell.high)}"
    )
    left, middle, right = (scale.across(number) for number in (cell.low, cell.value, cell.high))
    shapes = ""
    if scale.low <= 0 <= scale.high:
        at = scale.across(0.0)
        shapes = f'<line class="zero" x1="{at}" x2="{at}" y1="0" y2="{_HEIGHT}"/>'
    shapes += f'<line x1="{left}" x2="{right}" y1="{_MIDDLE}" y2="{_MIDDLE}"/>'
    shapes += f'<circle cx="{middle}" cy="{_MIDDLE}" r="4"/>'
    size = f'width="{_WIDTH}" height="{_HEIGHT}"'
    return f'<svg class="strip" role="img" aria-label="{words}" {size}>{shapes}</svg>'
