"""A summary as text of 80 columns, and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.formatting.width import clean, left, right, short, width, wrapped
from assay.reports.summary import shown_interval, shown_name, shown_value
from assay.reports.text.per_class import count_text, drawn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.reports.summary import Line, Summary

__all__ = ["as_markdown", "as_text"]

_ROOM = 80
_MOST = 12  # classes whose table is drawn in a summary
_LINES = 2  # that a sentence takes in a summary of one screen
_LABEL = 24  # columns that a label takes at most in the table


def as_text(summary: Summary, *, room: int = _ROOM, full: bool = False) -> str:
    """Return the summary in lines of at most so many columns.

    Each figure takes one line, and what does not fit is cut; with `full` nothing is, and notes are told.
    """
    most = None if full else _LINES
    lines = [line for text in (summary.title, *summary.heading) for line in _within(text, room, most)]
    if summary.table:
        lines += ["", *_table(summary, room)]
    sizes = _sizes(summary)
    for group in summary.groups:
        lines.append("")
        for line in group:
            lines += _figure(line, sizes, room, full=full)
    if summary.classes:
        lines += ["", *drawn(summary.classes, room)]
    if summary.remarks:
        lines.append("")
        for remark in summary.remarks:
            lines += [f" {line}" for line in _within(remark, room - 1, most)]
    return "\n".join(lines)


def _within(text: str, room: int, most: int | None) -> list[str]:
    """Return a text in so many lines at most; what does not fit is cut."""
    lines = wrapped(text, room)
    if most is None or len(lines) <= most:
        return lines
    return [*lines[: most - 1], _cut(" ".join(lines[most - 1 :]), room)]


def _sizes(summary: Summary) -> tuple[int, int, int]:
    """Return how wide names, values and intervals are."""
    told = [line for group in summary.groups for line in group]
    with_value = [line.estimate for line in told if line.estimate.defined]
    return (
        max((width(shown_name(line.name)) for line in told), default=0),
        max((width(shown_value(one.value)) for one in with_value), default=0),
        max((width(shown_interval(one)) for one in with_value), default=0),
    )


def _figure(line: Line, sizes: tuple[int, int, int], room: int, *, full: bool) -> Iterator[str]:
    estimate, name = line.estimate, left(shown_name(line.name), sizes[0])
    if not estimate.defined:
        text = f" {name}  {shown_value(estimate.value)}"
        indent = sizes[0] + 3
    else:
        start = f" {name}  {right(shown_value(estimate.value), sizes[1])}  "
        told = estimate.method or "no interval"
        text = f"{start}{left(shown_interval(estimate), sizes[2])}  {told}"
        indent = width(start) + sizes[2] + 2
    yield from _indented(text, room, indent) if full else [_cut(text, room)]
    for remark in line.remarks:
        yield from _indented(f"   {remark}", room, 3) if full else [_cut(f"   {remark}", room)]
    for note in line.notes if full else ():
        yield from _indented(f"   {note}", room, 3)


def _cut(text: str, room: int) -> str:
    """Return the text on one line: what does not fit is left out, and three dots say so."""
    if width(text) <= room:
        return text
    kept = ""
    for char in text:
        if width(kept + char) > room - 1:
            break
        kept += char
    return f"{kept.rstrip()}…"


def _indented(text: str, room: int, indent: int) -> Iterator[str]:
    """Yield a text in lines, the later ones indented; spaces within the first are kept."""
    if width(text) <= room:
        yield text
        return
    head, tail = text[:indent], text[indent:]
    for number, line in enumerate(wrapped(tail.strip(), room - indent)):
        yield (left(head, indent) if not number else " " * indent) + line


def _table(summary: Summary, room: int) -> Iterator[str]:
    rows = [[*row, sum(row)] for row in summary.table]
    rows.append([sum(column) for column in zip(*rows, strict=True)])
    texts = [[count_text(one) for one in row] for row in rows]
    widest = [max(width(row[place]) for row in texts) for place in range(len(texts))]
    fair = (room - 3 - max(widest[-1], len("total"))) // len(texts) - 2  # what each label may take
    labels = [short(label, max(min(fair, _LABEL), *widest[:-1])) for label in summary.labels]
    heads = [*labels, "total"]
    first = max(map(width, [*heads, "actual"]))
    sizes = [max(width(head), size) + 2 for head, size in zip(heads, widest, strict=True)]
    if len(labels) > _MOST or first + 1 + sum(sizes) > room or len(set(labels)) < len(labels):
        yield f" {len(labels)} classes: the whole table is ev.confusion"
        return
    yield f" {' ' * first}  predicted"
    for name, cells in zip(["actual", *heads], [heads, *texts], strict=True):
        placed = "".join(right(text, size) for text, size in zip(cells, sizes, strict=True))
        yield f" {left(name, first)}{placed}"


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
            cells = " | ".join(count_text(one) for one in (*row, sum(row)))
            lines.append(f"| **{head}** | {cells} |")
    lines += ["", "| figure | value | interval | method |", "|---|---|---|---|"]
    for line in (one for group in summary.groups for one in group):
        told = line.estimate.method or ("no interval" if line.estimate.defined else "")
        value, interval = shown_value(line.estimate.value), shown_interval(line.estimate)
        lines.append(f"| {' | '.join(map(_plain, (shown_name(line.name), value, interval, told)))} |")
    if summary.classes:
        names = [shown_name(name) for name, _ in summary.classes[0].metrics]
        lines += ["", f"| class | rows | {' | '.join(map(_plain, names))} |", "|---" * (len(names) + 2) + "|"]
        for one_class in summary.classes:
            figures = [
                f"{shown_value(one.value)} {shown_interval(one)}".rstrip() for _, one in one_class.metrics
            ]
            label, rows = _plain(clean(one_class.label)), count_text(one_class.support)
            lines.append(f"| **{label}** | {rows} | {' | '.join(map(_plain, figures))} |")
    remarks = [
        *(remark for group in summary.groups for line in group for remark in (*line.remarks, *line.notes)),
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
