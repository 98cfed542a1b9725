"""The summary of an evaluation as text, and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.numbers import format_count, format_interval, format_value
from assay.formatting.result_table import escape_markdown
from assay.formatting.table import align_columns
from assay.formatting.width import clean, left, right, short, wrapped
from assay.formatting.width import width as display_width
from assay.hints import hint, render
from assay.metrics.spec import metric_title
from assay.reports.text.per_class import drawn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.reports.summary import Line, Summary

__all__ = ["as_markdown", "as_text"]

_MAX_CLASSES = 12  # whose counts are drawn in a summary
_MAX_LINES = 2  # that a sentence takes in a summary of one screen
_LABEL_WIDTH = 24


def as_text(summary: Summary, *, width: int = 80, full: bool = False) -> str:
    """Return the summary in lines of at most so many columns.

    Each metric takes one line, and what does not fit is cut; with `full` nothing is, and notes are printed.
    """
    max_lines = None if full else _MAX_LINES
    lines = [line for text in (summary.title, *summary.heading) for line in _within(text, width, max_lines)]
    if summary.table:
        lines += ["", *_counts(summary, width)]
    sizes = _sizes(summary)
    for group in summary.groups:
        lines.append("")
        for line in group:
            lines += _metric_lines(line, sizes, width, full=full)
    if summary.classes:
        lines += ["", *drawn(summary.classes, width)]
    if summary.remarks:
        lines.append("")
        for remark in summary.remarks:
            lines += [f" {line}" for line in _within(remark, width - 1, max_lines)]
    return "\n".join(lines)


def _within(text: str, max_width: int, max_lines: int | None) -> list[str]:
    """Return a text in so many lines at most; what does not fit is cut."""
    lines = wrapped(text, max_width)
    if max_lines is None or len(lines) <= max_lines:
        return lines
    return [*lines[: max_lines - 1], _cut(" ".join(lines[max_lines - 1 :]), max_width)]


def _sizes(summary: Summary) -> tuple[int, int, int]:
    """Return how wide names, values and intervals are."""
    lines = [line for group in summary.groups for line in group]
    defined = [line.estimate for line in lines if line.estimate.defined]
    return (
        max((display_width(metric_title(line.name)) for line in lines), default=0),
        max((display_width(format_value(estimate.value)) for estimate in defined), default=0),
        max((display_width(format_interval(estimate)) for estimate in defined), default=0),
    )


def _metric_lines(line: Line, sizes: tuple[int, int, int], max_width: int, *, full: bool) -> Iterator[str]:
    estimate, name = line.estimate, left(metric_title(line.name), sizes[0])
    if not estimate.defined:
        text = f" {name}  {format_value(estimate.value)}"
        indent = sizes[0] + 3
    else:
        start = f" {name}  {right(format_value(estimate.value), sizes[1])}  "
        method = estimate.method or "no interval"
        text = f"{start}{left(format_interval(estimate), sizes[2])}  {method}"
        indent = display_width(start) + sizes[2] + 2
    yield from _indented(text, max_width, indent) if full else [_cut(text, max_width)]
    for remark in line.remarks:
        yield from _indented(f"   {remark}", max_width, 3) if full else [_cut(f"   {remark}", max_width)]
    for note in filter(None, (*line.notes, line.design_effect)) if full else ():
        yield from _indented(f"   {note}", max_width, 3)


def _cut(text: str, max_width: int) -> str:
    """Return the text on one line: what does not fit is left out, and three dots say so."""
    if display_width(text) <= max_width:
        return text
    start = ""
    for char in text:
        if display_width(start + char) > max_width - 1:
            break
        start += char
    return f"{start.rstrip()}…"


def _indented(text: str, max_width: int, indent: int) -> Iterator[str]:
    """Yield a text in lines, the later ones indented; spaces within the first are kept."""
    if display_width(text) <= max_width:
        yield text
        return
    head, tail = text[:indent], text[indent:]
    for number, line in enumerate(wrapped(tail.strip(), max_width - indent)):
        yield (left(head, indent) if not number else " " * indent) + line


def _counts(summary: Summary, max_width: int) -> Iterator[str]:
    """Yield the table of counts, or where to find it if there are too many classes."""
    counts = [[*row, sum(row)] for row in summary.table]
    counts.append([sum(column) for column in zip(*counts, strict=True)])
    cells = [[format_count(count) for count in row] for row in counts]
    widest = [max(map(display_width, column)) for column in zip(*cells, strict=True)]
    fair = (max_width - 3 - max(widest[-1], len("total"))) // len(cells) - 2  # what each label may take
    labels = [short(label, max(min(fair, _LABEL_WIDTH), *widest[:-1])) for label in summary.labels]
    heads = [*labels, "total"]
    rows = [["actual", *heads], *([head, *row] for head, row in zip(heads, cells, strict=True))]
    lines = align_columns(rows, "l" + "r" * len(heads))
    too_wide = 1 + max(map(display_width, lines)) > max_width
    if len(labels) > _MAX_CLASSES or too_wide or len(set(labels)) < len(labels):
        whole = render(hint("ev.confusion", "shown by assay crosstab"))
        yield f" {len(labels)} classes: the whole table is {whole}"
        return
    yield f" {' ' * max(map(display_width, [*heads, 'actual']))}  predicted"
    yield from (f" {line}" for line in lines)


def as_markdown(summary: Summary) -> str:
    """Return the summary as Markdown: headings, a table of counts, a table of metrics, remarks."""
    lines = [f"## {escape_markdown(summary.title)}", "", *map(escape_markdown, summary.heading)]
    if summary.table and len(summary.labels) <= _MAX_CLASSES:
        heads = [escape_markdown(clean(label)) for label in summary.labels]
        lines += ["", *_pipe_table(["actual \\ predicted", *heads, "total"])]
        for head, counts in zip(heads, summary.table, strict=True):
            cells = " | ".join(format_count(count) for count in (*counts, sum(counts)))
            lines.append(f"| **{head}** | {cells} |")
    metrics = [line for group in summary.groups for line in group]
    groups = next((line.estimate.groups for line in metrics if line.design_effect), None)
    heads = ["metric", "value", "interval", "method"]
    if groups is not None:
        heads.append(f"design effect of {groups:,} groups")
    lines += ["", *_pipe_table(heads)]
    for line in metrics:
        method = line.estimate.method or ("no interval" if line.estimate.defined else "")
        value, interval = format_value(line.estimate.value), format_interval(line.estimate)
        row = [metric_title(line.name), value, interval, method]
        if groups is not None:
            row.append(f"{line.estimate.design_effect:.2f}" if line.design_effect else "")
        lines.append(f"| {' | '.join(map(escape_markdown, row))} |")
    if summary.classes:
        names = [escape_markdown(metric_title(name)) for name, _ in summary.classes[0].metrics]
        lines += ["", *_pipe_table(["class", "rows", *names])]
        for each in summary.classes:
            values = [
                f"{format_value(estimate.value)} {format_interval(estimate)}".rstrip()
                for _, estimate in each.metrics
            ]
            label, rows = escape_markdown(clean(each.label)), format_count(each.support)
            lines.append(f"| **{label}** | {rows} | {' | '.join(map(escape_markdown, values))} |")
    remarks = [
        *(f"{metric_title(line.name)}: {text}" for line in metrics for text in (*line.remarks, *line.notes)),
        *summary.remarks,
    ]
    if remarks:
        lines += ["", *(f"- {escape_markdown(remark)}" for remark in remarks)]
    return "\n".join(lines)


def _pipe_table(heads: Sequence[str]) -> list[str]:
    return [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
