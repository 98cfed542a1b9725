"""Escape control characters in data before it is printed on a terminal."""

from __future__ import annotations

import re

__all__ = ["printable"]

# Control characters (C0, DEL, C1), line and paragraph separators, lone surrogates, and marks that change the
# direction of writing.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def printable(text: str, *, lines: bool = False, json: bool = False) -> str:
    r"""Escape what would move the cursor, change colours or the direction of writing.

    `lines` keeps line breaks and tabs; `json` writes escapes as JSON does, for text that is JSON.

    >>> printable("\x1b[31mred\nnext"), printable("two\nlines", lines=True)
    ('\\x1b[31mred\\nnext', 'two\nlines')
    >>> printable("\x9b0m", json=True)
    '\\u009b0m'
    """

    def escape(match: re.Match[str]) -> str:
        char = match[0]
        if lines and char in "\n\t":
            return char
        return f"\\u{ord(char):04x}" if json else ascii(char)[1:-1]

    return _UNSAFE.sub(escape, text)
