"""How wide text stands on a terminal, and text set to a width: for labels of any script.

A letter of Chinese or an emoji takes two columns, an accent that joins the letter before it none.
"""

from __future__ import annotations

import functools
import shutil
import sys
import unicodedata
from typing import TYPE_CHECKING

from assay.escape import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "LINE",
    "USUAL_WIDTH",
    "centred",
    "clean",
    "clean_all",
    "cut",
    "left",
    "right",
    "short",
    "terminal_width",
    "widest",
    "width",
    "wrapped",
]

LINE = 400  # letters of a remark: only one that quotes very long labels has more
_JOINER = "\u200d"  # what follows is drawn into the same picture
_AS_EMOJI = "\ufe0f"  # what precedes is drawn as a picture
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_NARROWEST, USUAL_WIDTH, _WIDEST = 60, 80, 120  # columns of printed text


def terminal_width() -> int:
    """Return the width of printed text: that of the terminal within 60 and 120, and 80 without one."""
    try:
        if not sys.stdout.isatty():
            return USUAL_WIDTH
    except (AttributeError, ValueError):  # there is no standard output, or it is closed
        return USUAL_WIDTH
    return min(max(shutil.get_terminal_size((USUAL_WIDTH, 24)).columns, _NARROWEST), _WIDEST)


def width(text: str) -> int:
    """Return how many columns a text takes.

    >>> width("spam"), width("垃圾邮件"), width("cafe\u0301"), width("👩‍🚀")
    (4, 8, 4, 2)
    """
    if text.isascii():  # as most text is, a column each
        return len(text)
    return sum(columns for _, columns in _drawn(text))


def widest(lines: Iterable[str]) -> int:
    """Return how many columns the widest of some lines takes."""
    return max(map(width, lines))


def right(text: str, columns: int) -> str:
    """Return the text at the right end of so many columns."""
    return " " * (columns - width(text)) + text


def left(text: str, columns: int) -> str:
    """Return the text at the left end of so many columns."""
    return text + " " * (columns - width(text))


def centred(text: str, columns: int) -> str:
    """Return the text in the middle of so many columns."""
    spaces = columns - width(text)
    return " " * (spaces // 2) + text + " " * (spaces - spaces // 2)


def clean(label: object) -> str:
    r"""Return a label as text on one line, in which nothing moves the cursor or turns round what follows.

    >>> clean("two\nlines"), clean(3), clean(""), clean("\u202eeno")
    ('two\\nlines', '3', '""', '\\u202eeno')
    """
    text = str(label)
    if not text.isprintable():
        text = printable(text)
    return text if text.strip() else f'"{text}"'


def clean_all(labels: Iterable[object]) -> list[str]:
    """Return several labels, each as :func:`clean` does."""
    return [clean(label) for label in labels]


def short(label: object, columns: int = 60) -> str:
    """Return a label in at most so many columns: what is too long loses its middle.

    >>> short("spam", 9), short("an endless label of class 7", 9)
    ('spam', 'an e…ss 7')
    """
    text = clean(label)
    if width(text) <= columns:
        return text
    pieces = list(_drawn(text))
    remaining, front, back = columns - 1, "", ""
    while pieces:
        from_front = width(front) <= width(back)
        piece, size = pieces.pop(0 if from_front else -1)
        if size > remaining:
            break
        remaining -= size
        front, back = (front + piece, back) if from_front else (front, piece + back)
    return f"{front}…{back}"


def cut(text: str, columns: int) -> str:
    """Return a text in at most so many columns: what does not fit is left out, and three dots say so.

    >>> cut("modified Wilson", 10), cut("delta", 10)
    ('modified…', 'delta')
    """
    if width(text) <= columns:
        return text
    start = ""
    for char in text:
        if width(start + char) > columns - 1:
            break
        start += char
    return f"{start.rstrip()}…"


def wrapped(text: str, columns: int) -> list[str]:
    """Return the text in lines of at most so many columns, broken at spaces where there are some.

    >>> wrapped("needs a second look", 10)
    ['needs a', 'second', 'look']
    >>> wrapped("internationalisation", 10)
    ['internatio', 'nalisation']
    """
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if width(joined) <= columns:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for piece, size in _drawn(word):
            if lines[-1] and width(lines[-1]) + size > columns:
                lines.append("")
            lines[-1] += piece
    return lines


def _drawn(text: str) -> Iterator[tuple[str, int]]:
    """Yield what is drawn as one, and the columns it takes."""
    piece, columns, joins = "", 0, False
    for char in text:
        added = _columns(char)
        if piece and (joins or not added or ord(char) in _SKIN_TONES):
            piece += char
            columns = 2 if char == _AS_EMOJI else columns
        else:
            if piece:
                yield piece, columns
            piece, columns = char, added
        joins = char == _JOINER
    if piece:
        yield piece, columns


@functools.lru_cache(4096)
def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
