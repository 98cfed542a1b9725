"""Tables of plain text: columns lined up, headings and text columns wrapped to the width.

A table is laid out in one call, from its cells or from the numbers in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from assay.formatting.numbers import JOINED, format_count, format_interval, format_value
from assay.formatting.width import cut, left, right, short, widest, width, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "JOINED",
    "EstimateLine",
    "align_columns",
    "clipped_paragraphs",
    "count_table",
    "estimate_table",
    "grid",
    "grid_blocks",
    "listed",
    "paragraph",
    "paragraph_blocks",
    "paragraphs",
]

_GAP = 2
_HEADING_WIDTH = 12  # that a heading may take where the cells under it are narrower
_MIN_WRAPPED_WIDTH = 8
_ALL_LOOKS = "for all looks"  # the heading of the second interval
_LABEL_WIDTH = 24  # that a label may take beside a table of counts


class EstimateLine(Protocol):
    """A metric in a table of estimates: its title, its estimate, and sentences under it."""

    @property
    def title(self) -> str:
        """The metric's name as it is printed."""

    @property
    def estimate(self) -> Any:
        """The value, its limits, and the method of the interval."""

    @property
    def remarks(self) -> Sequence[str]:
        """What is printed under the line."""

    @property
    def notes(self) -> Sequence[str]:
        """What is printed under the line in full tables alone."""

    @property
    def design_effect(self) -> str:
        """The design effect of grouped rows in words, printed below the notes; empty where there is none."""

    @property
    def all_looks(self) -> Any:
        """The same estimate with an interval for all looks at the test set; None where there is none."""


def align_columns(rows: Sequence[Sequence[str]], alignment: str, *, gap: int = _GAP) -> list[str]:
    """Return rows of cells as lines, the columns lined up at the left ("l") or at the right ("r").

    >>> align_columns([["class", "rows"], ["ham", "1,207"]], "lr")
    ['class   rows', 'ham    1,207']
    """
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    align = {"l": left, "r": right}
    return [
        (" " * gap)
        .join(align[side](cell, size) for cell, side, size in zip(row, alignment, widths, strict=True))
        .rstrip()
        for row in rows
    ]


def grid(
    head: Sequence[str], body: Sequence[Sequence[str]], *, max_width: int = 80, words: int = 1
) -> list[str]:
    r"""Return lines of a table; the first `words` columns are text at the left, the others at the right.

    Headings wrap to their columns, and the text columns wrap where the table would be wider than `max_width`.

    >>> print("\n".join(grid(["", "first model", "b"], [["auc", "0.91", "0.92"], ["f1", "0.8", "0.85"]])))
         first model     b
    auc         0.91  0.92
    f1           0.8  0.85
    """
    columns = list(zip(*body, strict=True)) if body else [()] * len(head)
    sizes = [
        max(max(map(width, column), default=0), min(width(title), _HEADING_WIDTH))
        for title, column in zip(head, columns, strict=True)
    ]
    for index in range(words):
        excess = sum(sizes) + _GAP * (len(sizes) - 1) - max_width
        if excess > 0:
            sizes[index] = max(sizes[index] - excess, min(sizes[index], _MIN_WRAPPED_WIDTH))
    excess = sum(sizes) + _GAP * (len(sizes) - 1) - max_width
    if excess > 0 and body:  # then the widest column of numbers wraps, between one number and the next
        index = max(range(words, len(sizes)), key=sizes.__getitem__, default=0)
        longest = max((width(word) for cell in columns[index] for word in cell.split(" ")), default=0)
        sizes[index] = max(sizes[index] - excess, min(sizes[index], longest))
    lines = []
    for number, row in enumerate([head, *body]):
        cells = [wrapped(text, max(size, 1)) for text, size in zip(row, sizes, strict=True)]
        height = max(map(len, cells))
        for line in range(height):
            # A heading ends on its last line, a cell begins on its first.
            parts = [
                cell[line - (height - len(cell))] if number == 0 and line >= height - len(cell)
                else cell[line] if number and line < len(cell)
                else ""
                for cell in cells
            ]  # fmt: skip
            placed = [
                left(part, size) if index < words else right(part, size)
                for index, (part, size) in enumerate(zip(parts, sizes, strict=True))
            ]
            lines.append((" " * _GAP).join(placed).rstrip().replace(JOINED, " "))
    return lines


