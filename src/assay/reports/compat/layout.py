"""Figures in the layouts of other programs: plain data in, lines of text out."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.formatting.numbers import format_p
from assay.formatting.width import left, right, short, width, wrapped
from assay.hints import render

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "LABEL",
    "ByClass",
    "CompatLayout",
    "NameValueLines",
    "as_lines",
    "counts_table",
    "four",
    "named_columns",
    "r_number",
    "r_p",
]

_ROOM = 80
LABEL = 32  # columns that a label takes at most
_LARGEST = 1e9  # that is written out


@dataclasses.dataclass(frozen=True)
class NameValueLines:
    """Lines of a name and a value with a colon between, names to the right; None leaves a line empty."""

    lines: tuple[tuple[str, str] | None, ...]


@dataclasses.dataclass(frozen=True)
class ByClass:
    """A table: a heading over each column, a name before each row."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]] | None, ...]
    gap: int = 1
    least: int = 0  # how wide a column is at least


@dataclasses.dataclass(frozen=True)
class CompatLayout:
    """What is shown, part after part, and what differs from the figures of assay."""

    parts: tuple[NameValueLines | ByClass | tuple[str, ...], ...]
    differs: tuple[str, ...]


def as_lines(layout: CompatLayout, max_width: int = _ROOM) -> Iterator[str]:
    """Yield the lines of a layout, and at the end what differs."""
    for number, part in enumerate(layout.parts):
        if number:
            yield ""
        if isinstance(part, NameValueLines):
            yield from _pairs(part)
        elif isinstance(part, ByClass):
            yield from _columns(part, max_width)
        else:
            yield from part
    if layout.differs:
        yield ""
        for difference in map(render, layout.differs):
            first, *rest = wrapped(difference, max_width - 2)
            yield f"* {first}"
            yield from (f"  {line}" for line in rest)


def _pairs(part: NameValueLines) -> Iterator[str]:
    widest = max(width(line[0]) for line in part.lines if line is not None)
    for line in part.lines:
        yield "" if line is None else f" {right(line[0], widest)} : {line[1]}"


def _columns(part: ByClass, max_width: int) -> Iterator[str]:
    """Yield a table, in several blocks where it is wider than the room."""
    names = [row[0] for row in part.rows if row is not None]
    first = max(map(width, names), default=0) + (1 if part.least else 0)
    sizes = [
        max(part.least, width(head), *(width(row[1][index]) for row in part.rows if row is not None))
        + part.gap
        for index, head in enumerate(part.heads)
    ]
    start = 0
    while start < len(sizes):
        stop = start + 1
        while stop < len(sizes) and first + sum(sizes[start : stop + 1]) <= max_width:
            stop += 1
        if start:
            yield ""
        margin = " " if part.least else ""
        yield _row(margin, part.heads[start:stop], first, sizes[start:stop])
        for row in part.rows:
            yield "" if row is None else _row(row[0] + margin, row[1][start:stop], first, sizes[start:stop])
        start = stop


def _row(name: str, cells: Sequence[str], first: int, sizes: Sequence[int]) -> str:
    return right(name, first) + "".join(right(cell, size) for cell, size in zip(cells, sizes, strict=True))


def counts_table(labels: Sequence[Any], counts: Any, max_width: int = _ROOM) -> tuple[str, ...]:
    """Return caret's table of counts: rows are what was predicted, columns what was true.

    Where it is wider than the room it goes on below, as R prints it.
    """
    heads = [short(label, LABEL) for label in labels]
    first = max(width("Prediction"), *map(width, heads))
    sizes = [max(width(head), width(str(max(column)))) for head, column in zip(heads, counts, strict=True)]
    lines: list[str] = []
    start = 0
    while start < len(sizes):
        stop = start + 1
        while stop < len(sizes) and first + sum(size + 1 for size in sizes[start : stop + 1]) <= max_width:
            stop += 1
        part = slice(start, stop)
        lines += [
            f"{' ' * first} Reference",
            f"{left('Prediction', first)} {_cells(heads[part], sizes[part])}",
        ]
        for index, head in enumerate(heads):
            row = [str(column[index]) for column in counts[part]]
            lines.append(f"{right(head, first)} {_cells(row, sizes[part])}")
        start = stop
    return tuple(lines)


def _cells(cells: Sequence[str], sizes: Sequence[int]) -> str:
    return " ".join(right(cell, size) for cell, size in zip(cells, sizes, strict=True))


def named_columns(
    names: Sequence[str], columns: Sequence[Sequence[str]], kinds: Sequence[str]
) -> tuple[str, ...]:
    """Return a table as R's tibble prints one: its size, names, kinds, and numbered rows."""
    rows = len(columns[0])
    number = len(str(rows))
    columns_by_name = zip(names, kinds, columns, strict=True)
    sizes = [max(map(width, (name, kind, *column))) for name, kind, column in columns_by_name]

    def line(start: str, cells: Sequence[str]) -> str:
        placed = [
            right(cell, size) if kind == "<dbl>" else left(cell, size)
            for cell, size, kind in zip(cells, sizes, kinds, strict=True)
        ]
        return f"{right(start, number)} {' '.join(placed)}".rstrip()

    lines = [f"# A tibble: {rows} \u00d7 {len(names)}", line("", names), line("", kinds)]
    lines += [line(str(index + 1), [column[index] for column in columns]) for index in range(rows)]
    return tuple(lines)


def four(value: float) -> str:
    """Return a number at four decimals, unless it is too large to be written out.

    >>> four(0.97554), four(2.5e300)
    ('0.9755', '2.5e+300')
    """
    return f"{value:.4f}" if abs(value) < _LARGEST else f"{value:.6g}"


def r_number(value: float | None, digits: int = 4) -> str:
    """Return a number rounded to some decimals and without zeros at its end, as R prints it.

    >>> r_number(0.966), r_number(1.0), r_number(None)
    ('0.966', '1', 'NA')
    """
    if value is None:
        return "NA"
    return f"{round(value, digits):.{digits}f}".rstrip("0").rstrip(".")


def r_p(value: float | None) -> str:
    """Return a p-value as R prints it.

    >>> r_p(7.998e-05), r_p(1e-20), r_p(0.25)
    ('7.998e-05', '< 2.2e-16', '0.25')
    """
    if value is None:
        return "NA"
    return format_p(value, digits=4)
