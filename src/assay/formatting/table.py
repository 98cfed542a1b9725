"""Tables of plain text: columns lined up, headings and text columns wrapped to the width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.width import clean, left, right, width, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["JOINED", "align_columns", "grid", "grid_blocks", "listed", "paragraph"]

JOINED = "\xa0"  # a space at which no line is broken
_GAP = 2
_HEADING_WIDTH = 12  # that a heading may take where the cells under it are narrower
_MIN_WRAPPED_WIDTH = 8


def align_columns(rows: Sequence[Sequence[str]], alignment: str, *, gap: int = _GAP) -> list[str]:
    """Return rows of cells as lines, the columns lined up at the left ("l") or at the right ("r").

    >>> align_columns([["class", "rows"], ["ham", "1,207"]], "lr")
    ['class   rows', 'ham    1,207']
    """
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    place = {"l": left, "r": right}
    return [
        (" " * gap)
        .join(place[side](cell, size) for cell, side, size in zip(row, alignment, widths, strict=True))
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
            if count <= 1 or max(map(width, block)) <= max_width:
                break
        lines += ["", *block] if lines else block
        rest = rest[max(count, 1) :]
        if not rest:
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


def listed(words: Iterable[str], last: str = " and ") -> str:
    """Return words as an enumeration.

    >>> listed(["auc", "f1", "mcc"]), listed(["auc"])
    ('auc, f1 and mcc', 'auc')
    """
    *first, final = [clean(word) for word in words]
    return last.join(filter(None, [", ".join(first), final]))
