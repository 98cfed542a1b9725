"""Files that a command writes: all of them appear, whole, once it is done, or none does."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from assay.errors import FileError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType

__all__ = ["Files", "as_json", "deliver"]


class Files:
    """Files to be written under temporary names beside their own, and renamed together in the end.

    None of them may be a file that the command reads.
    """

    def __init__(self, read: Iterable[str] = ()) -> None:
        self._read = [Path(one) for one in read]
        self._places: dict[Path, Path] = {}

    def place(self, path: str | os.PathLike[str]) -> Path:
        """Return where to write what shall be found at a path in the end."""
        import tempfile

        target = Path(path)
        if str(path) == "-":
            raise FileError("- is no file to write to: name one, as ./- or figures.json.")
        if any(one.exists() and target.exists() and one.samefile(target) for one in self._read):
            raise FileError(f"{target} is read from: it would be replaced by what is written. Name another.")
        if target in self._places:
            raise FileError(f"{target} would be written twice: name different files.")
        if target.is_dir():
            raise FileError(f"{target} is a folder: name a file to write to.")
        if not target.parent.is_dir():
            raise FileError(f"{target} cannot be written: there is no folder {target.parent}.")
        with self._explained(target):
            ending = "".join(target.suffixes[-2:])
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=".assay-", suffix=ending)
            os.close(handle)
        self._places[target] = Path(name)
        return Path(name)

    def write(self, path: str | os.PathLike[str], text: str) -> None:
        """Have a text at a path in the end."""
        place = self.place(path)
        with self._explained(Path(path)):
            place.write_text(text, encoding="utf-8")

    @staticmethod
    @contextlib.contextmanager
    def _explained(target: Path) -> Any:
        try:
            yield
        except OSError as failed:
            raise FileError(f"{target} cannot be written: {failed.strerror or failed}.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                for target, place in self._places.items():
                    with self._explained(target):
                        place.chmod(0o666 & ~_mask())
                        place.replace(target)
        finally:
            for place in self._places.values():
                with contextlib.suppress(OSError):
                    place.unlink()


def _mask() -> int:
    """Return the mask of new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def as_json(data: Any) -> str:
    """Return plain data as JSON for people and programs."""
    import json

    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)


def deliver(
    arguments: argparse.Namespace,
    text: str,
    more: Mapping[str | None, Callable[[Path], object]] | None = None,
) -> None:
    """Print an answer, or write it where it is wanted, together with `more` files by their path.

    It is printed last: who reads no further must not lose the files.
    """
    output = getattr(arguments, "output", None)
    with Files(arguments.paths) as files:
        for path, write in (more or {}).items():
            if path is not None:
                write(files.place(path))
        if output is not None:
            files.write(output, f"{text}\n")
    if output is None:
        print(text)  # noqa: T201 - this is the command line
