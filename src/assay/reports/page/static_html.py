"""A summary as a piece of HTML without scripts or styles: for notebooks, and where scripts do not run."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from assay.formatting.width import LINE, short
from assay.reports.summary import shown_interval, shown_name, shown_value

if TYPE_CHECKING:
    from assay.reports.summary import Summary

__all__ = ["as_still", "escaped"]

_MOST = 12  # classes whose counts are shown


def as_still(summary: Summary) -> str:
    """Return the summary as headings and tables."""
    parts = [f"<h3>{escaped(short(summary.title, LINE))}</h3>"]
    parts += [f"<p>{escaped(short(line, LINE))}</p>" for line in summary.heading]
    if summary.table and len(summary.labels) <= _MOST:
        heads = [escaped(short(label)) for label in summary.labels]
        parts.append("<table><caption>rows actual, columns predicted</caption><thead><tr><th></th>")
        parts += [f'<th scope="col">{head}</th>' for head in heads]
        parts.append("</tr></thead><tbody>")
        for head, row in zip(heads, summary.table, strict=True):
            cells = "".join(f"<td>{_count(one)}</td>" for one in row)
            parts.append(f'<tr><th scope="row">{head}</th>{cells}</tr>')
        parts.append("</tbody></table>")
    parts.append("<table><thead><tr>")
    parts += [f'<th scope="col">{head}</th>' for head in ("figure", "value", "interval", "method")]
    parts.append("</tr></thead><tbody>")
    for line in (one for group in summary.groups for one in group):
        told = line.estimate.method or line.estimate.note
        written = (shown_value(line.estimate.value), shown_interval(line.estimate), told)
        parts.append(f'<tr><th scope="row">{escaped(shown_name(line.name))}</th>')
        parts += [f"<td>{escaped(cell)}</td>" for cell in written]
        parts.append("</tr>")
    parts.append("</tbody></table>")
    parts += [f"<p>{escaped(short(remark, LINE))}</p>" for remark in summary.remarks]
    return "".join(parts)


def escaped(value: Any) -> str:
    """Return a value as text that is nothing but text in HTML, in elements and in attributes."""
    # Half of a pair of code units, which some files have in their labels, has no bytes in UTF-8.
    return html.escape(str(value).encode("utf-8", "backslashreplace").decode())


def _count(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"
