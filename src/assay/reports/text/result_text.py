"""A result as text: a title, its tables one below the other, notes, and what they show in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.table import paragraph
from assay.formatting.width import clean
from assay.hints import render

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.formatting.result_table import ResultTable

__all__ = ["draw_result"]


def draw_result(
    title: str,
    tables: Iterable[ResultTable],
    notes: Iterable[str] = (),
    conclusions: Iterable[str] = (),
    *,
    width: int = 80,
) -> str:
    """Return the parts of a result as lines of at most so many columns."""
    parts = [paragraph(clean(title), max_width=width)]
    parts += [table.to_text(width=width) for table in tables]
    written = [line for note in notes for line in paragraph(clean(render(note)), max_width=width, indent=2)]
    said = [line for text in conclusions for line in paragraph(clean(render(text)), max_width=width)]
    return "\n\n".join("\n".join(part) for part in [*parts, written, said] if part)
