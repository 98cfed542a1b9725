"""How a file of delimited text begins, and how its lines end: decided here, and not guessed by the reader."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assay.errors import FileError
from assay.hints import param

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Layout", "best_layout", "copy_with_plain_lines", "first_lines", "layout_of",
    "lines_with_ends", "never_closed", "no_header",
]  # fmt: skip

_START: Final = 1 << 22  # bytes that the header must lie within
_MARK: Final = "\ufeff"  # the byte order mark
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Layout(NamedTuple):
    """How a file begins.

    ``blank`` lines come before the ``header``, whose record ends with ``end`` (empty where nothing follows).
    ``odd`` says that DuckDB would not find its end: lines before it end otherwise, or a byte order mark hides
    from it that a name of several lines is quoted.
    """

    header: list[str]
    delimiter: str
    end: str
    blank: int
    odd: bool


def first_lines(path: str, encoding: str, name: str) -> list[str] | None:
    """Return the first lines of a text with their ends; None where it is packed as zst."""
    lower = path.lower()
    if lower.endswith((".zst", ".zstd")):
        return None
    opened: Any = gzip.open if lower.endswith(".gz") else open
    try:
        with opened(path, "rb") as file:
            start = file.read(_START)
    except (OSError, EOFError) as failed:
        raise FileError(f"{name} cannot be read: {_reason(failed)}.") from None
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape" if encoding == "utf-8" else "strict")
    try:
        text = decoder.decode(start, final=len(start) < _START)
    except UnicodeError as failed:
        raise _no_text(name) from failed
    if encoding == "utf-16" and start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = _MARK + text  # which the decoder took off
    lines = _LINE.findall(text)
    if not any(line.strip().removeprefix(_MARK) for line in lines):
        raise no_header(name)
    return lines


def no_header(name: str) -> FileError:
    """Return the error for a file without any text."""
    return FileError(f"{name} is empty: there is not even a line of column names.")


def lines_with_ends(lines: Sequence[str], halves: Sequence[str]) -> list[str]:
    r"""Return lines with their ends, given the same text cut at CR and at LF each, so that CRLF cuts twice.

    >>> lines_with_ends(["", "a", "b"], ["", "", "a", "", "b", ""])
    ['\r\n', 'a\r\n', 'b\r\n']
    >>> lines_with_ends(["a", "", "b"], ["a", "", "b"])
    ['a\n', '\n', 'b\n']
    """
    result, at, index = [], 0, 0
    while index < len(lines):
        start = index
        index += 1
        while index < len(lines) and not lines[index]:
            index += 1
        if lines[start]:
            at += 1
        empty = at
        while at < len(halves) and not halves[at]:
            at += 1
        run = index - start  # lines, of which all but the first are blank
        end = "\r\n" if at - empty >= 2 * run - bool(lines[start]) and at > empty else "\n"
        result += [f"{line}{end}" for line in lines[start:index]]
    return result


def _reason(failed: Exception) -> str:
    if isinstance(failed, (gzip.BadGzipFile, EOFError)):
        return f"it is no whole GZIP file ({failed})"
    return str(getattr(failed, "strerror", None) or failed)


def _no_text(name: str) -> FileError:
    return FileError(
        f"{name} is not the text it should be: say its encoding, as {param('encoding', 'latin-1')}."
    )


def never_closed(where: str, error: type[FileError] = FileError) -> FileError:
    """Return the error for a quoted value without an end."""
    return error(f'{where} opens a quote that is never closed. Mend it, or say {param("quote")} (none: "").')


def layout_of(lines: Sequence[str], delimiter: str, quote: str, name: str) -> Layout:
    r"""Return how a file begins whose values a delimiter parts.

    >>> layout_of(["\r\n", '"a\n', 'b",y\r\n', "1,2\r\n"], ",", '"', "x")
    Layout(header=['a\nb', 'y'], delimiter=',', end='\r\n', blank=1, odd=False)
    """
    marked = lines[0].startswith(_MARK)
    lines = [lines[0].removeprefix(_MARK), *lines[1:]]
    blank = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    reader = _reader(iter(lines[blank:]), delimiter, quote)
    try:
        header: list[str] = next(reader, [])
    except csv.Error as failed:
        raise FileError(f"the header of {name} cannot be read: {failed}.") from None
    if any("\ud800" <= letter <= "\udfff" for value in header for letter in value):
        raise _no_text(name)
    end = _end(lines[blank + reader.line_num - 1]) if header else ""
    same_ends = {_end(line) for line in lines[:blank]} <= {end}
    hidden = marked and (
        reader.line_num > 1 or any(sign in header[0] for sign in (delimiter, quote or delimiter))
    )
    return Layout(header, delimiter, end, blank, not same_ends or hidden)


def best_layout(lines: Sequence[str], delimiters: str, quote: str, name: str) -> Layout:
    """Return how a file begins, with the delimiter that parts its header into most names.

    A delimiter that stands within quotes parts nothing.
    """
    layouts = [layout_of(lines, delimiter, quote, name) for delimiter in delimiters]
    plain = [layout for layout in layouts if _is_plain(lines, layout, quote)]
    return max(plain or layouts, key=lambda layout: len(layout.header))


def _is_plain(lines: Sequence[str], layout: Layout, quote: str) -> bool:
    """Tell whether quotes of the header open and close a whole name."""
    first = [lines[0].removeprefix(_MARK), *lines[1:]][layout.blank :]
    try:
        next(_reader(iter(first), layout.delimiter, quote, strict=True), None)
    except csv.Error:
        return False
    return True


def _reader(lines: Any, delimiter: str, quote: str, *, strict: bool = False) -> Any:
    quoting: Any = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    return csv.reader(lines, delimiter=delimiter, quotechar=quote or None, quoting=quoting, strict=strict)


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def copy_with_plain_lines(
    path: str, copy: str, *, encoding: str, delimiter: str, quote: str, name: str
) -> None:
    """Write a copy of a file in UTF-8 whose lines all end with LF; values and blank lines stay."""
    opened: Any = gzip.open if path.lower().endswith(".gz") else open
    odd = "surrogateescape" if encoding == "utf-8" else "strict"
    quoting: Any = csv.QUOTE_ALL if quote else csv.QUOTE_NONE
    with (
        opened(path, "rt", encoding=encoding, errors=odd, newline="") as text,
        open(copy, "w", encoding="utf-8", errors=odd, newline="") as out,  # noqa: PTH123 - our own copy
    ):
        if text.read(1) != _MARK:
            text.seek(0)
        rows = _reader(text, delimiter, quote, strict=True)
        writer = csv.writer(
            out, delimiter=delimiter, quotechar=quote or None, quoting=quoting, lineterminator="\n"
        )
        try:
            for row in rows:
                if row:
                    writer.writerow(row)
                else:
                    out.write("\n")
        except csv.Error as failed:
            if "unexpected end of data" in str(failed):
                raise never_closed(name) from None
            raise FileError(f"line {rows.line_num:,} of {name} cannot be read: {failed}.") from None