def grid_blocks(
    head: Sequence[str], body: Sequence[Sequence[str]], *, max_width: int = 80, text: Sequence[bool] = ()
) -> list[str]:
    r"""Return a table as :func:`grid` does, in blocks under the first column where it is too wide.

    `text` says which columns are text; the first unless stated. Those at the left of a block stand left.

    >>> print("\n".join(grid_blocks(["", "first", "second"], [["auc", "0.911", "0.922"]], max_width=12)))
         first
    auc  0.911
    <BLANKLINE>
         second
    auc   0.922
    """
    is_text = list(text) or [True, *([False] * (len(head) - 1))]
    rest = list(range(1, len(head)))
    lines: list[str] = []
    while True:
        for count in range(len(rest), -1, -1):
            shown = [0, *rest[:count]]
            words = next((at for at, column in enumerate(shown) if not is_text[column]), len(shown))
            block = grid(
                [head[column] for column in shown], [[row[column] for column in shown] for row in body],
                max_width=max_width, words=words,
            )  # fmt: skip
            if count <= 1 or widest(block) <= max_width:
                break
        lines += ["", *block] if lines else block
        rest = rest[max(count, 1) :]
        if not rest:
            return lines


def estimate_table(
    groups: Iterable[Sequence[EstimateLine]], *, max_width: int = 80, full: bool = False
) -> list[str]:
    """Return the lines of metrics with values, intervals and methods, an empty line before each group.

    A metric takes one line, and what does not fit is cut; with `full` it is wrapped, and notes are printed.
    Where there are intervals for all looks at the test set, they are a second column, under a heading.
    """
    cells = [[(line, *_estimate_cells(line)) for line in group] for group in groups]
    rows = [row for group in cells for row in group]
    names = max((width(line.title) for line, _, _ in rows), default=0)
    values = max((width(value) for line, value, _ in rows if line.estimate.defined), default=0)
    intervals = max((width(interval) for _, _, interval in rows), default=0)
    second = {id(line): _all_looks_cell(line) for line, _, _ in rows}
    seconds = max(map(width, (*second.values(), _ALL_LOOKS))) if any(second.values()) else 0
    lines: list[str] = []
    if seconds:
        heading = f" {' ' * names}  {' ' * values}  {left('interval', intervals)}  {_ALL_LOOKS}"
        lines = ["", cut(heading, max_width)]
    for group in cells:
        lines += [] if seconds and len(lines) == 2 else [""]  # noqa: PLR2004 - the heading stands right above
        for line, value, interval in group:
            start = f" {left(line.title, names)}  "
            if line.estimate.defined:
                method = line.estimate.method or "no interval"
                start += f"{right(value, values)}  "
                both = left(interval, intervals) + (f"  {left(second[id(line)], seconds)}" if seconds else "")
                text, indent = f"{start}{both}  {method}", width(start) + width(both) + 2
            else:
                text, indent = start + value, names + 3
            lines += _indented(text, max_width, indent) if full else [cut(text, max_width)]
            below = (*line.remarks, *line.notes, line.design_effect) if full else line.remarks
            for remark in filter(None, below):
                text = f"   {remark}"
                lines += _indented(text, max_width, 3) if full else [cut(text, max_width)]
    return lines


def _estimate_cells(line: EstimateLine) -> tuple[str, str]:
    """Return the value and the interval of a metric; what is undefined has no interval."""
    estimate = line.estimate
    return format_value(estimate.value), format_interval(estimate) if estimate.defined else ""


def _all_looks_cell(line: EstimateLine) -> str:
    return "" if line.all_looks is None else format_interval(line.all_looks)


