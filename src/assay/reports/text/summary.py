"""The summary of an evaluation as text, and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.numbers import format_count, format_interval, format_value
from assay.formatting.result_table import escape_markdown
from assay.formatting.table import clipped_paragraphs, count_table, estimate_table
from assay.formatting.width import clean
from assay.hints import hint, render
from assay.metrics.spec import metric_title
from assay.reports.text.per_class import drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reports.summary import Summary

__all__ = ["as_markdown", "as_text"]

_MAX_CLASSES = 12  # whose counts are drawn in a summary
_MAX_LINES = 2  # that a sentence takes in a summary of one screen


def as_text(summary: Summary, *, width: int = 80, full: bool = False) -> str:
    """Return the summary in lines of at most so many columns.

    Each metric takes one line, and what does not fit is cut; with `full` nothing is, and notes are printed.
    """
    max_lines = None if full else _MAX_LINES
    lines = clipped_paragraphs((summary.title, *summary.heading), max_width=width, max_lines=max_lines)
    if summary.table:
        lines += ["", *_counts(summary, width)]
    lines += estimate_table(summary.groups, max_width=width, full=full)
    if summary.classes:
        lines += ["", *drawn(summary.classes, width)]
    if summary.remarks:
        remarks = clipped_paragraphs(summary.remarks, max_width=width - 1, max_lines=max_lines)
        lines += ["", *(f" {line}" for line in remarks)]
    return "\n".join(lines)


def _counts(summary: Summary, max_width: int) -> list[str]:
    """Return the table of counts, or where to find it if there are too many classes."""
    few = len(summary.labels) <= _MAX_CLASSES
    table = count_table(summary.labels, summary.table, max_width=max_width) if few else None
    if table is not None:
        return table
    whole = render(hint("ev.confusion", "shown by assay crosstab"))
    return [f" {len(summary.labels)} classes: the whole table is {whole}"]


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
    if any(line.all_looks is not None for line in metrics):
        heads.insert(3, "interval for all looks")
    if groups is not None:
        heads.append(f"design effect of {groups:,} groups")
    lines += ["", *_pipe_table(heads)]
    for line in metrics:
        method = line.estimate.method or ("no interval" if line.estimate.defined else "")
        value, interval = format_value(line.estimate.value), format_interval(line.estimate)
        row = [line.title, value, interval, method]
        if len(heads) > 4 and heads[3] != "method":  # noqa: PLR2004
            row.insert(3, "" if line.all_looks is None else format_interval(line.all_looks))
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
        *(f"{line.title}: {text}" for line in metrics for text in (*line.remarks, *line.notes)),
        *summary.remarks,
    ]
    if remarks:
        lines += ["", *(f"- {escape_markdown(remark)}" for remark in remarks)]
    return "\n".join(lines)


def _pipe_table(heads: Sequence[str]) -> list[str]:
    return [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
