"""Which files a query may read: those that it names as text, and those that its patterns stand for."""

from __future__ import annotations

import dataclasses
import glob
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.output_files import identity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.output_files import FileIdentity

__all__ = ["QueriedFiles"]

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")  # a file named without quotes: FROM preds.csv
_TEXT = re.compile(r"(?:[eE]?'(.*)'|\"(.*)\"|\$(\w*)\$(.*)\$\3\$)", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class QueriedFiles:
    """Files that a query names; `everywhere` where it names an address, which takes more than files."""

    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()  # in which its patterns look
    everywhere: bool = False

    @classmethod
    def of(cls, sql: str, duckdb: Any) -> QueriedFiles:
        """Return the files that a query's own words name."""
        paths, folders = [], []
        words = list(_words(sql, duckdb))
        for word in words:
            path = os.path.expanduser(word)  # noqa: PTH111 - may be a pattern
            if _is_file(path):
                paths.append(path)
            elif glob.has_magic(path) and re.search(r"[./]", path):  # else it is hardly meant as a pattern
                files = [file for file in glob.glob(path, recursive=True) if _is_file(file)]  # noqa: PTH207
                fixed = re.split(r"[*?\[]", path, maxsplit=1)[0]
                paths += files
                folders += [os.path.abspath(os.path.dirname(fixed))] if files else []  # noqa: PTH100, PTH120
        return cls(tuple(paths), tuple(dict.fromkeys(folders)), any("://" in word for word in words))

    def identities(self) -> set[FileIdentity]:
        """Return which files they are."""
        return {file for path in self.paths if (file := identity(path)) is not None}


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file() or Path(path).is_fifo()
    except (OSError, ValueError):  # no name that any file could have
        return False


def _words(sql: str, duckdb: Any) -> Iterator[str]:
    """Yield what stands in quotes of either kind, and names with a point in them."""
    tokens = duckdb.tokenize(sql)
    ends = [start for start, _ in tokens[1:]] + [len(sql)]
    plain = ""
    for (start, kind), end in zip(tokens, ends, strict=True):
        token = sql[start:end]
        match = _TEXT.match(token.strip())
        if match is not None:
            text, name, _, dollars = match.groups()
            whole = text.replace("''", "'") if text is not None else dollars
            yield (whole if name is None else name.replace('""', '"')).removeprefix("file://")
        plain += " " if match is not None or kind == duckdb.token_type.comment else token
    yield from _DOTTED.findall(plain)
