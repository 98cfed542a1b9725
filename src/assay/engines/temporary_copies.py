"""Copies of what cannot be read where it is: standard input, pipes, archives, text in other encodings."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import re
import select
import stat
import sys
import weakref
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.errors import FileError, shown
from assay.temporary_files import TemporaryFolder

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["COMPRESSED", "Copies", "is_stream", "unpacked_suffix"]

# What the reader unpacks itself, and what is unpacked for it.
_READABLE: Final = (".gz", ".zst", ".zstd")
_UNPACKED: Final[dict[str, Callable[..., Any]]] = {".bz2": bz2.open, ".xz": lzma.open}
COMPRESSED: Final = (*_READABLE, *_UNPACKED, ".zip")
_MAGIC: Final = (
    (b"\x1f\x8b", ".gz"), (b"\x28\xb5\x2f\xfd", ".zst"), (b"BZh", ".bz2"), (b"\xfd7zXZ\x00", ".xz"),
    (b"PK\x03\x04", ".zip"),
)  # fmt: skip
# What DuckDB takes for a pattern, a home folder or an address, and bytes that are no text.
_ODD_PATH: Final = re.compile(r"[*?\[\]{}~:$\\\x00-\x1f\ud800-\udfff]")
_BLOCK: Final = 1 << 20
_SIGNALS: Final = 200  # milliseconds after which signals are looked for


def is_stream(path: str) -> bool:
    """Tell whether a path is a pipe, a socket or a device: something that can be read once only."""
    mode = Path(path).stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def unpacked_suffix(path: str) -> str:
    """Return the ending of a file that is unpacked before it is read, or nothing.

    >>> unpacked_suffix("a.csv.BZ2"), unpacked_suffix("a.csv.gz")
    ('.bz2', '')
    """
    suffix = Path(path.lower()).suffix
    return suffix if suffix in _UNPACKED or suffix == ".zip" else ""


class Copies:
    """A folder for copies; it goes when nobody holds this any more."""

    def __init__(self) -> None:
        self._folder: TemporaryFolder | None = None
        self._count = 0

    def new(self, name: str) -> Path:
        """Return a path for a copy, in a folder of its own so that it can have the name of what it is of."""
        if self._folder is None:
            self._folder = TemporaryFolder()
            weakref.finalize(self, self._folder.close)
        self._count += 1
        folder = self._folder.path / str(self._count)
        folder.mkdir()
        return folder / name

    def linked(self, path: str) -> str:
        """Return a path that DuckDB takes for this file and nothing else: itself, or a link to it."""
        if not _ODD_PATH.search(path):
            return path
        link = self.new(f"file{_suffixes(path)}")
        link.symlink_to(Path(path).absolute())
        return str(link)

    def of_input(self) -> str:
        """Return a file with all of standard input: some formats are read twice."""
        if sys.stdin is None:
            raise FileError("standard input is closed: name a file, or let something be read from -.")
        return self._spooled(getattr(sys.stdin, "buffer", sys.stdin), "stdin", "standard input")

    def of_stream(self, path: str) -> str:
        """Return a file with all that a pipe or a device gives."""
        try:
            with open(path, "rb") as stream:  # noqa: PTH123 - a path as the caller wrote it
                return self._spooled(stream, f"stream{_suffixes(path, packing=False)}", path)
        except OSError as failed:
            raise FileError(f"{path} cannot be read: {failed.strerror or failed}.") from None

    def _spooled(self, stream: Any, name: str, noun: str) -> str:
        file = self.new(name)
        with file.open("wb") as copy:
            while block := _read(stream, noun):
                _write(copy, block, noun)
        with file.open("rb") as copy:
            start = copy.read(8)
        suffix = next((suffix for magic, suffix in _MAGIC if start.startswith(magic)), "")
        if suffix:
            file = file.rename(file.with_name(file.name + suffix))
        return self.unpacked(str(file), noun) if unpacked_suffix(str(file)) else str(file)

    def unpacked(self, path: str, name: str) -> str:
        """Return a copy of what a file packed as bz2, xz or zip holds."""
        try:
            if unpacked_suffix(path) == ".zip":
                return self._of_archive(path, name)
            file = self.new(Path(path).stem)
            with _UNPACKED[unpacked_suffix(path)](path, "rb") as packed, file.open("wb") as copy:
                while block := packed.read(_BLOCK):
                    _write(copy, block, name)
        except (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile) as failed:
            raise FileError(f"{name} cannot be unpacked: {str(failed).rstrip('.')}.") from None
        return str(file)

    def _of_archive(self, path: str, name: str) -> str:
        with zipfile.ZipFile(path) as archive:
            members = [
                member
                for member in archive.infolist()
                if not member.is_dir() and not _is_hidden(member.filename)
            ]
            if len(members) != 1:
                names = shown([member.filename for member in members]) or "none"
                raise FileError(f"{name} should hold one file, and holds {names}: unpack it first.")
            file = self.new(Path(members[0].filename).name)
            try:
                with archive.open(members[0]) as packed, file.open("wb") as copy:
                    while block := packed.read(_BLOCK):
                        _write(copy, block, name)
            except (RuntimeError, NotImplementedError) as failed:  # a password, a method that Python lacks
                raise FileError(f"{name} cannot be unpacked: {str(failed).rstrip('.')}.") from None
        return str(file)

    def recoded(self, path: str, name: str, encoding: str) -> str:
        """Return a copy of a text file in UTF-8."""
        file = self.new("text.csv")
        opened: Callable[..., Any] = gzip.open if path.lower().endswith(".gz") else open
        try:
            with opened(path, "rt", encoding=encoding, newline="") as text, file.open("wb") as copy:
                while block := text.read(_BLOCK):
                    _write(copy, block.encode(), name)
        except (UnicodeError, OSError, EOFError) as failed:
            raise FileError(f"{name} is not text in {encoding}: {failed}.") from None
        return str(file)

    def without_mark(self, path: str, name: str) -> str:
        """Return a text without the byte order mark that some editors put before it: itself, or a copy."""
        with open(path, "rb") as text:  # noqa: PTH123 - a path as the caller wrote it
            if text.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
                return path
            file = self.new(f"text{_suffixes(path)}")
            with file.open("wb") as copy:
                while block := text.read(_BLOCK):
                    _write(copy, block, name)
        return str(file)


def _suffixes(path: str, *, packing: bool = True) -> str:
    """Return the last two endings of a name where they are plain letters, such as ``.csv.gz``.

    >>> _suffixes("a.[1].CSV.gz"), _suffixes("a.csv.gz", packing=False), _suffixes("a.[1].csv")
    ('.csv.gz', '.csv', '.csv')
    """
    last = [suffix.lower() for suffix in Path(path).suffixes[-2:] if re.fullmatch(r"\.\w+", suffix, re.ASCII)]
    return "".join(suffix for suffix in last if packing or suffix not in COMPRESSED)


def _is_hidden(path: str) -> bool:
    """Tell whether a file of an archive is what a system adds by itself, as __MACOSX/._a.csv."""
    return any(step.startswith((".", "__")) for step in Path(path).parts)


def _read(stream: Any, noun: str) -> bytes:
    try:
        _wait_for(stream)
        block: bytes = stream.read1(_BLOCK)
    except (OSError, ValueError) as failed:
        raise FileError(f"{noun} cannot be read: {getattr(failed, 'strerror', None) or failed}.") from None
    return block


def _wait_for(stream: Any) -> None:
    """Wait until there is something to read, and look for signals meanwhile.

    A signal that comes just before a read that blocks would otherwise be answered when that has ended.
    """
    try:
        number = stream.fileno()
    except (AttributeError, OSError):  # no file of the system's
        return
    if hasattr(select, "poll"):
        waiting = select.poll()
        waiting.register(number, select.POLLIN)
        while not waiting.poll(_SIGNALS):
            pass


def _write(copy: Any, block: bytes, noun: str) -> None:
    try:
        copy.write(block)
        copy.flush()
    except OSError as failed:
        folder = os.path.dirname(os.path.dirname(os.path.dirname(copy.name)))  # noqa: PTH120
        raise FileError(
            f"{noun} is copied to {folder} before it is read, which failed: {failed.strerror or failed}. "
            "Set TMPDIR to a folder with more room."
        ) from None