def _indented(text: str, max_width: int, indent: int) -> Iterator[str]:
    """Yield a text in lines, the later ones indented; spaces within the first are kept."""
    if width(text) <= max_width:
        yield text
        return
    head, tail = text[:indent], text[indent:]
    for number, line in enumerate(wrapped(tail.strip(), max_width - indent)):
        yield (left(head, indent) if not number else " " * indent) + line


def count_table(
    labels: Sequence[Any], counts: Sequence[Sequence[float]], *, max_width: int = 80
) -> list[str] | None:
    r"""Return the lines of a table of counts with its totals, rows actual; None where it is too wide.

    Labels are shortened to fit; where two of them are then the same, there is no table either.

    >>> print("\n".join(count_table(["ham", "spam"], [[12, 2], [1, 5]])))
             predicted
     actual  ham  spam  total
     ham      12     2     14
     spam      1     5      6
     total    13     7     20
    """
    rows = [[*row, sum(row)] for row in counts]
    rows.append([sum(column) for column in zip(*rows, strict=True)])
    cells = [[format_count(count) for count in row] for row in rows]
    sizes = [max(map(width, column)) for column in zip(*cells, strict=True)]
    fair = (max_width - 3 - max(sizes[-1], len("total"))) // len(cells) - 2  # what each label may take
    names = [short(label, max(min(fair, _LABEL_WIDTH), *sizes[:-1])) for label in labels]
    heads = [*names, "total"]
    table = [["actual", *heads], *([head, *row] for head, row in zip(heads, cells, strict=True))]
    lines = align_columns(table, "l" + "r" * len(heads))
    if 1 + widest(lines) > max_width or len(set(names)) < len(names):
        return None
    indent = " " * max(map(width, [*heads, "actual"]))
    return [f" {indent}  predicted", *(f" {line}" for line in lines)]


def clipped_paragraphs(
    texts: Iterable[str], *, max_width: int = 80, max_lines: int | None = None
) -> list[str]:
    """Return the lines of several texts, each wrapped to at most so many lines; what does not fit is cut.

    >>> clipped_paragraphs(["needs a second look", "done"], max_width=10, max_lines=2)
    ['needs a', 'second lo…', 'done']
    """
    lines = []
    for text in texts:
        own = wrapped(text, max_width)
        if max_lines is not None and len(own) > max_lines:
            own = [*own[: max_lines - 1], cut(" ".join(own[max_lines - 1 :]), max_width)]
        lines += own
    return lines


def paragraph(text: str, *, max_width: int = 80, indent: int = 0) -> list[str]:
    r"""Return a text in lines of at most so many columns, the later ones indented.

    What a no-break space joins stays on one line.

    >>> paragraph("better by 0.1 (p\xa0=\xa00.02)", max_width=20)
    ['better by 0.1', '(p = 0.02)']
    """
    lines = wrapped(text, max_width)
    if indent and len(lines) > 1:
        rest = text[len(lines[0]) :].strip(" ")
        lines = [lines[0], *(" " * indent + line for line in wrapped(rest, max_width - indent))]
    return [line.replace(JOINED, " ") for line in lines]


def paragraphs(texts: Iterable[str], *, max_width: int = 80, indent: int = 0) -> list[str]:
    """Return the lines of several texts, each laid out by :func:`paragraph`."""
    return [line for text in texts for line in paragraph(text, max_width=max_width, indent=indent)]


def paragraph_blocks(blocks: Iterable[tuple[Iterable[str], int]], *, max_width: int = 80) -> list[list[str]]:
    """Return the lines of several blocks of texts, each with the indent of its later lines."""
    return [paragraphs(texts, max_width=max_width, indent=indent) for texts, indent in blocks]


def listed(words: Iterable[str], last: str = " and ") -> str:
    """Return words as an enumeration; they are printed as they are, so labels among them are clean ones.

    >>> listed(["auc", "f1", "mcc"]), listed(["auc"])
    ('auc, f1 and mcc', 'auc')
    """
    *first, final = words
    return last.join(filter(None, [", ".join(first), final]))
