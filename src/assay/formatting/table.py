"""Tables of plain text: columns lined up, headings and first columns wrapped where there is no room."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from assay.formatting.width import clean, left, right, width, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["JOINED", "grid", "listed", "paragraph"]

JOINED = "\xa0"  # a space at which no line is broken
_GAP = 2
_HEAD = 12  # columns that a heading may take beyond what stands under it
_LEAST = 8  # columns that a wrapped column keeps


def grid(head: Sequence[str], body: Sequence[Sequence[str]], *, room: int = 80, words: int = 1) -> list[str]:
    r"""Return lines of a table; the first `words` columns are text at the left, the others at the right.

    Headings wrap to their columns, and the text columns wrap where the table would be wider than the room.

    >>> print("\n".join(grid(["", "first model", "b"], [["auc", "0.91", "0.92"], ["f1", "0.8", "0.85"]])))
         first model     b
    auc         0.91  0.92
    f1           0.8  0.85
    """
    columns = list(zip(*body, strict=True)) if body else [()] * len(head)
    sizes = [
        max(max(map(width, column), default=0), min(width(title), _HEAD))
        for title, column in zip(head, columns, strict=True)
    ]
    for place in range(words):
        excess = sum(sizes) + _GAP * (len(sizes) - 1) - room
        if excess > 0:
            sizes[place] = max(sizes[place] - excess, min(sizes[place], _LEAST))
    excess = sum(sizes) + _GAP * (len(sizes) - 1) - room
    if excess > 0 and body:  # then the widest figures wrap, between one number and the next
        place = max(range(words, len(sizes)), key=sizes.__getitem__, default=0)
        longest = max((width(word) for cell in columns[place] for word in cell.split(" ")), default=0)
        sizes[place] = max(sizes[place] - excess, min(sizes[place], longest))
    lines = []
    for number, row in enumerate([head, *body]):
        cells = [wrapped(text, max(size, 1)) for text, size in zip(row, sizes, strict=True)]
        height = max(map(len, cells))
        for line in range(height):
            # Headings stand on what they name, text begins beside its figures.
            parts = [
                cell[line - (height - len(cell))] if number == 0 and line >= height - len(cell)
                else cell[line] if number and line < len(cell)
                else ""
                for cell in cells
            ]  # fmt: skip
            placed = [
                left(part, size) if place < words else right(part, size)
                for place, (part, size) in enumerate(zip(parts, sizes, strict=True))
            ]
            lines.append((" " * _GAP).join(placed).rstrip().replace(JOINED, " "))
    return lines


def paragraph(text: str, *, room: int = 80, indent: int = 0) -> list[str]:
    r"""Return a text in lines of at most so many columns, the later ones indented.

    What a no-break space joins stays on one line.

    >>> paragraph("better by 0.1 (p\xa0=\xa00.02)", room=20)
    ['better by 0.1', '(p = 0.02)']
    """
    lines = wrapped(text, room)
    if indent and len(lines) > 1:
        rest = text[len(lines[0]) :].strip(" ")
        lines = [lines[0], *(" " * indent + line for line in wrapped(rest, room - indent))]
    return [line.replace(JOINED, " ") for line in lines]


def listed(words: Iterable[str]) -> str:
    """Return words as one says them.

    >>> listed(["auc", "f1", "mcc"]), listed(["auc"])
    ('auc, f1 and mcc', 'auc')
    """
    said = [clean(word) for word in words]
    return " and ".join(filter(None, [", ".join(itertools.islice(said, len(said) - 1)), said[-1]]))
