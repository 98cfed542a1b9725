"""An evaluation as HTML within other documents: as tables without scripts, and in notebooks as the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.numbers import format_interval, format_value
from assay.formatting.result_table import escape_html
from assay.formatting.width import LINE, short

if TYPE_CHECKING:
    from assay.reports.summary import Summary

__all__ = ["as_notebook", "as_still"]

_MAX_CLASSES = 12  # whose counts are shown
_FRAME_HEIGHT = 720  # pixels: a slider and its counts at once


def as_still(summary: Summary) -> str:
    """Return the summary as headings and tables."""
    parts = [f"<h3>{escape_html(short(summary.title, LINE))}</h3>"]
    parts += [f"<p>{escape_html(short(line, LINE))}</p>" for line in summary.heading]
    if summary.table and len(summary.labels) <= _MAX_CLASSES:
        heads = [escape_html(short(label)) for label in summary.labels]
        parts.append("<table><caption>rows actual, columns predicted</caption><thead><tr><th></th>")
        parts += [f'<th scope="col">{head}</th>' for head in heads]
        parts.append("</tr></thead><tbody>")
        for head, row in zip(heads, summary.table, strict=True):
            cells = "".join(f"<td>{_count(count)}</td>" for count in row)
            parts.append(f'<tr><th scope="row">{head}</th>{cells}</tr>')
        parts.append("</tbody></table>")
    parts.append("<table><thead><tr>")
    parts += [f'<th scope="col">{head}</th>' for head in ("metric", "value", "interval", "method")]
    parts.append("</tr></thead><tbody>")
    for line in (line for group in summary.groups for line in group):
        method = line.estimate.method or line.estimate.note
        texts = (format_value(line.estimate.value), format_interval(line.estimate), method)
        parts.append(f'<tr><th scope="row">{escape_html(line.title)}</th>')
        parts += [f"<td>{escape_html(cell)}</td>" for cell in texts]
        parts.append("</tr>")
    parts.append("</tbody></table>")
    parts += [f"<p>{escape_html(short(remark, LINE))}</p>" for remark in summary.remarks]
    return "".join(parts)


def as_notebook(page: str, still: str) -> str:
    """Return a whole page in a frame of its own, and below it, folded, the tables that need no scripts.

    The frame may run the page's script and save files; it shares nothing with the notebook around it. A
    viewer that takes frames out, or a notebook that is not trusted, leaves the tables.

    >>> as_notebook("<p>page</p>", "<p>tables</p>").count("<p>")
    1
    """
    frame = (
        f'<iframe sandbox="allow-scripts allow-downloads" title="evaluation" srcdoc="{escape_html(page)}" '
        f'style="width: 100%; height: {_FRAME_HEIGHT}px; border: 0"></iframe>'
    )
    return f"{frame}<details><summary>As plain tables</summary>{still}</details>"


def _count(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"
