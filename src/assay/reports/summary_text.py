"""A summary as text of 80 columns, and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.reports.summary import shown_interval, shown_name, shown_value
from assay.reports.widths import clean, left, right, width, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.reports.summary import Line, Summary

__all__ = ["as_markdown", "as_text"]

_ROOM = 80
_NAME, _VALUE, _INTERVAL = 25, 8, 20
_MOST = 12  # classes whose table is drawn in a summary


def as_text(summary: Summary, *, room: int = _ROOM) -> str:
    """Return the summary in lines of at most so many columns."""
    lines = [line for text in (summary.title, *summary.heading) for line in wrapped(text, room)]
    if summary.table:
        lines += ["", *_table(summary, room)]
    for group in summary.groups:
        lines.append("")
        for line in group:
            lines += _figure(line, room)
    if summary.remarks:
        lines.append("")
        for remark in summary.remarks:
            lines += [f" {line}" for line in wrapped(remark, room - 1)]
    return "\n".join(lines)


def _figure(line: Line, room: int) -> Iterator[str]:
    estimate, name = line.estimate, shown_name(line.name)
    if not estimate.defined:
        yield from _indented(f" {left(name, _NAME)} {shown_value(estimate.value)}", room, _NAME + 2)
    else:
        interval, value = shown_interval(estimate), shown_value(estimate.value)
        told = estimate.method or estimate.note
        start = f" {left(name, _NAME)}{right(value, _VALUE)}  "
        yield from _indented(
            f"{start}{left(interval, _INTERVAL)} {told}".rstrip(), room, width(start) + _INTERVAL + 1
        )
    for remark in line.remarks:
        yield from _indented(f"   {remark}", room, 3)


def _indented(text: str, room: int, indent: int) -> Iterator[str]:
    """Yield a text in lines, the later ones indented; spaces within the first are kept."""
    if width(text) <= room:
        yield text
        return
    head, tail = text[:indent], text[indent:]
    for number, line in enumerate(wrapped(tail.strip(), room - indent)):
        yield (left(head, indent) if not number else " " * indent) + line


def _table(summary: Summary, room: int) -> Iterator[str]:
    labels = [clean(label) for label in summary.labels]
    if len(labels) > _MOST:
        yield f" {len(labels)} classes: the whole table is ev.confusion"
        return
    rows = [[*row, sum(row)] for row in summary.table]
    rows.append([sum(column) for column in zip(*rows, strict=True)])
    texts = [[_count(one) for one in row] for row in rows]
    heads = [*labels, "total"]
    first = max(map(width, [*heads, "actual"]))
    sizes = [max(width(head), *(width(row[place]) for row in texts)) + 2 for place, head in enumerate(heads)]
    if first + 1 + sum(sizes) > room:
        yield f" {len(labels)} classes: the whole table is ev.confusion"
        return
    yield f" {' ' * first}  predicted"
    for name, cells in zip(["actual", *heads], [heads, *texts], strict=True):
        placed = "".join(right(text, size) for text, size in zip(cells, sizes, strict=True))
        yield f" {left(name, first)}{placed}"


def _count(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def as_markdown(summary: Summary) -> str:
    """Return the summary as Markdown: headings, a table of counts, a table of figures, remarks."""
    lines = [f"## {_plain(summary.title)}", "", *map(_plain, summary.heading)]
    if summary.table and len(summary.labels) <= _MOST:
        heads = [_plain(clean(label)) for label in summary.labels]
        lines += [
            "",
            f"| actual \\ predicted | {' | '.join(heads)} | total |",
            "|---" * (len(heads) + 2) + "|",
        ]
        for head, row in zip(heads, summary.table, strict=True):
            cells = " | ".join(_count(one) for one in (*row, sum(row)))
            lines.append(f"| **{head}** | {cells} |")
    lines += ["", "| figure | value | interval | method |", "|---|---|---|---|"]
    for line in (one for group in summary.groups for one in group):
        told = line.estimate.method or line.estimate.note
        value, interval = shown_value(line.estimate.value), shown_interval(line.estimate)
        lines.append(f"| {' | '.join(map(_plain, (shown_name(line.name), value, interval, told)))} |")
    remarks = [
        *(remark for group in summary.groups for line in group for remark in line.remarks),
        *summary.remarks,
    ]
    if remarks:
        lines += ["", *(f"- {_plain(remark)}" for remark in remarks)]
    return "\n".join(lines)


def _plain(text: Any) -> str:
    """Return text that Markdown leaves as it is."""
    marked = str(text)
    for sign in "\\`*_{}[]<>#|":
        marked = marked.replace(sign, f"\\{sign}")
    return marked
